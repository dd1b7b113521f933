// Package theorem has the transfer theorems, one per variable: from accuracy on the sample and privacy to accuracy
// on the population. [All] lists them; a new one is an entry there.
package theorem

import (
	"cmp"
	"errors"
	"math"

	"github.com/dpcalc/dpcalc/internal/num"
	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer/stability"
)

// Sampled states what a mechanism was shown to do on the sample, and its privacy: P[max_j |a_j - E_S[f_j]| >= Alpha]
// <= Beta and (Epsilon, delta)-differential privacy of the whole transcript.
type Sampled struct {
	Alpha   float64        // sample accuracy, at least 0
	Beta    theory.LogProb // its failure probability, in [0,1); theory.Zero if it never fails
	Epsilon float64        // at least 0
	LnDelta theory.LogProb // in [0,1); theory.Zero for pure privacy
}

// Validate returns a DomainError for the first field outside its domain.
func (s Sampled) Validate() error {
	return cmp.Or(
		theory.Domain(s.Alpha >= 0 && s.Alpha <= math.MaxFloat64, "alpha", s.Alpha, "a number of at least 0"),
		theory.Domain(s.Beta < 0, "beta", s.Beta, "a probability in [0, 1)"),
		theory.Domain(s.Epsilon >= 0 && s.Epsilon <= math.MaxFloat64, "epsilon", s.Epsilon, "a number of at least 0"),
		theory.Domain(s.LnDelta < 0, "delta", s.LnDelta, "a probability in [0, 1)"),
	)
}

// left returns the share of the target that the sample's beta leaves.
func (s Sampled) left(target theory.LogProb) float64 { return -math.Expm1(s.Beta.Ln() - target.Ln()) }

// Population is what a transfer theorem concludes: P[max_j |a_j - P[f_j]| >= Alpha] <= Beta.
type Population struct {
	Alpha float64        // rounded up
	Beta  theory.LogProb // the target, or less
}

// Class says which queries were answered and how many records there are.
type Class struct {
	// n times the most that one record moves a query, and twice as much for the comparison of two candidates; 0 stands for
	// linear queries with values in [0,1].
	Spread  float64
	Samples int64 // n, at least 1; 0 if it is not given, where the theorem does not need it
}

func (c Class) isLinear() bool { return c.Spread == 0 }

// spread is how far two values of a query can lie apart: an accuracy that is not below it says nothing.
func (c Class) spread() float64 {
	if c.isLinear() {
		return 1
	}
	return c.Spread
}

// Theorem is a transfer theorem: from accuracy on the sample and privacy to accuracy on the population.
type Theorem struct {
	theory.Article

	// alpha returns alpha' at the target, or which hypothesis fails.
	alpha func(s Sampled, class Class, target theory.LogProb) (alpha float64, needs string)
}

// All returns the transfer theorems in printing order.
func All() []Theorem { return []Theorem{Jung20, Jung20Pure, Bassily16, CVaR, CVaRPure} }

// Apply returns alpha', rounded up, at beta' = target. Errors: DomainError, and NotApplicableError for what fails.
func (t Theorem) Apply(s Sampled, class Class, target theory.LogProb) (theory.Bound[Population], error) {
	d := class.Spread
	if err := cmp.Or(
		s.Validate(),
		theory.Domain(d == 0 || d >= 1e-100 && d <= 2e100, "spread", d, "a number in [1e-100, 2e100]"),
		theory.Domain(class.Samples >= 0 && class.Samples <= theory.MaxSamples, "samples", class.Samples,
			"a whole number from 1 to 9007199254740992"),
		theory.Domain(target.IsInterior(), "target-beta", target, "a probability in (0, 1)"),
	); err != nil {
		return theory.Bound[Population]{}, err
	}
	alpha, needs := t.alpha(s, class, target)
	if needs != "" {
		return theory.Bound[Population]{}, &theory.NotApplicableError{Source: t.Sources[0], Needs: needs}
	}
	if alpha *= 1 + 0x1p-40; !(alpha <= math.MaxFloat64) { // to the safe side of some float64 operations
		return theory.Bound[Population]{}, &theory.NoAnswerError{Reason: "alpha is beyond the range of float64"}
	}
	return theory.Bound[Population]{Value: Population{alpha, target}, Sources: t.Sources, Assumes: t.Assumes}, nil
}

// Conclude applies the theorem. The outcome is Vacuous where alpha' is not below the spread
// of the query. Where the theorem does not apply, the outcome names the source of the hypothesis that fails.
// The error is the DomainError of Apply.
func (t Theorem) Conclude(s Sampled, class Class, target theory.LogProb) (theory.Outcome[Population], error) {
	bound, refusal := t.Apply(s, class, target)
	vacuous := ""
	if !(bound.Value.Alpha < class.spread()) {
		vacuous = "alpha is not below the spread of the query"
	}
	out, err := theory.OutcomeOf(bound, refusal, vacuous)
	if errors.As(refusal, new(*theory.NotApplicableError)) {
		out.Sources = t.Sources
	}
	return out, err
}

const (
	unitErrors      = "values and answers in an interval of length one"
	onePopulation   = "independent rows from one population"
	independentRows = "independent rows"
	roomForDelta    = "a target beta above the sample's beta"
	numberOfRows    = "the number of rows"
	pure            = "pure privacy, delta = 0"
)

// Jung20 is the transfer theorem of Jung et al. at the best c and d. For every c, d > 0 the answers
// are (alpha', beta')-accurate on the population with
//
//	alpha' = alpha + (e^epsilon - 1) + c + 2d,             beta' = beta/c + delta/d      (linear queries)
//	alpha' = alpha + c + D (e^epsilon - 1 + 4d),           the same beta'                (D/n-sensitive queries)
//
// and 2D for D in minimisation.
var Jung20 = Theorem{
	theory.Article{
		Name:     "jung20",
		Summary:  "the transfer theorem of Jung et al., for any privacy",
		Formula:  "alpha' = alpha + D (e^epsilon - 1) + (sqrt(beta) + sqrt(w delta))^2/beta'; w = 2 for linear queries, whose D is 1, and 4D for others",
		Practice: "The published theorem to cite. The target beta' pays for beta and delta by their share of it; cvar is never worse.",
		Proof:    theory.Published,
		Sources:  []theory.Source{{Key: "jung20", Where: "transfer theorem, c and d optimised"}},
		Assumes:  []string{unitErrors, onePopulation},
	},
	func(s Sampled, class Class, target theory.LogProb) (float64, string) {
		d, w := class.spread(), 2.0
		if !class.isLinear() {
			w = 4 * d
		}
		root := num.Exp((s.Beta.Ln()-target.Ln())/2) + num.Exp((num.Log(w)+s.LnDelta.Ln()-target.Ln())/2)
		return s.Alpha + d*math.Expm1(s.Epsilon) + root*root, ""
	},
}

// Jung20Pure is the transfer theorem for pure privacy and linear queries: for every eta > 0, alpha' = alpha +
// (e^epsilon - 1) + sqrt(2 ln(1/eta)/n) and beta' = beta + eta.
var Jung20Pure = Theorem{
	theory.Article{
		Name:     "jung20-pure",
		Summary:  "the transfer theorem of Jung et al. for pure privacy and linear queries",
		Formula:  "alpha' = alpha + (e^epsilon - 1) + sqrt(2 ln(1/(beta'-beta))/n)",
		Practice: "For pure privacy and a small target beta', which enters by its logarithm. It needs the number of rows; cvar-pure is never worse.",
		Proof:    theory.Published,
		Sources:  []theory.Source{{Key: "jung20", Where: "transfer theorem for pure differential privacy"}},
		Assumes:  []string{onePopulation},
	},
	func(s Sampled, class Class, target theory.LogProb) (float64, string) {
		rest := s.left(target) * (1 - 0x1p-50) // eta over the target
		switch {
		case s.LnDelta != theory.Zero:
			return 0, pure
		case !class.isLinear():
			return 0, "linear queries"
		case class.Samples == 0:
			return 0, numberOfRows
		case !(rest > 0):
			return 0, roomForDelta
		}
		return s.Alpha + math.Expm1(s.Epsilon) + math.Sqrt(2*(-target.Ln()-num.Log(rest))/float64(class.Samples)), ""
	},
}

// Bassily16 is the transfer theorem of Bassily et al. for the query that an (epsilon, delta)-private algorithm
// selects, epsilon in (0,1/3), delta in (0,epsilon/4) and n >= ln(4 epsilon/delta)/epsilon^2:
//
//	P[|q(P) - q(S)| >= 18 epsilon D] < delta/epsilon.
//
// The worst of the answered queries is such a selection. alpha' is alpha + 18 epsilon D at beta' = beta +
// delta'/epsilon, where delta' >= delta is as large as target allows, since that eases the demand on n.
var Bassily16 = Theorem{
	theory.Article{
		Name:     "bassily16",
		Summary:  "the transfer theorem of Bassily et al. for low-sensitivity queries",
		Formula:  "alpha' = alpha + 18 epsilon D, if epsilon < 1/3, delta <= epsilon (beta'-beta), delta < epsilon/4 and n >= ln(4 epsilon/delta)/epsilon^2",
		Practice: "Kept for comparison: its constant is large. It needs the number of rows.",
		Proof:    theory.Published,
		Sources:  []theory.Source{{Key: "bassily16", Where: "transfer theorem for low-sensitivity queries"}},
		Assumes:  []string{onePopulation},
	},
	func(s Sampled, class Class, target theory.LogProb) (float64, string) {
		lnRatio := math.Min(target.Ln()+num.Log(s.left(target)), num.Log(0.2499)) // ln(delta'/epsilon)
		switch {
		case !(s.Epsilon > 0 && s.Epsilon < 1./3):
			return 0, "epsilon in (0, 1/3)"
		case class.Samples == 0:
			return 0, numberOfRows
		case !(s.Beta < target):
			return 0, roomForDelta
		case !(s.LnDelta.Ln() <= num.Log(s.Epsilon)+lnRatio):
			return 0, "delta at most epsilon (target - beta), and below epsilon/4"
		case !(float64(class.Samples) >= (num.Log(4)-lnRatio)/(s.Epsilon*s.Epsilon)*(1+0x1p-40)):
			return 0, "n of at least ln(4 epsilon/delta)/epsilon^2"
		}
		return s.Alpha + 18*s.Epsilon*class.spread(), ""
	},
}

// CVaR is the CVaR transfer theorem for (epsilon, delta)-privacy and errors of at most one:
// P[max_j |a_j - P[f_j]| > alpha'] <= target.
var CVaR = Theorem{
	theory.Article{
		Name:     "cvar",
		Summary:  "the CVaR transfer theorem, for any privacy",
		Formula:  "alpha' = alpha + beta/beta' + D min(1, (t/2 + (delta/beta')(1-t))/(1-t/2)), t = tanh(epsilon/2)",
		Practice: "The sharpest of these for a delta above zero. The rows need not be identically distributed. Its proof has not been refereed.",
		Proof:    theory.Derived,
		Sources:  []theory.Source{{Key: "dpcalc", Where: "docs/theorems/transfer.md#cvar"}},
		Assumes:  []string{unitErrors, independentRows},
	},
	func(s Sampled, class Class, target theory.LogProb) (float64, string) {
		shift := stability.Approx(theory.Approx{Epsilon: s.Epsilon, LnDelta: s.LnDelta}, target)
		return s.Alpha + num.Exp(s.Beta.Ln()-target.Ln()) + class.spread()*shift, ""
	},
}

// CVaRPure is the lesser of two theorems for pure privacy: [CVaR], where the shift is tanh(epsilon/4) at every level,
// and the pure transfer theorem for linear queries and a given n.
var CVaRPure = Theorem{
	theory.Article{
		Name:     "cvar-pure",
		Summary:  "the CVaR transfer theorem for pure privacy",
		Formula:  "alpha' = alpha + beta/beta' + D tanh(epsilon/4) or, for linear queries and a given n, alpha + tanh(epsilon/4) + sqrt(ln(1/(beta'-beta))/(2n)), whichever is less",
		Practice: "The sharpest of these for pure privacy. The number of rows is of use and not needed. Its proof has not been refereed.",
		Proof:    theory.Derived,
		Sources:  []theory.Source{{Key: "dpcalc", Where: "docs/theorems/transfer.md#cvar-pure"}},
		Assumes:  []string{unitErrors, independentRows},
	},
	func(s Sampled, class Class, target theory.LogProb) (float64, string) {
		if s.LnDelta != theory.Zero {
			return 0, pure
		}
		best, _ := CVaR.alpha(s, class, target)
		if rest := s.left(target) * (1 - 0x1p-50); class.isLinear() && class.Samples > 0 && rest > 0 {
			sampling := math.Sqrt((-target.Ln() - num.Log(rest)) / (2 * float64(class.Samples)))
			best = math.Min(best, s.Alpha+stability.Pure(s.Epsilon)+sampling)
		}
		return best, ""
	},
}
