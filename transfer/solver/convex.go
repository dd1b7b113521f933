package solver

import (
	"math"

	"github.com/dpcalc/dpcalc/internal/num"
	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer/goal"
	"github.com/dpcalc/dpcalc/transfer/tail"
)

// convexLook is one query at its convex tails: on both sides, on one, or at a known bar.
type convexLook struct {
	Domain
	both, bar bool
}

func (convexLook) IsTight() bool { return true }

func (convexLook) tails(g goal.Goal) tail.Convex {
	if g.Query.IsSigned() {
		return tail.Convex{Lowest: -1}
	}
	return tail.Convex{}
}

// level is ln of what one side may fail with, rounded down.
func (c convexLook) level(g goal.Goal) float64 {
	if !c.both {
		return g.Beta.Ln()
	}
	return math.Nextafter(g.Beta.Ln()-math.Ln2, math.Inf(-1))
}

func (c convexLook) Holds(g goal.Goal) bool {
	if c.Applies(g) != nil {
		return false
	}
	if c.bar {
		return c.tails(g).LnAt(g.Samples, g.BarTails()) <= c.level(g)
	}
	return c.tails(g).IsWithin(g.Samples, g.Tau, c.level(g))
}

// about is ln of what one side fails with, which cells need not have certified.
func (c convexLook) about(g goal.Goal) float64 {
	if c.bar {
		return c.tails(g).LnAt(g.Samples, g.BarTails())
	}
	return c.tails(g).Peak(g.Samples, g.Tau)
}

func (c convexLook) Samples(g goal.Goal, _ Trail) (Reached, error) {
	level, spread := c.level(g), g.Spread()
	enough := func(n int64) bool { g.Samples = n; return c.about(g) <= level }
	if !enough(goal.MaxCount) {
		return Reached{}, theory.TooMany(math.Inf(1))
	}
	guess := -level * spread * spread / (2 * g.Tau * g.Tau)
	n := num.Ints{Lo: 1, Hi: goal.MaxCount, Guess: int64(min(guess, goal.MaxCount))}.Least(enough)
	for g.Samples = n; !c.Holds(g); g.Samples++ { // where cells are a rounding short
	}
	return Reached{N: g.Samples}, nil
}

func (c convexLook) Queries(g goal.Goal) int64 { return MostQueries(g, 1, c.Holds) }

func (c convexLook) Tau(g goal.Goal) (float64, Mechanism) {
	level, top := c.level(g), c.Limit(g)
	excess := func(tau float64) float64 { g.Tau = tau; return max(c.about(g)-level, -math.MaxFloat64) }
	last := math.Nextafter(top, 0)
	if excess(last) > 0 {
		return top, Mechanism{}
	}
	tau := num.Interval{Hi: last}.SafeRoot(1e-13, excess)
	for grow := 1e-14; tau < top; grow *= 4 {
		if g.Tau = tau; c.Holds(g) {
			return tau, Mechanism{}
		}
		tau *= 1 + grow
	}
	return top, Mechanism{}
}

func (c convexLook) Beta(g goal.Goal) theory.LogProb {
	ln := 0.0
	if c.bar {
		ln = c.tails(g).LnAt(g.Samples, g.BarTails())
	} else {
		ln = c.tails(g).LnSide(g.Samples, g.Tau)
	}
	switch {
	case math.IsInf(ln, -1):
		return theory.Zero
	case c.both:
		ln += math.Ln2
	}
	if ln += 1e-15 * (1 + math.Abs(ln)); !(ln < 0) {
		return 0
	}
	return theory.LogProb(ln)
}
