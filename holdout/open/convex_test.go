package open

import (
	"testing"

	"github.com/dpcalc/dpcalc/holdout/form"
	"github.com/dpcalc/dpcalc/holdout/rule"
	"github.com/dpcalc/dpcalc/metric"
	"github.com/dpcalc/dpcalc/transfer/open"
)

// Values in [0,1] have convex tails from the second code on where what is independent counts alike, and an older ledger
// keeps those that it was made with.
func TestConvexTailsOfOpenLooks(t *testing.T) {
	equal := &form.Sizes{Count: 20, Rows: 80, Largest: 4, Squares: 320}
	unequal := &form.Sizes{Count: 20, Rows: 80, Largest: 23, Squares: 80 + 22*23}
	column := form.Line{Shown: form.Shown{Counted: form.Counted{Rows: 80}}, Request: form.Request{Metric: "column:f"}}
	differing := form.Line{Shown: form.Shown{Counted: form.Counted{Rows: 80, Differ: 30}},
		Request: form.Request{Metric: metric.Accuracy}}
	columns := form.Line{Shown: form.Shown{Counted: form.Counted{Rows: 80, Differ: 80}}, Request: form.Request{Metric: "column:f"}}
	ranked := form.Line{Shown: form.Shown{Counted: form.Counted{Rows: 80}}, Request: form.Request{Metric: "auc"}}
	for _, c := range []struct {
		name   string
		plan   form.Plan
		line   form.Line
		sizes  *form.Sizes
		rows   int64 // that a convex tail counts, 0 for none
		within func(open.Planned) open.Planned
	}{
		{"rows", form.Plan{}, column, nil, 80, nil},
		{"clusters", form.Plan{Drawn: form.Drawn{Group: &form.Group{Weights: form.ByClusters}}}, column, unequal, 20, nil},
		{"rows of equal clusters", form.Plan{Drawn: form.Drawn{Group: &form.Group{Weights: form.ByRows}}}, column, equal, 20, nearest},
		{"rows of unequal clusters", form.Plan{Drawn: form.Drawn{Group: &form.Group{Weights: form.ByRows}}}, column, unequal, 0, nearest},
		{"a benchmark", form.Plan{Drawn: form.Drawn{Population: &form.Benchmark{Items: 500}}}, column, nil, 80, nearest},
		{"an AUC", form.Plan{Drawn: form.Drawn{Pairs: &form.Pairs{Positives: 30, Negatives: 50}}}, ranked, nil, 30, nearest},
		{"decided rows", form.Plan{Incumbent: &form.LabelsFile{}}, differing, nil, 30, among},
		{"two columns", form.Plan{Incumbent: &form.LabelsFile{}}, columns, nil, 80, among},
	} {
		for version := form.FirstCode; version <= form.Code; version++ {
			c.plan.Open = &form.Law{Code: version}
			p := rule.Plan{Plan: c.plan}
			tails, _ := planned(&p, rule.Line{Line: c.line}, c.line.Rows, c.sizes)
			if _, random := tails.(open.Around); random && version == form.FirstCode {
				continue
			}
			if c.within != nil {
				tails = c.within(tails)
			}
			convex, ok := tails.(open.Convex)
			_, unit := tails.(open.Unit)
			if want := version > form.FirstCode && c.rows > 0; ok != want || unit == want || ok && convex.Rows != c.rows {
				t.Errorf("%s, version %d: %+v, want %d rows", c.name, version, tails, c.rows)
			}
		}
	}
}

func among(tails open.Planned) open.Planned { return tails.(open.Decided).Among }

func nearest(tails open.Planned) open.Planned { return tails.(open.Hoeffding).Nearer }
