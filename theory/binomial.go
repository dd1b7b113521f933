package theory

import (
	"math"
	"math/big"

	"github.com/dpcalc/dpcalc/internal/num"
)

// The exact requirement for 0/1 queries. For n records let
//
//	N(p) = P[ |Bin(n,p)/n - p| >= tau ].
//
// Between consecutive break points p = j/n + tau, j/n - tau the counts that fail are
// fixed and the coverage 1 - N is unimodal in p, so N is greatest at a break point,
// where the count on the boundary fails too (Chen 2011). By the symmetry p -> 1-p the
// points p = j/n + tau are enough, and there
//
//	N = P[X <= j] + P[X >= j+B],   B = ceil(2 n tau).
//
// The records are independent and need not be alike. With equal means the binomial law is the worst where n tau >= 1
// (docs/theorems/theory.md#records-that-are-not-alike), and for one record. Elsewhere no exact tail counts.
//
// If 2 n tau is an integer for the decimal that the user meant, the float64 tau must not
// lose the count on the far boundary: B is the ceiling of 2 n tau (1 - 2^-50).
//
// N is not monotone in n. What bounds it for n and every larger sample size is the lesser of
// two bounds that fall in n: Hoeffding's supremum ([KLTail]) and that of Zubkov and Serov
// ([ZubkovSerovTail]). The requirement is the least n such that every n' >= n has N <= beta/m
// where that bound certifies one of at most MaxExactSamples, for beta/m <= 1/2; elsewhere it is
// the least n that the bound certifies, if that is less. It falls in tau and beta and rises in
// m, as both do, and the functions below invert it.

// MaxExactSamples is the greatest number of samples, certified by a bound that falls in n, from
// which on down the exact binomial tails are computed.
const MaxExactSamples = 10_000

var (
	binomialSources = []Source{{"chen11", ""}, {"zubkov13", "Theorem 1"}}
	binomialFixed   = append([]string{"queries with values 0 and 1"}, union...)
	binomialSingle  = append([]string{"query with values 0 and 1"}, single...)
)

// BinomialTail returns sup_p P[|Bin(n,p)/n - p| >= tau], the probability of d for 0/1 records in
// the worst case: never below it, and within 1e-9 relative for n <= MaxExactSamples. For larger n, and where
// n tau < 1 and n > 1, it returns the lesser of [KLTail] and, for a tau smaller by 2^-48 of itself, [ZubkovSerovTail].
func BinomialTail(d Deviation) (Bound[LogProb], error) {
	if err := d.Validate(); err != nil {
		return Bound[LogProb]{}, err
	}
	if d.Samples > MaxExactSamples || newLattice(d).short {
		return Bound[LogProb]{logProbUp(d.falling()), binomialSources, binomialSingle}, nil
	}
	return Bound[LogProb]{LogProb(newLattice(d).above(math.Inf(-1))), binomialSources, binomialSingle}, nil
}

// BinomialSamples returns the requirement: an n such that every n' >= n has sup_p
// P[|Bin(n',p)/n' - p| >= tau] <= beta/m, and the least one for beta/m <= 1/2 where a bound that
// falls in n certifies MaxExactSamples. It reports NoAnswer above MaxSamples.
func BinomialSamples(f Fixed) (Bound[int64], error) {
	if err := f.Validate(); err != nil {
		return Bound[int64]{}, err
	}
	n, err := f.binomialLeast()
	return Bound[int64]{n, binomialSources, binomialFixed}, err
}

// BinomialHolds reports whether n is at least the requirement.
func BinomialHolds(f Fixed, n int64) (bool, error) {
	if err := first(f.Validate(), sampleSize(n)); err != nil {
		return false, err
	}
	if f.certified(n) {
		return true, nil
	}
	f = f.atMostHalf()
	if n >= MaxExactSamples || !f.certified(MaxExactSamples) {
		return false, nil
	}
	for ; !f.certified(n); n++ {
		if newLattice(Deviation{n, f.Tau}).fails(f.limit()) {
			return false, nil
		}
	}
	return true, nil
}

// BinomialWorst returns the least beta/m for which n is at least the requirement, rounded up by
// at most 1e-9.
func BinomialWorst(d Deviation) (LogProb, error) {
	if err := d.Validate(); err != nil {
		return 0, err
	}
	bound := logProbUp(d.falling())
	if d.Samples >= MaxExactSamples {
		return bound, nil
	}
	worst := logProbUp(Deviation{MaxExactSamples, d.Tau}.falling()).Ln()
	for n := d.Samples; worst <= -math.Ln2; n++ {
		if (Deviation{n, d.Tau}).falling().Hi < worst {
			return min(LogProb(worst), bound), nil
		}
		worst = newLattice(Deviation{n, d.Tau}).above(worst)
	}
	return bound, nil
}

// BinomialTau returns the least tau for which n is at least the requirement, rounded up by at
// most 1e-9 in beta/m, or 1 if none below one will do.
func BinomialTau(l Level, n int64) (float64, error) {
	if err := first(l.Validate(), sampleSize(n)); err != nil {
		return 0, err
	}
	bound := l.leastTau(n, 1)
	if n >= MaxExactSamples {
		return bound, nil
	}
	f := Fixed{Level: l}.atMostHalf()
	tau := f.Level.leastTau(MaxExactSamples, bound)
	for ; tau < bound; n++ {
		f.Tau = tau
		if f.certified(n) {
			return tau, nil
		}
		tau = f.raise(n)
	}
	return bound, nil
}

// raise returns the least tau >= f.Tau for which n alone is good, rounded up, or 1. The bisection
// is that of [0,1) whatever f.Tau is, so that rounding cannot make the result depend on it.
func (f Fixed) raise(n int64) float64 {
	limit := math.Nextafter(f.limit().Hi, math.Inf(-1))
	at := func(tau float64) lattice { return newLattice(Deviation{n, tau}) }
	if !at(f.Tau).mayFail(limit) {
		return f.Tau
	}
	known := bracket{f.Tau, 1}.narrowed(limit, at)
	good := known.remembering(func(tau float64) bool { return !at(tau).mayFail(limit) })
	lo, hi := 0.0, 1.0
	for mid := 0.5; mid > lo && mid < hi; mid = lo + (hi-lo)/2 {
		if good(mid) {
			hi = mid
		} else {
			lo = mid
		}
	}
	return hi
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

// leastTau returns the least tau below top for which a bound that falls in n certifies n, or top.
func (l Level) leastTau(n int64, top float64) float64 {
	holds := func(tau float64) bool { return tau > 0 && Fixed{tau, l}.certified(n) }
	last := math.Nextafter(top, 0)
	if !holds(last) {
		return top
	}
	return num.Floats{Lo: 0, Hi: last, Guess: l.guessTau(n)}.Least(holds)
}

// guessTau returns about the least tau that is certified, by secants: the logarithm of ln of
// the bound is close to linear in that of tau - 1/n.
func (l Level) guessTau(n int64) float64 {
	rows, target := float64(n), l.LnOver(1).Hi
	tau := func(s float64) float64 { return math.Min(s+1/rows, math.Nextafter(1, 0)) }
	gap := func(s float64) float64 { return num.Log(-Deviation{n, tau(s)}.falling().Hi / target) }
	s, slope := math.Sqrt(target/(2*rows)), 2.0
	y := gap(s)
	for range 8 {
		step := -y / slope
		if !(math.Abs(step) > 1e-15 && s*num.Exp(step) < 1) {
			break
		}
		s *= num.Exp(step)
		after := gap(s)
		if secant := (after - y) / step; secant > 0.5 && secant < 50 {
			slope = secant
		}
		y = after
	}
	return tau(s)
}

// limit returns ln(beta/m).
func (f Fixed) limit() num.DD { return f.Level.LnOver(1).Neg() }

// atMostHalf asks no query to fail more often than every other time. Above one half almost
// every p is a worst case, and the exact tails are dear for what they save.
func (f Fixed) atMostHalf() Fixed {
	half := LogProb(num.Log(float64(f.Level.Queries) / 2))
	f.Level.Beta = min(f.Level.Beta, half)
	return f
}

// falling returns ln of the lesser of the two bounds on N that fall in n, rounded up. B may be
// short by 2 n tau 2^-50: tau is a little less.
func (d Deviation) falling() num.DD {
	normal := d.shorter().normalSup()
	if atHalf := d.klAtHalf(); atHalf.Cmp(normal) >= 0 { // and so is its supremum
		return normal
	}
	_, entropy := d.klSup()
	return least(least(entropy, normal), num.DD{})
}

// klAtHalf returns ln of Hoeffding's sharper bound at p = 1/2, or of 0.
func (d Deviation) klAtHalf() num.DD {
	if d.Tau > 0.5 {
		return num.FromFloat(-math.MaxFloat64)
	}
	return num.Ln2.Sub(klHalf(d.Tau).Mul(num.FromInt(d.Samples)))
}

func (d Deviation) shorter() Deviation { return Deviation{d.Samples, d.Tau * (1 - 0x1p-48)} }

// certified reports whether a bound that falls in n is at most beta/m.
func (f Fixed) certified(n int64) bool {
	return Deviation{n, f.Tau}.falling().Cmp(f.limit()) <= 0
}

func (f Fixed) normalHolds(n int64) bool {
	return Deviation{n, f.Tau}.shorter().normalSup().Cmp(f.limit()) <= 0
}

// binomialLeast returns the requirement.
func (f Fixed) binomialLeast() (int64, error) {
	top, err := f.leastCertified()
	if err != nil {
		return 0, err
	}
	half, start := f.atMostHalf(), top
	if half != f {
		start, err = half.leastCertified()
	}
	if err == nil && start <= MaxExactSamples {
		top = min(top, half.leastGood(start, 1))
	}
	return top, nil
}

// leastCertified returns the least n that a bound that falls in n certifies.
func (f Fixed) leastCertified() (int64, error) {
	most, err := f.klSamples()
	if err != nil {
		if most = MaxSamples; !f.normalHolds(most) {
			return 0, err
		}
	}
	holds := func(n int64) bool { return n == most || f.normalHolds(n) }
	return num.Ints{Lo: 1, Hi: most, Guess: f.guessNormal(most)}.Least(holds), nil
}

// guessNormal returns about the least n <= most that Zubkov and Serov's bound certifies, by
// secants: ln of the bound is close to linear in n.
func (f Fixed) guessNormal(most int64) int64 {
	target := f.limit().Hi
	excess := func(n float64) float64 {
		return Deviation{int64(n), f.Tau}.shorter().normalSup().Hi - target
	}
	clamp := func(n float64) float64 { return math.Min(math.Max(math.Ceil(n), 1), float64(most)) }
	n, slope := clamp(math.Max(-target/(2*f.Tau*f.Tau), 1.5/f.Tau)), -2*f.Tau*f.Tau
	y := excess(n)
	for range 8 {
		next := clamp(n - y/slope)
		if next == n {
			break
		}
		after := excess(next)
		if secant := (after - y) / (next - n); secant < 0 {
			slope = secant
		}
		n, y = next, after
	}
	return int64(n)
}

// leastGood returns the least n >= floor from which on every n' < top is good.
func (f Fixed) leastGood(top, floor int64) int64 {
	limit := f.limit()
	// From above, the last n that fails. One point says so for most of those that do.
	for n := top - 1; n >= floor; n-- {
		if lattice := newLattice(Deviation{n, f.Tau}); lattice.short || lattice.exceeds(limit, lattice.middle()) {
			floor = n + 1
			break
		}
	}
	for n := top - 1; n >= floor; n-- {
		if newLattice(Deviation{n, f.Tau}).fails(limit) {
			return n + 1
		}
	}
	return floor
}

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

// mayFail is fails without the decision of ties: what is within the rounding of at counts as
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
