package holdout

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/dpcalc/dpcalc/cmd/internal/commands"
	"github.com/dpcalc/dpcalc/cmd/internal/outfile"
	"github.com/dpcalc/dpcalc/cmd/internal/record"
	"github.com/dpcalc/dpcalc/cmd/internal/usage"
	"github.com/dpcalc/dpcalc/holdout/serve"
)

func tokenCommand() *commands.Command {
	return &commands.Command{
		Name: "token", Arguments: "NAME...", Summary: "make the tokens of teams", Output: commands.Tables,
		Flags: []usage.Flag{
			{Name: "names", Usage: "also for the teams in `FILE`, a name on each line"},
			{Name: "append", Usage: "append the line of each token to `FILE`, which holdout serve --tokens reads"},
		},
		Examples: []string{"dpcalc holdout token blue --append tokens.txt", "dpcalc holdout token red green --append tokens.txt"},
		Run: func(c *commands.Call) error {
			teams, err := readTeams(c)
			if err != nil {
				return err
			}
			return runner(runToken).checked(c, teams)
		},
	}
}

// token is the row of a new token.
type token struct{ team, secret, line string }

// runToken makes tokens. They are in no file: the server knows their hashes.
func runToken(c *commands.Call, target commands.Target, first string, others []string) (err error) {
	teams := append([]string{first}, others...)
	list := make([]token, len(teams))
	for i, team := range teams {
		if list[i].secret, list[i].line, err = serve.NewToken(team); err != nil {
			return err
		}
		list[i].team = team
	}
	path, appends := c.Text("append")
	if appends {
		if err := appendTokens(path, list); err != nil {
			return err
		}
	}
	columns := []record.Column[token]{
		{Name: "team", Cell: func(t token) record.Cell { return record.Foreign(t.team) }},
		{Name: "token", Cell: func(t token) record.Cell { return record.Words(t.secret) }},
		{Name: "line", Cell: func(t token) record.Cell { return record.Foreign(t.line) }},
	}
	return commands.Emit(c, target, commands.Answer[token]{
		Command: "holdout", Columns: columns, Rows: commands.List(list),
		Text: func() string {
			var b strings.Builder
			for _, t := range list {
				b.WriteString(t.team + "\t" + t.secret + "\n")
				if !appends {
					fmt.Fprintln(c.Stderr, t.line)
				}
			}
			return b.String()
		},
	})
}

// readTeams reads the names of the teams, each once.
func readTeams(c *commands.Call) ([]string, error) {
	path, listed := c.Text("names")
	least := 1
	if listed {
		least = 0
	}
	teams, err := c.Operands(least, 1<<20)
	if err != nil {
		return nil, err
	}
	if listed {
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, fmt.Errorf("--names: %w", err)
		}
		for line := range strings.Lines(string(bytes.TrimPrefix(text, []byte("\ufeff")))) {
			if line = strings.TrimSpace(line); line != "" {
				teams = append(teams, line)
			}
		}
	}
	if len(teams) == 0 {
		return nil, usage.Errorf("--names: %s: got no name, want one on each line", usage.Shown(path))
	}
	seen := make(map[string]bool)
	for _, team := range teams {
		if seen[team] {
			return nil, usage.Errorf("holdout token: got the team %s twice, want each once", usage.Shown(team))
		}
		seen[team] = true
	}
	return teams, nil
}

// appendTokens appends the lines of tokens by one write, which is on the disk before a token is shown. A team that the
// file has is refused: its token would be a second one.
func appendTokens(path string, list []token) error {
	known, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("--append: %w", err)
	}
	if len(bytes.TrimSpace(known)) > 0 {
		tokens, err := serve.ReadTokens(bytes.NewReader(known))
		if err != nil {
			return usage.Errorf("--append: %s: %v", usage.Shown(path), err)
		}
		if at := slices.IndexFunc(list, func(t token) bool { return tokens.Has(t.team) }); at >= 0 {
			return usage.Errorf("--append: %s has a token of %s, want another team, or a file without its line", usage.Shown(path),
				usage.Shown(list[at].team))
		}
	}
	var lines strings.Builder
	if len(known) > 0 && known[len(known)-1] != '\n' {
		lines.WriteByte('\n')
	}
	for _, t := range list {
		lines.WriteString(t.line + "\n")
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("--append: %w", err)
	}
	_, err = f.WriteString(lines.String())
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return fmt.Errorf("--append: %s: %w", usage.Shown(path), outfile.Cause(err))
	}
	return nil
}
