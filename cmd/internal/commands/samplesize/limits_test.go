package samplesize

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dpcalc/dpcalc/cmd/internal/commandtest"
	"github.com/dpcalc/dpcalc/cmd/internal/usage"
)

// Plan files have limits of size and depth.
func TestLimitsOfPlanFiles(t *testing.T) {
	dir := t.TempDir()
	nested := func(n int, open, inside, end string) string {
		return strings.Repeat(open, n) + inside + strings.Repeat(end, n)
	}
	const schema = "schema: dpcalc/plan-file/1\n"
	const marks = "got more than 1000000 lines, commas, brackets and dashes, want a plan file with fewer"
	valid := schema + "scenarios:\n  - {name: a, queries: 10, tau: 0.1, beta: 0.05, method: splitting}\n"
	for _, c := range []struct{ name, text, want string }{
		{"open.json", strings.Repeat("[", 10_000_000), marks},
		{"items.yaml", "[" + strings.Repeat("1,", 8_000_000) + "1]", marks},
		{"list.yaml", strings.Repeat("- a\n", 4_000_000), marks},
		{"deep.json", nested(10_001, "[", "", "]"), "exceeded max depth of 10000"},
		{"objects.json", nested(10_001, `{"schema":`, "1", "}"), "exceeded max depth of 10000"},
		{"deep.yaml", nested(10_001, "[", "1", "]"), "exceeded max depth of 10000"},
		{"open.yaml", strings.Repeat("[", 900_000), "exceeded max depth of 10000"},
		{"open900k.json", strings.Repeat("[", 900_000), "exceeded max depth of 10000"},
		{"shallow.json", nested(10_000, "[", "", "]"), "1: got "},
		{"shallow.yaml", nested(10_000, "[", "1", "]"), "1: got "},
		{"values.yaml", "scenarios: [{name: a, tau: " + nested(9_000, "[", "1", "]") + "}]", "tau: got a nested value"},
		{"large.json", strings.Repeat(" ", (16<<20)+1), "got more than 16 MB, want a plan file of at most that"},
		{"large.yaml", strings.Repeat(" ", (16<<20)+1), "got more than 16 MB, want a plan file of at most that"},
		{"full.yaml", valid + strings.Repeat(" ", (16<<20)-len(valid)), ""},
		{"items.json", `{"scenarios":[` + strings.Repeat("{},\n", 300_000) + `{}]}`, "name: got nothing"},
	} {
		path := filepath.Join(dir, c.name)
		if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		code, stdout, stderr := commandtest.Dpcalc("plan", "run", path)
		switch {
		case time.Since(start) > 10*time.Second:
			t.Errorf("%s: %v", c.name, time.Since(start))
		case c.want == "":
			if code != usage.ExitOK {
				t.Errorf("%s: exit %d, %.300q", c.name, code, stderr)
			}
		case !commandtest.Refused(code, stdout, stderr, c.want):
			t.Errorf("%s: exit %d, %.300q, want %s", c.name, code, stderr, c.want)
		}
	}
}

// An alias stands for its anchor's value wherever it is: as a key too.
func TestAliasesOfPlans(t *testing.T) {
	path := filepath.Join(t.TempDir(), "plan.yaml")
	const schema = "schema: dpcalc/plan-file/1\n"
	const three = "queries: 10, beta: 0.05, method: splitting"
	for _, c := range []struct{ text, want string }{
		{
			"schema: &s dpcalc/plan-file/1\ndefaults: {tau: 0.1, &k " + three + "}\nscenarios: [{name: x, *k : 20}]\n",
			"\nx,splitting,",
		},
		{schema + "defaults: {" + three + "}\nscenarios: [{name: &beta tau, *beta : 0.1}]\n", "\ntau,splitting,"},
		{schema + "scenarios: [{name: a, [tau]: 0.1}]\n", "2: got a nested key, want "},
		{schema + "scenarios: [{name: a, &x [tau]: 0.1}, {name: b, *x : 0.2}]\n", "2: got a nested key, want "},
		{"&v schema: dpcalc/plan-file/1\n*v : 1", "schema: given twice"},
		{"defaults: {method: &s dpcalc/plan-file/1}\nschema: *s\n", "scenarios: got none"},
		{"schema: &s [1]\nscenarios: *s", "1: schema: got "},
	} {
		if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, stdout, stderr := commandtest.Dpcalc("plan", "run", path, "-f", "csv")
		if !strings.Contains(stdout+stderr, c.want) {
			t.Errorf("%s\n%.300s%s, want %s", c.text, stdout, stderr, c.want)
		}
	}
}
