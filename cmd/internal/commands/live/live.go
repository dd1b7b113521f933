package live

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/dpcalc/dpcalc/cmd/internal/commands/goals"
	"github.com/dpcalc/dpcalc/cmd/internal/record"
	"github.com/dpcalc/dpcalc/transfer"
)

// RoundedUp is the least whole number above a real one that a spreadsheet can be
// trusted with. Its logarithms, products and roots err by a few parts in 1e16, and a
// part in 1e12 is more. It is INT and not ROUNDUP or CEILING, which take a number a
// little above a whole one for that; INT does so with a number a little below.
func RoundedUp(formula string) string { return "(INT((" + formula + ")*(1+1E-12))+1)" }

// lnOver is ln(c m/beta).
func lnOver(c int) string { return "(LN(" + strconv.Itoa(c) + "*queries)+ln_inv_beta)" }

// ClosedForm is a method's inequality n >= need as formulas, and the tau that the rows in the input samples reach.
type ClosedForm struct {
	Need  string            // a real number
	Parts string            // of n, each at least need; "" for one
	needs [][2]string       // conditions beyond the domain, each with what the row says while it fails
	run   map[string]string // what to run, by column

	tau      string // not below what dpcalc computes; "" for none
	tauNeeds int    // so many of the needs are for tau too, the first
	atMost   bool   // n is above what dpcalc computes, as a bound on the tail is used
	tauMost  bool   // tau is
}

// ClosedForms are the methods whose n is an explicit formula for this kind of query.
// Differences are taken so that the rounding of their terms cannot make them too
// large. Of the maxima n0 and n1 at tau/8 and beta/(2m) it is always the first term
// that counts: with A = ln(4m/beta) > ln 4 the others are 64 (A + ln 3)/tau^2 and
// 3072 (A + ln 4)/tau^2, below 128 A/tau^2 and 6144 A/tau^2.
func ClosedForms(g transfer.Goal) map[string]*ClosedForm {
	if g.Sample != nil {
		return nil
	}
	forms := shownForms(g)
	if g.OneSided || g.PastLooks != 0 || g.Query == transfer.Difference {
		return forms
	}
	maps.Copy(forms, answersForms(g.Query))
	return forms
}

// shownForms are the forms of the methods that show less than answers. The tail of one side is at most exp(-n E(tau)),
// E(tau) >= 2 tau^2 + (4/9) tau^4, so that n is not below what dpcalc computes; of a query of sensitivity D/n it is
// exp(-2 n (tau/D)^2).
func shownForms(g transfer.Goal) map[string]*ClosedForm {
	rate, reach := "(2*tau^2+4/9*tau^4)", "SQRT(2*%[1]s/(2+SQRT(4+16/9*%[1]s)))*(1+1E-12)"
	switch g.Query {
	case transfer.Difference, transfer.Minimization:
		return map[string]*ClosedForm{}
	case transfer.Sensitive:
		rate, reach = "(2*(tau/sensitivity)^2)", "(sensitivity*SQRT(%s/2)*(1+1E-12))"
	}
	sides := 2
	if g.OneSided {
		sides = 1
	}
	passes := `IF(passes="",queries,passes)`
	form := func(level string, needs ...[2]string) *ClosedForm {
		return &ClosedForm{Need: level + "/" + rate, tau: fmt.Sprintf(reach, "("+level+"/samples)"), needs: needs,
			tauNeeds: len(needs), atMost: true, tauMost: true}
	}
	return map[string]*ClosedForm{
		"gate": form("("+LnNodes("(queries-1)", passes, "1+", "(queries-1)*LN(2)*(1+1E-13)")+"+ln_inv_beta)",
			[2]string{`OR(passes="",` + record.IsCount("passes") + ")", "needs a whole number of passes, or none"},
			[2]string{passes + "<=queries", "needs passes of at most the number of queries"}),
		"sealed": form(lnOver(sides)),
	}
}

// answersForms are the forms of the methods for answers, of two sides.
func answersForms(query transfer.Query) map[string]*ClosedForm {
	switch query {
	case transfer.Sensitive:
		return map[string]*ClosedForm{"hoeffding": {Need: lnOver(2) + "/(2*(tau/sensitivity)^2)",
			tau: "(sensitivity*SQRT(" + lnOver(2) + "/(2*samples))*(1+1E-12))"}}
	case transfer.Minimization:
		return map[string]*ClosedForm{"hoeffding": {Need: lnOver(2) + "/(2*(tau/(2*sensitivity))^2)",
			tau: "(2*sensitivity*SQRT(" + lnOver(2) + "/(2*samples))*(1+1E-12))"}}
	}
	const (
		ownEpsilon = `IF(epsilon="",tau,epsilon)`
		cellGap    = "(tau*(1-1E-14)-0.5/cells)"
	)
	var (
		gap       = "(tau*(1-1E-14)-" + TanhOfHalf("("+ownEpsilon+"/2)") + ")"
		hoeffding = lnOver(2) + "/(2*tau^2)"
		n0        = "1536*budget*" + lnOver(4) + "/tau^2"
		n1        = "3072*" + lnOver(4) + "/tau^2*SQRT(32*budget*(LN(2)+32/tau*" + lnOver(16) + "))"
		budget    = [][2]string{{record.IsCount("budget"), "needs a budget"},
			{"budget<=queries", "needs a budget of at most the number of queries"}}
		thresholdout = map[string]string{"noise scale": "tau/(96*" + lnOver(4) + ")", "threshold": "0.75*tau"}
	)
	var (
		root     = func(level string) string { return "(SQRT(" + level + "/samples)*(1+1E-12))" }
		reaches  = root(lnOver(2) + "/2")
		byRounds = "IF(queries=1," + reaches + ",0.5/cells*(1+1E-12)+" + root("("+lnOver(2)+"+(queries-1)*LN(cells))/2") + ")"
		moved    = func(tau string) string { return "(MIN(" + tau + "/4,TANH(" + tau + "/4)*(1+1E-9))+" + reaches + ")" }
		ownMoved = moved(moved(moved("(4/3*" + reaches + ")")))
		given    = func(floor, own string) string { return `MAX(` + own + `,IF(epsilon="",0,` + floor + "))" }
	)
	private := func(condition, text string) [][2]string {
		return [][2]string{
			{positiveOrBlank("epsilon"), "needs a positive epsilon, or none"},
			{`IF(epsilon="",TRUE,IFERROR(` + condition + ",FALSE))", "needs epsilon " + text},
		}
	}
	return map[string]*ClosedForm{
		"hoeffding": {Need: hoeffding, tau: reaches},
		"splitting": {Need: hoeffding, Parts: "queries",
			tau: "(SQRT(" + lnOver(2) + "/(2*INT(samples/queries)))*(1+1E-12))"},
		"rounding": {
			Need: "IF(queries=1," + hoeffding + ",(" + lnOver(2) + "+(queries-1)*LN(cells))/(2*" + cellGap + "^2))",
			needs: [][2]string{
				{"OR(queries=1," + record.IsCount("cells") + ")", "needs a whole number of cells"},
				{"IF(queries=1,TRUE," + cellGap + ">0)", "needs more than 1/(2 tau) cells"},
			},
			run: map[string]string{"cells": `IF(queries=1,"",cells)`}, tau: byRounds, tauNeeds: 1, tauMost: true,
		},
		"thresholdout-dwork15": {Need: "MIN(" + n0 + "," + n1 + ")", needs: budget, run: thresholdout,
			tau: root("1536*budget*" + lnOver(4)), tauNeeds: 2, tauMost: true},
		"thresholdout-dwork15-n0": {Need: n0, needs: budget, run: thresholdout, tau: root("1536*budget*" + lnOver(4)),
			tauNeeds: 2},
		"thresholdout-dwork15-n1": {Need: n1, needs: budget, run: thresholdout},
		"dp": {Need: lnOver(2) + "/(2*" + gap + "^2)", needs: private(gap+">0", "below 4 atanh(tau)"),
			run: map[string]string{"epsilon": ownEpsilon}, tauNeeds: 1, tauMost: true,
			tau: `(IF(epsilon="",` + ownMoved + "," + moved("epsilon") + ")*(1+1E-9))"},
		"dp-maxinfo": {Need: lnOver(2) + "/tau^2", needs: private("epsilon<=tau^2", "at most tau^2"),
			run: map[string]string{"epsilon": `IF(epsilon="",tau^2,epsilon)`}, tauNeeds: 1,
			tau: given("SQRT(epsilon)*(1+1E-12)", root(lnOver(2)))},
		"dp-dwork15": {Need: lnOver(6) + "/tau^2", needs: private("epsilon<=tau", "at most tau"),
			run: map[string]string{"epsilon": ownEpsilon}, tauNeeds: 1, tau: given("epsilon*(1+1E-12)", root(lnOver(6)))},
		"dp-approx-dwork15": {
			Need: "48*" + lnOver(8) + "/tau^2", needs: private("epsilon<=tau/4", "at most tau/4"),
			run: map[string]string{"epsilon": `IF(epsilon="",tau/4,epsilon)`, "ln delta": "-4*" + lnOver(8) + "/tau*(1+1E-15)"},
			tau: given("4*epsilon*(1+1E-12)", root("48*"+lnOver(8))), tauNeeds: 1,
		},
	}
}

func positiveOrBlank(name string) string {
	return "OR(" + name + `="",` + record.IsNumber(name, name+">0") + ")"
}

// What a row of the sheet says of its numbers. Where only dpcalc knows, the row is blank.
const (
	byFormula  = "formula"
	byBound    = "formula, at most" // by a formula that is above what dpcalc computes
	byValue    = "value"
	OnlyDpcalc = "only by dpcalc"

	// The cells that say whether the inputs are those at the start: for n, which does not depend on the input
	// samples, and for tau, which does not depend on the input tau.
	StartCell     = "unchanged"
	RowsStartCell = "rows_unchanged"
)

// quantity is a number of a row, with the cell beside it that says where the number is from.
type quantity struct {
	unchanged string      // the condition that the inputs are those at the start
	start     record.Cell // for the inputs at the start
	known     bool        // there is a number then
	reason    string      // why there is none
	format    string
	source    string                   // the column of the cell beside it
	none      string                   // what it shows where that cell names no formula
	asked     func(says string) string // what that cell says, where the number is asked for
}

// fixed are the two cells for the start, which are blank for other inputs.
func (q quantity) fixed() []record.LiveCell { return q.atStart(Nothing, q.asked(`"`+OnlyDpcalc+`"`)) }

// atStart are the two cells with these formulas for other inputs.
func (q quantity) atStart(number, says string) []record.LiveCell {
	source := record.Words(q.reason)
	if q.known {
		source = record.Words(byValue)
	}
	return []record.LiveCell{{Value: q.start, Formula: AtStart(q.unchanged, q.start, number), Format: q.format},
		{Value: source, Formula: AtStart(q.unchanged, source, says)}}
}

// following are the two cells by a formula that needs these conditions. Where it is above what dpcalc computes, the
// start keeps its values.
func (q quantity) following(formula string, needs [][2]string, above bool, mark string) []record.LiveCell {
	number := "IF(" + q.source + `{row}="` + mark + `",` + formula + "," + q.none + ")"
	cells := q.atStart(number, q.asked(marked(needs, mark)))
	if above {
		return cells
	}
	cells[0].Formula, cells[1].Formula = number, q.asked(marked(needs, mark))
	if q.known {
		cells[1].Value = record.Words(mark)
	}
	return cells
}

// marked is the first need that is not met, or the mark.
func marked(needs [][2]string, mark string) string {
	source, closing := "", ""
	for _, need := range needs {
		source += "IF(NOT(" + need[0] + `),"` + need[1] + `",`
		closing += ")"
	}
	return source + `"` + mark + `"` + closing
}

// markOf says of a formula whether it is above what dpcalc computes.
func markOf(above bool) string {
	if above {
		return byBound
	}
	return byFormula
}

// Line is the row of a method: the samples that it needs, the tau that it reaches with the given ones, 0 for none, and
// what to run. It follows the inputs by the forms of the method, nil for none; tau is below an end.
func Line(needs, reaches *goals.Row, given int64, f *ClosedForm, end string) []record.LiveCell {
	const same = StartCell + `="yes"`
	n := quantity{unchanged: same, start: record.Words("none"), known: needs.Status == transfer.OK, reason: needs.Reason,
		format: record.CountFormat, source: "C", none: `"none"`, asked: record.Guarded}
	if n.known {
		n.start = record.Count(needs.Samples)
	}
	tau := quantity{unchanged: RowsStartCell + `="yes"`, format: record.SmallFormat, source: "E", none: Nothing,
		asked: func(says string) string { return `IF(samples="","",` + record.Guarded(says) + ")" }}
	if given != 0 {
		if tau.known, tau.reason = reaches.Status == transfer.OK, reaches.Reason; tau.known {
			tau.start = record.Number(reaches.Tau)
		}
	}
	if f == nil {
		f = new(ClosedForm)
	}
	samples, reached := n.fixed(), tau.fixed()
	if f.Need != "" {
		samples = n.following(f.rows(), append(slices.Clone(f.needs),
			[2]string{"IFERROR(" + f.rows() + "<=2^53,FALSE)", "needs more than 2^53 rows"}), f.atMost, markOf(f.atMost))
	}
	if f.tau != "" {
		reached = tau.following(f.tau, append(slices.Clone(f.needs[:f.tauNeeds]),
			[2]string{record.IsCount("samples"), "needs a whole number of samples"},
			[2]string{"IFERROR(" + f.tau + "<" + end + ",FALSE)", "needs more samples"}), f.atMost, markOf(f.tauMost))
	}
	line := slices.Concat([]record.LiveCell{{Value: record.Words(needs.Method.Name)}}, samples, reached)
	for j, title := range record.Titles(goals.ToRun) {
		value := goals.ToRun[j].Cell(needs)
		cell := record.LiveCell{Value: value, Formula: AtStart(same, value, Nothing), Format: record.SmallFormat}
		run, follows := f.run[title]
		switch {
		case follows:
			cell.Formula = `IF(C{row}="` + markOf(f.atMost) + `",` + run + `,"")`
		case value.Form == record.Missing:
			cell = record.LiveCell{}
		}
		switch {
		case title == "cells" && follows:
			cell.Format = "0"
		case title == "ln delta":
			cell.Format = "0.00"
		case value.Form == record.CountForm:
			cell.Format = record.CountFormat
		}
		line = append(line, cell)
	}
	return append(line, record.LiveCell{Value: record.Words(goals.Use(needs))},
		record.LiveCell{Value: record.Words(string(goals.ProofOf(needs)))})
}

// rows is the number of rows as a formula.
func (f *ClosedForm) rows() string {
	if f.Parts != "" {
		return f.Parts + "*" + RoundedUp(f.Need)
	}
	return RoundedUp(f.Need)
}

// TauEnd is what tau is below, in formulas.
func TauEnd(g transfer.Goal) string {
	switch g.Query {
	case transfer.Sensitive:
		return "sensitivity"
	case transfer.Minimization:
		return "2*sensitivity"
	case transfer.Difference:
		return "2"
	}
	return "1"
}

// Without leaves inputs out.
func Without(inputs []record.LiveInput, names ...string) []record.LiveInput {
	named := func(in record.LiveInput) bool { return slices.Contains(names, in.Name) }
	return slices.DeleteFunc(slices.Clone(inputs), named)
}

// Command is the command line for inputs of a sheet.
func Command(inputs []record.LiveInput, g transfer.Goal) CommandLine {
	var c CommandLine
	c.Add("dpcalc samplesize" + constantFlags(inputs, g))
	for _, in := range inputs {
		c.AddInput(" --"+in.Name+" ", in)
	}
	return c
}

// constantFlags are the flags of a goal that no input of a sheet changes.
func constantFlags(inputs []record.LiveInput, g transfer.Goal) (words string) {
	if g.Query != transfer.Bounded {
		words += " --" + goals.QueryFlag.Name + " " + g.Query.String()
	}
	if g.Feedback != transfer.Answers {
		words += " --" + goals.FeedbackFlag.Name + " " + g.Feedback.String()
	}
	if g.OneSided {
		words += " --" + goals.OneSidedFlag.Name
	}
	if g.Open {
		words += " --" + goals.OpenFlag.Name
	}
	for _, flag := range goals.ArrivalFlags(g) {
		words += " --" + flag[0] + " " + flag[1]
	}
	at := goals.Row{Answer: transfer.Answer{Goal: g}}
	for _, p := range goals.Parameters {
		input := slices.ContainsFunc(inputs, func(in record.LiveInput) bool { return in.Name == p.Flag.Name })
		if input || p.Column.Cell == nil || p.Unknown != transfer.None {
			continue
		}
		if value := p.Column.Cell(&at); value.Form != record.Missing {
			words += " --" + p.Flag.Name + " " + record.PlainText(value)
		}
	}
	return words
}
