// Package each makes lists of lists, and looks for an element.
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

// Union returns the elements of a list, and the elements of another that it lacks.
func Union[T comparable](list []T, more ...T) []T {
	all := slices.Clone(list)
	for _, x := range more {
		if !slices.Contains(all, x) {
			all = append(all, x)
		}
	}
	return all
}

// First returns the first element that is one, and whether there is one.
func First[T any](list []T, is func(T) bool) (first T, ok bool) {
	i := slices.IndexFunc(list, is)
	if i < 0 {
		return first, false
	}
	return list[i], true
}
