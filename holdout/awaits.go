package holdout

import (
	"errors"
	"fmt"
)

// awaits refuses a new look while the rows that it is about have not come, and one about other rows.
func awaits(h Past, a *Asked) error {
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

// arrivedInTime checks that every look of the log was about the rows that are planned for it, which had come.
func arrivedInTime(h Past) error {
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
