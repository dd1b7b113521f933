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

// scripts are the completion scripts, a file for each shell. {paths} stands for the paths of all places, by which a
// script finds the place of a word, and {cases} for what the word may be there. For bash a flag, its equals sign and
// the value are three words. The script for zsh is a file for a folder of fpath, and can be sourced too. A list is not
// offered what it has already.
//
//go:embed completions
var scripts embed.FS

// shell is a shell with what its script has of the places.
type shell struct {
	name  string
	paths func([]string) string
	cases func([]place) string
}

var shells = []shell{
	{"bash", alternatives, func(all []place) string { return cases(all, `words="`, `"`) }},
	{"zsh", alternatives, func(all []place) string { return cases(all, "answers=(", ")") }},
	{"fish", func(paths []string) string { return strings.Join(paths, " ") }, fishCases},
	{"powershell", powershellWords, powershellCases},
}

// script is the completion script of a shell.
func (s shell) script(p *commands.Front) (string, error) {
	all := places(p)
	paths := each.Of(all[1:], func(at place) string { return at.path })
	text, err := scripts.ReadFile("completions/dpcalc." + s.name)
	return strings.NewReplacer("{paths}", s.paths(paths), "{cases}", s.cases(all)).Replace(string(text)), err
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

// place is where a word of a command line stands: after the program, a command, an action, or help and a command that
// has actions. A script comes from place to place by the words before, whatever flags and arguments are among them.
type place struct {
	path    string              // the words that lead here, a slash before each
	named   []*commands.Command // the commands or actions that the word may be
	options []string            // the flags that it may be
	words   []string            // its other values
	flags   []usage.Flag        // the flags before it, whose value it may be
}

// places are the places of all words, the program's before the others.
func places(p *commands.Front) []place {
	all := []place{{named: p.Commands}}
	for _, c := range commands.All(p.Commands) {
		at := place{"/" + strings.ReplaceAll(c.Path(), " ", "/"), c.Actions, p.FlagNames(c), nil,
			append(p.Flags(c), usage.Flag{Name: "help", Switch: true})}
		if c.Words != nil {
			at.words = c.Words()
		}
		if c.Actions != nil {
			at.options = []string{"--help"}
			all = append(all, place{path: "/help/" + c.Name, named: c.Actions})
		}
		all = append(all, at)
	}
	return all
}

// branch is a line of a shell's case: what a word may be at a place and after another word, as an assignment of words,
// and of list where several go with commas between.
type branch struct {
	patterns []string
	words    []string
	list     bool
}

// branches are the branches of a place: the values of its flags, and then all else.
func (at place) branches() (all []branch) {
	var free []string // patterns of flags whose values are no words
	for _, f := range at.flags {
		patterns := each.Of(append([]string{f.Name}, f.Also...), func(name string) string { return at.path + ":--" + name })
		if f.Alias != "" {
			patterns = append(patterns, at.path+":-"+f.Alias)
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
	names := each.Of(at.named, func(c *commands.Command) string { return c.Name })
	return append(all, branch{[]string{at.path + ":*"}, slices.Concat(names, at.options, at.words), false})
}

// alternatives are patterns of a case.
func alternatives(patterns []string) string { return strings.Join(patterns, "|") }

// cases are the branches in a shell where the assignment of words opens and closes like this.
func cases(all []place, open, closing string) string {
	var b strings.Builder
	for _, at := range all {
		for _, way := range at.branches() {
			list := ""
			if way.list {
				list = "list=1 "
			}
			fmt.Fprintf(&b, "        %s) %s%s%s%s ;;\n", alternatives(way.patterns), list, open,
				strings.Join(way.words, " "), closing)
		}
	}
	return b.String()
}

func fishCases(all []place) string {
	var b strings.Builder
	for _, at := range all {
		here := "'__dpcalc_at " + at.path + "'"
		for _, c := range at.named {
			fmt.Fprintf(&b, "complete -c dpcalc -f -n %s -a %s -d '%s'\n", here, c.Name, strings.ReplaceAll(c.Summary, "'", `\'`))
		}
		for _, flag := range at.flags {
			fmt.Fprintf(&b, "complete -c dpcalc -n %s -l %s%s\n", here, flag.Name, fishValue(flag))
		}
		if at.words != nil {
			fmt.Fprintf(&b, "complete -c dpcalc -f -n %s -a '%s'\n", here, strings.Join(at.words, " "))
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

func powershellCases(all []place) string {
	var b strings.Builder
	for _, at := range all {
		for _, way := range at.branches() {
			words := ""
			if way.words != nil {
				words = powershellWords(way.words)
			}
			for _, pattern := range way.patterns {
				fmt.Fprintf(&b, "        '%s' { $words = @(%s); break }\n", pattern, words)
			}
		}
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
	for _, c := range commands.All(p.Commands) {
		b.WriteString(".SS \"" + escape(strings.TrimSpace(c.Path()+" "+c.Arguments)) + "\"\n")
		lines(c.Summary)
		if c.Description != "" {
			b.WriteString(".PP\n")
			lines(c.Description)
		}
		for _, s := range commands.Sections(c.AllFlags(formats)) {
			b.WriteString(".PP\n" + escape(s.Title) + ":\n")
			for _, f := range s.Flags {
				b.WriteString(".TP\n.B " + escape(strings.TrimSpace(commands.TypedAs(f))) + "\n")
				lines(f.Usage)
			}
		}
		b.WriteString(".PP\nExamples:\n.nf\n")
		lines(strings.Join(c.Examples, "\n"))
		b.WriteString(".fi\n")
	}
	b.WriteString(".SH EXIT STATUS\n")
	for _, line := range []string{"0 done", "1 input or output failed", "2 wrong usage or an invalid value",
		"3 no row has an answer", "4 a check failed"} {
		b.WriteString(".TP\n.B " + line[:1] + "\n" + line[2:] + "\n")
	}
	return b.String()
}
