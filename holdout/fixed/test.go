package fixed

import (
	"math"
	"slices"
	"strings"

	"github.com/dpcalc/dpcalc/holdout/ask"
	"github.com/dpcalc/dpcalc/holdout/form"
	"github.com/dpcalc/dpcalc/holdout/journal"
	"github.com/dpcalc/dpcalc/holdout/rule"
	"github.com/dpcalc/dpcalc/holdout/terms"
	"github.com/dpcalc/dpcalc/internal/text"
	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer"
	tails "github.com/dpcalc/dpcalc/transfer/open"
)

// testsMethod is the method of gates of a test: the theorem of tests behind a gate.
const testsMethod = "gates"

// tested is the promise of a gate of a test, and no more than that.
func tested(p form.Promise) form.Promise {
	return form.Promise{Samples: p.Samples, Queries: p.Queries, Beta: p.Beta, Query: transfer.Difference.String(),
		Feedback: transfer.Gate.String(), Passes: p.Passes, Test: p.Test}
}

// NewTestPlan returns the plan of a gate of a test, which passes a candidate that is better than the incumbent by wins
// and losses at the level beta/N. It has no tau and no bar.
func NewTestPlan(t terms.Terms, samples int64) (*rule.Plan, error) {
	goal := t.Goal
	known := transfer.Goal{Samples: goal.Samples, Queries: goal.Queries, Beta: goal.Beta, Query: goal.Query}
	known.Feedback, known.Passes = goal.Feedback, goal.Passes
	more := goal != known || t.Method != "" || t.Methods != nil
	switch {
	case !slices.Contains(ask.Tests(), t.Test):
		return nil, form.Inputf("test: got %s, want %s", text.Shown(t.Test), strings.Join(ask.Tests(), " or "))
	case goal.Feedback != transfer.Gate:
		return nil, form.Inputf("feedback: got %s with a test, want gate", goal.Feedback)
	case !goal.Query.IsSigned():
		return nil, form.Inputf("query: got %s with a test, want difference: a candidate is compared with the incumbent", goal.Query)
	case goal.Tau != 0:
		return nil, form.Inputf("tau: got %v with a test, want none: what passes is better, and nobody says by how much", goal.Tau)
	case more || t.Bars != nil || t.Items != nil:
		return nil, form.Inputf("test: got more than looks, passes and beta, want these alone for a gate of a test")
	case goal.Queries == 0:
		return nil, form.Inputf("queries: got nothing, want a number of looks with a test")
	case goal.Beta == 0:
		return nil, form.Inputf("beta: got nothing, want a probability in (0, 1), such as 0.05")
	}
	records := samples
	if t.Sizes() != nil && t.Weights == form.ByClusters {
		records = t.Sizes().Count
	}
	if goal.Samples != 0 && goal.Samples != records {
		return nil, form.Inputf("samples: got %d, want %d, the number of labels, or none", goal.Samples, records)
	}
	goal.Samples = records
	if err := goal.Validate(); err != nil {
		return nil, err
	}
	if err := goal.Overspent(); err != nil {
		return nil, err
	}
	p := &rule.Plan{Plan: form.Plan{
		Schema:    form.FixedSchema,
		Method:    testsMethod,
		Mechanism: theory.Run{Level: transfer.TestLevel(goal)},
		Asks:      form.Asks{Metric: t.Metrics[0], Metrics: t.Metrics, Match: t.Match, Classes: t.Classes},
		Drawn:     form.Drawn{Group: t.Clusters()},
	}, Goal: goal, Rule: Test{}}
	p.Promise = rule.PromiseOf(goal)
	p.Promise.Test = t.Test
	if err := p.Certified(); err != nil {
		return nil, err
	}
	if mostEvidence(p) < -float64(p.Mechanism.Level) {
		return nil, &form.PlanError{Reason: "no candidate can pass: with so few rows even one that wins all of them has too little evidence at the level " +
			p.Mechanism.Level.String()}
	}
	return p, nil
}

// Certified checks that the looks of a gate of a test are tested at a level that keeps its promise: N times it is
// at most beta.
func (Test) Certified(p *rule.Plan) error {
	level := p.Mechanism.Level
	if err := rejectForeignFields(p, theory.Run{Level: level}); err != nil {
		return err
	}
	switch {
	case p.Promise != tested(p.Promise) || p.Method != testsMethod || !slices.Contains(ask.Tests(), p.Promise.Test):
		return journal.Corrupt("plan.json: got a gate of a test with a promise that is none of its own")
	case p.Bars != nil || p.Design().IsSecret():
		return journal.Corrupt("plan.json: got a gate of a test with bars or a benchmark, want neither")
	case !(float64(level) < -math.Ln2):
		return form.Inputf("beta: got %v, want one at which each look is tested below one half", p.Promise.Beta)
	case level > transfer.TestLevel(p.Goal):
		return uncertified(p, "each look is tested at a level of "+level.String()+", above "+transfer.TestLevel(p.Goal).String())
	}
	return nil
}

// mostEvidence returns the evidence of a candidate that wins every row.
func mostEvidence(p *rule.Plan) float64 {
	if p.Design().Sizes() == nil {
		return tails.Duel{Wins: p.Promise.Samples}.Evidence(p.Decided(p.Metric))
	}
	all := make([]float64, p.Group.Clusters.Count)
	for i := range all {
		all[i] = 1
	}
	return rule.ClusterEvidence(all)
}

// Answer answers the next look.
func (Test) Answer(past rule.Past, a *rule.Asked) (rule.Line, error) {
	line, p := a.Line, past.Plan
	enough := rule.Evidence(p, a.Scores, a.Metric) >= -float64(p.Mechanism.Level)
	line.Verdict = rule.Verdict(enough, form.Pass, form.Fail)
	return line, nil
}

// Test answers looks by a test of wins and losses. Its candidates have no bar.
type Test struct{ Rule }

// Fields returns the column of what the verdict rests on.
func (Test) Fields(*rule.Plan) []string { return []string{"rests_on"} }
