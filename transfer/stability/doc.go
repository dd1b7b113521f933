// Package stability bounds how far a private transcript can move a mean of independent records with values in [0,1],
// which the transcript chooses. On every event of probability b that the transcript decides, the mean's conditional
// expectation exceeds its population value by at most s(b) on average. Each function is s for one kind of privacy.
// It does not increase with b and is never below the truth; its relative slack is at most 1e-9.
//
// With noise of conditional value at risk C(b), all answers are then within C(b) + s(b) of the population with
// probability at least 1-b. For a query of spread D (n times its per-record sensitivity; twice as much for the
// comparison of two candidates) s(b) becomes D s(b). The theorems and their proofs are in docs/theorems/transfer.md.
package stability
