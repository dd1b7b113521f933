package ledger

import (
	"slices"
	"strconv"

	"github.com/dpcalc/dpcalc/cmd/internal/commands"
	"github.com/dpcalc/dpcalc/cmd/internal/usage"
	"github.com/dpcalc/dpcalc/holdout/serve"
)

func initCommand() *commands.Command {
	return onLedger(commands.Command{
		Name: "init", Arguments: "DIR", Summary: "make a ledger of labels and a plan, or an open one",
		Description: commands.Described("holdout-init"),
		Flags: slices.Concat(usage.Under(aboutFiles,
			usage.Flag{Name: "labels", Repeats: true, Usage: "the labels of the test set in `FILE`, with columns id and label, or a log"},
			usage.Flag{Name: "incumbent", Usage: "difference: the predictions in `FILE` that candidates are compared with"},
			usage.Flag{Name: "plan", Usage: "the plan file `FILE`, in place of the flags of a plan"},
			usage.Flag{Name: "scenario", Usage: "the scenario `NAME` of the plan file"},
			usage.Flag{Name: "dry-run", Switch: true, Usage: "check everything, and write nothing"},
		), goalFlags, []usage.Flag{testFlag("gate: each look is the one-sided `TEST` of wins and losses against the incumbent, without a bar")},
			declarations, sampleFlags, openDeclarations, logFlags),
		Common: []string{"labels", "queries", "tau", "beta", "feedback", "passes", "threshold", "query", "metrics", "group", "open", "dry-run"},
		Examples: []string{
			"dpcalc holdout init ledger --labels labels.csv -m 20 -b 0.05 --query binary",
			"dpcalc holdout init ledger --labels labels.csv --open -b 0.05",
		},
	}, runInit, 0, 0)
}

func scoreCommand() *commands.Command {
	return onLedger(commands.Command{
		Name: "score", Arguments: "DIR PREDICTIONS...", Summary: "take a look at predictions, and print the answer",
		Description: commands.Described("holdout-score"),
		Flags: slices.Concat(usage.Under(aboutFiles,
			usage.Flag{Name: "name", Repeats: true, Usage: "the look's `NAME` in the log, up to 100 characters; of finalists one for " +
				"each, by default the name of its file; a look at a column needs one: a commit or a number, never a hash of the file"},
			usage.Flag{Name: "again", Switch: true, Usage: "print the answer of the look at a column with this --name and question, without a file"},
			usage.Flag{Name: "dry-run", Switch: true, Usage: "check everything, and write and answer nothing"},
		), questionFlags, movedFlags, logFlags),
		Common: []string{"name", "show", "bar", "guess", "metric", "where", "test", "again", "dry-run", "format", "output"},
		Examples: []string{
			"dpcalc holdout score ledger predictions.csv --show pass --bar 0.8 --name first",
			"dpcalc holdout score ledger predictions.csv --show score --near 0.85",
		},
	}, runScore, 0, manyFiles)
}

func priceCommand() *commands.Command {
	return onLedger(commands.Command{
		Name: "price", Arguments: "DIR [PREDICTIONS]", Summary: "print what the next look of an open ledger would cost",
		Description: commands.Described("holdout-price"),
		Flags: slices.Concat([]usage.Flag{{Name: "effect", Heading: aboutShown,
			Usage: "how probable a pass or a rejection is if the true value is `E` above the bar, or above the incumbent: a forecast, not a guarantee"}},
			questionFlags, movedFlags, logFlags),
		Common: []string{"show", "bar", "guess", "near", "step", "metric", "where", "test", "effect", "format", "output"},
		Examples: []string{
			"dpcalc holdout price ledger --show pass --bar 0.8",
			"dpcalc holdout price ledger --show score --near 0.85",
		},
	}, runPrice, 0, 1)
}

func statusCommand() *commands.Command {
	return onLedger(commands.Command{
		Name: "status", Arguments: "DIR", Summary: "print what a ledger has left",
		Flags: []usage.Flag{
			{Name: "queries", Alias: "m", Usage: "open ledger: the margin after `M` more looks"},
			{Name: "passes", Usage: "open ledger: `K` of --queries pass"},
			{Name: "report", Switch: true, Usage: "open ledger: write its looks and its guarantee as a paragraph for a methods section"},
		},
		Examples: []string{"dpcalc holdout status ledger", "dpcalc holdout status ledger --queries 100"},
	}, runStatus, 0, 0)
}

func logCommand() *commands.Command {
	return onLedger(commands.Command{
		Name: "log", Arguments: "DIR", Summary: "print all looks of a ledger",
		Examples: []string{"dpcalc holdout log ledger", "dpcalc holdout log ledger -o looks.csv"},
	}, runLog, 0, 0)
}

func extendCommand() *commands.Command {
	return onLedger(commands.Command{
		Name: "extend", Arguments: "DIR", Summary: "add rows to a ledger, replace them, or take some out",
		Description: commands.Described("holdout-extend"),
		Flags: slices.Concat(usage.Under(aboutFiles,
			usage.Flag{Name: "labels", Repeats: true, Usage: "the labels of the new rows in `FILE`"},
			usage.Flag{Name: "incumbent", Usage: "the incumbent's column in the new rows, in `FILE`"},
			usage.Flag{Name: "features", Repeats: true, Usage: "the features of the new rows in `FILE`"},
			usage.Flag{Name: "replace", Switch: true, Usage: "the new rows take the place of all rows"},
			usage.Flag{Name: "drop", Usage: "take out the rows whose ids are in `FILE`, in its column id"},
		), logFlags),
		Examples: []string{"dpcalc holdout extend ledger --labels more.csv", "dpcalc holdout extend ledger --drop ids.csv"},
	}, runExtend, 0, 0)
}

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

func verifyCommand() *commands.Command {
	return onLedger(commands.Command{
		Name: "verify", Arguments: "DIR", Summary: "check every byte of a ledger, and compute its answers again",
		Flags:    []usage.Flag{{Name: "chain", Usage: "find the chain `HASH` of an earlier answer"}},
		Examples: []string{"dpcalc holdout verify ledger", "dpcalc holdout verify ledger -f json"},
	}, runVerify, 0, 0)
}

func retireCommand() *commands.Command {
	return onLedger(commands.Command{
		Name: "retire", Arguments: "DIR", Summary: "end a ledger for good",
		Examples: []string{"dpcalc holdout retire ledger"},
	}, runRetire, 0, 0)
}

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

func serveCommand() *commands.Command {
	return onLedger(commands.Command{
		Name: "serve", Arguments: "DIR", Summary: "answer looks at a ledger over HTTP, with a board",
		Description: commands.Described("holdout-serve"),
		Flags: slices.Concat([]usage.Flag{
			{Name: "addr", Usage: "answer at `HOST:PORT` (default " + defaultAddress + "; port 0 for a free one)"},
			{Name: "tokens", Usage: "the teams' tokens in `FILE`, a line of token each; without it only a loopback address is served"},
			{Name: "public-board", Switch: true, Usage: "show board and status without a token"},
			{Name: "host", Repeats: true, Usage: "the Host header may be `NAME` too, as behind a proxy"},
			{Name: "rate", Usage: "answer a team `R` requests a second (default " + strconv.Itoa(serve.DefaultRate) + "), ten seconds of them at once"},
			{Name: "mcp", Switch: true, Usage: "answer agents too, at /mcp, by the Model Context Protocol (streamable HTTP)"},
			{Name: "log", Usage: "append every request but those of the board to `FILE`, as JSON lines"},
			{Name: "bars", Usage: "gate: the bars that teams may ask, `C,...`, where the plan has none"},
		}, movedFlags),
		Common:   []string{"addr", "tokens", "public-board", "host", "rate", "mcp", "log", "bars", "labels"},
		Examples: []string{"dpcalc holdout serve ledger --tokens tokens.txt --public-board", "dpcalc holdout serve ledger"},
	}, runServe, 0, 0)
}
