package theory

import (
	"math"

	"github.com/dpcalc/dpcalc/internal/num"
)

// Side is the goal for one side of one 0/1 query: with probability at least 1-Beta its mean is not Tau or more
// above its expectation; as often it is not Tau or more below. Beta may be a share of a failure probability that
// any number of such events divide, so it may be far below what a [Level] allows.
//
// For one n the probability is greatest at a break point, sup_p P[Bin(n,p) <= n(p-tau)] = max_j P[Bin(n, j/n+tau)
// <= j]: between two break points the count that fails is fixed and its probability falls in p. It is not monotone
// in n. The requirement is the least n such that it and every greater n serve, where [BinomialUpperTail], which
// falls in n, certifies one of at most MaxExactSamples; else the least n that this bound certifies.
//
// The records are independent and need not be alike, as for [BinomialTail].
type Side struct {
	Tau  float64 // in (0, 1)
	Beta LogProb // in (0, 1)
}

// Validate reports a DomainError unless 0 < tau < 1 and 0 < beta < 1.
func (s Side) Validate() error {
	return first(accuracy(s.Tau), Domain(s.Beta.Interior(), "beta", s.Beta, "a probability in (0, 1)"))
}

// BinomialSideSamples returns the requirement. It reports NoAnswer above MaxSamples.
func BinomialSideSamples(s Side) (Bound[int64], error) {
	if err := s.Validate(); err != nil {
		return Bound[int64]{}, err
	}
	n, err := s.leastCertified()
	if err == nil && n > 1 {
		n = min(n, s.atMostHalf().leastGood())
	}
	return Bound[int64]{n, binomialSources, binomialSingle}, err
}

// BinomialSideHolds reports whether n is at least the requirement.
func BinomialSideHolds(s Side, n int64) (bool, error) {
	if err := first(s.Validate(), sampleSize(n)); err != nil {
		return false, err
	}
	if s.certified(n) {
		return true, nil
	}
	if s = s.atMostHalf(); n >= MaxExactSamples || !s.certified(MaxExactSamples) {
		return false, nil
	}
	for ; !s.certified(n); n++ {
		if !s.good(n) {
			return false, nil
		}
	}
	return true, nil
}

// BinomialSideTau returns about the least tau for which n is at least the requirement, rounded up by at most 1e-9
// of itself, or 1 if none below one will do.
func BinomialSideTau(beta LogProb, n int64) (float64, error) {
	s := Side{0.5, beta}
	if err := first(s.Validate(), sampleSize(n)); err != nil {
		return 0, err
	}
	top := s.leastTau(0, func(s Side) bool { return s.certified(n) })
	if n >= MaxExactSamples {
		return top, nil
	}
	s = s.atMostHalf()
	s.Tau = s.leastTau(0, func(s Side) bool { return s.certified(MaxExactSamples) })
	for ; s.Tau < top; n++ {
		if s.certified(n) {
			return s.Tau, nil
		}
		if !s.good(n) {
			s.Tau = s.leastGoodTau(n, top)
		}
	}
	return top, nil
}

// leastTau returns about the least tau above floor from which on ok holds, or 1.
func (s Side) leastTau(floor float64, ok func(Side) bool) float64 {
	lo, hi := floor, 1.0
	for hi-lo > 1e-10*hi {
		if s.Tau = lo + (hi-lo)/2; s.Tau > 0 && s.Tau < 1 && ok(s) {
			hi = s.Tau
		} else {
			lo = s.Tau
		}
	}
	return hi
}

// leastGoodTau returns about the least tau, between s.Tau and top, for which n alone serves.
func (s Side) leastGoodTau(n int64, top float64) float64 {
	at := func(tau float64) lattice { return newSideLattice(Deviation{n, tau}) }
	known := bracket{s.Tau, top}.narrowed(s.strictly(), at)
	good := known.remembering(func(tau float64) bool { return !at(tau).mayFail(s.strictly()) })
	return s.leastTau(s.Tau, func(s Side) bool { return good(s.Tau) })
}

// BinomialSideWorst returns the least beta for which n is at least the requirement, rounded up by at most 1e-9.
func BinomialSideWorst(d Deviation) (LogProb, error) {
	if err := d.Validate(); err != nil {
		return 0, err
	}
	bound := func(n int64) float64 {
		tail, _ := BinomialUpperTail(Deviation{n, d.Tau * (1 - 0x1p-48)})
		return tail.Value.Ln()
	}
	top := LogProb(bound(d.Samples))
	if d.Samples >= MaxExactSamples {
		return top, nil
	}
	worst := bound(MaxExactSamples)
	for n := d.Samples; worst <= -math.Ln2; n++ {
		if bound(n) <= worst {
			return min(LogProb(worst), top), nil
		}
		worst = newSideLattice(Deviation{n, d.Tau}).above(worst)
	}
	return top, nil
}

// newSideLattice is the lattice without the counts above.
func newSideLattice(d Deviation) lattice {
	l := newLattice(d)
	l.gap = d.Samples + 1
	return l
}

// atMostHalf asks no event to occur more often than every other time. Above one half almost every expectation is a
// worst case, and the exact tails are dear for what they save.
func (s Side) atMostHalf() Side {
	s.Beta = min(s.Beta, -math.Ln2)
	return s
}

// leastGood returns the least n that the exact tails add, or MaxSamples.
func (s Side) leastGood() int64 {
	if !s.certified(MaxExactSamples) {
		return MaxSamples
	}
	n := num.Ints{Lo: 1, Hi: MaxExactSamples, Guess: s.guess()}.Least(s.certified)
	for n > 1 && s.good(n-1) {
		n--
	}
	return n
}

// guess is about the least n that is certified.
func (s Side) guess() int64 { return int64(math.Min(-s.Beta.Ln()/(2*s.Tau*s.Tau), MaxSamples)) }

// good reports whether n alone serves. A tie counts as no.
func (s Side) good(n int64) bool { return !newSideLattice(Deviation{n, s.Tau}).mayFail(s.strictly()) }

// strictly is the limit below which a tie counts as no.
func (s Side) strictly() float64 { return math.Nextafter(s.Beta.Ln(), math.Inf(-1)) }

// certified reports whether the bound that falls in n serves.
func (s Side) certified(n int64) bool {
	tail, err := BinomialUpperTail(Deviation{n, s.Tau * (1 - 0x1p-48)})
	return err == nil && tail.Value <= s.Beta
}

func (s Side) leastCertified() (int64, error) {
	if !s.certified(MaxSamples) {
		return 0, &NoAnswerError{Reason: "needs more than 2^53 rows"}
	}
	return num.Ints{Lo: 1, Hi: MaxSamples, Guess: s.guess()}.Least(s.certified), nil
}
