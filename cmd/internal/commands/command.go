// Package commands has what every command and every front end shares: a command as a value, what
// was typed, and how an answer is written in any format.
package commands

import (
	"cmp"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dpcalc/dpcalc/cmd/internal/outfile"
	"github.com/dpcalc/dpcalc/cmd/internal/record"
	"github.com/dpcalc/dpcalc/cmd/internal/usage"
	"github.com/dpcalc/dpcalc/internal/each"
)

// Command is a command as every front end sees it: what it is called, what it takes, and
// what it does.
type Command struct {
	Name        string
	Summary     string
	Arguments   string          // what it takes besides flags; "" for nothing
	Words       func() []string // the arguments that it takes, if they are words
	Verbatim    bool            // its arguments are another command line, flags and all
	Description string
	Flags       []usage.Flag      // its own, without the flags of the output
	Gone        map[string]string // flags and actions that earlier versions had, and what does their work
	Common      []string          // the flags that its short help shows; nil for all
	Output      Output            // the formats that it offers
	Examples    []string          // command lines that work, in this order and in one directory

	// Topic is what the help on a word after the command describes, as a command; nil for none.
	Topic func(word string) (*Command, error)
	Run   func(*Call) error

	// Actions are its sub-commands, each with flags and arguments of its own. A command has actions or runs.
	Actions []*Command
	group   *Command // whose action it is; nil for none
}

// Group returns a command with its actions.
func Group(c Command, actions ...*Command) *Command {
	c.Actions = actions
	for _, a := range actions {
		a.group = &c
	}
	return &c
}

// Path is the command as it is typed: holdout score.
func (c *Command) Path() string {
	if c.group == nil {
		return c.Name
	}
	return c.group.Name + " " + c.Name
}

// All are commands, each with its actions after it.
func All(list []*Command) (all []*Command) {
	for _, c := range list {
		all = append(append(all, c), c.Actions...)
	}
	return all
}

// Leaves are the commands that run, in order: actions in the place of their group.
func Leaves(list []*Command) []*Command {
	return slices.DeleteFunc(All(list), func(c *Command) bool { return c.Actions != nil })
}

// siblings are the actions of a command's group; nil for a command of none.
func (c *Command) siblings() []*Command {
	if c.group == nil {
		return nil
	}
	return c.group.Actions
}

// Action finds an action by its name, nil if there is none.
func (c *Command) Action(name string) *Command {
	action, _ := each.First(c.Actions, func(a *Command) bool { return a.Name == name })
	return action
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
	*outfile.Session
	usage.Values
	Command *Command
	Formats []record.Format // all that the front end has
}

// AllFlags are the flags of a command, and the flags of the output, which depend on the formats.
func (c *Command) AllFlags(formats []record.Format) []usage.Flag {
	if c.Output == 0 {
		return c.Flags
	}
	return slices.Concat(c.Flags, OutputFlags(formats))
}

// AboutOutput is the heading of the flags on the output.
const AboutOutput = "output"

// OutputFlags are the flags that say where and how to write. They name the formats.
func OutputFlags(formats []record.Format) []usage.Flag {
	var names, helps []string
	for _, f := range formats {
		names = append(names, f.Name)
		if f.Draw == nil {
			helps = append(helps, f.Name+f.Help)
		}
	}
	last := len(helps) - 1
	return usage.Under(AboutOutput, []usage.Flag{
		{Name: "format", Alias: "f", Usage: "write `FORMAT`: " + strings.Join(helps[:last], ", ") + ", or " + helps[last],
			Words: names},
		{Name: jsonSwitch, Switch: true, Usage: "write json, as -f json does"},
		{Name: "output", Alias: "o", Usage: "write to `FILE`, whole or not at all; its suffix implies the format; - is standard output"},
		{Name: "csv-dialect", Usage: "write csv in `DIALECT`: rfc4180 (default), or excel-eu with semicolons, decimal commas and a byte order mark", Words: dialects},
	}...)
}

// jsonSwitch stands for --format json.
const jsonSwitch = "json"

// replaceJSON makes --format json of its switch.
func replaceJSON(typed usage.Typed) error {
	if !typed.Is(jsonSwitch) {
		return nil
	}
	if format, given := typed.Text("format"); given && format != record.JSON.Name {
		return usage.Errorf("--%s: given with --format %s, want one of the two", jsonSwitch, usage.Shown(format))
	}
	delete(typed, jsonSwitch)
	typed["format"] = []string{record.JSON.Name}
	return nil
}

// dialects of csv, by the name of --csv-dialect. The first is the default.
var dialects = []string{"rfc4180", "excel-eu"}

// Target is where and how a command writes.
type Target struct {
	Format  record.Format
	Path    string // empty for standard output
	Command string // as it was typed, for the files that repeat it
}

// Offered are the formats that the command offers.
func (c *Call) Offered() []record.Format {
	return slices.DeleteFunc(slices.Clone(c.Formats), func(f record.Format) bool {
		return f.Draw != nil && c.Command.Output&Drawings == 0
	})
}

// Target reads where and how to write.
func (c *Call) Target() (t Target, err error) {
	t.Command = c.line()
	offered := c.Offered()
	var names, suffixes []string
	for _, f := range offered {
		names = append(names, f.Name)
		if f.Suffix != "" {
			suffixes = append(suffixes, f.Suffix)
		}
	}
	name, err := usage.OneOf(c, "format", names...)
	if err != nil {
		return Target{}, err
	}
	_, explicit := c.Text("format")
	t.Format = offered[slices.Index(names, name)]
	path, hasPath := c.Text("output")
	switch {
	case hasPath && path == "":
		return Target{}, usage.Invalid("output", path, "a file name")
	case t.Format.Book != nil && !hasPath:
		return Target{}, usage.Errorf("--format: got %s without --output, want --output FILE, or --output - for standard output", name)
	case !hasPath || path == "-":
	case explicit:
		t.Path = path
		err = c.contradicted(t.Format, path, names)
	default:
		t.Path = path
		var ok bool
		if t.Format, ok = FormatOf(path, offered); !ok {
			return Target{}, usage.Invalid("output", path, "a name in "+usage.OrList(suffixes)+", or --format")
		}
	}
	if err != nil {
		return Target{}, err
	}
	if _, ok := c.Text("csv-dialect"); ok && t.Format.Name != record.CSV.Name {
		schedule, _ := c.Text("schedule")
		if f, _ := FormatOf(schedule, c.Formats); f.Name != record.CSV.Name {
			return Target{}, usage.Errorf("--csv-dialect: got it for %s, want csv", t.Format.Name)
		}
	}
	t.Format, err = c.InDialect(t.Format)
	return t, err
}

// contradicted refuses a format that the file's name contradicts; names are the formats
// of the command. A name without a suffix, or with one that implies no format,
// contradicts none.
func (c *Call) contradicted(format record.Format, path string, names []string) error {
	implied, ok := FormatOf(path, c.Formats)
	if !ok || implied.Name == format.Name {
		return nil
	}
	var ways []string
	if slices.Contains(names, implied.Name) {
		ways = []string{implied.Name}
	}
	ways = append(ways, "a name in "+cmp.Or(format.Suffix, "no format's suffix"))
	return usage.Errorf("--format: got %s for %s, want %s", format.Name, usage.Shown(path), usage.OrList(ways))
}

// InDialect returns the format, csv in the dialect that was asked for.
func (c *Call) InDialect(f record.Format) (record.Format, error) {
	dialect, err := usage.OneOf(c, "csv-dialect", dialects...)
	if f.Name == record.CSV.Name && dialect == record.ExcelEU.Dialect {
		f = record.ExcelEU
	}
	return f, err
}

// FormatOf returns the format that a file's name implies, if there is one.
func FormatOf(path string, formats []record.Format) (record.Format, bool) {
	suffix := strings.ToLower(filepath.Ext(path))
	return each.First(formats, func(f record.Format) bool { return f.Suffix != "" && f.Suffix == suffix })
}

// line repeats a command with its flags in the order of their declaration.
// Of the output it has the file's name alone: a path tells more than a reader of
// the file is to know.
func (c *Call) line() string {
	words := []string{"dpcalc", c.Command.Path()}
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
			if slices.Contains([]string{"output", "schedule", "certificate"}, flag.Name) {
				value = filepath.Base(value)
			}
			words = append(words, "--"+flag.Name, ShellWord(value))
		}
	}
	return strings.Join(append(words, each.Of(c.Texts(usage.Arguments), ShellWord)...), " ")
}

// ShellWord quotes a word for a shell, if it needs that.
func ShellWord(s string) string {
	if s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return !strings.ContainsRune("%+,-./:=@_", r) && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
	}) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// Operands are the arguments of a call, so many at least and at most.
func (c *Call) Operands(least, most int) ([]string, error) {
	args, path := c.Texts(usage.Arguments), c.Command.Path()
	names := strings.Fields(c.Command.Arguments)
	missing := len(args)
	if at := slices.Index(args, ""); at >= 0 && at < len(names) {
		missing = at
	}
	switch {
	case missing < least:
		return nil, usage.Errorf("%s: got no %s, want dpcalc %s %s", path, strings.Trim(names[missing], "[]."), path, c.Command.Arguments)
	case len(args) > most:
		return nil, usage.Errorf("%s: unexpected argument %s, want dpcalc %s %s", path, usage.Shown(args[most]), path, c.Command.Arguments)
	}
	return args, nil
}

// WriteTo calls emit with the writer of a target.
func (c *Call) WriteTo(t Target, emit func(io.Writer) error) error { return c.Write(t.Path, emit) }
