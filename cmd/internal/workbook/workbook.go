// Package workbook writes workbooks.
package workbook

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
	"unicode/utf16"
	"unicode/utf8"

	"github.com/dpcalc/dpcalc/cmd/internal/outfile"
	"github.com/dpcalc/dpcalc/cmd/internal/record"
	"github.com/dpcalc/dpcalc/cmd/internal/usage"
	"github.com/dpcalc/dpcalc/internal/each"
	"github.com/dpcalc/dpcalc/theory"
	"github.com/xuri/excelize/v2"
)

// maxCellText is what a cell holds. A longer text, which the library would cut, is refused
// when it comes.
const maxCellText = 32767

// book is a workbook in the making. Its sheets are streamed, the first of them of
// any length: the library keeps what exceeds 16 MB in a temporary file.
type book struct {
	file   *excelize.File
	dir    string // of its temporary file; empty where none can be made
	styles map[style]int
}

// style is a look with a number format.
type style struct {
	look   record.Look
	format string // "" for the general one
}

// textFormat marks the style of a text. truthFormat is for programs that show a truth as
// a number.
const (
	textFormat  = "@"
	truthFormat = `"TRUE";"TRUE";"FALSE"`
)

// Format is the format of spreadsheets.
var Format = record.Format{Name: "xlsx", Suffix: ".xlsx", Help: " with --output", Book: open}

func open(title string, sheets ...string) (record.Book, error) {
	b, err := newBook(title, sheets...)
	return record.Book{Fill: b.fill, About: b.about, Write: b.write, Close: b.close}, err
}

// newBook returns a workbook with the sheets of these names. The properties are fixed, so that equal contents are equal
// bytes.
func newBook(title string, sheets ...string) (*book, error) {
	const epoch = "1980-01-01T00:00:00Z" // where the clock of a ZIP archive begins
	b := &book{dir: outfile.Temporaries.Directory(), styles: make(map[style]int)}
	b.file = excelize.NewFile(excelize.Options{TmpDir: b.dir})
	err := errors.Join(
		b.file.SetDocProps(&excelize.DocProperties{Title: title, Creator: "dpcalc " + usage.Version(), Created: epoch,
			Modified: epoch}),
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
func (b *book) write(w io.Writer) error {
	b.file.SetZipWriter(func(io.Writer) excelize.ZipWriter {
		return &archive{zip: zip.NewWriter(w), parts: make(map[string]*bytes.Buffer)}
	})
	_, err := b.file.WriteToBuffer() // the buffer stays empty
	return err
}

func (b *book) close() {
	b.file.Close()
	outfile.Temporaries.Remove(b.dir)
}

// archive writes the first sheet through and the other parts in alphabetical
// order: the library writes the sheets in the order of a map.
type archive struct {
	zip   *zip.Writer
	parts map[string]*bytes.Buffer
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
	switch s.look {
	case record.HeaderLook:
		font.Bold, made.Fill, made.Alignment.WrapText = true, fill("D9E1F2"), true
		made.Border = []excelize.Border{{Type: "bottom", Style: 1, Color: "7F7F7F"}}
	case record.BestLook:
		font.Bold, made.Fill = true, fill("E2EFDA")
	case record.DimLook:
		font.Color = "7F7F7F"
	case record.StrongLook:
		font.Bold = true
	case record.ProseLook:
		made.Alignment.WrapText = true
	}
	id, err := b.file.NewStyle(made)
	b.styles[s] = id
	return id, err
}

// cell returns what a sheet's cell is to hold: numbers as numbers, with a format
// that shows about six digits; a probability beyond float64 as text.
func (b *book) cell(c record.Cell, l record.Look) (excelize.Cell, error) {
	var value any
	format := ""
	switch c.Form {
	case record.Missing:
	case record.CountForm:
		value, format = c.N, "#,##0"
	case record.NumberForm:
		value, format = c.F, sixDigitFormat(c.F)
	case record.ChanceForm:
		text := record.Decimal(theory.LogProb(c.F))
		if value = text; record.IsRepresentable(theory.LogProb(c.F)) {
			p, err := strconv.ParseFloat(text, 64)
			if err != nil {
				return excelize.Cell{}, err
			}
			value, format = p, sixDigitFormat(p)
		}
	case record.TruthForm:
		value, format = c.N != 0, truthFormat
	case record.ForeignForm:
		if x, ok := record.PlainNumber(c.S); ok {
			value = x
		} else {
			value = c.S
		}
	default:
		value = record.People(c)
	}
	if text, ok := value.(string); ok {
		format = textFormat
		if n := utf16Length(text); n > maxCellText {
			return excelize.Cell{},
				fmt.Errorf("a text of %d characters does not fit a cell of a workbook, which holds %d", n, maxCellText)
		}
	}
	id, err := b.style(style{l, format})
	return excelize.Cell{Value: value, StyleID: id}, err
}

// utf16Length is what a text counts in a cell, or as many bytes as it has where these are no more than fit.
func utf16Length(text string) int {
	if len(text) <= maxCellText {
		return len(text)
	}
	return len(utf16.Encode([]rune(text)))
}

// sixDigitFormat leaves a short number as it is and shows others to six digits.
func sixDigitFormat(x float64) string {
	switch a := math.Abs(x); {
	case len(record.AppendNumber(nil, x)) <= 8:
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

const lineHeight = 15

// rowHeight leaves a header two lines if it has a name of two words. Programs do
// not agree on whether a file without heights gets them from its contents.
func rowHeight(l record.Look, row ...record.Cell) excelize.RowOpts {
	if l == record.HeaderLook && slices.ContainsFunc(row, func(c record.Cell) bool { return strings.Contains(c.S, " ") }) {
		return excelize.RowOpts{Height: 2 * lineHeight}
	}
	return excelize.RowOpts{}
}

// fill writes a table, whose rows fill adds one by one.
func (b *book) fill(t record.Table, fill func(add func(row []record.Cell, l record.Look) error) error) error {
	dimension, err := "", error(nil) // none where it is not known: the rows are streamed after it
	if t.Rows >= 0 {
		dimension, err = cellsOf(t, t.Rows+1)
	}
	if err := errors.Join(err,
		b.file.SetSheetDimension(t.Name, dimension),
		b.onePageWide(t.Name),
		b.file.SetDefinedName(&excelize.DefinedName{Name: "_xlnm.Print_Titles", RefersTo: "'" + t.Name + "'!$1:$1",
			Scope: t.Name}),
		b.chart(t), // before the rows, which are streamed
	); err != nil {
		return err
	}
	w, err := b.file.NewStreamWriter(t.Name)
	if err != nil {
		return err
	}
	err = w.SetPanes(&excelize.Panes{Freeze: true, XSplit: 1, YSplit: 1, TopLeftCell: "B2", ActivePane: "bottomRight"})
	for j, width := range t.Widths {
		err = errors.Join(err, w.SetColWidth(j+1, j+1, width))
	}
	if err != nil {
		return err
	}
	at := 0
	add := func(row []record.Cell, l record.Look) error {
		cells, values := make([]excelize.Cell, len(row)), make([]any, len(row))
		for j := range row {
			var err error
			if cells[j], err = b.cell(row[j], l); err != nil {
				return err
			}
			if cells[j].Value != nil || l == record.BestLook {
				values[j] = &cells[j]
			}
		}
		at++
		return w.SetRow("A"+strconv.Itoa(at), values, rowHeight(l, row...))
	}
	head := each.Of(t.Columns, record.Words)
	if err = add(head, record.HeaderLook); err == nil {
		err = fill(add)
	}
	if err != nil {
		return err
	}
	cells, err := cellsOf(t, at)
	return errors.Join(err, b.file.AutoFilter(t.Name, cells, nil), w.Flush())
}

// cellsOf names the cells of so many lines of a table.
func cellsOf(t record.Table, lines int) (string, error) {
	last, err := excelize.CoordinatesToCellName(len(t.Columns), lines)
	return "A1:" + last, err
}

// onePageWide prints a sheet across and as wide as the paper.
func (b *book) onePageWide(sheet string) error {
	landscape, one, free, yes := "landscape", 1, 0, true
	return errors.Join(
		b.file.SetPageLayout(sheet,
			&excelize.PageLayoutOptions{Orientation: &landscape, FitToWidth: &one, FitToHeight: &free}),
		b.file.SetSheetProps(sheet, &excelize.SheetPropsOptions{FitToPage: &yes}),
	)
}

// aboutWidth is how many characters a line of About holds for certain.
const aboutWidth = 110

// about writes the sheet that says where the numbers come from.
func (b *book) about(command string, remarks []record.Remark) error {
	const name = "About"
	remarks = slices.Concat([]record.Remark{
		{Label: "dpcalc", Text: "version " + usage.Version()},
		{Label: "command", Text: command},
		{Label: "numbers", Text: "cells hold every digit; what they show is rounded to the nearest"},
	}, remarks)
	if err := errors.Join(b.onePageWide(name),
		b.file.SetSheetDimension(name, "A1:B"+strconv.Itoa(len(remarks)))); err != nil {
		return err
	}
	w, err := b.file.NewStreamWriter(name)
	if err != nil {
		return err
	}
	if err := errors.Join(w.SetColWidth(1, 1, 26), w.SetColWidth(2, 2, aboutWidth+10)); err != nil {
		return err
	}
	for i, r := range remarks {
		label, e1 := b.cell(record.Words(r.Label), record.StrongLook)
		text, e2 := b.cell(record.Words(r.Text), record.ProseLook)
		lines := 0
		for line := range strings.SplitSeq(r.Text, "\n") {
			lines += 1 + utf8.RuneCountInString(line)/aboutWidth
		}
		if err := errors.Join(e1, e2,
			w.SetRow("A"+strconv.Itoa(i+1), []any{label, text},
				excelize.RowOpts{Height: float64(lines) * lineHeight})); err != nil {
			return err
		}
	}
	return w.Flush()
}
