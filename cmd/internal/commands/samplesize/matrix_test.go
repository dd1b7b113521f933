package samplesize

import (
	"encoding/csv"
	"encoding/json"
	"os"
	"slices"
	"strconv"
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
		"samplesize -n 2 -m 100 -b 0.05 --best":                                        usage.ExitNoAnswer,
		"samplesize -m 100,200 -t 0.1,0.2 -b 0.05 --method hoeffding --best":           usage.ExitNoAnswer,
		"samplesize -m 100,200 -t 0.1,0.2 -b 0.05 --method hoeffding --matrix m,tau":   usage.ExitNoAnswer,
		"samplesize -n 10 -m 1000 -t 0.1 -b 0.05 --best":                               usage.ExitRefuted,
		"samplesize -m 100 -t 0.1,0.2 -b 0.05 --method hoeffding,splitting --best":     usage.ExitOK,
		"samplesize -n 2,50k -m 100,200 -b 0.05 --method splitting --matrix n,queries": usage.ExitOK,
	} {
		code, out, stderr := commandtest.Dpcalc(strings.Fields(command)...)
		if code != want || out == "" || stderr != "" || strings.Contains(out, "\n:") {
			t.Errorf("%s: exit %d, want %d; %q, %q", command, code, want, out, stderr)
		}
	}
}

// The cells of a matrix are the values of the rows that --best writes for the same goals, and the head of its columns
// and lines says for which.
func TestMatrix(t *testing.T) {
	for _, c := range []struct{ command, down, across, solved string }{
		{"samplesize -m 3,40,7 -t 0.1,0.2 -b 0.05", "queries", "tau", "samples"},
		{"samplesize -m 3,40,7 -t 0.1,0.2 -b 0.05", "tau", "queries", "samples"},
		{"samplesize -n 2,5k,50k -m 30,40 -b 0.05 --method splitting,gaussian", "samples", "queries", "tau"},
		{"samplesize -n 5k -t 0.1,0.2 --confidence 95%,99% --method splitting", "tau", "beta", "queries"},
		{"samplesize -m 20 -t 0.1,0.2 -b 0.05 --feedback gate --passes 1,2,20", "passes", "tau", "samples"},
		{"samplesize -m 20 -t 0.1,0.2 -b 0.05 --query difference --disagreement 0.2,0.5", "disagreement", "tau", "samples"},
		{"samplesize -n 5k -m 20 -t 0.1,0.2 --method splitting", "tau", "queries", "beta"},
	} {
		flag := map[string]string{"beta": "confidence"}[c.across]
		if flag == "" {
			flag = c.across
		}
		_, out, stderr := commandtest.Dpcalc(append(strings.Fields(c.command), "--matrix", c.down+","+flag, "-f", "csv")...)
		got, err := csv.NewReader(strings.NewReader(out)).ReadAll()
		if err != nil || len(got) < 2 {
			t.Fatalf("%s: %q, %v, %s", c.command, out, err, stderr)
		}
		rows := rowsOfLines(t, c.command+" --best")
		if cells := (len(got) - 1) * (len(got[0]) - 1); cells != len(rows) || got[0][0] != c.down {
			t.Fatalf("%s: %d cells of %d goals, %q", c.command, cells, len(rows), got[0])
		}
		for _, row := range rows {
			text := func(name string) string {
				if row[name] == nil {
					return ""
				}
				return strconv.FormatFloat(row[name].(float64), 'g', -1, 64)
			}
			i := slices.IndexFunc(got, func(line []string) bool { return same(line[0], text(c.down)) })
			j := slices.IndexFunc(got[0], func(name string) bool {
				value, ok := strings.CutPrefix(name, c.across+"_")
				return ok && same(value, text(c.across))
			})
			if i < 0 || j < 0 {
				t.Fatalf("%s: no place for %s and %s in %q", c.command, text(c.down), text(c.across), got)
			}
			want := ""
			if row["status"] == "ok" {
				want = text(c.solved)
			}
			if !same(got[i][j], want) {
				t.Errorf("%s: %q at %s, %s, want %q", c.command, got[i][j], got[i][0], got[0][j], want)
			}
		}
	}
}

// same compares texts as numbers, where they are.
func same(a, b string) bool {
	x, e := strconv.ParseFloat(a, 64)
	y, f := strconv.ParseFloat(b, 64)
	return a == b || e == nil && f == nil && x == y
}

// A matrix is written in every format of a table, with an empty cell for what has no answer.
func TestMatrixFormats(t *testing.T) {
	args := strings.Fields("samplesize -n 2,50k -m 100,200 -b 0.05 --method splitting --matrix n,m")
	for format, want := range map[string]string{
		"csv":      "samples,queries_100,queries_200\n2,,\n50000,",
		"tsv":      "samples\tqueries_100\tqueries_200\n2\t\t\n50000\t",
		"markdown": "| samples | queries 100 | queries 200 |\n",
		"latex":    "samples & queries 100 & queries 200 \\\\",
		"table":    "samples  queries 100  queries 200\n",
	} {
		code, out, stderr := commandtest.Dpcalc(append(slices.Clone(args), "-f", format)...)
		if code != usage.ExitOK || !strings.Contains(out, want) {
			t.Errorf("%s: exit %d, %s%s", format, code, out, stderr)
		}
	}
}

// The workbook of a matrix has the numbers, the method of each, and a chart that refers to the numbers.
func TestMatrixBook(t *testing.T) {
	args := strings.Fields("samplesize -m 3,40,7 -t 0.1,0.2 -b 0.05 --matrix m,tau")
	_, out, _ := commandtest.Dpcalc(append(slices.Clone(args), "-f", "csv")...)
	want, err := csv.NewReader(strings.NewReader(out)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	f := commandtest.OpenBook(t, args...)
	if got := f.GetSheetList(); !slices.Equal(got, []string{"Matrix", "Methods", "About"}) {
		t.Errorf("sheets %v", got)
	}
	if got := commandtest.Contents(t, f, "Matrix"); !slices.EqualFunc(got[1:], want[1:], slices.Equal) {
		t.Errorf("%v, want %v", got, want)
	}
	if got := commandtest.Contents(t, f, "Methods"); len(got) != 4 || got[2][1] != "gaussian-schedule" {
		t.Errorf("methods %v", got)
	}
	chart, ok := f.Pkg.Load("xl/charts/chart1.xml")
	if !ok {
		t.Fatal("no chart")
	}
	for _, part := range []string{"Matrix!$A$2:$A$4", "Matrix!$B$2:$B$4", "Matrix!$C$2:$C$4", "Matrix!$B$1", "logBase"} {
		if !strings.Contains(string(chart.([]byte)), part) {
			t.Errorf("the chart lacks %s:\n%s", part, chart)
		}
	}
}

// The workbook of the best rows of one list has a chart of what was solved over it; that of two lists has none.
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

// What cannot be laid out is one line, exit 2 and no file.
func TestMatrixRefused(t *testing.T) {
	for args, want := range map[string]string{
		"-m 1,2 -t 0.1,0.2 -b 0.05,0.1 --matrix m,tau":                         "--matrix: got a list for --beta too, want lists for --queries and --tau alone",
		"-m 1,2 -t 0.1,0.2 -b 0.05 --matrix m,tau -f json":                     "--matrix: got the format json",
		"-m 1,2 -t 0.1,0.2 -b 0.05 --matrix m,tau -f jsonl":                    "--matrix: got the format jsonl",
		"-m 1,2 -t 0.1,0.2 -b 0.05 --matrix m":                                 "--matrix",
		"-m 1,2 -t 0.1,0.2 -b 0.05 --matrix m,tau,beta":                        "--matrix",
		"-m 1,2 -t 0.1,0.2 -b 0.05 --matrix m,queries":                         "--matrix",
		"-m 1,2 -t 0.1,0.2 -b 0.05 --matrix m,query":                           "--matrix",
		"-m 1,2 -t 0.1,0.2 -b 0.05 --matrix m,n":                               "--matrix: got n, want values for --samples too",
		"-m 1,2 -t 0.1,0.2 -b 0.05 --matrix m,tau --best":                      "--best: given with --matrix, want one of the two",
		"-m 1,2 -t 0.1,0.2 -b 0.05 --matrix m,tau --zip":                       "--matrix: given with --zip",
		"-m 1,2 -t 0.1,0.2 -b 0.05 --matrix m,tau --plot":                      "--matrix: got --plot, want a table",
		"-m 1,2 -t 0.1,0.2 -b 0.05 --best --report":                            "--best: got --report, want a table",
		"-n 9 -m 1,2 -t 0.1,0.2 -b 0.05 --matrix m,tau":                        "--matrix: got all of samples, queries, tau and beta",
		"-m 1:20k:1 -t 0.1 -b 0.05 --matrix tau,m -o x.xlsx":                   "--output: got 20001 columns, want at most 16384 in a workbook",
		"-m 1:1100000:1 -t 0.1 -b 0.05 --matrix m,tau -o x.xlsx --max-rows 2M": "--output: got 1100000 rows, want at most 1048575 in a workbook",
		"-m 1:1100000:1 -t 0.1 -b 0.05 --best -o x.xlsx --max-rows 2M":         "--output: got 1100000 rows",
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
