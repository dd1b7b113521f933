// Package design has how the rows of a ledger were drawn, and what of them counts alike. A [Design] answers each
// question that a ledger asks of its rows, so that a new design does not compile before it has answered all.
package design

import (
	"errors"
	"math"
	"slices"

	"github.com/dpcalc/dpcalc/holdout/form"
	"github.com/dpcalc/dpcalc/metric"
	"github.com/dpcalc/dpcalc/transfer"
)

// Design is how rows were drawn: [Independent], [Arriving], [Clusters], [Subset] or [Classes]. Sizes are the sizes of
// all clusters at the time, nil for none.
type Design interface {
	// Sample returns how the rows were drawn as a goal has it, nil for independent records of equal weight.
	Sample(sizes *form.Sizes) transfer.Sample
	// Records returns how many records so many rows are.
	Records(rows int64, sizes *form.Sizes) int64
	// Predicted returns of how many rows predictions are read for a look at so many, and so public.
	Predicted(rows int64) int64
	// Sizes returns the sizes of the clusters of a new ledger, nil for none.
	Sizes() *form.Sizes
	// IsIndependent reports whether rows are independent and count alike.
	IsIndependent() bool
	// Arrives reports whether rows come between the looks of a fixed plan.
	Arrives() bool
	// IsSecret reports whether it is secret which of the rows that predictions are read for have labels.
	IsSecret() bool
	// CountsMeans reports whether a record is the mean over a cluster.
	CountsMeans() bool
	// Share returns the share of the records of a look on which a candidate differs, as the line of the look has it.
	Share(l *form.Line) float64
	// Among checks what the line of a look says of clusters, by the sizes of all and whether it is of all rows.
	Among(l *form.Line, sizes *form.Sizes, all bool) error
	// Check checks what a plan says of its rows.
	Check(p *form.Plan) error
	// Describe says in a sentence how the rows have to be drawn, which no program can check.
	Describe() string
	// Slice refuses looks at some of the rows where they would tell what is secret.
	Slice(where string) error
	// Extend refuses a change of the rows: new ones, or others too, which replace some or take them out.
	Extend(others bool) error
	// Whole refuses looks while something is missing: the clusters of the rows, or which items have labels.
	Whole(clusters [][]int32, drawn []int32) error

	sealed()
}

// Of returns the design of a plan.
func Of(p *form.Plan) Design {
	switch {
	case p.Population != nil:
		return Subset{p.Population}
	case p.Pairs != nil:
		return Classes{p.Pairs}
	case p.Group != nil:
		return Clusters{p.Group}
	case p.Arrival != nil:
		return Arriving{p.Arrival}
	}
	return Independent{}
}

// Check checks what a plan says of its rows: it has one design, which fits.
func Check(p *form.Plan) error {
	if auc := p.Metric == metric.AUC || slices.Contains(p.Metrics, metric.AUC); auc != (p.Pairs != nil) {
		return errors.New("got class counts or an AUC, want both or neither")
	}
	if p.Pairs != nil { // which have neither of the others
		return Classes{p.Pairs}.Check(p)
	}
	if p.Group != nil && p.Population != nil {
		return errors.New("got clusters and a benchmark, want one of the two")
	}
	return Of(p).Check(p)
}

// share is how many of so many rows, rounded up.
func share(differ, rows int64) float64 { return roundedUp(float64(differ) / float64(rows)) }

// roundedUp is a share that is above 0 and at most 1.
func roundedUp(x float64) float64 { return min(max(math.Nextafter(x, 2), 0x1p-1000), 1) }

// unclustered checks that the line of a look of rows has no clusters.
func unclustered(l *form.Line) error {
	if l.Clusters != nil {
		return errMixed
	}
	return nil
}

// errMixed is of clusters that a plan has and a line has not, or the other way.
var errMixed = errors.New("got clusters in one place, and none in another")
