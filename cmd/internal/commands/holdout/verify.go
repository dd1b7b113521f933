package holdout

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/dpcalc/dpcalc/cmd/internal/commands"
	"github.com/dpcalc/dpcalc/cmd/internal/record"
	"github.com/dpcalc/dpcalc/cmd/internal/usage"
	"github.com/dpcalc/dpcalc/holdout"
)

func verifyCommand() *commands.Command {
	return onLedger(commands.Command{
		Name: "verify", Arguments: "DIR", Summary: "check every byte of a ledger, and compute its answers again",
		Flags:    []usage.Flag{{Name: "chain", Usage: "find the chain `HASH` of an earlier answer"}},
		Examples: []string{"dpcalc holdout verify ledger", "dpcalc holdout verify ledger -f json"},
	}, runVerify, 0, 0)
}

func runVerify(c *commands.Call, target commands.Target, dir string, _ []string) error {
	chain, given := c.Text("chain")
	if digits, err := hex.DecodeString(chain); given && (err != nil || len(digits) != sha256.Size) {
		return usage.Invalid("chain", chain, "the 64 hexadecimal digits that an answer carried")
	}
	var size int64
	if log, err := os.Stat(filepath.Join(dir, "looks.jsonl")); err == nil {
		size = log.Size()
	}
	bar := c.Progress(int(size / 1000)).Of("kB of the log")
	v, err := holdout.VerifyTelling(dir, strings.ToLower(chain), func(read int64) {
		if bar.Step(int(read / 1000)); read == size {
			bar.After("computing the answers again")
		}
	})
	bar.End()
	if err != nil {
		return err
	}
	return commands.Emit(c, target, verifiedOf(v, dir, chain))
}

// verified is the row of verify.
type verified struct {
	holdout.Verified
	asked string // the chain that was looked for
}

var verifiedColumns = []record.Column[verified]{
	{Name: "verdict", Cell: func(verified) record.Cell { return record.Words("verified") }},
	{Name: "state", Cell: func(v verified) record.Cell { return record.Words(v.State()) }},
	{Name: "looks", Title: "looks taken", Cell: func(v verified) record.Cell { return record.Whole(v.Looks) }},
	{Name: "torn", Cell: func(v verified) record.Cell { return record.Whole(v.Torn) }},
	{Name: "found_after", Title: "chain found after line", Cell: func(v verified) record.Cell {
		if v.asked == "" {
			return record.Cell{}
		}
		return record.Whole(v.After)
	}},
	{Name: "chain", Cell: func(v verified) record.Cell { return record.Words(v.Chain) }},
	{Name: "beta_as_run", Cell: func(v verified) record.Cell {
		if v.AsRun == nil {
			return record.Cell{}
		}
		return record.Beta(*v.AsRun)
	}},
}

func verifiedOf(v holdout.Verified, dir, chain string) commands.Answer[verified] {
	return commands.Answer[verified]{
		Command: "holdout", Inputs: folder(dir), Rows: commands.List([]verified{{v, chain}}), Columns: verifiedColumns,
		Shown: but(verifiedColumns, "chain", "beta_as_run"),
		Say: func() (title, notes []string) {
			notes = []string{"chain " + v.Chain}
			if v.AsRun != nil {
				const run = "the board's looks, of which an earlier version may have taken some by rounded boundaries, keep the " +
					"promise with beta %s"
				note := fmt.Sprintf(run, v.AsRun)
				if promised := v.Plan.Promise.Beta; *v.AsRun > promised {
					note += fmt.Sprintf(", above the %s that the plan promises", promised)
				}
				notes = append(notes, note)
			}
			and, count := "the plan certifies", "count as passes or flags"
			if v.Plan.Open != nil {
				and, count = "every price and interval follows from the looks before it", "cost the most that a response may"
			}
			if v.Torn == 0 {
				return []string{fmt.Sprintf("Every byte of %s is as it was written, and %s", usage.Shown(dir), and)}, notes
			}
			const torn = "looks that a crash has cut short, which are spent and %s: %d"
			return []string{fmt.Sprintf("The whole lines of %s are as they were written, and %s", usage.Shown(dir), and)},
				append(notes, fmt.Sprintf(torn, count, v.Torn))
		},
	}
}
