package transfer

import (
	"cmp"
	"fmt"

	"github.com/dpcalc/dpcalc/transfer/solver"
)

// Row is one method's answer to a goal.
type Row struct {
	Method *Method
	Answer
	Best bool // whether it is the best of the rows that certify answers to adaptively chosen queries
}

// Solve answers a goal by several methods: a row for each, in their order, appended to rows[:0]
// and one of them marked as [Row.Best]. It returns the index of that row, or -1 if no method for adaptively
// chosen queries has an answer. The rows point into methods. The error is a DomainError.
//
// The best row is the one whose unknown is best: the fewest samples, the most queries, the least tau or
// beta; of an open plan it is an open row. Where rows tie, and in a plan that is only checked, it is the one that
// achieves the least tau, and of equals the first.
func Solve(rows []Row, methods []Method, g Goal) (_ []Row, best int, err error) {
	return Chain{methods, make([]solver.Trail, len(methods))}.Solve(rows, g)
}

// Solve returns [Solve] for the next goal.
func (c Chain) Solve(rows []Row, g Goal) (_ []Row, best int, err error) {
	rows, best = rows[:0], -1
	for i := range c.methods {
		m := &c.methods[i]
		answer, err := m.solveNear(g, c.trails[i])
		if err != nil {
			return nil, -1, fmt.Errorf("%s: %w", m.Name, err)
		}
		rows = append(rows, Row{Method: m, Answer: answer})
		if !m.Adaptive || m.IsOpen() != g.Open || answer.Status != OK {
			continue
		}
		if best < 0 || answer.IsBetter(rows[best].Answer, g.Unknown()) {
			best = i
		}
	}
	if best >= 0 {
		rows[best].Best = true
	}
	return rows, best, nil
}

// Compare compares two answers to one goal by what was unknown in it: the result is negative
// where a is better, positive where b is, and zero where they tie or nothing was unknown. Both have to be OK.
func (a Answer) Compare(b Answer, unknown Unknown) int {
	switch unknown {
	case Samples:
		return cmp.Compare(a.Samples, b.Samples)
	case Queries:
		return cmp.Compare(b.Queries, a.Queries)
	case Tau:
		return cmp.Compare(a.Tau, b.Tau)
	case Beta:
		return cmp.Compare(a.Beta, b.Beta)
	}
	return 0
}

// IsBetter reports whether a is strictly better than b: by [Answer.Compare], or where that ties
// by the accuracy achieved.
func (a Answer) IsBetter(b Answer, unknown Unknown) bool {
	return cmp.Or(a.Compare(b, unknown), cmp.Compare(a.TauAchieved, b.TauAchieved)) < 0
}

// Chain answers the goals of a grid by several methods, one goal after the other. A search for the least n begins where
// the searches for goals that differ in tau alone lead one to expect its end. The n of Gaussian noise may differ from
// the n of [Solve]: both are certified, and both may be above the least by what a search may. Every other row is the
// same. A Chain is for one goroutine.
type Chain struct {
	methods []Method
	trails  []solver.Trail // by method
}

// NewChain returns the chain before its first goal.
func NewChain(methods []Method) Chain {
	c := Chain{methods, make([]solver.Trail, len(methods))}
	for i := range c.trails {
		c.trails[i] = make(solver.Trail)
	}
	return c
}
