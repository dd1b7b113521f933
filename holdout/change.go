package holdout

import (
	"cmp"
	"context"
	"slices"

	"github.com/dpcalc/dpcalc/holdout/data"
	"github.com/dpcalc/dpcalc/holdout/journal"
)

// remembered is a known look that was asked of the rows before a change, nil if it is none. A fingerprint has every id,
// so that the submission itself says which rows these were. A change after which there were other than so many is left
// out.
func (l *Ledger) remembered(s Submission) *asked {
	var ids []string
	if err := s.Values(func(id, _ string) error {
		ids = append(ids, id)
		return nil
	}); err != nil || !slices.Contains(l.rows.Sources.Counts[:l.rows.Epoch], int64(len(ids))) {
		return nil
	}
	at := data.NewRoster(ids)
	h, err := l.current()
	if err != nil {
		return nil
	}
	past := *l
	past.rows.Reader.Rows = at
	if past.rows.Clusters != nil { // of which a fingerprint has nothing
		past.rows.Clusters = [][]int32{at.Order}
	}
	for past.rows.Epoch = l.rows.Epoch - 1; past.rows.Epoch >= 0; past.rows.Epoch-- {
		if l.rows.Sources.Counts[past.rows.Epoch] != int64(len(ids)) {
			continue
		}
		a, err := past.askNow(s)
		if cmp.Or(err, h.promoted(&a)) == nil && h.known[a.Fingerprint] != nil {
			return &a
		}
	}
	return nil
}

// Extend changes the rows of an open ledger by one line, and reports whether it has: the same change once more changes
// nothing. An id of rows to add that is there already is an [InputError] that does not depend on its label. Rows that
// replace all others may have ids of the ledger with the labels that these have. The [Ledger] takes no further look: it
// has to be opened with the labels of all its rows.
func (l *Ledger) Extend(ctx context.Context, e Extension) (changed bool, err error) {
	line, err := l.rows.Change(e)
	if err != nil || line == nil {
		return false, err
	}
	return true, l.writing(ctx, func(h *history, w journal.Writer) error {
		if err := cmp.Or(l.checkCurrent(h), l.keepAfter(h, w, line, e)); err != nil {
			return err
		}
		return l.add(w, *line)
	})
}

// UseFeatures gives the ledger the features of its rows, a file for each of its sources, for looks at some of them.
func (l *Ledger) UseFeatures(list ...*Features) error { return l.rows.UseFeatures(list...) }

// UsePopulation gives the ledger the items of its benchmark.
func (l *Ledger) UsePopulation(i *Items) error { return l.rows.UsePopulation(i) }

// Whole checks that the ledger has all that its looks need to know of its rows: no look is taken without.
func (l *Ledger) Whole() error { return l.rows.Whole() }

// Content returns what a row asks, and whether the labels' log of a tool says so.
func (l *Ledger) Content(tool, id string) (Content, bool) { return l.rows.Content(tool, id) }

// Predictions returns the fingerprint of predictions, as a plan for differences has it of the incumbent's.
func (l *Ledger) Predictions(t Table) (string, error) { return l.rows.Predictions(t) }
