package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/dpcalc/dpcalc/cmd/internal/commandtest"
	"github.com/dpcalc/dpcalc/transfer"
)

// Tables of the documents stand between <!-- table: NAME --> and <!-- end -->. With
// -update they are written, otherwise compared.
func checkTables(t *testing.T, file string, tables []pageTable) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	page := string(data)
	for _, c := range tables {
		open := "<!-- table: " + c.name() + " -->\n"
		before, rest, found := strings.Cut(page, open)
		old, after, closed := strings.Cut(rest, "<!-- end -->")
		if !found || !closed {
			t.Fatalf("%s has no table %s", file, c.name())
		}
		got := c.markdown(t)
		if old != got && !*commandtest.Update {
			t.Errorf("table %s is not what the program computes: run go test ./cmd/dpcalc -run %s -update\n%s", c.name(),
				t.Name(), got)
		}
		page = before + open + got + "<!-- end -->" + after
	}
	if *commandtest.Update && page != string(data) {
		if err := os.WriteFile(file, []byte(page), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

type pageTable interface {
	name() string
	markdown(t *testing.T) string
}

func TestPerformanceTables(t *testing.T) {
	checkTables(t, "../../docs/check/performance.md", comparisons())
}

// A comparison is a table of n: a row for each goal, a column for each method, and the
// least published n over the least derived one.
type comparison struct {
	title              string
	derived, published []string
	budgets            bool // the first column is the budget and not the number of queries
	goals              []transfer.Goal
}

func (c comparison) name() string { return c.title }

func comparisons() []pageTable {
	adaptive := comparison{
		title:     "adaptive",
		derived:   []string{"gaussian-schedule", "gaussian", "laplace"},
		published: []string{"splitting", "rounding", "gaussian-jung20", "gaussian-rogers20"},
	}
	holdout := comparison{
		title:     "thresholdout",
		derived:   []string{"thresholdout"},
		published: []string{"thresholdout-dwork15", "thresholdout-dwork15-n0", "thresholdout-dwork15-n1"},
		budgets:   true,
	}
	for _, promise := range []struct {
		tau  float64
		beta string
	}{{0.1, "0.05"}, {0.01, "0.001"}} {
		goal := transfer.Goal{Tau: promise.tau}
		if err := goal.Beta.UnmarshalText([]byte(promise.beta)); err != nil {
			panic(err)
		}
		for _, m := range []int64{1, 10, 100, 1e3, 1e6} {
			goal.Queries = m
			adaptive.goals = append(adaptive.goals, goal)
		}
		for _, b := range []int64{1, 10, 1000} {
			goal.Queries, goal.Budget = 1000, b
			holdout.goals = append(holdout.goals, goal)
		}
	}
	return []pageTable{adaptive, holdout}
}

// markdown solves every goal by every method and renders the table.
func (c comparison) markdown(t *testing.T) string {
	t.Helper()
	names := append(append([]string(nil), c.derived...), c.published...)
	rows := make([]string, len(c.goals))
	var wait sync.WaitGroup
	for i, goal := range c.goals {
		wait.Go(func() {
			first := goal.Queries
			if c.budgets {
				first = goal.Budget
			}
			row := fmt.Sprintf("| %s | %v | %v |", thousands(first), goal.Tau, goal.Beta)
			least := [2]int64{transfer.MaxCount + 1, transfer.MaxCount + 1} // derived, published
			for j, name := range names {
				n, reason := samples(name, goal)
				if reason != "" {
					t.Errorf("%s, %+v: %s", name, goal, reason)
				}
				row += " " + thousands(n) + " |"
				kind := 0
				if j >= len(c.derived) {
					kind = 1
				}
				least[kind] = min(least[kind], n)
			}
			rows[i] = row + " " + strconv.FormatFloat(float64(least[1])/float64(least[0]), 'f', 2, 64) + " |\n"
		})
	}
	wait.Wait()
	head := "m"
	if c.budgets {
		head = "B"
	}
	return "| " + head + " | tau | beta | `" + strings.Join(names, "` | `") + "` | ratio |\n" +
		strings.Repeat("| ---: ", len(names)+4) + "|\n" + strings.Join(rows, "")
}

// samples returns the n of a goal, or why there is none.
func samples(method string, goal transfer.Goal) (n int64, reason string) {
	m, ok := transfer.Lookup(method)
	if !ok {
		return 0, "no such method"
	}
	answer, err := m.Solve(goal)
	switch {
	case err != nil:
		return 0, err.Error()
	case answer.Status != transfer.OK:
		return 0, answer.Reason
	}
	return answer.Samples, ""
}

// thousands writes n with a comma after every three digits.
func thousands(n int64) string {
	digits := strconv.FormatInt(n, 10)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}
