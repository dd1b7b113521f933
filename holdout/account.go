package holdout

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/dpcalc/dpcalc/holdout/ask"
	"github.com/dpcalc/dpcalc/holdout/form"
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

func checkLaw(l *Law, beta theory.LogProb) error {
	switch {
	case l.Code < form.FirstCode || l.Code > form.Code:
		return corrupt("plan.json: got the codes of version %d, want one up to %d, which this version knows", l.Code, form.Code)
	case !(l.Most >= leastMost && l.Most <= mostMost):
		return inputf("most: got %v, want nats from %v to %v", l.Most, float64(leastMost), float64(mostMost))
	case !(beta < 0):
		return inputf("beta: got %v, want a probability in (0, 1)", beta)
	case l.SecondMoment > 0 && l.Most < leastBeside:
		return inputf("most: got %v with a second moment, want nats from %v to %v", l.Most, float64(leastBeside), float64(mostMost))
	case l.MostPerTeam != 0 && !(l.MostPerTeam > 0 && l.MostPerTeam < math.Inf(1)):
		return inputf("most-per-team: got %v, want a positive number of nats", l.MostPerTeam)
	}
	return nil
}

// account is the budget of an open ledger and what its codes depend on: a function of the lines before a look.
type account struct {
	left  open.Budget
	looks map[string]int64  // by what they showed
	rare  map[string]int64  // of these, passes, raises, moved guesses and rejections
	last  map[scope]float64 // the number shown last
	best  map[scope]Known   // of boards: what is known of the best truth of all submissions
	epoch int64             // how many changes of the rows there were
}

func newAccount() account {
	return account{looks: make(map[string]int64), rare: make(map[string]int64), last: make(map[scope]float64),
		best: make(map[scope]Known)}
}

// spent is what the responses so far cost together, in nats.
func (a *account) spent() float64 { return 0 - float64(a.left) } // never -0

// take takes the line of a look.
func (a *account) take(l *Line) {
	if l.Price != nil {
		a.left = a.left.Child(-*l.Price)
	}
	if l.Kept > 0 {
		a.looks[Refused]++
		a.rare[Refused] += one(l.Verdict == Refused)
	}
	if l.Verdict == Refused {
		return
	}
	a.looks[l.Show]++
	switch l.Verdict {
	case Pass, Raise, Moved, Rejected:
		a.rare[l.Show]++
	}
	if l.Response != nil {
		a.last[a.scope(l)] = *l.Response
	}
	if l.Show == ShowBest {
		a.best[a.scope(l)] = a.best[a.scope(l)].with(l)
	}
}

// with is what is known of the best truth if one more submission has its truth in the interval of a line: the best is
// no less than any lower end, and no more than the greatest upper end.
func (k Known) with(l *Line) Known {
	if k.Lower == nil {
		return Known{l.Lower, l.Upper}
	}
	sign := 1.
	if m, _ := metric.Of(l.Metric); m.Less {
		sign = -1
	}
	return Known{least(k.Lower, l.Lower, sign), least(k.Upper, l.Upper, sign)}
}

// scope is the questions whose answers are compared: of one kind, one metric and the same rows.
type scope struct {
	show, metric, where string
	epoch               int64
}

func (a *account) scope(l *Line) scope { return scope{l.Show, l.Metric, l.Where, a.epoch} }

// cells are the cells of a question at the account's node, with what they say of the truth.
type cells struct {
	open.Look
	line  Line
	tails open.Tails
	node  open.Node
	holds int     // guess: the cell in which it holds
	first bool    // best: nothing was shown before
	last  float64 // best: what was shown before
	scale scale

	joint []gateOf // of several conditions: a gate at each

	fixed, oneSided bool // whether they are of a fixed gate, and it says nothing of what fails

	lnRest, lnRefused float64 // ln of the shares of the cells together, and of a refusal where there is one
}

// openRules are what looks of an open ledger take, by what they show: what [account.ask] reads.
var openRules = map[string]ask.Rule{
	ShowPass:   {Needs: []string{"show", "bar"}, Takes: []string{"where", "expect", "all"}},
	ShowBest:   {Needs: []string{"show"}, Takes: []string{"where", "step", "expect"}},
	ShowScore:  {Needs: []string{"show"}, Takes: []string{"where", "near", "step"}},
	ShowGuess:  {Needs: []string{"show", "guess"}, Takes: []string{"where", "within", "step", "expect"}},
	ShowReject: {Needs: []string{"show", "test"}, Takes: []string{"where", "expect"}},
}

// checkOpen checks the question of a look at an open ledger, of scores between the ends.
func checkOpen(q Question, in ask.Ends) error {
	rule, ok := openRules[q.Show]
	if !ok {
		return inputf("show: got %s, want %s", shown(cmp.Or(q.Show, "nothing")), text.OrList(Kinds()))
	}
	err := rule.Check(q, in, "--show "+q.Show, func(param ask.Param) string {
		var kinds []string
		for _, kind := range Kinds() {
			if rule := openRules[kind]; slices.Contains(append(slices.Clip(rule.Needs), rule.Takes...), param.Name) {
				kinds = append(kinds, kind)
			}
		}
		got := shown(strings.Join(param.Texts(q), " and "))
		if kinds == nil {
			return "got " + got + ", want none: no look takes it"
		}
		return "got " + got + " with --show " + q.Show + ", want --show " + text.OrList(kinds)
	})
	if err != nil {
		return inputf("%v", err)
	}
	return nil
}

// ask returns the cells of a look. Its line has the question, its metric and the number of rows. The error is an
// [InputError] if no response may cost so much, or if no score can pass.
func (a *account) ask(p *Plan, l Line, tails open.Tails) (c cells, err error) {
	most := p.Open.Most
	c = cells{line: l, tails: tails, node: open.Node{LnBeta: float64(p.Promise.Beta), Left: a.left}, holds: -1}
	c.scale = p.scale(l.Metric)
	most = c.beside(a, most)
	bet := open.Usual()
	looks, rare := a.looks[l.Show], a.rare[l.Show]
	if l.Expect != nil {
		bet = open.Expect(*l.Expect)
		share := (bet.A + float64(rare)) / (bet.A + bet.B + float64(looks))
		if dearest := -math.Log(min(share, 1-share)); !(dearest <= most) {
			return c, inputf("expect: got %v, want a bet whose responses cost at most %v nats: one of these costs %s",
				*l.Expect, most, text.Up(dearest))
		}
	}
	share := bet.Share(looks, rare, most)
	lowest, highest := tails.Range()
	last, known := a.last[a.scope(&l)]
	last = *c.scale.read(&last)
	l.Bar, l.Guess, l.Near = c.scale.read(l.Bar), c.scale.read(l.Guess), c.scale.read(l.Near)
	usual := usualStep * c.scale.span
	steps := open.Steps{Within: or(l.Within, usual), Step: or(l.Step, usual), Most: most}
	switch l.Show {
	case ShowPass:
		if l.Conditions != nil {
			err = c.join(p, share)
			break
		}
		c.Look, err = open.Gate(c.node, tails, *l.Bar, share)
	case ShowReject:
		c.Look, err = open.Rejection(c.node, share)
	case ShowBest:
		if c.first, c.last = !known, last; c.first {
			c.Look, err = open.Score(tails, (lowest+highest)/2, steps)
		} else {
			c.Look, err = open.Board(tails, last, share, steps)
		}
	case ShowScore:
		near := (lowest + highest) / 2
		if known {
			near = last
		}
		c.Look, err = open.Score(tails, or(l.Near, near), steps)
	case ShowGuess:
		c.Look, err = open.Guess(tails, *l.Guess, share, steps)
		c.holds = c.Response(tails.Edge(max(*l.Guess-steps.Within, lowest)))
		if from := c.from(c.holds); from != nil && *from >= *l.Guess+steps.Within {
			c.holds = -1 // no score is within
		}
	}
	if none := (*theory.NoAnswerError)(nil); errors.As(err, &none) {
		if l.Bar != nil && l.Conditions == nil && decides(p, l) {
			none.Reason = fmt.Sprintf("no score can pass the bar %v: the candidate differs on %d of %d rows, too few for what is left of the budget",
				*l.Bar, l.Differ, l.Rows)
		}
		if l.Bins != nil && l.Bar != nil {
			none.Reason = fmt.Sprintf("no score can pass the bar %v: whatever the labels are, no loss of these predictions is low enough for what is left of the budget",
				*c.line.Bar)
		} else if c.scale.less && l.Bar != nil {
			none.Reason = strings.Replace(none.Reason, fmt.Sprint(*l.Bar), fmt.Sprint(*c.line.Bar), 1)
		}
		return c, &unanswerable{inputf("%s: %s", flagOf(l), none.Reason)}
	}
	return c, err
}

// unanswerable is an [InputError] of a question that no score can answer, or that has too many cells.
type unanswerable struct{ error }

func (e *unanswerable) Unwrap() error { return e.error }

// flagOf is the flag that makes a question one without an answer.
func flagOf(l Line) string {
	switch l.Show {
	case ShowPass:
		return "bar"
	case ShowReject:
		return "test"
	}
	return "step"
}

// from is the least score of a cell, nil for the lowest.
func (c cells) from(cell int) *float64 {
	if cell == 0 || c.line.Show == ShowReject {
		return nil
	}
	return &c.Cuts[cell-1].At
}

// below is above all scores of a cell, nil for the highest.
func (c cells) below(cell int) *float64 {
	if cell == len(c.Cuts) || c.line.Show == ShowReject {
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
	if c.scale.less {
		return c.scale.read(below), c.scale.read(from)
	}
	return from, below
}

// shown is what a cell shows.
func (c cells) shown(cell int) (r response, s Shown) {
	price := -c.lnOf(cell)
	s = c.line.Shown
	if cell == refusal {
		in := c.scale.ends()
		s.Price, s.Lower, s.Upper, r.verdict = &price, &in.Lowest, &in.Highest, Refused
		return r, s
	}
	if c.joint != nil {
		return c.shownJointly(cell)
	}
	lower, upper := c.Interval(c.node, c.tails, cell)
	s.Price, s.Lower, s.Upper = &price, &lower, &upper
	s.From, s.Below = c.ends(cell)
	lowest, highest := c.tails.Range()
	from, below := or(c.from(cell), lowest), or(c.below(cell), highest)
	switch c.line.Show {
	case ShowPass:
		r.verdict = verdict(cell == 1, Pass, Fail)
	case ShowReject:
		r.verdict = verdict(cell == 1, Rejected, NotRejected)
		in := c.scale.ends()
		lower, upper = in.Lowest, in.Highest
		if cell == 1 && c.line.Metric == Accuracy { // a difference of shares of right predictions
			lower = 0
		}
		return r, s
	case ShowBest:
		r = number(from, Raise)
		if !c.first && cell == 0 {
			r = number(c.last, Keep)
		}
	case ShowScore:
		r = number((from+below)/2, "")
	case ShowGuess:
		r = number((from+below)/2, verdict(cell == c.holds, Holds, Moved))
	}
	if c.scale.less {
		r.value = c.scale.read(r.value)
		s.Lower, s.Upper = c.scale.read(s.Upper), c.scale.read(s.Lower)
	}
	return r, s
}

// write puts the response of a cell into the line of its look.
func (c cells) write(cell int) Line {
	l := c.line
	var r response
	r, l.Shown = c.shown(cell)
	l.Response, l.Verdict = r.value, r.verdict
	return l
}
