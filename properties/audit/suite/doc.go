// Package suite is the suite of audits that dpcalc audit runs; docs/check/audit.md has its tables.
//
// Mechanisms come from package mechanism, with their claims; Mutants are the same with
// one fault each, of the kinds that have been published. A Check holds a claim against a
// mechanism: in the exact layer against the output laws on all data sets of a small size, in
// the statistical layer against samples, with a false alarm from one ledger. A mutant names
// the checks that must refute it, so that every check is known to be able to say no.
package suite
