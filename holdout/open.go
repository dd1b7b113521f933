package holdout

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"

	"github.com/dpcalc/dpcalc/holdout/ask"
	"github.com/dpcalc/dpcalc/holdout/design"
	"github.com/dpcalc/dpcalc/holdout/form"
	"github.com/dpcalc/dpcalc/holdout/journal"
	"github.com/dpcalc/dpcalc/internal/num"
	"github.com/dpcalc/dpcalc/metric"
	"github.com/dpcalc/dpcalc/transfer"
	"github.com/dpcalc/dpcalc/transfer/open"
)

// openPlan is the plan of an open ledger for so many rows.
func openPlan(t Terms, samples int64) (*Plan, error) {
	goal, others := t.Goal, t.Goal
	others.Beta, others.SecondMoment = 0, 0
	switch {
	case others != (transfer.Goal{}):
		return nil, inputf("open: got other terms than beta, want beta alone: an open ledger has no m, tau or feedback")
	case t.Method != "" || t.Bars != nil:
		return nil, inputf("open: got a method or bars, want neither: each look says what it shows")
	case goal.Beta == 0:
		return nil, inputf("beta: got nothing, want a probability in (0, 1)")
	}
	law := &Law{Code: form.Code, Most: cmp.Or(t.Most, UsualMost), Ask: t.Ask, MostPerTeam: t.MostPerTeam,
		SecondMoment: goal.SecondMoment}
	p := &Plan{Plan: form.Plan{
		Schema: form.OpenSchema, Method: "open", Metric: t.Metrics[0], Metrics: t.Metrics, Match: t.Match, Classes: t.Classes,
		Units: t.Units, Open: law, Group: t.group(), Population: t.population(), Pairs: t.pairs,
		Promise: Promise{Samples: samples, Beta: goal.Beta},
	}, goal: transfer.Goal{Samples: samples, Beta: goal.Beta}, Rule: openRule{}}
	if t.Incumbent.Values != nil { // whose fingerprint is found with the rows
		p.Incumbent = &LabelsFile{}
	}
	for _, text := range t.Ask {
		if _, err := parseOffer(text, p.ends()); err != nil {
			return nil, err
		}
	}
	return p, checkLaw(law, goal.Beta)
}

// measured is what the cells of a look part: the mean value of the records, or the evidence of a test.
func measured(p *Plan, l look, line Line) float64 {
	if line.Show == ShowReject {
		return evidenceOf(p, l, line.Metric)
	}
	if ratio := l.values.Kind.Ratio; ratio != nil && (line.Show != ShowPass || p.Open.Sharp()) {
		n, d := l.sums(l.records.rows)
		if line.Show == ShowPass {
			return (n - *line.Bar*d) / float64(l.count())
		}
		return n / d
	}
	if l.values.Kind.Pairs {
		return l.areaBelow()
	}
	mean := l.sum() / float64(l.count())
	if scale := p.scale(line.Metric); !scale.plain() && l.values.Kind.Ratio == nil {
		return scale.coordinate(mean)
	}
	return mean
}

// Answer answers an open look by a line.
func (openRule) Answer(h Past, a *Asked) (Line, error) {
	c, err := h.account.ask(h.plan, a.Line, a.query.tails)
	if err != nil {
		return Line{}, err
	}
	mean := 0.
	if c.joint != nil {
		mean = c.met(h.plan, a.query.joint)
	} else {
		mean = measured(h.plan, a.look, a.Line)
	}
	cell := c.Response(mean)
	if c.line.Kept > 0 && a.look.square() > c.line.Kept {
		cell = refusal
	}
	return c.write(cell), nil
}

// Response is a response that the next look could have, and its price.
type Response struct {
	Line               // its verdict, response, cell, interval and price
	Spent     float64  // nats, after it
	NextPass  *float64 // the least score that passes a gate after it; nil if none was asked for
	NextUpper *float64 // the upper end after a fail there
	Margin    float64  // of a gate after it, as [Status.Margin]
	Power     *float64 // of a pass or a rejection: how probable it is if the guess of the submission is right
	Others    int      // how many further responses a row stands for: its price is the most, its interval holds theirs
}

// mostPriced is how many responses have a row of their own.
const mostPriced = 10

// Price returns what each response to a question would cost and say, and takes no look. The submission has no values
// where the cells do not depend on them. With a bar it says what a gate at the bar will be after each response. The
// responses depend on no label.
func (l *Ledger) Price(s Submission, bar *float64) ([]Response, error) {
	if !l.plan.IsOpen() {
		return nil, inputf("price: got a ledger with a fixed plan, want an open one: the looks of a plan are paid for")
	}
	shares := s.Show != ShowReject && !IsColumn(cmp.Or(s.Metric, l.plan.Metric))
	if s.Values == nil && l.plan.Compares() && shares {
		return nil, inputf("price: got no predictions, want them: the price of a difference depends on the share that differs")
	}
	if kind, _ := metric.Of(cmp.Or(s.Metric, l.plan.Metric)); s.Values == nil && kind.Class && kind.Reads == metric.Text {
		return nil, inputf("price: got no predictions, want them: the price of %s depends on the rows predicted positive", kind.Name)
	}
	if name := cmp.Or(s.Metric, l.plan.Metric); s.Values == nil && l.plan.binned(name) {
		return nil, inputf("price: got no predictions, want them: the price of %s depends on the probabilities", name)
	}
	if s.Show == ShowPass {
		bar = cmp.Or(bar, s.Bar)
		s.Bar = bar
	}
	a, err := l.ask(context.Background(), s)
	if err != nil {
		return nil, err
	}
	h, err := l.readSettled()
	if err == nil && s.Values != nil { // as the look would be taken, whatever its team has left
		a.Team = ""
		_, err = l.fresh(h, []asked{a})
	}
	if err := cmp.Or(err, a.query.differs()); err != nil {
		return nil, err
	}
	if err := l.takes(h); err != nil {
		return nil, err
	}
	list, err := price(h.Past, &a.Asked, bar)
	if err == nil && s.Effect != nil {
		err = forecast(h.Past, &a.Asked, *s.Effect, list)
	}
	return list, err
}

func price(h Past, a *Asked, bar *float64) (list []Response, err error) {
	c, err := h.account.ask(h.plan, a.Line, a.query.tails)
	if none := (*unanswerable)(nil); errors.As(err, &none) && a.Show == ShowPass {
		return []Response{impossible(h, c)}, nil
	}
	if err != nil {
		return nil, err
	}
	for _, cell := range c.responses() {
		r := Response{Line: c.write(cell)}
		after := h.account.copy()
		after.take(&r.Line)
		r.Spent = after.spent()
		gate := Line{Line: form.Line{Question: Question{Show: ShowPass, Bar: bar}, Metric: a.Metric}}
		if bar != nil && a.Show != ShowReject {
			gate.Shown = a.Shown
			gate.Conditions = nil
			gate.Kept = h.plan.kept(gate.Show)
			gate.Differ, gate.Share = a.query.differ, a.query.share
			next, err := after.ask(h.plan, gate, tailsOf(h.plan, gate))
			wrong := (*InputError)(nil)
			switch {
			case err == nil:
				_, fail := next.shown(0)
				_, pass := next.shown(1)
				r.NextPass, r.NextUpper = pass.From, fail.Upper
				if next.scale.less { // what fails is at least that
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
		after := h.account.copy()
		after.take(&list[i].Line)
		list[i].Margin = after.margin(h.plan, h.samples(), h.sizes())
	}
	return list, nil
}

// impossible is the pass of a gate that no score can pass, at its price. It has no least score and no interval.
func impossible(h Past, c cells) Response {
	l, bet := c.line, open.Usual()
	if l.Expect != nil {
		bet = open.Expect(*l.Expect)
	}
	share := bet.Share(h.account.looks[l.Show], h.account.rare[l.Show], h.plan.Open.Most+c.lnRest)
	price := -num.Log(share)*(1+1e-15) - c.lnRest
	l.Verdict, l.Price = Pass, &price
	return Response{Line: l, Spent: -float64(h.account.left.Child(-price))}
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
		rest.Lower, rest.Upper = least(rest.Lower, r.Lower, -1), least(rest.Upper, r.Upper, 1)
		rest.NextPass, rest.NextUpper = least(rest.NextPass, r.NextPass, 1), least(rest.NextUpper, r.NextUpper, 1)
	}
	return append(own, rest)
}

// least is the lesser of two numbers for the sign -1 and the greater for 1, nil if one is.
func least(x, y *float64, sign float64) *float64 {
	if x == nil || y == nil {
		return nil
	}
	if (*y-*x)*sign > 0 {
		return y
	}
	return x
}

// mostAhead is how many looks a margin may look ahead.
const mostAhead = 1_000_000

// Margin is how far above its bar a truth may be that fails a gate over all rows of an open ledger, at the worst bar,
// after the gates ahead with the usual bet. What passes is above the bar. Gates of 0/1 values have less.
func (s Status) Margin() (float64, error) {
	looks, passes := s.Ahead.Looks, s.Ahead.Passes
	switch {
	case !s.Plan.IsOpen():
		return 0, inputf("queries: got a ledger with a fixed plan, want an open one: the tau of a plan does not change")
	case looks < 0 || looks > mostAhead:
		return 0, inputf("queries: got %d, want from 0 to %d", looks, mostAhead)
	case passes < 0 || passes > looks:
		return 0, inputf("passes: got %d, want from 0 to %d, the number of looks", passes, looks)
	}
	return marginAfter(s.Plan, s.account, s.Ahead, s.Rows, s.Clusters), nil
}

// marginAfter is the margin after the gates ahead.
func marginAfter(p *Plan, of account, ahead Ahead, rows int64, sizes *Sizes) float64 {
	a := of.copy()
	g := a.gates(p.Open.Most)
	if p.kept(ShowPass) == 0 {
		g.Refusals = open.Bet{}
	}
	g, passed := g.Ahead(ahead.Passes, 1)
	g, failed := g.Ahead(ahead.Looks-ahead.Passes, 0)
	a.left = a.left.Child(float64(passed)).Child(float64(failed))
	a.looks[ShowPass], a.rare[ShowPass], a.looks[Refused] = g.Looks, g.Passes, g.Asked
	return a.margin(p, rows, sizes)
}

// margin is how far above the worst bar a truth may be that fails the next gate over so many rows.
func (a *account) margin(p *Plan, rows int64, sizes *Sizes) float64 {
	worst := Line{Line: form.Line{Metric: p.Metric, Shown: Shown{Rows: rows, Share: 1}}}
	next := a.gate(p)
	worst.Kept = next.line.Kept
	if p.Compares() {
		worst.Differ = p.design().Predicted(rows)
	}
	tails, _ := planned(p, worst, rows, sizes)
	level := float64(p.Promise.Beta) + float64(next.node.Left)
	widest := tails.Widest(level+next.LnShare(1), level+next.LnShare(0), 0)
	if kind, _ := metric.Of(p.Metric); kind.Ratio != nil || kind.Name == metric.Precision {
		return 1 // which follows from the predictions
	}
	return p.scale(p.Metric).margin(widest)
}

// gate has the shares of the next gate with the usual bet, at its node.
func (a *account) gate(p *Plan) (c cells) {
	c.line.Kept, c.node = p.kept(ShowPass), open.Node{LnBeta: float64(p.Promise.Beta), Left: a.left}
	most := c.beside(a, p.Open.Most)
	c.Cuts = []open.Cut{{Above: open.Usual().Share(a.looks[ShowPass], a.rare[ShowPass], most)}}
	return c
}

// copy is an account that goes on apart.
func (a *account) copy() account {
	next := *a
	next.looks, next.rare, next.last, next.best = cloned(a.looks), cloned(a.rare), cloned(a.last), cloned(a.best)
	return next
}

func cloned[K comparable, V any](m map[K]V) map[K]V {
	next := make(map[K]V, len(m)+1)
	for k, v := range m {
		next[k] = v
	}
	return next
}

// foreign reports whether a submission has more than its question that decides something. A new field does, and no look
// is spent until it stands here.
func (s Submission) foreign() bool {
	s.Name, s.Team, s.Metric, s.Values, s.Source, s.Path, s.Question = "", "", "", nil, "", "", Question{}
	s.Effect, s.Incumbent, s.Reading, s.Again, s.Batch = nil, nil, nil, false, nil
	return !reflect.ValueOf(s).IsZero()
}

// takes checks that an open ledger takes looks of the rows that it was opened with.
func (l *Ledger) takes(h *history) error {
	switch {
	case h.retired:
		return &RefusedError{Reason: "the ledger is retired"}
	case h.account.epoch != l.epoch:
		return &ExtendedError{}
	}
	return nil
}

// amongRows checks how many of a ledger's rows a look was asked of, and on how many of them a candidate differs.
func amongRows(p *Plan, l Line, rows int64, sizes *Sizes) error {
	compared := p.Compares() && l.Show != ShowReject
	fits, most := l.Rows == rows, p.design().Predicted(l.Rows)
	some := l.Where != "" || l.Metric == metric.Precision
	if some {
		fits = l.Rows >= 1 && l.Rows <= rows
	}
	switch {
	case !fits:
		return fmt.Errorf("got %d rows, want %d, or some of them with a feature", l.Rows, rows)
	case l.Positive != max(0, min(l.Positive, l.Rows)) || l.Moment != max(0, min(l.Moment, 1)):
		return fmt.Errorf("got %d rows predicted positive of %d and a mean square of %v", l.Positive, l.Rows, l.Moment)
	case l.Kept != p.kept(l.Show)*float64(one(compared)):
		return fmt.Errorf("got a mean square kept at %v, want %v", l.Kept, p.kept(l.Show))
	case !fitBins(p, l.Metric, l.Rows, l.Bins):
		return fmt.Errorf("got the bins %v of %d rows", l.Bins, l.Rows)
	case unbounded(p, l):
		return errors.New("got a ratio without a row that is predicted positive")
	case l.Differ < one(compared) || l.Differ > one(compared)*most:
		return fmt.Errorf("got a candidate that differs on %d of %d rows, want at least one of a ledger with an incumbent alone",
			l.Differ, most)
	case (l.Share > 0) != (compared && p.design().ByMeans()):
		return fmt.Errorf("got a candidate that differs on a share of %v", l.Share)
	}
	return cmp.Or(p.design().Among(&l.Line, sizes, !some), joinedAmong(p, l, rows, sizes))
}

// unbounded reports whether a ratio has no row that is predicted positive although its tails need one.
func unbounded(p *Plan, l Line) bool {
	kind, _ := metric.Of(l.Metric)
	needs := l.Show != ShowPass || p.Open.Sharp()
	return needs && kind.Ratio != nil && l.Positive == 0
}

func (a *account) recomputed(p *Plan, l Line) error {
	if l.Price == nil {
		return errors.New("got no price")
	}
	if err := checkOpen(l.Question, p.scale(l.Metric).ends()); err != nil {
		return err
	}
	c, err := a.ask(p, l, tailsOf(p, l))
	if err != nil {
		return err
	}
	return c.show(l)
}

// show checks that a line is what one of the cells shows.
func (c cells) show(l Line) error {
	for _, cell := range c.responses() {
		if c.joint == nil && cell != refusal { // before its interval, which takes a while
			if from, _ := c.ends(cell); !alike(from, l.From, c.scale.span) {
				continue
			}
		}
		again := c.write(cell)
		if again.Verdict != l.Verdict || !alike(again.From, l.From, c.scale.span) {
			continue
		}
		if !alike(again.Response, l.Response, c.scale.span) {
			return fmt.Errorf("got the response %s, want %s", cmp.Or(printed(l.Response), "none"),
				cmp.Or(printed(again.Response), "none"))
		}
		return sameShown(again.Shown, l.Shown, c.scale.span)
	}
	return errors.New("got a response that is none of its cells")
}

// sameShown says how another cell, price or interval differs. The ends are in units of a span.
func sameShown(s, other Shown, span float64) error {
	for _, p := range []struct {
		name      string
		got, want *float64
		unit      float64
	}{{"end of the cell", other.Below, s.Below, span}, {"price", other.Price, s.Price, 1}, {"lower end", other.Lower, s.Lower, span},
		{"upper end", other.Upper, s.Upper, span}} {
		if !alike(p.got, p.want, p.unit) {
			return fmt.Errorf("got the %s %s, want %s", p.name, printed(p.got), printed(p.want))
		}
	}
	for i, c := range s.Conditions {
		if !alike(other.Conditions[i].From, c.From, span) {
			return fmt.Errorf("got a pass of condition %d from %s on, want %s", i+1, printed(other.Conditions[i].From), printed(c.From))
		}
		if err := sameShown(c, other.Conditions[i], span); err != nil {
			return err
		}
	}
	return nil
}

// alike reports whether two numbers in such units are equal up to the rounding of another machine.
func alike(x, y *float64, unit float64) bool {
	if x == nil || y == nil {
		return x == y
	}
	return math.Abs(*x-*y) <= 1e-9*unit+1e-14*math.Abs(*x)
}

// CloseLedger retires an open ledger for so many p-values, at the level alpha together, that are computed elsewhere
// from its rows. A ledger that was closed gives the level that it was closed with again.
func CloseLedger(ctx context.Context, dir string, alpha float64, tests int64) (status Status, closed Close, err error) {
	switch {
	case !(alpha > 0 && alpha < 1):
		return status, closed, inputf("alpha: got %v, want a probability in (0, 1)", alpha)
	case tests < 1:
		return status, closed, inputf("tests: got %d, want at least 1", tests)
	}
	l := newLedger(dir)
	err = l.writing(ctx, func(h *history, w journal.Writer) error {
		if !h.plan.IsOpen() {
			return inputf("close: got a ledger with a fixed plan, want an open one")
		}
		end := w.Confirm
		if !h.retired {
			spent := h.account.spent()
			closed = Close{Alpha: &alpha, Tests: tests, Spent: &spent}
			end = func() error { return l.add(w, form.Line{Event: Retired, Close: closed}) }
		} else if last := h.lines[len(h.lines)-1].Close; last.Alpha == nil || *last.Alpha != alpha || last.Tests != tests {
			return &RefusedError{Reason: "the ledger is retired, and was not closed for this alpha and number of tests"}
		} else {
			closed = last
		}
		err := end()
		status = h.status()
		return err
	})
	return status, closed, err
}

// sources are the files that the rows come from.
func (h *history) sources() []Source { return slices.Clone(h.rows.sources) }

// Admit checks the question of a look.
func (openRule) Admit(p *Plan, q *Question, name string) error {
	if err := cmp.Or(checkOpen(*q, p.scale(name).ends()), joins(p, *q, name)); err != nil {
		return err
	}
	kind, _ := metric.Of(name)
	switch compared := p.Compares(); {
	case kind.Ratio != nil && !kind.Ratio.Bounded() && q.Show != ShowPass:
		return inputf("show: got %s, want pass with %s: only a gate can be asked of it", q.Show, name)
	case name == metric.Precision && q.Show == ShowBest:
		return inputf("show: got best, want pass, score or guess with precision: each submission has rows of its own")
	case q.Show == ShowReject && !compared:
		return inputf("test: got %s, want a ledger made with --incumbent", q.Test)
	case q.Show == ShowBest && compared:
		return inputf("show: got best, want pass, score, guess or reject: the incumbent of differences changes")
	}
	return nil
}

// openRule answers looks by the codes, each at its price.
type openRule struct{}

// Certified checks the law, which needs no certificate.
func (openRule) Certified(p *Plan) error { return checkLaw(p.Open, p.Promise.Beta) }

// Params returns what looks of all kinds take.
func (openRule) Params(*Plan) []ask.Param {
	all := ask.Rule{}
	for _, r := range openRules {
		all.Takes = append(append(all.Takes, r.Needs...), r.Takes...)
	}
	return all.Params()
}

// Remaining has no last look.
func (openRule) Remaining(h Past) Remaining { return Remaining{Looks: one(!h.retired) * math.MaxInt64} }

// Fields returns the columns of the question, the interval and the price.
func (openRule) Fields(*Plan) []string { return []string{"open"} }

// Replay checks every interval and price of the log against the codes, each at the node that the lines before it
// lead to.
func (openRule) Replay(h Past) error {
	a, rows, sizes := newAccount(), h.plan.Promise.Samples, h.plan.design().Sizes()
	for i, l := range h.lines {
		switch l.Event {
		case Torn:
			if l.Look != 0 {
				a.left = a.left.Child(-h.plan.Open.Most)
			}
		case Changed:
			a.epoch++
			rows, sizes = l.Rows, l.Clusters
			if (sizes != nil) != (h.plan.design().Sizes() != nil) || sizes != nil && !design.Fit(*sizes, rows, *sizes) {
				return corrupt("looks.jsonl: line %d: got the clusters %+v for %d rows", i+1, sizes, rows)
			}
		case Looked:
			err := amongRows(h.plan, l, rows, sizes)
			if err == nil { // what it says of its rows can be
				err = a.recomputed(h.plan, l)
			}
			if err != nil {
				return corrupt("looks.jsonl: line %d: %v", i+1, err)
			}
			a.take(&l)
		}
	}
	return nil
}
