package main

import (
	"cmp"
	"io"
	"path/filepath"
	"slices"
	"strings"
)

// Command is a command as every front end sees it: what it is called, what it takes, and
// what it does.
type Command struct {
	Name        string
	Summary     string
	Arguments   string          // what it takes besides flags; "" for nothing
	Words       func() []string // the arguments that it takes, if they are words
	Description string
	Flags       []Flag    // its own, without those of the output
	Output      Output    // the formats that it offers
	Examples    [2]string // command lines that work, in this order and in one directory
	Run         func(*Call) error
}

// Output is a set of kinds of formats.
type Output uint8

// The kinds of formats.
const (
	Tables Output = 1 << iota // rows, for machines or people
	Drawings
)

// Call is a command with what was typed.
type Call struct {
	*Session
	Values
	Command *Command
	Formats []Format // all that the front end has
}

// AllFlags are the flags of a command with those of the output, which depend on the formats.
func (c *Command) AllFlags(formats []Format) []Flag {
	if c.Output == 0 {
		return c.Flags
	}
	return slices.Concat(c.Flags, outputFlags(formats))
}

func outputFlags(formats []Format) []Flag {
	var names, helps []string
	for _, f := range formats {
		names = append(names, f.Name)
		if f.Draw == nil {
			helps = append(helps, f.Name+f.Help)
		}
	}
	last := len(helps) - 1
	return []Flag{
		{Name: "format", Alias: "f", Usage: "write `FORMAT`: " + strings.Join(helps[:last], ", ") + ", or " + helps[last], Words: names},
		{Name: "output", Alias: "o", Usage: "write to `FILE`, whole or not at all; its suffix implies the format; - is standard output"},
		{Name: "csv-dialect", Usage: "write csv in `DIALECT`: rfc4180 (default), or excel-eu with semicolons, decimal commas and a byte order mark", Words: dialects},
	}
}

// dialects of csv, by the name of --csv-dialect. The first is the default.
var dialects = []string{"rfc4180", "excel-eu"}

// Target is where and how a command writes.
type Target struct {
	Format  Format
	Path    string // empty for standard output
	Command string // as it was typed, for the files that repeat it
}

// offered are the formats that the command offers.
func (c *Call) offered() []Format {
	return slices.DeleteFunc(slices.Clone(c.Formats), func(f Format) bool {
		return f.Draw != nil && c.Command.Output&Drawings == 0
	})
}

// Target reads where and how to write.
func (c *Call) Target() (t Target, err error) {
	t.Command = c.line()
	offered := c.offered()
	var names, suffixes []string
	for _, f := range offered {
		names = append(names, f.Name)
		if f.Suffix != "" {
			suffixes = append(suffixes, f.Suffix)
		}
	}
	name, err := OneOf(c, "format", names...)
	if err != nil {
		return Target{}, err
	}
	t.Format = offered[slices.Index(names, name)]
	path, hasPath := c.Text("output")
	_, explicit := c.Text("format")
	switch {
	case hasPath && path == "":
		return Target{}, invalid("output", path, "a file name")
	case t.Format.Book != nil && !hasPath:
		return Target{}, usagef("--format: got %s without --output, want --output FILE, or --output - for standard output", name)
	case !hasPath || path == "-":
	case explicit:
		t.Path = path
		err = c.contradicted(t.Format, path, names)
	default:
		t.Path = path
		var ok bool
		if t.Format, ok = formatOf(path, offered); !ok {
			return Target{}, invalid("output", path, "a name in "+orList(suffixes)+", or --format")
		}
	}
	if err != nil {
		return Target{}, err
	}
	if _, ok := c.Text("csv-dialect"); ok && t.Format.Name != CSV.Name {
		schedule, _ := c.Text("schedule")
		if f, _ := formatOf(schedule, c.Formats); f.Name != CSV.Name {
			return Target{}, usagef("--csv-dialect: got it for %s, want csv", t.Format.Name)
		}
	}
	t.Format, err = c.inDialect(t.Format)
	return t, err
}

// contradicted refuses a format that the file's name contradicts; names are the formats
// of the command. A name without a suffix, or with one that implies no format,
// contradicts none.
func (c *Call) contradicted(format Format, path string, names []string) error {
	implied, ok := formatOf(path, c.Formats)
	if !ok || implied.Name == format.Name {
		return nil
	}
	var ways []string
	if slices.Contains(names, implied.Name) {
		ways = []string{implied.Name}
	}
	ways = append(ways, "a name in "+cmp.Or(format.Suffix, "no format's suffix"))
	return usagef("--format: got %s for %s, want %s", format.Name, shown(path), orList(ways))
}

// inDialect returns the format, csv in the dialect that was asked for.
func (c *Call) inDialect(f Format) (Format, error) {
	dialect, err := OneOf(c, "csv-dialect", dialects...)
	if f.Name == CSV.Name && dialect == ExcelEU.Dialect {
		f = ExcelEU
	}
	return f, err
}

// formatOf returns the format that a file's name implies, if there is one.
func formatOf(path string, formats []Format) (Format, bool) {
	suffix := strings.ToLower(filepath.Ext(path))
	for _, f := range formats {
		if f.Suffix != "" && f.Suffix == suffix {
			return f, true
		}
	}
	return Format{}, false
}

// line repeats a command with its flags in the order of their declaration.
// Of the output it has the file's name alone: a path tells more than a reader of
// the file is to know.
func (c *Call) line() string {
	words := []string{"dpcalc", c.Command.Name}
	for _, flag := range c.Command.AllFlags(c.Formats) {
		if flag.Switch {
			if c.Is(flag.Name) {
				words = append(words, "--"+flag.Name)
			}
			continue
		}
		values := c.Texts(flag.Name)
		if value, ok := c.Text(flag.Name); ok && !flag.Repeats {
			values = []string{value}
		}
		for _, value := range values {
			if flag.Name == "output" || flag.Name == "schedule" {
				value = filepath.Base(value)
			}
			words = append(words, "--"+flag.Name, shellWord(value))
		}
	}
	for _, value := range c.Texts(Arguments) {
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

// WriteTo calls emit with the writer of a target.
func (c *Call) WriteTo(t Target, emit func(io.Writer) error) error { return c.Write(t.Path, emit) }
