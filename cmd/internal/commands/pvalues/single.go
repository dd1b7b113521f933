package pvalues

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/dpcalc/dpcalc/cmd/internal/commands"
	"github.com/dpcalc/dpcalc/cmd/internal/numbers"
	"github.com/dpcalc/dpcalc/cmd/internal/record"
	"github.com/dpcalc/dpcalc/cmd/internal/usage"
	"github.com/dpcalc/dpcalc/maxinfo"
	"github.com/dpcalc/dpcalc/pvalue"
	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer/certificate"
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
	return verdictOf(r.Correction, r.Status, r.Reason, r.best, r.by)
}

// value is a cell of a row that has a threshold.
func (r tested) value(c record.Cell) record.Cell { return c.If(r.Status.Applies()) }

// ofP is a cell of a row that says something of a p-value.
func (r tested) ofP(c func() record.Cell) record.Cell {
	if !r.p.given || !r.Status.Applies() {
		return record.Cell{}
	}
	return c()
}

type testedColumn = record.Column[tested]

// thresholdColumn is a column of rows that have a threshold.
func thresholdColumn(name string, cell func(tested) record.Cell) testedColumn {
	return testedColumn{Name: name, Cell: func(r tested) record.Cell { return r.value(cell(r)) }}
}

// adjustedColumn is a column of what a row says of a p-value.
func adjustedColumn(name string, cell func(tested) record.Cell) testedColumn {
	return testedColumn{Name: name, Cell: func(r tested) record.Cell {
		return r.ofP(func() record.Cell { return cell(r) })
	}}
}

var (
	testedColumns = slices.Concat(commands.VerdictColumns(tested.verdict, "method"), []testedColumn{
		{Name: "alpha", Cell: func(r tested) record.Cell { return record.Chance(r.Alpha) }},
		{Name: "ln_alpha", Cell: func(r tested) record.Cell { return record.Exactly(r.Alpha.Ln()) }},
		thresholdColumn("threshold", func(r tested) record.Cell { return thresholdCell(&r.Test) }),
		thresholdColumn("ln_threshold", func(r tested) record.Cell { return record.Exactly(r.Threshold.Ln()) }),
	}, commands.VerdictColumns(tested.verdict, verdictNames...), []testedColumn{
		thresholdColumn("confidence", func(r tested) record.Cell { return confidenceCell(&r.Test) }),
	})

	// pColumns are further ones where there is a p-value.
	pColumns = []testedColumn{
		{Name: "p", Cell: func(r tested) record.Cell { return record.Chance(r.p.value) }},
		{Name: "ln_p", Cell: func(r tested) record.Cell { return record.Exactly(r.p.value.Ln()) }},
		adjustedColumn("p_adjusted", func(r tested) record.Cell { return adjustedCell(&r.Test, r.adjusted) }),
		adjustedColumn("ln_p_adjusted", func(r tested) record.Cell { return record.Exactly(r.adjusted.Ln()) }),
		adjustedColumn("reject", func(r tested) record.Cell { return record.Truth(r.adjusted <= r.Alpha) }),
	}

	// winColumns are further ones where the wins are asked for.
	winColumns = []testedColumn{
		{Name: "losses", Cell: func(r tested) record.Cell { return record.Whole(r.against.losses) }},
		{Name: "wins_needed", Cell: tested.winsNeeded},
	}
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

// typedP is a p-value, if one was typed.
type typedP struct {
	value theory.LogProb
	given bool
}

// request is the question for thresholds.
type request struct {
	selection
	p             typedP
	against       against
	family, basis string // of a FILE; the basis is "" without a family
}

func readRequest(c usage.Values) (r request, err error) {
	if r.alpha, err = readAlpha(c); err != nil {
		return r, err
	}
	r.fixed = isPlain(c)
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
	if r.choice, err = readChoice(c); err != nil {
		return r, err
	}
	if r.family, r.basis, err = readFamily(c); err != nil {
		return r, err
	}
	if r.source == byFree || r.fixed {
		return r, nil
	}
	_, err = r.plan.Quantities() // for its domain
	return r, err
}

// solve returns a row for each test, with what it makes of p.
func (r request) solve() ([]tested, error) {
	all, best, err := r.tests()
	if err != nil {
		return nil, err
	}
	rows := make([]tested, len(all))
	for i, test := range all {
		rows[i] = tested{Test: test, best: i == best, by: r.plan.Neighbours, p: r.p, against: r.against}
		if r.p.given && test.Status.Applies() {
			if rows[i].adjusted, err = test.Adjusted(r.p.value); err != nil {
				return nil, err
			}
		}
	}
	return rows, nil
}

// columns are those for machines and for people.
func (r request) columns() (columns, shown []testedColumn) {
	columns = testedColumns
	shown = slices.Concat(commands.VerdictColumns(tested.verdict, "", "method"), record.Named(testedColumns, "threshold"))
	if r.p.given {
		columns = slices.Concat(columns, pColumns)
		shown = append(shown, record.Named(pColumns, "p_adjusted", "reject")...)
	}
	if r.against.given {
		columns = slices.Concat(columns, winColumns)
		shown = append(shown, winColumns[1])
	}
	return columns, append(shown, commands.VerdictColumns(tested.verdict, "proof", "status", "reason")...)
}

// inputs repeats what was asked.
func (r request) inputs() []record.Input {
	all := slices.Concat([]record.Input{{Name: "alpha", Value: record.Chance(r.alpha)},
		{Name: "by", Value: record.Words(r.source)}}, r.plan.Inputs(), r.choice.inputs(), []record.Input{
		{Name: "family", Value: record.Words(r.family)},
		{Name: "family_on", Value: record.Words(r.basis)},
	})
	if r.p.given {
		all = append(all, record.Input{Name: "p", Value: record.Chance(r.p.value)})
	}
	return all
}

// thresholds asks for the threshold of each test.
func thresholds(c *commands.Call, t commands.Target, g grid) error {
	first, err := readRequest(g.Point(0))
	if several := len(g.lists) > 0; several && isRefusal(err) {
		first.source, _ = c.Text("by")
	} else if err != nil {
		return err
	}
	if err := first.fileless(c); err != nil {
		return err
	}
	q := question[tested, request]{
		read: readRequest, verdict: tested.verdict,
		refused: func(reason string) tested {
			test := pvalue.Test{Alpha: first.alpha, Status: theory.NotApplicable, Reason: reason}
			test.Correction.Name = first.source
			return tested{Test: test, against: first.against}
		},
		inputs: g.inputs(first.source, first.choice.inputs()...),
		title:  "Threshold for the p-value of one selected test: " + g.told(first.source),
		star:   "greatest threshold", drawn: "threshold",
		height: func(r tested) record.Cell { return r.value(record.Chance(r.Threshold)) },
		report: request.report,
	}
	proof, err := c.ReadCertificate(t, func() (string, error) { return first.proof(c, g) })
	if err != nil {
		return err
	}
	q.then = func() error { return errors.Join(tellBounds(c.Stderr, g.texts("p")), c.WriteCertificate(proof)) }
	q.columns, q.shown = first.columns()
	switch {
	case first.against.given:
		q.drawn, q.height = "wins needed", tested.winsNeeded
	case first.p.given && g.has("p", "wins", "losses"):
		q.drawn, q.height = "p adjusted", record.Named(pColumns, "p_adjusted")[0].Cell
	}
	return ask(c, t, g, q)
}

// certifiable refuses --certificate where no file proves the threshold.
func certifiable(c *commands.Call, path string) error {
	by, _ := c.Text("by")
	switch {
	case !c.IsGiven("certificate"):
		return nil
	case path != "":
		return usage.Errorf("--certificate: given with %s, want the threshold of one test", usage.Shown(path))
	case by != "" && by != "description" && by != "gates":
		return usage.Errorf("--certificate: got --by %s, of which Coq does not evaluate the numbers, want --by description or gates", by)
	case c.IsGiven("bits"):
		return usage.Errorf("--certificate: got --bits, want --outcomes: a file counts tests")
	}
	return nil
}

// proof is the file of --certificate. An answer without a threshold says why.
func (r request) proof(c usage.Values, g grid) (string, error) {
	if len(g.lists) > 0 {
		return "", usage.Errorf("got a list for --%s, want one value", g.lists[0].flag)
	}
	rows, err := r.solve()
	if err != nil || bestOf(rows, tested.verdict) == nil {
		return "", err
	}
	if gates, ok := r.plan.Steps[0].(maxinfo.Gates); ok {
		return certificate.Gates(gates.Looks, gates.Passes, r.alpha)
	}
	tests, _, err := numbers.One(c, "outcomes", numbers.Counts)
	if err != nil {
		return "", usage.Errorf("got a power for --outcomes, want at most 2^53")
	}
	return certificate.Selected(tests, r.alpha)
}

// tellBounds says of p-values that are upper bounds how they are read.
func tellBounds(w io.Writer, texts []string) error {
	for _, raw := range texts {
		if number, bound := numbers.UpperBound(raw); bound {
			fmt.Fprintf(w, "p %s is read as %s\n", usage.Shown(raw), number)
		}
	}
	return nil
}

// Best is the row of the best correction by the names of its columns, nil if none leaves a threshold.
func Best(c usage.Values, stderr io.Writer) (map[string]record.Cell, error) {
	r, err := readRequest(c)
	if err != nil {
		return nil, err
	}
	rows, err := r.solve()
	best := bestOf(rows, tested.verdict)
	if err != nil || best == nil {
		return nil, err
	}
	p, _ := c.Text("p")
	columns, _ := r.columns()
	row := make(map[string]record.Cell)
	for _, column := range columns {
		row[column.Name] = column.Cell(*best)
	}
	return row, tellBounds(stderr, []string{p})
}

// say is what people are told of one threshold.
func (r request) say(rows []tested) (title, notes []string) {
	text := "Threshold for the p-value of one selected test at alpha " + record.People(record.Chance(r.alpha))
	if r.p.given {
		text += ", p " + record.People(record.Chance(r.p.value))
	}
	if b := bestOf(rows, tested.verdict); b != nil {
		star := "* " + b.Correction.Name + ", greatest threshold: reject if p <= " + record.People(thresholdCell(&b.Test))
		notes = slices.Concat([]string{star}, b.saysWins(), intervals(&b.Test), commands.Assumed(b.Correction.Assumes))
	}
	learned := r.plan.String()
	if r.source == byFree {
		learned = "a free look"
	}
	return []string{text + ": " + learned}, notes
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
