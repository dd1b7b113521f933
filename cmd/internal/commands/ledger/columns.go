package ledger

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dpcalc/dpcalc/cmd/internal/commands"
	"github.com/dpcalc/dpcalc/cmd/internal/record"
	"github.com/dpcalc/dpcalc/cmd/internal/usage"
	"github.com/dpcalc/dpcalc/holdout"
	"github.com/dpcalc/dpcalc/internal/text"
	"github.com/dpcalc/dpcalc/theory"
)

// The columns of a ledger's rows, which answers over HTTP have too.
var (
	titles    = map[string]string{"looks": "looks taken", "samples": "rows", "queries": "looks", "next_rows": "rows of the next look"}
	responses = columnsOf(holdout.ResponseFields, nil)
)

// columnsOf makes columns of fields, some under a title of their own.
func columnsOf[R any](fields []holdout.Field[R], titles map[string]string) (columns []record.Column[R]) {
	for _, f := range fields {
		columns = append(columns, record.Column[R]{Name: f.Name, Title: titles[f.Name],
			Cell: func(r R) record.Cell { return cellOf(f.Value(r), f.Typed) }})
	}
	return columns
}

// cellOf is the cell of a field's value.
func cellOf(value any, typed bool) record.Cell {
	switch v := value.(type) {
	case int64:
		return record.Whole(v)
	case float64:
		return record.Exactly(v)
	case bool:
		return record.Truth(v)
	case theory.LogProb:
		return record.Beta(v)
	case string:
		if typed && v != "" {
			return record.Foreign(v)
		}
		return record.Words(v)
	}
	return record.Cell{}
}

// folder repeats the ledger.
func folder(dir string) []record.Input {
	return []record.Input{{Name: "dir", Value: record.Words(dir)}}
}

// promise tells people the promise of a ledger.
const promise = "The truth of a look is the mean over fresh labels of the same rows: the population's value only for predictions of a model that was made without these rows."

// alone warns of other looks at the rows, which a ledger cannot see.
const alone = "One set of labels, one ledger: a second ledger or a fixed plan on the same rows voids the promises of both, and nothing can detect it."

// naming warns of names that tell what a column holds.
const naming = "A look at a column is known by its --name: use a commit or a number, never a hash of the file, which equal values would share."

// made is the row of init.
type made struct {
	plan    *holdout.Plan // nil if there is none
	terms   holdout.Terms
	samples int64
	none    *holdout.PlanError // why there is no plan
	chain   string
}

// promised is the plan's promise, or the terms if there is no plan.
func (m made) promised() holdout.Promise {
	if m.plan != nil {
		return m.plan.Promise
	}
	g := m.terms.Goal
	return holdout.Promise{Samples: m.samples, Queries: g.Queries, Tau: g.Tau, Beta: g.Beta, Query: g.Query.String(),
		Feedback: g.Feedback.String()}
}

func (m made) method() string {
	if m.plan != nil {
		return m.plan.Method
	}
	return m.terms.Method
}

// verdict of a goal that was given whole is that of a check.
func (m made) verdict() commands.Verdict {
	if m.none == nil {
		return commands.Verdict{Method: m.method(), Status: theory.OK, Reason: m.plan.Remark()}
	}
	return commands.Verdict{Method: m.method(), Status: theory.Infeasible, Reason: m.none.Reason, Refuted: m.none.Checked}
}

func (m made) answer(dir string) commands.Answer[made] {
	columns := slices.Concat(commands.VerdictColumns(made.verdict, "method"), []record.Column[made]{
		{Name: "samples", Title: "rows", Cell: func(m made) record.Cell { return record.Count(m.promised().Samples) }},
		{Name: "queries", Title: "looks", Cell: func(m made) record.Cell { return record.Count(m.promised().Queries) }},
		{Name: "tau", Cell: func(m made) record.Cell { return record.Number(m.promised().Tau) }},
		{Name: "beta", Cell: func(m made) record.Cell { return record.Beta(m.promised().Beta) }},
		{Name: "query", Cell: func(m made) record.Cell { return record.Words(m.promised().Query) }},
		{Name: "feedback", Cell: func(m made) record.Cell { return record.Words(m.promised().Feedback) }},
	}, commands.VerdictColumns(made.verdict, "status", "reason"), []record.Column[made]{
		{Name: "chain", Cell: func(m made) record.Cell { return record.Words(m.chain) }},
	}, columnsOf(holdout.LawFields(m.plan, func(m made) *holdout.Plan { return m.plan }), nil))
	return commands.Answer[made]{
		Command: "holdout", Inputs: folder(dir), Rows: commands.List([]made{m}), Columns: columns, Shown: columns,
		Verdict: made.verdict,
		Say: func() (title, notes []string) {
			switch {
			case m.plan == nil:
				return []string{"No ledger: the plan has no certificate"}, nil
			case m.chain == "":
				return []string{"A ledger of this plan would be made in " + usage.Shown(dir)}, m.notes()
			}
			return []string{"The ledger " + usage.Shown(dir)}, m.notes()
		},
	}
}

// notes are what the promise asks of the rows.
func (m made) notes() []string {
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

// but returns the columns without some: people do not read hashes in a wide table.
func but[R any](columns []record.Column[R], names ...string) (rest []record.Column[R]) {
	for _, c := range columns {
		if !slices.Contains(names, c.Name) {
			rest = append(rest, c)
		}
	}
	return rest
}

// forPeople are the columns of fields as people read them, without some.
func forPeople[R any](fields []holdout.Field[R], of func(R) holdout.Line, hidden ...string) []record.Column[R] {
	return but(columnsOf(holdout.ForPeople(fields, of), nil), hidden...)
}

// looked is the answer to score. A refused look has no answer, and its reason goes to standard error.
func looked(c *commands.Call, answers []holdout.Answer, refused *holdout.RefusedError,
	dir string) commands.Answer[holdout.Answer] {
	dry, fields := c.Is("dry-run"), holdout.FieldsOf(answers[0].Plan)
	columns := columnsOf(fields, nil)
	shown := forPeople(fields, func(a holdout.Answer) holdout.Line { return *a.Open }, "repeated", "rests_on", "conditions")
	if answers[0].Open != nil {
		shown = but(shown, "method", "response", "best_truth")
	}
	return commands.Answer[holdout.Answer]{
		Command: "holdout", Inputs: folder(dir), Rows: commands.List(answers), Columns: columns, Shown: shown,
		Verdict: func(a holdout.Answer) commands.Verdict {
			if refused != nil {
				return commands.Verdict{Status: theory.Infeasible}
			}
			no := []string{holdout.Fail, holdout.NotRejected, holdout.Refused}
			return commands.Verdict{Refuted: slices.Contains(no, a.Verdict)}
		},
		Then: func() error {
			if refused != nil {
				fmt.Fprintf(c.Stderr, "dpcalc: holdout: %v\n", refused)
			}
			for _, a := range answers {
				if a.Key != "" && a.Counts.Rows > 0 && !dry { // for the owner alone: the values may follow from labels
					fmt.Fprintln(c.Stderr, "dpcalc: holdout: "+countsOf(a))
				}
				if a.Counts.Remark != "" {
					fmt.Fprintf(c.Stderr, "dpcalc: holdout: %s\n", a.Counts.Remark)
				}
			}
			return nil
		},
		Say: func() (title, notes []string) {
			for _, a := range answers {
				if a.Counts.Rows > 0 && a.Key == "" {
					notes = append(notes, countsOf(a))
				}
				if on := a.RestsOn(); on != "" && refused == nil {
					notes = append(notes, "The verdict rests on "+on)
				}
				if a.Open != nil && a.Open.Best.Lower != nil {
					notes = append(notes, "The best truth of all that this board was shown is "+a.Open.Best.String())
				}
				notes = append(notes, conditionsOf(a)...)
				if a.Known && a.Key != "" {
					notes = append(notes, "repeated; no values were compared")
				} else if a.Known {
					notes = append(notes, fmt.Sprintf("Look %d is known: it costs nothing", a.Look))
				}
			}
			if dry {
				return []string{"A look would be taken as follows; nothing was"}, notes
			}
			return nil, append(notes, answers[0].Plan.Independence(), "chain "+answers[0].Chain)
		},
	}
}

// conditionsOf tells people what a verdict on several conditions says.
func conditionsOf(a holdout.Answer) (notes []string) {
	if a.Told == "" || a.Verdict == "" {
		return nil
	}
	says := "The pass says of all conditions:"
	if a.Verdict == holdout.Fail {
		says = "The fail says of at least one condition, and not of which:"
	}
	return append([]string{says}, strings.Split(a.Told, "; ")...)
}

// countsOf says how the predictions look without any label: a column that was swapped shows here.
func countsOf(a holdout.Answer) string {
	of := "The predictions"
	if a.Name != "" {
		of += " of " + usage.Shown(a.Name)
	}
	return fmt.Sprintf("%s: %d rows, %d of them empty, %d distinct values", of, a.Counts.Rows, a.Counts.Empty,
		a.Counts.Distinct)
}

func statusOf(s holdout.Status, dir string) commands.Answer[holdout.Status] {
	columns := columnsOf(holdout.StatusFieldsOf(s.Plan), titles)
	return commands.Answer[holdout.Status]{
		Command: "holdout", Inputs: folder(dir), Rows: commands.List([]holdout.Status{s}), Columns: columns,
		Shown: but(columns, "labels", "chain"),
		Say: func() (title, notes []string) {
			if notes = []string{s.Plan.Independence(), alone, "chain " + s.Chain}; s.Foretold() != "" {
				notes = slices.Insert(notes, 0, s.Foretold())
			}
			return []string{"The ledger " + usage.Shown(dir)}, notes
		},
	}
}

// mostModels is how many models status tells people of; the log has all.
const mostModels = 10

// modelsOf says what is known of the models of the last looks, by all their looks together.
func modelsOf(p *holdout.Plan, lines []holdout.Line) (notes []string) {
	truth := "truth"
	if p.Incumbent != nil {
		truth = "true difference from the incumbent"
	}
	for _, l := range slices.Backward(lines) {
		if !l.Latest {
			continue
		}
		if len(notes) == mostModels {
			notes = append(notes, "the log has the models before these: known_lower, known_upper")
			break
		}
		name := fmt.Sprint("the model of look ", l.Look)
		if l.Name != "" {
			name += ", " + usage.Shown(l.Name)
		}
		if l.Where != "" {
			name += ", where " + usage.Shown(l.Where)
		}
		notes = append(notes, fmt.Sprintf("%s: %s %s on %d rows by %s", name, truth, l.Known, l.Rows, l.Metric))
	}
	return notes
}

func logOf(list []holdout.Line, p *holdout.Plan, dir string) commands.Answer[holdout.Line] {
	fields := holdout.LineFieldsOf(p)
	return commands.Answer[holdout.Line]{
		Command: "holdout", Inputs: folder(dir), Rows: commands.List(list), Columns: columnsOf(fields, nil),
		Shown: forPeople(fields, func(l holdout.Line) holdout.Line { return l }),
		Say:   func() (title, notes []string) { return []string{"The log of " + usage.Shown(dir)}, nil },
	}
}

// verified is the row of verify.
type verified struct {
	holdout.Verified
	asked string // the chain that was looked for
}

var verifiedColumns = []record.Column[verified]{
	{Name: "verdict", Cell: func(verified) record.Cell { return record.Words("verified") }},
	{Name: "state", Cell: func(v verified) record.Cell { return record.Words(v.State()) }},
	{Name: "looks", Title: "looks taken", Cell: func(v verified) record.Cell { return record.Whole(v.Looks) }},
	{Name: "torn", Cell: func(v verified) record.Cell { return record.Whole(v.Torn) }},
	{Name: "found_after", Title: "chain found after line", Cell: func(v verified) record.Cell {
		if v.asked == "" {
			return record.Cell{}
		}
		return record.Whole(v.After)
	}},
	{Name: "chain", Cell: func(v verified) record.Cell { return record.Words(v.Chain) }},
	{Name: "beta_as_run", Cell: func(v verified) record.Cell {
		if v.AsRun == nil {
			return record.Cell{}
		}
		return record.Beta(*v.AsRun)
	}},
}

func verifiedOf(v holdout.Verified, dir, chain string) commands.Answer[verified] {
	return commands.Answer[verified]{
		Command: "holdout", Inputs: folder(dir), Rows: commands.List([]verified{{v, chain}}), Columns: verifiedColumns,
		Shown: but(verifiedColumns, "chain", "beta_as_run"),
		Say: func() (title, notes []string) {
			notes = []string{"chain " + v.Chain}
			if v.AsRun != nil {
				const run = "the board's looks, of which an earlier version may have taken some by rounded boundaries, keep the " +
					"promise with beta %s"
				note := fmt.Sprintf(run, v.AsRun)
				if promised := v.Plan.Promise.Beta; *v.AsRun > promised {
					note += fmt.Sprintf(", above the %s that the plan promises", promised)
				}
				notes = append(notes, note)
			}
			and, count := "the plan certifies", "count as passes or flags"
			if v.Plan.Open != nil {
				and, count = "every price and interval follows from the looks before it", "cost the most that a response may"
			}
			if v.Torn == 0 {
				return []string{fmt.Sprintf("Every byte of %s is as it was written, and %s", usage.Shown(dir), and)}, notes
			}
			const torn = "looks that a crash has cut short, which are spent and %s: %d"
			return []string{fmt.Sprintf("The whole lines of %s are as they were written, and %s", usage.Shown(dir), and)},
				append(notes, fmt.Sprintf(torn, count, v.Torn))
		},
	}
}
