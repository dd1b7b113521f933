//go:build libreoffice

package main

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer"
	"github.com/xuri/excelize/v2"
)

// These tests open what dpcalc writes in LibreOffice, without a window and with a
// profile of their own. They need soffice and are run by
// go test -tags libreoffice ./cmd/dpcalc -run LibreOffice.

// reopened converts files to workbooks by LibreOffice, which calculates them, and
// opens the results.
func reopened(t *testing.T, files []string, options ...string) []*excelize.File {
	t.Helper()
	profile, out := t.TempDir(), t.TempDir()
	// Without this it shows the values in the file until an input changes.
	settings := `<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry" xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
<item oor:path="/org.openoffice.Office.Calc/Formula/Load"><prop oor:name="OOXMLRecalcMode" oor:op="fuse"><value>0</value></prop></item>
</oor:items>`
	if err := errors.Join(os.Mkdir(filepath.Join(profile, "user"), 0o700), os.WriteFile(filepath.Join(profile, "user", "registrymodifications.xcu"), []byte(settings), 0o600)); err != nil {
		t.Fatal(err)
	}
	args := append([]string{"-env:UserInstallation=file://" + profile, "--headless", "--norestore", "--convert-to", "xlsx", "--outdir", out}, options...)
	if message, err := exec.Command("soffice", append(args, files...)...).CombinedOutput(); err != nil {
		t.Fatalf("soffice: %v\n%s", err, message)
	}
	books := make([]*excelize.File, len(files))
	for i, name := range files {
		base := filepath.Base(name)
		f, err := excelize.OpenFile(filepath.Join(out, strings.TrimSuffix(base, filepath.Ext(base))+".xlsx"))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Close() })
		books[i] = f
	}
	return books
}

func raw(t *testing.T, f *excelize.File, sheet, cell string) string {
	t.Helper()
	text, err := f.GetCellValue(sheet, cell, excelize.Options{RawCellValue: true})
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// change is a copy of a workbook with other inputs.
type change struct {
	start string
	to    map[string]any
	fault string            // what the cell problem says; "" for none
	rows  map[string]string // what methods say in place of formula
}

// recalculated starts a workbook for every change by a command, after the words that
// begin it, changes the inputs and returns it as the spreadsheet program computes it.
func recalculated(t *testing.T, changes []change, words ...string) []*excelize.File {
	t.Helper()
	dir := t.TempDir()
	paths := make([]string, len(changes))
	for i, c := range changes {
		f := openBook(t, slices.Concat(words, strings.Fields(c.start))...)
		inputs, _ := liveTable(t, f)
		for name, value := range c.to {
			if inputs[name] == "" {
				t.Fatalf("%s has no input %s", c.start, name)
			}
			if err := f.SetCellValue("Live", inputs[name], value); err != nil {
				t.Fatal(err)
			}
		}
		paths[i] = filepath.Join(dir, fmt.Sprint(i, ".xlsx"))
		if err := f.SaveAs(paths[i]); err != nil {
			t.Fatal(err)
		}
	}
	return reopened(t, paths)
}

// After a change of its inputs the sheet Live has what dpcalc computes for them:
// never less, and the same but for one when a part in 1e12 decides. Rows without a
// formula say that they stayed behind. What is outside the domain is a sentence.
func TestLibreOfficeLive(t *testing.T) {
	const (
		bounded     = "samplesize -m 1000 -t 0.1 -b 0.05 -B 20"
		solvedTau   = "samplesize -n 20k -m 5000 -b 0.05 --query binary"
		given       = "samplesize -m 50 -t 0.2 -b 0.01 --epsilon 0.01"
		sensitive   = "samplesize -m 5 -t 0.1 -b 0.05 --query sensitive --sensitivity 2"
		minimize    = "samplesize -m 5 -t 0.1 -b 0.05 --query minimization"
		smallBeta   = "samplesize -m 5 -t 0.1 -b 1e-4343 -B 3"
		whole       = "queries: want a whole number from 1 to 2^53"
		inUnit      = "tau: want a number above 0 and below 1"
		needsBudget = "needs a budget"
		tooMany     = "needs more than 2^53 rows"
	)
	changes := []change{
		{start: bounded, to: nil},
		{start: bounded, to: map[string]any{"tau": 0.05, "cells": 87}},
		{start: bounded, to: map[string]any{"tau": 0.31, "queries": 7, "budget": 7, "cells": 5}},
		{start: bounded, to: map[string]any{"beta": 1e-9}},
		{start: bounded, to: map[string]any{"beta": 1e-300, "queries": 1 << 40}, rows: map[string]string{"splitting": tooMany}},
		{start: bounded, to: map[string]any{"queries": 1, "budget": 1, "cells": nil}},
		{start: bounded, to: map[string]any{"epsilon": 0.0001}},
		{start: bounded, to: map[string]any{"epsilon": 0.4, "tau": 0.2}, rows: map[string]string{
			"dp-maxinfo": "needs epsilon at most tau^2", "dp-dwork15": "needs epsilon at most tau", "dp-approx-dwork15": "needs epsilon at most tau/4"}},
		{start: bounded, to: map[string]any{"epsilon": 2}, rows: map[string]string{
			"dp": "needs epsilon below 4 atanh(tau)", "dp-maxinfo": "needs epsilon at most tau^2",
			"dp-dwork15": "needs epsilon at most tau", "dp-approx-dwork15": "needs epsilon at most tau/4"}},
		{start: bounded, to: map[string]any{"epsilon": "abc"}, rows: map[string]string{
			"dp": "needs a positive epsilon, or none", "dp-maxinfo": "needs a positive epsilon, or none",
			"dp-dwork15": "needs a positive epsilon, or none", "dp-approx-dwork15": "needs a positive epsilon, or none"}},
		{start: bounded, to: map[string]any{"budget": nil}, rows: map[string]string{
			"thresholdout-dwork15": needsBudget, "thresholdout-dwork15-n0": needsBudget, "thresholdout-dwork15-n1": needsBudget}},
		{start: bounded, to: map[string]any{"budget": 1001}, rows: map[string]string{
			"thresholdout-dwork15": needsBudget + " of at most the number of queries", "thresholdout-dwork15-n0": needsBudget + " of at most the number of queries",
			"thresholdout-dwork15-n1": needsBudget + " of at most the number of queries"}},
		{start: bounded, to: map[string]any{"cells": 5}, rows: map[string]string{"rounding": "needs more than 1/(2 tau) cells"}},
		{start: bounded, to: map[string]any{"cells": 5.5}, rows: map[string]string{"rounding": "needs a whole number of cells"}},
		{start: bounded, to: map[string]any{"cells": nil}, rows: map[string]string{"rounding": "needs a whole number of cells"}},
		{start: bounded, to: map[string]any{"tau": 1e-200, "cells": 1 << 50}, rows: map[string]string{
			"hoeffding": tooMany, "splitting": tooMany, "rounding": "needs more than 1/(2 tau) cells", "thresholdout-dwork15": tooMany, "thresholdout-dwork15-n0": tooMany,
			"thresholdout-dwork15-n1": tooMany, "dp": tooMany, "dp-maxinfo": tooMany, "dp-dwork15": tooMany, "dp-approx-dwork15": tooMany}},
		{start: bounded, to: map[string]any{"queries": 1 << 50}, rows: map[string]string{"splitting": tooMany, "rounding": tooMany}},
		{start: bounded, to: map[string]any{"tau": 0}, fault: inUnit},
		{start: bounded, to: map[string]any{"tau": 1}, fault: inUnit},
		{start: bounded, to: map[string]any{"tau": -0.1}, fault: inUnit},
		{start: bounded, to: map[string]any{"tau": "0,1"}, fault: inUnit},
		{start: bounded, to: map[string]any{"tau": nil}, fault: inUnit},
		{start: bounded, to: map[string]any{"queries": 2.5}, fault: whole},
		{start: bounded, to: map[string]any{"queries": 0}, fault: whole},
		{start: bounded, to: map[string]any{"queries": "many"}, fault: whole},
		{start: bounded, to: map[string]any{"beta": 1}, fault: "beta: want a probability above 0 and below 1"},
		{start: bounded, to: map[string]any{"beta": 0}, fault: "beta: want a probability above 0 and below 1"},
		{start: solvedTau, to: nil},
		{start: solvedTau, to: map[string]any{"tau": 0.05, "cells": 150}},
		{start: given, to: nil},
		{start: given, to: map[string]any{"tau": 0.25, "cells": 20}},
		{start: given, to: map[string]any{"epsilon": nil}},
		{start: sensitive, to: nil},
		{start: sensitive, to: map[string]any{"tau": 1.5}},
		{start: sensitive, to: map[string]any{"tau": 2}, fault: "tau: want a number above 0 and below sensitivity"},
		{start: minimize, to: map[string]any{"sensitivity": 0.5, "tau": 0.9}},
		{start: minimize, to: map[string]any{"sensitivity": 0}, fault: "tau: want a number above 0 and below 2*sensitivity"},
		{start: smallBeta, to: nil},
		{start: smallBeta, to: map[string]any{"ln_inv_beta": 5000, "cells": 100}},
		{start: smallBeta, to: map[string]any{"ln_inv_beta": 0}, fault: "ln(1/beta): want a positive number"},
	}
	compared := 0
	for i, f := range recalculated(t, changes) {
		c := changes[i]
		where := fmt.Sprint(c.start, " with ", c.to)
		inputs, rows := liveTable(t, f)
		if got, want := raw(t, f, "Live", inputs["problem"]), c.fault; got != want && (want != "" || got != "none") {
			t.Errorf("%s: problem %q, want %q", where, got, want)
		}
		for _, row := range contents(t, f, "Live") {
			for _, text := range row {
				if strings.HasPrefix(text, "#") || strings.HasPrefix(text, "Err:") {
					t.Errorf("%s: %v", where, row)
				}
			}
		}
		if command := inputs["command"]; command != "" && c.to["tau"] == 0.05 {
			if got := raw(t, f, "Live", command); !strings.Contains(got, " --tau 0.05 --beta 0.05") || !strings.HasPrefix(got, "dpcalc samplesize --") {
				t.Errorf("%s: command %q", where, got)
			}
		}
		same := true // inputs that values depend on
		for name := range c.to {
			same = same && name == "cells"
		}
		goal := transfer.Goal{}
		if c.fault == "" {
			goal = goalOf(t, c.start, inputs, func(cell string) string { return strings.TrimPrefix(raw(t, f, "Live", cell), "abc") })
		}
		for name, k := range rows {
			n, source := raw(t, f, "Live", fmt.Sprint("B", k)), raw(t, f, "Live", fmt.Sprint("C", k))
			formula, _ := f.GetCellFormula("Live", fmt.Sprint("B", k))
			says := c.rows[name]
			if c.fault != "" {
				says = c.fault
			} else if strings.HasPrefix(name, "thresholdout") && goal.Budget == 0 {
				says = needsBudget
			}
			switch {
			case formula == "":
				want := "value for other inputs"
				if same {
					want = "value"
				}
				if source != want && !(same && n == "none") {
					t.Errorf("%s: %s is marked %q, want %q", where, name, source, want)
				}
			case says != "":
				if n != "none" || source != says {
					t.Errorf("%s: %s needs %s (%s), want (%s)", where, name, n, source, says)
				}
				if method, _ := transfer.Lookup(name); c.fault == "" && name != "rounding" && c.to["epsilon"] != "abc" {
					if answer, err := method.Solve(goal); err == nil && answer.Status == transfer.OK {
						t.Errorf("%s: dpcalc has an answer for %s, %d", where, name, answer.Samples)
					}
				}
			default:
				if source != "formula" {
					t.Errorf("%s: %s says %q", where, name, source)
					continue
				}
				compared++
				checkNear(t, where, f, name, k, goal, int64(liveNumber(t, f, inputs["cells"])))
			}
		}
	}
	if compared < 150 {
		t.Errorf("%d numbers compared", compared)
	}
}

func liveNumber(t *testing.T, f *excelize.File, cell string) float64 {
	t.Helper()
	if cell == "" {
		return 0
	}
	text := raw(t, f, "Live", cell)
	if text == "" {
		return 0
	}
	x, err := strconv.ParseFloat(text, 64)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// checkNear compares a formula row with dpcalc: n and what to run.
func checkNear(t *testing.T, where string, f *excelize.File, name string, k int, goal transfer.Goal, cells int64) {
	t.Helper()
	m, _ := transfer.Lookup(name)
	answer, err := m.Solve(goal)
	if err != nil || answer.Status != transfer.OK {
		t.Errorf("%s: %s: %v, %+v", where, name, err, answer)
		return
	}
	n, least := liveNumber(t, f, fmt.Sprint("B", k)), float64(answer.Samples)
	slack := 1e-11 * least
	if name == "splitting" {
		slack += float64(goal.Queries) * 1e-6
	}
	if name == "rounding" && cells != answer.Mechanism.Cells {
		slack = least // another number of cells
	}
	if n < least || n > least+slack {
		t.Errorf("%s: %s needs %v, dpcalc says %v", where, name, n, least)
	}
	titles := contents(t, f, "Live")
	head := slices.IndexFunc(titles, func(row []string) bool { return len(row) > 0 && row[0] == "method" })
	for j, title := range titles[head] {
		want, ok := map[string]float64{
			"noise scale": goal.Tau / (96 * (math.Log(4*float64(goal.Queries)) - goal.Beta.Ln())), "threshold": 0.75 * goal.Tau,
			"epsilon": answer.Mechanism.Epsilon, "ln delta": answer.Mechanism.LnDelta.Ln(),
		}[title]
		if !ok {
			continue
		}
		if answer.Mechanism.Threshold == 0 && (title == "threshold" || title == "noise scale") {
			want = 0
		}
		if got := liveNumber(t, f, cellAt(j+1, k)); math.Abs(got-want) > 1e-13*math.Abs(want) { // it writes 15 digits
			t.Errorf("%s: %s has %s %v, dpcalc says %v", where, name, title, got, want)
		}
	}
}

// The formulas' n is never below dpcalc's, for goals of every size, among them the
// ones where the requirement is a rounding error above a whole number.
func TestLibreOfficeNeverBelow(t *testing.T) {
	const goals = 400
	r := rand.New(rand.NewPCG(3, 4))
	logUniform := func(lo, hi float64) float64 { return lo * math.Pow(hi/lo, r.Float64()) }
	f := excelize.NewFile()
	names := []string{"queries", "tau", "ln_inv_beta", "budget", "cells", "epsilon"}
	name := regexp.MustCompile(`\b(` + strings.Join(names, "|") + `)\b`)
	forms := closedForms(transfer.Bounded)
	type asked struct {
		method string
		goal   transfer.Goal
		least  int64
		sharp  bool
	}
	var all []asked
	for _, method := range explicit {
		m, _ := transfer.Lookup(method)
		for i := 0; i < goals; {
			g := transfer.Goal{Queries: int64(logUniform(1, 1e6)), Tau: logUniform(1e-4, 0.9), Beta: theory.LogProb(-logUniform(1e-3, 600))}
			g.Budget = int64(logUniform(1, float64(g.Queries)))
			if m.Procedure && i%4 == 0 {
				g.Epsilon = g.Tau * g.Tau / 4 * r.Float64()
			}
			if method == "dp" && i%4 == 1 { // where tau - tanh(epsilon/4) cancels
				g.Epsilon = 4 * math.Atanh(g.Tau*(1-logUniform(1e-6, 1)))
			}
			a := asked{method: method, goal: g}
			answer, err := m.Solve(g)
			if err != nil {
				t.Fatal(err)
			}
			if i%2 == 0 && answer.Status == transfer.OK && answer.Samples > 1 { // the least tau that n is enough for, and the one before
				g.Samples, g.Tau = answer.Samples, 0
				if answer, err = m.Solve(g); err != nil {
					t.Fatal(err)
				}
				g.Samples, g.Tau, a.sharp = 0, math.Nextafter(answer.Tau, 0), true
				a.goal = g
				if answer, err = m.Solve(g); err != nil {
					t.Fatal(err)
				}
			}
			if answer.Status != transfer.OK {
				continue
			}
			i++
			a.least = answer.Samples
			all = append(all, a)
			row := len(all)
			cells := answer.Mechanism.Cells
			if cells == 0 {
				cells = 1
			}
			epsilon := any(nil)
			if g.Epsilon > 0 {
				epsilon = g.Epsilon
			}
			for j, v := range []any{g.Queries, g.Tau, -g.Beta.Ln(), g.Budget, cells, epsilon} {
				if err := f.SetCellValue("Sheet1", cellAt(j+1, row), v); err != nil {
					t.Fatal(err)
				}
			}
			form := forms[method]
			formula := roundedUp(form.need)
			if form.parts != "" {
				formula = form.parts + "*" + formula
			}
			formula = name.ReplaceAllStringFunc(formula, func(s string) string { return "$" + cellAt(1+slices.Index(names, s), row) })
			if err := f.SetCellFormula("Sheet1", cellAt(7, row), formula); err != nil {
				t.Fatal(err)
			}
		}
	}
	path := filepath.Join(t.TempDir(), "goals.xlsx")
	if err := f.SaveAs(path); err != nil {
		t.Fatal(err)
	}
	rows := contents(t, reopened(t, []string{path})[0], "Sheet1")
	equal, sharp := 0, 0
	for i, a := range all {
		n, err := strconv.ParseFloat(rows[i][6], 64)
		if err != nil {
			t.Fatal(err)
		}
		if n < float64(a.least) {
			t.Errorf("%s, %+v: %v, dpcalc says %d", a.method, a.goal, n, a.least)
		}
		if n == float64(a.least) {
			equal++
		}
		if a.sharp {
			sharp++
		}
		if inflation := n/float64(a.least) - 1; inflation > 1e-11 && a.goal.Epsilon == 0 && n > float64(a.least)+float64(a.goal.Queries) {
			t.Errorf("%s, %+v: %v is %v above %d", a.method, a.goal, n, inflation, a.least)
		}
	}
	if len(all) != goals*len(explicit) || equal < len(all)/2 || sharp < len(all)/3 {
		t.Errorf("%d goals, %d sharp, %d equal", len(all), sharp, equal)
	}
}

// A CSV file of either dialect opens with every number a number of all its digits,
// every text as it was written and no formula.
func TestLibreOfficeCSV(t *testing.T) {
	foreigns := append(slices.Clone(awkward), "-1.5", "-12", "0.05", "-2.5e-7", "=HYPERLINK(\"http://x\",\"y\")", "=cmd|' /C calc'!A0", "@SUM(1)", "1/2")
	foreigns = slices.DeleteFunc(foreigns, func(s string) bool { return strings.ContainsAny(s, "\x00\r\t") })
	dialects := []struct {
		format              Format
		separator, language string
	}{{CSV, "44", "1033"}, {ExcelEU, "59", "1031"}}
	plan := strings.Fields("samplesize -m 1000,20 -t 0.1 -b 0.05 -B 20")
	want := rowsOf(t, plan...)
	for _, d := range dialects {
		dir := t.TempDir()
		texts, grid := filepath.Join(dir, "texts.csv"), filepath.Join(dir, "plan.csv")
		c := &Call{Session: &Session{Context: t.Context()}}
		var rows [][]cell
		for i, s := range foreigns {
			rows = append(rows, []cell{countCell(int64(i + 1)), {form: foreign, s: s}, exactly(-0.1 * float64(i+1)), chanceCell(theory.LogProb(-float64(i + 1)))})
		}
		if err := emit(c, Target{Format: d.format, Path: texts}, result{columns: []string{"n", "text", "number", "chance"}}, rows, nil); err != nil {
			t.Fatal(err)
		}
		dialect := []string{"--csv-dialect", "rfc4180"}
		if d.format.Dialect != "" {
			dialect[1] = "excel-eu"
		}
		if code, _, stderr := dpcalc(slices.Concat(plan, dialect, []string{"-o", grid})...); code != exitOK {
			t.Fatal(stderr)
		}
		// separator, quote, UTF-8, first line, columns, language, quoted is text, special numbers, ..., formulas are evaluated
		books := reopened(t, []string{texts, grid}, "--infilter=CSV:"+d.separator+",34,76,1,,"+d.language+",false,true,false,false,false,0,true")
		sheet := books[0].GetSheetName(0)
		for i, s := range foreigns {
			for j, c := range rows[i] {
				at := cellAt(j+1, i+2)
				if formula, err := books[0].GetCellFormula(sheet, at); formula != "" || err != nil {
					t.Errorf("%s: %q became the formula %s (%v)", d.format.Name+d.format.Dialect, s, formula, err)
				}
				got := raw(t, books[0], sheet, at)
				if wantText := inert(s); c.form == foreign {
					if isNumeral(s) {
						c.f, _ = strconv.ParseFloat(s, 64)
					} else if got != wantText && !(s == "1/2") {
						t.Errorf("%s: %q reads as %q", d.format.Name+d.format.Dialect, s, got)
						continue
					} else {
						continue
					}
				}
				value := map[form]float64{count: float64(c.n), number: c.f, foreign: c.f, chance: math.Exp(c.f)}[c.form]
				if x, err := strconv.ParseFloat(got, 64); err != nil || math.Abs(x-value) > 1e-13*math.Abs(value) {
					t.Errorf("%s: row %d, %v reads as %q", d.format.Name+d.format.Dialect, i, value, got)
				}
			}
		}
		sheet = books[1].GetSheetName(0)
		read := contents(t, books[1], sheet)
		numbers := 0
		if len(read) != 1+len(want) {
			t.Fatalf("%s: %d rows", d.format.Name+d.format.Dialect, len(read))
		}
		for i, row := range want {
			for _, column := range read[0] {
				got := at(t, read, i+1, column)
				switch value := row[column].(type) {
				case float64:
					numbers++
					if x, err := strconv.ParseFloat(got, 64); err != nil || math.Abs(x-value) > 1e-13*math.Abs(value) {
						t.Errorf("%s: %s of %v reads as %q, want %v", d.format.Name+d.format.Dialect, column, row["method"], got, value)
					}
				case string:
					if got != value {
						t.Errorf("%s: %s of %v reads as %q, want %q", d.format.Name+d.format.Dialect, column, row["method"], got, value)
					}
				}
			}
		}
		if numbers < 300 {
			t.Errorf("%s: %d numbers compared", d.format.Name+d.format.Dialect, numbers)
		}
	}
}

// A workbook's cells read as they were written: text of a user's file as text,
// numbers with every digit.
func TestLibreOfficeWorkbook(t *testing.T) {
	foreigns := append(slices.Clone(awkward), "-12", "007", "0.05", "_x0041_", " spaces ", "1e5", "=HYPERLINK(\"x\")", strings.Repeat("é", 300))
	foreigns = slices.DeleteFunc(foreigns, func(s string) bool { return strings.ContainsAny(s, "\x00\r") }) // no XML holds the one, none keeps the other
	var rows [][]cell
	for i, s := range foreigns {
		rows = append(rows, []cell{countCell(transfer.MaxCount - int64(i)), {form: foreign, s: s}, exactly(-math.Pi * math.Pow(10, float64(20-4*i))), truthCell(i%2 == 0), chanceCell(theory.LogProb(-50 * float64(i)))})
	}
	path := filepath.Join(t.TempDir(), "book.xlsx")
	c := &Call{Session: &Session{Context: t.Context()}}
	r := result{command: "test", columns: []string{"n", "text", "number", "truth", "chance"}}
	if err := emit(c, Target{Format: Workbook, Path: path}, r, rows, func() sheet { return sheet{} }); err != nil {
		t.Fatal(err)
	}
	f := reopened(t, []string{path})[0]
	for i, row := range rows {
		for j, c := range row {
			at := cellAt(j+1, i+2)
			got := raw(t, f, "test", at)
			if formula, err := f.GetCellFormula("test", at); c.form != truth && formula != "" || err != nil { // it writes truths as TRUE()
				t.Errorf("%s: a formula %s (%v)", at, formula, err)
			}
			switch c.form {
			case foreign:
				if got != c.s {
					t.Errorf("%q reads as %q", c.s, got)
				}
			case truth:
				if got != strconv.FormatInt(c.n, 10) {
					t.Errorf("%v reads as %q", c.n == 1, got)
				}
			default:
				value := map[form]float64{count: float64(c.n), number: c.f, chance: math.Exp(c.f)}[c.form]
				if x, err := strconv.ParseFloat(got, 64); err != nil || math.Abs(x-value) > 1e-13*math.Abs(value) {
					t.Errorf("%v reads as %q", value, got)
				}
			}
		}
	}
}
