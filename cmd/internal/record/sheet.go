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

// Compact drops the columns that hold nothing.
func (s Sheet) Compact() Sheet {
	var keep []int
	out := Sheet{Title: s.Title, Notes: s.Notes, Rows: make([][]Cell, len(s.Rows))}
	for j, name := range s.Columns {
		if slices.ContainsFunc(s.Rows, func(row []Cell) bool { return row[j].Form != Missing }) {
			keep, out.Columns = append(keep, j), append(out.Columns, name)
		}
	}
	cells := make([]Cell, len(s.Rows)*len(keep))
	for k, row := range s.Rows {
		for i, j := range keep {
			cells[i] = row[j]
		}
		out.Rows[k], cells = cells[:len(keep):len(keep)], cells[len(keep):]
	}
	return out
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
