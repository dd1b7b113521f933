package open

import (
	"math"
	"math/big"
	"testing"

	"github.com/dpcalc/dpcalc/internal/num"
	"github.com/dpcalc/dpcalc/transfer/tail"
	"github.com/dpcalc/dpcalc/transfer/tree"
)

// binomialAtLeast is P[Bin(n,p) >= k] to 60 digits, summed downwards from the last terms that count.
func binomialAtLeast(n, k int64, p *big.Float) *big.Float {
	wide := func() *big.Float { return new(big.Float).SetPrec(200) }
	q := wide().Sub(big.NewFloat(1), p)
	ways := wide().SetInt(new(big.Int).Binomial(n, k))
	term := ways.Mul(ways, power(p, k))
	term.Mul(term, power(q, n-k))
	odds, sum := wide().Quo(p, q), wide().Set(term)
	for i := k; i < n; i++ {
		term.Mul(term, odds)
		term.Mul(term, wide().SetInt64(n-i))
		term.Quo(term, wide().SetInt64(i+1))
		sum.Add(sum, term)
		if small, _ := wide().Quo(term, sum).Float64(); small < 1e-70 {
			break
		}
	}
	return sum
}

func power(x *big.Float, k int64) *big.Float {
	out, square := big.NewFloat(1).SetPrec(200), new(big.Float).SetPrec(200).Set(x)
	for ; k > 0; k >>= 1 {
		if k&1 == 1 {
			out.Mul(out, square)
		}
		square.Mul(square, square)
	}
	return out
}

// mass is W after passes and failures of the Beta(1/2,2) code, look by look.
func mass(verdicts string) *big.Rat {
	w, passes := big.NewRat(1, 1), int64(0)
	for j, v := range verdicts {
		share := big.NewRat(1+2*passes, 5+2*int64(j)) // (1/2+k)/(5/2+j)
		if v == 'f' {
			share.Sub(big.NewRat(1, 1), share)
		} else {
			passes++
		}
		w.Mul(w, share)
	}
	return w
}

// The exact gate at the bar .8 with 5,000 labels, evaluated by binomial sums to 60 digits at levels that are products
// of fractions: the count that passes and the upper end after a failure.
func TestGateOfLabels(t *testing.T) {
	for _, c := range []struct {
		before string // in any order
		count  int64
		upper  float64
	}{
		{"", 4066, 0.8226016},
		{"ffffffffff", 4090, 0.8290632},
		{"fpfffffffffffpffffffffffffffff", 4135, 0.84904},
		{"pfffp" + fails(140) + "pfpfp", 4204, 0.87432},
	} {
		at := Node{LnBeta: math.Log(0.05)}
		passes := int64(0)
		for j, v := range c.before {
			gate, err := Gate(at, ZeroOne{5000}, 0.8, Usual().Share(int64(j), passes, 8))
			if err != nil {
				t.Fatal(err)
			}
			cell := 0
			if v == 'p' {
				cell, passes = 1, passes+1
			}
			at = at.After(gate.LnShare(cell))
		}
		gate, err := Gate(at, ZeroOne{5000}, 0.8, Usual().Share(int64(len(c.before)), passes, 8))
		if err != nil {
			t.Fatal(err)
		}
		if got := gate.Cuts[0].At * 5000; math.Abs(got-float64(c.count)) > 1e-9 {
			t.Errorf("after %q the gate passes at %v, want %d", c.before, got, c.count)
		}
		level := func(next string) *big.Float {
			w := mass(c.before + next)
			return new(big.Float).SetPrec(200).SetRat(w.Mul(w, big.NewRat(1, 20)))
		}
		bar := new(big.Float).SetPrec(200).SetRat(big.NewRat(4, 5))
		if k := c.count; binomialAtLeast(5000, k, bar).Cmp(level("p")) > 0 || binomialAtLeast(5000, k-1, bar).Cmp(level("p")) <= 0 {
			t.Errorf("after %q: %d is not the least count", c.before, c.count)
		}
		_, upper := gate.Interval(at, ZeroOne{5000}, 0)
		// P[Bin(n,u) <= k-1] is P[Bin(n,1-u) >= n-k+1].
		risk := func(u float64) *big.Float {
			return binomialAtLeast(5000, 5001-c.count, new(big.Float).SetPrec(200).Sub(big.NewFloat(1), big.NewFloat(u)))
		}
		if risk(upper).Cmp(level("f")) > 0 || risk(upper-1e-12).Cmp(level("f")) <= 0 {
			t.Errorf("after %q: the upper end %v is not that of the level", c.before, upper)
		}
		if math.Abs(upper-c.upper) > 6e-6 || len(c.before) < 11 && math.Abs(upper-c.upper) > 6e-8 {
			t.Errorf("after %q: upper end %v, want %v", c.before, upper, c.upper)
		}
	}
}

func fails(k int) string {
	var s []byte
	for range k {
		s = append(s, 'f')
	}
	return string(s)
}

// entropyOf is kl(x || p), as it is written.
func entropyOf(x, p float64) float64 {
	sum := 0.
	if x > 0 {
		sum += x * math.Log(x/p)
	}
	if x < 1 {
		sum += (1 - x) * math.Log((1-x)/(1-p))
	}
	return sum
}

// apartBisected is the p on one side of x with kl(x || p) = nats.
func apartBisected(x, nats, end float64) float64 {
	near, far := x, end
	for range 60 {
		if p := (near + far) / 2; entropyOf(x, p) < nats {
			near = p
		} else {
			far = p
		}
	}
	return far
}

// The widest interval is the widest of a fine grid of bars, and no less.
func TestWidestIntervals(t *testing.T) {
	for _, c := range []struct{ n, low, high, gap float64 }{
		{5000, 4.6, 3.2, 0}, {5000, 8, 3, 0.01}, {50, 3, 12, 0}, {12, 5, 5, 0.1}, {3, 2, 9, 0.3},
		{400_000, 20, 3.1, 0.001}, {2, 40, 40, 0},
	} {
		got := Unit{Rows: c.n}.Widest(-c.low, -c.high, c.gap)
		most := 0.
		for i := range 20_001 {
			x := (1 - c.gap) * float64(i) / 20_000
			upper := 1.
			if x+c.gap < 1 {
				upper = apartBisected(x+c.gap, c.high/c.n, 1)
			}
			most = math.Max(most, upper-apartBisected(x, c.low/c.n, 0))
		}
		if !(got >= most-1e-15 && got <= most*(1+1e-6)) {
			t.Errorf("%+v: widest %v, on the grid %v", c, got, most)
		}
	}
}

// The margins of the theorem page's table, and the fixed examples.
func TestMarginsOfAnOpenGate(t *testing.T) {
	lnBeta := math.Log(0.05)
	for _, c := range []struct {
		looks, passes int64
		distance      float64
	}{
		{0, 0, 0.0394}, {10, 0, 0.0467}, {10, 2, 0.0627}, {30, 2, 0.0716}, {150, 0, 0.0559}, {150, 5, 0.1065},
		{1000, 5, 0.1258},
	} {
		p := Plan{Unit{Rows: 5000}, lnBeta, Usual(), c.looks + 1, c.passes + 1}
		if got := 2 * p.Gate(); math.Abs(got-c.distance) > 6e-5 {
			t.Errorf("after %d looks and %d passes: %.5f, want %v", c.looks, c.passes, got, c.distance)
		}
	}
	for looks, want := range map[[2]int64]float64{{1, 1}: 0.0197, {31, 3}: 0.0358, {151, 6}: 0.0532} {
		if got := (Plan{Unit{Rows: 5000}, lnBeta, Usual(), looks[0], looks[1]}).Gate(); math.Abs(got-want) > 6e-5 {
			t.Errorf("look %d, pass %d: tau %v, want %v", looks[0], looks[1], got, want)
		}
	}
	for _, c := range []struct {
		looks, passes int64
		count         float64
		upper         float64
	}{{1, 1, 4066, 0.8226}, {31, 3, 4135, 0.84904}, {151, 6, 4204, 0.87432}} {
		gate, tau, err := Plan{ZeroOne{5000}, lnBeta, Usual(), c.looks, c.passes}.GateAt(0.8)
		if err != nil || math.Abs(gate.Cuts[0].At*5000-c.count) > 1e-9 || math.Abs(0.8+2*tau-c.upper) > 6e-6 {
			t.Errorf("look %d, pass %d: %v, upper end %v, %v", c.looks, c.passes, gate, 0.8+2*tau, err)
		}
	}
}

// At every bar the gate's own distance is at most the distance of the worst bar, and at the best of the bars it comes
// to it but for convex tails, which have no worst distance of their own.
func TestWorstBar(t *testing.T) {
	for _, tails := range []Planned{
		Unit{Rows: 5000}, Unit{Rows: 40}, Convex{Rows: 5000}, ZeroOne{800}, Around{Differences{3000,
			0.2}}, Around{KnownVariance{3000, 0.05, 0}},
		Around{KnownVariance{3000, 0.05, -1}}, Around{Ranged{3000, 0.05}},
		Hoeffding{Unit{Rows: 800}, 9000}, Hoeffding{ZeroOne{800}, 9000}, Hoeffding{ZeroOne{30}, 300},
	} {
		p := Plan{tails, math.Log(0.05), Usual(), 31, 3}
		worst, most := p.Gate(), 0.
		lowest, highest := tails.Range()
		for i := range 2000 {
			bar := lowest + (highest-lowest)*float64(i)/2000
			if _, tau, err := p.GateAt(bar); err == nil {
				most = math.Max(most, tau)
			}
		}
		if most > worst*(1+1e-12) {
			t.Errorf("%#v: tau at some bar is %v, %v at the worst", tails, most, worst)
		}
		_, convex := tails.(Convex)
		if !convex && tails.Edge(0.1234567) == 0.1234567 && most < worst*(1-1e-5) {
			t.Errorf("%#v: tau is at most %v at the bars tried, %v at the worst", tails, most, worst)
		}
	}
}

// A gate that was planned for exactly the looks and passes that came is sharper by a 20th to a quarter.
func TestHindsight(t *testing.T) {
	for _, c := range []struct {
		looks, passes int64
		distance      float64
	}{
		{0, 0, 0.0292}, {10, 0, 0.0413}, {10, 2, 0.0523}, {30, 2, 0.0630}, {150, 0, 0.0518}, {150, 5, 0.0990},
		{1000, 5, 0.1196},
	} {
		need := tree.Gate{Queries: c.looks + 1, Passes: c.passes + 1}.LnNodes().Hi + math.Log(20)
		tau := num.Floats{Lo: 1e-4, Hi: 0.4, Guess: c.distance / 2}.Least(func(tau float64) bool {
			return tail.Convex{}.IsWithin(5000, tau, -need)
		})
		if math.Abs(2*tau-c.distance) > 6e-5 {
			t.Errorf("%d looks and %d passes: %v with hindsight, want %v", c.looks, c.passes, 2*tau, c.distance)
		}
		share := (Plan{Unit{Rows: 5000}, math.Log(0.05), Usual(), c.looks + 1, c.passes + 1}).Gate() / tau
		if !(share > 1.05 && share < 1.36) {
			t.Errorf("%d looks and %d passes: an open gate is wider by the factor %v", c.looks, c.passes, share)
		}
	}
}
