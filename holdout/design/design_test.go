package design

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/dpcalc/dpcalc/holdout/form"
)

// Sizes of clusters that are drawn fit themselves, and the sizes of some clusters fit the sizes of all.
func TestFit(t *testing.T) {
	r := rand.New(rand.NewPCG(66, 2))
	for range 2000 {
		var all, some [][]int32
		for range 1 + r.IntN(8) {
			c := make([]int32, 1+r.IntN(5))
			all = append(all, c)
			if kept := c[:r.IntN(len(c)+1)]; len(kept) > 0 {
				some = append(some, kept)
			}
		}
		whole := SizesOf(all)
		if !AreSizes(whole, whole.Rows, whole) {
			t.Fatalf("%+v are no sizes", whole)
		}
		if s := SizesOf(some); len(some) > 0 && !AreSizes(s, s.Rows, whole) {
			t.Fatalf("%+v are not some of %+v", s, whole)
		}
		edited := whole
		edited.Count, edited.Squares = whole.Count+r.Int64N(3)-1, whole.Squares*(1+r.Int64N(20))
		fits := edited.Count >= 1 && edited.Count <= whole.Count && edited.Squares <= whole.Rows*whole.Largest
		if AreSizes(edited, edited.Rows, whole) != fits {
			t.Fatalf("%+v among %+v: fits %v", edited, whole, !fits)
		}
	}
}

// A plan has one design. Two in one plan, or one that does not fit, are refused.
func TestCheck(t *testing.T) {
	group := func(count, rows, largest, squares int64) *form.Group {
		return &form.Group{Column: "doc", Weights: form.ByClusters, Features: &form.LabelsFile{},
			Clusters: form.Sizes{Count: count, Rows: rows, Largest: largest, Squares: squares}}
	}
	benchmark := func(items int64) *form.Benchmark { return &form.Benchmark{Items: items} }
	for want, p := range map[string]form.Plan{
		"":                {},
		" ":               {Promise: form.Promise{Samples: 4}, Drawn: form.Drawn{Group: group(4, 10, 4, 30)}},
		"  ":              {Promise: form.Promise{Samples: 10}, Drawn: form.Drawn{Population: benchmark(10)}},
		"   ":             {Drawn: form.Drawn{Arrival: &form.Arrival{Rows: 3}}},
		"benchmark of 9":  {Promise: form.Promise{Samples: 10}, Drawn: form.Drawn{Population: benchmark(9)}},
		"one of the two":  {Promise: form.Promise{Samples: 4}, Drawn: form.Drawn{Population: benchmark(10), Group: group(4, 10, 4, 30)}},
		"both or neither": {Asks: form.Asks{Metric: "auc"}},
		"which are none":  {Promise: form.Promise{Samples: 4}, Drawn: form.Drawn{Group: group(4, 10, 4, 300)}},
		"of 4 records":    {Promise: form.Promise{Samples: 10}, Drawn: form.Drawn{Group: group(4, 10, 4, 30)}},
		"class counts":    {Promise: form.Promise{Samples: 7}, Drawn: form.Drawn{Pairs: &form.Pairs{Positives: 3, Negatives: 4}}},
		"with what it has ": {Promise: form.Promise{Samples: 8}, Asks: form.Asks{Metric: "auc"},
			Drawn: form.Drawn{Pairs: &form.Pairs{Positives: 3, Negatives: 4}}},
		"AUC of 3 positive": {
			Promise: form.Promise{Samples: 7},
			Asks:    form.Asks{Metric: "auc"},
			Drawn:   form.Drawn{Pairs: &form.Pairs{Positives: 3, Negatives: 4}, Population: benchmark(10)},
		},
	} {
		err := Check(&p)
		none := strings.TrimSpace(want) == ""
		if (err == nil) != none || !none && !strings.Contains(fmt.Sprint(err)+" ", want) {
			t.Errorf("%+v: got %v, want %s", p, err, want)
		}
	}
}
