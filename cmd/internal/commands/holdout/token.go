package holdout

import (
	"github.com/dpcalc/dpcalc/cmd/internal/commands"
	"github.com/dpcalc/dpcalc/cmd/internal/record"
	"github.com/dpcalc/dpcalc/holdout/serve"
)

func tokenCommand() *commands.Command {
	return &commands.Command{
		Name: "token", Arguments: "NAME", Summary: "make the token of a team", Output: commands.Tables,
		Examples: []string{"dpcalc holdout token blue"},
		Run: func(c *commands.Call) error {
			args, err := c.Operands(1, 1)
			if err != nil {
				return err
			}
			return runner(runToken).checked(c, args)
		},
	}
}

// token is the row of a new token.
type token struct{ team, secret, line string }

// runToken makes a token. It is in no file: the server knows its hash.
func runToken(c *commands.Call, target commands.Target, team string, _ []string) error {
	secret, line, err := serve.NewToken(team)
	if err != nil {
		return err
	}
	columns := []record.Column[token]{
		{Name: "team", Cell: func(t token) record.Cell { return record.Foreign(t.team) }},
		{Name: "token", Cell: func(t token) record.Cell { return record.Words(t.secret) }},
		{Name: "line", Cell: func(t token) record.Cell { return record.Foreign(t.line) }},
	}
	return commands.Emit(c, target, commands.Answer[token]{
		Command: "holdout", Columns: columns, Rows: commands.List([]token{{team, secret, line}}),
		Say: func() (title, notes []string) {
			return []string{"The token, for the team. It is shown once:", secret, "The line for the file of tokens:", line}, nil
		},
	})
}
