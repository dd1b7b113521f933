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
	"strings"

	"github.com/dpcalc/dpcalc/internal/text"
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

// Limits of the rows of a ledger: rows are numbered by an int32, and ids and classes are held in memory.
const (
	mostRows = 1 << 30
	mostText = 1 << 16 // bytes of an id or a class
)

// roster is the rows of a holdout by their ids, which are public. Submissions are read, and their errors told, from a
// roster alone, where no label is within reach.
type roster struct {
	ids   []string
	at    index
	order []int32 // the rows by their ids, in which all is told: the order of the file may tell the labels
}

// Content is a digest of what an item of a log asks, without what is expected of it. It is zero where the log does not
// say what the item asks.
type Content [16]byte

// Labels are the rows of a holdout with their labels.
type Labels struct {
	From     *Reading  // of the file that they come from; nil for a table with the columns id and label
	Contents []Content // of a log: what the rows ask

	roster
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

// NewRows is [NewLabels] for a ledger of columns alone, whose labels may be empty.
func NewRows(t Table) (*Labels, error) {
	l := &Labels{}
	number := make(map[string]int32)
	err := t(func(id, label string) error {
		switch {
		case id == "":
			return inputf("row %d: got an empty id", len(l.ids)+1)
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
	l.at = newIndex(l.ids)
	var doubled some
	for i, id := range l.ids {
		if l.at.find(id) != int32(i) {
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
func (l *roster) sort() {
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

// Content returns what a row asks, and whether a log of the tool says so.
func (l *Labels) Content(tool, id string) (c Content, ok bool) {
	row := l.at.find(id)
	if other := l.From == nil || l.From.Tool != tool; other || l.Contents == nil || row < 0 {
		return c, false
	}
	c = l.Contents[row]
	return c, c != Content{}
}

// Fingerprint returns the SHA-256 of all ids and labels in their order, and of what the rows of a log ask. Who can
// guess all labels can check the guess with it, so it stays in the ledger's folder.
func (l *Labels) Fingerprint() string {
	d := newDigest("dpcalc labels 1")
	for i, id := range l.ids {
		d.text(id)
		d.text(l.classes[l.class[i]])
		if l.From != nil && l.From.Version > 0 && l.Contents != nil {
			d.text(string(l.Contents[i][:]))
		}
	}
	return d.sum()
}

// some counts ids and keeps the first few.
type some struct {
	count int
	first []string
}

// mostNamed is how many ids an error names.
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

// shown is a text that somebody typed, in a sentence.
func shown(s string) string { return text.Shown(s) }

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
