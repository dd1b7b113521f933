package commands

import (
	"errors"
	"testing"

	"github.com/dpcalc/dpcalc/cmd/internal/usage"
)

// A sub-command takes its flags and those that belong to none, its subject and as many files as it says.
func TestModes(t *testing.T) {
	ran := ""
	named := func(m Mode) Mode {
		m.Run = func(_ *Call, args []string) error {
			ran = m.Name + " " + args[0]
			return nil
		}
		return m
	}
	modes := []Mode{
		named(Mode{Name: "make", Subject: "folder", Takes: "DIR", Flags: []string{"big", "size"}}),
		named(Mode{Name: "fill", Subject: "folder", Takes: "DIR FILE...", Least: 1, Most: 2, Flags: []string{"size"}}),
	}
	command := &Command{Name: "box", Flags: []usage.Flag{{Name: "big", Switch: true}, {Name: "size"}, {Name: "all"}}}
	for _, c := range []struct {
		args  []string
		flags usage.Typed
		want  string
	}{
		{nil, nil, "box: got nothing, want make DIR or fill DIR FILE..."},
		{[]string{"mak", "a"}, nil, "box: got mak, want make or fill, did you mean make?"},
		{[]string{"make"}, nil, "box make: got no folder, want make DIR"},
		{[]string{"make", ""}, nil, "box make: got no folder, want make DIR"},
		{[]string{"make", "a", "b"}, nil, "box make: got 1 files, want make DIR"},
		{[]string{"fill", "a"}, nil, "box fill: got 0 files, want fill DIR FILE..."},
		{[]string{"fill", "a", "b"}, usage.Typed{"big": {""}}, "--big: got box fill, want box make"},
		{[]string{"fill", "a", "b"}, usage.Typed{"size": {"3"}, "all": {"4"}}, ""},
		{[]string{"make", "a"}, usage.Typed{"big": {""}}, ""},
	} {
		typed := usage.Typed{usage.Arguments: c.args}
		for flag, values := range c.flags {
			typed[flag] = values
		}
		ran = ""
		err := (&Call{Values: typed, Command: command}).RunMode(modes)
		wrong := (*usage.Error)(nil)
		switch {
		case c.want == "" && (err != nil || ran != c.args[0]+" a"):
			t.Errorf("%v: %v, ran %q", c.args, err, ran)
		case c.want != "" && (!errors.As(err, &wrong) || err.Error() != c.want || ran != ""):
			t.Errorf("%v: %v, want %s", c.args, err, c.want)
		}
	}
}
