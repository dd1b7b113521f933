// Package plans makes the plan of a ledger: from the terms of a new one, or from plan.json.
package plans

import (
	"github.com/dpcalc/dpcalc/holdout/fixed"
	"github.com/dpcalc/dpcalc/holdout/open"
	"github.com/dpcalc/dpcalc/holdout/rule"
	"github.com/dpcalc/dpcalc/holdout/terms"
)

// Certify computes the certificate of the terms for so many rows, and the plan to be run: by the method named, or by
// the best that a ledger runs. The error is an [form.InputError], a [form.PlanError] or a DomainError.
func Certify(t terms.Terms, samples int64) (*rule.Plan, error) {
	if err := t.Declare(); err != nil {
		return nil, err
	}
	t.Goal.Decided = rule.DecidedBy(t.Goal, t.Classes, t.Sampled())
	if t.Open {
		return open.NewPlan(t, samples)
	}
	if t.Test != "" {
		return fixed.NewTestPlan(t, samples)
	}
	return fixed.NewPlan(t, samples)
}
