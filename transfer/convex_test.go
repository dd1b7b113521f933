package transfer

import (
	"math"
	"testing"

	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer/goal"
)

// Each unknown of a plan by convex tails is certified, and a little less is not.
func TestUnknownsOfConvexPlans(t *testing.T) {
	for name, shown := range map[string]Shown{
		"gate":        {Feedback: Gate, Passes: 2},
		"sealed":      {Feedback: Final},
		"transcripts": {Transcripts: 50},
	} {
		m, _ := Lookup(name)
		for _, query := range []Query{Bounded, Difference} {
			for _, bar := range []Option{{}, Some(0.7)} {
				g := Goal{Samples: 1500, Queries: 30, Tau: 0.09, Beta: lp("0.02"), Query: query, Shown: shown}
				if bar.Given && name != "gate" {
					continue
				}
				g.Bar = bar
				for _, oneSided := range []bool{false, true} {
					g.OneSided = oneSided
					for _, unknown := range []struct {
						forget, less func(g *Goal)
					}{
						{func(g *Goal) { g.Samples = 0 }, func(g *Goal) { g.Samples-- }},
						{func(g *Goal) { g.Tau = 0 }, func(g *Goal) { g.Tau *= 1 - 1e-6 }},
						{func(g *Goal) { g.Beta = 0 }, func(g *Goal) { g.Beta = theory.LogProb(g.Beta.Ln() * (1 + 1e-6)) }},
						{func(g *Goal) { g.Queries = 0 }, func(g *Goal) { g.Queries += g.Queries/1000 + 1 }},
					} {
						asked := g
						if unknown.forget(&asked); name == "transcripts" && asked.Queries == 0 {
							continue // transcripts count, and not queries
						}
						a, err := m.Solve(asked)
						if err != nil || a.Status != OK {
							t.Fatalf("%s %+v: %+v, %v", name, asked, a, err)
						}
						if ok, err := m.Certifies(a.Goal); !ok || err != nil {
							t.Errorf("%s %+v: %t, %v", name, a.Goal, ok, err)
						}
						less := a.Goal
						unknown.less(&less)
						if ok, _ := m.Certifies(less); ok && less.Queries < MaxCount {
							t.Errorf("%s %+v: less is certified too", name, a.Goal)
						}
					}
				}
			}
		}
	}
}

// A plan by convex tails takes little time, whatever is asked for.
func BenchmarkConvexPlan(b *testing.B) {
	for _, tau := range []float64{0.1, 0.01, 0.002} {
		b.Run(goal.FormatFloat(tau), func(b *testing.B) {
			for b.Loop() {
				g := Goal{Queries: 100, Tau: tau, Beta: theory.LogProb(math.Log(0.05)), Shown: Shown{Feedback: Gate, Passes: 2}}
				if a, err := gate.Solve(g); err != nil || a.Status != OK {
					b.Fatal(a, err)
				}
			}
		})
	}
}
