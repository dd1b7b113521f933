package form

import (
	"cmp"
	"slices"
	"strings"

	"github.com/dpcalc/dpcalc/internal/text"
	"github.com/dpcalc/dpcalc/metric"
)

// Units are what the metrics of a ledger need beside their names. They are public, and none is guessed from labels.
type Units struct {
	Positive    string      `json:"positive,omitempty"`    // the label that counts as positive
	Probability string      `json:"probability,omitempty"` // the column of probabilities of it; "" for "probability"
	Range       *[2]float64 `json:"range,omitempty"`       // of the values of columns, and of numbers; nil for [0,1]
	Clip        float64     `json:"clip,omitempty"`        // the greatest log-loss; 0 for 5, the loss of a probability of about 0.0067
}

// Interval returns the ends of the range.
func (u Units) Interval() (lowest, highest float64) {
	if u.Range == nil {
		return 0, 1
	}
	return u.Range[0], u.Range[1]
}

// Width returns the length of the range.
func (u Units) Width() float64 {
	lowest, highest := u.Interval()
	return highest - lowest
}

// MostLoss returns the greatest log-loss.
func (u Units) MostLoss() float64 { return cmp.Or(u.Clip, 5) }

// ColumnPrefix begins the name of a metric that is a column of values.
const ColumnPrefix = "column:"

// Column returns the name of the column that holds what a metric reads.
func (u Units) Column(name string) (string, error) {
	m, ok := metric.Of(name)
	if !ok {
		return "", Inputf("metric: got %s, want %s", text.Shown(name), strings.Join(metric.Names(), ", "))
	}
	switch column, listed := strings.CutPrefix(name, ColumnPrefix); {
	case listed:
		return column, nil
	case m.Reads == metric.Probability, m.Reads == metric.Forecast && u.Positive != "":
		return cmp.Or(u.Probability, "probability"), nil
	case m.Reads == metric.Score:
		return cmp.Or(u.Probability, "prediction"), nil
	}
	return "prediction", nil
}

// What a record without a value is.
const (
	MissingRefused = "refuse" // an error
	MissingLow     = "low"    // the low end of the range
)

// Match says when a prediction equals a label.
type Match string

// The ways to match. Each but the last goes further than the one before it.
const (
	Exact Match = "exact"  // byte by byte
	Trim  Match = "trim"   // without the blanks around a text
	Fold  Match = "fold"   // and in upper or lower case, and however accents are encoded
	Value Match = "number" // as decimal numbers, whatever their digits; a text that is no number equals no label
)

// Composed is [Fold] in the plans of this version. There the word fold means versions which compare accents as
// they are encoded.
const Composed Match = "fold-nfc"

// Matches returns the ways to match.
func Matches() []Match { return []Match{Exact, Trim, Fold, Value} }

// ReadsNumbers reports whether the predictions that a metric reads are numbers.
func (m Match) ReadsNumbers(name string) bool {
	kind, _ := metric.Of(name)
	return m == Value || kind.Reads != metric.Text
}

// LabelsAreNumbers reports whether labels are read as numbers, and as a text by none of these metrics.
func (m Match) LabelsAreNumbers(metrics []string, positive string) bool {
	reads := func(what metric.Reads) bool {
		return slices.ContainsFunc(metrics, func(name string) bool { kind, _ := metric.Of(name); return kind.Reads == what })
	}
	asNumbers := reads(metric.Forecast) && !reads(metric.Text)
	return m == Value || positive == "" && asNumbers
}
