package design

import (
	"fmt"
	"slices"

	"github.com/dpcalc/dpcalc/holdout/form"
	"github.com/dpcalc/dpcalc/metric"
	"github.com/dpcalc/dpcalc/transfer"
)

// Classes is rows that were drawn within each of two classes, for an AUC.
type Classes struct{ *form.Pairs }

// Sample returns the numbers of rows of the classes.
func (c Classes) Sample(*form.Sizes) transfer.Sample { return transfer.Classes(*c.Pairs) }

// Records returns the rows.
func (Classes) Records(rows int64, _ *form.Sizes) int64 { return rows }

// Predicted returns the rows.
func (Classes) Predicted(rows int64) int64 { return rows }

// Sizes returns nil.
func (Classes) Sizes() *form.Sizes { return nil }

// IsIndependent returns true.
func (Classes) IsIndependent() bool { return true }

// Arrives returns false.
func (Classes) Arrives() bool { return false }

// IsSecret returns false.
func (Classes) IsSecret() bool { return false }

// CountsMeans returns false.
func (Classes) CountsMeans() bool { return false }

// Share returns the share of the rows, rounded up.
func (Classes) Share(l *form.Line) float64 { return share(l.Differ, l.Rows) }

// Among refuses clusters.
func (Classes) Among(l *form.Line, _ *form.Sizes, _ bool) error { return unclustered(l) }

// Check checks that the plan is of an AUC, which has nothing beside it.
func (c Classes) Check(p *form.Plan) error {
	holds := []bool{
		p.Metric == metric.AUC, len(p.Metrics) == 1, p.Units.Positive != "",
		p.Group == nil, p.Population == nil, p.Incumbent == nil, p.FeaturesFile() == nil,
		p.Method == "gate" || p.Open != nil && p.Open.Ask == nil,
		min(c.Positives, c.Negatives) >= 1, c.Positives+c.Negatives == p.Promise.Samples,
	}
	if !slices.Contains(holds, false) {
		return nil
	}
	return fmt.Errorf("got an AUC of %d positive and %d negative rows with what it has not, or for %d rows", c.Positives,
		c.Negatives, p.Promise.Samples)
}

// Describe asks for rows of each class, and for models that their owner runs.
func (c Classes) Describe() string {
	return fmt.Sprintf("The %d positive and %d negative rows must be drawn within each class, independent and alike, and every look must be its owner's run of a model that was made without these rows: "+
		"given their features the promise is false. An AUC is worth the rows of the smaller class, and is never served.", c.Positives, c.Negatives)
}

// Slice returns nil: an AUC has no features.
func (Classes) Slice(string) error { return nil }

// Extend refuses every change.
func (Classes) Extend(bool) error {
	return form.Inputf("extend: got a ledger of an AUC, want one without: its class counts were made public when it was made")
}

// Whole returns nil.
func (Classes) Whole([][]int32, []int32) error { return nil }

func (Classes) sealed() {}
