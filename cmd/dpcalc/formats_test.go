package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dpcalc/dpcalc/cmd/internal/commands"
	"github.com/dpcalc/dpcalc/cmd/internal/commandtest"
	"github.com/dpcalc/dpcalc/cmd/internal/outfile"
	"github.com/dpcalc/dpcalc/cmd/internal/usage"
)

// Every command writes every format that it offers, to a file whose suffix implies the format
// and to one that says nothing; its help names the formats, and the completion has them.
func TestEveryCommandInEveryFormat(t *testing.T) {
	t.Chdir(t.TempDir())
	p := newProgram(&outfile.Session{})
	_, script, _ := commandtest.Dpcalc("completion", "bash")
	written := 0
	for _, c := range commands.Leaves(p.Commands) {
		ofLedger := p.Command("holdout").Action(c.Name) == c
		if c.Output == 0 || ofLedger && c.Name != "status" {
			continue
		}
		_, help, _ := commandtest.Dpcalc(append([]string{"help"}, strings.Fields(c.Path())...)...)
		args := example(t, c)
		for _, f := range formats {
			if f.Draw != nil && c.Output&commands.Drawings == 0 {
				code, out, stderr := commandtest.Dpcalc(append(args, "-f", f.Name, "-o", "refused")...)
				if !commandtest.Refused(code, out, stderr, "--format: got "+f.Name) {
					t.Errorf("%s offers no %s: exit %d, %q", c.Path(), f.Name, code, stderr)
				}
				continue
			}
			if f.Draw == nil && !strings.Contains(help, f.Name) || !strings.Contains(script, f.Name) {
				t.Errorf("%s: the help or the completion does not name %s", c.Path(), f.Name)
			}
			for _, way := range [][]string{{"-o", "implied" + f.Suffix}, {"-f", f.Name, "-o", "said"}} {
				if path := way[len(way)-1]; path == "implied" { // a name without a suffix implies nothing
					continue
				}
				written += write(t, append(args, way...), way[len(way)-1])
			}
		}
	}
	if written < 150 {
		t.Errorf("%d files", written)
	}
}

// example is an example of a command that writes to no file.
func example(t *testing.T, c *commands.Command) []string {
	t.Helper()
	switch c.Path() {
	case "plan run":
		if code, _, stderr := commandtest.Dpcalc("plan", "init", "plan.yaml"); code != usage.ExitOK {
			t.Fatal(stderr)
		}
	case "holdout status":
		holdoutFiles(t)
		init := strings.Fields("holdout init ledger --labels labels.csv -m 20 -b 0.05 --query binary")
		if code, _, stderr := commandtest.Dpcalc(init...); code != usage.ExitOK {
			t.Fatal(stderr)
		}
	case "samplesize": // a figure has several goals
		return strings.Fields("samplesize -m 10,20,40 -t 5% --confidence 95% --method hoeffding,splitting")
	case "pvalue-correct":
		return strings.Fields("pvalue-correct --alpha 0.05 --by pure-dp --epsilon 0.001:0.01:log3 --samples 10k")
	case "experiment":
		return strings.Fields("experiment --samples 100 --attributes 50 --reps 2")
	}
	return split(t, c.Examples[0])[1:]
}

// write runs a command that writes a file, and returns how many it has written.
func write(t *testing.T, args []string, path string) int {
	t.Helper()
	code, out, stderr := commandtest.Dpcalc(args...)
	info, err := os.Stat(path)
	if code != usage.ExitOK || out != "" || stderr != "" || err != nil || info.Size() == 0 {
		t.Errorf("%v: exit %d, %q, %q, %v", args, code, out, stderr, err)
		return 0
	}
	if err := os.Remove(filepath.Clean(path)); err != nil {
		t.Fatal(err)
	}
	return 1
}
