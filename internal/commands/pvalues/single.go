package pvalues

import (
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/dpcalc/dpcalc/internal/commands"
	"github.com/dpcalc/dpcalc/internal/numbers"
	"github.com/dpcalc/dpcalc/internal/record"
	"github.com/dpcalc/dpcalc/internal/usage"
	"github.com/dpcalc/dpcalc/pvalue"
	"github.com/dpcalc/dpcalc/theory"
)

// tested is a row: a test at a level, and what it makes of a p-value.
type tested struct {
	pvalue.Test
	best     bool
	by       commands.Convention
	p        typedP
	adjusted theory.LogProb // of p, if it was given and the test applies
	against  against
}

func (r tested) verdict() commands.Verdict {
	return commands.Verdict{
		Method: r.Correction.Name, Status: r.Status, Reason: r.Reason, Sources: r.by.Sources(r.Correction.Sources),
		Proof: r.Correction.Proof, Best: r.best,
	}
}

// value is a cell of a row that has a threshold.
func (r tested) value(c record.Cell) record.Cell {
	if !r.Status.Applies() {
		return record.Cell{}
	}
	return c
}

// ofP is a cell of a row that says something of a p-value.
func (r tested) ofP(c func() record.Cell) record.Cell {
	if !r.p.given || !r.Status.Applies() {
		return record.Cell{}
	}
	return c()
}

type testedColumn = record.Column[tested]

var (
	testedStar   = testedColumn{Cell: func(r tested) record.Cell { return record.Mark(r.best) }}
	testedMethod = testedColumn{Name: "method",
		Cell: func(r tested) record.Cell { return record.Words(r.Correction.Name) }}
	testedAlpha   = testedColumn{Name: "alpha", Cell: func(r tested) record.Cell { return record.Chance(r.Alpha) }}
	testedLnAlpha = testedColumn{Name: "ln_alpha",
		Cell: func(r tested) record.Cell { return record.Exactly(r.Alpha.Ln()) }}
	testedThreshold = testedColumn{Name: "threshold",
		Cell: func(r tested) record.Cell { return r.value(thresholdCell(&r.Test)) }}
	testedLegible = testedColumn{Name: "threshold",
		Cell: func(r tested) record.Cell { return r.value(Legible(r.Threshold)) }}
	testedLn = testedColumn{Name: "ln_threshold",
		Cell: func(r tested) record.Cell { return r.value(record.Exactly(r.Threshold.Ln())) }}
	testedBest  = testedColumn{Name: "best", Cell: func(r tested) record.Cell { return record.Truth(r.best) }}
	testedProof = testedColumn{Name: "proof",
		Cell: func(r tested) record.Cell { return record.Words(string(r.Correction.Proof)) }}
	testedStatus = testedColumn{Name: "status",
		Cell: func(r tested) record.Cell { return record.Words(string(r.Status)) }}
	testedReason  = testedColumn{Name: "reason", Cell: func(r tested) record.Cell { return record.Words(r.Reason) }}
	testedSources = testedColumn{Name: "sources",
		Cell: func(r tested) record.Cell { return record.Sources(r.verdict().Sources) }}
	testedAssumes = testedColumn{Name: "assumes",
		Cell: func(r tested) record.Cell { return record.List(r.Correction.Assumes) }}
	testedBy = testedColumn{Name: commands.NeighboursKey,
		Cell: func(r tested) record.Cell { return record.Words(string(r.by)) }}

	testedConfidence = testedColumn{Name: "confidence",
		Cell: func(r tested) record.Cell { return r.value(confidenceCell(&r.Test)) }}

	testedP        = testedColumn{Name: "p", Cell: func(r tested) record.Cell { return record.Chance(r.p.value) }}
	testedLnP      = testedColumn{Name: "ln_p", Cell: func(r tested) record.Cell { return record.Exactly(r.p.value.Ln()) }}
	testedAdjusted = testedColumn{Name: "p_adjusted", Cell: func(r tested) record.Cell {
		return r.ofP(func() record.Cell { return adjustedCell(&r.Test, r.adjusted) })
	}}
	testedLnAdjusted = testedColumn{Name: "ln_p_adjusted", Cell: func(r tested) record.Cell {
		return r.ofP(func() record.Cell { return record.Exactly(r.adjusted.Ln()) })
	}}
	testedReject = testedColumn{Name: "reject", Cell: func(r tested) record.Cell {
		return r.ofP(func() record.Cell { return record.Truth(r.adjusted <= r.Alpha) })
	}}

	testedLosses = testedColumn{Name: "losses", Cell: func(r tested) record.Cell { return record.Whole(r.against.losses) }}
	testedWins   = testedColumn{Name: "wins_needed", Cell: tested.winsNeeded}
)

// winsNeeded is the least number of wins against the losses at which the sign test rejects.
func (r tested) winsNeeded() record.Cell {
	if r.Status != theory.OK {
		return record.Cell{}
	}
	wins, err := pvalue.WinsNeeded(r.Threshold, r.against.losses)
	if err != nil { // more than there can be
		return record.Cell{}
	}
	return record.Whole(wins)
}

// request is the question for thresholds.
type request struct {
	selection
	p       typedP
	against against
}

func readRequest(c usage.Values) (r request, err error) {
	if r.alpha, err = readAlpha(c); err != nil {
		return r, err
	}
	if r.plan, r.source, err = readSource(c); err != nil {
		return r, err
	}
	single, hasP, err := numbers.One(c, "p", numbers.ChancesOfAll)
	if err != nil {
		return r, err
	}
	if r.p, r.against, err = readPairs(c); err != nil {
		return r, err
	}
	if hasP {
		r.p = typedP{single, true}
	}
	r.method, _ = c.Text("method")
	_, err = r.plan.Quantities() // for its domain
	return r, err
}

// solve returns a row for each test, with what it makes of p, and the index of the best.
func (r request) solve() (rows []tested, best int, err error) {
	all, best, err := tests(r.plan.Plan, r.alpha, r.method)
	if err != nil {
		return nil, -1, err
	}
	rows = make([]tested, len(all))
	for i, test := range all {
		rows[i] = tested{Test: test, best: i == best, by: r.plan.Neighbours, p: r.p, against: r.against}
		if r.p.given && test.Status.Applies() {
			if rows[i].adjusted, err = test.Adjusted(r.p.value); err != nil {
				return nil, -1, err
			}
		}
	}
	return rows, best, nil
}

// columns are those for machines and for people.
func (r request) columns() (columns, shown []testedColumn) {
	columns = []testedColumn{
		testedMethod, testedAlpha, testedLnAlpha, testedThreshold, testedLn, testedBest, testedProof, testedStatus,
		testedReason, testedSources, testedAssumes, testedBy, testedConfidence,
	}
	shown = []testedColumn{testedStar, testedMethod, testedLegible}
	if r.p.given {
		columns = append(columns, testedP, testedLnP, testedAdjusted, testedLnAdjusted, testedReject)
		shown = append(shown, testedAdjusted, testedReject)
	}
	if r.against.given {
		columns = append(columns, testedLosses, testedWins)
		shown = append(shown, testedWins)
	}
	return columns, append(shown, testedProof, testedStatus, testedReason)
}

// correctOne writes a row for each test.
func correctOne(c *commands.Call, t commands.Target, inputs []record.Input, r request) error {
	rows, best, err := r.solve()
	if err != nil {
		return err
	}
	a := commands.Answer[tested]{Command: command, Inputs: inputs, Rows: slices.Values(rows), Verdict: tested.verdict}
	a.Columns, a.Shown = r.columns()
	all := make([]pvalue.Test, len(rows))
	for i, row := range rows {
		all[i] = row.Test
	}
	a.Say = func() (title, notes []string) { return r.say(rows, best) }
	if r.p.given {
		a.Inputs = append(a.Inputs, record.Input{Name: "p", Value: record.Chance(r.p.value)})
	}
	if a.Live, err = r.live(all, &r.p); err != nil {
		return err
	}
	if err := commands.Emit(c, t, a); err != nil {
		return err
	}
	tellBound(c, c.Stderr)
	if best < 0 {
		return usage.Outcome(usage.ExitNoAnswer)
	}
	return nil
}

// tellBound says of a p-value that is an upper bound how it is read.
func tellBound(c usage.Values, w io.Writer) {
	raw, _ := c.Text("p")
	if number, bound := numbers.UpperBound(raw); bound {
		fmt.Fprintf(w, "p %s is read as %s\n", usage.Shown(raw), number)
	}
}

// correctAll writes a row for each test of every combination of lists.
func correctAll(c *commands.Call, t commands.Target, g grid) error {
	first, err := readRequest(g.point(0))
	if refusal(err) {
		first.source, _ = c.Text("by")
	} else if err != nil {
		return err
	}
	q := question[tested]{
		verdict: tested.verdict,
		read: func(v usage.Values) (func() ([]tested, error), error) {
			r, err := readRequest(v)
			return func() ([]tested, error) {
				rows, _, err := r.solve()
				return rows, err
			}, err
		},
		refused: func(reason string) tested {
			test := pvalue.Test{Alpha: first.alpha, Status: theory.NotApplicable, Reason: reason}
			test.Correction.Name = first.source
			return tested{Test: test, against: first.against}
		},
		inputs: g.inputs(first.source, record.Input{Name: "method", Value: record.Words(first.method)}),
		title:  "Threshold for the p-value of one selected test: " + g.told(first.source),
		star:   "greatest threshold", drawn: "threshold",
		height: func(r tested) record.Cell { return r.value(record.Chance(r.Threshold)) },
	}
	q.columns, q.shown = first.columns()
	switch {
	case first.against.given:
		q.drawn, q.height = "wins needed", tested.winsNeeded
	case first.p.given && g.has("p", "wins", "losses"):
		q.drawn, q.height = "p adjusted", testedAdjusted.Cell
	}
	for _, a := range g.axes {
		for _, text := range a.values {
			if a.flag == "p" {
				tellBound(usage.Typed{"p": {text}}, c.Stderr)
			}
		}
	}
	return overLists(c, t, g, q)
}

func (r request) say(rows []tested, best int) (title, notes []string) {
	text := "Threshold for the p-value of one selected test at alpha " + record.People(record.Chance(r.alpha))
	if r.p.given {
		text += ", p " + record.People(record.Chance(r.p.value))
	}
	if best >= 0 {
		b := &rows[best]
		star := "* " + b.Correction.Name + ", greatest threshold: reject if p <= " + record.People(Legible(b.Threshold))
		notes = slices.Concat([]string{star}, b.saysWins(), intervals(&b.Test), commands.Assumed(b.Correction.Assumes))
	}
	return []string{text + ": " + r.plan.String()}, notes
}

// saysWins is what people are told of the wins that it takes.
func (r tested) saysWins() []string {
	wins := r.winsNeeded()
	if !r.against.given || wins.Form == record.Missing {
		return nil
	}
	return []string{"It takes " + record.Plural(wins.N, "win") + " against " + strconv.FormatInt(r.against.losses, 10) +
		" losses"}
}
