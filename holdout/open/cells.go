package open

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/dpcalc/dpcalc/holdout/ask"
	"github.com/dpcalc/dpcalc/holdout/form"
	"github.com/dpcalc/dpcalc/holdout/journal"
	"github.com/dpcalc/dpcalc/holdout/rule"
	"github.com/dpcalc/dpcalc/internal/text"
	"github.com/dpcalc/dpcalc/metric"
	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer"
	"github.com/dpcalc/dpcalc/transfer/open"
)

// UsualMost is the most nats that a response costs where nothing else was declared.
const UsualMost = transfer.UsualMost

// The least and the most that a law may say of the most nats of a response.
const (
	leastMost = 1
	mostMost  = 36
)

// CheckLaw checks the law of an open ledger.
func CheckLaw(l *form.Law, beta theory.LogProb) error {
	switch {
	case l.Code < form.FirstCode || l.Code > form.Code:
		return journal.Corrupt("plan.json: got the codes of version %d, want one up to %d, which this version knows", l.Code, form.Code)
	case !(l.Most >= leastMost && l.Most <= mostMost):
		return form.Inputf("most: got %v, want nats from %v to %v", l.Most, float64(leastMost), float64(mostMost))
	case !(beta < 0):
		return form.Inputf("beta: got %v, want a probability in (0, 1)", beta)
	case l.SecondMoment > 0 && l.Most < leastBeside:
		return form.Inputf("most: got %v with a second moment, want nats from %v to %v", l.Most, float64(leastBeside), float64(mostMost))
	case l.MostPerTeam != 0 && !(l.MostPerTeam > 0 && l.MostPerTeam < math.Inf(1)):
		return form.Inputf("most-per-team: got %v, want a positive number of nats", l.MostPerTeam)
	}
	return nil
}

// cells are the cells of a question at the account's node, with what they say of the truth.
type cells struct {
	open.Look
	Line  rule.Line
	tails open.Tails
	node  open.Node
	holds int     // guess: the cell in which it holds
	first bool    // best: nothing was shown before
	last  float64 // best: what was shown before
	scale rule.Scale

	Joint []gateOf // of several conditions: a gate at each

	fixed, oneSided bool // whether they are of a fixed gate, and it says nothing of what fails

	LnRest, lnRefused float64 // ln of the shares of the cells together, and of a refusal where there is one
}

// openRules are what looks of an open ledger take, by what they show: what [account.ask] reads.
var openRules = map[string]ask.Rule{
	ask.Pass:   {Needs: []string{"show", "bar"}, Takes: []string{"where", "expect", "all"}},
	ask.Best:   {Needs: []string{"show"}, Takes: []string{"where", "step", "expect"}},
	ask.Score:  {Needs: []string{"show"}, Takes: []string{"where", "near", "step"}},
	ask.Guess:  {Needs: []string{"show", "guess"}, Takes: []string{"where", "within", "step", "expect"}},
	ask.Reject: {Needs: []string{"show", "test"}, Takes: []string{"where", "expect"}},
}

// checkOpen checks the question of a look at an open ledger, of scores between the ends.
func checkOpen(q ask.Question, in ask.Ends) error {
	rule, ok := openRules[q.Show]
	if !ok {
		return form.Inputf("show: got %s, want %s, such as --show pass --bar 0.8", text.Shown(cmp.Or(q.Show, "nothing")), text.OrList(ask.Kinds()))
	}
	err := rule.Check(q, in, "--show "+q.Show, func(param ask.Param) string {
		var kinds []string
		for _, kind := range ask.Kinds() {
			if rule := openRules[kind]; slices.Contains(append(slices.Clip(rule.Needs), rule.Takes...), param.Name) {
				kinds = append(kinds, kind)
			}
		}
		got := text.Shown(strings.Join(param.Texts(q), " and "))
		if kinds == nil {
			return "got " + got + ", want none: no look takes it"
		}
		return "got " + got + " with --show " + q.Show + ", want --show " + text.OrList(kinds)
	})
	if err != nil {
		return form.Inputf("%v", err)
	}
	return nil
}

// CellsOf returns the cells of a look. Its line has the question, its metric and the number of rows. The error is an
// [form.InputError] if no response may cost so much, or if no score can pass.
func CellsOf(a *rule.Account, p *rule.Plan, l rule.Line, tails open.Tails) (c cells, err error) {
	most := p.Open.Most
	c = cells{Line: l, tails: tails, node: open.Node{LnBeta: float64(p.Promise.Beta), Left: a.Left}, holds: -1}
	c.scale = p.Scale(l.Metric)
	most = c.reserveRefusal(a, most)
	bet := open.Usual()
	looks, rare := a.Looks[l.Show], a.Rare[l.Show]
	if l.Expect != nil {
		bet = open.Expect(*l.Expect)
		share := (bet.A + float64(rare)) / (bet.A + bet.B + float64(looks))
		if dearest := -math.Log(min(share, 1-share)); !(dearest <= most) {
			return c, form.Inputf("expect: got %v, want a bet whose responses cost at most %v nats: one of these costs %s",
				*l.Expect, most, text.Up(dearest))
		}
	}
	share := bet.Share(looks, rare, most)
	lowest, highest := tails.Range()
	last, known := a.Last[a.Scope(&l)]
	last = *c.scale.Read(&last)
	l.Bar, l.Guess, l.Near = c.scale.Read(l.Bar), c.scale.Read(l.Guess), c.scale.Read(l.Near)
	usual := usualStep * c.scale.Span
	steps := open.Steps{Within: rule.ValueOr(l.Within, usual), Step: rule.ValueOr(l.Step, usual), Most: most}
	switch l.Show {
	case ask.Pass:
		if l.Conditions != nil {
			err = c.join(p, share)
			break
		}
		c.Look, err = open.Gate(c.node, tails, *l.Bar, share)
	case ask.Reject:
		c.Look, err = open.Rejection(c.node, share)
	case ask.Best:
		if c.first, c.last = !known, last; c.first {
			c.Look, err = open.Score(tails, (lowest+highest)/2, steps)
		} else {
			c.Look, err = open.Board(tails, last, share, steps)
		}
	case ask.Score:
		near := (lowest + highest) / 2
		if known {
			near = last
		}
		c.Look, err = open.Score(tails, rule.ValueOr(l.Near, near), steps)
	case ask.Guess:
		c.Look, err = open.Guess(tails, *l.Guess, share, steps)
		c.holds = c.Response(tails.Edge(max(*l.Guess-steps.Within, lowest)))
		if from := c.from(c.holds); from != nil && *from >= *l.Guess+steps.Within {
			c.holds = -1 // no score is within
		}
	}
	if none := (*theory.NoAnswerError)(nil); errors.As(err, &none) {
		if l.Bar != nil && l.Conditions == nil && Decides(p, l) {
			none.Reason = fmt.Sprintf("no score can pass the bar %v: the candidate differs on %d of %d rows, too few for what is left of the budget",
				*l.Bar, l.Differ, l.Rows)
		}
		if l.Bins != nil && l.Bar != nil {
			none.Reason = fmt.Sprintf("no score can pass the bar %v: whatever the labels are, no loss of these predictions is low enough for what is left of the budget",
				*c.Line.Bar)
		} else if c.scale.Less && l.Bar != nil {
			none.Reason = strings.Replace(none.Reason, fmt.Sprint(*l.Bar), fmt.Sprint(*c.Line.Bar), 1)
		}
		return c, &unanswerable{form.Inputf("%s: %s", flagOf(l), none.Reason)}
	}
	return c, err
}

// unanswerable is a [form.InputError] of a question that no score can answer, or that has too many cells.
type unanswerable struct{ error }

func (e *unanswerable) Unwrap() error { return e.error }

// flagOf is the flag that makes a question one without an answer.
func flagOf(l rule.Line) string {
	switch l.Show {
	case ask.Pass:
		return "bar"
	case ask.Reject:
		return "test"
	}
	return "step"
}

// from is the least score of a cell, nil for the lowest.
func (c cells) from(cell int) *float64 {
	if cell == 0 || c.Line.Show == ask.Reject {
		return nil
	}
	return &c.Cuts[cell-1].At
}

// below is above all scores of a cell, nil for the highest.
func (c cells) below(cell int) *float64 {
	if cell == len(c.Cuts) || c.Line.Show == ask.Reject {
		return nil
	}
	return &c.Cuts[cell].At
}

// ends are the ends of a cell as a person reads them.
func (c cells) ends(cell int) (from, below *float64) {
	from, below = c.from(cell), c.below(cell)
	if gate, ok := c.tails.(ratioGate); ok {
		from, below = gate.moved(from), gate.moved(below)
	}
	if c.scale.Less {
		return c.scale.Read(below), c.scale.Read(from)
	}
	return from, below
}

// shown is what a cell shows.
func (c cells) shown(cell int) (r rule.Reply, s form.Shown) {
	price := -c.LnOf(cell)
	s = c.Line.Shown
	if cell == refusal {
		in := c.scale.Ends()
		s.Price, s.Lower, s.Upper, r.Verdict = &price, &in.Lowest, &in.Highest, form.Refused
		return r, s
	}
	if c.Joint != nil {
		return c.shownJointly(cell)
	}
	lower, upper := c.Interval(c.node, c.tails, cell)
	s.Price, s.Lower, s.Upper = &price, &lower, &upper
	s.From, s.Below = c.ends(cell)
	lowest, highest := c.tails.Range()
	from, below := rule.ValueOr(c.from(cell), lowest), rule.ValueOr(c.below(cell), highest)
	switch c.Line.Show {
	case ask.Pass:
		r.Verdict = rule.Verdict(cell == 1, form.Pass, form.Fail)
	case ask.Reject:
		r.Verdict = rule.Verdict(cell == 1, form.Rejected, form.NotRejected)
		in := c.scale.Ends()
		lower, upper = in.Lowest, in.Highest
		if cell == 1 && c.Line.Metric == metric.Accuracy { // a difference of shares of right predictions
			lower = 0
		}
		return r, s
	case ask.Best:
		r = rule.Number(from, form.Raise)
		if !c.first && cell == 0 {
			r = rule.Number(c.last, form.Keep)
		}
	case ask.Score:
		r = rule.Number((from+below)/2, "")
	case ask.Guess:
		r = rule.Number((from+below)/2, rule.Verdict(cell == c.holds, form.Holds, form.Moved))
	}
	if c.scale.Less {
		r.Value = c.scale.Read(r.Value)
		s.Lower, s.Upper = c.scale.Read(s.Upper), c.scale.Read(s.Lower)
	}
	return r, s
}

// Write puts the response of a cell into the line of its look.
func (c cells) Write(cell int) rule.Line {
	l := c.Line
	var r rule.Reply
	r, l.Shown = c.shown(cell)
	l.Response, l.Verdict = r.Value, r.Verdict
	return l
}

// usualStep is the width of cells, and how far a guess may be off, if a look states neither.
const usualStep = 0.01
