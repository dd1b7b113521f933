// Package tree counts what an analyst can have asked. If an answer shows less than a number (pass or fail, the best
// score so far, only where a guess was wrong), few queries can be asked next. A union bound over all of them needs
// neither noise nor many rows.
//
// The tree lemma: given the analyst's coins an interaction is a tree. A node is a sequence of responses, and the query
// at a node is one fixed function. The first bad response is at a node that is reached through good responses only.
// So
//
//	P[anything goes wrong] <= sum over those nodes of P[the response there is bad].
//
// A kind of feedback is a pair: how many nodes its tree has, and what can go wrong at one of them. Each kind has a
// file: [Gate], [Ladder], [Validator], [Widths]. The proofs are in docs/theorems/feedback.md.
//
// Numbers are on the safe side: counts and risks are rounded up, rates are rounded down. The functions expect
// parameters within the domains that they state; package transfer checks them.
package tree
