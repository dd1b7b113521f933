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
