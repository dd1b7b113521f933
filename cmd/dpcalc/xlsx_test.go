package main

import (
	"archive/zip"
	"bytes"
	"context"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/dpcalc/dpcalc/cmd/internal/commands"
	"github.com/dpcalc/dpcalc/cmd/internal/commandtest"
	"github.com/dpcalc/dpcalc/cmd/internal/outfile"
	"github.com/dpcalc/dpcalc/cmd/internal/record"
	"github.com/dpcalc/dpcalc/cmd/internal/usage"
	"github.com/dpcalc/dpcalc/cmd/internal/workbook"
	"github.com/xuri/excelize/v2"
)

// The other commands write a sheet named after them, and About.
func TestOtherWorkbooks(t *testing.T) {
	for _, c := range []struct{ command, column, cites string }{
		{"transfer --alpha 0.05 --beta 0.01 --epsilon 0.05 --target-beta 0.05 -n 10k", "alpha_out", "jung20"},
		{"compose --epsilon 0.1 --times 10 --target-delta 1e-6", "ln_delta", "kairouz17"},
		{"compose --epsilon 0.1 --times 10 --all", "ln_delta", "kairouz17"},
		{"methods", "summary", "hoeffding63"},
		{"pvalue-correct --alpha 0.05 --by pure-dp --epsilon 0.01 -n 10k --p 0.003", "p_adjusted", "dwork15generalization"},
	} {
		words := strings.Fields(c.command)
		f := commandtest.OpenBook(t, words...)
		if got := f.GetSheetList(); !slices.Equal(got, []string{words[0], "About"}) {
			t.Errorf("%s: sheets %v", c.command, got)
		}
		rows, want := commandtest.Contents(t, f, words[0]), commandtest.RowsOf(t, words...)
		_, table, _ := commandtest.Dpcalc(append(words, "-f", "csv")...)
		if header, _, _ := strings.Cut(table, "\n"); strings.Join(rows[0], ",") != header {
			t.Errorf("%s: columns %v, want %s", c.command, rows[0], header)
		}
		if len(rows) != 1+len(want) {
			t.Fatalf("%s: %d rows, want %d", c.command, len(rows), 1+len(want))
		}
		for i, row := range want {
			value := row[c.column]
			got := any(commandtest.At(t, rows, i+1, c.column))
			if x, ok := value.(float64); ok {
				got, value = commandtest.At(t, rows, i+1, c.column), strconv.FormatFloat(x, 'f', -1, 64)
			}
			if value != nil && got != value {
				t.Errorf("%s: row %d, %s %q, want %q", c.command, i, c.column, got, value)
			}
		}
		about := commandtest.Contents(t, f, "About")
		if !slices.ContainsFunc(about,
			func(row []string) bool { return len(row) > 1 && row[0] == c.cites && len(row[1]) > 60 }) ||
			!strings.HasPrefix(about[1][1], "dpcalc "+words[0]+" ") {
			t.Errorf("%s: About %v", c.command, about)
		}
	}
}

// The same command writes the same bytes, wherever and on however many workers.
func TestWorkbookIsDeterministic(t *testing.T) {
	args := strings.Fields("dpcalc samplesize -m 1:1500:1 -t 0.1 -b 0.05 --method splitting,rounding,dp -o")
	var want []byte
	for workers := 1; workers <= 7; workers += 3 {
		path := filepath.Join(t.TempDir(), "plan.xlsx")
		p := newProgram(&outfile.Session{Context: context.Background(), Stdout: new(bytes.Buffer), Stderr: new(bytes.Buffer),
			Workers: workers})
		if code := p.run(append(args, path)); code != usage.ExitOK {
			t.Fatalf("exit %d: %s", code, p.Stderr)
		}
		got, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if want == nil {
			want = got
		}
		if !bytes.Equal(got, want) || len(want) < 1e5 {
			t.Errorf("%d workers write other bytes, %d and %d", workers, len(got), len(want))
		}
	}
}

// A long grid is streamed, through a temporary file which does not stay.
func TestLongWorkbook(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	path := filepath.Join(t.TempDir(), "plan.xlsx")
	if code, _, stderr := commandtest.Dpcalc(strings.Fields("samplesize -m 1:20k:1 -t 0.1 -b 0.05 --method splitting,hoeffding -o " + path)...); code != usage.ExitOK {
		t.Fatalf("exit %d, %s", code, stderr)
	}
	if left := commandtest.Files(t, dir); left != nil {
		t.Errorf("left in the temporary directory: %v", left)
	}
	z, err := zip.OpenReader(path)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	page, err := fs.ReadFile(z, "xl/worksheets/sheet1.xml")
	if err != nil || bytes.Count(page, []byte("<row ")) != 40001 || len(page) < 16<<20 {
		t.Fatalf("%d bytes, %d rows, %v", len(page), bytes.Count(page, []byte("<row ")), err)
	}
	last := string(page[bytes.LastIndex(page, []byte("<row ")):])
	for _, want := range []string{`<row r="40001">`, "<t>splitting</t>", "<v>20000</v>"} {
		if !strings.Contains(last, want) {
			t.Errorf("the last row lacks %s: %s", want, last)
		}
	}
}

// What does not fit a sheet is refused before anything is written, and a workbook
// goes to standard output only if it is asked to.
func TestWorkbookUsage(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "plan.xlsx")
	for _, c := range []struct{ args, says string }{
		{"-m 1:1048576:1 --max-rows 2M -o " + path, "--output: got 1048576 rows, want at most 1048575 in a workbook, or a .csv file"},
		{"-m 1 -f xlsx", "--format: got xlsx without --output, want --output FILE, or --output - for standard output"},
		{"-m 1 --csv-dialect excel-eu", "--csv-dialect: got it for table, want csv"},
		{"-m 1 --csv-dialect excel-eu -o " + path, "--csv-dialect: got it for xlsx, want csv"},
		{"-m 1 --csv-dialect excel -f csv", "--csv-dialect: got excel, want rfc4180 or excel-eu, did you mean excel-eu?"},
	} {
		code, stdout, stderr := commandtest.Dpcalc(strings.Fields("samplesize -t 0.1 -b 0.05 --method splitting " +
			c.args)...)
		if code != usage.ExitUsage || stdout != "" || stderr != "dpcalc: "+c.says+"\n" || commandtest.Files(t, dir) != nil {
			t.Errorf("%s: exit %d, %d bytes, %q, files %v", c.args, code, len(stdout), stderr, commandtest.Files(t, dir))
		}
	}
	c := &commands.Call{Session: &outfile.Session{Context: t.Context(), Stdout: io.Discard}}
	long := commands.Answer[[]record.Cell]{Command: "test",
		Rows: commands.List(make([][]record.Cell, record.MostSheetRows+1))}
	if err := commands.Emit(c, commands.Target{Format: workbook.Format}, long); err == nil {
		t.Error("a sheet of more rows than there are")
	}
	_, stdout, stderr := commandtest.Dpcalc(strings.Fields("samplesize -m 1 -t 0.1 -b 0.05 --method splitting -f xlsx -o -")...)
	if f, err := excelize.OpenReader(strings.NewReader(stdout)); err != nil || stderr != "" || len(f.GetSheetList()) != 2 {
		t.Errorf("standard output: %v, %q", err, stderr)
	}
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer full.Close()
	var message bytes.Buffer
	if code := run(append(small, "-f", "xlsx", "-o", "-"), nil, full, &message); code != usage.ExitFailure ||
		message.String() != "dpcalc: standard output: no space left on device\n" {
		t.Errorf("exit %d, %s", code, message.String())
	}
}

// The command line is repeated without the directory of the output, in words that
// a shell reads as they were.
func TestCommandLine(t *testing.T) {
	f := commandtest.OpenBook(t, "samplesize", "-b", "1/20", "-t0.1"[:2], "0.1", "-m", "1,2", "--zip", "--method",
		"splitting")
	if got := commandtest.Contents(t, f, "About")[1][1]; got != "dpcalc samplesize --queries 1,2 --tau 0.1 --beta 1/20 --method splitting --zip --output book.xlsx" {
		t.Error(got)
	}
	for word, want := range map[string]string{"": "''", "a b": "'a b'", "it's": `'it'\''s'`, "$x": "'$x'",
		"pure-dp:epsilon=0.01": "pure-dp:epsilon=0.01", "é": "'é'"} {
		if got := commands.ShellWord(word); got != want {
			t.Errorf("%q: got %s, want %s", word, got, want)
		}
	}
}
