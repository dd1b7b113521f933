package theory

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/dpcalc/dpcalc/internal/num"
	"github.com/dpcalc/dpcalc/internal/vectors"
)

// zubkov-sup.csv was computed with mpmath and 50 digits: both terms at 150 equally spaced p
// and, at the scale of a standard deviation, about 1/2, tau and the minimum of K, and golden
// section about every local maximum.
func TestZubkovSerovTailAgainstDecimals(t *testing.T) {
	worst := 0.0
	for _, row := range vectors.Exact(t, "zubkov-sup.csv") {
		d := Deviation{int64(float(row[0])), float(row[1])}
		got := must[LogProb](t)(ZubkovSerovTail(d))
		excess := over(got.Ln(), row[2])
		allowed := math.Max(1e-9, 2e-15*math.Abs(got.Ln()))
		worst = max(worst, excess/allowed)
		if !(excess >= 0 && excess <= allowed) {
			t.Errorf("%+v: ln %.17g, want %.20g: off by %g", d, got.Ln(), row[2], excess)
		}
	}
	t.Logf("worst excess: %.2g of the slack", worst)
}

// No p of a fine grid exceeds the supremum, and a grid that is refined about its highest
// point comes close to it.
func TestZubkovSerovTailOverP(t *testing.T) {
	r := rand.New(rand.NewPCG(61, 62))
	for range 400 {
		n := math.Floor(math.Pow(10, 0.3+7*r.Float64()))
		tau := 1/n + (1-1/n)*math.Pow(10, -3.5*r.Float64())
		if r.IntN(2) == 0 {
			tau = 1/n + math.Min(0.999-1/n, math.Pow(10, -1+3*r.Float64())/math.Sqrt(n))
		}
		if !(tau < 1) {
			continue
		}
		d := Deviation{int64(n), tau}
		got := d.normalSup().Hi
		s := tau - 1/n
		at := func(p float64) float64 {
			ln := math.Inf(-1)
			if p > 0 && p+tau <= 1 {
				ln = num.LogSurvival(math.Sqrt(2 * n * num.KLShift{P: p, Shift: s}.Nats()))
			}
			if p < 1 && p-tau >= 0 {
				ln = num.LogAddExp(ln, num.LogSurvival(math.Sqrt(2*n*num.KLShift{P: p, Shift: -s}.Nats())))
			}
			return ln
		}
		top, best := at(math.Min(0.5, 1-tau)), math.Min(0.5, 1-tau)
		for width := 0.5; width > 1e-9; width /= 100 {
			middle := best
			for i := -500; i <= 500; i++ {
				if p := middle + width*float64(i)/500; p > 0 && p < 1 && at(p) > top {
					top, best = at(p), p
				}
			}
		}
		if slack := 1e-11 + 1e-14*math.Abs(got); top > got+slack || top < got-1e-9-slack {
			t.Errorf("%+v: ln sup %v, over a grid of p %v", d, got, top)
		}
	}
}

// The supremum bounds the binomial tail itself, summed with 300 bits, for every p of a grid
// that contains the break points.
func TestZubkovSerovTailAboveBinomial(t *testing.T) {
	for n := int64(2); n <= 30; n += 1 + n/5 {
		for _, tau := range rationalTaus {
			x, _ := tau.Float64()
			two := must[LogProb](t)(ZubkovSerovTail(Deviation{n, x}))
			one := must[LogProb](t)(BinomialUpperTail(Deviation{n, x}))
			if x*float64(n) < 1 && two != 0 {
				t.Errorf("n=%d tau=%v: ln %v for n tau < 1", n, tau, two.Ln())
			}
			for i := int64(1); i < 4*n; i++ {
				p := new(big.Rat).Add(big.NewRat(i, 4*n), new(big.Rat).Mul(tau, big.NewRat(1-i%3, 1)))
				if p.Sign() <= 0 || p.Cmp(big.NewRat(1, 1)) >= 0 {
					continue
				}
				if v := failure(n, tau, p); v.Sign() > 0 && lnFloat(v).Hi > two.Ln()+1e-14 {
					t.Errorf("n=%d tau=%v p=%v: ln P %v above %v", n, tau, p, lnFloat(v).Hi, two.Ln())
				}
				if v := upperFailure(n, tau, p); v.Sign() > 0 && lnFloat(v).Hi > one.Ln()+1e-14 {
					t.Errorf("n=%d tau=%v p=%v: ln P[X >= n(p+tau)] %v above %v", n, tau, p, lnFloat(v).Hi, one.Ln())
				}
			}
		}
	}
}

// upperFailure returns P[Bin(n,p)/n - p >= tau] with 300 bits.
func upperFailure(n int64, tau, p *big.Rat) *big.Float {
	sum := new(big.Float).SetPrec(300)
	q := new(big.Rat).Sub(big.NewRat(1, 1), p)
	for k := int64(0); k <= n; k++ {
		if off := new(big.Rat).Sub(big.NewRat(k, n), p); off.Cmp(tau) >= 0 {
			term := new(big.Float).SetPrec(300).SetInt(new(big.Int).Binomial(n, k))
			for range k {
				term.Mul(term, new(big.Float).SetPrec(300).SetRat(p))
			}
			for range n - k {
				term.Mul(term, new(big.Float).SetPrec(300).SetRat(q))
			}
			sum.Add(sum, term)
		}
	}
	return sum
}

// The bounds fall in n and in tau, through the change from the closed form to the search.
func TestZubkovSerovTailMonotone(t *testing.T) {
	r := rand.New(rand.NewPCG(63, 64))
	seams := 0
	for range 3000 {
		n := int64(math.Pow(2, 1+52*r.Float64()))
		tau := math.Pow(10, -1+2.5*r.Float64()) / math.Sqrt(float64(n))
		if i := r.IntN(3); i == 0 { // where the closed form ends
			tau = 0.55 * math.Pow(float64(n), -0.25) * (1 + 1e-2*(r.Float64()-0.5))
		} else if i == 1 {
			tau = (1 + r.Float64()) / float64(n)
		}
		if !(tau < 0.999) || n >= MaxSamples {
			continue
		}
		here := Deviation{n, tau}
		for _, easier := range []Deviation{
			{n + 1, tau}, {min(MaxSamples, n+1+r.Int64N(n)), tau},
			{n, math.Nextafter(tau, 1)}, {n, tau * (1 + 1e-3*r.Float64())},
		} {
			if (Deviation{n, here.shift()}).isNormalAtHalf() != (Deviation{easier.Samples, easier.shift()}).isNormalAtHalf() {
				seams++
			}
			if a, b := here.normalSup(), easier.normalSup(); b.Cmp(a) > 0 && !near(here, a, b) {
				t.Errorf("%+v: ln %v, and %v at %+v", here, a.Hi, b.Hi, easier)
			}
			if a, b := here.normalUpper(), easier.normalUpper(); b.Cmp(a) > 0 && !near(here, a, b) {
				t.Errorf("%+v: one-sided ln %v, and %v at %+v", here, a.Hi, b.Hi, easier)
			}
		}
	}
	if seams < 10 {
		t.Errorf("only %d seams", seams)
	}
}

// near reports a difference within the tolerance of a search, where the closed form does not hold.
func near(d Deviation, a, b num.DD) bool {
	return !(Deviation{d.Samples, d.shift()}).isNormalAtHalf() && b.Sub(a).Hi < 2e-12+1e-15*math.Abs(a.Hi)
}

func BenchmarkZubkovSerovTail(b *testing.B) {
	for _, c := range []struct {
		name string
		d    Deviation
	}{
		{"half", Deviation{1_000_000, 0.002}},
		{"search", Deviation{100_000, 0.2}},
		{"far", Deviation{10_000_000_000, 0.02}},
	} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				if _, err := ZubkovSerovTail(c.d); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
