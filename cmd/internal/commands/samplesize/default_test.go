package samplesize

import (
	"strings"
	"testing"

	"github.com/dpcalc/dpcalc/cmd/internal/commandtest"
)

// A plan that names two of rows, looks and tau has the beta 0.05, and its title says so; with all three beta is solved.
// Other names of a flag give the same answer.
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
	if out := answer("-m 30 -t .2"); !strings.Contains(out, "\nRows needed: queries 30, tau 0.2, beta 0.05 (the default), bounded queries\n") {
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

// The table for people opens with its best plan in a sentence, where the plan is about scores, rows and a margin alone.
func TestFirstSentence(t *testing.T) {
	for command, want := range map[string]string{
		"-m 10 -t .1":          "You need 599 rows for 10 scores, each within 0.1 of its true value, with 95% confidence.",
		"-m 1 -t .1 -b 1/1000": "You need 305 rows for 1 score within 0.1 of its true value, with 99.9% confidence.",
		"-n 20k -m 5000":       "20,000 rows are enough for 5,000 scores, each within 0.0943479 of its true value, with 95% confidence.",
		"-n 5000 -t .03":       "5,000 rows are enough for 6 scores, each within 0.03 of its true value, with 95% confidence.",
	} {
		_, out, _ := commandtest.Dpcalc(strings.Fields("samplesize " + command)...)
		if got := strings.ReplaceAll(out, "\n  ", " "); !strings.HasPrefix(got, want+"\n") {
			t.Errorf("%s: got %.140q, want %q", command, got, want)
		}
	}
	for _, command := range []string{
		"-n 500 -m 3 -t .2", "-n 5000 -m 10 -t .1 -b .05", "-m 10,20 -t .1", "-m 10 -t .1 --one-sided",
		"-m 10 -t .1 --query difference", "--clusters 50x2 -m 3", "-m 10 -t .1 --feedback gate", "-m 10 -t .1 --full",
		"-m 10 -t .1 -b 1e-9", "--open -m 10 -t .1 --feedback gate --passes 3", "-m 10 -t .1 --range 0,2",
	} {
		code, out, stderr := commandtest.Dpcalc(strings.Fields("samplesize " + command)...)
		if code == 2 || strings.Contains(out, "rows for") || strings.Contains(out, "are enough") {
			t.Errorf("%s: exit %d, %s%.140q", command, code, stderr, out)
		}
	}
}
