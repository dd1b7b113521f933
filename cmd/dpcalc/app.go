package main

import (
	"strings"

	"github.com/dpcalc/dpcalc/cmd/internal/commands"
	"github.com/dpcalc/dpcalc/cmd/internal/commands/advise"
	"github.com/dpcalc/dpcalc/cmd/internal/commands/articles"
	"github.com/dpcalc/dpcalc/cmd/internal/commands/ledger"
	"github.com/dpcalc/dpcalc/cmd/internal/commands/mechanisms"
	"github.com/dpcalc/dpcalc/cmd/internal/commands/page"
	"github.com/dpcalc/dpcalc/cmd/internal/commands/privacy"
	"github.com/dpcalc/dpcalc/cmd/internal/commands/pvalues"
	"github.com/dpcalc/dpcalc/cmd/internal/commands/samplesize"
	"github.com/dpcalc/dpcalc/cmd/internal/commands/steps"
	"github.com/dpcalc/dpcalc/cmd/internal/figures"
	"github.com/dpcalc/dpcalc/cmd/internal/outfile"
	"github.com/dpcalc/dpcalc/cmd/internal/printed"
	"github.com/dpcalc/dpcalc/cmd/internal/record"
	"github.com/dpcalc/dpcalc/cmd/internal/usage"
	"github.com/dpcalc/dpcalc/cmd/internal/workbook"
	"github.com/dpcalc/dpcalc/internal/parallel"
	"github.com/urfave/cli/v2"
)

// This file is the only one that knows how urfave/cli behaves. The library
// ignores flags after a positional argument, accepts NaN, Inf and 1e-400, reads
// 010 as 8, prints usage errors on standard output, exits 0 without a command
// and exits the process from inside an Action. So the arguments are read and checked
// before the library sees them, it is given them in the one form that it reads as it
// should, flags hold their text, and nothing but [program.run] decides the exit code.

// program is the command line.
type program struct{ *commands.Front }

// formats are the formats of the command line, tables before drawings.
var formats = []record.Format{
	printed.Table, record.CSV, record.TSV, record.JSON, record.JSONLines, printed.Markdown, printed.LaTeX,
	workbook.Format, figures.SVG, figures.PNG, figures.PDF,
}

func newProgram(s *outfile.Session) *program {
	p := &program{&commands.Front{Session: s, Formats: formats, Knows: articles.Has}}
	p.Commands = []*commands.Command{
		samplesize.Command(), privacy.Transfer(), privacy.Compose(), steps.Command(), pvalues.Command(),
		mechanisms.Experiment(),
		samplesize.PlanFile(), ledger.Command(), ledger.MCP(), advise.Command(), mechanisms.Audit(),
		articles.Explain(func() []*commands.Command { return p.Commands }), articles.Cite(), articles.Methods(),
		page.Link(), p.completion(), p.man(), p.version(), p.Help(),
	}
	return p
}

func (p *program) run(args []string) int {
	return p.Exit(parallel.OrFault(func() error { return p.dispatch(args) }))
}

func (p *program) dispatch(args []string) error {
	if len(args) > 1 && args[1] == "--version" {
		if len(args) > 2 {
			return usage.Errorf("--version: unexpected argument %s", usage.Shown(args[2]))
		}
		return p.Print([]byte("dpcalc " + usage.Version() + "\n"))
	}
	if len(args) < 2 {
		_, _ = p.Stderr.Write(p.HelpPage())
		return usage.Outcome(usage.ExitUsage)
	}
	command, typed, err := p.Read(args[1:])
	if err != nil {
		return err
	}
	ordered := []string{args[0], command.Name}
	for _, f := range command.AllFlags(formats) {
		for _, value := range typed[f.Name] {
			if f.Switch {
				ordered = append(ordered, "--"+f.Name)
			} else {
				ordered = append(ordered, "--"+f.Name+"="+value)
			}
		}
	}
	return p.app(command).RunContext(p.Context, append(append(ordered, "--"), typed[usage.Arguments]...))
}

// app declares commands. It is made anew for every run, as flags hold values, and with one command, as the library
// takes a millisecond over all of them.
func (p *program) app(of ...*commands.Command) *cli.App {
	app := &cli.App{
		Name:            "dpcalc",
		Usage:           commands.Purpose,
		UsageText:       commands.UsageLines,
		Version:         usage.Version(),
		HideHelpCommand: true,
		HideVersion:     true,
		Writer:          p.Stdout,
		ErrWriter:       p.Stderr,
		OnUsageError:    func(_ *cli.Context, err error, _ bool) error { return usage.Errorf("%v", err) },
		ExitErrHandler:  func(*cli.Context, error) {},
		Description:     commands.Description,
	}
	for _, c := range of {
		declared := p.declared(c)
		declared.OnUsageError = app.OnUsageError
		app.Commands = append(app.Commands, declared)
	}
	return app
}

// declared is a command as the library has it.
func (p *program) declared(c *commands.Command) *cli.Command {
	d := &cli.Command{
		Name: c.Name, Usage: c.Summary, ArgsUsage: c.Arguments, Args: c.Arguments != "", Description: c.Description,
		HideHelpCommand: true,
		Action: func(x *cli.Context) error {
			return p.Do(c, typed{x})
		},
	}
	for _, f := range c.AllFlags(formats) {
		var aliases []string
		if f.Alias != "" {
			aliases = []string{f.Alias}
		}
		if f.Switch {
			d.Flags = append(d.Flags, &cli.BoolFlag{Name: f.Name, Aliases: aliases, Usage: f.Usage, DisableDefaultText: true})
		} else {
			d.Flags = append(d.Flags,
				&cli.GenericFlag{Name: f.Name, Aliases: aliases, Usage: f.Usage, Value: &text{repeats: f.Repeats}})
		}
	}
	return d
}

// text is a flag's value as it was typed.
type text struct {
	raw     []string
	repeats bool
}

// Set is called by the library, for an alias a second time with String.
func (t *text) Set(s string) error {
	if t.repeats {
		t.raw = append(t.raw, s)
	} else {
		t.raw = []string{s}
	}
	return nil
}

func (t *text) String() string {
	if t == nil {
		return ""
	}
	return strings.Join(t.raw, ",")
}

// typed is the library's context as [Values].
type typed struct{ *cli.Context }

// Text returns a flag's text and whether it was given.
func (c typed) Text(flag string) (string, bool) {
	t, ok := c.Generic(flag).(*text)
	if !ok || len(t.raw) == 0 {
		return "", false
	}
	return t.String(), true
}

// Texts returns the texts of a flag that repeats, or the arguments.
func (c typed) Texts(flag string) []string {
	if flag == usage.Arguments {
		return c.Args().Slice()
	}
	if t, ok := c.Generic(flag).(*text); ok {
		return t.raw
	}
	return nil
}

// Is reports whether a switch is on.
func (c typed) Is(flag string) bool { return c.Bool(flag) }

// version is a command because people type it; --version says the same.
func (p *program) version() *commands.Command {
	return &commands.Command{
		Name: "version", Summary: "print the version",
		Examples: [2]string{"dpcalc version", "dpcalc --version"},
		Run:      func(c *commands.Call) error { return c.Print([]byte("dpcalc " + usage.Version() + "\n")) },
	}
}
