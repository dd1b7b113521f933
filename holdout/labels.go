package holdout

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash"
	"hash/maphash"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Table is two columns of a table, ids and values, in any order of the rows. It calls visit for every row, stops at
// visit's error and returns it, or its own.
type Table func(visit func(id, value string) error) error

// Columns is the table of two slices of equal length.
func Columns(ids, values []string) Table {
	return func(visit func(id, value string) error) error {
		if len(ids) != len(values) {
			return inputf("got %d ids and %d values, want as many", len(ids), len(values))
		}
		for i, id := range ids {
			if err := visit(id, values[i]); err != nil {
				return err
			}
		}
		return nil
	}
}

// InputError says what is wrong with what was handed in. Nothing was spent or written.
type InputError struct{ text string }

func (e *InputError) Error() string { return e.text }

func inputf(format string, args ...any) error { return &InputError{fmt.Sprintf(format, args...)} }

// Limits of the rows of a ledger: rows are numbered by an int32, and ids and classes are held in memory.
const (
	mostRows = 1 << 30
	mostText = 1 << 16 // bytes of an id or a class
)

// Labels are the rows of a holdout with their classes. The classes that occur are public.
type Labels struct {
	ids     []string
	class   []int32
	classes []string
	rows    index
	order   []int32 // the rows by their ids, in which all is told: the order of the file may be that of the labels
}

// NewLabels reads the labels. An id must not occur twice, and neither id nor label may be empty.
func NewLabels(t Table) (*Labels, error) {
	l := &Labels{}
	number := make(map[string]int32)
	err := t(func(id, label string) error {
		switch {
		case id == "":
			return inputf("row %d: got an empty id", len(l.ids)+1)
		case label == "":
			return inputf("id %s: got an empty label", shown(id))
		case len(id) > mostText || len(label) > mostText:
			return inputf("id %s: got more than %d bytes in an id or label", shown(id), mostText)
		case len(l.ids) == mostRows:
			return inputf("got more than %d rows", mostRows)
		}
		c, ok := number[label]
		if !ok {
			c = int32(len(l.classes))
			label = strings.Clone(label)
			number[label], l.classes = c, append(l.classes, label)
		}
		l.ids, l.class = append(l.ids, strings.Clone(id)), append(l.class, c)
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(l.ids) == 0 {
		return nil, inputf("got no rows, want ids and labels")
	}
	l.rows = newIndex(l.ids)
	var doubled some
	for i, id := range l.ids {
		if l.rows.find(id) != int32(i) {
			doubled.add(id)
		}
	}
	if doubled.count > 0 {
		return nil, inputf("got %s, want every id once", doubled.text("doubled"))
	}
	l.sort()
	return l, nil
}

// sort finds the order of the ids, the shorter ones first. Most files have it.
func (l *Labels) sort() {
	l.order = make([]int32, len(l.ids))
	for i := range l.order {
		l.order[i] = int32(i)
	}
	byID := func(i, j int32) int {
		a, b := l.ids[i], l.ids[j]
		return cmp.Or(cmp.Compare(len(a), len(b)), strings.Compare(a, b))
	}
	if !slices.IsSortedFunc(l.order, byID) {
		slices.SortFunc(l.order, byID)
	}
}

// Samples returns the number of rows.
func (l *Labels) Samples() int64 { return int64(len(l.ids)) }

// Fingerprint returns the SHA-256 of all ids and labels in their order. Who can guess all labels can check the guess
// with it, so it stays in the ledger's folder.
func (l *Labels) Fingerprint() string {
	d := newDigest("dpcalc labels 1")
	for i, id := range l.ids {
		d.text(id)
		d.text(l.classes[l.class[i]])
	}
	return d.sum()
}

// Accuracy is the metric of the share of right predictions.
const Accuracy = "accuracy"

// columnPrefix begins the name of a metric that is a column of values in [0,1].
const columnPrefix = "column:"

// ColumnOf returns the name of the column that holds the values of a metric: "prediction" for [Accuracy].
func ColumnOf(metric string) (string, error) {
	if metric == Accuracy {
		return "prediction", nil
	}
	name, ok := strings.CutPrefix(metric, columnPrefix)
	if !ok || name == "" {
		return "", inputf("metric: got %s, want accuracy, or column:NAME for values in [0, 1]", shown(metric))
	}
	return name, nil
}

// values are what a submission says of every row, in the order of the labels: the number of a class, or the value
// of a metric.
type values struct {
	labels *Labels
	metric string
	of     []float64
}

// read reads a submission: every id of the labels once, with a class or with a number in [0,1].
func (l *Labels) read(metric string, binary bool, t Table) (values, error) {
	v := values{labels: l, metric: metric, of: make([]float64, len(l.ids))}
	if _, err := ColumnOf(metric); err != nil {
		return v, err
	}
	for i := range v.of {
		v.of[i] = math.NaN()
	}
	cell := l.classCell()
	if metric != Accuracy {
		cell = numberCell(binary)
	}
	var surplus, doubled, missing some
	next := int32(0) // most files have the order of the labels
	err := t(func(id, text string) error {
		i := next
		if int(i) >= len(l.ids) || l.ids[i] != id {
			i = l.rows.find(id)
		}
		if i < 0 {
			surplus.add(id)
			return nil
		}
		next = i + 1
		if !math.IsNaN(v.of[i]) {
			doubled.add(id)
			return nil
		}
		x, err := cell(text)
		if err != nil {
			return inputf("id %s: %v", shown(id), err)
		}
		v.of[i] = x
		return nil
	})
	if err != nil {
		return v, err
	}
	for _, i := range l.order {
		if math.IsNaN(v.of[i]) {
			missing.add(l.ids[i])
		}
	}
	var wrong []string
	for _, s := range []struct {
		some
		word string
	}{{missing, "missing"}, {surplus, "surplus"}, {doubled, "doubled"}} {
		if s.count > 0 {
			wrong = append(wrong, s.text(s.word))
		}
	}
	if wrong != nil {
		return v, inputf("got %s, want every id of the labels once", strings.Join(wrong, ", "))
	}
	return v, nil
}

// classCell reads the number of a class.
func (l *Labels) classCell() func(string) (float64, error) {
	number := make(map[string]float64, len(l.classes))
	for i, c := range l.classes {
		number[c] = float64(i)
	}
	return func(text string) (float64, error) {
		x, ok := number[text]
		if !ok {
			return 0, inputf("got the prediction %s, want %s", shown(text), l.wanted())
		}
		return x, nil
	}
}

// wanted names the classes, which are public. Their order in the file is not.
func (l *Labels) wanted() string {
	var names []string
	for _, c := range slices.Sorted(slices.Values(l.classes))[:min(len(l.classes), mostNamed)] {
		names = append(names, shown(c))
	}
	if more := len(l.classes) - len(names); more > 0 {
		return fmt.Sprintf("one of the %d classes of the labels: %s, ...", len(l.classes), strings.Join(names, ", "))
	}
	return "a class of the labels: " + strings.Join(names, ", ")
}

// numberCell reads a value of a metric.
func numberCell(binary bool) func(string) (float64, error) {
	return func(text string) (float64, error) {
		x, ok := decimal(text)
		switch {
		case !ok || !(x >= 0 && x <= 1):
			return 0, inputf("got the value %s, want a number in [0, 1]", shown(text))
		case binary && x != 0 && x != 1:
			return 0, inputf("got the value %s, want 0 or 1 as the plan is for 0/1 queries", shown(text))
		}
		return x, nil
	}
}

// decimal reads a decimal number: no NaN, no infinity, no hexadecimal digits and no blanks, and nothing that would be
// read as zero without being it.
func decimal(text string) (float64, bool) {
	if text == "" || strings.ContainsFunc(text, func(r rune) bool {
		return !strings.ContainsRune("0123456789+-.eE", r)
	}) {
		return 0, false
	}
	x, err := strconv.ParseFloat(text, 64)
	digits, _, _ := strings.Cut(strings.ToLower(text), "e")
	return x, err == nil && (x != 0 || !strings.ContainsAny(digits, "123456789"))
}

// fingerprint is that of the metric and every id with its value.
func (v values) fingerprint(rest ...string) string {
	d := newDigest("dpcalc look 1")
	d.text(v.metric)
	for _, i := range v.labels.order {
		x := v.of[i]
		d.text(v.labels.ids[i])
		if v.metric == Accuracy {
			d.text(v.labels.classes[int(x)])
		} else {
			d.number(x + 0) // -0 is 0
		}
	}
	for _, r := range rest {
		d.text(r)
	}
	return d.sum()
}

// score is 1 for a right prediction and 0 for a wrong one, or the value of the metric.
func (v values) score(i int) float64 {
	switch {
	case v.metric != Accuracy:
		return v.of[i]
	case int32(v.of[i]) == v.labels.class[i]:
		return 1
	}
	return 0
}

// some counts ids and keeps the first few.
type some struct {
	count int
	first []string
}

// mostNamed is how many ids or classes an error names.
const mostNamed = 5

func (s *some) add(id string) {
	if s.count++; s.count <= mostNamed {
		s.first = append(s.first, shown(id))
	}
}

func (s *some) text(word string) string {
	list := strings.Join(s.first, ", ")
	if s.count > len(s.first) {
		list += ", ..."
	}
	if s.count == 1 {
		return fmt.Sprintf("1 %s id (%s)", word, list)
	}
	return fmt.Sprintf("%d %s ids (%s)", s.count, word, list)
}

// shown quotes what would not read as one word, and cuts what is long.
func shown(text string) string {
	long := len(text) > 60
	if long {
		text = text[:57] + "..."
	}
	quoted := strconv.Quote(text)
	plain := text != "" && quoted == `"`+text+`"` && !strings.Contains(text, " ")
	if long || !plain {
		return quoted
	}
	return text
}

// index finds the row of an id. It is a table with open addressing, which takes a tenth of the memory of a map.
type index struct {
	seed  maphash.Seed
	slots []int32 // row + 1, 0 for none
	ids   []string
}

func newIndex(ids []string) index {
	size := 4
	for size < 2*len(ids) {
		size *= 2
	}
	x := index{seed: maphash.MakeSeed(), slots: make([]int32, size), ids: ids}
	for i, id := range ids {
		if slot := x.slot(id); x.slots[slot] == 0 { // the first row of an id
			x.slots[slot] = int32(i) + 1
		}
	}
	return x
}

// slot is where an id is, or the free slot where it would be.
func (x index) slot(id string) int {
	mask := len(x.slots) - 1
	at := int(maphash.String(x.seed, id)) & mask
	for x.slots[at] != 0 && x.ids[x.slots[at]-1] != id {
		at = (at + 1) & mask
	}
	return at
}

// find returns the first row of an id, -1 if there is none.
func (x index) find(id string) int32 { return x.slots[x.slot(id)] - 1 }

// digest is a SHA-256 of texts and numbers, each of which has an end.
type digest struct {
	hash.Hash
	buffer []byte
}

const digestBuffer = 1 << 14

func newDigest(of string) *digest {
	d := &digest{Hash: sha256.New(), buffer: make([]byte, 0, 2*digestBuffer)}
	d.text(of)
	return d
}

func (d *digest) text(s string) {
	d.buffer = append(binary.BigEndian.AppendUint64(d.buffer, uint64(len(s))), s...)
	if len(d.buffer) >= digestBuffer {
		d.flush()
	}
}

func (d *digest) number(x float64) {
	d.buffer = binary.BigEndian.AppendUint64(d.buffer, math.Float64bits(x))
}

func (d *digest) flush() {
	d.Write(d.buffer)
	d.buffer = d.buffer[:0]
}

func (d *digest) sum() string {
	d.flush()
	return hex.EncodeToString(d.Sum(nil))
}
