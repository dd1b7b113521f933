package goal

import (
	"math"

	"github.com/dpcalc/dpcalc/theory"
)

// Decided says whether predictions tell on which rows a difference can be other than 0, so that a check of their share
// leaves none but these to chance. The truth of a query is then its expectation over fresh labels of the same rows.
type Decided int

// The kinds. A check is a number of rows that are counted.
const (
	Undecided  Decided = iota // they do not: rows are random
	AnyClasses                // both of two models may be wrong
	TwoClasses                // two declared classes: where two models differ, exactly one is right
)

// decidedNames are the names in a plan.
var decidedNames = [...]string{"", "any", "two"}

// String returns the name in a plan, "" for none.
func (d Decided) String() string {
	if d < 0 || int(d) >= len(decidedNames) {
		return "unknown"
	}
	return decidedNames[d]
}

// ParseDecided reads the name in a plan.
func ParseDecided(name string) (Decided, error) {
	for i, n := range decidedNames {
		if n == name {
			return Decided(i), nil
		}
	}
	return 0, &theory.DomainError{Param: "decided", Value: name, Want: "any, two or nothing"}
}

// DecidedRows returns the greatest number of n rows that is at most the share of the disagreement, or one more by
// rounding.
func (g Goal) DecidedRows(n int64) int64 {
	return int64(math.Floor(g.Disagreement * float64(n) * (1 + 1e-15)))
}

// Decides reports whether the rows on which queries can be other than 0 are counted.
func (g Goal) Decides() bool {
	counted := g.Decided != Undecided && g.Checked && g.Disagreement > 0
	gates := g.Query.IsSigned() && g.Feedback == Gate && !g.Open
	plain := g.SecondMoment == 0 && g.Sample == nil && g.Arrival == nil
	return counted && gates && plain
}
