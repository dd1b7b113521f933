package holdout

import (
	"cmp"
	"fmt"
	"reflect"

	"github.com/dpcalc/dpcalc/holdout/ask"
	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer"
)

// practice is how a method of the registry answers looks. A method that a ledger runs is an entry of [practices].
type practice interface {
	run(transfer.Answer) (theory.Run, error) // the mechanism of a new plan
	failure(*Plan) (theory.LogProb, error)   // a bound by the method's theorem at the plan's mechanism; 0 for none
	response(Past, *Asked) (response, error) // to the next look
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
	{openMethod, noisy{}},
}

// fixedRule answers looks by a method of the registry, and keeps the promise that was made for all of them.
type fixedRule struct{ practice }

// Params returns what looks with the feedback of the plan take.
func (fixedRule) Params(p *Plan) []ask.Param { return rulesOf(p).Params() }

// Admit checks the question of a look, and fills in the only bar that there is.
func (fixedRule) Admit(p *Plan, q *Question, metric string) error {
	return cmp.Or(checkFixed(p, q), joins(p, *q, metric))
}

// Allow refuses a look at rows that have not come, and conditions that none can pass.
func (fixedRule) Allow(past Past, a *Asked) error {
	switch {
	case past.plan.design().Arrives():
		return awaits(past, a)
	case len(a.All) > 0:
		return Covers(past.plan, a)
	}
	return nil
}

// Answer answers the next look by the plan's method.
func (r fixedRule) Answer(past Past, a *Asked) (Line, error) {
	if len(a.All) > 0 {
		return Joint(past.plan, a)
	}
	line, most := a.Line, past.plan.kept("")
	if most > 0 && a.look.square() > most {
		line.Verdict = Refused
		return line, nil
	}
	shown, err := r.response(past, a)
	line.Response, line.Verdict = shown.value, shown.verdict
	return line, err
}

// Replay checks the conditions of looks, and the rows that they were about.
func (fixedRule) Replay(past Past) error { return cmp.Or(Rejoined(past), arrivedInTime(past)) }

// Remaining returns the rest of the plan: nothing after the last look, pass or flag, or once the finalists were scored.
func (fixedRule) Remaining(h Past) (r Remaining) {
	goal := h.plan.goal
	r.Looks = max(goal.Queries-h.looks, 0)
	over := h.retired || h.refused > 0
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

// Fields returns the columns of conditions, and of rows that arrive.
func (fixedRule) Fields(p *Plan) []string {
	switch {
	case p.conditioned():
		return []string{"conditions"}
	case p.design().Arrives():
		return []string{"rows"}
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
func mean(p *Plan, l look, part int64) (float64, error) {
	if p.Mechanism.Parts == 0 {
		return l.sum() / float64(p.goal.Samples), nil
	}
	rows, err := partOf(p, part)
	if err != nil {
		return 0, err
	}
	sum := 0.
	for _, row := range rows {
		sum += l.record(int(row), l.score)
	}
	return sum / float64(len(rows)), nil
}

// byMethod is the failure of a mechanism that the goal determines.
func byMethod(p *Plan) (theory.LogProb, error) {
	method, _ := transfer.Lookup(p.Method) // which has been found
	if ok, err := method.Certifies(p.goal); err != nil || !ok {
		return 0, err
	}
	return p.goal.Beta, nil
}

// only refuses a mechanism with a field that the method has not.
func only(p *Plan, own theory.Run) error {
	if !reflect.DeepEqual(own, p.Mechanism) {
		return corrupt("plan.json: the mechanism has a field that is no part of %s", p.Method)
	}
	return nil
}

// Certified checks that the plan's mechanism keeps its promise: the inequality of the method's theorem, evaluated once
// at the noise, counts, widths or steps of plan.json. The error says which theorem does not certify it, and why.
func (r fixedRule) Certified(p *Plan) error {
	method, ok := transfer.Lookup(p.Method)
	if !ok {
		return corrupt("plan.json: got the unknown method %s", shown(p.Method))
	}
	if err := method.Admits(p.goal); err != nil {
		return uncertified(p, err.Error())
	}
	beta, err := r.failure(p)
	if err != nil || beta != 0 && beta <= p.goal.Beta {
		return err
	}
	answer, err := method.Solve(p.goal)
	switch {
	case err != nil:
		return err
	case answer.Status != transfer.OK:
		return uncertified(p, answer.Reason)
	case beta == 0:
		return uncertified(p, "the mechanism of plan.json is none of its mechanisms")
	}
	return uncertified(p, fmt.Sprintf("the mechanism of plan.json fails with probability %v, and the promise is %v", beta,
		p.goal.Beta))
}

// uncertified says which theorem does not certify the plan, and why.
func uncertified(p *Plan, why string) error {
	return corrupt("plan.json: the plan has no certificate by the theorem of %s: %s", p.Method, why)
}
