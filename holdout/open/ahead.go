package open

import (
	"fmt"

	"github.com/dpcalc/dpcalc/holdout/ask"
	"github.com/dpcalc/dpcalc/holdout/form"
	"github.com/dpcalc/dpcalc/holdout/rule"
	"github.com/dpcalc/dpcalc/metric"
	"github.com/dpcalc/dpcalc/transfer/open"
)

// mostAhead is how many looks a margin may look ahead.
const mostAhead = 1_000_000

// MarginAfter returns the margin after the gates ahead.
func MarginAfter(p *rule.Plan, of *rule.Account, ahead Ahead, rows int64, sizes *form.Sizes) (float64, error) {
	looks, passes := ahead.Looks, ahead.Passes
	switch {
	case !p.IsOpen():
		return 0, form.Inputf("queries: got a ledger with a fixed plan, want an open one: the tau of a plan does not change")
	case looks < 0 || looks > mostAhead:
		return 0, form.Inputf("queries: got %d, want from 0 to %d", looks, mostAhead)
	case passes < 0 || passes > looks:
		return 0, form.Inputf("passes: got %d, want from 0 to %d, the number of looks", passes, looks)
	}
	a := of.Copy()
	g := gates(a, p.Open.Most)
	if p.RefusedAbove(ask.Pass) == 0 {
		g.Refusals = open.Bet{}
	}
	g, passed := g.Ahead(ahead.Passes, 1)
	g, failed := g.Ahead(ahead.Looks-ahead.Passes, 0)
	a.Left = a.Left.Child(float64(passed)).Child(float64(failed))
	a.Looks[ask.Pass], a.Rare[ask.Pass], a.Looks[form.Refused] = g.Looks, g.Passes, g.Asked
	return Margin(a, p, rows, sizes), nil
}

// Margin returns how far above the worst bar a truth may be that fails the next gate over so many rows.
func Margin(a *rule.Account, p *rule.Plan, rows int64, sizes *form.Sizes) float64 {
	worst := rule.Line{Line: form.Line{Shown: form.Shown{Counted: form.Counted{Rows: rows, Share: 1}},
		Request: form.Request{Metric: p.Metric}}}
	next := NextGate(a, p)
	worst.RefusedAbove = next.Line.RefusedAbove
	if p.Compares() {
		worst.Differ = p.Design().Predicted(rows)
	}
	tails, _ := planned(p, worst, rows, sizes)
	level := float64(p.Promise.Beta) + float64(next.node.Left)
	widest := tails.Widest(level+next.LnShare(1), level+next.LnShare(0), 0)
	if kind, _ := metric.Of(p.Metric); kind.Ratio != nil || kind.Name == metric.Precision {
		return 1 // which follows from the predictions
	}
	return p.Scale(p.Metric).Margin(widest)
}

// NextGate has the shares of the next gate with the usual bet, at its node.
func NextGate(a *rule.Account, p *rule.Plan) (c cells) {
	c.Line.RefusedAbove, c.node = p.RefusedAbove(ask.Pass), open.Node{LnBeta: float64(p.Promise.Beta), Left: a.Left}
	most := c.reserveRefusal(a, p.Open.Most)
	c.Cuts = []open.Cut{{Above: open.Usual().Share(a.Looks[ask.Pass], a.Rare[ask.Pass], most)}}
	return c
}

// Ahead is so many more gates, of which so many pass.
type Ahead struct{ Looks, Passes int64 }

// String says when that is.
func (a Ahead) String() string {
	if a.Looks == 0 {
		return "now"
	}
	return fmt.Sprintf("after %d more looks for a pass, of which %d pass", a.Looks, a.Passes)
}
