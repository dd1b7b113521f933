package pvalue

import (
	"math"

	"github.com/dpcalc/dpcalc/internal/num"
)

// group is the rule for a mu-GDP transcript of n records of any joint law: with M = n
// mu,
//
//	gamma = Phi(Phi^-1(alpha) - M).
//
// The privacy of a group of n records compares P[. | S = s] with P[. | S = s'] for any
// two samples, and the curve Phi(Phi^-1(q) + M) is concave: it may be averaged over s',
// then over s.
func group(m float64) rule {
	return rule{
		threshold: func(lnAlpha float64) float64 {
			z := num.UpperQuantile(lnAlpha)
			return down(num.LogSurvival((z+m)+(math.Abs(z)+m)*0x1p-48)) - 2e-13
		},
		worst: func(lnGamma float64) float64 {
			z := num.UpperQuantile(lnGamma)
			return min(0, upwards(num.LogSurvival((z-m)-(math.Abs(z)+m)*0x1p-48))+2e-13)
		},
	}
}
