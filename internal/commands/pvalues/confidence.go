package pvalues

import (
	"slices"

	"github.com/dpcalc/dpcalc/internal/commands"
	"github.com/dpcalc/dpcalc/internal/numbers"
	"github.com/dpcalc/dpcalc/internal/record"
	"github.com/dpcalc/dpcalc/internal/usage"
	"github.com/dpcalc/dpcalc/pvalue"
	"github.com/dpcalc/dpcalc/theory"
)

// confidenceCell is the level of an interval for what was selected, missing where none is enough.
func confidenceCell(t *pvalue.Test) record.Cell {
	level, err := t.Confidence()
	if err != nil {
		return record.Cell{}
	}
	return levelCell(level)
}

// levelCell is a level as a float64, or in words where none is below one.
func levelCell(level pvalue.Confidence) record.Cell {
	if x, ok := level.Float(); ok {
		return record.Exactly(x)
	}
	return record.Words(level.String())
}

// intervals is what people are told of intervals.
func intervals(t *pvalue.Test) []string {
	level, err := t.Confidence()
	if err != nil {
		return nil
	}
	return []string{"Intervals for what was selected: confidence " + level.Text(3)}
}

// levelled is a row: the least alpha at which an interval of a level is enough.
type levelled struct {
	pvalue.Correction
	level  pvalue.Confidence
	alpha  theory.LogProb
	status theory.Status
	reason string
	best   bool
	by     commands.Convention
}

func (r levelled) verdict() commands.Verdict {
	return commands.Verdict{Method: r.Name, Status: r.status, Reason: r.reason, Sources: r.by.Sources(r.Sources), Best: r.best}
}

// value is a cell of a row that has an alpha.
func (r levelled) value(c record.Cell) record.Cell {
	if !r.status.Applies() {
		return record.Cell{}
	}
	return c
}

type levelledColumn = record.Column[levelled]

var (
	levelledStar   = levelledColumn{Cell: func(r levelled) record.Cell { return record.Mark(r.best) }}
	levelledMethod = levelledColumn{Name: "method", Cell: func(r levelled) record.Cell { return record.Words(r.Name) }}
	levelledLevel  = levelledColumn{Name: "confidence", Cell: func(r levelled) record.Cell { return levelCell(r.level) }}
	levelledAlpha  = levelledColumn{Name: "alpha",
		Cell: func(r levelled) record.Cell { return r.value(record.Chance(r.alpha)) }}
	levelledLnAlpha = levelledColumn{Name: "ln_alpha",
		Cell: func(r levelled) record.Cell { return r.value(record.Exactly(r.alpha.Ln())) }}
	levelledBest   = levelledColumn{Name: "best", Cell: func(r levelled) record.Cell { return record.Truth(r.best) }}
	levelledProof  = levelledColumn{Name: "proof", Cell: func(r levelled) record.Cell { return record.Words(string(r.Proof)) }}
	levelledStatus = levelledColumn{Name: "status",
		Cell: func(r levelled) record.Cell { return record.Words(string(r.status)) }}
	levelledReason  = levelledColumn{Name: "reason", Cell: func(r levelled) record.Cell { return record.Words(r.reason) }}
	levelledSources = levelledColumn{Name: "sources",
		Cell: func(r levelled) record.Cell { return record.Sources(r.verdict().Sources) }}
	levelledAssumes = levelledColumn{Name: "assumes", Cell: func(r levelled) record.Cell { return record.List(r.Assumes) }}
	levelledBy      = levelledColumn{Name: commands.NeighboursKey,
		Cell: func(r levelled) record.Cell { return record.Words(string(r.by)) }}
)

// alphaOf says for which alpha intervals of a level are enough.
func alphaOf(c *commands.Call, t commands.Target, text string) error {
	level, err := pvalue.ParseConfidence(text)
	if err != nil {
		return usage.Invalid("level", text, "a number in (0, 1)")
	}
	plan, source, err := readSource(c)
	if err != nil {
		return err
	}
	corrections, err := pvalue.Corrections(plan.Plan)
	if err != nil {
		return err
	}
	rows, best := make([]levelled, len(corrections)), -1
	for i, correction := range corrections {
		r := levelled{Correction: correction, level: level, by: plan.Neighbours}
		r.alpha, err = correction.Alpha(level)
		if r.status, r.reason, err = theory.StatusOf(err); err != nil {
			return err
		}
		if r.status == theory.OK && r.alpha == 0 {
			r.status, r.reason = theory.Vacuous, "alpha is 1"
		}
		if rows[i] = r; r.status == theory.OK && (best < 0 || r.alpha < rows[best].alpha) {
			best = i
		}
	}
	if best >= 0 {
		rows[best].best = true
	}
	err = commands.Emit(c, t, commands.Answer[levelled]{
		Command: command, Rows: slices.Values(rows), Verdict: levelled.verdict,
		Inputs: slices.Concat([]record.Input{{Name: "level", Value: record.Words(level.String())},
			{Name: "by", Value: record.Words(source)}}, plan.Inputs()),
		Columns: []levelledColumn{
			levelledMethod, levelledLevel, levelledAlpha, levelledLnAlpha, levelledBest, levelledProof, levelledStatus,
			levelledReason, levelledSources, levelledAssumes, levelledBy,
		},
		Shown: []levelledColumn{
			levelledStar, levelledMethod, levelledAlpha, levelledProof, levelledStatus, levelledReason,
		},
		Say: func() (title, notes []string) {
			title = []string{"The alpha at which intervals of confidence " + level.Text(6) + " hold for what was selected: " +
				plan.String()}
			if best < 0 {
				return title, nil
			}
			star := "* " + rows[best].Name + ", least alpha: " + record.People(record.Chance(rows[best].alpha))
			return title, append([]string{star}, commands.Assumed(rows[best].Assumes)...)
		},
	})
	if err == nil && best < 0 {
		return usage.Outcome(usage.ExitNoAnswer)
	}
	return err
}

// readPairs reads the wins and losses of paired outcomes as a p-value.
func readPairs(c usage.Values) (p typedP, err error) {
	wins, hasWins, err := numbers.One(c, "wins", numbers.Wholes)
	if err != nil {
		return p, err
	}
	losses, hasLosses, err := numbers.One(c, "losses", numbers.Wholes)
	switch {
	case err != nil:
		return p, err
	case !hasWins && !hasLosses:
		return p, nil
	case !hasWins:
		return p, usage.Errorf("--wins: got nothing, want a value to go with --losses")
	case !hasLosses:
		return p, usage.Errorf("--losses: got nothing, want a value to go with --wins")
	case wins == 0 && losses == 0:
		return p, usage.Errorf("--wins: got 0 with --losses 0, want a pair that does not agree")
	}
	if _, ok := c.Text("p"); ok {
		return p, usage.Errorf("--wins: given with --p, want one of the two")
	}
	p.given = true
	p.value, err = pvalue.Pairs{Wins: wins, Losses: losses}.PValue()
	return p, err
}
