package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/dpcalc/dpcalc/transfer"
)

var small = []string{"dpcalc", "samplesize", "-m", "10", "-t", "0.1", "-b", "0.05", "--method", "splitting"}

func files(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// A failure to write is one line and exit 1.
func TestWriteFailures(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct {
		path, says string
	}{
		{"/dev/full", "no space left on device"},
		{dir, "is a directory"},
		{filepath.Join(dir, "missing", "plan.csv"), "no such file or directory"},
	} {
		var stdout, stderr bytes.Buffer
		code := run(append(small, "-f", "csv", "-o", c.path), nil, &stdout, &stderr)
		if code != exitFailure || stdout.Len() != 0 || stderr.String() != "dpcalc: "+c.path+": "+c.says+"\n" {
			t.Errorf("%s: exit %d, stdout %q, stderr %q", c.path, code, stdout.String(), stderr.String())
		}
	}
	if left := files(t, dir); left != nil {
		t.Errorf("files left: %v", left)
	}
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer full.Close()
	for _, args := range [][]string{small, {"dpcalc", "--help"}, {"dpcalc", "--version"}, {"dpcalc", "explain", "splitting"}, {"dpcalc", "methods"}} {
		var stderr bytes.Buffer
		if code := run(args, nil, full, &stderr); code != exitFailure || stderr.String() != "dpcalc: standard output: no space left on device\n" {
			t.Errorf("%v: exit %d, stderr %q", args, code, stderr.String())
		}
	}
}

func TestClosedPipe(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	r.Close()
	defer w.Close()
	var stderr bytes.Buffer
	args := []string{"dpcalc", "samplesize", "-m", "1:5k:1", "-t", "0.1", "-b", "0.05", "--method", "splitting", "-f", "csv"}
	if code := run(args, nil, w, &stderr); code != exitFailure || stderr.String() != "dpcalc: standard output: broken pipe\n" {
		t.Errorf("exit %d, stderr %q", code, stderr.String())
	}
}

// A file is replaced whole, keeps its mode, is reached through a link, and is left
// alone by a command that fails.
func TestReplace(t *testing.T) {
	dir := t.TempDir()
	path, link := filepath.Join(dir, "plan.csv"), filepath.Join(dir, "link.csv")
	if err := errors.Join(os.WriteFile(path, []byte("old"), 0o600), os.Symlink(path, link)); err != nil {
		t.Fatal(err)
	}
	broken := errors.New("broken")
	p := &program{ctx: context.Background()}
	err := p.write(target{path: link}, func(w io.Writer) error {
		_, err := w.Write(make([]byte, 1<<20))
		return errors.Join(err, broken)
	})
	data, _ := os.ReadFile(path)
	if !errors.Is(err, broken) || string(data) != "old" || len(files(t, dir)) != 2 {
		t.Fatalf("after a failure: %v, %q, %v", err, data, files(t, dir))
	}
	var stdout, stderr bytes.Buffer
	if code := run(append(small, "-o", link), nil, &stdout, &stderr); code != exitOK || stdout.Len()+stderr.Len() != 0 {
		t.Fatalf("exit %d, %q, %q", code, stdout.String(), stderr.String())
	}
	data, _ = os.ReadFile(path)
	info, err := os.Lstat(link)
	if err != nil || info.Mode()&os.ModeSymlink == 0 || !strings.HasPrefix(string(data), "method,") || len(files(t, dir)) != 2 {
		t.Errorf("link %v (%v), file %q, %v", info, err, data, files(t, dir))
	}
	if info, _ := os.Stat(path); info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v", info.Mode())
	}
}

// An interrupt leaves no file behind.
func TestInterrupted(t *testing.T) {
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	var stdout, stderr bytes.Buffer
	p := &program{ctx: ctx, stdout: &stdout, stderr: &stderr}
	code := p.run(append(small, "-o", filepath.Join(dir, "plan.csv")))
	if code != exitFailure || stderr.String() != "dpcalc: interrupted\n" || files(t, dir) != nil {
		t.Errorf("exit %d, stderr %q, files %v", code, stderr.String(), files(t, dir))
	}
}

// Nothing is written, not even an empty file, for a command line that is wrong.
func TestUsageErrorsWriteNothing(t *testing.T) {
	dir := t.TempDir()
	var stdout, stderr bytes.Buffer
	code := run(append(small, "--epsilon", "-1", "-o", filepath.Join(dir, "plan.csv")), nil, &stdout, &stderr)
	if code != exitUsage || stdout.Len() != 0 || files(t, dir) != nil || strings.Count(stderr.String(), "\n") != 1 {
		t.Errorf("exit %d, stdout %q, stderr %q, files %v", code, stdout.String(), stderr.String(), files(t, dir))
	}
}

func TestNoCommand(t *testing.T) {
	code, stdout, stderr := dpcalc()
	if code != exitUsage || stdout != "" || !strings.Contains(stderr, "USAGE") {
		t.Errorf("exit %d, stdout %q, stderr %q", code, stdout, stderr)
	}
}

// The bytes do not depend on the number of workers.
func TestWorkers(t *testing.T) {
	args := []string{"dpcalc", "samplesize", "-m", "1:1M:log300", "-t", "0.01:0.1:0.01", "-b", "0.05", "--method", "hoeffding,splitting,rounding"}
	for _, format := range []string{"csv", "tsv", "json", "jsonl"} {
		var want string
		for workers := 1; workers <= 8; workers += 3 {
			var stdout, stderr bytes.Buffer
			p := &program{ctx: context.Background(), stdout: &stdout, stderr: &stderr, workers: workers}
			if code := p.run(append(args, "-f", format)); code != exitOK {
				t.Fatalf("exit %d: %s", code, stderr.String())
			}
			if want == "" {
				want = stdout.String()
			}
			if stdout.String() != want || len(want) < 1e5 {
				t.Errorf("%s: %d workers write other bytes", format, workers)
			}
		}
	}
}

// stream keeps the order, stops at the first error of either side and does not hang.
func TestStream(t *testing.T) {
	digits := func(dst []byte, lo, hi int) ([]byte, error) {
		for i := lo; i < hi; i++ {
			dst = append(strconv.AppendInt(dst, int64(i), 10), ' ')
		}
		return dst, nil
	}
	for _, n := range []int{0, 1, 2, 1000, 10000} {
		var want, got bytes.Buffer
		b, _ := digits(nil, 0, n)
		want.Write(b)
		last := 0
		err := stream(context.Background(), &got, n, 3, digits, func(done int) { last = done })
		if err != nil || !bytes.Equal(want.Bytes(), got.Bytes()) || last != n {
			t.Errorf("n = %d: %v, last %d", n, err, last)
		}
	}
	broken := errors.New("broken")
	if err := stream(context.Background(), io.Discard, 10000, 3, func(dst []byte, lo, _ int) ([]byte, error) {
		if lo > 5000 {
			return nil, broken
		}
		return dst, nil
	}, nil); !errors.Is(err, broken) {
		t.Errorf("encode: %v", err)
	}
	r, w := io.Pipe()
	r.CloseWithError(broken)
	if err := stream(context.Background(), w, 10000, 3, digits, nil); !errors.Is(err, broken) {
		t.Errorf("write: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	if err := stream(ctx, io.Discard, 10000, 3, func(dst []byte, lo, _ int) ([]byte, error) {
		if lo > 5000 {
			cancel()
		}
		return dst, nil
	}, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("cancel: %v", err)
	}
}

// A grid crosses its axes with the last one fastest, or pairs them.
func TestGrid(t *testing.T) {
	axes := []axis{
		axisOf("samples", []int64{1, 2}, func(g *transfer.Goal, n int64) { g.Samples = n }),
		axisOf("queries", []int64(nil), func(g *transfer.Goal, n int64) { g.Queries = n }),
		axisOf("budget", []int64{5, 6, 7}, func(g *transfer.Goal, n int64) { g.Budget = n }),
	}
	g, err := newGrid(transfer.Goal{Tau: 0.5}, false, axes...)
	if err != nil || g.size() != 6 {
		t.Fatalf("size %d, %v", g.size(), err)
	}
	for i := range 6 {
		if got := g.goal(i); got != (transfer.Goal{Tau: 0.5, Samples: int64(1 + i/3), Budget: int64(5 + i%3)}) {
			t.Errorf("goal %d: %+v", i, got)
		}
	}
	if _, err := newGrid(transfer.Goal{}, true, axes...); err == nil {
		t.Error("2 values pair with 3")
	}
	axes[0].length = 1
	g, err = newGrid(transfer.Goal{}, true, axes...)
	if err != nil || g.size() != 3 || g.goal(2) != (transfer.Goal{Samples: 1, Budget: 7}) {
		t.Errorf("zip: size %d, %+v, %v", g.size(), g.goal(2), err)
	}
}

// Scripts and manual are the same on every run and name every command.
func TestCompletionAndManual(t *testing.T) {
	for _, args := range [][]string{{"completion", "bash"}, {"completion", "zsh"}, {"completion", "fish"}, {"completion", "powershell"}, {"man"}} {
		code, first, stderr := dpcalc(args...)
		_, second, _ := dpcalc(args...)
		if code != exitOK || first != second || stderr != "" {
			t.Errorf("%v: exit %d, stderr %q", args, code, stderr)
		}
		for _, c := range (&program{}).app().Commands {
			if !strings.Contains(strings.ReplaceAll(first, `\-`, "-"), c.Name) {
				t.Errorf("%v does not name %s", args, c.Name)
			}
		}
	}
}

// Every method explains itself, and every source is in the bibliography.
func TestEveryMethodIsExplainedAndCited(t *testing.T) {
	for _, m := range transfer.Methods() {
		code, page, stderr := dpcalc("explain", m.Name)
		if code != exitOK || !strings.Contains(page, "Formula\n  ") || !strings.Contains(page, "Proof: "+string(m.Proof)) {
			t.Errorf("explain %s: exit %d, %s%s", m.Name, code, page, stderr)
		}
		for line := range strings.Lines(page) {
			if len([]rune(line)) > 120 {
				t.Errorf("explain %s: long line %q", m.Name, line)
			}
		}
		code, entries, stderr := dpcalc("cite", m.Name)
		if code != exitOK || strings.Count(entries, "@") < 1 {
			t.Errorf("cite %s: exit %d, %s", m.Name, code, stderr)
		}
	}
}
