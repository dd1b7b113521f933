package main

import (
	"cmp"
	"errors"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/dpcalc/dpcalc/theory"
	"github.com/xuri/excelize/v2"
)

// live is a sheet that recalculates: inputs, and a table whose formulas refer to
// them by name. Formulas are in the file's own language, with English names and
// commas, and come with the value that they have for the inputs as they stand, for
// programs that do not calculate. A formula of the table is [guarded], so that an
// input outside its domain is a sentence and not an error value.
type live struct {
	intro   []string
	inputs  []liveInput
	columns []string
	rows    [][]liveCell
	stale   string // a condition on "{row}" under which a row is greyed; "" for none
}

// liveInput is a named cell: an input, or with a formula what follows from them.
type liveInput struct {
	name, label string
	value       cell
	formula     string
	holds       string // a condition that the input must satisfy; "" for none
	wants       string // what it says to a reader whose input does not
	optional    bool   // it may be blank, and rows that need it say so themselves
}

// liveCell is a value, or a formula with its value and the number format of its
// results. "{row}" in a formula is the row that it stands in. The name, if it has one,
// is for the formulas of other sheets.
type liveCell struct {
	value   cell
	formula string
	format  string
	name    string
}

const (
	liveSheet = "Live"

	// The formats of formulas, for whole numbers and for small ones.
	formatCount = "#,##0"
	formatSmall = "[<0.001]0.00000E+00;[<1]0.000000;0.00"
)

// isNumber is a condition: the named cell holds a number for which condition holds.
func isNumber(name, condition string) string {
	return "IF(ISNUMBER(" + name + ")," + condition + ",FALSE)"
}

// isCount is the condition of a whole number from 1 to 2^53.
func isCount(name string) string {
	return isNumber(name, "AND("+name+">=1,"+name+"<=2^53,"+name+"=INT("+name+"))")
}

// guarded is a formula that says what is wrong with the inputs before it computes.
func guarded(formula string) string { return `IF(problem<>"none",problem,` + formula + ")" }

// decimalText is a formula for a number's text with a point, whatever the locale.
func decimalText(name string) string { return `SUBSTITUTE(` + name + `&"",",",".")` }

// domain is the condition of an input with its leave to be blank.
func (in liveInput) domain() string {
	if in.optional {
		return "OR(" + in.name + `="",` + in.holds + ")"
	}
	return in.holds
}

// fault is what the input says as it stands.
func (in liveInput) fault() string {
	if in.holds == "" || in.optional || in.value.form != missing {
		return ""
	}
	return in.wants
}

// problem is a cell that says which input is the first outside its domain.
func (l live) problem() liveInput {
	p := liveInput{name: "problem", label: "problem", value: wordsCell("none")}
	closing := ""
	for _, in := range slices.Backward(l.inputs) {
		if in.holds != "" && !in.optional {
			p.formula = "IF(NOT(" + in.holds + `),"` + in.label + ": " + in.wants + `",` + p.formula
			closing += ")"
			if fault := in.fault(); fault != "" {
				p.value = wordsCell(in.label + ": " + fault)
			}
		}
	}
	p.formula += `"none"` + closing
	return p
}

// unchanged is a condition: the input is what it was, but for the 15 digits that
// programs keep of a number in a formula.
func (in liveInput) unchanged() string {
	literal := ""
	switch c := in.value; c.form {
	case missing:
		return in.name + `=""`
	case count:
		literal = strconv.FormatInt(c.n, 10)
	case chance:
		literal = decimalOf(theory.LogProb(c.f))
	default:
		literal = strconv.FormatFloat(c.f, 'g', -1, 64)
	}
	return "ABS(" + in.name + "-" + literal + ")<=1E-12*" + literal
}

// compact drops the columns of the table that hold nothing.
func (l live) compact() live {
	out := l
	out.columns, out.rows = nil, make([][]liveCell, len(l.rows))
	for j, name := range l.columns {
		if slices.ContainsFunc(l.rows, func(row []liveCell) bool { return row[j].formula != "" || row[j].value.form != missing }) {
			out.columns = append(out.columns, name)
			for i, row := range l.rows {
				out.rows[i] = append(out.rows[i], row[j])
			}
		}
	}
	return out
}

// placed is a cell of the live sheet with its place and look.
type placed struct {
	liveCell
	column, row int
	look        look
}

func (p placed) name(absolute ...bool) string {
	name, err := excelize.CoordinatesToCellName(p.column, p.row, absolute...)
	if err != nil {
		panic(err) // the sheet is small
	}
	return name
}

// placedCells places the cells, in order of rows and columns, and tells the names.
func placedCells(l live) (cells []placed, names []*excelize.DefinedName) {
	row := 0
	define := func(name string, column int) {
		names = append(names, &excelize.DefinedName{Name: name, RefersTo: liveSheet + "!" + placed{column: column, row: row}.name(true)})
	}
	put := func(column int, c liveCell, k look) {
		if c.formula == "" && c.value.form == missing && k == plainLook {
			return
		}
		if c.name != "" {
			define(c.name, column)
		}
		c.formula = strings.ReplaceAll(c.formula, "{row}", strconv.Itoa(row))
		cells = append(cells, placed{c, column, row, k})
	}
	line := func(texts []string, k look) {
		row++
		for j, text := range texts {
			put(j+1, liveCell{value: wordsCell(text)}, k)
		}
	}
	for i, text := range l.intro {
		line([]string{text}, []look{strongLook, plainLook}[min(i, 1)])
	}
	row++
	line([]string{"input", "value", "remark"}, headerLook)
	for _, in := range append(slices.Clone(l.inputs), l.problem()) {
		line([]string{in.label}, strongLook)
		define(in.name, 2)
		if in.formula != "" {
			put(2, liveCell{value: in.value, formula: in.formula}, plainLook)
			continue
		}
		put(2, liveCell{value: in.value}, entryLook)
		if in.holds != "" {
			put(3, liveCell{value: wordsCell(in.fault()), formula: "IF(" + in.domain() + `,"","` + in.wants + `")`}, strongLook)
		}
	}
	row++
	line(l.columns, headerLook)
	for _, cells := range l.rows {
		row++
		for j, c := range cells {
			put(j+1, c, plainLook)
		}
	}
	return cells, names
}

// live writes the sheet of that name.
func (b *book) Live(l live) error {
	cells, names := placedCells(l)
	last := cells[len(cells)-1].row
	always := true
	err := errors.Join(
		b.file.SetSheetDimension(liveSheet, "A1:"+placed{column: len(l.columns), row: last}.name()),
		b.file.SetCalcProps(&excelize.CalcPropsOptions{FullCalcOnLoad: &always}),
		b.onePageWide(liveSheet),
		b.greyStale(l, last),
	)
	for _, name := range names {
		err = errors.Join(err, b.file.SetDefinedName(name))
	}
	if err != nil {
		return err
	}
	w, err := b.file.NewStreamWriter(liveSheet)
	if err != nil {
		return err
	}
	for j, width := range liveWidths(l, cells) {
		err = errors.Join(err, w.SetColWidth(j+1, j+1, width))
	}
	for i := 0; i < len(cells) && err == nil; {
		var values []any
		var line []cell
		row := cells[i].row
		for ; i < len(cells) && cells[i].row == row; i++ {
			for len(values) < cells[i].column-1 {
				values = append(values, nil)
			}
			content, e := b.formula(cells[i])
			values, line, err = append(values, content), append(line, cells[i].value), errors.Join(err, e)
		}
		err = errors.Join(err, w.SetRow("A"+strconv.Itoa(row), values, rowHeight(cells[i-1].look, line...)))
	}
	return errors.Join(err, w.Flush())
}

// formula is [book.cell] for a cell that may have one.
func (b *book) formula(c placed) (excelize.Cell, error) {
	content, err := b.cell(c.value, c.look)
	if c.formula == "" || err != nil {
		return content, err
	}
	content.Formula = c.formula
	content.StyleID, err = b.style(style{c.look, cmp.Or(c.format, textFormat)})
	return content, err
}

// liveWidths lets the labels and the columns of the table be read. What stands right of
// a text that is too long is empty.
func liveWidths(l live, cells []placed) []float64 {
	widths := make([]float64, len(l.columns))
	for j := range widths {
		widths[j] = 13
	}
	for _, c := range cells {
		if c.row > len(l.intro) && c.look != headerLook && !(c.formula != "" && c.format == "") {
			widths[c.column-1] = max(widths[c.column-1], float64(min(utf8.RuneCountInString(people(c.value)), 40))+3)
		}
		if c.format == formatCount {
			widths[c.column-1] = max(widths[c.column-1], 22) // up to 2^53
		}
		if c.row > cells[len(cells)-1].row-len(l.rows) && c.format == "" { // what a row of the table may say
			for i, text := range strings.Split(c.formula, `"`) {
				if i%2 == 1 {
					widths[c.column-1] = max(widths[c.column-1], float64(min(utf8.RuneCountInString(text), 40)))
				}
			}
		}
	}
	return widths
}

// greyStale shows rows that do not follow the inputs in grey once they have changed.
func (b *book) greyStale(l live, last int) error {
	if l.stale == "" {
		return nil
	}
	grey, err := b.file.NewConditionalStyle(&excelize.Style{Font: &excelize.Font{Color: "A6A6A6", Italic: true}})
	if err != nil {
		return err
	}
	first := last - len(l.rows) + 1
	area := placed{column: 1, row: first}.name() + ":" + placed{column: len(l.columns), row: last}.name()
	return b.file.SetConditionalFormat(liveSheet, area, []excelize.ConditionalFormatOptions{
		{Type: "formula", Criteria: strings.ReplaceAll(l.stale, "{row}", strconv.Itoa(first)), Format: &grey},
	})
}
