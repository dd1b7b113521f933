package mechanism

import (
	"cmp"
	"math"
	"slices"

	"github.com/dpcalc/dpcalc/theory"
)

// SparseValidate answers a query by its guess where that is within Threshold of the mean on the holdout, and else
// by the guess moved towards the mean, by the excess over the threshold, rounded up to cells. It stops after Flags
// such answers and after Queries queries.
type SparseValidate struct {
	Queries   int64              // m >= 1
	Flags     int64              // B, from 1 to m
	Threshold float64            // T > 0
	Widths    []theory.FlagWidth // from 0 flags on, rising in Flags; the last is for the last flag and has no cells
}

// Start begins an interaction. The error is a DomainError.
func (v SparseValidate) Start() (*ValidateRun, error) {
	errs := []error{
		positive("queries", v.Queries), positive("flags", v.Flags),
		theory.Domain(v.Flags <= v.Queries, "flags", v.Flags, "at most the number of queries"),
		theory.Domain(v.Threshold > 0 && v.Threshold <= math.MaxFloat64, "threshold", v.Threshold, "a positive number"),
		theory.Domain(len(v.Widths) >= 1 && v.Widths[0].Flags == 0, "widths", len(v.Widths), "widths from 0 flags on"),
	}
	for i, w := range v.Widths {
		last := i == len(v.Widths)-1
		rises := i == 0 || w.Flags > v.Widths[i-1].Flags
		whole := w.Width == 0 && w.Flags == v.Flags-1
		cells := w.Width > 0 && w.Width <= math.MaxFloat64 && w.Flags < v.Flags-1
		right := cells
		if last {
			right = whole
		}
		errs = append(errs,
			theory.Domain(rises, "flags of a width", w.Flags, "more than of the width before"),
			theory.Domain(right, "width", w.Width, "a positive number, and 0 at the last flag"))
	}
	if err := cmp.Or(errs...); err != nil {
		return nil, err
	}
	v.Widths = slices.Clone(v.Widths)
	return &ValidateRun{plan: v, queries: v.Queries}, nil
}

// ValidateRun is a validator under way. Its zero value answers nothing.
type ValidateRun struct {
	plan           SparseValidate
	queries, flags int64 // left, and used
	at             int   // the width in force
}

// Ask answers a query, and says whether it was flagged. Numbers that are not finite are a DomainError and cost
// nothing; after the last flag or query the error is [ErrSpent].
func (r *ValidateRun) Ask(mean, guess float64) (answer float64, flagged bool, err error) {
	if r.queries == 0 || r.flags == r.plan.Flags {
		return 0, false, ErrSpent
	}
	if err := cmp.Or(finite("mean", mean), finite("guess", guess)); err != nil {
		return 0, false, err
	}
	r.queries--
	over := math.Abs(mean-guess) - r.plan.Threshold
	if !(over > 0) {
		return guess, false, nil
	}
	if width := r.plan.Widths[r.at].Width; width > 0 {
		over = width * math.Ceil(over/width)
	}
	r.flags++
	if next := r.at + 1; next < len(r.plan.Widths) && r.plan.Widths[next].Flags == r.flags {
		r.at = next
	}
	return guess + math.Copysign(over, mean-guess), true, nil
}

// Left returns how many queries and flags are left. Both follow from the answers.
func (r *ValidateRun) Left() (queries, flags int64) {
	if r.flags == r.plan.Flags {
		return 0, 0
	}
	return r.queries, r.plan.Flags - r.flags
}
