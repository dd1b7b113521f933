package transfer

import (
	"math"

	"github.com/dpcalc/dpcalc/internal/num"
	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer/solver"
	"github.com/dpcalc/dpcalc/transfer/stability"
)

var laplace = Method{
	Name:     "laplace",
	Summary:  "Laplace noise, the CVaR transfer theorem",
	Formula:  "tau = C s + D s(beta), s = D/(n epsilon0), C the CVaR at beta of the max of m |Lap(1)|, s(beta) the stability of m-fold epsilon0-DP, pure or composed, whichever is less",
	Practice: addLaplace,
	Proof:    Derived,
	Adaptive: true,
	Sources:  proved("transfer.md#laplace"),
	Assumes:  []string{independentOnly},
	theorems: theorems{rule: solver.Optimised{Domain: anyQuery, Reach: laplaceCVaRTau}, halves: true},
}

const addLaplace = "Add independent Laplace noise of scale noise_scale to every answer, including to repeated queries, and stop after m answers."

// laplaceCVaRTau adds Laplace noise of scale D/(n eps) to each of m answers. Each answer is eps-private, so the
// transcript is as stable as m eps-privacy or as the m-fold composition, whichever is the lesser number.
func laplaceCVaRTau(g Goal) func(int64) (float64, Mechanism) {
	d, m, lnBeta := g.Spread(), float64(g.Queries), g.Beta.Ln()
	c := num.MaxLaplaceCVaR(g.Queries, lnBeta)
	return func(samples int64) (float64, Mechanism) {
		noise := c / float64(samples)
		steps := stability.Steps{Count: g.Queries, LnBeta: lnBeta, Pure: 4 * noise / m, Composed: noise / math.Sqrt(m)}
		lnEps, tau := steps.Best(func(eps, shift float64) float64 { return noise/eps + shift })
		eps := num.Exp(lnEps)
		return solver.Certified(d*tau, d,
			Mechanism{Noise: theory.LaplaceNoise, Scale: d / (float64(samples) * eps), Epsilon: m * eps})
	}
}

var laplaceJung20 = Method{
	Name:     "laplace-jung20",
	Summary:  "Laplace noise, pure transfer theorem of Jung et al.",
	Formula:  "tau = s x + (e^epsilon-1) + sqrt(2 ln(1/(beta-b))/n), s = m/(n epsilon), b = P[max of m |Lap(1)| > x]; for other than linear queries tau = s x + D(e^epsilon-1) + b max(1,D)/beta",
	Practice: addLaplace + " Laplace noise pays m where Gaussian noise pays sqrt m: for few queries only.",
	Proof:    Published,
	Adaptive: true,
	Sources: []theory.Source{source("jung20", "transfer theorem for pure differential privacy"),
		source("dwork06calibrating", "Laplace mechanism")},
	Assumes:  []string{independent, inInterval},
	theorems: theorems{rule: solver.Optimised{Domain: anyQuery, Reach: solver.Alone(laplaceJung20Tau)}, halves: true},
}

// laplaceJung20Tau is the pure transfer theorem with Laplace noise of scale s = m D/(n epsilon) on every answer: for
// every epsilon and x > 0, with b = P[max of m |Lap(1)| > x],
//
//	tau = s x + (e^epsilon - 1) + sqrt(2 ln(1/(beta-b))/n)        for linear queries,
//	tau = s x + D(e^epsilon - 1) + b max(1,D)/beta                for the others.
func laplaceJung20Tau(g Goal) (float64, Mechanism) {
	d, n, m := g.Spread(), float64(g.Samples), g.Queries
	lnBeta := g.Beta.Ln()
	sampling := func(lnB float64) float64 {
		if !g.Query.IsMean() {
			return num.Exp(lnB-lnBeta) * math.Max(1, d)
		}
		rest := -math.Expm1(lnB - lnBeta) // (beta-b)/beta
		if !(rest > 0) {
			return math.Inf(1)
		}
		return math.Sqrt(2 * (-lnBeta - num.Log(rest)) / n)
	}
	// For given x the best epsilon balances c/epsilon against D e^epsilon, c the
	// noise at epsilon = 1: epsilon e^(epsilon/2) = sqrt(c/D).
	best := func(x float64) (tau, epsilon float64) {
		ratio := math.Sqrt(float64(m) * x / n)
		epsilon = math.Min(ratio, 1+2*math.Log1p(ratio))
		for range 50 {
			e := ratio * num.Exp(-epsilon/2)
			step := (epsilon - e) / (1 + e/2)
			epsilon -= step
			if math.Abs(step) <= 1e-14*epsilon {
				break
			}
		}
		return d*float64(m)*x/(n*epsilon) + d*math.Expm1(epsilon), epsilon
	}
	least := -num.LogEach(lnBeta, m)
	x, tau := num.Interval{Lo: least, Hi: least + 60}.Minimize(1e-8, func(x float64) float64 {
		noisy, _ := best(x)
		return noisy + sampling(num.LogAny(math.Min(-x, 0), m))
	})
	_, epsilon := best(x)
	return solver.Certified(tau, d,
		Mechanism{Noise: theory.LaplaceNoise, Scale: d * float64(m) / (n * epsilon), Epsilon: epsilon})
}
