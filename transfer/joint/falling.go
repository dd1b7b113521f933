package joint

import (
	"cmp"
	"math"
	"slices"
)

// search says where to look for the least x at which a function that falls is at most 0.
type search struct {
	from, tolerance float64
	step            float64 // how far off it may be
	slope, rise     float64 // about the slopes below and, but for the sign, above zero; 0 if they are not known
	bend            float64 // about what x has of y^2 below zero
}

// near is a search where another has come to its end.
func (s search) near(most, tolerance float64) search {
	s.from, s.step, s.tolerance = min(s.from, most), s.tolerance, tolerance
	return s
}

// short returns about how far x must go if f is y there, or 0.
func (s search) short(y float64) float64 {
	if s.rise == 0 || math.IsNaN(y) {
		return 0
	}
	return min(1.2*y/s.rise, 1)
}

// falling searches for the least x at which f, which falls, is at most 0, until it is known to about the
// tolerance; what it returns begins there. That is far above if there is none. f also returns
// where it was evaluated, at x or at the next point from there that there is.
func falling(s search, f func(x float64) (at, y float64)) search {
	const far = 200
	start := s.from
	s.step = max(s.step, s.tolerance)
	low, short := math.Inf(-1), 0.0 // f is positive at low, and about zero so far above
	known := slide{step: s.step, slope: s.slope, bend: s.bend, least: s.tolerance}
	for step := s.step; known.points == 0; step *= 2 {
		if at, y := f(s.from); y <= 0 {
			known.add(at, y)
			continue
		} else if low, short = at, s.short(y); low > start+far {
			return s
		}
		s.from += max(short, step)
	}
	for step, missed := 1, 0; ; step++ {
		hi := known.x[0]
		root, doubt := known.root(low)
		left := hi - max(root, low)
		if left <= max(s.tolerance, 4e-16*math.Abs(hi)) || hi < start-far {
			s.from, s.slope, s.bend = hi, known.slope, known.bend
			return s
		}
		x := root + max(doubt, s.tolerance/4)
		switch {
		case low > math.Inf(-1) && (missed > 1 || step%8 == 0): // so that nothing can go on for ever
			x = low + (hi-low)/2
		case x > low && x < hi:
		case short > 0 && short < 0.8*(hi-low): // f is steeper than it seemed
			x = low + short
		default:
			x = low + 0.2*(hi-low)
		}
		switch at, y := f(x); {
		case at >= hi: // nothing is between
			low, short = x, 0
		case y <= 0:
			known.add(at, y)
			missed = 0
		default:
			low, short = at, s.short(y)
			missed++
		}
	}
}

// slide is what is known of a function where it is negative: the last points, the least x first.
type slide struct {
	x, y   [3]float64
	points int
	step   float64 // to try next where nothing better is known
	slope  float64 // about that where the function is zero, or 0
	bend   float64 // about what x has of y^2
	guess  float64 // the last root
	least  float64 // the tolerance
}

func (k *slide) add(x, y float64) {
	if k.points > 0 && y == k.y[0] {
		k.x[0] = x
		return
	}
	k.x = [3]float64{x, k.x[0], k.x[1]}
	k.y = [3]float64{y, k.y[0], k.y[1]}
	k.points = min(k.points+1, 3)
}

// root returns about where the function is zero, which is above low, and how far off that may be. Through
// three points goes x as a quadratic function of y, through two a line.
func (k *slide) root(low float64) (x, doubt float64) {
	hi, before := k.x[0], k.guess
	if k.guess = k.fit(); !(k.guess < hi) {
		if low > math.Inf(-1) {
			return low, 0.6 * (hi - low)
		}
		k.step *= 2
		return hi - k.step/2, 0
	}
	switch reach := hi - 8*k.step; {
	case k.guess < reach: // so far no fit is to be trusted
		k.guess = reach
		k.step *= 8
	case low == math.Inf(-1) && k.points > 1 && k.y[0] < k.y[1]/2: // the fit before was none
		k.guess = min(k.guess, hi-k.step)
		k.step *= 2
	}
	doubt = 0.2 * (hi - k.guess)
	if before > 0 || before < 0 {
		doubt = min(doubt, 0.2*math.Abs(k.guess-before))
	}
	return k.guess, doubt
}

func (k *slide) fit() float64 {
	if k.points == 1 {
		if k.slope == 0 {
			return k.x[0]
		}
		step := k.y[0] / k.slope // both are guesses
		if curved := step + k.bend*k.y[0]*k.y[0]; curved > step/4 {
			step = curved
		}
		return k.x[0] - max(step, 4*k.least)
	}
	secant := func(i, j int) float64 { return (k.x[j] - k.x[i]) / (k.y[j] - k.y[i]) }
	rate := secant(0, 1) // of x in y
	bend := k.bend
	if k.points == 3 {
		bend = (secant(1, 2) - rate) / (k.y[2] - k.y[0])
	}
	x := k.x[0] - k.y[0]*rate
	there := rate - bend*(k.y[0]+k.y[1]) // the rate where y is zero
	if curved := x + k.y[0]*bend*k.y[1]; curved < k.x[0] && there < 0 {
		x, rate, k.bend = curved, there, bend
	}
	k.slope = 1 / rate
	return x
}

// crossing is falling for a function that is smooth on both sides of zero, by secants. Where these fail it is
// falling.
func crossing(s search, f func(x float64) (at, y float64)) search {
	x, y := f(s.from)
	slope := s.slope
	if slope == 0 {
		slope = -8
	}
	for i := range 12 {
		if !(math.Abs(y) < math.MaxFloat64) {
			break
		}
		step := max(min(-y/slope, 0.5), -0.5)
		if math.Abs(step) <= s.tolerance && (i > 0 || math.Abs(y) <= s.tolerance) { // the first slope is a guess
			s.from, s.slope = x+step, slope
			return s
		}
		if i == 0 {
			step = math.Copysign(max(math.Abs(step), 4*s.tolerance), y)
		}
		at, next := f(x + step)
		if at == x { // no goal is nearer
			s.from, s.slope = x, slope
			return s
		}
		if slope = (next - y) / (at - x); !(slope < 0) {
			break
		}
		x, y = at, next
	}
	return falling(s, f)
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
