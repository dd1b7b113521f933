package theory

import (
	"cmp"
	"slices"
)

// Steps is what [CompositionMethods] compose: private steps on the same data, all alike, each
// chosen in view of the answers before it.
type Steps struct {
	Each  Approx  // the privacy of each step; of no account if Mu is given
	Mu    float64 // the GDP of each step, > 0; 0 if they are (epsilon, delta)-private
	Times int64   // k >= 1
	Total LogProb // the delta of the whole, in (0, 1); 0 if none is given
}

// Validate reports a DomainError for the first field outside its domain.
func (s Steps) Validate() error {
	total := Domain(s.Total == 0 || s.Total.IsInterior(), "target-delta", s.Total, "a probability in (0, 1)")
	if s.Mu != 0 {
		return cmp.Or(s.gdp().Validate(), count("times", s.Times), total)
	}
	return cmp.Or(s.approx().Validate(), total)
}

func (s Steps) approx() Composition { return Composition{Each: s.Each, Times: s.Times} }

func (s Steps) gdp() GDP { return GDP{Mu: s.Mu} }

// CompositionMethod is a way to add up the privacy of several steps.
type CompositionMethod struct {
	Article

	total    bool                                 // whether it needs the delta of the whole
	private  func(s Steps) (Bound[Approx], error) // for (epsilon, delta)-private steps; nil if there is none
	gaussian func(s Steps) (Bound[Approx], error) // for GDP steps; nil if there is none
}

// CompositionMethods lists the methods in printing order.
func CompositionMethods() []CompositionMethod { return slices.Clone(compositionMethods) }

const adaptiveSteps = "every step is private whatever the answers before it were"

var compositionMethods = []CompositionMethod{
	{
		Article: Article{
			Name:     "basic",
			Summary:  "the epsilons and the deltas add up",
			Formula:  "(k epsilon, k delta)",
			Practice: "For a few steps, or where every reader must be able to follow. It takes no delta of the whole.",
			Proof:    Published,
			Sources:  []Source{{"dwork14book", "Theorem 3.16"}},
			Assumes:  []string{adaptiveSteps},
		},
		private: func(s Steps) (Bound[Approx], error) { return s.approx().Basic() },
	},
	{
		Article: Article{
			Name:     "advanced",
			Summary:  "the square root of the number of steps, for some delta",
			Formula:  "epsilon sqrt(2 k ln(1/d')) + k epsilon tanh(epsilon/2) at the delta k delta + d'",
			Practice: "The bound that is cited most, with a sharper linear term. It is for comparison: optimal is never worse.",
			Proof:    Published,
			Sources:  []Source{{"dwork10boosting", "Theorem III.3"}, {"kairouz17", "Theorem 3.4"}},
			Assumes:  []string{adaptiveSteps},
		},
		total:   true,
		private: func(s Steps) (Bound[Approx], error) { return s.approx().Advanced(s.Total) },
	},
	{
		Article: Article{
			Name:     "optimal",
			Summary:  "the exact privacy of the worst steps",
			Formula:  "the least E with 1 - (1-delta)^k (1 - H(E)) <= the delta of the whole, H(E) = sum over l with (k-2l) epsilon > E of C(k,l) (e^((k-l) epsilon) - e^(E + l epsilon))/(1+e^epsilon)^k",
			Practice: "No smaller epsilon is true of all steps with this epsilon and delta, so it is the one to use. It takes up to 10,000,000 steps.",
			Proof:    Published,
			Sources:  []Source{optimalComposition},
			Assumes:  []string{adaptiveSteps},
		},
		total:   true,
		private: func(s Steps) (Bound[Approx], error) { return s.approx().Optimal(s.Total) },
	},
	{
		Article: Article{
			Name:     "zcdp",
			Summary:  "pure or Gaussian steps through zero-concentrated privacy",
			Formula:  "(rho + 2 sqrt(rho ln(1/delta)), delta), rho = k epsilon tanh(epsilon/2) for pure steps and k mu^2/2 for GDP",
			Practice: "A closed form for any number of steps, and for steps of different privacy: their rhos add up. For Gaussian steps gdp is exact.",
			Proof:    Published,
			Sources: []Source{
				{"bun16", "Proposition 3.3, the last step of its proof sharpened"}, {"dong22", "Corollary B.6"},
				{"bun16", "Lemma 1.7"}, {"bun16", "Proposition 1.3"},
			},
			Assumes: []string{adaptiveSteps},
		},
		total:    true,
		private:  Steps.pureByZCDP,
		gaussian: func(s Steps) (Bound[Approx], error) { return s.byZCDP(s.gdp().ZCDP()) },
	},
	{
		Article: Article{
			Name:     "gdp",
			Summary:  "Gaussian steps, exactly",
			Formula:  "mu sqrt(k), and the least epsilon with Phi(M/2 - epsilon/M) - e^epsilon Phi(-M/2 - epsilon/M) <= the delta of the whole, M = mu sqrt(k)",
			Practice: "For answers with Gaussian noise, whose mu is their sensitivity over its standard deviation.",
			Proof:    Published,
			Sources:  slices.Concat([]Source{{"dong22", "Corollary 3.3"}}, gaussianProfile),
			Assumes:  []string{adaptiveSteps},
		},
		total:    true,
		gaussian: Steps.byGDP,
	},
}

// Compose applies the method. The outcome is NotApplicable where the method is for other
// steps, or needs the delta of the whole and there is none, and Vacuous where the delta is one. It
// reports the DomainError of [Steps.Validate].
func (m CompositionMethod) Compose(s Steps) (Outcome[Approx], error) {
	if err := s.Validate(); err != nil {
		return Outcome[Approx]{}, err
	}
	bound, err := m.bound(s)
	vacuous := ""
	if bound.Value.LnDelta == 0 {
		vacuous = "delta is 1"
	}
	return OutcomeOf(bound, err, vacuous)
}

func (m CompositionMethod) bound(s Steps) (Bound[Approx], error) {
	compose, needs := m.private, "the mu of each step"
	if s.Mu != 0 {
		compose, needs = m.gaussian, "the epsilon of each step"
	}
	switch {
	case compose == nil:
		return Bound[Approx]{}, &NotApplicableError{Needs: needs}
	case m.total && s.Total == 0:
		return Bound[Approx]{}, &NotApplicableError{Needs: "the delta of the whole"}
	}
	return compose(s)
}

func (s Steps) pureByZCDP() (Bound[Approx], error) {
	switch {
	case s.Each.LnDelta != Zero:
		return Bound[Approx]{}, &NotApplicableError{Needs: "pure privacy, delta = 0"}
	case s.Each.Epsilon == 0:
		return Bound[Approx]{}, &NotApplicableError{Needs: "an epsilon above 0"}
	}
	return s.byZCDP(Pure{Epsilon: s.Each.Epsilon}.ZCDP())
}

// byZCDP composes steps by the zCDP of each.
func (s Steps) byZCDP(step Bound[ZCDP], err error) (Bound[Approx], error) {
	if err != nil {
		return Bound[Approx]{}, err
	}
	whole, err := step.Value.Repeat(s.Times)
	if err != nil {
		return Bound[Approx]{}, err
	}
	bound, err := whole.Value.Approx(s.Total)
	bound.Sources = slices.Concat(step.Sources, whole.Sources, bound.Sources)
	return bound, err
}

func (s Steps) byGDP() (Bound[Approx], error) {
	whole, err := s.gdp().Repeat(s.Times)
	if err != nil {
		return Bound[Approx]{}, err
	}
	bound, err := whole.Value.Approx(s.Total)
	bound.Sources = slices.Concat(whole.Sources, bound.Sources)
	return bound, err
}
