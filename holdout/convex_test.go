package holdout

import (
	"testing"

	"github.com/dpcalc/dpcalc/transfer/open"
)

// Values in [0,1] have convex tails from the second code on where what is independent counts alike, and an older ledger
// keeps those that it was made with.
func TestConvexTailsOfOpenLooks(t *testing.T) {
	equal, unequal := &Sizes{20, 80, 4, 320}, &Sizes{20, 80, 23, 80 + 22*23}
	column := Line{Metric: "column:f", Shown: Shown{Rows: 80}}
	differing := Line{Metric: Accuracy, Shown: Shown{Rows: 80, Differ: 30}}
	columns := Line{Metric: "column:f", Shown: Shown{Rows: 80, Differ: 80}}
	for _, c := range []struct {
		name   string
		plan   Plan
		line   Line
		sizes  *Sizes
		rows   int64 // that a convex tail counts, 0 for none
		within func(open.Planned) open.Planned
	}{
		{"rows", Plan{}, column, nil, 80, nil},
		{"clusters", Plan{Group: &Group{Weights: ByClusters}}, column, unequal, 20, nil},
		{"rows of equal clusters", Plan{Group: &Group{Weights: ByRows}}, column, equal, 20, nearest},
		{"rows of unequal clusters", Plan{Group: &Group{Weights: ByRows}}, column, unequal, 0, nearest},
		{"a benchmark", Plan{Population: &Benchmark{Items: 500}}, column, nil, 80, nearest},
		{"an AUC", Plan{Pairs: &Pairs{30, 50}}, Line{Metric: "auc", Shown: Shown{Rows: 80}}, nil, 30, nearest},
		{"decided rows", Plan{Incumbent: &LabelsFile{}}, differing, nil, 30, among},
		{"two columns", Plan{Incumbent: &LabelsFile{}}, columns, nil, 80, among},
	} {
		for version := firstCode; version <= code; version++ {
			c.plan.Open = &Law{Code: version}
			tails, _ := c.plan.planned(c.line, c.line.Rows, c.sizes)
			if _, random := tails.(open.Differences); random && version == firstCode {
				continue
			}
			if c.within != nil {
				tails = c.within(tails)
			}
			convex, ok := tails.(open.Convex)
			_, unit := tails.(open.Unit)
			if want := version > firstCode && c.rows > 0; ok != want || unit == want || ok && convex.Rows != c.rows {
				t.Errorf("%s, version %d: %+v, want %d rows", c.name, version, tails, c.rows)
			}
		}
	}
}

func among(tails open.Planned) open.Planned { return tails.(open.Decided).Among }

func nearest(tails open.Planned) open.Planned { return tails.(open.Hoeffding).Nearer }
