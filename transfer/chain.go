package transfer

import (
	"github.com/dpcalc/dpcalc/transfer/solver"
)

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
