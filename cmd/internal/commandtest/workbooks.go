package commandtest

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dpcalc/dpcalc/cmd/internal/usage"
	"github.com/dpcalc/dpcalc/transfer"
	"github.com/xuri/excelize/v2"
)

// OpenBook runs a command with -o to a workbook and opens that.
func OpenBook(t *testing.T, args ...string) *excelize.File {
	t.Helper()
	path := filepath.Join(t.TempDir(), "book.xlsx")
	code, stdout, stderr := Dpcalc(append(args, "-o", path)...)
	if code != usage.ExitOK || stdout+stderr != "" {
		t.Fatalf("%v: exit %d, %q, %q", args, code, stdout, stderr)
	}
	f, err := excelize.OpenFile(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

// Contents are the raw values of a sheet.
func Contents(t *testing.T, f *excelize.File, sheet string) [][]string {
	t.Helper()
	rows, err := f.GetRows(sheet, excelize.Options{RawCellValue: true})
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// At is the cell of a row under a column's name.
func At(t *testing.T, rows [][]string, row int, column string) string {
	t.Helper()
	j := slices.Index(rows[0], column)
	if j < 0 {
		t.Fatalf("no column %s in %v", column, rows[0])
	}
	if j >= len(rows[row]) {
		return ""
	}
	return rows[row][j]
}

// CellAt names a cell.
func CellAt(column, row int) string {
	name, err := excelize.CoordinatesToCellName(column, row)
	if err != nil {
		panic(err)
	}
	return name
}

// LiveTable returns the live sheet's inputs by name and its rows by method.
func LiveTable(t *testing.T, f *excelize.File) (inputs map[string]string, rows map[string]int) {
	t.Helper()
	inputs, rows = make(map[string]string), make(map[string]int)
	for _, name := range f.GetDefinedName() {
		if place, ok := strings.CutPrefix(name.RefersTo, "Live!"); ok {
			inputs[name.Name] = strings.ReplaceAll(place, "$", "")
		}
	}
	for i, row := range Contents(t, f, "Live") {
		if len(row) > 0 {
			if _, ok := transfer.Lookup(row[0]); ok {
				rows[row[0]] = i + 1
			}
		}
	}
	return inputs, rows
}
