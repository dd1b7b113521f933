package samplesize

import (
	"context"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/dpcalc/dpcalc/cmd/internal/commands"
	"github.com/dpcalc/dpcalc/cmd/internal/commandtest"
	"github.com/dpcalc/dpcalc/cmd/internal/outfile"
	"github.com/dpcalc/dpcalc/cmd/internal/printed"
	"github.com/dpcalc/dpcalc/cmd/internal/record"
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

// Several kinds of feedback have a line each, of the best rows of their own commands. It is the figure of the looks.
func TestFigureOfFeedbacks(t *testing.T) {
	const base, picture = "samplesize -m 1:1000:log31 -t 10% -b 0.05", "../../../../docs/img/looks.svg"
	lines := []string{"every score", "the best score so far", "pass or fail, to the first pass", "the final choice among so many"}
	code, drawn, stderr := commandtest.Dpcalc(strings.Fields(base + " --feedback answers,best,gate,final --passes 1 -f svg")...)
	if code != usage.ExitOK || stderr != "" {
		t.Fatalf("exit %d, %s", code, stderr)
	}
	all, size := commandtest.Texts(t, []byte(drawn))
	commandtest.CheckOverlap(t, all, size)
	var texts []string
	for _, text := range all {
		texts = append(texts, text.Text)
	}
	for _, line := range lines {
		i := slices.IndexFunc(texts, func(text string) bool { return strings.HasPrefix(text, line) })
		if i < 0 {
			t.Errorf("no line %q in %q", line, texts)
		}
	}
	if *commandtest.Update {
		if err := os.WriteFile(picture, []byte(drawn), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if page, err := os.ReadFile(picture); err != nil || string(page) != drawn {
		t.Errorf("%s (%d bytes, %v) is not what is drawn (%d bytes)", picture, len(page), err, len(drawn))
	}
	for line, want := range map[string]string{
		"-m 1,9 --feedback answers,best":                    "--feedback: got answers,best, want one kind in a table; --plot or -o with .svg",
		"-m 1,9 --feedback answers,no --plot":               "--feedback: got no, want answers, gate, best, flags or final",
		"-m 1,9 --feedback best,best --plot":                "--feedback: got best twice",
		"-m 1,9 --feedback answers,best,gate -f json":       "want one kind in a table",
		"-m 9 --feedback answers,best --plot":               "plot: got a single goal",
		"-m 1,9 --passes 1,2 --feedback gate,best --plot":   "plot: got several lists of numbers",
		"-m 1,9 --passes 1 --feedback answers,best --plot":  "--passes needs --feedback gate",
		"-m 1,9 --floor 0.5 --feedback answers,gate --plot": "--floor",
	} {
		code, out, stderr := commandtest.Dpcalc(append(strings.Fields("samplesize -t 5% -b 0.05"), strings.Fields(line)...)...)
		if !commandtest.Refused(code, out, stderr, want) {
			t.Errorf("%s: exit %d, %s%s, want %s", line, code, out, stderr, want)
		}
	}
}

// The line of a kind of feedback has the best rows of its own command, whatever the flags of the other kinds are.
func TestLinesOfFeedbacks(t *testing.T) {
	var drawn record.Figure
	capture := record.Format{Name: "drawn", Draw: func(_ io.Writer, f record.Figure) error { drawn = f; return nil }}
	const goal = "samplesize -t 5% -b 0.05 -m "
	for flags, kinds := range map[string][]string{
		"gate,best --passes 3 --floor 0.5":       {"gate --passes 3", "best --floor 0.5"},
		"flags,final,gate --passes 1 --budget 2": {"flags --budget 2", "final", "gate --passes 1"},
		"answers,best --query binary":            {"answers --query binary", "best --query binary"},
	} {
		s := &outfile.Session{Context: context.Background(), Stdout: io.Discard, Stderr: io.Discard}
		front := commands.Front{Session: s, Commands: []*commands.Command{Command()}}
		front.Formats = []record.Format{printed.Table, capture}
		if code := front.Run(strings.Fields(goal + "10,100,1000 -f drawn --feedback " + flags)); code != usage.ExitOK {
			t.Fatalf("%s: exit %d", flags, code)
		}
		lines := drawn.Panels[0][0].Lines
		if len(lines) != len(kinds) {
			t.Fatalf("%s: %d lines", flags, len(lines))
		}
		for i, kind := range kinds {
			for j, m := range []string{"10", "100", "1000"} {
				best := commandtest.RowsOf(t, strings.Fields(goal+m+" --best --feedback "+kind)...)[0]
				if got := lines[i].Y[j]; got != best["samples"] {
					t.Errorf("%s: %q has %v rows at %s looks, want %v", flags, lines[i].Label, got, m, best["samples"])
				}
			}
		}
	}
}
