package transfer

import (
	"github.com/dpcalc/dpcalc/transfer/goal"
	"github.com/dpcalc/dpcalc/transfer/noise"
	"github.com/dpcalc/dpcalc/transfer/solver"
)

var (
	evenMoment      = noiseRule{noise: noise.Even, plan: momentPlan, low: true}
	scheduledMoment = solver.Either{
		First:  noiseRule{noise: noise.Falling, plan: momentPlan, falls: true, low: true},
		Second: evenMoment, Most: fewQueries,
	}
)

// moment is what the goal says of the second moment of its queries, nil if it says nothing.
func moment(g goal.Goal) noise.Moment {
	switch {
	case g.Query == Difference && g.Disagreement > 0:
		return noise.Difference{Disagreement: g.Disagreement}
	case g.SecondMoment > 0 && !g.Checked: // of (1+phi)/2
		return noise.Variance{Most: g.SecondMoment / 4}
	case g.AtLeast > 0:
		return noise.Accuracy{Errors: 1 - g.AtLeast}
	case g.Variance > 0:
		return noise.Variance{Most: g.Variance}
	}
	return nil
}

// momentPlan is the plan of a goal with a bound on the second moment.
func momentPlan(g Goal) noise.Plan {
	return planBy(g, noise.LowVariance(moment(g), g.Checked, noise.SidesOf(g.OneSided)))
}
