package pvalue

import (
	"math"

	"github.com/dpcalc/dpcalc/internal/num"
)

// kl is the rule for mutual information I. By data processing kl(P[E]||Q[E]) <= I, so
//
//	gamma <= alpha solves kl(alpha||gamma) = I.
//
// No rule that uses I alone is better.
func kl(info float64) rule {
	// F(x) = kl(alpha||gamma)/alpha at gamma = alpha e^(-x), which is
	// x - ((1-alpha)/alpha) ln(1 + (alpha-gamma)/(1-alpha)).
	relative := func(lnAlpha, x float64) float64 {
		alpha, rest := num.Exp(lnAlpha), -math.Expm1(lnAlpha)
		drop := -math.Expm1(-x)
		if alpha < 1e-18 {
			return x - drop // to within alpha
		}
		return x - rest/alpha*math.Log1p(min(alpha*drop/rest, math.MaxFloat64))
	}
	// need returns I/alpha, rounded up: the exponent may be off by 1e-13.
	need := func(lnAlpha float64) float64 { return num.Exp(num.Log(info)-lnAlpha) * (1 + 0x1p-42) }
	return rule{
		threshold: func(lnAlpha float64) float64 {
			if info == 0 {
				return lnAlpha
			}
			y := need(lnAlpha)
			if !(y < 1e300) {
				return math.Inf(-1)
			}
			// F(x) >= x - 1 + e^(-x) >= x^2/(2+x)
			most := (y + math.Sqrt(2*y)) * (1 + 1e-9)
			return down(lnAlpha - num.Interval{Lo: 0, Hi: most}.SafeRoot(1e-13,
				func(x float64) float64 { return y - relative(lnAlpha, x) }))
		},
		worst: func(lnGamma float64) float64 {
			switch {
			case info == 0:
				return lnGamma
			case info >= -lnGamma:
				return 0 // alpha = 1 is within reach
			}
			// kl(alpha||gamma) <= alpha ln(1/gamma)
			least := max(lnGamma, num.Log(info)-num.Log(-lnGamma))
			return min(0, upwards(num.Interval{Lo: least, Hi: 0}.SafeRoot(1e-13, func(lnAlpha float64) float64 {
				return need(lnAlpha) - relative(lnAlpha, lnAlpha-lnGamma)
			})))
		},
	}
}

// rogers16 is the published rule for I bits of mutual information (Rogers et al.
// 2016), from the max-information (I+0.54)/b at the slack b = alpha/2:
//
//	gamma = (alpha/2) 2^(-(2/alpha)(I+0.54)).
func rogers16(info float64) rule {
	c := 2 * (info + 0.54*math.Ln2)
	threshold := func(lnAlpha float64) float64 { return down(lnAlpha - math.Ln2 - c*num.Exp(-lnAlpha)) }
	return rule{
		threshold: threshold,
		worst: func(lnGamma float64) float64 {
			if !(threshold(0) > lnGamma) {
				return 0
			}
			// c/alpha <= ln(1/gamma)
			least := max(lnGamma, num.Log(c)-num.Log(-lnGamma))
			return num.Interval{Lo: least, Hi: 0}.SafeRoot(1e-13,
				func(lnAlpha float64) float64 { return lnGamma - threshold(lnAlpha) })
		},
	}
}

// russoZou16 is the published rule for I bits of mutual information (Russo and Zou
// 2016, as Rogers et al. quote it),
//
//	gamma = min{ e^(-I/alpha^2)/2, alpha/2 },
//
// or the threshold of [kl] where it is less. The quotation has a constant that the theorem does
// not give: for alpha from 0.1959 to 0.3710 and I close to alpha^2 ln(1/alpha) it is above
// the best possible threshold, by up to one part in 50. Elsewhere it is below it.
func russoZou16(info float64) rule {
	bits, exact := info*math.Log2E, kl(info)
	return rule{
		threshold: func(lnAlpha float64) float64 {
			gamma := lnAlpha
			if bits > 0 {
				gamma = min(gamma, -bits*num.Exp(-2*lnAlpha))
			}
			return min(down(gamma-math.Ln2), exact.threshold(lnAlpha))
		},
		worst: func(lnGamma float64) float64 {
			lnAlpha := lnGamma + math.Ln2
			if bits > 0 {
				lnAlpha = max(lnAlpha, (num.Log(bits)-num.Log(-lnGamma-math.Ln2))/2)
			}
			if !(lnAlpha < 0) { // or gamma above one half
				return 0
			}
			return max(min(0, upwards(lnAlpha)), exact.worst(lnGamma))
		},
	}
}
