package audit

import (
	"math"
	"math/rand/v2"

	"github.com/dpcalc/dpcalc/internal/num"
	"github.com/dpcalc/dpcalc/theory"
)

// Law is the test that a sampler of a finite set has the law it is said to have.
type Law struct {
	Plan
	Law  []theory.LogProb                 // with sum one
	Draw func(r *rand.Rand) (outcome int) // an index into Law; called from several goroutines
}

// Validate reports a DomainError for the first field outside its domain.
func (a Law) Validate() error {
	if err := a.Plan.Validate(); err != nil {
		return err
	}
	if _, err := NewPair(a.Law, a.Law); err != nil {
		return err
	}
	return theory.Domain(a.Draw != nil, "draw", "nil", "a sampler")
}

// LawResult is what the test of a law found.
type LawResult struct {
	Verdict Verdict
	Samples int64
	PValue  theory.LogProb // of the worst cell, times twice the number of cells, at most 1
	Cell    int            // the worst cell; len(Law) is "none of the outcomes"
	Count   int64          // of that cell

	// Detectable is a deviation: a sampler for which some outcome's probability exceeds
	// that in the law by more is refuted with probability at least 0.99, by the exact
	// binomial laws. Where no outcome can be refuted the verdict is Undecided.
	Detectable float64
}

// Audit draws all samples of the plan and compares the count of each outcome with its
// binomial law, from both sides, with one more cell of probability zero for everything
// that is no outcome. The false alarm is divided equally among these tests, so it is at
// most alpha. It is not anytime-valid: the number of samples is fixed.
func (a Law) Audit(alarm *Alarm) (LawResult, error) {
	if err := a.Validate(); err != nil {
		return LawResult{}, err
	}
	alpha, err := alarm.spend()
	if err != nil {
		return LawResult{}, err
	}
	law := append(append(make([]theory.LogProb, 0, len(a.Law)+1), a.Law...), theory.Zero)
	total := make([]int64, len(law))
	draw := func(r *rand.Rand, size int) []int64 {
		block := make([]int64, len(law))
		for range size {
			block[uint(min(uint(a.Draw(r)), uint(len(a.Law))))]++
		}
		return block
	}
	inOrder(a.Plan, a.Samples, draw, func(block []int64) bool {
		for i, n := range block {
			total[i] += n
		}
		return true
	})
	result := LawResult{Verdict: Holds, Samples: a.Samples}
	lnTests := math.Log(2 * float64(len(law)))
	possible := false
	for i, p := range law {
		coin := num.Binomial{N: a.Samples, P: p.Value()}
		pValue := theory.LogProb(min(0, lnTests+rounding+min(coin.LnAtLeast(total[i]), coin.LnAtMost(total[i]))))
		if i == 0 || pValue < result.PValue {
			result.PValue, result.Cell, result.Count = pValue, i, total[i]
		}
		d, ok := leastExcess(coin, alpha.Ln()-lnTests-rounding, result.Detectable)
		possible = possible || ok && i < len(a.Law)
		result.Detectable = d
	}
	switch {
	case result.PValue <= alpha:
		result.Verdict = Violated
	case !possible:
		result.Verdict = Undecided
	}
	alarm.record(result.Samples, result.Verdict, result.Detectable)
	return result, nil
}

// leastExcess returns the least d >= floor such that a coin of probability P+d shows, with
// probability at least 0.99, more heads than P does except with probability e^lnAlpha. If
// there is none it returns the largest d there is, and false.
func leastExcess(coin num.Binomial, lnAlpha, floor float64) (float64, bool) {
	if coin.LnAtLeast(coin.N) > lnAlpha {
		return max(1-coin.P, floor), false
	}
	mean := float64(coin.N) * coin.P
	critical := num.Ints{Lo: 0, Hi: coin.N, Guess: int64(mean + math.Sqrt(-2*lnAlpha*mean*(1-coin.P)))}.
		Least(func(k int64) bool { return coin.LnAtLeast(k) <= lnAlpha })
	shows := func(p float64) bool {
		return num.Binomial{N: coin.N, P: p}.LnAtMost(critical-1) <= math.Log(0.01)
	}
	if shows(min(1, coin.P+floor)) {
		return floor, true
	}
	p := num.Floats{Lo: coin.P, Hi: 1, Guess: float64(critical) / float64(coin.N)}.Least(shows)
	return p - coin.P, true
}
