// Package solver turns the inequality of a theorem into the answers about a goal: whether it holds, and the least rows,
// the most queries, the least tau and the least beta at which it does. A method of package transfer declares which
// inequality, and a [Rule] here solves it.
package solver

import (
	"math"

	"github.com/dpcalc/dpcalc/internal/num"
	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer/goal"
)

// Rule is a theorem as a decision about plans and as four solvers. All goals
// passed to it are valid; a solver ignores the field that it solves for.
type Rule interface {
	Applies(g goal.Goal) error                      // a NotApplicableError if a hypothesis fails, whatever the unknown
	Limit(g goal.Goal) float64                      // where its tau ends: no lesser one is better than knowing nothing
	Holds(g goal.Goal) bool                         // the theorem certifies g; monotone in each of the four
	Samples(g goal.Goal, by Trail) (Reached, error) // the least n that holds, or a NoAnswerError beyond MaxCount
	Queries(g goal.Goal) int64                      // the greatest m that holds, 0 if none does
	Tau(g goal.Goal) (tau float64, run Mechanism)   // the least tau that holds, or the query's spread; what to run
	Beta(g goal.Goal) theory.LogProb                // the least beta that holds, or 0, the probability one
}

// Reached is a number of samples and, where the search for it met them, what they
// certify and what to run; tau is 0 where it did not.
type Reached struct {
	N   int64
	Tau float64
	Run Mechanism
}

// Domain says which goals a theorem is about.
type Domain struct {
	Kinds goal.Kinds
	Needs func(g goal.Goal) error   // further hypotheses; nil means none
	Top   func(g goal.Goal) float64 // where tau ends; nil means at the query's spread
}

func (d Domain) Applies(g goal.Goal) error {
	if err := d.Kinds.Check(g.Query); err != nil || d.Needs == nil {
		return err
	}
	return d.Needs(g)
}

func (d Domain) Limit(g goal.Goal) float64 {
	if d.Top == nil {
		return g.Spread()
	}
	return d.Top(g)
}

// MostQueries returns the greatest number of queries, at least the fewest, at which a monotone decision holds.
func MostQueries(g goal.Goal, fewest int64, holds func(goal.Goal) bool) int64 {
	ok := func(m int64) bool { g.Queries = m; return holds(g) }
	if !ok(fewest) {
		return 0
	}
	if ok(goal.MaxCount) {
		return goal.MaxCount
	}
	return num.Ints{Lo: fewest, Hi: goal.MaxCount, Guess: fewest}.Greatest(ok)
}

func leastBeta(g goal.Goal, guess float64, holds func(goal.Goal) bool) theory.LogProb {
	ok := func(lnBeta float64) bool { g.Beta = theory.LogProb(lnBeta); return holds(g) }
	last := -math.SmallestNonzeroFloat64
	if !ok(last) {
		return 0
	}
	return theory.LogProb(num.Floats{Lo: -math.MaxFloat64, Hi: last, Guess: guess}.Least(ok))
}

// mostCertain returns about the least beta at which a plan holds, or 0: within 1e-9 of its logarithm.
func mostCertain(g goal.Goal, holds func(goal.Goal) bool) theory.LogProb {
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

// Fewest returns the least number of queries that a theorem speaks of.
func Fewest(g goal.Goal) int64 { return max(g.Budget, g.Passes, 1) }
