package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
)

// format is a name of -f with the suffix of file names that imply it.
type format struct{ name, suffix string }

// formats of every command, by the name of -f, with the file names that imply them.
var formats = []format{
	{"table", ""},
	{"csv", ".csv"},
	{"tsv", ".tsv"},
	{"json", ".json"},
	{"jsonl", ".jsonl"},
	{"markdown", ".md"},
	{"latex", ".tex"},
	{"xlsx", ".xlsx"},
}

// csvExcelEU is csv in the dialect of that name.
const csvExcelEU = "csv excel-eu"

// dialects of csv, by the name of --csv-dialect. The first is the default.
var dialects = []string{"rfc4180", "excel-eu"}

func outputFlags() []cli.Flag {
	return []cli.Flag{
		textFlag("format", "f", "write `FORMAT`: table (default), csv, tsv, json, jsonl, markdown, latex, or xlsx with --output"),
		textFlag("output", "o", "write to `FILE`, whole or not at all; its suffix implies the format; - is standard output"),
		textFlag("csv-dialect", "", "write csv in `DIALECT`: rfc4180 (default), or excel-eu with semicolons, decimal commas and a byte order mark"),
	}
}

// target is where and how a command writes.
type target struct {
	format  string
	path    string // empty for standard output
	command string // as it was typed, for the files that repeat it
}

// outputTarget reads where and how to write; more are formats of this command alone.
func outputTarget(c *cli.Context, more ...format) (target, error) {
	var names, suffixes []string
	for _, f := range slices.Concat(formats, more) {
		names = append(names, f.name)
		if f.suffix != "" {
			suffixes = append(suffixes, f.suffix)
		}
	}
	t := target{command: commandLine(c)}
	var err error
	if t.format, err = oneOf(c, "format", names...); err != nil {
		return target{}, err
	}
	path, hasPath := given(c, "output")
	_, explicit := given(c, "format")
	switch {
	case hasPath && path == "":
		return target{}, invalid("output", path, "a file name")
	case t.format == "xlsx" && !hasPath:
		return target{}, usagef("--format: got xlsx without --output, want --output FILE, or --output - for standard output")
	case !hasPath || path == "-":
	case explicit:
		t.path = path
		err = contradicted(t.format, path, names)
	default:
		t.path = path
		if t.format = formatOf(path, more...); t.format == "" {
			return target{}, invalid("output", path, "a name in "+orList(suffixes)+", or --format")
		}
	}
	if err != nil {
		return target{}, err
	}
	if _, ok := given(c, "csv-dialect"); ok && t.format != "csv" {
		if schedule, _ := given(c, "schedule"); formatOf(schedule) != "csv" {
			return target{}, usagef("--csv-dialect: got it for %s, want csv", t.format)
		}
	}
	t.format, err = inDialect(c, t.format)
	return t, err
}

// contradicted refuses a format that the file's name contradicts; names are the formats
// of the command. A name without a suffix, or with one that implies no format,
// contradicts none.
func contradicted(format, path string, names []string) error {
	implied := formatOf(path, figures...)
	if implied == "" || implied == format {
		return nil
	}
	var ways []string
	if slices.Contains(names, implied) {
		ways = []string{implied}
	}
	for _, f := range slices.Concat(formats, figures) {
		if f.name == format {
			ways = append(ways, "a name in "+cmp.Or(f.suffix, "no format's suffix"))
		}
	}
	return usagef("--format: got %s for %s, want %s", format, shown(path), orList(ways))
}

// inDialect returns the format, csv in the dialect that was asked for.
func inDialect(c *cli.Context, format string) (string, error) {
	dialect, err := oneOf(c, "csv-dialect", dialects...)
	if format == "csv" && dialect == "excel-eu" {
		format = csvExcelEU
	}
	return format, err
}

// commandLine repeats a command with its flags in the order of their declaration.
// Of the output it has the file's name alone: a path tells more than a reader of
// the file is to know.
func commandLine(c *cli.Context) string {
	words := []string{"dpcalc", c.Command.Name}
	for _, flag := range c.Command.Flags {
		name := flag.Names()[0]
		if t, ok := c.Generic(name).(*text); ok {
			for _, value := range t.raw {
				if name == "output" || name == "schedule" {
					value = filepath.Base(value)
				}
				words = append(words, "--"+name, shellWord(value))
			}
		} else if c.Bool(name) {
			words = append(words, "--"+name)
		}
	}
	for _, value := range c.Args().Slice() {
		words = append(words, shellWord(value))
	}
	return strings.Join(words, " ")
}

// shellWord quotes a word for a shell, if it needs that.
func shellWord(s string) string {
	if s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return !strings.ContainsRune("%+,-./:=@_", r) && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
	}) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// formatOf returns the format that a file's name implies, or "".
func formatOf(path string, more ...format) string {
	suffix := strings.ToLower(filepath.Ext(path))
	for _, f := range slices.Concat(formats, more) {
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
	path, err := behind(t.path)
	if err != nil {
		return outputError(t.path, err)
	}
	old, err := os.Stat(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return outputError(t.path, err)
	}
	if err == nil {
		f, err := os.OpenFile(path, os.O_WRONLY, 0) // may we write it at all?
		if err != nil {
			return outputError(t.path, err)
		}
		if !old.Mode().IsRegular() {
			return outputError(t.path, errors.Join(buffered(f, emit), f.Close()))
		}
		if err := f.Close(); err != nil {
			return outputError(t.path, err)
		}
	}
	return outputError(t.path, p.replace(path, old, emit))
}

// replace writes a file that takes the name when it is whole, and the mode of the old one
// if there is one.
func (p *program) replace(path string, old fs.FileInfo, emit func(io.Writer) error) error {
	mode := fs.FileMode(0o666)
	if old != nil {
		mode = old.Mode().Perm()
	}
	temp, err := temporaries.beside(path, mode)
	if err != nil {
		return err
	}
	defer temporaries.remove(temp.Name()) // unless it has been published
	if old != nil {
		if err := keepMode(temp, mode); err != nil {
			return err
		}
	}
	if err := buffered(temp, emit); err != nil {
		return err
	}
	if err := p.ctx.Err(); err != nil {
		return err
	}
	return temporaries.publish(temp, path)
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

// sameFile says whether two paths write one file. The names of files that do not exist are
// compared without case, as some systems do.
func sameFile(a, b string) bool {
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
