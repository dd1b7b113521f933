// Package thresholdout has what Thresholdout asks of a holdout: the requirements n0 and n1 of Theorem 3.3, and the
// largest noise of a run for the theorem of CVaR. The statements and proofs are in docs/theorems/thresholdout.md.
package thresholdout
