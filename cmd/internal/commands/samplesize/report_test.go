package samplesize

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/dpcalc/dpcalc/cmd/internal/commands"
	"github.com/dpcalc/dpcalc/cmd/internal/commands/goals"
	"github.com/dpcalc/dpcalc/cmd/internal/commandtest"
	"github.com/dpcalc/dpcalc/cmd/internal/printed"
	"github.com/dpcalc/dpcalc/cmd/internal/record"
	"github.com/dpcalc/dpcalc/cmd/internal/usage"
	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer"
	"github.com/dpcalc/dpcalc/transfer/noise"
)

// reported is a plan that a method serves: its command and its goal.
func reported(m transfer.Method) (args []string, g transfer.Goal) {
	args = []string{"samplesize", "-m", "30", "-t", "0.1", "-b", "0.05", "--query", "binary", "--report", "--method",
		m.Name}
	g = transfer.Goal{Queries: 30, Tau: 0.1, Beta: theory.LogProb(math.Log(0.05)), Query: transfer.Binary}
	if m.NeedsBudget() {
		args, g.Budget = append(args, "-B", "7"), 7
	}
	if m.Name == "transcripts" {
		args, g.Transcripts = append(args, "--transcripts", "1000"), 1000
	}
	if m.IsRedrawn() {
		args, g.Sample = append(args, "--population", "4000"), transfer.Subset{Items: 4000}
	}
	if g.Open = m.IsOpen(); m.IsOpen() {
		args = append(args, "--open")
	}
	for g.Feedback = transfer.Answers; !m.Serves(g.Feedback); {
		g.Feedback++
	}
	return append(args, "--feedback", g.Feedback.String()), g
}

// Every method has a paragraph in every style that says what a reader must know:
// queries, records, accuracy, failure probability, mechanism, theorem, assumptions.
func TestReportOfEveryMethod(t *testing.T) {
	for _, m := range transfer.Methods() {
		args, goal := reported(m)
		answer, err := m.Solve(goal)
		if err != nil || answer.Status != transfer.OK {
			t.Fatalf("%s: %+v, %v", m.Name, answer, err)
		}
		for _, format := range []string{"table", "markdown", "latex"} {
			code, out, stderr := commandtest.Dpcalc(append(args, "-f", format)...)
			if code != usage.ExitOK || stderr != "" {
				t.Fatalf("%s: exit %d: %s", m.Name, code, stderr)
			}
			text := strings.Join(strings.Fields(out), " ")
			wants := append([]string{"30", record.People(record.Count(answer.Samples)), "0.1", "0.05", m.Name, "Assumptions: "},
				m.Sources[0].Key)
			if answer.Mechanism.Noise != "" && format != "latex" {
				wants = append(wants, record.People(record.Exactly(answer.Mechanism.Scale)))
			}
			if m.NeedsBudget() {
				wants = append(wants, "7")
			}
			if m.Procedure {
				wants = append(wants, "differentially private")
			}
			switch {
			case goal.Feedback == transfer.Final:
				wants = append(wants, "chosen before any of them is scored")
			case m.Adaptive:
				wants = append(wants, "may depend on the answers")
			}
			for _, want := range wants {
				if !strings.Contains(text, want) {
					t.Errorf("%s, %s: no %q in\n%s", m.Name, format, want, out)
				}
			}
			for line := range strings.Lines(out) {
				if n := len([]rune(strings.TrimSpace(line))); n > 78 && strings.Contains(strings.TrimSpace(line), " ") {
					t.Errorf("%s, %s: a line of %d columns: %s", m.Name, format, n, line)
				}
			}
		}
	}
}

// Every report has what a guarantee depends on and where its proof is: a public address,
// at the version of the program, and a word on what no one has refereed.
func TestReportOfSecrecyAndProof(t *testing.T) {
	defer func(old string) { usage.Release = old }(usage.Release)
	for _, usage.Release = range []string{"v9.8.7", ""} {
		for _, m := range transfer.Methods() {
			args, _ := reported(m)
			rounds := strings.HasPrefix(m.Name, "rounding")
			noisy := m.Adaptive && !m.Splits && !rounds && (!m.IsOpen() || m.Scheduled)
			switch m.Name {
			case "gate", "gate-renggli19", "ladder", "ladder-blum15", "sparse-validate", "sealed", "transcripts",
				"rounding-widths", "subset":
				noisy = false
			}
			_, out, _ := commandtest.Dpcalc(args...)
			text := strings.Join(strings.Fields(out), " ")
			derived := m.Proof == transfer.Derived
			checked := slices.Contains([]string{"gate", "ladder", "sparse-validate", "sealed", "rounding-widths", "open-gate",
				"open-board", "open-guess", "gaussian", "gaussian-schedule", "gaussian-open"}, m.Name)
			for want, is := range map[string]bool{
				"https://github.com/dpcalc/dpcalc":                  true,
				"answering stops":                                   m.Adaptive && !m.IsOpen(),
				"after the last query.":                             m.Adaptive && !m.IsOpen(),
				"any number of binary queries":                      m.IsOpen(),
				"Nothing else about the sample is shown to anybody": m.Adaptive && !noisy,
				"has been computed for 30 answers":                  m.IsOpen() && noisy,
				"noise nor anything else about":                     noisy && m.NeedsBudget(),
				"Neither it nor anything else about":                noisy && !m.NeedsBudget(),
				"when the budget is spent":                          noisy && m.NeedsBudget(),
				"own and has not been refereed":                     derived && !checked,
				"is checked by Coq from the hypotheses to the ":     checked,
				"dpcalc v9.8.7":                                     usage.Release != "",
				"/blob/v9.8.7/docs/theorems/":                       derived && !checked && usage.Release != "",
				"/blob/v9.8.7/docs/check/proofs.md":                 checked && usage.Release != "",
				"docs/theorems/":                                    derived,
				"on the training set that is off by more":           noisy && m.NeedsBudget(),
				"standard deviation falls from":                     m.Scheduled && !m.IsOpen(),
				"standard deviation goes from 0.0":                  m.Scheduled && m.IsOpen(),
				"for the first answer to 0":                         m.Scheduled,
				"Each answer is the value on the sample, r":         rounds,
			} {
				if strings.Contains(text, want) != is {
					t.Errorf("%s of %q: %q: %v, want %v\n%s", m.Name, usage.Release, want, !is, is, out)
				}
			}
		}
	}
}

// The threshold of Thresholdout is three quarters of the tau achieved, whatever is solved
// for, and the report's promise is at that tau: the one at a greater tau, with the half of
// it that the budget is about, would need another threshold.
func TestThresholdGoesWithTheTauOfThePromise(t *testing.T) {
	for _, method := range []string{"thresholdout", "thresholdout-dwork15", "thresholdout-dwork15-n0",
		"thresholdout-dwork15-n1"} {
		for _, goal := range []string{
			"-m 3 -t 0.3 -b 0.05", "-n 300M -m 3 -b 0.05", "-n 300M -t 0.3 -b 0.05", "-n 300M -m 3 -t 0.3",
			"-n 300M -m 3 -t 0.3 -b 0.05",
		} {
			args := append(strings.Fields("samplesize -B 1 --method "+method), strings.Fields(goal)...)
			rows := commandtest.RowsOf(t, args...)
			tau, ok := rows[0]["tau_achieved"].(float64)
			if threshold := rows[0]["threshold"]; !ok || threshold != 0.75*tau {
				t.Fatalf("%v: threshold %v, tau achieved %v", args, threshold, tau)
			}
			_, out, _ := commandtest.Dpcalc(append(args, "--report")...)
			text := strings.Join(strings.Fields(out), " ")
			for _, want := range []string{"T = " + record.People(record.Exactly(0.75*tau)) + ",",
				"within " + record.People(record.Exactly(tau)) + " of its population value as long as"} {
				if !strings.Contains(text, want) {
					t.Errorf("%v: no %q in\n%s", args, want, out)
				}
			}
		}
	}
}

// The report of a schedule whose last answer has no noise says so, and so do the rows.
func TestScheduleWithoutLastNoise(t *testing.T) {
	method := certifier(transfer.Answer{})
	r := goals.Row{Method: &method, Answer: transfer.Answer{
		Goal:      transfer.Goal{Samples: 1000, Queries: 10, Tau: 0.1, Beta: theory.LogProb(math.Log(0.05))},
		Mechanism: transfer.Mechanism{Noise: "gaussian", ScaleFirst: 0.0138404, Schedule: new(noise.Plan)},
		Status:    transfer.OK,
	}}
	s := request{unknown: transfer.Samples, methods: []transfer.Method{method}}
	if text := strings.Join(strings.Fields(s.paragraph(&r, *printed.Table.Prose)), " "); !strings.Contains(text,
		"falls from 0.0138404 for the first answer to 0 for the last.") {
		t.Errorf("%s", text)
	}
	scale, first, last := goals.ColumnNoiseScale.Cell(&r), goals.ColumnNoiseFirst.Cell(&r), goals.ColumnNoiseLast.Cell(&r)
	if got := record.People(goals.NoiseCell(r.Mechanism)); scale.Form != record.Missing || first.F != 0.0138404 ||
		last.Form != record.NumberForm || last.F != 0 || got != "0.0138 > 0" {
		t.Errorf("%+v, %+v, %+v, %q", scale, first, last, got)
	}
	cells := record.Row(nil, s.columns(), &r)
	encoder := record.CSV.Encode(record.Result{Columns: record.Names(s.columns())})
	line := string(encoder.Row(nil, true, cells))
	if !strings.Contains(line, ",0.0138404,0,") || !strings.Contains(line, ",gaussian,,,") {
		t.Errorf("%s", line)
	}
	for first, want := range map[float64]string{0.0138404: "0.0138 > 0.00321", 0.012: "0.012 > 0.00321",
		0.00320511: "0.00320511"} {
		r.Mechanism.ScaleFirst, r.Mechanism.Scale = first, 0.00320511
		if got := record.People(goals.NoiseCell(r.Mechanism)); got != want {
			t.Errorf("%v: %q, want %q", first, got, want)
		}
	}
	// The one answer of a schedule may have no noise at all.
	r.Queries, r.Mechanism.ScaleFirst, r.Mechanism.Scale = 1, 0, 0
	text := strings.Join(strings.Fields(s.paragraph(&r, *printed.Table.Prose)), " ")
	if record.People(goals.NoiseCell(r.Mechanism)) != "0" || !strings.Contains(text, "Each answer is the value") ||
		strings.Contains(text, "noise") {
		t.Errorf("%q, %s", record.People(goals.NoiseCell(r.Mechanism)), text)
	}
}

// What a report cannot be is an error before anything is written.
func TestReportErrors(t *testing.T) {
	goal := []string{"samplesize", "-m", "30", "-t", "0.1", "-b", "0.05"}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"--report", "-f", "csv"}, "--report: got the format csv, want table, markdown or latex"},
		{[]string{"--report", "--plot"}, "--plot: given with --report, want one of the two"},
		{[]string{"--plot"}, "plot: got a single goal"},
		{[]string{"--plot", "-f", "csv"}, "--plot: got the format csv"},
		{[]string{"-o", "x.svg"}, "plot: got a single goal"},
		{[]string{"-o", "x.svg", "-n", "100"}, "plot: got all four quantities"},
	} {
		t.Chdir(t.TempDir())
		code, out, stderr := commandtest.Dpcalc(append(goal, c.args...)...)
		if code != usage.ExitUsage || out != "" || !strings.HasPrefix(stderr, "dpcalc: "+c.want) {
			t.Errorf("%v: exit %d, %q, %q", c.args, code, out, stderr)
		}
	}
}

// The crossover is told where it is true: splitting is best up to one point or from one
// point on, and not where it is so twice, never, or for paired lists.
func TestCrossoverOfAGrid(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string // of the line about splitting, "" for none
	}{
		{[]string{"-m", "1:1M:log13", "-t", "0.1", "-b", "0.05"}, "splitting is best below 8 queries"},
		{[]string{"-t", "0.01:0.3:log13", "-n", "10k", "-b", "0.05"}, "splitting is no longer best from tau 0.0547723 on"},
		{[]string{"-m", "100:1M:log5", "-t", "0.1", "-b", "0.05"}, ""},
		{[]string{"-m", "1,2,3,100", "-t", "0.5,0.01,0.02,0.1", "-b", "0.05,1e-9,1e-9,0.05", "--zip"}, ""},
	} {
		code, out, stderr := commandtest.Dpcalc(append([]string{"samplesize", "--plot", "--method",
			"splitting,gaussian-cvar,laplace"}, c.args...)...)
		if code != usage.ExitOK {
			t.Fatalf("%v: exit %d: %s", c.args, code, stderr)
		}
		got := ""
		for line := range strings.Lines(out) {
			if strings.Contains(line, "splitting is") {
				got = strings.TrimSpace(line)
			}
		}
		if got != c.want {
			t.Errorf("%v: %q, want %q", c.args, got, c.want)
		}
	}
	// Whatever the theorems give: no word where it begins and ends more than once.
	for _, c := range []struct{ best, want string }{
		{"s g g g", "splitting-exact is no longer best from queries 2 on"}, {"g g s s", "splitting-exact is best from queries 3 on"},
		{"s g s s", ""}, {"s S g g", "a form of splitting is no longer best from queries 3 on"}, {"g s g g", ""}, {"s s s s", ""}, {"g g g g", ""},
		{"- s - g", "splitting-exact is no longer best from queries 4 on"}, {"- - - -", ""},
	} {
		names := map[string]string{"s": "splitting-exact", "S": "splitting", "g": "gaussian"}
		queries := []int64{1, 2, 3, 4}
		grid, err := commands.NewGrid(transfer.Goal{Samples: 100}, false,
			commands.AxisOf("queries", queries, func(g *transfer.Goal, m int64) { g.Queries = m }))
		if err != nil {
			t.Fatal(err)
		}
		s := request{unknown: transfer.Tau, grid: goals.Grid{Grid: grid}, goals: 4}
		rows := make([][]goals.Row, 4)
		for i, letter := range strings.Fields(c.best) {
			rows[i] = []goals.Row{{Method: &transfer.Method{Name: names[letter], Splits: strings.EqualFold(letter, "s")},
				Best: names[letter] != ""}}
		}
		if _, got, err := s.crossover(t.Context(), goals.Drawn()[0], rows, []int{3, 1, 0, 2}); got != c.want || err != nil {
			t.Errorf("%s: %q, %v, want %q", c.best, got, err, c.want)
		}
	}
	// With no answer there is nothing to draw.
	code, out, stderr := commandtest.Dpcalc("samplesize", "-n", "1", "-m", "1000,2000", "-b", "1e-9", "--method",
		"splitting", "--plot")
	if code != usage.ExitNoAnswer || out != "" || stderr != "dpcalc: no method has an answer to draw\n" {
		t.Errorf("exit %d, %q, %q", code, out, stderr)
	}
}

// Without an adaptive method the report is on the best of the others; a goal without an
// answer is repeated as it was put.
func TestReportOfReferencesAndOfNothing(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"-m", "50", "-t", "0.1", "-b", "0.05", "--query", "binary", "--method", "hoeffding,binomial"},
			"by the method binomial of"},
		{[]string{"-m", "1000", "-t", "0.1", "-b", "0.05"},
			"by the method gaussian-schedule of"}, // and not hoeffding, which needs less
		{[]string{"-n", "1", "-m", "1000", "-b", "1e-9", "--method", "splitting"},
			"No method answers this goal: rows 1, queries 1000, beta 1e-9."},
		{[]string{"-m", "10", "-t", "0.1", "-b", "0.05", "--method", "dp-approx-dwork15"}, "and delta = e^-295.11."},
		{[]string{"-m", "10", "-t", "0.1", "-b", "0.05", "--query", "sensitive", "--sensitivity", "3"},
			"which one row moves by at most 3/n"},
		{[]string{"-m", "1", "-t", "0.1", "-b", "0.05", "--method", "splitting"}, "Each answer is the value on the sample."},
	} {
		_, out, _ := commandtest.Dpcalc(append([]string{"samplesize", "--report"}, c.args...)...)
		if text := strings.Join(strings.Fields(out), " "); !strings.Contains(text, c.want) {
			t.Errorf("%v: no %q in\n%s", c.args, c.want, out)
		}
	}
}
