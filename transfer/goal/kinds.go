package goal

import (
	"github.com/dpcalc/dpcalc/theory"
)

// Kinds is the set of query kinds that a theorem covers.
type Kinds uint

// The sets of kinds, as what their entries say makes them.
var (
	Linear   = kindsWhere(func(q Query) bool { return q.IsMean() && !q.IsSigned() })
	ZeroOne  = kindsWhere(Query.IsZeroOne)
	Means    = kindsWhere(Query.IsMean)
	AnyQuery = kindsWhere(func(q Query) bool { return !q.IsSigned() })
	AllKinds = kindsWhere(Query.isKnown)
)

func kindsWhere(holds func(q Query) bool) (k Kinds) {
	for _, q := range QueryKinds() {
		if holds(q) {
			k |= 1 << q
		}
	}
	return k
}

// Check returns a NotApplicableError for a kind of queries that is not of the set.
func (k Kinds) Check(q Query) error {
	switch {
	case k&(1<<q) != 0:
		return nil
	case k == ZeroOne:
		return Needs("a 0/1 query")
	case q.IsSigned():
		return Needs("a query with values in [0,1]")
	}
	return Needs("a linear query, a mean over the rows")
}

// Needs reports a hypothesis that fails.
func Needs(hypothesis string) error { return &theory.NotApplicableError{Needs: hypothesis} }
