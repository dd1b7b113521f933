package pvalues

import (
	"slices"

	"github.com/dpcalc/dpcalc/cmd/internal/commands"
	"github.com/dpcalc/dpcalc/cmd/internal/commands/steps"
	"github.com/dpcalc/dpcalc/cmd/internal/numbers"
	"github.com/dpcalc/dpcalc/cmd/internal/record"
	"github.com/dpcalc/dpcalc/cmd/internal/usage"
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
	return verdictOf(r.Correction, r.status, r.reason, r.best, r.by)
}

// value is a cell of a row that has an alpha.
func (r levelled) value(c record.Cell) record.Cell { return c.If(r.status.Applies()) }

type levelledColumn = record.Column[levelled]

var (
	levelledAlpha = levelledColumn{Name: "alpha",
		Cell: func(r levelled) record.Cell { return r.value(record.Chance(r.alpha)) }}
	levelledColumns = slices.Concat(commands.VerdictColumns(levelled.verdict, "method"), []levelledColumn{
		{Name: "confidence", Cell: func(r levelled) record.Cell { return levelCell(r.level) }}, levelledAlpha,
		{Name: "ln_alpha", Cell: func(r levelled) record.Cell { return r.value(record.Exactly(r.alpha.Ln())) }},
	}, commands.VerdictColumns(levelled.verdict, verdictNames...))
	levelledShown = slices.Concat(commands.VerdictColumns(levelled.verdict, "", "method"), []levelledColumn{levelledAlpha},
		commands.VerdictColumns(levelled.verdict, "proof", "status", "reason"))
)

// levels are what --level may be.
var levels = parsing(numbers.Confidences, "a number in (0, 1)", func(s string) (theory.LogProb, bool) {
	level, err := pvalue.ParseConfidence(s)
	return level.Miss, err == nil
})

// levelQuestion is for which alpha intervals of a level are enough.
type levelQuestion struct {
	level  pvalue.Confidence
	plan   steps.TypedPlan
	source string
	choice
}

func readLevel(c usage.Values) (q levelQuestion, err error) {
	text, _ := c.Text("level")
	if q.level, err = pvalue.ParseConfidence(text); err != nil {
		return q, usage.Invalid("level", text, levels.Wanted(text))
	}
	if q.choice, err = readChoice(c); err != nil {
		return q, err
	}
	if q.plan, q.source, err = readSource(c); err != nil {
		return q, err
	}
	_, err = q.plan.Quantities() // for its domain
	return q, err
}

// solve returns a row for each correction.
func (q levelQuestion) solve() (rows []levelled, err error) {
	corrections, err := pvalue.Corrections(q.plan.Plan)
	if status, reason, err := theory.StatusOf(err); err != nil || status != theory.OK {
		return []levelled{{level: q.level, by: q.plan.Neighbours, status: status, reason: reason}}, err
	}
	for i := range corrections { // Coq checks p-values behind a gate
		corrections[i].InCoq = corrections[i].InCoq && corrections[i].Name != "gates"
	}
	of := func(c pvalue.Correction) pvalue.Correction { return c }
	if corrections, err = only(corrections, of, q.choice, q.plan.Neighbours); err != nil {
		return nil, err
	}
	best := -1
	rows = make([]levelled, len(corrections))
	for i, correction := range corrections {
		r := levelled{Correction: correction, level: q.level, by: q.plan.Neighbours}
		r.alpha, err = correction.Alpha(q.level)
		if r.status, r.reason, err = theory.StatusOf(err); err != nil {
			return nil, err
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
	return rows, nil
}

// inputs repeats what was asked.
func (q levelQuestion) inputs() []record.Input {
	return slices.Concat([]record.Input{{Name: "level", Value: record.Words(q.level.String())},
		{Name: "by", Value: record.Words(q.source)}}, q.plan.Inputs())
}

// say is what people are told of one level.
func (q levelQuestion) say(rows []levelled) (title, notes []string) {
	title = []string{"The alpha at which intervals of confidence " + q.level.Text(6) + " hold for what was selected: " +
		q.plan.String()}
	best := bestOf(rows, levelled.verdict)
	if best == nil {
		return title, nil
	}
	star := "* " + best.Name + ", least alpha: " + record.People(record.Chance(best.alpha))
	return title, append([]string{star}, commands.Assumed(best.Assumes)...)
}

// alphas asks for which alpha intervals of a level are enough.
func alphas(c *commands.Call, t commands.Target, g grid) error {
	source, _ := c.Text("by")
	return ask(c, t, g, question[levelled, levelQuestion]{
		columns: levelledColumns, shown: levelledShown, verdict: levelled.verdict, read: readLevel,
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
