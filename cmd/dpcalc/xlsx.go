package main

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/dpcalc/dpcalc/theory"
	"github.com/xuri/excelize/v2"
)

// What a sheet holds. More is refused before anything is written.
const (
	maxSheetRows = 1<<20 - 1 // below the header
	mostColumns  = 1 << 14
)

// maxCellText is what a cell holds. A longer text, which the library would cut, is refused
// when it comes.
const maxCellText = 32767

// columnName is the name of the n-th column of a sheet, from 1: A, B, ..., Z, AA.
func columnName(n int) (name string) {
	for ; n > 0; n = (n - 1) / 26 {
		name = string(rune('A'+(n-1)%26)) + name
	}
	return name
}

// book is a workbook in the making. Its sheets are streamed, the first of them of
// any length: the library keeps what exceeds 16 MB in a temporary file.
type book struct {
	file   *excelize.File
	dir    string // of its temporary file; empty where none can be made
	styles map[style]int
	known  chances
}

// style is a look with a number format.
type style struct {
	look   look
	format string // "" for the general one
}

// textFormat marks the style of a text. truthFormat is for programs that show a truth as
// a number.
const (
	textFormat  = "@"
	truthFormat = `"TRUE";"TRUE";"FALSE"`
)

// look is how a cell stands out.
type look uint8

const (
	plainLook  look = iota
	headerLook      // of a table
	bestLook        // a row to choose
	dimLook         // a row without an answer
	strongLook      // a label
	entryLook       // an input
	proseLook       // text in several lines
)

// Workbook is the format of spreadsheets.
var Workbook = Format{Name: "xlsx", Suffix: ".xlsx", Help: " with --output", Book: newBook}

// newBook returns a workbook with the sheets of these names. The properties are
// fixed, so that equal contents are equal bytes.
func newBook(title string, sheets ...string) (Book, error) {
	const epoch = "1980-01-01T00:00:00Z" // where the clock of a ZIP archive begins
	b := &book{dir: temporaries.directory(), styles: make(map[style]int)}
	b.file = excelize.NewFile(excelize.Options{TmpDir: b.dir})
	err := errors.Join(
		b.file.SetDocProps(&excelize.DocProperties{Title: title, Creator: "dpcalc " + version(), Created: epoch, Modified: epoch}),
		b.file.SetAppProps(&excelize.AppProperties{Application: "dpcalc"}),
		b.file.SetSheetName("Sheet1", sheets[0]),
	)
	for _, name := range sheets[1:] {
		_, e := b.file.NewSheet(name)
		err = errors.Join(err, e)
	}
	return b, err
}

// write writes the workbook and removes the temporary files, whatever happened.
func (b *book) Write(w io.Writer) error {
	b.file.SetZipWriter(func(io.Writer) excelize.ZipWriter { return newArchive(w) })
	_, err := b.file.WriteToBuffer() // the buffer stays empty
	return err
}

func (b *book) Close() {
	b.file.Close()
	temporaries.remove(b.dir)
}

// archive writes the first sheet through and the other parts in alphabetical
// order: the library's order of the sheets is that of a map.
type archive struct {
	zip   *zip.Writer
	parts map[string]*bytes.Buffer
}

func newArchive(w io.Writer) *archive {
	return &archive{zip: zip.NewWriter(w), parts: make(map[string]*bytes.Buffer)}
}

func (a *archive) Create(name string) (io.Writer, error) {
	if name == "xl/worksheets/sheet1.xml" {
		return a.zip.Create(name)
	}
	a.parts[name] = new(bytes.Buffer)
	return a.parts[name], nil
}

// AddFS makes the archive an [excelize.ZipWriter].
func (a *archive) AddFS(fsys fs.FS) error { return a.zip.AddFS(fsys) }

func (a *archive) Close() error {
	for _, name := range slices.Sorted(maps.Keys(a.parts)) {
		w, err := a.zip.Create(name)
		if err != nil {
			return err
		}
		if _, err := w.Write(a.parts[name].Bytes()); err != nil {
			return err
		}
	}
	return a.zip.Close()
}

// style returns the library's number of a style.
func (b *book) style(s style) (int, error) {
	if id, ok := b.styles[s]; ok {
		return id, nil
	}
	font := &excelize.Font{Family: "Calibri", Size: 11}
	made := &excelize.Style{Font: font, Alignment: &excelize.Alignment{Vertical: "top"}}
	switch s.format {
	case "":
	case textFormat:
		made.Alignment.Horizontal, made.Alignment.Indent = "left", 1 // apart from a number on the left
	default:
		made.CustomNumFmt = &s.format
	}
	fill := func(color string) excelize.Fill {
		return excelize.Fill{Type: "pattern", Pattern: 1, Color: []string{color}}
	}
	line := func(sides ...string) (borders []excelize.Border) {
		for _, side := range sides {
			borders = append(borders, excelize.Border{Type: side, Style: 1, Color: "7F7F7F"})
		}
		return borders
	}
	switch s.look {
	case headerLook:
		font.Bold, made.Fill, made.Border, made.Alignment.WrapText = true, fill("D9E1F2"), line("bottom"), true
	case bestLook:
		font.Bold, made.Fill = true, fill("E2EFDA")
	case dimLook:
		font.Color = "7F7F7F"
	case strongLook:
		font.Bold = true
	case entryLook:
		made.Fill, made.Border = fill("FFF2CC"), line("left", "right", "top", "bottom")
	case proseLook:
		made.Alignment.WrapText = true
	}
	id, err := b.file.NewStyle(made)
	b.styles[s] = id
	return id, err
}

// cell returns what a sheet's cell is to hold: numbers as numbers, with a format
// that shows about six digits; a probability beyond float64 as text. A truth with a
// text is the formula that the text is.
func (b *book) cell(c cell, l look) (excelize.Cell, error) {
	var value any
	format := ""
	switch c.form {
	case missing:
	case count:
		value, format = c.n, "#,##0"
	case number:
		value, format = c.f, sixDigitFormat(c.f)
	case chance:
		text := b.known.of(c.f)
		if value = text; representable(theory.LogProb(c.f)) {
			p, err := strconv.ParseFloat(text, 64)
			if err != nil {
				return excelize.Cell{}, err
			}
			value, format = p, sixDigitFormat(p)
		}
	case truth:
		value, format = c.n != 0, truthFormat
	case foreign:
		if x, ok := plainNumber(c.s); ok {
			value = x
		} else {
			value = c.s
		}
	default:
		value = people(c)
	}
	if text, ok := value.(string); ok {
		format = textFormat
		if n := len(utf16.Encode([]rune(text))); n > maxCellText {
			return excelize.Cell{}, fmt.Errorf("a text of %d characters does not fit a cell of a workbook, which holds %d", n, maxCellText)
		}
	}
	made := excelize.Cell{Value: value}
	if c.form == truth {
		made.Formula = c.s
	}
	var err error
	made.StyleID, err = b.style(style{l, format})
	return made, err
}

// representable says whether float64 holds a probability with all its digits and
// tells it from one.
func representable(p theory.LogProb) bool {
	return p == 0 || p == theory.Zero || p > -708 && math.Exp(p.Ln()) < 1
}

// plainNumber reads a number of the user's file if a sheet shows it as it was
// written: no zero in front as in 007, at most 15 digits.
func plainNumber(s string) (float64, bool) {
	x, err := strconv.ParseFloat(s, 64)
	digits := strings.TrimLeft(s, "-")
	bare := digits != "" && strings.Trim(digits, "0123456789.") == "" && digits[0] != '.' && digits[len(digits)-1] != '.'
	padded := len(digits) > 1 && digits[0] == '0' && digits[1] != '.'
	return x, err == nil && bare && !padded && len(digits) <= 16
}

// sixDigitFormat leaves a short number as it is and shows others to six digits.
func sixDigitFormat(x float64) string {
	switch a := math.Abs(x); {
	case len(appendNumber(nil, x)) <= 8:
		return ""
	case a < 1e-3 || a >= 1e6:
		return "0.00000E+00"
	case a < 1:
		return "0.000000"
	case a < 100:
		return "0.0000"
	}
	return "0.00"
}

// columnWidths makes the header and these rows visible, within reason.
func columnWidths(columns []string, rows [][]cell) []float64 {
	widths := make([]float64, len(columns))
	for j, name := range columns {
		widths[j] = 8
		for word := range strings.FieldsSeq(name) { // a header has two lines
			widths[j] = max(widths[j], float64(utf8.RuneCountInString(word))+5) // the filter's button
		}
	}
	for _, row := range rows {
		for j, c := range row {
			length := utf8.RuneCountInString(people(c))
			if c.form == count {
				length += length / 3
			}
			widths[j] = max(widths[j], float64(min(length, 40))+3)
		}
	}
	return widths
}

// table is a sheet for filtering: a header that stays in view over so many rows.
type table struct {
	name    string
	columns []string
	widths  []float64
	rows    int
}

const lineHeight = 15

// rowHeight leaves a header two lines if it has a name of two words. Programs do
// not agree on whether a file without heights gets them from its contents.
func rowHeight(l look, row ...cell) excelize.RowOpts {
	if l == headerLook && slices.ContainsFunc(row, func(c cell) bool { return strings.Contains(c.s, " ") }) {
		return excelize.RowOpts{Height: 2 * lineHeight}
	}
	return excelize.RowOpts{}
}

// stream writes a table, whose rows fill adds one by one.
func (b *book) Stream(t table, fill func(add func(row []cell, l look) error) error) error {
	last, err := excelize.CoordinatesToCellName(len(t.columns), t.rows+1)
	if err != nil {
		return err
	}
	if err := errors.Join(
		b.file.SetSheetDimension(t.name, "A1:"+last),
		b.file.AutoFilter(t.name, "A1:"+last, nil),
		b.onePageWide(t.name),
		b.file.SetDefinedName(&excelize.DefinedName{Name: "_xlnm.Print_Titles", RefersTo: "'" + t.name + "'!$1:$1", Scope: t.name}),
	); err != nil {
		return err
	}
	w, err := b.file.NewStreamWriter(t.name)
	if err != nil {
		return err
	}
	err = w.SetPanes(&excelize.Panes{Freeze: true, XSplit: 1, YSplit: 1, TopLeftCell: "B2", ActivePane: "bottomRight"})
	for j, width := range t.widths {
		err = errors.Join(err, w.SetColWidth(j+1, j+1, width))
	}
	if err != nil {
		return err
	}
	values := make([]any, len(t.columns))
	at := 0
	add := func(row []cell, l look) error {
		at++
		for j := range row {
			c, err := b.cell(row[j], l)
			if err != nil {
				return err
			}
			if values[j] = c; c.Value == nil && l != bestLook {
				values[j] = nil
			}
		}
		return w.SetRow("A"+strconv.Itoa(at), values, rowHeight(l, row...))
	}
	head := make([]cell, len(t.columns))
	for j, name := range t.columns {
		head[j] = wordsCell(name)
	}
	if err := errors.Join(add(head, headerLook), fill(add)); err != nil {
		return err
	}
	return w.Flush()
}

// onePageWide prints a sheet across and as wide as the paper.
func (b *book) onePageWide(sheet string) error {
	landscape, one, free, yes := "landscape", 1, 0, true
	return errors.Join(
		b.file.SetPageLayout(sheet, &excelize.PageLayoutOptions{Orientation: &landscape, FitToWidth: &one, FitToHeight: &free}),
		b.file.SetSheetProps(sheet, &excelize.SheetPropsOptions{FitToPage: &yes}),
	)
}

// remark is a line of the sheet About. Without a text it is a heading.
type remark struct{ label, text string }

// aboutWidth is how many characters a line of About holds for certain.
const aboutWidth = 100

// about writes the sheet that says where the numbers come from.
func (b *book) About(command string, remarks []remark) error {
	const name = "About"
	remarks = slices.Concat([]remark{
		{"dpcalc", "version " + version()},
		{"command", command},
		{"numbers", "cells hold every digit; what they show is rounded to the nearest"},
	}, remarks)
	if err := errors.Join(b.onePageWide(name), b.file.SetSheetDimension(name, "A1:B"+strconv.Itoa(len(remarks)))); err != nil {
		return err
	}
	w, err := b.file.NewStreamWriter(name)
	if err != nil {
		return err
	}
	if err := errors.Join(w.SetColWidth(1, 1, 26), w.SetColWidth(2, 2, aboutWidth+20)); err != nil {
		return err
	}
	for i, r := range remarks {
		label, e1 := b.cell(wordsCell(r.label), strongLook)
		text, e2 := b.cell(wordsCell(r.text), proseLook)
		lines := 0
		for line := range strings.SplitSeq(r.text, "\n") {
			lines += 1 + utf8.RuneCountInString(line)/aboutWidth
		}
		if err := errors.Join(e1, e2, w.SetRow("A"+strconv.Itoa(i+1), []any{label, text}, excelize.RowOpts{Height: float64(lines) * lineHeight})); err != nil {
			return err
		}
	}
	return w.Flush()
}

// workbookOf writes the result as a sheet named after the command, with the columns of
// csv, and About.
func workbookOf(r result, w io.Writer, to Target, rows [][]cell, s sheet) error {
	if err := fitsSheet(int64(len(rows))); err != nil {
		return err
	}
	names := []string{r.command}
	if r.live != nil {
		names = append(names, "Live")
	}
	b, err := to.Format.Book("dpcalc "+r.command, append(names, "About")...)
	if err != nil {
		return err
	}
	defer b.Close()
	t := table{name: r.command, columns: r.columns, widths: columnWidths(r.columns, rows), rows: len(rows)}
	err = b.Stream(t, func(add func([]cell, look) error) error {
		best := slices.Index(r.columns, "best")
		for _, row := range rows {
			stands := plainLook
			if best >= 0 && row[best].n != 0 {
				stands = bestLook
			}
			if err := add(row, stands); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil && r.live != nil {
		err = b.Live(*r.live)
	}
	if err != nil {
		return err
	}
	references, err := references(sourceTexts(r.columns, rows))
	if err != nil {
		return err
	}
	if err := b.About(to.Command, slices.Concat(remarks("result", s.title), remarks("", s.notes), references)); err != nil {
		return err
	}
	return b.Write(w)
}

// fitsSheet refuses what no sheet holds.
func fitsSheet(rows int64) error {
	if rows > maxSheetRows {
		return usagef("--output: got %d rows, want at most %d in a workbook, or a .csv file", rows, maxSheetRows)
	}
	return nil
}

// remarks labels the first of the lines.
func remarks(label string, lines []string) []remark {
	list := make([]remark, len(lines))
	for i, line := range lines {
		list[i] = remark{label, strings.TrimPrefix(line, "* ")} // the star of a table
		label = ""
	}
	return list
}

// sourceTexts collects what the column "sources" names.
func sourceTexts(columns []string, rows [][]cell) (texts []string) {
	j := slices.Index(columns, "sources")
	for _, row := range rows {
		if j >= 0 {
			texts = append(texts, row[j].list...)
		}
	}
	return texts
}

// references lists the works that these sources begin with, each once, as a
// reader cites them.
func references(sources []string) ([]remark, error) {
	var list []remark
	for _, source := range sources {
		key, _, _ := strings.Cut(source, " ")
		if slices.ContainsFunc(list, func(r remark) bool { return r.label == key }) {
			continue
		}
		entry, err := reference(theory.Source{Key: key})
		if err != nil {
			return nil, err
		}
		list = append(list, remark{key, citation(entry)})
	}
	if len(list) > 0 {
		list = slices.Insert(list, 0, remark{}, remark{label: "References"})
	}
	return list, nil
}

// citation writes a BibTeX entry as a line of a list of references.
func citation(entry string) string {
	field := make(map[string]string)
	for line := range strings.Lines(entry) {
		name, value, _ := strings.Cut(line, "=")
		value = strings.Trim(strings.TrimSpace(value), ",")
		field[strings.TrimSpace(name)] = plainTeX().Replace(strings.TrimSuffix(strings.TrimPrefix(value, "{"), "}"))
	}
	where := field["journal"] + field["booktitle"] + field["institution"]
	if where == "" {
		where = field["publisher"]
	}
	if v := field["volume"]; v != "" {
		if s := field["series"]; s != "" {
			where += ", " + s
		}
		where += " " + v
		if n := field["number"]; n != "" {
			where += "(" + n + ")"
		}
	}
	if p := field["pages"]; p != "" {
		where += ", " + p
	}
	text := strings.ReplaceAll(field["author"], " and ", ", ") + ". " + field["title"]
	for _, part := range []string{where, field["year"], field["version"]} {
		if part != "" {
			text += ". " + part
		}
	}
	for _, link := range []struct{ name, prefix string }{{"doi", "doi:"}, {"eprint", "arXiv:"}, {"note", ""}, {"url", ""}} {
		if v := field[link.name]; v != "" {
			text += ". " + link.prefix + v
		}
	}
	return text + "."
}

// plainTeX undoes the markup that a bibliography uses: accents, braces, dashes.
var plainTeX = sync.OnceValue(func() *strings.Replacer {
	pairs := []string{`\&`, "&", "{", "", "}", "", "--", "–"}
	for mark, letters := range map[string][2]string{
		`\'`: {"aeiouAEIOU", "áéíóúÁÉÍÓÚ"}, "\\`": {"aeiouAEIOU", "àèìòùÀÈÌÒÙ"}, `\"`: {"aeiouAEIOU", "äëïöüÄËÏÖÜ"}, `\^`: {"aeiouAEIOU", "âêîôûÂÊÎÔÛ"},
	} {
		accented := []rune(letters[1])
		for i, letter := range letters[0] {
			pairs = append(pairs, mark+string(letter), string(accented[i]))
		}
	}
	return strings.NewReplacer(pairs...)
})
