package num

import (
	"math"
	"math/rand/v2"
	"testing"
)

// counted is f with a limit on the calls.
func counted(t *testing.T, most int, f func(x float64) float64) func(x float64) (at, y float64) {
	calls := 0
	return func(x float64) (at, y float64) {
		t.Helper()
		if calls++; calls == most+1 {
			t.Errorf("more than %d calls: %g", most, x)
		}
		if calls > 5000 {
			t.Fatal("endless")
		}
		return x, f(x)
	}
}

// A smooth function takes few calls, however bent it is, and wherever the search begins.
func TestDescentOfSmoothFunctions(t *testing.T) {
	for name, f := range map[string]func(x float64) float64{
		"line": func(x float64) float64 { return 0.1 - x }, "steep": func(x float64) float64 { return 1e4 * (0.1 - x) },
		"bent": func(x float64) float64 { return math.Exp(8*(0.1-x)) - 1 },
		"root": func(x float64) float64 { return math.Sqrt(0.11) - math.Sqrt(max(x+0.01, 0)) },
	} {
		for _, from := range []float64{-0.3, 0.08, 0.1, 0.103, 0.5} {
			for _, slope := range []float64{0, -1, -8} {
				d := Descent{From: from, Step: 0.02, Most: 9, Tolerance: 1e-9, Slope: slope}
				l, ok := d.Least(counted(t, 19, f))
				if !(ok && f(l.X) <= 0 && l.X <= 0.1+2e-9 && math.Abs(l.Zero-0.1) <= 2e-9) {
					t.Errorf("%s from %g with slope %g: %+v", name, from, slope, l)
				}
			}
		}
	}
}

// Where the slope is known well, one look just beyond the zero is enough, and two from before it.
func TestDescentWithAKnownSlope(t *testing.T) {
	f := func(x float64) float64 { return math.Exp(8*(0.1-x)) - 1 }
	for from, most := range map[float64]int{0.1001: 1, 0.0995: 2} {
		d := Descent{From: from, Step: 1e-3, Most: 9, Tolerance: 2e-4, Slope: -8.1, Sure: true}
		l, ok := d.Least(counted(t, most, f))
		if !(ok && f(l.X) <= 0 && l.X <= 0.1+2e-4 && math.Abs(l.Zero-0.1) <= 1e-5) {
			t.Errorf("from %g: %+v", from, l)
		}
	}
}

// A function that is flat on both sides costs bisections, not steps of the tolerance; nor does a jump in a slope.
// A jump from where the function comes to zero costs few calls.
func TestDescentCrossesJumps(t *testing.T) {
	for _, from := range []float64{-1, 0.09, 0.11, 1} {
		for name, f := range map[string]func(x float64) float64{
			"flat":  func(x float64) float64 { return math.Copysign(1, 0.1-x) },
			"slope": func(x float64) float64 { return 0.1 - x + math.Copysign(0.003, 0.1-x) },
			"low":   func(x float64) float64 { return 0.1 - x + min(math.Copysign(0.003, 0.1-x), 0) },
			"high":  func(x float64) float64 { return 0.1 - x + max(math.Copysign(0.003, 0.1-x), 0) },
		} {
			d := Descent{From: from, Step: 0.005, Most: 9, Tolerance: 1e-7}
			most := 60
			if name == "low" {
				most = 12
			}
			l, ok := d.Least(counted(t, most, f))
			if !(ok && f(l.X) <= 0 && l.X <= 0.1+2e-7 && l.Zero <= l.X && l.Zero >= 0.1-2e-7) {
				t.Errorf("%s from %g: %+v", name, from, l)
			}
		}
	}
}

// Powers below zero with steps above it take some more.
func TestDescentTakesFewCalls(t *testing.T) {
	for _, power := range []float64{0.5, 0.7, 0.9, 1, 1.2} {
		for _, from := range []float64{-0.03, 0.05, 0.12, 0.3} {
			d := Descent{From: from, Step: 0.02, Most: 9, Tolerance: 1e-8, Rise: 2, Early: 1}
			f := func(x float64) float64 {
				if x < 0.1 {
					return 1 + math.Ceil(200*(0.1-x))/100
				}
				return -math.Pow(x-0.1, power)
			}
			if l, ok := d.Least(counted(t, 40, f)); !(ok && f(l.X) <= 0 && l.X <= 0.1+1e-7) {
				t.Errorf("power %g from %g: %+v", power, from, l)
			}
		}
	}
}

// Where no x serves, the search ends at the most.
func TestDescentGivesUp(t *testing.T) {
	for _, y := range []float64{1e-300, 1, math.Inf(1), math.NaN()} {
		f := counted(t, 40, func(float64) float64 { return y })
		if l, ok := (Descent{From: 3, Most: 200, Tolerance: 1e-6, Rise: 2.4}).Least(f); ok || l.X != 200 {
			t.Errorf("%g everywhere: %+v", y, l)
		}
	}
}

// Between whole numbers a search does not look.
func TestDescentOnWholeNumbers(t *testing.T) {
	seen := map[float64]int{}
	f := func(x float64) (at, y float64) {
		n := math.Ceil(math.Exp(x) * (1 - 4e-15))
		seen[n]++
		return math.Log(n), 123.4 - n
	}
	l, ok := Descent{From: 5, Step: 0.02, Most: 99, Tolerance: 0.3 / 124}.Least(f)
	if got := math.Round(math.Exp(l.X)); !ok || got != 124 {
		t.Errorf("%v", got)
	}
	if len(seen) > 9 {
		t.Errorf("tried %v", seen)
	}
}

// What is said of the slope and the bend may be far off: the search does not end with it, and turns to no other side.
func TestSlopesAreGuesses(t *testing.T) {
	for _, slope := range []float64{-1e9, -3, -0.004, -1e-9} {
		for _, bend := range []float64{-5e4, -10, 0, 10, 5e4} {
			d := Descent{From: 1, Step: 0.01, Most: 9, Tolerance: 1e-8, Slope: slope, Bend: bend}
			l, _ := d.Least(counted(t, 2000, func(float64) float64 { return -0.01 }))
			if l.X > -100 {
				t.Errorf("slope %g, bend %g: a function without a root crosses zero at %v", slope, bend, l.X)
			}
			if l, _ = d.Least(counted(t, 60, func(x float64) float64 { return 0.3 - x })); !(l.X >= 0.3 && l.X <= 0.3+2e-8) {
				t.Errorf("slope %g, bend %g: %v", slope, bend, l.X)
			}
		}
	}
}

// Functions that fall in two bent pieces, with a jump or a kink between, end at most about the tolerance above their
// zero, in a hundred calls at most.
func TestDescentOfRandomFunctions(t *testing.T) {
	r := rand.New(rand.NewPCG(151, 3))
	size := func() float64 { return math.Exp(10*r.Float64() - 8) }
	most := 0
	for range 20_000 {
		up, down, before, after := 0.0, 0.0, size(), size()
		if r.IntN(2) == 0 {
			up = size() / 10
		}
		if r.IntN(2) == 0 {
			down = size() / 10
		}
		bend := 0.9 * (2*r.Float64() - 1)
		f := func(x float64) float64 {
			x -= 0.1
			bent := x * (1 + bend*math.Abs(x)/(1+math.Abs(x)))
			if x < 0 {
				return up - before*bent
			}
			return -down - after*bent
		}
		d := Descent{From: 0.1 + size()*(2*r.Float64()-1), Step: 0.02, Most: 99, Tolerance: 1e-7}
		if r.IntN(2) == 0 {
			d.Slope = -size()
		}
		calls := 0
		l, ok := d.Least(func(x float64) (at, y float64) {
			if calls++; calls > 200 {
				t.Fatalf("up %g down %g slopes %g and %g: endless", up, down, before, after)
			}
			return x, f(x)
		})
		if most = max(most, calls); !ok || !(f(l.X) <= 0) || l.X > 0.1+2.5e-7 || l.Slope > 0 {
			t.Errorf("up %g down %g slopes %g and %g from %g: %+v", up, down, before, after, d.From, l)
		}
	}
	if t.Logf("at most %d calls", most); most > 110 {
		t.Errorf("%d calls", most)
	}
}
