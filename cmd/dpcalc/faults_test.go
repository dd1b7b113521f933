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

// A file that changes between its two readings is one line and exit 1, where its size tells, a record or a p-value
// cannot be read any more, or there are p-values that no family step has counted.
func TestInputThatChanges(t *testing.T) {
	for name, c := range map[string]struct {
		before, after, family string
	}{
		"shorter":                          {"0.05\n", "0.5\n", "none"},
		"shorter than what was counted":    {"0.05\n", "0.5\n", "holm"},
		"longer":                           {"0.5\n", "0.05\n", "none"},
		"longer than what was counted":     {"0.5\n", "0.05\n", "holm"},
		"a record becomes another":         {"0.5\n", "x,y\n", "none"},
		"a number becomes a word":          {"0.5\n", "abc\n", "none"},
		"missing p-values become a number": {"NA \n", "0.5\n", "holm"},
		"a record gets a stray quote":      {"0.5\n", "\"\"x\n", "none"},
	} {
		path := filepath.Join(t.TempDir(), "p.csv")
		write := func(line string) {
			text := "p\n" + strings.Repeat("0.5\n", 10_000) + strings.Repeat(line, 10_000)
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		write(c.before)
		stdout := &changingOutput{change: func() { write(c.after) }}
		var stderr bytes.Buffer
		p := newProgram(&outfile.Session{Context: context.Background(), Stdout: stdout, Stderr: &stderr, Workers: 1})
		code := p.run(append([]string{"dpcalc"}, byBits(path, "--family", c.family)...))
		if code != usage.ExitFailure || stderr.String() != "dpcalc: "+path+": changed while it was read\n" {
			t.Errorf("%s: exit %d, stderr %.300q", name, code, stderr.String())
		}
	}
}

// A panic leaves no file, whichever goroutine it is of.
func TestFaults(t *testing.T) {
	dir := t.TempDir()
	var stderr bytes.Buffer
	p := newProgram(&outfile.Session{Context: context.Background(), Stderr: &stderr})
	err := p.Write(filepath.Join(dir, "plan.csv"), func(io.Writer) error {
		return parallel.For(p.Context, 10, 1, 2, func(int, int) error { panic("no such row") }, nil)
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
