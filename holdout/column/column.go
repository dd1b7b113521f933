// Package column has the columns of what a ledger answers with: the rows of looks, prices, a log and a status.
package column

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dpcalc/dpcalc/holdout"
	"github.com/dpcalc/dpcalc/holdout/ask"
	"github.com/dpcalc/dpcalc/internal/each"
	"github.com/dpcalc/dpcalc/internal/text"
	"github.com/dpcalc/dpcalc/metric"
	"github.com/dpcalc/dpcalc/transfer"
)

// Field is a column of the rows that a ledger answers with, on the command line and over HTTP alike.
type Field[R any] struct {
	Name  string
	Value func(R) any // an int64, float64, bool, string or theory.LogProb; nil or an empty string where there is nothing
	Typed bool        // whether the value is a text that somebody typed
}

// ForPeople returns fields as tables lay them out for people, on the command line and on a board alike: what was asked
// and answered stands first, the two ends of an interval stand in one column, and hashes in none.
func ForPeople[R any](fields []Field[R], of func(R) holdout.Line) []Field[R] {
	interval := func(name string, known func(holdout.Line) holdout.Known) []Field[R] {
		return []Field[R]{{Name: name, Value: func(r R) any { return known(of(r)).String() }}}
	}
	score := []Field[R]{{Name: "score", Value: func(r R) any { return cellText(of(r)) }}}
	joined := map[string][]Field[R]{
		"lower": interval("truth", func(l holdout.Line) holdout.Known { return holdout.Known{Lower: l.Lower, Upper: l.Upper} }), "upper": nil,
		"known_lower": interval("known_truth", func(l holdout.Line) holdout.Known { return l.Known }), "known_upper": nil,
		"best_lower": interval("best_truth", func(l holdout.Line) holdout.Known { return l.Best }), "best_upper": nil,
		"cell_from": score, "from": score, "cell_below": nil, "below": nil,
		"fingerprint": nil, "chain": nil, "key": nil,
	}
	var shown []Field[R]
	for _, f := range fields {
		if instead, ok := joined[f.Name]; ok {
			shown = append(shown, instead...)
		} else {
			shown = append(shown, f)
		}
	}
	place := func(f Field[R]) int {
		if i := slices.Index(peopleFirst, f.Name); i >= 0 {
			return i
		}
		return len(peopleFirst)
	}
	slices.SortStableFunc(shown, func(a, b Field[R]) int { return cmp.Compare(place(a), place(b)) })
	return shown
}

// peopleFirst are the fields that people see first, in this order.
var peopleFirst = []string{"look", "event", "team", "name", "show", "where", "verdict", "response", "bar", "guess", "truth", "score",
	"known_truth", "best_truth", "price", "spent", "rows", "metric"}

// cellText says for people which scores are in the cell of a look.
func cellText(l holdout.Line) string {
	var ends []string
	if l.From != nil {
		ends = append(ends, "from "+text.Down(*l.From))
	}
	if l.Below != nil {
		ends = append(ends, "below "+text.Up(*l.Below))
	}
	if ends == nil {
		return ""
	}
	return cellOf(l) + strings.Join(ends, ", ")
}

// LookFields are the columns of the row of a look.
var LookFields = []Field[holdout.Answer]{
	{Name: "look", Value: func(a holdout.Answer) any { return positive(a.Look) }},
	{Name: "name", Value: func(a holdout.Answer) any { return a.Name }, Typed: true},
	{Name: "verdict", Value: func(a holdout.Answer) any { return a.Verdict }},
	{Name: "response", Value: func(a holdout.Answer) any { return optional(a.Response) }},
	{Name: "remaining_looks", Value: func(a holdout.Answer) any { return ofFixed(a.Plan, a.Remaining.Looks) }},
	{Name: "remaining_passes", Value: func(a holdout.Answer) any { return restOf(a.Plan, transfer.Gate, a.Remaining.Passes) }},
	{Name: "remaining_flags", Value: func(a holdout.Answer) any { return restOf(a.Plan, transfer.Flags, a.Remaining.Flags) }},
	{Name: "tau", Value: func(a holdout.Answer) any {
		if a.Told != "" { // each condition has its own
			return nil
		}
		return ofFixed(a.Plan, positive(a.Plan.Tau(a.Look)))
	}},
	{Name: "beta", Value: func(a holdout.Answer) any { return a.Plan.Promise.Beta }},
	{Name: "method", Value: func(a holdout.Answer) any { return a.Plan.Method }},
	{Name: "fingerprint", Value: func(a holdout.Answer) any { return a.Fingerprint }},
	{Name: "chain", Value: func(a holdout.Answer) any { return a.Chain }},
	{Name: "repeated", Value: func(a holdout.Answer) any { return a.Known }},
	{Name: "key", Value: func(a holdout.Answer) any { return a.Key }},
}

// FieldsOf returns the columns of the row of a look at a ledger of a plan: the columns of all ledgers, and those that
// its rule names.
func FieldsOf(p *holdout.Plan) []Field[holdout.Answer] {
	fields := named(slices.Clone(LookFields), further, p.Rule.Fields(p))
	return append(fields, LawFields(p, func(a holdout.Answer) *holdout.Plan { return a.Plan })...)
}

// named adds the columns of these names that there are.
func named[R any](fields, all []Field[R], names []string) []Field[R] {
	for _, name := range names {
		if f, ok := each.First(all, func(f Field[R]) bool { return f.Name == name }); ok {
			fields = append(fields, f)
		}
	}
	return fields
}

// further are the columns of looks that some rules have.
var further = slices.Concat([]Field[holdout.Answer]{
	{Name: "conditions", Value: func(a holdout.Answer) any { return a.Told }, Typed: true},
	{Name: "rows", Value: func(a holdout.Answer) any { return positive(a.Rows) }},
}, openFields(func(a holdout.Answer) holdout.Line { return *a.Open }), []Field[holdout.Answer]{
	{Name: "spent", Value: func(a holdout.Answer) any { return a.Spent }},
	{Name: "rests_on", Value: func(a holdout.Answer) any { return a.RestsOn() }},
}, bestFields(func(a holdout.Answer) holdout.Line { return *a.Open }))

// LawFields returns the columns of what a truth is about where that is not a mean over the rows: a difference from the
// incumbent, or rows that are drawn within each class.
func LawFields[R any](p *holdout.Plan, of func(R) *holdout.Plan) []Field[R] {
	switch {
	case p != nil && p.Compares():
		return []Field[R]{{Name: "truth_of", Value: func(R) any { return "difference" }}}
	case p == nil || p.Metric != metric.AUC:
		return nil
	}
	return []Field[R]{
		{Name: "law", Value: func(R) any { return holdout.LawClasses }},
		{Name: "positives", Value: func(r R) any { return of(r).Pairs.Positives }},
		{Name: "negatives", Value: func(r R) any { return of(r).Pairs.Negatives }},
	}
}

// bestFields are the columns of what is known of the best truth of a board.
func bestFields[R any](of func(R) holdout.Line) []Field[R] {
	return []Field[R]{
		{Name: "best_lower", Value: func(r R) any { return optional(of(r).Best.Lower) }},
		{Name: "best_upper", Value: func(r R) any { return optional(of(r).Best.Upper) }},
	}
}

// openFields are the columns of what an open look asked and showed.
func openFields[R any](of func(R) holdout.Line) []Field[R] {
	return []Field[R]{
		{Name: "show", Value: func(r R) any { return of(r).Show }},
		{Name: "where", Value: func(r R) any { return of(r).Where }, Typed: true},
		{Name: "lower", Value: func(r R) any { return optional(of(r).Lower) }},
		{Name: "upper", Value: func(r R) any { return optional(of(r).Upper) }},
		{Name: "cell_from", Value: func(r R) any { return scoreOf(of(r), of(r).From) }},
		{Name: "cell_below", Value: func(r R) any { return scoreOf(of(r), of(r).Below) }},
		{Name: "price", Value: func(r R) any { return optional(of(r).Price) }},
		{Name: "rows", Value: func(r R) any { return positive(of(r).Rows) }},
		{Name: "conditions", Value: func(r R) any { return of(r).Told() }, Typed: true},
	}
}

// cellOf names what the ends of a look's cell are of, "" for its score: a gate of a ratio N/D compares a mean with 0.
func cellOf(l holdout.Line) string {
	if kind, _ := metric.Of(l.Metric); kind.Ratio != nil && l.Show == ask.Pass && l.Bar != nil {
		return fmt.Sprintf("N - %v D ", *l.Bar)
	}
	return ""
}

// scoreOf is an end of a cell of scores. No score is known where the cell is of something else.
func scoreOf(l holdout.Line, end *float64) any {
	if cellOf(l) != "" {
		return nil
	}
	return optional(end)
}

// ResponseFields are the columns of the rows of prices.
var ResponseFields = []Field[holdout.Response]{
	{Name: "show", Value: func(r holdout.Response) any { return r.Show }},
	{Name: "verdict", Value: func(r holdout.Response) any {
		if r.Others > 0 {
			return "others"
		}
		return r.Verdict
	}},
	{Name: "response", Value: func(r holdout.Response) any { return optional(r.Line.Response) }},
	{Name: "price", Value: func(r holdout.Response) any { return optional(r.Price) }},
	{Name: "from", Value: func(r holdout.Response) any { return scoreOf(r.Line, r.From) }},
	{Name: "below", Value: func(r holdout.Response) any { return scoreOf(r.Line, r.Below) }},
	{Name: "lower", Value: func(r holdout.Response) any { return optional(r.Lower) }},
	{Name: "upper", Value: func(r holdout.Response) any { return optional(r.Upper) }},
	{Name: "spent", Value: func(r holdout.Response) any { return r.Spent }},
	{Name: "rows", Value: func(r holdout.Response) any { return positive(r.Rows) }},
	{Name: "next_pass", Value: func(r holdout.Response) any { return scoreOf(r.Line, r.NextPass) }},
	{Name: "next_upper", Value: func(r holdout.Response) any { return optional(r.NextUpper) }},
	{Name: "next_margin", Value: func(r holdout.Response) any { return positive(r.Margin) }},
	{Name: "power", Value: func(r holdout.Response) any { return optional(r.Power) }},
}

// StatusFieldsOf returns the columns of the row of a status of a plan.
func StatusFieldsOf(p *holdout.Plan) []Field[holdout.Status] {
	fields := statusFields
	switch {
	case p.IsOpen():
		fields = openStatusFields
	case p.Design().Arrives():
		fields = append(slices.Clone(statusFields), Field[holdout.Status]{Name: "next_rows", Value: func(s holdout.Status) any {
			if s.Remaining.Looks == 0 {
				return nil
			}
			return s.Plan.RowsAfter(s.Looks)
		}})
	}
	return append(slices.Clip(fields), LawFields(p, func(s holdout.Status) *holdout.Plan { return s.Plan })...)
}

var statusFields = []Field[holdout.Status]{
	{Name: "state", Value: func(s holdout.Status) any { return s.State() }},
	{Name: "looks", Value: func(s holdout.Status) any { return s.Looks }},
	{Name: "torn", Value: func(s holdout.Status) any { return s.Torn }},
	{Name: "remaining_looks", Value: func(s holdout.Status) any { return ofFixed(s.Plan, s.Remaining.Looks) }},
	{Name: "remaining_passes", Value: func(s holdout.Status) any { return restOf(s.Plan, transfer.Gate, s.Remaining.Passes) }},
	{Name: "remaining_flags", Value: func(s holdout.Status) any { return restOf(s.Plan, transfer.Flags, s.Remaining.Flags) }},
	{Name: "looks_per_day", Value: func(s holdout.Status) any { return positive(s.LooksPerDay) }},
	{Name: "days_left", Value: func(s holdout.Status) any { return positive(s.DaysLeft()) }},
	{Name: "method", Value: func(s holdout.Status) any { return s.Plan.Method }},
	{Name: "feedback", Value: func(s holdout.Status) any { return s.Plan.Promise.Feedback }},
	{Name: "samples", Value: func(s holdout.Status) any { return s.Rows }},
	{Name: "queries", Value: func(s holdout.Status) any { return ofFixed(s.Plan, s.Plan.Promise.Queries) }},
	{Name: "tau", Value: func(s holdout.Status) any { return ofFixed(s.Plan, positive(s.Plan.Promise.Tau)) }},
	{Name: "beta", Value: func(s holdout.Status) any { return s.Plan.Promise.Beta }},
	{Name: "labels", Value: func(s holdout.Status) any { return relativePath(s.Plan.Labels) }, Typed: true},
	{Name: "chain", Value: func(s holdout.Status) any { return s.Chain }},
}

// openStatusFields are the columns of the row of an open ledger's status.
var openStatusFields = slices.Concat(statusFields, []Field[holdout.Status]{
	{Name: "spent", Value: func(s holdout.Status) any { return s.Spent }},
	{Name: "most", Value: func(s holdout.Status) any { return s.Plan.Open.Most }},
	{Name: "margin", Value: func(s holdout.Status) any {
		if margin, err := s.Margin(); err == nil && !s.Retired {
			return margin
		}
		return nil
	}},
})

// questionFields are fields, and columns of the parameters that have none there. The column conditions has what
// parameters that repeat ask.
func questionFields(fields []Field[holdout.Line], params []ask.Param) []Field[holdout.Line] {
	fields = slices.Clone(fields)
	for _, p := range params {
		known := slices.ContainsFunc(fields, func(f Field[holdout.Line]) bool { return f.Name == p.Name })
		if !known && !p.Repeats() {
			fields = append(fields, Field[holdout.Line]{Name: p.Name, Typed: !p.IsNumber() && p.Words == nil,
				Value: func(l holdout.Line) any { return p.Value(l.Question) }})
		}
	}
	return fields
}

// LineFieldsOf returns the columns of the rows of a log of a plan.
func LineFieldsOf(p *holdout.Plan) []Field[holdout.Line] {
	line := func(l holdout.Line) holdout.Line { return l }
	fields := questionFields(named(slices.Clone(lineFields), openFields(line), p.Rule.Fields(p)), p.Asks())
	if p.IsOpen() {
		fields = append(fields, knownFields...)
	}
	fields = named(fields, bestFields(line), p.Rule.Fields(p))
	return append(fields, LawFields(p, func(holdout.Line) *holdout.Plan { return p })...)
}

var lineFields = []Field[holdout.Line]{
	{Name: "look", Value: func(l holdout.Line) any { return positive(l.Look) }},
	{Name: "event", Value: func(l holdout.Line) any { return l.Event }},
	{Name: "time", Value: func(l holdout.Line) any { return l.Time }},
	{Name: "name", Value: func(l holdout.Line) any { return l.Name }, Typed: true},
	{Name: "metric", Value: func(l holdout.Line) any { return l.Metric }, Typed: true},
	{Name: "verdict", Value: func(l holdout.Line) any { return l.Verdict }},
	{Name: "response", Value: func(l holdout.Line) any { return optional(l.Response) }},
	{Name: "bar", Value: func(l holdout.Line) any { return optional(l.Bar) }},
	{Name: "guess", Value: func(l holdout.Line) any { return optional(l.Guess) }},
	{Name: "fingerprint", Value: func(l holdout.Line) any {
		if holdout.IsColumn(l.Metric) { // which an earlier version wrote down
			return nil
		}
		return l.Fingerprint
	}},
	{Name: "chain", Value: func(l holdout.Line) any { return l.Chain }},
	{Name: "team", Value: func(l holdout.Line) any { return l.Team }, Typed: true},
	{Name: "key", Value: func(l holdout.Line) any { return l.Key }},
}

// ofFixed returns a number of a fixed plan, nil for an open ledger.
func ofFixed(p *holdout.Plan, x any) any {
	if p.IsOpen() {
		return nil
	}
	return x
}

// positive returns a number, nil if it is zero.
func positive[N int64 | float64](n N) any {
	if n == 0 {
		return nil
	}
	return n
}

// optional returns a number, nil if there is none.
func optional(x *float64) any {
	if x == nil {
		return nil
	}
	return *x
}

// restOf returns how much is left to a plan with some feedback, nil for another plan.
func restOf(p *holdout.Plan, f transfer.Feedback, left int64) any {
	if p.Goal.Feedback != f || p.IsOpen() {
		return nil
	}
	return left
}

// relativePath is the path of a file from the ledger's folder. The absolute paths that ledgers of an earlier version
// have tell of the machine, and are not shown.
func relativePath(f holdout.LabelsFile) string {
	if filepath.IsAbs(f.Path) {
		return ""
	}
	return f.Path
}

// knownFields are the columns of what all looks at a model say of its truth.
var knownFields = []Field[holdout.Line]{
	{Name: "known_lower", Value: func(l holdout.Line) any { return optional(l.Known.Lower) }},
	{Name: "known_upper", Value: func(l holdout.Line) any { return optional(l.Known.Upper) }},
}
