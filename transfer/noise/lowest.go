package noise

import (
	"cmp"
	"math"
	"slices"
)

// lowest returns a point where f is at most about the given amount above its least value nearby, by parabolas through
// the three best points. It fails where f is not smooth, or has no minimum within about eight steps.
func lowest(x, step, amount float64, f func(float64) float64) (at, least float64, ok bool) {
	type point struct{ x, f float64 }
	p := [3]point{{x - step, f(x - step)}, {x, f(x)}, {x + step, f(x + step)}}
	for range 9 {
		slices.SortFunc(p[:], func(a, b point) int { return cmp.Compare(a.f, b.f) })
		rise := (p[1].f - p[0].f) / (p[1].x - p[0].x)
		bend := ((p[2].f-p[1].f)/(p[2].x-p[1].x) - rise) / (p[2].x - p[0].x)
		next := (p[0].x + p[1].x - rise/bend) / 2
		away := next - p[0].x
		if !(bend > 0 && math.Abs(next-x) < 8*step) {
			break
		}
		if bend*away*away <= amount {
			return p[0].x, p[0].f, true
		}
		p[2] = point{next, f(next)}
	}
	return x, 0, false
}
