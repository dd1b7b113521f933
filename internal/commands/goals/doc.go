// Package goals has the numbers of a goal as they are typed, laid out and written: one list of [Parameters] for
// flags, grids, keys of plan files, columns and axes, and the columns of a row.
package goals
