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

// ln is ln of what one side fails with, by a known bar if one counts.
func (c convexLook) ln(g goal.Goal, side func(v tail.Convex, n int64, tau float64) float64) float64 {
	v := tail.Convex{Lowest: g.Query.Lowest()}
	if c.bar {
		return v.LnAt(g.Samples, g.BarTails())
	}
	return side(v, g.Samples, g.Tau)
}

// about is that, which cells need not have certified.
func (c convexLook) about(g goal.Goal) float64 { return c.ln(g, tail.Convex.Peak) }

// level is ln of what one side may fail with, rounded down.
func (c convexLook) level(g goal.Goal) float64 {
	if !c.both {
		return g.Beta.Ln()
	}
	return math.Nextafter(g.Beta.Ln()-math.Ln2, math.Inf(-1))
}

func (c convexLook) Holds(g goal.Goal) bool {
	if c.bar {
		return c.about(g) <= c.level(g)
	}
	return tail.Convex{Lowest: g.Query.Lowest()}.IsWithin(g.Samples, g.Tau, c.level(g))
}

func (c convexLook) Samples(g goal.Goal, _ Trail) (Reached, error) {
	level, spread := c.level(g), g.Spread()
	enough := func(n int64) bool { g.Samples = n; return c.about(g) <= level }
	if !enough(goal.MaxCount) {
		return Reached{}, theory.TooMany(math.Inf(1))
	}
	guess := min(-level*spread*spread/(2*g.Tau*g.Tau), goal.MaxCount)
	for range 4 { // ln of the tail is almost proportional to the rows
		g.Samples = max(int64(guess), 1)
		guess = min(max(guess*level/min(c.about(g), -1), 1), goal.MaxCount)
	}
	n := num.Ints{Lo: 1, Hi: goal.MaxCount, Guess: int64(guess)}.Least(enough)
	for g.Samples = n; ; g.Samples++ { // where cells are a rounding short
		if tau, _ := c.Tau(g); tau <= g.Tau { // whose cells serve the goal's tau too
			return Reached{N: g.Samples, Tau: tau}, nil
		}
		if c.Holds(g) {
			return Reached{N: g.Samples}, nil
		}
	}
}

func (c convexLook) Queries(g goal.Goal) int64 { return MostQueries(g, 1, c.Holds) }

func (c convexLook) Tau(g goal.Goal) (float64, Mechanism) {
	level, top, asked := c.level(g), c.Limit(g), g.Tau
	excess := func(tau float64) float64 { g.Tau = tau; return max(c.about(g)-level, -math.MaxFloat64) }
	last := math.Nextafter(top, 0)
	if excess(last) > 0 {
		return top, Mechanism{}
	}
	bracket := num.Interval{Hi: last}
	near := asked * (1 - 4/float64(g.Samples)) // below the root where the rows are the least ones
	if inside := near > 0 && asked < last; inside && excess(near) > 0 && excess(asked) <= 0 {
		bracket = num.Interval{Lo: near, Hi: asked}
	}
	tau := bracket.SafeRoot(1e-13, excess)
	for grow := 1e-14; tau < top; grow *= 4 {
		if g.Tau = tau; c.Holds(g) {
			return tau, Mechanism{}
		}
		tau *= 1 + grow
	}
	return top, Mechanism{}
}

func (c convexLook) Beta(g goal.Goal) theory.LogProb {
	ln := c.ln(g, tail.Convex.LnSide)
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
