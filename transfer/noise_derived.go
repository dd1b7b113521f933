package transfer

import (
	"math"

	"github.com/dpcalc/dpcalc/internal/num"
	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer/stability"
	"github.com/dpcalc/dpcalc/transfer/thresholdout"
)

// The CVaR transfer theorem makes a method of any pair of a noise and a
// stability function: with probability at least 1-beta every answer is within
//
//	CVaR_beta(largest noise) + D s(beta)
//
// of the population. D is the spread of the query. The theorems and their proofs
// are in docs/theorems/transfer.md.

// gaussianCVaR adds N(0, s^2) to each of m answers. The transcript is mu-GDP with
// mu = D sqrt(m)/(n s), so tau = C D sqrt(m)/(n mu) + D s_mu(beta) for every mu > 0,
// C the CVaR of the largest of m |N(0,1)|.
func gaussianCVaR(g Goal) func(int64) (float64, Mechanism) {
	d, root, lnBeta := g.spread(), math.Sqrt(float64(g.Queries)), g.Beta.Ln()
	c := num.MaxNormalCVaR(g.Queries, lnBeta)
	// For small mu, s_mu(beta) is mu times a quarter of the hazard where the upper
	// tail is beta/4, which puts the optimum near where both terms are equal.
	slope := 1 / (4 * num.Mills(num.UpperQuantile(lnBeta-2*math.Ln2)))
	return func(samples int64) (float64, Mechanism) {
		noise := c * root / float64(samples)
		center := num.Log(noise/slope) / 2
		lnMu, tau := num.Interval{Lo: center - 1, Hi: center + 1.5}.Minimize(3e-5, func(lnMu float64) float64 {
			mu := num.Exp(lnMu)
			return noise/mu + stability.GDPAt(mu, lnBeta)
		})
		return certified(d*tau, d,
			Mechanism{Noise: theory.GaussianNoise, Scale: d * root / (float64(samples) * num.Exp(lnMu))})
	}
}

// laplaceCVaR adds Laplace noise of scale D/(n eps) to each of m answers. Each
// answer is eps-private, so the transcript's stability is the lesser of that of
// m eps-privacy and of the m-fold composition.
func laplaceCVaR(g Goal) func(int64) (float64, Mechanism) {
	d, m, lnBeta := g.spread(), float64(g.Queries), g.Beta.Ln()
	c := num.MaxLaplaceCVaR(g.Queries, lnBeta)
	return func(samples int64) (float64, Mechanism) {
		noise := c / float64(samples)
		steps := stability.Steps{Count: g.Queries, LnBeta: lnBeta, Pure: 4 * noise / m, Composed: noise / math.Sqrt(m)}
		lnEps, tau := steps.Best(func(eps, shift float64) float64 { return noise/eps + shift })
		eps := num.Exp(lnEps)
		return certified(d*tau, d,
			Mechanism{Noise: theory.LaplaceNoise, Scale: d / (float64(samples) * eps), Epsilon: m * eps})
	}
}

// dpTilt is the theorem for pure privacy and one selected function at level
// beta/m: n >= ln(2m/beta)/(2 (tau - tanh(epsilon/4))^2), tau > tanh(epsilon/4).
func dpTilt(g Goal) num.DD {
	gap := num.FromFloat(g.Tau).Sub(tanhQuarter(tiltEpsilon(g)))
	if gap.Float() <= 0 {
		return num.FromFloat(math.Inf(1))
	}
	return lnOver(2, g).Div(gap.Mul(gap).MulFloat(2))
}

// tiltEpsilon is the goal's epsilon, or tau.
func tiltEpsilon(g Goal) float64 {
	if g.Epsilon > 0 {
		return g.Epsilon
	}
	return g.Tau
}

// tanhQuarter returns tanh(eps/4) = (e^(eps/2)-1)/(e^(eps/2)+1).
func tanhQuarter(eps float64) num.DD {
	if eps > 200 {
		return num.FromFloat(1)
	}
	e := num.FromFloat(eps / 2).Exp()
	return e.AddFloat(-1).Div(e.AddFloat(1))
}

func dpTiltNeeds(g Goal) error {
	if g.Epsilon > 0 && g.Tau > 0 && num.Tanh(g.Epsilon/4) >= g.Tau {
		return needs("epsilon below 4 atanh(tau) = " + formatFloat(4*math.Atanh(g.Tau)))
	}
	return nil
}

// thresholdoutCVaR is Thresholdout with T = 3 tau/4 by the CVaR theorem: for every
// sigma > 0 the guarantee holds if
//
//	tau/4 > sigma CVaR_beta(N1) + kappa/beta + s(beta),
//
// N1 the largest noise in the comparisons, kappa what a large answer's noise adds
// and s the stability of 2B steps of 1/(sigma n)-privacy, pure or composed.
func thresholdoutCVaR(g Goal) func(int64) (float64, Mechanism) {
	lnBeta, count := g.Beta.Ln(), 2*g.Budget
	noise := thresholdout.Noise{Queries: g.Queries, Budget: g.Budget}
	unit := noise.CVaR(lnBeta)
	return func(samples int64) (float64, Mechanism) {
		n := float64(samples)
		steps := stability.Steps{Count: count, LnBeta: lnBeta, Pure: 4 * unit / (n * float64(count)),
			Composed: unit / (n * math.Sqrt(float64(count)))}
		lnEps, quarter := steps.Best(func(eps, shift float64) float64 {
			sigma := 1 / (n * eps)
			quarter := sigma*unit + shift
			// kappa falls as tau grows, so at the tau without it it is large enough.
			return quarter + sigma*num.Exp(noise.LnKappa(3*quarter/sigma)-lnBeta)
		})
		tau, run := certified(4*quarter, 1, Mechanism{Noise: theory.LaplaceNoise, Scale: 1 / (n * num.Exp(lnEps))})
		if run.Noise != "" {
			run.Threshold, run.Epsilon = 0.75*tau, float64(count)*num.Exp(lnEps)
		}
		return tau, run
	}
}
