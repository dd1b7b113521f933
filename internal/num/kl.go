package num

import "math"

// KLShift is a pair of coins: heads with probability P, and with P + Shift. Both are
// in [0,1]. The difference is the input because a P+Shift rounded to float64 no
// longer knows it when it is small.
type KLShift struct{ P, Shift float64 }

// Nats returns kl(P+Shift || P), the relative entropy
//
//	q ln(q/p) + (1-q) ln((1-q)/(1-p)),   p = P, q = P + Shift,
//
// within 2e-15 relative. It is +Inf if p is 0 or 1 and q is not p.
func (s KLShift) Nats() float64 {
	if s.Shift == 0 {
		return 0
	}
	q, r := s.P+s.Shift, 1-s.P
	return deviance(q, s.P, s.Shift) + deviance(complement(s), r, -s.Shift)
}

// Slope returns the derivative of [KLShift.Nats] in P at a fixed Shift,
//
//	ln(1 + u) - u - (ln(1 - v) + v),   u = Shift/P, v = Shift/(1-P),
//
// within 4e-16 (u^2 + v^2) where these are small, 2e-15 max(u, v) in general. It is
// infinite where q is 0 or 1.
func (s KLShift) Slope() float64 {
	q, r := s.P+s.Shift, 1-s.P
	return logDeficit(q/s.P, s.Shift/s.P) - logDeficit(complement(s)/r, -s.Shift/r)
}

// KLEnd returns p < x for the side -1 and p > x for the side 1, with kl(x || p) >= nats and little more, for 0 <= x <=
// 1. It is an end of [0,1] if rounding leaves none before.
func KLEnd(x, nats, side float64) float64 {
	room := x
	if side > 0 {
		room = 1 - x
	}
	if nats <= 0 || room <= 0 {
		return x
	}
	if x < 0x1p-900 && side < 0 {
		return 0
	}
	// Pinsker's inequality, and kl(x || x-s) >= x ln(x/(x-s)) - s.
	most := min(math.Sqrt(nats/2), -room*math.Expm1(-nats/room-1))
	// By its series in s, kl(x || x+s) = s^2/2v - (1-2x) s^3/3v^2 + ..., v = x(1-x).
	shift := most
	if variance := x * (1 - x); variance > 0 {
		s := math.Sqrt(2 * nats * variance)
		skew := side * (1 - 2*x) * s / variance
		shift = s * (1 + skew/3 + skew*skew/36 - s*s/(4*variance))
	}
	shift = Newton(most, room, shift, func(s float64) (value, slope float64) {
		p := x + side*s
		return KLShift{P: p, Shift: x - p}.Nats() - nats, s / (p * (1 - p))
	})
	for grow := 8e-15; ; grow *= 2 {
		switch p := x + side*shift*(1+grow); {
		case p <= 0:
			return 0
		case p >= 1:
			return 1
		case KLShift{P: p, Shift: x - p}.Nats()*(1-1e-14) >= nats:
			return p
		}
	}
}

// KLReach returns about the s with kl(c+s || c) = nats, for 0 < c < 1 and nats <= ln 1/c, mostly to 1e-15 of itself.
func KLReach(c, nats float64) float64 {
	variance := c * (1 - c)
	s := math.Sqrt(2 * nats * variance)
	return Newton(1-c, 1-c, s*(1+(1-2*c)*s/(6*variance)), func(s float64) (value, slope float64) {
		return KLShift{P: c, Shift: s}.Nats() - nats, math.Log1p(s/c) - math.Log1p(-s/(1-c))
	})
}

// KLAbove returns about the least u >= p with kl(u||p) >= e, for p < 1; it is 2 if there is none.
func KLAbove(p, e float64) float64 {
	if p <= 0 || e <= 0 {
		return max(p, 0)
	}
	if !(e < -Log(p)) {
		return 2
	}
	// The first terms of the root as a series in x, and Halley's method from there.
	x := math.Sqrt(2 * e)
	u := p + x*math.Sqrt(p*(1-p)) + (1-2*p)*x*x/6
	u = min(max(u, p+1e-3*(1-p)*min(e, 1)), p+(1-p)*(1-1e-9))
	for i := 0; i < 60 && u < 1; i++ {
		kl, slope := entropyAndSlope(u, p)
		step := halley(kl-e, slope, 1/(u*(1-u)))
		u = min(max(u-step, p+(u-p)/16), (u+1)/2)
		if math.Abs(step) <= 1e-5*min(u-p, 1-u) {
			break
		}
	}
	return u * (1 + 1e-14)
}

// KLExpectation returns about the least q > u with kl(u||q) >= e, at most 1.
func KLExpectation(u, e float64) float64 {
	if u <= 0 {
		return -math.Expm1(-e) * (1 + 1e-15)
	}
	// As for KLAbove.
	x := math.Sqrt(2 * e)
	q := u + x*math.Sqrt(u*(1-u)) + (1-2*u)*x*x/3
	q = min(max(q, u+1e-3*(1-u)*min(e, 1)), u+(1-u)*(1-1e-9))
	for i := 0; i < 60 && q < 1; i++ {
		kl, _ := entropyAndSlope(u, q)
		step := halley(kl-e, (q-u)/(q*(1-q)), u/(q*q)+(1-u)/((1-q)*(1-q)))
		q = min(max(q-step, u+(q-u)/16), (q+1)/2)
		if math.Abs(step) <= 1e-5*min(q-u, 1-q) {
			break
		}
	}
	return min(q*(1+1e-14), 1)
}

// halley returns the step of Halley's method for a value y and two derivatives, after which the error is about the cube
// of what it was, and Newton's where that is a step backwards.
func halley(y, slope, bend float64) float64 {
	if room := 1 - y*bend/(2*slope*slope); room > 0.5 {
		return y / slope / room
	}
	return y / slope
}

// entropyAndSlope returns kl(u||p) and its derivative in u, for u and p in (0,1).
func entropyAndSlope(u, p float64) (kl, slope float64) {
	ones, zeros := Log(u/p), Log((1-u)/(1-p))
	if kl = u*ones + (1-u)*zeros; kl < 2e-3 { // where that would lose digits
		kl = KLShift{P: p, Shift: u - p}.Nats()
	}
	return kl, ones - zeros
}

// LeastEntropy returns about the P at which kl(P+shift || P) is least, for 0 < shift <= 0.4. Its power series in the
// shift, an odd one but for 1/2, is close up to 0.1; Newton's method goes on from there.
func LeastEntropy(shift float64) float64 {
	s := shift * shift
	p := 0.5 - shift*(1./3+s*(8./135+s*(32./945+s*(128./5103+s*(561664./27064125+s*0.0181687953869)))))
	for i := 0; i < 8 && shift > 0.1; i++ {
		slope, q := KLShift{p, shift}.Slope(), p+shift
		step := slope / (s * (1/(q*p*p) + 1/((1-q)*(1-p)*(1-p))))
		p -= step
		if math.Abs(step) < 1e-8*shift {
			break
		}
	}
	return p
}

// DD returns kl(P+Shift || P) for 0 < P < 1, within 2^-96 absolutely. With its
// cancellation it is of use for a large Shift, or a large multiple of the result.
func (s KLShift) DD() DD {
	p := FromFloat(s.P)
	q := p.AddFloat(s.Shift)
	one := FromFloat(1)
	return entropyTerm(q, p).Add(entropyTerm(one.Sub(q), one.Sub(p)))
}

// entropyTerm returns x ln(x/m) for m > 0.
func entropyTerm(x, m DD) DD {
	if x.Hi <= 0 {
		return DD{}
	}
	return x.Mul(x.Div(m).Ln())
}

// complement returns 1 - P - Shift with one rounding where it matters.
func complement(s KLShift) float64 {
	hi, lo := twoSum(1, -s.P)
	return math.Max(0, hi-s.Shift+lo)
}

// deviance returns x ln(x/m) - (x - m) for m > 0, x >= 0 and d = x - m, the part of
// one cell in a relative entropy (Loader 2000). It is nonnegative, so that sums of
// it do not cancel.
func deviance(x, m, d float64) float64 {
	v := d / (x + m)
	if math.Abs(v) < 0.3 {
		return d*v + 2*x*atanhExcess(v)
	}
	if x <= 0 {
		return m
	}
	if ratio := x / m; ratio < math.MaxFloat64 {
		return x*Log(ratio) - d
	}
	return x*(Log(x)-Log(m)) - d
}

// logDeficit returns ln x - u for x = 1+u.
func logDeficit(x, u float64) float64 {
	v := u / (2 + u)
	if math.Abs(v) < 0.3 {
		return 2*atanhExcess(v) - u*v
	}
	return Log(x) - u
}

// atanhExcess returns atanh(v) - v for |v| < 0.3.
func atanhExcess(v float64) float64 {
	v2 := v * v
	term, sum := v*v2, 0.0
	for k := 3.0; ; k += 2 {
		next := sum + term/k
		if next == sum {
			return sum
		}
		sum, term = next, term*v2
	}
}
