package open

import (
	"math"

	"github.com/dpcalc/dpcalc/internal/num"
)

// Tails bounds the truth of one fixed query, the expectation of its mean over the rows, from that mean. A level is a
// probability, given by its logarithm below 0.
type Tails interface {
	// Range returns the ends of what the truth can be.
	Range() (lowest, highest float64)
	// Edge returns the least number from x on at which cells can part: x itself, but where means are counts.
	Edge(x float64) float64
	// Lower returns a number of at most x, rounded down. Wherever the truth is below it, P[mean >= x] <= e^lnLevel;
	// so it is where the truth is equal to it, for an x above the lowest.
	Lower(x, lnLevel float64) float64
	// Upper returns a number that is no less than the greatest mean below x, rounded up. Wherever the truth is above
	// it, P[mean < x] <= e^lnLevel.
	Upper(x, lnLevel float64) float64
	// Pass returns about the least edge x above the lowest with Lower(x, lnLevel) >= bar, if there is one that a
	// mean can reach.
	Pass(bar, lnLevel float64) (x float64, ok bool)
}

// Unit is a query with values in [0,1]. Independent rows are enough. Lower(x, q) and Upper(x, q) are the p below and
// above x with Rows kl(x || p) = ln 1/q. Source: Hoeffding 1963, Theorem 1.
type Unit struct {
	Rows float64 // their number, or 1/w for means of independent clusters with weights of at most w
}

// Range returns 0 and 1.
func (Unit) Range() (lowest, highest float64) { return 0, 1 }

// Edge returns x.
func (Unit) Edge(x float64) float64 { return x }

// Lower returns p <= x. An x above 1 is never reached.
func (v Unit) Lower(x, lnLevel float64) float64 {
	switch {
	case x <= 0:
		return 0
	case x > 1:
		return x
	}
	return apart(x, v.rate(lnLevel), -1)
}

// Upper returns p >= x.
func (v Unit) Upper(x, lnLevel float64) float64 {
	switch {
	case x <= 0:
		return 0
	case x >= 1:
		return 1
	}
	return apart(x, v.rate(lnLevel), 1)
}

// Pass returns x with Rows kl(x || bar) = ln 1/q.
func (v Unit) Pass(bar, lnLevel float64) (float64, bool) {
	if bar <= 0 { // a mean above 0 has an expectation above 0
		return math.SmallestNonzeroFloat64, true
	}
	nats := v.rate(lnLevel)
	if !(bar < 1) || -num.Log(bar) < nats {
		return 0, false
	}
	return leastPass(v, bar, reach(bar, nats), lnLevel)
}

// rate returns ln(1/q) a row, rounded up.
func (v Unit) rate(lnLevel float64) float64 { return -lnLevel / v.Rows * (1 + 4e-16) }

// leastPass returns the first x, in small steps from bar + shift on, of which Lower itself says that it is enough.
func leastPass(tails Tails, bar, shift, lnLevel float64) (float64, bool) {
	_, highest := tails.Range()
	for grow := 2e-14; ; grow *= 2 {
		x := min(bar+shift*(1+grow), highest)
		if tails.Lower(x, lnLevel) >= bar {
			return x, true
		}
		if x == highest {
			return 0, false
		}
	}
}

// apart returns p < x for the side -1 and p > x for the side 1, with kl(x || p) >= nats and little more, for 0 <= x <=
// 1. It is an end of [0,1] if rounding leaves none before.
func apart(x, nats, side float64) float64 {
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
	shift = newton(most, room, shift, func(s float64) (value, slope float64) {
		p := x + side*s
		return num.KLShift{P: p, Shift: x - p}.Nats() - nats, s / (p * (1 - p))
	})
	for grow := 8e-15; ; grow *= 2 {
		switch p := x + side*shift*(1+grow); {
		case p <= 0:
			return 0
		case p >= 1:
			return 1
		case num.KLShift{P: p, Shift: x - p}.Nats()*(1-1e-14) >= nats:
			return p
		}
	}
}

// reach returns about the s with kl(c+s || c) = nats, for 0 < c < 1 and nats <= ln 1/c.
func reach(c, nats float64) float64 {
	variance := c * (1 - c)
	s := math.Sqrt(2 * nats * variance)
	return newton(1-c, 1-c, s*(1+(1-2*c)*s/(6*variance)), func(s float64) (value, slope float64) {
		return num.KLShift{P: c, Shift: s}.Nats() - nats, math.Log1p(s/c) - math.Log1p(-s/(1-c))
	})
}

// newton returns about the root of a rising convex function on (0, hi), mostly within 1e-15 of itself and of its
// distance from where the function ends. A step that leaves what is known of the root is replaced by half of it.
func newton(hi, end, s float64, f func(s float64) (value, slope float64)) float64 {
	lo := 0.0
	for range 100 {
		if !(s > lo && s < hi) {
			s = lo + (hi-lo)/2
		}
		value, slope := f(s)
		if value < 0 {
			lo = s
		} else {
			hi = s
		}
		step := value / slope
		s -= step
		if math.Abs(step) < 2e-8*min(s, end-s) || hi-lo < 1e-15*hi {
			break
		}
	}
	if s >= lo && s <= hi {
		return s
	}
	return hi
}

// Rounded is a query whose mean is computed with an error of at most By.
type Rounded struct {
	Tails
	By float64
}

// Lower returns what is known of a mean that is computed as x or more.
func (v Rounded) Lower(x, lnLevel float64) float64 { return v.Tails.Lower(x-v.By, lnLevel) }

// Upper returns what is known of a mean that is computed as less than x.
func (v Rounded) Upper(x, lnLevel float64) float64 { return v.Tails.Upper(x+v.By, lnLevel) }

// Pass returns an edge that is raised by the error.
func (v Rounded) Pass(bar, lnLevel float64) (float64, bool) {
	x, ok := v.Tails.Pass(bar, lnLevel)
	_, highest := v.Range()
	x = math.Nextafter(x+v.By, math.Inf(1))
	return x, ok && x <= highest
}
