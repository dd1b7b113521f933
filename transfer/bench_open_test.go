package transfer

import (
	"testing"
)

// Plans without a number of queries: a row of open-gate below 30 microseconds, so that a grid of 100,000 takes less
// than 3 seconds, and scores below .2 seconds at query 10,000 for every unknown; with rows that arrive as well, but for
// one noise of all answers.
func BenchmarkOpen(b *testing.B) {
	gate := Goal{Queries: 151, Beta: lp("0.05"), Samples: 5000, Shown: Shown{Open: true, Feedback: Gate, Passes: 6}}
	scores := Goal{Queries: 10_000, Tau: 0.1, Beta: lp("0.05"), Shown: Shown{Open: true}}
	with := func(g Goal, change func(*Goal)) Goal { change(&g); return g }
	fed := func(g *Goal) { g.Queries, g.Arrival = 2600, &Arrival{Rows: 100, Queries: 10} }
	for _, c := range []struct {
		name, method string
		goal         Goal
	}{
		{"gate", "open-gate", gate},
		{"board", "open-board", with(gate, func(g *Goal) { g.Feedback = Best })},
		{"guess", "open-guess", with(gate, func(g *Goal) { g.Feedback = Flags })},
		{"scores/samples", "gaussian-open", scores},
		{"scores/tau", "gaussian-open", with(scores, func(g *Goal) { g.Samples, g.Tau = 71_500, 0 })},
		{"scores/beta", "gaussian-open", with(scores, func(g *Goal) { g.Samples, g.Beta = 71_500, 0 })},
		{"scores/queries", "gaussian-open", with(scores, func(g *Goal) { g.Samples, g.Queries = 71_500, 0 })},
		{"arriving/gaussian-open", "gaussian-open", with(scores, fed)},
		{"arriving/gaussian-schedule", "gaussian-schedule", with(scores, fed)},
		{"arriving/gaussian", "gaussian", with(scores, fed)},
		{"arriving/gaussian-marchant25", "gaussian-marchant25", with(scores, fed)},
	} {
		m, _ := Lookup(c.method)
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				if a, err := m.Solve(c.goal); err != nil || a.Status != OK {
					b.Fatalf("%+v, %v", a, err)
				}
			}
		})
	}
}
