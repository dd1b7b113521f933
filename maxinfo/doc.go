// Package maxinfo bounds what a transcript reveals about the sample it was computed
// from.
//
// The (approximate) max-information k between a sample and a transcript says that
// every event is at most 2^k times (plus a failure probability) likelier than it
// would be on a fresh sample: statements proved for queries fixed in advance carry
// over at that price. The Renyi divergence of order a does the same with exponents,
// P[E] <= (e^D Q[E])^((a-1)/a), and mutual information I by kl(P[E]||Q[E]) <= I.
//
// Where the joint law is known, a [Joint] table gives the exact values. Where it is
// not, a [Plan] names the steps by which the analyst learned from the sample, and its
// [Chain] has every bound that theorems give: a [Method] with its [Limit].
//
// A newcomer lists the steps of a [Plan], of the [Kinds] that there are, and calls [Plan.Answers] for
// what every method says and which of them says it best. [Articles] tells what the methods are.
//
// Every bound is an upper bound, in nats unless its name says bits.
package maxinfo
