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
// of which the best is known.
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
	if c.epsilon != nil && g.Tau > 0 { // what is asked of the procedure stays
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

// domain says which goals a theorem is about.
type domain struct {
	kinds kinds
	needs func(g Goal) error   // further hypotheses; nil means none
	top   func(g Goal) float64 // where tau ends; nil means at the query's spread
}

func (d domain) applies(g Goal) error {
	if err := d.kinds.check(g.Query); err != nil {
		return err
	}
	if d.needs != nil {
		return d.needs(g)
	}
	return nil
}

func (d domain) limit(g Goal) float64 {
	if d.top == nil {
		return g.spread()
	}
	return d.top(g)
}

// kinds is the set of query kinds that a theorem covers.
type kinds uint

const (
	linear   kinds = 1<<Bounded | 1<<Binary
	zeroOne  kinds = 1 << Binary
	means    kinds = linear | 1<<Difference
	anyQuery kinds = linear | 1<<Sensitive | 1<<Minimization
	allKinds kinds = anyQuery | means
)

func (k kinds) check(q Query) error {
	switch {
	case k&(1<<q) != 0:
		return nil
	case k == zeroOne:
		return needs("a 0/1 query")
	case q == Difference:
		return needs("a query with values in [0,1]")
	}
	return needs("a linear query, a mean over the rows")
}

// needs reports a hypothesis that fails.
func needs(hypothesis string) error { return &theory.NotApplicableError{Needs: hypothesis} }

// lnOver returns ln(c m / beta).
func lnOver(c float64, g Goal) num.DD {
	return num.FromInt(g.Queries).MulFloat(c).Ln().AddFloat(-g.Beta.Ln())
}

// square returns tau^2 in units where the query's spread is one.
func square(g Goal) num.DD {
	t := num.FromFloat(g.Tau).Div(num.FromFloat(g.spread()))
	return t.Mul(t)
}

// hoeffding: 2m exp(-2 n tau^2) <= beta, m for 2m where one side counts; for functions of sensitivity D/n by
// McDiarmid's inequality with tau/D in the place of tau.
func hoeffding(g Goal) num.DD { return lnOver(g.sides(), g).Div(square(g).MulFloat(2)) }

// sides is how many of an answer's two errors count.
func (g Goal) sides() float64 {
	if g.OneSided {
		return 1
	}
	return 2
}

// rounding: 2m L^(m-1) exp(-2n (tau - 1/(2L))^2) <= beta with the best L. The
// last answer is used by no later query, so one query alone needs no rounding.
func rounding(g Goal) num.DD {
	need, _ := bestRounding(g)
	return need
}

// bestRounding returns the least need over the number L > 1/(2 tau) of cells, and
// that L; L = 0 stands for no rounding. With A = ln(2m/beta) the derivative in L
// vanishes where tau L = A/(m-1) + ln L + 1/2. The least L is a second optimum if
// it is one, which needs no digits at all.
func bestRounding(g Goal) (need num.DD, cells int64) {
	if g.Queries == 1 {
		g.OneSided = false
		return hoeffding(g), 0
	}
	level, steps := lnOver(2, g), num.FromInt(g.Queries-1)
	a := level.Float() / steps.Float()
	l := 4 * (a + 2 - num.Log(g.Tau)) / g.Tau // above the greater root, from where Newton falls to it
	for range 60 {
		next := l - (g.Tau*l-a-num.Log(l)-0.5)/(g.Tau-1/l)
		if !(math.Abs(next-l) > 1e-3) {
			break
		}
		l = next
	}
	need = num.FromFloat(math.Inf(1))
	least := math.Floor(1/(2*g.Tau)) + 1
	for _, l := range [...]float64{least, math.Floor(l) - 1, math.Floor(l), math.Floor(l) + 1, math.Floor(l) + 2} {
		if !(l >= least && l <= MaxCount) {
			continue
		}
		t := num.FromFloat(g.Tau).Sub(num.FromFloat(1).Div(num.FromFloat(2 * l)))
		if t.Float() <= 0 {
			continue
		}
		total := level
		if l > 1 {
			total = total.Add(num.FromFloat(l).Ln().Mul(steps))
		}
		if n := total.Div(t.Mul(t).MulFloat(2)); n.Float() < need.Float() || n.Float() == need.Float() && n.Cmp(need) < 0 {
			need, cells = n, int64(l)
		}
	}
	return need, cells
}

func runRounding(g Goal) Mechanism {
	_, cells := bestRounding(g)
	return Mechanism{Cells: cells}
}

// dpMaxInfo is Corollary 2.1.1: epsilon = tau^2 and 2m exp(-tau^2 n) <= beta.
func dpMaxInfo(g Goal) num.DD { return lnOver(2, g).Div(square(g)) }

// dpDwork is Corollary 2.3.1: epsilon = tau and 6m exp(-tau^2 n) <= beta.
func dpDwork(g Goal) num.DD { return lnOver(6, g).Div(square(g)) }

// dpApprox is Theorem 2.4 at level beta/m: n >= 48 ln(8m/beta)/tau^2.
func dpApprox(g Goal) num.DD { return lnOver(8, g).MulFloat(48).Div(square(g)) }

// epsilonAtMost builds the hypothesis epsilon <= limit(tau) of the dp methods:
// a given epsilon must satisfy it, and without one the limit itself is used.
func epsilonAtMost(text string, limit func(tau float64) float64) (func(Goal) error, func(Goal) float64) {
	check := func(g Goal) error {
		if g.Epsilon > 0 && g.Tau > 0 && g.Epsilon > limit(g.Tau) {
			return needs("epsilon at most " + text + " = " + formatFloat(limit(g.Tau)))
		}
		return nil
	}
	choose := func(g Goal) float64 {
		if g.Epsilon > 0 {
			return g.Epsilon
		}
		return limit(g.Tau)
	}
	return check, choose
}

func dpRule(need func(Goal) num.DD, text string, limit func(tau float64) float64,
	lnDelta func(Goal) theory.LogProb) closed {
	check, choose := epsilonAtMost(text, limit)
	return closed{domain: domain{kinds: linear, needs: check}, need: need, epsilon: choose, run: func(g Goal) Mechanism {
		m := Mechanism{Epsilon: choose(g)}
		if lnDelta != nil {
			m.LnDelta = lnDelta(g)
		}
		return m
	}}
}

// lnDeltaApprox is Theorem 2.4's ln delta = (4/tau) ln(beta/(8m)), rounded down.
func lnDeltaApprox(g Goal) theory.LogProb {
	ln := lnOver(8, g).MulFloat(-4).Div(num.FromFloat(g.Tau))
	return theory.LogProb(math.Nextafter(ln.Float(), math.Inf(-1)))
}
