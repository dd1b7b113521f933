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
// If 2 n tau is an integer for the decimal that the user meant, the float64 tau must not
// lose the count on the far boundary: B is the ceiling of 2 n tau (1 - 2^-50).
//
// N is not monotone in n. That every n from some point on is good follows from the
// inequality of Zubkov and Serov (2013, Theorem 1),
//
//	P[X <= k] <= Phi(-sqrt(2 n kl((k+1)/n || p)))   for k+1 <= n p,
//
// and its mirror image: with p = j/n + tau both tails are at most what the deviation
// tau - 1/n gives, which is monotone in n. See certified.

// MaxExactSamples is the largest sample size that the exact binomial requirement is
// computed for.
const MaxExactSamples = 10_000

var (
	binomialSources = []Source{{"chen11", ""}, {"zubkov13", "Theorem 1"}}
	binomialFixed   = append([]string{"queries with values 0 and 1"}, union...)
	binomialSingle  = append([]string{"query with values 0 and 1"}, single...)
)

func notExact() error {
	return &NotApplicableError{Source: binomialSources[0], Needs: "at most 10,000 rows"}
}

// BinomialTail returns sup_p P[|Bin(n,p)/n - p| >= tau], the probability of d for 0/1
// records in the worst case: never below it and within 1e-9 relative. It reports
// NotApplicable for n > MaxExactSamples.
func BinomialTail(d Deviation) (Bound[LogProb], error) {
	if err := d.Validate(); err != nil {
		return Bound[LogProb]{}, err
	}
	if d.Samples > MaxExactSamples {
		return Bound[LogProb]{}, notExact()
	}
	return Bound[LogProb]{LogProb(newLattice(d).sup()), binomialSources, binomialSingle}, nil
}

// BinomialSamples returns the least n such that every n' >= n has sup_p P[|Bin(n',p)/n' -
// p| >= tau] <= beta/m. It reports NotApplicable if no n <= MaxExactSamples will do;
// [KLSamples] answers there.
func BinomialSamples(f Fixed) (Bound[int64], error) {
	if err := f.Validate(); err != nil {
		return Bound[int64]{}, err
	}
	n, ok := f.binomialLeast(1)
	if !ok || n > MaxExactSamples {
		return Bound[int64]{}, notExact()
	}
	return Bound[int64]{n, binomialSources, binomialFixed}, nil
}

// BinomialHolds reports whether every n' >= n has sup_p P[|Bin(n',p)/n' - p| >= tau] <=
// beta/m. It reports NotApplicable for n > MaxExactSamples.
func BinomialHolds(f Fixed, n int64) (bool, error) {
	if err := first(f.Validate(), sampleSize(n)); err != nil {
		return false, err
	}
	if n > MaxExactSamples {
		return false, notExact()
	}
	if newLattice(Deviation{n, f.Tau}).fails(f.Level.LnOver(1).Neg()) {
		return false, nil // the usual reason, and the quick one
	}
	least, ok := f.binomialLeast(n)
	return ok && least <= n, nil
}

// BinomialWorst returns sup over n' >= n of the probability of d for 0/1 records with n'
// in the place of n: the least beta/m for which [BinomialHolds], never below it and
// within 1e-9. It reports NotApplicable for n > MaxExactSamples and above one half.
func BinomialWorst(d Deviation) (LogProb, error) {
	if err := d.Validate(); err != nil {
		return 0, err
	}
	const near = 5e-10 // samples as bad as the worst so far, but for this, need no second look
	worst := newLattice(d).sup() + near
	for n := d.Samples + 1; n <= mostScanned && worst <= -math.Ln2; n++ {
		if certified(Deviation{n, d.Tau}, worst) {
			return LogProb(worst), nil
		}
		if l := newLattice(Deviation{n, d.Tau}); l.fails(num.FromFloat(worst)) {
			worst = l.sup() + near
		}
	}
	return 0, notExact()
}

// BinomialTau returns the least tau for which every n' >= n has sup_p P[|Bin(n',p)/n' - p|
// >= tau] <= beta/m, or 1 if none below one does. It reports NotApplicable for n > MaxExactSamples and where it is out of reach.
func BinomialTau(l Level, n int64) (float64, error) {
	if err := first(l.Validate(), sampleSize(n)); err != nil {
		return 0, err
	}
	limit := l.LnOver(1).Neg()
	fails := func(n int64, tau float64) bool { return newLattice(Deviation{n, tau}).fails(limit) }
	last := math.Nextafter(1, 0)
	raise := func(n int64, lo float64) float64 { // the least tau above lo at which n does not fail
		hi := lo
		for step := 1e-3; fails(n, hi); step *= 2 {
			if hi == last {
				return 1
			}
			lo, hi = hi, math.Min(hi*(1+step), last)
		}
		for mid := lo + (hi-lo)/2; mid > lo && mid < hi; mid = lo + (hi-lo)/2 {
			if fails(n, mid) {
				lo = mid
			} else {
				hi = mid
			}
		}
		return hi
	}
	tau := raise(n, 1/(4*float64(n)))
	for k := n + 1; k <= mostScanned && tau < 1; k++ {
		if certified(Deviation{k, tau}, math.Nextafter(limit.Hi, math.Inf(-1))) {
			return tau, nil
		}
		if fails(k, tau) {
			tau = raise(k, tau)
		}
	}
	if tau == 1 {
		return 1, nil
	}
	return 0, notExact()
}

// mostScanned is far above every n that can lead to a requirement in range.
const mostScanned = 2 * MaxExactSamples

// binomialLeast returns the least n >= floor from which on every n' is good; not ok means
// that it is not known to be near or below MaxExactSamples.
func (f Fixed) binomialLeast(floor int64) (n int64, ok bool) {
	limit := f.Level.LnOver(1).Neg()
	certified := func(n int64) bool { return certified(Deviation{n, f.Tau}, math.Nextafter(limit.Hi, math.Inf(-1))) }
	if !certified(mostScanned) {
		return 0, false
	}
	guess := -limit.Hi/(2*f.Tau*f.Tau) + 2/f.Tau
	top := num.Ints{Lo: 1, Hi: mostScanned, Guess: int64(math.Min(guess, mostScanned))}.Least(certified)
	// From above, the last n that fails. One point says so for most of those that do.
	for n := top - 1; n >= floor; n-- {
		if lattice := newLattice(Deviation{n, f.Tau}); lattice.exceeds(limit, lattice.middle()) {
			floor = n + 1
			break
		}
	}
	for n := top - 1; n >= floor; n-- {
		if newLattice(Deviation{n, f.Tau}).fails(limit) {
			return n + 1, true
		}
	}
	return floor, true
}

// certified reports whether ln N <= limit for this n and every larger one, from a bound
// that falls in n. With t = tau - 1/n, K(p) = kl(p+t || p) >= 2 t^2 and h(y) = ln
// Phi(-sqrt(2y)), which has h' <= -1,
//
//	Phi(-sqrt(2nK)) = e^{h(nK)} <= e^{h(y)+y} e^{-nK},   y = 2 n t^2,
//
// so that sup N is at most e^{h(y)+y} times Hoeffding's supremum at t.
func certified(d Deviation, limit float64) bool {
	n := float64(d.Samples)
	t := d.Tau - 1/n - d.Tau*0x1p-48 // B may be short by 2 n tau 2^-50
	if !(t > 0) {
		return false
	}
	_, sup := Deviation{d.Samples, t}.klSup()
	factor := math.Log(num.Mills(2*math.Sqrt(n)*t)) - 0.5*math.Log(2*math.Pi)
	return sup.Hi+factor+1e-12 <= limit
}

// lattice has the break points p = j/n + tau for one n.
type lattice struct {
	samples int64
	n, tau  float64
	gap     int64 // B
	last    int64 // the greatest j with p < 1
}

func newLattice(d Deviation) lattice {
	l := lattice{samples: d.Samples, n: float64(d.Samples), tau: d.Tau}
	l.gap = int64(math.Ceil(2 * l.n * (d.Tau * (1 - 0x1p-50))))
	l.last = min(d.Samples-1, int64(l.n*(1-d.Tau)))
	for l.last > 0 && l.p(l.last) >= 1 {
		l.last--
	}
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

// sup returns ln N at its greatest, never below the truth.
func (l lattice) sup() float64 {
	best := l.at(l.middle())
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
	lo, hi := l.window(math.Nextafter(limit.Hi, math.Inf(-1)))
	middle := l.middle()
	for up, down := middle, middle-1; up < hi || down > lo; up, down = up+1, down-1 {
		if up < hi && l.exceeds(limit, up) || down > lo && l.exceeds(limit, down) {
			return true
		}
	}
	return false
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
	return num.FromBig(mantissa).Ln().Add(ln2.MulFloat(float64(exponent)))
}
