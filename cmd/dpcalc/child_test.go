package main

import (
	"bytes"
	"io"
	"os"
	"runtime"
	"testing"
	"time"

	"github.com/dpcalc/dpcalc/cmd/internal/commandtest"
	"github.com/dpcalc/dpcalc/cmd/internal/outfile"
)

// The test binary is the program too, in a process of its own, where the environment says
// so: it runs its arguments and tells on file 3 when a function has been called.
const (
	childWaitsFor = "DPCALC_CHILD_WAITS_FOR" // a function's name, or a part of it
	childStuck    = "DPCALC_CHILD_STUCK"     // whether what ends it at a signal hangs
)

func TestMain(m *testing.M) {
	commandtest.Program = func(s *outfile.Session, args []string) int { return newProgram(s).run(args) }
	function, ok := os.LookupEnv(childWaitsFor)
	if !ok {
		os.Exit(m.Run())
	}
	if os.Getenv(childStuck) != "" {
		outfile.Temporaries.Mu.Lock()
	}
	go tell(function, os.NewFile(3, "told"))
	os.Exit(run(os.Args, os.Stdin, os.Stdout, os.Stderr))
}

// tell writes a line when the function is on some goroutine's stack, by which time the
// program listens to signals.
func tell(function string, to io.Writer) {
	stacks := make([]byte, 1<<20)
	for {
		all := stacks[:runtime.Stack(stacks, true)]
		if bytes.Contains(all, []byte("(*program).dispatch(")) && bytes.Contains(all, []byte(function)) {
			_, _ = io.WriteString(to, "there\n")
			return
		}
		time.Sleep(time.Millisecond)
	}
}
