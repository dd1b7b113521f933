package open

import (
	"cmp"
	"errors"
	"slices"

	"github.com/dpcalc/dpcalc/holdout/ask"
	"github.com/dpcalc/dpcalc/holdout/data"
	"github.com/dpcalc/dpcalc/holdout/form"
	"github.com/dpcalc/dpcalc/holdout/rule"
	"github.com/dpcalc/dpcalc/internal/num"
	"github.com/dpcalc/dpcalc/metric"
	"github.com/dpcalc/dpcalc/transfer/open"
)

// Response is a response that the next look could have, and its price.
type Response struct {
	rule.Line          // its verdict, response, cell, interval and price
	Spent     float64  // nats, after it
	NextPass  *float64 // the least score that passes a gate after it; nil if none was asked for
	NextUpper *float64 // the upper end after a fail there
	Margin    float64  // of a gate after it, as a status has it
	Power     *float64 // of a pass or a rejection: how probable it is if the guess of the submission is right
	Others    int      // how many further responses a row stands for: its price is the most, its interval holds theirs
}

// mostPriced is how many responses have a row of their own.
const mostPriced = 10

// Price returns the responses that a question could have, each with its price and what would follow. With an effect it
// says how probable a pass or a rejection is.
func Price(h rule.Past, a *rule.Asked, bar, effect *float64) ([]Response, error) {
	list, err := responses(h, a, bar)
	if err == nil && effect != nil {
		err = forecast(h, a, *effect, list)
	}
	return list, err
}

// responses are the responses to a question, with what a gate at the bar will be after each.
func responses(h rule.Past, a *rule.Asked, bar *float64) (list []Response, err error) {
	c, err := CellsOf(h.Account, h.Plan, a.Line, a.Query.Tails)
	if none := (*unanswerable)(nil); errors.As(err, &none) && a.Show == ask.Pass {
		return []Response{impossible(h, c)}, nil
	}
	if err != nil {
		return nil, err
	}
	for _, cell := range c.Responses() {
		r := Response{Line: c.Write(cell)}
		after := h.Account.Copy()
		after.Take(&r.Line)
		r.Spent = after.Spent()
		gate := rule.Line{Line: form.Line{Question: ask.Question{Show: ask.Pass, Bar: bar},
			Request: form.Request{Metric: a.Metric}}}
		if bar != nil && a.Show != ask.Reject {
			gate.Shown = a.Shown
			gate.Conditions = nil
			gate.RefusedAbove = h.Plan.RefusedAbove(gate.Show)
			gate.Differ, gate.Share = a.Query.Differ, a.Query.Share
			next, err := CellsOf(after, h.Plan, gate, TailsOf(h.Plan, gate))
			wrong := (*form.InputError)(nil)
			switch {
			case err == nil:
				_, fail := next.shown(0)
				_, pass := next.shown(1)
				r.NextPass, r.NextUpper = pass.From, fail.Upper
				if next.scale.Less { // what fails is at least that
					r.NextPass, r.NextUpper = pass.Below, fail.Lower
				}
			case !errors.As(err, &wrong):
				return nil, err
			}
		}
		list = append(list, r)
	}
	list = together(list)
	for i := range list {
		after := h.Account.Copy()
		after.Take(&list[i].Line)
		list[i].Margin = Margin(after, h.Plan, h.Samples(), h.Sizes())
	}
	return list, nil
}

// impossible is the pass of a gate that no score can pass, at its price. It has no least score and no interval.
func impossible(h rule.Past, c cells) Response {
	l, bet := c.Line, open.Usual()
	if l.Expect != nil {
		bet = open.Expect(*l.Expect)
	}
	share := bet.Share(h.Account.Looks[l.Show], h.Account.Rare[l.Show], h.Plan.Open.Most+c.LnRest)
	price := -num.Log(share)*(1+1e-15) - c.LnRest
	l.Verdict, l.Price = form.Pass, &price
	return Response{Line: l, Spent: -float64(h.Account.Left.Child(-price))}
}

// together puts the dearest of many responses into one row. The others keep the order of their cells.
func together(list []Response) []Response {
	if len(list) <= mostPriced+1 {
		return list
	}
	order := make([]int, len(list))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(*list[i].Price, *list[j].Price) })
	var own []Response
	for _, i := range slices.Sorted(slices.Values(order[:mostPriced])) {
		own = append(own, list[i])
	}
	rest := list[order[len(order)-1]]
	rest.Others, rest.Response, rest.From, rest.Below = len(list)-mostPriced-1, nil, nil, nil
	for _, i := range order[mostPriced:] {
		r := list[i]
		rest.Lower, rest.Upper = rule.Outer(rest.Lower, r.Lower, -1), rule.Outer(rest.Upper, r.Upper, 1)
		rest.NextPass, rest.NextUpper = rule.Outer(rest.NextPass, r.NextPass, 1), rule.Outer(rest.NextUpper, r.NextUpper, 1)
	}
	return append(own, rest)
}

// CheckPriced checks that a submission has the predictions that its price depends on.
func CheckPriced(p *rule.Plan, s rule.Submission) error {
	kind, _ := metric.Of(cmp.Or(s.Metric, p.Metric))
	switch column := data.IsColumn(cmp.Or(s.Metric, p.Metric)); {
	case s.Values != nil:
		return nil
	case p.Compares() && s.Show != ask.Reject && !column:
		return form.Inputf("price: got no predictions, want them: the price of a difference depends on the share that differs")
	case kind.Class && kind.Reads == metric.Text:
		return form.Inputf("price: got no predictions, want them: the price of %s depends on the rows predicted positive", kind.Name)
	case p.Binned(kind.Name):
		return form.Inputf("price: got no predictions, want them: the price of %s depends on the probabilities", kind.Name)
	}
	return nil
}
