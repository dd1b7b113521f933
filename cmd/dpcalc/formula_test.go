package main

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/dpcalc/dpcalc/internal/num"
	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer"
	"github.com/xuri/excelize/v2"
)

// calculator evaluates the formulas of the sheet Live as a spreadsheet does, but with
// elementary functions that err by up to two units in the last place, and an inverse of the
// normal law that errs by up to a part in 5e9.
type calculator struct {
	value func(name string) any // of a name or a cell: float64, string, bool or error
	rough *rand.Rand
}

const ulp = 0x1p-53

var errCell = errors.New("an error value")

// reader is the rest of a formula.
type reader struct {
	calculator
	rest string
	off  bool // in a branch that is not taken
}

func (c calculator) eval(formula string) any {
	r := &reader{calculator: c, rest: formula}
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
		v = spelled(v) + spelled(r.sum())
	}
	return v
}

func spelled(v any) string {
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
	if !ok || r.rough == nil || x == math.Trunc(x) {
		return v
	}
	return x * (1 + float64(r.rough.IntN(5)-2)*unit)
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
		exponent := isNumber && (c == '+' || c == '-') && end > 0 && (r.rest[end-1] == 'E' || r.rest[end-1] == 'e')
		if !exponent && c != '_' && c != '.' && (c < '0' || c > '9') && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') {
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
	return r.value(word)
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
		return strings.ReplaceAll(spelled(args[0]), spelled(args[1]), spelled(args[2]))
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

// The calculator against what a spreadsheet shows.
func TestCalculator(t *testing.T) {
	c := calculator{value: func(name string) any {
		return map[string]any{"x": 3.0, "blank": "", "wrong": errCell, "C12": -2.0}[name]
	}}
	for formula, want := range map[string]any{
		"1+2*3^2": 19.0, "-2^2": 4.0, "0-2^2": -4.0, "2^3^2": 64.0, "10-4-3": 3.0, "1E-3*1E+3": 1.0, "x*C12": -6.0,
		`IF(x>2,"a","b")&"c"`: "ac", `"say ""x"""`: `say "x"`, `IF(x>2,1,wrong)`: 1.0, "1/0": errCell, "LN(0)": errCell,
		`IFERROR(LN(0-1),"none")`: "none", `blank=""`: true, "blank>5": true,
		"AND(TRUE,x=3)": true, "OR(FALSE,NOT(TRUE))": false,
		"INT(0-1.5)": -2.0, "MAX(1,x,2)": 3.0, `SUBSTITUTE(x/2&"",",",".")`: "1.5",
		"ISNUMBER(blank)": false, "blank+1": errCell,
	} {
		if got := c.eval(formula); got != want {
			t.Errorf("%s = %v, want %v", formula, got, want)
		}
	}
}

// A formula's n is never below what dpcalc computes, above it by one at most and a part in
// 1e12, also where the real n is nearly whole; and without the part in 1e12 it would be
// below.
func TestFormulasNeverBelow(t *testing.T) {
	r := rand.New(rand.NewPCG(107, 108))
	forms := closedForms(transfer.Bounded)
	below := map[string]int{}
	for name, form := range forms {
		method, _ := transfer.Lookup(name)
		goals := 0
		for range 120 {
			chosen := transfer.Goal{
				Samples: int64(math.Exp(5 + 24*r.Float64())), Queries: 1 + int64(math.Exp(6*r.Float64())),
				Beta: theory.LogProb(-math.Exp(5*r.Float64() - 2)),
			}
			chosen.Budget = 1 + r.Int64N(chosen.Queries)
			if form.parts != "" {
				chosen.Samples *= chosen.Queries
			}
			a, err := method.Solve(chosen)
			if err != nil || a.Status != transfer.OK || a.Tau > 0.9 {
				continue
			}
			for _, tau := range []float64{a.Tau, math.Nextafter(a.Tau, 0), a.Tau * (1 - 1e-9)} {
				goal := chosen
				goal.Samples, goal.Tau = 0, tau
				plan, err := method.Solve(goal)
				if err != nil || plan.Status != transfer.OK {
					t.Fatalf("%s %+v: %+v, %v", name, goal, plan, err)
				}
				values := map[string]any{
					"queries": float64(goal.Queries), "tau": tau, "ln_inv_beta": -goal.Beta.Ln(), "budget": float64(goal.Budget),
					"epsilon": "", "cells": float64(plan.Mechanism.Cells),
				}
				sheet := calculator{value: func(name string) any { return values[name] }, rough: r}
				count := func(formula string) float64 {
					if form.parts != "" {
						formula = form.parts + "*" + formula
					}
					n, ok := sheet.eval(formula).(float64)
					if !ok {
						t.Fatalf("%s %+v: %s is no number", name, goal, formula)
					}
					return n
				}
				want, step := float64(plan.Samples), 1.0
				if form.parts != "" {
					step = float64(goal.Queries)
				}
				if n := count(roundedUp(form.need)); !(n >= want && n <= want*(1+2e-12)+step) {
					t.Errorf("%s %+v: the sheet says %.0f, dpcalc %.0f", name, goal, n, want)
				}
				if count("(INT("+form.need+")+1)") < want {
					below[name]++
				}
				goals++
			}
		}
		if goals < 50 {
			t.Errorf("%s: only %d goals", name, goals)
		}
	}
	if len(below) < 5 {
		t.Errorf("without the part in 1e12 only %v are below", below)
	}
}

// liveCalculator evaluates names and cells of a sheet Live, with other values for some names.
func liveCalculator(
	t *testing.T, f *excelize.File, names map[string]string, values map[string]float64, rough *rand.Rand,
) calculator {
	c := calculator{rough: rough}
	known := make(map[string]any)
	for name, x := range values {
		known[names[name]] = x
	}
	c.value = func(name string) any {
		at := cmp.Or(names[name], name)
		if v, ok := known[at]; ok {
			return v
		}
		formula, err := f.GetCellFormula("Live", at)
		kind, e := f.GetCellType("Live", at)
		if err := errors.Join(err, e); err != nil {
			t.Fatal(err)
		}
		text := value(t, f, at)
		known[at] = text
		if x, err := strconv.ParseFloat(text, 64); err == nil && kind != excelize.CellTypeInlineString {
			known[at] = x
		}
		if formula != "" {
			known[at] = c.eval(formula)
		}
		return known[at]
	}
	return c
}

// otherInputs changes the numbers that may be changed on a sheet Live.
func otherInputs(t *testing.T, f *excelize.File, names map[string]string, r *rand.Rand) map[string]float64 {
	values := make(map[string]float64)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		x, err := strconv.ParseFloat(value(t, f, names[name]), 64)
		if formula, _ := f.GetCellFormula("Live", names[name]); err != nil || formula != "" || name == "threshold" {
			continue
		}
		if name == "alpha" && x > 0.99 {
			continue
		}
		x *= math.Exp(4*r.Float64() - 2.5)
		stem, _, _ := strings.Cut(name, "_")
		switch stem {
		case "samples", "queries", "outcomes":
			x = math.Ceil(x)
		case "alpha", "p":
			x = min(x, 0.9)
		}
		values[name] = x
	}
	return values
}

// The thresholds and adjusted p-values of the sheet Live are on the safe side of dpcalc's
// for other inputs too.
func TestCorrectionFormulasKeepTheirSide(t *testing.T) {
	r := rand.New(rand.NewPCG(109, 110))
	compared := map[string]int{}
	certain := "--alpha 0.999999999 --by description --outcomes 1 --p 0.9" // its logarithms are small
	for _, command := range append(slices.Clone(liveCorrections), certain) {
		f := openBook(t, append([]string{"pvalue-correct"}, strings.Fields(command)...)...)
		names, _ := liveTable(t, f)
		if names["command"] == "" { // a chance below float64's
			continue
		}
		_, at := liveRows(t, f)
		var head []string
		for _, line := range contents(t, f, "Live") {
			if len(line) > 0 && line[0] == "method" {
				head = line
			}
		}
		for range 8 {
			sheet := liveCalculator(t, f, names, otherInputs(t, f, names, r), r)
			words := strings.Fields(sheet.value("command").(string))
			if problem := sheet.value("problem"); problem != "none" {
				t.Fatalf("%v: %v", words, problem)
			}
			for _, row := range rowsOf(t, words[1:]...) {
				name := row["method"].(string)
				got := map[string]string{}
				for j, column := range head {
					got[column] = spelled(sheet.value(cellAt(j+1, at[name])))
				}
				if got["source"] != "formula" {
					continue
				}
				where := strings.Join(words, " ") + " " + name
				if row["status"] != "ok" {
					t.Errorf("%s: %v in the sheet, %v by dpcalc", where, got, row)
					continue
				}
				compared[name]++
				loose := 1e-9
				if name == "group" || strings.Contains(command, "slack") {
					loose = 1e-6
				}
				checkLive(t, where, got, row, loose)
			}
		}
	}
	for _, name := range []string{"max-info-any", "renyi", "approx-dp", "group", "bonferroni", "rogers16", "max-info"} {
		if compared[name] < 5 {
			t.Errorf("%d rows of %s compared", compared[name], name)
		}
	}
}
