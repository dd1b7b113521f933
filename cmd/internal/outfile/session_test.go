package outfile

import (
	"context"
	"errors"
	"io"
	"os"
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

// Colours are for terminals that show them, unless somebody has turned them off.
func TestColours(t *testing.T) {
	nobody, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0) // it passes for a terminal
	if err != nil {
		t.Fatal(err)
	}
	defer nobody.Close()
	for _, c := range []struct {
		out           io.Writer
		noColor, term string
		want          bool
	}{
		{nobody, "", "xterm", true}, {nobody, "1", "xterm", false}, {nobody, "", "dumb", false}, {io.Discard, "", "xterm", false},
	} {
		t.Setenv("NO_COLOR", c.noColor)
		t.Setenv("TERM", c.term)
		if got := (&Session{Stdout: c.out}).Colours(); got != c.want {
			t.Errorf("%+v: got %t", c, got)
		}
	}
}
