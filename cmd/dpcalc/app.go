package main

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/dpcalc/dpcalc/theory"
	"github.com/urfave/cli/v2"
)

// This file is the only one that knows how urfave/cli behaves. The library
// ignores flags after a positional argument, accepts NaN, Inf and 1e-400, reads
// 010 as 8, prints usage errors on standard output, exits 0 without a command
// and exits the process from inside an Action. So the arguments are put in order
// and checked here before the library sees them, flags hold their text, and nothing
// but [program.run] decides the exit code.

// program is the command line: the commands on a session.
type program struct {
	*Session
	commands []*Command
}

// formats are all that the command line offers, those of tables before the drawings.
var formats = []Format{
	PrintedTable, CSV, TSV, JSON, JSONLines, PrintedMarkdown, PrintedLaTeX, Workbook, SVG, PNG, PDF,
}

func newProgram(s *Session) *program {
	p := &program{Session: s}
	p.commands = []*Command{
		samplesizeCommand(), transferCommand(), composeCommand(), maxinfoCommand(), pvalueCorrectCommand(), experimentCommand(),
		planFileCommand(), adviseCommand(), auditCommand(),
		explainCommand(), citeCommand(), methodsCommand(),
		p.completion(), p.man(), p.version(), p.help(),
	}
	return p
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
	if p.Context.Err() != nil {
		err = errors.New("interrupted")
	}
	p.complain(err.Error())
	if broken := (*fault)(nil); errors.As(err, &broken) {
		fmt.Fprintf(p.Stderr, "%s", broken.stack)
	}
	return exitFailure
}

// complain writes one line to standard error, whatever the text repeats of a user's file.
func (p *program) complain(text string) {
	fmt.Fprintln(p.Stderr, "dpcalc: "+strings.ReplaceAll(harmless(text), "\n", `\n`))
}

func (p *program) dispatch(args []string) error {
	app := p.app()
	app.Setup()
	if len(args) > 1 && args[1] == "--version" {
		if len(args) > 2 {
			return usagef("--version: unexpected argument %s", shown(args[2]))
		}
		return p.Print([]byte(app.Name + " " + app.Version + "\n"))
	}
	if len(args) < 2 {
		_, _ = p.Stderr.Write(p.page(nil))
		return outcome(exitUsage)
	}
	ordered, err := p.inOrder(args)
	if err != nil {
		return err
	}
	return app.RunContext(p.Context, ordered)
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
		Writer:          p.Stdout,
		ErrWriter:       p.Stderr,
		OnUsageError:    func(_ *cli.Context, err error, _ bool) error { return usagef("%v", err) },
		ExitErrHandler:  func(*cli.Context, error) {},
		Description: "Every number is a bound with a theorem behind it: sample sizes are sufficient, accuracies and\n" +
			"failure probabilities are certified. Data go to standard output, everything else to standard error.\n" +
			"Exit codes: 0 done, 1 input or output failed, 2 wrong usage, 3 no row has an answer, 4 a check failed,\n" +
			"128 and its number for a signal (130 for Ctrl-C), which leaves no file behind.",
	}
	for _, c := range p.commands {
		declared := p.declared(c)
		declared.OnUsageError = app.OnUsageError
		app.Commands = append(app.Commands, declared)
	}
	return app
}

// declared is a command as the library has it.
func (p *program) declared(c *Command) *cli.Command {
	d := &cli.Command{
		Name: c.Name, Usage: c.Summary, ArgsUsage: c.Arguments, Args: c.Arguments != "", Description: c.Description,
		HideHelpCommand: true,
		Action: func(x *cli.Context) error {
			return c.Run(&Call{Session: p.Session, Values: typed{x}, Command: c, Formats: formats})
		},
	}
	for _, f := range c.AllFlags(formats) {
		var aliases []string
		if f.Alias != "" {
			aliases = []string{f.Alias}
		}
		if f.Switch {
			d.Flags = append(d.Flags, &cli.BoolFlag{Name: f.Name, Aliases: aliases, Usage: f.Usage, DisableDefaultText: true})
		} else {
			d.Flags = append(d.Flags, &cli.GenericFlag{Name: f.Name, Aliases: aliases, Usage: f.Usage, Value: &text{repeats: f.Repeats}})
		}
	}
	return d
}

// text is a flag's value as it was typed.
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

// typed is the library's context as [Values].
type typed struct{ *cli.Context }

// Text returns a flag's text and whether it was given.
func (c typed) Text(flag string) (string, bool) {
	t, ok := c.Generic(flag).(*text)
	if !ok || len(t.raw) == 0 {
		return "", false
	}
	return t.String(), true
}

// Texts returns the texts of a flag that repeats, or the arguments.
func (c typed) Texts(flag string) []string {
	if flag == Arguments {
		return c.Args().Slice()
	}
	if t, ok := c.Generic(flag).(*text); ok {
		return t.raw
	}
	return nil
}

// Is reports whether a switch is on.
func (c typed) Is(flag string) bool { return c.Bool(flag) }

// inOrder checks the arguments against the declared commands and flags and
// returns them in the one form that the library reads as it should: command,
// long flags with "=", "--", positional arguments.
func (p *program) inOrder(args []string) ([]string, error) {
	name := args[1]
	switch {
	case name == "--help" || name == "-h":
		name = "help"
	case strings.HasPrefix(name, "-"):
		hint := didYouMean("--"+strings.TrimLeft(name, "-"), []string{"--version", "--help"})
		return nil, usagef("unknown flag %s, want a command first%s", shown(name), hint)
	}
	command := p.command(name)
	if command == nil {
		return nil, usagef("unknown command %s%s", shown(name), p.aboutCommand(name))
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
		flag, ok := flagOf(command, key)
		if !ok {
			return nil, usagef("%s: unknown flag %s%s", command.Name, shown(arg), p.aboutFlag(command, key))
		}
		switch {
		case flag.Switch && hasValue:
			return nil, usagef("--%s: got %s, want no value", flag.Name, shown(value))
		case !flag.Switch && !hasValue && len(left) == 0:
			return nil, usagef("--%s: got nothing, want a value", flag.Name)
		case !flag.Switch && !hasValue:
			value, left = left[0], left[1:]
		}
		if seen[flag.Name] && !flag.Repeats {
			return nil, usagef("--%s: given twice", flag.Name)
		}
		seen[flag.Name] = true
		if flag.Switch {
			flags = append(flags, "--"+flag.Name)
		} else {
			flags = append(flags, "--"+flag.Name+"="+value)
		}
	}
	if len(rest) > 0 && command.Arguments == "" {
		return nil, usagef("%s: unexpected argument %s", command.Name, shown(rest[0]))
	}
	return slices.Concat([]string{args[0], command.Name}, flags, []string{"--"}, rest), nil
}

// command finds a command by its name.
func (p *program) command(name string) *Command {
	i := slices.IndexFunc(p.commands, func(c *Command) bool { return c.Name == name })
	if i < 0 {
		return nil
	}
	return p.commands[i]
}

func (p *program) commandNames() []string {
	names := make([]string, len(p.commands))
	for i, c := range p.commands {
		names[i] = c.Name
	}
	return names
}

// aboutFlag ends the message on an unknown flag: with the one that was meant, with the
// commands that have it, or with where to look.
func (p *program) aboutFlag(command *Command, key string) string {
	if len(key) == 1 {
		for _, other := range []string{strings.ToLower(key), strings.ToUpper(key)} {
			if f, ok := flagOf(command, other); ok {
				return fmt.Sprintf(", did you mean -%s, which is --%s?", other, f.Name)
			}
		}
	} else if hint := didYouMean("--"+key, flagNames(command)); hint != "" {
		return hint
	}
	var owners []string
	for _, c := range p.commands {
		if _, ok := flagOf(c, key); ok {
			owners = append(owners, c.Name)
		}
	}
	if len(owners) > 0 {
		return fmt.Sprintf(", which belongs to %s", andList(owners))
	}
	return fmt.Sprintf(", see dpcalc help %s", command.Name)
}

// flagOf finds a command's flag by its name or alias.
func flagOf(command *Command, name string) (Flag, bool) {
	for _, f := range command.AllFlags(formats) {
		if name != "" && (f.Name == name || f.Alias == name) {
			return f, true
		}
	}
	return Flag{}, false
}

func flagNames(command *Command) []string {
	var names []string
	for _, f := range command.AllFlags(formats) {
		names = append(names, "--"+f.Name)
	}
	return append(names, "--help")
}

// version is a command because people type it; --version says the same.
func (p *program) version() *Command {
	return &Command{
		Name: "version", Summary: "print the version",
		Examples: [2]string{"dpcalc version", "dpcalc --version"},
		Run:      func(c *Call) error { return c.Print([]byte("dpcalc " + version() + "\n")) },
	}
}

// help is a command of our own: the library's writes errors of its own and
// takes over arguments that are spelled "help".
func (p *program) help() *Command {
	return &Command{
		Name: "help", Summary: "show the commands, or the flags of one", Arguments: "[COMMAND]", Words: p.commandNames,
		Examples: [2]string{"dpcalc help", "dpcalc help pvalue"},
		Run: func(c *Call) error {
			names := c.Texts(Arguments)
			switch len(names) {
			case 0:
				return c.Print(p.page(nil))
			case 1:
				command, err := p.commandMeant(names[0])
				if err != nil {
					return err
				}
				return c.Print(p.page(command))
			}
			return usagef("help: unexpected argument %s", shown(names[1]))
		},
	}
}

// commandMeant finds the command of a name, or the only one that begins with it.
func (p *program) commandMeant(name string) (*Command, error) {
	if command := p.command(name); command != nil {
		return command, nil
	}
	begun := slices.DeleteFunc(p.commandNames(), func(command string) bool {
		return name == "" || !strings.HasPrefix(command, name)
	})
	switch {
	case len(begun) == 1:
		return p.command(begun[0]), nil
	case len(begun) > 1:
		return nil, usagef("help: got %s, want %s", shown(name), orList(begun))
	}
	return nil, usagef("help: unknown command %s%s", shown(name), p.aboutCommand(name))
}

// aboutCommand ends the message on an unknown command.
func (p *program) aboutCommand(name string) string {
	if hasArticle(name) {
		return ", see dpcalc explain " + name
	}
	return orSee(didYouMean(name, p.commandNames()), "dpcalc help")
}

// page is the help text of the program or of a command.
func (p *program) page(command *Command) []byte {
	var b bytes.Buffer
	app := p.app()
	examples := []string{"dpcalc samplesize --queries 1000 --tau 0.1 --beta 0.05", "dpcalc help samplesize"}
	app.Setup()
	if command == nil {
		cli.HelpPrinter(&b, cli.AppHelpTemplate, app)
	} else {
		declared := app.Command(command.Name)
		if command.Name == "help" { // which has no flag but the one of every command
			declared.Flags = append(declared.Flags, cli.HelpFlag)
		}
		cli.HelpPrinter(&b, cli.CommandHelpTemplate, declared)
		examples = command.Examples[:]
	}
	b.WriteString("\nEXAMPLES:\n")
	for _, line := range examples {
		b.WriteString("   " + line + "\n")
	}
	return b.Bytes()
}
