// Package goal has what a plan says: how many rows and queries, how near and how surely, the kind of query, what the
// analyst is shown, and how the rows were drawn.
package goal

import (
	"math"
	"strconv"

	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer/tail"
	"github.com/dpcalc/dpcalc/transfer/theorem"
)

// IsLikelyHigh reports whether the population values are known to be at least something.
func (g Goal) IsLikelyHigh() bool { return g.AtLeast > 0 && !g.Checked }

// MaxCount is the largest number of samples, queries or flagged answers: every
// integer up to it is a float64.
const MaxCount = 1 << 53

// Unknown says which of the four quantities of a [Goal] is to be found.
type Unknown int

// The unknowns. Nothing is unknown in a plan that is only checked.
const (
	None Unknown = iota
	Samples
	Queries
	Tau
	Beta
)

// String returns the name that the command line uses, or "unknown".
func (u Unknown) String() string {
	names := [...]string{"none", "samples", "queries", "tau", "beta"}
	if u < 0 || int(u) >= len(names) {
		return "unknown"
	}
	return names[u]
}

// Goal states a plan: with probability at least 1-Beta, each of Queries
// adaptively chosen queries to a holdout of Samples records is answered within
// Tau of its population value. The zero value of one of these four fields marks
// the unknown.
type Goal struct {
	Samples int64          // n, from 1 to MaxCount; at the first query where rows arrive
	Queries int64          // m, from 1 to MaxCount
	Tau     float64        // the accuracy, in (0,1), (0,2) for Difference, (0,D) for Sensitive and (0,2D) for Minimization
	Beta    theory.LogProb // the failure probability, in (0,1)

	Budget      int64   // Thresholdout's B, from 1 to MaxCount; 0 if none is given
	Query       Query   // the kind of query
	Sensitivity float64 // D of Sensitive and Minimization queries; 0 means 1
	Epsilon     float64 // the privacy of a DP procedure, for the dp methods; 0 means the method's own choice

	Range   Range    // of the values, where it is not [0,1]
	Arrival *Arrival // rows that come between the queries; nil if all are at hand from the first one on
	Sample  Sample   // how the rows were drawn; nil if they are independent and of equal weight
	Ratio   Ratio    // what queries are, where they are no means

	Shown // what the analyst is shown
	Known // what is known of the queries
}

// Validate returns a DomainError for the first field outside its domain, or if
// more than one of the four quantities is missing.
func (g Goal) Validate() error {
	if err := g.validRatio(); err != nil {
		return err
	}
	if g.Range.IsGiven() {
		return g.validRange()
	}
	count := "a whole number from 1 to 9007199254740992"
	missing := 0
	for _, c := range []struct {
		name  string
		value int64
	}{{"samples", g.Samples}, {"queries", g.Queries}} {
		if c.value == 0 {
			missing++
		} else if err := theory.Domain(c.value >= 1 && c.value <= MaxCount, c.name, c.value, count); err != nil {
			return err
		}
	}
	if !g.Query.isKnown() {
		return theory.Domain(false, "query", int(g.Query), queryNames())
	}
	d := g.Sensitivity
	usual := d >= 1e-100 && d <= 1e100
	if err := theory.Domain(d == 0 || usual, "sensitivity", d, "a number in [1e-100, 1e100]"); err != nil {
		return err
	}
	moves := !g.Query.IsMean()
	want := "a sensitive or minimization query, or none"
	if err := theory.Domain(d == 0 || d == 1 || moves, "sensitivity", d, want); err != nil {
		return err
	}
	if g.Tau == 0 {
		missing++
	} else if !(g.Tau > 0 && g.Tau < g.Spread()) {
		return theory.Domain(false, "tau", g.Tau, "a number in (0, "+FormatFloat(g.Spread())+")")
	}
	if g.Beta == 0 {
		missing++
	} else if err := theory.Domain(g.Beta.IsInterior(), "beta", g.Beta, "a probability in (0, 1)"); err != nil {
		return err
	}
	if g.Budget != 0 {
		if err := theory.Domain(g.Budget >= 1 && g.Budget <= MaxCount, "budget", g.Budget, count); err != nil {
			return err
		}
	}
	if err := theory.Domain(g.Epsilon == 0 || g.Epsilon > 0 && g.Epsilon <= math.MaxFloat64, "epsilon", g.Epsilon,
		"a positive number"); err != nil {
		return err
	}
	if err := g.validShown(); err != nil {
		return err
	}
	if err := g.validKnown(); err != nil {
		return err
	}
	if err := g.validArrival(); err != nil {
		return err
	}
	if err := g.validSample(); err != nil {
		return err
	}
	if missing > 1 {
		return theory.Domain(false, "goal", "two or more unknowns", "three or four of samples, queries, tau and beta")
	}
	return nil
}

// Class says what a transfer theorem needs to know of the goal's queries and rows. The error is a
// DomainError. There is none for a [Difference], which is twice a [Bounded] query, less one.
func (g Goal) Class() (theorem.Class, error) {
	asked := Goal{Samples: g.Samples, Query: g.Query, Sensitivity: g.Sensitivity, Queries: 1, Tau: 1e-300, Beta: -1}
	if err := asked.Validate(); err != nil {
		return theorem.Class{}, err
	}
	switch {
	case !g.Query.IsMean():
		return theorem.Class{Spread: g.Spread(), Samples: g.Samples}, nil
	case g.Query.IsSigned():
		return theorem.Class{}, theory.Domain(false, "query", g.Query, "another kind than a difference")
	}
	return theorem.Class{Samples: g.Samples}, nil
}

// Unknown returns which of the four quantities is missing from a valid goal.
func (g Goal) Unknown() Unknown {
	switch {
	case g.Samples == 0:
		return Samples
	case g.Queries == 0:
		return Queries
	case g.Tau == 0:
		return Tau
	case g.Beta == 0:
		return Beta
	}
	return None
}

// Spread returns D_q, the most that replacing all n records moves a query: n
// times its per-record sensitivity. A comparison of two candidates is a
// difference of two losses and moves twice as much.
func (g Goal) Spread() float64 {
	if d := g.Sensitivity; d != 0 && !g.Query.IsMean() {
		return d * g.Query.Span()
	}
	return g.Query.Span()
}

// IsHalved reports whether the low-variance bound speaks of half of a difference: its second moment is known, and not
// how often it is 0.
func (g Goal) IsHalved() bool {
	return g.Query.IsSigned() && g.Disagreement == 0 && g.SecondMoment > 0
}

// FormatFloat prints the shortest decimal that is read as x.
func FormatFloat(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

// Rare returns which query on the rarer side of an open plan that with the number Queries is, if it is one: a pass, a
// raise or a correction.
func (g Goal) Rare() int64 {
	if g.Feedback == Flags && g.Passes == 0 {
		return max(g.Budget, 1)
	}
	return max(g.Passes, 1)
}

// WithFlags returns the goal with the budget of a fixed plan beside an open one.
func (g Goal) WithFlags() Goal {
	if g.Open && g.Feedback == Flags {
		g.Budget, g.Passes = g.Rare(), 0
	}
	return g
}

// NoDifference says that the disagreement alone bounds every difference.
func (g Goal) NoDifference() string {
	return "no difference is more than " + FormatFloat(g.MayDiffer()) + ", the disagreement"
}

// Sides returns how many of an answer's two errors count.
func (g Goal) Sides() float64 {
	if g.OneSided {
		return 1
	}
	return 2
}

// Unit returns what the accuracy and the noise of the joint bound are multiplied by: a difference is twice a mean of
// values in an interval of length one.
func (g Goal) Unit() float64 {
	if g.Query.IsSigned() {
		return 2
	}
	return 1
}

// BarTails returns the bar as tails have it.
func (g Goal) BarTails() tail.Bar {
	return tail.Bar{Height: g.Bar.Value, Margin: g.Tau, OneSided: g.OneSided}
}

// IsPlain reports whether the goal says nothing by parameters.
func (g Goal) IsPlain() bool {
	if g.Known != (Known{}) || !g.hasPlainFeedback() {
		return false
	}
	return g.Budget == 0 && g.Epsilon == 0
}
