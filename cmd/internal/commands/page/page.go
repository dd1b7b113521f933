// Package page runs commands for a web page: on no file system, with nothing on standard input, and
// by a list of texts. The page's state is the part of its address after "#".
package page

import (
	"bytes"
	"context"
	"io"
	"slices"
	"strings"

	"github.com/dpcalc/dpcalc/cmd/internal/commands"
	"github.com/dpcalc/dpcalc/cmd/internal/commands/advise"
	"github.com/dpcalc/dpcalc/cmd/internal/commands/articles"
	"github.com/dpcalc/dpcalc/cmd/internal/commands/power"
	"github.com/dpcalc/dpcalc/cmd/internal/commands/privacy"
	"github.com/dpcalc/dpcalc/cmd/internal/commands/pvalues"
	"github.com/dpcalc/dpcalc/cmd/internal/commands/samplesize"
	"github.com/dpcalc/dpcalc/cmd/internal/commands/steps"
	"github.com/dpcalc/dpcalc/cmd/internal/outfile"
	"github.com/dpcalc/dpcalc/cmd/internal/printed"
	"github.com/dpcalc/dpcalc/cmd/internal/record"
	"github.com/dpcalc/dpcalc/cmd/internal/usage"
	"github.com/dpcalc/dpcalc/internal/parallel"
)

// formats are the formats of the page. Workbooks and drawings are the command line's.
var formats = []record.Format{
	printed.Table, record.CSV, record.TSV, record.JSON, record.JSONLines, printed.Markdown, printed.LaTeX,
}

// answering are the commands that the page has inputs for.
func answering() []*commands.Command {
	return []*commands.Command{
		samplesize.Command(), power.Command(),
		privacy.Transfer(), privacy.Compose(), steps.Command(), pvalues.Command(), advise.Command(),
		articles.Explain(answering), articles.Cite(), articles.Methods(),
	}
}

// front is the page's front end on a session.
func front(s *outfile.Session) *commands.Front {
	f := &commands.Front{Session: s, Formats: formats, Knows: articles.Has, Commands: answering()}
	f.Commands = append(f.Commands, Link(), f.Help())
	f.Rooms = []commands.Room{{Title: "Commands", Commands: f.Commands}}
	return f
}

// Result is what a command line gave.
type Result struct {
	Code           int
	Stdout, Stderr string
}

// Run runs a command line, without the name of the program. What would read or write a file is
// wrong usage.
func Run(args []string) Result { return run(args, nil) }

// ScheduleFile is the name under which [Schedule] keeps the noise.
const ScheduleFile = "noise.csv"

// Schedule is the noise of every query as csv, for a command line of samplesize.
func Schedule(args []string) Result {
	var file bytes.Buffer
	result := run(append(slices.Clone(args), "--schedule", ScheduleFile), &file)
	result.Stdout = file.String()
	return result
}

// run keeps the one file that a command may write, if there is a place for it.
func run(args []string, file io.Writer) Result {
	var stdout, stderr bytes.Buffer
	f := front(&outfile.Session{
		Context: context.Background(), Stdin: strings.NewReader(""), Stdout: &stdout, Stderr: &stderr, Workers: 1,
		Keep: func(string) io.Writer { return file },
	})
	code := f.Exit(parallel.OrFault(func() error {
		if len(args) == 0 {
			return usage.Errorf("got no command, want %s", usage.OrList(f.Names()))
		}
		command, typed, err := f.Read(args)
		if err == nil {
			err = withoutFiles(command, typed, file != nil)
		}
		if err != nil {
			return err
		}
		return f.Do(command, typed)
	}))
	return Result{Code: code, Stdout: stdout.String(), Stderr: stderr.String()}
}

// fileWord is the placeholder of a file's name in the usage of flags and arguments.
const fileWord = "FILE"

// withoutFiles refuses what would read or write a file, but for a schedule that is kept.
func withoutFiles(c *commands.Command, typed usage.Typed, keeps bool) error {
	for _, flag := range c.AllFlags(formats) {
		isFile := flag.Placeholder() == fileWord && typed.Is(flag.Name)
		if isFile && !(keeps && flag.Name == "schedule") {
			return usage.Errorf("--%s: got %s, want it left out: the page has no files, use the command line", flag.Name,
				usage.Shown(typed[flag.Name][0]))
		}
	}
	if rest := typed[usage.Arguments]; len(rest) > 0 && strings.Contains(c.Arguments, fileWord) {
		return usage.Errorf("%s: got the file %s, want none: the page has no files, use the command line", c.Name,
			usage.Shown(rest[0]))
	}
	return nil
}
