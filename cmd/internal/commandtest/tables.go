package commandtest

import (
	"encoding/json"
	"testing"

	"github.com/dpcalc/dpcalc/cmd/internal/numbers"
	"github.com/dpcalc/dpcalc/theory"
)

// LnProb reads a probability.
func LnProb(t *testing.T, text string) theory.LogProb {
	t.Helper()
	p, ok := numbers.ParseProb(text)
	if !ok {
		t.Fatal(text)
	}
	return p
}

// RowsOf runs a command with -f json.
func RowsOf(t *testing.T, args ...string) []map[string]any {
	t.Helper()
	_, stdout, stderr := Dpcalc(append(args, "-f", "json")...)
	var got struct{ Rows []map[string]any }
	if err := json.Unmarshal([]byte(stdout), &got); err != nil {
		t.Fatalf("%v: %v, %s", args, err, stderr)
	}
	return got.Rows
}
