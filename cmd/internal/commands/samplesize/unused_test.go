package samplesize

import (
	"strings"
	"testing"

	"github.com/dpcalc/dpcalc/cmd/internal/commandtest"
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
		{"--query difference --disagreement 0.1 --checked --feedback gate --method gate", "beta 0.05", "disagreement",
			"gate: disagreement is not used"},
		{"--feedback gate --passes 2 --method splitting", "beta 0.05", "passes", "splitting: passes are not used"},
	} {
		args := append(strings.Fields("samplesize --full -m 20 -t 0.1 -b 0.05"), strings.Fields(c.args)...)
		code, out, stderr := commandtest.Dpcalc(args...)
		title, _, _ := strings.Cut(out, "\n")
		named := strings.Contains(title, c.named) && (c.not == "" || !strings.Contains(title, c.not))
		if code != 0 || !named || !strings.Contains(out, c.says) {
			t.Errorf("%s: want a title with %q and without %q, and %q below:\n%s%s", c.args, c.named, c.not, c.says, out, stderr)
		}
	}
}
