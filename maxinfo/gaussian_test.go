package maxinfo

import (
	"math"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/dpcalc/dpcalc/theory"
)

// renyi is the sum as theory has it, term by term.
func renyi(g GaussianTranscript, a float64) float64 {
	n, sum := float64(g.Samples), 0.0
	for j := int64(1); j <= g.Queries; j++ {
		r := a * float64(j-1) / (4 * n * n * g.SD * g.SD)
		d := math.Exp(r) * 2 * math.Pow(math.Sinh(r/2), 2) / 2 // cosh r - 1 = 2 sinh^2(r/2)
		if j == 2 {
			d /= 2
		}
		h := (n - 1) * d / (1 - (n-2)*d)
		sum += math.Log1p(a*(1+h)/(4*n*g.SD*g.SD)) / 2
	}
	return sum
}

// 30-digit values of the sum.
func TestRenyiVectors(t *testing.T) {
	for _, c := range []struct {
		g       GaussianTranscript
		a, want float64
	}{
		{GaussianTranscript{1000, 1, 0.01}, 2, 0.89587973461402748306},
		{GaussianTranscript{1000, 2, 0.01}, 2, 1.7930691670717253859},
		{GaussianTranscript{1483, 10, 0.0084}, 2.125, 9.6444434906812320038},
		{GaussianTranscript{16948, 1000, 0.0115}, 1.25, 72.326698689039612183},
		{GaussianTranscript{5000, 67, 0.01}, 1.5, 19.380153718454659344},
		{GaussianTranscript{59354, 10000, 0.012}, 1.125, 196.09005386130476406},
	} {
		got, ok := c.g.Renyi(c.a)
		if !ok || !(float64(got) >= c.want && float64(got) <= c.want*(1+1e-9)) {
			t.Errorf("%+v, order %g: %.17g, %v, want %.17g", c.g, c.a, got, ok, c.want)
		}
	}
}

// Random transcripts, (n-2) d_m from 1e-6 to nearly one, and every m where the
// summation changes.
func TestRenyiAgainstTheSum(t *testing.T) {
	r := rand.New(rand.NewPCG(21, 22))
	check := func(m int64) {
		n := int64(3 + math.Exp(r.Float64()*25))
		a := 1 + math.Exp(8*r.Float64()-4)
		v := math.Exp(-14*r.Float64()) * (1 - 1e-3)
		x := math.Log1p(2*math.Sqrt(v/float64(n-2))) / math.Max(float64(m-1), 1)
		g := GaussianTranscript{Samples: n, Queries: m, SD: math.Sqrt(a/x) / (2 * float64(n))}
		got, ok := g.Renyi(a)
		want := renyi(g, a)
		if !ok || !(float64(got) >= want*(1-1e-13) && float64(got) <= want*(1+1e-9)) {
			t.Fatalf("%+v, order %g: %g, %v, want %g: relative %.3g", g, a, got, ok, want, float64(got)/want-1)
		}
	}
	for m := int64(1); m <= 80; m++ {
		check(m)
	}
	for range 300 {
		check(int64(math.Exp(r.Float64() * math.Log(2e5))))
	}
}

// For n <= 2, where h is at most d/(1-d), the value is still an upper bound.
func TestRenyiOfTwoRecords(t *testing.T) {
	for n := int64(1); n <= 2; n++ {
		for _, m := range []int64{1, 2, 3, 50, 500} {
			g := GaussianTranscript{Samples: n, Queries: m, SD: 20}
			got, ok := g.Renyi(2)
			want := renyi(g, 2)
			if !ok || !(float64(got) >= want*(1-1e-13) && float64(got) <= want*1.5) {
				t.Errorf("%+v: %g, %v, want %g", g, got, ok, want)
			}
		}
	}
}

// At m = 1e15 the sum is the integral of its leading term: h is negligible.
func TestRenyiOfVeryMany(t *testing.T) {
	g := GaussianTranscript{Samples: 1 << 50, Queries: 1e15, SD: 0.01}
	got, ok := g.Renyi(2)
	// r_m = 2e15/(4 n^2 1e-4) = 3.9e-12, so (n-2) d_m = 4e-9: h adds a third of that.
	want := 1e15 / 2 * math.Log1p(2/(4*float64(g.Samples)*1e-4))
	if !ok || !(float64(got) > want && float64(got) < want*(1+5e-9)) {
		t.Errorf("%.17g, %v, want a little more than %.17g", got, ok, want)
	}
}

func TestRenyiOutsideTheTheorem(t *testing.T) {
	nan := math.NaN()
	good := GaussianTranscript{Samples: 1000, Queries: 10, SD: 0.01}
	for _, a := range []float64{1, 0.5, -2, nan, math.Inf(1), math.Inf(-1), 1e99} {
		if d, ok := good.Renyi(a); ok || d != 0 {
			t.Errorf("order %g: %g, %v", a, d, ok)
		}
	}
	for _, g := range []GaussianTranscript{
		{}, {1000, 10, 0}, {1000, 10, nan}, {1000, 10, -1}, {1000, 10, math.Inf(1)}, {0, 10, 1}, {1000, 0, 1},
		{1<<53 + 1, 10, 1}, {1000, 1<<53 + 1, 1}, {1000, 100_000, 0.01},
	} {
		if d, ok := g.Renyi(2); ok || d != 0 {
			t.Errorf("%+v: %g, %v", g, d, ok)
		}
		if s, a, ok := g.Shift(-3); ok || s != 0 || a != 0 {
			t.Errorf("%+v: shift %g at %g, %v", g, s, a, ok)
		}
		if g.Samples != 1000 || g.SD != 0.01 {
			if _, err := g.MutualInformation(); err == nil {
				t.Errorf("%+v: no error", g)
			}
		}
	}
	for _, b := range []theory.LogProb{0, 1, theory.Zero, theory.LogProb(nan)} {
		if _, _, ok := good.Shift(b); ok {
			t.Errorf("a shift at ln b = %g", b)
		}
	}
}

// The shift is the bound at the order it names, no order of a fine grid does
// better by one part in 10^6, and it is near its leading terms.
func TestShift(t *testing.T) {
	for _, g := range []GaussianTranscript{{16948, 1000, 0.0115}, {1483, 10, 0.0084}, {422, 1, 0.005}, {20, 3, 0.2}, {1e9, 1e6, 0.01}} {
		for _, b := range []theory.LogProb{-1e-3, -1, -3, -30, -700} {
			got, order, ok := g.Shift(b)
			if !ok {
				t.Fatalf("%+v, %g: no shift", g, b)
			}
			at := func(a float64) float64 {
				d, ok := g.Renyi(a)
				if !ok {
					return math.Inf(1)
				}
				return math.Sqrt((float64(d) - b.Ln()*a/(a-1)) / (2 * float64(g.Samples)))
			}
			if want := at(order); !(got >= want && got <= want*(1+1e-9)) {
				t.Errorf("%+v, %g: %.17g, want %.17g at order %g", g, b, got, want, order)
			}
			for v := -9.0; v < 9; v += 0.01 {
				if less := at(1 + math.Exp(v)); less < got*(1-1e-6) {
					t.Fatalf("%+v, %g: %g at order %g, but %g at %g", g, b, got, order, less, 1+math.Exp(v))
				}
			}
		}
	}
}

func TestMutualInformation(t *testing.T) {
	for _, c := range []struct {
		g    GaussianTranscript
		want float64
	}{
		{GaussianTranscript{1000, 100, 0.01}, 124.84400992935994382}, // by the chain rule: the other form does not hold
		{GaussianTranscript{4, 3, 0.25}, 1.1384876174501470014},      // by the other
	} {
		got, err := c.g.MutualInformation()
		if err != nil || !(float64(got) >= c.want && float64(got) <= c.want*(1+1e-9)) {
			t.Errorf("%+v: %.17g, %v, want %.17g", c.g, got, err, c.want)
		}
	}
}

func BenchmarkRenyi(b *testing.B) {
	for _, g := range []GaussianTranscript{{1483, 10, 0.0084}, {16948, 1000, 0.0115}, {1e9, 1e6, 0.01}, {5e13, 1e15, 0.01}} {
		b.Run(strconv.FormatInt(g.Queries, 10), func(b *testing.B) {
			for b.Loop() {
				if _, ok := g.Renyi(2); !ok {
					b.Fatal("outside the theorem")
				}
			}
		})
	}
}

func BenchmarkShift(b *testing.B) {
	g := GaussianTranscript{Samples: 16948, Queries: 1000, SD: 0.0115}
	for b.Loop() {
		g.Shift(-3)
	}
}
