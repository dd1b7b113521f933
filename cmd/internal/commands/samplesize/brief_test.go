package samplesize

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/dpcalc/dpcalc/cmd/internal/commandtest"
)

// people are the methods of the rows of a table, in order.
func people(out string) (methods []string) {
	for _, m := range regexp.MustCompile(`(?m)^ (?:\*| )? *([a-z][a-z0-9-]+) .*(?:published|derived|coq)`).FindAllStringSubmatch(out, -1) {
		methods = append(methods, m[1])
	}
	return methods
}

// leastOf is the first row, among some of those for machines, of which the unknown is best.
func leastOf(rows []map[string]any, unknown string, among func(map[string]any) bool) (method string) {
	sign := map[string]float64{"queries": -1}[unknown] + 0.5
	var least [2]float64
	for _, r := range rows {
		if r["status"] != "ok" || !among(r) {
			continue
		}
		now := [2]float64{sign * r[unknown].(float64), r["tau_achieved"].(float64)}
		if method == "" || now[0] < least[0] || now[0] == least[0] && now[1] < least[1] {
			method, least = r["method"].(string), now
		}
	}
	return method
}

// The table for people has the best row, of an open plan the best of a fixed number, the best whose proof is published
// and the reference, found anew among the rows for machines, in 80 columns. All are in the table of --full.
func TestBriefTable(t *testing.T) {
	for _, c := range []struct{ unknown, goal string }{
		{"samples", "-m 1000 -t .1 -b .05"}, {"samples", "-m 1 -t .1 -b .05"}, {"samples", "-m 1M -t .003 -b 1e-9 --query binary"},
		{"queries", "-n 500 -t .1 -b .05"}, {"tau", "-n 5k -m 150 -b .05 --query binary"}, {"ln_beta", "-n 3000 -m 20 -t .1"},
		{"tau_achieved", "-n 300000 -m 1000 -t .1 -b .05"}, {"samples", "-m 1000 -t .1 -b .05 -B 20 --proofs published"},
		{"tau", "-n 20k -m 5000 -b .05 --feedback best"}, {"samples", "-m 50 -t .1 -b .05 --feedback final"},
		{"samples", "-m 100 -t .1 -b .05 --feedback flags -B 3"}, {"samples", "-m 100 -t .1 -b .05 --feedback gate --passes 3"},
		{"tau", "-n 5000 -m 151 -b .05 --open --feedback gate --passes 6"},
		{"samples", "-m 30 -t .02 -b .05 --query difference --disagreement .1 --one-sided"},
		{"tau", "-n 10 -m 1000 -b .05"},
	} {
		args := append([]string{"samplesize"}, strings.Fields(c.goal)...)
		rows := commandtest.RowsOf(t, append(slices.Clone(args), "--full")...)
		var want []string
		add := func(method string) {
			if method != "" && !slices.Contains(want, method) {
				want = append(want, method)
			}
		}
		add(leastOf(rows, c.unknown, func(r map[string]any) bool { return r["best"] == true }))
		if want == nil {
			add("splitting") // the first of the rows without an answer
		}
		if strings.Contains(c.goal, "--open") {
			add(leastOf(rows, c.unknown, func(r map[string]any) bool {
				return r["adaptive"] == true && !strings.Contains(r["method"].(string), "open")
			}))
		}
		add(leastOf(rows, c.unknown, func(r map[string]any) bool { return r["adaptive"] == true && r["proof"] == "published" }))
		add(leastOf(rows, c.unknown, func(r map[string]any) bool {
			return r["adaptive"] == false && !strings.HasPrefix(r["method"].(string), "dp")
		}))
		_, out, stderr := commandtest.Dpcalc(args...)
		if got := people(out); strings.Join(got, " ") != strings.Join(want, " ") || stderr != "" {
			t.Errorf("%s: rows %v, want %v\n%s%s", c.goal, got, want, out, stderr)
		}
		inWidth(t, c.goal, out)
		applicable := 0
		for _, r := range rows {
			if r["status"] != "not_applicable" {
				applicable++
			}
		}
		for _, all := range [][]string{{"--full"}, {"--full", "-f", "markdown"}} {
			_, out, _ := commandtest.Dpcalc(append(args, all...)...)
			if got := len(people(strings.NewReplacer("|", "", `\`, "").Replace(out))); got != applicable {
				t.Errorf("%s %v: %d rows, want %d\n%s", c.goal, all, got, applicable, out)
			}
		}
	}
}

func inWidth(t *testing.T, goal, out string) {
	t.Helper()
	for line := range strings.Lines(out) {
		if utf8.RuneCountInString(strings.TrimSuffix(line, "\n")) > briefWidth {
			t.Errorf("%s: more than %d columns: %s", goal, briefWidth, line)
		}
	}
}

// Of a grid each goal has its rows, and one without an answer says so. A goal that nothing answers has the
// method that asks for the fewest rows. The table has 80 columns where up to three quantities vary.
func TestBriefGrid(t *testing.T) {
	for _, c := range []struct {
		goal, says string
		code, rows int
	}{
		{"-m 10,100,1000 -t .1 -b .05", "* best adaptive method for its goal", 0, 9},
		{"-m 10,100 -t .1,.05 -b .05,1e-9", "* best adaptive method for its goal", 0, 24},
		{"-m 1000 -n 1000,10k -t .1 -b .05", "gaussian-schedule: needs 7616 rows, and there are 1000", 4, 4},
		{"-n 50 -t .1 -b .05", "gaussian-schedule: one query needs 127 rows, and there are 50", 3, 1},
		{"-n 50 -m 100 -t .1 -b .05", "gaussian-schedule: needs 2210 rows, and there are 50", 4, 1},
		{"-m 10,100 -n 1k,2k -b .05 --feedback flags -B 1,2 --query difference --disagreement .1", "--full shows", 0, 16},
	} {
		code, out, stderr := commandtest.Dpcalc(append([]string{"samplesize"}, strings.Fields(c.goal)...)...)
		got := len(people(out))
		if got != c.rows || code != c.code || !strings.Contains(out, c.says) || stderr != "" {
			t.Errorf("%s: exit %d, %d rows, want %d, %d and %q\n%s%s", c.goal, code, got, c.code, c.rows, c.says, out, stderr)
		}
		inWidth(t, c.goal, out)
	}
}

// --full is for a table of all methods.
func TestFullIsForTables(t *testing.T) {
	for more, want := range map[string]string{
		"--best":   "--full: given with --best",
		"--report": "--full: got --report, want a table", "--plot": "--full: got --plot, want a table",
	} {
		args := append(strings.Fields("samplesize --full -m 10,20 -t .1 -b .05"), strings.Fields(more)...)
		code, out, stderr := commandtest.Dpcalc(args...)
		if !commandtest.Refused(code, out, stderr, want) {
			t.Errorf("%s: exit %d, %s%s", more, code, out, stderr)
		}
	}
}

// A table that has no room for the noise of a star says under it that answers need noise, by the rows for machines; one
// that has the noise in its columns, or whose star has none, does not.
func TestBriefTableSaysThatAnswersNeedNoise(t *testing.T) {
	said := 0
	for _, goal := range []string{
		"-n 5000 -m 150 -b .05", "-n 5000 -m 150 -t .1", "-m 150 -t .05 -b .05", "-m 150,200 -t .05 -b .05", "-n 300000 -m 1000 -t .1 -b .05",
		"-n 5000 -m 150 -b .05 --feedback gate --passes 3", "-m 1 -t .1 -b .05", "-n 20k -m 5000 -b .05 --feedback best",
	} {
		args := append([]string{"samplesize"}, strings.Fields(goal)...)
		needs := slices.ContainsFunc(commandtest.RowsOf(t, args...), func(r map[string]any) bool {
			first, _ := r["noise_first"].(float64)
			scale, _ := r["noise_scale"].(float64)
			return r["best"] == true && max(first, scale) > 0
		})
		_, out, _ := commandtest.Dpcalc(args...)
		_, under, _ := strings.Cut(out, "\n\n")
		_, under, _ = strings.Cut(under, "\n\n")
		first, _, _ := strings.Cut(strings.ReplaceAll(under, "\n  ", " "), "\n")
		has := strings.Contains(first, "its answers need noise (--full shows how much)")
		if want := needs && !strings.Contains(out, "noise scale"); has != want {
			t.Errorf("%s: noise %v, under the star %q\n%s", goal, needs, first, out)
		}
		if has {
			said++
		}
	}
	if said < 3 {
		t.Errorf("%d tables have no room for their noise, want some", said)
	}
}
