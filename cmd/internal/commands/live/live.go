package live

import (
	"maps"
	"slices"

	"github.com/dpcalc/dpcalc/cmd/internal/commands/goals"
	"github.com/dpcalc/dpcalc/cmd/internal/expr"
	"github.com/dpcalc/dpcalc/cmd/internal/record"
	"github.com/dpcalc/dpcalc/transfer"
)

// RoundedUp is the least whole number above a real one that a spreadsheet can be
// trusted with. Its logarithms, products and roots err by a few parts in 1e16, and a
// part in 1e12 is more. It is INT and not ROUNDUP or CEILING, which take a number a
// little above a whole one for that; INT does so with a number a little below.
func RoundedUp(x expr.X) expr.X { return expr.Int(x.Raised(1e-12)).Plus(expr.N(1)) }

// The inputs.
var (
	queries, tau, samples, budget = expr.Cell("queries"), expr.Cell("tau"), expr.Cell("samples"), expr.Cell("budget")
	epsilon, cells, sensitivity   = expr.Cell("epsilon"), expr.Cell("cells"), expr.Cell("sensitivity")
	lnInvBeta                     = expr.Cell("ln_inv_beta")

	one, two, four = expr.N(1), expr.N(2), expr.N(4)
	once           = queries.Is(one)
)

// lnOver is ln(c m/beta).
func lnOver(c int) expr.X { return expr.Ln(expr.N(c).Times(queries)).Plus(lnInvBeta) }

// need is a condition beyond the domain, with what a row says while it fails.
type need struct {
	holds expr.X
	says  string
}

// ClosedForm is a method's inequality n >= need as formulas, and the tau that the rows in the input samples reach.
type ClosedForm struct {
	Need  expr.X            // a real number
	Parts expr.X            // of n, each at least need; none for one
	needs []need            // conditions beyond the domain
	run   map[string]expr.X // what to run, by column

	tau      expr.X // not below what dpcalc computes; none for none
	tauNeeds int    // so many of the needs are for tau too, the first
	atMost   bool   // n is above what dpcalc computes, as a bound on the tail is used
	tauMost  bool   // tau is
}

// Rows is the number of rows.
func (f *ClosedForm) Rows() expr.X {
	if f.Parts.None() {
		return RoundedUp(f.Need)
	}
	return f.Parts.Times(RoundedUp(f.Need))
}

// ClosedForms are the methods whose n is an explicit formula for this kind of query. There are none where rows are not
// independent rows of equal weight, or values are in a range of their own.
// Differences are taken so that the rounding of their terms cannot make them too
// large. Of the maxima n0 and n1 at tau/8 and beta/(2m) it is always the first term
// that counts: with A = ln(4m/beta) > ln 4 the others are 64 (A + ln 3)/tau^2 and
// 3072 (A + ln 4)/tau^2, below 128 A/tau^2 and 6144 A/tau^2.
func ClosedForms(g transfer.Goal) map[string]*ClosedForm {
	if g.Sample != nil || g.Range != (transfer.Range{}) {
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
	rate := two.Times(tau.To(two)).Plus(four.Over(expr.N(9)).Times(tau.To(four)))
	reach := func(x expr.X) expr.X {
		root := expr.Sqrt(four.Plus(expr.N(16).Over(expr.N(9)).Times(x)))
		return expr.Sqrt(two.Times(x).Over(two.Plus(root))).Raised(1e-12)
	}
	switch g.Query {
	case transfer.Difference, transfer.Minimization:
		return map[string]*ClosedForm{}
	case transfer.Sensitive:
		rate = two.Times(tau.Over(sensitivity).To(two))
		reach = func(x expr.X) expr.X { return sensitivity.Times(expr.Sqrt(x.Over(two))).Raised(1e-12) }
	}
	sides := 2
	if g.OneSided {
		sides = 1
	}
	form := func(level expr.X, needs ...need) *ClosedForm {
		return &ClosedForm{Need: level.Over(rate), tau: reach(level.Over(samples)), needs: needs,
			tauNeeds: len(needs), atMost: true, tauMost: true}
	}
	given := expr.Cell("passes")
	passes, tests := expr.If(given.Is(Nothing), queries, given), queries.Minus(one)
	return map[string]*ClosedForm{
		"gate": form(LnNodes(tests, passes, true, tests.Times(expr.Ln(two)).Raised(1e-13)).Plus(lnInvBeta),
			need{expr.Or(given.Is(Nothing), record.IsCount("passes")), "needs a whole number of passes, or none"},
			need{passes.AtMost(queries), "needs passes of at most the number of queries"}),
		"sealed": form(lnOver(sides)),
	}
}

// answersForms are the forms of the methods for answers, of two sides.
func answersForms(query transfer.Query) map[string]*ClosedForm {
	root := func(level expr.X) expr.X { return expr.Sqrt(level.Over(samples)).Raised(1e-12) }
	byHoeffding := func(unit expr.X) map[string]*ClosedForm {
		return map[string]*ClosedForm{"hoeffding": {Need: lnOver(2).Over(two.Times(tau.Over(unit).To(two))),
			tau: unit.Times(root(lnOver(2).Over(two)))}}
	}
	switch query {
	case transfer.Sensitive:
		return byHoeffding(sensitivity)
	case transfer.Minimization:
		return byHoeffding(two.Times(sensitivity))
	}
	var (
		squared    = tau.To(two)
		noEpsilon  = epsilon.Is(Nothing)
		own        = func(of expr.X) expr.X { return expr.If(noEpsilon, of, epsilon) }
		lessTau    = tau.Times(one.Minus(expr.N(1e-14)))
		cellGap    = lessTau.Minus(expr.N(0.5).Over(cells))
		gap        = lessTau.Minus(TanhOfHalf(own(tau).Over(two)))
		hoeffding  = lnOver(2).Over(two.Times(squared))
		n0         = expr.N(1536).Times(budget).Times(lnOver(4))
		n1         = expr.Ln(two).Plus(expr.N(32).Over(tau).Times(lnOver(16)))
		reaches    = root(lnOver(2).Over(two))
		inCells    = lnOver(2).Plus(queries.Minus(one).Times(expr.Ln(cells)))
		moved      = func(by expr.X) expr.X { return shift(by).Plus(reaches) }
		ownMoved   = moved(moved(moved(four.Over(expr.N(3)).Times(reaches))))
		given      = func(x, own expr.X) expr.X { return expr.Max(own, expr.If(noEpsilon, expr.N(0), x)) }
		raised     = epsilon.Raised(1e-12)
		withBudget = []need{{record.IsCount("budget"), "needs a budget"},
			{budget.AtMost(queries), "needs a budget of at most the number of queries"}}
		noise = map[string]expr.X{"noise scale": tau.Over(expr.N(96).Times(lnOver(4))),
			"threshold": expr.N(0.75).Times(tau)}
	)
	n1 = expr.N(3072).Times(lnOver(4)).Over(squared).Times(expr.Sqrt(expr.N(32).Times(budget).Times(n1)))
	private := func(condition expr.X, text string) []need {
		return []need{
			{expr.Or(noEpsilon, record.IsNumber("epsilon", epsilon.Above(expr.N(0)))), "needs a positive epsilon, or none"},
			{expr.If(noEpsilon, expr.True, expr.IfError(condition, expr.False)), "needs epsilon " + text},
		}
	}
	return map[string]*ClosedForm{
		"hoeffding": {Need: hoeffding, tau: reaches},
		"splitting": {Need: hoeffding, Parts: queries,
			tau: expr.Sqrt(lnOver(2).Over(two.Times(expr.Int(samples.Over(queries))))).Raised(1e-12)},
		"rounding": {
			Need: expr.If(once, hoeffding, inCells.Over(two.Times(cellGap.To(two)))),
			needs: []need{
				{expr.Or(once, record.IsCount("cells")), "needs a whole number of cells"},
				{expr.If(once, expr.True, cellGap.Above(expr.N(0))), "needs more than 1/(2 tau) cells"},
			},
			run:      map[string]expr.X{"cells": expr.If(once, Nothing, cells)},
			tau:      expr.If(once, reaches, expr.N(0.5).Over(cells).Raised(1e-12).Plus(root(inCells.Over(two)))),
			tauNeeds: 1, tauMost: true,
		},
		"thresholdout-dwork15": {Need: expr.Min(n0.Over(squared), n1), needs: withBudget, run: noise,
			tau: root(n0), tauNeeds: 2, tauMost: true},
		"thresholdout-dwork15-n0": {Need: n0.Over(squared), needs: withBudget, run: noise, tau: root(n0), tauNeeds: 2},
		"thresholdout-dwork15-n1": {Need: n1, needs: withBudget, run: noise},
		"dp": {Need: lnOver(2).Over(two.Times(gap.To(two))), needs: private(gap.Above(expr.N(0)), "below 4 atanh(tau)"),
			run: map[string]expr.X{"epsilon": own(tau)}, tauNeeds: 1, tauMost: true,
			tau: expr.If(noEpsilon, ownMoved, moved(epsilon)).Raised(1e-9)},
		"dp-maxinfo": {Need: lnOver(2).Over(squared), needs: private(epsilon.AtMost(squared), "at most tau^2"),
			run: map[string]expr.X{"epsilon": own(squared)}, tauNeeds: 1,
			tau: given(expr.Sqrt(epsilon).Raised(1e-12), root(lnOver(2)))},
		"dp-dwork15": {Need: lnOver(6).Over(squared), needs: private(epsilon.AtMost(tau), "at most tau"),
			run: map[string]expr.X{"epsilon": own(tau)}, tauNeeds: 1, tau: given(raised, root(lnOver(6)))},
		"dp-approx-dwork15": {
			Need:  expr.N(48).Times(lnOver(8)).Over(squared),
			needs: private(epsilon.AtMost(tau.Over(four)), "at most tau/4"),
			run: map[string]expr.X{"epsilon": own(tau.Over(four)),
				"ln delta": expr.Neg(four.Times(lnOver(8)).Over(tau).Raised(1e-15))},
			tau: given(four.Times(raised), root(expr.N(48).Times(lnOver(8)))), tauNeeds: 1,
		},
	}
}

// shift is tanh(tau/4), or tau/4 where that is less than its rounding.
func shift(tau expr.X) expr.X {
	quarter := tau.Over(four)
	return expr.Min(quarter, expr.F("TANH", quarter).Raised(1e-9))
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
	unchanged expr.X      // the condition that the inputs are those at the start
	start     record.Cell // for the inputs at the start
	known     bool        // there is a number then
	reason    string      // why there is none
	format    string
	source    string                   // the column of the cell beside it
	none      expr.X                   // what it shows where that cell names no formula
	asked     func(says expr.X) expr.X // what that cell says, where the number is asked for
}

// cells are the two cells with these formulas. Where the inputs at the start keep their values, they do.
func (q quantity) cells(kept bool, number, says expr.X) []record.LiveCell {
	if kept {
		source := q.reason
		if q.known {
			source = byValue
		}
		number = expr.If(q.unchanged, record.Literal(q.start), number)
		says = expr.If(q.unchanged, expr.T(source), says)
	}
	return []record.LiveCell{{Formula: number, Format: q.format}, {Formula: says}}
}

// fixed are the two cells for the start, which are blank for other inputs.
func (q quantity) fixed() []record.LiveCell {
	return q.cells(true, Nothing, q.asked(expr.T(OnlyDpcalc)))
}

// following are the two cells by a formula that needs these conditions. Where it is above what dpcalc computes, the
// start keeps its values.
func (q quantity) following(formula expr.X, needs []need, kept bool, mark string) []record.LiveCell {
	says := expr.T(mark)
	for _, n := range slices.Backward(needs) {
		says = expr.If(n.holds, says, expr.T(n.says))
	}
	return q.cells(kept, expr.If(record.Own(q.source).Is(expr.T(mark)), formula, q.none), q.asked(says))
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
func Line(needs, reaches *goals.Row, given int64, f *ClosedForm, end expr.X) []record.LiveCell {
	unchanged := func(cell string) expr.X { return expr.Cell(cell).Is(expr.T("yes")) }
	same := unchanged(StartCell)
	n := quantity{unchanged: same, start: record.Words("none"), known: needs.Status == transfer.OK, reason: needs.Reason,
		format: record.CountFormat, source: "C", none: expr.T("none"), asked: record.Guarded}
	if n.known {
		n.start = record.Count(needs.Samples)
	}
	reach := quantity{unchanged: unchanged(RowsStartCell), format: record.SmallFormat, source: "E", none: Nothing,
		asked: func(says expr.X) expr.X { return expr.If(samples.Is(Nothing), Nothing, record.Guarded(says)) }}
	if given != 0 {
		if reach.known, reach.reason = reaches.Status == transfer.OK, reaches.Reason; reach.known {
			reach.start = record.Number(reaches.Tau)
		}
	}
	if f == nil {
		f = new(ClosedForm)
	}
	rows, reached := n.fixed(), reach.fixed()
	if !f.Need.None() {
		rows = n.following(f.Rows(), append(slices.Clone(f.needs),
			need{expr.IfError(f.Rows().AtMost(two.To(expr.N(53))), expr.False), "needs more than 2^53 rows"}), f.atMost,
			markOf(f.atMost))
	}
	if !f.tau.None() {
		reached = reach.following(f.tau, append(slices.Clone(f.needs[:f.tauNeeds]),
			need{record.IsCount("samples"), "needs a whole number of samples"},
			need{expr.IfError(f.tau.Below(end), expr.False), "needs more samples"}), f.atMost, markOf(f.tauMost))
	}
	line := slices.Concat([]record.LiveCell{{Value: record.Words(needs.Method.Name)}}, rows, reached)
	for j, title := range record.Titles(goals.ToRun) {
		value := goals.ToRun[j].Cell(needs)
		cell := record.LiveCell{Formula: expr.If(same, record.Literal(value), Nothing), Format: record.SmallFormat}
		run, follows := f.run[title]
		switch {
		case follows:
			cell.Formula = expr.If(record.Own("C").Is(expr.T(markOf(f.atMost))), run, Nothing)
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

// TauEnd is what tau is below, in formulas.
func TauEnd(g transfer.Goal) expr.X {
	switch g.Query {
	case transfer.Sensitive:
		return sensitivity
	case transfer.Minimization:
		return two.Times(sensitivity)
	case transfer.Difference:
		return expr.N(2 * g.Range.Width())
	}
	return expr.N(g.Range.Width())
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
	if r := g.Range; r != (transfer.Range{}) { // the first end may have a minus
		from, to := record.PlainText(record.Exactly(r.From)), record.PlainText(record.Exactly(r.To))
		words += " --" + goals.RangeFlag.Name + "=" + from + "," + to
	}
	if g.Checked {
		words += " --" + goals.CheckedFlag.Name
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
