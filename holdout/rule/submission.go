package rule

import (
	"reflect"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/dpcalc/dpcalc/holdout/ask"
	"github.com/dpcalc/dpcalc/holdout/data"
	"github.com/dpcalc/dpcalc/holdout/form"
	"github.com/dpcalc/dpcalc/internal/text"
)

// Batch is the columns that the questions of one command ask of one candidate, by their metrics. The values of each are
// read once, and the log says that the looks are of one model.
type Batch map[string]*Column

// Column is the values of a column, and the first look at them.
type Column struct {
	data.Values
	First int64 // the first look at them
}

// Submission is the predictions of a look, and the question about them.
type Submission struct {
	Name         string     // for the log: at most 100 printable characters, and no part of the fingerprint
	Team         string     // for the log, likewise: who asks, if several do
	Metric       string     // "" for the plan's
	Values       data.Table // every id with its prediction or value
	Source       string     // the name of the values in errors; "" for none
	Path         string     // the file that they are in, to be found again if they become the incumbent
	ask.Question            // empty for a gate whose plan has its bar
	Effect       *float64   // price: a guess how far the truth is above the bar, or the incumbent; nil for no forecast
	Incumbent    data.Table // of differences: the values of the incumbent; none of a column, which the ledger keeps

	Reading *form.Reading // of a column: how the log that has it is read; nil for a table
	Again   bool          // of a column: the answer that this name and question have, without values
	Batch   Batch         // of columns: shared by the questions of a command about one candidate; nil for none
}

// HasForeign reports whether a submission has more than its question that decides something. A new field does, and no
// look is spent until it stands here.
func (s Submission) HasForeign() bool {
	s.Name, s.Team, s.Metric, s.Values, s.Source, s.Path, s.Question = "", "", "", nil, "", "", ask.Question{}
	s.Effect, s.Incumbent, s.Reading, s.Again, s.Batch = nil, nil, nil, false, nil
	return !reflect.ValueOf(s).IsZero()
}

// mostName is how many characters a name has.
const mostName = 100

// ValidName checks the name of a look or a team: at most 100 printable characters. The error is a [form.InputError]
// that begins with the field of the name.
func ValidName(field, name string) error {
	switch {
	case !utf8.ValidString(name) || strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) }):
		return form.Inputf("%s: got %s, want printable characters", field, text.Shown(name))
	case utf8.RuneCountInString(name) > mostName:
		return form.Inputf("%s: got %d characters, want at most %d", field, utf8.RuneCountInString(name), mostName)
	}
	return nil
}
