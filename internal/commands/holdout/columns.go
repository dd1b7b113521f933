package holdout

import (
	"fmt"
	"slices"

	"github.com/dpcalc/dpcalc/holdout"
	"github.com/dpcalc/dpcalc/internal/commands"
	"github.com/dpcalc/dpcalc/internal/record"
	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer"
)

// exactly is a count for which zero is a value.
func exactly(n int64) record.Cell { return record.Cell{Form: record.CountForm, N: n} }

// optional is a number that may be missing.
func optional(x *float64) record.Cell {
	if x == nil {
		return record.Cell{}
	}
	return record.Exactly(*x)
}

// folder repeats the ledger.
func folder(dir string) []record.Input {
	return []record.Input{{Name: "dir", Value: record.Words(dir)}}
}

// promise says what is promised, in words.
const promise = "The truth of a look is the mean over fresh labels of the same rows: the population's value only for " +
	"predictions of a model that was made without these rows."

// made is the row of init.
type made struct {
	plan    *holdout.Plan // nil if there is none
	terms   holdout.Terms
	samples int64
	reason  string
	chain   string
}

// promised is what the plan promises, or what was asked for.
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

func (m made) status() theory.Status {
	if m.plan != nil {
		return theory.OK
	}
	return theory.Infeasible
}

// beta is a probability, or missing.
func beta(b theory.LogProb) record.Cell {
	if b == 0 {
		return record.Cell{}
	}
	return record.Chance(b)
}

func (m made) answer(dir string) commands.Answer[made] {
	columns := []record.Column[made]{
		{Name: "method", Cell: func(m made) record.Cell { return record.Words(m.method()) }},
		{Name: "samples", Title: "rows", Cell: func(m made) record.Cell { return record.Count(m.promised().Samples) }},
		{Name: "queries", Title: "looks", Cell: func(m made) record.Cell { return record.Count(m.promised().Queries) }},
		{Name: "tau", Cell: func(m made) record.Cell { return record.Number(m.promised().Tau) }},
		{Name: "beta", Cell: func(m made) record.Cell { return beta(m.promised().Beta) }},
		{Name: "query", Cell: func(m made) record.Cell { return record.Words(m.promised().Query) }},
		{Name: "feedback", Cell: func(m made) record.Cell { return record.Words(m.promised().Feedback) }},
		{Name: "status", Cell: func(m made) record.Cell { return record.Words(string(m.status())) }},
		{Name: "reason", Cell: func(m made) record.Cell { return record.Words(m.reason) }},
		{Name: "chain", Cell: func(m made) record.Cell { return record.Words(m.chain) }},
	}
	return commands.Answer[made]{
		Command: "holdout", Inputs: folder(dir), Rows: slices.Values([]made{m}), Columns: columns, Shown: columns,
		Say: func() (title, notes []string) {
			switch {
			case m.plan == nil:
				return []string{"No ledger: the plan has no certificate"}, nil
			case m.chain == "":
				return []string{"A ledger of this plan would be made in " + dir}, []string{promise}
			}
			return []string{"The ledger " + dir}, []string{promise}
		},
	}
}

// lookColumns are the row of a look.
var lookColumns = []record.Column[holdout.Answer]{
	{Name: "look", Cell: func(a holdout.Answer) record.Cell { return record.Count(a.Look) }},
	{Name: "name", Cell: func(a holdout.Answer) record.Cell { return named(a.Name) }},
	{Name: "verdict", Cell: func(a holdout.Answer) record.Cell { return record.Words(a.Verdict) }},
	{Name: "response", Cell: func(a holdout.Answer) record.Cell { return optional(a.Response) }},
	{Name: "remaining_looks", Cell: func(a holdout.Answer) record.Cell { return exactly(a.Remaining.Looks) }},
	{Name: "remaining_passes", Cell: func(a holdout.Answer) record.Cell { return passesLeft(a.Plan, a.Remaining) }},
	{Name: "remaining_flags", Cell: func(a holdout.Answer) record.Cell { return flagsLeft(a.Plan, a.Remaining) }},
	{Name: "tau", Cell: func(a holdout.Answer) record.Cell { return record.Number(a.Plan.Promise.Tau) }},
	{Name: "beta", Cell: func(a holdout.Answer) record.Cell { return beta(a.Plan.Promise.Beta) }},
	{Name: "method", Cell: func(a holdout.Answer) record.Cell { return record.Words(a.Plan.Method) }},
	{Name: "fingerprint", Cell: func(a holdout.Answer) record.Cell { return record.Words(a.Fingerprint) }},
	{Name: "chain", Cell: func(a holdout.Answer) record.Cell { return record.Words(a.Chain) }},
	{Name: "repeated", Cell: func(a holdout.Answer) record.Cell { return record.Truth(a.Known) }},
}

// named is a name, which the user gave.
func named(name string) record.Cell {
	if name == "" {
		return record.Cell{}
	}
	return record.Foreign(name)
}

func passesLeft(p *holdout.Plan, r holdout.Remaining) record.Cell {
	if p.Promise.Feedback != transfer.Gate.String() {
		return record.Cell{}
	}
	return exactly(r.Passes)
}

func flagsLeft(p *holdout.Plan, r holdout.Remaining) record.Cell {
	if p.Promise.Feedback != transfer.Flags.String() {
		return record.Cell{}
	}
	return exactly(r.Flags)
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

func looked(answers []holdout.Answer, dir string, dry bool) commands.Answer[holdout.Answer] {
	return commands.Answer[holdout.Answer]{
		Command: "holdout", Inputs: folder(dir), Rows: slices.Values(answers), Columns: lookColumns,
		Shown: but(lookColumns, "fingerprint", "chain", "repeated"),
		Say: func() (title, notes []string) {
			for _, a := range answers {
				if a.Known {
					notes = append(notes, fmt.Sprintf("Look %d is known: it costs nothing", a.Look))
				}
			}
			if dry {
				return []string{"A look would be taken as follows; nothing was"}, notes
			}
			return nil, append(notes, "chain "+answers[0].Chain)
		},
	}
}

// statusColumns are the row of status.
var statusColumns = []record.Column[holdout.Status]{
	{Name: "state", Cell: func(s holdout.Status) record.Cell { return record.Words(s.State()) }},
	{Name: "looks", Title: "looks taken", Cell: func(s holdout.Status) record.Cell { return exactly(s.Looks) }},
	{Name: "torn", Cell: func(s holdout.Status) record.Cell { return exactly(s.Torn) }},
	{Name: "remaining_looks", Cell: func(s holdout.Status) record.Cell { return exactly(s.Remaining.Looks) }},
	{Name: "remaining_passes", Cell: func(s holdout.Status) record.Cell { return passesLeft(s.Plan, s.Remaining) }},
	{Name: "remaining_flags", Cell: func(s holdout.Status) record.Cell { return flagsLeft(s.Plan, s.Remaining) }},
	{Name: "looks_per_day", Cell: func(s holdout.Status) record.Cell { return record.Number(s.LooksPerDay) }},
	{Name: "days_left", Cell: func(s holdout.Status) record.Cell { return record.Number(s.DaysLeft()) }},
	{Name: "method", Cell: func(s holdout.Status) record.Cell { return record.Words(s.Plan.Method) }},
	{Name: "feedback", Cell: func(s holdout.Status) record.Cell { return record.Words(s.Plan.Promise.Feedback) }},
	{Name: "samples", Title: "rows",
		Cell: func(s holdout.Status) record.Cell { return record.Count(s.Plan.Promise.Samples) }},
	{Name: "queries", Title: "looks",
		Cell: func(s holdout.Status) record.Cell { return record.Count(s.Plan.Promise.Queries) }},
	{Name: "tau", Cell: func(s holdout.Status) record.Cell { return record.Number(s.Plan.Promise.Tau) }},
	{Name: "beta", Cell: func(s holdout.Status) record.Cell { return beta(s.Plan.Promise.Beta) }},
	{Name: "labels", Cell: func(s holdout.Status) record.Cell { return record.Foreign(s.Plan.Labels.Path) }},
	{Name: "chain", Cell: func(s holdout.Status) record.Cell { return record.Words(s.Chain) }},
}

func statusOf(s holdout.Status, dir string) commands.Answer[holdout.Status] {
	return commands.Answer[holdout.Status]{
		Command: "holdout", Inputs: folder(dir), Rows: slices.Values([]holdout.Status{s}), Columns: statusColumns,
		Shown: but(statusColumns, "labels", "chain"),
		Say: func() (title, notes []string) {
			return []string{"The ledger " + dir}, []string{"chain " + s.Chain}
		},
	}
}

// logColumns are the rows of log.
var logColumns = []record.Column[holdout.Line]{
	{Name: "look", Cell: func(l holdout.Line) record.Cell { return record.Count(l.Look) }},
	{Name: "event", Cell: func(l holdout.Line) record.Cell { return record.Words(l.Event) }},
	{Name: "time", Cell: func(l holdout.Line) record.Cell { return record.Words(l.Time) }},
	{Name: "name", Cell: func(l holdout.Line) record.Cell { return named(l.Name) }},
	{Name: "metric", Cell: func(l holdout.Line) record.Cell { return named(l.Metric) }},
	{Name: "verdict", Cell: func(l holdout.Line) record.Cell { return record.Words(l.Verdict) }},
	{Name: "response", Cell: func(l holdout.Line) record.Cell { return optional(l.Response) }},
	{Name: "bar", Cell: func(l holdout.Line) record.Cell { return optional(l.Bar) }},
	{Name: "guess", Cell: func(l holdout.Line) record.Cell { return optional(l.Guess) }},
	{Name: "fingerprint", Cell: func(l holdout.Line) record.Cell { return record.Words(l.Fingerprint) }},
	{Name: "chain", Cell: func(l holdout.Line) record.Cell { return record.Words(l.Chain) }},
}

func logOf(lines []holdout.Line, dir string) commands.Answer[holdout.Line] {
	return commands.Answer[holdout.Line]{
		Command: "holdout", Inputs: folder(dir), Rows: slices.Values(lines), Columns: logColumns,
		Shown: but(logColumns, "fingerprint", "chain"),
		Say:   func() (title, notes []string) { return []string{"The log of " + dir}, nil },
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
	{Name: "looks", Title: "looks taken", Cell: func(v verified) record.Cell { return exactly(v.Looks) }},
	{Name: "torn", Cell: func(v verified) record.Cell { return exactly(v.Torn) }},
	{Name: "found_after", Title: "chain found after line", Cell: func(v verified) record.Cell {
		if v.asked == "" {
			return record.Cell{}
		}
		return exactly(v.After)
	}},
	{Name: "chain", Cell: func(v verified) record.Cell { return record.Words(v.Chain) }},
}

func verifiedOf(v holdout.Verified, dir, chain string) commands.Answer[verified] {
	return commands.Answer[verified]{
		Command: "holdout", Inputs: folder(dir), Rows: slices.Values([]verified{{v, chain}}), Columns: verifiedColumns,
		Shown: but(verifiedColumns, "chain"),
		Say: func() (title, notes []string) {
			notes = []string{"chain " + v.Chain}
			if v.Torn > 0 {
				notes = append(notes, fmt.Sprintf("%d looks were cut short by a crash, or by an edit: they are spent", v.Torn))
			}
			return []string{"Every byte of " + dir + " is as it was written, and the plan certifies"}, notes
		},
	}
}
