package outfile

import (
	"context"
	"fmt"
	"io"
	"os"
	"sync/atomic"
)

// Session is what a command sees of the world.
type Session struct {
	Context context.Context
	Stdin   io.Reader
	Stdout  io.Writer
	Stderr  io.Writer
	Workers int         // 0 for one per processor
	drawn   atomic.Bool // whether a line of progress stands on standard error

	// Keep takes what would go to a file of this name, where there is no file system; nil where
	// there is one.
	Keep func(file string) io.Writer
}

// Print writes a page to standard output.
func (s *Session) Print(page []byte) error {
	if _, err := s.Stdout.Write(page); err != nil {
		return fmt.Errorf("standard output: %w", Cause(err))
	}
	return nil
}

// Complain writes a line to standard error, in place of one of progress.
func (s *Session) Clear() {
	if s.drawn.Load() {
		fmt.Fprint(s.Stderr, clearLine)
	}
}

// Interactive reports whether someone can be asked.
func (s *Session) Interactive() bool {
	for _, stream := range []any{s.Stdin, s.Stderr} {
		f, ok := stream.(*os.File)
		if !ok {
			return false
		}
		if info, err := f.Stat(); err != nil || info.Mode()&os.ModeCharDevice == 0 {
			return false
		}
	}
	return true
}
