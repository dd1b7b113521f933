package main

import (
	"os"
	"strings"
	"testing"

	"github.com/dpcalc/dpcalc/cmd/internal/outfile"
)

// Every command line of the documents and tests from before actions had flags of their own is read as it was, but for
// those that name what is gone.
func TestLinesOfBefore(t *testing.T) {
	data, err := os.ReadFile("testdata/lines-before.tsv")
	if err != nil {
		t.Fatal(err)
	}
	lines, gone := 0, 0
	for line := range strings.Lines(string(data)) {
		args := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		_, typed, err := newProgram(&outfile.Session{}).Read(args)
		switch lines++; {
		case err == nil && typed == nil:
			t.Errorf("%s: nothing was read", strings.Join(args, " "))
		case err != nil && strings.Contains(err.Error(), " is gone, use "):
			gone++
		case err != nil:
			t.Errorf("%s: %v", strings.Join(args, " "), err)
		}
	}
	if lines < 600 || gone > lines/20 {
		t.Errorf("%d lines, of which %d are gone", lines, gone)
	}
}
