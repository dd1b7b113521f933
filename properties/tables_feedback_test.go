package properties

import (
	"flag"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer"
)

var update = flag.Bool("update", false, "rewrite the tables of docs/check/performance.md and docs/use/comparison.md")

// cell is the rows that a method needs, as the tables write it, or why there are none.
func cell(t *testing.T, method string, g transfer.Goal) string {
	t.Helper()
	m, ok := transfer.Lookup(method)
	if !ok {
		t.Fatalf("there is no method %s", method)
	}
	a, err := m.Solve(g)
	switch {
	case err != nil:
		t.Fatalf("%s %+v: %v", method, g, err)
	case a.Status != transfer.OK:
		return ""
	}
	digits := strconv.FormatInt(a.Samples, 10)
	for at := len(digits) - 3; at > 0; at -= 3 {
		digits = digits[:at] + "," + digits[at:]
	}
	return digits
}

func shownAs(g transfer.Goal, s transfer.Shown) transfer.Goal {
	g.Shown = s
	return g
}

// byFeedback is a line for each kind of goal, a column for each kind of feedback.
func byFeedback(t *testing.T) string {
	var b strings.Builder
	b.WriteString("| m | tau | gate: 1 pass | 10 | all | board | guesses: 1 flag | 10 | `thresholdout`: 1 | finalists | answers |\n|" + strings.Repeat(" ---: |", 11) + "\n")
	for _, m := range []int64{10, 100, 1e3, 1e6} {
		for _, tau := range []float64{0.1, 0.02} {
			g := transfer.Goal{Queries: m, Tau: tau, Beta: theory.LogProb(math.Log(0.05))}
			row := []string{strconv.FormatInt(m, 10), strconv.FormatFloat(tau, 'g', -1, 64)}
			for _, passes := range []int64{1, 10, m} {
				row = append(row, cell(t, "gate", shownAs(g, transfer.Shown{Feedback: transfer.Gate, Passes: passes})))
			}
			row = append(row, cell(t, "ladder", shownAs(g, transfer.Shown{Feedback: transfer.Best})))
			for _, method := range []struct {
				name  string
				flags []int64
			}{{"sparse-validate", []int64{1, 10}}, {"thresholdout", []int64{1}}} {
				for _, flags := range method.flags {
					flagged := shownAs(g, transfer.Shown{Feedback: transfer.Flags})
					flagged.Budget = flags
					row = append(row, cell(t, method.name, flagged))
				}
			}
			final := shownAs(g, transfer.Shown{Feedback: transfer.Final})
			row = append(row, cell(t, "sealed", final), cell(t, "gaussian-schedule", g))
			b.WriteString("| " + strings.Join(row, " | ") + " |\n")
		}
	}
	return b.String()
}

// byDisagreement is a line for each share of the population on which two models may differ, tau and m.
func byDisagreement(t *testing.T) string {
	var b strings.Builder
	b.WriteString("| d | tau | m | every difference | enforced | d not known | gate: 1 pass | all | guesses: 1 flag |\n|" +
		strings.Repeat(" ---: |", 9) + "\n")
	for _, tau := range []float64{0.01, 0.05} {
		for _, m := range []int64{10, 1000} {
			g := transfer.Goal{Queries: m, Tau: tau, Beta: theory.LogProb(math.Log(0.05)), Query: transfer.Difference}
			joint := cell(t, "gaussian-schedule", g)
			for _, d := range []float64{0.02, 0.1} {
				g.Known = transfer.Known{Disagreement: d}
				kept := g
				kept.Checked = true
				row := []string{
					strconv.FormatFloat(d, 'g', -1, 64), strconv.FormatFloat(tau, 'g', -1, 64), strconv.FormatInt(m, 10),
					cell(t, "gaussian-schedule", g),
				}
				row = append(row, cell(t, "gaussian-schedule", kept), joint)
				row = append(row, cell(t, "gate", shownAs(g, transfer.Shown{Feedback: transfer.Gate, Passes: 1})))
				row = append(row, cell(t, "gate", shownAs(g, transfer.Shown{Feedback: transfer.Gate})))
				flagged := shownAs(g, transfer.Shown{Feedback: transfer.Flags})
				flagged.Budget = 1
				row = append(row, cell(t, "sparse-validate", flagged))
				b.WriteString("| " + strings.Join(row, " | ") + " |\n")
			}
		}
	}
	return b.String()
}

// integration is ease.ml/ci's table for 32 steps: its rows, ours and ours for 0/1 queries.
func integration(t *testing.T) string {
	var b strings.Builder
	b.WriteString("| reliability | tolerance | up to the first pass: ease.ml/ci | `gate` | 0/1 | every pass: ease.ml/ci | `gate` | 0/1 | difference, first pass: ease.ml/ci | `gate` | d = 0.1: ease.ml/ci | `gate` |\n|" + strings.Repeat(" ---: |", 12) +
		"\n")
	for _, beta := range []float64{0.01, 0.0001} {
		for _, tau := range []float64{0.1, 0.05, 0.01} {
			g := transfer.Goal{Queries: 32, Tau: tau, Beta: theory.LogProb(math.Log(beta))}
			row := []string{strings.TrimRight(fmt.Sprintf("%.5f", 1-beta), "0"), strconv.FormatFloat(tau, 'g', -1, 64)}
			add := func(method string, s transfer.Shown, kind transfer.Query) {
				s.Feedback = transfer.Gate
				goal := shownAs(g, s)
				goal.Query = kind
				row = append(row, cell(t, method, goal))
			}
			for _, passes := range []int64{1, 32} {
				for _, c := range []struct {
					method string
					kind   transfer.Query
				}{{"gate-renggli19", transfer.Bounded}, {"gate", transfer.Bounded}, {"gate", transfer.Binary}} {
					add(c.method, transfer.Shown{Passes: passes}, c.kind)
				}
			}
			for _, d := range []float64{0, 0.1} {
				g.Disagreement = d
				for _, method := range []string{"gate-renggli19", "gate"} {
					add(method, transfer.Shown{Passes: 1}, transfer.Difference)
				}
			}
			b.WriteString("| " + strings.Join(row, " | ") + " |\n")
		}
	}
	return b.String()
}

// The tables of restricted feedback and of other tools are what the methods compute. With -update they are written.
func TestFeedbackTables(t *testing.T) {
	compare(t, []pageTable{
		{"../docs/check/performance.md", "feedback", byFeedback(t)},
		{"../docs/use/comparison.md", "integration", integration(t)},
		{"../docs/use/comparison.md", "boards", boards(t)},
		{"../docs/use/comparison.md", "others", others(t)},
		{"../docs/use/comparison.md", "betting", betting(t)},
	})
}

// So is the table of differences that are seldom not zero.
func TestLowVarianceTable(t *testing.T) {
	compare(t, []pageTable{{"../docs/check/performance.md", "variance", byDisagreement(t)}})
}

// pageTable is a table of a page.
type pageTable struct{ page, name, table string }

// compare compares tables with their pages, or writes them.
func compare(t *testing.T, tables []pageTable) {
	t.Helper()
	for _, c := range tables {
		data, err := os.ReadFile(c.page)
		if err != nil {
			t.Fatal(err)
		}
		open := "<!-- table: " + c.name + " -->\n"
		before, rest, found := strings.Cut(string(data), open)
		old, after, closed := strings.Cut(rest, "<!-- end -->")
		if !found || !closed {
			t.Fatalf("%s has no table %s", c.page, c.name)
		}
		if old == c.table {
			continue
		}
		if !*update {
			t.Errorf("table %s is not what the methods compute: run go test ./properties -run %s -update\n%s",
				c.name, t.Name(), c.table)
			continue
		}
		if err := os.WriteFile(c.page, []byte(before+open+c.table+"<!-- end -->"+after), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
