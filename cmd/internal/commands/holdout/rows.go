package holdout

import (
	"errors"
	"fmt"
	"slices"

	"github.com/dpcalc/dpcalc/cmd/internal/commands"
	"github.com/dpcalc/dpcalc/cmd/internal/record"
	"github.com/dpcalc/dpcalc/cmd/internal/usage"
	"github.com/dpcalc/dpcalc/holdout"
	"github.com/dpcalc/dpcalc/holdout/column"
	"github.com/dpcalc/dpcalc/theory"
)

// The columns of a ledger's rows, which answers over HTTP have too.
var (
	titles    = map[string]string{"looks": "looks taken", "samples": "rows", "queries": "looks", "next_rows": "rows of the next look"}
	responses = columnsOf(column.ResponseFields, nil)
)

// columnsOf makes columns of fields, some under a title of their own.
func columnsOf[R any](fields []column.Field[R], titles map[string]string) (columns []record.Column[R]) {
	for _, f := range fields {
		columns = append(columns, record.Column[R]{Name: f.Name, Title: titles[f.Name],
			Cell: func(r R) record.Cell { return cellOf(f.Value(r), f.Typed) }})
	}
	return columns
}

// cellOf is the cell of a field's value.
func cellOf(value any, typed bool) record.Cell {
	switch v := value.(type) {
	case int64:
		return record.Whole(v)
	case float64:
		return record.Exactly(v)
	case bool:
		return record.Truth(v)
	case theory.LogProb:
		return record.Beta(v)
	case string:
		if typed && v != "" {
			return record.Foreign(v)
		}
		return record.Words(v)
	}
	return record.Cell{}
}

// folder repeats the ledger.
func folder(dir string) []record.Input {
	return []record.Input{{Name: "dir", Value: record.Words(dir)}}
}

// forPeople are the columns of fields as people read them, without some.
func forPeople[R any](fields []column.Field[R], of func(R) holdout.Line, hidden ...string) []record.Column[R] {
	return but(columnsOf(column.ForPeople(fields, of), nil), hidden...)
}

// but returns the columns without some: people do not read hashes in a wide table.
func but[R any](columns []record.Column[R], names ...string) (rest []record.Column[R]) {
	for _, c := range columns {
		if !slices.Contains(names, c.Name) {
			rest = append(rest, c)
		}
	}
	return rest
}

// emitted writes an answer, without its rows where the ledger refuses it.
func emitted[R any](c *commands.Call, target commands.Target, err error, a commands.Answer[R]) error {
	if refused := (*holdout.RefusedError)(nil); errors.As(err, &refused) {
		a.Rows, a.Say = commands.List[R](nil), nil
		a.Then = func() error {
			fmt.Fprintf(c.Stderr, "dpcalc: holdout: %v\n", refused)
			return usage.Outcome(usage.ExitNoAnswer)
		}
		err = nil
	}
	if err != nil {
		return err
	}
	return commands.Emit(c, target, a)
}

// promise tells people the promise of a ledger.
const promise = "The truth of a look is the expected score if the same rows were labelled again. It is the population's value only for a model that was made without these rows."

// alone warns of other looks at the rows, which a ledger cannot see.
const alone = "Keep one ledger for one set of labels: a second ledger or a fixed plan on the same rows voids both guarantees, and no program can detect it."

// naming warns of names that tell what a column holds.
const naming = "A look at a column is known by its --name: use a commit or a number, never a hash of the file, which equal values would share."
