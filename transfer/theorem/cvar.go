package theorem

import (
	"math"

	"github.com/dpcalc/dpcalc/internal/num"
	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer/stability"
)

// CVaR returns the CVaR transfer theorem for (epsilon, delta)-privacy and errors of at
// most one: P[max_j |a_j - P[f_j]| > alpha'] <= target for
//
//	alpha' = alpha + beta/target + D s(target),
//	s(b) = min(1, (t/2 + (delta/b)(1-t))/(1-t/2)),  t = tanh(epsilon/2),
//
// D the spread of the query: 1 for linear ones, n times the per-record sensitivity for others,
// and 2n times for comparisons. alpha' is rounded up. Errors: DomainError. Source:
// docs/theorems/transfer.md, the CVaR transfer theorem.
func CVaR(s Sampled, class Class, target theory.LogProb) (theory.Bound[Population], error) {
	if err := validTransfer(s, class, target); err != nil {
		return theory.Bound[Population]{}, err
	}
	shift := stability.Approx(theory.Approx{Epsilon: s.Epsilon, LnDelta: s.LnDelta}, target)
	alpha := s.Alpha + num.Exp(s.Beta.Ln()-target.Ln()) + class.spread()*shift
	return concluded(alpha, target, []theory.Source{cvarSource}, unitErrors, independentRows)
}

// CVaRPure returns the lesser of two theorems for pure privacy: [CVaR], where s(b) is
// tanh(epsilon/4) at every level, and, for linear queries and a given n,
//
//	alpha' = alpha + tanh(epsilon/4) + sqrt(ln(1/(target-beta))/(2n)).
//
// Errors: DomainError; NotApplicableError if delta > 0. Source: docs/theorems/transfer.md,
// the CVaR transfer theorem and the pure transfer theorem.
func CVaRPure(s Sampled, class Class, target theory.LogProb) (theory.Bound[Population], error) {
	if err := validTransfer(s, class, target); err != nil {
		return theory.Bound[Population]{}, err
	}
	source := cvarPureSource
	if s.LnDelta != theory.Zero {
		return theory.Bound[Population]{}, &theory.NotApplicableError{Source: source, Needs: "pure privacy, delta = 0"}
	}
	best, err := CVaR(s, class, target)
	if err != nil {
		return best, err
	}
	best.Sources = []theory.Source{source}
	counted := class.isLinear() && class.Samples > 0
	if rest := -math.Expm1(s.Beta.Ln()-target.Ln()) * (1 - 0x1p-50); counted && rest > 0 {
		sampling := math.Sqrt((-target.Ln() - num.Log(rest)) / (2 * float64(class.Samples)))
		best.Value.Alpha = math.Min(best.Value.Alpha, up(s.Alpha+stability.Pure(s.Epsilon)+sampling))
	}
	return best, nil
}
