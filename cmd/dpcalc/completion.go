package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dpcalc/dpcalc/properties/audit/suite"
	"github.com/urfave/cli/v2"
)

func (p *program) completion() *cli.Command {
	shells := []string{"bash", "zsh", "fish", "powershell"}
	return &cli.Command{
		Name:      "completion",
		Usage:     "print the completion script of a shell",
		ArgsUsage: strings.Join(shells, "|"),
		Args:      true,
		Action: func(c *cli.Context) error {
			if c.NArg() != 1 {
				return usagef("completion: got %d arguments, want %s", c.NArg(), orList(shells))
			}
			words := completionWords(c.App)
			switch shell := c.Args().First(); shell {
			case "bash":
				return p.print([]byte(bashScript(words)))
			case "zsh":
				return p.print([]byte("#compdef dpcalc\nautoload -Uz bashcompinit\nbashcompinit\n" + bashScript(words)))
			case "fish":
				return p.print([]byte(fishScript(words)))
			case "powershell":
				return p.print([]byte(powershellScript(words)))
			default:
				return usagef("completion: got %s, want %s%s", shown(shell), orList(shells), didYouMean(shell, shells))
			}
		},
	}
}

// commandWords is what can follow a command.
type commandWords struct {
	name, usage string
	flags       []string // with the dashes
	arguments   []string
}

func completionWords(app *cli.App) []commandWords {
	var all []commandWords
	names := commandNames(app)
	for _, c := range app.Commands {
		w := commandWords{name: c.Name, usage: c.Usage, flags: flagNames(c)}
		switch c.Name {
		case "help":
			w.arguments = names
		case "completion":
			w.arguments = strings.Split(c.ArgsUsage, "|")
		case "explain":
			w.arguments = slices.Concat(articleNames(), symbolNames())
		case "cite":
			w.arguments = articleNames()
		case "audit":
			w.arguments = mechanismNames(slices.Concat(suite.Mechanisms(), suite.Mutants()))
		case "plan":
			w.arguments = []string{"init", "run", "diff"}
		}
		all = append(all, w)
	}
	return all
}

func bashScript(commands []commandWords) string {
	var b strings.Builder
	b.WriteString("_dpcalc() {\n    local words current=\"${COMP_WORDS[COMP_CWORD]}\"\n")
	b.WriteString("    if [ \"$COMP_CWORD\" -eq 1 ]; then\n        words=\"")
	for i, c := range commands {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(c.name)
	}
	b.WriteString("\"\n    else\n        case \"${COMP_WORDS[COMP_CWORD-1]}\" in\n")
	for flag, values := range flagValues() {
		fmt.Fprintf(&b, "        %s) words=\"%s\" ;;\n", flag, strings.Join(values, " "))
	}
	b.WriteString("        *) case \"${COMP_WORDS[1]}\" in\n")
	for _, c := range commands {
		fmt.Fprintf(&b, "            %s) words=\"%s\" ;;\n", c.name, strings.Join(append(c.flags, c.arguments...), " "))
	}
	b.WriteString("            esac ;;\n        esac\n    fi\n    COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n}\n")
	b.WriteString("complete -o default -F _dpcalc dpcalc\n")
	return b.String()
}

func fishScript(commands []commandWords) string {
	var b strings.Builder
	b.WriteString("complete -c dpcalc -e\n")
	for _, c := range commands {
		fmt.Fprintf(&b, "complete -c dpcalc -f -n __fish_use_subcommand -a %s -d '%s'\n", c.name, strings.ReplaceAll(c.usage, "'", `\'`))
	}
	for _, c := range commands {
		seen := "'__fish_seen_subcommand_from " + c.name + "'"
		for _, flag := range c.flags {
			fmt.Fprintf(&b, "complete -c dpcalc -n %s -l %s", seen, strings.TrimPrefix(flag, "--"))
			for name, values := range flagValues() {
				if name == flag {
					fmt.Fprintf(&b, " -x -a '%s'", strings.Join(values, " "))
				}
			}
			b.WriteByte('\n')
		}
		if len(c.arguments) > 0 {
			fmt.Fprintf(&b, "complete -c dpcalc -f -n %s -a '%s'\n", seen, strings.Join(c.arguments, " "))
		}
	}
	return b.String()
}

func powershellScript(commands []commandWords) string {
	var b strings.Builder
	quote := func(words []string) string { return "'" + strings.Join(words, "', '") + "'" }
	b.WriteString("Register-ArgumentCompleter -Native -CommandName dpcalc -ScriptBlock {\n    param($word, $ast, $position)\n")
	b.WriteString("    $typed = @($ast.CommandElements | ForEach-Object { $_.ToString() })\n    $words = @(")
	var names []string
	for _, c := range commands {
		names = append(names, c.name)
	}
	b.WriteString(quote(names) + ")\n    if ($typed.Count -gt 2 -or ($typed.Count -eq 2 -and $word -eq '')) {\n        switch ($typed[1]) {\n")
	for _, c := range commands {
		fmt.Fprintf(&b, "            '%s' { $words = @(%s) }\n", c.name, quote(append(c.flags, c.arguments...)))
	}
	b.WriteString("        }\n    }\n    $words | Where-Object { $_ -like \"$word*\" } | ForEach-Object {\n")
	b.WriteString("        [System.Management.Automation.CompletionResult]::new($_, $_, 'ParameterValue', $_)\n    }\n}\n")
	return b.String()
}

// flagValues yields the flags that take one of a few words.
func flagValues() func(yield func(string, []string) bool) {
	var names []string
	for _, f := range formats {
		names = append(names, f.name)
	}
	return func(yield func(string, []string) bool) {
		_ = yield("--format", names) &&
			yield("--csv-dialect", dialects) &&
			yield("--method", articleNames()) &&
			yield("--by", sourceNames()) &&
			yield("--data", []string{"product", "any"}) &&
			yield("--family", familyNames()) &&
			yield("--proofs", []string{"all", "published"}) &&
			yield("--query", []string{"bounded", "binary", "sensitive", "minimization"})
	}
}

func (p *program) man() *cli.Command {
	return &cli.Command{
		Name:  "man",
		Usage: "print the manual page",
		Action: func(c *cli.Context) error {
			return p.print([]byte(manual(c.App)))
		},
	}
}

// manual is the page in troff. The library's own has the flags of all commands
// in one alphabet and Markdown in them.
func manual(app *cli.App) string {
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
	for _, c := range app.Commands {
		b.WriteString(".SS \"" + escape(strings.TrimSpace(c.Name+" "+c.ArgsUsage)) + "\"\n")
		lines(c.Usage)
		if c.Description != "" {
			b.WriteString(".PP\n")
			lines(c.Description)
		}
		for _, f := range c.Flags {
			d, ok := f.(cli.DocGenerationFlag)
			if !ok {
				continue
			}
			usage := d.GetUsage()
			var forms []string
			for _, name := range d.Names() {
				if dash := "--"; name != "help" && name != "h" {
					if len(name) == 1 {
						dash = "-"
					}
					forms = append(forms, dash+name)
				}
			}
			if len(forms) == 0 {
				continue
			}
			head := strings.Join(forms, ", ")
			if parts := strings.SplitN(usage, "`", 3); len(parts) == 3 {
				head += " " + parts[1]
			}
			b.WriteString(".TP\n.B " + escape(head) + "\n")
			lines(usage)
		}
		b.WriteString(".PP\nExamples:\n.nf\n")
		lines(examples[c.Name][0] + "\n" + examples[c.Name][1])
		b.WriteString(".fi\n")
	}
	b.WriteString(".SH EXIT STATUS\n")
	for _, line := range []string{"0 done", "1 input or output failed", "2 wrong usage or an invalid value", "3 no row has an answer", "4 a check failed"} {
		b.WriteString(".TP\n.B " + line[:1] + "\n" + line[2:] + "\n")
	}
	return b.String()
}
