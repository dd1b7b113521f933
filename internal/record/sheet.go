package record

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
	for j := range s.Columns {
		for _, row := range s.Rows {
			if row[j].Form != Missing {
				keep = append(keep, j)
				break
			}
		}
	}
	out := Sheet{Title: s.Title, Notes: s.Notes}
	for _, j := range keep {
		out.Columns = append(out.Columns, s.Columns[j])
	}
	for _, row := range s.Rows {
		short := make([]Cell, len(keep))
		for i, j := range keep {
			short[i] = row[j]
		}
		out.Rows = append(out.Rows, short)
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
