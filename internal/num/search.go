package num

import (
	"math"
	"slices"
)

// Ints is a range of integers to be searched, both ends included, and where to
// begin.
type Ints struct{ Lo, Hi, Guess int64 }

// Least returns the least integer of the range at which ok holds, if ok is
// monotone (once true, always true) and holds at Hi. It gallops away from the
// guess before it bisects, so a close guess costs few decisions.
func (r Ints) Least(ok func(int64) bool) int64 {
	guess := min(max(r.Guess, r.Lo), r.Hi)
	no, yes := r.Lo-1, r.Hi // ok(no) is false and ok(yes) true; Lo-1 is never tried
	if guess == r.Hi || ok(guess) {
		yes = guess
		for step := int64(1); ; step *= 2 {
			if yes-r.Lo < step || step <= 0 {
				break
			}
			if !ok(yes - step) {
				no = yes - step
				break
			}
			yes -= step
		}
	} else {
		no = guess
		for step := int64(1); ; step *= 2 {
			if r.Hi-no <= step || step <= 0 {
				break
			}
			if ok(no + step) {
				yes = no + step
				break
			}
			no += step
		}
	}
	for yes-no > 1 || yes-no < 0 { // the difference of extremes overflows
		mid := (no & yes) + (no^yes)>>1
		if ok(mid) {
			yes = mid
		} else {
			no = mid
		}
	}
	return yes
}

// Greatest returns the greatest integer of the range at which ok holds, if ok is
// monotone (once false, always false) and holds at Lo.
func (r Ints) Greatest(ok func(int64) bool) int64 {
	mirror := Ints{Lo: -r.Hi, Hi: -r.Lo, Guess: -r.Guess}
	return -mirror.Least(func(i int64) bool { return ok(-i) })
}

// Floats is a range of float64, both ends included, and where to begin.
type Floats struct{ Lo, Hi, Guess float64 }

// Least returns the least float64 of the range at which ok holds, if ok is
// monotone and holds at Hi. The search is by units in the last place.
func (r Floats) Least(ok func(float64) bool) float64 {
	order := Ints{Lo: ordinal(r.Lo), Hi: ordinal(r.Hi), Guess: ordinal(r.Guess)}
	return fromOrdinal(order.Least(func(i int64) bool { return ok(fromOrdinal(i)) }))
}

// LeastBelow returns the least float64 of the range at which ok holds, if ok is monotone, and Hi if it holds at none
// below. Most guesses are off by a rounding or two, and what holds just above them holds below Hi.
func (r Floats) LeastBelow(ok func(float64) bool) float64 {
	last := math.Nextafter(r.Hi, r.Lo)
	if above := math.Nextafter(r.Guess, r.Hi); above < last && ok(above) {
		last = above
	} else if !ok(last) {
		return r.Hi
	}
	r.Hi = last
	return r.Least(ok)
}

// ordinal numbers the floats in increasing order.
func ordinal(x float64) int64 {
	bits := int64(math.Float64bits(x))
	if bits < 0 {
		return math.MinInt64 - bits
	}
	return bits
}

func fromOrdinal(i int64) float64 {
	if i < 0 {
		i = math.MinInt64 - i
	}
	return math.Float64frombits(uint64(i))
}

// Minimize returns a point where f is close to its least value and that value, by
// Brent's method: golden section with parabolic steps, until the point is known to
// the given absolute tolerance. f should have one minimum; +Inf is allowed. The
// value is one that f took, so it is a valid bound if every value of f is one.
func (r Interval) Minimize(tolerance float64, f func(float64) float64) (x, fx float64) {
	const golden = 0.3819660112501051
	a, b := r.Lo, r.Hi
	x = a + golden*(b-a)
	fx = f(x)
	w, v, fw, fv := x, x, fx, fx
	var step, last float64 // this step and the one before the last
	for range 200 {
		mid := (a + b) / 2
		tol := tolerance + 1e-15*math.Abs(x)
		if math.Abs(x-mid) <= 2*tol-(b-a)/2 {
			break
		}
		parabolic := false
		if math.Abs(last) > tol {
			p1 := (x - w) * (fx - fv)
			q1 := (x - v) * (fx - fw)
			p := (x-v)*q1 - (x-w)*p1
			q := 2 * (q1 - p1)
			if q > 0 {
				p = -p
			}
			q = math.Abs(q)
			if math.Abs(p) < math.Abs(q*last/2) && p > q*(a-x) && p < q*(b-x) {
				last, step = step, p/q
				if u := x + step; u-a < 2*tol || b-u < 2*tol {
					step = math.Copysign(tol, mid-x)
				}
				parabolic = true
			}
		}
		if !parabolic {
			if last = a - x; x < mid {
				last = b - x
			}
			step = golden * last
		}
		u := x + step
		if math.Abs(step) < tol {
			u = x + math.Copysign(tol, step)
		}
		fu := f(u)
		if fu <= fx {
			if u < x {
				b = x
			} else {
				a = x
			}
			v, w, x = w, x, u
			fv, fw, fx = fw, fx, fu
			continue
		}
		if u < x {
			a = u
		} else {
			b = u
		}
		if fu <= fw || w == x {
			v, w = w, u
			fv, fw = fw, fu
		} else if fu <= fv || v == x || v == w {
			v, fv = u, fu
		}
	}
	return x, fx
}

// Valley returns about where f is least, given where that is about and how far off: the vertex of the parabola through
// three points that lie so far apart, of which the middle one is least. ok is false if it is further off.
func Valley(x, step float64, f func(float64) float64) (at float64, ok bool) {
	left, mid, right := f(x-step), f(x), f(x+step)
	switch {
	case left < mid && left <= right:
		x, mid, right = x-step, left, mid
		left = f(x - step)
	case right < mid:
		x, left, mid = x+step, mid, right
		right = f(x + step)
	}
	bend := left - 2*mid + right
	if inside := left >= mid && right >= mid; !(inside && bend > 0 && bend < math.Inf(1)) {
		return x, false
	}
	return x + step/2*(left-right)/bend, true
}

// MinimizeScanned is [Interval.Minimize] between the neighbours of the best of
// equally spaced points, for an f that is flat or has more than one minimum. It also
// looks at the edges that are inside.
func (r Interval) MinimizeScanned(
	points int, tolerance float64, f func(float64) float64, edges ...float64,
) (x, fx float64) {
	step := (r.Hi - r.Lo) / float64(points-1)
	scan := make([]float64, points, points+len(edges))
	for i := range scan {
		scan[i] = r.Lo + float64(i)*step
	}
	for _, at := range edges {
		if at > r.Lo && at < r.Hi {
			scan = append(scan, at)
		}
	}
	if len(scan) > points {
		slices.Sort(scan)
	}
	best, least := 0, math.Inf(1)
	for i, at := range scan {
		if y := f(at); y < least {
			best, least = i, y
		}
	}
	between := Interval{Lo: max(r.Lo, scan[max(best-1, 0)]), Hi: min(r.Hi, scan[min(best+1, len(scan)-1)])}
	if x, fx = between.Minimize(tolerance, f); least < fx {
		return scan[best], least
	}
	return x, fx
}

// SafeRoot returns a point with f <= 0 at the place where f changes sign, f(Hi) <=
// 0 < f(Lo), once the bracket is below tolerance times its magnitude. It
// interpolates (Illinois) and never trusts a step that leaves the bracket.
func (r Interval) SafeRoot(tolerance float64, f func(float64) float64) float64 {
	lo, hi := r.Lo, r.Hi
	flo, fhi := f(lo), f(hi)
	for i := 0; i < 200 && hi-lo > tolerance*math.Max(math.Abs(lo), math.Abs(hi)); i++ {
		x := hi - fhi*(hi-lo)/(fhi-flo)
		if i%3 == 2 || !(x > lo && x < hi) {
			x = lo + (hi-lo)/2
		}
		// Aim a little past the root, so that the far end moves too.
		x = math.Min(x+tolerance/2*math.Abs(x), hi-(hi-lo)*1e-3)
		if fx := f(x); fx <= 0 {
			hi, fhi, flo = x, fx, flo/2
		} else {
			lo, flo, fhi = x, fx, fhi/2
		}
	}
	return hi
}

// Rises returns about the least number from 0 to hi at which a rising function is at least 0, and is never below it: hi
// if there is none. It begins at s.
func Rises(hi, s, tolerance float64, f func(s float64) float64) float64 {
	lo, last, before := 0., math.NaN(), 0.
	for range 100 {
		value, aim := f(s), 1+tolerance/2 // beyond the root
		if value < 0 {
			lo = s
		} else {
			hi, aim = s, 1-tolerance/2
		}
		if hi-lo <= tolerance*hi {
			break
		}
		next := (s - value*(s-last)/(value-before)) * aim
		last, before = s, value
		if s = next; !(s > lo && s < hi) {
			s = lo + (hi-lo)/2
		}
	}
	return hi
}

// Newton returns about the root of a rising convex function on (0, hi), mostly within 1e-15 of itself and of its
// distance from where the function ends. A step that leaves what is known of the root is replaced by half of it.
func Newton(hi, end, s float64, f func(s float64) (value, slope float64)) float64 {
	lo := 0.0
	for range 100 {
		if !(s > lo && s < hi) {
			s = lo + (hi-lo)/2
		}
		value, slope := f(s)
		if value < 0 {
			lo = s
		} else {
			hi = s
		}
		step := value / slope
		s -= step
		if math.Abs(step) < 2e-8*min(s, end-s) || hi-lo < 1e-15*hi {
			break
		}
	}
	if s >= lo && s <= hi {
		return s
	}
	return hi
}

// Near says where to look for the least x in (0, Top) at which a decision holds. From is zero if nothing is known;
// else x is expected below it by about the share Step, or 1e-5 if that is zero.
type Near struct{ From, Top, Step float64 }

// Least returns about the least such x, at which the decision holds, or Top: within 1e-7 relative or, where that is
// less, a sixteenth of the expected step, but not closer than four roundings.
func (r Near) Least(ok func(x float64) bool) float64 {
	last := math.Nextafter(r.Top, 0)
	hi := min(r.From, last)
	if hi > 0 && !ok(hi) {
		hi, r.Step = 0, 0
	}
	if hi == 0 {
		if hi = last; !ok(hi) {
			return r.Top
		}
	}
	lo, step, tolerance := hi, 1e-5, 1e-7
	if r.Step > 0 {
		step, tolerance = max(r.Step, 0x1p-46), min(max(r.Step/16, 0x1p-50), 1e-7) // below, there may be no number between
	}
	for ; lo > 0 && ok(lo); step *= 4 {
		hi, lo = lo, lo*math.Max(1-step, 1e-3)
	}
	for hi-lo > tolerance*hi {
		if mid := lo + (hi-lo)/2; ok(mid) {
			hi = mid
		} else {
			lo = mid
		}
	}
	return hi
}

// Known is what has been found out about a decision that is monotone in x: it fails up to one x and holds from another
// on.
type Known struct{ fails, holds float64 }

// Nothing is known.
func Nothing() Known { return Known{fails: math.Inf(-1), holds: math.Inf(1)} }

// See takes in the excess at x, which is at most 0 where the decision holds, and returns it.
func (k *Known) See(x, excess float64) float64 {
	if excess <= 0 {
		k.holds = min(k.holds, x)
	} else {
		k.fails = max(k.fails, x)
	}
	return excess
}

// Holds reports whether the decision holds at x. It asks for the excess only where nothing is known.
func (k *Known) Holds(x float64, excess func(x float64) float64) bool {
	if k.fails < x && x < k.holds {
		k.See(x, excess(x))
	}
	return x >= k.holds
}
