package holdout

import (
	"context"
	"os"
	"testing"

	"github.com/dpcalc/dpcalc/cmd/internal/commands/samplesize"
	"github.com/dpcalc/dpcalc/cmd/internal/commandtest"
	"github.com/dpcalc/dpcalc/cmd/internal/outfile"
)

func init() { commandtest.Offer(Command(), MCP(), samplesize.PlanFile(), samplesize.Command()) }

// programVariable makes the tests' binary the program, for the scripts of the documents.
const programVariable = "DPCALC_HOLDOUT_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(programVariable) != "" {
		s := &outfile.Session{Context: context.Background(), Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr}
		os.Exit(commandtest.RunIn(s, os.Args))
	}
	os.Exit(m.Run())
}
