package page

import (
	"net/url"
	"slices"
	"strings"

	"github.com/dpcalc/dpcalc/cmd/internal/commands"
	"github.com/dpcalc/dpcalc/cmd/internal/commands/articles"
	"github.com/dpcalc/dpcalc/cmd/internal/usage"
)

// Link is the command link.
func Link() *commands.Command {
	return &commands.Command{
		Name: "link", Summary: "the end of the page's address for a command line",
		Arguments: "COMMAND [flags] [arguments]", Verbatim: true,
		Description: "Open the page with it, as in file:///home/me/dpcalc.html#samplesize?queries=1000&tau=0.1&beta=0.05.\n" +
			"Where and how to write (--output, --format) is no part of it.",
		Examples: []string{
			"dpcalc link samplesize -m 1000 -t 0.1 -b 0.05",
			"dpcalc link explain tau",
		},
		Run: func(c *commands.Call) error {
			fragment, err := fragmentOf(c)
			if err != nil {
				return err
			}
			return c.Print([]byte(fragment + "\n"))
		},
	}
}

// fragmentOf reads the command line that is the arguments of a call, and writes it as the page does.
func fragmentOf(c *commands.Call) (string, error) {
	args := c.Texts(usage.Arguments)
	f := &commands.Front{Session: c.Session, Formats: c.Formats, Knows: articles.Has, Commands: answering()}
	if len(args) == 0 || f.Command(args[0]) == nil {
		got, hint := "nothing", ""
		if len(args) > 0 {
			got, hint = usage.Shown(args[0]), usage.DidYouMean(args[0], f.Names())
		}
		return "", usage.Errorf("link: got %s, want a command of the page, %s%s", got, usage.OrList(f.Names()), hint)
	}
	if slices.ContainsFunc(args, func(arg string) bool { return arg == "-h" || arg == "--help" }) {
		return "", usage.Errorf("link: got --help, want a command with its flags")
	}
	command, typed, err := f.Read(args)
	if err != nil {
		return "", err
	}
	for _, flag := range commands.OutputFlags(c.Formats) {
		delete(typed, flag.Name)
	}
	if err := withoutFiles(command, typed, false); err != nil {
		return "", err
	}
	return Fragment(command, typed), nil
}

// Fragment is a command line as the part of an address after "#": the command, "?", and each flag
// with its value, joined by "&". A switch has no value, an argument no name.
func Fragment(c *commands.Command, typed usage.Typed) string {
	var parts []string
	for _, flag := range c.Flags {
		for _, value := range typed[flag.Name] {
			if flag.Switch {
				parts = append(parts, flag.Name)
			} else {
				parts = append(parts, flag.Name+"="+escaped(value))
			}
		}
	}
	for _, value := range typed[usage.Arguments] {
		parts = append(parts, "="+escaped(value))
	}
	if len(parts) == 0 {
		return "#" + c.Name
	}
	return "#" + c.Name + "?" + strings.Join(parts, "&")
}

// escaped leaves letters, digits and -_.~ as they are.
func escaped(text string) string { return strings.ReplaceAll(url.QueryEscape(text), "+", "%20") }
