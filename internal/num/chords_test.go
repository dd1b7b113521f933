package num

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Chords bound a convex function from below, close to its least value when a few points are known.
func TestChords(t *testing.T) {
	r := rand.New(rand.NewPCG(26, 1))
	for range 200 {
		left, right, end := 5+15*r.Float64(), 5+15*r.Float64(), 0.1+r.Float64()
		f := func(x float64) float64 {
			if x > end {
				return math.Inf(1)
			}
			return math.Exp(-left*x) + math.Exp(right*x)
		}
		at := min(math.Log(left/right)/(left+right), end) // where f is least
		c := Chords{}.With(0, f(0)).With(-0.15, f(-0.15)).With(0.15, f(0.15))
		low := math.Inf(-1)
		for range 9 {
			x, bound := c.Lowest(0.15)
			if low = max(low, bound); bound > f(at)*(1+1e-12) {
				t.Fatalf("%v: %g is above %g", c, bound, f(at))
			}
			c = c.With(x, f(x))
		}
		if low < 0.8*f(at) {
			t.Errorf("exponents %g and %g up to %g: %g of %g", left, right, end, low, f(at))
		}
	}
}
