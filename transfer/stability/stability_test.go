package stability

import (
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/dpcalc/dpcalc/internal/vectors"
	"github.com/dpcalc/dpcalc/theory"
)

func checkAbove(t *testing.T, name string, got, want, slack float64) {
	t.Helper()
	if !(got >= want*(1-0x1p-52) && got <= want*(1+slack)) {
		t.Errorf("%s = %.17g, want %.17g: relative %.3g outside [0, %g]", name, got, want, got/want-1, slack)
	}
}

func ln(p float64) theory.LogProb { return theory.LogProb(math.Log(p)) }

func TestGDPStabilityVectors(t *testing.T) {
	var rows [][]float64
	for _, row := range vectors.Floats(t, "stability-gdp.csv") {
		rows = append(rows, []float64{row[1], math.Log(row[0]), row[2]})
	}
	rows = append(rows, vectors.Floats(t, "stability-gdp-grid.csv")...)
	for _, row := range rows {
		checkAbove(t, "s", GDP(row[0], theory.LogProb(row[1])), row[2], 1e-9)
		if t.Failed() {
			t.Fatalf("mu = %g, ln b = %g", row[0], row[1])
		}
	}
}

// pair is two laws on a finite set of transcripts.
type pair struct{ p0, p1 []float64 }

// gain is F: the fractional knapsack that takes the outcomes by |p0-p1|/(p0+p1).
func (q pair) gain(budget float64) float64 {
	order := make([]int, len(q.p0))
	for i := range order {
		order[i] = i
	}
	value := func(i int) float64 { return math.Abs(q.p0[i]-q.p1[i]) / (q.p0[i] + q.p1[i]) }
	slices.SortFunc(order, func(i, j int) int {
		if value(i) > value(j) {
			return -1
		}
		return 1
	})
	sum := 0.0
	for _, i := range order {
		size := (q.p0[i] + q.p1[i]) / 2
		part := min(size, budget)
		budget -= part
		sum += part * value(i)
	}
	return sum
}

// shift is the largest root of b s = F(b(1+s)/2) in [0,1].
func (q pair) shift(b float64) float64 {
	lo, hi := 0.0, 1.0
	for range 60 {
		s := (lo + hi) / 2
		if q.gain(b*(1+s)/2) >= b*s {
			lo = s
		} else {
			hi = s
		}
	}
	return hi
}

func TestApproxStabilityAgainstKnapsack(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	for range 300 {
		eps, delta, b := 3*r.Float64(), math.Pow(10, -6*r.Float64()-0.5), math.Pow(10, -3*r.Float64())
		// The two laws that every (eps,delta)-private pair is a processing of.
		high := (1 - delta) / (1 + math.Exp(-eps))
		low := (1 - delta) / (1 + math.Exp(eps))
		laws := pair{[]float64{delta, high, low, 0}, []float64{0, low, high, delta}}
		got, want := Approx(theory.Approx{Epsilon: eps, LnDelta: ln(delta)}, ln(b)), laws.shift(b)
		if !(math.Abs(got-want) <= 1e-12) {
			t.Fatalf("eps %g, delta %g, b %g: %.15g, want %.15g", eps, delta, b, got, want)
		}
	}
}

func TestComposedStabilityAgainstKnapsack(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	for range 200 {
		k := 1 + r.IntN(8)
		eps, b := math.Pow(10, -2+2.5*r.Float64()), math.Pow(10, -3*r.Float64())
		p := 1 / (1 + math.Exp(-eps))
		laws := pair{[]float64{1}, []float64{1}}
		for range k { // every outcome of k bits
			var next pair
			for i := range laws.p0 {
				next.p0 = append(next.p0, laws.p0[i]*p, laws.p0[i]*(1-p))
				next.p1 = append(next.p1, laws.p1[i]*(1-p), laws.p1[i]*p)
			}
			laws = next
		}
		want := min(laws.shift(b), math.Tanh(float64(k)*eps/4))
		checkAbove(t, "s", Composed(int64(k), eps, ln(b)), want*(1-1e-12), 1e-9)
		if t.Failed() {
			t.Fatalf("k = %d, eps %g, b %g", k, eps, b)
		}
	}
}

// Rounding the Gaussian pair to cells is a processing of it: the shift of the cells
// is below and close.
func TestGDPStabilityAgainstKnapsack(t *testing.T) {
	for _, c := range []struct{ mu, b float64 }{{0.1, 0.05}, {0.5, 0.9}, {1, 0.3}, {2, 0.01}, {3, 1}} {
		const cells = 3000
		var laws pair
		lo, hi := -7-c.mu/2, 7+c.mu/2
		mass := func(mean, x, y float64) float64 {
			return (math.Erf((y-mean)/math.Sqrt2) - math.Erf((x-mean)/math.Sqrt2)) / 2
		}
		for i := range cells {
			x, y := lo+(hi-lo)*float64(i)/cells, lo+(hi-lo)*float64(i+1)/cells
			laws.p0 = append(laws.p0, mass(c.mu/2, x, y))
			laws.p1 = append(laws.p1, mass(-c.mu/2, x, y))
		}
		got, want := GDP(c.mu, ln(c.b)), laws.shift(c.b)
		if !(got >= want && got <= want*(1+1e-4)) {
			t.Errorf("mu = %g, b = %g: %.12g, want a little more than %.12g", c.mu, c.b, got, want)
		}
	}
}

// 40-digit sums over the binomial atoms.
func TestComposedStabilityVectors(t *testing.T) {
	for _, c := range []struct {
		k            int64
		eps, b, want float64
	}{
		{3, 0.5, 0.05, 0.35835739835078594632},
		{1000, 0.003, 0.05, 0.064502135745911464898},
		{1000, 0.1, 1e-9, 0.99999999987905651558},
		{20000, 1e-4, 0.5, 0.0058458792838515936554},
		{20000, 0.01, 1e-30, 0.99999987924530539819},
		{100, 1e-8, 0.001, 9.2223429841548950931e-8},
		{1000, 0.02, 1e-200, 0.99990920426259513123},
	} {
		checkAbove(t, "s", Composed(c.k, c.eps, ln(c.b)), c.want, 1e-9)
	}
}

// Many weak steps are as one Gaussian mechanism with mu = eps sqrt(k); beyond the
// exact range, g of them count as one, with mu = eps sqrt(g k); the pure bound is never
// exceeded.
func TestComposedStabilityOfMany(t *testing.T) {
	for _, k := range []int64{999_999, 1_000_000, 1_000_001, 1_999_999, 5_000_000, 1e12, theory.MaxSamples} {
		for _, b := range []theory.LogProb{-0.1, -3, -50} {
			mu := 0.1
			eps := mu / math.Sqrt(float64(k))
			gdp, grouped := GDP(mu, b), GDP(mu*math.Sqrt(math.Ceil(float64(k)/mostSteps)), b)
			got, limit := Composed(k, eps, b), min(grouped*1.001, math.Tanh(float64(k)*eps/4)*(1+1e-9))
			if !(got <= limit && got >= gdp*0.999) {
				t.Errorf("k = %d, ln b = %g: %g, want at most %g and at least %g", k, b, got, limit, gdp)
			}
		}
	}
}

// Every stability lies in [0,1], does not increase with the level, and increases with the privacy loss.
func TestStabilityLaws(t *testing.T) {
	r := rand.New(rand.NewPCG(15, 16))
	for name, s := range map[string]func(x float64, b theory.LogProb) float64{
		"pure":     func(x float64, _ theory.LogProb) float64 { return Pure(x) },
		"approx":   func(x float64, b theory.LogProb) float64 { return Approx(theory.Approx{Epsilon: x, LnDelta: -20}, b) },
		"gdp":      GDP,
		"composed": func(x float64, b theory.LogProb) float64 { return Composed(50, x, b) },
	} {
		for range 2000 {
			x, b := math.Pow(10, -9+11*r.Float64()), theory.LogProb(-math.Pow(10, -10+13*r.Float64()))
			got, below, more := s(x, b), s(x, b*1.001), s(x*1.01, b)
			if !(got >= 0 && got <= 1 && below >= got*(1-1e-10) && more >= got*(1-1e-10)) {
				t.Fatalf("%s(%g): s = %g at ln b = %g, %g below it, %g for more", name, x, got, b, below, more)
			}
		}
		if name != "approx" && s(0, -1) != 0 {
			t.Errorf("%s(0): %v", name, s(0, -1))
		}
	}
	if Approx(theory.Approx{Epsilon: 1, LnDelta: theory.Zero}, -2) != Pure(1) {
		t.Error("delta = 0 is not the pure form")
	}
	checkAbove(t, "tanh(1/4)", Pure(1), 0.24491866240370912928, 1e-14)
}

var sink float64

func BenchmarkGDPStability(b *testing.B) {
	for _, mu := range []float64{0.01, 0.1, 1} {
		b.Run(formatMu(mu), func(b *testing.B) {
			for b.Loop() {
				sink = GDP(mu, -3)
			}
		})
	}
}

func formatMu(mu float64) string { return strconv.FormatFloat(mu, 'g', -1, 64) }

func BenchmarkComposedStability(b *testing.B) {
	for _, k := range []int64{20, 2000, 1_000_000} {
		b.Run(strconv.FormatInt(k, 10), func(b *testing.B) {
			for b.Loop() {
				sink = Composed(k, 0.05/math.Sqrt(float64(k)), -3)
			}
		})
	}
}
