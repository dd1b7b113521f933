package properties

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer"
)

// documents are right answers to ten questions about each of so many documents, as the number right in each. A document
// has a rate of its own by the law Beta(2,2): two answers about it have the correlation 1/5, the mean is 1/2.
func documents(r *rand.Rand, number int) (right []int) {
	for range number {
		// The second of three uniform numbers has that law.
		a, b, c := r.Float64(), r.Float64(), r.Float64()
		rate := max(min(a, b), min(max(a, b), c))
		count := 0
		for range 10 {
			if r.Float64() < rate {
				count++
			}
		}
		right = append(right, count)
	}
	return right
}

// The guide's plan for finalists fails in a quarter to a half of all cases where its rows are ten questions about each
// document, with the correlation .2: 22 per cent for one finalist, and 48 for five that err independently, where 5 are
// promised. With the documents as clusters it fails in fewer than 5. The rates are of 6,000 cases. By Hoeffding's
// inequality one of the four is farther than .03 from its expectation with probability at most 8 e^(-10.8) < 2e-4.
func TestDependentRowsBreakPlans(t *testing.T) {
	const cases, number = 6000, 250
	sealed, _ := transfer.Lookup("sealed")
	beta, err := theory.ParseLogProb("0.05")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		finalists int64
		fails     float64
	}{{1, 0.22}, {5, 0.48}} {
		tau := func(rows int64, query transfer.Query) float64 {
			g := transfer.Goal{Samples: rows, Queries: c.finalists, Beta: beta, Query: query}
			g.Feedback = transfer.Final
			a, err := sealed.Solve(g)
			if err != nil || a.Status != transfer.OK {
				t.Fatalf("%+v, %v", a, err)
			}
			return a.Tau
		}
		byRows, byClusters := tau(10*number, transfer.Binary), tau(number, transfer.Bounded)
		r := rand.New(rand.NewPCG(44, uint64(c.finalists)))
		wrong, kept := 0, 0
		for range cases {
			farthest := 0.
			for range c.finalists {
				sum := 0
				for _, count := range documents(r, number) {
					sum += count
				}
				farthest = max(farthest, math.Abs(float64(sum)/(10*number)-0.5))
			}
			if farthest >= byRows {
				wrong++
			}
			if farthest >= byClusters {
				kept++
			}
		}
		if rate := float64(wrong) / cases; math.Abs(rate-c.fails) > 0.03 {
			t.Errorf("%d finalists within %v: %v of the plans fail, want about %v", c.finalists, byRows, rate, c.fails)
		}
		if rate := float64(kept) / cases; rate > 0.05+0.03 {
			t.Errorf("%d finalists within %v, by clusters: %v of the plans fail", c.finalists, byClusters, rate)
		}
		t.Logf("%d finalists: %v fail within %v, %v within %v", c.finalists, float64(wrong)/cases, byRows, float64(kept)/cases, byClusters)
	}
}
