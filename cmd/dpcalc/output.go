package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"
)

// formats by the name of -f, with the file names that imply them.
var formats = []struct{ name, suffix string }{
	{"table", ""},
	{"csv", ".csv"},
	{"tsv", ".tsv"},
	{"json", ".json"},
	{"jsonl", ".jsonl"},
	{"markdown", ".md"},
	{"latex", ".tex"},
}

func outputFlags() []cli.Flag {
	return []cli.Flag{
		textFlag("format", "f", "write `FORMAT`: table (default), csv, tsv, json, jsonl, markdown or latex"),
		textFlag("output", "o", "write to `FILE`, whole or not at all; its suffix implies the format"),
	}
}

// target is where and how a command writes.
type target struct {
	format string
	path   string // empty for standard output
}

func outputTarget(c *cli.Context) (target, error) {
	var names, suffixes []string
	for _, f := range formats {
		names = append(names, f.name)
		if f.suffix != "" {
			suffixes = append(suffixes, f.suffix)
		}
	}
	format, err := oneOf(c, "format", names...)
	if err != nil {
		return target{}, err
	}
	path, hasPath := given(c, "output")
	if !hasPath || path == "-" {
		return target{format: format}, nil
	}
	if path == "" {
		return target{}, invalid("output", path, "a file name")
	}
	if _, explicit := given(c, "format"); explicit {
		return target{format, path}, nil
	}
	if format = formatOf(path); format == "" {
		return target{}, invalid("output", path, "a name in "+orList(suffixes)+", or --format")
	}
	return target{format, path}, nil
}

// formatOf returns the format that a file's name implies, or "".
func formatOf(path string) string {
	suffix := strings.ToLower(filepath.Ext(path))
	for _, f := range formats {
		if f.suffix != "" && f.suffix == suffix {
			return f.name
		}
	}
	return ""
}

// write calls emit with a buffered writer. A regular file appears whole or not at
// all: emit writes to a neighbour that takes the name when everything has been
// written. Standard output, a device or a pipe is written as it comes.
func (p *program) write(t target, emit func(io.Writer) error) error {
	if t.path == "" {
		if err := buffered(p.stdout, emit); err != nil {
			return outputError("standard output", err)
		}
		return nil
	}
	path := t.path
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real // the link stays, its file is replaced
	}
	mode := fs.FileMode(0o666)
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return outputError(t.path, err)
	default:
		f, err := os.OpenFile(path, os.O_WRONLY, 0) // may we write it at all?
		if err != nil {
			return outputError(t.path, err)
		}
		if !info.Mode().IsRegular() {
			return outputError(t.path, errors.Join(buffered(f, emit), f.Close()))
		}
		if err := f.Close(); err != nil {
			return outputError(t.path, err)
		}
		mode = info.Mode().Perm()
	}
	if err := p.replace(path, mode, emit); err != nil {
		return outputError(t.path, err)
	}
	return nil
}

func (p *program) replace(path string, mode fs.FileMode, emit func(io.Writer) error) (err error) {
	var temp *os.File
	for range 100 {
		name := filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+"."+strconv.FormatUint(rand.Uint64(), 36))
		if temp, err = os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode); !errors.Is(err, fs.ErrExist) {
			break
		}
	}
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			temp.Close()
			os.Remove(temp.Name())
		}
	}()
	if err := buffered(temp, emit); err != nil {
		return err
	}
	if err := p.ctx.Err(); err != nil {
		return err
	}
	if err := temp.Close(); err != nil {
		return err
	}
	return os.Rename(temp.Name(), path)
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
		return fmt.Errorf("%s: %w", name, cause(err))
	}
	return err
}

// cause strips what the operating system's wrappers say twice.
func cause(err error) error {
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
