package fixed

import (
	"errors"
	"fmt"

	"github.com/dpcalc/dpcalc/holdout/form"
	"github.com/dpcalc/dpcalc/holdout/journal"
	"github.com/dpcalc/dpcalc/holdout/rule"
)

// awaits refuses a new look while the rows that it is about have not come, and one about other rows.
func awaits(h rule.Past, a *rule.Asked) error {
	need, have := h.Plan.RowsAfter(h.Looks), h.Samples()
	switch {
	case have < need:
		return &form.RefusedError{Reason: fmt.Sprintf("look %d is about the first %d rows, and %d are at hand: add %d rows before it", h.Looks+1, need,
			have, need-have)}
	case a.Rows != need:
		return form.Inputf("got predictions of the first %d rows, want those of the first %d: look %d is about them", a.Rows, need, h.Looks+1)
	}
	return nil
}

// arrivedInTime checks that every look of the log was about the rows that are planned for it, which had come.
func arrivedInTime(h rule.Past) error {
	if h.Plan.Arrival == nil {
		return nil
	}
	have := h.Plan.Arrival.Rows
	for i, l := range h.Lines {
		err := error(nil)
		switch l.Event {
		case form.Changed:
			if added := l.Labels != nil && l.Rows > have; !added || l.Replace || l.Dropped != nil {
				err = errors.New("got a change of the rows that adds none")
			}
			have = l.Rows
		case form.Looked:
			if need := h.Plan.RowsAfter(l.Look - 1); l.Rows != need || need > have {
				err = fmt.Errorf("got a look at %d rows of %d, want the first %d", l.Rows, have, need)
			}
		}
		if err != nil {
			return journal.Corrupt("looks.jsonl: line %d: %v", i+1, err)
		}
	}
	return nil
}
