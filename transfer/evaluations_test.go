//go:build evaluations

package transfer

import (
	"testing"

	"github.com/dpcalc/dpcalc/internal/num"
)

// No row of an ordinary goal takes more exponentials and logarithms than a fraction of a second has, whatever is
// unknown. These are counted and not timed, so that the law says the same on every machine.
func TestEvaluations(t *testing.T) {
	most := func(method string) int64 {
		switch method {
		case "ladder": // thousands of steps
			return 5_000_000
		case "gaussian-schedule": // walks over a thousand answers
			return 3_000_000
		case "gaussian": // noise that is cut, at a beta of e^-600 too
			return 2_000_000
		}
		return 1_500_000
	}
	check := func(m Method, g Goal) {
		before := num.Evaluations()
		if _, err := m.Solve(g); err != nil {
			t.Errorf("%s, %+v: %v", m.Name, g, err)
		}
		if taken := num.Evaluations() - before; taken > most(m.Name) {
			t.Errorf("%s, %+v: %d evaluations, want at most %d", m.Name, g, taken, most(m.Name))
		}
	}
	for _, method := range Methods() {
		feedbacks := method.Feedbacks
		if feedbacks == nil {
			feedbacks = []Feedback{Answers}
		}
		for _, feedback := range feedbacks {
			for query := Bounded; query <= Difference; query++ {
				for _, m := range []int64{10, 1000} {
					goal := Goal{Queries: m, Beta: lp("0.05"), Query: query, Shown: Shown{Feedback: feedback, Open: method.IsOpen()}}
					if feedback == Gate {
						goal.Passes = 1
					}
					if method.NeedsBudget() {
						goal.Budget = 2
					}
					for _, tau := range []float64{0.0003, 0.005, 0.3} {
						unknownSamples := goal
						unknownSamples.Tau = tau
						check(method, unknownSamples)
						for _, n := range []int64{100, 10_000, 10_000_000} {
							g := unknownSamples
							g.Samples = n
							check(method, g)
							g.Queries = 0
							check(method, g)
							g.Queries, g.Beta = m, 0
							check(method, g)
							g.Beta, g.Tau = goal.Beta, 0
							check(method, g)
						}
					}
				}
			}
		}
	}
}
