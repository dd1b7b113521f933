package transfer

import (
	"math"

	"github.com/dpcalc/dpcalc/internal/num"
	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer/feedback"
)

// fixedQuery is a requirement on the rows that one query, fixed before it meets
// them, needs at level beta/m: the relative-entropy form or, for 0/1 queries, the
// binomial one.
type fixedQuery struct {
	domain
	exact bool         // use the binomial requirement where the query is 0/1
	sides theory.Sides // of the binomial requirement
}

// tight: the worst population is searched, and on the safe side, but nothing that the
// planner is free to choose.
func (fixedQuery) tight() bool { return true }

// binomial reports whether the binomial requirement is used for g.
func (f fixedQuery) binomial(g Goal) bool { return f.exact && g.Query == Binary }

func (f fixedQuery) holds(g Goal) bool {
	if f.binomial(g) {
		ok, _ := theory.BinomialHolds(fixedGoal(g), f.sides, g.Samples)
		return ok
	}
	ok, _ := theory.KLHolds(fixedGoal(g), g.Samples)
	return ok
}

func fixedGoal(g Goal) theory.Fixed {
	return theory.Fixed{Tau: g.Tau, Level: theory.Level{Queries: g.Queries, Beta: g.Beta}}
}

func (f fixedQuery) samples(g Goal, _ trail) (reached, error) {
	n, err := theory.Bound[int64]{}, error(nil)
	if f.binomial(g) {
		n, err = theory.BinomialSamples(fixedGoal(g), f.sides)
	} else {
		n, err = theory.KLSamples(fixedGoal(g))
	}
	return reached{n: n.Value}, err
}

func (f fixedQuery) queries(g Goal) int64 {
	if !f.binomial(g) {
		return mostQueries(g, 1, f.holds)
	}
	worst, err := theory.BinomialWorst(theory.Deviation{Samples: g.Samples, Tau: g.Tau}, f.sides)
	ok := func(m int64) bool { g.Queries = m; return f.holds(g) }
	if err != nil || !ok(1) {
		return 0
	}
	guess := int64(min(num.Exp(min(g.Beta.Ln()-worst.Ln(), 40)), MaxCount))
	return num.Ints{Lo: 1, Hi: MaxCount, Guess: guess}.Greatest(ok)
}

// tau starts where p = 1/2 is the worst case, which it is unless tau is large, and
// else from Hoeffding's bound.
func (f fixedQuery) tau(g Goal) (float64, Mechanism) {
	if f.binomial(g) {
		tau, err := theory.BinomialTau(fixedGoal(g).Level, f.sides, g.Samples)
		if err != nil {
			tau = g.spread()
		}
		return tau, Mechanism{}
	}
	level := lnOver(2, g).Float() / float64(g.Samples)
	guess := math.Sqrt(level / 2)
	for i := 0; i < 6 && guess < 0.49; i++ { // K(tau) = kl(1/2+tau||1/2) has slope 2 atanh(2 tau)
		guess -= (num.KLShift{P: 0.5, Shift: guess}.Nats() - level) / (2 * math.Atanh(2*guess))
		guess = math.Max(guess, 1e-300)
	}
	return leastTau(g, guess, f.holds), Mechanism{}
}

func (f fixedQuery) beta(g Goal) theory.LogProb {
	if f.binomial(g) {
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
	return leastBeta(g, math.Min(guess, -1e-300), f.holds)
}

// countRule is one side of one 0/1 query at a known bar, by the count that passes.
type countRule struct{}

func (countRule) gate(g Goal) feedback.CountGate {
	return feedback.CountGate{Bar: g.bar(), LnRisk: g.Beta.Ln()}
}

func (countRule) applies(g Goal) error { return zeroOne.check(g.Query) }

func (countRule) limit(g Goal) float64 { return barredLimit(g) }

func (countRule) tight() bool { return true }

func (r countRule) holds(g Goal) bool { return r.gate(g).Holds(g.Samples) }

func (r countRule) samples(g Goal, _ trail) (reached, error) {
	if n := r.gate(g).Samples(MaxCount); n > 0 {
		return reached{n: n}, nil
	}
	return reached{}, theory.TooMany(math.Inf(1))
}

func (r countRule) queries(g Goal) int64 { return mostQueries(g, 1, r.holds) }

func (r countRule) tau(g Goal) (float64, Mechanism) {
	if r.gate(g).Always() {
		return 0, Mechanism{}
	}
	top := barredLimit(g)
	tau := num.Near{From: g.Tau, Top: top}.Least(func(tau float64) bool { g.Tau = tau; return r.holds(g) })
	return tau, Mechanism{}
}

func (r countRule) beta(g Goal) theory.LogProb {
	if r.gate(g).Always() {
		return theory.Zero
	}
	return mostCertain(g, r.holds)
}
