package pvalues

import (
	"fmt"
	"slices"

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
}

func (r tested) verdict() commands.Verdict {
	return commands.Verdict{
		Method: r.Correction.Name, Status: r.Status, Reason: r.Reason, Sources: r.by.Sources(r.Correction.Sources),
		Best: r.best,
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
		Cell: func(r tested) record.Cell { return r.value(legible(r.Threshold)) }}
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
)

// correctOne writes a row for each test, with what it makes of p.
func correctOne(c *commands.Call, t commands.Target, inputs []record.Input, follow selection, all []pvalue.Test,
	best int, p typedP) (err error) {
	a := commands.Answer[tested]{
		Command: "pvalue-correct", Inputs: inputs, Verdict: tested.verdict,
		Columns: []testedColumn{
			testedMethod, testedAlpha, testedLnAlpha, testedThreshold, testedLn, testedBest, testedProof, testedStatus,
			testedReason,
			testedSources, testedAssumes, testedBy, testedConfidence,
		},
		Shown: []testedColumn{
			testedStar, testedMethod, testedLegible, testedAdjusted, testedReject, testedProof, testedStatus, testedReason,
		},
		Say: func() (title, notes []string) { return sayOne(follow, all, best, p) },
	}
	if p.given {
		a.Inputs = append(a.Inputs, record.Input{Name: "p", Value: record.Chance(p.value)})
		a.Columns = append(a.Columns, testedP, testedLnP, testedAdjusted, testedLnAdjusted, testedReject)
	}
	rows := make([]tested, len(all))
	for i, test := range all {
		rows[i] = tested{Test: test, best: i == best, by: follow.plan.Neighbours, p: p}
		if p.given && test.Status.Applies() {
			if rows[i].adjusted, err = test.Adjusted(p.value); err != nil {
				return err
			}
		}
	}
	a.Rows = slices.Values(rows)
	if a.Live, err = follow.live(all, &p); err != nil {
		return err
	}
	if err := commands.Emit(c, t, a); err != nil {
		return err
	}
	raw, _ := c.Text("p")
	if number, bound := numbers.UpperBound(raw); bound {
		fmt.Fprintf(c.Stderr, "p %s is read as %s\n", usage.Shown(raw), number)
	}
	return nil
}

func sayOne(follow selection, all []pvalue.Test, best int, p typedP) (title, notes []string) {
	text := "Threshold for the p-value of one selected test at alpha " + record.People(record.Chance(follow.alpha))
	if p.given {
		text += ", p " + record.People(record.Chance(p.value))
	}
	if best >= 0 {
		star := "* " + all[best].Correction.Name + ", greatest threshold: reject if p <= " +
			record.People(legible(all[best].Threshold))
		notes = slices.Concat([]string{star}, intervals(&all[best]), commands.Assumed(all[best].Correction.Assumes))
	}
	return []string{text + ": " + follow.plan.String()}, notes
}
