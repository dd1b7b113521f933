// Package feedback counts what an analyst can have asked. Where less is shown than a number (pass or fail, the
// best score so far, only where a guess was wrong), the queries that can be asked next are few, and a union
// bound over all of them needs neither noise nor many rows.
//
// [Tree] is the tree lemma. A kind of feedback is a pair: how many nodes its tree has, and what can go wrong
// at one of them, a [Tail]. Each kind has a file: [Gate], [Ladder], [Validator], [Widths]. The proofs are in
// docs/theorems/feedback.md.
//
// Numbers are on the safe side: counts and risks are rounded up, rates are rounded down. The functions expect
// parameters within the domains that they state; package transfer checks them.
package feedback
