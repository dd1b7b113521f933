package main

import (
	"github.com/dpcalc/dpcalc/cmd/internal/commands"
	"github.com/dpcalc/dpcalc/cmd/internal/commands/advise"
	"github.com/dpcalc/dpcalc/cmd/internal/commands/articles"
	"github.com/dpcalc/dpcalc/cmd/internal/commands/holdout"
	"github.com/dpcalc/dpcalc/cmd/internal/commands/mechanisms"
	"github.com/dpcalc/dpcalc/cmd/internal/commands/page"
	"github.com/dpcalc/dpcalc/cmd/internal/commands/power"
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
	"github.com/dpcalc/dpcalc/internal/each"
	"github.com/dpcalc/dpcalc/internal/parallel"
	"github.com/urfave/cli/v2"
)

// This file is the only one that knows how urfave/cli behaves. The library picks the command and hands its arguments
// over as they were typed: left to itself it ignores flags after a positional argument, accepts NaN, Inf and 1e-400,
// reads 010 as 8, prints usage errors on standard output, exits 0 without a command and exits the process from inside
// an Action. So [commands.Front] reads the arguments, and nothing but [program.run] decides the exit code.

// program is the command line.
type program struct{ *commands.Front }

// formats are the formats of the command line, tables before drawings.
var formats = []record.Format{
	printed.Table, record.CSV, record.TSV, record.JSON, record.JSONLines, printed.Markdown, printed.LaTeX,
	workbook.Format, figures.SVG, figures.PNG, figures.PDF,
}

func newProgram(s *outfile.Session) *program {
	p := &program{&commands.Front{Session: s, Formats: formats, Knows: articles.Has}}
	explain := articles.Explain(func() []*commands.Command { return commands.Leaves(p.Commands) })
	p.Rooms = []commands.Room{
		{Title: "Start", Commands: []*commands.Command{advise.Command()}},
		{Title: "Plan", Commands: []*commands.Command{samplesize.Command(), power.Command(), samplesize.PlanFile()}},
		{Title: "P-values", Commands: []*commands.Command{pvalues.Command()}},
		{Title: "Ledger", Commands: []*commands.Command{holdout.Command()}},
		{Title: "Learn", Commands: []*commands.Command{explain, articles.Methods(), articles.Cite()}},
		{Title: "More", Commands: []*commands.Command{
			privacy.Transfer(), privacy.Compose(), steps.Command(), mechanisms.Audit(), mechanisms.Experiment(), holdout.MCP(),
			page.Link(), p.completion(), p.man(), p.version(), p.Help(),
		}},
	}
	for _, room := range p.Rooms {
		p.Commands = append(p.Commands, room.Commands...)
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
	command, err := p.Named(args[1])
	if err != nil {
		return err
	}
	app := &cli.App{
		Name: "dpcalc", HideHelp: true, HideVersion: true, Writer: p.Stdout, ErrWriter: p.Stderr,
		ExitErrHandler: func(*cli.Context, error) {},
		Commands:       each.Of(p.Commands, p.declared),
	}
	return app.RunContext(p.Context, append([]string{args[0], command.Name}, args[2:]...))
}

// declared is a command as the library has it, with its actions. Where a flag stands before the action, the library
// does not find it, and the command's own Action does.
func (p *program) declared(c *commands.Command) *cli.Command {
	return &cli.Command{
		Name: c.Name, SkipFlagParsing: true, HideHelp: true, Subcommands: each.Of(c.Actions, p.declared),
		Action: func(x *cli.Context) error {
			command, typed, err := p.Arguments(c, x.Args().Slice())
			if err != nil {
				return err
			}
			return p.Do(command, typed)
		},
	}
}

// version is a command because people type it; --version says the same.
func (p *program) version() *commands.Command {
	return &commands.Command{
		Name: "version", Summary: "print the version",
		Examples: []string{"dpcalc version", "dpcalc --version"},
		Run:      func(c *commands.Call) error { return c.Print([]byte("dpcalc " + usage.Version() + "\n")) },
	}
}
