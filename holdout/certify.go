package holdout

// Certify computes the certificate of the terms for so many rows, and the plan to be run: by the method named, or by
// the best that a ledger runs. The error is an [InputError], a [PlanError] or a DomainError.
func Certify(t Terms, samples int64) (*Plan, error) {
	if err := t.declare(); err != nil {
		return nil, err
	}
	t.Goal.Decided = decidedBy(t.Goal, t.Classes, t.sampled())
	if t.Open {
		return openPlan(t, samples)
	}
	if t.Test != "" {
		return testPlan(t, samples)
	}
	return fixedPlan(t, samples)
}
