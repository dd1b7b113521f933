package holdout

import (
	"bytes"
	"cmp"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/dpcalc/dpcalc/metric"
	"github.com/dpcalc/dpcalc/transfer"
)

// The values of a column may follow from labels: 1 where an answer is right. Two looks with equal values are then two
// candidates that are right on the same rows, so a ledger that shows whether values are equal shows labels. A look at a
// column is therefore known by its key, and no value enters a name, a hash or a refusal.

// isColumn reports whether a metric reads a column of values.
func IsColumn(name string) bool {
	m, _ := metric.Of(name)
	return m.Reads == metric.Number
}

// HasColumns reports whether looks of a plan may be at columns. A plan of an earlier version may have declared none.
func (p *Plan) HasColumns() bool {
	return p.Metrics == nil || slices.ContainsFunc(p.Metrics, IsColumn)
}

// key is the key of a look at a column: a hash of its name, its question, how a log is read and the ids of the rows,
// salted by the plan.
func (l *Ledger) key(s Submission) string {
	d := newDigest("dpcalc key 1")
	from := Reading{}
	if s.Reading != nil {
		from = *s.Reading
	}
	for _, list := range [][]string{
		{l.plan.Salt, s.Name, s.Metric, printed(s.Bar), printed(s.Guess)}, s.texts(), {from.Tool, from.ID, from.Value}, from.Only,
	} {
		d.text(strconv.Itoa(len(list)))
		for _, text := range list {
			d.text(text)
		}
	}
	for _, row := range l.reader.rows.order {
		d.text(l.reader.rows.ids[row])
	}
	return d.sum()
}

// id is what a look is known by: its key, or the fingerprint of its values.
func (l Line) id() string { return cmp.Or(l.Key, l.Fingerprint) }

// askColumn reads a look at a column. A key that has an answer is an [InputError] before any value is read, or with
// Again the answer.
func (l *Ledger) askColumn(s Submission) (a asked, err error) {
	h, err := l.current()
	if err := cmp.Or(err, l.admits(&s)); err != nil {
		return a, err
	}
	if s.Name == "" {
		return a, inputf("name: got nothing, want a name for a look at %s: a commit or a number, never a hash of its values", s.Metric)
	}
	a = asked{Line: Line{Event: Looked, Name: s.Name, Key: l.key(s)}, again: s.Again}
	if l.plan.Arrival != nil {
		a.Key = l.first(l.plan.RowsAfter(h.looks)).key(s)
		for _, past := range h.lines {
			if key := l.first(past.Rows).key(s); s.Again && past.Key == key {
				a.Key = key
			}
		}
	}
	switch known := h.known[a.Key] != nil; {
	case s.Again && !known:
		return a, inputf("again: got no look at %s by the name %s and this question, want its values", s.Metric, shown(s.Name))
	case s.Again:
		return a, nil
	case known:
		return a, h.taken(a)
	}
	key := a.Key
	a, err = l.ask(s)
	a.Key = key
	return a, err
}

// taken says that a key has an answer.
func (h *history) taken(a asked) error {
	look := h.lines[h.known[a.Key][0]].Look
	return inputf("name: %s is look %d: --again prints its answer, another --name takes a new look", shown(a.Name), look)
}

// Batch is the questions of one command about one candidate. The values of a column are read once for all of them, and
// the log says that their looks are of one model. The zero value has no question yet.
type Batch struct {
	values map[string]values
	first  map[string]int64 // the number of the first look at a column
}

// took notes the first look at a column.
func (b *Batch) took(line Line) {
	if b != nil && b.first[line.Metric] == 0 {
		b.first[line.Metric] = line.Look
	}
}

// read reads the values of a look, or takes those of the same column and the same rows that its batch has.
func (l *Ledger) read(s Submission) (v values, err error) {
	if v, ok := s.batch().values[s.Metric]; ok && v.rows == l.reader.rows {
		return v, nil
	}
	v, err = l.reader.read(s.Metric, l.plan.goal.Query == transfer.Binary, s.Values)
	if err == nil && s.Batch != nil && IsColumn(s.Metric) {
		if s.Batch.values == nil {
			s.Batch.values, s.Batch.first = make(map[string]values), make(map[string]int64)
		}
		s.Batch.values[s.Metric] = v
	}
	return v, err
}

func (s Submission) batch() Batch {
	if s.Batch == nil {
		return Batch{}
	}
	return *s.Batch
}

// An incumbent of a column is kept in the ledger's folder: a file that somebody names could be compared with it. Each
// candidate is kept before its look is taken, pass or fail, by a file whose size does not depend on its values.

// keptFile is the file of the values of a candidate, by its look, or of the incumbent of a new ledger for 0.
func keptFile(look int64) string { return fmt.Sprintf("incumbent-%d.txt", look) }

// keepsColumn reports whether the ledger keeps the values of an incumbent's column.
func (p *Plan) keepsColumn() bool {
	return p.Schema == columnSchema && p.Incumbent != nil && IsColumn(p.Metric)
}

// keep writes a line for each row: its id and its value in [0,1], in hexadecimal digits.
func (l *Ledger) keep(name string, of map[string]float64) error {
	var text bytes.Buffer
	for _, id := range slices.Sorted(maps.Keys(of)) {
		fmt.Fprintf(&text, "%x %016x\n", id, math.Float64bits(of[id]))
	}
	file, err := os.OpenFile(filepath.Join(l.dir, name), os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = l.write(file, text.Bytes())
	return errors.Join(err, l.sync(file), file.Close(), l.names(l.dir))
}

// byID are the values of a column by their ids.
func (v values) byID() map[string]float64 {
	of := make(map[string]float64, len(v.of))
	for row, id := range v.rows.ids {
		of[id] = v.of[row]
	}
	return of
}

// keptIn reads the values of the incumbent's column by their ids.
func (h *history) keptIn(dir string) (map[string]float64, error) {
	name := h.incumbent().Path
	text, err := os.ReadFile(filepath.Join(dir, filepath.Base(name)))
	if err != nil {
		return nil, err
	}
	of := make(map[string]float64)
	for line := range strings.Lines(string(text)) {
		id, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		key, err := hex.DecodeString(id)
		bits, err2 := strconv.ParseUint(value, 16, 64)
		if x := math.Float64frombits(bits); err != nil || err2 != nil || !(x >= 0 && x <= 1) {
			return nil, corrupt("%s: line %d is not as it was written", name, len(of)+1)
		}
		of[string(key)] = math.Float64frombits(bits)
	}
	return of, nil
}

// incumbentOf reads the values of the incumbent's column in the rows of a candidate.
func (l *Ledger) incumbentOf(h *history, candidate values) (base values, err error) {
	of, err := h.keptIn(l.dir)
	base = candidate
	base.of = make([]float64, len(base.rows.ids))
	for row, id := range base.rows.ids {
		x, ok := of[id]
		if base.of[row] = x; !ok && err == nil {
			err = corrupt("%s has no value for the id %s", h.incumbent().Path, shown(id))
		}
	}
	return base, err
}

// readIncumbent reads the incumbent's values of a column in new rows, which the ledger keeps, and none for another ledger.
func (l *Ledger) readIncumbent(e Extension) (v values, err error) {
	switch wanted := l.plan.keepsColumn() && e.Labels != nil; {
	case !wanted && e.Incumbent != nil:
		return v, inputf("incumbent: got one, want none but of new rows, for a ledger that keeps the incumbent's column")
	case !wanted:
		return v, nil
	case e.Incumbent == nil:
		return v, inputf("incumbent: got nothing, want the incumbent's values of %s in the new rows", l.plan.Metric)
	}
	reader := l.reader
	reader.rows, reader.whose = &e.Labels.roster, "new rows"
	if v, err = reader.read(l.plan.Metric, false, e.Incumbent); err != nil {
		err = fmt.Errorf("incumbent: %w", err)
	}
	return v, err
}

// keepAfter keeps the incumbent's column after a change of the rows that brings values of new ones, and names its file.
func (l *Ledger) keepAfter(h *history, line *Line, added values) error {
	if added.of == nil {
		return nil
	}
	of, err := h.keptIn(l.dir)
	if line.Replace {
		of, err = make(map[string]float64), nil
	}
	if err != nil {
		return err
	}
	maps.Copy(of, added.byID())
	line.Path = fmt.Sprintf("incumbent-rows-%d.txt", h.account.epoch+1)
	return l.keep(line.Path, of)
}
