package ledgers

import (
	"path/filepath"

	"github.com/dpcalc/dpcalc/holdout"
	"github.com/dpcalc/dpcalc/internal/record"
	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer"
)

// Exactly is a count for which zero is a value.
func Exactly(n int64) record.Cell { return record.Cell{Form: record.CountForm, N: n} }

// optional is a number that may be missing.
func optional(x *float64) record.Cell {
	if x == nil {
		return record.Cell{}
	}
	return record.Exactly(*x)
}

// Beta is a probability, or missing.
func Beta(b theory.LogProb) record.Cell {
	if b == 0 {
		return record.Cell{}
	}
	return record.Chance(b)
}

// Looks are the row of a look.
var Looks = []record.Column[holdout.Answer]{
	{Name: "look", Cell: func(a holdout.Answer) record.Cell { return record.Count(a.Look) }},
	{Name: "name", Cell: func(a holdout.Answer) record.Cell { return named(a.Name) }},
	{Name: "verdict", Cell: func(a holdout.Answer) record.Cell { return record.Words(a.Verdict) }},
	{Name: "response", Cell: func(a holdout.Answer) record.Cell { return optional(a.Response) }},
	{Name: "remaining_looks", Cell: func(a holdout.Answer) record.Cell { return Exactly(a.Remaining.Looks) }},
	{Name: "remaining_passes", Cell: func(a holdout.Answer) record.Cell { return passesLeft(a.Plan, a.Remaining) }},
	{Name: "remaining_flags", Cell: func(a holdout.Answer) record.Cell { return flagsLeft(a.Plan, a.Remaining) }},
	{Name: "tau", Cell: func(a holdout.Answer) record.Cell { return record.Number(a.Plan.Promise.Tau) }},
	{Name: "beta", Cell: func(a holdout.Answer) record.Cell { return Beta(a.Plan.Promise.Beta) }},
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
	return Exactly(r.Passes)
}

func flagsLeft(p *holdout.Plan, r holdout.Remaining) record.Cell {
	if p.Promise.Feedback != transfer.Flags.String() {
		return record.Cell{}
	}
	return Exactly(r.Flags)
}

// Statuses are the row of status.
var Statuses = []record.Column[holdout.Status]{
	{Name: "state", Cell: func(s holdout.Status) record.Cell { return record.Words(s.State()) }},
	{Name: "looks", Title: "looks taken", Cell: func(s holdout.Status) record.Cell { return Exactly(s.Looks) }},
	{Name: "torn", Cell: func(s holdout.Status) record.Cell { return Exactly(s.Torn) }},
	{Name: "remaining_looks", Cell: func(s holdout.Status) record.Cell { return Exactly(s.Remaining.Looks) }},
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
	{Name: "beta", Cell: func(s holdout.Status) record.Cell { return Beta(s.Plan.Promise.Beta) }},
	{Name: "labels", Cell: func(s holdout.Status) record.Cell { return placed(s.Plan.Labels) }},
	{Name: "chain", Cell: func(s holdout.Status) record.Cell { return record.Words(s.Chain) }},
}

// placed is where a file is from the ledger's folder. The absolute paths that ledgers of an earlier version have tell
// of the machine, and are not shown.
func placed(f holdout.LabelsFile) record.Cell {
	if filepath.IsAbs(f.Path) {
		return record.Cell{}
	}
	return named(f.Path)
}

// Lines are the rows of log.
var Lines = []record.Column[holdout.Line]{
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
	{Name: "team", Cell: func(l holdout.Line) record.Cell { return named(l.Team) }},
}
