package holdout

import (
	"os"
	"strings"
	"testing"

	"github.com/dpcalc/dpcalc/cmd/internal/commandtest"
	"github.com/dpcalc/dpcalc/cmd/internal/usage"
)

// A bet is a rate between 0 and 1 that leaves something of the budget whatever is shown. Any other is one line, exit 2,
// and the ledger stays as it is; a bet that leaves a little is answered.
func TestBetsThatLeaveNothing(t *testing.T) {
	t.Chdir(t.TempDir())
	rows(t, 1000, 600)
	runs(t, 0, "holdout init ledger --labels labels.csv -b 0.05 --open")
	before, err := os.ReadFile("ledger/looks.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	for bet, want := range map[string]string{
		"0": "got 0, want a rate in (0, 1)", "1": "got 1, want a rate in (0, 1)", "-0.1": "got -0.1, want",
		"1.5": "got 1.5, want a rate in (0, 1)", "nan": "got nan, want", "1e-400": "want", "5e-324": "got 5e-324, want a bet",
		"0.99999999999": "got 0.99999999999, want a bet",
	} {
		for _, action := range []string{"price ledger", "score ledger p600.tsv"} {
			args := append(strings.Fields("holdout "+action+" --show pass --bar 0.4"), "--expect="+bet)
			code, out, stderr := commandtest.Dpcalc(args...)
			if code != usage.ExitUsage || out != "" || strings.Count(stderr, "\n") != 1 ||
				!strings.HasPrefix(stderr, "dpcalc: --expect: ") || !strings.Contains(stderr, want) || strings.Contains(stderr, "Inf") {
				t.Errorf("%s, a bet on %s: exit %d, %s%s", action, bet, code, out, stderr)
			}
		}
	}
	after, err := os.ReadFile("ledger/looks.jsonl")
	if err != nil || string(after) != string(before) {
		t.Errorf("%v: the ledger has changed", err)
	}
	runs(t, 0, "holdout score ledger p600.tsv --show pass --bar 0.4 --expect 0.001")
}
