package samplesize

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/dpcalc/dpcalc/cmd/internal/commandtest"
	"github.com/dpcalc/dpcalc/cmd/internal/usage"
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
		"tau 0.05; splitting is best below 8 queries", "a splitting, published\n", "b gaussian-cvar, derived\n",
		"c laplace, derived\n"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	// Splitting grows as m ln m, so its letter ends in the top row of each panel.
	if n := strings.Count(out, "1M +"); n != 2 {
		t.Errorf("%d panels with the tick 1M\n%s", n, out)
	}
}

// drawnTexts are the texts of the figure of a command, which do not overlap.
func drawnTexts(t *testing.T, command string) (texts []string) {
	t.Helper()
	code, out, stderr := commandtest.Dpcalc(append(strings.Fields(command), "-o", "x.svg")...)
	if code != usage.ExitOK || out+stderr != "" {
		t.Fatalf("%s: exit %d, %q, %q", command, code, out, stderr)
	}
	page, err := os.ReadFile("x.svg")
	if err != nil {
		t.Fatal(err)
	}
	all, size := commandtest.Texts(t, page)
	commandtest.CheckOverlap(t, all, size)
	for _, text := range all {
		texts = append(texts, text.Text)
	}
	return texts
}

// A reference curve says what it is for, and the key says which proofs are published. Every number of a goal can be
// the axis, and what is shown stands in the title.
func TestFiguresDoNotMislead(t *testing.T) {
	t.Chdir(t.TempDir())
	const both = "filled markers: derived in dpcalc; hollow markers: published"
	for command, want := range map[string][]string{
		"samplesize -m 10,100 -t 0.1 -b 0.05": {"hoeffding (fixed queries only)",
			"filled markers: derived in dpcalc or checked by Coq; hollow markers: published", "queries"},
		"samplesize -m 10,100 -t 0.1 -b 0.05 --method splitting,rounding": {"published; hollow markers"},
		"samplesize -m 10,100 -t 0.1 -b 0.05 --method gaussian,laplace":   {"derived in dpcalc or checked by Coq"},
		"samplesize -m 10,2M -t 0.1 -b 0.05 --method gaussian":            {"derived in dpcalc"}, // beyond a million the CVaR theorem counts
		"samplesize -m 10,100 -t 0.1 -b 0.05 --method dp,dp-dwork15":      {"dp (dp procedure)", both},
		"samplesize -m 50 -t 0.1 -b 0.05 --feedback gate --passes 1,9,50 --method gate,gate-renggli19": {"passes",
			"filled markers: checked by Coq; hollow markers: published",
			"queries 50, tau 0.1, beta 0.05, bounded queries, only pass or fail shown"},
		"samplesize -m 50 -t 0.1 -b 0.05 --feedback flags -B 1,9,50 --method sparse-validate": {"budget"},
		"samplesize -m 50 -t 0.1 -b 0.05 --feedback best --floor 0:0.6:0.2 --method ladder":   {"floor"},
		"samplesize -m 50 -t 0.1 -b 0.05 --query difference --disagreement 0.2,0.6,1 --method splitting-exact": {
			"disagreement"},
		"samplesize -m 50 -t 0.1 -b 0.05 --query binary --past-looks 1,4 --method transcripts --transcripts 2^40": {
			"past looks"},
		"samplesize -m 50,500 -t 0.1 -b 0.05 --feedback gate --method gate":    {"queries"},
		"samplesize -m 10,100,1000 -t 0.05:0.2:0.01 -b 0.05 --method gaussian": {"0.04", "0.12", "0.2"}, // of 9 ticks
	} {
		texts := drawnTexts(t, command)
		for _, text := range want {
			if !slices.Contains(texts, text) {
				t.Errorf("%s: no %q in %q", command, text, texts)
			}
		}
	}
}

// One method and several goals are one panel with a curve for each goal.
func TestOneMethodOnePanel(t *testing.T) {
	t.Chdir(t.TempDir())
	const command = "samplesize -m 10,20,40,80 -t 0.1,0.2 -b 0.05,0.01 --method splitting"
	texts := drawnTexts(t, command)
	if texts[0] != "Rows needed by splitting" {
		t.Errorf("title %q", texts[0])
	}
	for _, want := range []string{"tau 0.1, beta 0.05", "tau 0.1, beta 0.01", "tau 0.2, beta 0.05", "tau 0.2, beta 0.01"} {
		if !slices.Contains(texts, want) {
			t.Errorf("no curve %q in %q", want, texts)
		}
	}
	axes := slices.DeleteFunc(texts, func(text string) bool { return text != "queries" })
	if len(axes) != 1 {
		t.Errorf("%d panels", len(axes))
	}
	code, out, stderr := commandtest.Dpcalc(strings.Fields("samplesize -m 1:9:1 -t 0.1,0.2 -b 1%:7%:1% --method splitting -o y.svg")...)
	if code != usage.ExitUsage || out != "" || strings.Count(stderr, "\n") != 1 ||
		!strings.Contains(stderr, "got 14 curves, want at most 12") {
		t.Errorf("exit %d, %q, %q", code, out, stderr)
	}
	if files, err := os.ReadDir("."); err != nil || len(files) != 1 {
		t.Errorf("files %v, %v", files, err)
	}
}
