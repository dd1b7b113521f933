package mechanism

import (
	"cmp"
	"errors"
	"math"

	"github.com/dpcalc/dpcalc/theory"
)

// The mechanisms of restricted feedback show less than a number and need no noise. Nothing may be shown beside their
// answers: no score, no rank, no difference. They hold no rows: the caller computes the mean on the holdout and hands
// it over.

// ErrSpent says that the plan is used up. Nothing is shown from then on, whatever is asked.
var ErrSpent = errors.New("the plan is used up: nothing more may be shown")

func finite(name string, x float64) error {
	return theory.Domain(x >= -math.MaxFloat64 && x <= math.MaxFloat64, name, x, "a finite number")
}

func positive(name string, n int64) error {
	return theory.Domain(n >= 1, name, n, "a whole number of at least 1")
}

// Gate shows whether a mean on the holdout is at least a bar plus a margin. It is retired at the pass with the number
// Passes and after Queries tests. The plan's tau is the margin.
type Gate struct {
	Queries int64   // m >= 1
	Passes  int64   // B, from 1 to m
	Margin  float64 // tau > 0
}

// Start begins an interaction. The error is a DomainError.
func (g Gate) Start() (*GateRun, error) {
	err := cmp.Or(
		positive("queries", g.Queries), positive("passes", g.Passes),
		theory.Domain(g.Passes <= g.Queries, "passes", g.Passes, "at most the number of queries"),
		theory.Domain(g.Margin > 0 && g.Margin <= math.MaxFloat64, "margin", g.Margin, "a positive number"))
	if err != nil {
		return nil, err
	}
	return &GateRun{gate: g, queries: g.Queries, passes: g.Passes}, nil
}

// GateRun is a gate under way. Its zero value shows nothing.
type GateRun struct {
	gate            Gate
	queries, passes int64
}

// Test shows whether the mean passes the bar. A number that is not finite is a DomainError and costs nothing;
// after the last pass or test the error is [ErrSpent].
func (r *GateRun) Test(mean, bar float64) (pass bool, err error) {
	if err := r.admits(finite("mean", mean), finite("bar", bar)); err != nil {
		return false, err
	}
	return r.show(mean >= bar+r.gate.Margin), nil
}

// TestCount is the gate for 0/1 values at a known bar: it shows whether the count of ones is at least the plan's.
func (r *GateRun) TestCount(ones, atLeast int64) (pass bool, err error) {
	if err := r.admits(theory.Domain(ones >= 0, "ones", ones, "a whole number of at least 0")); err != nil {
		return false, err
	}
	return r.show(ones >= atLeast), nil
}

func (r *GateRun) admits(errs ...error) error {
	if r.queries == 0 || r.passes == 0 {
		return ErrSpent
	}
	return cmp.Or(errs...)
}

func (r *GateRun) show(pass bool) (passed bool) {
	if r.queries--; pass {
		r.passes--
	}
	return pass
}

// Left returns how many tests and passes are left. Both follow from the bits shown.
func (r *GateRun) Left() (queries, passes int64) {
	if r.passes == 0 {
		return 0, 0
	}
	return r.queries, r.passes
}
