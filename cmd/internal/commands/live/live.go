package live

import (
	"cmp"
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
func ClosedForms(g transfer.Goal) map[string]ClosedForm {
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
func shownForms(g transfer.Goal) map[string]ClosedForm {
	rate, reach := "(2*tau^2+4/9*tau^4)", "SQRT(2*%[1]s/(2+SQRT(4+16/9*%[1]s)))*(1+1E-12)"
	switch g.Query {
	case transfer.Difference, transfer.Minimization:
		return map[string]ClosedForm{}
	case transfer.Sensitive:
		rate, reach = "(2*(tau/sensitivity)^2)", "(sensitivity*SQRT(%s/2)*(1+1E-12))"
	}
	sides := 2
	if g.OneSided {
		sides = 1
	}
	passes := `IF(passes="",queries,passes)`
	form := func(level string, needs ...[2]string) ClosedForm {
		return ClosedForm{Need: level + "/" + rate, tau: fmt.Sprintf(reach, "("+level+"/samples)"), needs: needs,
			tauNeeds: len(needs), atMost: true, tauMost: true}
	}
	return map[string]ClosedForm{
		"gate": form("("+LnNodes("(queries-1)", passes, "1+", "(queries-1)*LN(2)*(1+1E-13)")+"+ln_inv_beta)",
			[2]string{`OR(passes="",` + record.IsCount("passes") + ")", "needs a whole number of passes, or none"},
			[2]string{passes + "<=queries", "needs passes of at most the number of queries"}),
		"sealed": form(lnOver(sides)),
	}
}

// answersForms are the forms of the methods for answers, of two sides.
func answersForms(query transfer.Query) map[string]ClosedForm {
	switch query {
	case transfer.Sensitive:
		return map[string]ClosedForm{"hoeffding": {Need: lnOver(2) + "/(2*(tau/sensitivity)^2)",
			tau: "(sensitivity*SQRT(" + lnOver(2) + "/(2*samples))*(1+1E-12))"}}
	case transfer.Minimization:
		return map[string]ClosedForm{"hoeffding": {Need: lnOver(2) + "/(2*(tau/(2*sensitivity))^2)",
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
	return map[string]ClosedForm{
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

// entry is a cell of a row: a value for the inputs at the start, and a formula for others.
type entry struct {
	unchanged string // the condition that the inputs are those at the start
	value     record.Cell
	others    string
	always    bool // the formula is for the start too
	format    string
}

func (e entry) cell() record.LiveCell {
	c := record.LiveCell{Value: e.value, Formula: cmp.Or(e.others, Nothing), Format: e.format}
	if !e.always {
		c.Formula = AtStart(e.unchanged, e.value, c.Formula)
	}
	return c
}

// Row is a row of the sheet. As it is made it holds for the inputs at the start and is blank for others.
type Row struct {
	of             *goals.Row
	n, source      entry
	tau, tauSource entry
	run            []entry
}

// FixedRow is a row with the samples that a method needs and the tau that it reaches with the given ones, 0 for none.
func FixedRow(needs, reaches *goals.Row, given int64) Row {
	const same, sameRows = StartCell + `="yes"`, RowsStartCell + `="yes"`
	r := Row{
		of:  needs,
		n:   entry{unchanged: same, value: record.Words("none"), format: record.CountFormat},
		tau: entry{unchanged: sameRows, format: record.SmallFormat},
		source: entry{unchanged: same, value: record.Words(needs.Reason),
			others: record.Guarded(`"` + OnlyDpcalc + `"`)},
		tauSource: entry{unchanged: sameRows, others: `IF(samples="","","` + OnlyDpcalc + `")`},
	}
	if needs.Status == transfer.OK {
		r.n.value, r.source.value = record.Count(needs.Samples), record.Words(byValue)
	}
	switch {
	case given == 0:
	case reaches.Status == transfer.OK:
		r.tau.value, r.tauSource.value = record.Number(reaches.Tau), record.Words(byValue)
	default:
		r.tauSource.value = record.Words(reaches.Reason)
	}
	for _, c := range goals.ToRun {
		e := entry{unchanged: same, value: c.Cell(needs), format: record.SmallFormat}
		if e.value.Form == record.CountForm {
			e.format = record.CountFormat
		}
		if c.Name == goals.ColumnLnDelta.Name {
			e.format = "0.00"
		}
		r.run = append(r.run, e)
	}
	return r
}

// Cells are the cells of the row in the sheet.
func (r Row) Cells() []record.LiveCell {
	line := []record.LiveCell{{Value: record.Words(r.of.Method.Name)}}
	for _, e := range []entry{r.n, r.source, r.tau, r.tauSource} {
		line = append(line, e.cell())
	}
	for _, e := range r.run {
		if e.value.Form == record.Missing && e.others == "" {
			line = append(line, record.LiveCell{})
			continue
		}
		line = append(line, e.cell())
	}
	return append(line, record.LiveCell{Value: record.Words(goals.Use(r.of))},
		record.LiveCell{Value: record.Words(string(goals.ProofOf(r.of)))})
}

// SetForm makes formulas of a row, with the end that tau is below. Where they are above what dpcalc computes, the
// start keeps its values.
func (r *Row) SetForm(f ClosedForm, end string) {
	n, mark := RoundedUp(f.Need), byFormula
	if f.Parts != "" {
		n = f.Parts + "*" + n
	}
	if f.atMost {
		mark = byBound
	}
	needs := append(slices.Clone(f.needs), [2]string{"IFERROR(" + n + "<=2^53,FALSE)", "needs more than 2^53 rows"})
	r.n.others, r.n.always = `IF(C{row}="`+mark+`",`+n+`,"none")`, !f.atMost
	r.source.others, r.source.always = record.Guarded(marked(needs, mark)), !f.atMost
	if r.source.always && r.of.Status == transfer.OK {
		r.source.value = record.Words(mark)
	}
	if f.tau != "" {
		r.setTau(f, end)
	}
	for j, title := range record.Titles(goals.ToRun) {
		run, ok := f.run[title]
		if !ok {
			continue
		}
		r.run[j].others, r.run[j].always = `IF(C{row}="`+mark+`",`+run+`,"")`, true
		if title == "cells" {
			r.run[j].format = "0"
		}
	}
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

// setTau makes a formula of the tau of a row.
func (r *Row) setTau(f ClosedForm, end string) {
	mark := byFormula
	if f.tauMost {
		mark = byBound
	}
	needs := append(slices.Clone(f.needs[:f.tauNeeds]),
		[2]string{record.IsCount("samples"), "needs a whole number of samples"},
		[2]string{"IFERROR(" + f.tau + "<" + end + ",FALSE)", "needs more samples"})
	r.tau.others, r.tau.always = `IF(E{row}="`+mark+`",`+f.tau+`,"")`, !f.atMost
	r.tauSource.others = `IF(samples="","",` + record.Guarded(marked(needs, mark)) + ")"
	if r.tauSource.always = !f.atMost; r.tauSource.always && r.tau.value.Form != record.Missing {
		r.tauSource.value = record.Words(mark)
	}
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
