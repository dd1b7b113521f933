package pvalue

import (
	"math"

	"github.com/dpcalc/dpcalc/internal/num"
	"github.com/dpcalc/dpcalc/theory"
)

// Pairs are paired outcomes of 0 and 1: the new one is right where the old one was wrong in Wins pairs, and the
// reverse in Losses. Pairs that agree do not count.
type Pairs struct {
	Wins, Losses int64 // >= 0, not both 0, at most 10^12 together
}

const mostPairs = 1_000_000_000_000

// Validate reports a DomainError for numbers outside their domain.
func (s Pairs) Validate() error {
	const count = "a whole number from 0 to 1000000000000"
	if err := theory.Domain(s.Wins >= 0 && s.Wins <= mostPairs, "wins", s.Wins, count); err != nil {
		return err
	}
	if err := theory.Domain(s.Losses >= 0 && s.Losses <= mostPairs, "losses", s.Losses, count); err != nil {
		return err
	}
	total := s.Wins + s.Losses
	return theory.Domain(total >= 1 && total <= mostPairs, "wins and losses", total, "1 to 1000000000000 together")
}

// PValue returns the one-sided p-value of the exact sign test, McNemar's for paired proportions,
//
//	P[Bin(W+L, 1/2) >= W],
//
// never below it, and at most 1e-9 of itself above it up to 10^9 pairs. It is a p-value of the hypothesis that in
// a pair drawn at random a win is no likelier than a loss, for independent and identically distributed pairs:
// given that a pair does not agree it is then a win with probability at most 1/2. Below 1/2 it is one for independent
// pairs that are not alike, too, of the hypothesis that these probabilities have a mean of at most 1/2:
// docs/theorems/pvalue.md#pairs-that-are-not-alike. Source: mcnemar47, hoeffding56.
func (s Pairs) PValue() (theory.LogProb, error) {
	if err := s.Validate(); err != nil {
		return 0, err
	}
	n := s.Wins + s.Losses
	if n > exactPairs {
		ln := num.Binomial{N: n, P: 0.5}.LnAtLeast(s.Wins)
		return theory.LogProb(ln), nil
	}
	var ways, term int64 = 0, 1 // C(n,k), from k = n down
	for k := n; k >= s.Wins; k-- {
		ways += term
		term = term * k / (n - k + 1)
	}
	if ways == 1<<n {
		return 0, nil
	}
	ln := num.FromInt(ways).Ln().Sub(num.FromInt(2).Ln().Mul(num.FromInt(n)))
	if ln.Lo > -math.Abs(ln.Hi)*0x1p-90 {
		return theory.LogProb(math.Nextafter(ln.Hi, 0)), nil
	}
	return theory.LogProb(ln.Hi), nil
}

// exactPairs is up to how many pairs the p-value is computed in whole numbers, whose products fit.
const exactPairs = 56

// WinsNeeded returns the least number of wins against a number of losses whose p-value is at most a threshold.
// It reports a DomainError unless 0 < threshold < 1 and losses is from 0 to 10^11, and a NoAnswerError where it
// takes more than 9 10^11 wins.
func WinsNeeded(threshold theory.LogProb, losses int64) (int64, error) {
	if err := theory.Domain(threshold.IsInterior(), "threshold", threshold, "a probability in (0, 1)"); err != nil {
		return 0, err
	}
	const count = "a whole number from 0 to 100000000000"
	if err := theory.Domain(losses >= 0 && losses <= mostPairs/10, "losses", losses, count); err != nil {
		return 0, err
	}
	enough := func(wins int64) bool {
		p, err := Pairs{wins, losses}.PValue()
		return err == nil && p <= threshold
	}
	low, high := int64(1), int64(1)
	for !enough(high) {
		if high == mostPairs/10*9 {
			return 0, &theory.NoAnswerError{Reason: "it takes more than 900000000000 wins"}
		}
		low, high = high+1, min(2*high, mostPairs/10*9)
	}
	return num.Ints{Lo: low, Hi: high, Guess: low}.Least(enough), nil
}
