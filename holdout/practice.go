package holdout

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/dpcalc/dpcalc/transfer"
)

// practice is how a method of the registry answers looks. A method that a ledger runs is an entry of [practices].
type practice interface {
	prepare(transfer.Answer) (Mechanism, error) // what a new plan is to run
	certified(*Plan, transfer.Answer) error     // whether an old plan runs what is certified
	respond(*history, look) (response, error)   // the answer to the next look
	remaining(*history) Remaining               // what is left
}

// named is a practice with the name of its method.
type named struct {
	method string
	practice
}

// practices are the methods that a ledger runs, in the order in which the best of equals is chosen.
var practices = []named{
	{"gaussian-schedule", noisy{}},
	{"gaussian", noisy{}},
	{"splitting", splitting{}},
}

// practiceOf finds the practice of a method, nil if a ledger does not run it.
func practiceOf(method string) practice {
	i := slices.IndexFunc(practices, func(p named) bool { return p.method == method })
	if i < 0 {
		return nil
	}
	return practices[i].practice
}

// look is a look that is to be answered.
type look struct {
	values values
	noise  *rand.Rand
}

// response is what is shown.
type response struct {
	value   *float64
	verdict string
}

// Remaining is what is left of a plan.
type Remaining struct {
	Looks int64
}

// left are the looks that are left, and nothing else.
func left(h *history) Remaining {
	if h.retired {
		return Remaining{}
	}
	return Remaining{Looks: max(h.plan.Queries-h.looks, 0)}
}

// differs says that a plan does not run what is certified for it.
func differs(p *Plan) error {
	return fmt.Errorf("plan.json: the mechanism is not one that the certificate of %s is for", p.Method)
}
