package main

import (
	"bytes"
	"io"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"
)

// The test binary is the program too, in a process of its own, where the environment says
// so: it runs its arguments and tells on file 3 when a function has been called.
const (
	childWaitsFor = "DPCALC_CHILD_WAITS_FOR" // a function's name, or a part of it
	childStuck    = "DPCALC_CHILD_STUCK"     // whether what ends it at a signal hangs
)

func TestMain(m *testing.M) {
	Program = func(s *Session, args []string) int { return newProgram(s).run(args) }
	function, ok := os.LookupEnv(childWaitsFor)
	if !ok {
		os.Exit(m.Run())
	}
	if os.Getenv(childStuck) != "" {
		temporaries.mu.Lock()
	}
	go tell(function, os.NewFile(3, "told"))
	os.Exit(run(os.Args, os.Stdin, os.Stdout, os.Stderr))
}

// refused says whether a command ended with exit 2 and one line, which says this, and wrote
// nothing else.
func refused(code int, stdout, stderr, says string) bool {
	line := strings.Count(stderr, "\n") == 1 && len(stderr) < 1000 && strings.Contains(stderr, says)
	return code == exitUsage && stdout == "" && line
}

// byBits corrects a table of p-values, whose name or - comes after it.
func byBits(more ...string) []string {
	return append([]string{"pvalue-correct", "--alpha", "0.05", "--by", "description", "--bits", "3"}, more...)
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
