//go:build !whole

package lawtest

// Whole reports that slow tests run a share of their cases, and not all.
const Whole = false
