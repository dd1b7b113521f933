package main

import (
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
)

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

// run runs a command line, and returns the exit code.
func (p *program) run(args []string) int {
	switch {
	case len(args) < 2:
		_, _ = p.Stderr.Write(p.HelpPage())
		return usage.ExitUsage
	case args[1] == "--version" && len(args) > 2:
		return p.Exit(usage.Errorf("--version: unexpected argument %s", usage.Shown(args[2])))
	case args[1] == "--version":
		return p.Run([]string{p.version().Name})
	}
	return p.Run(args[1:])
}

// version is a command because people type it; --version says the same.
func (p *program) version() *commands.Command {
	return &commands.Command{
		Name: "version", Summary: "print the version",
		Examples: [2]string{"dpcalc version", "dpcalc --version"},
		Run:      func(c *commands.Call) error { return c.Print([]byte("dpcalc " + usage.Version() + "\n")) },
	}
}
