package commands

import (
	"bytes"
	"embed"
	"fmt"
	"strings"
	"text/tabwriter"

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

// Help is the command help of a front end.
func (f *Front) Help() *Command {
	return &Command{
		Name: "help", Summary: "show the commands, or the flags of one", Arguments: "[COMMAND]", Words: f.Names,
		Examples: [2]string{"dpcalc help", "dpcalc help pvalue"},
		Run: func(c *Call) error {
			names := c.Texts(usage.Arguments)
			switch len(names) {
			case 0:
				return c.Print(f.HelpPage())
			case 1:
				command, err := f.Meant(names[0])
				if err != nil {
					return err
				}
				return c.Print(f.HelpOn(command))
			}
			return usage.Errorf("help: unexpected argument %s", usage.Shown(names[1]))
		},
	}
}

// HelpPage is the help text of the program.
func (f *Front) HelpPage() []byte {
	var b bytes.Buffer
	section(&b, "NAME", "dpcalc - "+Purpose)
	section(&b, "USAGE", UsageLines)
	section(&b, "DESCRIPTION", Description)
	lines := each.Of(f.Commands, func(c *Command) [2]string { return [2]string{c.Name, c.Summary} })
	section(&b, "COMMANDS", inColumns(lines))
	section(&b, "EXAMPLES", "dpcalc samplesize --queries 1000 --tau 0.1 --beta 0.05\ndpcalc help samplesize")
	return b.Bytes()
}

// HelpOn is the help text of a command.
func (f *Front) HelpOn(c *Command) []byte {
	var b bytes.Buffer
	section(&b, "NAME", "dpcalc "+c.Name+" - "+c.Summary)
	flags := c.AllFlags(f.Formats)
	if c.Name == "help" { // which has no flag but the one of every command
		flags = []usage.Flag{{Name: "help", Alias: "h", Switch: true, Usage: "show help"}}
	}
	line := "dpcalc " + c.Name
	if len(flags) > 0 {
		line += " [command options]"
	}
	section(&b, "USAGE", strings.TrimRight(line+" "+c.Arguments, " "))
	if c.Description != "" {
		section(&b, "DESCRIPTION", c.Description)
	}
	if len(flags) > 0 {
		lines := make([][2]string, len(flags))
		for i, flag := range flags {
			lines[i] = [2]string{typedAs(flag), strings.ReplaceAll(flag.Usage, "`", "")}
		}
		section(&b, "OPTIONS", inColumns(lines))
	}
	section(&b, "EXAMPLES", c.Examples[0]+"\n"+c.Examples[1])
	return b.Bytes()
}

// section writes a headed text, a line apart from what stands before it.
func section(b *bytes.Buffer, head, text string) {
	if b.Len() > 0 {
		b.WriteByte('\n')
	}
	b.WriteString(head + ":\n")
	for line := range strings.Lines(text) {
		b.WriteString(strings.TrimRight("   "+line, " \n") + "\n")
	}
}

// inColumns aligns the second of each pair.
func inColumns(lines [][2]string) string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, line := range lines {
		fmt.Fprintf(w, "%s\t%s\n", line[0], line[1])
	}
	_ = w.Flush() // to a builder, which takes everything
	return strings.TrimSuffix(b.String(), "\n")
}

// typedAs is how a flag is typed, with its placeholder.
func typedAs(f usage.Flag) string {
	value := ""
	if !f.Switch {
		value = " " + f.Placeholder()
	}
	text := "--" + f.Name + value
	if len(f.Name) == 1 {
		text = text[1:]
	}
	if f.Alias != "" {
		text += ", -" + f.Alias + value
	}
	return text
}
