package record

import (
	"slices"
	"strings"

	"github.com/dpcalc/dpcalc/cmd/internal/expr"
	"github.com/dpcalc/dpcalc/cmd/internal/numbers"
	"github.com/dpcalc/dpcalc/internal/each"
	"github.com/dpcalc/dpcalc/theory"
)

// Live is a sheet that recalculates: inputs, and a table whose formulas refer to
// them by name. A formula of the table is [Guarded], so that an
// input outside its domain is a sentence and not an error value.
type Live struct {
	Intro   []string
	Inputs  []LiveInput
	Columns []string
	Rows    [][]LiveCell
	Stale   expr.X // a condition on [Own] cells under which a row is greyed; none for never
	Dim     expr.X // another one under which it is greyed, and always so; none for never
	Best    expr.X // a condition under which a row stands out; none for never

	Apart string       // the heading of a block of its own below the rows
	Below [][]LiveCell // its rows, under the same columns; nil for no block
}

// LiveInput is a named cell: an input, or with a formula what follows from them.
type LiveInput struct {
	Name, Label string
	Value       Cell
	Formula     expr.X
	Holds       expr.X // a condition that the input must satisfy; none for any
	Wants       string // what it says to a reader whose input does not
	Optional    bool   // it may be blank, and rows that need it say so themselves
}

// LiveCell is a value, or a formula with the number format of its results. Beside a formula a value is what
// [Live.Computed] does not compute. The name, if it has one, is for the formulas of other sheets.
type LiveCell struct {
	Value   Cell
	Formula expr.X
	Format  string
	Name    string
}

const (
	LiveSheet = "Live"

	// The formats of formulas, for whole numbers and for small ones.
	CountFormat = "#,##0"
	SmallFormat = "[<0.001]0.00000E+00;[<1]0.000000;0.00"

	ownRow = "{row}"
)

// Own is the cell of a formula's own row in a column, A for the first. "{first}" and "{last}" in a name are the first
// and the last of the rows.
func Own(column string) expr.X { return expr.Cell(column + ownRow) }

// Literal is a value in a formula.
func Literal(c Cell) expr.X {
	if x, ok := plain(c).(float64); ok {
		return expr.N(x)
	}
	return expr.T(c.S)
}

// IsNumber is a condition: the named cell holds a number for which condition holds.
func IsNumber(name string, condition expr.X) expr.X {
	return expr.If(expr.IsNumber(expr.Cell(name)), condition, expr.False)
}

// IsCount is the condition of a whole number from 1 to 2^53.
func IsCount(name string) expr.X {
	n := expr.Cell(name)
	return IsNumber(name, expr.And(n.AtLeast(expr.N(1)), n.AtMost(expr.N(2).To(expr.N(53))), n.Is(expr.Int(n))))
}

// problem is the cell that names the first input outside its domain.
const problem = "problem"

// Sound is the condition that there is none.
func Sound() expr.X { return expr.Cell(problem).Is(expr.T("none")) }

// Guarded is a formula that names an input outside its domain before it computes.
func Guarded(formula expr.X) expr.X { return expr.If(Sound(), formula, expr.Cell(problem)) }

// DecimalText is a formula for a number's text with a point, whatever the locale.
func DecimalText(name string) expr.X {
	return expr.F("SUBSTITUTE", expr.Cell(name).Then(expr.T("")), expr.T(","), expr.T("."))
}

// Fault says what an input wants, if it is outside its domain. One that is optional may be blank.
func (in LiveInput) Fault() expr.X {
	holds := in.Holds
	if in.Optional {
		holds = expr.Or(expr.Cell(in.Name).Is(expr.T("")), holds)
	}
	return expr.If(holds, expr.T(""), expr.T(in.Wants))
}

// Unchanged is a condition: the input is what it was, but for the 15 digits that
// programs keep of a number in a formula.
func (in LiveInput) Unchanged() expr.X {
	cell := expr.Cell(in.Name)
	if in.Value.Form == Missing {
		return cell.Is(expr.T(""))
	}
	start := Literal(in.Value)
	return expr.Abs(cell.Minus(start)).AtMost(expr.N(1e-12).Times(start))
}

// Compact drops the columns of the table that hold nothing.
func (l Live) Compact() Live {
	empty := func(c LiveCell) bool { return c.Formula.None() && c.Value.Form == Missing }
	kept := Used(slices.Concat(l.Rows, l.Below), len(l.Columns), empty)
	picked := func(rows [][]LiveCell) [][]LiveCell {
		return each.Of(rows, func(row []LiveCell) []LiveCell { return Picked(row, kept) })
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

// Computed adds the cell problem to the inputs, and to every formula its value for the inputs as they stand, for
// programs that do not calculate.
func (l Live) Computed() Live {
	none := LiveInput{Name: problem, Label: problem, Formula: expr.T("none")}
	for _, in := range slices.Backward(l.Inputs) {
		if !in.Holds.None() && !in.Optional {
			none.Formula = expr.If(in.Holds, none.Formula, expr.T(in.Label+": "+in.Wants))
		}
	}
	l.Inputs = append(slices.Clone(l.Inputs), none)
	sheet := l.Sheet(func(string) any { return nil }, nil)
	for i := range l.Inputs {
		fill(&l.Inputs[i].Value, sheet, l.Inputs[i].Formula)
	}
	rows := func(rows [][]LiveCell) (computed [][]LiveCell) {
		for _, line := range rows {
			line = slices.Clone(line)
			own := l.Row(sheet, line)
			for j := range line {
				fill(&line[j].Value, own, line[j].Formula)
			}
			computed = append(computed, line)
		}
		return computed
	}
	l.Rows, l.Below = rows(l.Rows), rows(l.Below)
	return l
}

// fill computes a value that is missing.
func fill(c *Cell, sheet expr.Sheet, formula expr.X) {
	if c.Form != Missing || formula.None() {
		return
	}
	switch v := sheet.Value(formula).(type) {
	case float64:
		*c = Exactly(v)
	case string:
		if v != "" {
			*c = Words(v)
		}
	}
}

// Sheet computes with the inputs, some of which are typed: nil for none.
func (l Live) Sheet(typed func(name string) any, near func(function string, y float64) float64) expr.Sheet {
	s := expr.Sheet{Near: near}
	known := make(map[string]any)
	s.Cell = func(name string) any {
		if v, ok := known[name]; ok {
			return v
		}
		v := typed(name)
		if i := slices.IndexFunc(l.Inputs, func(in LiveInput) bool { return in.Name == name }); v == nil && i >= 0 {
			v = plain(l.Inputs[i].Value)
			if !l.Inputs[i].Formula.None() {
				v = s.Value(l.Inputs[i].Formula)
			}
		}
		known[name] = v
		return v
	}
	return s
}

// Row computes with the cells of a row too.
func (l Live) Row(s expr.Sheet, line []LiveCell) expr.Sheet {
	inputs, row, known := s.Cell, s, make(map[string]any)
	row.Cell = func(name string) any {
		column, own := strings.CutSuffix(strings.TrimPrefix(name, "$"), ownRow)
		if !own {
			return inputs(name)
		}
		if _, ok := known[column]; !ok {
			c := line[column[0]-'A']
			if known[column] = plain(c.Value); !c.Formula.None() {
				known[column] = row.Value(c.Formula)
			}
		}
		return known[column]
	}
	return row
}

// plain is a value as a formula sees it.
func plain(c Cell) any {
	switch c.Form {
	case CountForm:
		return float64(c.N)
	case NumberForm:
		return c.F
	case ChanceForm:
		p, _ := numbers.ParseDecimal(Decimal(theory.LogProb(c.F)))
		x, _ := p.Float64()
		return x
	}
	return c.S
}
