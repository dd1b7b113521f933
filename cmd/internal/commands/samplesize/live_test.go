package samplesize

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/dpcalc/dpcalc/cmd/internal/commandtest"
	"github.com/dpcalc/dpcalc/transfer"
	"github.com/xuri/excelize/v2"
)

// Whatever a row of the sheet Live says of a goal is a formula, which gives way once an input has changed, and the
// rows of private procedures are a block below the others.
func TestLiveHasNothingStale(t *testing.T) {
	for _, command := range []string{
		"samplesize -m 20 -t 0.2 -b 0.05 -B 5",
		"samplesize -n 3000 -m 20 -b 0.05 --feedback gate --passes 3 --one-sided",
	} {
		f := commandtest.OpenBook(t, strings.Fields(command)...)
		_, rows := commandtest.LiveTable(t, f)
		sheet := commandtest.Contents(t, f, "Live")
		head := slices.IndexFunc(sheet, func(row []string) bool { return len(row) > 0 && row[0] == "method" })
		names := sheet[head]
		lastOther, firstProcedure := 0, len(sheet)
		for name, k := range rows {
			for j, text := range sheet[k-1] {
				formula, err := f.GetCellFormula("Live", commandtest.CellAt(j+1, k))
				constant := slices.Contains([]string{"method", "use", "proof"}, names[j])
				if err != nil || text != "" && !constant && formula == "" {
					t.Errorf("%s: %s of %s is the constant %q (%v)", command, names[j], name, text, err)
				}
			}
			if m, _ := transfer.Lookup(name); m.Procedure {
				firstProcedure = min(firstProcedure, k)
			} else {
				lastOther = max(lastOther, k)
			}
		}
		if firstProcedure < len(sheet) && (firstProcedure != lastOther+3 || len(sheet[firstProcedure-2]) == 0) {
			t.Errorf("%s: procedures from row %d, the others to row %d", command, firstProcedure, lastOther)
		}
	}
}

// With rows as an input the sheet has the tau of every method, as dpcalc solves for it.
func TestLiveTau(t *testing.T) {
	f := commandtest.OpenBook(t, strings.Fields("samplesize -n 4000 -m 20 -b 0.05 -B 6")...)
	inputs, rows := commandtest.LiveTable(t, f)
	if got, _ := f.GetCellValue("Live", inputs["samples"], excelize.Options{RawCellValue: true}); got != "4000" {
		t.Errorf("samples %q", got)
	}
	for _, row := range commandtest.RowsOf(t, strings.Fields("samplesize -n 4000 -m 20 -b 0.05 -B 6")...) {
		cell := func(column string) string {
			text, err := f.GetCellValue("Live", fmt.Sprint(column, rows[row["method"].(string)]), excelize.Options{RawCellValue: true})
			if err != nil {
				t.Fatal(err)
			}
			return text
		}
		text, mark := cell("D"), cell("E")
		want, solved := row["tau"].(float64)
		if row["status"] != "ok" || !solved {
			if text != "" {
				t.Errorf("%s: tau %q, want none", row["method"], text)
			}
			continue
		}
		most := want
		switch mark {
		case "formula":
			most *= 1 + 1e-6
		case "formula, at most":
			most *= 1.1
		}
		if tau, err := strconv.ParseFloat(text, 64); err != nil || tau < want || tau > most {
			t.Errorf("%s: tau %q, want %v to %v (%v)", row["method"], text, want, most, err)
		}
	}
}

// For values in a range of their own the sheet has what dpcalc computes, and the command that it writes repeats what no
// cell has.
func TestLiveRepeatsTheGoal(t *testing.T) {
	for command, flags := range map[string]string{
		"-t 0.5 --range 0,5":                                     "--range=0,5",
		"-n 9000 --range=-2,2 --feedback gate":                   "--range=-2,2 --feedback gate",
		"-t 1.5 --range=-1,0 --query difference":                 "--query difference --range=-1,0",
		"-t 0.1 --query difference --disagreement 0.1 --checked": "--query difference --checked --disagreement 0.1",
		"-n 100000 --range 1,3 --feedback final --one-sided":     "--range=1,3 --feedback final --one-sided",
		"-t 0.5 --range 0,5 --feedback gate --threshold 4":       "--range=0,5 --feedback gate --threshold 4",
	} {
		f := commandtest.OpenBook(t, strings.Fields("samplesize -m 10 -b 0.05 "+command)...)
		inputs, rows := commandtest.LiveTable(t, f)
		raw := func(cell string) string {
			text, err := f.GetCellValue("Live", cell, excelize.Options{RawCellValue: true})
			if err != nil {
				t.Fatal(err)
			}
			return text
		}
		if got, want := raw(inputs["command"]), "dpcalc samplesize "+flags+" --queries 10 --tau "; !strings.HasPrefix(got, want) {
			t.Errorf("%s: the sheet says %s, want %s", command, got, want)
		}
		if got := raw(inputs["problem"]); got != "none" {
			t.Errorf("%s: %s", command, got)
		}
		for _, row := range commandtest.RowsOf(t, strings.Fields(strings.TrimPrefix(raw(inputs["command"]), "dpcalc "))...) {
			n, solved := row["samples"].(float64)
			text := raw(fmt.Sprint("B", rows[row["method"].(string)]))
			if got, err := strconv.ParseFloat(text, 64); solved && row["status"] == "ok" && (err != nil || got < n) {
				t.Errorf("%s: %s has %s rows, want %v", command, row["method"], text, n)
			}
		}
	}
}

// What explains the sheet Live goes across the table and breaks its lines there.
func TestLiveIntroIsMerged(t *testing.T) {
	f := commandtest.OpenBook(t, strings.Fields("samplesize -m 20 -t 0.2 -b 0.05")...)
	sheet := commandtest.Contents(t, f, "Live")
	merged, err := f.GetMergeCells("Live")
	if err != nil {
		t.Fatal(err)
	}
	intro := slices.IndexFunc(sheet, func(row []string) bool { return len(row) == 0 || row[0] == "" })
	if intro < 2 || len(merged) != intro {
		t.Errorf("%d merged cells for %d lines", len(merged), intro)
	}
	for i, cell := range merged {
		if row := i + 1; cell.GetStartAxis() != commandtest.CellAt(1, row) || cell.GetCellValue() != sheet[i][0] {
			t.Errorf("line %d is in %s: %q", row, cell.GetStartAxis(), cell.GetCellValue())
		}
	}
	height, err := f.GetRowHeight("Live", 2)
	if err != nil || height < 15 {
		t.Errorf("a line of the height %v, %v", height, err)
	}
}

// The sheet Live marks the row that needs the fewest samples, that of the star where rows are asked for, and dims the
// references.
func TestLiveMarksTheBest(t *testing.T) {
	for _, command := range []string{
		"samplesize -m 1000 -t 0.1 -b 0.05", "samplesize -m 20 -t 0.2 -b 0.05 --query binary --feedback best",
		"samplesize -m 50 -t 0.1 -b 0.05 --open --feedback gate --passes 2",
	} {
		f := commandtest.OpenBook(t, strings.Fields(command)...)
		_, rows := commandtest.LiveTable(t, f)
		sheet := commandtest.Contents(t, f, "Live")
		head := slices.IndexFunc(sheet, func(row []string) bool { return len(row) > 0 && row[0] == "method" })
		use, best := slices.Index(sheet[head], "use"), slices.Index(sheet[head], "best")
		for _, r := range commandtest.RowsOf(t, strings.Fields(command)...) {
			k := rows[r["method"].(string)]
			mark, err := f.GetCellValue("Live", commandtest.CellAt(best+1, k))
			if err != nil || (mark == "best") != (r["best"] == true) {
				t.Errorf("%s: %s is marked %q (%v)", command, r["method"], mark, err)
			}
		}
		area := commandtest.CellAt(1, head+2) + ":"
		formats, err := f.GetConditionalFormats("Live")
		if err != nil {
			t.Fatal(err)
		}
		var conditions []string
		for where, list := range formats {
			for _, format := range list {
				if strings.HasPrefix(where, area) {
					conditions = append(conditions, format.Criteria)
				}
			}
		}
		dim := fmt.Sprintf(`$%c%d="reference"`, 'A'+use, head+2)
		bold := fmt.Sprintf(`LEFT($%c%d,4)="best"`, 'A'+best, head+2)
		if !slices.Contains(conditions, dim) || !slices.Contains(conditions, bold) {
			t.Errorf("%s: conditions %q, want %s and %s", command, conditions, dim, bold)
		}
	}
}
