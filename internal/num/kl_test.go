package num

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/cockroachdb/apd/v3"
)

// exactKL returns kl(p+d || p) to 60 digits less the cancellation, which 140 digits
// of working precision cover.
func exactKL(t *testing.T, s KLShift) *big.Float {
	t.Helper()
	c := apd.BaseContext.WithPrecision(140)
	dec := func(x float64) *apd.Decimal {
		d, _, err := apd.NewFromString(new(big.Float).SetFloat64(x).Text('g', 1100))
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	p, q, one := dec(s.P), new(apd.Decimal), apd.New(1, 0)
	c.Add(q, p, dec(s.Shift))
	sum := new(apd.Decimal)
	term := func(x, m *apd.Decimal) {
		if x.IsZero() {
			return
		}
		ratio := new(apd.Decimal)
		c.Quo(ratio, x, m)
		c.Ln(ratio, ratio)
		c.Mul(ratio, ratio, x)
		c.Add(sum, sum, ratio)
	}
	r, m := new(apd.Decimal), new(apd.Decimal)
	c.Sub(r, one, q)
	c.Sub(m, one, p)
	term(q, p)
	term(r, m)
	f, _, err := big.ParseFloat(sum.Text('e'), 10, 300, big.ToNearestEven)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestKLAgainstDecimals(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	worst, worstDD := 0.0, 0.0
	for range 1500 {
		p := []float64{0.5, r.Float64(), math.Pow(10, -12*r.Float64()), 1 - math.Pow(10, -9*r.Float64())}[r.IntN(4)]
		shift := math.Pow(10, -14*r.Float64()) * []float64{p, 1 - p, min(p, 1-p)}[r.IntN(3)]
		if r.IntN(2) == 0 {
			shift = -shift
		}
		if q := new(big.Float).SetPrec(2000).Add(big.NewFloat(p), big.NewFloat(shift)); q.Sign() < 0 ||
			q.Cmp(big.NewFloat(1)) > 0 || p <= 0 || p >= 1 {
			continue
		}
		s := KLShift{P: p, Shift: shift}
		want := exactKL(t, s)
		rel := math.Abs(off(s.Nats(), want)) / float(want)
		if worst = max(worst, rel); rel > 3e-15 {
			t.Errorf("%+v: Nats = %.17g, want %.20g (relative error %.2g)", s, s.Nats(), want, rel)
		}
		gap, _ := new(big.Float).SetPrec(400).Sub(s.DD().Big(), want).Float64()
		if worstDD = max(worstDD, math.Abs(gap)); math.Abs(gap) > 0x1p-96 {
			t.Errorf("%+v: DD is off by %.2g", s, gap)
		}
	}
	t.Logf("worst relative error %.2g; of DD, absolute %.2g", worst, worstDD)
}

func TestKLEdges(t *testing.T) {
	for _, c := range []struct {
		s    KLShift
		want float64
	}{
		{KLShift{0.3, 0}, 0}, {KLShift{0, 0}, 0}, {KLShift{1, 0}, 0},
		{KLShift{0.5, 0.5}, math.Ln2}, {KLShift{0.5, -0.5}, math.Ln2}, {KLShift{0.25, 0.75}, 2 * math.Ln2},
		{KLShift{0, 0.1}, math.Inf(1)}, {KLShift{1, -0.1}, math.Inf(1)},
	} {
		if got := c.s.Nats(); !(got == c.want || math.Abs(got-c.want) <= 2e-16) {
			t.Errorf("%+v: %v, want %v", c.s, got, c.want)
		}
	}
}

// The slope is the limit of differences, here by big steps of high accuracy.
func TestKLSlope(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	for range 2000 {
		p := 0.02 + 0.96*r.Float64()
		shift := (1 - p) * r.Float64() * []float64{1, 0.1, 1e-3}[r.IntN(3)]
		if r.IntN(2) == 0 {
			shift = -p * shift / (1 - p)
		}
		h := 1e-4 * min(p, 1-p, p+shift, 1-p-shift)
		at := func(x float64) float64 { return KLShift{p + x, shift}.Nats() }
		// Richardson: error O(h^4).
		want := (8*(at(h)-at(-h)) - (at(2*h) - at(-2*h))) / (12 * h)
		got := KLShift{p, shift}.Slope()
		if scale := at(0)/h*1e-14 + math.Abs(want)*1e-7; math.Abs(got-want) > scale {
			t.Errorf("p=%v shift=%v: slope %v, difference %v", p, shift, got, want)
		}
	}
}

func BenchmarkKL(b *testing.B) {
	s := KLShift{P: 0.5, Shift: 0.01}
	for b.Loop() {
		s.Nats()
	}
}

// The least relative entropy at a given shift is where its slope is zero.
func TestLeastEntropy(t *testing.T) {
	for shift := 1e-4; shift <= 0.4; shift *= 1.003 {
		if p := LeastEntropy(shift); math.Abs(KLShift{P: p, Shift: shift}.Slope()) > 5e-13*shift*shift+1e-15*shift {
			t.Errorf("shift %v: the slope at %v is %g", shift, p, KLShift{P: p, Shift: shift}.Slope())
		}
	}
}
