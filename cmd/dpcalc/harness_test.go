package main

import (
	"bytes"
	"context"
	"flag"
	"strings"
)

// update rewrites what tests compare with.
var update = flag.Bool("update", false, "rewrite what the program prints where tests compare it")

// Program is the program that the tests run: the name of the program and its arguments, on
// a session. A package of tests sets it, most of them by [offer].
var Program func(s *Session, args []string) int

// offer makes commands, with all formats, the program that the tests run.
func offer(list ...*Command) {
	all := []Format{PrintedTable, CSV, TSV, JSON, JSONLines, PrintedMarkdown, PrintedLaTeX, Workbook, SVG, PNG, PDF}
	Program = func(s *Session, args []string) int {
		return (&Front{Session: s, Commands: list, Formats: all}).Run(args[1:])
	}
}

// runIn runs a command line on a session.
func runIn(s *Session, args []string) int { return Program(s, args) }

// dpcalc runs a command line.
func dpcalc(args ...string) (code int, stdout, stderr string) {
	return dpcalcReading("", args...)
}

// dpcalcReading runs a command line that has a text for standard input.
func dpcalcReading(stdin string, args ...string) (code int, stdout, stderr string) {
	var out, errs bytes.Buffer
	s := &Session{Context: context.Background(), Stdin: strings.NewReader(stdin), Stdout: &out, Stderr: &errs}
	code = Program(s, append([]string{"dpcalc"}, args...))
	return code, out.String(), errs.String()
}
