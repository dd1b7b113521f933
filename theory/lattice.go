package theory

import (
	"math"
	"math/big"

	"github.com/dpcalc/dpcalc/internal/num"
)

// lattice has the break points p = j/n + tau for one n.
type lattice struct {
	samples int64
	n, tau  float64
	gap     int64 // B
	last    int64 // the greatest j with p < 1
	short   bool  // n tau < 1: the exact tails count for one record only
}

func newLattice(d Deviation) lattice {
	l := lattice{samples: d.Samples, n: float64(d.Samples), tau: d.Tau}
	l.gap = int64(math.Ceil(2 * l.n * (d.Tau * (1 - 0x1p-50))))
	l.last = min(d.Samples-1, int64(l.n*(1-d.Tau)))
	for l.last > 0 && l.p(l.last) >= 1 {
		l.last--
	}
	l.short = d.Samples > 1 && math.FMA(l.n, d.Tau, -1) < 0
	return l
}

func (l lattice) p(j int64) float64 { return float64(j)/l.n + l.tau }

// middle returns the j with p next to 1/2, where N is greatest unless tau is large.
func (l lattice) middle() int64 { return l.index(0.5) }

func (l lattice) index(p float64) int64 {
	return min(max(int64(math.Round(l.n*(p-l.tau))), 0), l.last)
}

// at returns ln N at j, never below the truth. p is rounded towards the larger value of
// each tail.
func (l lattice) at(j int64) float64 {
	p := num.FromInt(j).Div(num.FromFloat(l.n)).AddFloat(l.tau)
	low, high := p.Hi, p.Hi
	if p.Lo < 0 {
		low = math.Nextafter(low, 0)
	} else if p.Lo > 0 {
		high = math.Min(1, math.Nextafter(high, 2))
	}
	left := num.Binomial{N: l.samples, P: low}.LnAtMost(j)
	if j+l.gap > l.samples {
		return left
	}
	right := num.Binomial{N: l.samples, P: high}.LnAtLeast(j + l.gap)
	return lnUp(num.LogAddExp(left, right), 0).Ln()
}

// rough returns an upper bound on N/e^limit at j, mostly within 1e-3.
func (l lattice) rough(j int64, limit float64) float64 {
	p := l.p(j)
	sum := num.Binomial{N: l.samples, P: math.Nextafter(p, 0)}.RoughAtMost(j, limit)
	if j+l.gap <= l.samples {
		sum += num.Binomial{N: l.samples, P: math.Min(1, math.Nextafter(p, 2))}.RoughAtLeast(j+l.gap, limit)
	}
	return sum
}

// quick returns an upper bound on ln N at j by Zubkov and Serov.
func (l lattice) quick(j int64) float64 {
	p := l.p(j)
	left := l.normal(num.KLShift{P: p, Shift: 1/l.n - l.tau})
	if j+l.gap > l.samples {
		return left
	}
	// P[X >= j+B], mirrored, has (k+1)/n = 1 - (j+B-1)/n.
	right := l.normal(num.KLShift{P: 1 - p, Shift: l.tau - float64(l.gap-1)/l.n})
	return math.Min(0, num.LogAddExp(left, right))
}

// normal returns ln Phi(-sqrt(2 n kl)), rounded up, or 0 unless the shift is negative.
func (l lattice) normal(s num.KLShift) float64 {
	if !(s.Shift < 0) {
		return 0
	}
	ln := num.LogSurvival(math.Sqrt(2 * l.n * s.Nats()))
	return ln*(1-1e-9) + 1e-9 // p and the shift are rounded
}

// window returns the j, lo < j < hi, beyond which quick is at most the limit.
func (l lattice) window(limit float64) (lo, hi int64) {
	// The least of kl(p-t || p) is between 1/2 and (1+t)/2, t <= tau: beyond (1+tau)/2
	// both parts of quick fall, below (1-tau)/2 both rise.
	below := func(j int64) bool { return j < 0 || j > l.last || l.quick(j) <= limit }
	inner := int64(math.Floor(l.n * ((1-l.tau)/2 - l.tau)))
	if lo = -1; inner > lo {
		lo = num.Ints{Lo: lo, Hi: inner, Guess: inner}.Greatest(below)
	}
	outer := int64(math.Ceil(l.n * ((1+l.tau)/2 - l.tau)))
	if hi = l.last + 1; outer < hi {
		hi = num.Ints{Lo: outer, Hi: hi, Guess: outer}.Least(below)
	}
	return lo, hi
}

// above returns the greater of best and ln N at its greatest, never below the truth. What
// rough leaves out is below best by more than the rounding of at.
func (l lattice) above(best float64) float64 {
	if l.short {
		return 0
	}
	best = math.Max(best, l.at(l.middle()))
	lo, hi := l.window(best)
	for j := lo + 1; j < hi; j++ {
		if l.rough(j, best) > 1 {
			best = math.Max(best, l.at(j))
		}
	}
	return best
}

// fails reports whether ln N exceeds the limit at any break point.
func (l lattice) fails(limit num.DD) bool {
	low := math.Nextafter(limit.Hi, math.Inf(-1))
	return l.firstAbove(low, func(j int64) bool { return l.exceeds(limit, j) }) >= 0
}

// mayFail is fails without the decision of ties: a value within the rounding of at counts as
// above the limit.
func (l lattice) mayFail(limit float64) bool { return l.failing(limit) >= 0 }

// failing returns a break point because of which mayFail holds, or -1.
func (l lattice) failing(limit float64) int64 {
	return l.firstAbove(limit, func(j int64) bool { return l.mayFailAt(limit, j) })
}

func (l lattice) mayFailAt(limit float64, j int64) bool {
	return l.short || l.rough(j, limit) > 1 && l.at(j) > limit
}

// firstAbove asks, from the middle outwards, the break points where ln N can be above the limit, and returns the
// first that is, or -1.
func (l lattice) firstAbove(limit float64, above func(int64) bool) int64 {
	if l.short {
		return 0
	}
	lo, hi := l.window(limit)
	middle := l.middle()
	for up, down := middle, middle-1; up < hi || down > lo; up, down = up+1, down-1 {
		if up < hi && above(up) {
			return up
		}
		if down > lo && above(down) {
			return down
		}
	}
	return -1
}

// exceeds reports whether ln N exceeds the limit at j. A tie is decided with 256 bits.
func (l lattice) exceeds(limit num.DD, j int64) bool {
	low := math.Nextafter(limit.Hi, math.Inf(-1))
	if l.rough(j, low) <= 1 {
		return false
	}
	if value := l.at(j); value <= low || value > low+1e-9 {
		return value > low
	}
	return l.exact(j).Cmp(limit) > 0
}

// exact returns ln N at j, for p = j/n + tau as it is.
func (l lattice) exact(j int64) num.DD {
	const bits = 256
	float := func(x float64) *big.Float { return new(big.Float).SetPrec(bits).SetFloat64(x) }
	p := float(float64(j))
	p.Quo(p, float(l.n)).Add(p, float(l.tau))
	q := float(1)
	q.Sub(q, p)
	power := func(x *big.Float, k int64) *big.Float {
		y := float(1)
		for x := float(0).Set(x); k > 0; k >>= 1 {
			if k&1 == 1 {
				y.Mul(y, x)
			}
			x.Mul(x, x)
		}
		return y
	}
	atLeast := func(k int64, p, q *big.Float) *big.Float {
		term := new(big.Float).SetPrec(bits).SetInt(new(big.Int).Binomial(l.samples, k))
		term.Mul(term, power(p, k)).Mul(term, power(q, l.samples-k))
		odds, sum := float(0).Quo(p, q), float(0).Set(term)
		for i := k; i < l.samples && term.MantExp(nil) > sum.MantExp(nil)-bits/2; i++ {
			term.Mul(term, odds).Mul(term, float(float64(l.samples-i))).Quo(term, float(float64(i+1)))
			sum.Add(sum, term)
		}
		return sum
	}
	sum := atLeast(l.samples-j, q, p)
	if j+l.gap <= l.samples {
		sum.Add(sum, atLeast(j+l.gap, p, q))
	}
	mantissa := new(big.Float)
	exponent := sum.MantExp(mantissa)
	return num.FromBig(mantissa).Ln().Add(num.Ln2.MulFloat(float64(exponent)))
}

// bracket says of a decision about tau, which is monotone, that it is no at one and yes at the other.
type bracket struct{ no, yes float64 }

// remembering is the decision, asked between the two only.
func (b bracket) remembering(ok func(tau float64) bool) func(float64) bool {
	return func(tau float64) bool { return tau > b.no && (tau >= b.yes || ok(tau)) }
}

// narrowed brings the two ends of a bracket together at the least tau at which no break point of a lattice may fail.
// A point that does is followed to where it does not, which is cheap, until no other one does there.
func (b bracket) narrowed(limit float64, at func(tau float64) lattice) bracket {
	const close = 1e-13
	j := at(b.no).failing(limit)
	excess := func(tau float64) float64 {
		l := at(tau)
		if j < 0 || j > l.last {
			return math.Inf(-1)
		}
		return l.at(j) - limit
	}
	for range 32 {
		within := num.Interval{Lo: b.no, Hi: math.Nextafter(b.yes, 0)}
		if near := b.no + (b.yes-b.no)/64; excess(near) <= 0 {
			within.Hi = near
		}
		if !(excess(within.Lo) > 0 && excess(within.Hi) <= 0) {
			break
		}
		root := within.SafeRoot(close, excess)
		if before := root * (1 - 2*close); before > b.no && at(before).mayFailAt(limit, j) {
			b.no = before
		}
		if j = at(root).failing(limit); j < 0 {
			b.yes = root
			break
		}
		b.no = root
	}
	return b
}
