package pvalue

import (
	"math"

	"github.com/dpcalc/dpcalc/internal/num"
	"github.com/dpcalc/dpcalc/maxinfo"
)

// ratio is the rule for max-information k with slack b (Dwork et al. 2015): P[E] <=
// e^k Q[E] + b gives
//
//	gamma = (alpha-b) e^(-k).
//
// For N possible tests, k = ln N and b = 0, it is Bonferroni's.
func ratio(r maxinfo.Ratio) rule {
	k, b := float64(r.Nats), r.Slack.Ln()
	return rule{
		threshold: func(lnAlpha float64) float64 {
			return down(without(lnAlpha, b) - k)
		},
		worst: func(lnGamma float64) float64 { return upwards(num.LogAddExp(most(lnGamma)+k, b)) },
	}
}

// units is how far, relative to itself, a logarithm may be from the logarithm of its decimal: three units in
// the last place, more than [theory.ParseLogProb] loses.
const units = 3 * 0x1p-52

// most is the greatest logarithm of a decimal that a logarithm stands for.
func most(ln float64) float64 { return ln * (1 - units) }

// without returns ln(alpha - b) for the two decimals next to each other that the logarithms may stand for: where
// they agree in all but their last places, these are the whole difference. It is -Inf where nothing is sure to be left.
func without(lnAlpha, b float64) float64 {
	if math.IsInf(b, -1) {
		return lnAlpha
	}
	gap := lnAlpha - b - units*(math.Abs(lnAlpha)+math.Abs(b))
	if !(gap > 0) {
		return math.Inf(-1)
	}
	return lnAlpha + num.Log1mExp(-gap)
}

// dwork15 is the rule for epsilon-differential privacy and independent records
// (Dwork et al. 2015), whose slack is free:
//
//	gamma = max_b (alpha-b) e^(-k(b)),  k(b) = epsilon^2 n/2 + epsilon sqrt(n ln(2/b)/2).
func dwork15(d maxinfo.Dwork15) rule {
	spread := d.Epsilon * math.Sqrt(float64(d.Samples)/2)
	k := func(lnb float64) float64 { return spread*spread + spread*math.Sqrt(math.Ln2-lnb) }
	return rule{
		threshold: func(lnAlpha float64) float64 {
			// b = alpha/(1+e^v)
			_, least := num.Interval{Lo: -40, Hi: 40}.MinimizeScanned(9, 1e-6, func(v float64) float64 {
				share := math.Log1p(num.Exp(-v))
				return k(lnAlpha-v-share) - lnAlpha + share
			})
			return down(-least)
		},
		worst: func(lnGamma float64) float64 {
			lnGamma = most(lnGamma)
			// b = e^(k(b)) gamma is a quadratic equation in s = sqrt(ln(2/b)): s^2 +
			// spread s = c. The best b is near, both terms being as large as b there.
			c := math.Ln2 - lnGamma - spread*spread
			if !(c > 0) {
				return 0
			}
			s := 2 * c / (spread + math.Sqrt(spread*spread+4*c))
			center := min(0, math.Ln2-s*s)
			_, least := num.Interval{Lo: center - 40, Hi: min(0, center+40)}.MinimizeScanned(9, 1e-6, func(lnb float64) float64 {
				return num.LogAddExp(lnb, lnGamma+k(lnb))
			})
			return upwards(least)
		},
	}
}
