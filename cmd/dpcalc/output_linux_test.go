package main

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/dpcalc/dpcalc/cmd/internal/commandtest"
	"github.com/dpcalc/dpcalc/cmd/internal/outfile"
)

// closeBehind closes the descriptor of a file of a directory, so that its owner's Close fails.
func closeBehind(dir string) error {
	const open = "/proc/self/fd"
	entries, err := os.ReadDir(open)
	if err != nil {
		return err
	}
	for _, e := range entries {
		path, err := os.Readlink(filepath.Join(open, e.Name()))
		if err != nil || !strings.HasPrefix(path, dir+"/") {
			continue
		}
		fd := 0
		for _, digit := range e.Name() {
			fd = 10*fd + int(digit-'0')
		}
		return syscall.Close(fd)
	}
	return errors.New("no file of " + dir + " is open")
}

// A file whose Close fails may have lost what was written: it is reported, and does not
// take the place of the one that was there.
func TestCloseFails(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	old, fresh := filepath.Join(dir, "old.csv"), filepath.Join(dir, "fresh.csv")
	if err := os.WriteFile(old, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{old, fresh} {
		p := newProgram(&outfile.Session{Context: context.Background()})
		err := p.Write(path, func(w io.Writer) error {
			_, err := w.Write(make([]byte, 1<<20)) // past the buffer
			return errors.Join(err, closeBehind(dir))
		})
		if err == nil || err.Error() != path+": bad file descriptor" {
			t.Errorf("%s: %v", path, err)
		}
	}
	data, err := os.ReadFile(old)
	if left := commandtest.Files(t, dir); err != nil || string(data) != "old" || len(left) != 1 {
		t.Errorf("%.20q (%v), files %v", data, err, left)
	}
}
