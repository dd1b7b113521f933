package transfer

import (
	"testing"
)

// Boards of few looks and small tau, which have hundreds or thousands of steps.
func BenchmarkBoards(b *testing.B) {
	ladder, _ := Lookup("ladder")
	for _, c := range []struct {
		name string
		goal Goal
	}{
		{"rows/tau=0.01", Goal{Queries: 10, Tau: 0.01}},
		{"rows/tau=0.005", Goal{Queries: 10, Tau: 0.005}},
		{"rows/tau=0.001", Goal{Queries: 3, Tau: 0.001}},
		{"rows/tau=0.0003", Goal{Queries: 10, Tau: 0.0003}},
		{"tau/rows=1e6", Goal{Queries: 2, Samples: 1e6}},
		{"tau/rows=1e7", Goal{Queries: 2, Samples: 1e7}},
	} {
		c.goal.Beta, c.goal.Feedback = lp("0.05"), Best
		for _, query := range []Query{Bounded, Binary} {
			c.goal.Query = query
			b.Run(c.name+"/"+query.String(), func(b *testing.B) {
				for b.Loop() {
					if a, err := ladder.Solve(c.goal); err != nil || a.Status != OK {
						b.Fatal(a, err)
					}
				}
			})
		}
	}
}
