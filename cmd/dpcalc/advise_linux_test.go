package main

import (
	"bytes"
	"context"
	"io"
	"strings"
	"testing"

	"github.com/dpcalc/dpcalc/cmd/internal/outfile"
	"github.com/dpcalc/dpcalc/cmd/internal/usage"
)

// On a terminal questions are asked, what cannot be read is asked again, and the best plan is run at the end.
func TestAdviseOnATerminal(t *testing.T) {
	person, program := terminal(t)
	if _, err := person.WriteString("\n\n500\ny\n7\nfinal\n?\n3\nbinary\n\n\n\n"); err != nil {
		t.Fatal(err)
	}
	var out, shown bytes.Buffer
	read := make(chan struct{})
	go func() {
		_, _ = io.Copy(&shown, person) // it ends with an error when nobody has the other end
		close(read)
	}()
	s := &outfile.Session{Context: context.Background(), Stdin: program, Stdout: &out, Stderr: program}
	code := newProgram(s).run([]string{"dpcalc", "advise"})
	program.Close()
	<-read
	for _, line := range []string{"got 7, want answers, gate, best, flags, final or unsure", "   1  yes\r\n",
		"How many finalists are scored, once and together?",
		"Run dpcalc samplesize -n 500 -m 3 -b 0.05 --query binary --feedback final --method sealed now?"} {
		if !strings.Contains(shown.String(), line) {
			t.Errorf("no %q in %s", line, shown.String())
		}
	}
	if code != usage.ExitOK || !strings.Contains(out.String(), "* sealed, least tau: ") {
		t.Errorf("exit %d, %s", code, out.String())
	}
}
