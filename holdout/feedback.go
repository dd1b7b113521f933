package holdout

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/dpcalc/dpcalc/transfer"
)

// The verdicts of a look.
const (
	Pass     = "pass"     // gate: above the bar
	Fail     = "fail"     // gate: below the bar and 2 tau
	Holds    = "holds"    // flags: the guess is right
	Moved    = "moved"    // flags: the guess is wrong
	Improved = "improved" // best: the best so far
	Kept     = "kept"     // best: not better than the best before
)

// show turns an answer within tau of the truth into the feedback of the plan, and shows nothing more.
func (h *history) show(answer float64, l look) (response, error) {
	goal := h.plan.goal
	switch goal.Feedback {
	case transfer.Answers, transfer.Final:
		return number(answer, ""), nil
	case transfer.Gate:
		return response{verdict: verdict(answer >= *l.bar+goal.Tau, Pass, Fail)}, nil
	case transfer.Best:
		best := goal.Baseline()
		if goal.Query == transfer.Difference {
			best = -1
		}
		if h.board != nil {
			best = *h.board
		}
		return number(math.Max(best, answer), verdict(answer > best, Improved, Kept)), nil
	case transfer.Flags:
		// A guess within the guess error of the truth is within that and tau of the answer: it holds. One that holds may be
		// as far as 2 tau and the guess error from the truth, so that the answer is shown and not the guess. It is within
		// tau, and the plan has paid for it.
		wrong := math.Abs(answer-*l.guess) > goal.Tau+goal.GuessError.Or(goal.Tau/2)
		return number(answer, verdict(wrong, Moved, Holds)), nil
	}
	return response{}, fmt.Errorf("no response for the feedback %s", goal.Feedback)
}

// verdict is one of two words.
func verdict(yes bool, word, other string) string {
	if yes {
		return word
	}
	return other
}

// needs checks the bar or the guess that a look needs. The bar of a plan that has but one may be left out.
func (p *Plan) needs(s *Submission) error {
	goal := p.goal
	if p.Promise.Test != "" && s.Bar != nil {
		return inputf("bar: got %v, want none for a gate with --test: the incumbent takes its place", *s.Bar)
	}
	low := lowest(goal)
	for _, c := range []struct {
		name  string
		value **float64
		kind  transfer.Feedback
	}{{"bar", &s.Bar, transfer.Gate}, {"guess", &s.Guess, transfer.Flags}} {
		if c.kind == goal.Feedback && *c.value == nil && c.name == "bar" {
			if *c.value = p.onlyBar(); p.Promise.Test != "" {
				continue
			}
		}
		x := *c.value
		switch {
		case c.kind != goal.Feedback && x == nil:
		case c.kind != goal.Feedback:
			return inputf("%s: got %v, want none with --feedback %s, or a ledger with --feedback %s", c.name, *x, goal.Feedback, c.kind)
		case x == nil:
			return inputf("%s: got nothing, want a number in [%v, 1] with --feedback %s", c.name, low, goal.Feedback)
		case !(*x >= low && *x <= 1):
			return inputf("%s: got %v, want a number in [%v, 1]", c.name, *x, low)
		}
	}
	if goal.Feedback != transfer.Gate || p.Promise.Test != "" {
		return nil
	}
	return p.takesBar(*s.Bar)
}

// onlyBar is the bar of a plan that has but one.
func (p *Plan) onlyBar() *float64 {
	if len(p.Bars) == 1 {
		return &p.Bars[0]
	}
	return p.Promise.Bar
}

// takesBar checks that a look may ask a bar.
func (p *Plan) takesBar(bar float64) error {
	declared, tau := p.Promise.Bar, p.goal.Tau
	switch {
	case declared != nil && *declared != bar:
		return inputf("bar: got %v, want %v as in the plan, or none", bar, *declared)
	case p.Bars != nil && !slices.Contains(p.Bars, bar):
		return inputf("bar: got %v, want one of %s, as declared when the ledger was made", bar,
			listed(p.Bars))
	case declared == nil && !reaches(1, 1, bar, tau):
		return inputf("bar: got %v, want at most 1 - tau, where tau is %v: nothing passes above it", bar, tau)
	}
	return nil
}

// listed are numbers in words.
func listed(numbers []float64) string { return strings.Trim(fmt.Sprint(numbers), "[]") }

// Remaining is the rest of a plan. Passes belong to a gate, flags to a plan with guesses.
type Remaining struct{ Looks, Passes, Flags int64 }

// remaining is the rest of the plan: nothing after the last look, pass or flag, or once the finalists were scored. An
// open ledger has no last look.
func (h *history) remaining() (r Remaining) {
	goal := h.plan.goal
	if h.plan.Open != nil {
		return Remaining{Looks: one(!h.retired) * math.MaxInt64}
	}
	r.Looks = max(goal.Queries-h.looks, 0)
	over := h.retired || h.refused > 0 && h.plan.Open == nil
	switch goal.Feedback {
	case transfer.Gate:
		r.Passes = max(passes(goal)-h.passes, 0)
		over = over || r.Passes == 0
	case transfer.Flags:
		r.Flags = max(goal.Budget-h.flags, 0)
		over = over || r.Flags == 0
	case transfer.Final:
		over = over || h.looks > 0
	}
	if over {
		return Remaining{}
	}
	return r
}
