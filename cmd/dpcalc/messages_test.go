package main

import (
	"os"
	"strings"
	"testing"

	"github.com/dpcalc/dpcalc/cmd/internal/commandtest"
	"github.com/dpcalc/dpcalc/cmd/internal/usage"
)

// A message says what was wrong, what was got and what is wanted. The files have what stands before the bar.
func TestMessages(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, c := range []struct{ file, text, command, want string }{
		{"a.json", `{"defaults": {"queries": 10`, "plan run a.json",
			"a.json: line 1: did not find expected ',' or '}'; want YAML"},
		{"a.json", `{"scenarios": [{"name": "\ud83d\ude00"}]}`, "plan run a.json",
			"a.json: found invalid Unicode character escape code; want the character itself, as YAML lacks \\/ and \\ud83d\\ude00 of JSON"},
		{"a.json", `{"scenarios": [{"name": "a\/b"}]}`, "plan run a.json",
			"a.json: found unknown escape character; want the character itself, as YAML lacks \\/ and \\ud83d\\ude00 of JSON"},
		{"a.yaml", "defaults:\n\tqueries: 10\n", "plan run a.yaml",
			"a.yaml: line 2: found character that cannot start any token; want spaces and no tab before a key, and quotes around a value that begins with %, @ or `"},
		{"a.yaml", "defaults:\n  tau: [1\nscenarios: 3\n", "plan run a.yaml",
			"a.yaml: line 1: did not find expected ',' or ']'; want YAML"},
		{"a.yaml", "sdfs: 3\n", "plan run a.yaml", "a.yaml: line 1: unknown key sdfs, want schema, defaults or scenarios"},
		{"a.yaml", "defaults:\n  qqqqqqqq: 10\n", "plan run a.yaml",
			"a.yaml: line 2: unknown key qqqqqqqq, see dpcalc help samplesize for the flags, which are the keys"},
		{"", "", "compose --epsilon 1e400 --times 2", "--epsilon: got 1e400, want a positive number of a size from 5e-324 to 1.79e308"},
		{"", "", "compose --epsilon 1e-400 --times 2", "--epsilon: got 1e-400, want a positive number of a size from 5e-324 to 1.79e308"},
		{"", "", "compose --epsilon -1e-400 --times 2", "--epsilon: got -1e-400, want a positive number of a size from 5e-324 to 1.79e308"},
		{"", "", "pvalue-correct --level 95 --by description --outcomes 2",
			"--level: got 95, want a number in (0, 1); 95 means 9500%, did you mean 95%?"},
		{"", "", "samplesize -m10 -t 0.1 -b 0.05",
			"samplesize: unknown flag -m10, did you mean -m 10, which is --queries?"},
		{"", "", "samplesize --alpha 0.05", "samplesize: unknown flag --alpha, did you mean --beta?"},
		{"", "", "samplesize --confidence-level 95%", "samplesize: unknown flag --confidence-level, did you mean --confidence?"},
		{"", "", "pvalue-correct --sig-level 0.05", "pvalue-correct: unknown flag --sig-level, did you mean --alpha?"},
		{"", "", "power --effect-size 0.1", "power: unknown flag --effect-size, did you mean --effect?"},
		{"", "", "holdout init ledger --y-true l.csv", "holdout init: unknown flag --y-true, did you mean --labels?"},
		{"", "", "samplesize -m 10 -t 0.1 -b 0.05 --method gaussian,",
			"--method: got an empty name, want names with a comma between two of them"},
		{"", "", "samplesize -b 0.05 --matrix m,tau -m 1,2 -t 0.1,0.2",
			"samplesize: --matrix is gone, use --best -f csv and a pivot table of it in a spreadsheet"},
		{"", "", "samplesize -m 10 -t 0.1 -b 0.05 --save-plan p.yaml",
			"samplesize: --save-plan is gone, use dpcalc plan init FILE and write these flags there as keys"},
		{"", "", "samplesize --feedback gate -m 10 --threshold 0.5 --effect 0.1 --power 0.8",
			"samplesize: --effect is gone, use dpcalc power --effect"},
		{"", "", "samplesize -n 10 -m 10 --power 0.8", "samplesize: --power is gone, use dpcalc power --power"},
		{"", "", "samplesize -n 10 --test sign -m 3", "samplesize: --test is gone, use dpcalc power --test"},
		{"", "", "plan diff old.yaml new.yaml -f csv",
			"plan: diff is gone, use dpcalc plan run FILE -f csv for both files and compare"},
		{"u.csv", "p\n0.1\n", "pvalue-correct u.csv --alpha 0.05 --by description --outcomes 2 --plot",
			"plot: got u.csv, want a list or range for one of the numbers"},
		{"u.csv", "p\n0.1\n", "pvalue-correct u.csv --alpha 0.05 --by description --outcomes 2 -o u.csv",
			"--output: got u.csv, which is read, want another file"},
		{"u.csv", "p\n2\n", "pvalue-correct u.csv --alpha 0.05 --by description --outcomes 2",
			"u.csv: line 2: p: got 2, want a probability in [0, 1]"},
	} {
		if c.file != "" {
			if err := os.WriteFile(c.file, []byte(c.text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		code, stdout, stderr := commandtest.Dpcalc(strings.Fields(c.command)...)
		if code != usage.ExitUsage || stdout != "" || stderr != "dpcalc: "+c.want+"\n" {
			t.Errorf("%s: exit %d, %s%s, want %s", c.command, code, stdout, stderr, c.want)
		}
		if c.file == "" {
			continue
		}
		if text, err := os.ReadFile(c.file); err != nil || string(text) != c.text {
			t.Errorf("%s: the file has %q, %v", c.command, text, err)
		}
	}
}

// What people read names the flag, counts numbers of things, and says everything once.
func TestSentences(t *testing.T) {
	const gates = "pvalue-correct --alpha 0.05 --by gates --looks 100 --target-threshold "
	for _, c := range []struct {
		command, want string
		times         int
	}{
		{"maxinfo --samples 100 --step description:outcomes=100", "description: needs a --slack above 0 and below 1", 1},
		{"pvalue-correct --alpha 0.05 --by description --target-threshold 0.001", "The greatest number of outcomes with", 1},
		{"pvalue-correct --alpha 0.05 --by description --target-threshold 0.001", ", greatest number of outcomes:", 1},
		{"pvalue-correct --alpha 0.05 --by pure-dp -n 10k --target-threshold 0.001", "The greatest epsilon with", 1},
		{gates + "0.04", "no number of passes leaves a threshold of 0.04", 1},
		{"samplesize -m 50 -t 0.1 -b 0.05 --query difference --disagreement 0.1 --report", "0.1 of the population", 1},
		{"advise --goal p-value --p 0.003 --selection menu --outcomes 20", "Assumed without a flag", 1},
	} {
		_, stdout, _ := commandtest.Dpcalc(strings.Fields(c.command)...)
		if got := strings.Count(strings.Join(strings.Fields(stdout), " "), c.want); got != c.times {
			t.Errorf("%s: %d times %q in\n%s", c.command, got, c.want, stdout)
		}
		if strings.Contains(stdout, "\n\n\n") && strings.HasPrefix(c.command, "advise") {
			t.Errorf("%s: two empty lines in\n%s", c.command, stdout)
		}
	}
}
