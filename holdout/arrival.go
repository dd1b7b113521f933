package holdout

import (
	"context"
	"errors"
	"fmt"

	"github.com/dpcalc/dpcalc/holdout/data"
	"github.com/dpcalc/dpcalc/holdout/form"
	"github.com/dpcalc/dpcalc/transfer"
)

// grows reports whether rows may be added to the ledger.
func (p *Plan) grows() bool { return p.IsOpen() || p.design().Arrives() }

// RowsAfter is how many rows the look after so many looks is about, or the last one if there is none. It is 0 where no
// rows arrive.
func (p *Plan) RowsAfter(looks int64) (rows int64) {
	for _, b := range p.Mechanism.Noise {
		if rows = b.Rows; looks < b.Queries {
			break
		}
		looks -= b.Queries
	}
	return rows
}

// Tau is how far from its truth the answer to a look may be, or the answer to any with 0 for no look.
func (p *Plan) Tau(look int64) float64 {
	if b, err := noiseAt(p.Mechanism.Noise, look-1); err == nil && look > 0 && b.Tau > 0 {
		return b.Tau
	}
	return p.Promise.Tau
}

// stages are the rows that arrive, as a goal has them: nil where none do.
func (p *Plan) stages() *transfer.Arrival {
	if p.Arrival == nil {
		return nil
	}
	a, until := new(transfer.Arrival), int64(0)
	for _, b := range p.Mechanism.Noise {
		until += b.Queries
		if last := len(a.Stages) - 1; last >= 0 && a.Stages[last].More == b.Rows-p.Promise.Samples {
			a.Stages[last].Until = until
		} else {
			a.Stages = append(a.Stages, transfer.Stage{More: b.Rows - p.Promise.Samples, Until: until})
		}
	}
	return a
}

// arrives checks that a goal with rows that arrive, of which so many are in the first file, is one that a ledger can
// keep.
func arrives(g transfer.Goal, rows int64, independent bool) error {
	switch {
	case g.Arrival == nil:
		return nil
	case !independent:
		return inputf("arrive: got it with --group, --population or an AUC, want independent rows of equal weight")
	case g.Query == transfer.Difference:
		return inputf("arrive: got it with differences, want bounded or binary: an incumbent says nothing of rows that are to come")
	case g.Feedback == transfer.Best || g.Feedback == transfer.Final:
		return inputf("arrive: got it with the feedback %s, want answers, gate or flags: scores of different rows are not compared", g.Feedback)
	case rows < g.Samples:
		return inputf("arrive: got %d labels, want at least %d, the rows that the first look is about", rows, g.Samples)
	}
	return nil
}

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
		return asked{Line: Line{Line: form.Line{Event: Looked, Name: s.Name}}}, l.admits(&s)
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

// awaits refuses a new look while the rows that it is about have not come, and one about other rows.
func (h *history) awaits(a asked) error {
	need, have := h.plan.RowsAfter(h.looks), h.samples()
	switch {
	case have < need:
		return &RefusedError{Reason: fmt.Sprintf("look %d is about the first %d rows, and %d are at hand: add %d rows before it", h.looks+1, need,
			have, need-have)}
	case a.Rows != need:
		return inputf("got predictions of the first %d rows, want those of the first %d: look %d is about them", a.Rows, need, h.looks+1)
	}
	return nil
}

// arrived checks that every look of the log was about the rows that are planned for it, which had come.
func (h *history) arrived() error {
	if h.plan.Arrival == nil {
		return nil
	}
	have := h.plan.Arrival.Rows
	for i, l := range h.lines {
		err := error(nil)
		switch l.Event {
		case Changed:
			if added := l.Labels != nil && l.Rows > have; !added || l.Replace || l.Dropped != nil {
				err = errors.New("got a change of the rows that adds none")
			}
			have = l.Rows
		case Looked:
			if need := h.plan.RowsAfter(l.Look - 1); l.Rows != need || need > have {
				err = fmt.Errorf("got a look at %d rows of %d, want the first %d", l.Rows, have, need)
			}
		}
		if err != nil {
			return corrupt("looks.jsonl: line %d: %v", i+1, err)
		}
	}
	return nil
}
