package design

import (
	"github.com/dpcalc/dpcalc/holdout/form"
	"github.com/dpcalc/dpcalc/transfer"
)

// Independent is independent rows of equal weight.
type Independent struct{}

// Sample returns nil.
func (Independent) Sample(*form.Sizes) transfer.Sample { return nil }

// Records returns the rows.
func (Independent) Records(rows int64, _ *form.Sizes) int64 { return rows }

// Predicted returns the rows.
func (Independent) Predicted(rows int64) int64 { return rows }

// Sizes returns nil.
func (Independent) Sizes() *form.Sizes { return nil }

// IsIndependent returns true.
func (Independent) IsIndependent() bool { return true }

// Arrives returns false.
func (Independent) Arrives() bool { return false }

// IsSecret returns false.
func (Independent) IsSecret() bool { return false }

// CountsMeans returns false.
func (Independent) CountsMeans() bool { return false }

// Share returns the share of the rows, rounded up.
func (Independent) Share(l *form.Line) float64 { return share(l.Differ, l.Rows) }

// Among refuses clusters.
func (Independent) Among(l *form.Line, _ *form.Sizes, _ bool) error { return unclustered(l) }

// Check returns nil.
func (Independent) Check(*form.Plan) error { return nil }

// Describe asks for independent rows.
func (Independent) Describe() string {
	return "Rows must be independent. If several come from one document, user or prompt, name its column with --group: else the guarantee fails far more often than beta."
}

// Slice returns nil.
func (Independent) Slice(string) error { return nil }

// Extend returns nil.
func (Independent) Extend(bool) error { return nil }

// Whole returns nil.
func (Independent) Whole([][]int32, []int32) error { return nil }

func (Independent) sealed() {}
