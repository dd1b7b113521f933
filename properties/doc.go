// Package properties checks the toolkit against what its theorems say: laws that
// every registered method must obey, and exact enumeration of small mechanisms.
// It exports nothing; its tests are its content.
package properties
