package transfer

import (
	"math"
	"slices"
	"testing"
)

// The rows of 0/1 queries, for fixed queries and for splitting, through the sample size at which
// the exact tails give way to a bound: more rows never certify less.
func TestBinaryRowsGainByEveryRow(t *testing.T) {
	sizes := []int64{100, 1000, 5000, 6000, 8100, 9999, 10000, 10001, 12000, 1e6, 1e6 + 1, 1 << 40, MaxCount}
	levels := []Goal{{Queries: 1, Beta: lp("0.05")}, {Queries: 1, Beta: lp("0.7")}, {Queries: 150, Beta: lp("0.4")}}
	for _, name := range []string{"binomial", "splitting-exact"} {
		method, _ := Lookup(name)
		for _, level := range levels {
			last := Answer{Goal: Goal{Tau: 1, Beta: 0, Queries: 0}}
			for _, n := range sizes {
				solved := func(g Goal) Answer {
					g.Samples, g.Query = n, Binary
					a, err := method.Solve(g)
					if err != nil {
						t.Fatal(err)
					}
					return a
				}
				tau := solved(Goal{Queries: level.Queries, Beta: level.Beta})
				if tau.Tau == 0 {
					tau.Tau = 1 // vacuous
				}
				beta := solved(Goal{Queries: level.Queries, Tau: 0.02})
				queries := solved(Goal{Tau: 0.02, Beta: level.Beta})
				if tau.Tau > last.Tau || beta.Beta > last.Beta || queries.Queries < last.Queries {
					t.Errorf("%s, m = %d, beta %v: %d rows give tau %v, beta %v, m %d; fewer gave %v, %v, %d",
						name, level.Queries, level.Beta, n, tau.Tau, beta.Beta, queries.Queries, last.Tau, last.Beta, last.Queries)
				}
				last.Tau, last.Beta, last.Queries = tau.Tau, beta.Beta, queries.Queries
				for _, plan := range []Answer{tau, beta, queries} {
					if ok, err := method.Certifies(plan.Goal); plan.Status == OK && (err != nil || !ok) {
						t.Errorf("%s: its answer %+v is not certified (%v)", name, plan.Goal, err)
					}
				}
			}
		}
	}
	method, _ := Lookup("binomial")
	plan := Goal{Samples: 8100, Queries: 150, Tau: 0.02, Beta: lp("0.05"), Query: Binary}
	if ok, err := method.Certifies(plan); err != nil || !ok {
		t.Errorf("8100 rows for 150 queries at 0.02: %v, %v", ok, err)
	}
}

// Splitting needs one population: if each part has a law of its own, an answer is about that part. Here
// the records of the first part are 0 and the records of the second 1; the first answer is 0, and the
// mean over all laws is 1/2.
func TestSplittingNeedsOnePopulation(t *testing.T) {
	for _, name := range []string{"splitting", "splitting-exact"} {
		method, _ := Lookup(name)
		plan, err := method.Solve(Goal{Queries: 2, Tau: 0.1, Beta: lp("0.05"), Query: Binary})
		if err != nil || plan.Status != OK {
			t.Fatalf("%s: %+v, %v", name, plan, err)
		}
		half, ones := plan.Samples/2, 0.0
		records := append(make([]float64, half), slices.Repeat([]float64{1}, int(half))...)
		for _, x := range records[:half] {
			ones += x
		}
		if math.Abs(ones/float64(half)-0.5) > plan.Tau && !slices.Contains(method.Assumes, identical) {
			t.Errorf("%s assumes %q", name, method.Assumes)
		}
	}
}
