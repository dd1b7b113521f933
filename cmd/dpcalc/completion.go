package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dpcalc/dpcalc/internal/commands"
	"github.com/dpcalc/dpcalc/internal/usage"
)

// shell is a shell with its completion script.
type shell struct {
	name   string
	script func(*commands.Front) string
}

var shells = []shell{{"bash", bashScript}, {"zsh", zshScript}, {"fish", fishScript}, {"powershell", powershellScript}}

func shellNames() []string {
	var names []string
	for _, s := range shells {
		names = append(names, s.name)
	}
	return names
}

func (p *program) completion() *commands.Command {
	names := shellNames()
	return &commands.Command{
		Name: "completion", Summary: "print the completion script of a shell", Arguments: strings.Join(names, "|"),
		Words:    shellNames,
		Examples: [2]string{"dpcalc completion bash > dpcalc.bash", "dpcalc completion fish > dpcalc.fish"},
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
			return c.Print([]byte(shells[i].script(p.Front)))
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

// flagWords are the flags that take one of a few words, with what any command takes for them.
func flagWords(commands []*commands.Command) (flags []string, words map[string][]string) {
	words = make(map[string][]string)
	for _, c := range commands {
		for _, f := range c.AllFlags(formats) {
			if len(f.Words) > 0 && words[f.Name] == nil {
				flags = append(flags, f.Name)
			}
			for _, word := range f.Words {
				if !slices.Contains(words[f.Name], word) {
					words[f.Name] = append(words[f.Name], word)
				}
			}
		}
	}
	return flags, words
}

func zshScript(p *commands.Front) string {
	return "#compdef dpcalc\nautoload -Uz bashcompinit\nbashcompinit\n" + bashScript(p)
}

func bashScript(p *commands.Front) string {
	var b strings.Builder
	b.WriteString("_dpcalc() {\n    local words current=\"${COMP_WORDS[COMP_CWORD]}\"\n")
	b.WriteString("    if [ \"$COMP_CWORD\" -eq 1 ]; then\n        words=\"")
	for i, c := range p.Commands {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(c.Name)
	}
	b.WriteString("\"\n    else\n        case \"${COMP_WORDS[COMP_CWORD-1]}\" in\n")
	flags, words := flagWords(p.Commands)
	for _, flag := range flags {
		fmt.Fprintf(&b, "        --%s) words=\"%s\" ;;\n", flag, strings.Join(words[flag], " "))
	}
	b.WriteString("        *) case \"${COMP_WORDS[1]}\" in\n")
	for _, c := range p.Commands {
		fmt.Fprintf(&b, "            %s) words=\"%s\" ;;\n", c.Name, strings.Join(following(p, c), " "))
	}
	b.WriteString("            esac ;;\n        esac\n    fi\n    COMPREPLY=($(compgen -W \"$words\" -- " +
		"\"$current\"))\n}\n")
	b.WriteString("complete -o default -F _dpcalc dpcalc\n")
	return b.String()
}

func fishScript(p *commands.Front) string {
	var b strings.Builder
	b.WriteString("complete -c dpcalc -e\n")
	for _, c := range p.Commands {
		fmt.Fprintf(&b, "complete -c dpcalc -f -n __fish_use_subcommand -a %s -d '%s'\n", c.Name,
			strings.ReplaceAll(c.Summary, "'", `\'`))
	}
	for _, c := range p.Commands {
		seen := "'__fish_seen_subcommand_from " + c.Name + "'"
		for _, flag := range append(c.AllFlags(formats), usage.Flag{Name: "help"}) {
			fmt.Fprintf(&b, "complete -c dpcalc -n %s -l %s", seen, flag.Name)
			if len(flag.Words) > 0 {
				fmt.Fprintf(&b, " -x -a '%s'", strings.Join(flag.Words, " "))
			}
			b.WriteByte('\n')
		}
		if c.Words != nil {
			fmt.Fprintf(&b, "complete -c dpcalc -f -n %s -a '%s'\n", seen, strings.Join(c.Words(), " "))
		}
	}
	return b.String()
}

func powershellScript(p *commands.Front) string {
	var b strings.Builder
	quote := func(words []string) string { return "'" + strings.Join(words, "', '") + "'" }
	b.WriteString("Register-ArgumentCompleter -Native -CommandName dpcalc -ScriptBlock {\n    param($word, $ast, " +
		"$position)\n")
	b.WriteString("    $typed = @($ast.CommandElements | ForEach-Object { $_.ToString() })\n    $words = @(")
	var names []string
	for _, c := range p.Commands {
		names = append(names, c.Name)
	}
	b.WriteString(quote(names) + ")\n    if ($typed.Count -gt 2 -or ($typed.Count -eq 2 -and $word -eq '')) {\n        " +
		"switch ($typed[1]) {\n")
	for _, c := range p.Commands {
		fmt.Fprintf(&b, "            '%s' { $words = @(%s) }\n", c.Name, quote(following(p, c)))
	}
	b.WriteString("        }\n    }\n    $words | Where-Object { $_ -like \"$word*\" } | ForEach-Object {\n")
	b.WriteString("        [System.Management.Automation.CompletionResult]::new($_, $_, 'ParameterValue', $_)\n    }\n}\n")
	return b.String()
}

func (p *program) man() *commands.Command {
	return &commands.Command{
		Name: "man", Summary: "print the manual page",
		Examples: [2]string{"dpcalc man > dpcalc.1", "dpcalc man | man -l -"},
		Run:      func(c *commands.Call) error { return c.Print([]byte(p.manual())) },
	}
}

// manual is the page in troff. The library's own has the flags of all commands
// in one alphabet and Markdown in them.
func (p *program) manual() string {
	app := p.app()
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
	lines(app.Name + " - " + app.Usage)
	b.WriteString(".SH SYNOPSIS\n.B dpcalc\n.I command\n[flags] [arguments]\n.SH DESCRIPTION\n")
	lines(app.Description)
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
