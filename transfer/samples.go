package transfer

import (
	"fmt"
	"math"
	"math/big"
	"slices"

	"github.com/dpcalc/dpcalc/internal/num"
	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer/feedback"
)

// Sample says how the rows of a goal were drawn: [Clusters], a [Subset] or [Classes].
type Sample = feedback.Sample

// Clusters are independent groups of rows that may depend on each other within a group, with weights that may differ.
// A goal about them has a number of rows, and no more can be asked for. Clusters of equal weight are rows: a goal needs
// no Sample for them, and each value is the mean over a cluster.
type Clusters = feedback.Clusters

// NewClusters returns so many clusters whose weights are proportional to numbers with that sum, that maximum and that
// sum of squares, all positive.
func NewClusters(count int64, sum, largest, squares *big.Rat) Clusters {
	return feedback.NewClusters(count, sum, largest, squares)
}

// Subset is rows drawn uniformly and without replacement from a benchmark, whose mean is the truth.
type Subset = feedback.Subset

// Classes are rows drawn within each of two classes, of models that were made without them: a query is an AUC.
type Classes = feedback.Classes

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
		{g.Query != Sensitive && g.Query != Minimization, "a query that is a mean over the rows"},
		{g.PastLooks == 0, "no past looks"},
		{g.Arrival == nil, "all rows at the first query"},
	} {
		if err := theory.Domain(c.ok, name, g.worthWords(), c.want); err != nil {
			return err
		}
	}
	if err := theory.Domain(g.Samples <= most, "samples", g.Samples, fmt.Sprintf("at most %d, the items of the benchmark", most)); err != nil {
		return err
	}
	if !g.Sized() {
		return nil
	}
	if err := theory.Domain(g.Samples != 0, name, g.worthWords(), "a number of rows, which is not looked for"); err != nil {
		return err
	}
	return theory.Domain(g.Query != Binary, name, g.worthWords(), "bounded or difference queries: the mean over a cluster is neither 0 nor 1")
}

// worthWords say which sample it is.
func (g Goal) worthWords() string {
	switch s := g.Sample.(type) {
	case Subset:
		return fmt.Sprintf("a benchmark of %d items", s.Items)
	case Clusters:
		return plural(s.Count, "cluster", "clusters")
	case Classes:
		return fmt.Sprintf("%d positive and %d negative rows", s.Positives, s.Negatives)
	}
	return "rows"
}

// Sized reports whether the sample has its number of rows: clusters with weights, and classes.
func (g Goal) Sized() bool { return g.Sample != nil && !isSubset(g.Sample) }

func isSubset(s Sample) bool {
	_, ok := s.(Subset)
	return ok
}

// drawnSources is where the tails of a sample are proved.
func (g Goal) drawnSources() []theory.Source {
	if isSubset(g.Sample) {
		return append(proved("samples.md#subset-of-a-benchmark"), source("hoeffding63", "Theorem 4"), source("serfling74", "Corollary 1.1"))
	}
	if _, ok := g.Sample.(Classes); ok {
		return append(proved("samples.md#auc"), source("hoeffding63", "Section 5"))
	}
	return append(proved("samples.md#weighted-clusters"), source("hoeffding63", "Theorem 2"))
}

// drawnAssumes are hypotheses with that of the sample in place of independent rows.
func (g Goal) drawnAssumes(assumes []string) []string {
	instead := "clusters independent, their weights fixed"
	if _, ok := g.Sample.(Classes); ok {
		instead = "rows drawn within each class, independent and identically distributed, and models made without these rows"
	}
	if isSubset(g.Sample) {
		instead = "rows drawn uniformly without replacement from the benchmark, which is the population"
	}
	rest := slices.DeleteFunc(slices.Clone(assumes), func(a string) bool {
		return a == independent || a == independentOnly || a == identical
	})
	return append([]string{instead}, rest...)
}

// drawnValues are the values of the goal's query for the tails of its sample.
func (g Goal) drawnValues() feedback.Values {
	if g.Sample == nil {
		return g.values()
	}
	return feedback.Drawn{Values: g.values(), Sample: g.Sample, Spread: g.spread()}
}

// gaussianWorth is how many rows count in Hoeffding's exponent.
func gaussianWorth(g Goal) num.DD { return num.FromFloat(g.Sample.Worth(g.Samples).Gaussian) }

// drawn is the better of two tails of a sample: Hoeffding's exponent, and that of independent rows at as many as may
// count in it. A gate at a known bar has no count.
func (o oneLook) drawn(g Goal) rule {
	hoeffding := func(g Goal) num.DD {
		rate := feedback.BoundedDifferences{Spread: g.spread()}.Rate(g.Tau)
		sides := int64(1)
		if o.both && !g.OneSided {
			sides = 2
		}
		return feedback.Need(num.DD{}, feedback.Exponential{Sides: sides, Rate: rate}, g.Beta.Ln())
	}
	every := domain{kinds: means}
	if o.bar && g.Bar.Given {
		every.top, o.exact = barredLimit, false
	}
	o.convex = o.convex && feedback.CountsAlike(g.Sample)
	return either{first: closed{domain: every, need: hoeffding, worth: gaussianWorth}, second: entropic{o.independent(g)}}
}

// entropic is a rule for as many independent rows as those of a sample are worth in a relative entropy.
type entropic struct{ rule }

func (entropic) of(g Goal) Goal {
	g.Samples = int64(math.Floor(g.Sample.Worth(g.Samples).Entropic))
	return g
}

func (r entropic) holds(g Goal) bool { return r.rule.holds(r.of(g)) }

func (r entropic) queries(g Goal) int64 { return r.rule.queries(r.of(g)) }

func (r entropic) tau(g Goal) (float64, Mechanism) { return r.rule.tau(r.of(g)) }

func (r entropic) beta(g Goal) theory.LogProb { return r.rule.beta(r.of(g)) }

var subset = Method{
	Name:      "subset",
	Summary:   "a fresh subset of a benchmark for every query, whose mean over the benchmark is the truth",
	Formula:   "n/(1 - (n-1)/N) >= ln(2m/beta)/(2 tau^2) for a benchmark of N items, or n of sealed for m finalists",
	Practice:  "For each query draw n of the N items anew, uniformly and without replacement, and answer with the mean over them. The rows are those of one query: before they are drawn nothing is known of them, whatever was answered before, so that nothing is lost to adaptivity. Over many queries labels of nearly all items are needed.",
	Uses:      []string{disagreementFlag, varianceFlag, atLeastFlag, secondMomentFlag},
	Proof:     Derived,
	Adaptive:  true,
	OneSided:  true,
	Redrawn:   true,
	Feedbacks: []Feedback{Answers},
	Sources:   proved("samples.md#subset"),
	Assumes:   []string{"each draw made after its query is fixed, by coins that nobody knows"},
	rule:      perQuery(means, true).withConvex(),
	drawn:     perQuery(means, true).withConvex(),
}
