package samplesize

import (
	"slices"

	"github.com/dpcalc/dpcalc/cmd/internal/commands/goals"
	"github.com/dpcalc/dpcalc/cmd/internal/commands/live"
	"github.com/dpcalc/dpcalc/cmd/internal/expr"
	"github.com/dpcalc/dpcalc/cmd/internal/record"
	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer"
)

// live is the sheet that asks every method for n, and for tau with the rows in the input samples. It starts from the
// first goal, with the best solved value in place of the unknown. Explicit formulas follow the inputs; a method without
// one has values for the start, which are blank once an input has changed.
func (s *request) live(rows []goals.Row) (record.Live, error) {
	start := s.grid.Goal(0)
	first := slices.IndexFunc(rows, func(r goals.Row) bool { return r.Best })
	if first < 0 {
		first = slices.IndexFunc(rows, func(r goals.Row) bool { return r.Status == transfer.OK })
	}
	if first >= 0 {
		if start = rows[first].Goal; start.Beta == theory.Zero { // no input can say that
			start.Beta = 0
		}
	}
	n := start.Samples
	if s.unknown == transfer.Samples {
		n = 0
	}
	start.Samples = 0
	needs, reaches, err := s.bothWays(start, n, rows)
	if err != nil {
		return record.Live{}, err
	}
	forms := live.ClosedForms(start)
	l := record.Live{
		Intro: []string{
			"Samples needed by every method, and the tau that a number of samples reaches: change the yellow cells",
			"Rows marked formula follow them. n and tau are rounded up by a part in 10^12 at least, more than the rounding errors of a spreadsheet: they are never below what dpcalc computes.",
			"Rows marked formula, at most follow them a little above what dpcalc computes, and never below.",
			"Rows marked value hold for the inputs at the start. They are blank for others, which only dpcalc answers: the cells command say how to ask it.",
		},
		Inputs: s.liveInputs(start, n),
		Columns: slices.Concat([]string{"method", "samples", "source", "tau reached", "source of tau"},
			record.Titles(goals.ToRun),
			[]string{"use", "proof"}),
		Stale: record.Own("$C").Is(expr.T(live.OnlyDpcalc)),
		Apart: "What a private procedure puts out, which is no answer to queries",
	}
	for k := range s.methods {
		m := &s.methods[k]
		line := live.Line(&needs[k], &reaches[k], n, forms[m.Name], live.TauEnd(start))
		if m.Procedure {
			l.Below = append(l.Below, line)
		} else {
			l.Rows = append(l.Rows, line)
		}
	}
	l = l.Compact()
	s.markBest(&l, needs)
	return l, nil
}

// markBest adds a column that says which of the adaptive rows needs the fewest samples. Once the inputs have changed it
// is the best of those with a formula, and says so. References are dim.
func (s *request) markBest(l *record.Live, needs []goals.Row) {
	use := "$" + string(rune('A'+slices.Index(l.Columns, "use")))
	best := "$" + string(rune('A'+len(l.Columns)))
	column := func(name string) expr.X { return expr.Cell(name + "${first}:" + name + "${last}") }
	rows := record.Own("$B")
	fewer := expr.F("SUMPRODUCT", column(use).Is(expr.T("adaptive")).Times(expr.IsNumber(column("$B"))).Times(column("$B").Below(rows)))
	formula := expr.If(expr.And(record.Own(use).Is(expr.T("adaptive")), expr.IsNumber(rows)),
		expr.If(fewer.Is(expr.N(0)), expr.If(expr.Cell(live.StartCell).Is(expr.T("yes")), expr.T("best"),
			expr.T("best formula")), live.Nothing), live.Nothing)
	fewest := int64(0)
	candidate := func(r goals.Row) bool { return goals.Use(&r) == "adaptive" && r.Status == transfer.OK }
	for _, r := range needs {
		if candidate(r) && (fewest == 0 || r.Samples < fewest) {
			fewest = r.Samples
		}
	}
	at := 0
	for _, r := range needs {
		if r.Method.Procedure {
			continue
		}
		cell := record.LiveCell{Formula: formula, Value: record.Words("")}
		if candidate(r) && r.Samples == fewest {
			cell.Value = record.Words("best")
		}
		l.Rows[at] = append(l.Rows[at], cell)
		at++
	}
	for i := range l.Below {
		l.Below[i] = append(l.Below[i], record.LiveCell{})
	}
	l.Columns = append(l.Columns, "best")
	l.Best = expr.F("LEFT", record.Own(best), expr.N(4)).Is(expr.T("best"))
	l.Dim = record.Own(use).Is(expr.T("reference"))
	l.Intro = append(l.Intro, "The row marked best needs the fewest samples. Once an input has changed, only rows marked formula can be compared. Grey rows are references, for queries fixed beforehand.")
}

// bothWays solves the start for n and, if rows are given, for tau.
func (s *request) bothWays(start transfer.Goal, given int64, rows []goals.Row) (n, tau []goals.Row, err error) {
	none := transfer.Answer{Status: transfer.Infeasible, Reason: "nothing to start from"}
	byRows := start
	byRows.Samples, byRows.Tau = given, 0
	for k := range s.methods {
		m := &s.methods[k]
		needs, reaches := goals.Row{Method: m, Answer: none}, goals.Row{Method: m}
		switch {
		case s.unknown == transfer.Samples:
			needs.Answer = rows[k].Answer
		default:
			if a, err := m.Solve(start); err == nil {
				needs.Answer = a
			}
		}
		switch {
		case s.unknown == transfer.Tau:
			reaches.Answer = rows[k].Answer
		case byRows.Queries == 0 || byRows.Beta == 0:
			reaches.Answer = none
		case given != 0:
			if reaches.Answer, err = m.Solve(byRows); err != nil {
				return nil, nil, err
			}
		}
		n, tau = append(n, needs), append(tau, reaches)
	}
	return n, tau, nil
}

// liveInputs are the quantities of a goal and what follows from them.
func (s *request) liveInputs(g transfer.Goal, rows int64) []record.LiveInput {
	uses := func(is func(transfer.Method) bool) bool { return slices.ContainsFunc(s.methods, is) }
	const (
		whole    = "want a whole number from 1 to 2^53"
		positive = "want a positive number"
	)
	number := func(name string, holds func(x expr.X) expr.X) expr.X {
		return record.IsNumber(name, holds(expr.Cell(name)))
	}
	above := func(name string) expr.X { return number(name, func(x expr.X) expr.X { return x.Above(expr.N(0)) }) }
	within := func(name string, top expr.X) expr.X {
		return number(name, func(x expr.X) expr.X { return expr.And(x.Above(expr.N(0)), x.Below(top)) })
	}
	top := live.TauEnd(g)
	inputs := []record.LiveInput{
		{Name: "queries", Label: "queries", Value: record.Count(g.Queries), Holds: record.IsCount("queries"), Wants: whole},
		{Name: "tau", Label: "tau", Value: record.Number(g.Tau), Holds: within("tau", top),
			Wants: "want a number above 0 and below " + top.String()},
	}
	// LN is exact enough for a beta that is not too close to one.
	plain := record.Representable(g.Beta) && (g.Beta == 0 || g.Beta < -1e-6)
	beta := record.LiveInput{Name: "ln_inv_beta", Label: "ln(1/beta)", Value: record.Exactly(-g.Beta.Ln()),
		Holds: above("ln_inv_beta"), Wants: positive}
	if plain {
		beta = record.LiveInput{Name: "beta", Label: "beta", Holds: within("beta", expr.N(1)),
			Wants: "want a probability above 0 and below 1"}
		if g.Beta != 0 {
			beta.Value = record.Chance(g.Beta)
		}
	}
	inputs = append(inputs, beta, record.LiveInput{Name: "samples", Label: "samples", Value: record.Count(rows),
		Holds: record.IsCount("samples"), Wants: whole + ", or nothing; with it the tau that they reach", Optional: true})
	if g.Query == transfer.Sensitive || g.Query == transfer.Minimization {
		d := goals.Row{Answer: transfer.Answer{Goal: g}}
		inputs = append(inputs,
			record.LiveInput{Name: "sensitivity", Label: "sensitivity", Value: goals.SensitivityOf(&d),
				Holds: above("sensitivity"), Wants: positive})
	}
	if uses(func(m transfer.Method) bool { return m.Budgeted }) {
		inputs = append(inputs,
			record.LiveInput{Name: "budget", Label: "budget", Value: record.Count(g.Budget), Holds: record.IsCount("budget"),
				Wants: whole + ", or nothing", Optional: true})
	}
	if uses(func(m transfer.Method) bool { return m.Name == "gate" }) {
		inputs = append(inputs,
			record.LiveInput{Name: "passes", Label: "passes", Value: record.Count(g.Passes), Holds: record.IsCount("passes"),
				Wants: whole + ", or nothing for as many as queries", Optional: true})
	}
	if uses(func(m transfer.Method) bool { return m.Procedure }) {
		inputs = append(inputs,
			record.LiveInput{Name: "epsilon", Label: "epsilon", Value: record.Number(g.Epsilon),
				Holds: above("epsilon"), Wants: positive + ", or nothing for each method's own",
				Optional: true})
	}
	byTau, byRows := live.Without(inputs, "samples"), live.Without(inputs, "tau")
	if uses(func(m transfer.Method) bool { return m.Name == "rounding" }) { // dpcalc finds the best number itself
		inputs = append(inputs,
			record.LiveInput{Name: "cells", Label: "cells", Value: record.Count(s.cells(g)), Holds: record.IsCount("cells"),
				Wants: whole, Optional: true})
	}
	inputs = append(inputs, live.Unchanged(live.StartCell, "as at the start, for samples", byTau),
		live.Unchanged(live.RowsStartCell, "as at the start, for tau", byRows))
	if plain {
		inputs = append(inputs,
			record.LiveInput{Name: "ln_inv_beta", Label: "ln(1/beta)",
				Formula: expr.IfError(expr.Neg(expr.Ln(expr.Cell("beta"))), live.Nothing)}, live.Command(byTau, g).Cell("command", "command for samples"),
			live.Command(byRows, g).Cell("rows_command", "command for tau"))
	}
	return inputs
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
