package main

import (
	"embed"
	"fmt"
	"slices"
	"strings"

	"github.com/dpcalc/dpcalc/cmd/internal/commands"
	"github.com/dpcalc/dpcalc/cmd/internal/usage"
	"github.com/dpcalc/dpcalc/internal/each"
)

// scripts are the completion scripts, a file for each shell. {commands} and {cases} stand for what follows from the
// commands. For bash a flag, its equals sign and the value are three words. The script for zsh is a file for a folder
// of fpath, and can be sourced too. A list is not offered what it has already.
//
//go:embed completions
var scripts embed.FS

// shell is a shell with what its script has of the commands, and of their flags and arguments.
type shell struct {
	name     string
	commands func(*commands.Front) string
	cases    func(*commands.Front) string
}

var shells = []shell{
	{"bash", commandNames, func(p *commands.Front) string { return cases(p, `words="`, `"`) }},
	{"zsh", commandNames, func(p *commands.Front) string { return cases(p, "answers=(", ")") }},
	{"fish", fishCommands, fishCases},
	{"powershell", func(p *commands.Front) string { return powershellWords(p.Names()) }, powershellCases},
}

// script is the completion script of a shell.
func (s shell) script(p *commands.Front) (string, error) {
	text, err := scripts.ReadFile("completions/dpcalc." + s.name)
	return strings.NewReplacer("{commands}", s.commands(p), "{cases}", s.cases(p)).Replace(string(text)), err
}

func shellNames() []string {
	return each.Of(shells, func(s shell) string { return s.name })
}

func (p *program) completion() *commands.Command {
	names := shellNames()
	return &commands.Command{
		Name: "completion", Summary: "print the completion script of a shell", Arguments: strings.Join(names, "|"),
		Words:    shellNames,
		Examples: []string{"dpcalc completion bash > dpcalc.bash", "dpcalc completion fish > dpcalc.fish"},
		Run: func(c *commands.Call) error {
			got := c.Texts(usage.Arguments)
			if len(got) != 1 {
				return usage.Errorf("completion: got %d arguments, want %s", len(got), usage.OrList(names))
			}
			i := slices.Index(names, got[0])
			if i < 0 {
				return usage.Errorf("completion: got %s, want %s%s", usage.Shown(got[0]), usage.OrList(names),
					usage.DidYouMean(got[0], names))
			}
			script, err := shells[i].script(p.Front)
			if err != nil {
				return err
			}
			return c.Print([]byte(script))
		},
	}
}

// following is the words that may follow a command: its flags and its arguments.
func following(p *commands.Front, c *commands.Command) []string {
	if c.Words == nil {
		return p.FlagNames(c)
	}
	return append(p.FlagNames(c), c.Words()...)
}

// commandNames lists the commands for a shell.
func commandNames(p *commands.Front) string { return strings.Join(p.Names(), " ") }

// branch is a line of a shell's case: what may follow a command and the word before, as an assignment of words, and of
// list where several go with commas between.
type branch struct {
	patterns []string
	words    []string
	list     bool
}

// branches are the branches of all commands: the values of their flags, and then their other arguments.
func branches(p *commands.Front) (all []branch) {
	for _, c := range p.Commands {
		var free []string // patterns of flags whose values are no words
		for _, f := range c.AllFlags(formats) {
			patterns := []string{fmt.Sprintf("%q", c.Name+" --"+f.Name)}
			if f.Alias != "" {
				patterns = append(patterns, fmt.Sprintf("%q", c.Name+" -"+f.Alias))
			}
			switch {
			case f.Switch:
			case f.Words == nil:
				free = append(free, patterns...)
			default:
				all = append(all, branch{patterns, f.Words, f.List})
			}
		}
		if free != nil {
			all = append(all, branch{patterns: free})
		}
		all = append(all, branch{[]string{fmt.Sprintf("%q*", c.Name+" ")}, following(p, c), false})
	}
	return all
}

// cases are the branches in a shell where the assignment of words opens and closes like this.
func cases(p *commands.Front, open, closing string) string {
	var b strings.Builder
	for _, way := range branches(p) {
		list := ""
		if way.list {
			list = "list=1 "
		}
		fmt.Fprintf(&b, "        %s) %s%s%s%s ;;\n", strings.Join(way.patterns, "|"), list, open,
			strings.Join(way.words, " "), closing)
	}
	return b.String()
}

func fishCommands(p *commands.Front) string {
	var b strings.Builder
	for _, c := range p.Commands {
		fmt.Fprintf(&b, "complete -c dpcalc -f -n __fish_use_subcommand -a %s -d '%s'\n", c.Name,
			strings.ReplaceAll(c.Summary, "'", `\'`))
	}
	return b.String()
}

func fishCases(p *commands.Front) string {
	var b strings.Builder
	for _, c := range p.Commands {
		seen := "'__fish_seen_subcommand_from " + c.Name + "'"
		for _, flag := range append(c.AllFlags(formats), usage.Flag{Name: "help", Switch: true}) {
			fmt.Fprintf(&b, "complete -c dpcalc -n %s -l %s%s\n", seen, flag.Name, fishValue(flag))
		}
		if c.Words != nil {
			fmt.Fprintf(&b, "complete -c dpcalc -f -n %s -a '%s'\n", seen, strings.Join(c.Words(), " "))
		}
	}
	return b.String()
}

// fishValue is a flag's alias, and what it takes.
func fishValue(f usage.Flag) string {
	alias, words := "", strings.Join(f.Words, " ")
	if f.Alias != "" {
		alias = " -s " + f.Alias
	}
	switch {
	case f.Switch:
		return alias
	case f.Words == nil:
		return alias + " -r"
	case f.List:
		return alias + " -x -a '(__dpcalc_list " + words + ")'"
	}
	return alias + " -x -a '" + words + "'"
}

func powershellWords(words []string) string { return "'" + strings.Join(words, "', '") + "'" }

func powershellCases(p *commands.Front) string {
	var b strings.Builder
	for _, c := range p.Commands {
		fmt.Fprintf(&b, "            '%s' { $words = @(%s) }\n", c.Name, powershellWords(following(p, c)))
	}
	return b.String()
}

func (p *program) man() *commands.Command {
	return &commands.Command{
		Name: "man", Summary: "print the manual page",
		Examples: []string{"dpcalc man > dpcalc.1", "dpcalc man | man -l -"},
		Run:      func(c *commands.Call) error { return c.Print([]byte(p.manual())) },
	}
}

// manual is the page in troff. The library's own has the flags of all commands
// in one alphabet and Markdown in them.
func (p *program) manual() string {
	var b strings.Builder
	escape := strings.NewReplacer(`\`, `\e`, "-", `\-`, "`", "").Replace
	lines := func(text string) {
		for line := range strings.SplitSeq(text, "\n") {
			if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
				line = `\&` + line
			}
			b.WriteString(escape(line) + "\n")
		}
	}
	b.WriteString(".TH DPCALC 1\n.SH NAME\n")
	lines("dpcalc - " + commands.Purpose)
	b.WriteString(".SH SYNOPSIS\n.B dpcalc\n.I command\n[flags] [arguments]\n.SH DESCRIPTION\n")
	lines(commands.Description)
	b.WriteString(".SH COMMANDS\n")
	for _, c := range p.Commands {
		b.WriteString(".SS \"" + escape(strings.TrimSpace(c.Name+" "+c.Arguments)) + "\"\n")
		lines(c.Summary)
		if c.Description != "" {
			b.WriteString(".PP\n")
			lines(c.Description)
		}
		for _, f := range c.AllFlags(formats) {
			head := "--" + f.Name
			if f.Alias != "" {
				head += ", -" + f.Alias
			}
			if parts := strings.SplitN(f.Usage, "`", 3); len(parts) == 3 {
				head += " " + parts[1]
			}
			b.WriteString(".TP\n.B " + escape(head) + "\n")
			lines(f.Usage)
		}
		b.WriteString(".PP\nExamples:\n.nf\n")
		lines(c.Examples[0] + "\n" + c.Examples[1])
		b.WriteString(".fi\n")
	}
	b.WriteString(".SH EXIT STATUS\n")
	for _, line := range []string{"0 done", "1 input or output failed", "2 wrong usage or an invalid value",
		"3 no row has an answer", "4 a check failed"} {
		b.WriteString(".TP\n.B " + line[:1] + "\n" + line[2:] + "\n")
	}
	return b.String()
}
