package maxinfo

import (
	"testing"

	"github.com/dpcalc/dpcalc/internal/decimals"
)

// The oracle has 50 digits.
type dec = decimals.Number

var (
	digits  = decimals.Digits(50)
	exactly = digits.Float
)

// excess returns got/x - 1.
func excess(got float64, x dec) float64 { return exactly(got).Over(x).Minus(exactly(1)).Float() }

// kappas returns the polynomial kappa at w = 2r and the larger
// 1 - tanh w - n (w^3/12 + 2 w^5/15), which is as good a kappa, given e^(2w).
func kappas(samples int64, w, power dec) (polynomial, tanh dec) {
	one := exactly(1)
	if samples == 1 {
		return one, one
	}
	n := max(float64(samples), 4)
	cube := w.Times(w).Times(w)
	fifth := cube.Times(w).Times(w).Times(exactly(8))
	sixtieth := decimal60.Times(exactly(n - 4).Times(exactly(5)).Times(cube).Plus(exactly(n).Plus(one).Times(fifth)))
	beta := decimal60.Times(exactly(5).Times(cube).Plus(fifth))
	hyperbolic := exactly(2).Over(power.Plus(one)) // 1 - tanh w
	return one.Minus(w).Minus(sixtieth), hyperbolic.Minus(exactly(float64(samples)).Times(beta))
}

var decimal60 = exactly(1).Over(exactly(60))

// divergence is D_a summed term by term, by either kappa. ok is false unless the
// polynomial one is positive throughout.
func divergence(g GaussianTranscript, a float64) (polynomial, tanh dec, ok bool) {
	n, sd := exactly(float64(g.Samples)), exactly(g.SD)
	c := exactly(a).Over(exactly(4).Times(n).Times(sd).Times(sd))
	step := exactly(2).Times(c).Over(n) // of w
	growth := step.Plus(step).Exp()
	w, power := exactly(0), exactly(1)
	first, second, under, below := exactly(1), exactly(1), exactly(1), exactly(1)
	for range g.Queries {
		k, l := kappas(g.Samples, w, power)
		if !exactly(0).Less(k) {
			return dec{}, dec{}, false
		}
		first, second = first.Times(k.Plus(c)), second.Times(l.Plus(c))
		under, below = under.Times(k), below.Times(l)
		w, power = w.Plus(step), power.Times(growth)
	}
	half := func(x dec) dec { return x.Ln().Over(exactly(2)) } // of the products of 1 + c/kappa
	return half(first.Over(under)), half(second.Over(below)), true
}

func TestDivergenceOracle(t *testing.T) { // by mpmath, from the statement
	sum, sharper, ok := divergence(GaussianTranscript{1483, 10, 0.0084}, 2.125)
	for _, c := range []struct {
		got  dec
		want string
	}{{sum, "9.19073694352956390799338542973587564007"}, {sharper, "9.19073694338791466844600499906338261648"}} {
		if text := c.got.Text('f'); !ok || text[:len(c.want)] != c.want {
			t.Errorf("%s, %v, want %s", text, ok, c.want)
		}
	}
}
