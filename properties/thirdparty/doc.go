// Package thirdparty audits a library of others: the Laplace and Gaussian noise of
// github.com/google/differential-privacy/go/v3 at v3.0.0. It is a module of its own so that
// nobody who uses dpcalc downloads the audited libraries. Its tests are its content:
//
//	go -C properties/thirdparty test ./...
//
// The library draws from crypto/rand, so no seed makes a run again. The tests bet, and are
// valid whatever is drawn: the ledger bounds the probability that any of them is wrong.
package thirdparty
