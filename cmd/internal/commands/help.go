package commands

import (
	"bytes"
	"cmp"
	"embed"
	"fmt"
	"slices"
	"strings"

	"github.com/dpcalc/dpcalc/cmd/internal/printed"
	"github.com/dpcalc/dpcalc/cmd/internal/record"
	"github.com/dpcalc/dpcalc/cmd/internal/usage"
	"github.com/dpcalc/dpcalc/internal/each"
)

// What the program says of itself.
const (
	Purpose    = "plan samples that are queried adaptively"
	UsageLines = "dpcalc COMMAND [flags] [arguments]\ndpcalc help COMMAND\ndpcalc --version"
)

// descriptions are a text for each command, and one for the program.
//
//go:embed descriptions
var descriptions embed.FS

// Description is of the program.
var Description = Described("dpcalc")

// Described is the description of a command. Each word in braces stands for the text after it in the list.
func Described(name string, words ...string) string {
	text, err := descriptions.ReadFile("descriptions/" + name + ".txt")
	if err != nil {
		panic(err) // no such text was compiled in
	}
	return strings.NewReplacer(words...).Replace(strings.TrimSuffix(string(text), "\n"))
}

// shortHelp is the switch of help for the flags that most calls use; --help after a command is without it.
const shortHelp = "short"

// Help is the command help of a front end.
func (f *Front) Help() *Command {
	return &Command{
		Name: "help", Summary: "show the commands, or the flags of one", Arguments: "[COMMAND [ACTION|SOURCE]]", Words: f.Names,
		Flags:    []usage.Flag{{Name: shortHelp, Switch: true, Usage: "only the flags that most calls use"}},
		Examples: []string{"dpcalc help", "dpcalc help holdout score"},
		Run: func(c *Call) error {
			names := c.Texts(usage.Arguments)
			if len(names) == 0 {
				return c.Print(f.HelpPage())
			}
			command, err := f.Meant(names[0])
			if err != nil {
				return err
			}
			if len(names) > 1 && command.Actions != nil {
				if command, err = f.meantAction(command, names[1]); err != nil {
					return err
				}
				names = names[1:]
			}
			if len(names) > 1 && command.Topic != nil {
				if command, err = command.Topic(names[1]); err != nil {
					return err
				}
				names = names[1:]
			}
			if len(names) > 1 {
				return usage.Errorf("help: unexpected argument %s", usage.Shown(names[1]))
			}
			return c.Print(f.HelpOn(command, c.Is(shortHelp), c.Width()))
		},
	}
}

// meantAction finds an action of a command by its name.
func (f *Front) meantAction(group *Command, name string) (*Command, error) {
	if action := group.Action(name); action != nil {
		return action, nil
	}
	names := each.Of(group.Actions, func(a *Command) string { return a.Name })
	return nil, usage.Errorf("help %s: got %s, want %s%s", group.Name, usage.Shown(name), usage.OrList(names), usage.DidYouMean(name, names))
}

// pageWidth is how many characters a line of the program's help has.
const pageWidth = 80

// HelpPage is the help text of the program.
func (f *Front) HelpPage() []byte {
	var b bytes.Buffer
	b.WriteString(printed.Capital(Purpose) + ".\n\nUsage: " + strings.ReplaceAll(UsageLines, "\n", "\n       ") + "\n")
	b.WriteString("\n" + folded(Description, pageWidth, "") + "\n")
	lines := strings.Split(summaries(f.Commands), "\n")
	for _, room := range f.Rooms {
		section(&b, room.Title, strings.Join(lines[:len(room.Commands)], "\n"))
		lines = lines[len(room.Commands):]
	}
	section(&b, "Examples", "dpcalc samplesize --queries 1000 --tau 0.1 --beta 0.05\ndpcalc help samplesize")
	return b.Bytes()
}

// HelpOn is the help text of a command, in lines of at most so many characters: with all flags under their headings, or
// short.
func (f *Front) HelpOn(c *Command, short bool, width int) []byte {
	var b bytes.Buffer
	b.WriteString(folded("dpcalc "+c.Path()+": "+c.Summary, width, "") + "\n\nUsage: " + f.usageLine(c) + "\n")
	section(&b, "Examples", strings.Join(c.Examples, "\n"))
	if !short && c.Description != "" {
		b.WriteString("\n" + folded(c.Description, width, "") + "\n")
	}
	if c.Actions != nil {
		section(&b, "Actions", summaries(c.Actions))
		fmt.Fprintf(&b, "\ndpcalc help %s ACTION shows the flags of an action.\n", c.Name)
		return b.Bytes()
	}
	flags := c.AllFlags(f.Formats)
	if short {
		common := slices.DeleteFunc(slices.Clone(flags), func(f usage.Flag) bool {
			return c.Common != nil && !slices.Contains(c.Common, f.Name)
		})
		section(&b, "Flags", flagLines(common, width-3))
		if more := len(flags) - len(common); more > 0 {
			fmt.Fprintf(&b, "\n%s: dpcalc %s --help\n", record.Plural(int64(more), "more flag"), c.Path())
		}
		return b.Bytes()
	}
	for _, s := range Sections(flags) {
		section(&b, s.Title, flagLines(s.Flags, width-3))
	}
	return b.Bytes()
}

// Section is some flags under the title of their heading.
type Section struct {
	Title string
	Flags []usage.Flag
}

// Sections are flags by their headings, in the order of the flags.
func Sections(flags []usage.Flag) (list []Section) {
	for _, f := range flags {
		title := printed.Capital(cmp.Or(f.Heading, "flags"))
		i := slices.IndexFunc(list, func(s Section) bool { return s.Title == title })
		if i < 0 {
			i, list = len(list), append(list, Section{Title: title})
		}
		list[i].Flags = append(list[i].Flags, f)
	}
	return list
}

// usageLine is a command as it is typed.
func (f *Front) usageLine(c *Command) string {
	line := "dpcalc " + c.Path()
	switch {
	case c.Actions != nil:
		return line + " ACTION [flags] [arguments]"
	case len(c.AllFlags(f.Formats)) > 0:
		line += " [flags]"
	}
	return strings.TrimRight(line+" "+c.Arguments, " ")
}

// section writes a headed text, a line apart from what stands before it; no text, no heading.
func section(b *bytes.Buffer, head, text string) {
	if text == "" {
		return
	}
	b.WriteString("\n" + head + ":\n")
	for line := range strings.Lines(text) {
		b.WriteString(strings.TrimRight("   "+line, " \n") + "\n")
	}
}

// folded is a text in lines of at most so many characters. Lines that are indented are a table, and stay as they are.
func folded(text string, width int, indent string) string {
	var lines, words []string
	end := func() {
		if words != nil {
			lines, words = append(lines, printed.Wrapped(words, width-len(indent), "\n"+indent)), nil
		}
	}
	for line := range strings.SplitSeq(text, "\n") {
		if line != "" && !strings.HasPrefix(line, " ") {
			words = append(words, strings.Fields(line)...)
			continue
		}
		end()
		lines = append(lines, line)
	}
	end()
	return strings.Join(lines, "\n")
}

// summaries are commands with what each does, a line each.
func summaries(list []*Command) string {
	wide := slices.Max(each.Of(list, func(c *Command) int { return len(c.Name) }))
	return strings.Join(each.Of(list, func(c *Command) string { return fmt.Sprintf("%-*s  %s", wide, c.Name, c.Summary) }), "\n")
}

// mostHead is how wide a flag may be for its text to begin on the same line.
const mostHead = 26

// flagLines are flags with their texts beside them, in lines of at most so many characters.
func flagLines(flags []usage.Flag, width int) string {
	wide := 0
	for _, f := range flags {
		if n := len(TypedAs(f)); n <= mostHead {
			wide = max(wide, n)
		}
	}
	gap := strings.Repeat(" ", wide+2)
	return strings.Join(each.Of(flags, func(f usage.Flag) string {
		head, text := TypedAs(f), folded(strings.ReplaceAll(f.Usage, "`", ""), width, gap)
		if len(head) > wide {
			return head + "\n" + gap + text
		}
		return head + gap[len(head):] + text
	}), "\n")
}

// TypedAs is how a flag is typed, with its placeholder: -m, --queries M.
func TypedAs(f usage.Flag) string {
	text := "    --" + f.Name
	if f.Alias != "" {
		text = "-" + f.Alias + ", --" + f.Name
	}
	if len(f.Name) == 1 {
		text = "-" + f.Name
	}
	if !f.Switch {
		text += " " + f.Placeholder()
	}
	return text
}
