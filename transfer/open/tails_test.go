package open

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/dpcalc/dpcalc/internal/decimals"
	"github.com/dpcalc/dpcalc/internal/num"
	"github.com/dpcalc/dpcalc/transfer/tail"
)

// Ends are numbers on their sides of x, within the range, for every x and every level.
func TestEndsAreOnTheirSides(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 42))
	for range 4000 {
		n := int64(math.Pow(10, r.Float64()*[]float64{1, 3, 15}[r.IntN(3)]))
		small := math.Pow(10, -16*r.Float64())
		x := []float64{0, 1, r.Float64(), math.Pow(small, 19), 1 - small, 5e-324}[r.IntN(6)]
		level := -math.Pow(10, 5-20*r.Float64())
		if r.IntN(2) == 0 {
			level = -8 * r.Float64()
		}
		for _, tails := range []Tails{
			Unit{Rows: float64(n)}, ZeroOne{n}, Around{Differences{float64(n),
				r.Float64()}}, Around{KnownVariance{float64(n), r.Float64() / 4, 0}},
			Convex{Rows: n},
			Around{Kept{float64(n), r.Float64()}}, Rounded{Unit{Rows: float64(n)}, 1e-12},
			Hoeffding{Unit{Rows: float64(n)}, float64(n) * (1 + 3*r.Float64())},
			Hoeffding{ZeroOne{n}, float64(n) * (1 + 3*r.Float64())},
		} {
			lowest, highest := tails.Range()
			if lowest < 0 && r.IntN(2) == 0 {
				x = -x
			}
			edge := tails.Edge(x)
			lower, upper := tails.Lower(edge, level), tails.Upper(edge, level)
			if !(lower >= lowest && lower <= max(edge, lowest)) {
				t.Fatalf("%#v at %v, level e^%v: lower end %v", tails, edge, level, lower)
			}
			before := edge
			nearer := tails
			if h, ok := tails.(Hoeffding); ok {
				nearer = h.Nearer
			}
			if v, ok := nearer.(ZeroOne); ok {
				before = v.mean(v.count(edge) - 1)
			}
			if !(upper <= highest && upper >= before) {
				t.Fatalf("%#v at %v, level e^%v: upper end %v", tails, edge, level, upper)
			}
			if bar := r.Float64(); true {
				cut, ok := tails.Pass(bar, level)
				if ok && !(tails.Lower(cut, level) >= bar && cut <= highest) {
					t.Fatalf("%#v at the bar %v, level e^%v: passes at %v, which says %v", tails, bar, level, cut, tails.Lower(cut, level))
				}
			}
		}
	}
}

// entropyDecimals is kl(x || p) in 40 digits.
func entropyDecimals(x, p decimals.Number) decimals.Number {
	one, sum := exact.Int(1), exact.Int(0)
	if exact.Int(0).Less(x) {
		sum = x.Times(x.Over(p).Ln())
	}
	if x.Less(one) {
		sum = sum.Plus(one.Minus(x).Times(one.Minus(x).Over(one.Minus(p)).Ln()))
	}
	return sum
}

// The ends have n kl(x || p) of at least ln 1/q, and no more than rounding asks for: in 40 digits.
func TestEndsOfUnitAgainstDecimals(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 42))
	for range 400 {
		n := math.Floor(math.Pow(10, 9*r.Float64()))
		x := []float64{1, r.Float64(), r.Float64(), math.Pow(10, -6*r.Float64())}[r.IntN(4)]
		level := -math.Pow(10, 2-3*r.Float64())
		need := exact.Float(-level).Over(exact.Float(n))
		v := Unit{Rows: n}
		for _, p := range []float64{v.Lower(x, level), v.Upper(x, level)} {
			if p <= 0 || p >= 1 {
				continue
			}
			excess := entropyDecimals(exact.Float(x), exact.Float(p)).Minus(need).Over(need).Float()
			s := math.Abs(x - p)
			limit := 1e-13 + (5e-14*s+4e-16)*s/(p*(1-p))*n/-level // p is within 5e-14 of its distance, and a rounding
			if !(excess >= 0 && excess <= limit) {
				t.Errorf("n %v, x %v, level e^%v: end %v has an excess of %v, limit %v", n, x, level, p, excess, limit)
			}
		}
		if bar := r.Float64(); true {
			cut, ok := v.Pass(bar, level)
			if possible := !entropyDecimals(exact.Int(1), exact.Float(bar)).Less(need); ok != possible {
				t.Errorf("n %v, bar %v, level e^%v: can pass %v, want %v", n, bar, level, ok, possible)
			}
			if ok {
				excess := entropyDecimals(exact.Float(cut), exact.Float(bar)).Minus(need).Over(need).Float()
				if !(excess >= 0 && excess <= 1e-12+1e-15/(cut-bar)) {
					t.Errorf("n %v, bar %v, level e^%v: the cut %v has an excess of %v", n, bar, level, cut, excess)
				}
			}
		}
	}
}

// The ends at counts, by binomial sums to 60 digits: both are sharp where the binomial counts, and no wider than the
// ends of [Unit] with the last count of each side.
func TestEndsAtCounts(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 42))
	for range 300 {
		n := 1 + r.Int64N(200)
		k := 1 + r.Int64N(n)
		level := -0.1 - 9*r.Float64()
		q := big.NewFloat(math.Exp(level))
		v, x := ZeroOne{n}, float64(k)/float64(n)
		if v.Edge(x) != x || v.Edge(math.Nextafter(x, 2)) != float64(k+1)/float64(n) {
			t.Fatalf("%d of %d is no edge", k, n)
		}
		lower, upper := v.Lower(x, level), v.Upper(x, level)
		before := float64(k-1) / float64(n)
		kl, klUpper := (Unit{Rows: float64(n)}).Lower(x, level), (Unit{Rows: float64(n)}).Upper(math.Nextafter(before,
			2), level)
		if lower < kl-1e-14 || upper > klUpper+1e-14 || lower > x || upper < before {
			t.Errorf("%d of %d, level e^%v: [%v, %v], by the relative entropy [%v, %v]", k, n, level, lower, upper, kl, klUpper)
		}
		if lower > kl+1e-13 {
			if lower > before || binomialAtLeast(n, k, big.NewFloat(lower)).Cmp(q) > 0 {
				t.Errorf("%d of %d, level e^%v: the lower end %v is too high", k, n, level, lower)
			}
		}
		above := big.NewFloat(upper)
		mirrored := new(big.Float).SetPrec(200).Sub(big.NewFloat(1), above)
		if upper < klUpper-1e-13 {
			if upper < x || binomialAtLeast(n, n-k+1, mirrored).Cmp(q) > 0 {
				t.Errorf("%d of %d, level e^%v: the upper end %v is too low", k, n, level, upper)
			}
		}
		if level < -math.Ln2 { // sharp: a little farther in, both forms fail
			if p := lower + 1e-11; k > 1 && p < before && binomialAtLeast(n, k, big.NewFloat(p)).Cmp(q) <= 0 {
				t.Errorf("%d of %d, level e^%v: the lower end could be above %v", k, n, level, lower)
			}
			nearer := new(big.Float).SetPrec(200).Add(mirrored, big.NewFloat(1e-11))
			if p := upper - 1e-11; k < n && p > x && binomialAtLeast(n, n-k+1, nearer).Cmp(q) <= 0 {
				t.Errorf("%d of %d, level e^%v: the upper end could be below %v", k, n, level, upper)
			}
		}
	}
}

// Correctly rounded shares compare as their counts.
func TestSharesCompareAsCounts(t *testing.T) {
	check := func(n, k int64) {
		v := ZeroOne{n}
		if v.count(v.mean(k)) != k || !(v.mean(k-1) < v.mean(k)) || v.Edge(v.mean(k)) != v.mean(k) {
			t.Fatalf("%d of %d", k, n)
		}
		if look := (Look{[]Cut{{v.mean(k), 0.5}}}); look.Response(v.mean(k)) != 1 || look.Response(v.mean(k-1)) != 0 {
			t.Fatalf("%d of %d is not in its cell", k, n)
		}
	}
	for n := int64(1); n <= 400; n++ {
		for k := int64(1); k <= n; k++ {
			check(n, k)
		}
	}
	r := rand.New(rand.NewPCG(10, 42))
	for range 100_000 {
		n := int64(math.Pow(2, 52*r.Float64()))
		check(n, n-r.Int64N(min(n, 1000)))
		check(n, 1+r.Int64N(n))
	}
}

// unequal is P[sum >= k] for independent 0/1 rows with those probabilities.
func unequal(p []float64, k int) float64 {
	mass := []float64{1}
	for _, p := range p {
		next := make([]float64, len(mass)+1)
		for i, m := range mass {
			next[i] += m * (1 - p)
			next[i+1] += m * p
		}
		mass = next
	}
	sum := 0.
	for _, m := range mass[min(k, len(mass)):] {
		sum += m
	}
	return sum
}

// Rows that are independent and not identically distributed: at a truth that the lower end excludes, no laws of the
// rows reach the count with more than the level; nor miss it at one that the upper end excludes. The binomial tail
// alone would not do: nearer to the mean unequal rows exceed it.
func TestCountsOfUnequalRows(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 42))
	worst, broken := 0., 0.
	for range 20_000 {
		n := 1 + r.IntN(12)
		k := 1 + r.IntN(n)
		p, sum := make([]float64, n), 0.
		for i := range p {
			p[i] = []float64{0, 1, r.Float64(), r.Float64()}[r.IntN(4)]
			if i > 0 && r.IntN(2) == 0 {
				p[i] = p[i-1]
			}
			sum += p[i]
		}
		truth, v, x := sum/float64(n), ZeroOne{int64(n)}, float64(k)/float64(n)
		reached := unequal(p, k)
		// The level at which the lower end is just at this truth.
		excluded := func(level float64) bool { return v.Lower(x, level) > truth+1e-9 }
		if level := math.Log(reached * (1 - 1e-9)); reached > 0 && level < 0 && excluded(level) {
			t.Errorf("%d of %v: level e^%v, lower end %v", k, p, level, v.Lower(x, level))
		}
		if level := math.Log((1 - reached) * (1 - 1e-9)); reached < 1 && level < 0 && v.Upper(x, level) < truth-1e-9 {
			t.Errorf("fewer than %d of %v: level e^%v, upper end %v", k, p, level, v.Upper(x, level))
		}
		if truth > 0 && truth < 1 {
			tail := math.Exp(num.Binomial{N: int64(n), P: truth}.LnAtLeast(int64(k)))
			if float64(k) >= sum+1 {
				worst = math.Max(worst, reached/tail)
			} else if float64(k) > sum {
				broken = math.Max(broken, reached/tail)
			}
		}
	}
	if !(worst <= 1+1e-9 && worst > 0.9) {
		t.Errorf("from one count above the mean on, unequal rows come to %v of the binomial tail", worst)
	}
	if !(broken > 1.3) {
		t.Errorf("nearer to the mean they come to %v of it only", broken)
	}
}

// The margins of differences and of a known variance are the least over l, and never below it.
func TestMarginsAreLeast(t *testing.T) {
	r := rand.New(rand.NewPCG(12, 42))
	for range 300 {
		n, level, d := math.Floor(math.Pow(10, 1+5*r.Float64())), -0.01-20*r.Float64(), math.Pow(10, -3*r.Float64())
		s := Differences{n, d}.margin(level)
		got := tail.Difference{Disagreement: d}.LnSide(int64(n), s)
		if s < 1+d && !(got <= level*(1-1e-11) && got >= level*(1+1e-6)) {
			t.Errorf("n %v, d %v: the tail at the margin %v is e^%v, want e^%v", n, d, s, got, level)
		}
		s = KnownVariance{n, d, 0}.margin(level)
		u := exact.Float(s).Over(exact.Float(d))
		h := exact.Int(1).Plus(u).Times(exact.Int(1).Plus(u).Ln()).Minus(u)
		if got := h.Times(exact.Float(n * d)).Float(); !(got >= -level*(1-1e-15) && got <= -level*(1+1e-9)) {
			t.Errorf("n %v, V %v: the tail at the margin %v is e^-%v, want e^%v", n, d, s, got, level)
		}
		s = Kept{n, d}.margin(level)
		v := exact.Float(d)
		got = exact.Float(s).Minus(v.Times(exact.Float(s).Over(v).Plus(exact.Int(1)).Ln())).Times(exact.Float(n)).Float()
		near := got >= -level*(1-1e-15) && got <= -level*(1+1e-9)
		if other := (Differences{n, 1}).margin(level); s < other && !near || s > other {
			t.Errorf("n %v, kept at %v: the tail at the margin %v is e^-%v, want e^%v", n, d, s, got, level)
		}
	}
	for _, c := range [][3]float64{{1e15, 1e-12, -1e-8}, {1, 1, -700}, {3, 1e-250, -2}, {1e15, 1, -1e-300}} {
		if s := (Kept{c[0], c[1]}).margin(c[2]); !(s > 0 && s <= 2+1e-9) {
			t.Errorf("%v: the margin %v", c, s)
		}
	}
}

// Means of few rows with values in {-1,0,1}, by enumeration: at the margin's level they are never farther off.
func TestTailsOfFewValues(t *testing.T) {
	for _, n := range []int{1, 2, 5, 9} {
		for _, law := range [][2]float64{{0.1, 0}, {0.05, 0.2}, {0.4, 0.4}, {0, 0.3}, {0.5, 0.5}} {
			up, down := law[0], law[1]
			mass := map[int]float64{0: 1}
			for range n {
				next := map[int]float64{}
				for sum, m := range mass {
					next[sum+1] += m * up
					next[sum-1] += m * down
					next[sum] += m * (1 - up - down)
				}
				mass = next
			}
			truth := up - down
			for cut := -n; cut <= n; cut++ {
				x, reached := float64(cut)/float64(n), 0.
				for sum, m := range mass {
					if sum >= cut {
						reached += m
					}
				}
				for _, tails := range []Tails{
					Around{Differences{float64(n), up + down}}, Around{KnownVariance{float64(n), up + down, -1}},
				} {
					if reached > 0 && reached < 1 {
						if lower := tails.Lower(x, math.Log(reached)-1e-9); lower > truth {
							t.Errorf("%#v: lower end %v at %v, reached with %v at the truth %v", tails, lower, x, reached, truth)
						}
						if upper := tails.Upper(x, math.Log1p(-reached)-1e-9); upper < truth {
							t.Errorf("%#v: upper end %v at %v, missed with %v at the truth %v", tails, upper, x, 1-reached, truth)
						}
					}
				}
			}
		}
	}
}

// A mean that is computed with an error: what is computed on one side of a cut may have been a little on the other.
func TestComputedMeans(t *testing.T) {
	exact, level := Unit{Rows: 300}, -4.0
	computed := Rounded{exact, 1e-9}
	cut, ok := computed.Pass(0.7, level)
	least, _ := exact.Pass(0.7, level)
	if !ok || !(cut-1e-9 >= least && cut-1e-9 < least+1e-12) {
		t.Errorf("passes from %v on, without an error from %v on", cut, least)
	}
	if lower := computed.Lower(cut, level); !(lower >= 0.7) || lower != exact.Lower(cut-1e-9, level) {
		t.Errorf("a pass says more than %v", lower)
	}
	if upper := computed.Upper(cut, level); upper != exact.Upper(cut+1e-9, level) {
		t.Errorf("a failure says at most %v", upper)
	}
	if _, ok := (Rounded{Unit{Rows: 1}, 0.5}).Pass(0.9, -0.1); ok {
		t.Error("passes at a mean above one")
	}
}
