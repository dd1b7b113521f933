package data

import (
	"cmp"
	"fmt"
	"hash/maphash"
	"slices"
	"strings"
)

// Limits of the rows of a ledger: rows are numbered by an int32, and ids and classes are held in memory.
const (
	MostRows = 1 << 30
	mostText = 1 << 16 // bytes of an id or a class
)

// Roster is the rows of a holdout by their ids, which are public. Submissions are read, and their errors told, from a
// roster alone, where no label is within reach.
type Roster struct {
	IDs   []string
	Order []int32 // the rows by their ids, in which all is told: the order of the file may tell the labels
	at    index
}

// NewRoster returns the rows of ids, each of which stands for the first of its row if it occurs twice.
func NewRoster(ids []string) *Roster {
	r := &Roster{IDs: ids, at: newIndex(ids), Order: make([]int32, len(ids))}
	for i := range r.Order {
		r.Order[i] = int32(i)
	}
	byID := func(i, j int32) int { // the shorter ones first: most files have this order
		a, b := ids[i], ids[j]
		return cmp.Or(cmp.Compare(len(a), len(b)), strings.Compare(a, b))
	}
	if !slices.IsSortedFunc(r.Order, byID) {
		slices.SortFunc(r.Order, byID)
	}
	return r
}

// Find returns the row of an id, -1 if there is none.
func (r *Roster) Find(id string) int32 { return r.at.find(id) }

// First returns the first rows. A later row is still found by its id.
func (r *Roster) First(n int64) *Roster {
	order := slices.DeleteFunc(slices.Clone(r.Order), func(row int32) bool { return int64(row) >= n })
	return &Roster{IDs: r.IDs[:n], at: r.at, Order: order}
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

// idSample counts ids and keeps the first few.
type idSample struct {
	count int
	first []string
}

// mostNamed is how many ids an error names.
const mostNamed = 5

func (s *idSample) add(id string) {
	if s.count++; s.count <= mostNamed {
		s.first = append(s.first, shown(id))
	}
}

func (s *idSample) text(word string) string {
	list := strings.Join(s.first, ", ")
	if s.count > len(s.first) {
		list += ", ..."
	}
	if s.count == 1 {
		return fmt.Sprintf("1 %s id (%s)", word, list)
	}
	return fmt.Sprintf("%d %s ids (%s)", s.count, word, list)
}
