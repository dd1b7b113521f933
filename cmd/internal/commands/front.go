package commands

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/dpcalc/dpcalc/cmd/internal/numbers"
	"github.com/dpcalc/dpcalc/cmd/internal/outfile"
	"github.com/dpcalc/dpcalc/cmd/internal/printed"
	"github.com/dpcalc/dpcalc/cmd/internal/record"
	"github.com/dpcalc/dpcalc/cmd/internal/usage"
	"github.com/dpcalc/dpcalc/internal/each"
	"github.com/dpcalc/dpcalc/internal/parallel"
	"github.com/dpcalc/dpcalc/theory"
)

// Front is what every front end has: commands and formats on a session. It reads arguments,
// runs commands and reports the errors of both.
type Front struct {
	*outfile.Session
	Commands []*Command
	Rooms    []Room // the commands as the help of the program has them
	Formats  []record.Format

	// Knows reports whether the command explain has a page of this name.
	Knows func(name string) bool
}

// Room is some commands under a title.
type Room struct {
	Title    string
	Commands []*Command
}

// Run is a front end without a flag library: it runs one command line, without the name of
// the program, and returns the exit code.
func (f *Front) Run(args []string) int {
	return f.Exit(parallel.OrFault(func() error {
		command, typed, err := f.Read(args)
		if err != nil {
			return err
		}
		return f.Do(command, typed)
	}))
}

// Do runs a command.
func (f *Front) Do(c *Command, typed usage.Values) error {
	return c.Run(&Call{Session: f.Session, Values: typed, Command: c, Formats: f.Formats})
}

// Exit says on standard error what went wrong, and returns the exit code.
func (f *Front) Exit(err error) int {
	var code usage.Outcome
	var wrong *usage.Error
	var domain *theory.DomainError
	switch {
	case err == nil:
		return usage.ExitOK
	case errors.As(err, &code):
		return int(code)
	case errors.As(err, &wrong):
		f.complain(err.Error())
		return usage.ExitUsage
	case errors.As(err, &domain):
		f.complain(numbers.DomainText(domain))
		return usage.ExitUsage
	}
	if f.Context.Err() != nil {
		err = errors.New("interrupted")
	}
	f.complain(err.Error())
	if broken := (*parallel.Fault)(nil); errors.As(err, &broken) {
		fmt.Fprintf(f.Stderr, "%s", broken.Stack)
	}
	return usage.ExitFailure
}

// complain writes one line to standard error, whatever the text repeats of a user's file.
func (f *Front) complain(text string) {
	f.Clear()
	fmt.Fprintln(f.Stderr, "dpcalc: "+strings.ReplaceAll(printed.Harmless(text), "\n", `\n`))
}

// Read reads a command line, without the name of the program.
func (f *Front) Read(args []string) (*Command, usage.Typed, error) {
	command, err := f.Named(args[0])
	if err != nil {
		return nil, nil, err
	}
	return f.Arguments(command, args[1:])
}

// Named finds the command of a command line that begins so.
func (f *Front) Named(name string) (*Command, error) {
	switch {
	case name == "--help" || name == "-h":
		name = "help"
	case strings.HasPrefix(name, "-"):
		hint := usage.DidYouMean("--"+strings.TrimLeft(name, "-"), []string{"--version", "--help"})
		return nil, usage.Errorf("unknown flag %s, want a command first%s", usage.Shown(name), hint)
	}
	command := f.Command(name)
	if command == nil {
		return nil, usage.Errorf("unknown command %s%s", usage.Shown(name), f.AboutCommand(name))
	}
	return command, nil
}

// Arguments reads the flags and arguments of a command, in any order. Everything after "--" is an argument. Of a group
// of actions the first argument names one, whose flags may stand before it. Where help is asked for, the command is
// help: short for -h and long for --help.
func (f *Front) Arguments(command *Command, args []string) (*Command, usage.Typed, error) {
	if command.Verbatim && !asksForHelp(args) {
		return command, usage.Typed{usage.Arguments: args}, nil
	}
	var rest []string
	var flags []typedFlag
	help := ""
	for left := args; len(left) > 0 && help == ""; {
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
			help = key
			break
		}
		flag, err := f.found(command, key, arg)
		switch {
		case err != nil:
			return nil, nil, err
		case flag.Switch && hasValue:
			return nil, nil, usage.Errorf("--%s: got %s, want no value", flag.Name, usage.Shown(value))
		case !flag.Switch && !hasValue && len(left) == 0:
			return nil, nil, usage.Errorf("--%s: got nothing, want a value", flag.Name)
		case !flag.Switch && !hasValue:
			value, left = left[0], left[1:]
		}
		flags = append(flags, typedFlag{key, arg, value})
	}
	if named := len(rest) > 0 || help == ""; command.Actions != nil && named {
		action, err := f.action(command, rest)
		if err != nil {
			return nil, nil, err
		}
		command, rest = action, rest[1:]
	}
	if help != "" {
		return f.helpOn(command, help)
	}
	typed := make(usage.Typed)
	for _, t := range flags {
		flag, err := f.found(command, t.key, t.arg)
		switch {
		case err != nil:
			return nil, nil, err
		case typed.Is(flag.Name) && !flag.Repeats:
			return nil, nil, usage.Errorf("--%s: given twice", flag.Name)
		}
		typed[flag.Name] = append(typed[flag.Name], cmp.Or(flag.AlsoWords[t.value], t.value))
	}
	if len(rest) > 0 && command.Arguments == "" {
		return nil, nil, usage.Errorf("%s: unexpected argument %s", command.Path(), usage.Shown(rest[0]))
	}
	if rest != nil {
		typed[usage.Arguments] = rest
	}
	return command, typed, replaceJSON(typed)
}

// typedFlag is a flag as it was typed: its name, the whole argument, and its value.
type typedFlag struct{ key, arg, value string }

// action is the action that the first argument names.
func (f *Front) action(group *Command, args []string) (*Command, error) {
	names := each.Of(group.Actions, func(a *Command) string { return a.Name })
	if len(args) == 0 {
		return nil, usage.Errorf("%s: got no action, want %s; see dpcalc help %s", group.Name, usage.OrList(names), group.Name)
	}
	action := group.Action(args[0])
	remedy := group.Gone[args[0]]
	switch {
	case action == nil && remedy != "":
		return nil, usage.Errorf("%s: %s is gone, use %s", group.Name, args[0], remedy)
	case action == nil:
		return nil, usage.Errorf("%s: got %s, want %s%s", group.Name, usage.Shown(args[0]), usage.OrList(names),
			usage.DidYouMean(args[0], names))
	}
	return action, nil
}

// helpOn is the command that shows help on another one.
func (f *Front) helpOn(c *Command, help string) (*Command, usage.Typed, error) {
	typed := usage.Typed{usage.Arguments: strings.Fields(c.Path())}
	if help == "h" {
		typed[shortHelp] = []string{""}
	}
	return f.Command("help"), typed, nil
}

// found is the flag of a command that a key names, or says what else it may be.
func (f *Front) found(command *Command, key, arg string) (usage.Flag, error) {
	flag, ok := f.flag(command, key)
	if ok {
		return flag, nil
	}
	if remedy := command.Gone[key]; remedy != "" {
		return flag, usage.Errorf("%s: --%s is gone, use %s", command.Path(), key, remedy)
	}
	if siblings := f.owners(command.siblings(), key); siblings != nil {
		typed, _, _ := strings.Cut(arg, "=")
		return flag, usage.Errorf("%s: %s belongs to %s", command.Path(), typed, usage.AndList(siblings))
	}
	return flag, usage.Errorf("%s: unknown flag %s%s", command.Path(), usage.Shown(arg), f.aboutFlag(command, key))
}

// asksForHelp reports whether a command's arguments begin with the flag of every command.
func asksForHelp(args []string) bool {
	return len(args) > 0 && slices.Contains([]string{"--help", "-help", "-h", "--h"}, args[0])
}

// Command finds a command by its name, nil if there is none.
func (f *Front) Command(name string) *Command {
	command, _ := each.First(f.Commands, func(c *Command) bool { return c.Name == name })
	return command
}

// Names lists the commands.
func (f *Front) Names() []string {
	return each.Of(f.Commands, func(c *Command) string { return c.Name })
}

// Meant finds the command of a name, or the only one that begins with it.
func (f *Front) Meant(name string) (*Command, error) {
	if command := f.Command(name); command != nil {
		return command, nil
	}
	begun := slices.DeleteFunc(f.Names(), func(command string) bool {
		return name == "" || !strings.HasPrefix(command, name)
	})
	switch {
	case len(begun) == 1:
		return f.Command(begun[0]), nil
	case len(begun) > 1:
		return nil, usage.Errorf("help: got %s, want %s", usage.Shown(name), usage.OrList(begun))
	}
	return nil, usage.Errorf("help: unknown command %s%s", usage.Shown(name), f.AboutCommand(name))
}

// AboutCommand ends the message on an unknown command.
func (f *Front) AboutCommand(name string) string {
	if f.Knows != nil && f.Knows(name) {
		return ", see dpcalc explain " + name
	}
	return usage.OrSee(usage.DidYouMean(name, f.Names()), "dpcalc help")
}

// aboutFlag ends the message on an unknown flag: with the one that was meant, with the
// commands that have it, or with where to look.
func (f *Front) aboutFlag(command *Command, key string) string {
	number := len(key) > 1 && key[1] >= '0' && key[1] <= '9'
	if flag, ok := f.flag(command, key[:min(1, len(key))]); ok && number {
		return fmt.Sprintf(", did you mean -%s %s, which is --%s?", key[:1], usage.Shown(key[1:]), flag.Name)
	}
	if len(key) == 1 {
		for _, other := range []string{strings.ToLower(key), strings.ToUpper(key)} {
			if flag, ok := f.flag(command, other); ok {
				return fmt.Sprintf(", did you mean -%s, which is --%s?", other, flag.Name)
			}
		}
	}
	for _, other := range elsewhere {
		if flag, ok := each.First(other.here, func(name string) bool { _, ok := f.flag(command, name); return ok }); ok &&
			slices.Contains(other.names, key) {
			return fmt.Sprintf(", did you mean --%s?", flag)
		}
	}
	if hint := usage.DidYouMean("--"+key, f.FlagNames(command)); hint != "" {
		return hint
	}
	if owners := f.owners(Leaves(f.Commands), key); owners != nil {
		return fmt.Sprintf(", which belongs to %s", usage.AndList(owners))
	}
	return fmt.Sprintf(", see dpcalc help %s", command.Path())
}

// elsewhere are the names that other tools give to flags, and the flags that are meant: the first that a command has.
var elsewhere = []struct{ names, here []string }{
	{[]string{"nobs", "nobs1", "size", "sample-size", "num-samples"}, []string{"samples"}},
	{[]string{"confidence-level", "conf-level", "conf"}, []string{"confidence", "beta", "level", "alpha"}},
	{[]string{"alpha", "significance", "significance-level", "sig-level"}, []string{"alpha", "beta"}},
	{[]string{"margin", "margin-of-error", "moe", "error"}, []string{"tau"}},
	{[]string{"effect-size", "mde"}, []string{"effect"}},
	{[]string{"correction"}, []string{"family"}},
	{[]string{"pvalue", "p-value", "pvals", "pvalues"}, []string{"p"}},
	{[]string{"truth", "gold", "target", "y-true", "ground-truth"}, []string{"labels"}},
}

// owners are the commands that have a flag of this name.
func (f *Front) owners(all []*Command, key string) (paths []string) {
	for _, c := range all {
		if _, ok := f.flag(c, key); ok {
			paths = append(paths, c.Path())
		}
	}
	return paths
}

// Flags returns the flags of a command, of the output and, where it has actions, of its actions.
func (f *Front) Flags(c *Command) []usage.Flag {
	var all []usage.Flag
	for _, c := range Leaves([]*Command{c}) {
		for _, flag := range c.AllFlags(f.Formats) {
			if !slices.ContainsFunc(all, func(other usage.Flag) bool { return other.Name == flag.Name }) {
				all = append(all, flag)
			}
		}
	}
	return all
}

// flag finds a command's flag by its name or alias.
func (f *Front) flag(command *Command, name string) (usage.Flag, bool) {
	return each.First(f.Flags(command), func(flag usage.Flag) bool { return flag.Named(name) })
}

// FlagNames lists a command's flags as they are typed.
func (f *Front) FlagNames(command *Command) []string {
	names := each.Of(f.Flags(command), func(flag usage.Flag) string { return "--" + flag.Name })
	return append(names, "--help")
}
