package num

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/dpcalc/dpcalc/internal/vectors"
)

// off returns got - want, the difference taken exactly.
func off(got float64, want *big.Float) float64 {
	d, _ := new(big.Float).SetPrec(400).Sub(new(big.Float).SetFloat64(got), want).Float64()
	return d
}

func float(x *big.Float) float64 {
	f, _ := x.Float64()
	return f
}

// ln_survival, mills and deficit were computed with 60 digits from erfc and, above
// x = 25 (12 for the deficit), from Laplace's continued fraction.
func TestNormalAgainstDecimals(t *testing.T) {
	var worstLn, worstMills, worstDeficit, worstInverse float64
	for _, row := range vectors.Exact(t, "normal.csv") {
		x, lnQ := float(row[0]), float(row[1])
		got := LogSurvival(x)
		// For x < 0 it is the complement that has relative precision.
		err := math.Abs(off(got, row[1])) / (1e-13*min(1, math.Abs(lnQ)) + 0x1p-52*math.Abs(lnQ) + 0x1p-1073)
		if worstLn = max(worstLn, err); err > 1 {
			t.Errorf("LogSurvival(%v) = %.17g, want %.20g", x, got, row[1])
		}
		if lnQ < -1e-300 {
			q := UpperQuantile(lnQ)
			// What the rounding of the logarithm itself moves x by is not an error.
			given := math.Abs(off(lnQ, row[1])) * math.Exp(math.Min(600, x*x/2+lnQ)) * math.Sqrt(2*math.Pi)
			err := (math.Abs(off(q, row[0])) - given) / (1 + math.Abs(x))
			if worstInverse = max(worstInverse, err); err > 1e-15 {
				t.Errorf("UpperQuantile(%v) = %.17g, want %.17g", lnQ, q, x)
			}
		}
		if row[2] == nil {
			continue
		}
		err = math.Abs(off(Mills(x), row[2])) / float(row[2])
		if worstMills = max(worstMills, err); err > 5e-15 {
			t.Errorf("Mills(%v) = %.17g, want %.20g", x, Mills(x), row[2])
		}
		if x < 1e100 { // beyond, 1/x^2 underflows
			err = math.Abs(off(MillsDeficit(x), row[3])) / float(row[3])
			if worstDeficit = max(worstDeficit, err); err > 2e-14 {
				t.Errorf("MillsDeficit(%v) = %.17g, want %.20g", x, MillsDeficit(x), row[3])
			}
		}
	}
	t.Logf("LogSurvival: %.2f of its tolerance; UpperQuantile %.2g, Mills %.2g, MillsDeficit %.2g relative", worstLn,
		worstInverse, worstMills, worstDeficit)
}

func TestLogSurvivalEnds(t *testing.T) {
	for x, want := range map[float64]float64{
		math.Inf(1): math.Inf(-1), 1e200: math.Inf(-1), math.MaxFloat64: math.Inf(-1),
		math.Inf(-1): 0, -1e200: 0, -40: 0,
	} {
		if got := LogSurvival(x); got != want {
			t.Errorf("LogSurvival(%v) = %v, want %v", x, got, want)
		}
	}
	if got := LogSurvival(math.NaN()); got == got {
		t.Errorf("LogSurvival(NaN) = %v", got)
	}
}

// The inverse inverts over the whole range, to the rounding of x.
func TestUpperQuantileRoundTrip(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 20000 {
		lnp := -math.Pow(10, -10+18*r.Float64())
		x := UpperQuantile(lnp)
		// d ln P = -dx/R(x).
		slope := math.Sqrt(2/math.Pi) * math.Exp(-x*x/2)
		if x >= -1 {
			slope = 1 / Mills(x)
		}
		tolerance := 1e-15*(1+math.Abs(x))*slope + 0x1p-51*math.Abs(lnp)
		if back := LogSurvival(x); math.Abs(back-lnp) > tolerance {
			t.Fatalf("ln P[N > UpperQuantile(%v)] = %v, off by %.3g, want %.3g", lnp, back, back-lnp, tolerance)
		}
	}
}

// The two branches of MillsDrop agree with a long sum of small pieces, and with
// R(a) - R(b) where that does not cancel.
func TestMillsDrop(t *testing.T) {
	rule := Legendre(20)
	r := rand.New(rand.NewPCG(7, 8))
	for range 5000 {
		a := -1 + math.Pow(10, -3+8*r.Float64())
		width := (2 + max(a, 0)) * math.Pow(10, -12+12.5*r.Float64())
		want := 0.0
		for i := range 8 {
			piece := Interval{width * float64(i) / 8, width * float64(i+1) / 8}
			want += rule.Integral(piece, func(t float64) float64 { return MillsDeficit(a + t) })
		}
		if got := MillsDrop(a, width); math.Abs(got-want) > 5e-14*want {
			t.Fatalf("R(%v) - R(%v + %v) = %v, want %v (%.3g)", a, a, width, got, want, got/want-1)
		}
	}
	if got := MillsDrop(3, 0); got != 0 {
		t.Errorf("MillsDrop(3, 0) = %v", got)
	}
}

func TestSquare(t *testing.T) {
	for _, x := range []float64{0, 1, 0.1, -3.7, 1e100, 1e-100} {
		want := new(big.Float).SetPrec(200).SetFloat64(x)
		want.Mul(want, want)
		if got := Square(x).Big(); got.Cmp(want) != 0 {
			t.Errorf("Square(%v) = %v, want %v", x, got, want)
		}
	}
}

// The quantiles of max-quantile.csv were solved with 80 digits from erfc.
func TestMaxQuantile(t *testing.T) {
	var worst float64
	for _, row := range vectors.Exact(t, "max-quantile.csv") {
		m, lnb := int64(float(row[0])), float(row[1])
		for i, got := range []float64{MaxNormalQuantile(m, lnb), MaxLaplaceQuantile(m, lnb)} {
			err := off(got, row[2+i]) / float(row[2+i])
			worst = max(worst, err)
			if !(err >= 0 && err <= 5e-13) {
				t.Errorf("m = %d, ln b = %v, law %d: got %.17g, want %.20g (%.3g)", m, lnb, i, got, row[2+i], err)
			}
		}
	}
	t.Logf("largest slack %.3g", worst)
}

func BenchmarkMills(b *testing.B) {
	x := 1.5
	for b.Loop() {
		sink = Mills(x)
	}
}

func BenchmarkMillsDeficit(b *testing.B) {
	x := 1.5
	for b.Loop() {
		sink = MillsDeficit(x)
	}
}

func BenchmarkMillsDrop(b *testing.B) {
	x := 1.5
	for b.Loop() {
		sink = MillsDrop(x, 0.05)
	}
}

func BenchmarkLogSurvival(b *testing.B) {
	x := 3.5
	for b.Loop() {
		sink = LogSurvival(x)
	}
}

func BenchmarkUpperQuantile(b *testing.B) {
	x := -30.5
	for b.Loop() {
		sink = UpperQuantile(x)
	}
}

func BenchmarkMaxNormalQuantile(b *testing.B) {
	x := -3.
	for b.Loop() {
		sink = MaxNormalQuantile(1000, x)
	}
}

var sink float64
