//go:build libreoffice

package main

import (
	"math"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/dpcalc/dpcalc/cmd/internal/commands"
	"github.com/dpcalc/dpcalc/cmd/internal/commandtest"
	"github.com/dpcalc/dpcalc/cmd/internal/commandtest/awkward"
	"github.com/dpcalc/dpcalc/cmd/internal/outfile"
	"github.com/dpcalc/dpcalc/cmd/internal/record"
	"github.com/dpcalc/dpcalc/cmd/internal/usage"
	"github.com/dpcalc/dpcalc/cmd/internal/workbook"
	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer"
	"github.com/xuri/excelize/v2"
)

// These tests open what dpcalc writes in LibreOffice, without a window and with a
// profile of their own. They need soffice and are run by
// go test -tags libreoffice ./cmd/dpcalc -run LibreOffice.

// reopened converts files to workbooks by LibreOffice and opens the results.
func reopened(t *testing.T, files []string, options ...string) []*excelize.File {
	t.Helper()
	out := t.TempDir()
	args := append([]string{"-env:UserInstallation=file://" + t.TempDir(), "--headless", "--norestore", "--convert-to",
		"xlsx", "--outdir", out}, options...)
	if message, err := exec.Command("soffice", append(args, files...)...).CombinedOutput(); err != nil {
		t.Fatalf("soffice: %v\n%s", err, message)
	}
	books := make([]*excelize.File, len(files))
	for i, name := range files {
		base := filepath.Base(name)
		f, err := excelize.OpenFile(filepath.Join(out, strings.TrimSuffix(base, filepath.Ext(base))+".xlsx"))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Close() })
		books[i] = f
	}
	return books
}

// columns are columns of rows that are cells already.
func columns(names ...string) (columns []record.Column[[]record.Cell]) {
	for i, name := range names {
		columns = append(columns,
			record.Column[[]record.Cell]{Name: name, Cell: func(row []record.Cell) record.Cell { return row[i] }})
	}
	return columns
}

// raw is what a cell holds.
func raw(t *testing.T, f *excelize.File, sheet, cell string) string {
	t.Helper()
	text, err := f.GetCellValue(sheet, cell, excelize.Options{RawCellValue: true})
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// A CSV file of either dialect opens with every number a number of all its digits,
// every text as it was written and no formula.
func TestLibreOfficeCSV(t *testing.T) {
	foreigns := append(slices.Clone(awkward.Texts), "-1.5", "-12", "0.05", "-2.5e-7", "=HYPERLINK(\"http://x\",\"y\")",
		"=cmd|' /C calc'!A0", "@SUM(1)", "1/2")
	foreigns = slices.DeleteFunc(foreigns, func(s string) bool { return strings.ContainsAny(s, "\x00\r\t") })
	dialects := []struct {
		format              record.Format
		separator, language string
	}{{record.CSV, "44", "1033"}, {record.ExcelEU, "59", "1031"}}
	plan := strings.Fields("samplesize --full -m 1000,20 -t 0.1 -b 0.05 -B 20")
	want := commandtest.RowsOf(t, plan...)
	for _, d := range dialects {
		dir := t.TempDir()
		texts, grid := filepath.Join(dir, "texts.csv"), filepath.Join(dir, "plan.csv")
		c := &commands.Call{Session: &outfile.Session{Context: t.Context()}}
		var rows [][]record.Cell
		for i, s := range foreigns {
			rows = append(rows,
				[]record.Cell{record.Count(int64(i + 1)), {Form: record.ForeignForm, S: s}, record.Exactly(-0.1 * float64(i+1)),
					record.Chance(theory.LogProb(-float64(i + 1)))})
		}
		a := commands.Answer[[]record.Cell]{Columns: columns("n", "text", "number", "chance"),
			Rows: commands.List(rows)}
		if err := commands.Emit(c, commands.Target{Format: d.format, Path: texts}, a); err != nil {
			t.Fatal(err)
		}
		dialect := []string{"--csv-dialect", "rfc4180"}
		if d.format.Dialect != "" {
			dialect[1] = "excel-eu"
		}
		if code, _, stderr := commandtest.Dpcalc(slices.Concat(plan, dialect,
			[]string{"-o", grid})...); code != usage.ExitOK {
			t.Fatal(stderr)
		}
		// separator, quote, UTF-8, first line, columns, language, quoted is text, special numbers, ...,
		// formulas are evaluated
		books := reopened(t, []string{texts, grid},
			"--infilter=CSV:"+d.separator+",34,76,1,,"+d.language+",false,true,false,false,false,0,true")
		sheet := books[0].GetSheetName(0)
		for i, s := range foreigns {
			for j, c := range rows[i] {
				at := commandtest.CellAt(j+1, i+2)
				if formula, err := books[0].GetCellFormula(sheet, at); formula != "" || err != nil {
					t.Errorf("%s: %q became the formula %s (%v)", d.format.Name+d.format.Dialect, s, formula, err)
				}
				got := raw(t, books[0], sheet, at)
				if wantText := record.Inert(s); c.Form == record.ForeignForm {
					if record.IsNumeral(s) {
						c.F, _ = strconv.ParseFloat(s, 64)
					} else if got != wantText && !(s == "1/2") {
						t.Errorf("%s: %q reads as %q", d.format.Name+d.format.Dialect, s, got)
						continue
					} else {
						continue
					}
				}
				value := map[record.Form]float64{record.CountForm: float64(c.N), record.NumberForm: c.F, record.ForeignForm: c.F,
					record.ChanceForm: math.Exp(c.F)}[c.Form]
				if x, err := strconv.ParseFloat(got, 64); err != nil || math.Abs(x-value) > 1e-13*math.Abs(value) {
					t.Errorf("%s: row %d, %v reads as %q", d.format.Name+d.format.Dialect, i, value, got)
				}
			}
		}
		sheet = books[1].GetSheetName(0)
		read := commandtest.Contents(t, books[1], sheet)
		numbers := 0
		if len(read) != 1+len(want) {
			t.Fatalf("%s: %d rows", d.format.Name+d.format.Dialect, len(read))
		}
		for i, row := range want {
			for _, column := range read[0] {
				got := commandtest.At(t, read, i+1, column)
				switch value := row[column].(type) {
				case float64:
					numbers++
					if x, err := strconv.ParseFloat(got, 64); err != nil || math.Abs(x-value) > 1e-13*math.Abs(value) {
						t.Errorf("%s: %s of %v reads as %q, want %v", d.format.Name+d.format.Dialect, column, row["method"], got, value)
					}
				case string:
					if got != value {
						t.Errorf("%s: %s of %v reads as %q, want %q", d.format.Name+d.format.Dialect, column, row["method"], got, value)
					}
				}
			}
		}
		if numbers < 300 {
			t.Errorf("%s: %d numbers compared", d.format.Name+d.format.Dialect, numbers)
		}
	}
}

// A workbook's cells read as they were written: text of a user's file as text,
// numbers with every digit.
func TestLibreOfficeWorkbook(t *testing.T) {
	foreigns := append(slices.Clone(awkward.Texts), "-12", "007", "0.05", "_x0041_", " spaces ", "1e5",
		"=HYPERLINK(\"x\")", strings.Repeat("é", 300))
	foreigns = slices.DeleteFunc(foreigns,
		func(s string) bool { return strings.ContainsAny(s, "\x00\r") }) // no XML holds the one, none keeps the other
	var rows [][]record.Cell
	for i, s := range foreigns {
		rows = append(rows,
			[]record.Cell{record.Count(transfer.MaxCount - int64(i)), {Form: record.ForeignForm, S: s},
				record.Exactly(-math.Pi * math.Pow(10, float64(20-4*i))), record.Truth(i%2 == 0),
				record.Chance(theory.LogProb(-50 * float64(i)))})
	}
	path := filepath.Join(t.TempDir(), "book.xlsx")
	c := &commands.Call{Session: &outfile.Session{Context: t.Context()}}
	a := commands.Answer[[]record.Cell]{Command: "test",
		Columns: columns("n", "text", "number", "truth", "chance"), Rows: commands.List(rows)}
	if err := commands.Emit(c, commands.Target{Format: workbook.Format, Path: path}, a); err != nil {
		t.Fatal(err)
	}
	f := reopened(t, []string{path})[0]
	for i, row := range rows {
		for j, c := range row {
			at := commandtest.CellAt(j+1, i+2)
			got := raw(t, f, "test", at)
			if formula, err := f.GetCellFormula("test", at); c.Form != record.TruthForm && formula != "" ||
				err != nil { // it writes truths as TRUE()
				t.Errorf("%s: a formula %s (%v)", at, formula, err)
			}
			switch c.Form {
			case record.ForeignForm:
				if got != c.S {
					t.Errorf("%q reads as %q", c.S, got)
				}
			case record.TruthForm:
				if got != strconv.FormatInt(c.N, 10) {
					t.Errorf("%v reads as %q", c.N == 1, got)
				}
			default:
				value := map[record.Form]float64{record.CountForm: float64(c.N), record.NumberForm: c.F,
					record.ChanceForm: math.Exp(c.F)}[c.Form]
				if x, err := strconv.ParseFloat(got, 64); err != nil || math.Abs(x-value) > 1e-13*math.Abs(value) {
					t.Errorf("%v reads as %q", value, got)
				}
			}
		}
	}
}
