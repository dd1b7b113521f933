package solver

import (
	"math"

	"github.com/dpcalc/dpcalc/internal/num"
	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer/goal"
	"github.com/dpcalc/dpcalc/transfer/tree"
)

// FixedQuery is a requirement on the rows that one query, fixed before it meets
// them, needs at level beta/m: the relative-entropy form or, for 0/1 queries, the
// binomial one.
type FixedQuery struct {
	Domain
	Exact bool         // use the binomial requirement where the query is 0/1
	sides theory.Sides // of the binomial requirement
}

// isBinomial reports whether the binomial requirement is used for g.
func (f FixedQuery) isBinomial(g goal.Goal) bool { return f.Exact && g.Query.IsZeroOne() }

func (f FixedQuery) Holds(g goal.Goal) bool {
	if f.isBinomial(g) {
		ok, _ := theory.BinomialHolds(fixedGoal(g), f.sides, g.Samples)
		return ok
	}
	ok, _ := theory.KLHolds(fixedGoal(g), g.Samples)
	return ok
}

func fixedGoal(g goal.Goal) theory.Fixed {
	return theory.Fixed{Tau: g.Tau, Level: theory.Level{Queries: g.Queries, Beta: g.Beta}}
}

func (f FixedQuery) Samples(g goal.Goal, _ Trail) (Reached, error) {
	n, err := theory.Bound[int64]{}, error(nil)
	if f.isBinomial(g) {
		n, err = theory.BinomialSamples(fixedGoal(g), f.sides)
	} else {
		n, err = theory.KLSamples(fixedGoal(g))
	}
	return Reached{N: n.Value}, err
}

func (f FixedQuery) Queries(g goal.Goal) int64 {
	if !f.isBinomial(g) {
		return MostQueries(g, 1, f.Holds)
	}
	worst, err := theory.BinomialWorst(theory.Deviation{Samples: g.Samples, Tau: g.Tau}, f.sides)
	ok := func(m int64) bool { g.Queries = m; return f.Holds(g) }
	if err != nil || !ok(1) {
		return 0
	}
	guess := int64(min(num.Exp(min(g.Beta.Ln()-worst.Ln(), 40)), goal.MaxCount))
	return num.Ints{Lo: 1, Hi: goal.MaxCount, Guess: guess}.Greatest(ok)
}

// Tau starts where p = 1/2 is the worst case, which it is unless tau is large, and
// else from Hoeffding's bound.
func (f FixedQuery) Tau(g goal.Goal) (float64, Mechanism) {
	if f.isBinomial(g) {
		tau, err := theory.BinomialTau(fixedGoal(g).Level, f.sides, g.Samples)
		if err != nil {
			tau = g.Spread()
		}
		return tau, Mechanism{}
	}
	level := LnOver(2, g).Float() / float64(g.Samples)
	guess := math.Sqrt(level / 2)
	for i := 0; i < 6 && guess < 0.49; i++ { // K(tau) = kl(1/2+tau||1/2) has slope 2 atanh(2 tau)
		guess -= (num.KLShift{P: 0.5, Shift: guess}.Nats() - level) / (2 * math.Atanh(2*guess))
		guess = math.Max(guess, 1e-300)
	}
	holds := func(tau float64) bool { g.Tau = tau; return f.Holds(g) }
	return num.Floats{Hi: g.Spread(), Guess: guess}.LeastBelow(holds), Mechanism{}
}

func (f FixedQuery) Beta(g goal.Goal) theory.LogProb {
	if f.isBinomial(g) {
		worst, err := theory.BinomialWorst(theory.Deviation{Samples: g.Samples, Tau: g.Tau}, f.sides)
		if err == nil && f.sides == theory.OneSide { // of a union, which counts the queries
			return worst
		}
		beta := worst.Ln() + num.Log(float64(g.Queries))
		beta += 1e-13 + 1e-15*(math.Abs(beta)-worst.Ln()) // so that beta/m is not below worst
		if err != nil || !(beta < 0) {
			return 0
		}
		return theory.LogProb(beta)
	}
	guess := num.Log(2*float64(g.Queries)) - float64(g.Samples)*num.KLShift{P: 0.5, Shift: math.Min(g.Tau, 0.499)}.Nats()
	return leastBeta(g, math.Min(guess, -1e-300), f.Holds)
}

// CountRule is one side of one 0/1 query at a known bar, by the count that passes.
type CountRule struct{}

func (CountRule) Gate(g goal.Goal) tree.CountGate {
	return tree.CountGate{Bar: g.BarTails(), LnRisk: g.Beta.Ln()}
}

func (CountRule) Applies(g goal.Goal) error { return goal.ZeroOne.Check(g.Query) }

func (CountRule) Limit(g goal.Goal) float64 { return barredLimit(g) }

func (r CountRule) Holds(g goal.Goal) bool { return r.Gate(g).Holds(g.Samples) }

func (r CountRule) Samples(g goal.Goal, _ Trail) (Reached, error) {
	if n := r.Gate(g).Samples(goal.MaxCount); n > 0 {
		return Reached{N: n}, nil
	}
	return Reached{}, theory.TooMany(math.Inf(1))
}

func (r CountRule) Queries(g goal.Goal) int64 { return MostQueries(g, 1, r.Holds) }

func (r CountRule) Tau(g goal.Goal) (float64, Mechanism) {
	if r.Gate(g).Always() {
		return 0, Mechanism{}
	}
	top := barredLimit(g)
	tau := num.Near{From: g.Tau, Top: top}.Least(func(tau float64) bool { g.Tau = tau; return r.Holds(g) })
	return tau, Mechanism{}
}

func (r CountRule) Beta(g goal.Goal) theory.LogProb {
	if r.Gate(g).Always() {
		return theory.Zero
	}
	return mostCertain(g, r.Holds)
}
