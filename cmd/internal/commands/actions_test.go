package commands

import (
	"slices"
	"strings"
	"testing"

	"github.com/dpcalc/dpcalc/cmd/internal/usage"
)

// boxed is a front with a command of two actions, and one without.
func boxed() *Front {
	f := &Front{}
	f.Commands = []*Command{
		Group(Command{Name: "box", Gone: map[string]string{"shake": "dpcalc box fill"}},
			&Command{Name: "make", Arguments: "DIR", Flags: []usage.Flag{{Name: "big", Switch: true}, {Name: "size", Alias: "s", Also: []string{"width"}}}},
			&Command{Name: "fill", Arguments: "DIR FILE...", Flags: []usage.Flag{{Name: "size", Alias: "s"}, {Name: "name", Repeats: true}}}),
		{Name: "other", Flags: []usage.Flag{{Name: "odd"}}}, f.Help(),
	}
	return f
}

// A flag may stand anywhere, before the action too, and belongs to the actions that have it. What is typed wrong is one
// line that names the action that was meant.
func TestActions(t *testing.T) {
	for line, want := range map[string]string{
		"box make d --big":               "box make big= =d",
		"box --size 3 make d":            "box make size=3 =d",
		"box make --width 3 d":           "box make size=3 =d",
		"box fill --name -h d f":         "box fill name=-h =d,f",
		"box --name a fill d --name b f": "box fill name=a,b =d,f",
		"box make -- --big":              "box make =--big",
		"box":                            "box: got no action, want make or fill; see dpcalc help box",
		"box mak d":                      "box: got mak, want make or fill, did you mean make?",
		"box shake d":                    "box: shake is gone, use dpcalc box fill",
		"box fill d --big":               "box fill: --big belongs to box make",
		"box --big fill d":               "box fill: --big belongs to box make",
		"box fill d --odd 3":             "box: unknown flag --odd, which belongs to other",
		"box make d --size 1 --size 2":   "--size: given twice",
		"box make d --width 1 -s 2":      "--size: given twice",
		"box -h":                         "help short= =box",
		"box --help":                     "help =box",
		"box make --help":                "help =box,make",
		"box --size 3 make -h":           "help short= =box,make",
	} {
		command, typed, err := boxed().Read(strings.Fields(line))
		got := ""
		if err != nil {
			got = err.Error()
		} else {
			var values []string
			for name, list := range typed {
				values = append(values, name+"="+strings.Join(list, ","))
			}
			slices.Sort(values)
			slices.Reverse(values) // arguments are the last
			got = strings.Join(append([]string{command.Path()}, values...), " ")
		}
		if got != want {
			t.Errorf("%s: %s, want %s", line, got, want)
		}
	}
}

// Arguments that are too few or too many are one line with how the command is typed.
func TestOperands(t *testing.T) {
	fill := boxed().Command("box").Action("fill")
	for _, c := range []struct {
		args []string
		want string
	}{
		{nil, "box fill: got no DIR, want dpcalc box fill DIR FILE..."},
		{[]string{""}, "box fill: got no DIR, want dpcalc box fill DIR FILE..."},
		{[]string{"d"}, "box fill: got no FILE, want dpcalc box fill DIR FILE..."},
		{[]string{"d", "f"}, ""},
		{[]string{"d", "f", "g", "h"}, "box fill: unexpected argument h, want dpcalc box fill DIR FILE..."},
	} {
		call := Call{Command: fill, Values: usage.Typed{usage.Arguments: c.args}}
		if _, err := call.Operands(2, 3); (err == nil) != (c.want == "") || err != nil && err.Error() != c.want {
			t.Errorf("%q: %v, want %s", c.args, err, c.want)
		}
	}
}
