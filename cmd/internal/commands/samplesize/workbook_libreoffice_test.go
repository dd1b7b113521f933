//go:build libreoffice

package samplesize

import (
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/dpcalc/dpcalc/cmd/internal/commands/live"
	"github.com/dpcalc/dpcalc/cmd/internal/commandtest"
	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer"
	"github.com/xuri/excelize/v2"
)

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
	changes := []commandtest.Change{
		{Start: bounded, To: nil},
		{Start: bounded, To: map[string]any{"tau": 0.05, "cells": 87}},
		{Start: bounded, To: map[string]any{"tau": 0.31, "queries": 7, "budget": 7, "cells": 5}},
		{Start: bounded, To: map[string]any{"beta": 1e-9}},
		{Start: bounded, To: map[string]any{"tau": 0.11}},
		{Start: bounded, To: map[string]any{"beta": 1e-300, "queries": 1 << 40},
			Rows: map[string]string{"splitting": tooMany}},
		{Start: bounded, To: map[string]any{"queries": 1, "budget": 1, "cells": nil}},
		{Start: bounded, To: map[string]any{"epsilon": 0.0001}},
		{Start: bounded, To: map[string]any{"epsilon": 0.4, "tau": 0.2}, Rows: map[string]string{
			"dp-maxinfo": "needs epsilon at most tau^2", "dp-dwork15": "needs epsilon at most tau",
			"dp-approx-dwork15": "needs epsilon at most tau/4"}},
		{Start: bounded, To: map[string]any{"epsilon": 2}, Rows: map[string]string{
			"dp": "needs epsilon below 4 atanh(tau)", "dp-maxinfo": "needs epsilon at most tau^2",
			"dp-dwork15": "needs epsilon at most tau", "dp-approx-dwork15": "needs epsilon at most tau/4"}},
		{Start: bounded, To: map[string]any{"epsilon": "abc"}, Rows: map[string]string{
			"dp": "needs a positive epsilon, or none", "dp-maxinfo": "needs a positive epsilon, or none",
			"dp-dwork15": "needs a positive epsilon, or none", "dp-approx-dwork15": "needs a positive epsilon, or none"}},
		{Start: bounded, To: map[string]any{"budget": nil}, Rows: map[string]string{
			"thresholdout-dwork15": needsBudget, "thresholdout-dwork15-n0": needsBudget,
			"thresholdout-dwork15-n1": needsBudget}},
		{Start: bounded, To: map[string]any{"budget": 1001}, Rows: map[string]string{
			"thresholdout-dwork15":    needsBudget + " of at most the number of queries",
			"thresholdout-dwork15-n0": needsBudget + " of at most the number of queries",
			"thresholdout-dwork15-n1": needsBudget + " of at most the number of queries"}},
		{Start: bounded, To: map[string]any{"cells": 5}, Rows: map[string]string{"rounding": "needs more than 1/(2 tau) cells"}},
		{Start: bounded, To: map[string]any{"cells": 5.5}, Rows: map[string]string{"rounding": "needs a whole number of cells"}},
		{Start: bounded, To: map[string]any{"cells": nil}, Rows: map[string]string{"rounding": "needs a whole number of cells"}},
		{Start: bounded, To: map[string]any{"tau": 1e-200, "cells": 1 << 50}, Rows: map[string]string{
			"hoeffding": tooMany, "splitting": tooMany, "rounding": "needs more than 1/(2 tau) cells",
			"thresholdout-dwork15": tooMany, "thresholdout-dwork15-n0": tooMany,
			"thresholdout-dwork15-n1": tooMany, "dp": tooMany, "dp-maxinfo": tooMany, "dp-dwork15": tooMany,
			"dp-approx-dwork15": tooMany}},
		{Start: bounded, To: map[string]any{"queries": 1 << 50},
			Rows: map[string]string{"splitting": tooMany, "rounding": tooMany}},
		{Start: bounded, To: map[string]any{"tau": 0}, Fault: inUnit},
		{Start: bounded, To: map[string]any{"tau": 1}, Fault: inUnit},
		{Start: bounded, To: map[string]any{"tau": -0.1}, Fault: inUnit},
		{Start: bounded, To: map[string]any{"tau": "0,1"}, Fault: inUnit},
		{Start: bounded, To: map[string]any{"tau": nil}, Fault: inUnit},
		{Start: bounded, To: map[string]any{"queries": 2.5}, Fault: whole},
		{Start: bounded, To: map[string]any{"queries": 0}, Fault: whole},
		{Start: bounded, To: map[string]any{"queries": "many"}, Fault: whole},
		{Start: bounded, To: map[string]any{"beta": 1}, Fault: "beta: want a probability above 0 and below 1"},
		{Start: bounded, To: map[string]any{"beta": 0}, Fault: "beta: want a probability above 0 and below 1"},
		{Start: solvedTau, To: nil},
		{Start: solvedTau, To: map[string]any{"tau": 0.05, "cells": 150}},
		{Start: given, To: nil},
		{Start: given, To: map[string]any{"tau": 0.25, "cells": 20}},
		{Start: given, To: map[string]any{"epsilon": nil}},
		{Start: sensitive, To: nil},
		{Start: sensitive, To: map[string]any{"tau": 1.5}},
		{Start: sensitive, To: map[string]any{"tau": 2}, Fault: "tau: want a number above 0 and below sensitivity"},
		{Start: minimize, To: map[string]any{"sensitivity": 0.5, "tau": 0.9}},
		{Start: minimize, To: map[string]any{"sensitivity": 0}, Fault: "tau: want a number above 0 and below 2*sensitivity"},
		{Start: smallBeta, To: nil},
		{Start: smallBeta, To: map[string]any{"ln_inv_beta": 5000, "cells": 100}},
		{Start: smallBeta, To: map[string]any{"ln_inv_beta": 0}, Fault: "ln(1/beta): want a positive number"},
	}
	compared := 0
	for i, f := range commandtest.Recalculated(t, changes) {
		c := changes[i]
		where := fmt.Sprint(c.Start, " with ", c.To)
		inputs, rows := commandtest.LiveTable(t, f)
		if got, want := commandtest.Raw(t, f, "Live", inputs["problem"]), c.Fault; got != want &&
			(want != "" || got != "none") {
			t.Errorf("%s: problem %q, want %q", where, got, want)
		}
		for _, row := range commandtest.Contents(t, f, "Live") {
			for _, text := range row {
				if strings.HasPrefix(text, "#") || strings.HasPrefix(text, "Err:") {
					t.Errorf("%s: %v", where, row)
				}
			}
		}
		if command := inputs["command"]; command != "" && c.To["tau"] == 0.05 {
			if got := commandtest.Raw(t, f, "Live", command); !strings.Contains(got, " --tau 0.05 --beta 0.05") ||
				!strings.HasPrefix(got, "dpcalc samplesize --") {
				t.Errorf("%s: command %q", where, got)
			}
		}
		checkMark(t, where, f, c.Fault == "")
		same := true // inputs that values depend on
		for name := range c.To {
			same = same && name == "cells"
		}
		goal := transfer.Goal{}
		if c.Fault == "" {
			goal = goalOf(t, c.Start, inputs,
				func(cell string) string { return strings.TrimPrefix(commandtest.Raw(t, f, "Live", cell), "abc") })
		}
		for name, k := range rows {
			n, source := commandtest.Raw(t, f, "Live", fmt.Sprint("B", k)), commandtest.Raw(t, f, "Live", fmt.Sprint("C", k))
			formula, _ := f.GetCellFormula("Live", fmt.Sprint("B", k))
			if c.Fault == "" {
				checkTau(t, where, f, name, k, goal)
			}
			says := c.Rows[name]
			if c.Fault != "" {
				says = c.Fault
			} else if strings.HasPrefix(name, "thresholdout") && goal.Budget == 0 {
				says = needsBudget
			}
			switch {
			case strings.HasPrefix(formula, "IF(unchanged="):
				switch {
				case same:
					if source != "value" && n != "none" {
						t.Errorf("%s: %s is marked %q", where, name, source)
					}
				case source == "formula, at most" && c.Fault == "":
					checkMost(t, where, name, goal, n)
				case n != "" || source != "only by dpcalc" && source != c.Fault:
					t.Errorf("%s: %s shows %q and is marked %q", where, name, n, source)
				}
			case says != "":
				if n != "none" || source != says {
					t.Errorf("%s: %s needs %s (%s), want (%s)", where, name, n, source, says)
				}
				if method, _ := transfer.Lookup(name); c.Fault == "" && name != "rounding" && c.To["epsilon"] != "abc" {
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

// checkMost compares a number of rows that is said to be at most so many with dpcalc's: never below it, and within
// three parts in a hundred and a row where dpcalc's tails are not exact.
func checkMost(t *testing.T, where, name string, goal transfer.Goal, text string) {
	t.Helper()
	m, _ := transfer.Lookup(name)
	goal.Samples = 0
	answer, err := m.Solve(goal)
	n, e := strconv.ParseFloat(text, 64)
	if err != nil || e != nil || answer.Status != transfer.OK {
		t.Errorf("%s: %s says %q: %v, %+v", where, name, text, err, answer)
		return
	}
	least := float64(answer.Samples)
	loose := goal.Query == transfer.Binary && (name == "gate" || name == "sealed") // whose tails are exact
	if n < least || !loose && n > 1.03*least+1 {
		t.Errorf("%s: %s needs at most %v, dpcalc says %v", where, name, n, least)
	}
}

// checkTau compares the tau of a row with what dpcalc reaches with the rows in the input samples.
func checkTau(t *testing.T, where string, f *excelize.File, name string, k int, goal transfer.Goal) {
	t.Helper()
	inputs, _ := commandtest.LiveTable(t, f)
	text, source := commandtest.Raw(t, f, "Live", fmt.Sprint("D", k)), commandtest.Raw(t, f, "Live", fmt.Sprint("E", k))
	goal.Samples, goal.Tau = int64(liveNumber(t, f, inputs["samples"])), 0
	answers := []string{"formula", "formula, at most", "value"}
	if slices.Contains(answers, source) != (text != "") {
		t.Errorf("%s: %s reaches %q and is marked %q", where, name, text, source)
		return
	}
	if text == "" {
		if (source == "") != (goal.Samples == 0) {
			t.Errorf("%s: %s has no tau and is marked %q", where, name, source)
		}
		return
	}
	m, _ := transfer.Lookup(name)
	answer, err := m.Solve(goal)
	tau, e := strconv.ParseFloat(text, 64)
	if err != nil || e != nil || answer.Status != transfer.OK {
		t.Errorf("%s: %s reaches %q: %v, %+v", where, name, text, err, answer)
		return
	}
	most := 1 + 1e-9
	switch {
	case source == "formula" || source == "value":
	case name == "rounding" || name == "thresholdout-dwork15" || goal.Query == transfer.Binary:
		most = math.Inf(1) // another number of cells, the other argument, or exact tails
	default:
		most = 1.03
	}
	if tau < answer.Tau*(1-1e-14) || tau > answer.Tau*most { // a sheet keeps 15 digits
		t.Errorf("%s: %s reaches %v (%s), dpcalc says %v", where, name, tau, source, answer.Tau)
	}
	taus[source]++
}

// taus counts what checkTau compared.
var taus = make(map[string]int)

// Around the start the rows with a formula follow, never below dpcalc: by what dpcalc computes too, or by a bound on a
// tail. The tau of a number of rows does so too. The other rows are blank.
func TestLibreOfficeNear(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	var changes []commandtest.Change
	for _, start := range []string{
		"samplesize -m 1000 -t 0.1 -b 0.05 -B 20",
		"samplesize -n 20k -m 200 -b 0.05",
		"samplesize -m 100 -t 0.05 -b 0.01 --query binary",
		"samplesize -m 100 -t 0.1 -b 0.05 --feedback gate --passes 5",
		"samplesize -n 3000 -m 400 -b 0.05 --feedback gate --passes 40 --one-sided",
		"samplesize -m 100 -t 0.1 -b 0.05 --feedback gate --query binary",
		"samplesize -m 200 -t 0.1 -b 0.05 --feedback best",
		"samplesize -m 200 -t 0.1 -b 0.05 --feedback flags -B 10",
		"samplesize -m 20 -t 0.05 -b 0.05 --feedback final",
		"samplesize -m 20 -t 0.05 -b 0.05 --feedback final --one-sided",
		"samplesize -m 20 -t 0.05 -b 0.05 --feedback final --query sensitive --sensitivity 2",
		"samplesize -m 100 -t 0.1 -b 0.05 --query difference --disagreement 0.5",
	} {
		words := strings.Fields(start)
		number := func(flag string, missing float64) float64 {
			if i := slices.Index(words, flag); i >= 0 {
				x, err := strconv.ParseFloat(strings.Replace(words[i+1], "k", "e3", 1), 64)
				if err != nil {
					t.Fatal(err)
				}
				return x
			}
			return missing
		}
		within := func(x, reach float64) float64 { return x * math.Exp((2*r.Float64()-1)*math.Log(reach)) }
		for range 3 {
			m, b := math.Round(within(number("-m", 0), 1.45)), math.Exp(within(math.Log(number("-b", 0)), 1.45))
			tau := within(number("-t", 0), 1.25)
			to := map[string]any{"queries": m, "beta": b, "samples": math.Round(within(number("-n", 5000), 1.2))}
			if tau > 0 {
				to["tau"] = tau
			}
			changes = append(changes, commandtest.Change{Start: start, To: to})
		}
	}
	clear(taus)
	marks := make(map[string]int)
	for i, f := range commandtest.Recalculated(t, changes) {
		c := changes[i]
		where := fmt.Sprint(c.Start, " with ", c.To)
		inputs, rows := commandtest.LiveTable(t, f)
		value := func(cell string) string { return commandtest.Raw(t, f, "Live", cell) }
		if got := value(inputs["problem"]); got != "none" {
			t.Errorf("%s: problem %q", where, got)
			continue
		}
		goal := goalOf(t, c.Start, inputs, value)
		for name, k := range rows {
			n, source := value(fmt.Sprint("B", k)), value(fmt.Sprint("C", k))
			marks[source]++
			switch source {
			case "formula, at most":
				checkMost(t, where, name, goal, n)
			case "formula":
				checkNear(t, where, f, name, k, goal, int64(liveNumber(t, f, inputs["cells"])))
			default:
				if n != "" && n != "none" {
					t.Errorf("%s: %s shows %q and is marked %q", where, name, n, source)
				}
			}
			checkTau(t, where, f, name, k, goal)
		}
	}
	t.Log(marks, taus)
	for mark, least := range map[string][2]int{"formula": {80, 50}, "formula, at most": {10, 30}} {
		if marks[mark] < least[0] || taus[mark] < least[1] {
			t.Errorf("%d rows and %d tau are marked %s", marks[mark], taus[mark], mark)
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
	forms := live.ClosedForms(transfer.Goal{Query: transfer.Bounded})
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
			g := transfer.Goal{Queries: int64(logUniform(1, 1e6)), Tau: logUniform(1e-4, 0.9),
				Beta: theory.LogProb(-logUniform(1e-3, 600))}
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
			if i%2 == 0 && answer.Status == transfer.OK &&
				answer.Samples > 1 { // the least tau that n is enough for, and the one before
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
				if err := f.SetCellValue("Sheet1", commandtest.CellAt(j+1, row), v); err != nil {
					t.Fatal(err)
				}
			}
			formula := forms[method].Rows().String()
			formula = name.ReplaceAllStringFunc(formula,
				func(s string) string { return "$" + commandtest.CellAt(1+slices.Index(names, s), row) })
			if err := f.SetCellFormula("Sheet1", commandtest.CellAt(7, row), formula); err != nil {
				t.Fatal(err)
			}
		}
	}
	path := filepath.Join(t.TempDir(), "goals.xlsx")
	if err := f.SaveAs(path); err != nil {
		t.Fatal(err)
	}
	rows := commandtest.Contents(t, commandtest.Reopened(t, []string{path})[0], "Sheet1")
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
		if inflation := n/float64(a.least) - 1; inflation > 1e-11 && a.goal.Epsilon == 0 &&
			n > float64(a.least)+float64(a.goal.Queries) {
			t.Errorf("%s, %+v: %v is %v above %d", a.method, a.goal, n, inflation, a.least)
		}
	}
	if len(all) != goals*len(explicit) || equal < len(all)/2 || sharp < len(all)/3 {
		t.Errorf("%d goals, %d sharp, %d equal", len(all), sharp, equal)
	}
}

// liveNumber is the number in a cell of the sheet Live.
func liveNumber(t *testing.T, f *excelize.File, cell string) float64 {
	t.Helper()
	if cell == "" {
		return 0
	}
	text := commandtest.Raw(t, f, "Live", cell)
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
	titles := commandtest.Contents(t, f, "Live")
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
		got := liveNumber(t, f, commandtest.CellAt(j+1, k))
		if math.Abs(got-want) > 1e-13*math.Abs(want) { // it writes 15 digits
			t.Errorf("%s: %s has %s %v, dpcalc says %v", where, name, title, got, want)
		}
	}
}

// checkMark holds the marks of a recalculated sheet against its samples: those of the adaptive rows with the fewest, if
// any has a number.
func checkMark(t *testing.T, where string, f *excelize.File, sound bool) {
	t.Helper()
	inputs, rows := commandtest.LiveTable(t, f)
	sheet := commandtest.Contents(t, f, "Live")
	head := slices.IndexFunc(sheet, func(row []string) bool { return len(row) > 0 && row[0] == "method" })
	use, best := slices.Index(sheet[head], "use")+1, slices.Index(sheet[head], "best")+1
	fewest := math.Inf(1)
	for _, k := range rows {
		n, err := strconv.ParseFloat(commandtest.Raw(t, f, "Live", fmt.Sprint("B", k)), 64)
		if err == nil && commandtest.Raw(t, f, "Live", commandtest.CellAt(use, k)) == "adaptive" {
			fewest = min(fewest, n)
		}
	}
	want := map[string]string{"yes": "best", "no": "best formula"}[commandtest.Raw(t, f, "Live", inputs["unchanged"])]
	marks := 0
	for name, k := range rows {
		n, err := strconv.ParseFloat(commandtest.Raw(t, f, "Live", fmt.Sprint("B", k)), 64)
		least := err == nil && n == fewest && commandtest.Raw(t, f, "Live", commandtest.CellAt(use, k)) == "adaptive"
		mark := commandtest.Raw(t, f, "Live", commandtest.CellAt(best, k))
		if least {
			marks++
		}
		if mark != map[bool]string{true: want}[least] {
			t.Errorf("%s: %s, %v rows of at least %v, is marked %q, want %v and %q", where, name, n, fewest, mark, least, want)
		}
	}
	if sound && marks == 0 && !math.IsInf(fewest, 1) {
		t.Errorf("%s: nothing is marked", where)
	}
}
