package num

import "math"

// Log1mExp returns ln(1 - e^x) for x <= 0, without cancellation at either end.
func Log1mExp(x float64) float64 {
	if x > -math.Ln2 {
		return Log(-math.Expm1(x))
	}
	return math.Log1p(-Exp(x))
}

// LogAddExp returns ln(e^a + e^b). Either may be -Inf.
func LogAddExp(a, b float64) float64 {
	if a < b {
		a, b = b, a
	}
	if math.IsInf(b, -1) {
		return a
	}
	return a + math.Log1p(Exp(b-a))
}

// LogSubExp returns ln(e^a - e^b) for a >= b; it is -Inf where they are equal.
func LogSubExp(a, b float64) float64 {
	if a == b {
		return math.Inf(-1)
	}
	return a + Log1mExp(b-a)
}

// tiny is a logarithm below which 1 + e^tiny is 1 in float64.
const tiny = -37

// LogAny returns ln(1 - (1-p)^k), the probability that at least one of k >= 1
// independent events of probability p = e^lnp occurs.
func LogAny(lnp float64, k int64) float64 {
	if lnp >= tiny {
		return Log1mExp(float64(k) * Log1mExp(lnp))
	}
	v := lnp + Log(float64(k)) // (1-p)^k = exp(-e^v)
	if v < tiny {
		return v
	}
	return Log1mExp(-Exp(v))
}

// LogEach returns ln(1 - (1-b)^(1/m)), the inverse of [LogAny]: the probability
// at which each of m >= 1 independent events must be kept for at least one to
// occur with probability b = e^lnb.
func LogEach(lnb float64, m int64) float64 {
	if lnb < tiny {
		return lnb - Log(float64(m))
	}
	return Log1mExp(Log1mExp(lnb) / float64(m))
}

// LogLess returns x - ln(1+x) for x > -1, which is >= 0, within 1e-15 of itself.
func LogLess(x float64) float64 {
	if x < -0.5 || x > 1 {
		return x - math.Log1p(x)
	}
	r := x / (2 + x) // ln(1+x) = 2(r + r^3/3 + r^5/5 + ...) and x - 2r = xr
	square, tail := r*r, 0.0
	last := len(oddInverses) - 1
	if square < 1e-3 {
		last = 5
	}
	for i := last; i >= 0; i-- {
		tail = tail*square + oddInverses[i]
	}
	return r * (x - 2*square*tail)
}

// oddInverses are 1/3, 1/5 and so on.
var oddInverses = [...]float64{1. / 3, 1. / 5, 1. / 7, 1. / 9, 1. / 11, 1. / 13, 1. / 15, 1. / 17, 1. / 19, 1. / 21,
	1. / 23, 1. / 25, 1. / 27, 1. / 29, 1. / 31, 1. / 33, 1. / 35, 1. / 37}

// ExpLess returns e^x - 1 - x, which is >= 0, within 1e-14 of itself.
func ExpLess(x float64) float64 {
	if math.Abs(x) > 0.4 {
		return Exp(x) - 1 - x
	}
	p := 1 + x/11*(1+x/12)
	p = 1 + x/9*(1+x/10*p)
	p = 1 + x/7*(1+x/8*p)
	p = 1 + x/5*(1+x/6*p)
	return x * x / 2 * (1 + x/3*(1+x/4*p))
}

// LnGeometric returns ln sum_(i<count) e^(ix) for x >= 0, rounded up by at most 2^-45 of itself.
func LnGeometric(x, count float64) float64 {
	ln, times := Geometric(x, count)
	return (ln + Log(times)) * (1 + 0x1p-46)
}

// Geometric returns about ln sum_(i<count) e^(ix) for x >= 0, and how many times that is the sum: in units of the
// middle of the series, or of its last term.
func Geometric(x, count float64) (ln, times float64) {
	if top := x * count; top > 2 {
		return top - x, math.Expm1(-top) / math.Expm1(-x)
	}
	return x * (count - 1) / 2, count * sinhOver(count*x) / sinhOver(x)
}

// sinhOver returns sinh(x/2)/(x/2) for 0 <= x <= 2.
func sinhOver(x float64) float64 {
	t := x * x / 4
	if x < 0.06 {
		return 1 + t*(1./6+t*(1./120+t*(1./5040)))
	}
	w := t * t
	even := 1 + w*(1./120+w*(1./362880+w*(1./6227020800+w*(1./355687428096000))))
	odd := 1./6 + w*(1./5040+w*(1./39916800+w*(1./1307674368000)))
	return even + t*odd
}
