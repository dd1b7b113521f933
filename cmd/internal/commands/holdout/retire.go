package holdout

import (
	"github.com/dpcalc/dpcalc/cmd/internal/commands"
	"github.com/dpcalc/dpcalc/holdout"
)

func retireCommand() *commands.Command {
	return onLedger(commands.Command{
		Name: "retire", Arguments: "DIR", Summary: "end a ledger for good",
		Examples: []string{"dpcalc holdout retire ledger"},
	}, runRetire, 0, 0)
}

func runRetire(c *commands.Call, target commands.Target, dir string, _ []string) error {
	s, err := holdout.Retire(c.Context, dir)
	if err != nil {
		return err
	}
	return commands.Emit(c, target, statusOf(s, dir))
}
