package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dpcalc/dpcalc/cmd/internal/commandtest"
	"github.com/dpcalc/dpcalc/cmd/internal/usage"
)

// One file cannot be two outputs, whatever it is called.
func TestOutputsAreDifferentFiles(t *testing.T) {
	plan := []string{"samplesize", "-m", "10", "-t", "0.1", "-b", "0.05"}
	both := func(output, schedule string) []string { return []string{"-o", output, "--schedule", schedule} }
	empty := func(name string) error { return os.WriteFile(name, nil, 0o600) }
	for name, c := range map[string]struct {
		args []string
		make func() error
	}{
		"the same name": {both("s.csv", "s.csv"), nil},
		"a dot":         {both("s.csv", "./s.csv"), nil},
		"another case":  {both("s.csv", "S.CSV"), nil},
		"a detour":      {both("s.csv", "sub/../s.csv"), func() error { return os.Mkdir("sub", 0o700) }},
		"a linked directory": {both("sub/s.csv", "link/s.csv"), func() error {
			return errors.Join(os.Mkdir("sub", 0o700), os.Symlink("sub", "link"))
		}},
		"a symbolic link": {both("s.csv", "t.csv"), func() error {
			return errors.Join(empty("s.csv"), os.Symlink("s.csv", "t.csv"))
		}},
		"a hard link": {both("s.csv", "t.csv"), func() error {
			return errors.Join(empty("s.csv"), os.Link("s.csv", "t.csv"))
		}},
		"a link to nothing": {both("s.csv", "t.csv"), func() error { return os.Symlink("s.csv", "t.csv") }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			if c.make != nil {
				if err := c.make(); err != nil {
					t.Fatal(err)
				}
			}
			before := strings.Join(commandtest.Files(t, "."), " ")
			code, stdout, stderr := commandtest.Dpcalc(append(plan, c.args...)...)
			if !commandtest.Refused(code, stdout, stderr, "got ") {
				t.Errorf("exit %d, %q, %q", code, stdout, stderr)
			}
			if after := strings.Join(commandtest.Files(t, "."), " "); before != after {
				t.Errorf("files %s before and %s after", before, after)
			}
		})
	}
	t.Chdir(t.TempDir())
	code, _, stderr := commandtest.Dpcalc(append(plan, "-o", "a.csv", "--schedule", "b.csv")...)
	if left := commandtest.Files(t, "."); code != usage.ExitOK || len(left) != 2 {
		t.Errorf("two files: exit %d, %s, %v", code, stderr, left)
	}
}

// A link that leads to no file makes it, and a chain of links that never ends is an error.
func TestDanglingLinks(t *testing.T) {
	t.Chdir(t.TempDir())
	err := errors.Join(
		os.Mkdir("sub", 0o700), os.Mkdir("far", 0o700),
		os.Symlink("sub/deep.csv", "plan.csv"), os.Symlink("../far/end.csv", "sub/deep.csv"),
		os.Symlink("loop.csv", "loop.csv"), os.Symlink("nowhere/plan.csv", "lost.csv"))
	if err != nil {
		t.Fatal(err)
	}
	if code, _, stderr := commandtest.Dpcalc(append(small[1:], "-o", "plan.csv")...); code != usage.ExitOK {
		t.Errorf("exit %d, %s", code, stderr)
	}
	link, err := os.Readlink("plan.csv")
	data, err2 := os.ReadFile("far/end.csv")
	if err != nil || err2 != nil || link != "sub/deep.csv" || !strings.HasPrefix(string(data), "method,") {
		t.Errorf("link %s (%v), file %.20q (%v)", link, err, data, err2)
	}
	for _, path := range []string{"loop.csv", "lost.csv"} {
		code, _, stderr := commandtest.Dpcalc(append(small[1:], "-o", path)...)
		if code != usage.ExitFailure || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%s: exit %d, %q", path, code, stderr)
		}
		if _, err := os.Readlink(path); err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// A name may be as long as the file system allows.
func TestLongNames(t *testing.T) {
	dir := t.TempDir()
	for _, length := range []int{240, 241, 255} {
		path := filepath.Join(dir, strings.Repeat("n", length-len(".csv"))+".csv")
		if code, _, stderr := commandtest.Dpcalc(append(small[1:], "-o", path)...); code != usage.ExitOK {
			t.Errorf("%d characters: exit %d, %.300s", length, code, stderr)
		}
	}
}

// byBits corrects a table of p-values, whose name or - comes after it.
func byBits(more ...string) []string {
	return append([]string{"pvalue-correct", "--alpha", "0.05", "--by", "description", "--bits", "3"}, more...)
}
