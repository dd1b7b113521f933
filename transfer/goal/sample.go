package goal

import (
	"fmt"
	"math/big"

	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer/tail"
)

// Sample says how the rows of a goal were drawn: [Clusters], a [Subset] or [Classes].
type Sample = tail.Sample

// Clusters are independent groups of rows that may depend on each other within a group, with weights that may differ.
// A goal about them has a number of rows, and no more can be asked for. Clusters of equal weight are rows: a goal needs
// no Sample for them, and each value is the mean over a cluster.
type Clusters = tail.Clusters

// NewClusters returns so many clusters whose weights are proportional to numbers with that sum, that maximum and that
// sum of squares, all positive.
func NewClusters(count int64, sum, largest, squares *big.Rat) Clusters {
	return tail.NewClusters(count, sum, largest, squares)
}

// Subset is rows drawn uniformly and without replacement from a benchmark, whose mean is the truth.
type Subset = tail.Subset

// Classes are rows drawn within each of two classes, of models that were made without them: a query is an AUC.
type Classes = tail.Classes

// validSample returns a DomainError for a sample that does not go with the goal.
func (g Goal) validSample() error {
	if g.Sample == nil {
		return nil
	}
	name, most := "clusters", int64(MaxCount)
	if s, ok := g.Sample.(Subset); ok {
		name, most = "population", s.Items
		if err := theory.Domain(s.Items >= 1 && s.Items <= MaxCount, name, s.Items,
			"a whole number from 1 to 9007199254740992"); err != nil {
			return err
		}
	}
	classes, auc := g.Sample.(Classes)
	if auc {
		name, most = "class-counts", classes.Positives+classes.Negatives
	}
	for _, c := range []struct {
		ok   bool
		want string
	}{
		{!auc || g.Query == Bounded, "bounded queries, whose values are those of pairs"},
		{!auc || g.Variance == 0, "no variance, which a pair of rows has not"},
		{!auc || min(classes.Positives, classes.Negatives) >= 1 && most <= MaxCount, "two classes of one row or more each"},
		{!auc || g.Samples == most, "as many rows as both classes have"},
		{g.Query.IsMean(), "a query that is a mean over the rows"},
		{g.PastLooks == 0, "no past looks"},
		{g.Arrival == nil, "all rows at the first query"},
	} {
		if err := theory.Domain(c.ok, name, g.WorthWords(), c.want); err != nil {
			return err
		}
	}
	if err := theory.Domain(g.Samples <= most, "samples", g.Samples, fmt.Sprintf("at most %d, the items of the benchmark", most)); err != nil {
		return err
	}
	if !g.Sized() {
		return nil
	}
	if err := theory.Domain(g.Samples != 0, name, g.WorthWords(), "a number of rows, which is not looked for"); err != nil {
		return err
	}
	return theory.Domain(!g.Query.IsZeroOne(), name, g.WorthWords(), "bounded or difference queries: the mean over a cluster is neither 0 nor 1")
}

// WorthWords say which sample it is.
func (g Goal) WorthWords() string {
	switch s := g.Sample.(type) {
	case Subset:
		return fmt.Sprintf("a benchmark of %d items", s.Items)
	case Clusters:
		return Plural(s.Count, "cluster", "clusters")
	case Classes:
		return fmt.Sprintf("%d positive and %d negative rows", s.Positives, s.Negatives)
	}
	return "rows"
}

// Sized reports whether the sample has its number of rows: clusters with weights, and classes.
func (g Goal) Sized() bool { return g.Sample != nil && !IsSubset(g.Sample) }

// IsSubset reports whether rows are a uniform subset of a benchmark.
func IsSubset(s Sample) bool {
	_, ok := s.(Subset)
	return ok
}

// DrawnValues returns the values of the goal's query for the tails of its sample.
func (g Goal) DrawnValues() tail.Values {
	if g.Sample == nil {
		return g.Values()
	}
	return tail.Drawn{Values: g.Values(), Sample: g.Sample, Spread: g.Spread()}
}

// Plural prints a number with its noun.
func Plural(n int64, one, many string) string {
	if n == 1 {
		return "one " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
