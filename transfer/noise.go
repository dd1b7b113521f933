package transfer

import (
	"math"

	"github.com/dpcalc/dpcalc/internal/num"
	"github.com/dpcalc/dpcalc/maxinfo"
	"github.com/dpcalc/dpcalc/theory"
)

// gaussianPlan is the Renyi transfer for answers with N(0, sd^2) on each:
//
//	tau = sd Q(m,b2) + t,   2n t^2 = D_a + (a/(a-1)) ln(1/b1),   b1 + b2 = beta,
//
// for any order a > 1 within the theorem.
type gaussianPlan struct {
	SD, Order float64
	Split     float64 // b1 = beta/(1+e^-Split)
}

// split returns ln b1 and ln b2.
func split(lnBeta, w float64) (shift, noise float64) {
	return lnBeta - math.Log1p(math.Exp(-w)), lnBeta - math.Log1p(math.Exp(w))
}

// tau evaluates the plan strictly; it is +Inf where the theorem does not hold.
func (p gaussianPlan) tau(g Goal) float64 {
	d, ok := maxinfo.GaussianTranscript{Samples: g.Samples, Queries: g.Queries, SD: p.SD}.Renyi(p.Order)
	shift, noise := split(g.Beta.Ln(), p.Split)
	// Keeps the rounding of the logarithms on the safe side of beta.
	noise -= 1e-15 * math.Abs(noise)
	if !ok || !theory.LogProb(shift).Interior() || !theory.LogProb(noise).Interior() {
		return math.Inf(1)
	}
	cost := float64(d) - shift*p.Order/(p.Order-1)
	return (p.SD*num.MaxNormalQuantile(g.Queries, noise) + math.Sqrt(cost/(2*float64(g.Samples)))) * (1 + 1e-14)
}

// bestGaussianPlan returns a loosely optimal plan for n samples, m queries and beta,
// and the accuracy that it certifies, +Inf if there is none.
func bestGaussianPlan(g Goal) (best gaussianPlan, tau float64) {
	n, m := float64(g.Samples), float64(g.Queries)
	// D_a depends on a and sd through x = a/(4 n^2 sd^2) alone, and is the dear part.
	least := math.Inf(1)
	over := func(lnX float64) float64 {
		x := math.Exp(lnX)
		const order = 2
		d, ok := maxinfo.GaussianTranscript{Samples: g.Samples, Queries: g.Queries, SD: math.Sqrt(order/x) / (2 * n)}.Renyi(order)
		if !ok {
			return math.Inf(1)
		}
		scale := 1 / (2 * n * math.Sqrt(x)) // sd = sqrt(a) scale
		_, fx := num.Interval{Lo: -8, Hi: 6}.Minimize(0.03, func(w float64) float64 {
			shift, noise := split(g.Beta.Ln(), w)
			unit := scale * num.MaxNormalQuantile(g.Queries, noise)
			v, fw := num.Interval{Lo: -8, Hi: 8}.Minimize(0.03, func(v float64) float64 { // a = 1+e^v
				a := 1 + math.Exp(v)
				return unit*math.Sqrt(a) + math.Sqrt((float64(d)-shift*(1+math.Exp(-v)))/(2*n))
			})
			if fw < least {
				least = fw
				best = gaussianPlan{SD: scale * math.Sqrt(1+math.Exp(v)), Order: 1 + math.Exp(v), Split: w}
			}
			return fw
		})
		return fx
	}
	q := num.MaxNormalQuantile(g.Queries, g.Beta.Ln()-math.Ln2)
	center := math.Log(q / (math.Sqrt(m) * n))
	wide := 4.0
	if m == 1 { // a single answer reveals ln(1/sd) at most, so that little noise is best
		wide = 9
	} else { // (n-2) d_m < 1
		center = min(center, math.Log(math.Log1p(2/math.Sqrt(max(n-2, 1)))/(m-1))-1)
	}
	num.Interval{Lo: center - 5, Hi: center + wide}.Minimize(0.01, over)
	if math.IsInf(least, 1) {
		return gaussianPlan{}, least
	}
	return best, best.tau(g)
}
