package pvalue

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dpcalc/dpcalc/internal/vectors"
	"github.com/dpcalc/dpcalc/maxinfo"
	"github.com/dpcalc/dpcalc/theory"
)

// gaussianPlan is one step of Gaussian answers on independent records.
func gaussianPlan(g maxinfo.GaussianTranscript) maxinfo.Plan {
	steps := []maxinfo.Step{maxinfo.Gaussian{Queries: g.Queries, SD: g.SD}}
	return maxinfo.Plan{Samples: g.Samples, Data: maxinfo.ProductData, Steps: steps}
}

// gaussianDivergence is D_a of a transcript of n >= 4 records, summed term by term.
func gaussianDivergence(t *testing.T, g maxinfo.GaussianTranscript, a float64) dec {
	t.Helper()
	n, one := number(float64(g.Samples)), number(1)
	c := number(a).Over(number(4).Times(n).Times(number(g.SD)).Times(number(g.SD)))
	step, w := number(2).Times(c).Over(n), number(0)
	cubic, quintic := n.Minus(number(4)).Over(number(12)), number(2).Times(n.Plus(one)).Over(number(15))
	above, below := one, one // of the product of 1 + c/kappa
	for range g.Queries {
		square := w.Times(w)
		kappa := one.Minus(w.Times(one.Plus(square.Times(cubic.Plus(square.Times(quintic))))))
		if !number(0).Less(kappa) {
			t.Fatalf("%+v: the order %g is outside the theorem", g, a)
		}
		above, below = above.Times(kappa.Plus(c)), below.Times(kappa)
		w = w.Plus(step)
	}
	return above.Over(below).Ln().Over(number(2))
}

// The threshold, at the order that gives it, from the statement in 50 digits: for few
// answers with little noise the best order is where kappa(r_m) is nearly zero.
func TestGaussianAgainstDecimals(t *testing.T) {
	r := rand.New(rand.NewPCG(71, 72))
	found, edge := 0, 0
	for i := range 60 {
		g := maxinfo.GaussianTranscript{Samples: int64(pick(r, 4, 1e9)), Queries: int64(pick(r, 1, 300))}
		n := float64(g.Samples)
		g.SD = math.Sqrt(float64(g.Queries) / (8 * n * pick(r, 1e-3, 1e4)))
		if i%2 == 0 { // kappa(r_m) is zero at an order from 1 to 20 or so
			g.SD = math.Sqrt(pick(r, 1, 20)*float64(g.Queries)/min(1, math.Cbrt(12/n))/2) / n
		}
		alpha := level(r)
		c := corrected(t, gaussianPlan(g), "renyi")
		if c.Needs != nil {
			continue
		}
		need := -alpha.Ln()
		order, _ := g.BestOrder(need, func(a, d float64) float64 { return d + need*(a/(a-1)) })
		found++
		if g.Queries > 1 {
			if _, ok := maxinfo.Inflation(g.Samples, order*1.1*float64(g.Queries-1)/math.Pow(2*n*g.SD, 2)); !ok {
				edge++
			}
		}
		want := gaussianDivergence(t, g, order).Plus(number(need).Times(number(order)).Over(number(order).Minus(number(1))))
		what := fmt.Sprintf("%+v, ln alpha = %g", g, alpha.Ln())
		below.bounds(t, what, threshold(t, c, alpha).Ln(), number(0).Minus(want), 1e-6)
	}
	if found < 40 || edge < 5 {
		t.Errorf("%d plans with a threshold, %d at the edge", found, edge)
	}
}

// The thresholds that the variance lemma for identically distributed records gave. For
// them that lemma is sharper while r_m < 8/n, and the price of admitting unequal records
// is at most (1/2) sum_j (2 r_j - n r_j^2/4) c/(1+c) < 11/n in D_a, and so in -ln gamma;
// a relative 3 in 100 more for the higher powers of r at these n.
func TestGaussianAgainstIdenticalRecords(t *testing.T) {
	better, worse := 0, 0
	for _, row := range vectors.Rows(t, "gaussian-identical.csv") {
		n, lnAlpha := row.Float(t, "samples"), row.Float(t, "alpha.ln")
		g := maxinfo.GaussianTranscript{Samples: int64(n), Queries: int64(row.Float(t, "queries")), SD: row.Float(t, "sd")}
		for name, price := range map[string]float64{"renyi": 12 / n, "kl": 12 / n * math.Exp(-lnAlpha)} {
			old, got := row.Float(t, name+".ln"), math.Inf(-1)
			if c := corrected(t, gaussianPlan(g), name); c.Needs == nil {
				got = threshold(t, c, theory.LogProb(lnAlpha)).Ln()
			}
			switch {
			case got > old:
				better++
			case got < old:
				worse++
			}
			if !(got >= old-price-1e-9*math.Abs(old)) {
				t.Errorf("%+v, ln alpha = %g, %s: ln gamma = %.10g, was %.10g", g, lnAlpha, name, got, old)
			}
		}
	}
	t.Logf("%d thresholds are larger, %d smaller", better, worse)
}
