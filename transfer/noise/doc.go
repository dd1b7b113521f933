// Package noise is what Gaussian answers to adaptively chosen queries may err by, from the noise of every answer alone:
// one engine for the joint bound and for the bound for queries of low variance.
//
// A [Theorem] says how a query's tilt is bounded: [Joint], with noise that may be cut and rows that may arrive, or
// [LowVariance], for differences of models that seldom differ, accuracies that are known to be high, and any query with
// a small variance. A [Bound] takes the answers one after the other and returns the certificate: the sum of the
// probabilities eps_j that an answer is off by more than its tau. A [Noise] chooses the noise, the same for all answers
// ([Even]) or one that falls ([Falling]), and finds the fewest records, the most queries, the least tau or the least
// beta of a [Plan]. [Wants] are answers about rows that arrive.
//
// The theorems and their proofs are in docs/theorems/transfer.md, "Joint bound", and docs/theorems/variance.md.
package noise
