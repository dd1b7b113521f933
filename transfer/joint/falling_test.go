package joint

import (
	"math"
	"testing"
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

// A function that is flat below zero costs bisections, not steps of the tolerance.
func TestFallingCrossesAFlat(t *testing.T) {
	for _, from := range []float64{-1, 1} {
		s := search{from: from, step: 0.005, tolerance: 1e-7}
		x := falling(s, counted(t, 60, func(x float64) float64 {
			if x < 0.1 {
				return 1
			}
			return -1
		})).from
		if !(x >= 0.1 && x <= 0.1+1e-7) {
			t.Errorf("from %g: %v", from, x)
		}
	}
}

// Powers below zero with steps above it take some twenty calls at most, from either side.
func TestFallingTakesFewCalls(t *testing.T) {
	for _, power := range []float64{0.5, 0.7, 0.9, 1, 1.2} {
		for _, from := range []float64{-0.03, 0.05, 0.12, 0.3} {
			s := search{from: from, step: 0.02, tolerance: 1e-8, rise: 2}
			f := func(x float64) float64 {
				if x < 0.1 {
					return math.Ceil(200*(0.1-x)) / 100
				}
				return -math.Pow(x-0.1, power)
			}
			found := falling(s, counted(t, 30, f))
			if x := found.from; !(f(x) <= 0 && x <= 0.1+1e-7) {
				t.Errorf("power %g from %g: %v", power, from, x)
			}
		}
	}
}

// Where no x serves, the search ends far above.
func TestFallingGivesUp(t *testing.T) {
	for _, y := range []float64{1e-300, 1, math.Inf(1), math.NaN()} {
		f := counted(t, 40, func(float64) float64 { return y })
		if x := falling(search{from: 3, tolerance: 1e-6, rise: 2.4}, f).from; !(x > 200) {
			t.Errorf("%g everywhere: %g", y, x)
		}
	}
}

// Between whole numbers a search does not look.
func TestFallingOnWholeNumbers(t *testing.T) {
	seen := map[float64]int{}
	f := func(x float64) (at, y float64) {
		n := math.Ceil(math.Exp(x) * (1 - 4e-15))
		seen[n]++
		return math.Log(n), 123.4 - n
	}
	x := falling(search{from: 5, step: 0.02, tolerance: 0.3 / 124}, f).from
	if got := math.Round(math.Exp(x)); got != 124 && got != 125 {
		t.Errorf("%v", got)
	}
	if len(seen) > 12 {
		t.Errorf("tried %v", seen)
	}
}

// Secants are as good on both sides of zero. Where the function is infinite, falling takes over.
func TestCrossing(t *testing.T) {
	for _, from := range []float64{-0.4, 0, 0.1, 0.7} {
		f := func(x float64) float64 { return 5*(0.1-x) + (0.1-x)*(0.1-x) }
		x := crossing(search{from: from, step: 0.02, tolerance: 1e-9}, counted(t, 10, f)).from
		if !(math.Abs(x-0.1) < 1e-9) {
			t.Errorf("from %g: %v", from, x)
		}
		infinite := func(x float64) float64 {
			if x < 0.2 {
				return math.Inf(1)
			}
			return f(x)
		}
		x = crossing(search{from: from, step: 0.02, tolerance: 1e-6}, counted(t, 50, infinite)).from
		if !(math.Abs(x-0.2) < 2e-6) {
			t.Errorf("infinite below 0.2, from %g: %v", from, x)
		}
	}
}

// A slope that is far off does not end a search.
func TestSlopesAreGuesses(t *testing.T) {
	for _, slope := range []float64{-1e9, -3, -1e-9} {
		s := search{from: 0.3, step: 0.02, slope: slope, tolerance: 1e-8}
		f := func(x float64) float64 { return 2 * (0.1 - x) }
		for name, x := range map[string]float64{
			"falling": falling(s, counted(t, 40, f)).from, "crossing": crossing(s, counted(t, 40, f)).from,
		} {
			if !(math.Abs(x-0.1) < 2e-8) {
				t.Errorf("%s with slope %g: %v", name, slope, x)
			}
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

// What another search found out about the bend may be far off: it shortens a step, and turns none.
func TestFallingSurvivesAnotherBend(t *testing.T) {
	for _, bend := range []float64{-5e4, -10, 10, 5e4} {
		s := search{from: 1, step: 0.01, tolerance: 1e-8, slope: -0.004, bend: bend}
		if x := falling(s, counted(t, 2000, func(float64) float64 { return -0.01 })).from; x > -100 {
			t.Errorf("bend %g: a function without a root crosses zero at %v", bend, x)
		}
		x := falling(s, counted(t, 60, func(x float64) float64 { return 0.3 - x })).from
		if !(x >= 0.3 && x <= 0.3+1e-7) {
			t.Errorf("bend %g: %v", bend, x)
		}
	}
}
