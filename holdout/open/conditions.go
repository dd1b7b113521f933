package open

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/dpcalc/dpcalc/holdout/ask"
	"github.com/dpcalc/dpcalc/holdout/design"
	"github.com/dpcalc/dpcalc/holdout/form"
	"github.com/dpcalc/dpcalc/holdout/journal"
	"github.com/dpcalc/dpcalc/holdout/rule"
	"github.com/dpcalc/dpcalc/metric"
	"github.com/dpcalc/dpcalc/transfer"
	"github.com/dpcalc/dpcalc/transfer/open"
)

// mostConditions is how many more conditions a look may have.
const mostConditions = 100

// Joins checks the further conditions of a look.
func Joins(p *rule.Plan, q ask.Question, name string) error {
	kind, _ := metric.Of(name)
	in := p.Scale(name).Ends()
	ratio := kind.Ratio != nil || name == metric.Precision
	switch curved := ratio || kind.Less || kind.Pairs; {
	case len(q.All) == 0:
		return nil
	case curved:
		return form.Inputf("all: got conditions with %s, want accuracy or a column", name)
	case p.RefusedAbove(ask.Pass) > 0:
		return form.Inputf("all: got conditions, want none where a second moment is kept")
	case len(q.All) > mostConditions:
		return form.Inputf("all: got %d conditions, want at most %d", len(q.All), mostConditions)
	}
	for _, c := range q.All {
		if !(c.Bar >= in.Lowest && c.Bar <= in.Highest) {
			return form.Inputf("all: got the bar %v, want a number in [%v, %v]", c.Bar, in.Lowest, in.Highest)
		}
	}
	return nil
}

// isSure reports whether the predictions alone say that a condition is met: the candidate is the incumbent on its rows.
// Values of a column say nothing of the kind, as they may follow from labels.
func isSure(p *rule.Plan, one rule.Line) bool {
	kind, _ := metric.Of(one.Metric)
	same := p.Compares() && kind.Reads != metric.Number && one.Differ == 0
	return same && *one.Bar < 0
}

// gateOf is a gate at one of several conditions, with the tails of its mean; none for a sure one.
type gateOf struct {
	open.Look
	tails open.Tails
}

// join makes one look of gates at all conditions: it passes if each of them does. What passes was paid for once, as any
// condition that is not met fails its own gate.
func (c *cells) join(p *rule.Plan, share float64) error {
	for i := range c.Line.Conditions {
		one, gate := c.Line.Condition(i), gateOf{}
		if !isSure(p, one) {
			var err error
			gate.tails = TailsOf(p, one)
			if gate.Look, err = open.Gate(c.node, gate.tails, *one.Bar, share); err != nil {
				return err
			}
		}
		c.Joint = append(c.Joint, gate)
	}
	c.Look = open.Look{Cuts: []open.Cut{{At: 1, Above: share}}}
	return nil
}

// GatesOf returns the gates of a fixed plan at the conditions of a look. A pass and a failure have the level of a look
// each, beta/N: as if their cells were the halves of twice as much. docs/theorems/feedback.md has the proof.
func GatesOf(p *rule.Plan, l rule.Line) (c cells, err error) {
	level := float64(transfer.TestLevel(p.Goal))
	if !(level < -math.Ln2) {
		return c, form.Inputf("all: got conditions, want a plan with a level of less than one half for each look")
	}
	c = cells{Line: l, tails: TailsOf(p, l.Condition(0)), scale: p.Scale(l.Metric), fixed: true, oneSided: p.Goal.OneSided}
	c.node.LnBeta = math.Nextafter(level+math.Ln2, math.Inf(-1))
	if err = c.join(p, 0.5); err != nil {
		err = form.Inputf("all: %v", err)
	}
	return c, err
}

// AnswerJointly answers a look at several conditions of a fixed gate.
func AnswerJointly(p *rule.Plan, a *rule.Asked) (rule.Line, error) {
	c, err := GatesOf(p, a.Line)
	if err != nil {
		return rule.Line{}, err
	}
	return c.Write(c.Response(c.met(p, a.Query.Joint))), nil
}

// met is 1 if all conditions pass and else 0.
func (c cells) met(p *rule.Plan, joint []design.Scores) float64 {
	for i, gate := range c.Joint {
		if gate.tails != nil && gate.Response(measured(p, joint[i], c.Line.Condition(i))) == 0 {
			return 0
		}
	}
	return 1
}

// shownJointly is what a pass or a failure of several conditions shows. A failure says of one of them that its truth is
// at most its upper end.
func (c cells) shownJointly(cell int) (r rule.Reply, s form.Shown) {
	lowest, highest := c.tails.Range()
	price := -c.LnOf(cell)
	s = c.Line.Shown
	s.Price, s.Lower, s.Upper, r.Verdict = &price, &lowest, &highest, rule.Verdict(cell == 1, form.Pass, form.Fail)
	if c.fixed {
		s.Price = nil
	}
	s.Conditions = slices.Clone(s.Conditions)
	several := 0
	for _, gate := range c.Joint {
		several += int(rule.BoolToInt(gate.tails != nil))
	}
	for i, gate := range c.Joint {
		own, zero := &s.Conditions[i], 0.
		*own = form.Shown{Clusters: own.Clusters, Counted: form.Counted{Rows: own.Rows, Differ: own.Differ, Share: own.Share}}
		switch {
		case gate.tails == nil:
			own.Lower, own.Upper = &zero, &zero
		case cell == 1:
			lower, upper := gate.Interval(c.node, gate.tails, 1)
			own.From, own.Lower, own.Upper = &gate.Cuts[0].At, &lower, &upper
		case c.oneSided:
			least, most := gate.tails.Range()
			own.Lower, own.Upper = &least, &most
		default:
			least, _ := gate.tails.Range()
			upper := open.AnyUpper(c.node, gate.tails, gate.Look, several)
			own.Lower, own.Upper = &least, &upper
		}
	}
	if cell == 1 {
		s.From, s.Lower = s.Conditions[0].From, s.Conditions[0].Lower
	}
	return r, s
}

// joinedAmong checks the conditions of a line of the log.
func joinedAmong(p *rule.Plan, l rule.Line, rows int64, sizes *form.Sizes) error {
	switch {
	case len(l.All) == 0 && l.Conditions == nil:
		return nil
	case !l.Tells():
		return fmt.Errorf("got %d conditions, want %d with a bar", len(l.Conditions), len(l.All)+1)
	case l.Conditions[0].Rows != l.Rows || l.Conditions[0].Differ != l.Differ:
		return errors.New("got a first condition that is not the look's own")
	}
	if err := Joins(p, l.Question, l.Metric); err != nil {
		return err
	}
	for i := range l.Conditions {
		one := l.Condition(i)
		if isSure(p, one) { // nothing differs there
			if one.Differ = 1; p.Design().CountsMeans() {
				one.Share = 1
			}
		}
		if err := amongRows(p, one, rows, sizes); err != nil {
			return err
		}
	}
	return nil
}

// ReplayConditions checks what the log of a fixed plan says of several conditions.
func ReplayConditions(h rule.Past) error {
	rows, sizes := h.Extent()
	for i, l := range h.Lines {
		if len(l.All) == 0 && l.Conditions == nil {
			continue
		}
		err := amongRows(h.Plan, l, rows, sizes)
		if err == nil {
			var c cells
			if c, err = GatesOf(h.Plan, l); err == nil {
				err = c.show(l)
			}
		}
		if err != nil {
			return journal.Corrupt("looks.jsonl: line %d: %v", i+1, err)
		}
	}
	return nil
}

// AllowJointly refuses a look at several conditions of a fixed gate that none can pass.
func AllowJointly(p *rule.Plan, a *rule.Asked) error {
	_, err := GatesOf(p, a.Line)
	return cmp.Or(a.Query.Differs(), err)
}
