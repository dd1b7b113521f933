package tail

import (
	"math/big"

	"github.com/dpcalc/dpcalc/internal/num"
)

// Sample says how the rows of a query's mean were drawn where they are not independent rows of equal weight.
type Sample interface {
	// Worth returns what n rows are worth.
	Worth(n int64) Worth
}

// Worth is two numbers of independent rows of equal weight, rounded down. The mean of a query with values in an
// interval of the length D is s or more above its expectation with probability at most
//
//	min{e^(-Entropic E(s)), e^(-2 Gaussian (s/D)^2)},
//
// E being the rate of the values, and as much below.
type Worth struct {
	Entropic float64 // in the relative entropy, and in every rate that comes from moments of one row
	Gaussian float64 // in Hoeffding's exponent
}

// Clusters are independent groups of rows, which may depend on each other within a group. With the weights w_c >= 0
// that add up to 1, the mean of a query is the sum of w_c X_c, X_c being its mean over the group c. They are worth
//
//	Entropic = 1/max w_c,   Gaussian = 1/sum w_c^2.
//
// Source: docs/theorems/samples.md#weighted-clusters.
type Clusters struct {
	Count int64 // of the groups, at least 1
	worth Worth
}

// NewClusters returns so many clusters whose weights are proportional to numbers with that sum, that maximum and that
// sum of squares, all positive: to the sizes of the clusters, for a mean over all rows.
func NewClusters(count int64, sum, largest, squares *big.Rat) Clusters {
	square := new(big.Rat).Mul(sum, sum)
	return Clusters{count, Worth{num.Below(new(big.Rat).Quo(sum, largest)), num.Below(square.Quo(square, squares))}}
}

// Worth does not depend on the number of rows.
func (c Clusters) Worth(int64) Worth { return c.worth }

// Subset is rows that were drawn from a benchmark of so many items, uniformly and without replacement. The expectation
// of a query's mean is the mean over the benchmark. n rows are worth
//
//	Entropic = n,   Gaussian = n/(1 - (n-1)/Items).
//
// Source: Hoeffding 1963, Theorem 4; Serfling 1974, Corollary 1.1; docs/theorems/samples.md#subset-of-a-benchmark.
type Subset struct{ Items int64 }

// Worth returns a Gaussian that is far above all others for the whole benchmark, of which the mean is the truth.
func (s Subset) Worth(n int64) Worth {
	rows, rest := float64(n), float64(s.Items-n)
	if rest <= 0 {
		return Worth{rows, 0x1p60}
	}
	return Worth{rows, rows * (float64(s.Items) / (rest + 1)) * (1 - 4e-16)}
}

// Classes are rows of two classes, independent and identically distributed within each. A query is the share of pairs,
// one of each class, that a model has in the right order: the AUC, for which it is worth the rows of the smaller class.
//
// Source: Hoeffding 1963, Section 5; docs/theorems/samples.md#auc.
type Classes struct{ Positives, Negatives int64 }

// Worth does not depend on the number of rows.
func (c Classes) Worth(int64) Worth {
	fewer := float64(min(c.Positives, c.Negatives))
	return Worth{fewer, fewer}
}

// CountsAlike reports whether what is independent in a sample counts alike, as [Convex] needs: clusters of equal
// weight, the rows of a benchmark, pairs of rows of two classes, and independent rows, for which a sample is nil.
func CountsAlike(s Sample) bool {
	c, ok := s.(Clusters)
	return !ok || c.worth.Entropic == float64(c.Count)
}

// Drawn is values of rows that were drawn as a sample.
type Drawn struct {
	Values
	Sample Sample
	Spread float64 // the length of the interval that holds a value
}

// LnSide returns the lesser of the two bounds, rounded up.
func (v Drawn) LnSide(n int64, s float64) float64 {
	worth := v.Sample.Worth(n)
	ln := v.Values.LnSide(int64(worth.Entropic), s)
	if s > 0 {
		ln = min(ln, -Hoeffding(worth.Gaussian, s/v.Spread))
	}
	return ln
}

// Hoeffding returns 2 rows s^2, rounded down, for s >= 0.
func Hoeffding(rows, s float64) float64 { return 2 * rows * s * s * (1 - 1e-15) }
