package samplesize

import (
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/dpcalc/dpcalc/internal/commands"
	"github.com/dpcalc/dpcalc/internal/record"
	"github.com/dpcalc/dpcalc/transfer"
)

// workbook writes the plan, a sheet that follows its inputs, and where both come
// from.
func (s *request) workbook(c *commands.Call, v *verdict) error {
	bar := c.Progress(s.goals)
	defer bar.End()
	rows, err := s.solveAll(c, 0, min(record.Block, s.goals), v, bar)
	if err != nil {
		return err
	}
	bar.Say("comparing the methods")
	text, err := s.sheet(c.Context, rows)
	if err != nil {
		return err
	}
	live, err := s.live(rows[0])
	if err != nil {
		return err
	}
	columns := s.planColumns()
	short := record.Sheet{Columns: record.Titles(columns)}
	for _, group := range rows {
		group = s.shownRows(group)
		for k := range group {
			short.Rows = append(short.Rows, record.Row(nil, columns, &group[k]))
		}
	}
	if s.goals <= record.Block {
		kept := short.Compact().Columns
		columns = slices.DeleteFunc(columns,
			func(c column) bool { return !slices.Contains(kept, record.Titles([]column{c})[0]) })
		short = short.Compact()
	} else {
		text.Notes = nil
	}
	b, err := s.target.Format.Book("dpcalc samplesize", "Plan", record.LiveSheet, "About")
	if err != nil {
		return err
	}
	defer b.Close()
	t := record.Table{Name: "Plan", Columns: short.Columns, Widths: record.ColumnWidths(short.Columns, short.Rows),
		Rows: s.goals * int(s.perGoal())}
	err = b.Fill(t, func(add func([]record.Cell, record.Look) error) error {
		for lo := 0; ; {
			for _, group := range rows {
				group = s.shownRows(group)
				for k := range group {
					if err := add(record.Row(nil, columns, &group[k]), look(&group[k])); err != nil {
						return err
					}
				}
			}
			if lo += record.Block; lo >= s.goals {
				return nil
			}
			var err error
			if rows, err = s.solveAll(c, lo, min(lo+record.Block, s.goals), v, bar); err != nil {
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
	if err := b.Live(live); err != nil {
		return err
	}
	if err := b.About(s.target.Command, remarks); err != nil {
		return err
	}
	bar.Say("writing the workbook")
	return c.WriteTo(s.target, func(w io.Writer) error { return b.Write(w) })
}

func use(r *row) string {
	switch {
	case r.Method.Procedure:
		return "dp procedure"
	case !r.Method.Adaptive:
		return "reference"
	}
	return "adaptive"
}

func look(r *row) record.Look {
	switch {
	case r.Best:
		return record.BestLook
	case r.Status != transfer.OK:
		return record.DimLook
	}
	return record.PlainLook
}

// remarks tells what was found, what the columns are and what the methods rest on.
func (s *request) remarks(text record.Sheet, columns []column) ([]record.Remark, error) {
	list := slices.Concat(record.Remarks("result", text.Title), record.Remarks("", text.Notes),
		[]record.Remark{{}, {Label: "Columns of Plan"}})
	for i, title := range record.Titles(columns) {
		list = append(list, record.Remark{Label: title, Text: columns[i].Says})
	}
	list = append(list, record.Remark{}, record.Remark{Label: "Methods"})
	var all []string
	for _, m := range s.methods {
		var sources []string
		for _, source := range m.Sources {
			sources = append(sources, source.String())
		}
		all = append(all, sources...)
		list = append(list,
			record.Remark{Label: m.Name,
				Text: strings.Join([]string{m.Summary, m.Formula, "assumes " + strings.Join(m.Assumes, "; "),
					"source: " + strings.Join(sources, "; ")}, "\n")})
	}
	works, err := commands.References(all)
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
func closedForms(g transfer.Goal) map[string]closedForm {
	if g.OneSided || g.PastLooks != 0 {
		return nil
	}
	switch g.Query {
	case transfer.Difference:
		return nil
	case transfer.Sensitive:
		return map[string]closedForm{"hoeffding": {need: lnOver(2) + "/(2*(tau/sensitivity)^2)"}}
	case transfer.Minimization:
		return map[string]closedForm{"hoeffding": {need: lnOver(2) + "/(2*(tau/(2*sensitivity))^2)"}}
	}
	const (
		ownEpsilon = `IF(epsilon="",tau,epsilon)`
		quarter    = "(" + ownEpsilon + "/4)"
		// tanh is above tanh(x) by at most a part in 1e12, also where TANH is careless near zero.
		tanh = "IF(" + quarter + "<0.01," + quarter + "-" + quarter + "^3/3+2*" + quarter + "^5/15,TANH(" + quarter +
			"))*(1+1E-13)"
		gap     = "(tau*(1-1E-14)-" + tanh + ")"
		cellGap = "(tau*(1-1E-14)-0.5/cells)"
	)
	var (
		hoeffding = lnOver(2) + "/(2*tau^2)"
		n0        = "1536*budget*" + lnOver(4) + "/tau^2"
		n1        = "3072*" + lnOver(4) + "/tau^2*SQRT(32*budget*(LN(2)+32/tau*" + lnOver(16) + "))"
		budget    = [][2]string{{record.IsCount("budget"), "needs a budget"},
			{"budget<=queries", "needs a budget of at most the number of queries"}}
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
				{"OR(queries=1," + record.IsCount("cells") + ")", "needs a whole number of cells"},
				{"IF(queries=1,TRUE," + cellGap + ">0)", "needs more than 1/(2 tau) cells"},
			},
			run: map[string]string{"cells": `IF(queries=1,"",cells)`},
		},
		"thresholdout-dwork15":    {need: "MIN(" + n0 + "," + n1 + ")", needs: budget, run: thresholdout},
		"thresholdout-dwork15-n0": {need: n0, needs: budget, run: thresholdout},
		"thresholdout-dwork15-n1": {need: n1, needs: budget, run: thresholdout},
		"dp": {need: lnOver(2) + "/(2*" + gap + "^2)", needs: private(gap+">0", "below 4 atanh(tau)"),
			run: map[string]string{"epsilon": ownEpsilon}},
		"dp-maxinfo": {need: lnOver(2) + "/tau^2", needs: private("epsilon<=tau^2", "at most tau^2"),
			run: map[string]string{"epsilon": `IF(epsilon="",tau^2,epsilon)`}},
		"dp-dwork15": {need: lnOver(6) + "/tau^2", needs: private("epsilon<=tau", "at most tau"),
			run: map[string]string{"epsilon": ownEpsilon}},
		"dp-approx-dwork15": {
			need: "48*" + lnOver(8) + "/tau^2", needs: private("epsilon<=tau/4", "at most tau/4"),
			run: map[string]string{"epsilon": `IF(epsilon="",tau/4,epsilon)`, "ln delta": "-4*" + lnOver(8) + "/tau*(1+1E-15)"},
		},
	}
}

func positiveOrBlank(name string) string {
	return "OR(" + name + `="",` + record.IsNumber(name, name+">0") + ")"
}

// live is the sheet that asks every method for n. It starts from the first goal,
// with the best solved value in place of the unknown. Explicit formulas follow the
// inputs; the other rows hold for those at the start and say so.
func (s *request) live(rows []row) (record.Live, error) {
	start := s.grid.goal(0)
	first := slices.IndexFunc(rows, func(r row) bool { return r.Best })
	if first < 0 {
		first = slices.IndexFunc(rows, func(r row) bool { return r.Status == transfer.OK })
	}
	if first >= 0 {
		start = rows[first].Goal
	}
	start.Samples = 0
	l := record.Live{
		Intro: []string{
			"Samples needed by every method: change the yellow cells",
			"Rows marked formula follow them. n is rounded up after a part in 10^12 is added, more than the rounding errors " +
				"of a spreadsheet: it is never below what dpcalc computes.",
			"Rows marked value have no explicit formula. They hold for the inputs at the start; dpcalc computes them for " +
				"others.",
		},
		Inputs:  s.liveInputs(start),
		Columns: []string{"method", "samples", "source"},
		Stale:   `$C{row}="value for other inputs"`,
	}
	l.Columns = slices.Concat(l.Columns, record.Titles(toRun), []string{"use", "proof"})
	forms := closedForms(start)
	for k := range s.methods {
		r := &row{Method: &s.methods[k], Answer: rows[k].Answer}
		if s.unknown != transfer.Samples {
			var err error
			if r.Answer, err = r.Method.Solve(start); err != nil {
				r.Answer = transfer.Answer{Status: transfer.Infeasible, Reason: "nothing to start from"}
			}
		}
		form, ok := forms[r.Method.Name]
		if ok {
			l.Rows = append(l.Rows, follow(r, form))
		} else {
			l.Rows = append(l.Rows, stay(r))
		}
	}
	return l.Compact(), nil
}

// follow is a row of formulas.
func follow(r *row, f closedForm) []record.LiveCell {
	n := roundedUp(f.need)
	if f.parts != "" {
		n = f.parts + "*" + n
	}
	source, closing := "", ""
	for _, need := range append(f.needs, [2]string{"IFERROR(" + n + "<=2^53,FALSE)", "needs more than 2^53 rows"}) {
		source += "IF(NOT(" + need[0] + `),"` + need[1] + `",`
		closing += ")"
	}
	line := stay(r)
	line[1].Formula, line[1].Format = `IF(C{row}="formula",`+n+`,"none")`, record.CountFormat
	line[2].Formula = record.Guarded(source + `"formula"` + closing)
	if r.Status == transfer.OK {
		line[2].Value = record.Words("formula")
	}
	for j, title := range record.Titles(toRun) {
		if run, ok := f.run[title]; ok {
			at := &line[3+j]
			at.Formula, at.Format = `IF(C{row}="formula",`+run+`,"")`, record.SmallFormat
			switch title {
			case "cells":
				at.Format = "0"
			case "ln delta":
				at.Format = "0.00"
			}
		}
	}
	return line
}

// stay is a row that holds for the inputs at the start.
func stay(r *row) []record.LiveCell {
	n, source := record.Words("none"), r.Reason
	if r.Status == transfer.OK {
		n, source = record.Count(r.Samples), "value"
	}
	line := []record.LiveCell{
		{Value: record.Words(r.Method.Name)},
		{Value: n},
		{Value: record.Words(source),
			Formula: `IF(unchanged="yes","` + strings.ReplaceAll(source, `"`, `""`) + `","value for other inputs")`},
	}
	for _, c := range toRun {
		line = append(line, record.LiveCell{Value: c.Cell(r)})
	}
	return append(line, record.LiveCell{Value: record.Words(use(r))},
		record.LiveCell{Value: record.Words(string(r.Method.Proof))})
}

// liveInputs are the quantities of a goal and what follows from them.
func (s *request) liveInputs(g transfer.Goal) []record.LiveInput {
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
	case transfer.Difference:
		top = "2"
	}
	inputs := []record.LiveInput{
		{Name: "queries", Label: "queries", Value: record.Count(g.Queries), Holds: record.IsCount("queries"), Wants: whole},
		{Name: "tau", Label: "tau", Value: record.Number(g.Tau), Holds: record.IsNumber("tau", "AND(tau>0,tau<"+top+")"),
			Wants: "want a number above 0 and below " + top},
	}
	// LN is exact enough for a beta that is not too close to one.
	plain := record.Representable(g.Beta) && (g.Beta == 0 || g.Beta < -1e-6)
	beta := record.LiveInput{Name: "ln_inv_beta", Label: "ln(1/beta)", Value: record.Exactly(-g.Beta.Ln()),
		Holds: record.IsNumber("ln_inv_beta", "ln_inv_beta>0"), Wants: positive}
	if plain {
		beta = record.LiveInput{Name: "beta", Label: "beta", Holds: record.IsNumber("beta", "AND(beta>0,beta<1)"),
			Wants: "want a probability above 0 and below 1"}
		if g.Beta != 0 {
			beta.Value = record.Chance(g.Beta)
		}
	}
	inputs = append(inputs, beta)
	if g.Query == transfer.Sensitive || g.Query == transfer.Minimization {
		d := row{Answer: transfer.Answer{Goal: g}}
		inputs = append(inputs,
			record.LiveInput{Name: "sensitivity", Label: "sensitivity", Value: sensitivityOf(&d),
				Holds: record.IsNumber("sensitivity", "sensitivity>0"), Wants: positive})
	}
	if uses(func(m transfer.Method) bool { return m.Budgeted }) {
		inputs = append(inputs,
			record.LiveInput{Name: "budget", Label: "budget", Value: record.Count(g.Budget), Holds: record.IsCount("budget"),
				Wants: whole + ", or nothing", Optional: true})
	}
	if uses(func(m transfer.Method) bool { return m.Procedure }) {
		inputs = append(inputs,
			record.LiveInput{Name: "epsilon", Label: "epsilon", Value: record.Number(g.Epsilon),
				Holds: record.IsNumber("epsilon", "epsilon>0"), Wants: positive + ", or nothing for each method's own",
				Optional: true})
	}
	same, command := rerun(inputs, g)
	if uses(func(m transfer.Method) bool { return m.Name == "rounding" }) { // dpcalc finds the best number itself
		inputs = append(inputs,
			record.LiveInput{Name: "cells", Label: "cells", Value: record.Count(s.cells(g)), Holds: record.IsCount("cells"),
				Wants: whole, Optional: true})
	}
	inputs = append(inputs, same)
	if plain {
		inputs = append(inputs,
			record.LiveInput{Name: "ln_inv_beta", Label: "ln(1/beta)", Value: record.Number(-g.Beta.Ln()),
				Formula: `IFERROR(-LN(beta),"")`}, command)
	}
	return inputs
}

// rerun says whether the inputs are those at the start, and the command for them.
func rerun(inputs []record.LiveInput, g transfer.Goal) (same, command record.LiveInput) {
	words := "dpcalc samplesize" + constantFlags(inputs, g)
	conditions, formula := "TRUE", `"`+words+`"`
	for _, in := range inputs {
		conditions += "," + in.Unchanged()
		argument := `" --` + in.Name + ` "&` + record.DecimalText(in.Name)
		if in.Optional {
			argument = "IF(" + in.Name + `="","",` + argument + ")"
		}
		formula += "&" + argument
		if in.Value.Form != record.Missing {
			words += " --" + in.Name + " " + record.PlainText(in.Value)
		}
	}
	return record.LiveInput{Name: "unchanged", Label: "as at the start", Value: record.Words("yes"),
			Formula: "IF(IFERROR(AND(" + conditions + `),FALSE),"yes","no")`},
		record.LiveInput{Name: "command", Label: "command", Value: record.Words(words), Formula: formula}
}

// constantFlags are the flags of a goal that no input of a sheet changes.
func constantFlags(inputs []record.LiveInput, g transfer.Goal) (words string) {
	if g.Query != transfer.Bounded {
		words += " --" + queryFlag.Name + " " + g.Query.String()
	}
	if g.Feedback != transfer.Answers {
		words += " --" + feedbackFlag.Name + " " + g.Feedback.String()
	}
	if g.OneSided {
		words += " --" + oneSidedFlag.Name
	}
	at := row{Answer: transfer.Answer{Goal: g}}
	for _, p := range parameters {
		input := slices.ContainsFunc(inputs, func(in record.LiveInput) bool { return in.Name == p.flag.Name })
		if input || p.column.Cell == nil || p.unknown != transfer.None {
			continue
		}
		if value := p.column.Cell(&at); value.Form != record.Missing {
			words += " --" + p.flag.Name + " " + record.PlainText(value)
		}
	}
	return words
}

// cells is the number of cells that rounding uses for g.
func (s *request) cells(g transfer.Goal) int64 {
	m, _ := transfer.Lookup("rounding")
	a, err := m.Solve(g)
	if err != nil {
		return 0
	}
	return a.Mechanism.Cells
}
