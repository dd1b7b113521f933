package holdout

import (
	"github.com/dpcalc/dpcalc/cmd/internal/commands"
	"github.com/dpcalc/dpcalc/cmd/internal/numbers"
	"github.com/dpcalc/dpcalc/cmd/internal/record"
	"github.com/dpcalc/dpcalc/cmd/internal/usage"
	"github.com/dpcalc/dpcalc/holdout"
)

func closeCommand() *commands.Command {
	return onLedger(commands.Command{
		Name: "close", Arguments: "DIR", Summary: "end an open ledger with a level for p-values computed elsewhere",
		Flags: []usage.Flag{
			{Name: "alpha", Usage: "the level `A` of the p-values, all together"},
			{Name: "tests", Usage: "there are `R` p-values (default 1)"},
		},
		Examples: []string{"dpcalc holdout close ledger --alpha 0.05 --tests 3"},
	}, runClose, 0, 0)
}

// closedRow is the row of close.
type closedRow struct {
	holdout.Status
	holdout.Close
}

var closedColumns = []record.Column[closedRow]{
	{Name: "state", Cell: func(r closedRow) record.Cell { return record.Words(r.State()) }},
	{Name: "alpha", Cell: func(r closedRow) record.Cell { return record.Exactly(*r.Alpha) }},
	{Name: "tests", Cell: func(r closedRow) record.Cell { return record.Whole(r.Tests) }},
	{Name: "level", Cell: func(r closedRow) record.Cell { return record.Beta(r.Level()) }},
	{Name: "spent", Cell: func(r closedRow) record.Cell { return record.Exactly(*r.Close.Spent) }},
	{Name: "chain", Cell: func(r closedRow) record.Cell { return record.Words(r.Chain) }},
}

func runClose(c *commands.Call, target commands.Target, dir string, _ []string) error {
	alpha, ok, err := numbers.One(c, "alpha", numbers.Reals)
	if err != nil {
		return err
	}
	if !ok {
		return usage.Errorf("--alpha: got nothing, want a probability in (0, 1)")
	}
	tests, ok, err := numbers.One(c, "tests", numbers.Counts)
	if err != nil {
		return err
	}
	if !ok {
		tests = 1
	}
	status, closed, err := holdout.CloseLedger(c.Context, dir, alpha, tests)
	return emitted(c, target, err, commands.Answer[closedRow]{
		Command: "holdout-close", Inputs: folder(dir), Rows: commands.List([]closedRow{{status, closed}}), Columns: closedColumns,
		Shown: but(closedColumns, "chain"),
		Say: func() (title, notes []string) {
			return []string{"The ledger " + usage.Shown(dir) + " is closed"}, []string{
				"level: reject where a p-value that was computed elsewhere from these rows is at most this, or an e-value at least its inverse",
				"chain " + status.Chain,
			}
		},
	})
}
