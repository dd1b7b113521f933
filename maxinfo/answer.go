package maxinfo

import (
	"fmt"

	"github.com/dpcalc/dpcalc/theory"
)

// Answer is what one method says of a plan at one slack.
type Answer struct {
	Method
	Bound  theory.Nats // of the max-information; of account where Status is OK
	Status theory.Status
	Reason string // why Status is not OK
}

// Answers returns what every method says of a plan at a slack, in printing order, and the index
// of the one with the least bound: -1 if none is OK. A plan without a number for the whole has one answer
// without a name. The errors are a DomainError and an [*OrderError].
func (p Plan) Answers(slack theory.LogProb) (all []Answer, best int, err error) {
	if err := theory.Domain(slack < 0, "slack", slack, "a probability in [0, 1)"); err != nil {
		return nil, -1, err
	}
	chain, err := p.Chain()
	status, reason, err := theory.StatusOf(err)
	switch {
	case err != nil:
		return nil, -1, err
	case status != theory.OK:
		return []Answer{{Status: status, Reason: reason}}, -1, nil
	}
	best = -1
	for i, m := range chain.Methods {
		a := Answer{Method: m}
		a.Bound, err = chain.MaxInformation(m, slack)
		if a.Status, a.Reason, err = theory.StatusOf(err); err != nil {
			return nil, -1, fmt.Errorf("%s: %w", m.Name, err)
		}
		if all = append(all, a); a.Status == theory.OK && (best < 0 || a.Bound < all[best].Bound) {
			best = i
		}
	}
	return all, best, nil
}
