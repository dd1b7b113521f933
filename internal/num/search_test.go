package num

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestIntsLeastAndGreatest(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	for range 20000 {
		width := int64(math.Pow(10, 15*r.Float64()))
		lo := r.Int64N(1e15) - 5e14
		hi := lo + r.Int64N(width)
		edge := lo + r.Int64N(hi-lo+1)
		guess := edge + r.Int64N(2*width+1) - width
		if r.IntN(2) == 0 {
			guess = edge + r.Int64N(7) - 3
		}
		calls := 0
		inside := func(n int64) {
			if calls++; n < lo || n > hi {
				t.Fatalf("tried %d outside [%d, %d]", n, lo, hi)
			}
		}
		s := Ints{Lo: lo, Hi: hi, Guess: guess}
		if got := s.Least(func(n int64) bool { inside(n); return n >= edge }); got != edge {
			t.Fatalf("%+v: Least = %d, want %d", s, got, edge)
		}
		if d := guess - edge; d >= -1 && d <= 1 && calls > 4 {
			t.Fatalf("%+v: %d calls with a guess %d away", s, calls, d)
		}
		if got := s.Greatest(func(n int64) bool { inside(n); return n <= edge }); got != edge {
			t.Fatalf("%+v: Greatest = %d, want %d", s, got, edge)
		}
		if calls > 260 {
			t.Fatalf("%+v: %d calls", s, calls)
		}
	}
}

func TestFloatsLeast(t *testing.T) {
	r := rand.New(rand.NewPCG(15, 16))
	for range 20000 {
		any := func() float64 { return fromOrdinal(r.Int64N(2*math.MaxInt64/2) - ordinal(math.MaxFloat64)/2) }
		lo, hi, edge := any(), any(), any()
		lo, hi = min(lo, hi), max(lo, hi)
		edge = min(max(lo, edge), hi)
		calls := 0
		s := Floats{Lo: lo, Hi: hi, Guess: []float64{edge, any(), math.Nextafter(edge, 0)}[r.IntN(3)]}
		got := s.Least(func(x float64) bool {
			if calls++; x < lo || x > hi {
				t.Fatalf("tried %v outside %+v", x, s)
			}
			return x >= edge
		})
		if got != edge || calls > 130 {
			t.Fatalf("%+v: Least = %v, want %v, after %d calls", s, got, edge, calls)
		}
	}
	whole := Floats{Lo: -math.MaxFloat64, Hi: math.MaxFloat64}
	for _, edge := range []float64{-math.MaxFloat64, -1, 0, 5e-324, 1, math.MaxFloat64} {
		if got := whole.Least(func(x float64) bool { return x >= edge }); got != edge {
			t.Errorf("over all floats: Least = %v, want %v", got, edge)
		}
	}
}

func TestMinimize(t *testing.T) {
	for _, c := range []struct {
		name string
		in   Interval
		f    func(float64) float64
		want float64
	}{
		{"parabola", Interval{-3, 10}, func(x float64) float64 { return (x - 2) * (x - 2) }, 2},
		{"cosh", Interval{-30, 20}, func(x float64) float64 { return math.Cosh(x - 1) }, 1},
		{"kink", Interval{0, 1}, func(x float64) float64 { return math.Abs(x - 0.3) }, 0.3},
		{"left end", Interval{1, 2}, func(x float64) float64 { return x }, 1},
		{"right end", Interval{1, 2}, func(x float64) float64 { return -x }, 2},
		{"barrier", Interval{-1, 4}, func(x float64) float64 {
			if x <= 0 {
				return math.Inf(1)
			}
			return x - math.Log(x)
		}, 1},
	} {
		calls, seen := 0, math.Inf(1)
		x, fx := c.in.Minimize(1e-6, func(x float64) float64 { calls++; seen = min(seen, c.f(x)); return c.f(x) })
		if math.Abs(x-c.want) > 4e-6 || fx != c.f(x) || fx != seen || calls > 60 {
			t.Errorf("%s: Minimize = (%v, %v) after %d calls, want x = %v", c.name, x, fx, calls, c.want)
		}
	}
}

func TestSafeRoot(t *testing.T) {
	for _, c := range []struct {
		name string
		in   Interval
		f    func(float64) float64
		want float64
	}{
		{"line", Interval{0, 10}, func(x float64) float64 { return 3 - x }, 3},
		{"exp", Interval{0, 50}, func(x float64) float64 { return math.Exp(-x) - 1e-9 }, 9 * math.Ln10},
		{"steep", Interval{1, 1e6}, func(x float64) float64 { return 1e4 - x*x*x }, math.Cbrt(1e4)},
	} {
		calls := 0
		x := c.in.SafeRoot(1e-9, func(x float64) float64 { calls++; return c.f(x) })
		if c.f(x) > 0 || x-c.want > 2e-9*c.want || calls > 120 {
			t.Errorf("%s: SafeRoot = %v after %d calls, want %v", c.name, x, calls, c.want)
		}
	}
}

func TestSearchDoesNotAllocate(t *testing.T) {
	n := testing.AllocsPerRun(100, func() {
		Ints{Lo: 0, Hi: 1 << 50, Guess: 77}.Least(func(n int64) bool { return n >= 1234567 })
		Ints{Lo: 0, Hi: 1 << 50, Guess: 77}.Greatest(func(n int64) bool { return n <= 1234567 })
		Floats{Lo: 0, Hi: 1, Guess: 0.5}.Least(func(x float64) bool { return x >= 0.25 })
		Interval{0, 1}.Minimize(1e-6, func(x float64) float64 { return x * x })
	})
	if n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkLeastNearGuess(b *testing.B) {
	for b.Loop() {
		Ints{Lo: 1, Hi: 1 << 53, Guess: 1_000_002}.Least(func(n int64) bool { return n >= 1_000_000 })
	}
}
