package maxinfo

import (
	"math"
	"math/rand/v2"
	"strconv"
	"testing"
)

// renyi is the sum as theory has it, term by term; +Inf where it has none.
func renyi(g GaussianTranscript, a float64) float64 {
	n, sum := float64(g.Samples), 0.0
	least := math.Max(n, 4)
	for j := int64(1); j <= g.Queries; j++ {
		w := a * float64(j-1) / (2 * n * n * g.SD * g.SD)
		kappa := 1 - w - (least-4)*w*w*w/12 - 2*(least+1)*math.Pow(w, 5)/15
		if n == 1 {
			kappa = 1
		}
		if !(kappa > 0) {
			return math.Inf(1)
		}
		sum += math.Log1p(a/(4*n*g.SD*g.SD*kappa)) / 2
	}
	return sum
}

// Values of the sum from mpmath at 40 digits.
func TestRenyiVectors(t *testing.T) {
	for _, c := range []struct {
		g       GaussianTranscript
		a, want float64
	}{
		{GaussianTranscript{1000, 1, 0.01}, 2, 0.89587973461402748306},
		{GaussianTranscript{1000, 2, 0.01}, 2, 1.795985606919214677},
		{GaussianTranscript{1483, 10, 0.0084}, 2.125, 9.190736943529563908},
		{GaussianTranscript{16948, 1000, 0.0115}, 1.25, 65.868033051230941135},
		{GaussianTranscript{5000, 67, 0.01}, 1.5, 18.90286823169855444},
		{GaussianTranscript{59354, 10000, 0.012}, 1.125, 163.04655676562069616},
		{GaussianTranscript{20, 3, 0.2}, 2, 0.76837695083575614889},
		{GaussianTranscript{1, 7, 0.3}, 3, 7.8175727752748300452},
	} {
		got, ok := c.g.Renyi(c.a)
		if !ok || !(float64(got) >= c.want && float64(got) <= c.want*(1+1e-9)) {
			t.Errorf("%+v, order %g: %.17g, %v, want %.17g", c.g, c.a, got, ok, c.want)
		}
	}
}

// atEdge returns a random transcript and an order at which kappa(r_m) is about left.
func atEdge(r *rand.Rand, m int64, left float64) (g GaussianTranscript, a float64) {
	n := int64(math.Exp(r.Float64() * 25))
	a = 1 + math.Exp(8*r.Float64()-4)
	lo, hi := 0.0, 1.0
	for range 200 {
		if w := (lo + hi) / 2; newGap(max(n, 2)).kappa(w) > left {
			lo = w
		} else {
			hi = w
		}
	}
	x := lo / (2 * math.Max(float64(m-1), 1))
	return GaussianTranscript{Samples: n, Queries: m, SD: math.Sqrt(a/x) / (2 * float64(n))}, a
}

// Random transcripts, kappa(r_m) from nearly one to 0.001, and every m where the
// summation changes.
func TestRenyiAgainstTheSum(t *testing.T) {
	r := rand.New(rand.NewPCG(21, 22))
	check := func(m int64) {
		g, a := atEdge(r, m, 1-0.999*math.Exp(-14*max(0, r.Float64()-0.3)))
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

// The sum in 50 digits, from where kappa(r_m) is nearly one to where it is 1e-15 and
// rounding decides whether there is an answer. No value is below the sum, and none
// stands where the theorem fails.
func TestRenyiAgainstDecimals(t *testing.T) {
	r := rand.New(rand.NewPCG(23, 24))
	answers, none, near := 0, 0, 0
	for i := range 160 {
		left := math.Exp(-36 * r.Float64())
		if i%4 == 0 {
			left = 0
		}
		g, a := atEdge(r, int64(math.Exp(r.Float64()*math.Log(600))), left)
		want, sharper, holds := divergence(g, a)
		got, ok := g.Renyi(a)
		if !ok {
			if none++; left > 1e-10 {
				t.Errorf("%+v, order %g: no answer at kappa = %g", g, a, left)
			}
			continue
		}
		answers++
		if !holds {
			t.Fatalf("%+v, order %g: %v where kappa(r_m) <= 0", g, a, got)
		}
		if over := excess(float64(got), want); !(over >= 0) || left > 1e-6 && over > 1e-6 {
			t.Errorf("%+v, order %g, kappa = %g: %.17g is %.3g above the sum", g, a, left, got, over)
		}
		if over := excess(float64(got), sharper); !(over >= 0) {
			t.Errorf("%+v, order %g: %.17g is %.3g above the sum with tanh", g, a, got, over)
		}
		if left < 1e-12 {
			near++
		}
	}
	if answers < 80 || none < 10 || near < 10 {
		t.Errorf("%d answers, %d refused, %d at the edge", answers, none, near)
	}
}

// Inflation is 1/kappa rounded up, in 50 digits, below the 1/kappa with tanh as well,
// and nothing where kappa <= 0.
func TestInflation(t *testing.T) {
	r := rand.New(rand.NewPCG(27, 28))
	for range 1000 {
		n := int64(math.Exp(r.Float64() * 36.7))
		w := math.Exp(-30*r.Float64()) * 1.1
		if r.IntN(2) == 0 {
			w = newGap(n).edge() * (1 - math.Exp(-36*r.Float64()))
		}
		if n == 1 {
			w = r.Float64()
		}
		got, ok := Inflation(n, w/2)
		kappa, tanh := kappas(n, exactly(w), exactly(w).Plus(exactly(w)).Exp())
		if holds := exactly(0).Less(kappa); ok && !holds || !ok && kappa.Float() > 1e-13 {
			t.Fatalf("n = %d, w = %g: %v, kappa = %g", n, w, ok, kappa.Float())
		}
		if !ok {
			if got != 0 {
				t.Errorf("n = %d, w = %g: %g without an answer", n, w, got)
			}
			continue
		}
		over := exactly(got).Times(kappa).Minus(exactly(1)).Float()
		if !(over >= 0 && over <= 1e-13/kappa.Float()) || exactly(got).Times(tanh).Less(exactly(1)) {
			t.Errorf("n = %d, w = %g: %.17g is %.3g above 1/kappa", n, w, got, over)
		}
	}
	for _, c := range []struct {
		n int64
		r float64
	}{
		{0, 0}, {-1, 0}, {1<<53 + 1, 0}, {10, -1e-300}, {10, math.NaN()}, {10, math.Inf(1)}, {1, math.Inf(1)},
		{2, 0.5}, {1 << 53, 1e-5},
	} {
		if h, ok := Inflation(c.n, c.r); ok || h != 0 {
			t.Errorf("%+v: %g, %v", c, h, ok)
		}
	}
	for _, n := range []int64{1, 2, 1000, 1 << 53} {
		if h, ok := Inflation(n, 0); !ok || !(h >= 1 && h <= 1+1e-13) {
			t.Errorf("n = %d at r = 0: %g, %v", n, h, ok)
		}
	}
}

// At m = 1e15 the sum is the integral of its leading term: h is negligible.
func TestRenyiOfVeryMany(t *testing.T) {
	g := GaussianTranscript{Samples: 1 << 50, Queries: 1e15, SD: 0.01}
	got, ok := g.Renyi(2)
	// w_m = 2e15/(2 n^2 1e-4) = 7.9e-12: h adds a half of that.
	want := 1e15 / 2 * math.Log1p(2/(4*float64(g.Samples)*1e-4))
	if !ok || !(float64(got) > want && float64(got) < want*(1+1e-11)) {
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
		if g.Samples != 1000 || g.SD != 0.01 {
			if _, err := g.MutualInformation(); err == nil {
				t.Errorf("%+v: no error", g)
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
		{GaussianTranscript{400, 3, 0.025}, 1.0435037895080946730},   // by the other
	} {
		got, err := c.g.MutualInformation()
		if err != nil || !(float64(got) >= c.want && float64(got) <= c.want*(1+1e-9)) {
			t.Errorf("%+v: %.17g, %v, want %.17g", c.g, got, err, c.want)
		}
	}
}

// The lesser of the two bounds, each in 50 digits.
func TestMutualInformationAgainstDecimals(t *testing.T) {
	r := rand.New(rand.NewPCG(29, 30))
	sums := 0
	for range 80 {
		g, a := atEdge(r, int64(math.Exp(r.Float64()*math.Log(200))), math.Exp(-4*r.Float64()))
		g.SD /= math.Sqrt(a) // for the order one
		n, sd := exactly(float64(g.Samples)), exactly(g.SD)
		once := exactly(1).Over(exactly(4).Times(n).Times(n).Times(sd).Times(sd))
		want := once.Plus(exactly(1)).Ln().Times(n).Times(exactly(float64(g.Queries))).Over(exactly(2))
		if sum, _, ok := divergence(g, 1); ok && sum.Less(want) {
			want = sum
			sums++
		}
		got, err := g.MutualInformation()
		if err != nil {
			t.Fatal(err)
		}
		if over := excess(float64(got), want); !(over >= 0 && over <= 1e-6) {
			t.Errorf("%+v: %.17g is %.3g above the lesser bound", g, got, over)
		}
	}
	if sums < 20 || sums > 60 {
		t.Errorf("the sum is the lesser bound in %d cases of 80", sums)
	}
}

func BenchmarkRenyi(b *testing.B) {
	for _, g := range []GaussianTranscript{{1483, 10, 0.0084}, {16948, 1000, 0.0115}, {1e9, 1e6, 0.01},
		{5e13, 1e15, 0.01}} {
		b.Run(strconv.FormatInt(g.Queries, 10), func(b *testing.B) {
			for b.Loop() {
				if _, ok := g.Renyi(2); !ok {
					b.Fatal("outside the theorem")
				}
			}
		})
	}
}
