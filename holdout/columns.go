package holdout

import (
	"cmp"
	"context"
	"fmt"
	"maps"

	"github.com/dpcalc/dpcalc/holdout/data"
	"github.com/dpcalc/dpcalc/holdout/form"
	"github.com/dpcalc/dpcalc/holdout/journal"
	"github.com/dpcalc/dpcalc/holdout/rule"
	"github.com/dpcalc/dpcalc/holdout/sample"
)

// The values of a column may follow from labels: 1 where an answer is right. Two looks with equal values are then two
// candidates that are right on the same rows, so a ledger that shows whether values are equal shows labels. A look at a
// column is therefore known by its key, and no value enters a name, a hash or a refusal.

// idOf is what a look is known by: its key, or the fingerprint of its values.
func idOf(l Line) string { return cmp.Or(l.Key, l.Fingerprint) }

// askColumn reads a look at a column. A key that has an answer is an [InputError] before any value is read, or with
// Again the answer.
func (l *Ledger) askColumn(ctx context.Context, s Submission) (a asked, err error) {
	h, err := l.current()
	if err := cmp.Or(err, l.checkSubmission(&s)); err != nil {
		return a, err
	}
	if s.Name == "" {
		return a, inputf("name: got nothing, want a name for a look at %s: a commit or a number, never a hash of its values", s.Metric)
	}
	at := l.rows
	if l.plan.Design().Arrives() {
		at = l.rows.First(l.plan.RowsAfter(h.Looks))
	}
	key := at.Key(s)
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
	look := h.Lines[h.known[key][0]].Look
	return inputf("name: %s is look %d: --again prints its answer, another --name takes a new look", shown(name), look)
}

// keepAfter keeps the incumbent's column after a change of the rows that adds some, whose values come with it.
func (l *Ledger) keepAfter(h *history, w journal.Writer, line *form.Line, e Extension) error {
	switch wanted := l.plan.KeepsColumn() && e.Labels != nil; {
	case wanted != (e.Incumbent != nil):
		return inputf("incumbent: got %s, want the incumbent's values in new rows, where the ledger keeps a column", rule.Verdict(wanted, "nothing", "some"))
	case !wanted:
		return nil
	}
	reader := l.rows.Reader
	reader.Rows, reader.Whose = e.Labels.Roster, "new rows"
	added, err := reader.Read(l.plan.Metric, false, e.Incumbent)
	if err != nil {
		return fmt.Errorf("incumbent: %w", err)
	}
	of, err := sample.ReadKept(l.rows.Dir, h.incumbent().Path)
	if err != nil {
		return err
	}
	if line.Replace {
		clear(of)
	}
	maps.Copy(of, added.ByID())
	line.Path = fmt.Sprintf("incumbent-rows-%d.txt", h.Account.Epoch+1)
	return w.Keep(line.Path, sample.TextOf(of))
}

// incumbentOf reads the values of the incumbent's column in the rows of a candidate.
func (l *Ledger) incumbentOf(h *history, candidate data.Values) (data.Values, error) {
	of, err := sample.ReadKept(l.rows.Dir, h.incumbent().Path)
	base, missing := candidate.With(of)
	if missing != "" && err == nil {
		err = corrupt("%s has no value for the id %s", h.incumbent().Path, shown(missing))
	}
	return base, err
}
