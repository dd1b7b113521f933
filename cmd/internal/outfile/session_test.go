package outfile

import (
	"context"
	"errors"
	"io"
	"path/filepath"
	"testing"
)

// Somebody who ends the program is told which outputs are whole, which are not, and where a ledger may have changed.
func TestWritten(t *testing.T) {
	s := &Session{Context: context.Background(), Stdout: io.Discard}
	file := filepath.Join(t.TempDir(), "a.csv")
	says := func(want string) {
		t.Helper()
		if got := s.Written(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	broken := func(w io.Writer) error {
		_, err := w.Write(make([]byte, 1<<20))
		return errors.Join(err, errors.New("no more"))
	}
	whole := func(w io.Writer) error { _, err := w.Write([]byte("all\n")); return err }
	says("nothing was written")
	if s.Write(file, broken) == nil || s.Write("", broken) == nil {
		t.Error("no error")
	}
	says("standard output is incomplete")
	for _, to := range []string{file, ""} {
		if err := s.Write(to, whole); err != nil {
			t.Error(err)
		}
	}
	says(file + " was written; standard output was written")
	s.Changes("ledger")
	says(file + " was written; standard output was written; dpcalc holdout status ledger shows what was written")
}
