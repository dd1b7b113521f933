// Package expr has the formulas of a sheet as expressions. An expression prints itself in the language of a file, with
// English names and commas, and a [Sheet] computes it as a spreadsheet does.
package expr

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/dpcalc/dpcalc/internal/each"
	"github.com/dpcalc/dpcalc/internal/num"
)

// X is an expression. The zero X is none.
type X struct {
	op   string // an operator, or the name of a function; "" for a leaf
	args []X
	leaf any // a float64, a string, a bool or a place
}

// place is a named cell, or one whose name is that of its column and row.
type place string

func N[T int | int64 | float64](x T) X { return X{leaf: float64(x)} }
func T(text string) X                  { return X{leaf: text} }
func Cell(name string) X               { return X{leaf: place(name)} }

var True, False = X{leaf: true}, X{leaf: false}

// F calls a function.
func F(name string, args ...X) X { return X{op: name, args: args} }

func If(condition, then, otherwise X) X { return F("IF", condition, then, otherwise) }
func IfError(x, otherwise X) X          { return F("IFERROR", x, otherwise) }
func IsNumber(x X) X                    { return F("ISNUMBER", x) }
func And(args ...X) X                   { return F("AND", args...) }
func Or(args ...X) X                    { return F("OR", args...) }
func Min(args ...X) X                   { return F("MIN", args...) }
func Max(args ...X) X                   { return F("MAX", args...) }
func Int(x X) X                         { return F("INT", x) }
func Abs(x X) X                         { return F("ABS", x) }
func Sqrt(x X) X                        { return F("SQRT", x) }
func Ln(x X) X                          { return F("LN", x) }
func Exp(x X) X                         { return F("EXP", x) }

// Neg is 0 - x: the minus of -x^2 belongs to x in a spreadsheet.
func Neg(x X) X { return N(0).Minus(x) }

func (x X) with(op string, y X) X { return X{op: op, args: []X{x, y}} }

func (x X) Plus(y X) X    { return x.with("+", y) }
func (x X) Minus(y X) X   { return x.with("-", y) }
func (x X) Times(y X) X   { return x.with("*", y) }
func (x X) Over(y X) X    { return x.with("/", y) }
func (x X) To(y X) X      { return x.with("^", y) }
func (x X) Then(y X) X    { return x.with("&", y) }
func (x X) Is(y X) X      { return x.with("=", y) }
func (x X) IsNot(y X) X   { return x.with("<>", y) }
func (x X) Below(y X) X   { return x.with("<", y) }
func (x X) Above(y X) X   { return x.with(">", y) }
func (x X) AtMost(y X) X  { return x.with("<=", y) }
func (x X) AtLeast(y X) X { return x.with(">=", y) }

// Raised is x (1 + part).
func (x X) Raised(part float64) X { return x.Times(N(1).Plus(N(part))) }

// None says whether there is no expression.
func (x X) None() bool { return x.op == "" && x.leaf == nil }

// binding is how closely operators bind.
var binding = map[string]int{"=": 1, "<>": 1, "<": 1, ">": 1, "<=": 1, ">=": 1, "&": 2, "+": 3, "-": 3, "*": 4, "/": 4,
	"^": 5}

func (x X) String() string {
	if x.op == "" {
		switch leaf := x.leaf.(type) {
		case float64:
			return number(leaf)
		case string:
			return `"` + strings.ReplaceAll(leaf, `"`, `""`) + `"`
		case bool:
			return strings.ToUpper(strconv.FormatBool(leaf))
		}
		return fmt.Sprint(x.leaf)
	}
	own, ok := binding[x.op]
	if !ok {
		texts := each.Of(x.args, X.String)
		return x.op + "(" + strings.Join(texts, ",") + ")"
	}
	return x.args[0].within(own) + x.op + x.args[1].within(own+1)
}

// within prints an operand, in parentheses unless it binds at least so closely.
func (x X) within(least int) string {
	own, operator := binding[x.op]
	if y, ok := x.leaf.(float64); ok && y < 0 {
		operator = true
	}
	if operator && own < least {
		return "(" + x.String() + ")"
	}
	return x.String()
}

// number writes a number as a cell shows it.
func number(x float64) string {
	if size := math.Abs(x); size >= 1e-5 && size < 1e15 {
		return strconv.FormatFloat(x, 'f', -1, 64)
	}
	return strconv.FormatFloat(x, 'G', -1, 64)
}

// ErrValue is the value of an expression without one.
var ErrValue = errors.New("an error value")

// Sheet computes expressions. A value is a float64, a string, a bool or an error.
type Sheet struct {
	Cell func(name string) any
	Near func(function string, y float64) float64 // what an elementary function gives for y; nil for y
}

// Value computes an expression. Of IF and IFERROR it computes what they choose.
func (s Sheet) Value(x X) any {
	if x.op == "" {
		if name, ok := x.leaf.(place); ok {
			return s.Cell(string(name))
		}
		return x.leaf
	}
	first := s.Value(x.args[0])
	switch x.op {
	case "IF":
		switch first {
		case true:
			return s.Value(x.args[1])
		case false:
			return s.Value(x.args[2])
		}
		return ErrValue
	case "IFERROR":
		if first == any(ErrValue) {
			return s.Value(x.args[1])
		}
		return first
	}
	args := append([]any{first}, each.Of(x.args[1:], s.Value)...)
	if f, ok := ofValues[x.op]; ok {
		return f(args)
	}
	if binding[x.op] == 1 {
		return compared(x.op, args[0], args[1])
	}
	xs := make([]float64, len(args))
	for i, arg := range args {
		var ok bool
		if xs[i], ok = arg.(float64); !ok {
			return ErrValue
		}
	}
	f, ok := ofNumbers[x.op]
	if !ok { // of several cells
		return ErrValue
	}
	y := f(xs)
	if elementary := strings.Contains(" LN EXP TANH NORMSDIST NORMSINV ^ ", " "+x.op+" "); elementary && s.Near != nil {
		y = s.Near(x.op, y)
	}
	if math.IsNaN(y) || math.IsInf(y, 0) {
		return ErrValue
	}
	return y
}

// compared orders numbers below texts, as spreadsheets do.
func compared(op string, a, b any) any {
	if a == any(ErrValue) || b == any(ErrValue) {
		return ErrValue
	}
	x, isX := a.(float64)
	y, isY := b.(float64)
	order := 0
	switch {
	case isX && isY && x < y, isX && !isY:
		order = -1
	case isX && isY && x > y, !isX && isY:
		order = 1
	case !isX && !isY:
		order = strings.Compare(Spelled(a), Spelled(b))
	}
	return map[string]bool{"=": order == 0, "<>": order != 0, "<": order < 0, ">": order > 0, "<=": order <= 0,
		">=": order >= 0}[op]
}

// Spelled writes a value as a cell shows it.
func Spelled(v any) string {
	if x, ok := v.(float64); ok {
		return number(x)
	}
	return fmt.Sprint(v)
}

var ofValues = map[string]func(args []any) any{
	"ISNUMBER":   func(args []any) any { _, ok := args[0].(float64); return ok },
	"AND":        func(args []any) any { return all(args, true) },
	"OR":         func(args []any) any { return all(args, false) },
	"&":          func(args []any) any { return Spelled(args[0]) + Spelled(args[1]) },
	"SUBSTITUTE": func(args []any) any { return strings.ReplaceAll(Spelled(args[0]), Spelled(args[1]), Spelled(args[2])) },
}

// all says of AND whether no argument is false, of OR whether one is true.
func all(args []any, and bool) any {
	if slices.Contains(args, any(ErrValue)) {
		return ErrValue
	}
	return slices.Contains(args, any(!and)) != and
}

var ofNumbers = map[string]func(x []float64) float64{
	"+":         func(x []float64) float64 { return x[0] + x[1] },
	"-":         func(x []float64) float64 { return x[0] - x[1] },
	"*":         func(x []float64) float64 { return x[0] * x[1] },
	"/":         func(x []float64) float64 { return x[0] / x[1] },
	"^":         func(x []float64) float64 { return math.Pow(x[0], x[1]) },
	"INT":       func(x []float64) float64 { return math.Floor(x[0]) },
	"ABS":       func(x []float64) float64 { return math.Abs(x[0]) },
	"MIN":       func(x []float64) float64 { return slices.Min(x) },
	"MAX":       func(x []float64) float64 { return slices.Max(x) },
	"SQRT":      func(x []float64) float64 { return math.Sqrt(x[0]) },
	"LN":        func(x []float64) float64 { return math.Log(x[0]) },
	"EXP":       func(x []float64) float64 { return math.Exp(x[0]) },
	"TANH":      func(x []float64) float64 { return math.Tanh(x[0]) },
	"NORMSDIST": func(x []float64) float64 { return math.Erfc(-x[0]/math.Sqrt2) / 2 },
	"NORMSINV":  func(x []float64) float64 { return -num.UpperQuantile(math.Log(x[0])) },
}
