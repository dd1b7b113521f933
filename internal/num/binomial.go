package num

import "math"

// Binomial is the number of heads in N tosses of a coin that shows heads with
// probability P: 1 <= N <= 2^53, 0 <= P <= 1.
type Binomial struct {
	N int64
	P float64
}

// A logarithm that a method of Binomial returns exceeds the truth by at most 2e-12, or four units in the last place. It
// holds for N up to 10^7; for larger ones add N^(1/2) 2^-51.

// LnPMF returns ln P[X = k], never below the truth. It is -Inf
// where the probability is zero.
func (b Binomial) LnPMF(k int64) float64 {
	ln, pad := b.tosses().lnPMF(float64(k))
	return math.Min(0, ln+pad)
}

// LnAtLeast returns ln P[X >= k], never below the truth.
func (b Binomial) LnAtLeast(k int64) float64 { return b.tosses().lnAtLeast(float64(k)) }

// LnAtMost returns ln P[X <= k], never below the truth.
func (b Binomial) LnAtMost(k int64) float64 {
	return b.tosses().mirror().lnAtLeast(float64(b.N - k))
}

// RoughAtLeast returns an upper bound on P[X >= k]/e^ln, in less than half the time and
// within one per cent from two standard deviations above the mean on if N P (1-P) is at
// least 10: Stirling's formula without its error, and a few steps of the continued fraction.
func (b Binomial) RoughAtLeast(k int64, ln float64) float64 {
	return b.tosses().rough(float64(k), ln)
}

// RoughAtMost returns an upper bound on P[X <= k]/e^ln; see [Binomial.RoughAtLeast].
func (b Binomial) RoughAtMost(k int64, ln float64) float64 {
	return b.tosses().mirror().rough(float64(b.N-k), ln)
}

// tosses is a Binomial that can be mirrored without rounding: p and q = 1-p each to
// full relative precision, and n p and n q to twice that.
type tosses struct {
	n, p, q float64
	np, nq  DD
}

func (b Binomial) tosses() tosses {
	n := float64(b.N)
	np := FromFloat(n).MulFloat(b.P)
	return tosses{n, b.P, 1 - b.P, np, FromFloat(n).Sub(np)}
}

func (t tosses) mirror() tosses { return tosses{t.n, t.q, t.p, t.nq, t.np} }

// lnPMF returns ln P[X = k] and a bound on its error, by Loader's saddle-point form:
// Stirling's formula with its error, and the deviance from the mean. No large terms
// cancel.
func (t tosses) lnPMF(k float64) (ln, pad float64) {
	switch {
	case k < 0, k > t.n, t.p == 0 && k > 0, t.q == 0 && k < t.n:
		return math.Inf(-1), 0
	case k == 0:
		ln = t.n * lnComplement(t.p, t.q)
	case k == t.n:
		ln = t.n * lnComplement(t.q, t.p)
	default:
		d := (k - t.np.Hi) - t.np.Lo
		j := t.n - k
		dev := deviance(k, t.np.Hi, d) + deviance(j, t.nq.Hi, -d)
		ln = stirlingError(t.n) - stirlingError(k) - stirlingError(j) - dev + Log(t.n/k/j/(2*math.Pi))/2
	}
	return ln, math.Abs(ln)*0x1p-51 + 2e-14
}

func (t tosses) rough(k, ln float64) float64 {
	d := (k - t.np.Hi) - t.np.Lo
	if inside := k >= 1 && k < t.n && d+t.q > 0; !inside || min(t.p, t.q) <= 0 {
		return Exp(t.lnAtLeast(k)-ln) * (1 + 1e-9)
	}
	dev := deviance(k, t.np.Hi, d) + deviance(t.n-k, t.nq.Hi, -d)
	term := math.Sqrt(t.n/k/(t.n-k)) / math.Sqrt(2*math.Pi) * Exp(-dev*(1-1e-15)-ln)
	z := (d + t.q) * (d + t.q) / (t.np.Hi * t.q)
	return term * t.fraction(k, d, 5+2*math.Floor(math.Min(20, 4/z))) * (1 + 1e-9)
}

// lnComplement returns ln q for q = 1-p, from the smaller of the two.
func lnComplement(p, q float64) float64 {
	if p < q {
		return math.Log1p(-p)
	}
	return Log(q)
}

// lnAtLeast returns ln P[X >= k], never below the truth.
func (t tosses) lnAtLeast(k float64) float64 {
	switch {
	case k <= 0:
		return 0
	case k > t.n:
		return math.Inf(-1)
	case t.p == 0:
		return math.Inf(-1)
	case t.q == 0:
		return 0
	}
	d := (k - t.np.Hi) - t.np.Lo
	if d+t.q > 0 { // the terms fall from k on: (n-k) p < (k+1) q
		ln, pad := t.tail(k, d)
		return math.Min(0, ln+pad)
	}
	ln, pad := t.mirror().tail(t.n-k+1, 1-d)
	return math.Min(0, math.Log1p(-Exp(ln-2*pad-2e-13))+pad)
}

// tail returns ln P[X >= k], an upper bound up to rounding, and what that may be; d
// = k - n p > -q.
func (t tosses) tail(k, d float64) (ln, pad float64) {
	ln, pad = t.lnPMF(k)
	if math.IsInf(ln, -1) {
		return ln, pad
	}
	sum, more := t.above(k, d, 1)
	return ln + Log(sum), pad + more
}

// above returns P[X >= k]/P[X = k], d = k - n p > -q, and how far rounding may be off, relatively: but for that it is
// an upper bound for odd = 1, and a lower one for odd = 0, within 2e-13 of each other.
func (t tosses) above(k, d, odd float64) (sum, pad float64) {
	sd := math.Sqrt(t.np.Hi * t.q)
	fall := (d + t.q) / ((k + 1) * t.q) // 1 - P[k+1]/P[k]
	if z := fall * sd; z > 2 && fall < 0.5 {
		return t.fraction(k, d, odd+2*math.Floor((5+30/z+220/(z*z))/2)), 1e-14 // measured: 1e-13 relative
	}
	sum, terms := t.series(k)
	return sum, math.Sqrt(terms)*0x1p-50 + 1e-14
}

// series returns 1 + r1 + r1 r2 + ..., ri = P[k+i]/P[k+i-1], and the number of terms.
// The ri fall, so that the rest is at most a geometric series, which is added.
func (t tosses) series(k float64) (sum, terms float64) {
	odds := t.p / t.q
	term, sum := 1.0, 1.0
	for j := k; j < t.n; j++ {
		r := (t.n - j) / (j + 1) * odds
		term *= r
		sum += term
		if term < sum*0x1p-60*(1-r) {
			sum += term * r / (1 - r)
			return sum, j - k + 1
		}
	}
	return sum, t.n - k + 1
}

// fraction returns the same sum as series from Gauss's continued fraction of
// 2F1(1, k-n; k+1; -p/q),
//
//	1/(1 - a1/(1 + b1/(1 - a2/(1 + b2/...)))),
//	ai = (n-k-i+1)(k+i-1) p / ((k+2i-2)(k+2i-1) q),   bi = i (n+i) p / ((k+2i-1)(k+2i) q),
//
// broken off after b_steps. It needs fewer steps the farther k is from the mean. As 0 < ai <
// 1 and bi > 0, an odd number of steps is above the sum.
func (t tosses) fraction(k, d, steps float64) float64 {
	c := 1.0
	for i := steps; i >= 1; i-- {
		// 1 - ai, all of whose terms are positive, without cancellation.
		o := i - 1
		den := (k + 2*o) * (k + 2*o + 1) * t.q
		gap := ((k+o)*(d+o) + (2*o*k+3*o*o+k+2*o)*t.q) / den
		b := i * (t.n + i) * t.p / ((k + 2*o + 1) * (k + 2*i) * t.q)
		c = (c*gap + b) / (c + b)
	}
	return 1 / c
}

// stirlingError returns ln n! - (n+1/2) ln n + n - ln(2 pi)/2 for an integer n >= 1,
// within 1.1e-16.
func stirlingError(n float64) float64 {
	if n < float64(len(stirlingErrors)) {
		return stirlingErrors[int(n)]
	}
	s := 1 / (n * n)
	return (1./12 - (1./360-(1./1260-(1./1680-s*(1./1188))*s)*s)*s) / n
}

// 40-digit values, rounded.
var stirlingErrors = [...]float64{
	0, 0.08106146679532725822, 0.041340695955409294094, 0.027677925684998339149, 0.020790672103765093112,
	0.016644691189821192163, 0.013876128823070747999, 0.011896709945891770095, 0.010411265261972096497,
	0.0092554621827127329177, 0.0083305634333628712565, 0.007573675487951840795, 0.0069428401072095298657,
	0.0064089941880042070684, 0.0059513701127588477356, 0.005554733551962801371,
}
