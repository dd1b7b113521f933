package rule

import (
	"fmt"

	"github.com/dpcalc/dpcalc/holdout/form"
	"github.com/dpcalc/dpcalc/internal/text"
	"github.com/dpcalc/dpcalc/transfer"
)

// PromiseOf returns the promise of a goal.
func PromiseOf(g transfer.Goal) form.Promise {
	return form.Promise{
		Samples: g.Samples, Queries: g.Queries, Tau: g.Tau, Beta: g.Beta, Query: g.Query.String(),
		Feedback: g.Feedback.String(), Passes: g.Passes, Bar: given(g.Bar), Floor: g.Floor, Flags: g.Budget, Hold: g.Hold,
		GuessError: given(g.GuessError), Disagreement: g.Disagreement, AtLeast: g.AtLeast, Variance: g.Variance,
		SecondMoment: g.SecondMoment, Checked: g.Checked, Decided: g.Decided.String(), OneSided: g.OneSided,
	}
}

// GoalOf returns the goal that is promised.
func GoalOf(p form.Promise, sample transfer.Sample) (g transfer.Goal, err error) {
	if g.Query, err = transfer.ParseQuery(p.Query); err != nil {
		return g, err
	}
	g.Samples, g.Queries, g.Tau, g.Beta, g.Budget = p.Samples, p.Queries, p.Tau, p.Beta, p.Flags
	g.Sample = sample
	g.Shown = transfer.Shown{
		Passes: p.Passes, Bar: option(p.Bar), Floor: p.Floor, Hold: p.Hold, GuessError: option(p.GuessError),
		OneSided: p.OneSided,
	}
	g.Known = transfer.Known{
		Disagreement: p.Disagreement, AtLeast: p.AtLeast, Variance: p.Variance, SecondMoment: p.SecondMoment,
		Checked: p.Checked,
	}
	if g.Feedback, err = transfer.ParseFeedback(p.Feedback); err != nil {
		return g, err
	}
	if g.Decided, err = transfer.ParseDecided(p.Decided); err != nil {
		return g, err
	}
	if u := g.Unknown(); u != transfer.None && (p.Test == "" || u != transfer.Tau) {
		return g, fmt.Errorf("got no %s", u)
	}
	return g, g.Validate()
}

func given(o transfer.Option) *float64 {
	if !o.Given {
		return nil
	}
	return &o.Value
}

func option(x *float64) transfer.Option {
	if x == nil {
		return transfer.Option{}
	}
	return transfer.Some(*x)
}

// DecidedBy says whether predictions tell on which rows a candidate differs from the incumbent, and are counted, as a
// check of the disagreement is. Clusters count by shares of such rows.
func DecidedBy(g transfer.Goal, classes []string, sampled bool) transfer.Decided {
	gates := g.Query.IsSigned() && g.Feedback == transfer.Gate
	counted := g.Checked && g.Disagreement > 0
	switch random := sampled || g.Arrival != nil; {
	case !gates || !counted || random:
		return transfer.Undecided
	case len(classes) == 2:
		return transfer.TwoClasses
	}
	return transfer.AnyClasses
}

// DecidedAs checks that a plan has the decided rows that it says.
func (p *Plan) DecidedAs() error {
	d, sampled := p.Goal.Decided, !p.Design().IsIndependent()
	if d == transfer.Undecided || d == DecidedBy(p.Goal, p.Classes, sampled) {
		return nil
	}
	return fmt.Errorf("got the decided rows %s, which its classes and rows do not have", text.Shown(p.Promise.Decided))
}
