package properties

import (
	"fmt"
	"slices"
	"testing"

	"github.com/leanovate/gopter"

	"github.com/dpcalc/dpcalc/internal/lawtest"
	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer"
)

// arrivals generates goals with rows that arrive, a feed or stages, and the first rows unknown.
func arrivals() gopter.Gen {
	return lawtest.Gen(func(p *gopter.GenParameters) transfer.Goal {
		pick := func(lo, hi float64) float64 { return lawtest.Between(p.Rng, lo, hi) }
		g := transfer.Goal{Queries: int64(pick(1, 300)), Tau: pick(0.05, 0.4), Beta: theory.LogProb(-pick(0.7, 40)),
			Query: transfer.Query(p.Rng.Intn(2)), Budget: 1}
		g.Arrival = &transfer.Arrival{Rows: int64(pick(1, 500)), Queries: int64(pick(1, 60))}
		if p.Rng.Intn(2) == 0 {
			a := transfer.Arrival{Stages: []transfer.Stage{{Until: int64(pick(1, 100))}}}
			for range p.Rng.Intn(4) {
				last := a.Stages[len(a.Stages)-1]
				a.Stages = append(a.Stages, transfer.Stage{More: last.More + int64(pick(1, 500)) - 1,
					Until: last.Until + int64(pick(1, 100))})
			}
			g.Arrival, g.Queries = &a, min(g.Queries, a.Stages[len(a.Stages)-1].Until)
		}
		return g
	})
}

// Where rows arrive, what is certified for the first rows is certified, with one fewer it is not, a less exact or less
// certain goal needs no more of them, nor does one for which more rows come, and no fewer come than are asked for.
func TestLawsOfArrivingRows(t *testing.T) {
	t.Parallel()
	serves := 0
	eachMethod(t, func(t *testing.T, m transfer.Method) {
		if a := solve(m, goalOf(m, transfer.Goal{Queries: 1, Tau: 0.2, Beta: -3,
			Arrival: &transfer.Arrival{Rows: 1, Queries: 1}})); a.Status == transfer.NotApplicable {
			return
		}
		serves++
		count := map[string]int{"gaussian": 3, "gaussian-schedule": 25, "gaussian-open": 15}[m.Name]
		if count == 0 {
			count = 60
		}
		lawtest.Check(t, 4205, lawtest.Draws(t, count), func(g transfer.Goal, factor float64) (bool, error) {
			g = goalOf(m, g)
			a := solve(m, g)
			if a.Status != transfer.OK || a.LastSamples() < a.Samples {
				return a.Status == transfer.Vacuous, fmt.Errorf("%+v: %s, %s", g, a.Status, a.Reason)
			}
			fewer := with(a.Goal, func(g *transfer.Goal) { g.Samples-- })
			own, err := m.Certifies(a.Goal)
			less := false
			if err == nil && fewer.Samples > 0 {
				less, err = m.Certifies(fewer)
			}
			if err != nil || !own || less {
				return false, fmt.Errorf("%+v: certified %v, with one row fewer %v, %v", a.Goal, own, less, err)
			}
			for _, easier := range []transfer.Goal{
				with(g, func(e *transfer.Goal) { e.Tau = min(e.Tau*factor, 0.45) }),
				with(g, func(e *transfer.Goal) { e.Beta /= theory.LogProb(factor) }),
				with(g, func(e *transfer.Goal) {
					more := *e.Arrival
					more.Rows *= 2
					more.Stages = slices.Clone(more.Stages)
					for i := range more.Stages {
						more.Stages[i].More *= 2
					}
					e.Arrival = &more
				}),
			} {
				if b := solve(m, easier); b.Status == transfer.OK && b.Samples > a.Samples {
					return false, fmt.Errorf("%+v needs %d rows first, the easier %+v %d", g, a.Samples, easier, b.Samples)
				}
			}
			return true, nil
		}, arrivals(), lawtest.LogUniform(1.001, 3))
	})
	if serves != 7 {
		t.Errorf("%d methods are for rows that arrive", serves)
	}
}
