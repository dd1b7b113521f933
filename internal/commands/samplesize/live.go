package samplesize

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/dpcalc/dpcalc/internal/commands"
	"github.com/dpcalc/dpcalc/internal/record"
	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer"
)

// roundedUp is the least whole number above a real one that a spreadsheet can be
// trusted with. Its logarithms, products and roots err by a few parts in 1e16, and a
// part in 1e12 is more. It is INT and not ROUNDUP or CEILING, which take a number a
// little above a whole one for that; INT does so with a number a little below.
func roundedUp(formula string) string { return "(INT((" + formula + ")*(1+1E-12))+1)" }

// lnOver is ln(c m/beta).
func lnOver(c int) string { return "(LN(" + strconv.Itoa(c) + "*queries)+ln_inv_beta)" }

// closedForm is a method's inequality n >= need as formulas, and the tau that the rows in the input samples reach.
type closedForm struct {
	need  string            // a real number
	parts string            // of n, each at least need; "" for one
	needs [][2]string       // conditions beyond the domain, each with what the row says while it fails
	run   map[string]string // what to run, by column

	tau      string // not below what dpcalc computes; "" for none
	tauNeeds int    // so many of the needs are for tau too, the first
	atMost   bool   // n is above what dpcalc computes, as a bound on the tail is used
	tauMost  bool   // tau is
}

// closedForms are the methods whose n is an explicit formula for this kind of query.
// Differences are taken so that the rounding of their terms cannot make them too
// large. Of the maxima n0 and n1 at tau/8 and beta/(2m) it is always the first term
// that counts: with A = ln(4m/beta) > ln 4 the others are 64 (A + ln 3)/tau^2 and
// 3072 (A + ln 4)/tau^2, below 128 A/tau^2 and 6144 A/tau^2.
func closedForms(g transfer.Goal) map[string]closedForm {
	forms := shownForms(g)
	if g.OneSided || g.PastLooks != 0 || g.Query == transfer.Difference {
		return forms
	}
	maps.Copy(forms, answersForms(g.Query))
	return forms
}

// shownForms are those of the methods that restrict what is shown. The tail of one side is at most exp(-n E(tau)),
// E(tau) >= 2 tau^2 + (4/9) tau^4, so that n is not below what dpcalc computes; of a query of sensitivity D/n it is
// exp(-2 n (tau/D)^2).
func shownForms(g transfer.Goal) map[string]closedForm {
	rate, reach := "(2*tau^2+4/9*tau^4)", "SQRT(2*%[1]s/(2+SQRT(4+16/9*%[1]s)))*(1+1E-12)"
	switch g.Query {
	case transfer.Difference, transfer.Minimization:
		return map[string]closedForm{}
	case transfer.Sensitive:
		rate, reach = "(2*(tau/sensitivity)^2)", "(sensitivity*SQRT(%s/2)*(1+1E-12))"
	}
	sides := 2
	if g.OneSided {
		sides = 1
	}
	passes := `IF(passes="",queries,passes)`
	form := func(level string, needs ...[2]string) closedForm {
		return closedForm{need: level + "/" + rate, tau: fmt.Sprintf(reach, "("+level+"/samples)"), needs: needs,
			tauNeeds: len(needs), atMost: true, tauMost: true}
	}
	return map[string]closedForm{
		"gate": form("("+lnNodes("(queries-1)", passes)+"+ln_inv_beta)",
			[2]string{`OR(passes="",` + record.IsCount("passes") + ")", "needs a whole number of passes, or none"},
			[2]string{passes + "<=queries", "needs passes of at most the number of queries"}),
		"sealed": form(lnOver(sides)),
	}
}

// countedPasses is up to how many passes a formula counts the nodes of a gate one by one.
const countedPasses = 16

// lnNodes is ln of C(n,0) + ... + C(n,B), or more: n ln 2 where that is all, term by term for up to countedPasses
// passes, and else, where B is below n/2, 2^(n-1) or
//
//	C(n,0) + ... + C(n,B) <= min(1, sqrt(n/(2 pi B (n-B))) (n-B+1)/(n-2B+1)) e^(n h),
//
// with h the entropy of B/n in nats: the terms fall at least as B/(n-B+1) from C(n,B) on, which Stirling's formula
// bounds. Of n h the second part, (n-B) ln(n/(n-B)), is at most B, and little less where B/n is too small for LN.
func lnNodes(n, passes string) string {
	tail := "0"
	for k := countedPasses; k >= 1; k-- {
		tail = fmt.Sprintf("IF(%s<%d,0,(%s-%d)/%d*(1+%s))", passes, k, n, k-1, k, tail)
	}
	all := n + "*LN(2)"
	entropy := fmt.Sprintf("MIN((%[1]s-1)*LN(2),%[2]s*LN(%[1]s/%[2]s)"+
		"+IF(%[2]s<%[1]s/10000,%[2]s,(%[2]s-%[1]s)*LN(1-%[2]s/%[1]s))"+
		"+MIN(0,LN(%[1]s/(%[1]s-%[2]s)/%[2]s/6.28318)/2+LN((%[1]s-%[2]s+1)/(%[1]s-2*%[2]s+1))))", n, passes)
	return fmt.Sprintf("(IF(%[1]s>=%[2]s,%[3]s,IF(%[1]s<=%[4]d,LN(1+%[5]s),IF(2*%[1]s>=%[2]s,%[3]s,%[6]s)))*(1+1E-11))",
		passes, n, all, countedPasses, tail, entropy)
}

// answersForms are those of the methods for answers, of two sides.
func answersForms(query transfer.Query) map[string]closedForm {
	switch query {
	case transfer.Sensitive:
		return map[string]closedForm{"hoeffding": {need: lnOver(2) + "/(2*(tau/sensitivity)^2)",
			tau: "(sensitivity*SQRT(" + lnOver(2) + "/(2*samples))*(1+1E-12))"}}
	case transfer.Minimization:
		return map[string]closedForm{"hoeffding": {need: lnOver(2) + "/(2*(tau/(2*sensitivity))^2)",
			tau: "(2*sensitivity*SQRT(" + lnOver(2) + "/(2*samples))*(1+1E-12))"}}
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
	return map[string]closedForm{
		"hoeffding": {need: hoeffding, tau: reaches},
		"splitting": {need: hoeffding, parts: "queries",
			tau: "(SQRT(" + lnOver(2) + "/(2*INT(samples/queries)))*(1+1E-12))"},
		"rounding": {
			need: "IF(queries=1," + hoeffding + ",(" + lnOver(2) + "+(queries-1)*LN(cells))/(2*" + cellGap + "^2))",
			needs: [][2]string{
				{"OR(queries=1," + record.IsCount("cells") + ")", "needs a whole number of cells"},
				{"IF(queries=1,TRUE," + cellGap + ">0)", "needs more than 1/(2 tau) cells"},
			},
			run: map[string]string{"cells": `IF(queries=1,"",cells)`}, tau: byRounds, tauNeeds: 1, tauMost: true,
		},
		"thresholdout-dwork15": {need: "MIN(" + n0 + "," + n1 + ")", needs: budget, run: thresholdout,
			tau: root("1536*budget*" + lnOver(4)), tauNeeds: 2, tauMost: true},
		"thresholdout-dwork15-n0": {need: n0, needs: budget, run: thresholdout, tau: root("1536*budget*" + lnOver(4)),
			tauNeeds: 2},
		"thresholdout-dwork15-n1": {need: n1, needs: budget, run: thresholdout},
		"dp": {need: lnOver(2) + "/(2*" + gap + "^2)", needs: private(gap+">0", "below 4 atanh(tau)"),
			run: map[string]string{"epsilon": ownEpsilon}, tauNeeds: 1, tauMost: true,
			tau: `(IF(epsilon="",` + ownMoved + "," + moved("epsilon") + ")*(1+1E-9))"},
		"dp-maxinfo": {need: lnOver(2) + "/tau^2", needs: private("epsilon<=tau^2", "at most tau^2"),
			run: map[string]string{"epsilon": `IF(epsilon="",tau^2,epsilon)`}, tauNeeds: 1,
			tau: given("SQRT(epsilon)*(1+1E-12)", root(lnOver(2)))},
		"dp-dwork15": {need: lnOver(6) + "/tau^2", needs: private("epsilon<=tau", "at most tau"),
			run: map[string]string{"epsilon": ownEpsilon}, tauNeeds: 1, tau: given("epsilon*(1+1E-12)", root(lnOver(6)))},
		"dp-approx-dwork15": {
			need: "48*" + lnOver(8) + "/tau^2", needs: private("epsilon<=tau/4", "at most tau/4"),
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
	atMost     = "at most"          // between values around the start
	byValue    = "value"
	onlyDpcalc = "only by dpcalc"

	// The cells that say whether the inputs are those at the start: for n, which does not depend on the input
	// samples; for tau, which does not depend on the input tau; and those that are neither m, tau, beta nor samples.
	unchanged       = "unchanged"
	rowsUnchanged   = "rows_unchanged"
	othersUnchanged = "others_unchanged"
)

// live is the sheet that asks every method for n, and for tau with the rows in the input samples. It starts from the
// first goal, with the best solved value in place of the unknown. Explicit formulas follow the inputs, and others are
// interpolated near the start; what neither answers is blank once an input has changed.
func (s *request) live(c *commands.Call, rows []row) (record.Live, error) {
	start := s.grid.goal(0)
	first := slices.IndexFunc(rows, func(r row) bool { return r.Best })
	if first < 0 {
		first = slices.IndexFunc(rows, func(r row) bool { return r.Status == transfer.OK })
	}
	if first >= 0 {
		start = rows[first].Goal
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
	forms := closedForms(start)
	open := make([]bool, len(s.methods))
	for k := range s.methods {
		_, explicit := forms[s.methods[k].Name]
		smooth := !explicit && !slices.Contains(unsmooth, s.methods[k].Name)
		open[k] = smooth && needs[k].Status == transfer.OK
	}
	polynomials, err := s.interpolate(c, start, needs, open)
	if err != nil {
		return record.Live{}, err
	}
	l := record.Live{
		Intro: []string{
			"Samples needed by every method, and the tau that a number of samples reaches: change the yellow cells",
			"Rows marked formula follow them. n and tau are rounded up by a part in 10^12 at least, more than the rounding " +
				"errors of a spreadsheet: they are never below what dpcalc computes.",
			"Rows marked formula, at most follow them a little above what dpcalc computes, and never below.",
			"Rows marked at most are interpolated between values around the start, with a margin. That they are not below is " +
				"tested, not proved: the cells command run dpcalc for the number itself.",
			"Rows marked value hold for the inputs at the start. They are blank for others, which only dpcalc answers.",
		},
		Inputs: s.liveInputs(start, n),
		Columns: slices.Concat([]string{"method", "samples", "source", "tau reached", "source of tau"}, record.Titles(toRun),
			[]string{"use", "proof"}),
		Stale: `$C{row}="` + onlyDpcalc + `"`,
		Apart: "What a private procedure puts out, which is no answer to queries",
	}
	var counts, taus []string
	if slices.ContainsFunc(polynomials, func(p *polynomial) bool { return p != nil }) {
		l.Hidden, counts, taus = s.boxSheet(boxAround(start), polynomials)
	}
	for k := range s.methods {
		m := &s.methods[k]
		line := stay(&needs[k], &reaches[k], n)
		switch form, ok := forms[m.Name]; {
		case ok:
			line.follow(form, tauEnd(start))
		case polynomials[k] != nil:
			line.between(counts[k], taus[k])
		}
		if m.Procedure {
			l.Below = append(l.Below, line.cells())
		} else {
			l.Rows = append(l.Rows, line.cells())
		}
	}
	return l.Compact(), nil
}

// bothWays solves the start for n and, if rows are given, for tau.
func (s *request) bothWays(start transfer.Goal, given int64, rows []row) (n, tau []row, err error) {
	none := transfer.Answer{Status: transfer.Infeasible, Reason: "nothing to start from"}
	byRows := start
	byRows.Samples, byRows.Tau = given, 0
	for k := range s.methods {
		m := &s.methods[k]
		needs, reaches := row{Method: m, Answer: none}, row{Method: m}
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
		case given != 0:
			if reaches.Answer, err = m.Solve(byRows); err != nil {
				return nil, nil, err
			}
		}
		n, tau = append(n, needs), append(tau, reaches)
	}
	return n, tau, nil
}

// entry is a cell of a row: a value for the inputs at the start, and what the cell holds for others.
type entry struct {
	name   string // of the cell that says whether the inputs are those at the start
	value  record.Cell
	others string // a formula, "" for nothing
	always bool   // it is that of the start too
	format string
}

func (e entry) cell() record.LiveCell {
	c := record.LiveCell{Value: e.value, Formula: e.others, Format: e.format}
	if c.Formula == "" {
		c.Formula = `""`
	}
	if !e.always {
		c.Formula = "IF(" + e.name + `="yes",` + literal(e.value) + "," + c.Formula + ")"
	}
	return c
}

// literal is a value in a formula.
func literal(c record.Cell) string {
	switch c.Form {
	case record.CountForm:
		return strconv.FormatInt(c.N, 10)
	case record.NumberForm:
		return strconv.FormatFloat(c.F, 'G', 17, 64)
	case record.ChanceForm:
		return strconv.FormatFloat(theory.LogProb(c.F).Value(), 'G', 17, 64)
	}
	return `"` + strings.ReplaceAll(c.S, `"`, `""`) + `"`
}

// liveRow is a row of the sheet. As it is made it holds for the inputs at the start and is blank for others.
type liveRow struct {
	of             *row
	n, source      entry
	tau, tauSource entry
	run            []entry
}

// stay makes a row of what a method needs and reaches. The rows given are those of the input samples, 0 for none.
func stay(needs, reaches *row, given int64) liveRow {
	r := liveRow{
		of:  needs,
		n:   entry{name: unchanged, value: record.Words("none"), format: record.CountFormat},
		tau: entry{name: rowsUnchanged, format: record.SmallFormat},
		source: entry{name: unchanged, value: record.Words(needs.Reason),
			others: record.Guarded(`"` + onlyDpcalc + `"`)},
		tauSource: entry{name: rowsUnchanged, others: `IF(samples="","","` + onlyDpcalc + `")`},
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
	for _, c := range toRun {
		e := entry{name: unchanged, value: c.Cell(needs), format: record.SmallFormat}
		if e.value.Form == record.CountForm {
			e.format = record.CountFormat
		}
		if c.Name == columnLnDelta.Name {
			e.format = "0.00"
		}
		r.run = append(r.run, e)
	}
	return r
}

// cells are those of the sheet.
func (r liveRow) cells() []record.LiveCell {
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
	return append(line, record.LiveCell{Value: record.Words(use(r.of))},
		record.LiveCell{Value: record.Words(string(proofOf(r.of)))})
}

// follow makes formulas of a row, with the end that tau is below. Where they are above what dpcalc computes, the
// start keeps its values.
func (r *liveRow) follow(f closedForm, end string) {
	n, mark := roundedUp(f.need), byFormula
	if f.parts != "" {
		n = f.parts + "*" + n
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
		r.reach(f, end)
	}
	for j, title := range record.Titles(toRun) {
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

// reach makes a formula of the tau of a row.
func (r *liveRow) reach(f closedForm, end string) {
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

// between makes a row of what these cells of the hidden sheet say around the start.
func (r *liveRow) between(needs, reaches string) {
	const inside = "IF(" + inBox + `="yes",`
	r.n.others = inside + "INT(EXP(" + needs + `)*(1+1E-12))+1,"")`
	r.source.others = record.Guarded(inside + `"` + atMost + `","` + onlyDpcalc + `")`)
	r.tau.others = "IF(" + record.IsCount("samples") + "," + reaches + `,"")`
	r.tauSource.others = `IF(samples="","",IF(ISNUMBER(D{row}),"` + atMost + `","` + onlyDpcalc + `"))`
}

// liveInputs are the quantities of a goal and what follows from them.
func (s *request) liveInputs(g transfer.Goal, rows int64) []record.LiveInput {
	uses := func(is func(transfer.Method) bool) bool { return slices.ContainsFunc(s.methods, is) }
	const (
		whole    = "want a whole number from 1 to 2^53"
		positive = "want a positive number"
	)
	top := tauEnd(g)
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
	byTau := rerun(without(inputs, "samples"), g)
	byRows := rerun(without(inputs, "tau"), g)
	rest := rerun(without(inputs, "samples", "tau", "queries", beta.Name), g)
	if uses(func(m transfer.Method) bool { return m.Name == "rounding" }) { // dpcalc finds the best number itself
		inputs = append(inputs,
			record.LiveInput{Name: "cells", Label: "cells", Value: record.Count(s.cells(g)), Holds: record.IsCount("cells"),
				Wants: whole, Optional: true})
	}
	inputs = append(inputs, byTau.same(unchanged, "as at the start, for samples"),
		byRows.same(rowsUnchanged, "as at the start, for tau"), rest.same(othersUnchanged, "as at the start, the others"))
	if plain {
		inputs = append(inputs,
			record.LiveInput{Name: "ln_inv_beta", Label: "ln(1/beta)", Value: record.Number(-g.Beta.Ln()),
				Formula: `IFERROR(-LN(beta),"")`}, byTau.command("command", "command for samples"),
			byRows.command("rows_command", "command for tau"))
	}
	return inputs
}

// tauEnd is what tau is below, in formulas.
func tauEnd(g transfer.Goal) string {
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

// without leaves inputs out.
func without(inputs []record.LiveInput, names ...string) []record.LiveInput {
	named := func(in record.LiveInput) bool { return slices.Contains(names, in.Name) }
	return slices.DeleteFunc(slices.Clone(inputs), named)
}

// again is what some of the inputs are compared with the start by, and the command for them.
type again struct{ conditions, words, formula string }

func rerun(inputs []record.LiveInput, g transfer.Goal) again {
	words := "dpcalc samplesize" + constantFlags(inputs, g)
	a := again{"TRUE", words, `"` + words + `"`}
	for _, in := range inputs {
		a.conditions += "," + in.Unchanged()
		argument := `" --` + in.Name + ` "&` + record.DecimalText(in.Name)
		if in.Optional {
			argument = "IF(" + in.Name + `="","",` + argument + ")"
		}
		a.formula += "&" + argument
		if in.Value.Form != record.Missing {
			a.words += " --" + in.Name + " " + record.PlainText(in.Value)
		}
	}
	return a
}

// same is the cell that says whether the inputs are those at the start.
func (a again) same(name, label string) record.LiveInput {
	return record.LiveInput{Name: name, Label: label, Value: record.Words("yes"),
		Formula: "IF(IFERROR(AND(" + a.conditions + `),FALSE),"yes","no")`}
}

func (a again) command(name, label string) record.LiveInput {
	return record.LiveInput{Name: name, Label: label, Value: record.Words(a.words), Formula: a.formula}
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
