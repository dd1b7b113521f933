package samplesize

import (
	"encoding/csv"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dpcalc/dpcalc/cmd/internal/commandtest"
	"github.com/dpcalc/dpcalc/cmd/internal/usage"
)

// planRows writes a plan file and runs it.
func planRows(t *testing.T, name, text string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	t.Chdir(t.TempDir())
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return commandtest.Dpcalc(append([]string{"plan", "run", name}, args...)...)
}

// Everything that is wrong with a plan file is one line with its file and line, and
// nothing is printed.
func TestPlanFileErrors(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"empty", "", "p.yaml: got an empty file, want scenarios"},
		{"syntax", "scenarios: [", "p.yaml: "},
		{"not a mapping", "- 1\n", "p.yaml: line 1: got \"\", want keys with values"},
		{"no scenarios", "defaults:\n  tau: 0.1\n", "p.yaml: line 1: scenarios: got none, want a list of them"},
		{"empty list", "scenarios: []\n", "p.yaml: line 1: scenarios: got none, want a list of them"},
		{"schema", "schema: dpcalc/plan-file/2\nscenarios:\n  - name: a\n",
			"p.yaml: line 1: schema: got dpcalc/plan-file/2, want dpcalc/plan-file/1"},
		{"top-level key", "scenario:\n  - name: a\n", "p.yaml: line 1: unknown key scenario, did you mean scenarios?"},
		{"key", "scenarios:\n  - name: a\n    querys: 10\n", "p.yaml: line 3: unknown key querys, did you mean query?"},
		{"key of the defaults", "defaults:\n  taus: 0.1\nscenarios:\n  - name: a\n",
			"p.yaml: line 2: unknown key taus, did you mean tau?"},
		{"name in the defaults", "defaults:\n  name: a\nscenarios:\n  - name: a\n", "p.yaml: line 2: unknown key name"},
		{"twice", "scenarios:\n  - name: a\n    tau: 0.1\n    tau: 0.2\n", "p.yaml"},
		{"no name", "scenarios:\n  - tau: 0.1\n", "p.yaml: line 2: name: got nothing, want one for every scenario"},
		{"same name", "defaults: {tau: 0.1, beta: 0.1, queries: 1}\nscenarios:\n  - name: a\n  - name: a\n",
			"p.yaml: line 4: name: got a twice, want different names"},
		{"nested", "scenarios:\n  - name: a\n    tau: {x: 1}\n",
			"p.yaml: line 3: tau: got a nested value, want a number, a word or a list"},
		{"value", "scenarios:\n  - name: a\n    tau: 2\n    beta: 0.1\n    queries: 1\n",
			"p.yaml: line 2: scenario a: tau: got 2, want a number in (0, 1)"},
		{"too few", "scenarios:\n  - name: a\n    tau: 0.1\n",
			"p.yaml: line 2: scenario a: samplesize: got --tau, want three of"},
		{"method", "scenarios:\n  - name: a\n    tau: 0.1\n    beta: 0.1\n    queries: 1\n    method: gausian\n",
			"p.yaml: line 2: scenario a: method: unknown method gausian, did you mean gaussian?"},
		{"null name", "defaults: {tau: 0.1, beta: 0.1, queries: 1}\nscenarios:\n  - name: null\n",
			"p.yaml: line 3: name: got nothing, want one for every scenario"},
		{"bell", "defaults: {tau: 0.1, beta: 0.1, queries: 1}\nscenarios:\n  - name: \"a\\a\"\n",
			"p.yaml: line 3: name: got \"a\\a\", want one without control characters"},
		{"merge key", "scenarios:\n  - name: a\n    <<: {tau: 0.1}\n",
			"p.yaml: line 3: got a merge key, want the keys written out or in the defaults"},
		{"two documents", "scenarios: [{name: a, tau: 0.1, beta: 0.1, queries: 1}]\n---\na: 1\n",
			"p.yaml: got more than one document, want one"},
		{"too many goals", "scenarios: [{name: a, tau: 0.1, beta: 0.1, queries: \"1:20001:1\", method: hoeffding}]\n",
			"p.yaml: line 1: scenario a: got more than 20000 goals in the file"},
		{"zip", "scenarios:\n  - name: a\n    tau: 0.1\n    beta: 0.1\n    queries: 1\n    zip: maybe\n",
			"p.yaml: line 2: scenario a: zip: got maybe, want true or false"},
	} {
		t.Run(c.name, func(t *testing.T) {
			code, stdout, stderr := planRows(t, "p.yaml", c.text)
			if code != usage.ExitUsage || stdout != "" || !strings.HasPrefix(stderr, "dpcalc: "+c.want) ||
				strings.Count(stderr, "\n") != 1 {
				t.Errorf("exit %d, %q, %q; want %q", code, stdout, stderr, c.want)
			}
		})
	}
}

// A scenario means what the command line with the same flags means: numbers as they
// are written there, lists, defaults, overrides, null, confidence in place of beta.
func TestPlanScenarioIsACommandLine(t *testing.T) {
	const text = `defaults: {beta: 5%, tau: 1/20, queries: 10k}
scenarios:
  - name: =risky
    queries: [10, 1e2]
    method: [gaussian, splitting]
  - name: b
    confidence: 99%
  - {name: c, tau: null, samples: 20k, queries: "1:4:x2"}
`
	code, got, stderr := planRows(t, "p.yaml", text, "-f", "csv")
	if code != usage.ExitOK || stderr != "" {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	var want strings.Builder
	for i, s := range []struct {
		name string
		args []string
	}{
		{"'=risky", []string{"-b", "5%", "-t", "1/20", "-m", "10,1e2", "--method", "gaussian,splitting"}},
		{"b", []string{"--confidence", "99%", "-t", "1/20", "-m", "10k"}},
		{"c", []string{"-b", "5%", "-n", "20k", "-m", "1:4:x2"}},
	} {
		code, out, stderr := commandtest.Dpcalc(append([]string{"samplesize", "-f", "csv"}, s.args...)...)
		if code != usage.ExitOK {
			t.Fatal(stderr)
		}
		head, rows, _ := strings.Cut(out, "\n")
		if i == 0 {
			want.WriteString("scenario," + head + "\n")
		}
		for line := range strings.Lines(rows) {
			want.WriteString(s.name + "," + line)
		}
	}
	if got != want.String() {
		t.Errorf("got\n%s\nwant\n%s", got, want.String())
	}
}

// JSON with tabs is read; a check that fails decides the exit code, and no answer at
// all is another.
func TestPlanExitCodes(t *testing.T) {
	for _, c := range []struct {
		text string
		want int
	}{
		{"{\n\t\"scenarios\": [\n\t\t{\"name\": \"a\", \"tau\": 0.1, \"beta\": 0.05, \"queries\": 1}\n\t]\n}", usage.ExitOK},
		{`{"scenarios": [{"name": "a", "tau": 0.1, "beta": 0.05, "queries": 1, "samples": 10}]}`, usage.ExitRefuted},
		{`{"scenarios": [{"name": "a", "tau": 0.1, "beta": 0.05, "queries": 1, "method": "thresholdout"}]}`,
			usage.ExitNoAnswer},
	} {
		code, _, stderr := planRows(t, "p.json", c.text)
		if code != c.want {
			t.Errorf("%s: exit %d, want %d: %s", c.text, code, c.want, stderr)
		}
	}
}

// The differences of two plans: what was changed, added and removed, by name.
func TestPlanDiff(t *testing.T) {
	t.Chdir(t.TempDir())
	write := func(name, text string) {
		if err := os.WriteFile(name, []byte("defaults: {tau: 0.1, beta: 0.05, method: splitting}\nscenarios:\n"+text),
			0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("old.yaml", "- {name: same, queries: 1}\n- {name: gone, queries: 2}\n- {name: more, queries: 3}\n")
	write("new.yaml", "- {name: more, queries: 6}\n- {name: same, queries: 1}\n- {name: fresh, queries: 4}\n")
	code, out, stderr := commandtest.Dpcalc("plan", "diff", "old.yaml", "new.yaml", "-f", "csv")
	if code != usage.ExitOK || stderr != "" {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	var got []string
	for line := range strings.Lines(out) {
		cells := strings.Split(strings.TrimSpace(line), ",")
		got = append(got, strings.Join([]string{cells[0], cells[2], cells[5], cells[6], cells[8], cells[9]}, ","))
	}
	// splitting: m ceil(50 ln(40 m))
	want := []string{
		"scenario,change,samples_old,samples_new,queries_old,queries_new",
		"same,same,185,185,1,1", "gone,removed,440,,2,", "more,changed,720,1650,3,6", "fresh,added,,1016,,4",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// A saved plan solves to what the command line that saved it printed.
func TestSavedPlan(t *testing.T) {
	t.Chdir(t.TempDir())
	args := []string{"-m", "10,1k", "-t", "0.05:0.1:0.05", "--confidence", "95%", "-B", "5", "--query", "binary",
		"--proofs", "published"}
	code, direct, stderr := commandtest.Dpcalc(append([]string{"samplesize", "-f", "csv", "--save-plan", "p.yaml"},
		args...)...)
	if code != usage.ExitOK {
		t.Fatal(stderr)
	}
	code, again, stderr := commandtest.Dpcalc("plan", "run", "p.yaml", "-f", "csv")
	if code != usage.ExitOK {
		t.Fatal(stderr)
	}
	var want strings.Builder
	for i, line := range strings.SplitAfter(strings.TrimSuffix(direct, "\n"), "\n") {
		want.WriteString(map[bool]string{true: "scenario,", false: "plan,"}[i == 0] + line)
	}
	if strings.TrimSuffix(again, "\n") != want.String() {
		t.Errorf("got\n%s\nwant\n%s", again, want.String())
	}
	// What exists is not written over, and then nothing else happens.
	before, err := os.ReadFile("p.yaml")
	if err != nil {
		t.Fatal(err)
	}
	code, out, stderr := commandtest.Dpcalc("samplesize", "-m", "1", "-t", "0.1", "-b", "0.1", "--save-plan", "p.yaml",
		"-o", "rows.csv")
	after, err := os.ReadFile("p.yaml")
	if code != usage.ExitUsage || out != "" || !strings.Contains(stderr, "exists") || err != nil ||
		string(after) != string(before) {
		t.Errorf("exit %d, %q, %q", code, out, stderr)
	}
	if left, _ := filepath.Glob("*"); len(left) != 1 {
		t.Errorf("files: %v", left)
	}
}

// JSON is read as JSON: escapes that YAML does not know, and nothing that JSON does not.
func TestPlanJSON(t *testing.T) {
	code, out, stderr := planRows(t, "p.json",
		`{"scenarios": [{"name": "\ud83d\ude00 x\/y", "tau": 0.1, "beta": 0.05, "queries": 1}]}`, "--best", "-f", "csv")
	if code != usage.ExitOK || !strings.Contains(out, "\n\U0001F600 x/y,") {
		t.Errorf("exit %d, %q, %q", code, out, stderr)
	}
	for _, text := range []string{"scenarios: []", `{"scenarios": [],}`, `{"scenarios": []} {}`, `{"scenarios": [`, ""} {
		code, out, stderr := planRows(t, "p.json", text)
		if code != usage.ExitUsage || out != "" || !strings.HasPrefix(stderr, "dpcalc: p.json") ||
			strings.Count(stderr, "\n") != 1 {
			t.Errorf("%q: exit %d, %q, %q", text, code, out, stderr)
		}
	}
}

// What is saved as JSON is JSON, however the numbers were typed.
func TestSavedPlanIsJSON(t *testing.T) {
	t.Chdir(t.TempDir())
	if code, _, stderr := commandtest.Dpcalc("samplesize", "-m", "010", "-t", ".1", "-b", "5.e-2", "--save-plan",
		"p.json"); code != usage.ExitOK {
		t.Fatal(stderr)
	}
	data, err := os.ReadFile("p.json")
	if err != nil || !json.Valid(data) {
		t.Fatalf("%v:\n%s", err, data)
	}
	if code, out, stderr := commandtest.Dpcalc("plan", "run", "p.json", "--best", "-f", "csv"); code != usage.ExitOK ||
		!strings.Contains(out, "plan,gaussian-schedule,599,10,0.1,") {
		t.Errorf("exit %d, %q, %q", code, out, stderr)
	}
	code, _, stderr := commandtest.Dpcalc("samplesize", "-m", "1", "-t", "0.1", "-b", "0.1", "--save-plan", "q.json",
		"-o", "q.json")
	if code != usage.ExitUsage || !strings.Contains(stderr, "--save-plan: got q.json") {
		t.Errorf("exit %d, %q", code, stderr)
	}
}

// An alias means what it stands for, for a value, an item and a scenario.
func TestPlanAliases(t *testing.T) {
	const text = `defaults: {tau: &t 0.1, beta: 0.05, method: splitting}
scenarios:
  - &one {name: a, queries: &q 2}
  - {name: b, queries: [*q, 3], tau: *t}
`
	code, out, stderr := planRows(t, "p.yaml", text, "-f", "csv")
	var got []string
	for line := range strings.Lines(out) {
		got = append(got, strings.Join(strings.Split(line, ",")[:4], ","))
	}
	// splitting: m ceil(50 ln(40 m))
	want := []string{"scenario,method,samples,queries", "a,splitting,440,2", "b,splitting,440,2", "b,splitting,720,3"}
	if code != usage.ExitOK || strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("exit %d, %q, %s", code, got, stderr)
	}
}

// Goals of a grid are compared by their values and not by their place, and a name that
// looks like a place is a name.
func TestPlanDiffOfGrids(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{
		"old.yaml": "- {name: g, queries: [1, 2]}\n- {name: g 2, queries: 3}\n",
		"new.yaml": "- {name: g, queries: [4, 1, 2]}\n- {name: g 2, queries: 3, query: binary}\n",
	} {
		if err := os.WriteFile(name, []byte("defaults: {tau: 0.1, beta: 0.05, method: splitting}\nscenarios:\n"+text),
			0o666); err != nil {
			t.Fatal(err)
		}
	}
	code, out, stderr := commandtest.Dpcalc("plan", "diff", "old.yaml", "new.yaml", "-f", "csv")
	var got []string
	for line := range strings.Lines(out) {
		record, err := csv.NewReader(strings.NewReader(line)).Read()
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, strings.Join(record[:3], "|"))
	}
	want := []string{
		"scenario|goal|change", "g|queries 1, tau 0.1, beta 0.05|same", "g|queries 2, tau 0.1, beta 0.05|same",
		"g 2||changed", "g|queries 4, tau 0.1, beta 0.05|added",
	}
	if code != usage.ExitOK || !slices.Equal(got, want) {
		t.Errorf("exit %d, %q, want %q: %s", code, got, want, stderr)
	}
}
