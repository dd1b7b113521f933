package thresholdout

import (
	"math"

	"github.com/dpcalc/dpcalc/internal/num"
	"github.com/dpcalc/dpcalc/theory"
)

// Goal is what Thresholdout is asked for on its own: with probability at
// least 1-Beta a query flagged within the budget is answered within Tau.
type Goal struct {
	Budget int64          // B, the number of flagged answers, at least 1
	Sigma  float64        // the scale of the answers' Laplace noise, positive
	Tau    float64        // the accuracy, in (0,1)
	Beta   theory.LogProb // the failure probability, in (0,1)
}

func (g Goal) validate() error {
	for _, err := range []error{
		theory.Domain(g.Budget >= 1 && g.Budget <= theory.MaxSamples, "budget", g.Budget,
			"a whole number from 1 to 9007199254740992"),
		theory.Domain(g.Sigma > 0 && g.Sigma <= math.MaxFloat64, "sigma", g.Sigma, "a positive number"),
		theory.Domain(g.Tau > 0 && g.Tau < 1, "tau", g.Tau, "a number in (0, 1)"),
		theory.Domain(g.Beta.Interior(), "beta", g.Beta, "a probability in (0, 1)"),
	} {
		if err != nil {
			return err
		}
	}
	return nil
}

// N1Form chooses how the requirement n1 is written.
type N1Form int

// The forms. The displayed one is never below the exact one.
const (
	N1Exact     N1Form = iota // from (sqrt(32 B ln(2/delta))/(sigma n), delta)-DP as it stands
	N1Displayed               // split by sqrt(x+y) <= sqrt x + sqrt y, as the sources print it, its constant corrected
)

// N0 returns the least whole n >= max{2B/(sigma tau), ln(6/beta)/tau^2}:
// Thresholdout is then (tau,0)-differentially private and Corollary 2.3.1 gives
// P[|P[phi]-E_S[phi]| >= tau] <= beta. It returns a DomainError for parameters
// out of their domain and a NoAnswerError beyond 2^53.
// Source: Dwork et al. 2015, Thresholdout with pure differential privacy.
func N0(g Goal) (int64, error) {
	if err := g.validate(); err != nil {
		return 0, err
	}
	return wholeSamples(g.parameters().N0())
}

// N1 returns the least whole n for which Thresholdout is (tau/4, delta)-private
// with delta = (beta/8)^(4/tau), and n >= 48 ln(8/beta)/tau^2 as Theorem 2.4
// demands. Exactly,
//
//	n1 = max{(4/(sigma tau)) sqrt(32 B (ln 2 + (4/tau) ln(8/beta))), 48 ln(8/beta)/tau^2};
//
// the displayed form replaces the first term by
// 32 sqrt(2 B ln(8/beta))/(tau^(3/2) sigma) + 16 sqrt(2 ln(2) B)/(tau sigma).
// The errors are the same as for [N0]. Source: Dwork et al. 2015; docs/check/errata.md adds the terms that the printed
// forms lack.
func N1(g Goal, form N1Form) (int64, error) {
	if err := g.validate(); err != nil {
		return 0, err
	}
	p := g.parameters()
	if form == N1Displayed {
		return wholeSamples(p.n1Displayed())
	}
	return wholeSamples(p.N1())
}

func wholeSamples(n num.DD) (int64, error) {
	if !(n.Float() <= theory.MaxSamples) {
		return 0, theory.TooMany(n.Float())
	}
	return max(n.Ceil(), 1), nil
}

// Requirement carries the parameters of n0 and n1 in double-double.
type Requirement struct {
	Budget, Sigma, Tau num.DD
	Level              func(c float64) num.DD // ln(c/beta)
}

func (g Goal) parameters() Requirement {
	return Requirement{
		Budget: num.FromInt(g.Budget),
		Sigma:  num.FromFloat(g.Sigma),
		Tau:    num.FromFloat(g.Tau),
		Level:  func(c float64) num.DD { return num.FromFloat(c).Ln().AddFloat(-g.Beta.Ln()) },
	}
}

// N0 is the requirement [N0] as a real number.
func (r Requirement) N0() num.DD {
	private := r.Budget.MulFloat(2).Div(r.Sigma.Mul(r.Tau))
	return larger(private, r.Level(6).Div(r.Tau.Mul(r.Tau)))
}

// N1 is the requirement [N1] as a real number, in its exact form.
func (r Requirement) N1() num.DD {
	lnTwoOverDelta := r.Level(8).MulFloat(4).Div(r.Tau).Add(num.FromFloat(2).Ln())
	private := lnTwoOverDelta.Mul(r.Budget).MulFloat(32).Sqrt().MulFloat(4).Div(r.Sigma.Mul(r.Tau))
	return larger(private, r.samples())
}

func (r Requirement) n1Displayed() num.DD {
	first := r.Level(8).Mul(r.Budget).MulFloat(2).Sqrt().MulFloat(32).Div(r.Tau.Sqrt())
	second := num.FromFloat(2).Ln().Mul(r.Budget).MulFloat(2).Sqrt().MulFloat(16)
	private := first.Add(second).Div(r.Tau.Mul(r.Sigma))
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
