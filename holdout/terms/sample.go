package terms

import (
	"cmp"
	"slices"
	"strings"

	"github.com/dpcalc/dpcalc/holdout/design"
	"github.com/dpcalc/dpcalc/holdout/form"
	"github.com/dpcalc/dpcalc/internal/text"
	"github.com/dpcalc/dpcalc/transfer"
)

// Sample returns how the rows of the terms were drawn, and the number of records.
func (t Terms) Sample(rows int64) (transfer.Sample, int64) {
	switch {
	case t.Items != nil:
		return transfer.Subset{Items: int64(len(t.Items.IDs))}, rows
	case t.pairs != nil:
		return transfer.Classes(*t.pairs), rows
	case t.sizes != nil && t.Weights == form.ByRows:
		return design.SampleOf(*t.sizes), rows
	case t.sizes != nil:
		return nil, t.sizes.Count
	}
	return nil, rows
}

// Clusters returns the group of a plan, without its file of features.
func (t Terms) Clusters() *form.Group {
	if t.sizes == nil {
		return nil
	}
	return &form.Group{Column: t.Group, Weights: t.Weights, Clusters: *t.sizes}
}

// Benchmark returns the benchmark of a plan, without its file.
func (t Terms) Benchmark() *form.Benchmark {
	if t.Items == nil {
		return nil
	}
	return &form.Benchmark{Items: int64(len(t.Items.IDs))}
}

// Ungrouped refuses what does not go with clusters or with a benchmark, before any file is looked at.
func (t *Terms) Ungrouped() error {
	gate := t.Goal.Feedback == transfer.Gate && t.Test == "" && t.Items == nil
	uses := t.Open || t.Group != "" || gate // of features
	switch t.Weights = cmp.Or(t.Weights, form.ByClusters); {
	case t.Group == "" && t.Weights != form.ByClusters:
		return form.Inputf("weights: got %s, want --group COLUMN too", text.Shown(t.Weights))
	case !slices.Contains(form.Weights(), t.Weights):
		return form.Inputf("weights: got %s, want %s", text.Shown(t.Weights), strings.Join(form.Weights(), " or "))
	case t.Group != "" && t.Items != nil:
		return form.Inputf("group: got it with --population, want one of the two")
	case t.Group != "" && t.Features == nil:
		return form.Inputf("features: got nothing, want a table with the columns id and %s, as --group %[1]s needs", text.Shown(t.Group))
	case t.Features != nil && !uses:
		return form.Inputf("features: got some, want --open, --group or --feedback gate too, which use them")
	case t.Group != "" && t.Goal.Query.IsZeroOne():
		return form.Inputf("query: got binary with --group, want bounded or difference: the mean over a cluster is neither 0 nor 1")
	}
	return nil
}
