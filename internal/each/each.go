// Package each makes one list of another.
package each

import "slices"

// Of returns f of each element, in order; nil for none.
func Of[T, R any](list []T, f func(T) R) []R {
	made := slices.Grow([]R(nil), len(list))
	for _, x := range list {
		made = append(made, f(x))
	}
	return made
}
