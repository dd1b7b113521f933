package num

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/dpcalc/dpcalc/internal/vectors"
)

// binomialSlack bounds by how much a logarithm exceeds the truth.
func binomialSlack(ln float64) float64 { return 2e-12 + math.Abs(ln)*0x1p-50 }

// binomial.csv was computed with 60 digits: the gamma function for the term, the sum
// of all terms down to 1e-40 for the tail.
func TestBinomialAgainstDecimals(t *testing.T) {
	var worst float64
	check := func(name string, got float64, want *big.Float) {
		excess := off(got, want)
		allowed := binomialSlack(float(want))
		worst = max(worst, excess/allowed)
		if !(excess >= 0 && excess <= allowed) {
			t.Errorf("%s = %.17g, want %.20g: off by %g", name, got, want, excess)
		}
	}
	for _, row := range vectors.Exact(t, "binomial.csv") {
		n, k, p := int64(float(row[0])), int64(float(row[1])), float(row[2])
		b := Binomial{N: n, P: p}
		check("LnPMF", b.LnPMF(k), row[3])
		check("LnAtLeast", b.LnAtLeast(k), row[4])
	}
	t.Logf("worst excess: %.2g of the slack", worst)
}

// exactTails returns P[X >= k] and P[X <= k] for k = 0..n with 300 bits, by plain
// summation from the small ends.
func exactTails(n int, p float64) (atLeast, atMost []*big.Float) {
	bf := func() *big.Float { return new(big.Float).SetPrec(300) }
	up := bf().SetFloat64(p)
	q := bf().Sub(bf().SetInt64(1), up)
	terms := make([]*big.Float, n+1)
	term := bf().SetInt64(1)
	for range n {
		term.Mul(term, up)
	}
	for k := n; k >= 0; k-- {
		terms[k] = bf().Set(term)
		// P[k-1] = P[k] k q / ((n-k+1) p)
		term.Mul(term, bf().Mul(bf().SetInt64(int64(k)), q))
		term.Quo(term, bf().Mul(bf().SetInt64(int64(n-k+1)), up))
	}
	atLeast, atMost = make([]*big.Float, n+1), make([]*big.Float, n+1)
	low, high := bf(), bf()
	for k := range n + 1 {
		atMost[k] = bf().Set(low.Add(low, terms[k]))
		atLeast[n-k] = bf().Set(high.Add(high, terms[n-k]))
	}
	return atLeast, atMost
}

func lnBig(x *big.Float) DD {
	mant := new(big.Float)
	e := x.MantExp(mant)
	return FromBig(mant).Ln().Add(Ln2.MulFloat(float64(e)))
}

// Every tail of many binomials, from both sides, against sums of 300 bits.
func TestBinomialEnumerated(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	worst := 0.0
	for range 60 {
		n := 1 + r.IntN(int(math.Pow(10, 0.5+2.2*r.Float64())))
		p := []float64{0.5, r.Float64(), math.Pow(10, -9*r.Float64()), 1 - math.Pow(10, -6*r.Float64())}[r.IntN(4)]
		if p == 0 || p == 1 {
			continue
		}
		b := Binomial{N: int64(n), P: p}
		atLeast, atMost := exactTails(n, p)
		one := new(big.Float).SetPrec(300).SetInt64(1)
		check := func(k int, got float64, exact *big.Float) {
			want := lnBig(exact)
			if c := new(big.Float).Sub(one, exact); c.Cmp(big.NewFloat(1e-6)) < 0 { // the logarithm cancels
				f, _ := c.Float64()
				want = FromFloat(math.Log1p(-f))
			}
			excess := FromFloat(got).Sub(want).Hi
			worst = max(worst, excess/binomialSlack(want.Hi))
			if !(excess >= -1e-19 && excess <= binomialSlack(want.Hi)) {
				t.Errorf("n=%d p=%v k=%d: got %.17g, want %.17g: off by %g", n, p, k, got, want.Hi, excess)
			}
		}
		for k := range n + 1 {
			for _, rough := range []struct{ got, ln float64 }{
				{b.RoughAtLeast(int64(k), -3), lnBig(atLeast[k]).Hi}, {b.RoughAtMost(int64(k), -3), lnBig(atMost[k]).Hi},
			} {
				if rough.got > 1e-290 && math.Log(rough.got) < rough.ln+3 {
					t.Errorf("n=%d p=%v k=%d: rough bound ln %v, want >= %v", n, p, k, math.Log(rough.got)-3, rough.ln)
				}
			}
			check(k, b.LnAtLeast(int64(k)), atLeast[k])
			check(k, b.LnAtMost(int64(k)), atMost[k])
		}
	}
	t.Logf("worst excess: %.2g of the slack", worst)
}

func TestBinomialEdges(t *testing.T) {
	inf := math.Inf(-1)
	for _, c := range []struct {
		b                    Binomial
		k                    int64
		pmf, atLeast, atMost float64
	}{
		{Binomial{10, 0}, 0, 0, 0, 0}, {Binomial{10, 0}, 1, inf, inf, 0},
		{Binomial{10, 1}, 10, 0, 0, 0}, {Binomial{10, 1}, 9, inf, 0, inf},
		{Binomial{10, 0.5}, -1, inf, 0, inf}, {Binomial{10, 0.5}, 11, inf, inf, 0},
	} {
		if got := c.b.LnPMF(c.k); got != c.pmf && !(math.Abs(got-c.pmf) < 1e-12) {
			t.Errorf("%v: LnPMF(%d) = %v, want %v", c.b, c.k, got, c.pmf)
		}
		if got := c.b.LnAtLeast(c.k); got != c.atLeast {
			t.Errorf("%v: LnAtLeast(%d) = %v, want %v", c.b, c.k, got, c.atLeast)
		}
		if got := c.b.LnAtMost(c.k); got != c.atMost {
			t.Errorf("%v: LnAtMost(%d) = %v, want %v", c.b, c.k, got, c.atMost)
		}
	}
}

func BenchmarkBinomialTail(b *testing.B) {
	x := Binomial{N: 10000, P: 0.5}
	for b.Loop() {
		x.LnAtLeast(5166)
	}
}

func TestBinomialRough(t *testing.T) {
	for _, n := range []int64{100, 3000, 10000, 1000000} {
		for _, p := range []float64{0.5, 0.1, 0.97} {
			b := Binomial{N: n, P: p}
			mean, sd := float64(n)*p, math.Sqrt(float64(n)*p*(1-p))
			for _, z := range []float64{2, 2.5, 3, 5, 10} {
				k := int64(math.Ceil(mean + z*sd))
				if k >= n {
					continue
				}
				exact := b.LnAtLeast(k)
				if got := b.RoughAtLeast(k, exact); !(got >= 1 && got <= 1.01) {
					t.Errorf("n=%d p=%v k=%d: rough bound %v times the tail", n, p, k, got)
				} else {
					t.Logf("n=%d p=%v z=%v: %.3g", n, p, z, got-1)
				}
			}
		}
	}
}

func BenchmarkBinomialRough(b *testing.B) {
	x := Binomial{N: 10000, P: 0.5}
	for b.Loop() {
		x.RoughAtLeast(5166, -7)
	}
}

func BenchmarkBinomialNearMean(b *testing.B) {
	x := Binomial{N: 1_000_000, P: 0.3}
	for b.Loop() {
		x.LnAtLeast(300_010)
	}
}
