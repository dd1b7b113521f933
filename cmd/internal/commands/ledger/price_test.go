package ledger

import (
	"strings"
	"testing"
)

// The note under a price says how much wider a margin gets, or nothing of margins where there is none to widen: that of
// F1 follows from predictions that nobody has made yet.
func TestPriceSaysWhatWidens(t *testing.T) {
	t.Chdir(t.TempDir())
	rows(t, 400, 300)
	for _, c := range []struct {
		metrics string
		widens  bool
	}{{"f1 --positive dog", false}, {"accuracy", true}} {
		dir, _, _ := strings.Cut(c.metrics, " ")
		runs(t, 0, "holdout init "+dir+" --labels labels.csv -b 0.05 --open --metrics "+c.metrics)
		out, _ := runs(t, 0, "holdout price "+dir+" p300.tsv --show pass --bar 0.5")
		costs := "the look costs 0.23 to 1.61 nats"
		if !strings.Contains(out, costs) || strings.Contains(out, costs+", and widens the margin") != c.widens {
			t.Errorf("%s: got %s", c.metrics, out)
		}
	}
}
