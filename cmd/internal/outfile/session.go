package outfile

import (
	"context"
	"fmt"
	"io"
	"os"
	"sync/atomic"

	"golang.org/x/term"
)

// Session is what a command sees of the world.
type Session struct {
	Context context.Context
	Stdin   io.Reader
	Stdout  io.Writer
	Stderr  io.Writer
	Workers int         // 0 for one per processor
	drawn   atomic.Bool // whether a line of progress stands on standard error
	serving atomic.Pointer[context.CancelFunc]

	// Keep takes what would go to a file of this name, where there is no file system; nil where
	// there is one.
	Keep func(file string) io.Writer
}

// Serving is a context for a command that answers until it is stopped, and then finishes what it has in hand. The
// command calls done at its end.
func (s *Session) Serving() (ctx context.Context, done func()) {
	ctx, stop := context.WithCancel(s.Context)
	s.serving.Store(&stop)
	return ctx, func() {
		s.serving.Store(nil)
		stop()
	}
}

// Stop ends a server that runs, and reports whether there is one: the command then comes to its end by itself.
func (s *Session) Stop() (stopped bool) {
	stop := s.serving.Load()
	if stop != nil {
		(*stop)()
	}
	return stop != nil
}

// Width is how many characters a line of standard output holds: as many as the terminal's, and 80 elsewhere.
func (s *Session) Width() int {
	f, ok := s.Stdout.(*os.File)
	if !ok {
		return pipeWidth
	}
	width, _, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return pipeWidth
	}
	return max(width, leastWidth)
}

const pipeWidth, leastWidth = 80, 60

// Print writes a page to standard output.
func (s *Session) Print(page []byte) error {
	if _, err := s.Stdout.Write(page); err != nil {
		return fmt.Errorf("standard output: %w", Cause(err))
	}
	return nil
}

// Clear takes the line of progress off the terminal.
func (s *Session) Clear() {
	if s.drawn.Load() {
		fmt.Fprint(s.Stderr, clearLine)
	}
}

// IsInteractive reports whether someone can be asked.
func (s *Session) IsInteractive() bool {
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
