package maxinfo

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/dpcalc/dpcalc/internal/each"
	"github.com/dpcalc/dpcalc/internal/num"
	"github.com/dpcalc/dpcalc/theory"
)

// Data is the knowledge about the law of the records.
type Data int

const (
	AnyData     Data = iota // any joint law of the records
	ProductData             // the records are independent
)

func (d Data) String() string {
	if d == ProductData {
		return "product"
	}
	return "any"
}

// Plan is what an analyst learned from one sample: the steps in order of use, each
// chosen in view of the answers of those before it.
type Plan struct {
	Samples int64 // n, from 1 to 2^53; 0 if no step's bound depends on it
	Data    Data
	Steps   []Step
}

// Chain is a plan in the form in which its bounds add up: a first step, for which
// there may be several theorems, and later ones, whose bounds hold for every law of
// the data.
type Chain struct {
	Methods []Method // for the first step, in printing order
	Later   Later
}

// Method is one theorem's account of the first step.
type Method struct {
	Name    string
	Proof   theory.Proof
	Sources []theory.Source
	Assumes []string
	Limit   Limit                      // nil if the theorem does not apply
	Needs   *theory.NotApplicableError // then what it needs
}

// Later is what the later steps add: P[E] <= e^Nats P'[E] + Slack, P' being the law
// with their answers drawn independently of the sample, and one more answer out of
// e^Outcomes possible ones.
type Later struct {
	Nats     theory.Nats
	Slack    theory.LogProb
	Outcomes theory.Nats
}

// OrderError reports steps in an order for which no theorem adds up their bounds of max-information.
// After an answer has been seen, the records are no longer independent given it. A
// bound that needs independent records, or that is known for this sample's law alone,
// may therefore stand first only.
type OrderError struct {
	Step  int    // from 1
	Named Step   // the step that may stand first only
	Valid []Step // an order in which the bounds add up, nil if there is none
}

func (e *OrderError) Error() string {
	text := fmt.Sprintf("step %d, %s: after another answer the rows are no longer independent, and its bound may stand first only", e.Step, e.Named)
	if e.Valid == nil {
		return text + "; no order of these steps is valid"
	}
	names := each.Of(e.Valid, Step.String)
	return text + "; valid order: " + strings.Join(names, ", then ")
}

// Validate returns a DomainError for the first value outside its domain and an
// [*OrderError] for an order without a theorem.
func (p Plan) Validate() error {
	if err := p.domain(); err != nil {
		return err
	}
	for i, s := range p.Steps[p.first():] {
		if !holdsEverywhere(s) {
			return &OrderError{Step: p.first() + i + 1, Named: s, Valid: p.reordered()}
		}
	}
	return nil
}

// domain returns a DomainError for the first value outside its domain.
func (p Plan) domain() error {
	if err := theory.Domain(len(p.Steps) > 0, "steps", len(p.Steps), "one or more"); err != nil {
		return err
	}
	if err := theory.Domain(p.Data == AnyData || p.Data == ProductData, "data", int(p.Data),
		"product or any"); err != nil {
		return err
	}
	for _, s := range p.Steps {
		if err := theory.Domain(s != nil, "steps", s, "steps of the types of this package"); err != nil {
			return err
		}
		if err := s.Validate(); err != nil {
			return err
		}
	}
	if slices.ContainsFunc(p.Steps, isPrivate) || p.Samples != 0 {
		if err := theory.Domain(p.Samples >= 1 && p.Samples <= 1<<53, "samples", p.Samples,
			"a whole number from 1 to 9007199254740992"); err != nil {
			return err
		}
	}
	return spokenOf(p.Steps[0])
}

// spokenOf refuses a step that no theorem speaks about by itself.
func spokenOf(s Step) error {
	return theory.Domain(isPrivate(s) || s.roles().first != nil, "steps", s, "a first step that a theorem speaks about")
}

// first returns how many steps make up the first one: private steps at the beginning
// compose into one.
func (p Plan) first() int {
	n := 0
	for n < len(p.Steps) && isPrivate(p.Steps[n]) {
		n++
	}
	return max(n, 1)
}

// reordered returns the steps in a valid order, nil if there is none.
func (p Plan) reordered() []Step {
	rank := func(s Step) int {
		switch {
		case !isPrivate(s) && !holdsEverywhere(s):
			return 0
		case isPrivate(s):
			return 1
		}
		return 2
	}
	p.Steps = slices.Clone(p.Steps)
	slices.SortStableFunc(p.Steps, func(a, b Step) int { return rank(a) - rank(b) })
	for _, s := range p.Steps[p.first():] {
		if !holdsEverywhere(s) {
			return nil
		}
	}
	return p.Steps
}

// Chain returns the bounds of a valid plan.
func (p Plan) Chain() (Chain, error) {
	if err := p.Validate(); err != nil {
		return Chain{}, err
	}
	n := p.first()
	c := Chain{Later: p.later(p.Steps[n:])}
	if first := p.Steps[0].roles().first; first != nil {
		c.Methods = first(&c.Later)
	} else {
		var err error
		if c.Methods, err = p.privacy(p.Steps[:n]); err != nil {
			return Chain{}, err
		}
	}
	assume(c.Methods, p.Steps)
	if total := c.Later.Nats + c.Later.Outcomes; !(total <= math.MaxFloat64) {
		return Chain{}, &theory.NoAnswerError{Reason: "the bounds of the steps exceed what a number can hold"}
	}
	return c, nil
}

// later adds the bounds of steps that hold for every law of the data.
func (p Plan) later(steps []Step) Later {
	l := Later{Slack: theory.Zero}
	for _, s := range steps {
		s.roles().later(&l, p.Samples)
	}
	l.Nats *= up
	l.Outcomes *= up
	return l
}

// MaxInformation returns an upper bound of I_inf^b of the whole chain by one of its
// methods. The bounds add up, and so do the slacks: on a part of P whose complement
// has probability at most b the ratios of P to Q multiply. It reports NotApplicable
// where the method gives nothing at the slack b.
func (c Chain) MaxInformation(m Method, slack theory.LogProb) (theory.Nats, error) {
	if m.Limit == nil {
		return 0, m.Needs
	}
	if err := theory.Domain(slack < 0, "slack", slack, "a probability in [0, 1)"); err != nil {
		return 0, err
	}
	later := c.Later
	total := func(k theory.Nats, err error) (theory.Nats, error) {
		if err != nil {
			return 0, err
		}
		return finite(float64(k + later.Nats))
	}
	if r, ok := m.Limit.(Ratio); ok && later.Outcomes == 0 {
		// Slacks are equal up to the digits that their logarithms have.
		if least := sumUp(later.Slack, r.Slack); slack < least && !(least.Ln()-slack.Ln() <= (1-least.Ln())*0x1p-48) {
			return 0, &theory.NotApplicableError{Needs: "a slack of at least " + least.String()}
		}
		return total(r.Nats, nil)
	}
	if later.Slack == theory.Zero && later.Outcomes == 0 {
		return total(m.Limit.MaxInformation(slack))
	}
	if !(slack > later.Slack) {
		return 0, &theory.NotApplicableError{Needs: "a slack above " + later.Slack.String()}
	}
	rest := without(slack, later.Slack)
	if later.Outcomes == 0 {
		return total(m.Limit.MaxInformation(rest))
	}
	// The slack is shared between the first step and the answers out of a range.
	split := func(first, ranged theory.LogProb) (theory.Nats, error) {
		k, err := m.Limit.MaxInformation(first)
		if err != nil {
			return 0, err
		}
		r, err := Range{later.Outcomes}.MaxInformation(ranged)
		return k + r, err
	}
	if r, ok := m.Limit.(Ratio); ok {
		if !(rest > r.Slack) {
			return 0, &theory.NotApplicableError{Needs: "a slack above " + sumUp(later.Slack, r.Slack).String()}
		}
		return total(split(r.Slack, without(rest, r.Slack)))
	}
	var refused error
	_, least := num.Interval{Lo: -60, Hi: 60}.MinimizeScanned(61, 1e-5, func(v float64) float64 {
		share := func(v float64) theory.LogProb { // of rest/(1 + e^(-v))
			return rest - theory.LogProb(math.Log1p(num.Exp(-v))*(1+0x1p-48)) + rest*0x1p-50
		}
		k, err := split(share(v), share(-v))
		if err != nil {
			refused = err
			return math.Inf(1)
		}
		return float64(k)
	})
	if math.IsInf(least, 1) {
		return 0, refused
	}
	return total(theory.Nats(least), nil)
}

// pureAny returns n epsilon, rounded up.
func pureAny(n int64, epsilon float64) theory.Nats {
	return theory.Nats(float64(n) * epsilon * up)
}
