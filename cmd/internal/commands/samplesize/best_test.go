package samplesize

import (
	"encoding/csv"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/dpcalc/dpcalc/cmd/internal/commandtest"
	"github.com/dpcalc/dpcalc/cmd/internal/usage"
)

// rowsOfLines are the rows of a command as JSON lines, whatever it exits with.
func rowsOfLines(t *testing.T, command string) (rows []map[string]any) {
	t.Helper()
	_, out, stderr := commandtest.Dpcalc(append(strings.Fields(command), "-f", "jsonl")...)
	for line := range strings.Lines(out) {
		row := map[string]any{}
		if err := json.Unmarshal([]byte(line), &row); err != nil {
			t.Fatal(err)
		}
		rows = append(rows, row)
	}
	if len(rows) == 0 {
		t.Fatalf("%s: no rows, %s", command, stderr)
	}
	return rows
}

// --best writes the starred rows of the same command and nothing else, in the order of the goals.
func TestBestRows(t *testing.T) {
	for _, command := range []string{
		"samplesize -m 3,40 -t 0.1,0.2 -b 0.05",
		"samplesize -n 5k -m 3,40 -b 0.05,0.01 --query binary --method splitting,gaussian,rounding",
		"samplesize -n 5k -m 30 -t 0.1,0.2 --feedback gate --passes 2",
	} {
		var want []map[string]any
		for _, row := range rowsOfLines(t, command) {
			if row["best"] == true {
				want = append(want, row)
			}
		}
		got := rowsOfLines(t, command+" --best")
		if len(want) < 2 || len(got) != len(want) {
			t.Fatalf("%s: %d rows, want %d", command, len(got), len(want))
		}
		for i := range got {
			for name, value := range want[i] {
				if _, list := value.([]any); !list && got[i][name] != value {
					t.Errorf("%s: row %d: %s is %v, want %v", command, i, name, got[i][name], value)
				}
			}
		}
	}
}

// A goal that no adaptive method answers keeps its place. Nothing starred at all is exit 3.
func TestBestOfNone(t *testing.T) {
	code, out, stderr := commandtest.Dpcalc(strings.Fields("samplesize -n 2,50k -m 100 -b 0.05 --best -f csv")...)
	lines, err := csv.NewReader(strings.NewReader(out)).ReadAll()
	if err != nil || code != usage.ExitOK || len(lines) != 3 {
		t.Fatalf("exit %d, %q, %v, %s", code, out, err, stderr)
	}
	at := func(line int, name string) string { return lines[line][slices.Index(lines[0], name)] }
	if at(1, "method") != "" || at(1, "status") != "infeasible" || at(1, "tau") != "" || at(1, "samples") != "2" {
		t.Errorf("the goal without an answer: %q", lines[1])
	}
	if at(2, "best") != "true" || at(2, "method") == "" {
		t.Errorf("the goal with one: %q", lines[2])
	}
	for command, want := range map[string]int{
		"samplesize -n 2 -m 100 -b 0.05 --best":                                    usage.ExitNoAnswer,
		"samplesize -m 100,200 -t 0.1,0.2 -b 0.05 --method hoeffding --best":       usage.ExitNoAnswer,
		"samplesize -n 10 -m 1000 -t 0.1 -b 0.05 --best":                           usage.ExitRefuted,
		"samplesize -m 100 -t 0.1,0.2 -b 0.05 --method hoeffding,splitting --best": usage.ExitOK,
	} {
		code, out, stderr := commandtest.Dpcalc(strings.Fields(command)...)
		if code != want || out == "" || stderr != "" || strings.Contains(out, "\n:") {
			t.Errorf("%s: exit %d, want %d; %q, %q", command, code, want, out, stderr)
		}
	}
}

// The workbook of the best rows of one list has a chart of what was solved over it; the workbook of two lists has none.
func TestBestBook(t *testing.T) {
	f := commandtest.OpenBook(t, strings.Fields("samplesize -m 3,40,7 -t 0.1 -b 0.05 --best")...)
	rows := commandtest.Contents(t, f, "Plan")
	if len(rows) != 4 || commandtest.At(t, rows, 1, "method") != "gaussian-schedule" {
		t.Errorf("rows %v", rows)
	}
	chart, ok := f.Pkg.Load("xl/charts/chart1.xml")
	if !ok {
		t.Fatal("no chart")
	}
	for _, name := range []string{"queries", "samples"} {
		column := strings.TrimSuffix(commandtest.CellAt(slices.Index(rows[0], name)+1, 1), "1")
		if part := "Plan!$" + column + "$2:$" + column + "$4"; !strings.Contains(string(chart.([]byte)), part) {
			t.Errorf("the chart lacks %s", part)
		}
	}
	f = commandtest.OpenBook(t, strings.Fields("samplesize -m 3,40 -t 0.1,0.2 -b 0.05 --best")...)
	if _, ok := f.Pkg.Load("xl/charts/chart1.xml"); ok {
		t.Error("a chart of two lists")
	}
}

// A drawing or a report of best rows, or too many of them, is one line, exit 2 and no file.
func TestBestRefused(t *testing.T) {
	for args, want := range map[string]string{
		"-m 1,2 -t 0.1,0.2 -b 0.05 --best --report":                    "--best: got --report, want a table",
		"-m 1:1100000:1 -t 0.1 -b 0.05 --best -o x.xlsx --max-rows 2M": "--output: got 1100000 rows",
	} {
		t.Chdir(t.TempDir())
		code, out, stderr := commandtest.Dpcalc(strings.Fields("samplesize " + args)...)
		if code != usage.ExitUsage || out != "" || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, want) {
			t.Errorf("%s: exit %d, %q, %q", args, code, out, stderr)
		}
		if files, err := os.ReadDir("."); err != nil || len(files) > 0 {
			t.Errorf("%s: files %v, %v", args, files, err)
		}
	}
}
