package noise

import (
	"math"

	"github.com/dpcalc/dpcalc/internal/num"
)

// query is one query to n records, answered with noise of the law and the sd, and wanted within tau.
type query struct {
	n, tau, sd float64
	law        law
}

// side bounds ln E e^(nl X) / n of the deviation X on one side.
type side func(l float64) tilt

// chernoff returns ln T_b for one side, rounded up and at most 0:
//
//	T_b = min over |u| < cut of G(u)^b exp(n g(v/n) - v(tau - sd u)),   v = (b/sd) H(u),
//
// H the hazard of the noise, and b 1 or of no account where there is none. Every u is valid; the best solves g'(v/n) =
// tau - sd u. The search for it begins at touch, where that is not 0.
func (q query) chernoff(power float64, g side, touch *float64) float64 {
	if q.sd == 0 {
		return q.exponent(g)
	}
	const tolerance = 1e-8 // of ln T_b, which is about power u h or more
	z := q.tau / q.sd
	// Here v/n comes to mostTilt at most, as the hazard is at most u + sqrt(2/pi) for u >= 0 where nothing is cut.
	most := mostTilt*q.n*q.sd/power - math.Sqrt(2/math.Pi)
	lo, hi := -6., min(z, most, q.law.cut)
	if lo = max(lo, -q.law.cut); !(hi > 0) {
		return 0
	}
	u := *touch
	if !(u > lo && u < hi) || u == 0 {
		u = hi / 2
	}
	var h, v float64
	var t tilt
	var last, gap, rise float64
	for i := range 60 {
		h = q.law.hazard(u)
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
		if cost := math.Abs(gap*(next-u)) * (h - u) / 2; cost <= tolerance*max(u, 0.01) { // over power h
			break
		}
		last, u = u, next
	}
	*touch = u
	grow, drop, shift := q.n*t.ln, -power*q.law.lnTail(u, h), v*(q.tau-q.sd*u)
	ln := grow - shift - drop + (grow+math.Abs(shift)+drop+power)*roundUp + v*roundTilt
	if !(ln < 0) {
		return 0 // a probability's power
	}
	return ln
}

// mostTilt is the greatest l at which tilts are evaluated: beyond, exponentials overflow.
const mostTilt = 300

// roundTilt covers the rounding in a tilt, relative to l.
const roundTilt = 0x1p-48

// exponent returns Chernoff's bound on ln of the probability that the mean is off by tau to one side.
func (q query) exponent(g side) float64 {
	l := q.breaking(g)
	return max(min(q.n*(g(l).ln-l*q.tau)+q.n*l*roundTilt+roundUp, 0), -math.MaxFloat64)
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

// posterior is what bounds the deviation of f(S) given earlier answers, and is a side either way:
//
//	ln E e^(nl X) <= n min{(kappa moment/g^2) (e^u - 1 - u), span^2 l^2/(8 kappa)},   u = g l/kappa.
//
// Of values of which nothing is known, the moment is infinite.
type posterior struct{ kappa, moment, reach, span float64 }

func (t Theorem) posterior(kappa, share float64) posterior {
	if m, ok := t.moment(); ok {
		return posterior{kappa: kappa, moment: m.moment(share), reach: m.reach(), span: m.span()}
	}
	return posterior{kappa: kappa, moment: math.Inf(1), reach: 1, span: t.values.span()}
}

func (p posterior) side(l float64) tilt {
	span, u := p.span*p.span*l/(4*p.kappa), p.reach*l/p.kappa
	if u < 700 && p.moment < math.Inf(1) {
		amount := p.kappa * p.moment / (p.reach * p.reach)
		if ln := amount * num.ExpLess(u); ln < span*l/2 {
			return tilt{ln * upTilt, p.moment / p.reach * math.Expm1(u)}
		}
	}
	return tilt{span * l / 2 * upTilt, span}
}
