package theory

import (
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/dpcalc/dpcalc/internal/num"
)

// enumerate returns sup_p P[|Bin(n,p)/n - p| >= tau] with 300 bits for a rational tau:
// at every break point of both families, with every count judged in rationals and on
// the closed side of the last bits of tau.
func enumerate(n int64, tau *big.Rat) *big.Float {
	closed := new(big.Rat).Mul(tau, new(big.Rat).SetFloat64(1-0x1p-50))
	worst := new(big.Float)
	for j := int64(0); j <= n; j++ {
		for _, sign := range []int64{1, -1} {
			p := new(big.Rat).Add(big.NewRat(j, n), new(big.Rat).Mul(tau, big.NewRat(sign, 1)))
			if p.Sign() <= 0 || p.Cmp(big.NewRat(1, 1)) >= 0 {
				continue
			}
			if v := failure(n, closed, p); v.Cmp(worst) > 0 {
				worst = v
			}
		}
	}
	return worst
}

// failure returns P[|Bin(n,p)/n - p| >= tau] with 300 bits.
func failure(n int64, tau, p *big.Rat) *big.Float {
	bf := func() *big.Float { return new(big.Float).SetPrec(300) }
	sum := bf()
	up, down := bf().SetRat(p), bf().SetRat(new(big.Rat).Sub(big.NewRat(1, 1), p))
	term := bf().SetInt64(1)
	for range n {
		term.Mul(term, down)
	}
	odds := bf().Quo(up, down)
	for k := int64(0); k <= n; k++ {
		off := new(big.Rat).Sub(big.NewRat(k, n), p)
		if off.Abs(off).Cmp(tau) >= 0 {
			sum.Add(sum, term)
		}
		term.Mul(term, odds)
		term.Mul(term, bf().SetInt64(n-k))
		term.Quo(term, bf().SetInt64(k+1))
	}
	return sum
}

func lnFloat(x *big.Float) num.DD {
	mantissa := new(big.Float)
	e := x.MantExp(mantissa)
	return num.FromBig(mantissa).Ln().Add(num.Ln2.MulFloat(float64(e)))
}

var rationalTaus = []*big.Rat{
	big.NewRat(1, 10), big.NewRat(1, 4), big.NewRat(3, 20), big.NewRat(3, 10), big.NewRat(1, 3), big.NewRat(1, 2),
	big.NewRat(7, 10), big.NewRat(9, 10), big.NewRat(1, 7), big.NewRat(1, 20), big.NewRat(17, 100), big.NewRat(99, 100),
	big.NewRat(1<<30-1, 1<<30),
}

func TestBinomialTailEnumerated(t *testing.T) {
	worst := 0.0
	for _, tau := range rationalTaus {
		x, _ := tau.Float64()
		for n := int64(1); n <= 40; n++ {
			got := must[LogProb](t)(BinomialTail(Deviation{n, x}))
			exact := lnFloat(enumerate(n, tau))
			excess := num.FromFloat(got.Ln()).Sub(exact).Hi
			if exact.Hi > -1e-25 { // certain
				excess = got.Ln()
			}
			if n > 1 && math.FMA(float64(n), x, -1) < 0 { // where the tail is none of records that are not alike
				if excess < -1e-25 {
					t.Errorf("n=%d tau=%v: ln %.17g, below %.17g", n, tau, got.Ln(), exact.Hi)
				}
				continue
			}
			worst = max(worst, excess)
			if !(excess >= -1e-25 && excess <= 1e-9) {
				t.Errorf("n=%d tau=%v: ln %.17g, want %.17g: off by %g", n, tau, got.Ln(), exact.Hi, excess)
			}
		}
	}
	t.Logf("worst excess %.2g", worst)
}

// In float64 2 n tau is just above the integer that it is in decimal, and the count on
// the far boundary would be lost.
func TestBinomialTailKeepsTheBoundary(t *testing.T) {
	checked := 0
	for h := int64(1); h < 100; h++ {
		tau := big.NewRat(h, 100)
		x, _ := tau.Float64()
		for n := int64(1); n <= 60; n++ {
			if 2*n*h%100 != 0 || 2*float64(n)*x == math.Round(2*float64(n)*x) {
				continue
			}
			checked++
			got := must[LogProb](t)(BinomialTail(Deviation{n, x}))
			if excess := num.FromFloat(got.Ln()).Sub(lnFloat(enumerate(n, tau))).Hi; !(excess >= -1e-14*float64(n) &&
				excess <= 1e-9) {
				t.Errorf("n=%d tau=%v: ln %v, off by %g", n, tau, got.Ln(), excess)
			}
		}
	}
	if checked < 3 {
		t.Errorf("only %d cases", checked)
	}
}

// That the break points are enough: a lattice of p with a denominator that 2 n tau
// does not share, and random p, never exceed them.
func TestBinomialTailOffTheBreakPoints(t *testing.T) {
	r := rand.New(rand.NewPCG(31, 32))
	for range 400 {
		tau := rationalTaus[r.IntN(len(rationalTaus))]
		n := 1 + r.Int64N(40)
		x, _ := tau.Float64()
		got := must[LogProb](t)(BinomialTail(Deviation{n, x}))
		for range 10 {
			d := n * (1 + r.Int64N(60))
			p := big.NewRat(r.Int64N(d+1), d)
			if p.Sign() == 0 || p.Cmp(big.NewRat(1, 1)) == 0 {
				continue
			}
			if at := failure(n, tau, p); at.Sign() > 0 && lnFloat(at).Hi > got.Ln()+1e-15 {
				t.Fatalf("n=%d tau=%v p=%v: ln %v exceeds %v", n, tau, p, lnFloat(at).Hi, got.Ln())
			}
		}
	}
}

// The least n by enumeration, from an n that Hoeffding certifies with all beyond.
func TestBinomialSamplesEnumerated(t *testing.T) {
	for _, tau := range rationalTaus {
		x, _ := tau.Float64()
		if x < 0.15 {
			continue // Hoeffding's n is above 60 for all but the easiest goals
		}
		// p from the float64, so that a tie is a tie of what was given; the counts from the
		// slightly smaller tau.
		given := new(big.Rat).SetFloat64(x)
		exact := make([]num.DD, 61)
		for n := 1; n <= 60; n++ {
			exact[n] = lnFloat(enumerate(int64(n), given))
		}
		for _, beta := range []float64{0.5, 0.3, 0.1, 0.05, 0.01, 1e-3, 1e-6, 1e-10, 1e-30} {
			f := Fixed{x, Level{1, LogProb(math.Log(beta))}}
			limit := hoeffding(t, f)
			if limit > 60 {
				continue
			}
			want := limit
			for want > 1 && exact[want-1].AddFloat(-f.Level.Beta.Ln()).Hi <= 0 {
				want--
			}
			if got := must[int64](t)(BinomialSamples(f, BothSides)); got != want {
				t.Errorf("tau=%v beta=%v: %d, want %d", tau, beta, got, want)
			}
			for n := int64(1); n <= 60; n++ {
				if holds, err := BinomialHolds(f, BothSides, n); err != nil || holds != (n >= want) {
					t.Errorf("tau=%v beta=%v: BinomialHolds(%d) = %v, %v", tau, beta, n, holds, err)
				}
			}
		}
	}
}

// Larger n without enumeration of all p: the answer is at most the answer of the
// relative-entropy form, the n before it fails at a p that is checked with 300 bits,
// and BinomialTail agrees at the answer and at the next few hundred n.
func TestBinomialSamplesWitness(t *testing.T) {
	r := rand.New(rand.NewPCG(33, 34))
	for range 40 {
		tau := math.Round(1000*math.Pow(10, -1.6*r.Float64())) / 1000 * 0.9
		f := Fixed{tau, Level{1 + r.Int64N(1000), LogProb(-0.1 - 20*r.Float64())}}
		most := must[int64](t)(KLSamples(f))
		if most > 3000 || tau >= 1 {
			continue
		}
		n := must[int64](t)(BinomialSamples(f, BothSides))
		limit := -f.Level.LnOver(1).Hi
		if n > most {
			t.Errorf("%+v: %d, more than %d by relative entropy", f, n, most)
		}
		for i := n; i < n+100; i++ {
			if tail := must[LogProb](t)(BinomialTail(Deviation{i, tau})); tail.Ln() > limit {
				t.Errorf("%+v: %d, but ln sup = %v at %d", f, n, tail.Ln(), i)
			}
		}
		if n == 1 {
			continue
		}
		if tail := must[LogProb](t)(BinomialTail(Deviation{n - 1, tau})); tail.Ln() <= limit {
			t.Errorf("%+v: %d, but ln sup = %v at %d", f, n, tail.Ln(), n-1)
		}
		meant := new(big.Rat).SetFloat64(tau)
		meant.Mul(meant, new(big.Rat).SetFloat64(1-0x1p-50))
		l, witness := newLattice(Deviation{n - 1, tau}), false
		for j := int64(0); j <= l.last && !witness; j++ {
			if l.at(j) > limit {
				p := new(big.Rat).Add(big.NewRat(j, n-1), new(big.Rat).SetFloat64(tau))
				witness = lnFloat(failure(n-1, meant, p)).Hi > limit-1e-11
			}
		}
		if !witness {
			t.Errorf("%+v: no witness that %d fails", f, n-1)
		}
	}
}

// The inequality of Zubkov and Serov as used, for every k, n <= 40 and many p.
func TestZubkovSerov(t *testing.T) {
	r := rand.New(rand.NewPCG(35, 36))
	one := big.NewRat(1, 1)
	least := math.Inf(1)
	for n := int64(1); n <= 40; n++ {
		for range 12 {
			p := big.NewRat(1+r.Int64N(1<<20-1), 1<<20)
			x, _ := p.Float64()
			bf := func() *big.Float { return new(big.Float).SetPrec(300) }
			up, down := bf().SetRat(p), bf().SetRat(new(big.Rat).Sub(one, p))
			term, sum := bf().SetInt64(1), bf()
			for range n {
				term.Mul(term, down)
			}
			for k := int64(0); k < n; k++ {
				sum.Add(sum, term)
				term.Mul(term, bf().Quo(up, down))
				term.Mul(term, bf().SetInt64(n-k))
				term.Quo(term, bf().SetInt64(k+1))
				shift, _ := new(big.Rat).Sub(big.NewRat(k+1, n), p).Float64()
				if shift >= 0 {
					continue
				}
				bound := num.LogSurvival(math.Sqrt(2 * float64(n) * num.KLShift{P: x, Shift: shift}.Nats()))
				margin := bound - lnFloat(sum).Hi
				least = min(least, margin)
				if margin < 0 {
					t.Errorf("n=%d k=%d p=%v: ln P = %v exceeds %v", n, k, p, lnFloat(sum).Hi, bound)
				}
			}
		}
	}
	t.Logf("least margin %.3g", least)
}

// What certifies is a bound on the tail, for that n and the ones after it.
func TestCertifiedBoundsTheTail(t *testing.T) {
	r := rand.New(rand.NewPCG(37, 38))
	for n := int64(1); n < 30; n++ {
		for range 20 {
			l := newLattice(Deviation{n, r.Float64() + 1e-9})
			for j := range l.last + 1 {
				if l.tau < 1 && l.quick(j) < l.at(j)-1e-12 {
					t.Errorf("n=%d tau=%v j=%d: quick %v, at %v", n, l.tau, j, l.quick(j), l.at(j))
				}
			}
		}
	}
	for range 400 {
		n := 2 + r.Int64N(1500)
		tau := 1/float64(n) + (1-1/float64(n))*math.Pow(10, -2*r.Float64())
		if tau >= 1 {
			continue
		}
		tail := must[LogProb](t)(BinomialTail(Deviation{n, tau}))
		bound := Deviation{n, tau}.falling()
		if bound.Hi < tail.Ln()-1e-9 {
			t.Errorf("n=%d tau=%v: bound %v below the tail %v", n, tau, bound.Hi, tail.Ln())
		}
		for _, j := range []int64{0, r.Int64N(n), n - 1} {
			if l := newLattice(Deviation{n, tau}); j <= l.last && l.quick(j) < l.at(j)-1e-12 {
				t.Errorf("n=%d tau=%v j=%d: quick %v, at %v", n, tau, j, l.quick(j), l.at(j))
			}
		}
		if later := (Deviation{n + 1 + r.Int64N(50), tau}).falling(); later.Cmp(bound) > 0 {
			t.Errorf("n=%d tau=%v: bound %v rises to %v", n, tau, bound.Hi, later.Hi)
		}
	}
}

// Requirements about 10^3, 10^4 and 10^5, found by a C program that shares nothing with this
// package: it sums both tails in long double at the break points of every n from above down to
// the last one that fails, with B = ceil(2 n tau) in integers. Exact where tails are computed
// here, and elsewhere never below and at most 2/(n tau) above.
func TestBinomialSamplesNearExact(t *testing.T) {
	for _, c := range []struct {
		tau, level float64
		exact      int64
	}{
		{0.06, 1. / 3000, 901}, {0.03, 0.05, 1084}, {0.03, 1. / 3000, 3601},
		{0.02, 1. / 3000, 8076}, {0.01, 0.05, 9701}, {0.018, 1. / 3000, 9973},
		{0.021, 1e-38, 96048}, {0.0057, 1. / 3000, 99211}, {0.0031, 0.05, 100162},
	} {
		f := Fixed{c.tau, Level{1, LogProb(math.Log(c.level))}}
		got := must[int64](t)(BinomialSamples(f, BothSides))
		certified, err := binomial{f, BothSides}.leastCertified()
		if err != nil {
			t.Fatal(err)
		}
		most := float64(c.exact) * (1 + 2/(float64(c.exact)*c.tau))
		if got < c.exact || float64(certified) > most || float64(got) > most {
			t.Errorf("%+v: %d, certified %d, exactly %d", c, got, certified, c.exact)
		}
		if certified <= MaxExactSamples && got != c.exact {
			t.Errorf("%+v: %d, exactly %d", c, got, c.exact)
		}
	}
}

// Above one half the requirement is the lesser of two: the one for one half, and the certified one.
func TestBinomialAboveOneHalf(t *testing.T) {
	for _, tau := range []float64{0.15, 0.3, 0.7} {
		half := must[int64](t)(BinomialSamples(Fixed{tau, Level{1, LogProb(math.Log(0.5))}}, BothSides))
		for _, beta := range []float64{0.51, 0.9, 1 - 1e-9} {
			f := Fixed{tau, Level{1, LogProb(math.Log(beta))}}
			n := must[int64](t)(BinomialSamples(f, BothSides))
			if n > half {
				t.Errorf("tau=%v beta=%v: %d, one half needs %d", tau, beta, n, half)
			}
			for k := n; k < 60; k++ {
				if tail := must[LogProb](t)(BinomialTail(Deviation{k, tau})); tail.Value() > beta+1e-9 {
					t.Errorf("tau=%v beta=%v: %d, but the tail is %v at %d", tau, beta, n, tail, k)
				}
			}
		}
	}
}

// seamGoal is often near where the exact tails begin, where beta/m is one half, or where the
// maximum leaves p = 1/2.
func seamGoal(r *rand.Rand) (Fixed, int64) {
	l := Level{1 + r.Int64N(300), LogProb(-0.01 - 20*r.Float64())}
	n := math.Floor(math.Pow(10, 4*r.Float64()))
	switch r.IntN(6) {
	case 0:
		n = MaxExactSamples - 100 + float64(r.IntN(200))
	case 1:
		n, l = math.Floor(math.Pow(10, 1.3*r.Float64())), Level{1, LogProb(-math.Ln2 * (0.8 + 0.4*r.Float64()))}
	case 2:
		n = math.Floor(math.Pow(2, 13.3+39.6*r.Float64()))
	case 3:
		n, l.Beta = math.Floor(math.Pow(10, 4+5*r.Float64())), LogProb(-math.Pow(10, 1+5*r.Float64()))
	}
	tau := 1/n + math.Sqrt(l.LnOver(2).Hi/(2*n))*(0.97+0.04*r.Float64())
	return Fixed{math.Min(tau, 0.999), l}, int64(n)
}

// What N rows certify, every n > N certifies; the requirement falls in tau and beta and rises
// in m; and the functions that solve for n, tau and beta/m agree.
func TestBinomialRequirementLaws(t *testing.T) {
	r := rand.New(rand.NewPCG(65, 66))
	seams := map[bool]int{}
	for range 160 {
		f, n := seamGoal(r)
		later := min(MaxSamples, n+1+r.Int64N(1+n/int64(1+r.IntN(1000))))
		need, err := BinomialSamples(f, BothSides)
		if err != nil {
			t.Fatalf("%+v: %v", f, err)
		}
		top, _ := binomial{f, BothSides}.leastCertified()
		seams[top <= MaxExactSamples]++
		for _, k := range []int64{need.Value - 1, need.Value, n, later} {
			if k < 1 || k > MaxSamples {
				continue
			}
			if holds, err := BinomialHolds(f, BothSides, k); err != nil || holds != (k >= need.Value) {
				t.Errorf("%+v needs %d, and BinomialHolds(%d) = %v, %v", f, need.Value, k, holds, err)
			}
		}
		easier := []Fixed{
			{math.Min(f.Tau*(1+math.Pow(10, -6*r.Float64())), 0.9999), f.Level},
			{f.Tau, Level{f.Level.Queries, f.Level.Beta * LogProb(1-math.Pow(10, -6*r.Float64()))}},
			{f.Tau, Level{1 + r.Int64N(f.Level.Queries), f.Level.Beta}},
		}
		for _, e := range easier {
			if !e.Level.Beta.IsInterior() {
				continue
			}
			if less := must[int64](t)(BinomialSamples(e, BothSides)); less > need.Value {
				t.Errorf("%+v needs %d, the easier %+v %d", f, need.Value, e, less)
			}
		}
		tau := must2[float64](t)(BinomialTau(f.Level, BothSides, n))
		next := must2[float64](t)(BinomialTau(f.Level, BothSides, later))
		if next > tau {
			t.Errorf("%+v: tau %v for %d rows, %v for %d", f.Level, tau, n, next, later)
		}
		if holds, err := BinomialHolds(Fixed{tau, f.Level}, BothSides, n); tau < 1 && (err != nil || !holds) {
			t.Errorf("%+v: tau %v for %d rows does not hold (%v)", f.Level, tau, n, err)
		}
		below := Fixed{tau * (1 - 1e-9), f.Level}
		if holds, _ := BinomialHolds(below, BothSides, n); holds {
			t.Errorf("%+v: tau %v for %d rows, but a smaller one holds", f.Level, tau, n)
		}
		d := Deviation{n, f.Tau}
		worst := must2[LogProb](t)(BinomialWorst(d, BothSides))
		if next := must2[LogProb](t)(BinomialWorst(Deviation{later, f.Tau}, BothSides)); next > worst {
			t.Errorf("%+v: beta/m %v, and %v for %d rows", d, worst, next, later)
		}
		if worst < -1e-9 {
			level := Level{1, worst + 1e-12}
			if holds, err := BinomialHolds(Fixed{f.Tau, level}, BothSides, n); err != nil || !holds {
				t.Errorf("%+v: beta/m %v does not hold (%v)", d, worst, err)
			}
			level.Beta = worst - 1e-8 - 1e-14*LogProb(math.Abs(worst.Ln()))
			if holds, _ := BinomialHolds(Fixed{f.Tau, level}, BothSides, n); holds {
				t.Errorf("%+v: beta/m %v, but a smaller one holds", d, worst)
			}
		}
	}
	if seams[true] < 20 || seams[false] < 20 {
		t.Errorf("goals on the two sides of the seam: %v", seams)
	}
}

func must2[T any](t *testing.T) func(T, error) T {
	return func(x T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
}

func TestBinomialExtremes(t *testing.T) {
	none := new(NoAnswerError)
	for _, tau := range []float64{
		5e-324, 1e-300, 1e-17, 1e-15, 1e-5, 0.5 - 0x1p-54, 0.5, 0.5 + 0x1p-53, 0.9999, 1 - 0x1p-53,
	} {
		for _, n := range []int64{1, 2, 3, 9999, 10000, 10001, 1 << 40, MaxSamples} {
			d := Deviation{n, tau}
			two, one := must[LogProb](t)(BinomialTail(d)), must[LogProb](t)(BinomialUpperTail(d))
			zs, worst := must[LogProb](t)(ZubkovSerovTail(d)), must2[LogProb](t)(BinomialWorst(d, BothSides))
			for _, p := range []LogProb{two, one, zs, worst} {
				if !p.IsValid() || p == Zero {
					t.Errorf("%+v: two-sided %v, one-sided %v, Zubkov and Serov %v, worst %v",
						d, two.Ln(), one.Ln(), zs.Ln(), worst.Ln())
				}
			}
			// Just above 1/2 the lattice is the lattice of 1/2, and Hoeffding's bound may be less.
			if here := min(two, must[LogProb](t)(KLTail(d))); worst < here-1e-9 {
				t.Errorf("%+v: the worst from here on is %v, here it is %v", d, worst.Ln(), here.Ln())
			}
		}
		for _, beta := range []LogProb{-5e-324, -1e-9, -1, -1e3, -1e4, -1e9, -1e300, -math.MaxFloat64} {
			f := Fixed{tau, Level{1, beta}}
			n, err := BinomialSamples(f, BothSides)
			if err != nil {
				if holds, _ := BinomialHolds(f, BothSides, MaxSamples); !errors.As(err, &none) || holds {
					t.Errorf("%+v: %v, and 2^53 holds: %v", f, err, holds)
				}
				continue
			}
			if holds, err := BinomialHolds(f, BothSides, n.Value); err != nil || !holds {
				t.Errorf("%+v: %d does not hold (%v)", f, n.Value, err)
			}
			if holds, _ := BinomialHolds(f, BothSides, n.Value-1); n.Value > 1 && holds {
				t.Errorf("%+v: %d, and one less holds", f, n.Value)
			}
		}
		for _, n := range []int64{1, 100, 10000, MaxSamples} {
			if tau := must2[float64](t)(BinomialTau(Level{1 << 53, -1e4}, BothSides, n)); !(tau > 0 && tau <= 1) {
				t.Errorf("n=%d: tau %v", n, tau)
			}
		}
	}
}

func BenchmarkBinomialSamples(b *testing.B) {
	for _, c := range []struct {
		name string
		f    Fixed
	}{
		{"200", Fixed{0.1, Level{1, -3}}},
		{"10000", Fixed{0.0131, Level{1, -4.7}}},
		{"10000/easy", Fixed{0.0085, Level{1, -0.8}}},
		{"10000/hard", Fixed{0.1, Level{1, -190}}},
	} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				n, err := BinomialSamples(c.f, BothSides)
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(n.Value), "samples")
			}
		})
	}
}

func BenchmarkBinomialTail(b *testing.B) {
	for b.Loop() {
		if _, err := BinomialTail(Deviation{10000, 0.0166}); err != nil {
			b.Fatal(err)
		}
	}
}
