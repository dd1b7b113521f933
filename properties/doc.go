// Package properties has the checks across packages, as tests: laws that every
// registered method must obey, the enumeration of small mechanisms against the transfer
// theorems and the bounds on max-information, and attacks on plans and on broken mechanisms.
//
// Below it, package audit checks the claims of a mechanism, audit/suite the claims of all
// mechanisms of this toolkit, and package experiment shows what adaptivity does.
package properties
