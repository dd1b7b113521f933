package transfer

import (
	"math/big"
	"testing"
)

// estimator answers a 0/1 query from k of n ones by 1/2 + shrink (k/n - 1/2).
type estimator struct {
	n      int64
	shrink int64 // in hundredths
}

// misses returns sup_p P[|estimate - p| >= 1/10] as a fraction. Between two points p =
// estimate +- 1/10 the counts that succeed are an interval and their probability is
// unimodal in p; so the supremum is at such a point, where the counts at the distance 1/10
// fail.
func (e estimator) misses() *big.Rat {
	unit := 200 * e.n // all estimates and points are multiples of 1/unit
	estimate := func(k int64) int64 { return unit/2 + e.shrink*(2*k-e.n) }
	worst, power := new(big.Rat), new(big.Int).Exp(big.NewInt(unit), big.NewInt(e.n), nil)
	for j := range e.n + 1 {
		for _, p := range []int64{estimate(j) - unit/10, estimate(j) + unit/10} {
			if p <= 0 || p >= unit {
				continue
			}
			fails := new(big.Int)
			for k := range e.n + 1 {
				if d := estimate(k) - p; d > -unit/10 && d < unit/10 {
					continue
				}
				term := new(big.Int).Binomial(e.n, k)
				term.Mul(term, new(big.Int).Exp(big.NewInt(p), big.NewInt(k), nil))
				fails.Add(fails, term.Mul(term, new(big.Int).Exp(big.NewInt(unit-p), big.NewInt(e.n-k), nil)))
			}
			if r := new(big.Rat).SetFrac(fails, power); r.Cmp(worst) > 0 {
				worst = r
			}
		}
	}
	return worst
}

// The binomial row is the least n from which on the mean of the sample is good enough. A
// smaller n may do by chance, and another estimate does with fewer rows: docs/theorems/theory.md
// has these numbers.
func TestBinomialIsTheLeastForTheMeanOnly(t *testing.T) {
	method, _ := Lookup("binomial")
	row, err := method.Solve(Goal{Queries: 1, Tau: 0.1, Beta: lp("0.05"), Query: Binary})
	if err != nil || row.Samples != 106 {
		t.Errorf("%+v, %v", row, err)
	}
	for _, c := range []struct {
		estimator
		good bool
	}{
		{estimator{106, 100}, true}, {estimator{105, 100}, false}, {estimator{101, 100}, true}, {estimator{100, 100}, false},
		{estimator{87, 91}, true}, {estimator{87, 100}, false},
	} {
		if w := c.misses(); w.Cmp(big.NewRat(1, 20)) <= 0 != c.good {
			t.Errorf("%+v: misses with probability %s", c.estimator, w.FloatString(6))
		}
	}
}
