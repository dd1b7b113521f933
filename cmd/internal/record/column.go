package record

import (
	"slices"
	"strings"

	"github.com/dpcalc/dpcalc/internal/each"
)

// Column is a column of a table with rows R.
type Column[R any] struct {
	Name  string // for machines
	Title string // for people; the name, with blanks, if it is empty
	Says  string // what the cells hold, where a sheet explains its columns
	Cell  func(R) Cell
}

// Titled is the column under another title.
func (c Column[R]) Titled(title string) Column[R] {
	c.Title = title
	return c
}

// Lift makes columns of rows that have a row of another kind.
func Lift[S, R any](columns []Column[R], row func(S) R) []Column[S] {
	all := make([]Column[S], len(columns))
	for i, c := range columns {
		all[i] = Column[S]{Name: c.Name, Title: c.Title, Says: c.Says, Cell: func(s S) Cell { return c.Cell(row(s)) }}
	}
	return all
}

// Named are the columns of these names.
func Named[R any](columns []Column[R], names ...string) []Column[R] {
	some := make([]Column[R], len(names))
	for i, name := range names {
		some[i] = columns[slices.IndexFunc(columns, func(c Column[R]) bool { return c.Name == name })]
	}
	return some
}

// Names lists the names of columns.
func Names[R any](columns []Column[R]) []string {
	return each.Of(columns, func(c Column[R]) string { return c.Name })
}

// Titles lists the titles of columns.
func Titles[R any](columns []Column[R]) []string {
	titles := make([]string, len(columns))
	for i, c := range columns {
		if titles[i] = c.Title; c.Title == "" {
			titles[i] = strings.ReplaceAll(c.Name, "_", " ")
		}
	}
	return titles
}

// Row appends the cells of a row.
func Row[R any](dst []Cell, columns []Column[R], row R) []Cell {
	for i := range columns {
		dst = append(dst, columns[i].Cell(row))
	}
	return dst
}
