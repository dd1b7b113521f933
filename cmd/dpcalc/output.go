package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
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
