package transfer

import "github.com/dpcalc/dpcalc/transfer/noise"

var (
	evenMoment      = noiseRule{noise: noise.Even, plan: momentPlan, low: true}
	scheduledMoment = either{
		first:  noiseRule{noise: noise.Falling, plan: momentPlan, falls: true, low: true},
		second: evenMoment, most: fewQueries,
	}
)

// moment is what the goal says of the second moment of its queries, nil if it says nothing.
func (g Goal) moment() noise.Moment {
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

// byHalf reports whether the low-variance bound speaks of half of a difference: its second moment is known, and not
// how often it is 0.
func (g Goal) byHalf() bool {
	return g.Query == Difference && g.Disagreement == 0 && g.SecondMoment > 0
}

// momentPlan is the plan of a goal with a bound on the second moment.
func momentPlan(g Goal) noise.Plan {
	return g.planBy(noise.LowVariance(g.moment(), g.Checked, noise.SidesOf(g.OneSided)))
}
