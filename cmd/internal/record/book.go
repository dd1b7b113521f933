package record

import (
	"io"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/dpcalc/dpcalc/theory"
)

// Book is a workbook in the making. It holds functions, where an interface would do, because
// the linker keeps every method of a type that an interface may hold, and of the types that it is made of:
// the methods of a library for workbooks take two megabytes.
type Book struct {
	Fill  FillSheet
	About func(command string, remarks []Remark) error // a sheet that says where the numbers come from
	Write func(w io.Writer) error
	Close func()
}

// FillSheet writes a sheet for filtering, whose rows fill adds one by one.
type FillSheet func(t Table, fill func(add func(row []Cell, l Look) error) error) error

// Block is how many goals are solved before their rows are written. A plan of one
// block leaves its empty columns out and says what to make of it.
const Block = 1024

// What a sheet holds. More is refused before anything is written.
const (
	MostSheetRows = 1<<20 - 1 // below the header
	MostColumns   = 1 << 14
)

// Look is how a cell stands out.
type Look uint8

const (
	PlainLook  Look = iota
	HeaderLook      // of a table
	BestLook        // a row to choose
	DimLook         // a row without an answer
	StrongLook      // a label
	ProseLook       // text in several lines
)

// IsRepresentable says whether float64 holds a probability with all its digits and
// tells it from one.
func IsRepresentable(p theory.LogProb) bool {
	if p == 0 || p == theory.Zero {
		return true
	}
	return p > -708 && math.Exp(p.Ln()) < 1
}

// PlainNumber reads a number of the user's file if a sheet shows it as it was
// written: no zero in front as in 007, at most 15 digits.
func PlainNumber(s string) (float64, bool) {
	x, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return 0, false
	}
	digits := strings.TrimLeft(s, "-")
	bare := digits != "" && strings.Trim(digits, "0123456789.") == "" && strings.Trim(digits, ".") == digits
	padded := len(digits) > 1 && digits[0] == '0' && digits[1] != '.'
	return x, bare && !padded && len(digits) <= 16
}

// ColumnWidths makes the header and these rows visible, within reason.
func ColumnWidths(columns []string, rows [][]Cell) []float64 {
	widths := make([]float64, len(columns))
	for j, name := range columns {
		widths[j] = 8
		for word := range strings.FieldsSeq(name) { // a header has two lines
			widths[j] = max(widths[j], float64(utf8.RuneCountInString(word))+5) // the filter's button
		}
	}
	for i, row := range rows {
		for j, c := range row {
			if i > 0 && j < len(rows[i-1]) && c.equals(rows[i-1][j]) {
				continue
			}
			length := utf8.RuneCountInString(People(c))
			switch {
			case c.Form == CountForm:
				length += length / 3
			case c.Form == ChanceForm && !IsRepresentable(theory.LogProb(c.F)): // a text of all its digits
				length = len(Decimal(theory.LogProb(c.F)))
			}
			widths[j] = max(widths[j], float64(min(length, 40))+3)
		}
	}
	return widths
}

// Table is a sheet for filtering: a header that stays in view over so many rows. Their number is -1 where it is not
// known before they are written.
type Table struct {
	Name    string
	Columns []string
	Widths  []float64
	Rows    int
	Chart   *Chart // right of the rows; nil for none
}

// Chart draws the column Y of a table, counted from 0, over its column X.
type Chart struct {
	Title, XTitle, YTitle string

	X, Y       int
	LogX, LogY bool
}

// Remark is a line of the sheet About. Without a text it is a heading.
type Remark struct{ Label, Text string }

// Remarks labels the first of the lines.
func Remarks(label string, lines []string) []Remark {
	list := make([]Remark, len(lines))
	for i, line := range lines {
		list[i] = Remark{label, strings.TrimPrefix(line, "* ")} // the star of a table
		label = ""
	}
	return list
}
