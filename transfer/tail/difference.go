package tail

import (
	"math"

	"github.com/dpcalc/dpcalc/internal/num"
)

// Difference is the values of f: X -> [-1,1] with E|f| <= Disagreement under the population: the difference of the
// losses of two models that differ on at most this share of it. Independent rows are enough. The rate is Lemma 5's,
//
//	I_d(s) = sup over l > 0 of l s - G_d(l),   h = sinh(l)/l,
//	G_d(l) = ln(1 + d(e^l-1)) - l d                      if 1 + d(e^l-1) <= h,
//	G_d(l) = ln h - l (h - 1 - d(cosh l - 1))/sinh l     otherwise.
//
// Every l gives a valid bound.
type Difference struct {
	Disagreement float64 // d in (0,1]
}

// Rate returns I_d(s), or up to 1e-12 of it less. It is +Inf for s >= 1 + d.
func (v Difference) Rate(s float64) num.DD {
	if s-1 >= v.Disagreement { // s - 1 is exact from 1/2 to 2, where it matters, and 1 + d is not
		return impossible
	}
	return num.FromFloat(supremum(s, v.Tilt))
}

// LnSide returns -n I_d(s), rounded up.
func (v Difference) LnSide(n int64, s float64) float64 { return lnExponential(v, n, s) }

// Tilt returns G_d(l), l > 0, and its derivative. The greatest ln E e^(l(f-Ef)) is at P[f=1] - P[f=-1] = x.
func (v Difference) Tilt(l float64) (g, slope float64) {
	d, e := v.Disagreement, math.Expm1(l)
	coshLess := e / 2 * (e / (1 + e)) // cosh l - 1
	sinh := e - coshLess
	excess := sinh/l - 1 // h - 1
	if l <= 1 {
		excess = sinhExcess(l)
	}
	x := (excess - d*coshLess) / sinh
	switch even := d * coshLess; {
	case d*e <= excess && l > 1: // all that differs is on one side
		x, g = d, math.Log1p(d*e)-l*d
	case d*e <= excess:
		x, g = d, lnTiltedSum(even, d*l*excess, d*l)
	case l > 1:
		g = num.Log(1+excess) - l*x
	default: // ln h - 1 + 1/h + d(cosh l - 1)/h
		g = num.LogLess(-excess/(1+excess)) + even/(1+excess)
	}
	mean := 1 + x*sinh + d*coshLess
	return g, (x*(1+coshLess)+d*sinh)/mean - x
}

// lnTilted returns ln E e^(l(f-Ef)), l > 0, for an f that is 1, 0 or -1, with E|f| = d and Ef = mean, rounded up. The
// difference of two numbers near l Ef, of which little may be left, is taken of what exceeds l Ef in each.
func lnTilted(d, mean, l float64) float64 {
	if l > 1 {
		up, down := (d+mean)/2, (d-mean)/2 // P[f = 1] and P[f = -1]
		ln := math.Log1p(up*math.Expm1(l) + down*math.Expm1(-l))
		if ln < -0.5 {
			ln = num.Log(1 - d + up*num.Exp(l) + down*num.Exp(-l))
		}
		return ln - l*mean + 0x1p-50*(math.Abs(ln)+l*math.Abs(mean))
	}
	half := num.Sinh(l / 2)
	return lnTiltedSum(d*2*half*half, mean*l*sinhExcess(l), mean*l)
}

// lnTiltedSum returns ln(1 + even + odd + first) - first, given d(cosh l - 1), Ef(sinh l - l) and l Ef.
func lnTiltedSum(even, odd, first float64) float64 {
	return even*(1+1e-14) + odd - num.LogLess(even+odd+first)
}

// sinhExcess returns sinh(l)/l - 1 for l > 0.
func sinhExcess(l float64) float64 {
	if l > 1 {
		return num.Sinh(l)/l - 1
	}
	y := l * l
	return y / 6 * (1 + y/20*(1+y/42*(1+y/72*(1+y/110*(1+y/156*(1+y/210*(1+y/272)))))))
}

// known is a difference whose expectation is known to be at most Mean.
type known struct {
	Difference
	Mean float64
}

// reaches returns the rate at which its mean comes to Mean + margin or above, or up to 1e-12 of that less, or
// 4e-14 d/(d - Mean^2) of it where nearly all that differs is on one side:
//
//	J = sup over l > 0 of l (Mean + margin) - ln(1 + d(cosh l - 1) + Mean sinh l).
//
// An expectation is never outside [-d,d].
func (k known) reaches(margin float64) num.DD {
	d := k.Disagreement
	mean := min(k.Mean, d)
	if mean < -d || k.Mean+margin > 1+0x1p-50 {
		return impossible
	}
	up, down := (d+mean)/2, (d-mean)/2 // P[f = 1] and P[f = -1]
	return num.FromFloat(supremum(margin+(k.Mean-mean), func(l float64) (g, slope float64) {
		more, less := up*num.Exp(l), down*num.Exp(-l)
		return lnTilted(d, mean, l), (more-less)/(1-d+more+less) - mean // the sum is positive, however large l is
	}))
}

// supremum returns l s - g(l) at an l > 0 where that is greatest, for a convex g with g(0) = g'(0) = 0, rounded down.
func supremum(s float64, tilt func(l float64) (g, slope float64)) float64 {
	const last = 300 // beyond, the exponentials overflow
	short := func(l float64) float64 { _, slope := tilt(l); return s - slope }
	lo, hi := 0.0, s
	for hi < last && short(hi) > 0 {
		lo, hi = hi, 2*hi
	}
	l := min(hi, last)
	if lo < last && short(l) <= 0 {
		l = num.Interval{Lo: max(lo, 1e-300), Hi: l}.SafeRoot(1e-8, short)
	}
	g, _ := tilt(l)
	return max(0, (l*s-g)*(1-1e-13)-4e-16*l*s)
}
