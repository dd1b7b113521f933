package holdout

import (
	"fmt"
	"os"
	"strings"

	"github.com/dpcalc/dpcalc/cmd/internal/commands"
	"github.com/dpcalc/dpcalc/cmd/internal/commands/agents"
	"github.com/dpcalc/dpcalc/cmd/internal/mcp"
	"github.com/dpcalc/dpcalc/cmd/internal/numbers"
	"github.com/dpcalc/dpcalc/cmd/internal/usage"
	"github.com/dpcalc/dpcalc/holdout"
	"github.com/dpcalc/dpcalc/holdout/serve"
)

// MCP is the command mcp.
func MCP() *commands.Command {
	return &commands.Command{
		Name: "mcp", Summary: "answer an agent on a pipe",
		Arguments:   "[DIR]",
		Description: commands.Described("mcp"),
		Flags: []usage.Flag{
			{Name: "folder", Usage: "the one folder `DIR` whose files with predictions the agent may name; without it predictions come with the call"},
			{Name: "labels", Repeats: true, Usage: "labels are now in `FILE`, once for each file that an open ledger's rows come from"},
			{Name: "features", Repeats: true, Usage: "features are now in `FILE`"},
			{Name: "population", Usage: "the ids of all items of the ledger's benchmark are now in `FILE`"},
			{Name: "incumbent", Usage: "difference: the incumbent's predictions are now in `FILE`"},
			{Name: "bars", Usage: "gate: an agent may ask only the bars `C,...`, where the plan has none"},
		},
		Examples: []string{"dpcalc mcp", "dpcalc mcp ledger --folder predictions"},
		Run:      runMCP,
	}
}

// teamOnPipe is the team of an agent on a pipe: what a ledger says of a team's budget holds for it.
const teamOnPipe = "mcp"

// unhurried is a rate that no agent reaches: one on a pipe keeps nobody else waiting.
const unhurried = 1e6

// runMCP answers an agent on standard input and output until the agent closes it.
func runMCP(c *commands.Call) error {
	args := c.Texts(usage.Arguments)
	offer := mcp.Offer{Version: usage.Version(), Instructions: agents.Instructions, Tools: agents.Free()}
	switch {
	case len(args) > 1:
		return usage.Errorf("mcp: got %d arguments, want the folder of a ledger, or none", len(args))
	case len(args) == 1:
		ledger, warning, err := agentLedger(c, args[0])
		if err != nil {
			return input(c, err)
		}
		if ledger.Folder != nil {
			defer ledger.Folder.Close()
		}
		if warning != "" {
			fmt.Fprintf(c.Stderr, "dpcalc: mcp: %s\n", warning)
		}
		offer = offered(ledger, teamOnPipe, warning)
	default:
		for _, f := range c.Command.Flags {
			if len(c.Texts(f.Name)) > 0 {
				return usage.Errorf("--%s: got it without the folder of a ledger, want both", f.Name)
			}
		}
	}
	ctx, done := c.Serving()
	defer done()
	return mcp.Serve(ctx, offer, c.Stdin, c.Stdout)
}

// offered is what a team is offered, and what it is told first.
func offered(l agents.Ledger, team, warning string) mcp.Offer {
	return mcp.Offer{Version: usage.Version(), Tools: l.Tools(team),
		Instructions: strings.TrimSpace(agents.Instructions + "\n" + warning)}
}

// agentLedger opens a ledger for an agent, and says who else can read its labels.
func agentLedger(c *commands.Call, dir string) (l agents.Ledger, warning string, err error) {
	status, err := holdout.ReadStatus(dir)
	if err != nil {
		return l, "", err
	}
	l.Plan = status.Plan
	var paths []string
	l.Server, paths, err = openServer(c, dir, status, serve.Options{
		Version: usage.Version(), Number: numbers.Reals.Parse, Rate: unhurried, AskOnly: true})
	if err != nil {
		return l, "", err
	}
	if folder, ok := c.Text("folder"); ok {
		if l.Folder, err = agents.OpenFolder(folder, append(paths, dir)...); err != nil {
			return l, "", err
		}
	}
	return l, exposed(paths), nil
}

// exposed says how an agent with a shell can read some labels without this program, "" where that is not known.
func exposed(paths []string) string {
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			continue
		}
		who := ""
		switch {
		case info.Mode().Perm()&0o004 != 0 && hasModes:
			who = "every user of this machine"
		case info.Mode().Perm()&0o040 != 0 && hasModes:
			who = "the group of the labels' file"
		case startedByItself():
			who = "the user who started this"
		}
		if who != "" {
			return fmt.Sprintf("The labels can be read by %s: an agent with a shell reads every file of its user. "+
				"Give the labels to another user (sudo -u judge dpcalc mcp DIR) or to another machine (dpcalc holdout serve DIR --mcp).", who)
		}
	}
	return ""
}
