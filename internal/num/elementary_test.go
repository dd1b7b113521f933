package num

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dpcalc/dpcalc/internal/decimals"
)

// The elementary functions are compared with forty decimals, in units of the last place of the result.
func TestElementaryFunctions(t *testing.T) {
	in := decimals.Digits(40)
	exp := func(x float64) decimals.Number { return in.Float(x).Exp() }
	units := func(got float64, want decimals.Number) float64 {
		size := math.Abs(got)
		return math.Abs(in.Float(got).Minus(want).Float()) / (math.Nextafter(size, math.Inf(1)) - size)
	}
	r := rand.New(rand.NewPCG(51, 52))
	worst := map[string]float64{}
	see := func(name string, got float64, want decimals.Number) { worst[name] = max(worst[name], units(got, want)) }
	for range 300 {
		for _, x := range []float64{
			r.Float64() * 700, -r.Float64() * 700, r.Float64(), -r.Float64(), (2*r.Float64() - 1) * math.Exp2(-30*r.Float64()),
		} {
			up, down := exp(x), exp(-x)
			sinh, cosh := up.Minus(down).Over(in.Int(2)), up.Plus(down).Over(in.Int(2))
			see("exp", Exp(x), up)
			see("sinh", Sinh(x), sinh)
			see("tanh", Tanh(x), sinh.Over(cosh))
			for _, y := range []float64{math.Abs(x), 1 + x/1e6, math.Exp2(x)} {
				if y != 1 {
					see("log", Log(y), in.Float(y).Ln())
				}
			}
		}
	}
	for name, most := range map[string]float64{"exp": 1, "log": 1, "sinh": 3, "tanh": 3} {
		if !(worst[name] > 0.4 && worst[name] <= most) {
			t.Errorf("%s is off by up to %.3g units, want at most %g", name, worst[name], most)
		}
	}
}

// What lies outside, and at the ends of what float64 holds.
func TestElementaryEnds(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		name      string
		got, want float64
	}{
		{"e^Inf", Exp(inf), inf}, {"e^-Inf", Exp(-inf), 0}, {"e^710", Exp(710), inf}, {"e^-746", Exp(-746), 0},
		{"e^0", Exp(0), 1},
		{"ln 0", Log(0), -inf}, {"ln Inf", Log(inf), inf}, {"ln 1", Log(1), 0}, {"ln 5e-324", Log(5e-324), -1074 * math.Ln2},
		{"tanh Inf", Tanh(inf), 1}, {"tanh -Inf", Tanh(-inf), -1}, {"sinh 0", Sinh(0), 0}, {"sinh Inf", Sinh(inf), inf},
		{"sinh 711", Sinh(711), inf},
	} {
		if c.got != c.want {
			t.Errorf("%s is %v, want %v", c.name, c.got, c.want)
		}
	}
	for name, x := range map[string]float64{"e^NaN": Exp(math.NaN()), "ln NaN": Log(math.NaN()), "ln -1": Log(-1)} {
		if x == x {
			t.Errorf("%s is %v", name, x)
		}
	}
	for _, x := range []float64{-745, -744.4, -720, -708.4} {
		if got, want := Exp(x), math.Exp(x); math.Abs(got-want) > 5e-324 {
			t.Errorf("e^%v is %v, want %v", x, got, want)
		}
	}
}

func BenchmarkElementary(b *testing.B) {
	for name, f := range map[string]func(float64) float64{"exp": Exp, "log": Log, "math.Exp": math.Exp,
		"math.Log": math.Log} {
		b.Run(name, func(b *testing.B) {
			x, sum := 0.1, 0.0
			for b.Loop() {
				if x += 0.37; x > 300 {
					x = 0.1
				}
				sum += f(x)
			}
			if sum == 0 {
				b.Fatal(sum)
			}
		})
	}
}
