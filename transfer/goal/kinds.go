package goal

import (
	"github.com/dpcalc/dpcalc/theory"
)

// Kinds is the set of query kinds that a theorem covers.
type Kinds uint

const (
	Linear   Kinds = 1<<Bounded | 1<<Binary
	ZeroOne  Kinds = 1 << Binary
	Means    Kinds = Linear | 1<<Difference
	AnyQuery Kinds = Linear | 1<<Sensitive | 1<<Minimization
	AllKinds Kinds = AnyQuery | Means
)

// Check returns a NotApplicableError for a kind of queries that is not of the set.
func (k Kinds) Check(q Query) error {
	switch {
	case k&(1<<q) != 0:
		return nil
	case k == ZeroOne:
		return Needs("a 0/1 query")
	case q == Difference:
		return Needs("a query with values in [0,1]")
	}
	return Needs("a linear query, a mean over the rows")
}

// Needs reports a hypothesis that fails.
func Needs(hypothesis string) error { return &theory.NotApplicableError{Needs: hypothesis} }
