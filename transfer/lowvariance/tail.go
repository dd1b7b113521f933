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

// side returns G, the bound for fresh records on that side.
func (q query) side(below bool) side {
	return func(l float64) tilt {
		up, down := q.tilts(l)
		if below {
			return down
		}
		return up
	}
}

// side bounds ln E e^(nl X) / n of the deviation X on one side.
type side func(l float64) tilt

// chernoff returns ln T_b for one side, rounded up, and its derivative in ln z, z = tau/sd:
//
//	T_b = min over x of P[N > (tau-x)/sd]^b exp(n G(v/n) - v x),   v = (b/sd) num.Hazard((tau-x)/sd).
//
// Every u = (tau-x)/sd is valid; the best solves G'(v/n) = x. The search for it, to the tolerance, begins at touch.
func (q query) chernoff(power, tolerance float64, g side, touch *float64) (ln, slope float64) {
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
		t = g(v / q.n)
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
	switch {
	case x == y:
		return graded{x.ln + math.Ln2, x.slope}
	case math.IsInf(y.ln, 0):
		return graded{max(x.ln, y.ln), x.slope}
	}
	ln := num.LogAddExp(x.ln, y.ln)
	w := num.Exp(x.ln - ln)
	return graded{ln, w*x.slope + (1-w)*y.slope}
}

// times multiplies two numbers given by their logarithms.
func (x graded) times(y graded) graded { return graded{x.ln + y.ln, x.slope + y.slope} }

func (x graded) roundedUp() graded { return graded{x.ln + roundUp*(2+math.Abs(x.ln)), x.slope} }

func (x graded) over(power float64) graded { return graded{x.ln / power, x.slope / power} }

// sides returns ln T_b for deviations above and below, about as close to the least as the tolerance's square.
func (q query) sides(power, tolerance float64, touch *[2]float64) (above, below graded) {
	above.ln, above.slope = q.chernoff(power, tolerance, q.side(false), &touch[0])
	if q.values.symmetric() {
		return above, above
	}
	below.ln, below.slope = q.chernoff(power, tolerance, q.side(true), &touch[1])
	return above, below
}

// What a tangent is off costs the square of that. T weighs more than t.
const (
	nearTouch = 1e-4
	farTouch  = 1e-3
)

// sampled is what fresh records and the noise of one answer err at an order: T on each side, and twoSided once it has
// been asked for.
type sampled struct {
	tau, sd      float64
	above, below graded // below is nothing where one side counts
	both         graded
	found        bool
}

// sampling returns T on each side that counts.
func (q query) sampling(o *order) (s sampled) {
	s.tau, s.sd, s.below.ln = q.tau, q.sd, math.Inf(-1)
	switch {
	case q.sd > 0 && q.oneSided:
		s.above.ln, s.above.slope = q.chernoff(o.conj, nearTouch, q.side(false), &o.near[0])
	case q.sd > 0:
		s.above, s.below = q.sides(o.conj, nearTouch, &o.near)
	default:
		s.above.ln = q.chernoffExponent(q.side(false))
		if !q.oneSided {
			s.below.ln = q.chernoffExponent(q.side(true))
		}
	}
	return s
}

// likelier returns ln of max{T+, T-}^(1/a'), rounded up.
func (s sampled) likelier(power float64) graded {
	most := s.above
	if s.below.ln > most.ln {
		most = s.below
	}
	return most.over(power).roundedUp()
}

// least returns less than twoSided.
func (s sampled) least(power float64) graded { return s.above.plus(s.below).over(power) }

// twoSided returns ln of min{ T+^(1/a') + T-^(1/a'), (T+ + T- + (2^a'-1) P[N > tau/sd] (t+ + t-))^(1/a') }, rounded up.
func (s *sampled) twoSided(q query, o *order) graded {
	if s.found {
		return s.both
	}
	s.found = true
	sum := s.above.plus(s.below)
	s.both = s.above.over(o.conj).plus(s.below.over(o.conj))
	if q.sd == 0 {
		s.both = sum.over(o.conj).roundedUp()
		return s.both
	}
	z := q.tau / q.sd
	h := num.Hazard(z)
	strike := graded{o.gain + lnTail(z, h), -h * z}
	if least := sum.ln + math.Log1p(num.Exp(strike.ln)); least/o.conj < s.both.ln { // t is at least T
		far := graded{ln: math.Ln2} // T_0 = 1
		if o.conj > 1 {
			x, y := q.sides(o.conj-1, farTouch, &o.far)
			far = x.plus(y)
		}
		if mixed := sum.plus(far.times(strike)).over(o.conj); mixed.ln < s.both.ln {
			s.both = mixed
		}
	}
	s.both = s.both.roundedUp()
	return s.both
}

// chernoffExponent returns Chernoff's bound on ln of the probability that the mean is off by tau to one side.
func (q query) chernoffExponent(g side) float64 {
	l := q.breaking(g)
	return min(q.n*(g(l).ln-l*q.tau)+q.n*l*roundTilt+roundUp, 0)
}

// posterior is what bounds the deviation of f(S) given earlier answers, and is a side either way:
//
//	ln E e^(nl X) <= n min{(kappa moment/g^2) (e^u - 1 - u), span^2 l^2/(8 kappa)},   u = g l/kappa.
type posterior struct{ kappa, moment, reach, span float64 }

func (p posterior) side(l float64) tilt {
	span, u := p.span*p.span*l/(4*p.kappa), p.reach*l/p.kappa
	if u < 700 {
		amount := p.kappa * p.moment / (p.reach * p.reach)
		if ln := amount * num.ExpLess(u); ln < span*l/2 {
			return tilt{ln * upTilt, p.moment / p.reach * math.Expm1(u)}
		}
	}
	return tilt{span * l / 2 * upTilt, span}
}

// rarer returns ln T_1^C, rounded up, and its derivative in ln z: what an answer errs on the side that is less likely
// given the earlier ones.
func (q query) rarer(p posterior, touch *float64) (t graded) {
	if q.sd == 0 {
		return graded{ln: q.chernoffExponent(p.side)}
	}
	t.ln, t.slope = q.chernoff(1, farTouch, p.side, touch)
	return t
}

// breaking returns about the l at which the tilted mean is off by tau.
func (q query) breaking(g side) float64 {
	short := func(l float64) float64 { return q.tau - g(l).slope }
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
	above := q.breaking(q.side(false))
	if q.oneSided {
		return above
	}
	return min(above, q.breaking(q.side(true)))
}
