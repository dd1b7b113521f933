package workbook

import (
	"cmp"
	"errors"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/dpcalc/dpcalc/cmd/internal/expr"
	"github.com/dpcalc/dpcalc/cmd/internal/record"
	"github.com/xuri/excelize/v2"
)

// bestGround is the colour behind a best row.
const bestGround = "E2EFDA"

// sheetCell is a cell of the live sheet with its place and look.
type sheetCell struct {
	record.LiveCell
	formula     string
	column, row int
	look        record.Look
}

func (c sheetCell) name(absolute ...bool) string {
	name, err := excelize.CoordinatesToCellName(c.column, c.row, absolute...)
	if err != nil {
		panic(err) // the sheet is small
	}
	return name
}

// sheetCells are the cells in order of rows and columns, and the names of some.
func sheetCells(l record.Live) (cells []sheetCell, names []*excelize.DefinedName) {
	row, first := 0, 0
	define := func(name string, column int) {
		names = append(names,
			&excelize.DefinedName{Name: name, RefersTo: record.LiveSheet + "!" + sheetCell{column: column, row: row}.name(true)})
	}
	put := func(column int, c record.LiveCell, k record.Look) {
		if c.Formula.None() && c.Value.Form == record.Missing && k == record.PlainLook {
			return
		}
		if c.Name != "" {
			define(c.Name, column)
		}
		formula := ""
		if !c.Formula.None() {
			formula = strings.NewReplacer("{row}", strconv.Itoa(row), "{first}", strconv.Itoa(first),
				"{last}", strconv.Itoa(first+len(l.Rows)-1)).Replace(c.Formula.String())
		}
		cells = append(cells, sheetCell{c, formula, column, row, k})
	}
	line := func(texts []string, k record.Look) {
		row++
		for j, text := range texts {
			put(j+1, record.LiveCell{Value: record.Words(text)}, k)
		}
	}
	for i, text := range l.Intro {
		line([]string{text}, []record.Look{record.StrongLook, record.ProseLook}[min(i, 1)])
	}
	row++
	line([]string{"input", "value", "remark"}, record.HeaderLook)
	for _, in := range l.Inputs {
		line([]string{in.Label}, record.StrongLook)
		define(in.Name, 2)
		if !in.Formula.None() {
			put(2, record.LiveCell{Value: in.Value, Formula: in.Formula}, record.PlainLook)
			continue
		}
		put(2, record.LiveCell{Value: in.Value}, record.EntryLook)
		if !in.Holds.None() {
			fault := record.LiveCell{Formula: in.Fault()}
			if !in.Optional && in.Value.Form == record.Missing {
				fault.Value = record.Words(in.Wants)
			}
			put(3, fault, record.StrongLook)
		}
	}
	row++
	line(l.Columns, record.HeaderLook)
	block := func(rows [][]record.LiveCell) {
		for _, cells := range rows {
			row++
			for j, c := range cells {
				put(j+1, c, record.PlainLook)
			}
		}
	}
	first = row + 1
	block(l.Rows)
	if len(l.Below) > 0 {
		row++
		line([]string{l.Apart}, record.StrongLook)
		block(l.Below)
	}
	return cells, names
}

// live writes the sheet of that name.
func (b *book) live(l record.Live) error {
	l = l.Computed()
	cells, names := sheetCells(l)
	last := cells[len(cells)-1].row
	always := true
	err := errors.Join(
		b.file.SetSheetDimension(record.LiveSheet, "A1:"+sheetCell{column: len(l.Columns), row: last}.name()),
		b.file.SetCalcProps(&excelize.CalcPropsOptions{FullCalcOnLoad: &always}),
		b.onePageWide(record.LiveSheet),
		b.marked(l, last),
	)
	for _, name := range names {
		err = errors.Join(err, b.file.SetDefinedName(name))
	}
	if err != nil {
		return err
	}
	w, err := b.file.NewStreamWriter(record.LiveSheet)
	if err != nil {
		return err
	}
	across := 0.0
	for j, width := range liveWidths(l, cells) {
		across += width
		err = errors.Join(err, w.SetColWidth(j+1, j+1, width))
	}
	for i := 0; i < len(cells) && err == nil; {
		var values []any
		var line []record.Cell
		row := cells[i].row
		for ; i < len(cells) && cells[i].row == row; i++ {
			for len(values) < cells[i].column-1 {
				values = append(values, nil)
			}
			content, e := b.formula(cells[i])
			values, line, err = append(values, content), append(line, cells[i].Value), errors.Join(err, e)
		}
		height := rowHeight(cells[i-1].look, line...)
		if row <= len(l.Intro) { // the text goes across the table
			height.Height = lineHeight * math.Ceil(float64(utf8.RuneCountInString(line[0].S))/(0.9*across))
			err = errors.Join(err, w.MergeCell("A"+strconv.Itoa(row), sheetCell{column: len(l.Columns), row: row}.name()))
		}
		err = errors.Join(err, w.SetRow("A"+strconv.Itoa(row), values, height))
	}
	return errors.Join(err, w.Flush())
}

// formula is [book.cell] for a cell that may have one.
func (b *book) formula(c sheetCell) (excelize.Cell, error) {
	content, err := b.cell(c.Value, c.look)
	if c.formula == "" || err != nil {
		return content, err
	}
	content.Formula = c.formula
	content.StyleID, err = b.style(style{c.look, cmp.Or(c.Format, textFormat)})
	return content, err
}

// liveWidths lets the labels and the columns of the table be read. What stands right of
// a text that is too long is empty.
func liveWidths(l record.Live, cells []sheetCell) []float64 {
	widths := make([]float64, len(l.Columns))
	for j := range widths {
		widths[j] = 13
	}
	for _, c := range cells {
		text := c.formula != "" && c.Format == ""
		if c.row > len(l.Intro) && c.look != record.HeaderLook && !text {
			widths[c.column-1] = max(widths[c.column-1], float64(min(utf8.RuneCountInString(record.People(c.Value)), 40))+3)
		}
		if c.Format == record.CountFormat {
			widths[c.column-1] = max(widths[c.column-1], 22) // up to 2^53
		}
		if c.row > cells[len(cells)-1].row-l.Lines() && c.Format == "" { // what a row of the table may say
			for i, text := range strings.Split(c.formula, `"`) {
				if i%2 == 1 {
					widths[c.column-1] = max(widths[c.column-1], float64(min(utf8.RuneCountInString(text), 40)))
				}
			}
		}
	}
	return widths
}

// marked shows rows that do not follow the inputs in grey once they have changed, those that are dim always, and the
// best one on a ground of its own.
func (b *book) marked(l record.Live, last int) error {
	first := last - l.Lines() + 1
	area := sheetCell{column: 1, row: first}.name() + ":" + sheetCell{column: len(l.Columns), row: last}.name()
	var marks []excelize.ConditionalFormatOptions
	for _, m := range []struct {
		condition expr.X
		style     excelize.Style
	}{
		{l.Best, excelize.Style{Font: &excelize.Font{Bold: true},
			Fill: excelize.Fill{Type: "pattern", Pattern: 1, Color: []string{bestGround}}}},
		{l.Dim, excelize.Style{Font: &excelize.Font{Color: "7F7F7F"}}},
		{l.Stale, excelize.Style{Font: &excelize.Font{Color: "A6A6A6", Italic: true}}},
	} {
		if m.condition.None() {
			continue
		}
		format, err := b.file.NewConditionalStyle(&m.style)
		if err != nil {
			return err
		}
		marks = append(marks, excelize.ConditionalFormatOptions{Type: "formula",
			Criteria: strings.ReplaceAll(m.condition.String(), "{row}", strconv.Itoa(first)), Format: &format})
	}
	if marks == nil {
		return nil
	}
	return b.file.SetConditionalFormat(record.LiveSheet, area, marks)
}
