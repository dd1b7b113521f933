// Package stability says how far a private transcript can move a mean: from the privacy of a mechanism to a [Bound]
// on the shift of a selected mean at every probability. The theorems and their proofs are in docs/theorems/transfer.md.
package stability
