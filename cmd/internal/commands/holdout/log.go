package holdout

import (
	"github.com/dpcalc/dpcalc/cmd/internal/commands"
	"github.com/dpcalc/dpcalc/cmd/internal/usage"
	"github.com/dpcalc/dpcalc/holdout"
	"github.com/dpcalc/dpcalc/holdout/column"
)

func logCommand() *commands.Command {
	return onLedger(commands.Command{
		Name: "log", Arguments: "DIR", Summary: "print all looks of a ledger",
		Examples: []string{"dpcalc holdout log ledger", "dpcalc holdout log ledger -o looks.csv"},
	}, runLog, 0, 0)
}

func runLog(c *commands.Call, target commands.Target, dir string, _ []string) error {
	status, lines, err := holdout.Read(dir)
	if err != nil {
		return err
	}
	return commands.Emit(c, target, logOf(lines, status.Plan, dir))
}

func logOf(list []holdout.Line, p *holdout.Plan, dir string) commands.Answer[holdout.Line] {
	fields := column.LineFieldsOf(p)
	return commands.Answer[holdout.Line]{
		Command: "holdout", Inputs: folder(dir), Rows: commands.List(list), Columns: columnsOf(fields, nil),
		Shown: forPeople(fields, func(l holdout.Line) holdout.Line { return l }),
		Say:   func() (title, notes []string) { return []string{"The log of " + usage.Shown(dir)}, nil },
	}
}
