// Package noise is the joint bound: what Gaussian answers to adaptively chosen queries may err by, from the noise of
// every answer alone.
//
// A [Bound] takes the answers one after the other and returns the certificate: the sum of the probabilities eps_j that
// an answer is off by more than its tau. A [Noise] chooses the noise, the same for all answers ([Even]) or one that
// falls ([Falling]), and finds the fewest records, the least tau or the least beta of a [Plan]. [Wants] are answers
// about rows that arrive.
//
// The theorem and its proof are in docs/theorems/transfer.md, "Joint bound".
package noise
