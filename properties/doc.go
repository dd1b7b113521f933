// Package properties checks the toolkit against what its theorems say.
//
// Its code is a suite of audits. Mechanisms are those of package mechanism, with what
// they claim; Mutants are the same with one fault each, of the kinds that have been
// published. A Check holds a claim against a mechanism: in the exact layer against
// the output laws on all data sets of a small size, in the statistical layer against
// samples, with a false alarm from one ledger. A mutant names the checks that must
// refute it, so that every check is known to be able to say no. The suite is what
// dpcalc audit runs; docs/check/audit.md has its tables.
//
// Its tests add laws that every registered method must obey, the enumeration of small
// mechanisms against the transfer theorems, and attacks.
package properties
