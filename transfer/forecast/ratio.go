package forecast

import (
	"math"

	"github.com/dpcalc/dpcalc/transfer/goal"
	"github.com/dpcalc/dpcalc/transfer/solver"
)

// predicted is a ratio of which a gate at a bar passes where the mean of N - bar D is large enough for the number of
// rows predicted positive: docs/theorems/open.md, own intervals.
type predicted struct{ goal.Ratio }

// passAt returns the least mean of N - bar D of n rows that passes at a level, if there is one.
func (p predicted) passAt(n int64, bar, lnLevel float64) (x float64, ok bool) {
	gate := solver.RatioGate(p.Ratio, n, bar)
	if gate.Positive < 1 {
		return 0, false
	}
	return gate.Pass(bar, lnLevel)
}

// row returns the mean and the variance that a row adds to N - bar D, for a model with this ratio: it misses as many
// positive rows as it wrongly predicts positive, or all rows that it predicts negative if these are fewer. Rows are
// alike in each of the two kinds.
func (p predicted) row(truth, bar float64) (mean, variance float64) {
	both, wrong, missed := p.Both, p.FalsePositive, p.FalseNegative
	right := truth * (wrong + missed) * p.Share / (both*(1-truth) + truth*(wrong+missed))
	misses := p.Share - right
	if rest := 1 - p.Share; misses > rest {
		misses = rest
		right = min(truth*(wrong*p.Share+missed*rest)/(both*(1-truth)+truth*wrong), p.Share)
	}
	kind := func(share, count, step float64) float64 { // of rows each of which adds a step with the same probability
		return step * step * count * (share - count) / share
	}
	mean = both*(1-bar)*right - bar*(wrong*(p.Share-right)+missed*misses)
	return mean, kind(p.Share, right, both*(1-bar)+bar*wrong) + kind(1-p.Share, misses, bar*missed)
}

// chance is how probably a gate of n rows passes at a mean, by the normal law.
func (p predicted) chance(n int64, at, truth, bar float64) float64 {
	mean, variance := p.row(truth, bar)
	return beyond(at-mean, math.Sqrt(variance/float64(n)))
}
