package transfer

import (
	"math"

	"github.com/dpcalc/dpcalc/internal/num"
	"github.com/dpcalc/dpcalc/theory"
)

// fixedQuery is a requirement on the rows that one query, fixed before it meets
// them, needs at level beta/m: the relative-entropy form or, for 0/1 queries, the
// exact binomial one.
type fixedQuery struct {
	kinds kinds
	split bool // n is first divided into m equal parts, one for each query
	exact bool // use the binomial requirement where the query is 0/1
}

func (f fixedQuery) applies(g Goal) error { return f.kinds.check(g.Query) }

func (f fixedQuery) binomial(g Goal) bool { return f.exact && g.Query == Binary }

func (f fixedQuery) holds(g Goal) bool {
	n, goal := f.rows(g), fixedGoal(g)
	if n < 1 {
		return false
	}
	ok := false
	if f.binomial(g) && n <= theory.MaxExactSamples {
		ok, _ = theory.BinomialHolds(goal, n)
		return ok
	}
	if ok, _ = theory.KLHolds(goal, n); !ok && f.binomial(g) {
		_, err := theory.BinomialSamples(goal) // every larger n will do as well
		return err == nil
	}
	return ok
}

// rows returns how many rows one query meets.
func (f fixedQuery) rows(g Goal) int64 {
	if f.split {
		return g.Samples / g.Queries
	}
	return g.Samples
}

func fixedGoal(g Goal) theory.Fixed {
	return theory.Fixed{Tau: g.Tau, Level: theory.Level{Queries: g.Queries, Beta: g.Beta}}
}

func (f fixedQuery) samples(g Goal) (int64, error) {
	n, err := theory.Bound[int64]{}, error(nil)
	if f.binomial(g) {
		n, err = theory.BinomialSamples(fixedGoal(g))
	}
	if !f.binomial(g) || isNotApplicable(err) {
		n, err = theory.KLSamples(fixedGoal(g))
	}
	if err != nil {
		return 0, err
	}
	parts := int64(1)
	if f.split {
		parts = g.Queries
	}
	if n.Value > MaxCount/parts {
		return 0, tooMany(float64(n.Value) * float64(parts))
	}
	return n.Value * parts, nil
}

// note says where the exact requirement gives way to the relative-entropy form.
func (f fixedQuery) note(g Goal) string {
	if f.binomial(g) && f.rows(g) > theory.MaxExactSamples {
		return "the relative-entropy requirement, which replaces the exact one above 10000 rows a query"
	}
	return ""
}

func (f fixedQuery) queries(g Goal) int64 { return mostQueries(g, 1, f.holds) }

// tau starts where p = 1/2 is the worst case, which it is unless tau is large.
func (f fixedQuery) tau(g Goal) (float64, Mechanism) {
	level := lnOver(2, g).Float() / math.Max(float64(f.rows(g)), 1)
	guess := math.Min(math.Sqrt(level/2), 0.499)
	for range 6 { // K(tau) = kl(1/2+tau||1/2) has slope 2 atanh(2 tau)
		guess -= (num.KLShift{P: 0.5, Shift: guess}.Nats() - level) / (2 * math.Atanh(2*guess))
		guess = math.Max(math.Min(guess, 0.499), 1e-300)
	}
	return leastTau(g, guess, f.holds), Mechanism{}
}

func (f fixedQuery) beta(g Goal) theory.LogProb {
	rows := float64(f.rows(g))
	guess := math.Log(2*float64(g.Queries)) - rows*num.KLShift{P: 0.5, Shift: math.Min(g.Tau, 0.499)}.Nats()
	return leastBeta(g, math.Min(guess, -1e-300), f.holds)
}
