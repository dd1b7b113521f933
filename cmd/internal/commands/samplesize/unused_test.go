package samplesize

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/dpcalc/dpcalc/cmd/internal/commandtest"
	"github.com/dpcalc/dpcalc/cmd/internal/usage"
)

// The title names what is known of the queries only where the best row makes use of it, and the rows that make none
// say so.
func TestTheTitleNamesWhatCounts(t *testing.T) {
	for _, c := range []struct {
		args  string
		named string // a constant in the title
		not   string // what is no constant in it
		says  string // what is said below the table
	}{
		{"--variance 0.01", "variance 0.01", "", "dp-approx-dwork15: variance is not used"},
		{"--variance 0.01 --feedback gate --method gate", "variance 0.01", "", ""},
		{"--variance 0.2 --feedback gate --method gate-renggli19", "beta 0.05", "variance", "gate-renggli19: variance is not used"},
		{"--variance 0.01 --feedback final", "variance 0.01", "", "hoeffding: variance is not used"},
		{"--variance 0.01 --feedback best --method ladder", "variance 0.01", "", ""},
		{"--query difference --second-moment 0.1 --feedback gate", "second moment 0.1", "", "gate-renggli19: second-moment is not used"},
		{"--variance 0.01 --method splitting", "beta 0.05", "variance", "splitting: variance is not used"},
		{"--query binary --at-least 0.9 --feedback gate --passes 2", "at least 0.9", "", "gate-renggli19: at-least is not used"},
		{"--query binary --at-least 0.9 --feedback gate --threshold 0.5 --method gate", "bar 0.5", "at least", "gate: at-least is not used"},
		{"--query binary --at-least 0.9 --method rounding", "beta 0.05", "at least", "does as well; at-least is not used"},
		{"--query difference --disagreement 0.1 --method splitting", "beta 0.05", "disagreement", "splitting: disagreement is not used"},
		{"--query difference --disagreement 0.1 --method sealed --feedback final", "disagreement 0.1", "", ""},
		{"--query difference --disagreement 0.1 --enforce --feedback gate --method gate-renggli19", "beta 0.05", "disagreement",
			"gate-renggli19: disagreement is not used"},
		{"--query difference --disagreement 0.1 --enforce --feedback gate --method gate", "disagreement 0.1", "",
			"gate: rows on which predictions differ are counted"},
		{"--feedback gate --passes 2 --method splitting", "beta 0.05", "passes", "splitting: passes are not used"},
	} {
		args := append(strings.Fields("samplesize --full -m 20 -t 0.1 -b 0.05"), strings.Fields(c.args)...)
		code, out, stderr := commandtest.Dpcalc(args...)
		out = commandtest.Unfolded(out)
		title, _, _ := strings.Cut(out, "\n")
		named := strings.Contains(title, c.named) && (c.not == "" || !strings.Contains(title, c.not))
		if code != 0 || !named || !strings.Contains(out, c.says) {
			t.Errorf("%s: want a title with %q and without %q, and %q below:\n%s%s", c.args, c.named, c.not, c.says, out, stderr)
		}
	}
}

// The best row among those with a proof asked for is the same whatever flags it does not use, and what is known of the
// variance asks for no more rows.
func TestProofsDoNotDependOnUnusedFlags(t *testing.T) {
	for _, plan := range []struct{ base, unused, known string }{
		{"-m 1000", "-B 20;--epsilon 0.1;--sensitivity 1", "--variance 0.1;--variance 0.25"},
		{"-m 1000 --query binary", "-B 20;--epsilon 0.1", "--at-least 0.6;--at-least 0.9;--variance 0.2"},
		{"-m 100 --query difference", "-B 2;--epsilon 0.1", "--disagreement 0.5;--second-moment 0.3"},
		{"-m 20 --feedback gate", "--epsilon 0.1;--passes 20", "--variance 0.1"},
		{"-m 20 --feedback best", "--epsilon 0.1", "--variance 0.1"},
		{"-m 2 --feedback final", "--epsilon 0.1", "--variance 0.1"},
	} {
		for _, proofs := range []string{"published", "published,coq"} {
			best := func(flag string) map[string]any {
				words := strings.Fields("samplesize -t .1 -b .05 --best " + plan.base + " --proofs " + proofs + " " + flag)
				return commandtest.RowsOf(t, words...)[0]
			}
			want := best("")
			for _, flag := range strings.Split(plan.unused, ";") {
				got := best(flag)
				for _, name := range []string{"method", "samples", "proof", "noise_last"} {
					if got[name] != want[name] {
						t.Errorf("%s, %s, %s: %s %v, want %v as without it", plan.base, proofs, flag, name, got[name], want[name])
					}
				}
			}
			for _, flag := range strings.Split(plan.known, ";") {
				if got := best(flag); got["samples"].(float64) > want["samples"].(float64) || got["proof"] == "derived" {
					t.Errorf("%s, %s, %s: %v of %v rows, without it %v", plan.base, proofs, flag, got["method"], got["samples"], want["samples"])
				}
			}
		}
	}
}

// What less feedback would give rests on the proofs that are asked for too: it is the best row of its own command.
func TestLessFeedbackKeepsToTheProofs(t *testing.T) {
	for _, proofs := range []string{"all", "published", "published,coq"} {
		base := "samplesize -n 10000 -m 1000 -b 0.05 --proofs " + proofs
		code, out, stderr := commandtest.Dpcalc(strings.Fields(base)...)
		_, less, ok := strings.Cut(out, "Show less:\n")
		if code != 0 || !ok {
			t.Fatalf("%s: exit %d, %s%s", base, code, out, stderr)
		}
		lines := strings.Split(less, "\n")[:3]
		for _, line := range lines {
			_, tell, _ := strings.Cut(line, "  tau ")
			value, flags, _ := strings.Cut(tell, "  --")
			if strings.Contains(flags, "-m 1") { // one finalist
				base = strings.Replace(base, "-m 1000", "", 1)
			}
			best := commandtest.RowsOf(t, strings.Fields(base+" --best --"+flags)...)[0]
			told, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
			tau := best["tau"].(float64)
			if err != nil || !(told >= tau && told <= tau*(1+1e-5)) || proofs == "published" && best["proof"] == "derived" {
				t.Errorf("%s: %q, and the row of %s has tau %v, %s", base, line, flags, tau, best["proof"])
			}
		}
	}
}

// Two declared classes are told of a gate of differences that checks the disagreement of independent rows, and of no
// other goal.
func TestTwoClasses(t *testing.T) {
	const gate = "samplesize -m 100 -t .02 -b .05 --query difference --disagreement .1 --feedback gate --passes 1 --method gate "
	for flags, want := range map[string]string{"": "3830", "--enforce --two-classes": "2800"} {
		if rows := commandtest.RowsOf(t, strings.Fields(gate+flags)...); fmt.Sprint(rows[0]["samples"]) != want {
			t.Errorf("%s: got %v rows, want %s", flags, rows[0]["samples"], want)
		}
	}
	_, out, _ := commandtest.Dpcalc(strings.Fields(gate + "--enforce --two-classes -f json")...)
	if !strings.Contains(out, `"two_classes":true`) || !strings.Contains(out, "all predictions are of two declared classes") {
		t.Errorf("the inputs and the hypotheses are %s", out)
	}
	for _, flags := range []string{"--two-classes", "--enforce --two-classes --weights rows --clusters 20x10"} {
		code, out, stderr := commandtest.Dpcalc(strings.Fields(gate + flags)...)
		if code != usage.ExitUsage || out != "" || !strings.HasPrefix(stderr, "dpcalc: --two-classes: got it, want ") {
			t.Errorf("%s: exit %d, %s%s", flags, code, out, stderr)
		}
	}
}
