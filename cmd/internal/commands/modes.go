package commands

import (
	"slices"

	"github.com/dpcalc/dpcalc/cmd/internal/usage"
)

// Mode is one of several things that a command does: what a flag asks for.
type Mode struct {
	Name  string
	Flags []string // that belong to it; a flag that belongs to no mode goes with all
}

// Stray is the first flag that was typed although it belongs to other modes than this one, with those; "" for none.
func (c *Call) Stray(mine Mode, all []Mode) (flag string, owners []string) {
	for _, f := range c.Command.AllFlags(c.Formats) {
		if !c.IsGiven(f.Name) || slices.Contains(mine.Flags, f.Name) {
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

// IsGiven reports whether a flag or a switch was typed.
func (c *Call) IsGiven(flag string) bool {
	_, given := c.Text(flag)
	return given || c.Is(flag)
}

// AskedMode is the mode whose flag was typed, or the last one, which has no name. The flags of others have no meaning
// beside it.
func (c *Call) AskedMode(modes []Mode) (m Mode, err error) {
	m = modes[slices.IndexFunc(modes, func(m Mode) bool { return m.Name == "" || c.IsGiven(m.Name) })]
	if flag, _ := c.Stray(m, modes); flag != "" {
		return m, usage.Errorf("--%s: given with --%s, want one of the two", m.Name, flag)
	}
	return m, nil
}
