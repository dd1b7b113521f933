package transfer

import (
	"github.com/dpcalc/dpcalc/transfer/goal"
	"github.com/dpcalc/dpcalc/transfer/noise"
	"github.com/dpcalc/dpcalc/transfer/solver"
)

var (
	evenMoment      = solver.Noisy{Noise: noise.Even, Plan: momentPlan, Low: true}
	scheduledMoment = solver.Either{
		First:  solver.Noisy{Noise: noise.Falling, Plan: momentPlan, Falls: true, Low: true},
		Second: evenMoment, Most: fewQueries,
	}
)

// moment is what the goal says of the second moment of its queries, nil if it says nothing.
func moment(g goal.Goal) noise.Moment {
	switch {
	case g.Query.IsSigned() && g.Disagreement > 0:
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
	return solver.PlanBy(g, noise.LowVariance(moment(g), g.Checked, noise.SidesOf(g.OneSided)))
}
