package outfile

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"golang.org/x/term"
)

// Session is what a command sees of the world.
type Session struct {
	Context context.Context
	Stdin   io.Reader
	Stdout  io.Writer
	Stderr  io.Writer
	Workers int // 0 for one per processor
	bar     atomic.Pointer[Progress]
	serving atomic.Pointer[context.CancelFunc]
	mu      sync.Mutex
	wrote   []string // names of outputs and ledgers that somebody who ends the program is told of

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

// Clear ends the line of progress, so that another may be written to standard error.
func (s *Session) Clear() { s.bar.Load().End() }

// note notes what was written, in place of what was said of it before.
func (s *Session) note(what, before string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.wrote = append(slices.DeleteFunc(s.wrote, func(said string) bool { return said == before }), what)
}

// Written says what the program wrote, for somebody who ends it.
func (s *Session) Written() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.wrote == nil {
		return "nothing was written"
	}
	return strings.Join(s.wrote, "; ")
}

// Changes says that the ledger in a folder may be changed from now on.
func (s *Session) Changes(dir string) {
	s.note(fmt.Sprintf("dpcalc holdout status %s shows what was written", dir), "")
}

// IsInteractive reports whether someone can be asked.
func (s *Session) IsInteractive() bool { return isTerminal(s.Stdin) && isTerminal(s.Stderr) }

// Colours reports whether standard output is a terminal that shows colours, and nobody has turned them off.
func (s *Session) Colours() bool {
	return isTerminal(s.Stdout) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
}

// isTerminal reports whether a stream may be somebody's terminal.
func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
