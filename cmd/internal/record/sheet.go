package record

import (
	"slices"

	"github.com/dpcalc/dpcalc/internal/each"
)

// Sheet is a result for people: what was asked, a table without its empty
// columns, and what to make of it.
type Sheet struct {
	Title   []string
	Columns []string
	Rows    [][]Cell
	Notes   []string
	Colours bool // of a terminal, for the star and for verdicts
}

// Compact drops the columns that hold nothing.
func (s Sheet) Compact() Sheet {
	kept := Used(s.Rows, len(s.Columns), func(c Cell) bool { return c.Form == Missing })
	out := Sheet{Title: s.Title, Notes: s.Notes, Colours: s.Colours, Columns: Picked(s.Columns, kept)}
	for _, row := range s.Rows {
		out.Rows = append(out.Rows, Picked(row, kept))
	}
	return out
}

// Used are the places of the columns of which some cell is not empty.
func Used[C any](rows [][]C, columns int, empty func(C) bool) (used []int) {
	for j := range columns {
		if slices.ContainsFunc(rows, func(row []C) bool { return !empty(row[j]) }) {
			used = append(used, j)
		}
	}
	return used
}

// Picked are the elements at some places.
func Picked[T any](list []T, places []int) []T {
	return each.Of(places, func(j int) T { return list[j] })
}

// IsNumeric says whether a column is to be aligned on the right.
func (s Sheet) IsNumeric(j int) bool {
	for _, row := range s.Rows {
		if !row[j].isNumeric() && row[j].Form != Missing {
			return false
		}
	}
	return true
}
