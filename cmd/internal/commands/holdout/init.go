package holdout

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/dpcalc/dpcalc/cmd/internal/commands"
	"github.com/dpcalc/dpcalc/cmd/internal/commands/goals"
	"github.com/dpcalc/dpcalc/cmd/internal/record"
	"github.com/dpcalc/dpcalc/cmd/internal/usage"
	"github.com/dpcalc/dpcalc/holdout"
	"github.com/dpcalc/dpcalc/holdout/column"
	"github.com/dpcalc/dpcalc/internal/text"
	"github.com/dpcalc/dpcalc/theory"
)

func initCommand() *commands.Command {
	return onLedger(commands.Command{
		Name: "init", Arguments: "DIR", Summary: "make a ledger of labels and a plan, or an open one",
		Description: commands.Described("holdout-init"),
		Flags: slices.Concat(usage.Under(aboutFiles,
			usage.Flag{Name: "labels", Repeats: true, Usage: "the labels of the test set are in `FILE`, a table with columns id and label, or a log"},
			usage.Flag{Name: "incumbent", Usage: "difference: candidates are compared with the predictions in `FILE`"},
			usage.Flag{Name: "plan", Usage: "the plan is in the plan file `FILE`, in place of the flags of a plan"},
			usage.Flag{Name: "scenario", Usage: "use the scenario `NAME` of the plan file"},
			usage.Flag{Name: "dry-run", Switch: true, Usage: "check everything, and write nothing"},
		), goalFlags, usage.Under(aboutShown, testFlag("gate: each look is the one-sided `TEST` of wins and losses against the incumbent, without a bar")),
			declarations, sampleFlags, openDeclarations, logFlags),
		Common: []string{"labels", "queries", "tau", "beta", "feedback", "passes", "threshold", "query", "metrics", "group", "open", "dry-run"},
		Examples: []string{
			"dpcalc holdout init ledger --labels labels.csv -m 20 -b 0.05 --query binary",
			"dpcalc holdout init ledger --labels labels.csv --open -b 0.05",
		},
	}, runInit, 0, 0)
}

func runInit(c *commands.Call, target commands.Target, dir string, _ []string) error {
	files := c.Texts("labels")
	switch {
	case len(files) == 0:
		return usage.Errorf("--labels: got nothing, want a file with the columns id and label")
	case len(files) > 1:
		return usage.Errorf("--labels: got %d files, want one; extend takes rows of others", len(files))
	case files[0] == "-":
		return usage.Errorf("--labels: got -, want a file that stays where it is")
	}
	path := files[0]
	match, _ := c.Text("match")
	positive, _ := c.Text("positive")
	metrics := items(c, "metrics")
	number := holdout.Match(match).LabelsAreNumbers(metrics, positive)
	labels, metrics, err := newLabels(c, path, holdout.Readings, metrics, number)
	if err != nil {
		return err
	}
	terms, err := readTerms(c, labels.Samples())
	if err != nil {
		return err
	}
	terms.Labels, terms.Metrics = path, metrics
	done, err := readIncumbent(c, holdout.Readings, labels, &terms)
	defer done()
	if err != nil {
		return err
	}
	if err := readSample(c, &terms); err != nil {
		return err
	}
	row := initRow{terms: terms, samples: labels.Samples()}
	if _, defaulted := withBeta(c); defaulted && !c.Is("open") && !c.IsGiven("plan") {
		row.beta = goals.DefaultBeta
	}
	var ledger *holdout.Ledger
	if c.Is("dry-run") {
		row.plan, err = holdout.Check(dir, labels, terms)
	} else if ledger, err = holdout.Create(dir, labels, terms); err == nil {
		var status holdout.Status
		status, err = holdout.ReadStatus(dir)
		row.plan, row.chain = ledger.Plan(), status.Chain
	}
	if err != nil && !errors.As(err, &row.none) {
		return err
	}
	err = commands.Emit(c, target, row.answer(dir))
	noted := target.Path == "" && target.Format.Print != nil
	if err == nil && row.plan != nil && !noted {
		for _, warning := range warnings(row.plan) {
			fmt.Fprintln(c.Stderr, "dpcalc: holdout: "+warning)
		}
	}
	if err != nil && row.chain != "" { // a ledger of which nobody is told would be in the way of the next try
		err = errors.Join(err, ledger.Discard(context.WithoutCancel(c.Context)))
	}
	return err
}

// initRow is what init says of the ledger that it made, or why there is none.
type initRow struct {
	plan    *holdout.Plan // nil if there is none
	terms   holdout.Terms
	samples int64
	none    *holdout.PlanError // why there is no plan
	chain   string
	beta    string // the default one, where none was given
}

// promised is the plan's promise, or the terms if there is no plan.
func (m initRow) promised() holdout.Promise {
	if m.plan != nil {
		return m.plan.Promise
	}
	g := m.terms.Goal
	return holdout.Promise{Samples: m.samples, Queries: g.Queries, Tau: g.Tau, Beta: g.Beta, Query: g.Query.String(),
		Feedback: g.Feedback.String()}
}

func (m initRow) method() string {
	if m.plan != nil {
		return m.plan.Method
	}
	return m.terms.Method
}

// verdict is a check where the whole goal was given.
func (m initRow) verdict() commands.Verdict {
	if m.none == nil {
		return commands.Verdict{Method: m.method(), Status: theory.OK, Reason: m.plan.Remark}
	}
	return commands.Verdict{Method: m.method(), Status: theory.Infeasible, Reason: m.none.Reason, Refuted: m.none.Checked}
}

func (m initRow) answer(dir string) commands.Answer[initRow] {
	inputs := folder(dir)
	if m.beta != "" {
		inputs = append(inputs, record.Input{Name: "beta", Value: record.Beta(m.promised().Beta)})
	}
	columns := slices.Concat(commands.VerdictColumns(initRow.verdict, "method"), []record.Column[initRow]{
		{Name: "samples", Title: "rows", Cell: func(m initRow) record.Cell { return record.Count(m.promised().Samples) }},
		{Name: "queries", Title: "looks", Cell: func(m initRow) record.Cell { return record.Count(m.promised().Queries) }},
		{Name: "tau", Cell: func(m initRow) record.Cell { return record.Number(m.promised().Tau) }},
		{Name: "beta", Cell: func(m initRow) record.Cell { return record.Beta(m.promised().Beta) }},
		{Name: "query", Cell: func(m initRow) record.Cell { return record.Words(m.promised().Query) }},
		{Name: "feedback", Cell: func(m initRow) record.Cell { return record.Words(m.promised().Feedback) }},
	}, commands.VerdictColumns(initRow.verdict, "status", "reason"), []record.Column[initRow]{
		{Name: "chain", Cell: func(m initRow) record.Cell { return record.Words(m.chain) }},
	}, columnsOf(column.LawFields(m.plan, func(m initRow) *holdout.Plan { return m.plan }), nil))
	return commands.Answer[initRow]{
		Command: "holdout", Inputs: inputs, Rows: commands.List([]initRow{m}), Columns: columns, Shown: columns,
		Verdict: initRow.verdict,
		Say: func() (title, notes []string) {
			switch {
			case m.plan == nil:
				return []string{"No ledger: the plan has no certificate"}, nil
			case m.chain == "":
				return []string{"A ledger of this plan would be made in " + usage.Shown(dir) + m.byDefault()}, m.notes()
			}
			return []string{"The ledger " + usage.Shown(dir) + m.byDefault()}, m.notes()
		},
	}
}

// byDefault names the beta that was taken by default, "" where --beta was given.
func (m initRow) byDefault() string {
	if m.beta == "" {
		return ""
	}
	return ", with beta " + m.beta + " by default"
}

// notes are what the promise asks of the rows.
func (m initRow) notes() []string {
	if m.plan.Population != nil || m.plan.Pairs != nil { // whose truth is another
		return warnings(m.plan)
	}
	notes := append(planned(m.plan), promise)
	notes = append(notes, warnings(m.plan)...)
	if m.plan.Promise.Test != "" {
		notes = append(tested(m.plan), notes...)
	}
	return notes
}

// warnings are what no program can check.
func warnings(p *holdout.Plan) []string {
	list := []string{p.Independence(), alone}
	if p.HasColumns() {
		list = append(list, naming)
	}
	if p.Labels.From != nil {
		list = append(list, "Read only logs of your own runs, never a submitter's: an item may hold its answer.")
	}
	if low := p.Low(); low != nil {
		list = append(list, fmt.Sprintf("A missing value counts as %v, and every interval is about that metric.", *low))
	}
	return list
}

// planned tells people what each look of a plan is about, and how far off its answer may be, where that is not the same
// for all.
func planned(p *holdout.Plan) (notes []string) {
	last := p.Promise.Queries
	if p.Arrival != nil {
		notes = append(notes, fmt.Sprintf("Look 1 is about the first %d rows, and look %d about the first %d: extend adds rows as they come",
			p.RowsAfter(0), last, p.RowsAfter(last)))
	}
	var within []string
	for look := int64(1); p.Tau(1) < p.Tau(last) && look <= last; look *= 10 {
		within = append(within, fmt.Sprintf("look %d within %s", look, text.Up(p.Tau(look))))
	}
	if within != nil {
		notes = append(notes, fmt.Sprintf("Each answer is within a tau of its own: %s, look %d within %s", strings.Join(within, ", "), last, text.Up(p.Tau(last))))
	}
	return notes
}

// tested tells people what a gate of a test asks of a candidate.
func tested(p *holdout.Plan) []string {
	rests := "Its verdicts rest on " + p.RestsOn(p.Metric)
	level := fmt.Sprintf("What passes is better than the incumbent: each look is tested at the level %s, beta over the number of tests that could be asked",
		record.People(record.Beta(p.Mechanism.Level)))
	if p.Group != nil {
		return []string{level, rests}
	}
	return []string{fmt.Sprintf("%s. With 0, 5 and 20 losses a candidate passes with %d, %d and %d wins.", level, p.WinsNeeded(0), p.WinsNeeded(5),
		p.WinsNeeded(20)), rests}
}
