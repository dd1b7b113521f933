package samplesize

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dpcalc/dpcalc/cmd/internal/commandtest"
	"github.com/dpcalc/dpcalc/cmd/internal/record"
	"github.com/dpcalc/dpcalc/cmd/internal/usage"
)

// lined is a row of JSON lines, as it is written and as it is read.
type lined struct {
	text string
	row  map[string]any
}

// linesOf runs a command with -f jsonl.
func linesOf(t *testing.T, command string) (code int, all []lined) {
	t.Helper()
	code, out, stderr := commandtest.Dpcalc(append(strings.Fields(command), "-f", "jsonl")...)
	for text := range strings.Lines(out) {
		l := lined{text: text}
		if err := json.Unmarshal([]byte(text), &l.row); err != nil {
			t.Fatal(err)
		}
		all = append(all, l)
	}
	if len(all) == 0 {
		t.Fatalf("%s: exit %d, %s", command, code, stderr)
	}
	return code, all
}

// plansAmong finds the plans anew among the rows of all methods for one goal: the starred one and then by the number
// solved for, and where that ties by the accuracy achieved. A check adds the adaptive rows that apply and fail.
func plansAmong(all []lined, unknown string) (plans []lined) {
	for _, l := range all {
		if l.row["adaptive"] == true && l.row["status"] == "ok" {
			plans = append(plans, l)
		}
	}
	key := func(l lined) (k [3]float64) {
		if l.row["best"] != true {
			k[0] = 1
		}
		if k[2] = l.row["tau_achieved"].(float64); unknown == "" {
			return k
		}
		if k[1] = l.row[unknown].(float64); unknown == "queries" {
			k[1] = -k[1]
		}
		return k
	}
	slices.SortStableFunc(plans, func(a, b lined) int {
		x, y := key(a), key(b)
		return slices.Compare(x[:], y[:])
	})
	for _, l := range all {
		status := l.row["status"]
		if fails := status == "infeasible" || status == "vacuous"; fails && unknown == "" && l.row["adaptive"] == true {
			plans = append(plans, l)
		}
	}
	return plans
}

// Programs read the plans: of the rows of --full, the adaptive methods' rows with an answer, byte for byte, the starred
// one first and the others in the order of what was solved for. A goal without one has one row that says so.
func TestRowsForProgramsArePlans(t *testing.T) {
	starred, without := 0, 0
	for _, c := range []struct{ unknown, goals string }{
		{"samples", "-m 10,1000 -t .1,.02 -b .05"}, {"samples", "-m 100 -t .1 -b 1e-9 -B 5 --query binary"},
		{"samples", "-m 30 -t .02 -b .05 --query difference --disagreement .1 --one-sided"},
		{"samples", "-m 40 -t .5 -b .05 --query sensitive --sensitivity 2"}, {"samples", "-m 50 -t .1 -b .05 --feedback final"},
		{"samples", "-m 100 -t .1 -b .05 --feedback flags -B 3"}, {"samples", "-m 20 -t .1 -b .05 --proofs published"},
		{"queries", "-n 20,30,500,9000 -t .1 -b .05"}, {"queries", "-n 900 -t .2 -b .05 --feedback gate --passes 3"},
		{"tau", "-n 2,5k -m 150 -b .05 --query binary"}, {"tau", "-n 20k -m 25,5000 -b .05 --feedback best"},
		{"tau", "-n 5000 -m 151 -b .05 --open --feedback gate --passes 6"}, {"tau", "-n 800 -m 20 -b .05 --population 10k"},
		{"tau", "-n 30 -m 40 -b .05 --query difference --feedback final --proofs published"},
		{"ln_beta", "-n 1k:9k:log3 -m 20 -t .1"}, {"ln_beta", "-n 5 -m 20 -t .1"},
		{"", "-n 9000,10k,30k,1M -m 1000 -t .1 -b .05"}, {"", "-n 50 -m 20 -t .1 -b .05 --feedback gate"},
		{"", "-n 5000 -m 1 -t .1 -b .05 --open"},
	} {
		command := "samplesize " + c.goals
		_, full := linesOf(t, command+" --full")
		code, got := linesOf(t, command)
		var want []lined
		last := func(l lined) bool { return l.row["method"] == full[0].row["method"] }
		answered := false
		for len(full) > 0 {
			next := 1 + slices.IndexFunc(full[1:], last)
			if next == 0 {
				next = len(full)
			}
			plans := plansAmong(full[:next], c.unknown)
			if goal := full[0].row; len(plans) == 0 {
				without++
				plans = []lined{{row: goal}}
				if at := len(want); at < len(got) {
					row := got[at].row
					if row["method"] != nil || row["status"] != "infeasible" || !strings.Contains(row["reason"].(string), "no method") ||
						row["queries"] != goal["queries"] || c.unknown != "samples" && row["samples"] != goal["samples"] {
						t.Errorf("%s: of a goal without a plan %s", command, got[at].text)
					}
					plans[0].text = got[at].text
				}
			}
			for _, p := range plans {
				answered = answered || p.row["status"] == "ok" && p.row["adaptive"] == true
			}
			if plans[0].row["best"] == true {
				starred++
			}
			want, full = append(want, plans...), full[next:]
		}
		text := func(all []lined) (b string) {
			for _, l := range all {
				b += fmt.Sprintf("%v %v: %s", l.row["method"], l.row["status"], l.text)
			}
			return b
		}
		if len(got) != len(want) || !slices.EqualFunc(got, want, func(a, b lined) bool { return a.text == b.text }) {
			t.Errorf("%s:\n%swant\n%s", command, text(got), text(want))
		}
		if c.unknown != "" && (code == usage.ExitOK) != answered || !answered && code == usage.ExitOK {
			t.Errorf("%s: exit %d, answered %v", command, code, answered)
		}
	}
	if starred < 20 || without < 5 {
		t.Errorf("%d goals with a star, %d without a plan", starred, without)
	}
}

// All formats for programs have as many rows. Named methods have all their rows, in the order of the methods.
func TestPlansOfEachFormat(t *testing.T) {
	const goal = "samplesize -m 20,100 -t .1 -b .05"
	_, lines := linesOf(t, goal)
	for format, mark := range map[string]string{"csv": ",ok,", "tsv": "\tok\t", "json": `"status":"ok"`, "markdown": "\n| ", "latex": ` \\`} {
		_, out, _ := commandtest.Dpcalc(append(strings.Fields(goal), "-f", format)...)
		want := len(lines)
		switch format {
		case "markdown", "latex":
			want++ // the header
		}
		if got := strings.Count(out, mark); got != want {
			t.Errorf("%s: %d rows, want %d\n%s", format, got, want, out)
		}
	}
	f := commandtest.OpenBook(t, strings.Fields(goal)...)
	if rows := commandtest.Contents(t, f, "Plan"); len(rows) != 1+len(lines) {
		t.Errorf("a workbook of %d rows, want %d", len(rows)-1, len(lines))
	}
	for _, format := range []string{"", " --full"} {
		_, lines := linesOf(t, goal+" --method thresholdout,gaussian-schedule,hoeffding"+format)
		var names []string
		for _, l := range lines[:3] {
			names = append(names, l.row["method"].(string))
		}
		if want := []string{"hoeffding", "gaussian-schedule", "thresholdout"}; !slices.Equal(names, want) || len(lines) != 6 {
			t.Errorf("%d rows, the first of %q, want %q", len(lines), names, want)
		}
	}
	_, out, _ := commandtest.Dpcalc("samplesize", "-m", "20", "-t", ".1", "-b", ".05", "--json")
	if !strings.HasPrefix(out, `{"schema":"dpcalc/samplesize/2",`) {
		t.Errorf("%.60s", out)
	}
}

// A workbook of more goals than are solved at once, each of which has its own number of rows, is streamed: its filter
// spans them, and no dimension is written of what was not known.
func TestLongBookOfPlans(t *testing.T) {
	path := filepath.Join(t.TempDir(), "plan.csv")
	goals := strings.Fields(fmt.Sprintf("samplesize -n 1:%d:1 -m 20 -b .05 --query difference --proofs published", record.Block+76))
	if code, _, stderr := commandtest.Dpcalc(append(goals, "-o", path)...); code != usage.ExitOK {
		t.Fatal(stderr)
	}
	table, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Count(string(table), "\n")
	f := commandtest.OpenBook(t, goals...)
	rows := commandtest.Contents(t, f, "Plan")
	if len(rows) != want || want < 3*record.Block {
		t.Errorf("%d rows, want %d", len(rows), want)
	}
	last := commandtest.CellAt(len(rows[0]), len(rows))
	filtered := false
	for _, name := range f.GetDefinedName() {
		filtered = filtered || strings.HasSuffix(strings.ReplaceAll(name.RefersTo, "$", ""), "!A1:"+last)
	}
	if dimension, err := f.GetSheetDimension("Plan"); !filtered || dimension != "" || err != nil {
		t.Errorf("filters %v, want A1:%s; dimension %q, %v", f.GetDefinedName(), last, dimension, err)
	}
}

// What is refused counts the rows that plans could have.
func TestMostRowsOfPlans(t *testing.T) {
	_, lines := linesOf(t, "samplesize -m 10 -t .1 -b .05 --full")
	adaptive := 0
	for _, l := range lines {
		if l.row["adaptive"] == true {
			adaptive++
		}
	}
	for args, want := range map[string]string{
		"--max-rows 9":                fmt.Sprintf("--max-rows: got up to %d rows, want at most 9", adaptive),
		"--max-rows 9 --full":         fmt.Sprintf("--max-rows: got %d rows, want at most 9", len(lines)),
		"--max-rows 9 --best":         "",
		"--max-rows 16":               "",
		"--method dp --max-rows 1":    "",
		"--method dp,gate --proofs x": "--proofs: got x",
	} {
		code, out, stderr := commandtest.Dpcalc(append(strings.Fields("samplesize -m 10 -t .1 -b .05 -f csv"), strings.Fields(args)...)...)
		if want == "" && code != usage.ExitOK || want != "" && !commandtest.Refused(code, out, stderr, want) {
			t.Errorf("%s: exit %d, %s", args, code, stderr)
		}
	}
}

// A plan file gives the rows of samplesize: the plans of each scenario, with --full all rows and with --best one.
func TestRowsOfPlanFiles(t *testing.T) {
	const text = "defaults: {tau: 0.1, beta: 0.05}\nscenarios:\n" +
		"  - {name: a, queries: [10, 100]}\n  - {name: b, tau: null, samples: 2, queries: 100}\n  - {name: c, queries: 5, method: [hoeffding, gaussian]}\n"
	for _, flag := range []string{"", "--full", "--best"} {
		_, got, stderr := planRows(t, "p.yaml", text, append([]string{"-f", "jsonl"}, strings.Fields(flag)...)...)
		want := ""
		for _, s := range [][2]string{{"a", "-m 10,100 -t .1"}, {"b", "-n 2 -m 100"}, {"c", "-m 5 -t .1 --method hoeffding,gaussian"}} {
			_, out, _ := commandtest.Dpcalc(strings.Fields("samplesize -b .05 -f jsonl " + s[1] + " " + flag)...)
			for line := range strings.Lines(out) {
				want += `{"scenario":"` + s[0] + `",` + strings.TrimPrefix(line, "{")
			}
		}
		if got != want || stderr != "" {
			t.Errorf("%s: got\n%s%swant\n%s", flag, got, stderr, want)
		}
	}
	for args, want := range map[string]string{
		"--full": "--full: got the format table, want csv", "--full --best -f csv": "--full: given with --best",
		"--full -f markdown": "--full: got the format markdown, want csv",
	} {
		if code, out, stderr := planRows(t, "p.yaml", text, strings.Fields(args)...); !commandtest.Refused(code, out, stderr, want) {
			t.Errorf("%s: exit %d, %s%s", args, code, out, stderr)
		}
	}
	_, out, _ := planRows(t, "p.yaml", text, "--json")
	if !strings.HasPrefix(out, `{"schema":"dpcalc/plan/2",`) {
		t.Errorf("%.60s", out)
	}
}
