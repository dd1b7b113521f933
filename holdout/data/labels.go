package data

import (
	"strings"

	"github.com/dpcalc/dpcalc/holdout/form"
)

// Content is a digest of what an item of a log asks, without what is expected of it. It is zero where the log does not
// say what the item asks.
type Content [16]byte

// Labels are the rows of a holdout with their labels.
type Labels struct {
	From     *form.Reading // of the file that they come from; nil for a table with the columns id and label
	Contents []Content     // of a log: what the rows ask

	*Roster
	class   []int32
	classes []string
}

// NewLabels reads the labels. An id must not occur twice, and neither id nor label may be empty.
func NewLabels(t Table) (*Labels, error) {
	return NewRows(func(visit func(id, label string) error) error {
		return t(func(id, label string) error {
			if id != "" && label == "" {
				return inputf("id %s: got an empty label", shown(id))
			}
			return visit(id, label)
		})
	})
}

// NewRows returns [NewLabels] for a ledger of columns alone, whose labels may be empty.
func NewRows(t Table) (*Labels, error) {
	l, ids := &Labels{}, []string(nil)
	number := make(map[string]int32)
	err := t(func(id, label string) error {
		switch {
		case id == "":
			return inputf("row %d: got an empty id", len(ids)+1)
		case len(id) > mostText || len(label) > mostText:
			return inputf("id %s: got more than %d bytes in an id or label", shown(id), mostText)
		case len(ids) == MostRows:
			return inputf("got more than %d rows", MostRows)
		}
		c, ok := number[label]
		if !ok {
			c = int32(len(l.classes))
			label = strings.Clone(label)
			number[label], l.classes = c, append(l.classes, label)
		}
		ids, l.class = append(ids, strings.Clone(id)), append(l.class, c)
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(ids) == 0 {
		return nil, inputf("got no rows, want ids and labels")
	}
	l.Roster = NewRoster(ids)
	var doubled idSample
	for i, id := range ids {
		if l.Find(id) != int32(i) {
			doubled.add(id)
		}
	}
	if doubled.count > 0 {
		return nil, inputf("got %s, want every id once", doubled.text("doubled"))
	}
	return l, nil
}

// Label returns the label of a row.
func (l *Labels) Label(row int) string { return l.classes[l.class[row]] }

// Count returns how many rows have a label that equals the text.
func (l *Labels) Count(match form.Match, text string) (rows int64) {
	wanted := Normalized(match, text)
	equals := make([]bool, len(l.classes))
	for i, c := range l.classes {
		equals[i] = Normalized(match, c) == wanted
	}
	for _, c := range l.class {
		if equals[c] {
			rows++
		}
	}
	return rows
}

// Relabels reports whether new rows give another label to an id of these.
func (l *Labels) Relabels(match form.Match, more *Labels) bool {
	for row, id := range l.IDs {
		now := more.Find(id)
		if now >= 0 && Normalized(match, more.Label(int(now))) != Normalized(match, l.Label(row)) {
			return true
		}
	}
	return false
}

// Samples returns the number of rows.
func (l *Labels) Samples() int64 { return int64(len(l.IDs)) }

// Content returns what a row asks, and whether a log of the tool says so.
func (l *Labels) Content(tool, id string) (c Content, ok bool) {
	row := l.Find(id)
	if other := l.From == nil || l.From.Tool != tool; other || l.Contents == nil || row < 0 {
		return c, false
	}
	c = l.Contents[row]
	return c, c != Content{}
}

// Fingerprint returns the SHA-256 of all ids and labels in their order, and of what the rows of a log ask. Who can
// guess all labels can check the guess with it, so it stays in the ledger's folder.
func (l *Labels) Fingerprint() string {
	d := NewDigest("dpcalc labels 1")
	for i, id := range l.IDs {
		d.Text(id)
		d.Text(l.Label(i))
		if l.From != nil && l.From.Version > 0 && l.Contents != nil {
			d.Text(string(l.Contents[i][:]))
		}
	}
	return d.Sum()
}
