package fixed

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/dpcalc/dpcalc/holdout/ask"
	"github.com/dpcalc/dpcalc/holdout/form"
	"github.com/dpcalc/dpcalc/holdout/rule"
	"github.com/dpcalc/dpcalc/internal/text"
	"github.com/dpcalc/dpcalc/transfer"
)

// show turns an answer within tau of the truth into the feedback of the plan, and shows nothing more.
func show(h rule.Past, a *rule.Asked, answer float64) (rule.Reply, error) {
	goal := h.Plan.Goal
	switch goal.Feedback {
	case transfer.Answers, transfer.Final:
		return rule.Number(answer, ""), nil
	case transfer.Gate:
		return rule.Reply{Verdict: rule.Verdict(answer >= *a.Bar+goal.Tau, form.Pass, form.Fail)}, nil
	case transfer.Best:
		best := goal.Baseline()
		if goal.Query.IsSigned() {
			best = -1
		}
		if h.Board != nil {
			best = *h.Board
		}
		return rule.Number(math.Max(best, answer), rule.Verdict(answer > best, form.Improved, form.Kept)), nil
	case transfer.Flags:
		// A guess within the guess error of the truth is within that and tau of the answer: it holds. One that holds may be
		// as far as 2 tau and the guess error from the truth, so that the answer is shown and not the guess. It is within
		// tau, and the plan has paid for it.
		wrong := math.Abs(answer-*a.Guess) > goal.Tau+goal.GuessError.Or(goal.Tau/2)
		return rule.Number(answer, rule.Verdict(wrong, form.Moved, form.Holds)), nil
	}
	return rule.Reply{}, fmt.Errorf("no response for the feedback %s", goal.Feedback)
}

// fixedRules are what looks of fixed plans take, by their feedback. Looks of other feedback take none.
var fixedRules = map[transfer.Feedback]ask.Rule{
	transfer.Gate:  {Needs: []string{"bar"}},
	transfer.Flags: {Needs: []string{"guess"}},
}

// rulesOf is what looks of a fixed plan take.
func rulesOf(p *rule.Plan) ask.Rule {
	rule := fixedRules[p.Goal.Feedback]
	if p.Promise.Test != "" {
		rule = ask.Rule{}
	}
	if p.Conditioned() {
		rule.Takes = append(slices.Clip(rule.Takes), "all")
	}
	return rule
}

// checkFixed checks the question of a look at a fixed plan, and fills in the only bar that there is.
func checkFixed(p *rule.Plan, s *ask.Question) error {
	goal := p.Goal
	if bar := onlyBar(p); goal.Feedback == transfer.Gate && s.Bar == nil {
		s.Bar = bar
	}
	with := "--feedback " + goal.Feedback.String()
	err := rulesOf(p).Check(*s, ask.Ends{Lowest: rule.Lowest(goal), Highest: 1}, with, func(param ask.Param) string {
		got := strings.Join(param.Texts(*s), " and ")
		switch {
		case param.Name == "all":
			return "got conditions, want none but of an open ledger, or of one by the method gate that was made with --features"
		case param.Name == "bar" && p.Promise.Test != "":
			return "got " + got + ", want none for a gate with --test: the incumbent takes its place"
		}
		for feedback, rule := range fixedRules {
			if slices.Contains(rule.Needs, param.Name) {
				return "got " + got + ", want a ledger with --feedback " + feedback.String() + ": this one has " + with
			}
		}
		return "got " + text.Shown(got) + ", want a ledger made with --open: this one is fixed"
	})
	if err != nil {
		return form.Inputf("%v", err)
	}
	if goal.Feedback != transfer.Gate || p.Promise.Test != "" {
		return nil
	}
	return takesBar(p, *s.Bar)
}

// onlyBar is the bar of a plan that has but one.
func onlyBar(p *rule.Plan) *float64 {
	if len(p.Bars) == 1 {
		return &p.Bars[0]
	}
	return p.Promise.Bar
}

// takesBar checks that a look may ask a bar.
func takesBar(p *rule.Plan, bar float64) error {
	declared, tau := p.Promise.Bar, p.Goal.Tau
	switch {
	case declared != nil && *declared != bar:
		return form.Inputf("bar: got %v, want %v as in the plan, or none", bar, *declared)
	case p.Bars != nil && !slices.Contains(p.Bars, bar):
		return form.Inputf("bar: got %v, want one of %s, as declared when the ledger was made", bar,
			listed(p.Bars))
	case declared == nil && !rule.Reaches(1, 1, bar, tau):
		return form.Inputf("bar: got %v, want at most 1 - tau, where tau is %v: nothing passes above it", bar, tau)
	}
	return nil
}

// listed are numbers in words.
func listed(numbers []float64) string { return strings.Trim(fmt.Sprint(numbers), "[]") }
