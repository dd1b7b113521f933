package forecast

import (
	"math"

	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer/open"
)

// Predicted says which ratio N/D a forecast is of, and on which share of the rows a model predicts the positive class.
// The zero Predicted is no ratio. A gate at the bar C passes where the mean of N - C D is large enough for the number
// of rows predicted positive: docs/theorems/open.md, own intervals.
type Predicted struct {
	open.Adds
	Share float64 // in (0,1)
}

func (p Predicted) isGiven() bool { return p != Predicted{} }

// valid returns a DomainError for a ratio without a plan.
func (p Predicted) valid(bar float64) error {
	if err := theory.Domain(p.Share > 0 && p.Share < 1, "positives", p.Share, "a share of the rows in (0, 1)"); err != nil {
		return err
	}
	return theory.Domain(bar > 0 && bar < 1, "threshold", bar, "a bar in (0, 1) of a ratio")
}

// passAt returns the least mean of N - bar D of n rows that passes at a level, if there is one.
func (p Predicted) passAt(n int64, bar, lnLevel float64) (x float64, ok bool) {
	positive := int64(p.Share * float64(n) * (1 + 1e-12))
	if positive < 1 {
		return 0, false
	}
	return open.RatioGate{Ratio: open.Ratio{Rows: n, Positive: positive, Adds: p.Adds}, Bar: bar}.Pass(bar, lnLevel)
}

// row returns the mean and the variance that a row adds to N - bar D, for a model with this ratio: it misses as many
// positive rows as it wrongly predicts positive, or all rows that it predicts negative if these are fewer. Rows are
// alike in each of the two kinds.
func (p Predicted) row(truth, bar float64) (mean, variance float64) {
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
func (p Predicted) chance(n int64, at, truth, bar float64) float64 {
	mean, variance := p.row(truth, bar)
	return beyond(at-mean, math.Sqrt(variance/float64(n)))
}
