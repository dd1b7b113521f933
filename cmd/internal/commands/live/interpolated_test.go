package live

import (
	"math"
	"testing"

	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer"
)

// A value that the polynomial misses by much closes the method; one that it misses by little widens its margin.
func TestFittedMargin(t *testing.T) {
	b := BoxAround(transfer.Goal{Queries: 100, Tau: 0.1, Beta: theory.LogProb(math.Log(0.05))})
	for _, c := range []struct {
		bump float64
		ok   bool
	}{{0, true}, {0.008, true}, {-0.008, true}, {0.02, false}, {-0.03, false}} {
		values := make(map[Place]float64)
		for _, p := range b.Places() {
			_, x := b.Goal(p)
			values[p] = 9 + 0.5*x[0] - 2*x[1] + x[2] + 0.1*x[0]*x[0] - 0.2*x[0]*x[1]
		}
		corner := Place{whole, whole, whole}
		values[corner] += c.bump
		p, ok := b.Fitted(9, values)
		_, x := b.Goal(corner)
		if above := p.At(x) - values[corner]; ok != c.ok || ok && above < leastMargin-1e-12 {
			t.Errorf("bump %v: ok %v, %v above", c.bump, ok, above)
		}
	}
}
