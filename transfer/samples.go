package transfer

import (
	"slices"

	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer/goal"
	"github.com/dpcalc/dpcalc/transfer/solver"
	"github.com/dpcalc/dpcalc/transfer/tail"
)

func drawnSources(g goal.Goal) []theory.Source {
	if goal.IsSubset(g.Sample) {
		return append(proved("samples.md#subset-of-a-benchmark"), source("hoeffding63", "Theorem 4"), source("serfling74", "Corollary 1.1"))
	}
	if _, ok := g.Sample.(tail.Classes); ok {
		return append(proved("samples.md#auc"), source("hoeffding63", "Section 5"))
	}
	return append(proved("samples.md#weighted-clusters"), source("hoeffding63", "Theorem 2"))
}

// drawnAssumes are hypotheses with the sample's in place of independent rows.
func drawnAssumes(g goal.Goal, assumes []string) []string {
	instead := "clusters independent, their weights fixed"
	if _, ok := g.Sample.(tail.Classes); ok {
		instead = "rows drawn within each class, independent and identically distributed, and models made without these rows"
	}
	if goal.IsSubset(g.Sample) {
		instead = "rows drawn uniformly without replacement from the benchmark, which is the population"
	}
	rest := slices.DeleteFunc(slices.Clone(assumes), func(a string) bool {
		return a == independent || a == independentOnly || a == identical
	})
	return append([]string{instead}, rest...)
}

var subset = Method{
	Name:      "subset",
	Summary:   "a fresh subset of a benchmark for every query, whose mean over the benchmark is the truth",
	Formula:   "n/(1 - (n-1)/N) >= ln(2m/beta)/(2 tau^2) for a benchmark of N items, or n of sealed for m finalists",
	Practice:  "For each query draw n of the N items anew, uniformly and without replacement, and answer with the mean over them. The rows are those of one query: before they are drawn nothing is known of them, whatever was answered before, so that nothing is lost to adaptivity. Over many queries labels of nearly all items are needed.",
	Uses:      []string{disagreementFlag, varianceFlag, atLeastFlag, secondMomentFlag},
	Proof:     Derived,
	Adaptive:  true,
	OneSided:  true,
	Setting:   Benchmarks,
	Feedbacks: []Feedback{Answers},
	Sources:   proved("samples.md#subset"),
	Assumes:   []string{"each draw made after its query is fixed, by coins that nobody knows"},
	theorems: theorems{
		rule:  solver.PerQuery(goal.Means, solver.OneLook{Exact: true, Convex: true}),
		drawn: solver.PerQuery(goal.Means, solver.OneLook{Exact: true, Convex: true}),
	},
}

var (
	arrivalProof   = proved("open.md#rows-that-arrive-in-stages", "open.md#rows-that-come-later")
	arrivalAssumes = []string{"when rows come, and which, owes nothing to their labels", "query j is about exactly the rows planned for it"}
)
