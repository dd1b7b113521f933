package open

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dpcalc/dpcalc/transfer/tail"
)

// hypergeometric is P[count = k] for n of so many items, of which so many are ones.
func hypergeometric(items, ones, n, k int) float64 {
	choose := func(n, k int) float64 {
		a, _ := math.Lgamma(float64(n + 1))
		b, _ := math.Lgamma(float64(k + 1))
		c, _ := math.Lgamma(float64(n - k + 1))
		return a - b - c
	}
	if k > ones || n-k > items-ones || k < 0 {
		return 0
	}
	return math.Exp(choose(ones, k) + choose(items-ones, n-k) - choose(items, n))
}

// For every number of ones in a benchmark the ends at every count are wrong with at most the probability of the level,
// and the two tails together are nearer than each alone.
func TestEndsOfSubsets(t *testing.T) {
	r := rand.New(rand.NewPCG(31, 42))
	worst := 0.
	for range 300 {
		items := 2 + r.IntN(60)
		n := 1 + r.IntN(items)
		level := -6 * r.Float64()
		tails := Of(tail.Subset{Items: int64(items)}, int64(n), func(float64, bool) Planned { return ZeroOne{int64(n)} })
		ends := make([][2]float64, n+2)
		for k := range ends {
			x := ZeroOne{int64(n)}.mean(int64(k))
			ends[k] = [2]float64{tails.Lower(x, level), tails.Upper(x, level)}
		}
		for ones := range items + 1 {
			truth := float64(ones) / float64(items)
			atLeast, below := make([]float64, n+2), make([]float64, n+2)
			for k := n; k >= 0; k-- {
				atLeast[k] = atLeast[k+1] + hypergeometric(items, ones, n, k)
			}
			for k := range n + 1 {
				below[k+1] = below[k] + hypergeometric(items, ones, n, k)
			}
			for k := range n + 1 {
				if ends[k][0] > truth+1e-12 {
					worst = max(worst, atLeast[k]/math.Exp(level))
				}
				if ends[k][1] < truth-1e-12 {
					worst = max(worst, below[k]/math.Exp(level))
				}
			}
		}
	}
	if !(worst <= 1+1e-9 && worst > 0.8) {
		t.Errorf("ends are wrong with %v of the level", worst)
	}
}

// The nearer end is one of the two, and the widest interval is no less than any.
func TestNearerOfTwoTails(t *testing.T) {
	r := rand.New(rand.NewPCG(32, 42))
	gained := 0
	for range 2000 {
		n := 2 + 300*r.Float64()
		v := Hoeffding{Unit{Rows: n}, n * (1 + r.Float64())}
		if r.IntN(2) == 0 {
			v.Nearer = Around{Differences{n, 0.2 + 0.8*r.Float64()}}
		}
		counts := Hoeffding{ZeroOne{int64(n)}, n * (1 + 9*r.Float64())}
		lnLow, lnHigh, gap := -8*r.Float64(), -8*r.Float64(), 0.1*r.Float64()
		widest := v.Widest(lnLow, lnHigh, gap)
		for range 5 {
			x := r.Float64()
			lower, one := v.Lower(x, lnLow), v.Nearer.Lower(x, lnLow)
			lowest, highest := v.Range()
			other := x - (highest-lowest)*math.Sqrt(-lnLow/2/v.Rows)
			if lower < one || lower < other-1e-12 || lower > max(one, other) {
				t.Fatalf("%+v: the lower end %v, want the greater of %v and %v", v, lower, one, other)
			}
			if lower > one {
				gained++
			}
			if width := v.Upper(x+gap, lnHigh) - v.Lower(x, lnLow); width > widest*(1+1e-12) {
				t.Fatalf("%+v: an interval of %v, the widest is %v", v, width, widest)
			}
			lower, upper := counts.Lower(counts.Edge(x), lnLow), counts.Upper(counts.Edge(x+gap), lnHigh)
			if widest := counts.Widest(lnLow, lnHigh, gap); upper-lower > widest*(1+1e-12) {
				t.Fatalf("%+v at %v, gap %v: an interval of %v, the widest is %v", counts, x, gap, upper-lower, widest)
			}
		}
	}
	if gained < 1000 {
		t.Errorf("Hoeffding's end was nearer %d times", gained)
	}
}
