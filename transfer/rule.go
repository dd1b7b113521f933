package transfer

import (
	"math"

	"github.com/dpcalc/dpcalc/internal/num"
	"github.com/dpcalc/dpcalc/theory"
)

// rule is a theorem as a decision about plans and as four solvers. All goals
// passed to it are valid; a solver ignores the field that it solves for.
type rule interface {
	applies(g Goal) error                      // a NotApplicableError if a hypothesis fails, whatever the unknown will be
	limit(g Goal) float64                      // where its tau ends: no lesser one is better than knowing nothing
	tight() bool                               // whether nothing is searched that the planner is free to choose
	holds(g Goal) bool                         // the theorem certifies g; monotone in each of the four
	samples(g Goal, by trail) (reached, error) // the least n that holds, or a NoAnswerError beyond MaxCount
	queries(g Goal) int64                      // the greatest m that holds, 0 if none does
	tau(g Goal) (tau float64, run Mechanism)   // the least tau that holds, or the query's spread; and what to run for g
	beta(g Goal) theory.LogProb                // the least beta that holds, or 0, the probability one
}

// reached is a number of samples and, where the search for it met them, what they
// certify and what to run; tau is 0 where it did not.
type reached struct {
	n   int64
	tau float64
	run Mechanism
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

// mostQueries, leastTau and leastBeta search for the extreme value
// at which a monotone decision holds.
func mostQueries(g Goal, fewest int64, holds func(Goal) bool) int64 {
	ok := func(m int64) bool { g.Queries = m; return holds(g) }
	if !ok(fewest) {
		return 0
	}
	if ok(MaxCount) {
		return MaxCount
	}
	return num.Ints{Lo: fewest, Hi: MaxCount, Guess: fewest}.Greatest(ok)
}

func leastTau(g Goal, guess float64, holds func(Goal) bool) float64 {
	return num.Floats{Hi: g.spread(), Guess: guess}.LeastBelow(func(tau float64) bool { g.Tau = tau; return holds(g) })
}

func leastBeta(g Goal, guess float64, holds func(Goal) bool) theory.LogProb {
	ok := func(lnBeta float64) bool { g.Beta = theory.LogProb(lnBeta); return holds(g) }
	last := -math.SmallestNonzeroFloat64
	if !ok(last) {
		return 0
	}
	return theory.LogProb(num.Floats{Lo: -math.MaxFloat64, Hi: last, Guess: guess}.Least(ok))
}

// mostCertain returns about the least beta at which a plan holds, or 0: within 1e-9 of its logarithm.
func mostCertain(g Goal, holds func(Goal) bool) theory.LogProb {
	const most = 1e9 // beta of 1-1e-9
	inverse := num.Near{From: 1, Top: most, Step: 16e-9}.Least(func(x float64) bool {
		g.Beta = theory.LogProb(-1 / x)
		return holds(g)
	})
	if inverse >= most {
		return 0
	}
	return theory.LogProb(-1 / inverse)
}
