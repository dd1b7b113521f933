package joint

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dpcalc/dpcalc/theory"
)

// With one row fewer no schedule is certified, also where tau/sd is so large that the orders of a trail soon change.
func TestTrailLosesNoRow(t *testing.T) {
	for _, p := range []Plan{
		{Queries: 243548, Tau: 0.03239681804428007, Beta: -304.5},
		{Queries: 14365, Tau: 0.1956476751603268, Beta: -435.5},
		{Queries: 298327, Tau: 0.013686930261274852, Beta: -357.6},
		{Queries: 1000, Tau: 0.05, Beta: -3},
	} {
		found, ok := Falling.Samples(p)
		if p.Samples = found.Samples; !ok || !Falling.Certifies(p) {
			t.Errorf("%+v is not certified", p)
		}
		if p.Samples--; Falling.Certifies(p) {
			t.Errorf("%+v is certified", p)
		}
	}
}

// What a search returns is certified. With one row fewer, or tau a little less, it is not.
func TestLeastIsLeast(t *testing.T) {
	r := rand.New(rand.NewPCG(172, 1))
	for range 150 {
		p := Plan{
			Queries: 1 + int64(math.Exp(r.Float64()*math.Log(1e5))), Tau: math.Pow(10, -0.5-2*r.Float64()),
			Beta: theory.LogProb(-math.Pow(10, -0.5+2*r.Float64())), Sides: Sides(r.IntN(2)),
		}
		found, ok := Falling.Samples(p)
		if p.Samples = found.Samples; !ok || found.Tau > p.Tau {
			t.Fatalf("%+v: %+v", p, found)
		}
		own, _ := Falling.LeastTau(p)
		less := p
		if less.Samples--; less.Samples > 0 && Falling.Certifies(less) {
			t.Errorf("%+v is certified, one row below the answer", less)
		}
		for _, tau := range []float64{found.Tau, own} {
			if p.Tau = tau; !Falling.Certifies(p) {
				t.Errorf("%+v: its own answer is not certified", p)
			}
			if p.Tau = tau * (1 - 2e-8); Falling.Certifies(p) {
				t.Errorf("%+v is certified, below the least tau of %.17g", p, tau)
			}
		}
	}
}
