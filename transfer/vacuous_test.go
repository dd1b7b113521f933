package transfer

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/dpcalc/dpcalc/theory"
)

// A solved tau from the width of the range on promises nothing, whatever is shown: 1 for values in [0,1], and twice the
// disagreement for differences. It is vacuous, in words. Where such a tau is given, the formula of differences stands,
// with a remark.
func TestTauBeyondTheRangeIsVacuous(t *testing.T) {
	r := rand.New(rand.NewPCG(3908, 1))
	beyond := 0
	for range 40 {
		for _, m := range Methods() {
			g := Goal{Samples: 1 + r.Int64N(300), Queries: 1 + r.Int64N(50), Beta: theory.LogProb(-0.1 - 20*r.Float64()),
				Query: []Query{Bounded, Binary, Difference}[r.IntN(3)], Shown: Shown{OneSided: r.IntN(3) == 0}}
			width := 1.0
			if g.Query == Difference {
				g.Disagreement = 0.05 + 0.9*r.Float64()
				width = 2 * g.Disagreement
			}
			g.Feedback = Feedback(r.IntN(int(Final) + 1))
			if g.Feedback == Flags {
				g.Budget = 1
			}
			if r.IntN(2) == 0 && g.Query == Difference {
				g.Tau = width + (2-width)*r.Float64()
			}
			a, err := m.Solve(g)
			if err != nil || a.Status == NotApplicable {
				continue
			}
			if a.TauAchieved < width {
				continue
			}
			beyond++
			if g.Tau > 0 && a.Status == OK && strings.Contains(a.Reason, "no difference is more than") {
				continue
			}
			if a.Status != Vacuous || g.Query == Difference && !strings.HasPrefix(a.Reason, "no difference is more than") {
				t.Errorf("%s %+v: tau %v, %s, %q", m.Name, g, a.TauAchieved, a.Status, a.Reason)
			}
		}
	}
	if beyond < 100 {
		t.Errorf("%d beyond the range", beyond)
	}
}
