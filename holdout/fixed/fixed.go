// Package fixed answers looks of a plan with a number of looks: by a method of the registry, a file for each, or by a
// test of wins and losses.
package fixed

import (
	"cmp"
	"fmt"
	"reflect"

	"github.com/dpcalc/dpcalc/holdout/ask"
	"github.com/dpcalc/dpcalc/holdout/design"
	"github.com/dpcalc/dpcalc/holdout/form"
	"github.com/dpcalc/dpcalc/holdout/journal"
	"github.com/dpcalc/dpcalc/holdout/open"
	"github.com/dpcalc/dpcalc/holdout/rule"
	"github.com/dpcalc/dpcalc/internal/text"
	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer"
)

// practice is how a method of the registry answers looks. A method that a ledger runs is an entry of [practices].
type practice interface {
	run(transfer.Answer) (theory.Run, error)             // the mechanism of a new plan
	failure(*rule.Plan) (theory.LogProb, error)          // a bound by the theorem at the plan's mechanism; 0 for none
	response(rule.Past, *rule.Asked) (rule.Reply, error) // to the next look
}

// practices are the methods that a ledger runs, in the order in which the best of equals is chosen.
var practices = []struct {
	method string
	practice
}{
	{"gaussian-schedule", noisy{}},
	{"gaussian", noisy{}},
	{"gate", gate{}},
	{"ladder", ladder{}},
	{"sparse-validate", validator{}},
	{"sealed", sealed{}},
	{"splitting", splitting{}},
	{OpenMethod, noisy{}},
}

// Rule answers looks by a method of the registry, and keeps the promise that was made for all of them.
type Rule struct{ practice }

// Params returns what looks with the feedback of the plan take.
func (Rule) Params(p *rule.Plan) []ask.Param { return rulesOf(p).Params() }

// Admit checks the question of a look, and fills in the only bar that there is.
func (Rule) Admit(p *rule.Plan, q *ask.Question, metric string) error {
	return cmp.Or(checkFixed(p, q), open.Joins(p, *q, metric))
}

// Allow refuses a look at rows that have not come, and conditions that none can pass.
func (Rule) Allow(past rule.Past, a *rule.Asked) error {
	switch {
	case past.Plan.Design().Arrives():
		return awaits(past, a)
	case len(a.All) > 0:
		return open.AllowJointly(past.Plan, a)
	}
	return nil
}

// Answer answers the next look by the plan's method.
func (r Rule) Answer(past rule.Past, a *rule.Asked) (rule.Line, error) {
	if len(a.All) > 0 {
		return open.AnswerJointly(past.Plan, a)
	}
	line, most := a.Line, past.Plan.RefusedAbove("")
	if most > 0 && a.Scores.Square() > most {
		line.Verdict = form.Refused
		return line, nil
	}
	shown, err := r.response(past, a)
	line.Response, line.Verdict = shown.Value, shown.Verdict
	return line, err
}

// Replay checks the conditions of looks, and the rows that they were about.
func (Rule) Replay(past rule.Past) error {
	return cmp.Or(open.ReplayConditions(past), arrivedInTime(past))
}

// Remaining returns the rest of the plan: nothing after the last look, pass or flag, or once the finalists were scored.
func (Rule) Remaining(h rule.Past) (r rule.Remaining) {
	goal := h.Plan.Goal
	r.Looks = max(goal.Queries-h.Looks, 0)
	over := h.Retired || h.Refused > 0
	switch goal.Feedback {
	case transfer.Gate:
		r.Passes = max(passes(goal)-h.Passes, 0)
		over = over || r.Passes == 0
	case transfer.Flags:
		r.Flags = max(goal.Budget-h.Flags, 0)
		over = over || r.Flags == 0
	case transfer.Final:
		over = over || h.Looks > 0
	}
	if over {
		return rule.Remaining{}
	}
	return r
}

// Fields returns the columns of conditions, and of rows that arrive.
func (Rule) Fields(p *rule.Plan) []string {
	switch {
	case p.Conditioned():
		return []string{"conditions"}
	case p.Design().Arrives():
		return []string{"rows"}
	}
	return nil
}

// Of returns the rule of a fixed plan, nil for a method that no ledger runs.
func Of(p *rule.Plan) rule.Rule {
	if p.Promise.Test != "" {
		return Test{}
	}
	if practice := practiceOf(p.Method); practice != nil {
		return Rule{practice}
	}
	return nil
}

// practiceOf finds the practice of a method, nil if a ledger does not run it.
func practiceOf(method string) practice {
	for _, p := range practices {
		if p.method == method {
			return p.practice
		}
	}
	return nil
}

// mean is the mean value of the records, of one part of them where the plan has parts.
func mean(p *rule.Plan, l design.Scores, part int64) (float64, error) {
	if p.Mechanism.Parts == 0 {
		return l.Sum() / float64(p.Goal.Samples), nil
	}
	rows, err := Part(p, part)
	if err != nil {
		return 0, err
	}
	sum := 0.
	for _, row := range rows {
		sum += l.Record(int(row), l.Score)
	}
	return sum / float64(len(rows)), nil
}

// byMethod is the failure of a mechanism that the goal determines.
func byMethod(p *rule.Plan) (theory.LogProb, error) {
	method, _ := transfer.Lookup(p.Method) // which has been found
	if ok, err := method.Certifies(p.Goal); err != nil || !ok {
		return 0, err
	}
	return p.Goal.Beta, nil
}

// rejectForeignFields refuses a mechanism with a field that the method has not.
func rejectForeignFields(p *rule.Plan, own theory.Run) error {
	if !reflect.DeepEqual(own, p.Mechanism) {
		return journal.Corrupt("plan.json: the mechanism has a field that is no part of %s", p.Method)
	}
	return nil
}

// Certified checks that the plan's mechanism keeps its promise: the inequality of the method's theorem, evaluated once
// at the noise, counts, widths or steps of plan.json. The error says which theorem does not certify it, and why.
func (r Rule) Certified(p *rule.Plan) error {
	method, ok := transfer.Lookup(p.Method)
	if !ok {
		return journal.Corrupt("plan.json: got the unknown method %s", text.Shown(p.Method))
	}
	if err := method.Admits(p.Goal); err != nil {
		return uncertified(p, err.Error())
	}
	beta, err := r.failure(p)
	if err != nil || beta != 0 && beta <= p.Goal.Beta {
		return err
	}
	answer, err := method.Solve(p.Goal)
	switch {
	case err != nil:
		return err
	case answer.Status != transfer.OK:
		return uncertified(p, answer.Reason)
	case beta == 0:
		return uncertified(p, "the mechanism of plan.json is none of its mechanisms")
	}
	return uncertified(p, fmt.Sprintf("the mechanism of plan.json fails with probability %v, and the promise is %v", beta,
		p.Goal.Beta))
}

// uncertified says which theorem does not certify the plan, and why.
func uncertified(p *rule.Plan, why string) error {
	return journal.Corrupt("plan.json: the plan has no certificate by the theorem of %s: %s", p.Method, why)
}
