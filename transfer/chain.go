package transfer

import (
	"math"

	"github.com/dpcalc/dpcalc/internal/num"
	"github.com/dpcalc/dpcalc/transfer/noise"
)

// Chain answers the goals of a grid by several methods, one goal after the other. A search for the least n begins where
// the searches for goals that differ in tau alone lead one to expect its end. The n of Gaussian noise may differ from
// the n of [Solve]: both are certified, and both may be above the least by what a search may. Every other row is the
// same. A Chain is for one goroutine.
type Chain struct {
	methods []Method
	trails  []trail // by method
}

// NewChain returns the chain before its first goal.
func NewChain(methods []Method) Chain {
	c := Chain{methods, make([]trail, len(methods))}
	for i := range c.trails {
		c.trails[i] = make(trail)
	}
	return c
}

// trail is where a method's searches for the least n ended, by what their goals have in common. It may be nil.
type trail map[Goal]landed

// landed is where the last search ended. ln(n tau^2) is smooth in ln tau: it changed at a rate, and is expected to go
// on at another one.
type landed struct {
	noise.Near
	lnTau, rate, ahead float64
}

// steadyFor is how far in ln tau an expectation reaches, and mostFaster how much greater the next rate may be.
const steadyFor, mostFaster = 0.3, 0.1

// near is about where the search for the goal's least n ends.
func (t trail) near(g Goal) noise.Near {
	lnTau := num.Log(g.Tau)
	g.Samples, g.Tau = 0, 0
	was, ok := t[g]
	if !ok || math.Abs(lnTau-was.lnTau) > steadyFor {
		return noise.Near{}
	}
	was.LnN = math.Min(was.LnN+(was.ahead-2)*(lnTau-was.lnTau), num.Log(MaxCount))
	return was.Near
}

// found takes in where it ended.
func (t trail) found(g Goal, at noise.Near) {
	if t == nil {
		return
	}
	next := landed{Near: at, lnTau: num.Log(g.Tau)}
	g.Samples, g.Tau = 0, 0
	if was, ok := t[g]; ok && next.lnTau != was.lnTau {
		next.rate = 2 + (next.LnN-was.LnN)/(next.lnTau-was.lnTau)
		if next.ahead = next.rate; was.rate != 0 {
			next.ahead *= min(max(next.rate/was.rate, 1-mostFaster), 1+mostFaster)
		}
	}
	t[g] = next
}
