package holdout

import (
	"context"

	"github.com/dpcalc/dpcalc/holdout/form"
	"github.com/dpcalc/dpcalc/holdout/journal"
)

// CloseLedger retires an open ledger for so many p-values, at the level alpha together, that are computed elsewhere
// from its rows. A ledger that was closed gives the level that it was closed with again.
func CloseLedger(ctx context.Context, dir string, alpha float64, tests int64) (status Status, closed Close, err error) {
	switch {
	case !(alpha > 0 && alpha < 1):
		return status, closed, inputf("alpha: got %v, want a probability in (0, 1)", alpha)
	case tests < 1:
		return status, closed, inputf("tests: got %d, want at least 1", tests)
	}
	l := newLedger(dir)
	err = l.writing(ctx, func(h *history, w journal.Writer) error {
		if !h.Plan.IsOpen() {
			return inputf("close: got a ledger with a fixed plan, want an open one")
		}
		end := w.Confirm
		if !h.Retired {
			spent := h.Account.Spent()
			closed = Close{Alpha: &alpha, Tests: tests, Spent: &spent}
			end = func() error { return l.add(w, form.Line{Event: Retired, Close: closed}) }
		} else if last := h.Lines[len(h.Lines)-1].Close; last.Alpha == nil || *last.Alpha != alpha || last.Tests != tests {
			return &RefusedError{Reason: "the ledger is retired, and was not closed for this alpha and number of tests"}
		} else {
			closed = last
		}
		err := end()
		status = h.status()
		return err
	})
	return status, closed, err
}

// Retire ends a ledger: no new look is answered any more.
func Retire(ctx context.Context, dir string) (status Status, err error) {
	l := newLedger(dir)
	err = l.writing(ctx, func(h *history, w journal.Writer) error {
		end := w.Confirm
		if !h.Retired {
			end = func() error { return l.add(w, form.Line{Event: Retired}) }
		}
		err := end()
		status = h.status()
		return err
	})
	return status, err
}
