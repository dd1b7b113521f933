package outfile

import (
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"sync"
)

// Temporaries are the files that are not to outlive the program. All of them are made
// here, so that a signal finds them.
var Temporaries = litter{open: make(map[string]*os.File)}

// litter is temporary files and directories by their names. A directory has no file.
type litter struct {
	Mu   sync.Mutex
	open map[string]*os.File
}

// Discard removes everything. Nothing is made or published after it: the lock stays.
func (l *litter) Discard() {
	l.Mu.Lock()
	for path, f := range l.open {
		drop(path, f)
	}
}

func drop(path string, f *os.File) {
	if f != nil {
		_ = f.Close() // before the removal, which some systems refuse for open files
	}
	_ = os.RemoveAll(path)
}

// beside makes a file in the directory of the path, with the mode that the mask leaves. Its
// name is short, because the path's own may be as long as a name can be.
func (l *litter) beside(path string, mode fs.FileMode) (f *os.File, err error) {
	l.Mu.Lock()
	defer l.Mu.Unlock()
	for range 100 {
		name := filepath.Join(filepath.Dir(path), ".dpcalc-"+strconv.FormatUint(rand.Uint64(), 36))
		if f, err = os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode); !errors.Is(err, fs.ErrExist) {
			break
		}
	}
	if err == nil {
		l.open[f.Name()] = f
	}
	return f, err
}

// Spool makes a file without a name or, where an open file keeps its name, with one.
func (l *litter) Spool() (*os.File, error) {
	l.Mu.Lock()
	defer l.Mu.Unlock()
	f, err := os.CreateTemp("", "dpcalc-*")
	if err == nil && os.Remove(f.Name()) != nil {
		l.open[f.Name()] = f
	}
	return f, err
}

// Directory makes a directory. It is "" if there is no place for one.
func (l *litter) Directory() string {
	l.Mu.Lock()
	defer l.Mu.Unlock()
	path, err := os.MkdirTemp("", "dpcalc-*")
	if err != nil {
		return ""
	}
	l.open[path] = nil
	return path
}

// Within calls f, in which the files that a library makes in the system's place for
// temporary files are in a directory of ours. Only one goroutine may call it.
func (l *litter) Within(f func() error) error {
	dir := l.Directory()
	if dir == "" {
		return f()
	}
	defer l.Remove(dir)
	for _, name := range []string{"TMPDIR", "TMP", "TEMP"} { // Unix, Windows
		old, had := os.LookupEnv(name)
		if err := os.Setenv(name, dir); err != nil {
			return err
		}
		defer func() {
			if had {
				_ = os.Setenv(name, old)
			} else {
				_ = os.Unsetenv(name)
			}
		}()
	}
	return f()
}

// publish gives a file its name.
func (l *litter) publish(f *os.File, path string) error {
	if err := f.Close(); err != nil {
		return err
	}
	l.Mu.Lock()
	defer l.Mu.Unlock()
	err := os.Rename(f.Name(), path)
	if err == nil {
		delete(l.open, f.Name())
	}
	return err
}

// Remove removes a file or directory that has not been published.
func (l *litter) Remove(path string) {
	l.Mu.Lock()
	defer l.Mu.Unlock()
	if f, ok := l.open[path]; ok {
		drop(path, f)
		delete(l.open, path)
	}
}
