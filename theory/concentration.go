package theory

import (
	"cmp"
	"math"
	"sync"

	"github.com/dpcalc/dpcalc/internal/num"
)

// MaxSamples is the largest sample size: every integer up to it is a float64.
const MaxSamples = 1 << 53

// Level is a failure probability shared by several events: by the union bound each
// of them may have probability Beta/Queries.
type Level struct {
	Queries int64   // m, from 1 to 2^53
	Beta    LogProb // in (0, 1)
}

// Validate reports a DomainError unless 1 <= m <= 2^53 and 0 < beta < 1.
func (l Level) Validate() error {
	return cmp.Or(
		Domain(l.Queries >= 1 && l.Queries <= MaxSamples, "queries", l.Queries, "an integer from 1 to 2^53"),
		Domain(l.Beta.IsInterior(), "beta", l.Beta, "a probability in (0, 1)"))
}

// LnOver returns ln(c m/beta) for c >= 1 and a valid l, within 2^-98 relative.
func (l Level) LnOver(c int64) num.DD {
	over := num.FromFloat(-l.Beta.Ln())
	if events := num.FromInt(c).Mul(num.FromInt(l.Queries)); events.Hi > 1 { // ln 1 is exact
		over = over.Add(events.Ln())
	}
	return over
}

// Fixed is the goal for queries that were fixed before the data were seen: with
// probability at least 1-beta the empirical means of all m queries X -> [0,1] are
// within tau of their population values, strictly.
type Fixed struct {
	Tau   float64 // in (0, 1)
	Level Level
}

// Validate reports a DomainError unless 0 < tau < 1 and the level is valid.
func (f Fixed) Validate() error { return cmp.Or(accuracy(f.Tau), f.Level.Validate()) }

// Deviation is the event that the mean of Samples independent [0,1]-valued records
// is off its expectation by Tau or more.
type Deviation struct {
	Samples int64   // n, from 1 to 2^53
	Tau     float64 // in (0, 1)
}

// Validate reports a DomainError unless 1 <= n <= 2^53 and 0 < tau < 1.
func (d Deviation) Validate() error { return cmp.Or(sampleSize(d.Samples), accuracy(d.Tau)) }

func accuracy(tau float64) error { return Domain(tau > 0 && tau < 1, "tau", tau, "a number in (0, 1)") }

func sampleSize(n int64) error {
	return Domain(n >= 1 && n <= MaxSamples, "samples", n, "an integer from 1 to 2^53")
}

var (
	hoeffding1 = Source{"hoeffding63", "Theorem 1"}
	union      = []string{"independent rows", "queries fixed in advance"}
	single     = []string{"independent rows", "query fixed in advance"}
)

// ceilSamples returns the least n >= a/b, or NoAnswer above MaxSamples.
func ceilSamples(a, b num.DD) (int64, error) {
	if a.Hi/b.Hi <= 2*MaxSamples {
		if n := a.Div(b).Ceil(); n <= MaxSamples {
			return max(n, 1), nil
		}
	}
	return 0, &NoAnswerError{Reason: "needs more than 2^53 rows"}
}

// logProbUp returns the least LogProb that is certainly >= x, for an x known within
// 2^-90 of its size.
func logProbUp(x num.DD) LogProb {
	ln := x.Hi
	if x.Lo+math.Abs(x.Hi)*0x1p-90 > 0 {
		ln = math.Nextafter(ln, math.Inf(1))
	}
	return LogProb(math.Min(0, ln))
}

// The sharper form of Hoeffding's Theorem 1 bounds the probability of a deviation, for
// a mean p, by
//
//	f(p) = e^{-n K(p)} + e^{-n K(1-p)},   K(p) = kl(p+tau || p),
//
// a term being 0 where p+tau > 1 or p-tau < 0; kl(p-tau || p) = K(1-p). The functions
// below take its supremum over p. With q = p + tau,
//
//	K''(p) = tau^2 [1/(q p^2) + 1/((1-q)(1-p)^2)] >= 16 tau^2,
//
// as q p^2 <= w^3 and (1-q)(1-p)^2 <= (1-w)^3 for w = (q+2p)/3. So K is convex and, k =
// K(1/2) and s = K'(1/2) = 2 atanh(2 tau) - 4 tau,
//
//	f(1/2+x) <= 2 e^{-nk - 8 n tau^2 x^2} cosh(n s x) <= 2 e^{-nk} = f(1/2)   if n s^2 <= 16 tau^2.
//
// Beyond that n the supremum moves away from 1/2 and is bracketed by branch and bound.

// KLTail returns an upper bound on the probability of d, sup_p f(p) and at most 1: never
// below the supremum and within 1e-9 of it, relative, or within one unit in the last
// place of the logarithm (Hoeffding 1963, Theorem 1).
func KLTail(d Deviation) (Bound[LogProb], error) {
	if err := d.Validate(); err != nil {
		return Bound[LogProb]{}, err
	}
	_, high := d.klSup()
	return Bound[LogProb]{logProbUp(high), []Source{hoeffding1}, single}, nil
}

// KLHolds reports whether sup_p f(p) <= beta/m for n samples. Where the supremum is at 1/2 or
// has one term it decides in 106 bits, elsewhere by an upper bound on it within 1e-11, and a tie
// counts as no.
func KLHolds(f Fixed, n int64) (bool, error) {
	if err := cmp.Or(f.Validate(), sampleSize(n)); err != nil {
		return false, err
	}
	return f.klHolds(n), nil
}

func (f Fixed) klHolds(n int64) bool {
	_, high := Deviation{n, f.Tau}.klSup()
	return high.Add(f.Level.LnOver(1)).Hi <= 0
}

// KLSamples returns the least n with sup_p f(p) <= beta/m; every larger n holds as well,
// as f falls in n. It reports NoAnswer above MaxSamples.
func KLSamples(f Fixed) (Bound[int64], error) {
	if err := f.Validate(); err != nil {
		return Bound[int64]{}, err
	}
	n, err := f.klSamples()
	return Bound[int64]{n, []Source{hoeffding1}, union}, err
}

func (f Fixed) klSamples() (int64, error) {
	least := int64(1)
	if f.Tau <= 0.5 {
		n, err := ceilSamples(f.Level.LnOver(2), klHalf(f.Tau)) // f(1/2) <= beta/m is necessary
		if err != nil {
			return 0, err
		}
		if (Deviation{n, f.Tau}).atHalf() {
			return n, nil
		}
		least = n
	}
	low := klLeast(f.Tau)
	if f.Tau > 0.5 {
		return ceilSamples(f.Level.LnOver(1), low.value)
	}
	most, err := ceilSamples(f.Level.LnOver(2), low.value) // sup f <= 2 e^{-n min K}
	if err != nil {
		if most = MaxSamples; !f.klHolds(most) {
			return 0, err
		}
	}
	// ln sup f is convex and falls in n by about min K: Newton's steps from the left.
	n, target := float64(least), -f.Level.LnOver(1).Hi
	for range 4 {
		sum := newKLSum(n, f.Tau, low)
		_, peak := sum.peak()
		n += (math.Max(peak.ln+sum.base.Hi, -n*low.value.Hi) - target) / low.value.Hi
	}
	guess := int64(math.Min(math.Ceil(n), MaxSamples))
	return num.Ints{Lo: least, Hi: most, Guess: guess}.Least(f.klHolds), nil
}

// atHalf reports whether n s^2 <= 16 tau^2, with room for rounding.
func (d Deviation) atHalf() bool {
	if d.Tau >= 0.5 {
		return false
	}
	s := num.KLShift{P: 0.5, Shift: d.Tau}.Slope() / d.Tau
	return float64(d.Samples)*s*s <= 15.99
}

// klSup returns bounds on ln sup f from both sides.
func (d Deviation) klSup() (low, high num.DD) {
	n := num.FromInt(d.Samples)
	if d.atHalf() {
		ln := num.Ln2.Sub(klHalf(d.Tau).Mul(n))
		return ln, ln.AddFloat(0x1p-92)
	}
	least := klLeast(d.Tau)
	if d.Tau > 0.5 {
		return least.above.Mul(n).Neg(), least.value.Mul(n).Neg()
	}
	return newKLSum(float64(d.Samples), d.Tau, least).sup()
}

// klHalf returns K(1/2) = sum_j x^2j/(2j(2j-1)), x = 2 tau, within 2^-94 relative for 0 <
// tau <= 1/2.
func klHalf(tau float64) num.DD {
	x := num.FromFloat(2 * tau)
	if x.Hi <= 0.25 {
		y := x.Mul(x)
		sum := num.DD{}
		table := klSeries()
		for i := len(table) - 1; i >= 0; i-- {
			sum = sum.Mul(y).Add(table[i])
		}
		return sum.Mul(y)
	}
	sum := num.DD{}
	for _, t := range []num.DD{x.AddFloat(1), x.Neg().AddFloat(1)} {
		if t.Hi > 0 {
			sum = sum.Add(t.Mul(t.Ln()))
		}
	}
	return sum.MulFloat(0.5)
}

var klSeries = sync.OnceValue(func() *[27]num.DD {
	var table [27]num.DD
	for i := range table {
		j := float64(i + 1)
		table[i] = num.FromFloat(1).Div(num.FromFloat(2 * j * (2*j - 1)))
	}
	return &table
})

// klMinimum is the minimum of K, which is convex with K' < 0 at (1-tau)/2 and K' > 0 at
// 1/2 and at 1-tau: at p or the float64 after it, between value and above.
type klMinimum struct {
	p            float64
	value, above num.DD
}

func klLeast(tau float64) klMinimum {
	slope := func(p float64) float64 { return num.KLShift{P: p, Shift: tau}.Slope() }
	within := num.Floats{Lo: (1 - tau) / 2, Hi: math.Min(0.5, 1-tau), Guess: 0.5 - tau/3}
	if tau <= 0.4 {
		within.Guess = num.LeastEntropy(tau)
	}
	at := within.Least(func(p float64) bool { return slope(p) >= 0 })
	p := math.Nextafter(at, 0)
	above := num.KLShift{P: p, Shift: tau}.DD()
	// The tangent at p, a little steeper because K' is known within 2e-15 tau/p only.
	value := above.AddFloat(-(math.Abs(slope(p)) + 1e-14*tau/p) * (at - p))
	return klMinimum{p, value.Sub(value.MulFloat(0x1p-90)), above}
}

// klSum is f for tau <= 1/2, or the same sum with another function of the exponents nK and
// another shift in K(p) = kl(p+shift || p). The domains of the terms follow from tau.
type klSum struct {
	n, shift, tau float64
	low           klMinimum
	normal        bool   // a term is Phi(-sqrt(2nK)) and not e^{-nK}
	base          num.DD // what the logarithms leave out: -n min K where a float64 would lose it, or 0
}

func newKLSum(n, tau float64, low klMinimum) klSum {
	f := klSum{n: n, shift: tau, tau: tau, low: low}
	if exponent := low.value.MulFloat(n); exponent.Hi > 1e5 {
		f.base = exponent.Neg()
	}
	return f
}

// klPoint is ln f - base at a point with both its terms, which are functions of the
// exponents nK(p) and nK(1-p).
type klPoint struct {
	ln, slope float64
	share     float64 // of the second term in f
	odds      float64 // ln of the second term over the first
	tilt      float64 // the derivative of odds
}

func (f klSum) at(p float64) klPoint {
	e1, s1 := f.term(num.KLShift{P: p, Shift: f.shift})
	e2, s2 := f.term(num.KLShift{P: p, Shift: -f.shift})
	share := 1 / (1 + num.Exp(e1-e2))
	slope := s1
	if share > 0 {
		slope = (1-share)*s1 + share*s2
	}
	return klPoint{num.LogAddExp(e1, e2), slope, share, e2 - e1, s2 - s1}
}

// term returns the logarithm of a term, less base, and its derivative in p.
func (f klSum) term(s num.KLShift) (ln, slope float64) {
	y := f.n * s.Nats()
	ln, slope = -y, -f.n*s.Slope()
	if f.base.Hi != 0 {
		ln = s.DD().MulFloat(-f.n).Sub(f.base).Float()
	}
	if f.normal { // Phi(-x) = phi(x) R(x), and d ln R(x)/dy + 1 = 1/(x R(x)) for x = sqrt(2y)
		x := math.Sqrt(2 * y)
		mills := num.Mills(x)
		ln += num.Log(mills) - lnSqrt2Pi
		slope /= x * mills
	}
	return ln, slope
}

// bend returns a lower bound on the second derivative of K, shifted by sign times the shift,
// in the cell.
func (f klSum) bend(sign float64, cell num.Interval) float64 {
	p, r := cell.Hi, 1-cell.Lo
	q, o := p+sign*f.shift, r-sign*f.shift
	return f.shift * f.shift * (1/(q*p*p) + 1/(o*r*r))
}

// lift returns an upper bound on what the second derivative of ln Phi(-sqrt(2nK)) has above
// -nK” in the cell: as ln Phi(-sqrt(2y)) has a slope below -1 and a second derivative of at
// most 1/(2 y^2), this is (K'/K)^2/2. K' is monotone.
func (f klSum) lift(cell num.Interval) float64 {
	if !f.normal {
		return 0
	}
	steepest := 0.0
	for _, p := range [...]float64{cell.Lo, cell.Hi} {
		for _, shift := range [...]float64{f.shift, -f.shift} {
			steepest = math.Max(steepest, math.Abs(num.KLShift{P: p, Shift: shift}.Slope()))
		}
	}
	ratio := steepest / f.low.value.Hi
	return ratio * ratio / 2
}

// curvature bounds the second derivative of ln f in the cell from above by what it is when both terms are
// replaced by tangents at c, where f is pt, minus what their concavity takes off.
//
// On the cell, the logarithm of a term is at most its tangent - (n bend - lift) x^2/2. The sum of the two tangents'
// exponentials has a logarithm with second derivative tilt^2 share (1-share).
func (f klSum) curvature(cell num.Interval, c float64, pt klPoint) float64 {
	least, most := pt.odds+pt.tilt*(cell.Lo-c), pt.odds+pt.tilt*(cell.Hi-c)
	spread := 0.25
	if near := math.Max(least, -most); near > 0 {
		e := num.Exp(-near)
		spread = e / ((1 + e) * (1 + e))
	}
	return pt.tilt*pt.tilt*spread - f.n*math.Min(f.bend(1, cell), f.bend(-1, cell)) + f.lift(cell)
}

// over returns an upper bound on ln f in the cell: the greatest value of the parabola
// with the value and slope of ln f at the point c in it and that curvature.
func (f klSum) over(cell num.Interval, c float64, pt klPoint) float64 {
	curve, slope := f.curvature(cell, c, pt), math.Abs(pt.slope)
	ahead, behind := cell.Hi-c, c-cell.Lo // as seen along the slope
	if pt.slope < 0 {
		ahead, behind = behind, ahead
	}
	rise := slope*ahead + curve*ahead*ahead/2
	if curve > 0 {
		rise = math.Max(rise, curve*behind*behind/2)
	} else if slope < -curve*ahead {
		rise = slope * slope / (-2 * curve)
	}
	if !(rise <= math.MaxFloat64) { // at p = tau the second term has an infinite slope
		return f.flat(cell)
	}
	return pt.ln + rise
}

// flat returns the upper bound on ln f in a cell of the domain that comes from the
// first term falling and the second rising.
func (f klSum) flat(cell num.Interval) float64 {
	e1, _ := f.term(num.KLShift{P: cell.Lo, Shift: f.shift})
	e2, _ := f.term(num.KLShift{P: cell.Hi, Shift: -f.shift})
	return num.LogAddExp(e1, e2)
}

// domain is where the supremum over [tau, 1-tau] is, up to symmetry: below the minimum
// of K both terms increase.
func (f klSum) domain() num.Interval { return num.Interval{Lo: math.Max(f.low.p, f.tau), Hi: 0.5} }

// peak searches for the supremum in the domain. What it finds is a value of f.
func (f klSum) peak() (float64, klPoint) {
	in := f.domain()
	c, _ := in.Minimize(1e-7, func(p float64) float64 { return -f.at(p).ln })
	pt := f.at(c)
	if end := f.at(in.Hi); end.ln >= pt.ln {
		c, pt = in.Hi, end
	}
	return f.polish(c, pt)
}

// polish moves a point by Newton's steps to where the slope vanishes.
func (f klSum) polish(c float64, pt klPoint) (float64, klPoint) {
	in := f.domain()
	for range 4 {
		here := num.Interval{Lo: c, Hi: c}
		curve := pt.tilt*pt.tilt*pt.share*(1-pt.share) - f.n*((1-pt.share)*f.bend(1, here)+pt.share*f.bend(-1, here))
		next := math.Min(math.Max(c-pt.slope/curve, in.Lo), in.Hi)
		if !(curve < 0) || next == c {
			break
		}
		moved := f.at(next)
		if !(math.Abs(moved.slope) < math.Abs(pt.slope)) {
			break
		}
		c, pt = next, moved
	}
	return c, pt
}

// sup brackets ln sup f. The lower end is ln f at the highest point found.
func (f klSum) sup() (low, high num.DD) {
	in := f.domain()
	c, pt := f.peak()
	var excess float64
	for range 4 {
		// A cell around the peak on which the bound on ln f is concave, and thus off by the
		// square of the slope only.
		cell := in
		for r := in.Hi - in.Lo; f.curvature(cell, c, pt) >= 0; r /= 2 {
			cell = num.Interval{Lo: math.Max(in.Lo, c-r), Hi: math.Min(in.Hi, c+r)}
			if r < 1e-9 {
				cell = num.Interval{Lo: c, Hi: c}
				break
			}
		}
		search := klSearch{klSum: f, best: pt.ln, bestAt: c, tolerance: 1e-12 + 4e-16*math.Abs(pt.ln)}
		excess = f.over(cell, c, pt) - pt.ln
		for _, rest := range []num.Interval{{Lo: in.Lo, Hi: cell.Lo}, {Lo: cell.Hi, Hi: in.Hi}} {
			if rest.Lo < rest.Hi {
				excess = math.Max(excess, search.cover(rest, 60)-pt.ln)
			}
		}
		if search.bestAt == c {
			break
		}
		c, pt = f.polish(search.bestAt, f.at(search.bestAt)) // there was a higher peak
	}
	low = f.exact(c)
	high = low.AddFloat(math.Max(0, excess) + f.n*0x1p-95)
	if f.tau > f.low.p { // on [p, tau) there is the first term alone
		if alone := f.whole(f.low.value); alone.Cmp(high) > 0 {
			high = alone
		}
		if alone := f.whole(f.low.above); alone.Cmp(low) > 0 {
			low = alone
		}
	}
	return low, high
}

// whole returns the logarithm of the term with that K, without leaving base out.
func (f klSum) whole(k num.DD) num.DD {
	y := k.MulFloat(f.n)
	if f.normal {
		return lnNormal(y)
	}
	return y.Neg()
}

// exact returns ln f(c) in double-double.
func (f klSum) exact(c float64) num.DD {
	a := f.whole(num.KLShift{P: c, Shift: f.shift}.DD())
	b := f.whole(num.KLShift{P: c, Shift: -f.shift}.DD())
	if a.Cmp(b) < 0 {
		a, b = b, a
	}
	gap := b.Sub(a)
	if gap.Hi < -70 {
		return a.AddFloat(num.Exp(gap.Hi))
	}
	return a.Add(gap.Exp().AddFloat(1).Ln())
}

// klSearch is a branch and bound with the highest point seen.
type klSearch struct {
	klSum
	best, bestAt float64
	tolerance    float64
}

// cover returns an upper bound on ln f in the cell, or best + tolerance if that is
// above it.
func (s *klSearch) cover(cell num.Interval, depth int) float64 {
	c := cell.Lo + (cell.Hi-cell.Lo)/2
	pt := s.at(c)
	// A higher point left unrecorded would keep its cell above the acceptance below,
	// best + tolerance/2, at every size.
	if pt.ln > s.best+s.tolerance/4 {
		s.best, s.bestAt = pt.ln, c
	}
	if depth == 0 || c <= cell.Lo || c >= cell.Hi {
		return s.flat(cell) + s.tolerance/2 // which covers rounding
	}
	bound := s.over(cell, c, pt) + s.tolerance/2
	if bound <= s.best+s.tolerance {
		return bound
	}
	return math.Max(s.cover(num.Interval{Lo: cell.Lo, Hi: c}, depth-1), s.cover(num.Interval{Lo: c, Hi: cell.Hi}, depth-1))
}
