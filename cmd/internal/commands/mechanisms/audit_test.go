package mechanisms

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dpcalc/dpcalc/cmd/internal/commandtest"
	"github.com/dpcalc/dpcalc/cmd/internal/outfile"
	"github.com/dpcalc/dpcalc/cmd/internal/usage"
	"github.com/dpcalc/dpcalc/properties/audit/suite"
)

// The same seed gives the same bytes for any number of workers, in every format.
func TestAuditBytes(t *testing.T) {
	for _, format := range []string{"table", "csv", "json"} {
		print := func(workers int, more ...string) string {
			var stdout, stderr bytes.Buffer
			s := &outfile.Session{Context: context.Background(), Stdout: &stdout, Stderr: &stderr, Workers: workers}
			args := []string{"dpcalc", "audit", "laplace", "svt6", "thresholdout", "--samples", "8k", "-f", format}
			if code := commandtest.RunIn(s, append(args, more...)); code != usage.ExitRefuted || stderr.Len() != 0 ||
				stdout.Len() == 0 {
				t.Fatalf("%s: exit %d, stderr %q", format, code, stderr.String())
			}
			return stdout.String()
		}
		want := print(1)
		for _, workers := range []int{2, 7} {
			if print(workers) != want {
				t.Errorf("%s: other bytes with %d workers", format, workers)
			}
		}
		if print(0, "--seed", "0") == want {
			t.Errorf("%s: the seed does not matter", format)
		}
	}
}

// Without a name all mechanisms are audited, and none is violated; mutants are, by the exit
// code and by the rows that the list says.
func TestAuditVerdicts(t *testing.T) {
	type answer struct {
		Schema string
		Inputs struct {
			Mechanisms []string
			Samples    int64
		}
		Rows []map[string]any
	}
	ask := func(wantCode int, args ...string) (a answer) {
		t.Helper()
		code, stdout, stderr := commandtest.Dpcalc(append([]string{"audit", "-f", "json"}, args...)...)
		if code != wantCode || stderr != "" {
			t.Fatalf("%v: exit %d, %s", args, code, stderr)
		}
		if err := json.Unmarshal([]byte(stdout), &a); err != nil {
			t.Fatal(err)
		}
		if a.Schema != "dpcalc/audit/1" || len(a.Rows) == 0 {
			t.Fatalf("%v: %s with %d rows", args, a.Schema, len(a.Rows))
		}
		for _, row := range a.Rows {
			if len(row) != 14 {
				t.Fatalf("a row has %d columns: %v", len(row), row)
			}
			sampled := row["layer"] == "statistical"
			for _, name := range []string{"samples", "false_alarm", "ln_false_alarm", "seed"} {
				if (row[name] != nil) != sampled {
					t.Errorf("%v: %s is %v", row, name, row[name])
				}
			}
		}
		return a
	}
	all := ask(usage.ExitOK, "--samples", "5k")
	if !slices.Equal(all.Inputs.Mechanisms, mechanismNames(suite.Mechanisms())) {
		t.Errorf("the default is %v", all.Inputs.Mechanisms)
	}
	seen := map[any]bool{}
	for _, row := range all.Rows {
		seen[row["mechanism"]] = true
		if row["verdict"] == "violated" || row["layer"] == "exact" && row["verdict"] != "holds" {
			t.Errorf("%v", row)
		}
		if ratio, ok := row["ratio"].(float64); row["layer"] == "exact" && ok && ratio > 1+1e-9 {
			t.Errorf("%v", row)
		}
	}
	if len(seen) != len(suite.Mechanisms()) {
		t.Errorf("%d mechanisms audited", len(seen))
	}
	for _, m := range suite.Mutants() {
		if !slices.Contains([]string{"svt4", "laplace-double", "thresholdout-frozen", "rounding-fine", "splitting-shared"},
			m.Name) {
			continue
		}
		found := ask(usage.ExitRefuted, m.Name, "--samples", "50k")
		for _, killer := range m.Killers {
			if !slices.ContainsFunc(found.Rows,
				func(row map[string]any) bool { return row["check"] == killer && row["verdict"] == "violated" }) {
				t.Errorf("%s: %s does not refute it", m.Name, killer)
			}
		}
	}
}

// An interrupted audit leaves no file and prints nothing.
func TestAuditInterrupted(t *testing.T) {
	path := filepath.Join(t.TempDir(), "rows.csv")
	ctx, stop := context.WithCancel(context.Background())
	time.AfterFunc(50*time.Millisecond, stop)
	var stdout, stderr bytes.Buffer
	s := &outfile.Session{Context: ctx, Stdout: &stdout, Stderr: &stderr}
	code := commandtest.RunIn(s, []string{"dpcalc", "audit", "--samples", "1M", "-o", path})
	if entries, err := os.ReadDir(filepath.Dir(path)); code != usage.ExitFailure || err != nil || len(entries) != 0 ||
		stdout.Len() != 0 {
		t.Errorf("exit %d, %v, %v, stdout %q", code, entries, err, stdout.String())
	}
	if !strings.Contains(stderr.String(), "interrupted") {
		t.Errorf("stderr %q", stderr.String())
	}
}
