package record

import "slices"

// Sheet is a result for people: what was asked, a table without its empty
// columns, and what to make of it.
type Sheet struct {
	Title   []string
	Columns []string
	Rows    [][]Cell
	Notes   []string
}

// Compact drops the columns that hold nothing. It takes the rows over.
func (s Sheet) Compact() Sheet {
	var keep []int
	var columns []string
	for j, name := range s.Columns {
		if slices.ContainsFunc(s.Rows, func(row []Cell) bool { return row[j].Form != Missing }) {
			keep, columns = append(keep, j), append(columns, name)
		}
	}
	for k, row := range s.Rows {
		for i, j := range keep {
			row[i] = row[j]
		}
		s.Rows[k] = row[:len(keep)]
	}
	s.Columns = columns
	return s
}

// Numeric says whether a column is to be aligned on the right.
func (s Sheet) Numeric(j int) bool {
	for _, row := range s.Rows {
		if !row[j].isNumeric() && row[j].Form != Missing {
			return false
		}
	}
	return true
}
