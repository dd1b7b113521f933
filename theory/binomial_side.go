package theory

import (
	"math"

	"github.com/dpcalc/dpcalc/internal/num"
)

// Side is the goal for one side of one 0/1 query: with probability at least 1-Beta its mean is not Tau or more above its
// expectation; as often it is not Tau or more below. Beta may be a share of a failure probability that any number
// of such events divide, so it may be far below what a [Level] allows.
//
// For one n the probability is greatest at a break point, sup_p P[Bin(n,p) <= n(p-tau)] = max_j P[Bin(n, j/n+tau) <= j]:
// between two break points the count that fails is fixed and its probability falls in p. It is not
// monotone in n. The requirement is the least n such that it and every greater n serve, where
// [BinomialUpperTail], which falls in n, certifies one of at most MaxExactSamples; else the least n that this bound certifies.
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
	for err == nil && n > 1 && n <= MaxExactSamples && s.good(n-1) {
		n--
	}
	return Bound[int64]{n, binomialSources, binomialSingle}, err
}

// BinomialSideHolds reports whether n is at least the requirement.
func BinomialSideHolds(s Side, n int64) (bool, error) {
	if err := first(s.Validate(), sampleSize(n)); err != nil {
		return false, err
	}
	for ; !s.certified(n); n++ {
		if n >= MaxExactSamples || !s.good(n) {
			return false, nil
		}
	}
	return true, nil
}

// BinomialSideTau returns about the least tau for which n is at least the requirement, rounded up by at most 1e-9 of
// itself, or 1 if none below one will do.
func BinomialSideTau(beta LogProb, n int64) (float64, error) {
	if err := first(Side{0.5, beta}.Validate(), sampleSize(n)); err != nil {
		return 0, err
	}
	holds := func(tau float64, n int64) bool { return tau < 1 && Side{tau, beta}.certified(n) }
	top := leastOf(func(tau float64) bool { return holds(tau, n) })
	if n >= MaxExactSamples {
		return top, nil
	}
	tau := 0.0
	for ; tau < top; n++ {
		if tau > 0 && holds(tau, n) {
			return tau, nil
		}
		if n >= MaxExactSamples {
			break
		}
		if tau == 0 || !(Side{tau, beta}).good(n) {
			tau = leastOf(func(t float64) bool { return t > tau && t < 1 && Side{t, beta}.good(n) })
		}
	}
	return top, nil
}

// leastOf returns about the least tau in (0,1] from which on ok holds.
func leastOf(ok func(tau float64) bool) float64 {
	lo, hi := 0.0, 1.0
	for hi-lo > 1e-10*hi {
		if mid := lo + (hi-lo)/2; ok(mid) {
			hi = mid
		} else {
			lo = mid
		}
	}
	return hi
}

// BinomialSideWorst returns the least beta for which n is at least the requirement, rounded up by at most 1e-9.
func BinomialSideWorst(d Deviation) (LogProb, error) {
	if err := d.Validate(); err != nil {
		return 0, err
	}
	bound := func(n int64) LogProb { tail, _ := BinomialUpperTail(Deviation{n, d.Tau}); return tail.Value }
	top, worst := bound(d.Samples), Zero
	for n := d.Samples; n < MaxExactSamples; n++ {
		if bound(n) <= worst {
			return min(worst, top), nil
		}
		worst = max(worst, LogProb(newSideLattice(Deviation{n, d.Tau}).above(float64(worst))))
	}
	return top, nil
}

// newSideLattice is the lattice without the counts above.
func newSideLattice(d Deviation) lattice {
	l := newLattice(d)
	l.gap = d.Samples + 1
	return l
}

// good reports whether n alone serves. A tie counts as no.
func (s Side) good(n int64) bool {
	return !newSideLattice(Deviation{n, s.Tau}).mayFail(math.Nextafter(s.Beta.Ln(), math.Inf(-1)))
}

// certified reports whether the bound that falls in n serves.
func (s Side) certified(n int64) bool {
	tail, err := BinomialUpperTail(Deviation{n, s.Tau * (1 - 0x1p-48)})
	return err == nil && tail.Value <= s.Beta
}

func (s Side) leastCertified() (int64, error) {
	guess := int64(math.Min(-s.Beta.Ln()/(2*s.Tau*s.Tau), MaxSamples))
	if !s.certified(MaxSamples) {
		return 0, &NoAnswerError{Reason: "needs more than 2^53 rows"}
	}
	return num.Ints{Lo: 1, Hi: MaxSamples, Guess: guess}.Least(s.certified), nil
}
