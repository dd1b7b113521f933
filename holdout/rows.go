package holdout

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dpcalc/dpcalc/holdout/ask"
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
func ForPeople[R any](fields []Field[R], of func(R) Line) []Field[R] {
	interval := func(name string, known func(Line) Known) []Field[R] {
		return []Field[R]{{Name: name, Value: func(r R) any { return known(of(r)).String() }}}
	}
	score := []Field[R]{{Name: "score", Value: func(r R) any { return of(r).cell() }}}
	joined := map[string][]Field[R]{
		"lower": interval("truth", func(l Line) Known { return Known{l.Lower, l.Upper} }), "upper": nil,
		"known_lower": interval("known_truth", func(l Line) Known { return l.Known }), "known_upper": nil,
		"best_lower": interval("best_truth", func(l Line) Known { return l.Best }), "best_upper": nil,
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

// cell says for people which scores are in the cell of a look.
func (l Line) cell() string {
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
	return l.cellOf() + strings.Join(ends, ", ")
}

// LookFields are the columns of the row of a look.
var LookFields = []Field[Answer]{
	{Name: "look", Value: func(a Answer) any { return positive(a.Look) }},
	{Name: "name", Value: func(a Answer) any { return a.Name }, Typed: true},
	{Name: "verdict", Value: func(a Answer) any { return a.Verdict }},
	{Name: "response", Value: func(a Answer) any { return optional(a.Response) }},
	{Name: "remaining_looks", Value: func(a Answer) any { return a.Plan.fixed(a.Remaining.Looks) }},
	{Name: "remaining_passes", Value: func(a Answer) any { return a.Plan.rest(transfer.Gate, a.Remaining.Passes) }},
	{Name: "remaining_flags", Value: func(a Answer) any { return a.Plan.rest(transfer.Flags, a.Remaining.Flags) }},
	{Name: "tau", Value: func(a Answer) any {
		if a.Told != "" { // each condition has its own
			return nil
		}
		return a.Plan.fixed(positive(a.Plan.Tau(a.Look)))
	}},
	{Name: "beta", Value: func(a Answer) any { return a.Plan.Promise.Beta }},
	{Name: "method", Value: func(a Answer) any { return a.Plan.Method }},
	{Name: "fingerprint", Value: func(a Answer) any { return a.Fingerprint }},
	{Name: "chain", Value: func(a Answer) any { return a.Chain }},
	{Name: "repeated", Value: func(a Answer) any { return a.Known }},
	{Name: "key", Value: func(a Answer) any { return a.Key }},
}

// restsOn is the column of what the verdict of a test rests on.
var restsOn = Field[Answer]{Name: "rests_on", Value: func(a Answer) any { return a.RestsOn() }}

// FieldsOf are the columns of the row of a look at a ledger of a plan.
func FieldsOf(p *Plan) []Field[Answer] {
	fields := LookFields
	switch {
	case p.IsOpen():
		fields = OpenLookFields
	case p.Promise.Test != "":
		fields = append(slices.Clone(LookFields), restsOn)
	case p.conditioned():
		told := Field[Answer]{Name: "conditions", Value: func(a Answer) any { return a.Told }, Typed: true}
		fields = append(slices.Clone(LookFields), told)
	case p.design().Arrives():
		rows := Field[Answer]{Name: "rows", Value: func(a Answer) any { return positive(a.Rows) }}
		fields = append(slices.Clone(LookFields), rows)
	}
	return append(slices.Clip(fields), LawFields(p, func(a Answer) *Plan { return a.Plan })...)
}

// LawFields are the columns of what a truth is about where that is not a mean over the rows: a difference from the
// incumbent, or rows that are drawn within each class.
func LawFields[R any](p *Plan, of func(R) *Plan) []Field[R] {
	switch {
	case p != nil && p.Compares():
		return []Field[R]{{Name: "truth_of", Value: func(R) any { return "difference" }}}
	case p == nil || p.Metric != metric.AUC:
		return nil
	}
	return []Field[R]{
		{Name: "law", Value: func(R) any { return LawClasses }},
		{Name: "positives", Value: func(r R) any { return of(r).Pairs.Positives }},
		{Name: "negatives", Value: func(r R) any { return of(r).Pairs.Negatives }},
	}
}

// OpenLookFields are the columns of the row of a look at an open ledger.
var OpenLookFields = slices.Concat(LookFields, openFields(func(a Answer) Line { return *a.Open }), []Field[Answer]{
	{Name: "spent", Value: func(a Answer) any { return a.Spent }},
	restsOn,
}, bestFields(func(a Answer) Line { return *a.Open }))

// bestFields are the columns of what is known of the best truth of a board.
func bestFields[R any](of func(R) Line) []Field[R] {
	return []Field[R]{
		{Name: "best_lower", Value: func(r R) any { return optional(of(r).Best.Lower) }},
		{Name: "best_upper", Value: func(r R) any { return optional(of(r).Best.Upper) }},
	}
}

// openFields are the columns of what an open look asked and showed.
func openFields[R any](of func(R) Line) []Field[R] {
	return []Field[R]{
		{Name: "show", Value: func(r R) any { return of(r).Show }},
		{Name: "where", Value: func(r R) any { return of(r).Where }, Typed: true},
		{Name: "lower", Value: func(r R) any { return optional(of(r).Lower) }},
		{Name: "upper", Value: func(r R) any { return optional(of(r).Upper) }},
		{Name: "cell_from", Value: func(r R) any { return of(r).score(of(r).From) }},
		{Name: "cell_below", Value: func(r R) any { return of(r).score(of(r).Below) }},
		{Name: "price", Value: func(r R) any { return optional(of(r).Price) }},
		{Name: "rows", Value: func(r R) any { return positive(of(r).Rows) }},
		{Name: "conditions", Value: func(r R) any { return of(r).Told() }, Typed: true},
	}
}

// cellOf names what the ends of a look's cell are of, "" for its score: a gate of a ratio N/D compares a mean with 0.
func (l Line) cellOf() string {
	if kind, _ := metric.Of(l.Metric); kind.Ratio != nil && l.Show == ShowPass && l.Bar != nil {
		return fmt.Sprintf("N - %v D ", *l.Bar)
	}
	return ""
}

// score is an end of a cell of scores. No score is known where the cell is of something else.
func (l Line) score(end *float64) any {
	if l.cellOf() != "" {
		return nil
	}
	return optional(end)
}

// ResponseFields are the columns of the rows of prices.
var ResponseFields = []Field[Response]{
	{Name: "show", Value: func(r Response) any { return r.Show }},
	{Name: "verdict", Value: func(r Response) any {
		if r.Others > 0 {
			return "others"
		}
		return r.Verdict
	}},
	{Name: "response", Value: func(r Response) any { return optional(r.Line.Response) }},
	{Name: "price", Value: func(r Response) any { return optional(r.Price) }},
	{Name: "from", Value: func(r Response) any { return r.score(r.From) }},
	{Name: "below", Value: func(r Response) any { return r.score(r.Below) }},
	{Name: "lower", Value: func(r Response) any { return optional(r.Lower) }},
	{Name: "upper", Value: func(r Response) any { return optional(r.Upper) }},
	{Name: "spent", Value: func(r Response) any { return r.Spent }},
	{Name: "rows", Value: func(r Response) any { return positive(r.Rows) }},
	{Name: "next_pass", Value: func(r Response) any { return r.score(r.NextPass) }},
	{Name: "next_upper", Value: func(r Response) any { return optional(r.NextUpper) }},
	{Name: "next_margin", Value: func(r Response) any { return positive(r.Margin) }},
	{Name: "power", Value: func(r Response) any { return optional(r.Power) }},
}

// StatusFieldsOf are the columns of the row of a status of a plan.
func StatusFieldsOf(p *Plan) []Field[Status] {
	fields := statusFields
	switch {
	case p.IsOpen():
		fields = openStatusFields
	case p.design().Arrives():
		fields = append(slices.Clone(statusFields), Field[Status]{Name: "next_rows", Value: func(s Status) any {
			if s.Remaining.Looks == 0 {
				return nil
			}
			return s.Plan.RowsAfter(s.Looks)
		}})
	}
	return append(slices.Clip(fields), LawFields(p, func(s Status) *Plan { return s.Plan })...)
}

var statusFields = []Field[Status]{
	{Name: "state", Value: func(s Status) any { return s.State() }},
	{Name: "looks", Value: func(s Status) any { return s.Looks }},
	{Name: "torn", Value: func(s Status) any { return s.Torn }},
	{Name: "remaining_looks", Value: func(s Status) any { return s.Plan.fixed(s.Remaining.Looks) }},
	{Name: "remaining_passes", Value: func(s Status) any { return s.Plan.rest(transfer.Gate, s.Remaining.Passes) }},
	{Name: "remaining_flags", Value: func(s Status) any { return s.Plan.rest(transfer.Flags, s.Remaining.Flags) }},
	{Name: "looks_per_day", Value: func(s Status) any { return positive(s.LooksPerDay) }},
	{Name: "days_left", Value: func(s Status) any { return positive(s.DaysLeft()) }},
	{Name: "method", Value: func(s Status) any { return s.Plan.Method }},
	{Name: "feedback", Value: func(s Status) any { return s.Plan.Promise.Feedback }},
	{Name: "samples", Value: func(s Status) any { return s.Rows }},
	{Name: "queries", Value: func(s Status) any { return s.Plan.fixed(s.Plan.Promise.Queries) }},
	{Name: "tau", Value: func(s Status) any { return s.Plan.fixed(positive(s.Plan.Promise.Tau)) }},
	{Name: "beta", Value: func(s Status) any { return s.Plan.Promise.Beta }},
	{Name: "labels", Value: func(s Status) any { return relativePath(s.Plan.Labels) }, Typed: true},
	{Name: "chain", Value: func(s Status) any { return s.Chain }},
}

// openStatusFields are the columns of the row of an open ledger's status.
var openStatusFields = slices.Concat(statusFields, []Field[Status]{
	{Name: "spent", Value: func(s Status) any { return s.Spent }},
	{Name: "most", Value: func(s Status) any { return s.Plan.Open.Most }},
	{Name: "margin", Value: func(s Status) any {
		if margin, err := s.Margin(); err == nil && !s.Retired {
			return margin
		}
		return nil
	}},
})

// openLineFields are the columns of the rows of an open ledger's log.
var openLineFields = slices.Concat(questionFields(slices.Concat(lineFields, openFields(func(l Line) Line { return l })),
	ask.Params()), []Field[Line]{
	{Name: "known_lower", Value: func(l Line) any { return optional(l.Known.Lower) }},
	{Name: "known_upper", Value: func(l Line) any { return optional(l.Known.Upper) }},
}, bestFields(func(l Line) Line { return l }))

// questionFields are fields, and columns of the parameters that have none there. The column conditions has what
// parameters that repeat ask.
func questionFields(fields []Field[Line], params []ask.Param) []Field[Line] {
	fields = slices.Clone(fields)
	for _, p := range params {
		known := slices.ContainsFunc(fields, func(f Field[Line]) bool { return f.Name == p.Name })
		if !known && !p.Repeats() {
			fields = append(fields, Field[Line]{Name: p.Name, Typed: !p.IsNumber() && p.Words == nil,
				Value: func(l Line) any { return p.Value(l.Question) }})
		}
	}
	return fields
}

// LineFieldsOf are the columns of the rows of a log of a plan.
func LineFieldsOf(p *Plan) []Field[Line] {
	fields := questionFields(lineFields, p.Asks())
	switch {
	case p.IsOpen():
		fields = openLineFields
	case p.conditioned():
		told := Field[Line]{Name: "conditions", Value: func(l Line) any { return l.Told() }, Typed: true}
		fields = append(fields, told)
	case p.design().Arrives():
		fields = append(fields, Field[Line]{Name: "rows", Value: func(l Line) any { return positive(l.Rows) }})
	}
	return append(slices.Clip(fields), LawFields(p, func(Line) *Plan { return p })...)
}

var lineFields = []Field[Line]{
	{Name: "look", Value: func(l Line) any { return positive(l.Look) }},
	{Name: "event", Value: func(l Line) any { return l.Event }},
	{Name: "time", Value: func(l Line) any { return l.Time }},
	{Name: "name", Value: func(l Line) any { return l.Name }, Typed: true},
	{Name: "metric", Value: func(l Line) any { return l.Metric }, Typed: true},
	{Name: "verdict", Value: func(l Line) any { return l.Verdict }},
	{Name: "response", Value: func(l Line) any { return optional(l.Response) }},
	{Name: "bar", Value: func(l Line) any { return optional(l.Bar) }},
	{Name: "guess", Value: func(l Line) any { return optional(l.Guess) }},
	{Name: "fingerprint", Value: func(l Line) any {
		if IsColumn(l.Metric) { // which an earlier version wrote down
			return nil
		}
		return l.Fingerprint
	}},
	{Name: "chain", Value: func(l Line) any { return l.Chain }},
	{Name: "team", Value: func(l Line) any { return l.Team }, Typed: true},
	{Name: "key", Value: func(l Line) any { return l.Key }},
}

// fixed is a number of a fixed plan, nothing for an open ledger.
func (p *Plan) fixed(x any) any {
	if p.IsOpen() {
		return nil
	}
	return x
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
	if p.goal.Feedback != f || p.IsOpen() {
		return nil
	}
	return left
}

// relativePath is the path of a file from the ledger's folder. The absolute paths that ledgers of an earlier version
// have tell of the machine, and are not shown.
func relativePath(f LabelsFile) string {
	if filepath.IsAbs(f.Path) {
		return ""
	}
	return f.Path
}
