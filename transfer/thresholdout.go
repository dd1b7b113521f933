package transfer

import (
	"math"

	"github.com/dpcalc/dpcalc/internal/num"
	"github.com/dpcalc/dpcalc/theory"
)

// HoldoutGoal is what Thresholdout is asked for on its own: with probability at
// least 1-Beta a query flagged within the budget is answered within Tau.
type HoldoutGoal struct {
	Budget int64          // B, the number of flagged answers, at least 1
	Sigma  float64        // the scale of the answers' Laplace noise, positive
	Tau    float64        // the accuracy, in (0,1)
	Beta   theory.LogProb // the failure probability, in (0,1)
}

func (h HoldoutGoal) validate() error {
	for _, err := range []error{
		theory.Domain(h.Budget >= 1 && h.Budget <= MaxCount, "budget", h.Budget, "a whole number from 1 to 9007199254740992"),
		theory.Domain(h.Sigma > 0 && h.Sigma <= math.MaxFloat64, "sigma", h.Sigma, "a positive number"),
		theory.Domain(h.Tau > 0 && h.Tau < 1, "tau", h.Tau, "a number in (0, 1)"),
		theory.Domain(h.Beta.Interior(), "beta", h.Beta, "a probability in (0, 1)"),
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
func N0(h HoldoutGoal) (int64, error) {
	if err := h.validate(); err != nil {
		return 0, err
	}
	return wholeSamples(n0(h.parameters()))
}

// N1 returns the least whole n for which Thresholdout is (tau/4, delta)-private
// with delta = (beta/8)^(4/tau), and n >= 48 ln(8/beta)/tau^2 as Theorem 2.4
// demands. Exactly,
//
//	n1 = max{(4/(sigma tau)) sqrt(32 B (ln 2 + (4/tau) ln(8/beta))), 48 ln(8/beta)/tau^2};
//
// the displayed form replaces the first term by
// 32 sqrt(2 B ln(8/beta))/(tau^(3/2) sigma) + 16 sqrt(2 ln(2) B)/(tau sigma).
// Errors are those of [N0]. Source: Dwork et al. 2015; docs/check/errata.md has what
// the printed forms lack.
func N1(h HoldoutGoal, form N1Form) (int64, error) {
	if err := h.validate(); err != nil {
		return 0, err
	}
	p := h.parameters()
	if form == N1Displayed {
		return wholeSamples(n1Displayed(p))
	}
	return wholeSamples(n1(p))
}

func wholeSamples(n num.DD) (int64, error) {
	if !(n.Float() <= MaxCount) {
		return 0, tooMany(n.Float())
	}
	return max(n.Ceil(), 1), nil
}

// holdout carries the parameters of n0 and n1 in double-double.
type holdout struct {
	budget, sigma, tau num.DD
	level              func(c float64) num.DD // ln(c/beta)
}

func (h HoldoutGoal) parameters() holdout {
	return holdout{
		budget: num.FromInt(h.Budget),
		sigma:  num.FromFloat(h.Sigma),
		tau:    num.FromFloat(h.Tau),
		level:  func(c float64) num.DD { return num.FromFloat(c).Ln().AddFloat(-h.Beta.Ln()) },
	}
}

// theorem33 returns the parameters that Theorem 3.3 passes to n0 and n1: sigma =
// tau/(96 ln(4m/beta)), accuracy tau/8 and failure probability beta/(2m).
func theorem33(g Goal) holdout {
	return holdout{
		budget: num.FromInt(g.Budget),
		sigma:  sigma33(g),
		tau:    num.FromFloat(g.Tau / 8),
		level:  func(c float64) num.DD { return lnOver(2*c, g) },
	}
}

func sigma33(g Goal) num.DD { return num.FromFloat(g.Tau).Div(lnOver(4, g).MulFloat(96)) }

func n0(h holdout) num.DD {
	private := h.budget.MulFloat(2).Div(h.sigma.Mul(h.tau))
	return maxDD(private, h.level(6).Div(h.tau.Mul(h.tau)))
}

func n1(h holdout) num.DD {
	lnTwoOverDelta := h.level(8).MulFloat(4).Div(h.tau).Add(num.FromFloat(2).Ln())
	private := lnTwoOverDelta.Mul(h.budget).MulFloat(32).Sqrt().MulFloat(4).Div(h.sigma.Mul(h.tau))
	return maxDD(private, n1Samples(h))
}

func n1Displayed(h holdout) num.DD {
	first := h.level(8).Mul(h.budget).MulFloat(2).Sqrt().MulFloat(32).Div(h.tau.Sqrt())
	second := num.FromFloat(2).Ln().Mul(h.budget).MulFloat(2).Sqrt().MulFloat(16)
	private := first.Add(second).Div(h.tau.Mul(h.sigma))
	return maxDD(private, n1Samples(h))
}

// n1Samples is Theorem 2.4's own requirement, 48 ln(8/beta)/tau^2.
func n1Samples(h holdout) num.DD { return h.level(8).MulFloat(48).Div(h.tau.Mul(h.tau)) }

func maxDD(a, b num.DD) num.DD {
	if a.Cmp(b) >= 0 {
		return a
	}
	return b
}

func minDD(a, b num.DD) num.DD {
	if a.Cmp(b) <= 0 {
		return a
	}
	return b
}

// thresholdoutRule is Theorem 3.3 with one of its two requirements or the lesser
// of them.
func thresholdoutRule(need func(holdout) num.DD) closed {
	return closed{
		kinds:    linear,
		budgeted: true,
		need:     func(g Goal) num.DD { return need(theorem33(g)) },
		needs:    budgetNeeds,
		run: func(g Goal) Mechanism {
			return Mechanism{Noise: theory.LaplaceNoise, Scale: sigma33(g).Float(), Threshold: 0.75 * g.Tau}
		},
	}
}

func budgetGiven(g Goal) error {
	if g.Budget == 0 {
		return needs("a budget")
	}
	return nil
}

// budgetNeeds is Theorem 3.3's B <= m.
func budgetNeeds(g Goal) error {
	if err := budgetGiven(g); err != nil {
		return err
	}
	if g.Queries > 0 && g.Budget > g.Queries {
		return needs("a budget of at most the number of queries")
	}
	return nil
}

func dwork15(h holdout) num.DD { return minDD(n0(h), n1(h)) }
