package transfer

import (
	"math"

	"github.com/dpcalc/dpcalc/internal/num"
	"github.com/dpcalc/dpcalc/theory"
)

// closed is a theorem whose inequality is n >= need(m, tau, beta), an explicit
// formula, evaluated in double-double so that its ceiling is exact.
type closed struct {
	domain
	budgeted bool                   // the number of queries starts at the budget
	split    bool                   // n is first divided into m equal parts, and need speaks of one part
	need     func(g Goal) num.DD    // the least real n; decreasing in tau and beta, increasing in m
	epsilon  func(g Goal) float64   // the privacy that the theorem asks of a procedure; nil means none
	run      func(g Goal) Mechanism // what the theorem sets for g; nil means nothing
}

// tight: the formula has no free parameter that is searched, or one that is whole and
// has a known best value.
func (closed) tight() bool { return true }

// rows returns the n that need speaks of.
func (c closed) rows(g Goal) int64 {
	if c.split {
		return g.Samples / g.Queries
	}
	return g.Samples
}

func (c closed) holds(g Goal) bool {
	if c.applies(g) != nil {
		return false
	}
	need := c.need(g)
	return need.Float() <= 2*MaxCount && num.FromInt(c.rows(g)).Cmp(need) >= 0
}

func (c closed) samples(g Goal) (reached, error) {
	need := c.need(g)
	parts := int64(1)
	if c.split {
		parts = g.Queries
	}
	// need is at most 2^60 here, or the answer is out of range anyway.
	if !(need.Float() <= MaxCount) {
		return reached{}, theory.TooMany(need.Float() * float64(parts))
	}
	n := max(need.Ceil(), 1)
	if n > MaxCount/parts {
		return reached{}, theory.TooMany(float64(n) * float64(parts))
	}
	return reached{n: n * parts}, nil
}

// tau is the least accuracy at which the inequality holds. ln need is close to
// linear in ln tau, of slope -2, so secants come within an ulp or two of it.
func (c closed) tau(g Goal) (float64, Mechanism) {
	top := c.limit(g)
	asked := g
	if c.epsilon != nil && g.Tau > 0 { // the procedure keeps its epsilon
		g.Epsilon = c.epsilon(g)
	}
	at := g
	if at.Tau == 0 {
		at.Tau = top / 2
	}
	y, slope := c.lnExcess(at), -2.0
	for range 8 {
		step := -y / slope
		next := at
		next.Tau += next.Tau * math.Expm1(step)
		if !(next.Tau < top) {
			break
		}
		if math.Abs(step) < 1e-10 { // the slope is known well enough for that
			at = next
			break
		}
		after := c.lnExcess(next)
		if s := (after - y) / step; s < -0.5 && s > -50 {
			slope = s
		}
		at, y = next, after
	}
	if c.applies(at) != nil { // epsilon binds
		at.Tau = max(asked.Tau, at.Tau)
	}
	tau := num.Floats{Hi: top, Guess: at.Tau}.LeastBelow(func(tau float64) bool { g.Tau = tau; return c.holds(g) })
	if c.epsilon == nil || asked.Tau == 0 {
		asked.Tau = tau
	}
	return tau, c.mechanism(asked)
}

// lnExcess returns ln(need/n), to all digits where that is small.
func (c closed) lnExcess(g Goal) float64 {
	rows := num.FromInt(c.rows(g))
	return math.Log1p(c.need(g).Sub(rows).Float() / rows.Float())
}

func (c closed) beta(g Goal) theory.LogProb {
	// need is close to linear in ln beta: two points give the guess.
	rows := float64(c.rows(g))
	one, two := g, g
	one.Beta, two.Beta = -1, -2
	y1, y2 := c.need(one).Float(), c.need(two).Float()
	if y2 == 0 { // nothing can go wrong
		return theory.Zero
	}
	guess := -1 - (rows-y1)/(y2-y1)
	for range 3 { // Newton by secants, for the two that are not linear
		one.Beta, two.Beta = theory.LogProb(guess), theory.LogProb(guess*(1+1e-6))
		if !(guess < 0) {
			break
		}
		y1, y2 = c.need(one).Float(), c.need(two).Float()
		guess -= (rows - y1) / (y2 - y1) * -guess * 1e-6
	}
	return leastBeta(g, guess, c.holds)
}

func (c closed) queries(g Goal) int64 { return mostQueries(g, fewest(g, c.budgeted), c.holds) }

func (c closed) mechanism(g Goal) Mechanism {
	if c.run == nil || g.Tau >= c.limit(g) {
		return Mechanism{}
	}
	return c.run(g)
}

// lnOver returns ln(c m / beta).
func lnOver(c float64, g Goal) num.DD {
	return num.FromInt(g.Queries).MulFloat(c).Ln().AddFloat(-g.Beta.Ln())
}

// square returns tau^2 in units where the query's spread is one.
func square(g Goal) num.DD {
	t := num.FromFloat(g.Tau).Div(num.FromFloat(g.spread()))
	return t.Mul(t)
}

// sides is how many of an answer's two errors count.
func (g Goal) sides() float64 {
	if g.OneSided {
		return 1
	}
	return 2
}
