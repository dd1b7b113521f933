package holdout

import (
	"context"
	"fmt"

	"github.com/dpcalc/dpcalc/holdout/data"
	"github.com/dpcalc/dpcalc/holdout/form"
)

// askFirst reads a submission about the first rows: those that the next look is about or, if it has as many rows as an
// earlier look was about, those.
func (l *Ledger) askFirst(ctx context.Context, s Submission) (a asked, err error) {
	h, err := l.current()
	if err != nil {
		return a, err
	}
	got := int64(0)
	s.Values = data.Spooled(ctx, s.Values, h.samples())
	_ = s.Values(func(string, string) error { // an error is told where it is read again
		got++
		return nil
	})
	n, hand := l.plan.RowsAfter(h.looks), int64(len(l.reader.Rows.IDs))
	for _, line := range h.lines {
		if line.Rows == got && line.Event == Looked {
			n = got
		}
	}
	if n > hand { // which [history.awaits] refuses
		return asked{Asked: Asked{Line: Line{Line: form.Line{Event: Looked, Name: s.Name}}}}, l.admits(&s)
	}
	a, err = l.first(n).askNow(s)
	a.Rows = int64(len(a.look.values.Of))
	return a, err
}

// first is the ledger with its first rows alone, or with all where there are no more.
func (l *Ledger) first(n int64) *Ledger {
	now := *l
	if n < int64(len(l.reader.Rows.IDs)) {
		now.reader.Rows, now.reader.Whose = l.reader.Rows.First(n), fmt.Sprintf("first %d rows", n)
	}
	return &now
}
