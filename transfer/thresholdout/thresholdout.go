// Package thresholdout has what Thresholdout asks of a holdout: the requirements n0 and n1 of Theorem 3.3, and the
// largest noise of a run for the theorem of CVaR. The statements and proofs are in docs/theorems/thresholdout.md.
package thresholdout

import (
	"math"

	"github.com/dpcalc/dpcalc/internal/num"
)

// Noise is the noise of one run of Thresholdout, in units of its sigma: eta_i ~ Lap(4) on each of m queries, gamma_b ~
// Lap(2) on the threshold and xi_b ~ Lap(1) on the answer of each of B epochs. With
//
//	N1 = max |eta| + max |gamma|,   W = max |xi|,
//
// an answer is off by at most N1 + 2W 1{W+N1 > T}, besides the shift of the mean.
type Noise struct{ Queries, Budget int64 }

// CVaR returns CVaR_b(N1) at b = e^lnb, never below the truth.
func (t Noise) CVaR(lnb float64) float64 {
	return num.LaplaceMaxima{Four: t.Queries, Two: t.Budget}.CVaR(lnb)
}

// LnKappa returns the logarithm of an upper bound of E[2W 1{W+N1 > T}], for T in units of sigma. The indicator is at
// most e^((W+N1-T)/8), and the three maxima are independent, of m, B and B variables Exp(1), scaled by 4, 2 and 1:
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

// Requirement is what Thresholdout asks for on its own: with probability at least 1-beta a query flagged within the
// budget is answered within Tau.
type Requirement struct {
	Budget num.DD                 // B, the number of flagged answers
	Sigma  num.DD                 // the scale of the answers' Laplace noise
	Tau    num.DD                 // the accuracy, in (0,1)
	Level  func(c float64) num.DD // ln(c/beta)
}

// N0 returns n0 = max{2B/(sigma tau), ln(6/beta)/tau^2}: Thresholdout is then (tau,0)-differentially private and
// Corollary 2.3.1 gives P[|P[phi]-E_S[phi]| >= tau] <= beta.
// Source: Dwork et al. 2015, Thresholdout with pure differential privacy.
func (r Requirement) N0() num.DD {
	private := r.Budget.MulFloat(2).Div(r.Sigma.Mul(r.Tau))
	return larger(private, r.Level(6).Div(r.Tau.Mul(r.Tau)))
}

// N1 returns the least n for which Thresholdout is (tau/4, delta)-private with delta = (beta/8)^(4/tau), and which is
// at least the 48 ln(8/beta)/tau^2 that Theorem 2.4 demands:
//
//	n1 = max{(4/(sigma tau)) sqrt(32 B (ln 2 + (4/tau) ln(8/beta))), 48 ln(8/beta)/tau^2}.
//
// Source: Dwork et al. 2015; docs/check/errata.md adds the terms that the printed forms lack.
func (r Requirement) N1() num.DD {
	lnTwoOverDelta := r.Level(8).MulFloat(4).Div(r.Tau).Add(num.FromFloat(2).Ln())
	private := lnTwoOverDelta.Mul(r.Budget).MulFloat(32).Sqrt().MulFloat(4).Div(r.Sigma.Mul(r.Tau))
	return larger(private, r.samples())
}

// samples is Theorem 2.4's own requirement, 48 ln(8/beta)/tau^2.
func (r Requirement) samples() num.DD { return r.Level(8).MulFloat(48).Div(r.Tau.Mul(r.Tau)) }

func larger(a, b num.DD) num.DD {
	if a.Cmp(b) >= 0 {
		return a
	}
	return b
}
