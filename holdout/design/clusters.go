package design

import (
	"errors"
	"fmt"
	"math/big"
	"slices"

	"github.com/dpcalc/dpcalc/holdout/form"
	"github.com/dpcalc/dpcalc/internal/text"
	"github.com/dpcalc/dpcalc/transfer"
)

// Clusters is clusters of rows: independent of each other, and in any way dependent among themselves.
type Clusters struct{ *form.Group }

// Sample returns the clusters whose rows count alike. Clusters that count alike are independent records.
func (c Clusters) Sample(sizes *form.Sizes) transfer.Sample {
	if c.CountsMeans() {
		return nil
	}
	return SampleOf(*sizes)
}

// SampleOf returns clusters whose rows count alike.
func SampleOf(s form.Sizes) transfer.Sample {
	whole := func(x int64) *big.Rat { return new(big.Rat).SetInt64(x) }
	return transfer.NewClusters(s.Count, whole(s.Rows), whole(s.Largest), whole(s.Squares))
}

// Records returns the clusters where they count alike, and else the rows.
func (c Clusters) Records(rows int64, sizes *form.Sizes) int64 {
	if c.CountsMeans() {
		return sizes.Count
	}
	return rows
}

// Predicted returns the rows.
func (Clusters) Predicted(rows int64) int64 { return rows }

// Sizes returns the sizes of all clusters.
func (c Clusters) Sizes() *form.Sizes { return &c.Group.Clusters }

// IsIndependent returns false.
func (Clusters) IsIndependent() bool { return false }

// Arrives returns false.
func (Clusters) Arrives() bool { return false }

// IsSecret returns false.
func (Clusters) IsSecret() bool { return false }

// CountsMeans reports whether clusters count alike.
func (c Clusters) CountsMeans() bool { return c.Weights == form.ByClusters }

// Share returns the mean over the clusters of the share of their rows, or the share of all rows, rounded up.
func (c Clusters) Share(l *form.Line) float64 {
	if c.CountsMeans() {
		return roundedUp(l.Share * (1 + 1e-9))
	}
	return share(l.Differ, l.Rows)
}

// Among checks that the clusters of a look can be some of all, or are all.
func (Clusters) Among(l *form.Line, sizes *form.Sizes, all bool) error {
	switch {
	case l.Clusters == nil:
		return errMixed
	case all && *l.Clusters != *sizes || !AreSizes(*l.Clusters, l.Rows, *sizes):
		return fmt.Errorf("got the clusters %+v, want some of %+v", *l.Clusters, *sizes)
	case l.Share < 0 || l.Share > 1:
		return fmt.Errorf("got a candidate that differs on a share of %v", l.Share)
	}
	return nil
}

// AreSizes reports whether these can be sizes of clusters of so many rows, which are some of the rows of others.
func AreSizes(s form.Sizes, rows int64, all form.Sizes) bool {
	some := s.Count >= 1 && s.Count <= min(rows, all.Count) && s.Rows == rows
	large := s.Largest >= 1 && s.Largest <= min(rows, all.Largest)
	squared := s.Squares >= rows && s.Squares <= rows*s.Largest
	return some && large && squared
}

// SizesOf returns the sizes of clusters.
func SizesOf(clusters [][]int32) (s form.Sizes) {
	for _, rows := range clusters {
		n := int64(len(rows))
		s.Count, s.Rows, s.Largest, s.Squares = s.Count+1, s.Rows+n, max(s.Largest, n), s.Squares+n*n
	}
	return s
}

// Check checks that the sizes are sizes of clusters, and as many as the plan has records.
func (c Clusters) Check(p *form.Plan) error {
	sizes := c.Group.Clusters
	switch {
	case !slices.Contains(form.Weights(), c.Weights), sizes.Rows < 1, !AreSizes(sizes, sizes.Rows, sizes):
		return fmt.Errorf("got the clusters %+v by %s, which are none", sizes, text.Shown(c.Weights))
	case p.FeaturesFile() == nil:
		return errors.New("got clusters without features")
	}
	records := sizes.Rows
	if p.Open == nil {
		records = c.Records(sizes.Rows, &sizes)
	}
	if records != p.Promise.Samples {
		return fmt.Errorf("got clusters of %d records, want %d", records, p.Promise.Samples)
	}
	return nil
}

// Describe asks for independent clusters.
func (c Clusters) Describe() string {
	if c.CountsMeans() {
		return fmt.Sprintf("The clusters of %s must be independent; the rows of one need not be. A look is the mean over clusters of the mean in each.",
			text.Shown(c.Column))
	}
	return fmt.Sprintf("The clusters of %s must be independent; the rows of one need not be. A look is the mean over all rows.", text.Shown(c.Column))
}

// Slice returns nil.
func (Clusters) Slice(string) error { return nil }

// Extend returns nil.
func (Clusters) Extend(bool) error { return nil }

// Whole asks for the features that say which rows are a cluster.
func (Clusters) Whole(clusters [][]int32, _ []int32) error {
	if clusters != nil {
		return nil
	}
	return form.Inputf("features: got nothing, want the files of the features: the ledger has clusters")
}

func (Clusters) sealed() {}
