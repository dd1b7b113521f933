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
		alpha, rest := math.Exp(lnAlpha), -math.Expm1(lnAlpha)
		drop := -math.Expm1(-x)
		switch {
		case alpha < 1e-18:
			return x - drop // to within alpha
		case rest == 0:
			return x
		}
		return x - rest/alpha*math.Log1p(alpha*drop/rest)
	}
	return rule{
		threshold: func(lnAlpha float64) float64 {
			need := math.Exp(num.Ln(info)-lnAlpha) * (1 + 0x1p-45)
			if !(need < 1e300) {
				return math.Inf(-1)
			}
			if info == 0 {
				return lnAlpha
			}
			// F(x) >= x-1
			x := num.Interval{Lo: 0, Hi: need + 1 + 1e-9*need}.SafeRoot(1e-13, func(x float64) float64 { return need - relative(lnAlpha, x) })
			return down(lnAlpha - x*(1+1e-13))
		},
		worst: func(lnGamma float64) float64 {
			if info >= -lnGamma {
				return 0 // alpha = 1 is within reach
			}
			if info == 0 {
				return lnGamma
			}
			x := num.Interval{Lo: 0, Hi: -lnGamma}.SafeRoot(1e-13, func(x float64) float64 {
				return math.Exp(num.Ln(info)-lnGamma-x)*(1+0x1p-45) - relative(lnGamma+x, x)
			})
			return min(0, upwards(lnGamma+x))
		},
	}
}

// rogers16 is the published rule for I bits of mutual information (Rogers et al.
// 2016), from the max-information (I+0.54)/b at the slack b = alpha/2:
//
//	gamma = (alpha/2) 2^(-(2/alpha)(I+0.54)).
func rogers16(info float64) rule {
	c := 2 * (info + 0.54*math.Ln2)
	threshold := func(lnAlpha float64) float64 { return down(lnAlpha - math.Ln2 - c*math.Exp(-lnAlpha)) }
	return rule{threshold, func(lnGamma float64) float64 { return inverse(lnGamma, threshold) }}
}

// russoZou16 is the published rule min{ e^(-I/alpha^2)/2, alpha/2 } for I bits of
// mutual information (Russo and Zou 2016).
func russoZou16(info float64) rule {
	bits := info * math.Log2E
	threshold := func(lnAlpha float64) float64 {
		return down(min(-bits*math.Exp(-2*lnAlpha), lnAlpha) - math.Ln2)
	}
	return rule{threshold, func(lnGamma float64) float64 { return inverse(lnGamma, threshold) }}
}

// inverse returns the least ln alpha at which an increasing threshold is at least
// ln gamma, 0 if there is none.
func inverse(lnGamma float64, threshold func(lnAlpha float64) float64) float64 {
	if !(threshold(0) > lnGamma) {
		return 0
	}
	return num.Interval{Lo: lnGamma, Hi: 0}.SafeRoot(1e-13, func(lnAlpha float64) float64 { return lnGamma - threshold(lnAlpha) })
}
