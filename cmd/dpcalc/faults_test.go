package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dpcalc/dpcalc/cmd/internal/commandtest"
	"github.com/dpcalc/dpcalc/cmd/internal/csvfile"
	"github.com/dpcalc/dpcalc/cmd/internal/outfile"
	"github.com/dpcalc/dpcalc/cmd/internal/usage"
	"github.com/dpcalc/dpcalc/internal/parallel"
)

// changingOutput rewrites a file when it is written to for the first time.
type changingOutput struct {
	bytes.Buffer
	change func()
}

func (w *changingOutput) Write(b []byte) (int, error) {
	if w.change != nil {
		w.change()
		w.change = nil
	}
	return w.Buffer.Write(b)
}

// A file that changes between its two readings is one line and exit 1, whether its time
// tells or, where a missing p-value has become a number or a number a missing one, not.
func TestInputThatChanges(t *testing.T) {
	for name, lines := range map[string][2]string{
		"missing becomes a number": {"NA \n", "0.5\n"},
		"number becomes missing":   {"0.5\n", "NA \n"},
		"number becomes nothing":   {"0.5\n", "x,y\n"},
		"only the time":            {"0.5\n", "0.5\n"},
	} {
		for _, family := range []string{"none", "holm"} {
			path := filepath.Join(t.TempDir(), "p.csv")
			write := func(line string, at time.Time) {
				text := "p\n" + strings.Repeat("0.5\n", 10_000) + strings.Repeat(line, 10_000)
				if err := errors.Join(os.WriteFile(path, []byte(text), 0o600), os.Chtimes(path, at, at)); err != nil {
					t.Fatal(err)
				}
			}
			then := time.Unix(1e9, 0)
			write(lines[0], then)
			if name == "only the time" {
				then = then.Add(time.Second)
			} else if family == "none" && name != "number becomes nothing" {
				then = then.Add(time.Millisecond) // the ranks of the p-values play no part
			}
			stdout := &changingOutput{change: func() { write(lines[1], then) }}
			var stderr bytes.Buffer
			p := newProgram(&outfile.Session{Context: context.Background(), Stdout: stdout, Stderr: &stderr, Workers: 1})
			code := p.run(append([]string{"dpcalc"}, byBits(path, "--family", family)...))
			if code != usage.ExitFailure || stderr.String() != "dpcalc: "+path+": changed while it was read\n" {
				t.Errorf("%s, %s: exit %d, stderr %.300q", name, family, code, stderr.String())
			}
		}
	}
}

// A panic leaves no file, whichever goroutine it is of.
func TestFaults(t *testing.T) {
	dir := t.TempDir()
	var stderr bytes.Buffer
	p := newProgram(&outfile.Session{Context: context.Background(), Stderr: &stderr})
	err := p.Write(filepath.Join(dir, "plan.csv"), func(io.Writer) error {
		return parallel.For(p.Context, 10, 2, func(int, int) error { panic("no such row") }, nil)
	})
	var broken *parallel.Fault
	if !errors.As(err, &broken) || err.Error() != "internal error: no such row" || commandtest.Files(t, dir) != nil {
		t.Errorf("in a worker: %v, files %v", err, commandtest.Files(t, dir))
	}
	err = parallel.OrFault(func() error {
		return p.Write(filepath.Join(dir, "plan.csv"), func(io.Writer) error { panic("no such row") })
	})
	if !errors.As(err, &broken) || commandtest.Files(t, dir) != nil {
		t.Errorf("in the writer: %v, files %v", err, commandtest.Files(t, dir))
	}
}

// The time for a table does not grow with the square of its columns, and an error does not
// name them all.
func TestManyColumns(t *testing.T) {
	const columns = 100_000
	var table strings.Builder
	for i := range columns {
		fmt.Fprintf(&table, "column%d,", i)
	}
	table.WriteString("p\n" + strings.Repeat("1,", columns) + "0.01\n")
	for _, format := range []string{"json", "csv"} {
		var stdout, stderr bytes.Buffer
		start := time.Now()
		code := run(append([]string{"dpcalc"}, byBits("-", "-f", format)...),
			strings.NewReader(table.String()), &stdout, &stderr)
		if took := time.Since(start); code != usage.ExitOK || took > 10*time.Second {
			t.Errorf("%s: exit %d after %v, %.200s", format, code, took, stderr.String())
		}
	}
	text := strings.Replace(table.String(), ",p\n", ",q\n", 1)
	openText := func(column string) error {
		table, err := csvfile.OpenTable(&outfile.Session{Context: t.Context(), Stdin: strings.NewReader(text)}, "-",
			csvfile.Column{Name: column})
		if err == nil {
			table.Close()
		}
		return err
	}
	err := openText("")
	if err == nil || len(err.Error()) > 1000 || !strings.Contains(err.Error(), "column19, ... (99981 more)") {
		t.Errorf("%.2000v", err)
	}
	if err := openText(strings.Repeat("long", 20_000)); err == nil || len(err.Error()) > 1000 {
		t.Errorf("%.2000v", err)
	}
}
