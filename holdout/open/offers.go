package open

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/dpcalc/dpcalc/holdout/ask"
	"github.com/dpcalc/dpcalc/holdout/form"
	"github.com/dpcalc/dpcalc/holdout/rule"
	"github.com/dpcalc/dpcalc/internal/each"
	"github.com/dpcalc/dpcalc/internal/text"
	"github.com/dpcalc/dpcalc/metric"
)

// offer is what teams may ask of an open ledger: one kind of look, with the values that its flags may have. Where a
// flag has none the look leaves it out, but for a guess and for where a score is expected, which are free.
type offer struct {
	show   string
	values map[string][]string // by flag, in canonical form
}

// offered are the parameters of which an offer of a kind may declare values, and those that it must.
func offered(kind string) (params []ask.Param, needed []string) {
	rule := openRules[kind]
	params = slices.DeleteFunc(rule.Params(), func(p ask.Param) bool { return p.Free || p.Owner || p.Name == "show" })
	for _, p := range params {
		if slices.Contains(rule.Needs, p.Name) {
			needed = append(needed, p.Name)
		}
	}
	return params, needed
}

// parseOffer reads KIND:KEY=VALUE,KEY=VALUE,...
func parseOffer(said string, in ask.Ends) (o offer, err error) {
	kind, rest, given := strings.Cut(said, ":")
	o = offer{show: kind, values: make(map[string][]string)}
	if !slices.Contains(ask.Kinds(), kind) {
		return o, form.Inputf("ask: got %s, want %s", text.Shown(said), text.OrList(ask.Kinds()))
	}
	if given && rest == "" {
		return o, form.Inputf("ask: got %s, want KEY=VALUE,... after the colon, or no colon", text.Shown(said))
	}
	params, needs := offered(kind)
	for _, item := range strings.Split(rest, ",") {
		if rest == "" {
			break
		}
		key, value, ok := strings.Cut(item, "=")
		param, known := each.First(params, func(p ask.Param) bool { return p.Name == key })
		if !ok || !known {
			names := each.Of(params, func(p ask.Param) string { return p.Name })
			return o, form.Inputf("ask: got %s for %s, want %s with a value", text.Shown(item), kind, text.OrList(names))
		}
		var q ask.Question
		if err := param.Set(&q, value); err != nil {
			return o, form.Inputf("ask: got %s, want a number", text.Shown(item))
		}
		o.values[key] = append(o.values[key], param.Texts(q)...)
	}
	for _, needed := range needs {
		if o.values[needed] == nil {
			return o, form.Inputf("ask: got %s without a %s, want the ones that may be asked", kind, needed)
		}
	}
	return o, o.checked(in)
}

// looks are the first value of every flag, and each value with the first of the others.
func (o offer) looks(guess float64) (list []ask.Question) {
	first := ask.Question{Show: o.show}
	if o.show == ask.Guess {
		first.Guess = &guess
	}
	for name, values := range o.values {
		put(&first, name, values[0])
	}
	list = append(list, first)
	for name, values := range o.values {
		for _, value := range values[1:] {
			s := first
			put(&s, name, value)
			list = append(list, s)
		}
	}
	return list
}

// checked checks each value by itself.
func (o offer) checked(in ask.Ends) error {
	for _, s := range o.looks(in.Lowest) {
		if err := checkOpen(s, in); err != nil {
			return form.InAll("ask", err)
		}
	}
	return nil
}

// affordable refuses an offer of which no team could pay for the first look. The cells of a score depend on its rows,
// and the cells of a difference on the candidate, so that some look at them may be cheap.
func affordable(p *rule.Plan, o offer) error {
	varies := p.Compares() || o.values["where"] != nil || slices.Contains(p.Metrics, metric.Precision)
	alike, most := []string{ask.Pass, ask.Reject}, p.Open.MostPerTeam
	if most == 0 || varies && !slices.Contains(alike, o.show) {
		return nil
	}
	a, least, in := rule.NewAccount(), math.Inf(1), p.Ends()
	for _, name := range p.Served() {
		for _, s := range o.looks((in.Lowest + in.Highest) / 2) {
			l := rule.Line{Line: form.Line{Question: s, Request: form.Request{Metric: name}}}
			l.Rows, l.RefusedAbove = p.Promise.Samples, p.RefusedAbove(o.show)
			tails, _ := planned(p, l, l.Rows, p.Design().Sizes())
			c, err := CellsOf(a, p, l, tails)
			if err != nil { // it says why when it is asked
				return nil
			}
			least = min(least, c.dearest())
		}
	}
	if least <= most {
		return nil
	}
	return form.Inputf("ask: got %s, of which a first look may cost %v nats, and --most-per-team %v, want at least that or coarser steps",
		o.show, math.Ceil(least*1e3)/1e3, most)
}

// put sets a parameter to a value that was read before.
func put(q *ask.Question, name, value string) {
	if param, ok := ask.Lookup(name); ok {
		_ = param.Set(q, value)
	}
}

// takes reports whether a question is one of the offer. A parameter with one value may be left out, and is filled in.
func (o offer) takes(q *ask.Question) bool {
	if q.Show != o.show {
		return false
	}
	filled := *q
	for _, param := range ask.Params() {
		if param.Free || param.Name == "show" {
			continue
		}
		values := o.values[param.Name]
		if param.Texts(filled) == nil && len(values) == 1 {
			put(&filled, param.Name, values[0])
		}
		declared := len(values) == 0
		if got := param.Texts(filled); got != nil {
			declared = slices.Contains(values, got[0])
		}
		if !declared {
			return false
		}
	}
	*q = filled
	return true
}

// Offered checks that teams may ask a question of an open ledger, and fills in the flags that have one value. The error
// is a [form.InputError].
func Offered(p *rule.Plan, q *ask.Question) error {
	if q.Show == "" && len(p.Open.Ask) == 1 {
		q.Show, _, _ = strings.Cut(p.Open.Ask[0], ":")
	}
	for _, text := range p.Open.Ask {
		if o, err := parseOffer(text, p.Ends()); err == nil && o.takes(q) {
			return nil
		}
	}
	return form.Inputf("show: got a look that was not declared, want one of %s", strings.Join(p.Open.Ask, " or "))
}

// Allow refuses a candidate that is the incumbent, and a look of a team that could cost more than what is left to the
// team. It depends on no response.
func (Rule) Allow(h rule.Past, a *rule.Asked) error {
	if err := a.Query.Differs(); err != nil {
		return err
	}
	law := h.Plan.Open
	if law.MostPerTeam == 0 || a.Team == "" {
		return nil
	}
	c, err := CellsOf(h.Account, h.Plan, a.Line, a.Query.Tails)
	if err != nil {
		return err
	}
	dearest, left := c.dearest(), law.MostPerTeam
	for _, l := range h.Lines {
		if l.Team == a.Team && l.Price != nil {
			left -= *l.Price
		}
	}
	if dearest > left {
		return &form.RefusedError{Reason: fmt.Sprintf("a response of this look may cost %s nats, and %s are left to the team",
			text.Up(dearest), text.Down(max(left, 0)))}
	}
	return nil
}

// CheckOffers checks what teams may ask: that they can pay for it, and that rows have each value of a feature.
func CheckOffers(p *rule.Plan, has func(where string) error) error {
	for _, text := range p.Open.Ask {
		o, err := parseOffer(text, p.Ends())
		if err == nil {
			err = affordable(p, o)
		}
		if err != nil {
			return err
		}
		for _, where := range o.values["where"] {
			if err := has(where); err != nil {
				return form.InAll("ask", err)
			}
		}
	}
	return nil
}
