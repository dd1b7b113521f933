package samplesize

import (
	"strings"
	"testing"

	"github.com/dpcalc/dpcalc/cmd/internal/commandtest"
)

// A plan that names two of rows, looks and tau has the beta 0.05, and its title says so; with all three beta is solved.
// Other names of a flag give the same answer.
// names of a flag give the same answer.
func TestDefaultBeta(t *testing.T) {
	answer := func(command string) string {
		code, out, stderr := commandtest.Dpcalc(strings.Fields("samplesize " + command)...)
		if code != 0 || stderr != "" {
			t.Fatalf("%s: exit %d, %s", command, code, stderr)
		}
		return out
	}
	for short, full := range map[string]string{
		"-m 30 -t .2":                          "-m 30 -t .2 -b .05",
		"-n 500 -m 30":                         "-n 500 -m 30 -b .05",
		"-n 500 -t .2":                         "-n 500 -t .2 -b .05",
		"--clusters 50x2 -m 30":                "--clusters 50x2 -m 30 -b .05",
		"--rows 500 --looks 30":                "-n 500 -m 30 -b .05",
		"-m 30 -t .1 --feedback gate --bar .8": "-m 30 -t .1 -b .05 --feedback gate --threshold .8",
		"-n 500 -m 30 --json":                  "-n 500 -m 30 -b .05 -f json",
	} {
		if !strings.Contains(short, "json") {
			short, full = short+" -f csv", full+" -f csv"
		}
		if got, want := answer(short), answer(full); got != want {
			t.Errorf("%s: got\n%swant\n%s", short, got, want)
		}
	}
	if out := answer("-m 30 -t .2"); !strings.HasPrefix(out, "Rows needed: queries 30, tau 0.2, beta 0.05 (the default), bounded queries\n") {
		t.Errorf("the title is %s", out)
	}
	if out := answer("-m 30 -t .2 -b .05"); strings.Contains(out, "default") {
		t.Errorf("the title is %s", out)
	}
	if out := answer("-n 500 -m 3 -t .2"); !strings.HasPrefix(out, "Failure probability beta reached: rows 500, queries 3, tau 0.2, bounded") {
		t.Errorf("with all three: %s", out)
	}
	for _, command := range []string{"samplesize -t .1", "samplesize -m 30 -t .1 --json -f csv", "samplesize -n 5 --rows 5 -m 2"} {
		code, out, stderr := commandtest.Dpcalc(strings.Fields(command)...)
		if code != 2 || out != "" || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%s: exit %d, %q, %s", command, code, out, stderr)
		}
	}
}
