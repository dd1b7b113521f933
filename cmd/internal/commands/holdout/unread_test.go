package holdout

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/dpcalc/dpcalc/cmd/internal/commands"
	"github.com/dpcalc/dpcalc/cmd/internal/outfile"
	"github.com/dpcalc/dpcalc/cmd/internal/printed"
	"github.com/dpcalc/dpcalc/cmd/internal/usage"
	"github.com/dpcalc/dpcalc/holdout"
)

// A flag of score that nothing reads is refused before a look is spent, at a fixed plan and at an open ledger. Every
// flag that score has is read.
func TestScoreRefusesAFlagThatNothingReads(t *testing.T) {
	t.Chdir(t.TempDir())
	rows(t, 400, 300)
	runs(t, 0, "holdout init gate --labels labels.csv -b 0.05 -m 60 --feedback gate -t 0.4")
	runs(t, 0, "holdout init open --labels labels.csv -b 0.05 --open")
	scores := func(dir, flag string) error {
		c := scoreCommand()
		c.Flags = append(c.Flags, usage.Flag{Name: "afford"})
		typed := usage.Typed{"bar": {"0.1"}, flag: {"1"}}
		if dir == "open" && flag != "show" {
			typed["show"] = []string{"pass"}
		}
		call := &commands.Call{Command: c, Values: typed, Session: &outfile.Session{Context: context.Background(),
			Stdin: strings.NewReader(""), Stdout: new(bytes.Buffer), Stderr: new(bytes.Buffer)}}
		return runScore(call, commands.Target{Format: printed.Table}, dir, []string{"p300.tsv"})
	}
	for _, dir := range []string{"gate", "open"} {
		const want = "--afford: got it, want none: no look takes it"
		if err := scores(dir, "afford"); err == nil || err.Error() != want {
			t.Errorf("%s: got %v, want %s", dir, err, want)
		}
		if s, err := holdout.ReadStatus(dir); err != nil || s.Looks != 0 {
			t.Errorf("%s: %d looks are spent, %v", dir, s.Looks, err)
		}
		for _, flag := range scoreCommand().Flags {
			if err := scores(dir, flag.Name); err != nil && strings.Contains(err.Error(), "no look takes it") {
				t.Errorf("%s: %v", dir, err)
			}
		}
	}
}
