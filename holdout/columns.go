package holdout

import (
	"bytes"
	"cmp"
	"context"
	"encoding/hex"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/dpcalc/dpcalc/holdout/data"
	"github.com/dpcalc/dpcalc/holdout/form"
	"github.com/dpcalc/dpcalc/holdout/journal"
	"github.com/dpcalc/dpcalc/transfer"
)

// The values of a column may follow from labels: 1 where an answer is right. Two looks with equal values are then two
// candidates that are right on the same rows, so a ledger that shows whether values are equal shows labels. A look at a
// column is therefore known by its key, and no value enters a name, a hash or a refusal.

// HasColumns reports whether looks of a plan may be at columns. A plan of an earlier version may have declared none.
func (p *Plan) HasColumns() bool {
	return p.Metrics == nil || slices.ContainsFunc(p.Metrics, IsColumn)
}

// key is a hash of the name of a look at a column, its question, how a log is read and the ids, salted by the plan.
func (l *Ledger) key(s Submission) string {
	from := Reading{}
	if s.Reading != nil {
		from = *s.Reading
	}
	d, asks := data.NewDigest("dpcalc key 1"), append([]string{s.Metric}, s.Apart()...)
	for _, list := range [][]string{{l.plan.Salt, s.Name}, asks, s.Texts(), {from.Tool, from.ID, from.Value}, from.Only} {
		d.Text(strconv.Itoa(len(list)))
		for _, text := range list {
			d.Text(text)
		}
	}
	for _, row := range l.reader.Rows.Order {
		d.Text(l.reader.Rows.IDs[row])
	}
	return d.Sum()
}

// id is what a look is known by: its key, or the fingerprint of its values.
func (l Line) id() string { return cmp.Or(l.Key, l.Fingerprint) }

// askColumn reads a look at a column. A key that has an answer is an [InputError] before any value is read, or with
// Again the answer.
func (l *Ledger) askColumn(ctx context.Context, s Submission) (a asked, err error) {
	h, err := l.current()
	if err := cmp.Or(err, l.admits(&s)); err != nil {
		return a, err
	}
	if s.Name == "" {
		return a, inputf("name: got nothing, want a name for a look at %s: a commit or a number, never a hash of its values", s.Metric)
	}
	at := l
	if l.plan.design().Arrives() {
		at = l.first(l.plan.RowsAfter(h.looks))
	}
	key := at.key(s)
	known := h.known[key] != nil
	switch {
	case s.Again && !known:
		return a, inputf("again: got no look at %s by the name %s and this question, want its values", s.Metric, shown(s.Name))
	case known && !s.Again:
		return a, h.taken(s.Name, key)
	case !known:
		a, err = l.ask(ctx, s)
	}
	a.Name, a.Key, a.again = s.Name, key, s.Again
	return a, err
}

// taken says that a key has an answer.
func (h *history) taken(name, key string) error {
	look := h.lines[h.known[key][0]].Look
	return inputf("name: %s is look %d: --again prints its answer, another --name takes a new look", shown(name), look)
}

// Batch is the columns that the questions of one command ask of one candidate, by their metrics. The values of each are
// read once, and the log says that the looks are of one model.
type Batch map[string]*batched

type batched struct {
	data.Values
	first int64 // the first look at them
}

// read reads the values of a look, unless its batch has them.
func (l *Ledger) read(s Submission) (data.Values, error) {
	if b := s.Batch[s.Metric]; b != nil && b.Rows == l.reader.Rows {
		return b.Values, nil
	}
	v, err := l.reader.Read(s.Metric, l.plan.goal.Query == transfer.Binary, s.Values)
	if err == nil && s.Batch != nil && IsColumn(s.Metric) {
		s.Batch[s.Metric] = &batched{Values: v}
	}
	return v, err
}

// keepsColumn reports whether the ledger keeps the values of an incumbent's column. A file that somebody named could be
// compared with it.
func (p *Plan) keepsColumn() bool {
	return p.Schema == form.ColumnSchema && p.Compares() && IsColumn(p.Metric)
}

// keptFile is the file of the values of a candidate, by its look, or of the incumbent of a new ledger for 0. Each
// candidate is kept before its look is taken, whether it passes or fails.
func keptFile(look int64) string { return fmt.Sprintf("incumbent-%d.txt", look) }

// textOf is a line of hexadecimal digits for each row, its id and its value: the size does not depend on the values.
func textOf(of map[string]float64) []byte {
	var text bytes.Buffer
	for _, id := range slices.Sorted(maps.Keys(of)) {
		fmt.Fprintf(&text, "%x %016x\n", id, math.Float64bits(of[id]))
	}
	return text.Bytes()
}

// keptIn reads the values of the incumbent's column by their ids.
func (h *history) keptIn(dir string) (map[string]float64, error) {
	name, of := h.incumbent().Path, make(map[string]float64)
	text, err := os.ReadFile(filepath.Join(dir, filepath.Base(name)))
	for line := range strings.Lines(string(text)) {
		id, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		key, wrong := hex.DecodeString(id)
		bits, err := strconv.ParseUint(value, 16, 64)
		x := math.Float64frombits(bits)
		if inside := x >= 0 && x <= 1; cmp.Or(wrong, err) != nil || !inside {
			return nil, corrupt("%s: line %d is not as it was written", name, len(of)+1)
		}
		of[string(key)] = x
	}
	return of, err
}

// incumbentOf reads the values of the incumbent's column in the rows of a candidate.
func (l *Ledger) incumbentOf(h *history, candidate data.Values) (data.Values, error) {
	of, err := h.keptIn(l.dir)
	base, missing := candidate.With(of)
	if missing != "" && err == nil {
		err = corrupt("%s has no value for the id %s", h.incumbent().Path, shown(missing))
	}
	return base, err
}

// keepAfter keeps the incumbent's column after a change of the rows that adds some, whose values come with it.
func (l *Ledger) keepAfter(h *history, w journal.Writer, line *form.Line, e Extension) error {
	switch wanted := l.plan.keepsColumn() && e.Labels != nil; {
	case wanted != (e.Incumbent != nil):
		return inputf("incumbent: got %s, want the incumbent's values in new rows, where the ledger keeps a column", verdict(wanted, "nothing", "some"))
	case !wanted:
		return nil
	}
	reader := l.reader
	reader.Rows, reader.Whose = e.Labels.Roster, "new rows"
	added, err := reader.Read(l.plan.Metric, false, e.Incumbent)
	if err != nil {
		return fmt.Errorf("incumbent: %w", err)
	}
	of, err := h.keptIn(l.dir)
	if err != nil {
		return err
	}
	if line.Replace {
		clear(of)
	}
	maps.Copy(of, added.ByID())
	line.Path = fmt.Sprintf("incumbent-rows-%d.txt", h.account.epoch+1)
	return w.Keep(line.Path, textOf(of))
}
