package theorem

import (
	"cmp"
	"math"

	"github.com/dpcalc/dpcalc/internal/num"
	"github.com/dpcalc/dpcalc/theory"
)

// Sampled states what a mechanism was shown to do on the sample, and its privacy:
// P[max_j |a_j - E_S[f_j]| >= Alpha] <= Beta and (Epsilon, delta)-differential
// privacy of the whole transcript.
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

// Population is what a transfer theorem concludes:
// P[max_j |a_j - P[f_j]| >= Alpha] <= Beta.
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

func (c Class) validate() error {
	usual := c.Spread >= 1e-100 && c.Spread <= 2e100
	if err := theory.Domain(c.Spread == 0 || usual, "spread", c.Spread, "a number in [1e-100, 2e100]"); err != nil {
		return err
	}
	whole := c.Samples >= 0 && c.Samples <= theory.MaxSamples
	return theory.Domain(whole, "samples", c.Samples, "a whole number from 1 to 9007199254740992")
}

func (c Class) isLinear() bool { return c.Spread == 0 }

// spread is how far two values of a query can lie apart: an accuracy that is not below it says nothing.
func (c Class) spread() float64 {
	if c.isLinear() {
		return 1
	}
	return c.Spread
}

// Jung20 returns the transfer theorem of Jung et al. For every c, d > 0 the answers
// are (alpha', beta')-accurate on the population with
//
//	alpha' = alpha + (e^epsilon - 1) + c + 2d,             beta' = beta/c + delta/d      (linear queries)
//	alpha' = alpha + c + D (e^epsilon - 1 + 4d),           the same beta'                (D/n-sensitive queries)
//
// and 2D for D in minimisation. It returns alpha' at beta' = target with the best c
// and d, alpha + D(e^epsilon - 1) + (sqrt beta + sqrt(w delta))^2/target with w =
// 2 for linear queries and 4D otherwise, rounded up. Values and answers lie in an
// interval of length one. Errors: DomainError. Source: jung20.
func Jung20(s Sampled, class Class, target theory.LogProb) (theory.Bound[Population], error) {
	if err := validTransfer(s, class, target); err != nil {
		return theory.Bound[Population]{}, err
	}
	d, w := class.spread(), 2.0
	if !class.isLinear() {
		w = 4 * d
	}
	root := num.Exp((s.Beta.Ln()-target.Ln())/2) + num.Exp((num.Log(w)+s.LnDelta.Ln()-target.Ln())/2)
	alpha := s.Alpha + d*math.Expm1(s.Epsilon) + root*root
	return concluded(alpha, target, []theory.Source{jung20Source}, unitErrors, onePopulation)
}

// Jung20Pure returns the transfer theorem for pure privacy and linear queries: for
// every eta > 0, alpha' = alpha + (e^epsilon - 1) + sqrt(2 ln(1/eta)/n) and beta' =
// beta + eta. It returns alpha' at beta' = target, rounded up. Errors: DomainError;
// NotApplicableError if delta > 0, if the queries are not linear, if n is not
// given, or if target <= beta.
// Source: jung20, as stated in the lecture notes.
func Jung20Pure(s Sampled, class Class, target theory.LogProb) (theory.Bound[Population], error) {
	if err := validTransfer(s, class, target); err != nil {
		return theory.Bound[Population]{}, err
	}
	source := jung20PureSource
	for _, h := range []struct {
		ok    bool
		needs string
	}{
		{s.LnDelta == theory.Zero, "pure privacy, delta = 0"},
		{class.isLinear(), "linear queries"},
		{class.Samples > 0, "the number of rows"},
		{s.Beta < target, "a target beta above the sample's beta"},
	} {
		if !h.ok {
			return theory.Bound[Population]{}, &theory.NotApplicableError{Source: source, Needs: h.needs}
		}
	}
	// ln(1/eta), eta = target - beta rounded down
	rest := -math.Expm1(s.Beta.Ln()-target.Ln()) * (1 - 0x1p-50)
	if !(rest > 0) {
		return theory.Bound[Population]{}, &theory.NotApplicableError{Source: source, Needs: "a target beta above the sample's beta"}
	}
	alpha := s.Alpha + math.Expm1(s.Epsilon) + math.Sqrt(2*(-target.Ln()-num.Log(rest))/float64(class.Samples))
	return concluded(alpha, target, []theory.Source{source}, onePopulation)
}

// Bassily16 returns the transfer theorem of Bassily et al. for the query that an
// (epsilon, delta)-private algorithm selects, epsilon in (0,1/3), delta in
// (0,epsilon/4) and n >= ln(4 epsilon/delta)/epsilon^2:
//
//	P[|q(P) - q(S)| >= 18 epsilon D] < delta/epsilon.
//
// The worst of the answered queries is such a selection. It returns alpha + 18
// epsilon D at beta' = beta + delta'/epsilon, where delta' >= delta is as large as
// target allows, since that eases the demand on n. Errors: DomainError, and
// NotApplicableError naming the hypothesis that fails. Source: bassily16.
func Bassily16(s Sampled, class Class, target theory.LogProb) (theory.Bound[Population], error) {
	if err := validTransfer(s, class, target); err != nil {
		return theory.Bound[Population]{}, err
	}
	source := bassily16Source
	fail := func(needs string) (theory.Bound[Population], error) {
		return theory.Bound[Population]{}, &theory.NotApplicableError{Source: source, Needs: needs}
	}
	if !(s.Epsilon > 0 && s.Epsilon < 1./3) {
		return fail("epsilon in (0, 1/3)")
	}
	if class.Samples == 0 {
		return fail("the number of rows")
	}
	if !(s.Beta < target) {
		return fail("a target beta above the sample's beta")
	}
	// ln(delta'/epsilon): what target leaves after beta, and below 1/4.
	lnRatio := math.Min(target.Ln()+num.Log(-math.Expm1(s.Beta.Ln()-target.Ln())), num.Log(0.2499))
	if !(s.LnDelta.Ln() <= num.Log(s.Epsilon)+lnRatio) {
		return fail("delta at most epsilon (target - beta), and below epsilon/4")
	}
	if !(float64(class.Samples) >= (num.Log(4)-lnRatio)/(s.Epsilon*s.Epsilon)*(1+0x1p-40)) {
		return fail("n of at least ln(4 epsilon/delta)/epsilon^2")
	}
	alpha := s.Alpha + 18*s.Epsilon*class.spread()
	return concluded(alpha, target, []theory.Source{source}, onePopulation)
}

func validTransfer(s Sampled, class Class, target theory.LogProb) error {
	if err := s.Validate(); err != nil {
		return err
	}
	if err := class.validate(); err != nil {
		return err
	}
	return theory.Domain(target.IsInterior(), "target-beta", target, "a probability in (0, 1)")
}

// up rounds the result of some float64 operations to the safe side.
func up(x float64) float64 { return x * (1 + 0x1p-40) }

func concluded(alpha float64, target theory.LogProb, sources []theory.Source,
	assumes ...string) (theory.Bound[Population], error) {
	alpha = up(alpha)
	if !(alpha <= math.MaxFloat64) {
		return theory.Bound[Population]{}, &theory.NoAnswerError{Reason: "alpha is beyond the range of float64"}
	}
	return theory.Bound[Population]{Value: Population{alpha, target}, Sources: sources, Assumes: assumes}, nil
}
