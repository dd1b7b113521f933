package thresholdout

import (
	"math"

	"github.com/dpcalc/dpcalc/internal/num"
)

// Noise is the noise of one run of Thresholdout, in units of its sigma:
// eta_i ~ Lap(4) on each of m queries, gamma_b ~ Lap(2) on the threshold and xi_b ~
// Lap(1) on the answer of each of B epochs. With
//
//	N1 = max |eta| + max |gamma|,   W = max |xi|,
//
// an answer is off by at most N1 + 2W 1{W+N1 > T}, besides the shift of the mean.
type Noise struct{ Queries, Budget int64 }

// CVaR returns CVaR_b(N1) at b = e^lnb, never below the truth.
func (t Noise) CVaR(lnb float64) float64 {
	return num.LaplaceMaxima{Four: t.Queries, Two: t.Budget}.CVaR(lnb)
}

// LnKappa returns the logarithm of an upper bound of E[2W 1{W+N1 > T}], for T in
// units of sigma. The indicator is at most e^((W+N1-T)/8), and the three maxima
// are independent, of m, B and B variables Exp(1), scaled by 4, 2 and 1:
//
//	kappa = 2 e^(-T/8) R(m,1/2) R(B,1/4) R'(B,1/8),   R(j,l) = E e^(l max of j Exp(1)).
//
// R' = R(B,1/8) (psi(B+7/8) - psi(7/8)) is the derivative in l.
func (t Noise) LnKappa(threshold float64) float64 {
	rest := num.LogMaxExpMoment(t.Queries, 1.0/2) + num.LogMaxExpMoment(t.Budget, 1.0/4) +
		num.LogMaxExpMoment(t.Budget, 1.0/8) + num.Log(shiftedHarmonic(t.Budget))
	return math.Ln2 + rest - threshold/8 + 1e-15*(rest+threshold)
}

// shiftedHarmonic returns psi(k+7/8) - psi(7/8) = sum_(i<k) 1/(i+7/8), never below.
func shiftedHarmonic(k int64) float64 {
	const direct = 64
	sum := 0.0
	for i := min(k, direct) - 1; i >= 0; i-- {
		sum += 1 / (float64(i) + 7.0/8)
	}
	if k > direct {
		// ln x - 1/2x - 1/12x^2 + 1/120x^4 is above psi(x), without its last term below.
		x, y := float64(k)+7.0/8, direct+7.0/8
		sum += num.Log(x/y) - 1/(2*x) + 1/(2*y) - 1/(12*x*x) + 1/(12*y*y) + 1/(120*x*x*x*x)
	}
	return sum * (1 + 0x1p-48)
}
