package lowvariance

import (
	"math"

	"github.com/dpcalc/dpcalc/internal/num"
)

// query is one query to n records, answered with the noise sd and wanted within tau.
type query struct {
	values   Values
	checked  bool
	oneSided bool
	n        float64
	tau, sd  float64
}

// tilts returns the two bounds on ln E e^(l(f-Ef)) and ln E e^(-l(f-Ef)) of one record.
func (q query) tilts(l float64) (above, below tilt) {
	if !q.checked {
		return q.values.tilts(l)
	}
	above, below, _ = q.values.checkedTilts(l)
	return above, below
}

func (q query) side(below bool, l float64) tilt {
	up, down := q.tilts(l)
	if below {
		return down
	}
	return up
}

// chernoff returns ln T_b for one side, rounded up, and its derivative in ln z, z = tau/sd:
//
//	T_b = min over x of P[N > (tau-x)/sd]^b exp(n G(v/n) - v x),   v = (b/sd) num.Hazard((tau-x)/sd).
//
// Every u = (tau-x)/sd is valid; the best solves G'(v/n) = x. The search for it, to the tolerance, begins at touch.
func (q query) chernoff(power, tolerance float64, below bool, touch *float64) (ln, slope float64) {
	z := q.tau / q.sd
	// Here v/n comes to mostTilt at most, as the hazard is at most u + sqrt(2/pi) for u >= 0.
	most := mostTilt*q.n*q.sd/power - math.Sqrt(2/math.Pi)
	if !(most > 0) {
		return 0, 0
	}
	lo, hi := -6., min(z, most)
	u := *touch * z
	if !(u > lo && u < hi) {
		u = hi / 2
	}
	var h, v float64
	var t tilt
	var last, gap, rise float64
	for i := range 60 {
		h = num.Hazard(u)
		v = power * h / q.sd
		t = q.side(below, v/q.n)
		before := gap
		if gap = u - z + t.slope/q.sd; gap > 0 {
			hi = u
		} else {
			lo = u
		}
		if rise = (gap - before) / (u - last); i == 0 { // as if the slope of the tilt were proportional to v
			rise = 1 + t.slope/q.sd*max(h-u, 1/(1+h))
		}
		next := u - gap/rise
		if !(next > lo && next < hi) {
			next = (lo + hi) / 2
		}
		if math.Abs(next-u) <= tolerance*(1+math.Abs(u)) {
			break
		}
		last, u = u, next
	}
	*touch = u / z
	grow, drop, shift := q.n*t.ln, -power*lnTail(u, h), v*(q.tau-q.sd*u)
	ln = grow - shift - drop + (grow+math.Abs(shift)+drop+power)*roundUp + v*roundTilt
	if !(ln < 0) {
		return 0, 0 // a probability's power
	}
	return ln, -power * h * u
}

// mostTilt is the greatest l at which tilts are evaluated: beyond, exponentials overflow.
const mostTilt = 300

// roundTilt covers the rounding in a tilt, relative to l.
const roundTilt = 0x1p-48

// lnTail is ln P[N > u], given the hazard there.
func lnTail(u, hazard float64) float64 {
	if u < -1 {
		return num.LogSurvival(u)
	}
	return -u*u/2 - num.LnSqrt2Pi - num.Log(hazard)
}

// graded is a logarithm and its derivative in ln z.
type graded struct{ ln, slope float64 }

// plus adds two numbers given by their logarithms.
func (x graded) plus(y graded) graded {
	if x == y {
		return graded{x.ln + math.Ln2, x.slope}
	}
	ln := num.LogAddExp(x.ln, y.ln)
	w := num.Exp(x.ln - ln)
	return graded{ln, w*x.slope + (1-w)*y.slope}
}

func (x graded) over(power float64) graded { return graded{x.ln / power, x.slope / power} }

// sides returns ln T_b for deviations above and below, about as close to the least as the tolerance's square.
func (q query) sides(power, tolerance float64, touch *[2]float64) (above, below graded) {
	above.ln, above.slope = q.chernoff(power, tolerance, false, &touch[0])
	if q.values.symmetric() {
		return above, above
	}
	below.ln, below.slope = q.chernoff(power, tolerance, true, &touch[1])
	return above, below
}

// What a tangent is off costs the square of that. T weighs more than t.
const (
	nearTouch = 1e-4
	farTouch  = 1e-3
)

// sampling returns ln eps_j without what earlier answers reveal, and its derivative in ln z.
func (q query) sampling(o *order) graded {
	if q.sd == 0 {
		return graded{ln: q.exact() / o.conj}
	}
	if q.oneSided {
		var above graded
		above.ln, above.slope = q.chernoff(o.conj, nearTouch, false, &o.near[0])
		above = above.over(o.conj)
		above.ln += roundUp * (2 + math.Abs(above.ln))
		return above
	}
	above, below := q.sides(o.conj, nearTouch, &o.near)
	best, sum := above.over(o.conj).plus(below.over(o.conj)), above.plus(below)
	z := q.tau / q.sd
	h := num.Hazard(z)
	strike := graded{o.gain + lnTail(z, h), -h * z}
	if least := sum.ln + math.Log1p(num.Exp(strike.ln)); least/o.conj < best.ln { // t is at least T
		far := graded{ln: math.Ln2} // T_0 = 1
		if o.conj > 1 {
			x, y := q.sides(o.conj-1, farTouch, &o.far)
			far = x.plus(y)
		}
		far.ln, far.slope = far.ln+strike.ln, far.slope+strike.slope
		if mixed := sum.plus(far).over(o.conj); mixed.ln < best.ln {
			best = mixed
		}
	}
	best.ln += roundUp * (2 + math.Abs(best.ln))
	return best
}

// exact returns ln of the probability that the mean over the records is off by tau, on a side that counts, rounded up.
func (q query) exact() float64 {
	above := q.chernoffExponent(false)
	if q.oneSided {
		return above
	}
	return num.LogAddExp(above, q.chernoffExponent(true))
}

// chernoffExponent returns Chernoff's bound on ln of the probability that the mean is off by tau to one side.
func (q query) chernoffExponent(below bool) float64 {
	l := q.breaking(below)
	t := q.side(below, l)
	return min(q.n*(t.ln-l*q.tau)+q.n*l*roundTilt+roundUp, 0)
}

// breaking returns about the l at which the tilted mean is off by tau.
func (q query) breaking(below bool) float64 {
	short := func(l float64) float64 { return q.tau - q.side(below, l).slope }
	lo, hi := 0.0, q.tau
	for hi < mostTilt && short(hi) > 0 {
		lo, hi = hi, 2*hi
	}
	if hi >= mostTilt {
		return mostTilt
	}
	return num.Interval{Lo: max(lo, 1e-300), Hi: hi}.SafeRoot(1e-6, short)
}

// soonest is the lesser breaking of the sides that count.
func (q query) soonest() float64 {
	above := q.breaking(false)
	if q.oneSided {
		return above
	}
	return min(above, q.breaking(true))
}
