package theory

import (
	"cmp"
	"math"

	"github.com/dpcalc/dpcalc/internal/num"
)

// The exact requirement for 0/1 queries. For n records and both sides let
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
// Where one side counts N is P[X <= j] alone.
//
// The records are independent and need not be alike. With equal means the binomial law is the worst where n tau >= 1
// (docs/theorems/theory.md#records-that-are-not-alike), and for one record. Elsewhere no exact tail counts.
//
// If 2 n tau is an integer for the decimal that the user meant, the float64 tau must not
// lose the count on the far boundary: B is the ceiling of 2 n tau (1 - 2^-50).
//
// N is not monotone in n. Two bounds fall in n: Hoeffding's supremum ([KLTail]) and the one of Zubkov and Serov
// ([ZubkovSerovTail]); for one side the lesser of both is [BinomialUpperTail]. The requirement is the least n such that
// every n' >= n has N <= beta/m, where the lesser bound certifies one of at most MaxExactSamples, for beta/m <= 1/2;
// elsewhere it is the least n that this bound certifies, if that is less. It falls in tau and beta and rises in m, as
// both do, and the functions below invert it.

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

// Sides says which errors of a 0/1 query count.
type Sides int

const (
	BothSides Sides = iota // a mean that is tau or more off
	OneSide                // a mean that is tau or more above its expectation or, as likely, as much below
)

// binomial is the goal for 0/1 queries.
type binomial struct {
	Fixed
	sides Sides
}

// BinomialSamples returns the requirement: an n such that every n' >= n has N <= beta/m, and the least one for
// beta/m <= 1/2 where a bound that falls in n certifies MaxExactSamples. It reports NoAnswer above MaxSamples.
func BinomialSamples(f Fixed, sides Sides) (Bound[int64], error) {
	if err := f.Validate(); err != nil {
		return Bound[int64]{}, err
	}
	n, err := binomial{f, sides}.least()
	return Bound[int64]{n, binomialSources, binomialFixed}, err
}

// BinomialHolds reports whether n is at least the requirement.
func BinomialHolds(f Fixed, sides Sides, n int64) (bool, error) {
	if err := cmp.Or(f.Validate(), sampleSize(n)); err != nil {
		return false, err
	}
	b := binomial{f, sides}
	if b.certified(n) {
		return true, nil
	}
	b = b.atMostHalf()
	if n >= MaxExactSamples || !b.certified(MaxExactSamples) {
		return false, nil
	}
	for ; !b.certified(n); n++ {
		if b.lattice(n).fails(b.limit()) {
			return false, nil
		}
	}
	return true, nil
}

// BinomialWorst returns the least beta/m for which n is at least the requirement, rounded up by
// at most 1e-9.
func BinomialWorst(d Deviation, sides Sides) (LogProb, error) {
	if err := d.Validate(); err != nil {
		return 0, err
	}
	b := binomial{Fixed{Tau: d.Tau}, sides}
	bound := logProbUp(b.bound(d.Samples))
	if d.Samples >= MaxExactSamples {
		return bound, nil
	}
	worst := logProbUp(b.bound(MaxExactSamples)).Ln()
	for n := d.Samples; worst <= -math.Ln2; n++ {
		if b.bound(n).Hi < worst {
			return min(LogProb(worst), bound), nil
		}
		worst = b.lattice(n).above(worst)
	}
	return bound, nil
}

// BinomialTau returns about the least tau for which n is at least the requirement, or 1 if none below one will do: for
// both sides rounded up by at most 1e-9 in beta/m, for one side by at most 1e-9 of itself.
func BinomialTau(l Level, sides Sides, n int64) (float64, error) {
	if err := cmp.Or(l.Validate(), sampleSize(n)); err != nil {
		return 0, err
	}
	b := binomial{Fixed{Level: l}, sides}
	top := b.certifiedTau(n, 1)
	if n >= MaxExactSamples {
		return top, nil
	}
	b = b.atMostHalf()
	for b.Tau = b.certifiedTau(MaxExactSamples, top); b.Tau < top; n++ {
		if b.certified(n) {
			return b.Tau, nil
		}
		b.Tau = b.raised(n, top)
	}
	return top, nil
}

// lattice has the break points for n records.
func (b binomial) lattice(n int64) lattice {
	l := newLattice(Deviation{n, b.Tau})
	if b.sides == OneSide {
		l.gap = n + 1 // no count above
	}
	return l
}

// bound returns ln of a bound on N that falls in n, rounded up. B may be short by 2 n tau 2^-50: tau is a little less.
func (b binomial) bound(n int64) num.DD {
	d := Deviation{n, b.Tau}
	if b.sides == OneSide {
		d = d.shorter()
		return least(d.normalUpper(), d.klUpper())
	}
	return d.falling()
}

// certified reports whether the bound that falls in n is at most beta/m.
func (b binomial) certified(n int64) bool { return b.bound(n).Cmp(b.limit()) <= 0 }

// limit returns ln(beta/m).
func (f Fixed) limit() num.DD { return f.Level.LnOver(1).Neg() }

// atMostHalf asks no query to fail more often than every other time. Above one half almost
// every p is a worst case, and the exact tails are dear for what they save.
func (b binomial) atMostHalf() binomial {
	half := LogProb(num.Log(float64(b.Level.Queries) / 2))
	b.Level.Beta = min(b.Level.Beta, half)
	return b
}

// least returns the requirement.
func (b binomial) least() (int64, error) {
	top, err := b.leastCertified()
	if err != nil {
		return 0, err
	}
	half, start := b.atMostHalf(), top
	if half != b {
		start, err = half.leastCertified()
	}
	if err == nil && start <= MaxExactSamples {
		top = min(top, half.leastGood(start, 1))
	}
	return top, nil
}

// leastCertified returns the least n that a bound that falls in n certifies.
func (b binomial) leastCertified() (int64, error) {
	most, err, bound := int64(MaxSamples), error(TooMany(math.Inf(1))), b.bound
	if b.sides == BothSides { // below what Hoeffding's bound asks for, the other one decides
		most, err = b.klSamples()
		bound = func(n int64) num.DD { return Deviation{n, b.Tau}.shorter().normalSup() }
	}
	holds := func(n int64) bool { return bound(n).Cmp(b.limit()) <= 0 }
	if err != nil {
		if most = MaxSamples; !holds(most) {
			return 0, err
		}
	}
	least := func(n int64) bool { return n == most || holds(n) }
	excess := func(n float64) float64 { return bound(int64(n)).Hi - b.limit().Hi }
	guess := num.Interval{Lo: 1, Hi: float64(most)}.SafeRoot(1e-9, excess)
	return num.Ints{Lo: 1, Hi: most, Guess: int64(guess)}.Least(least), nil
}

// leastGood returns the least n >= floor from which on every n' < top is good.
func (b binomial) leastGood(top, floor int64) int64 {
	limit := b.limit()
	// From above, the last n that fails. One point says so for most of those that do.
	for n := top - 1; n >= floor; n-- {
		if lattice := b.lattice(n); lattice.short || lattice.exceeds(limit, lattice.middle()) {
			floor = n + 1
			break
		}
	}
	for n := top - 1; n >= floor; n-- {
		if b.lattice(n).fails(limit) {
			return n + 1
		}
	}
	return floor
}

// tolerance is how far a tau may be above the least one, as a share of it: 0 stands for the next number.
func (b binomial) tolerance() float64 {
	if b.sides == OneSide {
		return 1e-10
	}
	return 0
}

// certifiedTau returns about the least tau below top for which a bound that falls in n certifies n, or top.
func (b binomial) certifiedTau(n int64, top float64) float64 {
	holds := func(tau float64) bool { b.Tau = tau; return tau > 0 && tau < 1 && b.certified(n) }
	if b.sides == OneSide {
		return bisect(0, b.tolerance(), holds)
	}
	last := math.Nextafter(top, 0)
	if !holds(last) {
		return top
	}
	excess := func(tau float64) float64 { return Deviation{n, tau}.falling().Hi - b.limit().Hi }
	guess := num.Interval{Lo: 0x1p-60, Hi: last}.SafeRoot(1e-14, excess)
	return num.Floats{Lo: 0, Hi: last, Guess: guess}.Least(holds)
}

// raised returns about the least tau, from b.Tau to top, for which n alone is good. The bisection for both sides is the
// one of [0,1) whatever b.Tau is, so that rounding cannot make the result depend on it.
func (b binomial) raised(n int64, top float64) float64 {
	limit := math.Nextafter(b.limit().Hi, math.Inf(-1))
	at := func(tau float64) lattice { b.Tau = tau; return b.lattice(n) }
	from := b.Tau
	if !at(from).mayFail(limit) {
		return from
	}
	known, lo := bracket{from, top}, from
	if b.sides == BothSides {
		known.yes, lo = 1, 0
	}
	known = known.narrowed(limit, at)
	return bisect(lo, b.tolerance(), known.remembering(func(tau float64) bool { return !at(tau).mayFail(limit) }))
}

// bisect returns about the least x between lo and 1 from which on ok holds, or 1.
func bisect(lo, tolerance float64, ok func(x float64) bool) float64 {
	hi := 1.0
	for mid := lo + (hi-lo)/2; mid > lo && mid < hi && hi-lo > tolerance*hi; mid = lo + (hi-lo)/2 {
		if ok(mid) {
			hi = mid
		} else {
			lo = mid
		}
	}
	return hi
}

// falling returns ln of the lesser of the two bounds on N that fall in n, rounded up.
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
