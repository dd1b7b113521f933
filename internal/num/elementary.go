package num

import "math"

// On amd64 the standard library has machine code of its own for the exponential function and the logarithm. Its last
// digits differ from other machines, and its logarithm is wrong below 2^-1022 (Go 1.26). With the functions here the
// page and the command line on amd64 print the same digits. Processors that fuse a product and a sum, such as arm64,
// may differ in the last digits.

const (
	ln2Hi = 0x1.62e42feep-1       // ln 2 to 33 bits, so that k ln2Hi is exact
	ln2Lo = 0x1.a39ef35793c76p-33 // the rest
	most  = 0x1.62e42fefa39efp+9  // e^x overflows beyond
	least = -0x1.74910d52d3051p+9 // and is zero below
)

// Exp returns e^x within one unit in the last place.
func Exp(x float64) float64 {
	evaluated()
	switch {
	case x != x || x > math.MaxFloat64:
		return x
	case x > most:
		return math.Inf(1)
	case x < least:
		return 0
	case -0x1p-28 < x && x < 0x1p-28:
		return 1 + x
	}
	const rounding = 0x1.8p52 // added and taken off again it leaves the nearest whole number
	k := (x*(1/math.Ln2) + rounding) - rounding
	hi, lo := x-k*ln2Hi, k*ln2Lo
	r := hi - lo
	t := r * r
	// r coth(r/2) = 2 + r^2/6 - r^4/360 + ..., by the Bernoulli numbers, and e^r = 1 + r + r c/(2-c) with
	// c = r - (r coth(r/2) - 2).
	w := t * t
	even := 1./6 + w*(1./15120+w*(1./23950080+w*(1./37362124800)))
	odd := 1./360 + w*(1./604800+w*(691./653837184000))
	c := r - t*(even-t*odd)
	y := 1 - ((lo - r*c/(2-c)) - hi)
	if power := int64(k); power > -1022 && power < 1024 {
		return y * math.Float64frombits(uint64(power+1023)<<52)
	}
	return math.Ldexp(y, int(k))
}

// Log returns ln x within one unit in the last place, NaN below zero and -Inf at zero.
func Log(x float64) float64 {
	evaluated()
	k := 0.0
	if !(x >= 0x1p-1022 && x <= math.MaxFloat64) {
		if !(x > 0 && x < 1) {
			return logOfOther(x)
		}
		x, k = x*0x1p64, -64
	}
	// x = 2^k (1+f) with 1+f from sqrt(1/2) to sqrt 2: found without a branch, which would be a coin toss.
	const root = 0x3fe6a09e667f3bce // the bits of what follows sqrt(1/2)
	bits := math.Float64bits(x)
	power := int64(bits-root) >> 52
	k += float64(power)
	f := math.Float64frombits(bits-uint64(power)<<52) - 1
	// ln(1+f) = 2 artanh s = f - (f^2/2 - s (f^2/2 + R)), R = 2 s^2/3 + 2 s^4/5 + ...
	s := f / (2 + f)
	t := s * s
	w := t * t // two shorter sums are computed side by side
	even := 2./3 + w*(2./7+w*(2./11+w*(2./15+w*(2./19+w*(2./23)))))
	odd := 2./5 + w*(2./9+w*(2./13+w*(2./17+w*(2./21))))
	rest := t * (even + t*odd)
	half := 0.5 * f * f
	return k*ln2Hi - ((half - (s*(half+rest) + k*ln2Lo)) - f)
}

// logOfOther is Log for zero, negative numbers, infinities and NaN.
func logOfOther(x float64) float64 {
	switch {
	case x < 0:
		return math.NaN()
	case x == 0:
		return math.Inf(-1)
	}
	return x
}

// Tanh returns the hyperbolic tangent within three units in the last place.
func Tanh(x float64) float64 {
	if x < 0 {
		return -Tanh(-x)
	}
	if x > 20 {
		return 1
	}
	e := math.Expm1(2 * x)
	return e / (e + 2)
}

// Sinh returns the hyperbolic sine within three units in the last place.
func Sinh(x float64) float64 {
	if x < 0 {
		return -Sinh(-x)
	}
	if x > 40 {
		half := Exp(x / 2)
		return half / 2 * half
	}
	e := math.Expm1(x)
	return 0.5 * (e + e/(e+1))
}
