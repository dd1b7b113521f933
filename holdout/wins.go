package holdout

import (
	"math"
	"slices"
	"strings"

	"github.com/dpcalc/dpcalc/holdout/form"
	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer"
	"github.com/dpcalc/dpcalc/transfer/open"
)

// testsMethod is the method of gates of a test: the theorem of tests behind a gate.
const testsMethod = "gates"

// tested is the promise of a gate of a test, and no more than that.
func tested(p Promise) Promise {
	return Promise{Samples: p.Samples, Queries: p.Queries, Beta: p.Beta, Query: transfer.Difference.String(),
		Feedback: transfer.Gate.String(), Passes: p.Passes, Test: p.Test}
}

// testPlan is the plan of a gate of a test, which passes a candidate that is better than the incumbent by wins and
// losses at the level beta/N. It has no tau and no bar.
func testPlan(t Terms, samples int64) (*Plan, error) {
	goal := t.Goal
	known := transfer.Goal{Samples: goal.Samples, Queries: goal.Queries, Beta: goal.Beta, Query: goal.Query}
	known.Feedback, known.Passes = goal.Feedback, goal.Passes
	more := goal != known || t.Method != "" || t.Methods != nil
	switch {
	case !slices.Contains(Tests(), t.Test):
		return nil, inputf("test: got %s, want %s", shown(t.Test), strings.Join(Tests(), " or "))
	case goal.Feedback != transfer.Gate:
		return nil, inputf("feedback: got %s with a test, want gate", goal.Feedback)
	case goal.Query != transfer.Difference:
		return nil, inputf("query: got %s with a test, want difference: a candidate is compared with the incumbent", goal.Query)
	case goal.Tau != 0:
		return nil, inputf("tau: got %v with a test, want none: what passes is better, and nobody says by how much", goal.Tau)
	case more || t.Bars != nil || t.Items != nil:
		return nil, inputf("test: got more than looks, passes and beta, want these alone for a gate of a test")
	case goal.Queries == 0:
		return nil, inputf("queries: got nothing, want a number of looks with a test")
	case goal.Beta == 0:
		return nil, inputf("beta: got nothing, want a probability in (0, 1)")
	}
	records := samples
	if t.sizes != nil && t.Weights == ByClusters {
		records = t.sizes.Count
	}
	if goal.Samples != 0 && goal.Samples != records {
		return nil, inputf("samples: got %d, want %d, the number of labels, or none", goal.Samples, records)
	}
	goal.Samples = records
	if err := goal.Validate(); err != nil {
		return nil, err
	}
	if err := goal.Overspent(); err != nil {
		return nil, err
	}
	p := &Plan{Plan: form.Plan{
		Schema: form.FixedSchema, Method: testsMethod, Metric: t.Metrics[0], Metrics: t.Metrics, Match: t.Match,
		Classes: t.Classes, Group: t.group(), Mechanism: theory.Run{Level: goal.TestLevel()},
	}, goal: goal, Rule: testRule{}}
	p.Promise = promiseOf(goal)
	p.Promise.Test = t.Test
	if err := p.Certified(); err != nil {
		return nil, err
	}
	if mostEvidence(p) < -float64(p.Mechanism.Level) {
		return nil, &PlanError{Reason: "no candidate can pass: with so few rows even one that wins all of them has too little evidence at the level " +
			p.Mechanism.Level.String()}
	}
	return p, nil
}

// Certified checks that the looks of a gate of a test are tested at a level that keeps its promise: N times it is
// at most beta.
func (testRule) Certified(p *Plan) error {
	level := p.Mechanism.Level
	if err := only(p, theory.Run{Level: level}); err != nil {
		return err
	}
	switch {
	case p.Promise != tested(p.Promise) || p.Method != testsMethod || !slices.Contains(Tests(), p.Promise.Test):
		return corrupt("plan.json: got a gate of a test with a promise that is none of its own")
	case p.Bars != nil || p.design().Secret():
		return corrupt("plan.json: got a gate of a test with bars or a benchmark, want neither")
	case !(float64(level) < -math.Ln2):
		return inputf("beta: got %v, want one at which each look is tested below one half", p.Promise.Beta)
	case level > p.goal.TestLevel():
		return uncertified(p, "each look is tested at a level of "+level.String()+", above "+p.goal.TestLevel().String())
	}
	return nil
}

// mostEvidence is that of a candidate that wins every row.
func mostEvidence(p *Plan) float64 {
	if p.design().Sizes() == nil {
		return open.Duel{Wins: p.Promise.Samples}.Evidence(p.decided(p.Metric))
	}
	all := make([]float64, p.Group.Clusters.Count)
	for i := range all {
		all[i] = 1
	}
	return clusterEvidence(all)
}

// Answer answers the next look.
func (testRule) Answer(past Past, a *Asked) (Line, error) {
	line, p := a.Line, past.plan
	enough := evidenceOf(p, a.look, a.Metric) >= -float64(p.Mechanism.Level)
	line.Verdict = verdict(enough, Pass, Fail)
	return line, nil
}

// testRule answers looks by a test of wins and losses. Its candidates have no bar.
type testRule struct{ fixedRule }

// Fields returns the column of what the verdict rests on.
func (testRule) Fields(*Plan) []string { return []string{"rests_on"} }

// RestsOn is the theorem that the verdict of a test rests on, "" for other looks.
func (a Answer) RestsOn() string {
	switch {
	case a.Plan.Promise.Test != "":
		return a.Plan.RestsOn(a.Plan.Metric)
	case a.Open != nil && a.Open.Show == ShowReject:
		return a.Plan.RestsOn(a.Open.Metric)
	}
	return ""
}
