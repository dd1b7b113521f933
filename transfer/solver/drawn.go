package solver

import (
	"math"

	"github.com/dpcalc/dpcalc/internal/num"
	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer/goal"
	"github.com/dpcalc/dpcalc/transfer/tail"
	"github.com/dpcalc/dpcalc/transfer/tree"
)

// GaussianWorth returns how many rows count in Hoeffding's exponent.
func GaussianWorth(g goal.Goal) num.DD { return num.FromFloat(g.Sample.Worth(g.Samples).Gaussian) }

// drawn is the better of two tails of a sample: Hoeffding's exponent, and the exponent of independent rows at as many
// as may count in it. A gate at a known bar has no count.
func (o OneLook) drawn(g goal.Goal) Rule {
	hoeffding := func(g goal.Goal) num.DD {
		rate := tail.BoundedDifferences{Spread: g.Spread()}.Rate(g.Tau)
		sides := int64(1)
		if o.Both && !g.OneSided {
			sides = 2
		}
		return tree.Need(num.DD{}, tail.Exponential{Sides: sides, Rate: rate}, g.Beta.Ln())
	}
	every := Domain{Kinds: goal.Means}
	if o.Bar && g.Bar.Given {
		every.Top, o.Exact = barredLimit, false
	}
	o.Convex = o.Convex && tail.CountsAlike(g.Sample)
	exponent := Closed{Domain: every, Need: hoeffding, Worth: GaussianWorth}
	return Either{First: exponent, Second: effectiveRows{o.independent(g)}}
}

// effectiveRows is a rule for as many independent rows as the rows of a sample are worth in a relative entropy.
type effectiveRows struct{ Rule }

func (effectiveRows) of(g goal.Goal) goal.Goal {
	g.Samples = int64(math.Floor(g.Sample.Worth(g.Samples).Entropic))
	return g
}

func (r effectiveRows) Holds(g goal.Goal) bool { return r.Rule.Holds(r.of(g)) }

func (r effectiveRows) Queries(g goal.Goal) int64 { return r.Rule.Queries(r.of(g)) }

func (r effectiveRows) Tau(g goal.Goal) (float64, Mechanism) { return r.Rule.Tau(r.of(g)) }

func (r effectiveRows) Beta(g goal.Goal) theory.LogProb { return r.Rule.Beta(r.of(g)) }
