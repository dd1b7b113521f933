package maxinfo

import (
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/apd/v3"
)

// exactly returns x with all its digits.
func exactly(x float64) dec {
	mantissa, exponent, _ := strings.Cut(strconv.FormatFloat(x, 'e', 800, 64), "e")
	d, _, err := apd.NewFromString(strings.TrimRight(strings.TrimRight(mantissa, "0"), ".") + "e" + exponent)
	if err != nil {
		panic(err)
	}
	return dec{d}
}

func (x dec) less(y dec) bool { return x.Cmp(y.Decimal) < 0 }

// excess returns got/x - 1.
func (x dec) excess(got float64) float64 { return exactly(got).div(x).sub(exactly(1)).float() }

// kappas returns the polynomial kappa at w = 2r and the larger
// 1 - tanh w - n (w^3/12 + 2 w^5/15), which is as good a kappa, given e^(2w).
func kappas(samples int64, w, power dec) (polynomial, tanh dec) {
	one := exactly(1)
	if samples == 1 {
		return one, one
	}
	n := max(float64(samples), 4)
	cube := w.mul(w).mul(w)
	fifth := cube.mul(w).mul(w).mul(exactly(8))
	sixtieth := decimal60.mul(exactly(n - 4).mul(exactly(5)).mul(cube).add(exactly(n).add(one).mul(fifth)))
	beta := decimal60.mul(exactly(5).mul(cube).add(fifth))
	hyperbolic := exactly(2).div(power.add(one)) // 1 - tanh w
	return one.sub(w).sub(sixtieth), hyperbolic.sub(exactly(float64(samples)).mul(beta))
}

var decimal60 = exactly(1).div(exactly(60))

// divergence is D_a summed term by term, by either kappa. ok is false unless the
// polynomial one is positive throughout.
func divergence(g GaussianTranscript, a float64) (polynomial, tanh dec, ok bool) {
	n, sd := exactly(float64(g.Samples)), exactly(g.SD)
	c := exactly(a).div(exactly(4).mul(n).mul(sd).mul(sd))
	step := exactly(2).mul(c).div(n) // of w
	growth := step.add(step).exp()
	w, power := exactly(0), exactly(1)
	first, second, under, below := exactly(1), exactly(1), exactly(1), exactly(1)
	for range g.Queries {
		k, l := kappas(g.Samples, w, power)
		if !exactly(0).less(k) {
			return dec{}, dec{}, false
		}
		first, second = first.mul(k.add(c)), second.mul(l.add(c))
		under, below = under.mul(k), below.mul(l)
		w, power = w.add(step), power.mul(growth)
	}
	half := func(x dec) dec { return x.ln().div(exactly(2)) } // of the products of 1 + c/kappa
	return half(first.div(under)), half(second.div(below)), true
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
