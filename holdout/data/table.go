package data

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/dpcalc/dpcalc/holdout/form"
	"github.com/dpcalc/dpcalc/internal/text"
)

// Table is two columns of a table, ids and values, in any order of the rows. It calls visit for every row, stops at
// visit's error and returns it, or its own.
type Table func(visit func(id, value string) error) error

// Columns returns the table of two slices of equal length.
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

// surplusError ends the reading of a table with more rows than the ledger ever had: no look is about them.
type surplusError struct{ error }

// Spooled reads a table up to the row after the most that it may have, and returns what was read as a table that can be
// read again until the context ends. The rows are one text, which takes little more memory than what was sent.
func Spooled(ctx context.Context, t Table, most int64) Table {
	if t == nil {
		return nil
	}
	var text strings.Builder
	var ends []int // of the ids and values in the text
	err := t(func(id, value string) error {
		for _, cell := range [2]string{id, value} {
			text.WriteString(cell)
			ends = append(ends, text.Len())
		}
		if int64(len(ends)) > 2*most {
			return &surplusError{fmt.Errorf("more than %d rows", most)}
		}
		return context.Cause(ctx)
	})
	return func(visit func(id, value string) error) error {
		all, from := text.String(), 0
		for i := 0; i < len(ends); i += 2 {
			if err := cmp.Or(context.Cause(ctx), visit(all[from:ends[i]], all[ends[i]:ends[i+1]])); err != nil {
				return err
			}
			from = ends[i+1]
		}
		return err
	}
}

func inputf(format string, args ...any) error { return form.Inputf(format, args...) }

// shown is a text that somebody typed, in a sentence.
func shown(s string) string { return text.Shown(s) }
