package open

import "math"

// Budget is ln W(v), the logarithm of the share of the failure probability that is left at a node v. The zero value is
// the root's, W = 1. It is the product of the shares of the responses shown so far, carried along: a closed form would
// have to know that every look used the same code.
type Budget float64

// Child returns the budget after a response with that share, rounded down. So the budgets of all responses to a look
// add up to at most the budget of the look, whatever the looks before it were.
func (b Budget) Child(lnShare float64) Budget { return Budget(sumDown(float64(b), lnShare)) }

// Node is where a look is taken.
type Node struct {
	LnBeta float64 // ln of the failure probability of all looks together, below 0
	Left   Budget
}

// level returns ln(beta W(v) share), rounded down.
func (n Node) level(lnShare float64) float64 {
	return sumDown(sumDown(n.LnBeta, float64(n.Left)), lnShare)
}

// After returns the node that a response with that share leads to.
func (n Node) After(lnShare float64) Node { return Node{n.LnBeta, n.Left.Child(lnShare)} }

// Apart returns the node of the cells of a look beside whose cells another response has that share, with ln of what
// they have together, rounded down: the cells are a code of what is left beside it.
func (n Node) Apart(share float64) (at Node, lnRest float64) {
	lnRest = lnShare(1, share)
	return n.After(lnRest), lnRest
}

// sumDown returns a + b, rounded down.
func sumDown(a, b float64) float64 {
	sum := a + b
	part := sum - a
	if rest := (a - (sum - part)) + (b - part); rest < 0 {
		return math.Nextafter(sum, math.Inf(-1))
	}
	return sum
}
