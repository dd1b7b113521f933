package samplesize

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/dpcalc/dpcalc/cmd/internal/commands"
	"github.com/dpcalc/dpcalc/cmd/internal/commands/goals"
	"github.com/dpcalc/dpcalc/cmd/internal/commands/live"
	"github.com/dpcalc/dpcalc/cmd/internal/parallel"
	"github.com/dpcalc/dpcalc/cmd/internal/record"
	"github.com/dpcalc/dpcalc/internal/num"
	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer"
)

// interpolate solves the goals around the start for the methods that have an answer there and no formula. The
// result has a polynomial for each, nil for those without.
func (s *request) interpolate(c *commands.Call, start transfer.Goal, rows []goals.Row,
	open []bool) ([]*live.Polynomial, error) {
	b := live.BoxAround(start)
	places := b.Places()
	found := make([]float64, len(s.methods)*len(places))
	solve := func(from, to int) error {
		for i := from; i < to; i++ {
			k := i / len(places)
			if !open[k] {
				continue
			}
			g, _ := b.Goal(places[i%len(places)])
			a, err := s.methods[k].Solve(g)
			if err == nil && a.Status == transfer.OK {
				found[i] = num.Log(float64(a.Samples))
			}
		}
		return nil
	}
	nowhere := start.Queries == 0 || start.Beta == 0 || b.Axes[1].Fixed() // to go from
	if nowhere || !slices.Contains(open, true) {
		return make([]*live.Polynomial, len(s.methods)), nil
	}
	if err := parallel.For(c.Context, len(found), c.Workers, solve, nil); err != nil {
		return nil, err
	}
	list := make([]*live.Polynomial, len(s.methods))
	for k := range s.methods {
		values := make(map[live.Place]float64)
		for i, at := range places {
			if ln := found[k*len(places)+i]; ln > 0 {
				values[at] = ln
			}
		}
		if open[k] && len(values) == len(places) {
			if p, ok := b.Fitted(num.Log(float64(rows[k].Samples)), values); ok {
				list[k] = &p
			}
		}
	}
	return list, nil
}

// boxSheet is the hidden sheet: where the inputs are in the box, and a line for each polynomial. It returns the cells
// with ln n and with tau for each method.
func (s *request) boxSheet(b live.Box, polynomials []*live.Polynomial) (sheet [][]record.LiveCell, needs,
	reaches []string) {
	sheet = b.Conditions()
	needs, reaches = make([]string, len(polynomials)), make([]string, len(polynomials))
	for k, p := range polynomials {
		if p == nil {
			continue
		}
		sheet = append(sheet, p.Line(s.methods[k].Name, b))
		at := record.HiddenSheet + "!$%s$" + strconv.Itoa(len(sheet))
		needs[k], reaches[k] = fmt.Sprintf(at, "L"), fmt.Sprintf(at, "O")
	}
	return sheet, needs, reaches
}

// live is the sheet that asks every method for n, and for tau with the rows in the input samples. It starts from the
// first goal, with the best solved value in place of the unknown. Explicit formulas follow the inputs, and others are
// interpolated near the start; what neither answers is blank once an input has changed.
func (s *request) live(c *commands.Call, rows []goals.Row) (record.Live, error) {
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
	open := make([]bool, len(s.methods))
	for k := range s.methods {
		_, explicit := forms[s.methods[k].Name]
		smooth := !explicit && !slices.Contains(live.Unsmooth, s.methods[k].Name)
		open[k] = smooth && needs[k].Status == transfer.OK
	}
	polynomials, err := s.interpolate(c, start, needs, open)
	if err != nil {
		return record.Live{}, err
	}
	l := record.Live{
		Intro: []string{
			"Samples needed by every method, and the tau that a number of samples reaches: change the yellow cells",
			"Rows marked formula follow them. n and tau are rounded up by a part in 10^12 at least, more than the rounding errors of a spreadsheet: they are never below what dpcalc computes.",
			"Rows marked formula, at most follow them a little above what dpcalc computes, and never below.",
			"Rows marked at most are interpolated between values around the start, with a margin. That they are not below is tested, not proved: the cells command run dpcalc for the number itself.",
			"Rows marked value hold for the inputs at the start. They are blank for others, which only dpcalc answers.",
		},
		Inputs: s.liveInputs(start, n),
		Columns: slices.Concat([]string{"method", "samples", "source", "tau reached", "source of tau"},
			record.Titles(goals.ToRun),
			[]string{"use", "proof"}),
		Stale: `$C{row}="` + live.OnlyDpcalc + `"`,
		Apart: "What a private procedure puts out, which is no answer to queries",
	}
	var counts, taus []string
	if slices.ContainsFunc(polynomials, func(p *live.Polynomial) bool { return p != nil }) {
		l.Hidden, counts, taus = s.boxSheet(live.BoxAround(start), polynomials)
	}
	for k := range s.methods {
		m := &s.methods[k]
		line := live.Stay(&needs[k], &reaches[k], n)
		switch form, ok := forms[m.Name]; {
		case ok:
			line.Follow(form, live.TauEnd(start))
		case polynomials[k] != nil:
			line.Between(counts[k], taus[k])
		}
		if m.Procedure {
			l.Below = append(l.Below, line.Cells())
		} else {
			l.Rows = append(l.Rows, line.Cells())
		}
	}
	return l.Compact(), nil
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
	top := live.TauEnd(g)
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
	inputs = append(inputs, beta, record.LiveInput{Name: "samples", Label: "samples", Value: record.Count(rows),
		Holds: record.IsCount("samples"), Wants: whole + ", or nothing; with it the tau that they reach", Optional: true})
	if g.Query == transfer.Sensitive || g.Query == transfer.Minimization {
		d := goals.Row{Answer: transfer.Answer{Goal: g}}
		inputs = append(inputs,
			record.LiveInput{Name: "sensitivity", Label: "sensitivity", Value: goals.SensitivityOf(&d),
				Holds: record.IsNumber("sensitivity", "sensitivity>0"), Wants: positive})
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
				Holds: record.IsNumber("epsilon", "epsilon>0"), Wants: positive + ", or nothing for each method's own",
				Optional: true})
	}
	byTau := live.Rerun(live.Without(inputs, "samples"), g)
	byRows := live.Rerun(live.Without(inputs, "tau"), g)
	rest := live.Rerun(live.Without(inputs, "samples", "tau", "queries", beta.Name), g)
	if uses(func(m transfer.Method) bool { return m.Name == "rounding" }) { // dpcalc finds the best number itself
		inputs = append(inputs,
			record.LiveInput{Name: "cells", Label: "cells", Value: record.Count(s.cells(g)), Holds: record.IsCount("cells"),
				Wants: whole, Optional: true})
	}
	inputs = append(inputs, byTau.Same(live.Unchanged, "as at the start, for samples"),
		byRows.Same(live.RowsUnchanged, "as at the start, for tau"),
		rest.Same(live.OthersUnchanged, "as at the start, the others"))
	if plain {
		inputs = append(inputs,
			record.LiveInput{Name: "ln_inv_beta", Label: "ln(1/beta)", Value: record.Number(-g.Beta.Ln()),
				Formula: `IFERROR(-LN(beta),"")`}, byTau.Command("command", "command for samples"),
			byRows.Command("rows_command", "command for tau"))
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
