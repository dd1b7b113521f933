package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dpcalc/dpcalc/cmd/internal/commands"
	"github.com/dpcalc/dpcalc/cmd/internal/usage"
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

// bashBody asks for the words after a flag and its equals sign too, which bash has as three words. What a list has
// already is not offered again.
const bashBody = `_dpcalc() {
    local words= list= head= word left=
    local current="${COMP_WORDS[COMP_CWORD]}" previous="${COMP_WORDS[COMP_CWORD-1]}"
    if [ "$current" = "=" ]; then
        current=
    elif [ "$previous" = "=" ]; then
        previous="${COMP_WORDS[COMP_CWORD-2]}"
    fi
    if [ "$COMP_CWORD" -eq 1 ]; then
        words="%s"
    else
        case "${COMP_WORDS[1]} $previous" in
%s        esac
    fi
    if [ -n "$list" ]; then
        case "$current" in *,*) head="${current%%,*}," ;; esac
        for word in $words; do
            case ",$head" in *",$word,"*) ;; *) left="$left $word" ;; esac
        done
        words="$left" current="${current##*,}"
        compopt -o nospace 2>/dev/null
    fi
    COMPREPLY=($(compgen -P "$head" -W "$words" -- "$current"))
}
complete -o default -F _dpcalc dpcalc
`

func bashScript(p *commands.Front) string {
	return fmt.Sprintf(bashBody, commandNames(p), cases(p, `words="`, `"`))
}

// zshBody is a file for a folder of fpath, and can be sourced too.
const zshBody = `#compdef dpcalc
_dpcalc() {
    local list= previous="${words[CURRENT-1]}" command="${words[2]}"
    local -a answers given
    if [[ "${words[CURRENT]}" == --*=* ]]; then
        previous="${words[CURRENT]%%%%=*}"
        compset -P '*='
    fi
    if (( CURRENT == 2 )); then
        answers=(%s)
    else
        case "$command $previous" in
%s        esac
    fi
    if [[ -n "$list" ]]; then
        compset -P '*,'
        given=("${(@s:,:)${IPREFIX##*=}}")
        answers=("${(@)answers:|given}")
        compadd -q -S ',' -a answers
    elif (( $#answers )); then
        compadd -a answers
    else
        _files
    fi
}
if [[ "${funcstack[1]}" == _dpcalc ]]; then
    _dpcalc "$@"
else
    compdef _dpcalc dpcalc
fi
`

func zshScript(p *commands.Front) string {
	return fmt.Sprintf(zshBody, commandNames(p), cases(p, "answers=(", ")"))
}

// fishList is the values of a list: those that it has not yet, after those that it has.
const fishList = `function __dpcalc_list
    set -l typed (string replace -r '^--[^=]*=' '' -- (commandline -ct))
    set -l head (string match -r '^.*,' -- $typed)
    for word in $argv
        string match -q -- "*,$word,*" ",$head"; or echo "$head$word"
    end
end
`

func fishScript(p *commands.Front) string {
	var b strings.Builder
	b.WriteString(fishList + "complete -c dpcalc -e\n")
	for _, c := range p.Commands {
		fmt.Fprintf(&b, "complete -c dpcalc -f -n __fish_use_subcommand -a %s -d '%s'\n", c.Name,
			strings.ReplaceAll(c.Summary, "'", `\'`))
	}
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

func powershellScript(p *commands.Front) string {
	var b strings.Builder
	quote := func(words []string) string { return "'" + strings.Join(words, "', '") + "'" }
	b.WriteString("Register-ArgumentCompleter -Native -CommandName dpcalc -ScriptBlock {\n    param($word, $ast, $position)\n")
	b.WriteString("    $typed = @($ast.CommandElements | ForEach-Object { $_.ToString() })\n    $words = @(")
	var names []string
	for _, c := range p.Commands {
		names = append(names, c.Name)
	}
	b.WriteString(quote(names) + ")\n    if ($typed.Count -gt 2 -or ($typed.Count -eq 2 -and $word -eq '')) {\n        switch ($typed[1]) {\n")
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
