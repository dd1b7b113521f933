// Package outfile writes files whole or not at all, and has what a command sees of the world.
package outfile

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Write calls emit with a buffered writer. A regular file appears whole or not at
// all: emit writes to a neighbour that takes the name when everything has been
// written. Standard output, a device or a pipe is written as it comes.
func (s *Session) Write(file string, emit func(io.Writer) error) error {
	if file == "" {
		return outputError("standard output", s.stream("standard output", s.Stdout, emit))
	}
	if s.Keep != nil {
		return outputError(file, buffered(s.Keep(file), emit))
	}
	path, old, err := writable(file)
	switch {
	case err != nil:
		return outputError(file, err)
	case old == nil || old.Mode().IsRegular():
		err := s.replace(path, old, emit)
		if err == nil {
			s.note(file+" was written", "")
		}
		return outputError(file, err)
	}
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return outputError(file, err)
	}
	return outputError(file, errors.Join(s.stream(file, f, emit), f.Close()))
}

// Check says whether Write could begin, for a command that does what cannot be undone before it writes.
func (s *Session) Check(file string) error {
	if file == "" || s.Keep != nil {
		return nil
	}
	path, old, err := writable(file)
	switch {
	case err != nil:
		return outputError(file, err)
	case old != nil && old.IsDir():
		return outputError(file, &fs.PathError{Op: "open", Path: path, Err: errors.New("is a directory")})
	case old != nil && !old.Mode().IsRegular():
		return nil
	}
	temp, err := Temporaries.beside(path, 0o600)
	if err == nil {
		Temporaries.Remove(temp.Name())
	}
	return outputError(file, err)
}

// writable finds the file that is written by a path, and the regular or other file that is there, which may be written
// if it is regular.
func writable(file string) (path string, old fs.FileInfo, err error) {
	if path, err = behind(file); err != nil {
		return path, nil, err
	}
	old, err = os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return path, nil, nil
	}
	if err != nil || !old.Mode().IsRegular() {
		return path, old, err
	}
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return path, old, err
	}
	return path, old, f.Close()
}

// IsInside reports whether a path leads into a directory or below it. The directory need not exist.
func IsInside(path, dir string) bool {
	path, err := behind(path)
	if err != nil {
		return false // and it cannot be written
	}
	if real, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil {
		path = filepath.Join(real, filepath.Base(path))
	}
	at, err := filepath.Abs(path)
	if err != nil {
		return true
	}
	for above := filepath.Dir(at); ; at, above = above, filepath.Dir(above) {
		if IsSameFile(above, filepath.Clean(dir)) {
			return true
		}
		if at == above {
			return false
		}
	}
}

// replace writes a file that takes the name when it is whole, and the mode of the old one
// if there is one.
func (s *Session) replace(path string, old fs.FileInfo, emit func(io.Writer) error) error {
	mode := fs.FileMode(0o666)
	if old != nil {
		mode = old.Mode().Perm()
	}
	temp, err := Temporaries.beside(path, mode)
	if err != nil {
		return err
	}
	defer Temporaries.Remove(temp.Name()) // unless it has been published
	if old != nil {
		if err := keepMode(temp, mode); err != nil {
			return err
		}
	}
	if err := buffered(temp, emit); err != nil {
		return err
	}
	if err := s.Context.Err(); err != nil {
		return err
	}
	return Temporaries.publish(temp, path)
}

// keepMode gives a new file a mode from which the process's mask took some bits.
func keepMode(f *os.File, mode fs.FileMode) error {
	info, err := f.Stat()
	if err != nil || info.Mode().Perm() == mode {
		return err
	}
	return f.Chmod(mode)
}

// mostLinks is how many symbolic links are followed, as many as systems do.
const mostLinks = 40

// behind follows symbolic links to the file that is written by a path. The file need not
// exist: a link that leads nowhere makes it.
func behind(path string) (string, error) {
	if _, err := os.Stat(path); err == nil {
		if real, err := filepath.EvalSymlinks(path); err == nil {
			return real, nil
		}
		return path, nil // a pipe's link in /dev has no file behind it
	}
	for range mostLinks {
		next, err := os.Readlink(path)
		if err != nil { // no link
			return path, nil
		}
		if !filepath.IsAbs(next) { // not cleaned: what precedes ".." may be a link
			next = filepath.Dir(path) + string(filepath.Separator) + next
		}
		path = next
	}
	return "", errors.New("too many symbolic links")
}

// IsSameFile says whether two paths write one file. The names of files that do not exist are
// compared without case, as some systems do.
func IsSameFile(a, b string) bool {
	a, errA := behind(a)
	b, errB := behind(b)
	if errA != nil || errB != nil { // neither can be written
		return false
	}
	fileA, errA := os.Stat(a)
	fileB, errB := os.Stat(b)
	if errA == nil || errB == nil {
		return errA == nil && errB == nil && os.SameFile(fileA, fileB)
	}
	dirA, errA := os.Stat(filepath.Dir(a))
	dirB, errB := os.Stat(filepath.Dir(b))
	if errA != nil || errB != nil {
		return false
	}
	return os.SameFile(dirA, dirB) && strings.EqualFold(filepath.Base(a), filepath.Base(b))
}

// stream writes to what cannot be taken back.
func (s *Session) stream(name string, w io.Writer, emit func(io.Writer) error) error {
	cut := name + " is incomplete"
	err := buffered(begun{w, func() {
		s.note(cut, cut)
		if isTerminal(w) {
			s.Clear() // the line of progress may stand where the output goes
		}
	}}, emit)
	if err == nil {
		s.note(name+" was written", cut)
	}
	return err
}

// begun tells before it writes.
type begun struct {
	io.Writer
	tell func()
}

func (b begun) Write(p []byte) (int, error) {
	b.tell()
	return b.Writer.Write(p)
}

func buffered(w io.Writer, emit func(io.Writer) error) error {
	b := bufio.NewWriterSize(writeOnly{w}, 1<<16)
	if err := emit(b); err != nil {
		return err
	}
	if err := b.Flush(); err != nil {
		return err
	}
	return nil
}

// writeOnly marks the errors of writing, which alone are the output's fault.
type writeOnly struct{ io.Writer }

type writeError struct{ error }

func (e writeError) Unwrap() error { return e.error }

func (w writeOnly) Write(b []byte) (int, error) {
	n, err := w.Writer.Write(b)
	if err != nil {
		err = writeError{err}
	}
	return n, err
}

// outputError names the output in an error of writing and passes other errors on.
func outputError(name string, err error) error {
	var path *fs.PathError
	var link *os.LinkError
	var write writeError
	switch {
	case err == nil || errors.Is(err, context.Canceled):
		return err
	case errors.As(err, &write), errors.As(err, &path), errors.As(err, &link):
		return fmt.Errorf("%s: %w", name, Cause(err))
	}
	return err
}

// Cause strips what the operating system's wrappers say twice.
func Cause(err error) error {
	var path *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &path):
		return path.Err
	case errors.As(err, &link):
		return link.Err
	}
	return err
}
