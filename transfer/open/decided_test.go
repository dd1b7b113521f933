package open

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// sums is the law of a sum of independent whole numbers, each with a law of its own, by convolution of fractions.
func sums(rows []map[int]*big.Rat) map[int]*big.Rat {
	law := map[int]*big.Rat{0: big.NewRat(1, 1)}
	for _, row := range rows {
		next := make(map[int]*big.Rat)
		for sum, m := range law {
			for x, p := range row {
				if next[sum+x] == nil {
					next[sum+x] = new(big.Rat)
				}
				next[sum+x].Add(next[sum+x], new(big.Rat).Mul(m, p))
			}
		}
		law = next
	}
	return law
}

// from is P[sum >= least].
func from(law map[int]*big.Rat, least int) *big.Rat {
	p := new(big.Rat)
	for sum, m := range law {
		if sum >= least {
			p.Add(p, m)
		}
	}
	return p
}

// signs are rows that are 1, -1 or 0 with chances on a grid of 16ths, some of them alike, and n times their truth.
func signs(r *rand.Rand, count int, ties bool) (rows []map[int]*big.Rat, truth *big.Rat) {
	truth = new(big.Rat)
	for i := range count {
		if i > 0 && r.IntN(2) == 0 {
			rows = append(rows, rows[i-1])
		} else {
			up := []int64{0, 16, r.Int64N(17), r.Int64N(17)}[r.IntN(4)]
			down := 16 - up
			if ties {
				down = r.Int64N(down + 1)
			}
			rows = append(rows, map[int]*big.Rat{1: big.NewRat(up, 16), -1: big.NewRat(down, 16), 0: big.NewRat(16-up-down, 16)})
		}
		truth.Add(truth, rows[i][1]).Sub(truth, rows[i][-1])
	}
	return rows, truth
}

// exceeds returns whether an end at one of the cuts s/n excludes the truth although the sum s is reached, or missed,
// with more than the level, and the greatest ratio of that probability to a level at which the end just does.
func exceeds(tails Tails, law map[int]*big.Rat, n int64, cuts []int, truth *big.Rat) (wrong bool, reached float64) {
	mean := new(big.Rat).Quo(truth, big.NewRat(n, 1))
	for _, s := range cuts {
		x := float64(s) / float64(n)
		for _, sign := range []int{1, -1} {
			p := from(law, s)
			if sign < 0 {
				p.Sub(big.NewRat(1, 1), p)
			}
			chance, _ := p.Float64()
			if chance == 0 || chance == 1 {
				continue
			}
			excludes := func(ln float64) bool {
				end := tails.Lower(x, ln)
				if sign < 0 {
					end = tails.Upper(x, ln)
				}
				return new(big.Rat).SetFloat64(end).Cmp(mean) == sign
			}
			lo, hi := math.Log(chance)-1e-12, 0.
			wrong = wrong || excludes(lo)
			for range 40 {
				if mid := (lo + hi) / 2; excludes(mid) {
					hi = mid
				} else {
					lo = mid
				}
			}
			reached = max(reached, chance/math.Exp(hi))
		}
	}
	return wrong, reached
}

// Rows that are decided, with unequal laws on a grid: at a truth that an end excludes no sum is reached, or missed,
// with more than the level, and somewhere with all of it. With ties a sum may be no count, and there the binomial tail
// is exceeded.
func TestTailsOfDecidedRows(t *testing.T) {
	r := rand.New(rand.NewPCG(51, 1))
	worst, broken := map[bool]float64{}, 0.
	for range 150 {
		count := 1 + r.IntN(9)
		n, ties := int64(count+r.IntN(12)), r.IntN(2) == 0
		rows, truth := signs(r, count, ties)
		law, tails := sums(rows), TwoClasses(n, int64(count))
		var cuts []int
		for s := -count; s <= count; s++ {
			if whole := (s+count)%2 == 0; ties || whole {
				cuts = append(cuts, s)
			} else {
				continue
			}
			won := new(big.Rat).Add(truth, big.NewRat(int64(count), 1)) // twice the truth of (1+f)/2, summed
			p, _ := won.Quo(won, big.NewRat(2*int64(count), 1)).Float64()
			if k := (s + count + 1) / 2; ties && float64(k) >= float64(count)*p+1 && p > 0 {
				reached, _ := from(law, s).Float64()
				tail, _ := binomialAtLeast(int64(count), int64(k), big.NewFloat(p)).Float64()
				broken = max(broken, reached/tail)
			}
		}
		if ties {
			tails.Among = Unit{Rows: float64(count)}
		}
		wrong, reached := exceeds(tails, law, n, cuts, truth)
		if wrong {
			t.Errorf("%d of %d rows, %v: an end is wrong with more than its level", count, n, rows)
		}
		worst[ties] = max(worst[ties], reached)
	}
	if !(worst[false] > 1-1e-9 && worst[true] > 0.99) {
		t.Errorf("of the bounds %v is reached by two classes, and %v with ties", worst[false], worst[true])
	}
	if !(broken > 1.2) {
		t.Errorf("rows with ties come to %v of the binomial tail only", broken)
	}
}

// Edges are the sums that can occur, compared as whole numbers; ends are on their sides, and a cut is the least.
func TestEndsOfDecidedRows(t *testing.T) {
	r := rand.New(rand.NewPCG(51, 2))
	for range 3000 {
		n := int64(math.Pow(10, 9*r.Float64()))
		count := 1 + r.Int64N(n)
		k := 1 + r.Int64N(count)
		level := -math.Pow(10, 2-4*r.Float64())
		v := TwoClasses(n, count)
		x, before := float64(2*k-count)/float64(n), float64(2*k-2-count)/float64(n)
		if v.Edge(x) != x || v.Edge(math.Nextafter(before, 2)) != x || v.Edge(before) != before {
			t.Fatalf("%d of %d decided rows of %d are no edge", k, count, n)
		}
		lowest, highest := v.Range()
		bar := x - 4*r.Float64()*(x-before)*math.Sqrt(float64(count))
		for _, v := range []Decided{v, {n, count, Unit{Rows: float64(count)}}} {
			lower, upper := v.Lower(x, level), v.Upper(x, level)
			if !(lower >= lowest && lower <= x && upper >= before && upper <= highest) {
				t.Fatalf("%+v at %v: [%v, %v]", v, x, lower, upper)
			}
			cut, ok := v.Pass(bar, level)
			if ok && !(v.Lower(cut, level) >= bar && v.Edge(cut) == cut && cut > lowest && cut <= highest) {
				t.Fatalf("%+v: passes the bar %v at %v", v, bar, cut)
			}
			less := cut - 4e-12*highest // a little less is too little
			if _, counted := v.Among.(ZeroOne); counted {
				less = cut - 2/float64(n)
			}
			if ok && less > lowest+1e-12*highest && v.Lower(less, level) >= bar+1e-11*highest {
				t.Fatalf("%+v: passes the bar %v at %v, and not at %v", v, bar, cut, less)
			}
			if never := v.Lower(highest, level) < bar; ok && never || !ok && v.Lower(highest, level) > bar+1e-11*highest {
				t.Fatalf("%+v: at the bar %v a pass is possible: %v", v, bar, ok)
			}
			gap := 0.1 * r.Float64() * highest
			from, to := v.Lower(v.Edge(x), level), v.Upper(v.Edge(min(x+gap, highest)), level)
			if widest := v.Widest(level, level, gap); !(to-from <= widest) {
				t.Fatalf("%+v: an interval of %v, the widest is %v", v, to-from, widest)
			}
		}
	}
}

// A pass and a failure of the first look of a gate of differences at the bar 0, beta .05: the level of a pass is .01.
func TestGateOfDecidedRows(t *testing.T) {
	for _, c := range []struct {
		rows  int64
		level float64
		two   string
	}{
		{200, 0.01, "0.0600"}, {500, 0.01, "0.0360"}, {1000, 0.01, "0.0260"}, {2000, 0.01, "0.0170"}, {5000, 0.01, "0.0108"},
		{200, 1e-4, "0.0900"}, {500, 1e-4, "0.0560"}, {1000, 1e-4, "0.0380"}, {2000, 1e-4, "0.0270"}, {5000, 1e-4, "0.0168"},
	} {
		x, ok := TwoClasses(c.rows, c.rows/10).Pass(0, math.Log(c.level))
		if got := fmt.Sprintf("%.4f", x); !ok || got != c.two {
			t.Errorf("%d rows at the level %v: passes at %s, want %s", c.rows, c.level, got, c.two)
		}
	}
	at := Node{LnBeta: math.Log(0.05)}
	gate, err := Gate(at, TwoClasses(1000, 100), 0, Usual().Share(0, 0, 8))
	if err != nil {
		t.Fatal(err)
	}
	_, fail := gate.Interval(at, TwoClasses(1000, 100), 0)
	if pass := gate.Cuts[0].At; pass != 0.026 || !(fail > 0.0411 && fail <= 0.04125) {
		t.Errorf("passes at %v, and a failure says at most %v", pass, fail)
	}
	today, err := Gate(at, Around{Differences{1000, 0.1}}, 0, Usual().Share(0, 0, 8))
	if err != nil {
		t.Fatal(err)
	}
	_, before := today.Interval(at, Around{Differences{1000, 0.1}}, 0)
	if cut := today.Cuts[0].At; !(cut > 0.0306 && cut < 0.0307 && before > 0.0561 && before < 0.0562) {
		t.Errorf("rows that are random pass at %v, and a failure says at most %v", cut, before)
	}
	if _, ok := TwoClasses(1000, 100).Pass(0.1, -1); ok {
		t.Error("passes a bar that no truth is above")
	}
}
