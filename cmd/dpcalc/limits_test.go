package main

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// The limit of rows is checked before the values are made.
func TestLimitBeforeValues(t *testing.T) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for _, args := range [][]string{
		{"samplesize", "-m", "1:9000000:1", "-t", "0.1", "-b", "0.05"},
		{"samplesize", "-m", "10", "-t", "0.1", "-b", "1e-4990:1e-4984:1e-4990"},
		{"samplesize", "-m", "1:9000000:log9000000", "-t", "0.1", "-b", "0.05"},
		{"samplesize", "-m", "1:1000:x1.0001", "-t", "0.1:0.9:0.0001", "-b", "0.05"},
		{"samplesize", "-m", "1:9000000:1", "-t", "0.1", "-b", "0.05", "--max-rows", "1e9"}, // too long a table for people
		{"experiment", "--signal", "0:9000000:1"},
	} {
		code, stdout, stderr := dpcalc(args...)
		if !refused(code, stdout, stderr, "want at most") {
			t.Errorf("%v: exit %d, %q, %q", args, code, stdout, stderr)
		}
	}
	runtime.ReadMemStats(&after)
	if used := (after.TotalAlloc - before.TotalAlloc) >> 20; used > 200 {
		t.Errorf("%d MB were allocated", used)
	}
}

// What is told of a list before its values are made is its length, or one less for each
// geometric range in it.
func TestLeastLength(t *testing.T) {
	for _, raw := range []string{
		"10", "10,20,30", "1:10:1", "1:10:3", "5:5:1", "1:1000:log17", "1:512:x2", "1:511:x2",
		"1:3:x1.1,7,1:9:2", "1:1M:x1.001", "3:3:x2", "1/2:1:1/8",
	} {
		c := Typed{"sensitivity": {raw}}
		values, err := list(c, "sensitivity", positives)
		if err != nil {
			t.Fatal(err)
		}
		least, slack := leastLength(c, "sensitivity", positives), int64(strings.Count(raw, "x"))
		if n := int64(len(values)); least > n || least < n-slack {
			t.Errorf("%s: %d, has %d values", raw, least, n)
		}
	}
	for _, raw := range []string{
		"", "x", "1:2", "2:1:1", "2:1:x2", "1:2:0", "1:2:-1", "0:1:x2", "1:2:x1", "1:2:x", "1:2:log", "1:2:log0",
		"::", "a:b:c", "1:1e9:1",
		"1:1e4000:1e-4000",
	} {
		c := Typed{"sensitivity": {raw}}
		if n := leastLength(c, "sensitivity", positives); n != 1 {
			t.Errorf("%q: %d, want the refusal to the list's reader", raw, n)
		}
	}
}

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
		{"deep.json", nested(101, "[", "", "]"), "got lists or mappings more than 100 deep, want at most that"},
		{"objects.json", nested(101, `{"schema":`, "1", "}"), "got lists or mappings more than 100 deep, want at most that"},
		{"deep.yaml", nested(101, "[", "1", "]"), "got lists or mappings more than 100 deep, want at most that"},
		{"open.yaml", strings.Repeat("[", 900_000), "exceeded max depth"},
		{"open900k.json", strings.Repeat("[", 900_000), "got lists or mappings more than 100 deep, want at most that"},
		{"shallow.json", nested(100, "[", "", "]"), "1: got "},
		{"shallow.yaml", nested(100, "[", "1", "]"), "1: got "},
		{"large.json", strings.Repeat(" ", mostPlanBytes+1), "got more than 16 MB, want a plan file of at most that"},
		{"large.yaml", strings.Repeat(" ", mostPlanBytes+1), "got more than 16 MB, want a plan file of at most that"},
		{"full.yaml", valid + strings.Repeat(" ", mostPlanBytes-len(valid)), ""},
		{"items.json", `{"scenarios":[` + strings.Repeat("{},\n", 300_000) + `{}]}`, "name: got nothing"},
	} {
		path := filepath.Join(dir, c.name)
		if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		code, stdout, stderr := dpcalc("plan", "run", path)
		switch {
		case time.Since(start) > 10*time.Second:
			t.Errorf("%s: %v", c.name, time.Since(start))
		case c.want == "":
			if code != exitOK {
				t.Errorf("%s: exit %d, %.300q", c.name, code, stderr)
			}
		case !refused(code, stdout, stderr, c.want):
			t.Errorf("%s: exit %d, %.300q, want %s", c.name, code, stderr, c.want)
		}
	}
}

// A joint table has a limit of size. The file has a hole, so it takes no space.
func TestLimitOfJointTables(t *testing.T) {
	path := filepath.Join(t.TempDir(), "joint.csv")
	err := errors.Join(os.WriteFile(path, []byte("x,y,p\n1,1,1\n"), 0o600), os.Truncate(path, mostJointBytes+1))
	if err != nil {
		t.Fatal(err)
	}
	code, stdout, stderr := dpcalc("maxinfo", "--joint", path)
	if !refused(code, stdout, stderr, path+": got more than 256 MB, want a joint table of at most that, ") {
		t.Errorf("exit %d, %q", code, stderr)
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
		_, stdout, stderr := dpcalc("plan", "run", path, "-f", "csv")
		if !strings.Contains(stdout+stderr, c.want) {
			t.Errorf("%s\n%.300s%s, want %s", c.text, stdout, stderr, c.want)
		}
	}
}
