package tail

import (
	"math"
	"math/big"
	"testing"
)

// sized is clusters of rows that all count alike.
func sized(sizes ...int64) Clusters {
	n, largest, squares := int64(0), int64(0), int64(0)
	for _, s := range sizes {
		n, largest, squares = n+s, max(largest, s), squares+s*s
	}
	whole := func(x int64) *big.Rat { return new(big.Rat).SetInt64(x) }
	return NewClusters(int64(len(sizes)), whole(n), whole(largest), whole(squares))
}

// The worth of clusters is exact where it is a number, and else the float64 below.
func TestWorthOfClusters(t *testing.T) {
	for _, c := range []struct {
		sizes              []int64
		entropic, gaussian *big.Rat
	}{
		{[]int64{7, 7, 7}, big.NewRat(3, 1), big.NewRat(3, 1)},
		{[]int64{2, 1, 1}, big.NewRat(2, 1), big.NewRat(16, 6)},
		{[]int64{1, 1, 1, 10}, big.NewRat(13, 10), big.NewRat(169, 103)},
		{[]int64{5}, big.NewRat(1, 1), big.NewRat(1, 1)},
	} {
		worth := sized(c.sizes...).Worth(0)
		for _, got := range []struct {
			x    float64
			want *big.Rat
		}{{worth.Entropic, c.entropic}, {worth.Gaussian, c.gaussian}} {
			next := new(big.Rat).SetFloat64(math.Nextafter(got.x, math.Inf(1)))
			if new(big.Rat).SetFloat64(got.x).Cmp(got.want) > 0 || next.Cmp(got.want) <= 0 {
				t.Errorf("%v: worth %v, want %v", c.sizes, got.x, got.want)
			}
		}
	}
}

// weightedTail is P[sum of w_c X_c >= x] of independent clusters, X_c being high with probability p and else low.
func weightedTail(weights, p, low, high []float64, x float64) float64 {
	if len(weights) == 0 {
		if x <= 1e-12 {
			return 1
		}
		return 0
	}
	rest := func(value float64) float64 {
		return weightedTail(weights[1:], p[1:], low[1:], high[1:], x-weights[0]*value)
	}
	return p[0]*rest(high[0]) + (1-p[0])*rest(low[0])
}

// Clusters of all sizes from a list, each with a law of two points on a grid, are never farther above their mean than
// [Drawn] says, and come close to it.
func TestClustersByEnumeration(t *testing.T) {
	type law struct{ p, low, high float64 }
	var laws []law
	for _, p := range []float64{0.1, 0.3, 0.5, 0.9} {
		for _, ends := range [][2]float64{{0, 1}, {0, 0.5}, {0.5, 1}, {-1, 1}, {-1, 0}} {
			laws = append(laws, law{p, ends[0], ends[1]})
		}
	}
	worst := 0.
	for _, sizes := range [][]int64{{1, 1}, {2, 1}, {2, 1, 1}, {3, 2, 1}, {1, 1, 1}, {10, 1, 1}, {5, 5, 2}} {
		clusters := sized(sizes...)
		n := int64(0)
		for _, s := range sizes {
			n += s
		}
		weights := make([]float64, len(sizes))
		p, low, high := make([]float64, len(sizes)), make([]float64, len(sizes)), make([]float64, len(sizes))
		var each func(at int)
		each = func(at int) {
			if at < len(sizes) {
				weights[at] = float64(sizes[at]) / float64(n)
				for _, l := range laws {
					p[at], low[at], high[at] = l.p, l.low, l.high
					each(at + 1)
				}
				return
			}
			mean, differ, spread := 0., 0., 1.
			for i, w := range weights {
				mean += w * (p[i]*high[i] + (1-p[i])*low[i])
				differ += w * (p[i]*math.Abs(high[i]) + (1-p[i])*math.Abs(low[i]))
				if low[i] < 0 {
					spread = 2
				}
			}
			v := Drawn{Interval{}, clusters, spread}
			if spread == 2 {
				if differ == 0 {
					return
				}
				v.Values = Difference{min(differ*(1+1e-12), 1)}
			}
			for _, s := range []float64{0.15, 0.4, 0.7, 1.1} {
				tail := weightedTail(weights, p, low, high, mean+s)
				bound := math.Exp(v.LnSide(n, s*(1-1e-12)))
				if tail > bound*(1+1e-9) {
					t.Fatalf("sizes %v, ones with %v at %v and %v: %v above %v has probability %v, more than %v", sizes, p, low, high,
						s, mean, tail, bound)
				}
				if bound > 0 {
					worst = max(worst, tail/bound)
				}
			}
		}
		each(0)
	}
	if !(worst > 0.6) {
		t.Errorf("the tail comes to %v of the bound only", worst)
	}
}

// The binomial tail of 1/w rows is no bound on clusters, and the tails of clusters are.
func TestNoBinomialTailOfClusters(t *testing.T) {
	for _, c := range []struct {
		sizes       []int64
		x           float64
		tail, binom float64
	}{
		{[]int64{2, 1, 1}, 0.75, 0.0190, 0.01},
		{[]int64{7, 1, 1, 1, 1, 1, 1, 1}, 8. / 14, 0.1 * (1 - 0.9*0.9*0.9*0.9*0.9*0.9*0.9), 0.01},
	} {
		clusters := sized(c.sizes...)
		k := len(c.sizes)
		weights, p, low, high := make([]float64, k), make([]float64, k), make([]float64, k), make([]float64, k)
		n := int64(0)
		for _, s := range c.sizes {
			n += s
		}
		for i, s := range c.sizes {
			weights[i], p[i], high[i] = float64(s)/float64(n), 0.1, 1
		}
		tail := weightedTail(weights, p, low, high, c.x)
		if math.Abs(tail-c.tail) > 1e-12 {
			t.Errorf("%v: P[h >= %v] = %v, want %v", c.sizes, c.x, tail, c.tail)
		}
		rows := int64(clusters.Worth(n).Entropic)
		ones := int64(math.Ceil(float64(rows)*c.x - 1e-12))
		if got := math.Exp(LnAtLeast(rows, ones, 0.1)); math.Abs(got-c.binom) > 1e-12 || float64(ones) < float64(rows)*0.1+1 {
			t.Errorf("%v: %d of %d ones have probability %v, want %v", c.sizes, ones, rows, got, c.binom)
		}
		if bound := math.Exp((Drawn{Interval{}, clusters, 1}).LnSide(n, c.x-0.1)); !(bound >= tail) {
			t.Errorf("%v: the bound %v is below the tail %v", c.sizes, bound, tail)
		}
	}
}

// subsets calls f with the mean of every subset of n of the values.
func subsets(values []float64, n int, f func(mean float64)) {
	var choose func(at, left int, sum float64)
	choose = func(at, left int, sum float64) {
		switch {
		case left == 0:
			f(sum / float64(n))
		case len(values)-at >= left:
			choose(at+1, left-1, sum+values[at])
			choose(at+1, left, sum)
		}
	}
	choose(0, n, 0)
}

// Of every benchmark of at most nine items with values on a grid, all subsets of every size: their means are never
// farther off than [Drawn] says, on either side.
func TestSubsetsByEnumeration(t *testing.T) {
	worst := 0.
	check := func(values []float64, grid []float64) {
		items := len(values)
		mean, differ, lowest := 0., 0., 0.
		for _, x := range values {
			mean, differ, lowest = mean+x/float64(items), differ+math.Abs(x)/float64(items), min(lowest, x)
		}
		v := Drawn{Interval{}, Subset{int64(items)}, 1}
		if lowest < 0 {
			v = Drawn{Difference{min(differ*(1+1e-12), 1)}, Subset{int64(items)}, 2}
		} else if len(grid) == 2 {
			v.Values = ZeroOne{}
		}
		for n := 1; n <= items; n++ {
			for _, s := range []float64{0.05, 0.2, 0.34, 0.5, 0.75, 1} {
				above, below, all := 0., 0., 0.
				subsets(values, n, func(h float64) {
					all++
					if h-mean >= s-1e-12 {
						above++
					}
					if mean-h >= s-1e-12 {
						below++
					}
				})
				tail, bound := max(above, below)/all, math.Exp(v.LnSide(int64(n), s*(1-1e-11)))
				if tail > bound*(1+1e-9) {
					t.Fatalf("%v, %d of them: %v off with probability %v, more than %v", values, n, s, tail, bound)
				}
				if bound > 0 {
					worst = max(worst, tail/bound)
				}
			}
		}
	}
	for _, c := range []struct {
		grid  []float64
		items int
	}{{[]float64{0, 1}, 9}, {[]float64{0, 0.5, 1}, 7}, {[]float64{-1, 0, 1}, 7}, {[]float64{0, 0.2, 0.9, 1}, 5}} {
		var fill func(values []float64, least int)
		fill = func(values []float64, least int) {
			if len(values) > 0 {
				check(values, c.grid)
			}
			for i := least; i < len(c.grid) && len(values) < c.items; i++ {
				fill(append(values[:len(values):len(values)], c.grid[i]), i)
			}
		}
		fill(nil, 0)
	}
	if !(worst > 0.75) {
		t.Errorf("the tail comes to %v of the bound only", worst)
	}
}

// The tail of a hypergeometric count is at most the binomial one from np + 1 on, and from np - 1 down.
func TestHypergeometricCounts(t *testing.T) {
	choose := func(n, k int64) *big.Int { return new(big.Int).Binomial(n, k) }
	compared := 0
	for items := int64(1); items <= 24; items++ {
		for ones := int64(0); ones <= items; ones++ {
			for n := int64(1); n <= items; n++ {
				p := float64(ones) / float64(items)
				above := new(big.Int)
				for k := min(n, ones); k >= 0; k-- {
					above.Add(above, new(big.Int).Mul(choose(ones, k), choose(items-ones, n-k)))
					if k*items < n*ones+items {
						continue
					}
					compared++
					tail, _ := new(big.Rat).SetFrac(above, choose(items, n)).Float64()
					if bound := math.Exp(LnAtLeast(n, k, p)); tail > bound*(1+1e-9) {
						t.Fatalf("%d of %d, %d of them ones: at least %d with probability %v, more than %v", n, items, ones, k, tail, bound)
					}
				}
			}
		}
	}
	if compared < 5_000 {
		t.Errorf("compared %d counts", compared)
	}
}
