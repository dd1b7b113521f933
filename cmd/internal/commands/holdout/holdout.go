// Package holdout has the command holdout, which runs a plan and keeps its promise.
package holdout

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dpcalc/dpcalc/cmd/internal/commands"
	"github.com/dpcalc/dpcalc/cmd/internal/outfile"
	"github.com/dpcalc/dpcalc/cmd/internal/usage"
	"github.com/dpcalc/dpcalc/holdout"
)

// Command is the command holdout.
func Command() *commands.Command {
	return commands.Group(commands.Command{
		Name:        "holdout",
		Summary:     "run a test set as a ledger of looks",
		Description: commands.Described("holdout"),
		Examples: []string{
			"dpcalc holdout init ledger --labels labels.csv -m 20 -b 0.05 --query binary",
			"dpcalc holdout score ledger predictions.csv --name first",
			"dpcalc holdout status ledger",
		},
	}, initCommand(), scoreCommand(), priceCommand(), statusCommand(), logCommand(), extendCommand(), closeCommand(),
		verifyCommand(), retireCommand(), tokenCommand(), serveCommand())
}

// runner runs an action on a folder, or on a name.
type runner func(c *commands.Call, target commands.Target, dir string, files []string) error

// checked runs an action whose output can be written.
func (run runner) checked(c *commands.Call, args []string) error {
	target, err := c.Target()
	if err == nil {
		err = c.Check(target.Path)
	}
	if err != nil {
		return err
	}
	return input(c, run(c, target, args[0], args[1:]))
}

// outside runs an action on a ledger, into whose folder nobody else writes, nor what could not be written once a look
// is spent.
func (run runner) outside(c *commands.Call, args []string) error {
	target, err := c.Target()
	if err != nil {
		return err
	}
	log, _ := c.Text("log")
	for _, f := range []struct{ flag, path string }{{"output", target.Path}, {"log", log}} {
		if f.path == "" {
			continue
		}
		inside := outfile.IsInside(f.path, args[0])
		for _, file := range holdout.Files() {
			inside = inside || outfile.IsSameFile(f.path, filepath.Join(args[0], file))
		}
		if inside {
			return usage.Invalid(f.flag, f.path, "a file outside of the ledger's folder")
		}
	}
	return run.checked(c, args)
}

// writers are the actions that change a ledger.
var writers = []string{"init", "score", "extend", "close", "retire"}

// onLedger is an action on the ledger in a folder, with so many files at least and at most.
func onLedger(c commands.Command, run runner, least, most int) *commands.Command {
	c.Output = commands.Tables
	c.Run = func(call *commands.Call) error {
		args, err := call.Operands(1+least, 1+most)
		if err != nil {
			return err
		}
		if slices.Contains(writers, c.Name) {
			call.Changes(args[0])
		}
		return run.outside(call, args)
	}
	return &c
}

// input makes an error of the input a usage error, of its flag if there is one, or of the plan file that has the goal.
func input(c *commands.Call, err error) error {
	wrong := (*holdout.InputError)(nil)
	if told := (*usage.Error)(nil); !errors.As(err, &wrong) || errors.As(err, &told) {
		return err
	}
	name, _, _ := strings.Cut(err.Error(), ":")
	ofGoal := slices.ContainsFunc(goalFlags, func(f usage.Flag) bool { return f.Name == name })
	if path, planned := c.Text("plan"); planned && ofGoal {
		return usage.Errorf("%s: %v", path, err)
	}
	if slices.ContainsFunc(c.Command.Flags, func(f usage.Flag) bool { return f.Name == name }) {
		return usage.Errorf("--%v", err)
	}
	return usage.Errorf("holdout: %v", err)
}
