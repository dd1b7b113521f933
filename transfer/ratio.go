package transfer

import (
	"math"

	"github.com/dpcalc/dpcalc/transfer/goal"
	"github.com/dpcalc/dpcalc/transfer/solver"
)

// ratioProof is where the tails of a ratio are proved.
var ratioProof = proved("open.md#own-intervals")

// ratioRule is a gate of a ratio at a known bar c, given the levels of a pass and of a failure: what passes is above c,
// and what fails is at most c + 2 tau.
func ratioRule(fits func(g Goal) error, levels func(g Goal) (pass, fail float64)) anyLook {
	reach := func(g Goal) func(int64) (float64, Mechanism) {
		pass, fail := levels(g)
		return func(n int64) (float64, Mechanism) {
			gate := solver.RatioGate(g.Ratio, n, g.Bar.Value)
			x, ok := gate.Pass(g.Bar.Value, pass)
			if !ok || gate.Positive < 1 {
				return math.Inf(1), Mechanism{}
			}
			return solver.Certified((gate.Upper(x, fail)-g.Bar.Value)/2, openLimit(g), Mechanism{})
		}
	}
	return anyLook{solver.Optimised{Domain: solver.Domain{Kinds: goal.Linear, Needs: fits, Top: openLimit}, Reach: reach}}
}

// predicted says what a plan for a ratio takes for granted.
func (a Answer) predicted() string {
	return "labels are independent given the features, and a model predicts the positive class on the share " +
		goal.FormatFloat(a.Ratio.Share) + " of the rows"
}
