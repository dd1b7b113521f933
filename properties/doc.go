// Package properties holds what is checked across packages, as tests: laws that every
// registered method must obey, the enumeration of small mechanisms against the transfer
// theorems and the bounds on max-information, and attacks on plans and on broken mechanisms.
//
// Below it, package audit checks what a mechanism claims, audit/suite does so for all
// mechanisms of this toolkit, and package experiment shows what adaptivity does.
package properties
