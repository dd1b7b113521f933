package commandtest

import "github.com/dpcalc/dpcalc/cmd/internal/record"

// Columns are columns of rows that are cells already.
func Columns(names ...string) (columns []record.Column[[]record.Cell]) {
	for i, name := range names {
		columns = append(columns,
			record.Column[[]record.Cell]{Name: name, Cell: func(row []record.Cell) record.Cell { return row[i] }})
	}
	return columns
}
