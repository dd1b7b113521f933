// Package commandtest runs commands in tests, and reads what they write.
package commandtest

import (
	"bytes"
	"context"
	"flag"
	"regexp"
	"strings"

	"github.com/dpcalc/dpcalc/cmd/internal/commands"
	"github.com/dpcalc/dpcalc/cmd/internal/figures"
	"github.com/dpcalc/dpcalc/cmd/internal/outfile"
	"github.com/dpcalc/dpcalc/cmd/internal/printed"
	"github.com/dpcalc/dpcalc/cmd/internal/record"
	"github.com/dpcalc/dpcalc/cmd/internal/workbook"
)

// Update rewrites what tests compare with.
var Update = flag.Bool("update", false, "rewrite what the program prints where tests compare it")

// Program is the program that the tests run: the name of the program and its arguments, on
// a session. A package of tests sets it, most of them by [Offer].
var Program func(s *outfile.Session, args []string) int

// Offer makes commands, with all formats, the program that the tests run.
func Offer(list ...*commands.Command) {
	all := []record.Format{printed.Table, record.CSV, record.TSV, record.JSON, record.JSONLines, printed.Markdown,
		printed.LaTeX, workbook.Format, figures.SVG, figures.PNG, figures.PDF}
	Program = func(s *outfile.Session, args []string) int {
		return (&commands.Front{Session: s, Commands: list, Formats: all}).Run(args[1:])
	}
}

// RunIn runs a command line on a session.
func RunIn(s *outfile.Session, args []string) int { return Program(s, args) }

// Dpcalc runs a command line.
func Dpcalc(args ...string) (code int, stdout, stderr string) {
	return DpcalcReading("", args...)
}

// DpcalcReading runs a command line that has a text for standard input.
func DpcalcReading(stdin string, args ...string) (code int, stdout, stderr string) {
	var out, errs bytes.Buffer
	s := &outfile.Session{Context: context.Background(), Stdin: strings.NewReader(stdin), Stdout: &out, Stderr: &errs}
	code = Program(s, append([]string{"dpcalc"}, args...))
	return code, out.String(), errs.String()
}

// continued is the end of a line of a note that goes on in the next one.
var continued = regexp.MustCompile(`\n  (\S)`)

// Unfolded returns what people read with every note on one line, whatever the width of the terminal.
func Unfolded(text string) string { return continued.ReplaceAllString(text, " $1") }
