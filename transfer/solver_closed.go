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
	need     func(g Goal) num.DD    // the least real n; decreasing in tau and beta, increasing in m
	worth    func(g Goal) num.DD    // what the rows are worth, for that n; growing with them; nil means their number
	epsilon  func(g Goal) float64   // the privacy that the theorem asks of a procedure; nil means none
	run      func(g Goal) Mechanism // what the theorem sets for g; nil means nothing
}

// tight: the formula has no free parameter that is searched, or one that is whole and
// has a known best value.
func (closed) tight() bool { return true }

func (c closed) holds(g Goal) bool {
	if c.applies(g) != nil {
		return false
	}
	need := c.need(g)
	return need.Float() <= 2*MaxCount && c.rows(g).Cmp(need) >= 0
}

func (c closed) rows(g Goal) num.DD {
	if c.worth == nil {
		return num.FromInt(g.Samples)
	}
	return c.worth(g)
}

func (c closed) samples(g Goal, _ trail) (reached, error) {
	need := c.need(g)
	if n := need.Float(); !(n <= MaxCount) {
		return reached{}, theory.TooMany(n)
	}
	if c.worth != nil {
		holds := func(n int64) bool { g.Samples = n; return c.holds(g) }
		return reached{n: num.Ints{Lo: 1, Hi: MaxCount, Guess: 1 + int64(need.Float()/2)}.Least(holds)}, nil
	}
	return reached{n: max(need.Ceil(), 1)}, nil
}

// tau is the least accuracy at which the inequality holds. ln need is close to linear in ln tau: secants lead to it
// from the tau that is asked for, the first with the slope of Hoeffding's bound.
func (c closed) tau(g Goal) (float64, Mechanism) {
	asked := g
	if c.epsilon != nil && g.Tau > 0 { // the procedure keeps its epsilon
		g.Epsilon = c.epsilon(g)
	}
	rows, top, seen := c.rows(g), c.limit(g), num.Nothing()
	excess := func(tau float64) float64 { // what is needed beyond the rows, as a share of them
		g.Tau = tau
		need := c.need(g)
		if c.applies(g) != nil || !(need.Float() <= 2*MaxCount) {
			return math.Inf(1)
		}
		return need.Sub(rows).Float() / rows.Float()
	}
	guess, slope := asked.Tau, -2.0
	if guess == 0 {
		guess = top / 2
	}
	last, before := 0.0, 0.0
	for range 12 {
		y := math.Log1p(seen.See(guess, excess(guess)))
		if s := (y - before) / num.Log(guess/last); s < 0 && s > -math.MaxFloat64 {
			slope = s
		}
		next := guess + guess*math.Expm1(-y/slope)
		if next == guess || !(next > 0 && next < top) {
			break
		}
		last, before, guess = guess, y, next
	}
	tau := num.Floats{Hi: top, Guess: guess}.LeastBelow(func(tau float64) bool { return seen.Holds(tau, excess) })
	if c.epsilon == nil || asked.Tau == 0 {
		asked.Tau = tau
	}
	return tau, c.mechanism(asked)
}

// beta is the least failure probability at which the inequality holds. need is close to linear in ln beta.
func (c closed) beta(g Goal) theory.LogProb {
	need := func(lnBeta float64) float64 { g.Beta = theory.LogProb(lnBeta); return c.need(g).Float() }
	one, two := need(-1), need(-2)
	if two == 0 { // nothing can go wrong
		return theory.Zero
	}
	return leastBeta(g, -1-(c.rows(g).Float()-one)/(two-one), c.holds)
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
