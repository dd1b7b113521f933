package solver

import (
	"math"

	"github.com/dpcalc/dpcalc/internal/num"
	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer/goal"
)

// Closed is a theorem whose inequality is n >= need(m, tau, beta), an explicit
// formula, evaluated in double-double so that its ceiling is exact.
type Closed struct {
	Domain
	Need    func(g goal.Goal) num.DD    // the least real n; decreasing in tau and beta, increasing in m
	Worth   func(g goal.Goal) num.DD    // what the rows are worth, for that n; growing with them; nil means their number
	Epsilon func(g goal.Goal) float64   // the privacy that the theorem asks of a procedure; nil means none
	Run     func(g goal.Goal) Mechanism // what the theorem sets for g; nil means nothing
}

func (c Closed) Holds(g goal.Goal) bool {
	if c.Applies(g) != nil {
		return false
	}
	need := c.Need(g)
	return need.Float() <= 2*goal.MaxCount && c.rows(g).Cmp(need) >= 0
}

func (c Closed) rows(g goal.Goal) num.DD {
	if c.Worth == nil {
		return num.FromInt(g.Samples)
	}
	return c.Worth(g)
}

func (c Closed) Samples(g goal.Goal, _ Trail) (Reached, error) {
	need := c.Need(g)
	if n := need.Float(); !(n <= goal.MaxCount) {
		return Reached{}, theory.TooMany(n)
	}
	if c.Worth != nil {
		holds := func(n int64) bool { g.Samples = n; return c.Holds(g) }
		return Reached{N: num.Ints{Lo: 1, Hi: goal.MaxCount, Guess: 1 + int64(need.Float()/2)}.Least(holds)}, nil
	}
	return Reached{N: max(need.Ceil(), 1)}, nil
}

// Tau returns the least accuracy at which the inequality holds. ln need is close to linear in ln tau: secants lead to
// it from the tau that is asked for, the first with the slope of Hoeffding's bound.
func (c Closed) Tau(g goal.Goal) (float64, Mechanism) {
	asked := g
	if c.Epsilon != nil && g.Tau > 0 { // the procedure keeps its epsilon
		g.Epsilon = c.Epsilon(g)
	}
	rows, top, seen := c.rows(g), c.Limit(g), num.Nothing()
	excess := func(tau float64) float64 { // what is needed beyond the rows, as a share of them
		g.Tau = tau
		need := c.Need(g)
		if c.Applies(g) != nil || !(need.Float() <= 2*goal.MaxCount) {
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
	if c.Epsilon == nil || asked.Tau == 0 {
		asked.Tau = tau
	}
	return tau, c.mechanism(asked)
}

// Beta returns the least failure probability at which the inequality holds. need is close to linear in ln beta.
func (c Closed) Beta(g goal.Goal) theory.LogProb {
	need := func(lnBeta float64) float64 { g.Beta = theory.LogProb(lnBeta); return c.Need(g).Float() }
	one, two := need(-1), need(-2)
	if two == 0 { // nothing can go wrong
		return theory.Zero
	}
	return leastBeta(g, -1-(c.rows(g).Float()-one)/(two-one), c.Holds)
}

func (c Closed) Queries(g goal.Goal) int64 { return MostQueries(g, Fewest(g), c.Holds) }

func (c Closed) mechanism(g goal.Goal) Mechanism {
	if c.Run == nil || g.Tau >= c.Limit(g) {
		return Mechanism{}
	}
	return c.Run(g)
}

// LnOver returns ln(c m / beta).
func LnOver(c float64, g goal.Goal) num.DD {
	return num.FromInt(g.Queries).MulFloat(c).Ln().AddFloat(-g.Beta.Ln())
}

// Square returns tau^2 in units where the query's spread is one.
func Square(g goal.Goal) num.DD {
	t := num.FromFloat(g.Tau).Div(num.FromFloat(g.Spread()))
	return t.Mul(t)
}
