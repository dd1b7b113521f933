package csvfile

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/dpcalc/dpcalc/cmd/internal/outfile"
	"github.com/dpcalc/dpcalc/cmd/internal/usage"
	"github.com/dpcalc/dpcalc/internal/delimited"
)

func openText(t *testing.T, text, column string) (*Table, error) {
	t.Helper()
	p := &outfile.Session{Context: t.Context(), Stdin: strings.NewReader(text)}
	table, err := OpenTable(p, "-", Column{Name: column})
	if err == nil {
		t.Cleanup(table.Close)
	}
	return table, err
}

func TestTables(t *testing.T) {
	for _, c := range []struct {
		text             string
		separator        byte
		p                int
		records, missing int
	}{
		{"p\n", ',', 0, 0, 0},
		{"p", ',', 0, 0, 0},
		{"\ufeffp\n0.1\n", ',', 0, 1, 0},
		{"\n\r\nid,P-Value\r\na,0.1\r\n\r\nb,NA\r\n\r\n", ',', 1, 2, 1},
		{"p\n\n0.1\n\n\n", ',', 0, 2, 1}, // but for those at the end
		{"p\r\n\r\n0.1\r\n\r\n", ',', 0, 2, 1},
		{"p\n\"\"\n", ',', 0, 1, 1},
		{"id;pval\na,b;0,05\n", ';', 1, 1, 0},
		{"sep=;\nid,x;pval\na,b;0,05\n\n", ';', 1, 1, 0},
		{"\ufeffsep=\t\r\n0.05\r\n\r\nNA\r\n", '\t', 0, 3, 2},
		{"p,x\n1.0000000000000002,\n1.0000000009,\n<1.0000000009,", ',', 0, 3, 0},
		{"\"i,d\"\tp.value\nx\t0.5\n", '\t', 1, 1, 0},
		{"\"a\tb\",p\nx,0.5\n", ',', 1, 1, 0},
		{"a;b,c,p\nx,y,1\n", ',', 2, 1, 0},
		{"a, p \nx, 1e-5000 \n", ',', 1, 1, 0},
		{"p,x\nNULL,\n.,\n nan ,\nnA,\n,y\n1-1e-9,\n5%,\n1/20,\n.5,\n5.,\n1,\n0,\n1E-3,\n0x1p-3,\n", 0, 0, 0, 0},
		{"p,x\nNULL,\n.,\n nan ,\nnA,\n,y\n1-1e-9,\n5%,\n1/20,\n.5,\n5e-1,\n1,\n0,\n1E-3,\n1.000,", ',', 0, 14, 5},
	} {
		table, err := openText(t, c.text, "")
		if c.separator == 0 {
			if err == nil {
				t.Errorf("%q: no error", c.text)
			}
			continue
		}
		if err != nil {
			t.Errorf("%q: %v", c.text, err)
		} else if table.Separator != c.separator || table.P != c.p || table.Records != c.records ||
			table.Missing != c.missing {
			t.Errorf("%q: separator %q, p in %d, %d records, %d missing", c.text, table.Separator, table.P, table.Records,
				table.Missing)
		}
	}
}

// Refusals name the physical line on which the cell begins.
func TestRefusedTables(t *testing.T) {
	for text, want := range map[string]string{
		"":                               "got nothing, want a header line and p-values",
		"\n\n\ufeff":                     "got the columns", // no mark at the beginning, so a name
		"\xff\xfep\x00":                  "got UTF-16, want UTF-8",
		"p\n2\n":                         "line 2: p: got 2, want a probability in [0, 1]",
		"p\r\n0.5\r\n-0.1\r\n":           "line 3: p: got -0.1, ",
		"a,p\n\"x\n\ny\",0.1\n\n\nz,Inf": "line 7: p: got Inf, ",
		"a,p\n\"x\n\ny\",NaN.\n":         "line 4: p: got NaN., ",
		"p\n-1e-17\n":                    "line 2: p: got -1e-17, want a probability in [0, 1]",
		"p\n1.000000001\n":               "line 2: p: got 1.000000001, want a probability in [0, 1]",
		"p,x\n0.1,\nn.s.,\n":             "line 3: p: got n.s., want a probability in [0, 1], or NA for a test that was not made",
		"p\n0.1\n<0\n":                   "line 3: p: got <0, ",
		"p\n0.1\n>0.05\n":                "line 3: p: got >0.05, ",
		"0\n0.1\n":                       "got 0 in the first line, a name or a p-value, ",
		"0.1\n2\n":                       "line 2: p: got 2, ",
		"p\n0,1\n":                       "line 2: got 2 cells, want 1 as in the header",
		"a,p\nx\n":                       "line 2: got 1 cells, want 2 as in the header",
		"a,p\n\n\"x\" ,0.1\n":            "line 3: got text after a closing quote, want ','",
		"a;p\n\"x\nx\"y;0.1\n":           "line 2: got text after a closing quote, want ';'",
		"a,p\nx\",0.1\n":                 "line 2: got a quote inside an unquoted cell",
		"a,p\nx,0.1\n\"y,0.2\nz,0.3\n":   "line 3: got a quote that is left open",
		"p,x\r0.1,2\r":                   "line 1: got a carriage return inside an unquoted cell, want lines that end in LF or CRLF",
		"x,y\n1,2\n":                     "got the columns x, y, want one named p, pval or p_value, or --p-column",
		"p,P\n1,2\n":                     "got the columns p, P, want one of p-values, choose it by --p-column",
		"a,p\n\"" + strings.Repeat("x\n", delimited.MostBytes): "line 2: got more than 16777216 bytes, want a row",
	} {
		_, err := openText(t, text, "")
		var usage *usage.Error
		if !errors.As(err, &usage) || !strings.HasPrefix(err.Error(), "standard input: "+want) {
			t.Errorf("%.40q: %v, want %s", text, err, want)
		}
	}
}

func TestColumns(t *testing.T) {
	columns := []string{"gene", "P", "p", " q ", "x", "X", "x"}
	for _, c := range []struct {
		name string
		want int
	}{{"p", 2}, {"P", 1}, {"q", 3}, {"Q", 3}, {"X", 5}, {"x", -1}, {"gen", -1}, {"GENE", 0}} {
		got, err := findColumn(columns, c.name)
		if (err == nil) != (c.want >= 0) || err == nil && got != c.want {
			t.Errorf("%s: %d, %v, want %d", c.name, got, err, c.want)
		}
	}
}

// A p-value that passes without being read exactly can be read.
func TestPlain(t *testing.T) {
	table := &Table{Separator: ','}
	for _, text := range []string{"0.5", ".5", "5e-1", "1e-300", "0.0000", "1", "1e-400", "0x1p-3", "1_0", "+0.5", "-0.5",
		"nan", "inf", "0.5 ", "5%", "1.", "0.5e", "1e-5", "infinity", "0.1_1", "0b1", "9.9e-1"} {
		_, ok := table.Chance(text)
		if _, plain := new(Table).Plain(text); plain && !ok {
			t.Errorf("%q passes and cannot be read", text)
		}
	}
	for _, text := range []string{"0.5", ".5", "1e-5", "0.037", "2.2e-16"} {
		x, ok := new(Table).Plain(text)
		if exact, _ := table.Chance(text); !ok || math.Abs(math.Log(x)-exact.Ln()) > 1e-15*(1-exact.Ln()) {
			t.Errorf("%q does not pass, or as %g", text, x)
		}
	}
}

// Every part of a table reads the same, wherever it begins.
func TestPartsOfTables(t *testing.T) {
	r := rand.New(rand.NewPCG(33, 34))
	for _, width := range []int{1, 3} {
		var b strings.Builder
		b.WriteString([]string{"", "p\n", "", "a,p,b\n"}[width])
		var want []string
		for i := range 2000 {
			p := []string{"0.5", "", "NA", "1e-9", "0"}[r.IntN(5)]
			switch {
			case width == 1:
				b.WriteString(p + "\n")
			case r.IntN(3) == 0:
				fmt.Fprintf(&b, "\n\"%d\n\",%s,\"x\ny\"\r\n", i, p)
			default:
				fmt.Fprintf(&b, "%d,%s,\n", i, p)
			}
			want = append(want, p)
		}
		b.WriteString([]string{"", "1\n", "", "z,1,\n"}[width])
		want = append(want, "1")
		table, err := openText(t, b.String(), "")
		if err != nil {
			t.Fatal(err)
		}
		if table.Records != len(want) {
			t.Fatalf("%d records, want %d", table.Records, len(want))
		}
		for range 300 {
			lo := r.IntN(len(want))
			hi := lo + 1 + r.IntN(min(len(want)-lo, 700))
			at := lo
			err := table.Each(lo, hi, func(rank int, cells []string) error {
				before := 0
				for _, p := range want[:at] {
					if p != "" && p != "NA" {
						before++
					}
				}
				if cells[table.P] != want[at] || rank != before {
					t.Fatalf("record %d: %q, rank %d, want %q, %d", at, cells, rank, want[at], before)
				}
				at++
				return nil
			})
			if err != nil || at != hi {
				t.Fatalf("%d to %d: %v at %d", lo, hi, err, at)
			}
		}
	}
}

// A file that another program rewrites between the two readings is an error, and not
// a usage error.
func TestTableThatChanges(t *testing.T) {
	for _, second := range []string{"p\n0.1\n", "p\n0.1,2\n0.2\n", "p\n0.1\n\"\n"} {
		table, err := openText(t, "p\n0.1\n0.2\n", "")
		if err != nil {
			t.Fatal(err)
		}
		table.At = bytes.NewReader([]byte(second))
		err = table.Each(0, 2, func(int, []string) error { return nil })
		var usage *usage.Error
		if err == nil || errors.As(err, &usage) || err.Error() != "standard input: changed while it was read" {
			t.Errorf("%q: %v", second, err)
		}
	}
}

// Standard input is copied to a file that is gone afterwards; what fails in reading it
// is no usage error.
func TestSpool(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	p := &outfile.Session{Context: t.Context(), Stdin: iotest.ErrReader(errors.New("the cable"))}
	if _, err := OpenTable(p, "-", Column{Name: ""}); err == nil || err.Error() != "standard input: the cable" {
		t.Error(err)
	}
	p.Stdin = iotest.OneByteReader(strings.NewReader("p\n0.1\n"))
	table, err := OpenTable(p, "-", Column{Name: ""})
	if err != nil || table.Records != 1 {
		t.Fatal(table, err)
	}
	table.Close()
	if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
		t.Errorf("files left: %v, %v", left, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	blocked, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	p = &outfile.Session{Context: ctx, Stdin: blocked}
	time.AfterFunc(20*time.Millisecond, cancel)
	if _, err := OpenTable(p, "-", Column{Name: ""}); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
		t.Errorf("files left: %v, %v", left, err)
	}
}

// The reading of a long file is shown from its first byte to its last, and not where several workers read parts of it.
func TestLongFilesAreWatched(t *testing.T) {
	nobody, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0) // it passes for a terminal
	if err != nil {
		t.Fatal(err)
	}
	defer nobody.Close()
	path := filepath.Join(t.TempDir(), "p.csv")
	if err := os.WriteFile(path, []byte("p\n"+strings.Repeat("0.25\n", megabyte/4)), 0o600); err != nil {
		t.Fatal(err)
	}
	s := &outfile.Session{Context: t.Context(), Stderr: nobody}
	in, err := OpenAny(s, path)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	w, ok := in.At.(*watched)
	if !ok {
		t.Fatalf("got %T", in.At)
	}
	r := in.Reader()
	if _, err := io.CopyN(io.Discard, r, megabyte); err != nil || w.bar == nil {
		t.Errorf("within the file: %v and the line %v", err, w.bar)
	}
	if _, err := io.Copy(io.Discard, r); err != nil || w.bar != nil {
		t.Errorf("at its end: %v and the line %v", err, w.bar)
	}
	if size, err := in.Size(); err != nil || size != 2+5*megabyte/4 {
		t.Errorf("%d bytes, %v", size, err)
	}
	table, err := OpenTable(s, path, Column{})
	if err != nil {
		t.Fatal(err)
	}
	defer table.Close()
	if _, ok := table.At.(*os.File); !ok {
		t.Errorf("a checked table is read by %T", table.At)
	}
}
