package solver

import (
	"math"

	"github.com/dpcalc/dpcalc/internal/num"
	"github.com/dpcalc/dpcalc/transfer/goal"
	"github.com/dpcalc/dpcalc/transfer/noise"
)

// Trail is where a method's searches for the least n ended, by what their goals have in common. It may be nil.
type Trail map[goal.Goal]landed

// landed is where the last search ended. ln(n tau^2) is smooth in ln tau: it changed at a rate, and is expected to go
// on at another one.
type landed struct {
	noise.Near
	lnTau, rate, ahead float64
}

// steadyFor is how far in ln tau an expectation reaches, and mostFaster how much greater the next rate may be.
const steadyFor, mostFaster = 0.3, 0.1

// Near returns about where the search for the goal's least n ends.
func (t Trail) Near(g goal.Goal) noise.Near {
	lnTau := num.Log(g.Tau)
	g.Samples, g.Tau = 0, 0
	was, ok := t[g]
	if !ok || math.Abs(lnTau-was.lnTau) > steadyFor {
		return noise.Near{}
	}
	was.LnN = math.Min(was.LnN+(was.ahead-2)*(lnTau-was.lnTau), num.Log(goal.MaxCount))
	return was.Near
}

// Found takes in where it ended.
func (t Trail) Found(g goal.Goal, at noise.Near) {
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
