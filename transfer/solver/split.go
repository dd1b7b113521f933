package solver

import (
	"math"

	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer/goal"
)

// Split is a rule for one query on its own part of the rows, which are cut into m equal parts.
type Split struct{ Rule }

func (Split) part(g goal.Goal) goal.Goal {
	g.Samples /= g.Queries
	return g
}

func (r Split) Holds(g goal.Goal) bool { return g.Samples >= g.Queries && r.Rule.Holds(r.part(g)) }

func (r Split) Samples(g goal.Goal, by Trail) (Reached, error) {
	one, err := r.Rule.Samples(g, by)
	switch {
	case err != nil:
		return Reached{}, theory.TooMany(math.Inf(1))
	case one.N > goal.MaxCount/g.Queries:
		return Reached{}, theory.TooMany(float64(one.N) * float64(g.Queries))
	}
	return Reached{N: one.N * g.Queries}, nil
}

func (r Split) Queries(g goal.Goal) int64 { return MostQueries(g, 1, r.Holds) }

func (r Split) Tau(g goal.Goal) (float64, Mechanism) {
	if g.Samples < g.Queries {
		return r.Limit(g), Mechanism{}
	}
	return r.Rule.Tau(r.part(g))
}

func (r Split) Beta(g goal.Goal) theory.LogProb {
	if g.Samples < g.Queries {
		return 0
	}
	return r.Rule.Beta(r.part(g))
}
