package open

import (
	"math"

	"github.com/dpcalc/dpcalc/holdout/ask"
	"github.com/dpcalc/dpcalc/holdout/form"
	"github.com/dpcalc/dpcalc/holdout/rule"
	"github.com/dpcalc/dpcalc/transfer/open"
)

// refusal is the cell of the response [Refused].
const refusal = -1

// reserveRefusal leaves a share of the budget to a refusal, and the rest to the cells, none of which may cost more than
// is left of the most that a response may.
func (c *cells) reserveRefusal(a *rule.Account, most float64) (left float64) {
	if c.Line.RefusedAbove > 0 {
		share, _, _ := gates(a, most).Shares()
		c.lnRefused = math.Log(share) * (1 + 1e-15)
		c.node, c.LnRest = c.node.Apart(share)
	}
	return most + c.LnRest
}

// leastBeside is the least of the most that a response may cost where one may be a refusal: at 1 three responses at
// most as dear would have more than the whole together.
const leastBeside = 2

// gates are the gates so far, where each might be refused.
func gates(a *rule.Account, most float64) open.Gates {
	return open.Gates{Most: most, Looks: a.Looks[ask.Pass], Passes: a.Rare[ask.Pass],
		Refusals: open.Refusals(), Asked: a.Looks[form.Refused], Refused: a.Rare[form.Refused]}
}

// Responses returns the cells, and the refusal where there is one.
func (c cells) Responses() (list []int) {
	for cell := range c.Cells() {
		list = append(list, cell)
	}
	if c.Line.RefusedAbove > 0 {
		list = append(list, refusal)
	}
	return list
}

// dearest is what the response that costs most costs, in nats.
func (c cells) dearest() (nats float64) {
	for _, cell := range c.Responses() {
		nats = max(nats, -c.LnOf(cell))
	}
	return nats
}

// LnOf returns ln of the share of a response, rounded down.
func (c cells) LnOf(cell int) float64 {
	if cell == refusal {
		return c.lnRefused
	}
	return c.LnRest + c.LnShare(cell)
}
