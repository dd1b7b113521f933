// Package tail has the two tails of one query, fixed before it meets the rows: for values in [0,1], 0/1 values,
// differences, values of a known variance or second moment, and rows that were drawn in clusters, of a benchmark or
// within two classes. The proofs are in docs/theorems/feedback.md and docs/theorems/samples.md.
//
// Numbers are on the safe side: risks are rounded up, rates are rounded down.
package tail
