package usage

import (
	"slices"
	"strings"

	"github.com/dpcalc/dpcalc/internal/each"
)

// Values are the values typed, by the names of the flags: on a command line, in a form or in a scenario of a plan file.
type Values interface {
	Text(flag string) (text string, given bool) // of a flag with one value
	Texts(flag string) []string                 // of a flag that repeats, or the [Arguments]
	Is(flag string) bool                        // whether a switch is on
}

// Arguments is the name under which [Values] has the arguments that belong to no flag.
const Arguments = ""

// Flag is a flag of a command. The usage names the placeholder of its value in backquotes, if it has no word for it; a
// default is a matter of the command and said in the usage.
type Flag struct {
	Name, Alias, Usage string
	Value              string            // the placeholder of a usage that does not name one
	Also               []string          // other names, which help does not show
	Heading            string            // under which the long help has it; "" for the first one
	Repeats            bool              // it may be given several times
	Switch             bool              // it takes no value
	Words              []string          // the values that it takes, if they are a few words
	AlsoWords          map[string]string // other words for some of these
	List               bool              // it takes several of them, with commas between
}

// Under returns flags with a heading of the long help.
func Under(heading string, flags ...Flag) []Flag {
	return each.Of(flags, func(f Flag) Flag { f.Heading = heading; return f })
}

// Section is a heading of the long help with the names of its flags, in order.
type Section struct {
	Heading string
	Names   []string
}

// Arranged returns flags in the order of sections, each under its heading. What no section names is last.
func Arranged(flags []Flag, sections ...Section) (list []Flag) {
	left := slices.Clone(flags)
	for _, s := range sections {
		for _, name := range s.Names {
			i := slices.IndexFunc(left, func(f Flag) bool { return f.Name == name })
			list = append(list, Under(s.Heading, left[i])...)
			left = slices.Delete(left, i, i+1)
		}
	}
	return append(list, left...)
}

// Named reports whether a flag is typed by this name.
func (f Flag) Named(name string) bool {
	return name != "" && slices.Contains(append([]string{f.Name, f.Alias}, f.Also...), name)
}

// Placeholder returns the word for a flag's value.
func (f Flag) Placeholder() string {
	if f.Value != "" {
		return f.Value
	}
	_, rest, _ := strings.Cut(f.Usage, "`")
	word, _, _ := strings.Cut(rest, "`")
	return word
}

// Typed is [Values] that were collected one by one.
type Typed map[string][]string

// Text returns the one value of a flag.
func (t Typed) Text(flag string) (string, bool) {
	if len(t[flag]) == 0 {
		return "", false
	}
	return t[flag][0], true
}

// Texts returns all values of a flag.
func (t Typed) Texts(flag string) []string { return t[flag] }

// Is reports whether a switch was given.
func (t Typed) Is(flag string) bool { return len(t[flag]) > 0 }

// replaced is values of which one is another.
type replaced struct {
	Values
	flag, text string
}

// Replaced returns the values with another text for a flag.
func Replaced(v Values, flag, text string) Values { return replaced{v, flag, text} }

func (r replaced) Text(flag string) (string, bool) {
	if flag == r.flag {
		return r.text, true
	}
	return r.Values.Text(flag)
}

// Watched are values that remember which flags were asked for.
type Watched struct {
	Values
	Seen map[string]bool
}

func (w Watched) see(flag string) Values { w.Seen[flag] = true; return w.Values }

func (w Watched) Text(flag string) (string, bool) { return w.see(flag).Text(flag) }
func (w Watched) Texts(flag string) []string      { return w.see(flag).Texts(flag) }
func (w Watched) Is(flag string) bool             { return w.see(flag).Is(flag) }

// NamesIn cuts a list of names.
func NamesIn(raw string) []string {
	list := strings.Split(raw, ",")
	for i := range list {
		list[i] = strings.Trim(list[i], " ")
	}
	return list
}

// SomeOf reads a flag that takes some of the names, with commas between; without it all are meant.
func SomeOf(v Values, flag string, names []string) ([]string, error) {
	raw, ok := v.Text(flag)
	if !ok {
		return names, nil
	}
	some := NamesIn(raw)
	for _, name := range some {
		if !slices.Contains(names, name) {
			return nil, Errorf("--%s: got %s, want some of %s%s", flag, Shown(name), strings.Join(names, ", "),
				DidYouMean(name, names))
		}
	}
	return some, nil
}

// OneOf reads a flag that takes one of the names; without it the first is meant.
func OneOf(v Values, flag string, names ...string) (string, error) {
	got, ok := v.Text(flag)
	if !ok {
		return names[0], nil
	}
	if !slices.Contains(names, got) {
		return "", Errorf("--%s: got %s, want %s%s", flag, Shown(got), OrList(names), DidYouMean(got, names))
	}
	return got, nil
}
