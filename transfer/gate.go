package transfer

import (
	"math"

	"github.com/dpcalc/dpcalc/internal/num"
	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer/goal"
	"github.com/dpcalc/dpcalc/transfer/solver"
	"github.com/dpcalc/dpcalc/transfer/tree"
)

var gate = Method{
	Name:      "gate",
	Summary:   "only pass or fail is shown: the tree of what could be asked",
	Formula:   "N A(tau) <= beta, N = sum over l <= min(B,m-1) of C(m-1,l), A(s) = exp(-n min_p kl(p+s||p)), or the convex tail where it is less: max_p T(p,p+s), T(p,x) = min over whole t < nx of E(Bin(n,p)-t)_+/(nx-t); at a known bar c the greater of exp(-n kl(c+tau||c)) and exp(-n kl(c+tau||c+2tau)), or of T(c,c+tau) and T(1-c-2tau,1-c-tau); exact tails for 0/1 queries; Lemma 5 for differences; where a variance V = q(1-q), q <= 1/2, is known, min over p <= q of kl(p+s||p), or V h(s/V) for differences with E f^2 <= V; where a check counts the rows that differ, A of floor(dn) rows at n tau/(2 floor(dn)), and of two classes at a known bar the greater binomial tail of floor(dn) rows and of one less; of F1 and Jaccard at a known bar c the bounds of own intervals at the ratios c and c+2tau",
	Practice:  passOrFail + " A test that passes is above its bar, and a test whose true value is 2 tau above its bar passes. A retry gets the same bit.",
	Uses:      []string{passesFlag, barFlag, disagreementFlag, varianceFlag, atLeastFlag, secondMomentFlag},
	Proof:     Derived,
	Adaptive:  true,
	OneSided:  true,
	Feedbacks: []Feedback{Gate},
	Sources:   proved("feedback.md#gate", "feedback.md#tails", "feedback.md#convex-tail"),
	Assumes:   []string{independentOnly},
	theorems: theorems{
		rule:  gateRule,
		drawn: gateRule,
		ratio: ratioRule(passesFit, func(g Goal) (pass, fail float64) {
			level := float64(TestLevel(g))
			return level, level
		}),
	},
}

const passOrFail = "Test j passes if and only if its mean on the holdout is at least its bar plus tau. Show this bit and nothing else, no score, no margin, no rank; show nothing at all after pass B."

// gateRule is Theorem 3.
var gateRule = solver.Union{
	Domain:  solver.Domain{Kinds: goal.AllKinds, Needs: passesFit},
	Look:    solver.OneLook{Exact: true, Bar: true, Decided: true, Convex: true},
	LnNodes: gateNodes,
	Run: func(g Goal, lnNodes float64) Mechanism {
		run := Mechanism{LnNodes: Some(lnNodes)}
		if !g.Bar.Given {
			return run
		}
		run.PassAt = Some(g.Bar.Value + g.Tau)
		if g.Query.IsZeroOne() && g.Sample == nil {
			g.Beta -= theory.LogProb(lnNodes)
			gate := solver.CountRule{}.Gate(g)
			run.PassCount, _ = gate.Count(g.Samples, int64(float64(g.Samples)*run.PassAt.Value))
			run.PassAt = Some(float64(run.PassCount) / float64(g.Samples))
		}
		return run
	},
}

func gateNodes(g Goal) float64 {
	ln := tree.Gate{Queries: g.Queries, Passes: g.AllPasses()}.LnNodes().Float()
	return ln * (1 + 2e-16)
}

// TestLevel returns the level at which a gate may test each look so that any rejection is false with probability at
// most Beta in all: Beta/N, rounded down. It is a theorem of p-values, in docs/theorems/pvalue.md.
func TestLevel(g goal.Goal) theory.LogProb {
	ln := g.Beta.Ln() - gateNodes(g)
	return theory.LogProb(ln - 4e-16*math.Abs(ln))
}

// passesFit asks for no more passes than queries.
func passesFit(g Goal) error {
	if g.Queries > 0 && g.Passes > g.Queries {
		return goal.Needs("passes of at most the number of queries")
	}
	return nil
}

// CertifyCount fills in the failure probability at which a gate for 0/1 values that passes at this count is certified.
func (a *Answer) CertifyCount(count int64) {
	ln := gateNodes(a.Goal) + solver.CountRule{}.Gate(a.Goal).LnFailure(a.Samples, count)
	a.Beta = theory.LogProb(math.Min(ln*(1-4e-16), 0))
}

var gateRenggli19 = Method{
	Name:      "gate-renggli19",
	Summary:   "only pass or fail is shown: the published count of ease.ml/ci",
	Formula:   "N exp(-2 n tau^2) <= beta, N = m until the first pass, 2^m for more; a difference: two estimates with tau/2 and beta/2 each, or with a disagreement d: n = ln(4N/beta)/(d h(tau/d)), h(u) = (1+u) ln(1+u) - u",
	Practice:  passOrFail + " Kept for comparison: from the second pass on it counts every sequence of verdicts.",
	Uses:      []string{passesFlag, disagreementFlag},
	Proof:     Published,
	Adaptive:  true,
	OneSided:  true,
	Feedbacks: []Feedback{Gate},
	Sources:   []theory.Source{source("renggli19", "Sections 3 and 4")},
	Assumes:   []string{independent},
	theorems: theorems{
		rule: solver.Closed{Domain: solver.Domain{Kinds: goal.Means, Needs: passesFit}, Need: gateRenggli19Rows},
	},
}

// gateRenggli19Rows is the published gate.
func gateRenggli19Rows(g Goal) num.DD {
	return tree.GateRenggli19{
		Queries: g.Queries, Passes: g.AllPasses(), Tau: g.Tau, LnBeta: g.Beta.Ln(), Difference: g.Query.IsSigned(),
		Disagreement: g.Disagreement,
	}.Need()
}
