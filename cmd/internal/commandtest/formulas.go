package commandtest

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/dpcalc/dpcalc/internal/num"
)

// Calculator evaluates the formulas of the sheet Live as a spreadsheet does, but with
// elementary functions that err by up to two units in the last place, and an inverse of the
// normal law that errs by up to a part in 5e9.
type Calculator struct {
	Value func(name string) any // of a name or a cell: float64, string, bool or error
	Rough *rand.Rand
}

const ulp = 0x1p-53

var errCell = errors.New("an error value")

// reader is the rest of a formula.
type reader struct {
	Calculator
	rest string
	off  bool // in a branch that is not taken
}

// Eval computes a formula.
func (c Calculator) Eval(formula string) any {
	r := &reader{Calculator: c, rest: formula}
	v := r.comparison()
	if r.rest != "" {
		panic("left of a formula: " + r.rest)
	}
	return v
}

func (r *reader) next(tokens ...string) string {
	for _, t := range tokens {
		if strings.HasPrefix(r.rest, t) {
			r.rest = r.rest[len(t):]
			return t
		}
	}
	return ""
}

func (r *reader) must(token string) {
	if r.next(token) == "" {
		panic(fmt.Sprintf("want %q at %q", token, r.rest))
	}
}

func (r *reader) comparison() any {
	v := r.text()
	if op := r.next("<=", ">=", "<>", "=", "<", ">"); op != "" {
		v = compared(op, v, r.text())
	}
	return v
}

// compared orders numbers below texts, as spreadsheets do.
func compared(op string, a, b any) any {
	if a == any(errCell) || b == any(errCell) {
		return errCell
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
		order = strings.Compare(fmt.Sprint(a), fmt.Sprint(b))
	}
	holds := map[string]bool{
		"<=": order <= 0, ">=": order >= 0, "<>": order != 0,
		"=": order == 0, "<": order < 0, ">": order > 0,
	}
	return holds[op]
}

func (r *reader) text() any {
	v := r.sum()
	for r.next("&") != "" {
		v = Spelled(v) + Spelled(r.sum())
	}
	return v
}

// Spelled writes a value as a cell shows it.
func Spelled(v any) string {
	if x, ok := v.(float64); ok {
		return strconv.FormatFloat(x, 'g', -1, 64)
	}
	return fmt.Sprint(v)
}

func (r *reader) sum() any {
	v := r.product()
	for {
		switch r.next("+", "-") {
		case "+":
			v = numeric(func(x ...float64) float64 { return x[0] + x[1] }, v, r.product())
		case "-":
			v = numeric(func(x ...float64) float64 { return x[0] - x[1] }, v, r.product())
		default:
			return v
		}
	}
}

func (r *reader) product() any {
	v := r.power()
	for {
		switch r.next("*", "/") {
		case "*":
			v = numeric(func(x ...float64) float64 { return x[0] * x[1] }, v, r.power())
		case "/":
			v = numeric(func(x ...float64) float64 { return x[0] / x[1] }, v, r.power())
		default:
			return v
		}
	}
}

// power binds less than a minus.
func (r *reader) power() any {
	v := r.signed()
	for r.next("^") != "" {
		v = r.near(numeric(func(x ...float64) float64 { return math.Pow(x[0], x[1]) }, v, r.signed()), ulp)
	}
	return v
}

func (r *reader) signed() any {
	if r.next("-") != "" {
		return numeric(func(x ...float64) float64 { return -x[0] }, r.signed())
	}
	return r.primary()
}

// near is a value with the error of an elementary function.
func (r *reader) near(v any, unit float64) any {
	x, ok := v.(float64)
	if !ok || r.Rough == nil || x == math.Trunc(x) {
		return v
	}
	return x * (1 + float64(r.Rough.IntN(5)-2)*unit)
}

// numeric is an error unless all are numbers and so is the result.
func numeric(f func(...float64) float64, args ...any) any {
	var xs []float64
	for _, a := range args {
		x, ok := a.(float64)
		if !ok {
			return errCell
		}
		xs = append(xs, x)
	}
	if y := f(xs...); !math.IsNaN(y) && !math.IsInf(y, 0) {
		return y
	}
	return errCell
}

func (r *reader) primary() any {
	switch {
	case r.next("(") != "":
		v := r.comparison()
		r.must(")")
		return v
	case r.next(`"`) != "":
		text, rest, _ := strings.Cut(r.rest, `"`)
		for strings.HasPrefix(rest, `"`) {
			more, left, _ := strings.Cut(rest[1:], `"`)
			text, rest = text+`"`+more, left
		}
		r.rest = rest
		return text
	}
	end := 0
	isNumber := r.rest[0] >= '0' && r.rest[0] <= '9'
	for end < len(r.rest) {
		c := r.rest[end]
		sign := isNumber && end > 0 && strings.ContainsRune("+-", rune(c))
		exponent := sign && strings.ContainsRune("Ee", rune(r.rest[end-1]))
		if !exponent && !strings.ContainsRune(nameRunes, rune(c)) {
			break
		}
		end++
	}
	word := r.rest[:end]
	r.rest = r.rest[end:]
	if isNumber {
		x, err := strconv.ParseFloat(word, 64)
		if err != nil {
			panic(err)
		}
		return x
	}
	if r.next("(") != "" {
		return r.call(word)
	}
	switch {
	case word == "TRUE", word == "FALSE":
		return word == "TRUE"
	case r.off:
		return errCell
	}
	return r.Value(word)
}

// call evaluates a function's arguments, of IF only the branch that is taken, and it.
func (r *reader) call(name string) any {
	var args []any
	was := r.off
	for r.next(")") == "" {
		if len(args) > 0 {
			r.must(",")
		}
		if name == "IF" && len(args) > 0 {
			r.off = was || args[0] != any(len(args) == 1)
		}
		args = append(args, r.comparison())
		r.off = was
	}
	switch name {
	case "IF":
		switch args[0] {
		case true:
			return args[1]
		case false:
			return args[2]
		}
		return errCell
	case "IFERROR":
		if args[0] == any(errCell) {
			return args[1]
		}
		return args[0]
	case "ISNUMBER":
		_, ok := args[0].(float64)
		return ok
	case "AND", "OR":
		if slices.Contains(args, any(errCell)) {
			return errCell
		}
		return slices.Contains(args, any(name == "OR")) == (name == "OR")
	case "NOT":
		if truth, ok := args[0].(bool); ok {
			return !truth
		}
		return errCell
	case "SUBSTITUTE":
		return strings.ReplaceAll(Spelled(args[0]), Spelled(args[1]), Spelled(args[2]))
	}
	exact := map[string]func(...float64) float64{
		"INT":  func(x ...float64) float64 { return math.Floor(x[0]) },
		"ABS":  func(x ...float64) float64 { return math.Abs(x[0]) },
		"MIN":  func(x ...float64) float64 { return slices.Min(x) },
		"MAX":  func(x ...float64) float64 { return slices.Max(x) },
		"SQRT": func(x ...float64) float64 { return math.Sqrt(x[0]) },
	}
	if f, ok := exact[name]; ok {
		return numeric(f, args...)
	}
	elementary := map[string]func(x float64) float64{
		"LN": math.Log, "EXP": math.Exp, "TANH": math.Tanh,
		"NORMSDIST": func(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 },
		"NORMSINV":  func(p float64) float64 { return -num.UpperQuantile(math.Log(p)) },
	}
	f, ok := elementary[name]
	if !ok {
		panic("no function " + name)
	}
	unit := ulp
	if name == "NORMSINV" {
		unit = 1e-10
	}
	return r.near(numeric(func(x ...float64) float64 { return f(x[0]) }, args...), unit)
}

// nameRunes are what names and numbers of formulas are made of.
const nameRunes = "_.0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
