package samplesize

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/dpcalc/dpcalc/cmd/internal/commands"
	"github.com/dpcalc/dpcalc/cmd/internal/commandtest"
	"github.com/dpcalc/dpcalc/cmd/internal/record"
	"github.com/dpcalc/dpcalc/cmd/internal/usage"
)

// savePlan writes the plan file of one scenario, which has the flags of a command line for samplesize.
func savePlan(t *testing.T, path string, args ...string) {
	t.Helper()
	front := commands.Front{Commands: []*commands.Command{Command()}, Formats: []record.Format{record.CSV}}
	command, typed, err := front.Read(append([]string{"samplesize"}, args...))
	if err != nil {
		t.Fatal(err)
	}
	text := "scenarios:\n  - name: plan\n"
	for _, f := range command.AllFlags(front.Formats) {
		if value, ok := typed.Text(f.Name); f.Switch && ok {
			text += "    " + f.Name + ": true\n"
		} else if ok {
			text += fmt.Sprintf("    %s: %q\n", f.Name, value)
		}
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

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
			"p.yaml: line 2: scenario a: samplesize: one of four given: add --queries to get the number of rows, or --samples to get the number of queries"},
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

// JSON is read as YAML, which takes all of JSON but two kinds of escapes.
func TestPlanJSON(t *testing.T) {
	code, out, stderr := planRows(t, "p.json",
		`{"scenarios": [{"name": "\u00e9 \"x", "tau": 0.1, "beta": 5e-2, "queries": 1, "samples": null}]}`, "--best", "-f", "csv")
	if code != usage.ExitOK || !strings.Contains(out, "\n\"é \"\"x\",") {
		t.Errorf("exit %d, %q, %q", code, out, stderr)
	}
	for _, text := range []string{`{"scenarios": [],}`, `{"scenarios": []} {}`, `{"scenarios": [`, ""} {
		code, out, stderr := planRows(t, "p.json", text)
		if code != usage.ExitUsage || out != "" || !strings.HasPrefix(stderr, "dpcalc: p.json") ||
			strings.Count(stderr, "\n") != 1 {
			t.Errorf("%q: exit %d, %q, %q", text, code, out, stderr)
		}
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
