package open

import (
	"cmp"
	"errors"
	"fmt"
	"math"

	"github.com/dpcalc/dpcalc/holdout/ask"
	"github.com/dpcalc/dpcalc/holdout/design"
	"github.com/dpcalc/dpcalc/holdout/form"
	"github.com/dpcalc/dpcalc/holdout/journal"
	"github.com/dpcalc/dpcalc/holdout/rule"
	"github.com/dpcalc/dpcalc/internal/text"
	"github.com/dpcalc/dpcalc/metric"
)

// amongRows checks how many of a ledger's rows a look was asked of, and on how many of them a candidate differs.
func amongRows(p *rule.Plan, l rule.Line, rows int64, sizes *form.Sizes) error {
	compared := p.Compares() && l.Show != ask.Reject
	fits, most := l.Rows == rows, p.Design().Predicted(l.Rows)
	some := l.Where != "" || l.Metric == metric.Precision
	if some {
		fits = l.Rows >= 1 && l.Rows <= rows
	}
	switch {
	case !fits:
		return fmt.Errorf("got %d rows, want %d, or some of them with a feature", l.Rows, rows)
	case l.Positive != max(0, min(l.Positive, l.Rows)) || l.Moment != max(0, min(l.Moment, 1)):
		return fmt.Errorf("got %d rows predicted positive of %d and a mean square of %v", l.Positive, l.Rows, l.Moment)
	case l.RefusedAbove != p.RefusedAbove(l.Show)*float64(rule.BoolToInt(compared)):
		return fmt.Errorf("got a mean square kept at %v, want %v", l.RefusedAbove, p.RefusedAbove(l.Show))
	case !AreBins(p, l.Metric, l.Rows, l.Bins):
		return fmt.Errorf("got the bins %v of %d rows", l.Bins, l.Rows)
	case unbounded(p, l):
		return errors.New("got a ratio without a row that is predicted positive")
	case l.Differ < rule.BoolToInt(compared) || l.Differ > rule.BoolToInt(compared)*most:
		return fmt.Errorf("got a candidate that differs on %d of %d rows, want at least one of a ledger with an incumbent alone",
			l.Differ, most)
	case (l.Share > 0) != (compared && p.Design().CountsMeans()):
		return fmt.Errorf("got a candidate that differs on a share of %v", l.Share)
	}
	return cmp.Or(p.Design().Among(&l.Line, sizes, !some), joinedAmong(p, l, rows, sizes))
}

// unbounded reports whether a ratio has no row that is predicted positive although its tails need one.
func unbounded(p *rule.Plan, l rule.Line) bool {
	kind, _ := metric.Of(l.Metric)
	needs := l.Show != ask.Pass || p.Open.HasSharpTails()
	return needs && kind.Ratio != nil && l.Positive == 0
}

func recomputed(a *rule.Account, p *rule.Plan, l rule.Line) error {
	if l.Price == nil {
		return errors.New("got no price")
	}
	if err := checkOpen(l.Question, p.Scale(l.Metric).Ends()); err != nil {
		return err
	}
	c, err := CellsOf(a, p, l, TailsOf(p, l))
	if err != nil {
		return err
	}
	return c.show(l)
}

// show checks that a line is what one of the cells shows.
func (c cells) show(l rule.Line) error {
	for _, cell := range c.Responses() {
		if c.Joint == nil && cell != refusal { // before its interval, which takes a while
			if from, _ := c.ends(cell); !areAlike(from, l.From, c.scale.Span) {
				continue
			}
		}
		again := c.Write(cell)
		if again.Verdict != l.Verdict || !areAlike(again.From, l.From, c.scale.Span) {
			continue
		}
		if !areAlike(again.Response, l.Response, c.scale.Span) {
			return fmt.Errorf("got the response %s, want %s", cmp.Or(printed(l.Response), "none"),
				cmp.Or(printed(again.Response), "none"))
		}
		return SameShown(again.Shown, l.Shown, c.scale.Span)
	}
	return errors.New("got a response that is none of its cells")
}

// SameShown says how another cell, price or interval differs. The ends are in units of a span.
func SameShown(s, other form.Shown, span float64) error {
	for _, p := range []struct {
		name      string
		got, want *float64
		unit      float64
	}{{"end of the cell", other.Below, s.Below, span}, {"price", other.Price, s.Price, 1}, {"lower end", other.Lower, s.Lower, span},
		{"upper end", other.Upper, s.Upper, span}} {
		if !areAlike(p.got, p.want, p.unit) {
			return fmt.Errorf("got the %s %s, want %s", p.name, printed(p.got), printed(p.want))
		}
	}
	for i, c := range s.Conditions {
		if !areAlike(other.Conditions[i].From, c.From, span) {
			return fmt.Errorf("got a pass of condition %d from %s on, want %s", i+1, printed(other.Conditions[i].From), printed(c.From))
		}
		if err := SameShown(c, other.Conditions[i], span); err != nil {
			return err
		}
	}
	return nil
}

// areAlike reports whether two numbers in such units are equal up to the rounding of another machine.
func areAlike(x, y *float64, unit float64) bool {
	if x == nil || y == nil {
		return x == y
	}
	return math.Abs(*x-*y) <= 1e-9*unit+1e-14*math.Abs(*x)
}

// Replay checks every interval and price of the log against the codes, each at the node that the lines before it
// lead to.
func (Rule) Replay(h rule.Past) error {
	a, rows, sizes := rule.NewAccount(), h.Plan.Promise.Samples, h.Plan.Design().Sizes()
	for i, l := range h.Lines {
		switch l.Event {
		case form.Torn:
			if l.Look != 0 {
				a.Left = a.Left.Child(-h.Plan.Open.Most)
			}
		case form.Changed:
			a.Epoch++
			rows, sizes = l.Rows, l.Clusters
			if (sizes != nil) != (h.Plan.Design().Sizes() != nil) || sizes != nil && !design.AreSizes(*sizes, rows, *sizes) {
				return journal.Corrupt("looks.jsonl: line %d: got the clusters %+v for %d rows", i+1, sizes, rows)
			}
		case form.Looked:
			err := amongRows(h.Plan, l, rows, sizes)
			if err == nil { // what it says of its rows can be
				err = recomputed(a, h.Plan, l)
			}
			if err != nil {
				return journal.Corrupt("looks.jsonl: line %d: %v", i+1, err)
			}
			a.Take(&l)
		}
	}
	return nil
}

// printed returns a number that may be missing.
func printed(x *float64) string {
	if x == nil {
		return ""
	}
	return text.Shortest(*x)
}
