package commandtest

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/dpcalc/dpcalc/cmd/internal/usage"
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
