package mechanisms

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/dpcalc/dpcalc/cmd/internal/commandtest"
	"github.com/dpcalc/dpcalc/cmd/internal/figures"
	"github.com/dpcalc/dpcalc/cmd/internal/outfile"
	"github.com/dpcalc/dpcalc/cmd/internal/record"
	"github.com/dpcalc/dpcalc/cmd/internal/usage"
	"github.com/dpcalc/dpcalc/properties/experiment"
)

// tiny is an experiment of a few milliseconds whose budget runs out here and there.
var tiny = []string{"dpcalc", "experiment", "-n", "100", "--attributes", "300", "--signal", "0,5", "--reps", "20",
	"--budget", "60"}

// The same seed gives the same bytes for any number of workers, in every format, and
// another seed gives others.
func TestExperimentBytes(t *testing.T) {
	for _, format := range []string{"table", "csv", "tsv", "json", "jsonl", "markdown", "latex", "svg", "png", "pdf"} {
		print := func(workers int, more ...string) string {
			var stdout, stderr bytes.Buffer
			s := &outfile.Session{Context: context.Background(), Stdout: &stdout, Stderr: &stderr, Workers: workers}
			args := append(append([]string{}, tiny...), "-f", format)
			if code := commandtest.RunIn(s, append(args, more...)); code != usage.ExitOK || stderr.Len() != 0 ||
				stdout.Len() == 0 {
				t.Fatalf("%s: exit %d, stderr %q", format, code, stderr.String())
			}
			return stdout.String()
		}
		want := print(1)
		for _, workers := range []int{2, 5} {
			if print(workers) != want {
				t.Errorf("%s: other bytes with %d workers", format, workers)
			}
		}
		if print(0, "--seed", "2016") == want {
			t.Errorf("%s: the seed does not matter", format)
		}
	}
}

func TestExperimentRows(t *testing.T) {
	code, stdout, stderr := commandtest.Dpcalc(append(tiny[1:], "-f", "json", "--arms", "standard,paper,thresholdout",
		"--seed", "0")...)
	if code != usage.ExitOK || stderr != "" {
		t.Fatalf("exit %d, %s", code, stderr)
	}
	var got struct {
		Schema string
		Inputs map[string]any
		Rows   []map[string]any
	}
	if err := json.Unmarshal([]byte(stdout), &got); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]any{"samples": 100., "attributes": 300., "signal": "0,5", "reps": 20.,
		"arms": "standard,paper,thresholdout", "budget": 60., "seed": 0., "direct": false} {
		if got.Inputs[name] != want {
			t.Errorf("input %s is %v, want %v", name, got.Inputs[name], want)
		}
	}
	if got.Schema != "dpcalc/experiment/1" || len(got.Rows) != 2*3*13 {
		t.Fatalf("%s with %d rows", got.Schema, len(got.Rows))
	}
	partly := false
	for i, row := range got.Rows {
		if len(row) != len(curveColumns) {
			t.Fatalf("row %d: %v", i, row)
		}
		for _, name := range []string{"train", "holdout", "fresh"} {
			if x, ok := row[name].(float64); !ok || x < 0.3 || x > 1 || row["sd_"+name] == nil {
				t.Errorf("row %d: %s is %v, sd %v", i, name, row[name], row["sd_"+name])
			}
		}
		answered := row["answered"].(float64)
		if (row["shown"] == nil) != (answered == 0) || (row["sd_shown"] == nil) != (answered < 2) {
			t.Errorf("row %d: %v answered, shown %v, sd %v", i, answered, row["shown"], row["sd_shown"])
		}
		partly = partly || answered > 1 && answered < 20
		spent, spends := row["budget_used"].(float64)
		if spends != (row["arm"] == "thresholdout") || spent > 60 || row["arm"] == "standard" &&
			(answered != 20 || row["shown"] != row["holdout"]) {
			t.Errorf("row %d: %v", i, row)
		}
		if row["k"] == 0. && (row["train"] != 0.5 || row["sd_train"] != 0.) {
			t.Errorf("row %d: %v", i, row)
		}
		if want := float64(i / 39 * 5); row["signal"] != want {
			t.Errorf("row %d: signal %v", i, row["signal"])
		}
	}
	if !partly {
		t.Error("no row in which some repetitions answered")
	}

	// The other ways to write the same.
	_, table, _ := commandtest.Dpcalc(append(tiny[1:], "--arms", "standard")...)
	table = commandtest.Unfolded(table)
	if !strings.HasPrefix(table, "Accuracy of a classifier of k attributes, over 20 repetitions: 100 rows, 300 attributes, seed 2015\n") ||
		strings.Contains(table, "answered") || strings.Contains(table, "budget") {
		t.Errorf("table of an arm that always answers:\n%s", table)
	}
	_, table, _ = commandtest.Dpcalc(tiny[1:]...)
	if !strings.Contains(commandtest.Unfolded(table),
		"\nanswered: the repetitions in which budget 60 was not yet spent; shown is their mean\n") {
		t.Errorf("table of an arm that stops:\n%s", table)
	}
	_, single, _ := commandtest.Dpcalc(append(tiny[1:], "--reps", "1", "-f", "csv")...)
	if single != "" {
		t.Error("a flag was given twice and something printed")
	}
	_, single, _ = commandtest.Dpcalc("experiment", "-n", "10", "--attributes", "1", "--signal", "0:1:1", "--reps", "1",
		"-f", "csv")
	records, err := csv.NewReader(strings.NewReader(single)).ReadAll()
	if err != nil || len(records) != 1+2*3*13 || records[1][7] != "" || records[1][0] != "0" || records[40][0] != "1" {
		t.Errorf("one repetition: %v, %v", records, err)
	}
}

func TestExperimentUsage(t *testing.T) {
	path := filepath.Join(t.TempDir(), "curves.svg")
	for _, c := range []struct {
		args []string
		says string
	}{
		{[]string{"--signal", "301"}, "--signal: got 301, want an integer from 0 to the number of attributes"},
		{[]string{"--signal", "-1"}, "--signal: got -1, want a whole number from 0 to 9007199254740992"},
		{[]string{"--signal", "1:9:log3"}, "--signal: got 1:9:log3, want a list or LOW:HIGH:STEP"},
		{[]string{"--samples", "0"}, "--samples: got 0, want a whole number from 1 to 9007199254740992"},
		{[]string{"--samples", "1e8"}, "--samples: got 100000000, want an integer from 1 to 10000000"},
		{[]string{"--reps", "2M"}, "--reps: got 2000000, want an integer from 1 to 1000000"},
		{[]string{"--seed", "0.5"}, "--seed: got 0.5, want a whole number from 0 to 9007199254740992"},
		{[]string{"--budget", "0"}, "--budget: got 0, want a whole number from 1 to 9007199254740992"},
		{[]string{"--arms", "standart"}, "--arms: got standart, want some of standard, paper, thresholdout, did you mean standard?"},
		{[]string{"--arms", "paper,paper"}, "--arms: got paper twice, want it once"},
		{[]string{"--signal", "0:100:1"}, "--signal: got 101 settings, want at most 100"},
		{[]string{"more"}, "experiment: unexpected argument more"},
	} {
		code, stdout, stderr := commandtest.Dpcalc(append([]string{"experiment", "--attributes", "300", "-o", path},
			c.args...)...)
		if code != usage.ExitUsage || stdout != "" || stderr != "dpcalc: "+c.says+"\n" {
			t.Errorf("%v: exit %d, stderr %q, want %q", c.args, code, stderr, c.says)
		}
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("a file was written")
	}
	// Only commands with a figure write one.
	if code, _, stderr := commandtest.Dpcalc("compose", "--epsilon", "1", "--delta", "0", "--times", "2", "-o",
		path); code != usage.ExitUsage || !strings.Contains(stderr, "--output: got ") {
		t.Errorf("compose to svg: exit %d, stderr %q", code, stderr)
	}
}

// An interrupt in the middle leaves no file, not even a partial one.
func TestExperimentInterrupted(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"curves.svg", "rows.csv"} {
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
		var stdout, stderr bytes.Buffer
		s := &outfile.Session{Context: ctx, Stdout: &stdout, Stderr: &stderr}
		code := commandtest.RunIn(s, []string{"dpcalc", "experiment", "--reps", "1M", "-o", filepath.Join(dir, name)})
		cancel()
		if code != usage.ExitFailure || stderr.String() != "dpcalc: interrupted\n" || stdout.Len() != 0 ||
			commandtest.Files(t, dir) != nil {
			t.Errorf("%s: exit %d, stderr %q, files %v", name, code, stderr.String(), commandtest.Files(t, dir))
		}
	}
}

// The figure of docs/use/evidence.md is what its command draws.
func TestExperimentFigure(t *testing.T) {
	const path = "../../../../docs/img/experiment.svg"
	code, stdout, stderr := commandtest.Dpcalc("experiment", "--arms", "standard,paper", "-f", "svg")
	if code != usage.ExitOK || stderr != "" {
		t.Fatalf("exit %d, %s", code, stderr)
	}
	if *commandtest.Update {
		if err := os.WriteFile(path, []byte(stdout), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	page, err := os.ReadFile(path)
	if err != nil || string(page) != stdout {
		t.Errorf("%s (%d bytes, %v) is not what is drawn (%d bytes)", path, len(page), err, len(stdout))
	}
	if len(stdout) > 150_000 {
		t.Errorf("the figure has %d bytes", len(stdout))
	}
	all, _ := commandtest.Texts(t, []byte(stdout))
	for i, want := range []string{"No signal: standard holdout", "No signal: Thresholdout of the paper",
		"20 informative: standard holdout", "20 informative: Thresholdout of the paper"} {
		found := false
		for _, w := range all {
			found = found || w.Text == want
		}
		if !found {
			t.Errorf("no panel %d, %q", i, want)
		}
	}
	for _, tick := range []string{"0", "100", "500", "0.50", "0.70"} {
		count := 0
		for _, w := range all {
			if w.Text == tick {
				count++
			}
		}
		if count != 4 {
			t.Errorf("tick %s stands %d times", tick, count)
		}
	}
}

// No texts of a figure overlap, whatever was run.
func TestExperimentFigureTexts(t *testing.T) {
	for seed := range 6 {
		for _, more := range [][]string{{}, {"--arms", "thresholdout"}, {"--arms", "standard,paper", "--direct"}} {
			args := append(append([]string{}, tiny[1:]...), "-f", "svg", "--seed", strconv.Itoa(seed))
			code, stdout, stderr := commandtest.Dpcalc(append(args, more...)...)
			if code != usage.ExitOK {
				t.Fatal(stderr)
			}
			all, size := commandtest.Texts(t, []byte(stdout))
			commandtest.CheckOverlap(t, all, size)
		}
	}
}

// BenchmarkExperimentFigure is the default experiment with its figure.
//
//	go test ./cmd/internal/commands/mechanisms -run '^$' -bench ExperimentFigure
func BenchmarkExperimentFigure(b *testing.B) {
	for _, format := range []record.Format{figures.SVG, figures.PNG, figures.PDF} {
		b.Run(format.Name, func(b *testing.B) {
			for b.Loop() {
				if code, _, stderr := commandtest.Dpcalc("experiment", "-f", format.Name); code != usage.ExitOK {
					b.Fatal(stderr)
				}
			}
		})
	}
}

// The figure of the README is drawn from what the command experiment computes without a signal.
func TestReusedTestSetFigure(t *testing.T) {
	const path = "../../../../docs/img/why.svg"
	e := experiment.Holdout{
		Samples: usualSamples, Attributes: usualAttributes, Repetitions: usualReps, Signal: []int64{0},
		Arms: []experiment.Arm{experiment.Standard}, Budget: usualBudget, Seed: usualSeed,
	}
	rows, err := e.Run(context.Background(), 2, func(int) {})
	if err != nil {
		t.Fatal(err)
	}
	percent := func(x float64) string { return strconv.FormatFloat(100*x, 'f', 0, 64) + "%" }
	last := rows[len(rows)-1]
	panel := record.Panel{X: record.NewRuler("attributes chosen with the test set's help", false),
		Y: record.NewRuler("accuracy", false)}
	for style, way := range []accuracy{{"reported", shown.of}, {"true", fresh.of}} {
		l := record.Line{Label: way.name + " " + percent(way.of(last).Mean), Style: style + 1}
		for _, r := range rows {
			l.X, l.Y = append(l.X, float64(r.K)), append(l.Y, way.of(r).Mean)
		}
		panel.X.Include(l.X...)
		panel.Y.Include(l.Y...)
		panel.Lines = append(panel.Lines, l)
	}
	title := "A reused test set reports " + percent(last.Shown.Mean) + "; the truth is " + percent(last.Fresh.Mean)
	if want := "A reused test set reports 63%; the truth is 50%"; title != want {
		t.Errorf("got %q, want %q, as the README has it", title, want)
	}
	var drawn bytes.Buffer
	f := record.Figure{Title: []string{title}, Panels: [][]record.Panel{{panel}}}
	if err := figures.SVG.Draw(&drawn, f); err != nil {
		t.Fatal(err)
	}
	if *commandtest.Update {
		if err := os.WriteFile(path, drawn.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if page, err := os.ReadFile(path); err != nil || !bytes.Equal(page, drawn.Bytes()) {
		t.Errorf("%s (%d bytes, %v) is not what is drawn (%d bytes)", path, len(page), err, drawn.Len())
	}
}
