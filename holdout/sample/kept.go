package sample

import (
	"bytes"
	"cmp"
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
	"github.com/dpcalc/dpcalc/holdout/rule"
)

// KeptFile returns the file of the values of a candidate, by its look, or of the incumbent of a new ledger for 0. Each
// candidate is kept before its look is taken, whether it passes or fails.
func KeptFile(look int64) string { return fmt.Sprintf("incumbent-%d.txt", look) }

// TextOf returns a line of hexadecimal digits for each row, its id and its value: the size does not depend on the
// values.
func TextOf(of map[string]float64) []byte {
	var text bytes.Buffer
	for _, id := range slices.Sorted(maps.Keys(of)) {
		fmt.Fprintf(&text, "%x %016x\n", id, math.Float64bits(of[id]))
	}
	return text.Bytes()
}

// ReadKept reads the values of the incumbent's column by their ids.
func ReadKept(dir, name string) (map[string]float64, error) {
	of := make(map[string]float64)
	text, err := os.ReadFile(filepath.Join(dir, filepath.Base(name)))
	for line := range strings.Lines(string(text)) {
		id, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		key, wrong := hex.DecodeString(id)
		bits, err := strconv.ParseUint(value, 16, 64)
		x := math.Float64frombits(bits)
		if inside := x >= 0 && x <= 1; cmp.Or(wrong, err) != nil || !inside {
			return nil, journal.Corrupt("%s: line %d is not as it was written", name, len(of)+1)
		}
		of[string(key)] = x
	}
	return of, err
}

// Key returns a hash of the name of a look at a column, its question, how a log is read and the ids, salted by the
// plan.
func (l *Sample) Key(s rule.Submission) string {
	from := form.Reading{}
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
	for _, row := range l.Reader.Rows.Order {
		d.Text(l.Reader.Rows.IDs[row])
	}
	return d.Sum()
}

// read reads the values of a look, unless its batch has them.
func (l *Sample) read(s rule.Submission) (data.Values, error) {
	if b := s.Batch[s.Metric]; b != nil && b.Rows == l.Reader.Rows {
		return b.Values, nil
	}
	v, err := l.Reader.Read(s.Metric, l.plan.Goal.Query.IsZeroOne(), s.Values)
	if err == nil && s.Batch != nil && data.IsColumn(s.Metric) {
		s.Batch[s.Metric] = &rule.Column{Values: v}
	}
	return v, err
}
