//go:build whole

package lawtest

// Whole reports that slow tests run all of their cases.
const Whole = true
