package fixed

import (
	"github.com/dpcalc/dpcalc/holdout/form"
	"github.com/dpcalc/dpcalc/holdout/journal"
	"github.com/dpcalc/dpcalc/holdout/rule"
	"github.com/dpcalc/dpcalc/mechanism"
	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer"
)

// gate shows whether the mean over all rows is at least the bar plus tau, or the count at least the plan's.
type gate struct{}

func (gate) run(a transfer.Answer) (theory.Run, error) {
	return theory.Run{PassCount: a.Mechanism.PassCount}, nil
}

func (gate) failure(p *rule.Plan) (theory.LogProb, error) {
	count := p.Mechanism.PassCount
	if err := rejectForeignFields(p, theory.Run{PassCount: count}); err != nil {
		return 0, err
	}
	switch counted := p.Goal.Query.IsZeroOne() && p.Goal.Bar.Given; {
	case !counted && count != 0:
		return 0, journal.Corrupt("plan.json: got a count that passes, want none without 0/1 queries at a known bar")
	case !counted:
		return byMethod(p)
	case count == 0:
		return 0, journal.Corrupt("plan.json: got no count that passes, want one for 0/1 queries at a known bar")
	}
	a := transfer.Answer{Goal: p.Goal}
	a.CertifyCount(count)
	return a.Beta, nil
}

func (gate) response(h rule.Past, a *rule.Asked) (rule.Reply, error) {
	goal, l := h.Plan.Goal, a.Scores
	run, err := mechanism.Gate{Queries: goal.Queries, Passes: passes(goal), Margin: goal.Tau}.Start()
	if err != nil {
		return rule.Reply{}, err
	}
	for _, line := range h.Lines {
		if _, err := run.TestCount(rule.BoolToInt(line.Counts(form.Pass)), 1); err != nil {
			return rule.Reply{}, err
		}
	}
	passed := false
	switch count := h.Plan.Mechanism.PassCount; {
	case l.Values.Kind.Pairs:
		passed = rule.AtLeast(l.Area(), *a.Bar, goal.Tau)
	case count > 0:
		passed = l.Sum() >= float64(count)
	default:
		passed = rule.Reaches(l.Sum(), goal.Samples, *a.Bar, goal.Tau)
	}
	if passed, err = run.TestCount(rule.BoolToInt(passed), 1); err != nil {
		return rule.Reply{}, err
	}
	return rule.Reply{Verdict: rule.Verdict(passed, form.Pass, form.Fail)}, nil
}

// passes is how many passes the plan covers.
func passes(g transfer.Goal) int64 {
	if g.Passes == 0 {
		return g.Queries
	}
	return g.Passes
}
