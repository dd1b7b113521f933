package holdout

import (
	"math/rand/v2"
	"reflect"

	"github.com/dpcalc/dpcalc/holdout/data"
	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer"
)

// practice is how a method of the registry answers looks. A method that a ledger runs is an entry of [practices].
type practice interface {
	run(transfer.Answer) (theory.Run, error)   // the mechanism of a new plan
	failure(*Plan) (theory.LogProb, error)     // a bound by the method's theorem at the plan's mechanism; 0 for none
	response(*history, look) (response, error) // to the next look
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

// practiceOf finds the practice of a method, nil if a ledger does not run it.
func practiceOf(method string) practice {
	for _, p := range practices {
		if p.method == method {
			return p.practice
		}
	}
	return nil
}

// look is a look that is to be answered.
type look struct {
	labels     data.Answers
	values     data.Values
	base       *data.Values // of differences: the incumbent's
	bar, guess *float64
	noise      *rand.Rand
	records    records
	groups     [][]int32 // the clusters of an open look's rows; nil for none
}

// score is the score of a row, of a difference the candidate's less the incumbent's.
func (l look) score(row int) float64 {
	s := l.labels.Score(&l.values, row)
	if l.base != nil {
		s -= l.labels.Score(l.base, row)
	}
	return s
}

// mean is the mean value of the records, of one part of them where the plan has parts.
func (p *Plan) mean(l look, part int64) (float64, error) {
	if p.Mechanism.Parts == 0 {
		return l.sum() / float64(p.goal.Samples), nil
	}
	rows, err := p.part(part)
	if err != nil {
		return 0, err
	}
	sum := 0.
	for _, row := range rows {
		sum += l.record(int(row), l.score)
	}
	return sum / float64(len(rows)), nil
}

// sum adds the values of all records.
func (l look) sum() (sum float64) {
	l.each(func(value float64) { sum += value })
	return sum
}

// response is shown of a look, and nothing beside it.
type response struct {
	value   *float64
	verdict string
}

// number shows a number.
func number(x float64, verdict string) response { return response{&x, verdict} }

// byMethod is the failure of a mechanism that the goal determines.
func byMethod(p *Plan) (theory.LogProb, error) {
	method, _ := transfer.Lookup(p.Method) // which [Plan.Certified] has found
	if ok, err := method.Certifies(p.goal); err != nil || !ok {
		return 0, err
	}
	return p.goal.Beta, nil
}

// only refuses a mechanism with a field that the method has not.
func (p *Plan) only(own theory.Run) error {
	if !reflect.DeepEqual(own, p.Mechanism) {
		return corrupt("plan.json: the mechanism has a field that is no part of %s", p.Method)
	}
	return nil
}
