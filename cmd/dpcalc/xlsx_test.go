package main

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/dpcalc/dpcalc/docs"
	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer"
	"github.com/xuri/excelize/v2"
)

// openBook runs a command with -o to a workbook and opens that.
func openBook(t *testing.T, args ...string) *excelize.File {
	t.Helper()
	path := filepath.Join(t.TempDir(), "book.xlsx")
	code, stdout, stderr := dpcalc(append(args, "-o", path)...)
	if code != exitOK || stdout+stderr != "" {
		t.Fatalf("%v: exit %d, %q, %q", args, code, stdout, stderr)
	}
	f, err := excelize.OpenFile(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

// contents are the raw values of a sheet.
func contents(t *testing.T, f *excelize.File, sheet string) [][]string {
	t.Helper()
	rows, err := f.GetRows(sheet, excelize.Options{RawCellValue: true})
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// at is the cell of a row under a column's name.
func at(t *testing.T, rows [][]string, row int, column string) string {
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

// rowsOf runs a command with -f json.
func rowsOf(t *testing.T, args ...string) []map[string]any {
	t.Helper()
	_, stdout, stderr := dpcalc(append(args, "-f", "json")...)
	var got struct{ Rows []map[string]any }
	if err := json.Unmarshal([]byte(stdout), &got); err != nil {
		t.Fatalf("%v: %v, %s", args, err, stderr)
	}
	return got.Rows
}

// The sheet Plan has the rows of the other formats, as numbers with every digit, a
// header that stays, filters and widths; columns without a value are left out.
func TestPlanSheet(t *testing.T) {
	args := strings.Fields("samplesize -m 1000,20 -t 0.1 -b 0.05 -B 20")
	f := openBook(t, args...)
	if got := f.GetSheetList(); !slices.Equal(got, []string{"Plan", "Live", "About"}) {
		t.Errorf("sheets %v", got)
	}
	got, want := contents(t, f, "Plan"), rowsOf(t, args...)
	if len(got) != 1+len(want) {
		t.Fatalf("%d rows, want a header and %d", len(got), len(want))
	}
	numbers := 0
	for i, row := range want {
		for _, column := range []string{
			"method", "samples", "queries", "tau", "tau_achieved", "beta", "budget", "noise", "noise_scale", "noise_first", "noise_last",
			"threshold", "cells", "epsilon", "ln_delta", "proof", "status", "reason", "query",
		} {
			name := strings.ReplaceAll(column, "_", " ")
			if end, ok := strings.CutPrefix(column, "noise_"); ok && end != "scale" {
				name = end + " noise scale"
			}
			text := at(t, got, i+1, name)
			switch value := row[column].(type) {
			case nil:
				if text != "" {
					t.Errorf("%s of %v: %q, want nothing", name, row["method"], text)
				}
			case float64:
				numbers++
				x, err := strconv.ParseFloat(text, 64)
				j := slices.Index(got[0], name)
				kind, e := f.GetCellType("Plan", cellAt(j+1, i+2))
				if err != nil || e != nil || x != value || kind != excelize.CellTypeUnset {
					t.Errorf("%s of %v: %q of type %v, want the number %v (%v, %v)", name, row["method"], text, kind, value, err, e)
				}
			case string:
				if want := strings.ReplaceAll(value, "not_applicable", "not applicable"); text != want {
					t.Errorf("%s of %v: %q, want %q", name, row["method"], text, want)
				}
			}
		}
		if best := at(t, got, i+1, "best") == "best"; best != row["best"] {
			t.Errorf("best of %v: %v", row["method"], best)
		}
	}
	if numbers < 200 {
		t.Errorf("%d numbers compared", numbers)
	}
	for _, name := range []string{"sensitivity", "ln beta"} {
		if slices.Contains(got[0], name) {
			t.Errorf("an empty column %s", name)
		}
	}
	panes, err := f.GetPanes("Plan")
	if err != nil || !panes.Freeze || panes.YSplit != 1 || panes.XSplit != 1 {
		t.Errorf("panes %+v, %v", panes, err)
	}
	last := cellAt(len(got[0]), len(got))
	filters := slices.ContainsFunc(f.GetDefinedName(), func(n excelize.DefinedName) bool {
		return n.Name == "_xlnm._FilterDatabase" && strings.HasSuffix(strings.ReplaceAll(n.RefersTo, "$", ""), "A1:"+last)
	})
	if dimension, err := f.GetSheetDimension("Plan"); !filters || err != nil || dimension != "A1:"+last {
		t.Errorf("filters %v over A1:%s, dimension %s (%v)", f.GetDefinedName(), last, dimension, err)
	}
	for j, name := range got[0] {
		column, _ := excelize.ColumnNumberToName(j + 1)
		width, err := f.GetColWidth("Plan", column)
		longest := 0
		for i := range got {
			if value, _ := f.GetCellValue("Plan", cellAt(j+1, i+1)); i > 0 && len(value) > longest {
				longest = len(value)
			}
		}
		if err != nil || width < float64(min(longest, 40))+1 || width > 60 {
			t.Errorf("column %s of width %v shows %d characters (%v)", name, width, longest, err)
		}
	}
	if shown, _ := f.GetCellValue("Plan", cellAt(slices.Index(got[0], "samples")+1, 5)); shown != "530,000" {
		t.Errorf("splitting shows %q", shown)
	}
}

func cellAt(column, row int) string {
	name, err := excelize.CoordinatesToCellName(column, row)
	if err != nil {
		panic(err)
	}
	return name
}

// A solved quantity is not shown where it is no answer; a probability that float64
// cannot hold is text with its logarithm beside it.
func TestPlanSheetEdges(t *testing.T) {
	f := openBook(t, strings.Fields("samplesize -n 100 -m 1000 -b 0.05 --method splitting,hoeffding")...)
	rows := contents(t, f, "Plan")
	if tau, status := at(t, rows, 2, "tau"), at(t, rows, 2, "status"); tau != "" || status != "vacuous" {
		t.Errorf("tau %q, %s", tau, status)
	}
	f = openBook(t, strings.Fields("samplesize -m 10 -t 0.1 -b 1e-4343 --method splitting")...)
	rows = contents(t, f, "Plan")
	if at(t, rows, 1, "beta") != "1e-4343" || !strings.HasPrefix(at(t, rows, 1, "ln beta"), "-10000.1") {
		t.Errorf("%v", rows)
	}
}

// liveTable returns the live sheet's inputs by name and its rows by method.
func liveTable(t *testing.T, f *excelize.File) (inputs map[string]string, rows map[string]int) {
	t.Helper()
	inputs, rows = make(map[string]string), make(map[string]int)
	for _, name := range f.GetDefinedName() {
		if place, ok := strings.CutPrefix(name.RefersTo, "Live!"); ok {
			inputs[name.Name] = strings.ReplaceAll(place, "$", "")
		}
	}
	for i, row := range contents(t, f, "Live") {
		if len(row) > 0 {
			if _, ok := transfer.Lookup(row[0]); ok {
				rows[row[0]] = i + 1
			}
		}
	}
	return inputs, rows
}

// explicit are the methods whose n has an explicit formula.
var explicit = []string{
	"hoeffding", "splitting", "rounding", "thresholdout-dwork15", "thresholdout-dwork15-n0", "thresholdout-dwork15-n1",
	"dp", "dp-maxinfo", "dp-dwork15", "dp-approx-dwork15",
}

// The sheet Live asks every method for n: explicit formulas are formulas, other
// rows values that are labelled, and both show what dpcalc computes for the inputs
// at the start, whichever quantity was solved for.
func TestLiveSheet(t *testing.T) {
	for _, command := range []string{
		"samplesize -m 1000 -t 0.1 -b 0.05 -B 20",
		"samplesize -m 1000,2000 -t 0.1 -b 0.05",
		"samplesize -n 20k -m 5000 -b 0.05 --query binary",
		"samplesize -n 20k -m 500 -t 0.1 --method splitting,gaussian,dp --epsilon 0.05",
		"samplesize -n 20k -t 0.1 -b 0.05 --method rounding,gaussian",
		"samplesize -n 20k -m 500 -t 0.1 -b 0.05",
		"samplesize -m 5 -t 0.1 -b 1e-4343",
		"samplesize -m 5 -t 0.1 -b 0.05 --query minimization --sensitivity 3",
		"samplesize -m 1 -t 0.1 -b 0.05",
	} {
		f := openBook(t, strings.Fields(command)...)
		if p, err := f.GetCalcProps(); err != nil || p.FullCalcOnLoad == nil || !*p.FullCalcOnLoad {
			t.Errorf("%s: calculation on load: %+v, %v", command, p, err)
		}
		inputs, rows := liveTable(t, f)
		value := func(cell string) string {
			v, err := f.GetCellValue("Live", cell, excelize.Options{RawCellValue: true})
			if err != nil {
				t.Fatal(err)
			}
			return v
		}
		goal := goalOf(t, command, inputs, value)
		if value(inputs["problem"]) != "none" || value(inputs["unchanged"]) != "yes" {
			t.Errorf("%s: problem %q, unchanged %q", command, value(inputs["problem"]), value(inputs["unchanged"]))
		}
		if len(rows) < 2 {
			t.Errorf("%s: rows %v", command, rows)
		}
		for name, i := range rows {
			formula, err := f.GetCellFormula("Live", fmt.Sprint("B", i))
			m, _ := transfer.Lookup(name)
			answer, e := m.Solve(goal)
			if err != nil || e != nil {
				t.Fatal(err, e)
			}
			linear := goal.Query == transfer.Bounded || goal.Query == transfer.Binary
			if follows := slices.Contains(explicit, name) && (linear || name == "hoeffding"); follows != (formula != "") {
				t.Errorf("%s: %s has the formula %q", command, name, formula)
			}
			wantN, wantSource := "none", answer.Reason
			if answer.Status == transfer.OK {
				wantN, wantSource = strconv.FormatInt(answer.Samples, 10), "value"
				if formula != "" {
					wantSource = "formula"
				}
			}
			if n, source := value(fmt.Sprint("B", i)), value(fmt.Sprint("C", i)); n != wantN || source != wantSource {
				t.Errorf("%s: %s needs %s (%s), want %s (%s)", command, name, n, source, wantN, wantSource)
			}
		}
	}
}

// goalOf reads the inputs of a live sheet.
func goalOf(t *testing.T, command string, inputs map[string]string, value func(string) string) transfer.Goal {
	t.Helper()
	number := func(name string) float64 {
		text := ""
		if inputs[name] != "" {
			text = value(inputs[name])
		}
		if text == "" {
			return 0
		}
		x, err := strconv.ParseFloat(text, 64)
		if err != nil {
			t.Fatalf("%s: %s is %q", command, name, text)
		}
		return x
	}
	g := transfer.Goal{
		Queries: int64(number("queries")), Tau: number("tau"), Budget: int64(number("budget")),
		Epsilon: number("epsilon"), Sensitivity: number("sensitivity"), Beta: theory.LogProb(-number("ln_inv_beta")),
	}
	if inputs["beta"] != "" {
		if err := g.Beta.UnmarshalText([]byte(value(inputs["beta"]))); err != nil {
			t.Fatal(err)
		}
	}
	words := strings.Fields(command)
	if i := slices.Index(words, "--query"); i >= 0 {
		var err error
		if g.Query, err = transfer.ParseQuery(words[i+1]); err != nil {
			t.Fatal(err)
		}
	}
	return g
}

// With nothing to start from, the sheet says so.
func TestLiveSheetWithoutStart(t *testing.T) {
	path := filepath.Join(t.TempDir(), "plan.xlsx")
	if code, _, stderr := dpcalc(strings.Fields("samplesize -n 2 -m 1000 -b 0.05 --method splitting,gaussian -o " + path)...); code != exitNoAnswer {
		t.Fatalf("exit %d, %s", code, stderr)
	}
	f, err := excelize.OpenFile(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	inputs, rows := liveTable(t, f)
	for _, c := range []struct{ cell, want string }{
		{inputs["tau"], ""}, {inputs["problem"], "tau: want a number above 0 and below 1"},
		{fmt.Sprint("B", rows["splitting"]), "none"}, {fmt.Sprint("C", rows["gaussian"]), "nothing to start from"},
	} {
		if got, _ := f.GetCellValue("Live", c.cell); got != c.want {
			t.Errorf("%s: %q, want %q", c.cell, got, c.want)
		}
	}
}

// About says which version wrote the file by which command, what was found, and
// what the methods rest on.
func TestAboutSheet(t *testing.T) {
	f := openBook(t, "samplesize", "-m", "1000", "-t", "0.1", "-b", "5%", "--method", "splitting,gaussian-jung20")
	var page strings.Builder
	for _, row := range contents(t, f, "About") {
		page.WriteString(strings.Join(row, "|") + "\n")
	}
	for _, want := range []string{
		"dpcalc|version " + version() + "\n",
		"command|dpcalc samplesize --queries 1000 --tau 0.1 --beta 5% --method splitting,gaussian-jung20 --output book.xlsx\n",
		"result|Rows needed: queries 1000, tau 0.1, beta 0.05, bounded queries\n|gaussian-jung20, fewest rows: ",
		"tau achieved|the accuracy certified",
		"splitting|a fresh part of the holdout for every query\nn = m ceil(ln(2m/beta)/(2 tau^2))\nassumes rows independent and identically distributed\nsource: hoeffding63 Theorem 2",
		"hoeffding63|Wassily Hoeffding. Probability inequalities for sums of bounded random variables. Journal of the American Statistical Association 58(301), 13–30. 1963. doi:10.1080/01621459.1963.10500830.\n",
		"jung20|Christopher Jung, Katrina Ligett, ",
	} {
		if !strings.Contains(page.String(), want) {
			t.Errorf("About lacks %q:\n%s", want, page.String())
		}
	}
}

// Every entry of the bibliography reads without markup.
func TestCitation(t *testing.T) {
	entries := strings.Split(docs.References, "\n@")
	for _, entry := range entries {
		line := citation(entry)
		if strings.ContainsAny(line, `\{}`) || strings.Contains(line, "..") || strings.Contains(line, "  ") || len(line) < 60 || strings.HasPrefix(line, ".") {
			t.Errorf("%s\nreads %s", entry, line)
		}
	}
	if len(entries) < 20 {
		t.Errorf("%d entries", len(entries))
	}
}

// The other commands write a sheet named after them, and About.
func TestOtherWorkbooks(t *testing.T) {
	for _, c := range []struct{ command, column, cites string }{
		{"transfer --alpha 0.05 --beta 0.01 --epsilon 0.05 --target-beta 0.05 -n 10k", "alpha_out", "jung20"},
		{"compose --epsilon 0.1 --times 10 --target-delta 1e-6", "ln_delta", "kairouz17"},
		{"compose --epsilon 0.1 --times 10 --all", "ln_delta", "kairouz17"},
		{"methods", "summary", "hoeffding63"},
	} {
		words := strings.Fields(c.command)
		f := openBook(t, words...)
		if got := f.GetSheetList(); !slices.Equal(got, []string{words[0], "About"}) {
			t.Errorf("%s: sheets %v", c.command, got)
		}
		rows, want := contents(t, f, words[0]), rowsOf(t, words...)
		_, table, _ := dpcalc(append(words, "-f", "csv")...)
		if header, _, _ := strings.Cut(table, "\n"); strings.Join(rows[0], ",") != header {
			t.Errorf("%s: columns %v, want %s", c.command, rows[0], header)
		}
		if len(rows) != 1+len(want) {
			t.Fatalf("%s: %d rows, want %d", c.command, len(rows), 1+len(want))
		}
		for i, row := range want {
			value := row[c.column]
			got := any(at(t, rows, i+1, c.column))
			if x, ok := value.(float64); ok {
				got, value = at(t, rows, i+1, c.column), strconv.FormatFloat(x, 'f', -1, 64)
			}
			if value != nil && got != value {
				t.Errorf("%s: row %d, %s %q, want %q", c.command, i, c.column, got, value)
			}
		}
		about := contents(t, f, "About")
		if !slices.ContainsFunc(about, func(row []string) bool { return len(row) > 1 && row[0] == c.cites && len(row[1]) > 60 }) ||
			!strings.HasPrefix(about[1][1], "dpcalc "+words[0]+" ") {
			t.Errorf("%s: About %v", c.command, about)
		}
	}
}

// The same command writes the same bytes, wherever and on however many workers.
func TestWorkbookIsDeterministic(t *testing.T) {
	args := strings.Fields("dpcalc samplesize -m 1:1500:1 -t 0.1 -b 0.05 --method splitting,rounding,dp -o")
	var want []byte
	for workers := 1; workers <= 7; workers += 3 {
		path := filepath.Join(t.TempDir(), "plan.xlsx")
		p := newProgram(&Session{Context: context.Background(), Stdout: new(bytes.Buffer), Stderr: new(bytes.Buffer), Workers: workers})
		if code := p.run(append(args, path)); code != exitOK {
			t.Fatalf("exit %d: %s", code, p.Stderr)
		}
		got, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if want == nil {
			want = got
		}
		if !bytes.Equal(got, want) || len(want) < 1e5 {
			t.Errorf("%d workers write other bytes, %d and %d", workers, len(got), len(want))
		}
	}
}

// A long grid is streamed, through a temporary file which does not stay.
func TestLongWorkbook(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	path := filepath.Join(t.TempDir(), "plan.xlsx")
	if code, _, stderr := dpcalc(strings.Fields("samplesize -m 1:20k:1 -t 0.1 -b 0.05 --method splitting,hoeffding -o " + path)...); code != exitOK {
		t.Fatalf("exit %d, %s", code, stderr)
	}
	if left := files(t, dir); left != nil {
		t.Errorf("left in the temporary directory: %v", left)
	}
	z, err := zip.OpenReader(path)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	page, err := fs.ReadFile(z, "xl/worksheets/sheet1.xml")
	if err != nil || bytes.Count(page, []byte("<row ")) != 40001 || len(page) < 16<<20 {
		t.Fatalf("%d bytes, %d rows, %v", len(page), bytes.Count(page, []byte("<row ")), err)
	}
	last := string(page[bytes.LastIndex(page, []byte("<row ")):])
	for _, want := range []string{`<row r="40001">`, "<t>splitting</t>", "<v>20000</v>"} {
		if !strings.Contains(last, want) {
			t.Errorf("the last row lacks %s: %s", want, last)
		}
	}
}

// What does not fit a sheet is refused before anything is written, and a workbook
// goes to standard output only if it is asked to.
func TestWorkbookUsage(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "plan.xlsx")
	for _, c := range []struct{ args, says string }{
		{"-m 1:1048576:1 --max-rows 2M -o " + path, "--output: got 1048576 rows, want at most 1048575 in a workbook, or a .csv file"},
		{"-m 1 -f xlsx", "--format: got xlsx without --output, want --output FILE, or --output - for standard output"},
		{"-m 1 --csv-dialect excel-eu", "--csv-dialect: got it for table, want csv"},
		{"-m 1 --csv-dialect excel-eu -o " + path, "--csv-dialect: got it for xlsx, want csv"},
		{"-m 1 --csv-dialect excel -f csv", "--csv-dialect: got excel, want rfc4180 or excel-eu, did you mean excel-eu?"},
	} {
		code, stdout, stderr := dpcalc(strings.Fields("samplesize -t 0.1 -b 0.05 --method splitting " + c.args)...)
		if code != exitUsage || stdout != "" || stderr != "dpcalc: "+c.says+"\n" || files(t, dir) != nil {
			t.Errorf("%s: exit %d, %d bytes, %q, files %v", c.args, code, len(stdout), stderr, files(t, dir))
		}
	}
	if err := workbookOf(result{command: "test"}, new(bytes.Buffer), Target{Format: Workbook}, make([][]cell, maxSheetRows+1), sheet{}); err == nil {
		t.Error("a sheet of more rows than there are")
	}
	_, stdout, stderr := dpcalc(strings.Fields("samplesize -m 1 -t 0.1 -b 0.05 --method splitting -f xlsx -o -")...)
	if f, err := excelize.OpenReader(strings.NewReader(stdout)); err != nil || stderr != "" || len(f.GetSheetList()) != 3 {
		t.Errorf("standard output: %v, %q", err, stderr)
	}
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer full.Close()
	var message bytes.Buffer
	if code := run(append(small, "-f", "xlsx", "-o", "-"), nil, full, &message); code != exitFailure || message.String() != "dpcalc: standard output: no space left on device\n" {
		t.Errorf("exit %d, %s", code, message.String())
	}
}

// The command line is repeated without the directory of the output, in words that
// a shell reads as they were.
func TestCommandLine(t *testing.T) {
	f := openBook(t, "samplesize", "-b", "1/20", "-t0.1"[:2], "0.1", "-m", "1,2", "--zip", "--method", "splitting")
	if got := contents(t, f, "About")[1][1]; got != "dpcalc samplesize --queries 1,2 --tau 0.1 --beta 1/20 --method splitting --zip --output book.xlsx" {
		t.Error(got)
	}
	for word, want := range map[string]string{"": "''", "a b": "'a b'", "it's": `'it'\''s'`, "$x": "'$x'", "pure-dp:epsilon=0.01": "pure-dp:epsilon=0.01", "é": "'é'"} {
		if got := shellWord(word); got != want {
			t.Errorf("%q: got %s, want %s", word, got, want)
		}
	}
}

// A user's number is a number if a sheet shows it as it was written; all else is
// text, never a formula.
func TestForeignCells(t *testing.T) {
	for text, number := range map[string]bool{
		"0.05": true, "-1.5": true, "12": true, "0": true, "-0.5": true, "1.50": true,
		"007": false, "1e5": false, "+2": false, "": false, ".5": false, "5.": false, "NaN": false, "Inf": false, "1,5": false,
		"0x1p-3": false, "1_000": false, "12345678901234567": false, "-": false, "=1+1": false, "1.2.3": false,
	} {
		if _, got := plainNumber(text); got != number {
			t.Errorf("%q is a number: %v", text, got)
		}
	}
	made, err := newBook("test", "Test")
	if err != nil {
		t.Fatal(err)
	}
	b := made.(*book)
	defer b.Close()
	for _, text := range awkward {
		c, err := b.cell(cell{form: foreign, s: text}, plainLook)
		if err != nil || c.Formula != "" || text != "-1.5" && c.Value != text || text == "-1.5" && c.Value != -1.5 {
			t.Errorf("%q: %+v, %v", text, c, err)
		}
	}
	if _, err := b.cell(cell{form: foreign, s: strings.Repeat("x", maxCellText+1)}, plainLook); err == nil {
		t.Error("a text that does not fit")
	}
	if c, err := b.cell(cell{form: foreign, s: strings.Repeat("é", maxCellText)}, plainLook); err != nil || c.Value == nil {
		t.Errorf("a text that fits: %v", err)
	}
}

// Excel in much of Europe reads semicolons and decimal commas.
func TestExcelEU(t *testing.T) {
	e := ExcelEU.Encode(result{columns: []string{"a", "b"}})
	row := func(cells ...cell) string { return string(e.row(nil, true, cells, new(chances))) }
	for _, c := range []struct{ got, want string }{
		{string(e.head(nil)), "\ufeffa;b\n"},
		{row(numberCell(-1.5), chanceCell(-1e4), countCell(12)), "-1,5;1,1354838653148e-4343;12\n"},
		{row(cell{form: foreign, s: "0.05"}, cell{form: foreign, s: "-1.5"}, cell{form: foreign, s: "=1+1"}, cell{form: foreign, s: "1.2.3"}), "0,05;-1,5;'=1+1;1.2.3\n"},
		{row(listCell([]string{"x", "y"}), wordsCell("0.5 of it"), cell{form: foreign, s: "a;b"}), "\"x; y\";0.5 of it;\"a;b\"\n"},
	} {
		if c.got != c.want && !strings.Contains(c.want, "e-4343") {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
		if strings.Contains(c.want, "e-4343") && (!strings.HasPrefix(c.got, "-1,5;") || !strings.HasSuffix(c.got, "e-4343;12\n") || strings.Contains(c.got, ".")) {
			t.Errorf("got %q", c.got)
		}
	}
}

// A command that gives its result a live sheet gets it beside its rows.
func TestLiveResult(t *testing.T) {
	path := filepath.Join(t.TempDir(), "test.xlsx")
	r := result{command: "test", columns: []string{"x"}, live: &live{
		intro:   []string{"Twice"},
		inputs:  []liveInput{{name: "x", label: "x", value: exactly(3), holds: isNumber("x", "x>0"), wants: "want a positive number"}},
		columns: []string{"what", "value"},
		rows:    [][]liveCell{{{value: wordsCell("double")}, {value: exactly(6), formula: guarded("2*x")}}},
	}}
	c := &Call{Session: &Session{Context: context.Background()}}
	if err := emit(c, Target{Format: Workbook, Path: path, Command: "dpcalc test"}, r, [][]cell{{exactly(3)}}, func() sheet { return sheet{} }); err != nil {
		t.Fatal(err)
	}
	f, err := excelize.OpenFile(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if got := f.GetSheetList(); !slices.Equal(got, []string{"test", "Live", "About"}) {
		t.Errorf("sheets %v", got)
	}
	want := [][]string{{"Twice"}, nil, {"input", "value", "remark"}, {"x", "3"}, {"problem", "none"}, nil, {"what", "value"}, {"double", "6"}}
	for i, row := range contents(t, f, "Live") {
		if got := strings.TrimRight(strings.Join(row, "|"), "|"); got != strings.Join(want[i], "|") {
			t.Errorf("row %d: %q, want %q", i+1, row, want[i])
		}
	}
	for cell, want := range map[string]string{"B8": `IF(problem<>"none",problem,2*x)`, "C4": `IF(IF(ISNUMBER(x),x>0,FALSE),"","want a positive number")`, "B5": `IF(NOT(IF(ISNUMBER(x),x>0,FALSE)),"x: want a positive number","none")`} {
		if got, err := f.GetCellFormula("Live", cell); got != want || err != nil {
			t.Errorf("%s: %s, want %s (%v)", cell, got, want, err)
		}
	}
}
