package commands

import (
	"slices"

	"github.com/dpcalc/dpcalc/cmd/internal/usage"
	"github.com/dpcalc/dpcalc/internal/each"
)

// Mode is one of several things that a command does: a sub-command, which the first argument names, or what a flag asks
// for.
type Mode struct {
	Name  string
	Flags []string // that belong to it; a flag that belongs to no mode goes with all

	// of a sub-command
	Subject     string // what its first argument is, "" for a file like the others
	Takes       string // its arguments, for people
	Least, Most int    // how many there are, without the subject
	Run         func(c *Call, args []string) error
}

// line is a sub-command as it is typed.
func (m Mode) line() string { return m.Name + " " + m.Takes }

// ModeNames lists the names of modes.
func ModeNames(modes []Mode) []string {
	return each.Of(modes, func(m Mode) string { return m.Name })
}

// ModeLines lists sub-commands as they are typed.
func ModeLines(modes []Mode) []string {
	return each.Of(modes, Mode.line)
}

// Stray is the first flag that was typed although it belongs to other modes than this one, with those; "" for none.
func (c *Call) Stray(mine Mode, all []Mode) (flag string, owners []string) {
	for _, f := range c.Command.AllFlags(c.Formats) {
		if !c.Given(f.Name) || slices.Contains(mine.Flags, f.Name) {
			continue
		}
		for _, m := range all {
			if slices.Contains(m.Flags, f.Name) {
				owners = append(owners, m.Name)
			}
		}
		if owners != nil {
			return f.Name, owners
		}
	}
	return "", nil
}

// Given reports whether a flag or a switch was typed.
func (c *Call) Given(flag string) bool {
	_, given := c.Text(flag)
	return given || c.Is(flag)
}

// AskedMode is the mode whose flag was typed, or the last one, which has no name. The flags of others have no meaning
// beside it.
func (c *Call) AskedMode(modes []Mode) (m Mode, err error) {
	m = modes[slices.IndexFunc(modes, func(m Mode) bool { return m.Name == "" || c.Given(m.Name) })]
	if flag, _ := c.Stray(m, modes); flag != "" {
		return m, usage.Errorf("--%s: given with --%s, want one of the two", m.Name, flag)
	}
	return m, nil
}

// RunMode runs the sub-command that the first argument names.
func (c *Call) RunMode(modes []Mode) error {
	command, names, args := c.Command.Name, ModeNames(modes), c.Texts(usage.Arguments)
	if len(args) == 0 {
		return usage.Errorf("%s: got nothing, want %s", command, usage.OrList(ModeLines(modes)))
	}
	if remedy := c.Command.Gone[args[0]]; remedy != "" {
		return usage.Errorf("%s: %s is gone, use %s", command, args[0], remedy)
	}
	at := slices.Index(names, args[0])
	if at < 0 {
		return usage.Errorf("%s: got %s, want %s%s", command, usage.Shown(args[0]), usage.OrList(names),
			usage.DidYouMean(args[0], names))
	}
	m, args := modes[at], args[1:]
	files := len(args)
	if m.Subject != "" {
		if files == 0 || args[0] == "" {
			return usage.Errorf("%s %s: got no %s, want %s", command, m.Name, m.Subject, m.line())
		}
		files--
	}
	if files < m.Least || files > m.Most {
		return usage.Errorf("%s %s: got %d files, want %s", command, m.Name, files, m.line())
	}
	if flag, owners := c.Stray(m, modes); flag != "" {
		return usage.Errorf("--%s: got %s %s, want %s %s", flag, command, m.Name, command, usage.OrList(owners))
	}
	return m.Run(c, args)
}
