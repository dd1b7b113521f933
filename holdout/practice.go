package holdout

import (
	"fmt"
	"math/rand/v2"
	"reflect"

	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer"
)

// practice is how a method of the registry answers looks. A method that a ledger runs is an entry of [practices].
type practice interface {
	prepare(transfer.Answer) (theory.Run, error) // what a new plan is to run
	certified(*Plan) (theory.LogProb, error)     // what the plan fails with, by the theorem at what it runs; 0 for one
	respond(*history, look) (response, error)    // the answer to the next look
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
	right      []mark // the right predictions of the rows
	values     values
	base       *values // of differences: the incumbent's
	bar, guess *float64
	noise      *rand.Rand
}

// score is that of a row.
func (l look) score(row int) float64 {
	s := l.values.score(row, l.right)
	if l.base != nil {
		s -= l.base.score(row, l.right)
	}
	return s
}

// sum adds the scores of all rows.
func (l look) sum() (sum float64) {
	for row := range l.values.of {
		sum += l.score(row)
	}
	return sum
}

// sumOf adds the scores of some rows.
func (l look) sumOf(rows []int32) (sum float64) {
	for _, row := range rows {
		sum += l.score(int(row))
	}
	return sum
}

// response is what is shown.
type response struct {
	value   *float64
	verdict string
}

// number shows a number.
func number(x float64, verdict string) response { return response{&x, verdict} }

// byMethod is a practice that runs what the goal says and nothing beside it.
func byMethod(p *Plan) (theory.LogProb, error) {
	method, ok := transfer.Lookup(p.Method)
	if !ok {
		return 0, fmt.Errorf("the registry has no method %s", p.Method)
	}
	if ok, err := method.Certifies(p.goal); err != nil || !ok {
		return 0, err
	}
	return p.goal.Beta, nil
}

// only refuses a mechanism with a field beside those of the method, which are given.
func (p *Plan) only(own theory.Run) error {
	if !reflect.DeepEqual(own, p.Mechanism) {
		return corrupt("plan.json: the mechanism has what is no part of %s", p.Method)
	}
	return nil
}
