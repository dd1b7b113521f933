package transfer

import (
	"math"

	"github.com/dpcalc/dpcalc/internal/num"
	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer/goal"
	"github.com/dpcalc/dpcalc/transfer/solver"
	"github.com/dpcalc/dpcalc/transfer/stability"
	"github.com/dpcalc/dpcalc/transfer/thresholdout"
)

var thresholdoutSharp = Method{
	Name:      "thresholdout",
	Summary:   "Thresholdout with the noise that suits n, the CVaR transfer theorem",
	Formula:   "tau/4 > sigma CVaR_beta(N1) + kappa/beta + s(beta), T = 3 tau/4, s the stability of 2B steps of 1/(sigma n)-DP",
	Practice:  runThresholdout,
	Proof:     Derived,
	Adaptive:  true,
	Needs:     budgetFlag,
	Feedbacks: []Feedback{Answers, Flags},
	Sources:   proved("thresholdout.md#thresholdout-sharp"),
	Assumes:   []string{independentOnly, training},
	theorems: theorems{
		rule:   solver.Optimised{Domain: solver.Domain{Kinds: goal.Linear, Needs: budgetGiven}, Reach: thresholdoutCVaRTau},
		halves: true,
	},
}

const runThresholdout = "Run Thresholdout with threshold and noise_scale as stated: answer from the training set, and from the holdout with noise where the two differ by more than the noisy threshold. It covers the answers while fewer than B queries have overfitted the training set; then it stops."

// thresholdoutCVaRTau is Thresholdout with T = 3 tau/4 by the CVaR theorem: for every sigma > 0 the guarantee holds if
//
//	tau/4 > sigma CVaR_beta(N1) + kappa/beta + s(beta),
//
// N1 the largest noise in the comparisons, kappa what a large answer's noise adds
// and s the stability of 2B steps of 1/(sigma n)-privacy, pure or composed.
func thresholdoutCVaRTau(g Goal) func(int64) (float64, Mechanism) {
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
		tau, run := solver.Certified(4*quarter, 1, Mechanism{Noise: theory.LaplaceNoise, Scale: 1 / (n * num.Exp(lnEps))})
		if run.Noise != "" {
			run.Threshold, run.Epsilon = 0.75*tau, float64(count)*num.Exp(lnEps)
		}
		return tau, run
	}
}

var (
	thresholdoutDwork15 = dworkThresholdout(Method{
		Name:     "thresholdout-dwork15",
		Summary:  "Thresholdout, Theorem 3.3: the lesser of its two requirements",
		Formula:  "n >= min{n0, n1}(B, sigma, tau/8, beta/(2m)) with T = 3 tau/4, sigma = tau/(96 ln(4m/beta))",
		Practice: runThresholdout,
		Sources:  []theory.Source{source("dwork15holdout", "")},
	}, lesserRequirement)

	thresholdoutDwork15N0 = dworkThresholdout(Method{
		Name:     "thresholdout-dwork15-n0",
		Summary:  "Thresholdout, Theorem 3.3 through pure privacy (n0)",
		Formula:  "n0(B, sigma, t, b) = max{2B/(sigma t), ln(6/b)/t^2} at t = tau/8, b = beta/(2m)",
		Practice: runThresholdout + " Its rows grow as B.",
		Sources:  []theory.Source{source("dwork15preserving", "pure differential privacy")},
	}, thresholdout.Requirement.N0)

	thresholdoutDwork15N1 = dworkThresholdout(Method{
		Name:     "thresholdout-dwork15-n1",
		Summary:  "Thresholdout, Theorem 3.3 through approximate privacy (n1, exact form)",
		Formula:  "n1(B, sigma, t, b) = max{(4/(sigma t)) sqrt(32 B (ln 2 + (4/t) ln(8/b))), 48 ln(8/b)/t^2} at t = tau/8, b = beta/(2m)",
		Practice: runThresholdout + " Its rows grow as sqrt B, from a much higher start.",
		Sources:  []theory.Source{source("dwork15preserving", "approximate differential privacy")},
	}, thresholdout.Requirement.N1)
)

// dworkThresholdout completes a method of Theorem 3.3 with one of its two requirements or the lesser of them.
func dworkThresholdout(m Method, need func(thresholdout.Requirement) num.DD) Method {
	m.Proof, m.Adaptive, m.Needs, m.Feedbacks = Published, true, budgetFlag, []Feedback{Answers, Flags}
	m.Sources = append([]theory.Source{source("dwork15generalization", "Thresholdout")}, m.Sources...)
	m.Assumes, m.halves = []string{independent, training}, true
	m.rule = solver.Closed{
		Domain: solver.Domain{Kinds: goal.Linear, Needs: budgetNeeds},
		Need:   func(g Goal) num.DD { return need(theorem33(g)) },
		Run: func(g Goal) Mechanism {
			return Mechanism{Noise: theory.LaplaceNoise, Scale: sigma33(g).Float(), Threshold: 0.75 * g.Tau}
		},
	}
	return m
}

// theorem33 returns the parameters that Theorem 3.3 passes to n0 and n1: sigma =
// tau/(96 ln(4m/beta)), accuracy tau/8 and failure probability beta/(2m).
func theorem33(g Goal) thresholdout.Requirement {
	return thresholdout.Requirement{
		Budget: num.FromInt(g.Budget),
		Sigma:  sigma33(g),
		Tau:    num.FromFloat(g.Tau / 8),
		Level:  func(c float64) num.DD { return solver.LnOver(2*c, g) },
	}
}

func sigma33(g Goal) num.DD { return num.FromFloat(g.Tau).Div(solver.LnOver(4, g).MulFloat(96)) }

func budgetGiven(g Goal) error {
	if g.Budget == 0 {
		return goal.Needs("a budget")
	}
	return nil
}

// budgetNeeds is Theorem 3.3's B <= m.
func budgetNeeds(g Goal) error {
	if err := budgetGiven(g); err != nil {
		return err
	}
	if g.Queries > 0 && g.Budget > g.Queries {
		return goal.Needs("a budget of at most the number of queries")
	}
	return nil
}

func lesserRequirement(r thresholdout.Requirement) num.DD {
	n0, n1 := r.N0(), r.N1()
	if n0.Cmp(n1) <= 0 {
		return n0
	}
	return n1
}
