package pvalues

import (
	"os"
	"strings"
	"testing"

	"github.com/dpcalc/dpcalc/cmd/internal/commandtest"
	"github.com/dpcalc/dpcalc/cmd/internal/usage"
)

// The step of a family alone is for tests that were fixed before the data were seen: no p-value is corrected, the
// threshold is alpha, and the output says what it rests on.
func TestPlainStep(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("eu.csv", []byte("\ufeffname;p\na;0,0125\nb;0,2\nc;0,05\nd;NA\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	const said = "P-values adjusted by the step holm of 3 at alpha 0.05, for tests that were all fixed before the data were seen\n"
	run := func(line string) (code int, out, stderr string) {
		return commandtest.Dpcalc(append([]string{"pvalue-correct"}, strings.Fields(line)...)...)
	}
	code, out, stderr := run("eu.csv --family holm")
	want := "name;p;p_adjusted;threshold;reject;status\na;0,0125;0,0375;0,05;true;ok\nb;0,2;0,2;0,05;false;ok\nc;0,05;0,1;0,05;false;ok\nd;NA;;;;missing\n"
	if code != usage.ExitOK || out != want || !strings.HasSuffix(stderr, said) {
		t.Errorf("exit %d, %s, %s", code, out, stderr)
	}
	if code, out, stderr := run("eu.csv --family holm -f table"); code != usage.ExitOK || !strings.HasPrefix(commandtest.Unfolded(out), said) ||
		strings.Contains(stderr, said) {
		t.Errorf("exit %d, %s, %s", code, out, stderr)
	}
	for _, part := range []string{`"alpha":0.05,"by":null,`, `"corrected_by":null`, `"threshold":0.05,`} {
		if code, out, stderr := run("eu.csv --family holm --json"); code != usage.ExitOK || !strings.Contains(out, part) ||
			!strings.HasSuffix(stderr, said) {
			t.Errorf("exit %d, %s, %s, want %s", code, out, stderr, part)
		}
	}
	if code, _, stderr := run("eu.csv --family holm -o eu.xlsx"); code != usage.ExitOK || !strings.HasSuffix(stderr, said) {
		t.Errorf("exit %d, %s", code, stderr)
	}
	code, out, stderr = commandtest.DpcalcReading("p\n0.05\n", "pvalue-correct", "-", "--family", "bonferroni")
	if want := "p,p_adjusted,threshold,reject,status\n0.05,0.05,0.05,true,ok\n"; code != usage.ExitOK || out != want {
		t.Errorf("a p-value of alpha: exit %d, %s%s", code, out, stderr)
	}
	for line, want := range map[string]string{
		"eu.csv":                                    "--by: got nothing, want how the tests were selected, such as --by description ",
		"eu.csv --family none":                      "--by: got nothing, want how the tests were selected, such as --by description ",
		"eu.csv --by holm":                          "--by: got holm, want --family holm: --by is how the tests were selected",
		"--p 0.003 --by description":                "--outcomes: got nothing, want a value, or --bits",
		"--family holm":                             "--by: got nothing, want how the tests were selected, such as --by description ",
		"eu.csv --family holm --outcomes 3":         "--outcomes: got it without --by, want --by description",
		"eu.csv --family holm --step gates:looks=3": "--step: got it without --by, want --by steps",
		"eu.csv --family holm --method renyi":       "--method: got it without --by, want both",
		"eu.csv --family holm --alpha 2":            "--alpha: got 2, want a probability in (0, 1)",
		"eu.csv --family holm --p 0.1":              "--p: given with eu.csv, want one of the two",
		"eu.csv --family holm --level 0.9":          "--level: given with --family, want one of the two",
	} {
		if code, out, stderr := run(line); !commandtest.Refused(code, out, stderr, want) {
			t.Errorf("%s: exit %d, %s%s, want %s", line, code, out, stderr, want)
		}
	}
}

// A list that is its own menu is corrected twice with a family step, and a line says so.
func TestCorrectedTwice(t *testing.T) {
	const table = "p\n0.01\n0.02\nNA\n0.5\n"
	for flags, warned := range map[string]bool{
		"--by description --outcomes 3 --family holm": true, "--by menu --outcomes 3 --family bh": true,
		"--by description --outcomes 4 --family holm": false, "--by description --outcomes 3": false,
		"--by description --bits 3 --family holm": false, "--family holm": false,
	} {
		code, _, stderr := commandtest.DpcalcReading(table, append([]string{"pvalue-correct", "-"}, strings.Fields(flags)...)...)
		if code != usage.ExitOK || strings.Contains(stderr, "warning: the list is corrected twice: --outcomes 3 ") != warned {
			t.Errorf("%s: exit %d, %s", flags, code, stderr)
		}
	}
}

// Without --alpha and --level the level is 0.05, which title and inputs say. It is the default of no other command.
func TestDefaultAlpha(t *testing.T) {
	for _, line := range []string{"--by menu --outcomes 40", "--by menu --outcomes 40 --p 0.003", "--by menu --survives 0.003",
		"--by menu --target-threshold 0.003", "--by series --tests 4", "--by menu --outcomes 40,50", "--by free", "--wins 9 --losses 2 --by menu --outcomes 2"} {
		for _, format := range []string{"json", "table"} {
			args := append([]string{"pvalue-correct", "-f", format}, strings.Fields(line)...)
			code, out, stderr := commandtest.Dpcalc(args...)
			code2, want, _ := commandtest.Dpcalc(append(args, "--alpha", "0.05")...)
			if code != code2 || out != want || stderr != "" || format == "table" && !strings.Contains(out, "alpha 0.05") {
				t.Errorf("%s: exit %d, %s%s, want %s", line, code, out, stderr, want)
			}
		}
	}
}
