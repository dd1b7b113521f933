package thresholdout

import "github.com/dpcalc/dpcalc/internal/num"

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
