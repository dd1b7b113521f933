package holdout

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/dpcalc/dpcalc/metric"
	"github.com/dpcalc/dpcalc/transfer/open"
)

// mostConditions is how many more conditions a look may have.
const mostConditions = 100

// joins checks the further conditions of a look.
func joins(p *Plan, q Question, name string) error {
	kind, _ := metric.Of(name)
	in := p.scale(name).ends()
	ratio := kind.Ratio != nil || name == metric.Precision
	switch curved := ratio || kind.Less || kind.Pairs; {
	case len(q.All) == 0:
		return nil
	case curved:
		return inputf("all: got conditions with %s, want accuracy or a column", name)
	case p.kept(ShowPass) > 0:
		return inputf("all: got conditions, want none where a second moment is kept")
	case len(q.All) > mostConditions:
		return inputf("all: got %d conditions, want at most %d", len(q.All), mostConditions)
	}
	for _, c := range q.All {
		if !(c.Bar >= in.Lowest && c.Bar <= in.Highest) {
			return inputf("all: got the bar %v, want a number in [%v, %v]", c.Bar, in.Lowest, in.Highest)
		}
	}
	return nil
}

// sure reports whether the predictions alone say that a condition is met: the candidate is the incumbent on its rows.
// Values of a column say nothing of the kind, as they may follow from labels.
func sure(p *Plan, one Line) bool {
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
func (c *cells) join(p *Plan, share float64) error {
	for i := range c.line.Conditions {
		one, gate := c.line.condition(i), gateOf{}
		if !sure(p, one) {
			var err error
			gate.tails = tailsOf(p, one)
			if gate.Look, err = open.Gate(c.node, gate.tails, *one.Bar, share); err != nil {
				return err
			}
		}
		c.joint = append(c.joint, gate)
	}
	c.Look = open.Look{Cuts: []open.Cut{{At: 1, Above: share}}}
	return nil
}

// gates are the gates of a fixed plan at the conditions of a look. A pass and a failure have the level of a look each,
// beta/N: as if their cells were the halves of twice as much. docs/theorems/feedback.md has the proof.
func gatesOf(p *Plan, l Line) (c cells, err error) {
	level := float64(p.goal.TestLevel())
	if !(level < -math.Ln2) {
		return c, inputf("all: got conditions, want a plan with a level of less than one half for each look")
	}
	c = cells{line: l, tails: tailsOf(p, l.condition(0)), scale: p.scale(l.Metric), fixed: true, oneSided: p.goal.OneSided}
	c.node.LnBeta = math.Nextafter(level+math.Ln2, math.Inf(-1))
	if err = c.join(p, 0.5); err != nil {
		err = inputf("all: %v", err)
	}
	return c, err
}

// Joint answers a look at several conditions of a fixed gate.
func Joint(p *Plan, a *Asked) (Line, error) {
	c, err := gatesOf(p, a.Line)
	if err != nil {
		return Line{}, err
	}
	return c.write(c.Response(c.met(p, a.query.joint))), nil
}

// met is 1 if all conditions pass and else 0.
func (c cells) met(p *Plan, joint []look) float64 {
	for i, gate := range c.joint {
		if gate.tails != nil && gate.Response(measured(p, joint[i], c.line.condition(i))) == 0 {
			return 0
		}
	}
	return 1
}

// shownJointly is what a pass or a failure of several conditions shows. A failure says of one of them that its truth is
// at most its upper end.
func (c cells) shownJointly(cell int) (r response, s Shown) {
	lowest, highest := c.tails.Range()
	price := -c.lnOf(cell)
	s = c.line.Shown
	s.Price, s.Lower, s.Upper, r.verdict = &price, &lowest, &highest, verdict(cell == 1, Pass, Fail)
	if c.fixed {
		s.Price = nil
	}
	s.Conditions = slices.Clone(s.Conditions)
	several := 0
	for _, gate := range c.joint {
		several += int(one(gate.tails != nil))
	}
	for i, gate := range c.joint {
		own, zero := &s.Conditions[i], 0.
		*own = Shown{Rows: own.Rows, Differ: own.Differ, Share: own.Share, Clusters: own.Clusters}
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
func joinedAmong(p *Plan, l Line, rows int64, sizes *Sizes) error {
	switch {
	case len(l.All) == 0 && l.Conditions == nil:
		return nil
	case !l.tells():
		return fmt.Errorf("got %d conditions, want %d with a bar", len(l.Conditions), len(l.All)+1)
	case l.Conditions[0].Rows != l.Rows || l.Conditions[0].Differ != l.Differ:
		return errors.New("got a first condition that is not the look's own")
	}
	if err := joins(p, l.Question, l.Metric); err != nil {
		return err
	}
	for i := range l.Conditions {
		one := l.condition(i)
		if sure(p, one) { // nothing differs there
			if one.Differ = 1; p.design().ByMeans() {
				one.Share = 1
			}
		}
		if err := amongRows(p, one, rows, sizes); err != nil {
			return err
		}
	}
	return nil
}

// Rejoined checks what the log of a fixed plan says of several conditions.
func Rejoined(h Past) error {
	rows, sizes := h.extent()
	for i, l := range h.lines {
		if len(l.All) == 0 && l.Conditions == nil {
			continue
		}
		err := amongRows(h.plan, l, rows, sizes)
		if err == nil {
			var c cells
			if c, err = gatesOf(h.plan, l); err == nil {
				err = c.show(l)
			}
		}
		if err != nil {
			return corrupt("looks.jsonl: line %d: %v", i+1, err)
		}
	}
	return nil
}

// Covers refuses a look at several conditions of a fixed gate that none can pass.
func Covers(p *Plan, a *Asked) error {
	_, err := gatesOf(p, a.Line)
	return cmp.Or(a.query.differs(), err)
}
