package record

import (
	"slices"
	"strconv"

	"github.com/dpcalc/dpcalc/theory"
)

// Live is a sheet that recalculates: inputs, and a table whose formulas refer to
// them by name. Formulas are in the file's own language, with English names and
// commas, and come with the value that they have for the inputs as they stand, for
// programs that do not calculate. A formula of the table is [Guarded], so that an
// input outside its domain is a sentence and not an error value.
type Live struct {
	Intro   []string
	Inputs  []LiveInput
	Columns []string
	Rows    [][]LiveCell
	Stale   string // a condition on "{row}" under which a row is greyed; "" for none
	Dim     string // another one under which it is greyed, and always so; "" for none
	Best    string // a condition under which a row stands out; "" for none

	Apart string       // the heading of a block of its own below the rows
	Below [][]LiveCell // its rows, under the same columns; nil for no block
}

// LiveInput is a named cell: an input, or with a formula what follows from them.
type LiveInput struct {
	Name, Label string
	Value       Cell
	Formula     string
	Holds       string // a condition that the input must satisfy; "" for none
	Wants       string // what it says to a reader whose input does not
	Optional    bool   // it may be blank, and rows that need it say so themselves
}

// LiveCell is a value, or a formula with its value and the number format of its
// results. "{row}" in a formula is the row that it stands in, "{first}" and "{last}" are the first and the last of the
// rows. The name, if it has one,
// is for the formulas of other sheets.
type LiveCell struct {
	Value   Cell
	Formula string
	Format  string
	Name    string
}

const (
	LiveSheet = "Live"

	// The formats of formulas, for whole numbers and for small ones.
	CountFormat = "#,##0"
	SmallFormat = "[<0.001]0.00000E+00;[<1]0.000000;0.00"
)

// IsNumber is a condition: the named cell holds a number for which condition holds.
func IsNumber(name, condition string) string {
	return "IF(ISNUMBER(" + name + ")," + condition + ",FALSE)"
}

// IsCount is the condition of a whole number from 1 to 2^53.
func IsCount(name string) string {
	return IsNumber(name, "AND("+name+">=1,"+name+"<=2^53,"+name+"=INT("+name+"))")
}

// Guarded is a formula that names an input outside its domain before it computes.
func Guarded(formula string) string { return `IF(problem<>"none",problem,` + formula + ")" }

// DecimalText is a formula for a number's text with a point, whatever the locale.
func DecimalText(name string) string { return `SUBSTITUTE(` + name + `&"",",",".")` }

// Domain is the condition of an input with its leave to be blank.
func (in LiveInput) Domain() string {
	if in.Optional {
		return "OR(" + in.Name + `="",` + in.Holds + ")"
	}
	return in.Holds
}

// Fault is what the input says as it stands.
func (in LiveInput) Fault() string {
	if in.Holds == "" || in.Optional || in.Value.Form != Missing {
		return ""
	}
	return in.Wants
}

// Problem is a cell that says which input is the first outside its domain.
func (l Live) Problem() LiveInput {
	p := LiveInput{Name: "problem", Label: "problem", Value: Words("none")}
	closing := ""
	for _, in := range slices.Backward(l.Inputs) {
		if in.Holds != "" && !in.Optional {
			p.Formula = "IF(NOT(" + in.Holds + `),"` + in.Label + ": " + in.Wants + `",` + p.Formula
			closing += ")"
			if fault := in.Fault(); fault != "" {
				p.Value = Words(in.Label + ": " + fault)
			}
		}
	}
	p.Formula += `"none"` + closing
	return p
}

// Unchanged is a condition: the input is what it was, but for the 15 digits that
// programs keep of a number in a formula.
func (in LiveInput) Unchanged() string {
	literal := ""
	switch c := in.Value; c.Form {
	case Missing:
		return in.Name + `=""`
	case CountForm:
		literal = strconv.FormatInt(c.N, 10)
	case ChanceForm:
		literal = Decimal(theory.LogProb(c.F))
	default:
		literal = strconv.FormatFloat(c.F, 'g', -1, 64)
	}
	return "ABS(" + in.Name + "-" + literal + ")<=1E-12*" + literal
}

// Compact drops the columns of the table that hold nothing.
func (l Live) Compact() Live {
	empty := func(c LiveCell) bool { return c.Formula == "" && c.Value.Form == Missing }
	kept := Used(slices.Concat(l.Rows, l.Below), len(l.Columns), empty)
	picked := func(rows [][]LiveCell) (some [][]LiveCell) {
		for _, row := range rows {
			some = append(some, Picked(row, kept))
		}
		return some
	}
	l.Columns, l.Rows, l.Below = Picked(l.Columns, kept), picked(l.Rows), picked(l.Below)
	return l
}

// Lines is how many rows of the sheet the table has below its header, those between its blocks included.
func (l Live) Lines() int {
	if len(l.Below) == 0 {
		return len(l.Rows)
	}
	return len(l.Rows) + 2 + len(l.Below)
}
