package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"unicode/utf8"

	"github.com/dpcalc/dpcalc/theory"
	"github.com/urfave/cli/v2"
)

// This file is the only one that knows how urfave/cli behaves. The library
// ignores flags after a positional argument, accepts NaN, Inf and 1e-400, reads
// 010 as 8, prints usage errors on standard output, exits 0 without a command
// and exits the process from inside an Action. So the arguments are put in order
// and checked here before the library sees them, flags hold their text and are
// read by values.go, and nothing but [run] decides the exit code.

// The exit codes.
const (
	exitOK       = 0
	exitFailure  = 1 // input or output failed, or a broken invariant
	exitUsage    = 2 // the command line or a value makes no sense
	exitNoAnswer = 3 // no row has an answer
	exitRefuted  = 4 // a check failed
)

// outcome is the error of a command that printed its rows and has more to say
// by its exit code.
type outcome int

func (o outcome) Error() string { return "exit " + strconv.Itoa(int(o)) }

// usageError is a command line that makes no sense.
type usageError struct{ text string }

func (e *usageError) Error() string { return e.text }

func usagef(format string, args ...any) error {
	return &usageError{fmt.Sprintf(format, args...)}
}

// invalid says that a flag's value was got and what was wanted.
func invalid(flag, got, want string) error {
	return usagef("--%s: got %s, want %s", flag, shown(got), want)
}

// shown quotes what would not read as one word of one line.
func shown(text string) string {
	plain := text != "" && utf8.ValidString(text) && !strings.ContainsFunc(text, func(r rune) bool {
		return r == ' ' || !strconv.IsPrint(r)
	})
	if len(text) > 80 {
		text, plain = text[:77]+"...", false
	}
	if plain {
		return text
	}
	return strconv.Quote(text)
}

// program is what a command sees of the world.
type program struct {
	ctx     context.Context
	stdin   io.Reader
	stdout  io.Writer
	stderr  io.Writer
	workers int         // 0 for one per processor
	drawn   atomic.Bool // whether a line of progress stands on standard error
}

// fault is a broken invariant: the program has an error.
type fault struct {
	value any
	stack []byte
}

func (f *fault) Error() string { return fmt.Sprintf("internal error: %v", f.value) }

// orFault calls f and returns its panic as an error.
func orFault(f func() error) (err error) {
	defer func() {
		if value := recover(); value != nil {
			err = &fault{value, debug.Stack()}
		}
	}()
	return f()
}

func (p *program) run(args []string) int {
	err := orFault(func() error { return p.dispatch(args) })
	var code outcome
	var usage *usageError
	var domain *theory.DomainError
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &code):
		return int(code)
	case errors.As(err, &usage):
		p.complain(err.Error())
		return exitUsage
	case errors.As(err, &domain):
		p.complain(domainText(domain))
		return exitUsage
	}
	if p.ctx.Err() != nil {
		err = errors.New("interrupted")
	}
	p.complain(err.Error())
	if broken := (*fault)(nil); errors.As(err, &broken) {
		fmt.Fprintf(p.stderr, "%s", broken.stack)
	}
	return exitFailure
}

// complain writes one line to standard error, whatever the text repeats of a user's file.
func (p *program) complain(text string) {
	fmt.Fprintln(p.stderr, "dpcalc: "+strings.ReplaceAll(harmless(text), "\n", `\n`))
}

func (p *program) dispatch(args []string) error {
	app := p.app()
	app.Setup()
	if len(args) > 1 && args[1] == "--version" {
		if len(args) > 2 {
			return usagef("--version: unexpected argument %s", shown(args[2]))
		}
		return p.print([]byte(app.Name + " " + app.Version + "\n"))
	}
	if len(args) < 2 {
		helpOf(p.stderr, app, nil)
		return outcome(exitUsage)
	}
	ordered, err := inOrder(app, args)
	if err != nil {
		return err
	}
	return app.RunContext(p.ctx, ordered)
}

// app declares the commands. It is made anew for every run: flags hold values.
func (p *program) app() *cli.App {
	app := &cli.App{
		Name:            "dpcalc",
		Usage:           "plan samples that are queried adaptively",
		UsageText:       "dpcalc COMMAND [flags] [arguments]\ndpcalc help COMMAND\ndpcalc --version",
		Version:         version(),
		HideHelpCommand: true,
		HideVersion:     true,
		Writer:          p.stdout,
		ErrWriter:       p.stderr,
		OnUsageError:    func(_ *cli.Context, err error, _ bool) error { return usagef("%v", err) },
		ExitErrHandler:  func(*cli.Context, error) {},
		Description: "Every number is a bound with a theorem behind it: sample sizes are sufficient, accuracies and\n" +
			"failure probabilities are certified. Data go to standard output, everything else to standard error.\n" +
			"Exit codes: 0 done, 1 input or output failed, 2 wrong usage, 3 no row has an answer, 4 a check failed,\n" +
			"128 and its number for a signal (130 for Ctrl-C), which leaves no file behind.",
	}
	app.Commands = []*cli.Command{
		p.samplesize(), p.transfer(), p.compose(), p.maxinfo(), p.pvalueCorrect(), p.experiment(),
		p.planFile(), p.advise(), p.audit(),
		p.explain(), p.cite(), p.methods(),
		p.completion(), p.man(), p.version(), p.help(),
	}
	for _, c := range app.Commands {
		c.HideHelpCommand = true
		c.OnUsageError = app.OnUsageError
	}
	return app
}

// version is a command because people type it; --version says the same.
func (p *program) version() *cli.Command {
	return &cli.Command{
		Name:  "version",
		Usage: "print the version",
		Action: func(c *cli.Context) error {
			return p.print([]byte(c.App.Name + " " + c.App.Version + "\n"))
		},
	}
}

// release is the version of a release build, set by the linker.
var release string

// version is the version of a release or the one that the toolchain recorded.
func version() string {
	if release != "" {
		return release
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
		return info.Main.Version
	}
	return "devel"
}

// inOrder checks the arguments against the declared commands and flags and
// returns them in the one form that the library reads as it should: command,
// long flags with "=", "--", positional arguments.
func inOrder(app *cli.App, args []string) ([]string, error) {
	name := args[1]
	switch {
	case name == "--help" || name == "-h":
		name = "help"
	case strings.HasPrefix(name, "-"):
		hint := didYouMean("--"+strings.TrimLeft(name, "-"), []string{"--version", "--help"})
		return nil, usagef("unknown flag %s, want a command first%s", shown(name), hint)
	}
	command := app.Command(name)
	if command == nil {
		return nil, usagef("unknown command %s%s", shown(name), aboutCommand(app, name))
	}
	var flags, rest []string
	seen := make(map[string]bool)
	for left := args[2:]; len(left) > 0; {
		arg := left[0]
		left = left[1:]
		if arg == "--" {
			rest = append(rest, left...)
			break
		}
		if arg == "-" || !strings.HasPrefix(arg, "-") {
			rest = append(rest, arg)
			continue
		}
		key, value, hasValue := strings.Cut(strings.TrimPrefix(arg[1:], "-"), "=")
		if key == "help" || key == "h" {
			return []string{args[0], "help", "--", command.Name}, nil
		}
		flag := findFlag(command, key)
		if flag == nil {
			return nil, usagef("%s: unknown flag %s%s", command.Name, shown(arg), aboutFlag(app, command, key))
		}
		long := flag.Names()[0]
		holder, takesValue := flag.(*cli.GenericFlag)
		switch {
		case !takesValue && hasValue:
			return nil, usagef("--%s: got %s, want no value", long, shown(value))
		case takesValue && !hasValue && len(left) == 0:
			return nil, usagef("--%s: got nothing, want a value", long)
		case takesValue && !hasValue:
			value, left = left[0], left[1:]
		}
		if seen[long] && !(takesValue && holder.Value.(*text).repeats) {
			return nil, usagef("--%s: given twice", long)
		}
		seen[long] = true
		if takesValue {
			flags = append(flags, "--"+long+"="+value)
		} else {
			flags = append(flags, "--"+long)
		}
	}
	if len(rest) > 0 && !command.Args {
		return nil, usagef("%s: unexpected argument %s", command.Name, shown(rest[0]))
	}
	return slices.Concat([]string{args[0], command.Name}, flags, []string{"--"}, rest), nil
}

func commandNames(app *cli.App) []string {
	names := make([]string, len(app.Commands))
	for i, c := range app.Commands {
		names[i] = c.Name
	}
	return names
}

// aboutFlag ends the message on an unknown flag: with the one that was meant, with the
// commands that have it, or with where to look.
func aboutFlag(app *cli.App, command *cli.Command, key string) string {
	if len(key) == 1 {
		for _, other := range []string{strings.ToLower(key), strings.ToUpper(key)} {
			if f := findFlag(command, other); f != nil {
				return fmt.Sprintf(", did you mean -%s, which is --%s?", other, f.Names()[0])
			}
		}
	} else if hint := didYouMean("--"+key, flagNames(command)); hint != "" {
		return hint
	}
	var owners []string
	for _, c := range app.Commands {
		if findFlag(c, key) != nil {
			owners = append(owners, c.Name)
		}
	}
	if len(owners) > 0 {
		return fmt.Sprintf(", which belongs to %s", andList(owners))
	}
	return fmt.Sprintf(", see dpcalc help %s", command.Name)
}

// orSee is the hint, or where to look.
func orSee(hint, where string) string {
	if hint == "" {
		return ", see " + where
	}
	return hint
}

func andList(names []string) string { return strings.ReplaceAll(orList(names), " or ", " and ") }

func findFlag(command *cli.Command, name string) cli.Flag {
	for _, f := range command.Flags {
		if slices.Contains(f.Names(), name) {
			return f
		}
	}
	return nil
}

func flagNames(command *cli.Command) []string {
	var names []string
	for _, f := range command.Flags {
		names = append(names, "--"+f.Names()[0])
	}
	return append(names, "--help")
}

// longestName is the longest text that may be a mistyped name.
const longestName = 40

// didYouMean suggests the nearest of the names, if one is near.
func didYouMean(got string, names []string) string {
	if len(got) > longestName {
		return ""
	}
	best, least := "", max(1, len(got)/3)+1
	for _, name := range names {
		d := max(len(got)-len(name), len(name)-len(got)) // at least
		if d < least {
			d = distance(got, name)
		}
		if len(got) >= 3 && strings.HasPrefix(name, got) {
			d = 1
		}
		if d < least {
			best, least = name, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf(", did you mean %s?", best)
}

// distance counts the insertions, deletions, substitutions and swaps of neighbours from
// a to b, in which no place is touched twice.
func distance(a, b string) int {
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			cost := rows[i-1][j-1]
			if a[i-1] != b[j-1] {
				cost++
			}
			cost = min(cost, rows[i-1][j]+1, rows[i][j-1]+1)
			if swapped(a[:i], b[:j]) {
				cost = min(cost, rows[i-2][j-2]+1)
			}
			rows[i][j] = cost
		}
	}
	return rows[len(a)][len(b)]
}

// swapped reports whether the last two letters of a are those of b the other way round.
func swapped(a, b string) bool {
	i, j := len(a), len(b)
	return i > 1 && j > 1 && a[i-2:] == string([]byte{b[j-1], b[j-2]})
}

// text is a flag's value as it was typed; values.go reads it.
type text struct {
	raw     []string
	repeats bool
}

// Set is called by the library, for an alias a second time with String.
func (t *text) Set(s string) error {
	if t.repeats {
		t.raw = append(t.raw, s)
	} else {
		t.raw = []string{s}
	}
	return nil
}

func (t *text) String() string {
	if t == nil {
		return ""
	}
	return strings.Join(t.raw, ",")
}

// textFlag declares a flag with a value. The usage names its placeholder in
// backquotes. A default is a matter of the command and said in the usage.
func textFlag(name, alias, usage string) *cli.GenericFlag {
	f := &cli.GenericFlag{Name: name, Usage: usage, Value: &text{}}
	if alias != "" {
		f.Aliases = []string{alias}
	}
	return f
}

// given returns a flag's text and whether it was given.
func given(c *cli.Context, flag string) (string, bool) {
	t, ok := c.Generic(flag).(*text)
	if !ok || len(t.raw) == 0 {
		return "", false
	}
	return t.String(), true
}

// oneOf reads a flag that takes one of the names; without it the first is meant.
func oneOf(c *cli.Context, flag string, names ...string) (string, error) {
	got, ok := given(c, flag)
	if !ok {
		return names[0], nil
	}
	if !slices.Contains(names, got) {
		return "", usagef("--%s: got %s, want %s%s", flag, shown(got), orList(names), didYouMean(got, names))
	}
	return got, nil
}

func orList(names []string) string {
	if len(names) == 1 {
		return names[0]
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

// help is a command of our own: the library's writes errors of its own and
// takes over arguments that are spelled "help".
func (p *program) help() *cli.Command {
	return &cli.Command{
		Name:      "help",
		Usage:     "show the commands, or the flags of one",
		ArgsUsage: "[COMMAND]",
		Args:      true,
		Action: func(c *cli.Context) error {
			if c.NArg() > 1 {
				return usagef("help: unexpected argument %s", shown(c.Args().Get(1)))
			}
			var page bytes.Buffer
			if c.NArg() == 0 {
				helpOf(&page, c.App, nil)
				return p.print(page.Bytes())
			}
			command, err := commandMeant(c.App, c.Args().First())
			if err != nil {
				return err
			}
			helpOf(&page, c.App, command)
			return p.print(page.Bytes())
		},
	}
}

// commandMeant finds the command of a name, or the only one that begins with it.
func commandMeant(app *cli.App, name string) (*cli.Command, error) {
	if command := app.Command(name); command != nil {
		return command, nil
	}
	begun := slices.DeleteFunc(commandNames(app), func(command string) bool {
		return name == "" || !strings.HasPrefix(command, name)
	})
	switch {
	case len(begun) == 1:
		return app.Command(begun[0]), nil
	case len(begun) > 1:
		return nil, usagef("help: got %s, want %s", shown(name), orList(begun))
	}
	return nil, usagef("help: unknown command %s%s", shown(name), aboutCommand(app, name))
}

// aboutCommand ends the message on an unknown command.
func aboutCommand(app *cli.App, name string) string {
	if symbolNamed(name) != nil || slices.Contains(articleNames(), name) {
		return ", see dpcalc explain " + name
	}
	return orSee(didYouMean(name, commandNames(app)), "dpcalc help")
}

// print writes a page to standard output.
func (p *program) print(page []byte) error {
	if _, err := p.stdout.Write(page); err != nil {
		return fmt.Errorf("standard output: %w", cause(err))
	}
	return nil
}
