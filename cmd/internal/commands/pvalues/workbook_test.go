package pvalues

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/dpcalc/dpcalc/cmd/internal/commandtest"
	"github.com/dpcalc/dpcalc/cmd/internal/csvfile"
	"github.com/dpcalc/dpcalc/cmd/internal/outfile"
	"github.com/dpcalc/dpcalc/cmd/internal/usage"
	"github.com/xuri/excelize/v2"
)

// A table goes into a workbook with the numbers of JSON and its own columns as they are, on any number of workers.
func TestCorrectedWorkbook(t *testing.T) {
	const n = 3000
	text, _ := genes(n)
	dir := t.TempDir()
	in := filepath.Join(dir, "genes.csv")
	if err := os.WriteFile(in, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, flags := range []string{
		"--by pure-dp --epsilon 0.01 -n 10k",
		"--by pure-dp --epsilon 0.01 -n 10k --raw",
		"--by pure-dp --epsilon 0.01 -n 10k --family holm",
		"--by pure-dp --epsilon 0.01 -n 10k --family bh --family-on raw",
		"--by mutual-info --bits 0.1",
		"--by steps -n 10k --step rdp:order=8,epsilon=1e-6",
	} {
		args := append([]string{"pvalue-correct", in, "--alpha", "0.05"}, strings.Fields(flags)...)
		var book []byte
		for workers := 1; workers <= 4; workers += 3 {
			path := filepath.Join(dir, "out.xlsx")
			s := &outfile.Session{Context: t.Context(), Stdout: new(bytes.Buffer), Stderr: new(bytes.Buffer), Workers: workers}
			if code := commandtest.RunIn(s, append(append([]string{"dpcalc"}, args...), "-o", path)); code != usage.ExitOK {
				t.Fatal(s.Stderr)
			}
			written, err := os.ReadFile(path)
			if err != nil || book != nil && !bytes.Equal(book, written) {
				t.Fatalf("%s: %d workers write other bytes (%v)", flags, workers, err)
			}
			book = written
		}
		f, err := excelize.OpenReader(bytes.NewReader(book))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if got := f.GetSheetList(); !slices.Equal(got, []string{"pvalue-correct", "About"}) {
			t.Errorf("%s: sheets %v", flags, got)
		}
		_, stdout, _ := commandtest.Dpcalc(append(args, "-f", "json")...)
		var want struct{ Rows []map[string]any }
		if err := json.Unmarshal([]byte(stdout), &want); err != nil {
			t.Fatal(err)
		}
		got := commandtest.Contents(t, f, "pvalue-correct")
		head := []string{"gene", "p", `a "note"`, "p_adjusted", "threshold", "reject", "status"}
		if !slices.Equal(got[0], head) || len(got) != n+1 {
			t.Fatalf("%s: %d rows of %q", flags, len(got), got[0])
		}
		for i, row := range want.Rows {
			for _, column := range head {
				cell := commandtest.At(t, got, i+1, column)
				want := ""
				switch value := row[column].(type) {
				case bool:
					want = map[bool]string{true: "1", false: "0"}[value]
				case string:
					want = strings.ReplaceAll(value, "\r\n", "\n")
					cell = strings.ReplaceAll(cell, "\r\n", "\n")
				case float64:
					x, err := strconv.ParseFloat(cell, 64)
					if ln := row["ln_"+column]; ln == nil || ln.(float64) > -708 {
						if err != nil || x != value {
							t.Fatalf("%s, row %d: %s %q, want %v", flags, i, column, cell, value)
						}
					}
					continue
				}
				if number, err := strconv.ParseFloat(want, 64); column == "p" && err == nil && !csvfile.IsAbsent(want) {
					if x, err := strconv.ParseFloat(cell, 64); err != nil || x != number {
						t.Fatalf("%s, row %d: p %q, want %q", flags, i, cell, want)
					}
				} else if cell != want {
					t.Fatalf("%s, row %d: %s %q, want %q", flags, i, column, cell, want)
				}
			}
			id, _ := f.GetCellStyle("pvalue-correct", commandtest.CellAt(1, i+2))
			if style, err := f.GetStyle(id); err != nil || style.Font.Bold != (row["reject"] == true) {
				t.Fatalf("%s, row %d, reject %v: %+v, %v", flags, i, row["reject"], style.Font, err)
			}
		}
		about := fmt.Sprint(commandtest.Contents(t, f, "About"))
		for _, want := range []string{"dpcalc pvalue-correct --alpha 0.05 --by", "P-values corrected by",
			"Columns of pvalue-correct", "assumes ", "source: dpcalc docs/theorems/"} {
			if !strings.Contains(about, want) {
				t.Errorf("%s: About lacks %q: %s", flags, want, about)
			}
		}
	}
}

// A table without records, one with a column of the result, one that is too long or too
// wide, and a question without an answer.
func TestCorrectedWorkbookEdges(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "out.xlsx")
	wide := strings.Repeat("x,", excelize.MaxColumns-4)
	for _, c := range []struct {
		table, flags, says string
		code               int
	}{
		{"p\n", "--outcomes 2", "", usage.ExitOK},
		{"p,reject\n0.1,x\n", "--outcomes 2", "dpcalc: standard input: got a column reject, want that name free for the result\n", usage.ExitUsage},
		{"p\n" + strings.Repeat("1\n", 1<<20), "--outcomes 2", "dpcalc: --output: got 1048576 rows, want at most 1048575 in a workbook, or a .csv file\n", usage.ExitUsage},
		{wide + "p\n", "--outcomes 2", "dpcalc: --output: got 16385 columns, want at most 16384 in a workbook, or a .csv file\n", usage.ExitUsage},
		{"p\n1\n", "--outcomes 2 --method no", "dpcalc: --method: got no, want bonferroni for this source\n",
			usage.ExitUsage},
	} {
		var message bytes.Buffer
		s := &outfile.Session{Context: t.Context(), Stdin: strings.NewReader(c.table), Stdout: new(bytes.Buffer),
			Stderr: &message}
		code := commandtest.RunIn(s,
			append(strings.Fields("dpcalc pvalue-correct - --alpha 0.05 --by description "+c.flags), "-o", path))
		if code != c.code || message.String() != c.says {
			t.Errorf("%.20q: exit %d, %s", c.table, code, message.String())
		}
		if left := commandtest.Files(t, dir); (len(left) == 1) != (code == usage.ExitOK) {
			t.Errorf("%.20q: files %v", c.table, left)
		}
		os.Remove(path)
	}
	if code, _, stderr := commandtest.Dpcalc("pvalue-correct", "--alpha", "0.05", "--by", "max-info", "--bits", "3",
		"--slack", "0.05", "-o", path); code != usage.ExitNoAnswer {
		t.Fatal(stderr)
	}
	f, err := excelize.OpenFile(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if rows := commandtest.Contents(t, f, "pvalue-correct"); len(rows) != 2 ||
		commandtest.At(t, rows, 1, "status") != "vacuous" {
		t.Errorf("%v", rows)
	}
}
