package main

import (
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/dpcalc/dpcalc/transfer"
)

// block is how many goals are solved before their rows are written. A plan of one
// block leaves its empty columns out and says what to make of it.
const block = 1024

// workbook writes the plan, a sheet that follows its inputs, and where both come
// from.
func (s *plan) workbook(p *program, v *verdict) error {
	bar := p.progress(s.goals)
	defer bar.end()
	rows, err := s.solveAll(p, 0, min(block, s.goals), v, bar)
	if err != nil {
		return err
	}
	text, err := s.sheet(p.ctx, rows)
	if err != nil {
		return err
	}
	live, err := s.live(rows[0])
	if err != nil {
		return err
	}
	columns := s.planColumns()
	short := sheet{}
	for _, c := range columns {
		short.columns = append(short.columns, c.name)
	}
	for _, group := range rows {
		for k := range group {
			short.rows = append(short.rows, cellsOf(columns, &group[k]))
		}
	}
	if s.goals <= block {
		kept := short.compact().columns
		columns = slices.DeleteFunc(columns, func(c planColumn) bool { return !slices.Contains(kept, c.name) })
		short = short.compact()
	} else {
		text.notes = nil
	}
	b, err := newBook("dpcalc samplesize", "Plan", liveSheet, "About")
	if err != nil {
		return err
	}
	defer b.close()
	t := table{name: "Plan", columns: short.columns, widths: columnWidths(short.columns, short.rows), rows: s.goals * len(s.methods)}
	err = b.stream(t, func(add func([]cell, look) error) error {
		for lo := 0; ; {
			for _, group := range rows {
				for k := range group {
					if err := add(cellsOf(columns, &group[k]), group[k].look()); err != nil {
						return err
					}
				}
			}
			if lo += block; lo >= s.goals {
				return nil
			}
			var err error
			if rows, err = s.solveAll(p, lo, min(lo+block, s.goals), v, bar); err != nil {
				return err
			}
		}
	})
	if err != nil {
		return err
	}
	remarks, err := s.remarks(text, columns)
	if err != nil {
		return err
	}
	if err := b.live(live); err != nil {
		return err
	}
	if err := b.about(s.target.command, remarks); err != nil {
		return err
	}
	return p.write(s.target, func(w io.Writer) error { return b.write(w) })
}

// planColumn is a column of the sheet Plan.
type planColumn struct {
	name, says string
	cell       func(*row) cell
}

func cellsOf(columns []planColumn, r *row) []cell {
	cells := make([]cell, len(columns))
	for j, c := range columns {
		cells[j] = c.cell(r)
	}
	return cells
}

func (s *plan) planColumns() []planColumn {
	// solved hides the unknown in a row without an answer.
	solved := func(r *row, u transfer.Unknown, c cell) cell {
		if s.unknown == u && r.Status != transfer.OK {
			return cell{}
		}
		return c
	}
	return slices.Concat([]planColumn{
		{"method", "dpcalc explain METHOD has its theorem and what to do", func(r *row) cell { return wordsCell(r.method.Name) }},
		{"best", "the adaptive method that does best for the goal", func(r *row) cell {
			if r.best {
				return wordsCell("best")
			}
			return cell{}
		}},
		{"samples", "rows in the holdout", func(r *row) cell { return solved(r, transfer.Samples, countCell(r.Samples)) }},
		{"queries", "queries answered from it, each chosen in view of the answers before", func(r *row) cell { return solved(r, transfer.Queries, countCell(r.Queries)) }},
		{"tau", "how far an answer may be from its population value", func(r *row) cell { return solved(r, transfer.Tau, numberCell(r.Tau)) }},
		{"tau achieved", "the accuracy certified for the whole numbers in the row", func(r *row) cell { return numberCell(r.TauAchieved) }},
		{"beta", "the probability that some answer is farther off", func(r *row) cell {
			if r.Beta == 0 {
				return cell{}
			}
			return solved(r, transfer.Beta, chanceCell(r.Beta))
		}},
		{"ln beta", "its natural logarithm, where a sheet cannot hold beta as a number", func(r *row) cell {
			if representable(r.Beta) {
				return cell{}
			}
			return exactly(r.Beta.Ln())
		}},
		{"budget", "Thresholdout's flagged queries that are answered", func(r *row) cell { return countCell(r.Budget) }},
		{"noise", "the distribution of the noise to add to every answer", func(r *row) cell { return wordsCell(r.Mechanism.Noise) }},
	}, mechanismColumns, []planColumn{
		{"use", "adaptive: for queries chosen in view of answers; reference: only for queries fixed beforehand; dp procedure: for what a private procedure puts out", func(r *row) cell { return wordsCell(r.use()) }},
		{"proof", "published in the literature, or derived in dpcalc's docs/theorems", func(r *row) cell { return wordsCell(string(r.method.Proof)) }},
		{"status", "ok: certified; other rows have no answer", func(r *row) cell { return wordsCell(strings.ReplaceAll(string(r.Status), "_", " ")) }},
		{"query", "the kind of query", func(r *row) cell { return wordsCell(r.Query.String()) }},
		{"sensitivity", "n times what one row can move a query by", (*row).sensitivity},
		{"reason", "why there is none, or what limits one", func(r *row) cell { return wordsCell(r.Reason) }},
	})
}

func (r *row) use() string {
	switch {
	case r.method.Procedure:
		return "dp procedure"
	case !r.method.Adaptive:
		return "reference"
	}
	return "adaptive"
}

func (r *row) look() look {
	switch {
	case r.best:
		return bestLook
	case r.Status != transfer.OK:
		return dimLook
	}
	return plainLook
}

// remarks tells what was found, what the columns are and what the methods rest on.
func (s *plan) remarks(text sheet, columns []planColumn) ([]remark, error) {
	list := slices.Concat(remarks("result", text.title), remarks("", text.notes), []remark{{}, {label: "Columns of Plan"}})
	for _, c := range columns {
		list = append(list, remark{c.name, c.says})
	}
	list = append(list, remark{}, remark{label: "Methods"})
	var all []string
	for _, m := range s.methods {
		var sources []string
		for _, source := range m.Sources {
			sources = append(sources, source.String())
		}
		all = append(all, sources...)
		list = append(list, remark{m.Name, strings.Join([]string{m.Summary, m.Formula, "assumes " + strings.Join(m.Assumes, "; "), "source: " + strings.Join(sources, "; ")}, "\n")})
	}
	works, err := references(all)
	return append(list, works...), err
}

// roundedUp is the least whole number above a real one that a spreadsheet can be
// trusted with. Its logarithms, products and roots err by a few parts in 1e16, and a
// part in 1e12 is more. It is INT and not ROUNDUP or CEILING, which take a number a
// little above a whole one for that; INT does so with a number a little below.
func roundedUp(formula string) string { return "(INT((" + formula + ")*(1+1E-12))+1)" }

// lnOver is ln(c m/beta).
func lnOver(c int) string { return "(LN(" + strconv.Itoa(c) + "*queries)+ln_inv_beta)" }

// closedForm is a method's inequality n >= need as formulas.
type closedForm struct {
	need  string            // a real number
	parts string            // of n, each at least need; "" for one
	needs [][2]string       // conditions beyond the domain, each with what the row says while it fails
	run   map[string]string // what to run, by column
}

// closedForms are the methods whose n is an explicit formula for this kind of query.
// Differences are taken so that the rounding of their terms cannot make them too
// large. Of the maxima n0 and n1 at tau/8 and beta/(2m) it is always the first term
// that counts: with A = ln(4m/beta) > ln 4 the others are 64 (A + ln 3)/tau^2 and
// 3072 (A + ln 4)/tau^2, below 128 A/tau^2 and 6144 A/tau^2.
func closedForms(q transfer.Query) map[string]closedForm {
	switch q {
	case transfer.Sensitive:
		return map[string]closedForm{"hoeffding": {need: lnOver(2) + "/(2*(tau/sensitivity)^2)"}}
	case transfer.Minimization:
		return map[string]closedForm{"hoeffding": {need: lnOver(2) + "/(2*(tau/(2*sensitivity))^2)"}}
	}
	const (
		ownEpsilon = `IF(epsilon="",tau,epsilon)`
		quarter    = "(" + ownEpsilon + "/4)"
		// tanh is above tanh(x) by at most a part in 1e12, also where TANH is careless near zero.
		tanh    = "IF(" + quarter + "<0.01," + quarter + "-" + quarter + "^3/3+2*" + quarter + "^5/15,TANH(" + quarter + "))*(1+1E-13)"
		gap     = "(tau*(1-1E-14)-" + tanh + ")"
		cellGap = "(tau*(1-1E-14)-0.5/cells)"
	)
	var (
		hoeffding    = lnOver(2) + "/(2*tau^2)"
		n0           = "1536*budget*" + lnOver(4) + "/tau^2"
		n1           = "3072*" + lnOver(4) + "/tau^2*SQRT(32*budget*(LN(2)+32/tau*" + lnOver(16) + "))"
		budget       = [][2]string{{isCount("budget"), "needs a budget"}, {"budget<=queries", "needs a budget of at most the number of queries"}}
		thresholdout = map[string]string{"noise scale": "tau/(96*" + lnOver(4) + ")", "threshold": "0.75*tau"}
	)
	private := func(condition, text string) [][2]string {
		return [][2]string{
			{positiveOrBlank("epsilon"), "needs a positive epsilon, or none"},
			{`IF(epsilon="",TRUE,IFERROR(` + condition + ",FALSE))", "needs epsilon " + text},
		}
	}
	return map[string]closedForm{
		"hoeffding": {need: hoeffding},
		"splitting": {need: hoeffding, parts: "queries"},
		"rounding": {
			need: "IF(queries=1," + hoeffding + ",(" + lnOver(2) + "+(queries-1)*LN(cells))/(2*" + cellGap + "^2))",
			needs: [][2]string{
				{"OR(queries=1," + isCount("cells") + ")", "needs a whole number of cells"},
				{"IF(queries=1,TRUE," + cellGap + ">0)", "needs more than 1/(2 tau) cells"},
			},
			run: map[string]string{"cells": `IF(queries=1,"",cells)`},
		},
		"thresholdout-dwork15":    {need: "MIN(" + n0 + "," + n1 + ")", needs: budget, run: thresholdout},
		"thresholdout-dwork15-n0": {need: n0, needs: budget, run: thresholdout},
		"thresholdout-dwork15-n1": {need: n1, needs: budget, run: thresholdout},
		"dp":                      {need: lnOver(2) + "/(2*" + gap + "^2)", needs: private(gap+">0", "below 4 atanh(tau)"), run: map[string]string{"epsilon": ownEpsilon}},
		"dp-maxinfo":              {need: lnOver(2) + "/tau^2", needs: private("epsilon<=tau^2", "at most tau^2"), run: map[string]string{"epsilon": `IF(epsilon="",tau^2,epsilon)`}},
		"dp-dwork15":              {need: lnOver(6) + "/tau^2", needs: private("epsilon<=tau", "at most tau"), run: map[string]string{"epsilon": ownEpsilon}},
		"dp-approx-dwork15": {
			need: "48*" + lnOver(8) + "/tau^2", needs: private("epsilon<=tau/4", "at most tau/4"),
			run: map[string]string{"epsilon": `IF(epsilon="",tau/4,epsilon)`, "ln delta": "-4*" + lnOver(8) + "/tau*(1+1E-15)"},
		},
	}
}

func positiveOrBlank(name string) string {
	return "OR(" + name + `="",` + isNumber(name, name+">0") + ")"
}

// live is the sheet that asks every method for n. It starts from the first goal,
// with the best solved value in place of the unknown. Explicit formulas follow the
// inputs; the other rows hold for those at the start and say so.
func (s *plan) live(rows []row) (live, error) {
	start := s.grid.goal(0)
	first := slices.IndexFunc(rows, func(r row) bool { return r.best })
	if first < 0 {
		first = slices.IndexFunc(rows, func(r row) bool { return r.Status == transfer.OK })
	}
	if first >= 0 {
		start = rows[first].Goal
	}
	start.Samples = 0
	l := live{
		intro: []string{
			"Samples needed by every method: change the yellow cells",
			"Rows marked formula follow them. n is rounded up after a part in 10^12 is added, more than the rounding errors of a spreadsheet: it is never below what dpcalc computes.",
			"Rows marked value have no explicit formula. They hold for the inputs at the start; dpcalc computes them for others.",
		},
		inputs:  s.liveInputs(start),
		columns: []string{"method", "samples", "source"},
		stale:   `$C{row}="value for other inputs"`,
	}
	for _, c := range mechanismColumns {
		l.columns = append(l.columns, c.name)
	}
	l.columns = append(l.columns, "use", "proof")
	forms := closedForms(start.Query)
	for k := range s.methods {
		r := &row{method: &s.methods[k], Answer: rows[k].Answer}
		if s.unknown != transfer.Samples {
			var err error
			if r.Answer, err = r.method.Solve(start); err != nil {
				r.Answer = transfer.Answer{Status: transfer.Infeasible, Reason: "nothing to start from"}
			}
		}
		form, ok := forms[r.method.Name]
		if ok {
			l.rows = append(l.rows, r.follow(form))
		} else {
			l.rows = append(l.rows, r.stay())
		}
	}
	return l.compact(), nil
}

// mechanismColumns say what to run.
var mechanismColumns = []planColumn{
	{"noise scale", "its standard deviation (Gaussian) or scale (Laplace), if all answers have the same", func(r *row) cell {
		scale, _, _ := noiseCells(r.Mechanism)
		return scale
	}},
	{"first noise scale", "of a schedule that of the first answer; --schedule FILE writes all", func(r *row) cell {
		_, first, _ := noiseCells(r.Mechanism)
		return first
	}},
	{"last noise scale", "of a schedule that of the last answer; 0 is no noise", func(r *row) cell {
		_, _, last := noiseCells(r.Mechanism)
		return last
	}},
	{"threshold", "Thresholdout's threshold", func(r *row) cell { return numberCell(r.Mechanism.Threshold) }},
	{"cells", "how many cells [0,1] is divided into for rounded answers", func(r *row) cell { return countCell(r.Mechanism.Cells) }},
	{"epsilon", "the privacy that the theorem was applied with", func(r *row) cell { return numberCell(r.Mechanism.Epsilon) }},
	{"ln delta", "the logarithm of the delta that goes with it", func(r *row) cell { return numberCell(r.Mechanism.LnDelta.Ln()) }},
}

// follow is a row of formulas.
func (r *row) follow(f closedForm) []liveCell {
	n := roundedUp(f.need)
	if f.parts != "" {
		n = f.parts + "*" + n
	}
	source, closing := "", ""
	for _, need := range append(f.needs, [2]string{"IFERROR(" + n + "<=2^53,FALSE)", "needs more than 2^53 rows"}) {
		source += "IF(NOT(" + need[0] + `),"` + need[1] + `",`
		closing += ")"
	}
	line := r.stay()
	line[1].formula, line[1].format = `IF(C{row}="formula",`+n+`,"none")`, formatCount
	line[2].formula = guarded(source + `"formula"` + closing)
	if r.Status == transfer.OK {
		line[2].value = wordsCell("formula")
	}
	for j, c := range mechanismColumns {
		if run, ok := f.run[c.name]; ok {
			at := &line[3+j]
			at.formula, at.format = `IF(C{row}="formula",`+run+`,"")`, formatSmall
			switch c.name {
			case "cells":
				at.format = "0"
			case "ln delta":
				at.format = "0.00"
			}
		}
	}
	return line
}

// stay is a row that holds for the inputs at the start.
func (r *row) stay() []liveCell {
	n, source := wordsCell("none"), r.Reason
	if r.Status == transfer.OK {
		n, source = countCell(r.Samples), "value"
	}
	line := []liveCell{
		{value: wordsCell(r.method.Name)},
		{value: n},
		{value: wordsCell(source), formula: `IF(unchanged="yes","` + strings.ReplaceAll(source, `"`, `""`) + `","value for other inputs")`},
	}
	for _, c := range mechanismColumns {
		line = append(line, liveCell{value: c.cell(r)})
	}
	return append(line, liveCell{value: wordsCell(r.use())}, liveCell{value: wordsCell(string(r.method.Proof))})
}

// liveInputs are the quantities of a goal and what follows from them.
func (s *plan) liveInputs(g transfer.Goal) []liveInput {
	uses := func(is func(transfer.Method) bool) bool { return slices.ContainsFunc(s.methods, is) }
	const (
		whole    = "want a whole number from 1 to 2^53"
		positive = "want a positive number"
	)
	top := "1"
	switch g.Query {
	case transfer.Sensitive:
		top = "sensitivity"
	case transfer.Minimization:
		top = "2*sensitivity"
	}
	inputs := []liveInput{
		{name: "queries", label: "queries", value: countCell(g.Queries), holds: isCount("queries"), wants: whole},
		{name: "tau", label: "tau", value: numberCell(g.Tau), holds: isNumber("tau", "AND(tau>0,tau<"+top+")"), wants: "want a number above 0 and below " + top},
	}
	// LN is exact enough for a beta that is not too close to one.
	plain := representable(g.Beta) && (g.Beta == 0 || g.Beta < -1e-6)
	beta := liveInput{name: "ln_inv_beta", label: "ln(1/beta)", value: exactly(-g.Beta.Ln()), holds: isNumber("ln_inv_beta", "ln_inv_beta>0"), wants: positive}
	if plain {
		beta = liveInput{name: "beta", label: "beta", holds: isNumber("beta", "AND(beta>0,beta<1)"), wants: "want a probability above 0 and below 1"}
		if g.Beta != 0 {
			beta.value = chanceCell(g.Beta)
		}
	}
	inputs = append(inputs, beta)
	if top != "1" {
		d := row{Answer: transfer.Answer{Goal: g}}
		inputs = append(inputs, liveInput{name: "sensitivity", label: "sensitivity", value: d.sensitivity(), holds: isNumber("sensitivity", "sensitivity>0"), wants: positive})
	}
	if uses(func(m transfer.Method) bool { return m.Budgeted }) {
		inputs = append(inputs, liveInput{name: "budget", label: "budget", value: countCell(g.Budget), holds: isCount("budget"), wants: whole + ", or nothing", optional: true})
	}
	if uses(func(m transfer.Method) bool { return m.Procedure }) {
		inputs = append(inputs, liveInput{name: "epsilon", label: "epsilon", value: numberCell(g.Epsilon), holds: isNumber("epsilon", "epsilon>0"), wants: positive + ", or nothing for each method's own", optional: true})
	}
	same, command := rerun(inputs, g.Query)
	if uses(func(m transfer.Method) bool { return m.Name == "rounding" }) { // dpcalc finds the best number itself
		inputs = append(inputs, liveInput{name: "cells", label: "cells", value: countCell(s.cells(g)), holds: isCount("cells"), wants: whole, optional: true})
	}
	inputs = append(inputs, same)
	if plain {
		inputs = append(inputs, liveInput{name: "ln_inv_beta", label: "ln(1/beta)", value: numberCell(-g.Beta.Ln()), formula: `IFERROR(-LN(beta),"")`}, command)
	}
	return inputs
}

// rerun says whether the inputs are those at the start, and the command for them.
func rerun(inputs []liveInput, q transfer.Query) (same, command liveInput) {
	words := "dpcalc samplesize"
	if q != transfer.Bounded {
		words += " --query " + q.String()
	}
	conditions, formula := "TRUE", `"`+words+`"`
	for _, in := range inputs {
		conditions += "," + in.unchanged()
		argument := `" --` + in.name + ` "&` + decimalText(in.name)
		if in.optional {
			argument = "IF(" + in.name + `="","",` + argument + ")"
		}
		formula += "&" + argument
		if in.value.form != missing {
			words += " --" + in.name + " " + strings.TrimSpace(string(delimited{}.row(nil, true, []cell{in.value}, new(chances))))
		}
	}
	return liveInput{name: "unchanged", label: "as at the start", value: wordsCell("yes"), formula: "IF(IFERROR(AND(" + conditions + `),FALSE),"yes","no")`},
		liveInput{name: "command", label: "command", value: wordsCell(words), formula: formula}
}

// cells is the number of cells that rounding uses for g.
func (s *plan) cells(g transfer.Goal) int64 {
	m, _ := transfer.Lookup("rounding")
	a, err := m.Solve(g)
	if err != nil {
		return 0
	}
	return a.Mechanism.Cells
}
