package samplesize

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/dpcalc/dpcalc/cmd/internal/commands/goals"
	"github.com/dpcalc/dpcalc/cmd/internal/commandtest"
	"github.com/dpcalc/dpcalc/cmd/internal/printed"
	"github.com/dpcalc/dpcalc/cmd/internal/usage"
	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer"
)

// solved are the samples that the adaptive rows of one goal need.
type solved map[string]int64

// least is the least number of samples among the rows of some methods, and who needs it:
// of equals the first in printing order.
func (s solved) least(among func(name string) bool) (n int64, who string) {
	for _, m := range transfer.Methods() {
		if v, ok := s[m.Name]; ok && among(m.Name) && (n == 0 || v < n) {
			n, who = v, m.Name
		}
	}
	return n, who
}

// bySamples solves a goal for every number of queries up to the last one.
func bySamples(t *testing.T, args []string, last int) []solved {
	t.Helper()
	goals := make([]solved, last+1)
	for i := range goals {
		goals[i] = solved{}
	}
	for _, r := range commandtest.RowsOf(t,
		append([]string{"samplesize", "-m", fmt.Sprintf("1:%d:1", last)}, args...)...) {
		if r["adaptive"] == true && r["status"] == "ok" {
			goals[int(r["queries"].(float64))][r["method"].(string)] = int64(r["samples"].(float64))
		}
	}
	return goals
}

var crossingLine = regexp.MustCompile(`(?m)^At tau .*, (\S+) needs fewer rows than ` +
	`(splitting\S*(?: and splitting\S*)?) (from|with) (?:the )?(\S+) quer`)

// The sentence on the crossing is held against all rows of many numbers of queries:
// before it no method beats splitting, at it the named one has the star, and from there on
// it needs fewer rows than each form of splitting.
func TestCrossingAgainstAllRows(t *testing.T) {
	said := 0
	for _, c := range []struct {
		last int
		more string
	}{
		{7, ""}, {7, "--query binary"}, {7, "--proofs published"}, {7, "--query binary --proofs published"}, {4, "-B 1"},
		{4, "-B 2 --proofs published"},
		{4, "--query sensitive"}, {4, "--query minimization"}, {30, "--query binary --method splitting,gaussian"},
		{10, "--method gaussian,rounding"},
		{30, "--query binary --method splitting-exact,gaussian-cvar,rounding"}, {60, "--method splitting,splitting-exact"},
		{50, "--query binary --method splitting,splitting-exact,rounding"},
		{10, "--query binary --method splitting,laplace,dp"},
	} {
		for _, goal := range []string{"-t 0.4 -b 0.05", "-t 0.1 -b 0.05", "-t 0.07 -b 1e-9"} {
			args := strings.Fields(goal + " " + c.more)
			code, out, stderr := commandtest.Dpcalc(append([]string{"samplesize", "--full", "-m", "7"}, args...)...)
			if code != usage.ExitOK && code != usage.ExitNoAnswer || stderr != "" {
				t.Fatalf("%v: exit %d: %s", args, code, stderr)
			}
			if checkCrossing(t, args, crossingLine.FindStringSubmatch(commandtest.Unfolded(out)), bySamples(t, args, c.last)) {
				said++
			}
		}
	}
	if said < 25 {
		t.Errorf("only %d sentences", said)
	}
}

// checkCrossing holds one sentence against the rows and says whether there is one.
func checkCrossing(t *testing.T, args, sentence []string, goals []solved) bool {
	t.Helper()
	splits := func(name string) bool { return strings.HasPrefix(name, "splitting") }
	others := func(name string) bool { return !splits(name) }
	from := len(goals)
	if sentence != nil {
		if sentence[4] == "first" {
			sentence[4] = "1"
		}
		k, err := strconv.Atoi(sentence[4])
		if err != nil {
			t.Fatalf("%v: %q", args, sentence[0])
		}
		from = min(from, k)
	}
	for m := 1; m < len(goals); m++ {
		split, _ := goals[m].least(splits)
		other, _ := goals[m].least(others)
		_, star := goals[m].least(func(string) bool { return true })
		switch {
		case split == 0: // there is nothing to compare with
			if sentence != nil {
				t.Errorf("%v: %q, and there is no splitting", args, sentence[0])
			}
		case m < from && other > 0 && other < split:
			t.Errorf("%v: %q, but with %d queries %s is best", args, sentence, m, star)
		case m == from && star != sentence[1]:
			t.Errorf("%v: %q, but %s has the star", args, sentence[0], star)
		case m == from, m > from && sentence[3] == "from":
			if named := goals[m][sentence[1]]; named == 0 || named >= split {
				t.Errorf("%v: %q, but with %d queries it needs %d and splitting %d", args, sentence[0], m, named, split)
			}
		}
	}
	if sentence == nil {
		return false
	}
	var names []string
	for name := range goals[1] {
		if splits(name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	if got := strings.Join(names, " and "); got != sentence[2] {
		t.Errorf("%v: %q speaks of %s, the rows are %s", args, sentence[0], sentence[2], got)
	}
	return true
}

// The number of samples of the best row is said to be exact only where the theorem's own
// decision refuses one row fewer.
func TestExactnessIsTrue(t *testing.T) {
	exact := 0
	for _, m := range transfer.Methods() {
		for _, query := range []transfer.Query{transfer.Bounded, transfer.Binary} {
			for _, queries := range []int64{1, 2, 5, 40} {
				for _, tau := range []float64{0.3, 0.1, 0.04} {
					g := transfer.Goal{Queries: queries, Tau: tau, Beta: theory.LogProb(math.Log(0.05)), Query: query, Budget: 1}
					a, err := m.Solve(g)
					if err != nil {
						t.Fatal(err)
					}
					if a.Status != transfer.OK || !m.IsExact() || a.Samples == 1 {
						continue
					}
					exact++
					a.Goal.Samples--
					if ok, err := m.Certifies(a.Goal); ok || err != nil {
						t.Errorf("%s %+v: holds, %v", m.Name, a.Goal, err)
					}
				}
			}
		}
	}
	if exact < 200 {
		t.Errorf("only %d exact rows", exact)
	}
	for name, want := range map[string]string{
		"hoeffding": "exact", "splitting": "exact", "splitting-exact": "exact", "binomial": "exact", "rounding": "exact",
		"gaussian": "search", "gaussian-schedule": "search", "gaussian-cvar": "search", "laplace": "search",
		"thresholdout": "search",
	} {
		m, ok := transfer.Lookup(name)
		row := &goals.Row{Method: &m, Answer: transfer.Answer{Goal: transfer.Goal{Samples: 1}}}
		if text := exactness(row); !ok || !strings.Contains(text, want) {
			t.Errorf("%s: %q", name, text)
		}
	}
}

// A best row below a reference row is explained, and only there: for one query it needs
// fewer rows, more queries, a greater tau or beta than hoeffding.
func TestBelowAReferenceRow(t *testing.T) {
	for _, goal := range []string{
		"-m 1 -t 0.1 -b 0.05", "-m 2 -t 0.1 -b 0.05", "-m 100 -t 0.1 -b 0.05", "-m 1 -n 160 -b 0.05", "-m 1 -n 160 -t 0.1",
		"-m 5 -n 5000 -b 0.05", "-n 160 -t 0.1 -b 0.05", "-m 1 -t 0.1 -b 0.05 --method hoeffding,splitting",
	} {
		below := false
		args := append([]string{"samplesize"}, strings.Fields(goal)...)
		best, unknown := map[string]any{}, ""
		for _, name := range []string{"samples", "queries", "tau", "beta"} {
			if !strings.Contains(goal,
				"-"+map[string]string{"samples": "n", "queries": "m", "tau": "t", "beta": "b"}[name]+" ") {
				unknown = name
			}
		}
		rows := commandtest.RowsOf(t, append(slices.Clone(args), "--full")...)
		for _, row := range rows {
			if row["best"] == true {
				best = row
			}
		}
		for _, row := range rows {
			if !strings.HasPrefix(row["method"].(string), "hoeffding") || row["status"] != "ok" || best["method"] == nil {
				continue
			}
			mine, theirs := best[unknown].(float64), row[unknown].(float64)
			below = below || mine < theirs && unknown != "queries" || mine > theirs && unknown == "queries"
		}
		code, out, stderr := commandtest.Dpcalc(append(args, "--full")...)
		if code != usage.ExitOK || strings.Contains(commandtest.Unfolded(out), smoothed) != below {
			t.Errorf("%s: exit %d, below %v\n%s%s", goal, code, below, out, stderr)
		}
	}
}

// A foot speaks of stars only where there are some.
func TestFootOfAGridWithoutStars(t *testing.T) {
	const noise = "; its answers need noise (--full shows how much)"
	for args, want := range map[string]string{
		"-n 5k,6k -m 1 -b 5% --query binary --method binomial": printed.Capital(fixedOnce) + ".",
		"-n 5k,6k -m 2 -b 5% --query binary --method binomial": "No adaptive method has an answer to any of the goals.",
		"-n 10,20 -m 50 -t 0.1 -b 5%":                          "No adaptive method certifies any of the plans.",
		"-n 10,2k -m 50 -t 0.1 -b 5%":                          "* certifies the plan with the least tau" + noise,
		"-m 1,2 -t 0.1 -b 5%":                                  "* best adaptive method for its goal" + noise,
	} {
		_, out, stderr := commandtest.Dpcalc(append([]string{"samplesize"}, strings.Fields(args)...)...)
		if !strings.Contains(strings.ReplaceAll(out, "\n  ", " "), "\n"+want+"\n") || strings.Contains(out, "\n* ") != strings.HasPrefix(want, "*") {
			t.Errorf("%s: want %q in\n%s%s", args, want, out, stderr)
		}
	}
}
