package ledger

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/dpcalc/dpcalc/cmd/internal/commandtest"
)

// samples is a log of lm-evaluation-harness with two filters, and items of these ids.
func samples(right int, ids ...int) string {
	var b strings.Builder
	for _, filter := range []string{"strict-match", "flexible-extract"} {
		for i, id := range ids {
			x := 0
			if i < right || filter == "flexible-extract" {
				x = 1
			}
			fmt.Fprintf(&b, "{\"doc_id\": %d, \"doc\": {}, \"target\": \"t%d\", \"filter\": %q, \"exact_match\": %d.0}\n", id, id%3, filter, x)
		}
	}
	return b.String()
}

// upTo are the numbers from a to before b.
func upTo(a, b int) (list []int) {
	for ; a < b; a++ {
		list = append(list, a)
	}
	return list
}

// An open ledger lives on logs alone: its labels, new labels, and the values of the looks. The ledger remembers how its
// labels are read.
func TestLogsOfOtherTools(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "first.jsonl", samples(0, upTo(0, 400)...))
	write(t, "good.jsonl", samples(380, upTo(0, 400)...))
	write(t, "more.jsonl", samples(0, upTo(400, 500)...))
	write(t, "all.jsonl", samples(460, upTo(0, 500)...))
	const from = " --from lm-eval --only filter=strict-match"
	run := func(want int, line string) string {
		t.Helper()
		code, stdout, stderr := commandtest.Dpcalc(append([]string{"holdout"}, strings.Fields(line)...)...)
		if code != want {
			t.Fatalf("%s: exit %d, want %d\n%s%s", line, code, want, stdout, stderr)
		}
		return stdout + stderr
	}
	run(0, "init ledger --labels first.jsonl"+from+" -b 5% --open --metrics column:exact_match")
	run(0, "verify ledger")
	said := run(0, "score ledger good.jsonl --name good --show score --near 0.95 --step 0.02 -f json"+from)
	var looks struct {
		Rows []struct {
			Rows      int64
			CellFrom  float64 `json:"cell_from"`
			CellBelow float64 `json:"cell_below"`
		}
	}
	if err := json.NewDecoder(strings.NewReader(said)).Decode(&looks); err != nil { // standard error has counts
		t.Fatal(err)
	}
	if r := looks.Rows[0]; r.Rows != 400 || !(r.CellFrom <= 0.95 && 0.95 < r.CellBelow) {
		t.Errorf("got %+v, want a cell of 400 rows around 380/400", r)
	}
	run(0, "extend ledger --labels more.jsonl"+from)
	if said := run(2, "score ledger good.jsonl --name late --show score"+from); !strings.Contains(said, "want every id of the labels once") {
		t.Errorf("got %s", said)
	}
	if said := run(0, "score ledger all.jsonl --name all --show pass --bar 0.8 -f json"+from); !strings.Contains(said, `"rows":500`) {
		t.Errorf("got %s, want a look of 500 rows", said)
	}
	run(0, "verify ledger")
	for _, name := range []string{"ledger/plan.json", "ledger/looks.jsonl"} {
		if text, err := os.ReadFile(name); err != nil || strings.Count(string(text), `"lm-eval"`) != 1 {
			t.Errorf("%s: got %s, %v, want how the labels are read", name, text, err)
		}
	}
	for _, c := range []struct{ line, want string }{
		{"score ledger all.jsonl --name other --show score --from lm-eval", "got records of several filter"},
		{"score ledger all.jsonl --name other --show score --from lm-evl", `--from: got "lm-evl", want inspect, lm-eval, promptfoo, csv`},
		{"score ledger all.jsonl --name other --show score --id doc_id", "--id: got it without --from"},
		{"score ledger all.jsonl --name other --show score --only filter" + from, `--only: got "filter", want PATH=VALUE`},
		{"score ledger all.jsonl --name other --show score --value acc" + from, "got no acc, want one; there are doc"},
		{"score ledger all.jsonl --name other --show score --metric accuracy" + from, "--from: got the metric accuracy, want column:NAME"},
		{"extend ledger" + from, "--from: got it without --labels"},
	} {
		if said := run(2, c.line); !strings.Contains(said, c.want) || strings.Count(strings.TrimSuffix(said, "\n"), "\n") > 0 {
			t.Errorf("%s: got %s, want a line with %s", c.line, said, c.want)
		}
	}
}
