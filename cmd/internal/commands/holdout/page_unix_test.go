//go:build unix

package holdout

import (
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dpcalc/dpcalc/cmd/internal/commandtest"
	"github.com/dpcalc/dpcalc/holdout"
	"github.com/dpcalc/dpcalc/transfer"
)

// pages is the folder of the documents, wherever a test goes.
var pages, _ = filepath.Abs("../../../../docs")

// page is a page of the documents.
func page(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(pages, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// The pages with scripts.
const (
	loopPage  = "use/agents.md"
	boardPage = "use/leaderboard.md"
)

// script is the block of a page in a language.
func script(t *testing.T, name, language string) string {
	t.Helper()
	_, rest, ok := strings.Cut(page(t, name), "\n```"+language+"\n")
	text, _, ended := strings.Cut(rest, "\n```\n")
	if !ok || !ended {
		t.Fatalf("no block in %s", language)
	}
	return text + "\n"
}

// The script of the page promotes what passes, and stops when the plan is used up.
func TestScript(t *testing.T) {
	t.Chdir(t.TempDir())
	rows(t, 1000, 500, 900, 950)
	program := fmt.Sprintf("#!/bin/sh\n%s=1 exec '%s' \"$@\"\n", programVariable, os.Args[0])
	if err := os.WriteFile("dpcalc", []byte(program), 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, "promote.sh", script(t, loopPage, "sh"))
	here, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	runs(t, 0, "holdout init ledger --labels labels.csv -m 9 -t 0.1 -b 0.05 --query binary --feedback gate --passes 1")
	for _, look := range [][2]string{
		{"p500.tsv", "keep the old prompt"},
		{"p900.tsv", "promote prompt p900.tsv"},
		{"p950.tsv", "the plan is used up: collect new tasks"},
		{"nothing.csv", "nothing was asked"},
	} {
		c := exec.Command("sh", "promote.sh", "prompt "+look[0], look[0], "0.6")
		c.Env = append(os.Environ(), "PATH="+here+":"+os.Getenv("PATH"))
		out, err := c.CombinedOutput()
		if got := strings.TrimSpace(string(out)); err != nil || !strings.HasSuffix(got, look[1]) {
			t.Errorf("%s: %s, %v, want %s", look[0], got, err, look[1])
		}
	}
}

// The table of what 500 tasks allow is computed.
func TestPageNumbers(t *testing.T) {
	tau := func(n, m int64, shown transfer.Shown) string {
		goal := transfer.Goal{Queries: m, Beta: commandtest.LnProb(t, "0.05"), Query: transfer.Binary, Shown: shown}
		plan, err := holdout.Certify(holdout.Terms{Goal: goal}, n)
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprintf("%.3f", math.Ceil(plan.Promise.Tau*1000)/1000)
	}
	gate := func(passes int64) transfer.Shown { return transfer.Shown{Feedback: transfer.Gate, Passes: passes} }
	for _, line := range []string{
		"| every score | 50 | " + tau(500, 50, transfer.Shown{}) + " |",
		"| the best score so far, above a baseline of 0.5 | 50 | " +
			tau(500, 50, transfer.Shown{Feedback: transfer.Best, Floor: 0.5}) + " |",
		"| pass or fail, retired at the third pass | 50 | " + tau(500, 50, gate(3)) + " |",
		"| pass or fail, retired at the first pass | 50 | " + tau(500, 50, gate(1)) + " |",
		"| five finalists, once | 5 | " + tau(500, 5, transfer.Shown{Feedback: transfer.Final}) + " |",
	} {
		if !strings.Contains(page(t, loopPage), line) {
			t.Errorf("the page has no line %q", line)
		}
	}
}

// The scripts of the page about leaderboards send predictions.
func TestBoardScripts(t *testing.T) {
	t.Chdir(t.TempDir())
	rows(t, 1000, 600, 700)
	runs(t, 0, "holdout init ledger --labels labels.csv -m 4 -t 0.2 -b 0.05 --query binary --feedback best")
	token := newToken(t, "team one", "tokens.txt")
	for _, name := range []string{"p600", "p700"} {
		text, err := os.ReadFile(name + ".tsv")
		if err != nil {
			t.Fatal(err)
		}
		write(t, name+".csv", string(text)) // the header tells what separates the cells
	}
	write(t, "submit.sh", script(t, boardPage, "sh"))
	write(t, "submit.py", script(t, boardPage, "python")+
		"\nimport os, sys\nprint(submit(os.environ[\"BOARD\"], os.environ[\"TOKEN\"], *sys.argv[1:])[\"look\"])\n")
	address, stop := serving(t, "holdout serve ledger --addr 127.0.0.1:0 --tokens tokens.txt")
	for _, c := range []struct{ interpreter, needs, file, predictions, want string }{
		{"sh", "curl", "submit.sh", "p600.csv", "\"look\":"}, {"python3", "python3", "submit.py", "p700.csv", "\n"},
	} {
		if _, err := exec.LookPath(c.needs); err != nil {
			continue
		}
		run := exec.Command(c.interpreter, c.file, c.predictions, "my model")
		run.Env = append(os.Environ(), "BOARD="+address, "TOKEN="+token)
		if out, err := run.CombinedOutput(); err != nil || !strings.Contains(string(out), c.want) {
			t.Errorf("%s: %v, %s", c.file, err, out)
		}
	}
	if code, _, stderr := stop(); code != 0 {
		t.Error(code, stderr)
	}
	log, _ := runs(t, 0, "holdout log ledger -f csv")
	if !strings.Contains(log, ",my model,") {
		t.Error(log)
	}
}
