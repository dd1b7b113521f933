package pvalue

import (
	"math"

	"github.com/dpcalc/dpcalc/internal/each"
	"github.com/dpcalc/dpcalc/internal/num"
	"github.com/dpcalc/dpcalc/maxinfo"
	"github.com/dpcalc/dpcalc/theory"
)

// renyi is the rule for a Renyi divergence D_a <= a rho, of a law within the defect d
// of the real one. From P[E] <= (e^(a rho) Q[E])^((a-1)/a) + d, at the best a,
//
//	ln gamma = -(sqrt(ln(1/(alpha-d))) + sqrt(rho))^2,
//	ln P[E] <= -(sqrt(ln(1/gamma)) - sqrt(rho))^2, and d more,
//
// where the square has the sign of its root, which guides a search among bounds that
// say nothing.
func renyi(r maxinfo.Renyi) rule {
	return rule{
		threshold: func(lnAlpha float64) float64 { return renyiThreshold(r, lnAlpha) },
		worst:     func(lnGamma float64) float64 { return renyiWorst(r, lnGamma) },
	}
}

func renyiThreshold(r maxinfo.Renyi, lnAlpha float64) float64 {
	if d := r.Defect.Ln(); d > math.Inf(-1) {
		lnAlpha = without(lnAlpha, d) * (1 + 0x1p-42) // d-lnAlpha counts to -745, with an error of 1e-13
	}
	if math.IsInf(lnAlpha, -1) {
		return lnAlpha
	}
	sum := math.Sqrt(-lnAlpha) + math.Sqrt(float64(r.Rho))
	return -sum * sum * (1 + 0x1p-48)
}

func renyiWorst(r maxinfo.Renyi, lnGamma float64) float64 {
	rest := math.Sqrt(-lnGamma)*(1-0x1p-51) - math.Sqrt(float64(r.Rho))*(1+0x1p-51)
	lnAlpha := -rest * math.Abs(rest) * (1 - 0x1p-50)
	if r.Defect > theory.Zero {
		lnAlpha = upwards(num.LogAddExp(lnAlpha, r.Defect.Ln()))
	}
	return lnAlpha
}

// profile is renyi at the best point of a privacy curve.
func profile(p maxinfo.Profile) rule {
	return rule{
		threshold: func(lnAlpha float64) float64 {
			most := theory.LogProb(lnAlpha)
			_, least := p.Best(maxinfo.Defects{Most: most, Least: most - 50},
				func(r maxinfo.Renyi) float64 { return -renyiThreshold(r, lnAlpha) })
			return -least
		},
		worst: func(lnGamma float64) float64 {
			// From n y tanh(y/2) = ln(1/gamma) at y = epsilon+x on there is nothing to find.
			c := -lnGamma / float64(p.Samples)
			y := num.Interval{Lo: 0, Hi: c + math.Sqrt(2*c)}.SafeRoot(1e-6,
				func(y float64) float64 { return c - y*num.Tanh(y/2) })
			last := p.At(max(0, y-p.Epsilon)).Defect - math.Ln2
			within := maxinfo.Defects{Most: 0, Least: max(last, theory.LogProb(lnGamma-40))}
			_, least := p.Best(within, func(r maxinfo.Renyi) float64 {
				if r.Defect == 0 {
					return math.Inf(1)
				}
				return guided(r, lnGamma)
			})
			if !(least < 0) { // mu may be too small for the search
				return 0
			}
			return least
		},
	}
}

// guided is renyiWorst where it says something. Elsewhere it falls towards such points: rest, the root of the
// exponent, has to be so large and the defect so small that e^(-rest^2) + defect < 1.
func guided(r maxinfo.Renyi, lnGamma float64) float64 {
	if bound := renyiWorst(r, lnGamma); bound < 0 {
		return bound
	}
	rest := math.Sqrt(-lnGamma) - math.Sqrt(float64(r.Rho))
	if rest < 1e-150 {
		return 800 - rest
	}
	return max(0, r.Defect.Ln()-num.Log1mExp(-rest*rest))
}

// profiles is profile for the best of several curves.
func profiles(ps maxinfo.Profiles) rule {
	rules := each.Of(ps, profile)
	return bestOf(rules)
}

// gaussian is the rule for Gaussian noise on linear queries: with the divergence D_a
// of the transcript,
//
//	ln gamma = -min_(a>1) D_a + (a/(a-1)) ln(1/alpha),
//	ln P[E] <= min_(a>1) ((a-1)/a) (D_a + ln gamma).
func gaussian(g maxinfo.GaussianTranscript) rule {
	return rule{
		threshold: func(lnAlpha float64) float64 {
			_, least := g.BestOrder(-lnAlpha, func(a, d float64) float64 { return d - lnAlpha*(a/(a-1)) })
			return down(-least)
		},
		worst: func(lnGamma float64) float64 {
			lnGamma = most(lnGamma)
			d, ok := g.Renyi(1 + 0x1p-30)
			if !ok || float64(d) >= -lnGamma {
				return 0
			}
			about := math.Sqrt(-lnGamma) - math.Sqrt(float64(d)) // as if D_a were a D_1
			_, least := g.BestOrder(about*about, func(a, d float64) float64 { return (a - 1) / a * (d + lnGamma) })
			return min(0, upwards(least))
		},
	}
}
