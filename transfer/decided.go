package transfer

import (
	"github.com/dpcalc/dpcalc/transfer/goal"
	"github.com/dpcalc/dpcalc/transfer/solver"
)

// decides reports whether the method makes use of it.
func (m Method) decides(g Goal) bool {
	u, ok := m.rule.(solver.Union)
	return ok && u.Look.Decided && g.Decides()
}

// decidedRowsProof is where the tails are proved.
var decidedRowsProof = proved("open.md#decided-rows")

// counted says what a plan for decided rows takes for granted.
func (a Answer) counted() string {
	classes := ""
	if a.Decided == TwoClasses {
		classes = ", all predictions are of two declared classes"
	}
	return "labels are independent given the features" + classes + ", and a candidate that differs from the incumbent on more than the share " +
		goal.FormatFloat(a.Disagreement) + " of the rows is refused: the true value is the mean over fresh labels of these rows"
}
