package joint

import (
	"math"
	"testing"

	"github.com/dpcalc/dpcalc/internal/num"
)

// counted is f with a limit on the calls.
func counted(t *testing.T, most int, f func(x float64) float64) func(x float64) (at, y float64) {
	calls := 0
	return func(x float64) (at, y float64) {
		t.Helper()
		if calls++; calls > most {
			t.Fatalf("more than %d calls", most)
		}
		return x, f(x)
	}
}

// Secants are as good on both sides of zero. Where the function is infinite, another descent takes over.
func TestCrossing(t *testing.T) {
	for _, from := range []float64{-0.4, 0, 0.1, 0.7} {
		f := func(x float64) float64 { return 5*(0.1-x) + (0.1-x)*(0.1-x) }
		l, _ := crossing(num.Descent{Most: 300, From: from, Step: 0.02, Tolerance: 1e-9}, counted(t, 10, f))
		x := l.Zero
		if !(math.Abs(x-0.1) < 1e-9) {
			t.Errorf("from %g: %v", from, x)
		}
		infinite := func(x float64) float64 {
			if x < 0.2 {
				return math.Inf(1)
			}
			return f(x)
		}
		l, _ = crossing(num.Descent{Most: 300, From: from, Step: 0.02, Tolerance: 1e-6}, counted(t, 50, infinite))
		x = l.X
		if !(math.Abs(x-0.2) < 2e-6) {
			t.Errorf("infinite below 0.2, from %g: %v", from, x)
		}
	}
}

// Parabolas come to the least value, and say where there is none or the function has a kink.
func TestLowest(t *testing.T) {
	smooth := func(x float64) float64 { return math.Exp(x) - 1.3*x }
	x, y, ok := lowest(0.25, 0.02, 1e-14, smooth)
	if !ok || !(math.Abs(x-math.Log(1.3)) < 1e-6) || y != smooth(x) {
		t.Errorf("%v, %v, %v", x, y, ok)
	}
	for name, f := range map[string]func(float64) float64{
		"falling": func(x float64) float64 { return -x }, "concave": func(x float64) float64 { return -x * x },
		"infinite": func(float64) float64 { return math.Inf(1) },
		"far":      func(x float64) float64 { return (x - 9) * (x - 9) },
	} {
		if x, y, ok := lowest(0.25, 0.02, 1e-14, f); ok {
			t.Errorf("%s: %v, %v", name, x, y)
		}
	}
}
