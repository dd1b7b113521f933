package joint

import (
	"cmp"
	"math"
	"slices"

	"github.com/dpcalc/dpcalc/internal/num"
)

// crossing is a descent for a function that is smooth on both sides of zero, by secants; where these fail it is
// [num.Descent.Least]. The function need not be at most 0 where it lands.
func crossing(d num.Descent, f func(x float64) (at, y float64)) (num.Landing, bool) {
	x, y := f(min(d.From, d.Most))
	slope := d.Slope
	if slope == 0 {
		slope = -8
	}
	for i := range 12 {
		if !(math.Abs(y) < math.MaxFloat64) {
			break
		}
		step := max(min(-y/slope, 0.5), -0.5)
		if math.Abs(step) <= d.Tolerance && (i > 0 || math.Abs(y) <= d.Tolerance) { // the first slope is a guess
			return num.Landing{X: x + step, Zero: x + step, Slope: slope}, true
		}
		if i == 0 {
			step = math.Copysign(max(math.Abs(step), 4*d.Tolerance), y)
		}
		at, next := f(x + step)
		if at == x { // no goal is nearer
			return num.Landing{X: x, Zero: x, Slope: slope}, true
		}
		if slope = (next - y) / (at - x); !(slope < 0) {
			break
		}
		x, y = at, next
	}
	return d.Least(f)
}

// lowest returns a point where f is at most about the given amount above its least value nearby, by parabolas through
// the three best points. It fails where f is not smooth, or has no minimum within about four steps.
func lowest(x, step, amount float64, f func(float64) float64) (at, least float64, ok bool) {
	type point struct{ x, f float64 }
	p := [3]point{{x - step, f(x - step)}, {x, f(x)}, {x + step, f(x + step)}}
	for range 7 {
		slices.SortFunc(p[:], func(a, b point) int { return cmp.Compare(a.f, b.f) })
		rise := (p[1].f - p[0].f) / (p[1].x - p[0].x)
		bend := ((p[2].f-p[1].f)/(p[2].x-p[1].x) - rise) / (p[2].x - p[0].x)
		next := (p[0].x + p[1].x - rise/bend) / 2
		away := next - p[0].x
		if !(bend > 0 && math.Abs(next-x) < 4*step) {
			break
		}
		if bend*away*away <= amount {
			return p[0].x, p[0].f, true
		}
		p[2] = point{next, f(next)}
	}
	return x, 0, false
}
