package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"github.com/dpcalc/dpcalc/internal/outfile"
	"github.com/dpcalc/dpcalc/internal/usage"
)

// terminal opens a pseudo-terminal: who types and reads, and what the program has.
func terminal(t *testing.T) (person, program *os.File) {
	t.Helper()
	person, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { person.Close() })
	var number, unlocked int32
	for request, argument := range map[uintptr]*int32{syscall.TIOCSPTLCK: &unlocked, syscall.TIOCGPTN: &number} {
		_, _, code := syscall.Syscall(syscall.SYS_IOCTL, person.Fd(), request, uintptr(unsafe.Pointer(argument)))
		if code != 0 {
			t.Fatal(code)
		}
	}
	program, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { program.Close() })
	return person, program
}

// On a terminal questions are asked, what cannot be read is asked again, and the best plan is run at the end.
func TestAdviseOnATerminal(t *testing.T) {
	person, program := terminal(t)
	if _, err := person.WriteString("\n500\ny\n7\nfinal\n?\n3\nbinary\n\n\n\n"); err != nil {
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
