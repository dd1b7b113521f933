package open

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/dpcalc/dpcalc/internal/decimals"
	"github.com/dpcalc/dpcalc/internal/num"
)

var (
	f1      = Adds{2, 1, 1}
	recall  = Adds{1, 0, 1}
	jaccard = Adds{1, 1, 1}
)

// labelled are so many rows that are positive with chances on a grid of eighths, some of them alike: the law of how
// many are, and how many are expected.
func labelled(r *rand.Rand, count int) (law map[int]*big.Rat, expected *big.Rat) {
	expected = new(big.Rat)
	var rows []map[int]*big.Rat
	for i := range count {
		if i > 0 && r.IntN(2) == 0 {
			rows = append(rows, rows[i-1])
		} else {
			k := []int64{0, 8, r.Int64N(9), r.Int64N(9)}[r.IntN(4)]
			rows = append(rows, map[int]*big.Rat{1: big.NewRat(k, 8), 0: big.NewRat(8-k, 8)})
		}
		expected.Add(expected, rows[i][1])
	}
	return sums(rows), expected
}

// outcome is the sums N and D of a ratio, and how probable they are.
type outcome struct {
	n, d   float64
	chance *big.Rat
}

// outcomes has all of them, from their definition, and the truth E N / E D, nil if both are 0.
func outcomes(a Adds, positive, negative int, r *rand.Rand) (all []outcome, truth *big.Rat) {
	hits, expectedHits := labelled(r, positive)
	misses, expectedMisses := labelled(r, negative)
	for tp, p := range hits {
		for fn, q := range misses {
			n := a.Both * float64(tp)
			d := n + a.FalsePositive*float64(positive-tp) + a.FalseNegative*float64(fn)
			if chance := new(big.Rat).Mul(p, q); chance.Sign() > 0 {
				all = append(all, outcome{n, d, chance})
			}
		}
	}
	times := func(x float64, y *big.Rat) *big.Rat { return new(big.Rat).Mul(new(big.Rat).SetFloat64(x), y) }
	wrong := new(big.Rat).Sub(big.NewRat(int64(positive), 1), expectedHits)
	n := times(a.Both, expectedHits)
	d := new(big.Rat).Add(n, times(a.FalsePositive, wrong))
	if d.Add(d, times(a.FalseNegative, expectedMisses)); d.Sign() == 0 {
		return all, nil
	}
	return all, n.Quo(n, d)
}

// chance is the probability of what holds.
func chance(all []outcome, holds func(o outcome) bool) (p float64) {
	sum := new(big.Rat)
	for _, o := range all {
		if holds(o) {
			sum.Add(sum, o.chance)
		}
	}
	p, _ = sum.Float64()
	return p
}

// Ratios of few rows whose chances differ, by fractions: no sum of N - cD is reached, or missed, with more than the
// bound at the truth, and one with all of it; no end of a gate or of a score is wrong with more than its level.
func TestTailsOfRatios(t *testing.T) {
	r := rand.New(rand.NewPCG(52, 1))
	closest := map[string]float64{}
	for range 400 {
		a := []Adds{f1, recall, jaccard}[r.IntN(3)]
		positive, negative := 1+r.IntN(5), r.IntN(6)
		all, truth := outcomes(a, positive, negative, r)
		if truth == nil {
			continue
		}
		cut := float64(1+r.IntN(31)) / 32
		ratio := Ratio{unitRange{}, int64(positive + negative), int64(positive), a}
		gate, rows := RatioGate{ratio, cut}, float64(positive+negative)
		exactly, _ := truth.Float64()
		for _, o := range all {
			sum := o.n - cut*o.d // exact
			up := chance(all, func(p outcome) bool { return p.n-cut*p.d >= sum })
			down := chance(all, func(p outcome) bool { return p.n-cut*p.d <= sum })
			below := chance(all, func(p outcome) bool { return p.n-cut*p.d < sum })
			// Rows whose truth is a little farther out than these have a greater bound.
			above, _ := ratio.sum(cut, min(exactly*(1+1e-15), 1), 1).lnTail(sum, 1)
			under, _ := ratio.sum(cut, exactly*(1-1e-15), -1).lnTail(-sum, 1)
			if !(math.Log(up) <= above+1e-15 && math.Log(down) <= under+1e-15) {
				t.Errorf("%v of %d and %d rows, cut %v, truth %v: N - cD of %v has %v and %v, bounds e^%v and e^%v", a, positive,
					negative, cut, exactly, sum, up, down, above, under)
			}
			if up < 1 {
				closest["above"] = max(closest["above"], up/math.Exp(above))
			}
			if down < 1 {
				closest["below"] = max(closest["below"], down/math.Exp(under))
			}
			if level := math.Log(up) - 1e-9; exactly <= cut && level < 0 && gate.Lower(sum/rows, level) == cut {
				t.Errorf("%+v with the truth %v: passes from %v on with e^%v", gate, exactly, sum/rows, level)
			}
			level := math.Log(below) - 1e-9
			if below > 0 && level < 0 && sum > 0 && gate.Upper(sum/rows, level) < exactly-1e-12 {
				t.Errorf("%+v with the truth %v: a failure below %v, with e^%v, says at most %v", gate, exactly, sum/rows, level,
					gate.Upper(sum/rows, level))
			}
			if a.FalsePositive == 0 {
				continue
			}
			x := o.n / o.d
			up = chance(all, func(p outcome) bool { return p.n/p.d >= x })
			below = chance(all, func(p outcome) bool { return p.n/p.d < x })
			if level := math.Log(up) - 1e-9; level < 0 && ratio.Lower(x, level) > exactly+1e-12 {
				t.Errorf("%+v with the truth %v: %v or more, with e^%v, says at least %v", ratio, exactly, x, level, ratio.Lower(x, level))
			}
			if level := math.Log(below) - 1e-9; below > 0 && level < 0 && ratio.Upper(x, level) < exactly-1e-12 {
				t.Errorf("%+v with the truth %v: less than %v, with e^%v, says at most %v", ratio, exactly, x, level, ratio.Upper(x, level))
			}
		}
	}
	for side, ratio := range closest {
		if !(ratio <= 1+1e-13 && ratio > 1-1e-9) {
			t.Errorf("%s: the bound is reached to %v of it", side, ratio)
		}
	}
}

// The maximum over q of one row, in decimals at the q where it is: never more than what is computed, and no less than
// rounding asks for, for l and mu of any size.
func TestMaximumOfARow(t *testing.T) {
	r := rand.New(rand.NewPCG(52, 2))
	number := func() decimals.Number { return exact.Float(0) }
	inside := 0
	for range 700 {
		a, cut, truth := []Adds{f1, recall, jaccard}[r.IntN(3)], r.Float64(), r.Float64()
		side := []float64{-1, 1}[r.IntN(2)]
		s := Ratio{unitRange{}, 10, 5, a}.sum(cut, truth, side)
		l := math.Pow(10, 2.4-9*r.Float64())
		k := s.kinds[r.IntN(2)]
		odds := math.Expm1(l * (k.top.x - k.low.x))
		mu := math.Pow(10, 2-9*r.Float64())
		if r.IntN(3) > 0 && odds > 0 { // where the maximum is inside
			mu = 1 / (k.top.y - k.low.y) / (r.Float64() + 1/odds)
		}
		got, _, within := k.most(l, mu, odds)
		f := exact.Float
		value := func(q decimals.Number) decimals.Number { // ln E e^(lX) - mu E Y
			p := exact.Int(1).Minus(q)
			mgf := p.Times(f(l).Times(f(k.low.x)).Exp()).Plus(q.Times(f(l).Times(f(k.top.x)).Exp()))
			return mgf.Ln().Minus(f(mu).Times(p.Times(f(k.low.y)).Plus(q.Times(f(k.top.y)))))
		}
		want := value(number())
		if top := value(exact.Int(1)); want.Less(top) {
			want = top
		}
		gain := f(mu).Times(f(k.top.y).Minus(f(k.low.y)))
		ratio := f(l).Times(f(k.top.x).Minus(f(k.low.x))).Exp().Minus(exact.Int(1))
		if number().Less(gain) && number().Less(ratio) {
			q := exact.Int(1).Over(gain).Minus(exact.Int(1).Over(ratio))
			if number().Less(q) && q.Less(exact.Int(1)) {
				inside++
				if best := value(q); want.Less(best) {
					want = best
				}
			}
		}
		over := exact.Float(got).Minus(want).Float()
		terms := math.Abs(l)*3 + mu*3 + math.Abs(got)
		if within {
			terms = l*3 + math.Abs(mu*k.low.y) + math.Abs(got) + 1
		}
		if !(over >= 0 && over <= 1e-13*terms) {
			t.Errorf("%+v, l %v, mu %v: got %v, which is %v above the maximum", k, l, mu, got, over)
		}
	}
	if inside < 200 {
		t.Errorf("%d maxima were inside", inside)
	}
}

// golden is the least of a convex function between two numbers.
func golden(lo, hi float64, f func(x float64) float64) float64 {
	const share = 0.6180339887498949
	x, y := hi-share*(hi-lo), lo+share*(hi-lo)
	fx, fy := f(x), f(y)
	for range 90 {
		if fx <= fy {
			hi, y, fy = y, x, fx
			x = hi - share*(hi-lo)
			fx = f(x)
		} else {
			lo, x, fx = x, y, fy
			y = lo + share*(hi-lo)
			fy = f(y)
		}
	}
	return min(fx, fy)
}

// The bound is Chernoff's for the worst laws of the labels, which is the least relative entropy of laws with the sum to
// those with the truth: it is looked for over both, without l and mu.
func TestBoundOfRatiosIsLeast(t *testing.T) {
	r := rand.New(rand.NewPCG(52, 3))
	entropy := func(x, p float64) float64 { // of two coins
		sum := 0.
		if x > 0 {
			sum += x * math.Log(x/p)
		}
		if x < 1 {
			sum += (1 - x) * math.Log((1-x)/(1-p))
		}
		return sum
	}
	for range 25 {
		a := []Adds{f1, recall, jaccard}[r.IntN(3)]
		m, n := float64(50+r.IntN(200)), float64(300+r.IntN(2000))
		cut := 0.2 + 0.6*r.Float64()
		truth := cut - 0.15*r.Float64()
		most := m * a.Both * (1 - cut)
		sum := 0.02 * r.Float64() * most
		// Of the rows predicted positive the share q is positive, and of the others such a share that the ratio is the
		// truth, or the sum is the sum.
		others := func(q, cut, sum float64) float64 {
			return (m*(a.Both*(1-cut)*q-cut*a.FalsePositive*(1-q)) - sum) / (n * cut * a.FalseNegative)
		}
		within := func(cut, sum float64) (lo, hi float64) { // of q
			width := a.Both*(1-cut) + cut*a.FalsePositive
			lo = max(0, (sum/m+cut*a.FalsePositive)/width)
			return lo, min(1, (sum/m+cut*a.FalsePositive+n/m*cut*a.FalseNegative)/width)
		}
		from, to := within(truth, 0)
		first, last := within(cut, sum)
		want := -golden(from, to, func(q float64) float64 {
			return golden(first, last, func(x float64) float64 {
				return m*entropy(x, q) + n*entropy(max(0, others(x, cut, sum)), max(0, others(q, truth, 0)))
			})
		})
		got, _ := Ratio{unitRange{}, int64(m + n), int64(m), a}.sum(cut, truth, 1).lnTail(sum, 1)
		if !(math.Abs(got-want) <= 1e-6*(1+math.Abs(want))) {
			t.Errorf("%v, %v and %v rows, cut %v, truth %v, sum %v: e^%v, want e^%v", a, m, n, cut, truth, sum, got, want)
		}
	}
}

// Ends of ratios are on their sides, and a gate passes at the least mean at which it may.
func TestEndsOfRatios(t *testing.T) {
	r := rand.New(rand.NewPCG(52, 4))
	for range 1500 {
		n := int64(math.Pow(10, 1+8*r.Float64()))
		v := Ratio{unitRange{}, n, 1 + r.Int64N(n), []Adds{f1, recall, jaccard}[r.IntN(3)]}
		x, level := r.Float64(), -math.Pow(10, 2-4*r.Float64())
		if r.IntN(8) == 0 {
			x = []float64{0, 1, 1e-12, 1 - 1e-12}[r.IntN(4)]
		}
		lower, upper := v.Lower(x, level), v.Upper(x, level)
		if !(lower >= 0 && lower <= x && upper >= x && upper <= 1) {
			t.Fatalf("%+v at %v, level e^%v: [%v, %v]", v, x, level, lower, upper)
		}
		for end, s := range map[float64]sum{lower: v.sum(x, lower, 1), upper: v.sum(x, upper, -1)} { // no farther than needed
			far := end > 1e-6 && end < 1-1e-6 && math.Abs(end-x) > 1e-9
			if ln, _ := s.lnTail(0, 1); far && ln < level*(1+1e-5) {
				t.Fatalf("%+v at %v, level e^%v: the end %v has e^%v", v, x, level, end, ln)
			}
		}
		gate := RatioGate{v, x}
		cut, ok := gate.Pass(x, level)
		highest := float64(v.Positive) * v.Both * (1 - x) / float64(n)
		if ok && !(cut > 0 && cut <= highest && gate.Lower(cut, level) == x && gate.Lower(cut*(1-1e-9), level) == 0) {
			t.Fatalf("%+v, level e^%v: passes at %v", gate, level, cut)
		}
		if above := gate.Upper(max(cut, 0), level); !(above >= x && above <= 1) || v.FalsePositive == 0 && above < 1 {
			t.Fatalf("%+v, level e^%v: a failure says at most %v", gate, level, above)
		}
	}
	if cut, ok := (RatioGate{Ratio{unitRange{}, 10, 5, f1}, 0}).Pass(0, -1); !ok || !(cut > 0 && cut < 1e-300) {
		t.Errorf("passes the bar 0 at %v", cut)
	}
	if _, ok := (RatioGate{Ratio{unitRange{}, 10, 5, f1}, 1}).Pass(1, -1); ok {
		t.Error("passes the bar 1")
	}
}

// Margins of N - cD of gates at the level .01, and how probably a model passes, by sums over all counts.
func TestGatesOfRatios(t *testing.T) {
	for _, c := range []struct {
		adds Adds
		bar  float64
		rows int64
		want string
	}{
		{f1, 0.8, 5000, "0.0079 0.0137 0.0175"}, {f1, 0.6, 1000, "0.0231 0.0398 0.0504"},
		{recall, 0.8, 5000, "0.0051 0.0087 0.0104"}, {jaccard, 0.8, 1000, "0.0112 0.0203 0.0264"},
	} {
		var got []float64
		for _, share := range []int64{10, 30, 50} {
			x, ok := RatioGate{Ratio{unitRange{}, c.rows, c.rows * share / 100, c.adds}, c.bar}.Pass(c.bar, math.Log(0.01))
			if got = append(got, x); !ok {
				t.Errorf("%+v cannot pass", c)
			}
		}
		if text := fmt.Sprintf("%.4f %.4f %.4f", got[0], got[1], got[2]); text != c.want {
			t.Errorf("%v at the bar %v, %d rows: margins %s, want %s", c.adds, c.bar, c.rows, text, c.want)
		}
	}
	x, _ := RatioGate{Ratio{unitRange{}, 1000, 100, f1}, 0.8}.Pass(0.8, math.Log(0.01))
	for _, c := range []struct {
		wrong int64 // of 100 rows predicted positive, and of 900 others
		want  float64
	}{{10, 0.76}, {5, 0.9998}} {
		hits, misses := num.Binomial{N: 100, P: 1 - float64(c.wrong)/100}, num.Binomial{N: 900, P: float64(c.wrong) / 900}
		power := 0.
		for tp := range int64(101) {
			for fn := range int64(100) {
				if n, d := float64(2*tp), float64(100+tp+fn); n-0.8*d >= 1000*x {
					power += math.Exp(hits.LnPMF(tp) + misses.LnPMF(fn))
				}
			}
		}
		if places := map[float64]float64{0.76: 0.005, 0.9998: 0.00005}[c.want]; !(math.Abs(power-c.want) <= places) {
			t.Errorf("a model with %d errors of each kind passes with probability %v, want %v", c.wrong, power, c.want)
		}
	}
}
