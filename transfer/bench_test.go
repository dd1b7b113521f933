package transfer

import "testing"

// One solve for n, tau_achieved and the mechanism included: closed forms below 50
// microseconds, optimised methods below 2 ms.
func BenchmarkSolve(b *testing.B) {
	for _, m := range Methods() {
		b.Run(m.Name, func(b *testing.B) {
			g := Goal{Queries: 1000, Tau: 0.1, Beta: lp("0.05"), Budget: 10}
			if m.Name == "binomial" {
				g.Query = Binary
			}
			for b.Loop() {
				if a, err := m.Solve(g); err != nil || a.Status != OK {
					b.Fatalf("%+v, %v", a, err)
				}
			}
		})
	}
}
