package num

import (
	"math"
	"testing"

	"github.com/dpcalc/dpcalc/internal/vectors"
)

// above fails unless want <= got <= want (1+slack).
func above(t *testing.T, got, want, slack float64) {
	t.Helper()
	if !(got >= want*(1-0x1p-52) && got <= want*(1+slack)) {
		t.Errorf("got %.17g, want %.17g: relative %.3g outside [0, %g]", got, want, got/want-1, slack)
	}
}

// 45-digit values by tanh-sinh quadrature.
func TestMaxCVaR(t *testing.T) {
	rows := vectors.Floats(t, "cvar-grid.csv")
	for _, row := range vectors.Floats(t, "cvar-max.csv") {
		rows = append(rows, []float64{row[0], math.Log(row[1]), row[2], row[3]})
	}
	for _, row := range rows {
		k, lnb := int64(row[0]), row[1]
		above(t, MaxNormalCVaR(k, lnb), row[2], 1e-12)
		above(t, MaxLaplaceCVaR(k, lnb), row[3], 1e-12)
		if t.Failed() {
			t.Fatalf("at k = %d, ln b = %g", k, lnb)
		}
	}
}

// Values from the exact double sum of exponentials, in up to 170 digits.
func TestLaplaceMaximaCVaR(t *testing.T) {
	for _, row := range vectors.Floats(t, "cvar-sum.csv") {
		got := LaplaceMaxima{Four: int64(row[0]), Two: int64(row[1])}.CVaR(row[2])
		if above(t, got, row[3], 1e-9); t.Failed() {
			t.Fatal(row)
		}
	}
}

// The sum's CVaR is below the sum of the two, above the larger one with the mean of
// the other, and continuous where the computation changes.
func TestLaplaceMaximaCVaRIsBetween(t *testing.T) {
	for _, s := range []LaplaceMaxima{{1, 1}, {1000, 1000}, {1e6, 50}, {1, 1e6}, {1e15, 1e9}} {
		previous := 0.0
		for _, lnb := range []float64{-1e-6, -0.5, -3, -20, -33.999999, -34.000001, -50, -700, -1e6} {
			got := s.CVaR(lnb)
			four, two := 4*MaxLaplaceCVaR(s.Four, lnb), 2*MaxLaplaceCVaR(s.Two, lnb)
			if got > (four+two)*(1+1e-9) || got < four+2*harmonic(s.Two)-1e-9*four || got < two+4*harmonic(s.Four)-1e-9*two {
				t.Errorf("%+v, ln b = %g: %g with parts %g and %g", s, lnb, got, four, two)
			}
			if got <= previous {
				t.Errorf("%+v, ln b = %g: %g after %g", s, lnb, got, previous)
			}
			previous = got
		}
		if a, b := s.CVaR(-33.999999), s.CVaR(-34.000001); math.Abs(b-a-8e-6) > 1e-9*a {
			t.Errorf("%+v: a step of %g at ln b = -34", s, b-a)
		}
	}
}

// At e^-1000000 the values are the asymptotic series' values of the tail.
func TestMaxCVaRFarOut(t *testing.T) {
	for _, c := range []struct {
		k    int64
		want float64
	}{{1, 1414.20898023048075885513}, {1000, 1414.213864756029932106457}, {1e15, 1414.2334026895234539404}} {
		above(t, MaxNormalCVaR(c.k, -1e6), c.want, 1e-12)
		above(t, MaxLaplaceCVaR(c.k, -1e6), math.Log(float64(c.k))+1e6+1, 1e-12)
	}
}

// At b near 1 the CVaR is the mean: sqrt(2/pi) for one normal variable, the harmonic
// number for Laplace variables.
func TestMaxCVaRNearOne(t *testing.T) {
	for _, lnb := range []float64{-1e-13, -1e-15, -1e-300, -5e-324} {
		if got := MaxNormalCVaR(1, lnb); math.Abs(got-math.Sqrt(2/math.Pi)) > 1e-12 {
			t.Errorf("normal, ln b = %g: %.17g", lnb, got)
		}
		for _, k := range []int64{1, 5, 1e6} {
			if got := MaxLaplaceCVaR(k, lnb); math.Abs(got/harmonic(k)-1) > 1e-12 {
				t.Errorf("Laplace, k = %d, ln b = %g: %.17g, want %.17g", k, lnb, got, harmonic(k))
			}
		}
	}
}

func TestLogMaxExpMoment(t *testing.T) {
	for _, c := range []struct {
		k    int64
		l    float64
		want float64
	}{
		{1, 0.5, 0.69314718055994530942},
		{2, 0.5, 0.98082925301172623686},
		{128, 0.25, 1.4170204610566283772},
		{129, 0.5, 3.003240134927424903},
		{1000, 0.125, 0.9493827977611679556},
		{1e6, 0.5, 7.4801203469068371391},
		{1e15, 0.75, 27.192104820881091496},
	} {
		above(t, LogMaxExpMoment(c.k, c.l), c.want, 1e-9)
	}
}

func BenchmarkMaxNormalCVaR(b *testing.B) {
	for b.Loop() {
		MaxNormalCVaR(1000, -3)
	}
}
func BenchmarkMaxLaplaceCVaR(b *testing.B) {
	for b.Loop() {
		MaxLaplaceCVaR(1000, -3)
	}
}
func BenchmarkLaplaceMaximaCVaR(b *testing.B) {
	for b.Loop() {
		LaplaceMaxima{Four: 1000, Two: 1000}.CVaR(-3)
	}
}
