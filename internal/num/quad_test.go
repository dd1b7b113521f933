package num

import (
	"math"
	"testing"
)

// Both rules integrate polynomials up to their degree, and err to their own side
// beyond it where the derivatives are positive.
func TestRules(t *testing.T) {
	for n := 2; n <= 32; n++ {
		for name, c := range map[string]struct {
			rule   Rule
			degree int
			side   float64
		}{
			"Legendre": {Legendre(n), 2*n - 1, -1},
			"Lobatto":  {Lobatto(n), 2*n - 3, +1},
		} {
			for k := 0; k <= c.degree; k++ {
				got := c.rule.Integral(Interval{1, 3}, func(x float64) float64 { return math.Pow((x-1)/2, float64(k)) })
				if want := 2 / float64(k+1); math.Abs(got/want-1) > 2e-14 {
					t.Errorf("%s(%d) of x^%d: %.17g, want %.17g", name, n, k, got, want)
				}
			}
			if n > 5 {
				continue
			}
			got := c.rule.Integral(Interval{0, 2}, math.Exp)
			if off := got - math.Expm1(2); off*c.side <= 0 {
				t.Errorf("%s(%d) of e^x is off by %g, want the other side", name, n, off)
			}
		}
	}
}
