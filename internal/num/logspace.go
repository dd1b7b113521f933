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
