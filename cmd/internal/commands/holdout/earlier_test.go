package holdout

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dpcalc/dpcalc/cmd/internal/commandtest"
	"github.com/dpcalc/dpcalc/holdout"
)

// earlierLedgers has ledgers that an earlier version made, and what it answered. Its README.md says how.
const earlierLedgers = "../../../../holdout/testdata/ledgers"

// lost are the ledgers whose plans take no new look: the line says which theorem the plan has lost, and why.
var lost = map[string]string{
	"gate-at-zero":          "dpcalc: " + noCertificate + "gate: needs 367 rows, and there are 24\n",
	"difference-gate-below": "dpcalc: " + noCertificate + "gate: needs 203 rows, and there are 24\n",
}

const noCertificate = "plan.json: the plan has no certificate by the theorem of "

// counted are the boards whose next look reached a boundary by its count and did not by its rounded share, and what it
// is shown now.
var counted = map[string]string{"best-ladder-sum-of-errors": "0.9014205775906372"}

// earlier is one of them, as its case.json has it.
type earlier struct {
	Labels string
	Looks  []earlierLook
	Next   earlierLook

	name, dir string // dir is a copy
}

// earlierLook is a look and its answer. Of a next look without rows the answer has noise.
type earlierLook struct {
	Arguments []string
	Exit      int
	Rows      []map[string]json.RawMessage
}

// readEarlier reads a ledger of the corpus.
func readEarlier(t *testing.T, name string) (e earlier) {
	t.Helper()
	e.name, e.dir = name, filepath.Join(t.TempDir(), "ledger")
	text, err := os.ReadFile(filepath.Join(earlierLedgers, name, "case.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &e); err != nil {
		t.Fatal(err)
	}
	for _, l := range append(slices.Clone(e.Looks), e.Next) {
		for _, row := range l.Rows {
			if e.name == "open-ratios" && string(row["show"]) == `"pass"` { // whose cells are no scores, as it said
				row["cell_from"], row["cell_below"] = json.RawMessage("null"), json.RawMessage("null")
			}
		}
	}
	if err := os.CopyFS(e.dir, os.DirFS(filepath.Join(earlierLedgers, name, "ledger"))); err != nil {
		t.Fatal(err)
	}
	return e
}

// file is a file of the ledger.
func (e earlier) file(t *testing.T, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(e.dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// scores are the arguments that score the look.
func (e earlier) scores(l earlierLook) []string {
	args := []string{"holdout", "score", e.dir, "--labels", filepath.Join(earlierLedgers, e.Labels), "-f", "json"}
	for _, a := range l.Arguments {
		if strings.HasPrefix(a, "rows-") {
			a = filepath.Join(earlierLedgers, a)
		}
		args = append(args, a)
	}
	return args
}

// asks scores the look, and returns the rows.
func (e earlier) asks(t *testing.T, l earlierLook) (exit int, rows []map[string]json.RawMessage) {
	t.Helper()
	args := e.scores(l)
	exit, stdout, stderr := commandtest.Dpcalc(args...)
	var got struct{ Rows []map[string]json.RawMessage }
	if err := json.Unmarshal([]byte(stdout), &got); err != nil {
		t.Fatalf("%s: exit %d, %v, %s%s", args, exit, err, stdout, stderr)
	}
	return exit, got.Rows
}

// answered checks that a look is answered as it was: every member that the row had then is there, byte for byte.
func (l earlierLook) answered(t *testing.T, exit int, rows []map[string]json.RawMessage) {
	t.Helper()
	if exit != l.Exit || len(rows) != len(l.Rows) {
		t.Fatalf("%s: exit %d and %d rows, want exit %d and %d", l.Arguments, exit, len(rows), l.Exit, len(l.Rows))
	}
	for i, row := range l.Rows {
		for name, want := range row {
			if got := rows[i][name]; !bytes.Equal(got, want) {
				t.Errorf("%s: row %d: %s is %s, want %s", l.Arguments, i+1, name, got, want)
			}
		}
	}
}

// A ledger of an earlier version verifies, repeats its looks as they were shown, and takes its next look under the plan
// that it was made with; or it does not verify, and its next look is refused with the line that says which theorem the
// plan has lost.
func TestEarlierLedgers(t *testing.T) {
	entries, err := os.ReadDir(earlierLedgers)
	if err != nil {
		t.Fatal(err)
	}
	count := 0
	for _, entry := range entries {
		if !entry.IsDir() || strings.HasPrefix(entry.Name(), "rows-") {
			continue
		}
		count++
		t.Run(entry.Name(), func(t *testing.T) {
			e := readEarlier(t, entry.Name())
			want, refused := lost[e.name], 0
			if want != "" {
				refused = 1
			}
			if code, _, stderr := commandtest.Dpcalc("holdout", "verify", e.dir); code != refused || stderr != want {
				t.Errorf("verify: exit %d, %q, want %d, %q", code, stderr, refused, want)
			}
			plan, looks := e.file(t, "plan.json"), e.file(t, "looks.jsonl")
			columns := e.columns(t)
			for i, l := range e.Looks {
				if columns[i] {
					e.unnamed(t, l)
					continue
				}
				exit, rows := e.asks(t, l)
				l.answered(t, exit, rows)
			}
			if !bytes.Equal(e.file(t, "looks.jsonl"), looks) {
				t.Fatal("repeated looks have changed the log")
			}
			e.next(t, looks)
			if !bytes.Equal(e.file(t, "plan.json"), plan) {
				t.Error("the next look has changed the plan")
			}
		})
	}
	if count < 90 {
		t.Errorf("%d ledgers, want the 90 of the corpus", count)
	}
}

// next takes the next look of a ledger, and checks its line.
func (e earlier) next(t *testing.T, before []byte) {
	t.Helper()
	if want := lost[e.name]; want != "" {
		code, stdout, stderr := commandtest.Dpcalc(e.scores(e.Next)...)
		if code != 1 || stdout != "" || stderr != want || !bytes.Equal(e.file(t, "looks.jsonl"), before) {
			t.Errorf("a new look without a certificate: exit %d, %s%s, want %s", code, stdout, stderr, want)
		}
		return
	}
	column := e.columns(t)[len(e.Looks)]
	if column {
		e.unnamed(t, e.Next)
		e.Next = e.Next.named()
	}
	if incomparable[e.name] {
		code, _, stderr := commandtest.Dpcalc(e.scores(e.Next)...)
		if code != 3 || !strings.Contains(stderr, "it has no values of the incumbent's column") || !bytes.Equal(e.file(t, "looks.jsonl"), before) {
			t.Errorf("a look that compares with an incumbent's column: exit %d, %s", code, stderr)
		}
		return
	}
	if value := counted[e.name]; value != "" {
		e.Next.Rows[0]["response"] = json.RawMessage(value)
	}
	exit, rows := e.asks(t, e.Next)
	for _, row := range e.Next.Rows {
		if string(row["name"]) == "null" {
			delete(row, "name") // a finalist without one has the name of its file
		}
	}
	if e.Next.Rows != nil {
		e.Next.answered(t, exit, rows)
	} else if exit != 0 && exit != 4 || len(rows) != 1 || string(rows[0]["repeated"]) != "false" {
		t.Errorf("next: exit %d, %s", exit, rows)
	}
	after := e.file(t, "looks.jsonl")
	written, continued := bytes.CutPrefix(after, before)
	if exit == 3 {
		if len(written) > 0 {
			t.Errorf("a refused look has written %s", written)
		}
		return
	}
	if !continued || !slices.ContainsFunc(bytes.Split(written, []byte("\n")), func(line []byte) bool {
		return bytes.HasPrefix(line, fmt.Appendf(nil, `{"event":"look","look":%s,`, rows[0]["look"]))
	}) {
		t.Errorf("the next look has written %s", written)
	}
	if slices.Contains(e.Next.Arguments, "--name") {
		e.Next = e.Next.again()
	}
	if again, repeated := e.asks(t, e.Next); again != exit || !bytes.Equal(repeated[0]["response"], rows[0]["response"]) ||
		string(repeated[0]["repeated"]) != "true" {
		t.Errorf("asked again: exit %d, %s", again, repeated)
	}
}

// incomparable are the ledgers of differences of a column. Earlier versions kept no values of the incumbent.
var incomparable = map[string]bool{"open-refused": true}

// columns reports which of the looks of a ledger without keys are at columns, by its log, and whether the next one is.
func (e earlier) columns(t *testing.T) (list []bool) {
	t.Helper()
	var plan struct{ Schema, Metric string }
	if err := json.Unmarshal(e.file(t, "plan.json"), &plan); err != nil {
		t.Fatal(err)
	}
	for _, l := range append(slices.Clone(e.Looks), e.Next) {
		metric := plan.Metric
		if i := slices.Index(l.Arguments, "--metric"); i >= 0 {
			metric = l.Arguments[i+1]
		}
		list = append(list, holdout.IsColumn(metric) && plan.Schema != "dpcalc/ledger/4")
	}
	return list
}

// unnamed checks that a look at a column is refused without a name, whatever its values are.
func (e earlier) unnamed(t *testing.T, l earlierLook) {
	t.Helper()
	l.Arguments = slices.Clone(l.Arguments)
	if i := slices.Index(l.Arguments, "--incumbent"); i >= 0 {
		l.Arguments = slices.Delete(l.Arguments, i, i+2)
	}
	if i := slices.Index(l.Arguments, "--name"); i >= 0 {
		l.Arguments = slices.Delete(l.Arguments, i, i+2)
	}
	if code, stdout, stderr := commandtest.Dpcalc(e.scores(l)...); code != 2 || stdout != "" || !strings.Contains(stderr, "--name: got nothing, want a name") {
		t.Errorf("%s: exit %d, %s%s", l.Arguments, code, stdout, stderr)
	}
}

// named is a look at a column by a name, whose answer has no fingerprint.
func (l earlierLook) named() earlierLook {
	if i := slices.Index(l.Arguments, "--incumbent"); i >= 0 {
		l.Arguments = slices.Delete(slices.Clone(l.Arguments), i, i+2)
	}
	if !slices.Contains(l.Arguments, "--name") {
		l.Arguments = append(slices.Clone(l.Arguments), "--name", "next")
	}
	for _, row := range l.Rows {
		delete(row, "fingerprint")
		delete(row, "name")
	}
	return l
}

// again is the same look without its file.
func (l earlierLook) again() earlierLook {
	l.Arguments = append([]string{"--again"}, l.Arguments[1:]...)
	return l
}

// A ledger of an earlier version has declared no metrics. It takes accuracy and the columns that its log has.
func TestEarlierMetrics(t *testing.T) {
	for name, want := range map[string]string{
		"answers-two-metrics": "want accuracy or column:score: no other was declared",
		"answers-binary":      "want accuracy: no other was declared",
	} {
		e := readEarlier(t, name)
		code, _, stderr := commandtest.Dpcalc("holdout", "score", e.dir, "--labels", filepath.Join(earlierLedgers, e.Labels),
			"--metric", "column:win", filepath.Join(earlierLedgers, e.Looks[0].Arguments[0]))
		if code != 2 || !strings.Contains(stderr, want) {
			t.Errorf("%s: exit %d, %s, want %s", name, code, stderr, want)
		}
	}
}
