package holdout

import (
	"path/filepath"

	"github.com/dpcalc/dpcalc/transfer"
)

// Field is a column of the rows that a ledger answers with, on the command line and over HTTP alike.
type Field[R any] struct {
	Name  string
	Value func(R) any // an int64, float64, bool, string or theory.LogProb; nil or an empty string where there is nothing
	Typed bool        // whether the value is a text that somebody typed
}

// LookFields are the columns of the row of a look.
var LookFields = []Field[Answer]{
	{Name: "look", Value: func(a Answer) any { return positive(a.Look) }},
	{Name: "name", Value: func(a Answer) any { return a.Name }, Typed: true},
	{Name: "verdict", Value: func(a Answer) any { return a.Verdict }},
	{Name: "response", Value: func(a Answer) any { return optional(a.Response) }},
	{Name: "remaining_looks", Value: func(a Answer) any { return a.Remaining.Looks }},
	{Name: "remaining_passes", Value: func(a Answer) any { return a.Plan.rest(transfer.Gate, a.Remaining.Passes) }},
	{Name: "remaining_flags", Value: func(a Answer) any { return a.Plan.rest(transfer.Flags, a.Remaining.Flags) }},
	{Name: "tau", Value: func(a Answer) any { return a.Plan.Promise.Tau }},
	{Name: "beta", Value: func(a Answer) any { return a.Plan.Promise.Beta }},
	{Name: "method", Value: func(a Answer) any { return a.Plan.Method }},
	{Name: "fingerprint", Value: func(a Answer) any { return a.Fingerprint }},
	{Name: "chain", Value: func(a Answer) any { return a.Chain }},
	{Name: "repeated", Value: func(a Answer) any { return a.Known }},
}

// StatusFields are the columns of the row of a status.
var StatusFields = []Field[Status]{
	{Name: "state", Value: func(s Status) any { return s.State() }},
	{Name: "looks", Value: func(s Status) any { return s.Looks }},
	{Name: "torn", Value: func(s Status) any { return s.Torn }},
	{Name: "remaining_looks", Value: func(s Status) any { return s.Remaining.Looks }},
	{Name: "remaining_passes", Value: func(s Status) any { return s.Plan.rest(transfer.Gate, s.Remaining.Passes) }},
	{Name: "remaining_flags", Value: func(s Status) any { return s.Plan.rest(transfer.Flags, s.Remaining.Flags) }},
	{Name: "looks_per_day", Value: func(s Status) any { return positive(s.LooksPerDay) }},
	{Name: "days_left", Value: func(s Status) any { return positive(s.DaysLeft()) }},
	{Name: "method", Value: func(s Status) any { return s.Plan.Method }},
	{Name: "feedback", Value: func(s Status) any { return s.Plan.Promise.Feedback }},
	{Name: "samples", Value: func(s Status) any { return s.Plan.Promise.Samples }},
	{Name: "queries", Value: func(s Status) any { return s.Plan.Promise.Queries }},
	{Name: "tau", Value: func(s Status) any { return s.Plan.Promise.Tau }},
	{Name: "beta", Value: func(s Status) any { return s.Plan.Promise.Beta }},
	{Name: "labels", Value: func(s Status) any { return s.Plan.Labels.named() }, Typed: true},
	{Name: "chain", Value: func(s Status) any { return s.Chain }},
}

// LineFields are the columns of the rows of a log.
var LineFields = []Field[Line]{
	{Name: "look", Value: func(l Line) any { return positive(l.Look) }},
	{Name: "event", Value: func(l Line) any { return l.Event }},
	{Name: "time", Value: func(l Line) any { return l.Time }},
	{Name: "name", Value: func(l Line) any { return l.Name }, Typed: true},
	{Name: "metric", Value: func(l Line) any { return l.Metric }, Typed: true},
	{Name: "verdict", Value: func(l Line) any { return l.Verdict }},
	{Name: "response", Value: func(l Line) any { return optional(l.Response) }},
	{Name: "bar", Value: func(l Line) any { return optional(l.Bar) }},
	{Name: "guess", Value: func(l Line) any { return optional(l.Guess) }},
	{Name: "fingerprint", Value: func(l Line) any { return l.Fingerprint }},
	{Name: "chain", Value: func(l Line) any { return l.Chain }},
	{Name: "team", Value: func(l Line) any { return l.Team }, Typed: true},
}

// positive is a number, nothing if it is zero.
func positive[N int64 | float64](n N) any {
	if n == 0 {
		return nil
	}
	return n
}

// optional is a number, nothing if there is none.
func optional(x *float64) any {
	if x == nil {
		return nil
	}
	return *x
}

// rest is how much is left to a plan with some feedback, nothing for another plan.
func (p *Plan) rest(f transfer.Feedback, left int64) any {
	if p.goal.Feedback != f {
		return nil
	}
	return left
}

// named is the path of a file from the ledger's folder. The absolute paths that ledgers of an earlier version have tell
// of the machine, and are not shown.
func (f LabelsFile) named() string {
	if filepath.IsAbs(f.Path) {
		return ""
	}
	return f.Path
}
