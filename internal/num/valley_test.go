package num

import (
	"math"
	"testing"
)

// A valley is found exactly if it is a parabola, and closely if it is nearly one; one that is too far off is not.
func TestValley(t *testing.T) {
	parabola := func(x float64) float64 { return 3 + 2*(x-1)*(x-1) }
	skewed := func(x float64) float64 { return math.Exp(x) - math.E*x }
	for _, c := range []struct {
		f         func(float64) float64
		from, off float64
		ok        bool
	}{
		{parabola, 1, 1e-12, true}, {parabola, 0.95, 1e-12, true},
		{parabola, 1.08, 1e-12, true}, {parabola, 0.85, 1e-12, true},
		{skewed, 0.97, 0.01 / 5, true}, {skewed, 1.1, 0.01 / 5, true}, // step^2 f'''/(6 f'') and a little
		{parabola, 0.7, 0, false}, {parabola, 1.5, 0, false}, {math.Exp, 0, 0, false},
		{func(float64) float64 { return math.Inf(1) }, 1, 0, false},
	} {
		at, ok := Valley(c.from, 0.1, c.f)
		if ok != c.ok || ok && !(math.Abs(at-1) <= c.off) {
			t.Errorf("from %v: %v, %v", c.from, at, ok)
		}
	}
}
