package walks

import (
	"math"
	"testing"

	"github.com/dpcalc/dpcalc/internal/num"
	"github.com/dpcalc/dpcalc/theory"
)

// What is known of a number is that of ln n in its units, whatever the plan: signs and units are what a search may not
// get wrong.
func TestPriorInOtherUnits(t *testing.T) {
	for _, m := range []int64{1, 10, 1000, 1e12} {
		for _, beta := range []theory.LogProb{-0.1, -3, -700} {
			one, two := Of(m, 0.05, beta, 1), Of(m, 0.05, beta, 2)
			if !(one.Slope < 0 && one.Bend > 0 && one.Rise > 0 && one.Coarse >= 0 && one.Coarse < 0.05 && one.Known) {
				t.Errorf("m %d, ln beta %g: %+v", m, beta, one)
			}
			// A step from y to 0, in ln n and in what is half of it.
			step := func(p Prior, y float64) float64 { return -y/p.Slope + p.Bend*y*y }
			if a, b := step(one, 0.01), step(two, 0.01); math.Abs(a-2*b) > 1e-15 || one.Coarse != 2*two.Coarse {
				t.Errorf("m %d, ln beta %g: %g and %g", m, beta, a, b)
			}
			if one.Rise*2 != two.Rise || one.Early != Unserved || two.Early != Unserved {
				t.Errorf("m %d, ln beta %g: %+v and %+v", m, beta, one, two)
			}
		}
	}
	from := num.Landing{X: 7, Zero: 6, Slope: -9, Bend: 8}
	known := Prior{Descent: num.Descent{Slope: -2, Bend: 3, Known: true, Most: 50}, Coarse: 0.5}
	if d := known.Then(from); d.From != 5.5 || d.Slope != -2 || d.Bend != 3 || d.Known || d.Most != 50 {
		t.Errorf("%+v", d)
	}
	if d := (Prior{}).Then(from); d.From != 6 || d.Slope != -9 || d.Bend != 8 {
		t.Errorf("%+v", d)
	}
	if got := PerLn(1, 0); got != 4 {
		t.Errorf("PerLn(1, 1) = %g", got)
	}
}
