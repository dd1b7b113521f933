package design

import (
	"fmt"

	"github.com/dpcalc/dpcalc/holdout/data"
	"github.com/dpcalc/dpcalc/holdout/form"
	"github.com/dpcalc/dpcalc/internal/text"
	"github.com/dpcalc/dpcalc/transfer"
)

// Subset is rows that are a uniform subset of the items of a benchmark, whose mean is the truth. Which items they are
// is secret: predictions are read for all.
type Subset struct{ *form.Benchmark }

// Sample returns the subset.
func (s Subset) Sample(*form.Sizes) transfer.Sample { return transfer.Subset{Items: s.Items} }

// Records returns the rows.
func (Subset) Records(rows int64, _ *form.Sizes) int64 { return rows }

// Predicted returns the items.
func (s Subset) Predicted(int64) int64 { return s.Items }

// Sizes returns nil.
func (Subset) Sizes() *form.Sizes { return nil }

// IsIndependent returns false: rows are drawn without replacement.
func (Subset) IsIndependent() bool { return false }

// Arrives returns false.
func (Subset) Arrives() bool { return false }

// IsSecret returns true.
func (Subset) IsSecret() bool { return true }

// CountsMeans returns false.
func (Subset) CountsMeans() bool { return false }

// Share returns the share of all items, rounded up.
func (s Subset) Share(l *form.Line) float64 { return share(l.Differ, s.Items) }

// Among refuses clusters.
func (Subset) Among(l *form.Line, _ *form.Sizes, _ bool) error { return unclustered(l) }

// Check checks that the benchmark has at least as many items as there are rows.
func (s Subset) Check(p *form.Plan) error {
	if s.Items < p.Promise.Samples || s.Items > data.MostRows {
		return fmt.Errorf("got a benchmark of %d items for %d rows", s.Items, p.Promise.Samples)
	}
	return nil
}

// Describe asks for a random subset that is kept secret.
func (s Subset) Describe() string {
	return fmt.Sprintf("The rows must be a uniform random subset of the %d items of the benchmark, and its mean is the truth. Keep secret which items have labels.",
		s.Items)
}

// Slice refuses every slice.
func (Subset) Slice(where string) error {
	return form.Inputf("where: got %s, want none: the rows of some items would tell which of them have labels", text.Shown(where))
}

// Extend refuses every change.
func (Subset) Extend(bool) error {
	return form.Inputf("extend: got a ledger with a benchmark, want one without: its rows are a uniform subset of all items")
}

// Whole asks for the items.
func (Subset) Whole(_ [][]int32, drawn []int32) error {
	if drawn != nil {
		return nil
	}
	return form.Inputf("population: got nothing, want the file of the benchmark's ids")
}

func (Subset) sealed() {}
