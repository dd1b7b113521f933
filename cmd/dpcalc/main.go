// Dpcalc plans samples that are queried adaptively: how many rows, how many
// queries, what accuracy, with which mechanism and by which theorem.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
	"time"

	"github.com/dpcalc/dpcalc/cmd/internal/outfile"
	"github.com/dpcalc/dpcalc/cmd/internal/printed"
)

func main() {
	if os.Getenv("GOGC") == "" { // little is live, and searches allocate much: the collector would run every few rows
		debug.SetGCPercent(400)
	}
	os.Exit(run(os.Args, os.Stdin, os.Stdout, os.Stderr))
}

// exitSignal is added to the number of the signal that ended the program, as shells do.
const exitSignal = 128

// run is the program: it returns the exit code. A signal ends it wherever it computes or
// waits, so the program does not have to look out for one. A server comes to its end. A second signal kills.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	ended := make(chan os.Signal, 1)
	listen(ended)
	defer signal.Stop(ended)
	p := newProgram(&outfile.Session{Context: context.Background(), Stdin: stdin, Stdout: stdout, Stderr: stderr})
	done := make(chan int, 1)
	go func() { done <- p.run(args) }()
	select {
	case code := <-done:
		return code
	case s := <-ended:
		signal.Stop(ended)
		if p.Stop() {
			return <-done
		}
		outfile.Temporaries.Discard()
		p.sayInterrupted()
		number, _ := s.(syscall.Signal)
		return exitSignal + int(number)
	}
}

// sayInterrupted does not wait for a standard error that takes nothing, as a full pipe does.
func (p *program) sayInterrupted() {
	said := make(chan struct{})
	go func() {
		p.Clear()
		fmt.Fprintln(p.Stderr, "dpcalc: interrupted: "+printed.Harmless(p.Written()))
		close(said)
	}()
	select {
	case <-said:
	case <-time.After(100 * time.Millisecond):
	}
}
