package holdout

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/dpcalc/dpcalc/internal/text"
	"github.com/dpcalc/dpcalc/metric"
)

// offer is what teams may ask of an open ledger: one kind of look, with the values that its flags may have. Where a
// flag has none the look leaves it out, but for a guess and for where a score is expected, which are free.
type offer struct {
	show   string
	values map[string][]string // by flag, in canonical form
}

// offerFlags are the flags that an offer may have by kind.
var offerFlags = map[string][]string{
	ShowPass:   {"bar", "where", "expect"},
	ShowBest:   {"step", "where", "expect"},
	ShowScore:  {"step", "where"},
	ShowGuess:  {"within", "step", "where", "expect"},
	ShowReject: {"test", "where", "expect"},
}

// parseOffer reads KIND:KEY=VALUE,KEY=VALUE,...
func parseOffer(text string, in between) (o offer, err error) {
	kind, rest, given := strings.Cut(text, ":")
	o = offer{show: kind, values: make(map[string][]string)}
	flags, ok := offerFlags[kind]
	if !ok {
		return o, inputf("ask: got %s, want %s", shown(text), strings.Join(Kinds(), ", "))
	}
	if given && rest == "" {
		return o, inputf("ask: got %s, want KEY=VALUE,... after the colon, or no colon", shown(text))
	}
	for _, item := range strings.Split(rest, ",") {
		if rest == "" {
			break
		}
		key, value, ok := strings.Cut(item, "=")
		if !ok || !slices.Contains(flags, key) {
			return o, inputf("ask: got %s for %s, want %s with a value", shown(item), kind, strings.Join(flags, ", "))
		}
		if key != "where" && key != "test" {
			x, ok := decimal(value)
			if !ok {
				return o, inputf("ask: got %s, want a number", shown(item))
			}
			value = printed(&x)
		}
		o.values[key] = append(o.values[key], value)
	}
	for _, needed := range []string{"bar", "test"} {
		if slices.Contains(flags, needed) && o.values[needed] == nil {
			return o, inputf("ask: got %s without a %s, want the ones that may be asked", kind, needed)
		}
	}
	return o, o.checked(in)
}

// looks are the first value of every flag, and each value with the first of the others.
func (o offer) looks(guess float64) (list []Submission) {
	first := Submission{Question: Question{Show: o.show}}
	if o.show == ShowGuess {
		first.Guess = &guess
	}
	for flag, values := range o.values {
		first.set(flag, values[0])
	}
	list = append(list, first)
	for flag, values := range o.values {
		for _, value := range values[1:] {
			s := first
			s.set(flag, value)
			list = append(list, s)
		}
	}
	return list
}

// checked checks each value by itself.
func (o offer) checked(in between) error {
	for _, s := range o.looks(in.lowest) {
		if err := s.Question.checked(s.Bar, s.Guess, in); err != nil {
			return inAll("ask", err)
		}
	}
	return nil
}

// affordable refuses an offer of which no team could pay for the first look. The cells of a score depend on its rows,
// and those of a difference on the candidate, so that some look at them may be cheap.
func (p *Plan) affordable(o offer) error {
	varies := p.Incumbent != nil || o.values["where"] != nil || slices.Contains(p.Metrics, metric.Precision)
	alike, most := []string{ShowPass, ShowReject}, p.Open.MostPerTeam
	if most == 0 || varies && !slices.Contains(alike, o.show) {
		return nil
	}
	a, least, in := newAccount(), math.Inf(1), p.ends()
	for _, name := range p.Served() {
		for _, s := range o.looks((in.lowest + in.highest) / 2) {
			l := Line{Metric: name, Bar: s.Bar, Guess: s.Guess, Question: s.Question}
			l.Rows, l.Kept = p.Promise.Samples, p.kept(o.show)
			tails, _ := p.planned(l, l.Rows, p.sizes())
			c, err := a.ask(p, l, tails)
			if err != nil { // it says why when it is asked
				return nil
			}
			least = min(least, c.dearest())
		}
	}
	if least <= most {
		return nil
	}
	return inputf("ask: got %s, of which a first look may cost %v nats, and --most-per-team %v, want at least that or coarser steps",
		o.show, math.Ceil(least*1e3)/1e3, most)
}

// Flag returns the place of what a flag says of a look: a *string, a **float64, or nil for a flag that no look takes.
func (s *Submission) Flag(name string) any {
	return map[string]any{"metric": &s.Metric, "show": &s.Show, "test": &s.Test, "where": &s.Where, "bar": &s.Bar, "guess": &s.Guess,
		"near": &s.Near, "within": &s.Within, "step": &s.Step, "expect": &s.Expect}[name]
}

// set sets a flag of the question. Numbers were read before.
func (s *Submission) set(flag, value string) {
	switch to := s.Flag(flag).(type) {
	case *string:
		*to = value
	case **float64:
		x, _ := strconv.ParseFloat(value, 64)
		*to = &x
	}
}

// of returns a flag of a question, "" if it was not given.
func (s *Submission) of(flag string) string {
	if text, ok := s.Flag(flag).(*string); ok {
		return *text
	}
	return printed(*s.Flag(flag).(**float64))
}

// takes reports whether a question is one of the offer. A flag with one value may be left out, and is filled in.
func (o offer) takes(s *Submission) bool {
	if s.Show != o.show {
		return false
	}
	filled := *s
	for _, flag := range offerFlags[o.show] {
		values := o.values[flag]
		if filled.of(flag) == "" && len(values) == 1 {
			filled.set(flag, values[0])
		}
		declared := len(values) == 0
		if got := filled.of(flag); got != "" {
			declared = slices.Contains(values, got)
		}
		if !declared {
			return false
		}
	}
	*s = filled
	return true
}

// Offered checks that teams may ask a question of an open ledger, and fills in the flags that have one value. The error
// is an [InputError].
func (p *Plan) Offered(s *Submission) error {
	if len(s.All) > 0 {
		return inputf("all: got conditions, want none: they are for whoever made the ledger")
	}
	if s.Show == "" && len(p.Open.Ask) == 1 {
		s.Show, _, _ = strings.Cut(p.Open.Ask[0], ":")
	}
	for _, text := range p.Open.Ask {
		if o, err := parseOffer(text, p.ends()); err == nil && o.takes(s) {
			return nil
		}
	}
	return inputf("show: got a look that was not declared, want one of %s", strings.Join(p.Open.Ask, " or "))
}

// ends are the ends of the means of all metrics of an open ledger.
func (p *Plan) ends() between {
	all := p.scale(p.Metric).ends()
	for _, m := range p.Metrics {
		in := p.scale(m).ends()
		all = between{min(all.lowest, in.lowest), max(all.highest, in.highest)}
	}
	return all
}

// allows checks a new look at an open ledger, or at rows that arrive. It depends on no label.
func (h *history) allows(a asked) error {
	switch {
	case h.plan.Arrival != nil:
		return h.awaits(a)
	case h.plan.Open == nil && len(a.All) == 0:
		return nil
	case h.plan.Open == nil:
		_, err := h.plan.gates(a.Line)
		return cmp.Or(a.query.differs(), err)
	}
	if err := a.query.differs(); err != nil {
		return err
	}
	return h.affords(a)
}

// affords refuses a look of a team that could cost more than what is left to the team. It depends on no response.
func (h *history) affords(a asked) error {
	law := h.plan.Open
	if law.MostPerTeam == 0 || a.Team == "" {
		return nil
	}
	c, err := h.account.ask(h.plan, a.Line, a.query.tails)
	if err != nil {
		return err
	}
	dearest, left := c.dearest(), law.MostPerTeam
	for _, l := range h.lines {
		if l.Team == a.Team && l.Price != nil {
			left -= *l.Price
		}
	}
	if dearest > left {
		return &RefusedError{fmt.Sprintf("a response of this look may cost %s nats, and %s are left to the team",
			text.Up(dearest), text.Down(max(left, 0)))}
	}
	return nil
}
