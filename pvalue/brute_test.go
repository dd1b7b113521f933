package pvalue

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dpcalc/dpcalc/maxinfo"
	"github.com/dpcalc/dpcalc/theory"
)

// Where a rule chooses a free parameter, every value of the parameter gives a valid
// threshold. brute returns the least of f, over a grid that is refined around its best
// point until it stands still.
func brute(lo, hi float64, f func(float64) float64) float64 {
	const points = 400
	best, least := lo, math.Inf(1)
	for range 8 {
		step := (hi - lo) / points
		for i := range points + 1 {
			if x := lo + float64(i)*step; f(x) < least {
				best, least = x, f(x)
			}
		}
		lo, hi = best-2*step, best+2*step
	}
	return least
}

// optimal fails unless got is below want by at most the tolerance, relative to the
// logarithm: no rule may beat the best parameter, or miss it by much.
func (side side) optimal(t *testing.T, what string, got, want float64) {
	t.Helper()
	slack := float64(side) * (want - got)
	if size := 1 + math.Abs(want); got != want && !(slack >= -1e-12*size && slack <= 1e-8*size) {
		t.Errorf("%s: %.15g, the best parameter gives %.15g", what, got, want)
	}
}

// b + e^(epsilon^2 n/2 + epsilon sqrt(n ln(2/b)/2)) gamma over b.
func TestDwork15AgainstEverySlack(t *testing.T) {
	r := rand.New(rand.NewPCG(61, 62))
	for trial := range 300 {
		n := int64(pick(r, 1, 1e12))
		epsilon := pick(r, 1e-4, 1e3) / math.Sqrt(float64(n))
		alpha, p := level(r), level(r)
		c := corrected(t, maxinfo.Plan{Samples: n, Data: maxinfo.ProductData,
			Steps: []maxinfo.Step{maxinfo.PureDP{Epsilon: epsilon}}}, "max-info-dwork15")
		if gamma := threshold(t, c, alpha); trial%2 == 0 && gamma > theory.Zero {
			p = gamma // whose adjusted value is close to alpha, and not often one
		}
		gamma, adjusted := both(t, c, alpha, p)
		what := fmt.Sprintf("n = %d, epsilon = %g, ln alpha = %g, ln p = %g", n, epsilon, alpha.Ln(), p.Ln())
		k := func(lnb float64) float64 {
			return epsilon*epsilon*float64(n)/2 + epsilon*math.Sqrt(float64(n)*(math.Ln2-lnb)/2)
		}
		below.optimal(t, what+": threshold", gamma, -brute(-40, 40, func(v float64) float64 { // b = alpha/(1+e^v)
			lnb := alpha.Ln() - math.Log1p(math.Exp(v))
			return k(lnb) - alpha.Ln() + math.Log1p(math.Exp(-v))
		}))
		above.optimal(t, what+": adjusted", adjusted, min(0, brute(p.Ln()-45, 0, func(lnb float64) float64 {
			hi, lo := max(lnb, p.Ln()+k(lnb)), min(lnb, p.Ln()+k(lnb))
			return hi + math.Log1p(math.Exp(lo-hi))
		})))
	}
}

// The least over the curve of mu-GDP of what (epsilon, delta) gives.
func TestGDPAgainstEveryPointOfItsCurve(t *testing.T) {
	r := rand.New(rand.NewPCG(63, 64))
	for trial := range 100 {
		n := int64(pick(r, 1, 1e12))
		mu := pick(r, 1e-4, 30) / math.Sqrt(float64(n))
		// The logarithm of a defect is rounded by 1e-15, so that 1e-10 leaves no more than five digits of alpha-d.
		alpha, p := min(level(r), -1e-6), level(r)
		c := corrected(t, maxinfo.Plan{Samples: n, Data: maxinfo.ProductData, Steps: []maxinfo.Step{maxinfo.GDP{Mu: mu}}},
			"approx-dp")
		if gamma := threshold(t, c, alpha); trial%2 == 0 && gamma > theory.Zero {
			p = gamma // whose adjusted value is close to alpha, and not often one
		}
		gamma, adjusted := both(t, c, alpha, p)
		what := fmt.Sprintf("n = %d, mu = %g, ln alpha = %g, ln p = %g", n, mu, alpha.Ln(), p.Ln())
		at := func(v float64) (rho, lnd float64) { // epsilon = mu e^v
			epsilon := mu * math.Exp(v)
			rho = float64(n) * epsilon * math.Tanh(epsilon/2)
			return rho, math.Log(float64(n)) + theory.GDP{Mu: mu}.LnDelta(epsilon).Ln() + math.Log1p(math.Exp(-epsilon))
		}
		below.optimal(t, what+": threshold", gamma, -brute(-10, 12, func(v float64) float64 {
			rho, lnd := at(v)
			if lnd >= alpha.Ln() {
				return math.Inf(1)
			}
			rest := alpha.Ln() + math.Log(-math.Expm1(lnd-alpha.Ln()))
			return math.Pow(math.Sqrt(-rest)+math.Sqrt(rho), 2)
		}))
		// Beyond rho = ln(1/p) there is nothing, and close to it the best.
		last := -10.0
		for step := 8.0; step > 1e-13; step /= 2 {
			if rho, _ := at(last + step); rho < -p.Ln() {
				last += step
			}
		}
		above.optimal(t, what+": adjusted", adjusted, min(0, brute(last-8, last, func(v float64) float64 {
			rho, lnd := at(v)
			hi, lo := lnd, -math.Pow(max(0, math.Sqrt(-p.Ln())-math.Sqrt(rho)), 2)
			if hi < lo {
				hi, lo = lo, hi
			}
			return hi + math.Log1p(math.Exp(lo-hi))
		})))
	}
}

// The least over the orders a of D_a + (a/(a-1)) ln(1/alpha) and of ((a-1)/a) (D_a +
// ln p).
func TestGaussianAgainstEveryOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(65, 66))
	for trial := range 60 {
		n, m := int64(pick(r, 1, 1e9)), int64(pick(r, 1, 1e5))
		// rho = m/(8 n sd^2)
		sd := math.Sqrt(float64(m) / (8 * float64(n) * pick(r, 1e-6, 1e4)))
		alpha, p := level(r), level(r)
		c := corrected(t, maxinfo.Plan{Samples: n, Data: maxinfo.ProductData,
			Steps: []maxinfo.Step{maxinfo.Gaussian{Queries: m, SD: sd}}}, "renyi")
		if _, ok := (maxinfo.GaussianTranscript{Samples: n, Queries: m, SD: sd}).Renyi(1 + 1e-9); c.Needs != nil {
			if ok {
				t.Errorf("n = %d, m = %d, sd = %g: does not apply, and there is a bound", n, m, sd)
			}
			continue
		}
		if gamma := threshold(t, c, alpha); trial%2 == 0 && gamma > theory.Zero {
			p = gamma // whose adjusted value is close to alpha, and not often one
		}
		gamma, adjusted := both(t, c, alpha, p)
		what := fmt.Sprintf("n = %d, m = %d, sd = %g, ln alpha = %g, ln p = %g", n, m, sd, alpha.Ln(), p.Ln())
		over := func(cost func(a, d float64) float64) float64 {
			return brute(-30, 30, func(v float64) float64 {
				a := 1 + math.Exp(v)
				d, ok := maxinfo.GaussianTranscript{Samples: n, Queries: m, SD: sd}.Renyi(a)
				if !ok {
					return math.Inf(1)
				}
				return cost(a, float64(d))
			})
		}
		below.optimal(t, what+": threshold", gamma, -over(func(a, d float64) float64 { return d - alpha.Ln()*(a/(a-1)) }))
		above.optimal(t, what+": adjusted", adjusted,
			min(0, over(func(a, d float64) float64 { return (a - 1) / a * (d + p.Ln()) })))
	}
}

// The least over the points of an RDP curve, and over the orders for zCDP, of what (epsilon, delta) gives.
func TestRenyiPrivacyAgainstEveryEpsilon(t *testing.T) {
	r := rand.New(rand.NewPCG(67, 68))
	for trial := range 60 {
		n := int64(pick(r, 1, 1e9))
		rho := pick(r, 1e-6, 10) / float64(n)
		alpha, p := theory.LogProb(-pick(r, 1e-3, 1e3)), theory.LogProb(-pick(r, 1e-3, 1e3))
		var private maxinfo.Step = maxinfo.ZCDP{Rho: rho}
		var curve []theory.RenyiPoint
		if trial%2 == 0 {
			for range 1 + r.IntN(10) {
				a := 1 + pick(r, 0.1, 1e4)
				curve = append(curve, theory.RenyiPoint{Order: a, Epsilon: a * rho * pick(r, 0.1, 10)})
			}
			private = maxinfo.RDP{Points: curve}
		}
		c := corrected(t, maxinfo.Plan{Samples: n, Data: maxinfo.ProductData, Steps: []maxinfo.Step{private}}, "approx-dp")
		if gamma := threshold(t, c, alpha); trial%4 < 2 && gamma > theory.Zero {
			p = gamma
		}
		gamma, adjusted := both(t, c, alpha, p)
		what := fmt.Sprintf("%.80v, n = %d, ln alpha = %g, ln p = %g", private, n, alpha.Ln(), p.Ln())
		lnd := func(epsilon float64) float64 { // of the defect
			least := 0.0
			at := func(a, d float64) {
				least = min(least, (a-1)*(d-epsilon)+a*math.Log1p(-1/a)-math.Log(a-1))
			}
			for _, q := range curve {
				at(q.Order, q.Epsilon)
			}
			if curve == nil {
				for v := -8.0; v < 16; v += 0.02 {
					at(1+math.Exp(v), (1+math.Exp(v))*rho)
				}
			}
			return math.Log(float64(n)) + least + math.Log1p(math.Exp(-epsilon))
		}
		best, least := math.Inf(-1), 0.0
		step := 0.02
		if curve != nil {
			step = 0.0005
		}
		for v := -14.0; v < 10; v += step {
			epsilon := math.Sqrt(rho) * math.Exp(v)
			part, d := float64(n)*epsilon*math.Tanh(epsilon/2), lnd(epsilon)
			if d < alpha.Ln() {
				rest := alpha.Ln() + math.Log(-math.Expm1(d-alpha.Ln()))
				best = max(best, -math.Pow(math.Sqrt(-rest)+math.Sqrt(part), 2))
			}
			hi, lo := d, -math.Pow(max(0, math.Sqrt(-p.Ln())-math.Sqrt(part)), 2)
			if hi < lo {
				hi, lo = lo, hi
			}
			least = min(least, hi+math.Log1p(math.Exp(lo-hi)))
		}
		// The grid is coarse: it may be beaten by a little, and must not beat the rule.
		if !(gamma >= best-1e-6*(1+math.Abs(best))) {
			t.Errorf("%s: ln gamma %.12g, a grid has %.12g", what, gamma, best)
		}
		if !(adjusted <= least+1e-6*(1+math.Abs(least))) {
			t.Errorf("%s: ln adjusted %.12g, a grid has %.12g", what, adjusted, least)
		}
		if curve != nil && gamma > best+3e-3*(1+math.Abs(best)) {
			t.Errorf("%s: ln gamma %.12g, a grid only %.12g", what, gamma, best)
		}
	}
}
