package transfer

import (
	"math"

	"github.com/dpcalc/dpcalc/internal/num"
	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer/feedback"
)

// convexLook is one query at its convex tails: on both sides, on one, or at a known bar.
type convexLook struct {
	domain
	both, bar bool
}

func (convexLook) tight() bool { return true }

func (convexLook) tails(g Goal) feedback.Convex {
	if g.Query == Difference {
		return feedback.Convex{Lowest: -1}
	}
	return feedback.Convex{}
}

// level is ln of what one side may fail with, rounded down.
func (c convexLook) level(g Goal) float64 {
	if !c.both {
		return g.Beta.Ln()
	}
	return math.Nextafter(g.Beta.Ln()-math.Ln2, math.Inf(-1))
}

func (c convexLook) holds(g Goal) bool {
	if c.applies(g) != nil {
		return false
	}
	if c.bar {
		return c.tails(g).LnAt(g.Samples, g.bar()) <= c.level(g)
	}
	return c.tails(g).Within(g.Samples, g.Tau, c.level(g))
}

// about is ln of what one side fails with, which cells need not have certified.
func (c convexLook) about(g Goal) float64 {
	if c.bar {
		return c.tails(g).LnAt(g.Samples, g.bar())
	}
	return c.tails(g).Peak(g.Samples, g.Tau)
}

func (c convexLook) samples(g Goal, _ trail) (reached, error) {
	level, spread := c.level(g), g.spread()
	enough := func(n int64) bool { g.Samples = n; return c.about(g) <= level }
	if !enough(MaxCount) {
		return reached{}, theory.TooMany(math.Inf(1))
	}
	guess := -level * spread * spread / (2 * g.Tau * g.Tau)
	n := num.Ints{Lo: 1, Hi: MaxCount, Guess: int64(min(guess, MaxCount))}.Least(enough)
	for g.Samples = n; !c.holds(g); g.Samples++ { // where cells are a rounding short
	}
	return reached{n: g.Samples}, nil
}

func (c convexLook) queries(g Goal) int64 { return mostQueries(g, 1, c.holds) }

func (c convexLook) tau(g Goal) (float64, Mechanism) {
	level, top := c.level(g), c.limit(g)
	excess := func(tau float64) float64 { g.Tau = tau; return max(c.about(g)-level, -math.MaxFloat64) }
	last := math.Nextafter(top, 0)
	if excess(last) > 0 {
		return top, Mechanism{}
	}
	tau := num.Interval{Hi: last}.SafeRoot(1e-13, excess)
	for grow := 1e-14; tau < top; grow *= 4 {
		if g.Tau = tau; c.holds(g) {
			return tau, Mechanism{}
		}
		tau *= 1 + grow
	}
	return top, Mechanism{}
}

func (c convexLook) beta(g Goal) theory.LogProb {
	ln := 0.0
	if c.bar {
		ln = c.tails(g).LnAt(g.Samples, g.bar())
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
