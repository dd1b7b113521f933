package samplesize

import (
	"strings"
	"testing"

	"github.com/dpcalc/dpcalc/internal/commandtest"
	"github.com/dpcalc/dpcalc/internal/usage"
)

// A grid is drawn with a line for each method, in every format and in characters; the
// crossover is where splitting stops being best.
func TestGridFigures(t *testing.T) {
	t.Chdir(t.TempDir())
	grid := []string{"samplesize", "-m", "1:1k:log4", "-t", "0.1,0.05", "-b", "0.05", "--method",
		"splitting,gaussian-cvar,laplace"}
	for _, name := range []string{"x.svg", "x.png", "x.pdf"} {
		if code, out, stderr := commandtest.Dpcalc(append(grid, "-o", name)...); code != usage.ExitOK || out != "" ||
			stderr != "" {
			t.Errorf("%s: exit %d, %q, %q", name, code, out, stderr)
		}
	}
	code, out, stderr := commandtest.Dpcalc(append(grid, "--plot")...)
	if code != usage.ExitOK || stderr != "" {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	for _, want := range []string{"Rows needed", "tau 0.1; splitting is best below 8 queries",
		"tau 0.05; splitting is best below 8 queries", "a splitting\n", "b gaussian-cvar\n", "c laplace\n"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	// Splitting grows as m ln m, so its letter ends in the top row of each panel.
	if n := strings.Count(out, "1M +"); n != 2 {
		t.Errorf("%d panels with the tick 1M\n%s", n, out)
	}
}
