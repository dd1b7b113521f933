package transfer

import (
	"math"
	"reflect"
	"slices"
	"testing"
)

// A chain's rows are the rows of goals that are solved alone, but for the n of Gaussian noise, which is within what a
// search may be above the least, and what goes with it. The goals are a grid: its lists run through each other, end,
// and begin anew.
func TestChain(t *testing.T) {
	searched := []string{"gaussian-schedule", "gaussian"}
	for _, asked := range []Goal{
		{}, {Budget: 10}, {Query: Difference}, {Query: Binary, Shown: Shown{OneSided: true}},
		{Query: Difference, Known: Known{Disagreement: 0.1}}, {Shown: Shown{Feedback: Gate}}, {Range: Range{From: 0, To: 5}},
	} {
		methods := MethodsFor(asked.Feedback)
		chain, looks := NewChain(methods), []int64{20, 3000}
		if asked.Disagreement > 0 {
			looks = looks[:1]
		}
		for _, m := range looks {
			for i := range 8 {
				for _, beta := range []string{"0.05", "0.001"} {
					g := asked
					g.Queries, g.Tau, g.Beta = m, 0.02*math.Exp(0.06*float64(i)), lp(beta)
					got, _, err := chain.Solve(nil, g)
					want, _, wrong := Solve(nil, methods, g)
					if err != nil || wrong != nil || len(got) != len(want) {
						t.Fatalf("%+v: %v, %v, %d rows", g, err, wrong, len(got))
					}
					for j, row := range got {
						alone := want[j]
						if slices.Contains(searched, row.Method.Name) {
							off, n := row.Samples-alone.Samples, alone.Samples
							if off > 1+n/7000 || off < -1-n/500 || row.Status != alone.Status {
								t.Errorf("%s %+v: %d rows, alone %d", row.Method.Name, g, row.Samples, alone.Samples)
							}
							continue
						}
						if row.Best, alone.Best = false, false; !reflect.DeepEqual(row, alone) {
							t.Errorf("%s: %+v, alone %+v", row.Method.Name, row.Answer, alone.Answer)
						}
					}
				}
			}
		}
	}
}
