package pvalues

import (
	"slices"

	"github.com/dpcalc/dpcalc/internal/commands"
	"github.com/dpcalc/dpcalc/internal/commands/steps"
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

// levelCell is a level as a float64, or as the decimal that it is where no float64 is below one.
func levelCell(level pvalue.Confidence) record.Cell {
	if x, ok := level.Float(); ok {
		return record.Exactly(x)
	}
	return record.Complement(level.String())
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
	return commands.Verdict{
		Method: r.Name, Status: r.status, Reason: r.reason, Sources: r.by.Sources(r.Sources), Proof: r.Proof,
		Best: r.best,
	}
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
	levelledBest  = levelledColumn{Name: "best", Cell: func(r levelled) record.Cell { return record.Truth(r.best) }}
	levelledProof = levelledColumn{Name: "proof",
		Cell: func(r levelled) record.Cell { return record.Words(string(r.Proof)) }}
	levelledStatus = levelledColumn{Name: "status",
		Cell: func(r levelled) record.Cell { return record.Words(string(r.status)) }}
	levelledReason  = levelledColumn{Name: "reason", Cell: func(r levelled) record.Cell { return record.Words(r.reason) }}
	levelledSources = levelledColumn{Name: "sources",
		Cell: func(r levelled) record.Cell { return record.Sources(r.verdict().Sources) }}
	levelledAssumes = levelledColumn{Name: "assumes", Cell: func(r levelled) record.Cell { return record.List(r.Assumes) }}
	levelledBy      = levelledColumn{Name: commands.NeighboursKey,
		Cell: func(r levelled) record.Cell { return record.Words(string(r.by)) }}
)

// levels are what --level may be.
var levels = parsing(numbers.Confidences, "a number in (0, 1)", func(s string) (theory.LogProb, bool) {
	level, err := pvalue.ParseConfidence(s)
	return level.Miss, err == nil
})

// levelQuestion is for which alpha intervals of a level are enough.
type levelQuestion struct {
	level  pvalue.Confidence
	plan   steps.Learned
	source string
	method string
}

func readLevel(c usage.Values) (q levelQuestion, err error) {
	text, _ := c.Text("level")
	if q.level, err = pvalue.ParseConfidence(text); err != nil {
		return q, usage.Invalid("level", text, levels.Wanted(text))
	}
	q.method, _ = c.Text("method")
	if q.plan, q.source, err = readSource(c); err != nil {
		return q, err
	}
	_, err = q.plan.Quantities() // for its domain
	return q, err
}

// solve returns a row for each correction, and the index of the best.
func (q levelQuestion) solve() (rows []levelled, best int, err error) {
	corrections, err := pvalue.Corrections(q.plan.Plan)
	if status, reason, err := theory.StatusOf(err); err != nil || status != theory.OK {
		return []levelled{{level: q.level, by: q.plan.Neighbours, status: status, reason: reason}}, -1, err
	}
	if q.method != "" {
		name := func(c pvalue.Correction) string { return c.Name }
		if corrections, err = only(corrections, name, q.method); err != nil {
			return nil, -1, err
		}
	}
	rows, best = make([]levelled, len(corrections)), -1
	for i, correction := range corrections {
		r := levelled{Correction: correction, level: q.level, by: q.plan.Neighbours}
		r.alpha, err = correction.Alpha(q.level)
		if r.status, r.reason, err = theory.StatusOf(err); err != nil {
			return nil, -1, err
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
	return rows, best, nil
}

var (
	levelledColumns = []levelledColumn{
		levelledMethod, levelledLevel, levelledAlpha, levelledLnAlpha, levelledBest, levelledProof, levelledStatus,
		levelledReason, levelledSources, levelledAssumes, levelledBy,
	}
	levelledShown = []levelledColumn{
		levelledStar, levelledMethod, levelledAlpha, levelledProof, levelledStatus, levelledReason,
	}
)

// alphaOf says for which alpha intervals of a level are enough.
func alphaOf(c *commands.Call, t commands.Target) error {
	q, err := readLevel(c)
	if err != nil {
		return err
	}
	rows, best, err := q.solve()
	if err != nil {
		return err
	}
	err = commands.Emit(c, t, commands.Answer[levelled]{
		Command: command, Rows: slices.Values(rows), Verdict: levelled.verdict,
		Inputs: slices.Concat([]record.Input{{Name: "level", Value: record.Words(q.level.String())},
			{Name: "by", Value: record.Words(q.source)}}, q.plan.Inputs()),
		Columns: levelledColumns, Shown: levelledShown,
		Say: func() (title, notes []string) {
			title = []string{"The alpha at which intervals of confidence " + q.level.Text(6) +
				" hold for what was selected: " + q.plan.String()}
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

// alphaOfAll says it for every combination of lists.
func alphaOfAll(c *commands.Call, t commands.Target, g grid) error {
	source, _ := c.Text("by")
	return overLists(c, t, g, question[levelled]{
		columns: levelledColumns, shown: levelledShown, verdict: levelled.verdict,
		read: func(v usage.Values) (func() ([]levelled, error), error) {
			q, err := readLevel(v)
			return func() ([]levelled, error) {
				rows, _, err := q.solve()
				return rows, err
			}, err
		},
		refused: func(reason string) levelled {
			return levelled{Correction: pvalue.Correction{Name: source}, status: theory.NotApplicable, reason: reason}
		},
		inputs: g.inputs(source),
		title:  "The alpha at which intervals hold for what was selected: " + g.told(source),
		star:   "least alpha", drawn: "alpha",
		height: func(r levelled) record.Cell { return r.value(record.Chance(r.alpha)) },
	})
}

// against is the losses of paired outcomes, for which the wins are asked.
type against struct {
	losses int64
	given  bool
}

// readPairs reads the wins and losses of paired outcomes as a p-value, and losses alone as the question how many
// wins it takes.
func readPairs(c usage.Values) (p typedP, a against, err error) {
	wins, hasWins, err := numbers.One(c, "wins", numbers.Wholes)
	if err != nil {
		return p, a, err
	}
	losses, hasLosses, err := numbers.One(c, "losses", numbers.Wholes)
	switch {
	case err != nil:
		return p, a, err
	case !hasWins && !hasLosses:
		return p, a, nil
	case !hasLosses:
		return p, a, usage.Errorf("--losses: got nothing, want a value to go with --wins")
	case hasWins && wins == 0 && losses == 0:
		return p, a, usage.Errorf("--wins: got 0 with --losses 0, want a pair that does not agree")
	}
	if _, ok := c.Text("p"); ok {
		flag := "wins"
		if !hasWins {
			flag = "losses"
		}
		return p, a, usage.Errorf("--%s: given with --p, want one of the two", flag)
	}
	if !hasWins {
		return p, against{losses, true}, nil
	}
	p.given = true
	p.value, err = pvalue.Pairs{Wins: wins, Losses: losses}.PValue()
	return p, a, err
}
