package theorem

import (
	"errors"
	"slices"

	"github.com/dpcalc/dpcalc/theory"
)

// Theorem is a transfer theorem: from accuracy on the sample and privacy to
// accuracy on the population.
type Theorem struct {
	theory.Article
	Apply func(s Sampled, class Class, target theory.LogProb) (theory.Bound[Population], error)
}

// All returns the transfer theorems in printing order.
func All() []Theorem { return slices.Clone(theorems) }

const (
	unitErrors      = "values and answers in an interval of length one"
	onePopulation   = "independent rows from one population"
	independentRows = "independent rows"
)

var (
	jung20Source     = theory.Source{Key: "jung20", Where: "transfer theorem, c and d optimised"}
	jung20PureSource = theory.Source{Key: "jung20", Where: "transfer theorem for pure differential privacy"}
	bassily16Source  = theory.Source{Key: "bassily16", Where: "transfer theorem for low-sensitivity queries"}
	cvarSource       = theory.Source{Key: "dpcalc", Where: "docs/theorems/transfer.md#cvar"}
	cvarPureSource   = theory.Source{Key: "dpcalc", Where: "docs/theorems/transfer.md#cvar-pure"}
)

var theorems = []Theorem{
	{
		Article: theory.Article{
			Name:     "jung20",
			Summary:  "the transfer theorem of Jung et al., for any privacy",
			Formula:  "alpha' = alpha + D (e^epsilon - 1) + (sqrt(beta) + sqrt(w delta))^2/beta'; w = 2 for linear queries, whose D is 1, and 4D for others",
			Practice: "The published theorem to cite. The target beta' pays for beta and delta by their share of it; cvar is never worse.",
			Proof:    theory.Published,
			Sources:  []theory.Source{jung20Source},
			Assumes:  []string{unitErrors, onePopulation},
		},
		Apply: Jung20,
	},
	{
		Article: theory.Article{
			Name:     "jung20-pure",
			Summary:  "the transfer theorem of Jung et al. for pure privacy and linear queries",
			Formula:  "alpha' = alpha + (e^epsilon - 1) + sqrt(2 ln(1/(beta'-beta))/n)",
			Practice: "For pure privacy and a small target beta', which enters by its logarithm. It needs the number of rows; cvar-pure is never worse.",
			Proof:    theory.Published,
			Sources:  []theory.Source{jung20PureSource},
			Assumes:  []string{onePopulation},
		},
		Apply: Jung20Pure,
	},
	{
		Article: theory.Article{
			Name:     "bassily16",
			Summary:  "the transfer theorem of Bassily et al. for low-sensitivity queries",
			Formula:  "alpha' = alpha + 18 epsilon D, if epsilon < 1/3, delta <= epsilon (beta'-beta), delta < epsilon/4 and n >= ln(4 epsilon/delta)/epsilon^2",
			Practice: "Kept for comparison: its constant is large. It needs the number of rows.",
			Proof:    theory.Published,
			Sources:  []theory.Source{bassily16Source},
			Assumes:  []string{onePopulation},
		},
		Apply: Bassily16,
	},
	{
		Article: theory.Article{
			Name:     "cvar",
			Summary:  "the CVaR transfer theorem, for any privacy",
			Formula:  "alpha' = alpha + beta/beta' + D min(1, (t/2 + (delta/beta')(1-t))/(1-t/2)), t = tanh(epsilon/2)",
			Practice: "The sharpest of these for a delta above zero. The rows need not be identically distributed. Its proof has not been refereed.",
			Proof:    theory.Derived,
			Sources:  []theory.Source{cvarSource},
			Assumes:  []string{unitErrors, independentRows},
		},
		Apply: CVaR,
	},
	{
		Article: theory.Article{
			Name:     "cvar-pure",
			Summary:  "the CVaR transfer theorem for pure privacy",
			Formula:  "alpha' = alpha + beta/beta' + D tanh(epsilon/4) or, for linear queries and a given n, alpha + tanh(epsilon/4) + sqrt(ln(1/(beta'-beta))/(2n)), whichever is less",
			Practice: "The sharpest of these for pure privacy. The number of rows is of use and not needed. Its proof has not been refereed.",
			Proof:    theory.Derived,
			Sources:  []theory.Source{cvarPureSource},
			Assumes:  []string{unitErrors, independentRows},
		},
		Apply: CVaRPure,
	},
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
	var needs *theory.NotApplicableError
	if errors.As(refusal, &needs) && needs.Source.Key != "" {
		out.Sources = []theory.Source{needs.Source}
	}
	return out, err
}
