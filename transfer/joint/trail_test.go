package joint

import (
	"math"
	"testing"
)

// With one row fewer no schedule is certified, also where tau/sd is so large that the orders of a trail soon change.
func TestTrailLosesNoRow(t *testing.T) {
	for _, p := range []Plan{
		{Queries: 243548, Tau: 0.03239681804428007, Beta: -304.5},
		{Queries: 14365, Tau: 0.1956476751603268, Beta: -435.5},
		{Queries: 298327, Tau: 0.013686930261274852, Beta: -357.6},
		{Queries: 1000, Tau: 0.05, Beta: -3},
	} {
		found, ok := Falling.Samples(p)
		if p.Samples = found.Samples; !ok || !Falling.Certifies(p) {
			t.Errorf("%+v is not certified", p)
		}
		if p.Samples--; Falling.Certifies(p) {
			t.Errorf("%+v is certified", p)
		}
	}
}

// The sums of geometric series are those of their terms, from where all are alike to where the last is nearly the sum.
func TestGeometric(t *testing.T) {
	for _, count := range []float64{1, 2, 3, 17, 1000} {
		for _, top := range []float64{0, 1e-20, 1e-9, 0.01, 0.0599, 0.0601, 0.9, 1.9999, 2.0001, 30, 900} {
			sum, x := 0.0, top/count
			for i := count - 1; i >= 0; i-- { // in units of the last
				sum += math.Exp((i - count + 1) * x)
			}
			want := (count-1)*x + math.Log(sum)
			got := lnGeometric(x, count)
			if !(got >= want-1e-14*(1+want) && got <= want+1e-13*(1+want)) {
				t.Errorf("ln of the sum of %v terms %v apart is %v, want %v", count, x, got, want)
			}
		}
	}
}
