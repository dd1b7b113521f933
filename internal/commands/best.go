package commands

import (
	"cmp"

	"github.com/dpcalc/dpcalc/transfer"
)

// Better says whether a is strictly better than b: for the unknown, or where it ties by
// the accuracy achieved.
func Better(u transfer.Unknown, a, b transfer.Answer) bool {
	return cmp.Or(Ahead(u, a, b), cmp.Compare(a.TauAchieved, b.TauAchieved)) < 0
}

// Ahead compares two answers by the unknown alone: it is negative where a is the better.
func Ahead(u transfer.Unknown, a, b transfer.Answer) int {
	switch u {
	case transfer.Samples:
		return cmp.Compare(a.Samples, b.Samples)
	case transfer.Queries:
		return cmp.Compare(b.Queries, a.Queries)
	case transfer.Tau:
		return cmp.Compare(a.Tau, b.Tau)
	case transfer.Beta:
		return cmp.Compare(a.Beta, b.Beta)
	}
	return 0
}
