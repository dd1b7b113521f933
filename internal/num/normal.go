package num

import "math"

// The normal tail goes through Mills' ratio
//
//	R(x) = P[N > x]/phi(x) = int_0^inf e^(-xt - t^2/2) dt
//
// and its deficit D(x) = 1 - x R(x) = -R'(x), which decrease slowly, R as 1/x and D
// as 1/x^2, so all that is large or small sits in the exponent -x^2/2 and stays a
// logarithm. With y = (x+1-4)/(x+1+4), which maps [-1,inf) to [-1,1), (x+5) R(x) and
// (x+5)^2 D(x) are polynomials in y to 2e-17: the Chebyshev series at 110 points,
// computed with 50 digits, cut and written in powers of y.

var millsPoly = [28]float64{
	2.4367223896808263, -3.0819402579793409, 3.1505617922249241, -2.5879236935411125,
	1.6661728137107268, -0.78994152574601251, 0.22852289206605431, -0.0016152377825792803,
	-0.030436531207086139, 0.0089790187323994745, 0.0027875618861784757, -0.0019857846256604275,
	-0.00025705994277133915, 0.0003887205849597839, 3.8151216552533929e-05, -7.8230504574755975e-05,
	-1.1579208376913271e-05, 1.6008644496963935e-05, 4.3274246018493717e-06, -3.0776977797585458e-06,
	-1.4654024261014128e-06, 4.8012434976095046e-07, 3.9981144318572836e-07, -4.2177902031137001e-08,
	-7.6285557550898245e-08, -2.2896939579497386e-09, 7.4322995063475321e-09, 8.5106092306303804e-10,
}

var deficitPoly = [32]float64{
	5.5186626476601672, -12.465004100408541, 17.215456457298092, -17.016386029006004,
	12.28057169728433, -6.1107865069257095, 1.6109669089367866, 0.2305703483757314,
	-0.35473994957505151, 0.061914558293837046, 0.052506813939472471, -0.020744630066465257,
	-0.0083951658622446971, 0.0049076845309968427, 0.0017458175263405729, -0.0010655609549469799,
	-0.0004692796905345221, 0.00020843825485227118, 0.00014129862303548325, -2.948569921118311e-05,
	-4.1716673261921642e-05, -1.2073000516260104e-06, 1.0995195965686196e-05, 3.0674986488265924e-06,
	-2.3668491258766102e-06, -1.4110095685849693e-06, 3.6760707251818343e-07, 4.0903861549427546e-07,
	-3.2522990492049773e-08, -7.4914678728471988e-08, 7.3150253474601722e-10, 6.6629390505217899e-09,
}

// poly evaluates a polynomial whose length is a multiple of four: four
// independent chains of Horner's rule in y^4, which the processor overlaps.
func poly(c []float64, y float64) float64 {
	y2 := y * y
	y4 := y2 * y2
	var a, b, d, e float64
	for i := len(c) - 4; i >= 0; i -= 4 {
		q := c[i : i+4 : i+4]
		a = a*y4 + q[0]
		b = b*y4 + q[1]
		d = d*y4 + q[2]
		e = e*y4 + q[3]
	}
	return (a + b*y) + (d+e*y)*y2
}

// Mills returns R(x) = P[N > x]/phi(x) for -1 <= x < inf, within 5e-15 relative.
func Mills(x float64) float64 {
	r := 1 / (x + 5)
	return poly(millsPoly[:], (x-3)*r) * r
}

// MillsDeficit returns 1 - x R(x) = -R'(x) for -1 <= x < inf, within 2e-14
// relative; it falls as 1/x^2 and does not cancel.
func MillsDeficit(x float64) float64 {
	r := 1 / (x + 5)
	return poly(deficitPoly[:], (x-3)*r) * r * r
}

// Hazard returns phi(x)/P[N > x], the density over the upper tail, for every x, within 1e-14 relative.
func Hazard(x float64) float64 {
	if x < -1 {
		return Exp(-x*x/2-LogSurvival(x)) / math.Sqrt(2*math.Pi)
	}
	return 1 / Mills(x)
}

var dropRule = Legendre(6)

// MillsDrop returns R(a) - R(a+width) for a >= -1 and width >= 0, within 5e-14
// relative.
func MillsDrop(a, width float64) float64 {
	// Where the difference would lose more than a factor 9, D is smooth at the
	// scale of the width: six points give the integral of D to 1e-15.
	if width < (1+max(a, 0))/4 {
		return dropRule.Integral(Interval{0, width}, func(t float64) float64 { return MillsDeficit(a + t) })
	}
	return Mills(a) - Mills(a+width)
}

// Square returns x^2 as an unevaluated sum, exactly unless it underflows.
func Square(x float64) DD {
	hi := x * x
	if math.IsInf(hi, 0) {
		return DD{Hi: hi}
	}
	return DD{hi, math.FMA(x, x, -hi)}
}

// LogSurvival returns ln P[N > x] for a standard normal N, within 1e-13 or two
// units in the last place, whichever is larger. It is 0 where the probability
// rounds to one and -Inf from |x| = 1e154 on.
func LogSurvival(x float64) float64 {
	square := Square(x)
	if math.IsInf(square.Hi, 0) {
		return math.Min(0, math.Copysign(math.Inf(1), -x))
	}
	if x < -1 {
		return math.Log1p(-Exp(-square.Hi/2) * (1 - square.Lo/2) / math.Sqrt(2*math.Pi) * Mills(-x))
	}
	return -square.Hi/2 - (square.Lo/2 + LnSqrt2Pi - Log(Mills(x)))
}

// UpperQuantile returns x with ln P[N > x] = lnp, for -1e300 <= lnp <= -1e-300,
// within 1e-15 (1 + |x|).
func UpperQuantile(lnp float64) float64 {
	if lnp > -math.Ln2 {
		return -UpperQuantile(Log1mExp(lnp))
	}
	// Abramowitz and Stegun 26.2.23, off by less than 2e-3, and two steps of
	// Halley's method on ln P, which is nearly quadratic.
	t := math.Sqrt(-2 * lnp)
	x := max(0, t-(2.515517+t*(0.802853+t*0.010328))/(1+t*(1.432788+t*(0.189269+t*0.001308))))
	for range 2 {
		r := Mills(x)
		square := Square(x)
		u := r * ((-square.Hi/2 - lnp) - (square.Lo/2 + LnSqrt2Pi - Log(r)))
		x += u - u*u*MillsDeficit(x)/(2*r)
	}
	return x
}

// quantileUp covers the rounding in the quantiles of a maximum.
const quantileUp = 1 + 0x1p-42

// MaxNormalQuantile returns x with P[max of m |N(0,1)| > x] = b = e^lnb, the
// solution of 1 - (2 Phi(x) - 1)^m = b, for m >= 1 and -1e300 <= lnb < 0: never
// below the truth and within 5e-13 of it for lnb <= -1e-3.
func MaxNormalQuantile(m int64, lnb float64) float64 {
	each := LogEach(lnb, m) // ln P[|N| > x]
	if each > -0.5 {        // x < 0.52: P[|N| <= x] = (1-b)^(1/m) is the smaller one
		return math.Sqrt2 * math.Erfinv(Exp(Log1mExp(lnb)/float64(m))) * quantileUp
	}
	return UpperQuantile(each-math.Ln2) * quantileUp
}

// MaxLaplaceQuantile returns x with P[max of m |Lap(1)| > x] = b = e^lnb, that is
// -ln(1 - (1-b)^(1/m)), for m >= 1 and lnb < 0: never below the truth and within
// 5e-13 of it for lnb <= -1e-3.
func MaxLaplaceQuantile(m int64, lnb float64) float64 {
	return -LogEach(lnb, m) * quantileUp
}
