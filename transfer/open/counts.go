package open

import (
	"math"

	"github.com/dpcalc/dpcalc/internal/num"
)

// ZeroOne is a query with the values 0 and 1 on rows of equal weight: at most 2^52, independent, and not necessarily
// identically distributed. A mean is a count k/n, correctly rounded, so that means compare as counts do. The lower
// end at k is the greater of the end of [Unit] and
//
//	min(p, (k-1)/n),   P[Bin(n,p) >= k] = q,
//
// the upper end the lesser of Unit's at (k-1)/n and
//
//	max(p, k/n),   P[Bin(n,p) <= k-1] = q.
//
// Source: Hoeffding 1956, Theorem 4, for which k >= np+1, and k-1 <= np-1. A binomial tail is no bound on the tail of
// unequal rows nearer to the mean, nor on the tail of any other means.
type ZeroOne struct{ Rows int64 }

func (ZeroOne) Range() (lowest, highest float64) { return 0, 1 }

// Edge returns k/n for the least count with k/n >= x.
func (v ZeroOne) Edge(x float64) float64 {
	k := int64(math.Floor(float64(v.Rows)*x)) - 1
	for v.mean(k) < x {
		k++
	}
	return v.mean(k)
}

func (v ZeroOne) mean(k int64) float64 { return float64(k) / float64(v.Rows) }

// count returns the k of a mean.
func (v ZeroOne) count(mean float64) int64 { return int64(math.Round(mean * float64(v.Rows))) }

func (v ZeroOne) Lower(x, lnLevel float64) float64 {
	k := v.count(x)
	if k <= 0 || k > v.Rows {
		return max(0, x)
	}
	p := Unit{Rows: float64(v.Rows)}.Lower(math.Nextafter(x, 0), lnLevel)
	return v.refine(1, p, math.Nextafter(v.mean(k-1), 0), lnLevel, v.tail(k, 1))
}

func (v ZeroOne) Upper(x, lnLevel float64) float64 {
	k := v.count(x)
	if k <= 0 {
		return 0
	}
	if k > v.Rows {
		return 1
	}
	p := num.KLEnd(v.above(k-1), Unit{Rows: float64(v.Rows)}.rate(lnLevel), 1)
	return v.refine(-1, p, v.above(k), lnLevel, v.tail(k, -1))
}

// above returns k/n rounded up.
func (v ZeroOne) above(k int64) float64 {
	if k == 0 {
		return 0
	}
	return min(math.Nextafter(v.mean(k), 2), 1)
}

// binomialTail is ln of a binomial tail as a function of p, and the size of its slope.
type binomialTail func(p float64) (ln, slope float64)

// tail returns P[Bin(n,p) >= k] for the side 1, and P[Bin(n,p) < k] for -1.
func (v ZeroOne) tail(k int64, side float64) binomialTail {
	return func(p float64) (ln, slope float64) {
		b := num.Binomial{N: v.Rows, P: p}
		if ln = b.LnAtLeast(k); side < 0 {
			ln = b.LnAtMost(k - 1)
		}
		return ln, float64(k) / p * num.Exp(b.LnPMF(k)-ln)
	}
}

// isExact reports whether binomial tails are worth their time: near the middle they gain little, and are slow for many
// rows.
func (v ZeroOne) isExact(lnLevel float64) bool {
	return lnLevel < -4 || lnLevel < -math.Ln2 && v.Rows < 1<<24
}

// refine goes from p upwards or downwards, to the end at most, as far as the tail is certainly no more than the level.
// Its logarithm is concave in p. An end that is behind p changes nothing.
func (v ZeroOne) refine(side, p, end, lnLevel float64, tail binomialTail) float64 {
	if p <= 0 || p >= 1 || !v.isExact(lnLevel) { // an end of [0,1] is as close as rounding allows
		return p
	}
	if (end-p)*side <= 0 {
		return p
	}
	const close = 1e-11 // the tail is known within a fifth of it
	best := p
	for range 60 {
		ln, slope := tail(p)
		if ln <= lnLevel {
			best = p
			if p == end || lnLevel-ln < close {
				break
			}
		}
		step := (lnLevel - ln - close/2) / slope
		if p+side*step == p {
			break
		}
		if p += side * step; (end-p)*side < 0 {
			p = end
		}
	}
	return best
}

func (v ZeroOne) Pass(bar, lnLevel float64) (float64, bool) {
	switch {
	case bar <= 0:
		return v.mean(1), true
	case !(bar < 1):
		return 0, false
	}
	n := float64(v.Rows)
	nats, b := Unit{Rows: n}.rate(lnLevel), num.Binomial{N: v.Rows, P: bar}
	enough := func(k int64) bool {
		x := math.Nextafter(v.mean(k), 0)
		if x <= bar {
			return false
		}
		if v.isExact(lnLevel) && v.mean(k-1) > bar && b.LnAtLeast(k) <= lnLevel {
			return true
		}
		return num.KLShift{P: bar, Shift: x - bar}.Nats() >= nats
	}
	z := max(num.UpperQuantile(lnLevel), 0)
	guess := n*bar + z*math.Sqrt(n*bar*(1-bar)) + z*z*(1-2*bar)/6
	k := num.Ints{Lo: 1, Hi: v.Rows + 1, Guess: int64(guess)}.Least(func(k int64) bool { return k > v.Rows || enough(k) })
	for ; k <= v.Rows; k++ {
		if x := v.mean(k); v.Lower(x, lnLevel) >= bar {
			return x, true
		}
	}
	return 0, false
}
