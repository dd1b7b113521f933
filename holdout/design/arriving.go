package design

import (
	"github.com/dpcalc/dpcalc/holdout/form"
	"github.com/dpcalc/dpcalc/transfer"
)

// Arriving is independent rows of which some come between the looks of a fixed plan.
type Arriving struct{ *form.Arrival }

// Sample returns nil.
func (Arriving) Sample(*form.Sizes) transfer.Sample { return nil }

// Records returns the rows.
func (Arriving) Records(rows int64, _ *form.Sizes) int64 { return rows }

// Predicted returns the rows.
func (Arriving) Predicted(rows int64) int64 { return rows }

// Sizes returns nil.
func (Arriving) Sizes() *form.Sizes { return nil }

// IsIndependent returns true.
func (Arriving) IsIndependent() bool { return true }

// Arrives returns true.
func (Arriving) Arrives() bool { return true }

// IsSecret returns false.
func (Arriving) IsSecret() bool { return false }

// CountsMeans returns false.
func (Arriving) CountsMeans() bool { return false }

// Share returns the share of the rows, rounded up.
func (Arriving) Share(l *form.Line) float64 { return share(l.Differ, l.Rows) }

// Among refuses clusters.
func (Arriving) Among(l *form.Line, _ *form.Sizes, _ bool) error { return unclustered(l) }

// Check returns nil: the rows that a look is about are part of the goal.
func (Arriving) Check(*form.Plan) error { return nil }

// Describe asks for rows whose arrival owes nothing to labels.
func (Arriving) Describe() string {
	return "Rows must be independent, and when a row comes, and its place in its file, must owe nothing to its label: a file that is sorted by labels is ruled out."
}

// Slice returns nil.
func (Arriving) Slice(string) error { return nil }

// Extend refuses a change of rows that came: looks are about the first of them.
func (Arriving) Extend(others bool) error {
	if !others {
		return nil
	}
	return form.Inputf("extend: got rows to replace or to drop, want rows to add: looks are about the first rows of all that came")
}

// Whole returns nil.
func (Arriving) Whole([][]int32, []int32) error { return nil }

func (Arriving) sealed() {}
