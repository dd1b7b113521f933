package articles

import (
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dpcalc/dpcalc/cmd/internal/bibliography"
	"github.com/dpcalc/dpcalc/cmd/internal/commandtest"
	"github.com/dpcalc/dpcalc/cmd/internal/printed"
	"github.com/dpcalc/dpcalc/cmd/internal/record"
	"github.com/dpcalc/dpcalc/cmd/internal/usage"
	"github.com/dpcalc/dpcalc/pvalue"
	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer"
)

// The command prints what the library computes, and marks the least.
func TestMaxinfoRows(t *testing.T) {
	for _, plan := range commandtest.Plans() {
		code, stdout, stderr := commandtest.Dpcalc("maxinfo", "--samples", "1000", "--slack", "0.01", "--step",
			plan.Steps[0].String(), "-f", "csv")
		if code != usage.ExitOK {
			t.Fatalf("%v: exit %d, %s", plan.Steps, code, stderr)
		}
		chain, err := plan.Chain()
		if err != nil {
			t.Fatal(err)
		}
		rows := strings.Split(strings.TrimSpace(stdout), "\n")[1:]
		if len(rows) != len(chain.Methods) {
			t.Fatalf("%d rows for %d methods", len(rows), len(chain.Methods))
		}
		least := math.Inf(1)
		for _, m := range chain.Methods {
			if k, err := chain.MaxInformation(m, commandtest.LnProb(t, "0.01")); err == nil {
				least = min(least, k.Bits())
			}
		}
		marked := 0
		for i, m := range chain.Methods {
			want := m.Name + ",,0.01,"
			if k, err := chain.MaxInformation(m, commandtest.LnProb(t, "0.01")); err == nil {
				want = m.Name + "," + string(record.AppendNumber(nil, k.Bits())) + ",0.01,"
				if strings.Contains(rows[i], ",true,") {
					marked++
					if k.Bits() != least {
						t.Errorf("%s is not the least, %g", rows[i], least)
					}
				}
			}
			if !strings.HasPrefix(rows[i], want) {
				t.Errorf("%s, want %s", rows[i], want)
			}
		}
		if marked != 1 {
			t.Errorf("%v: %d rows are best", plan.Steps, marked)
		}
	}
}

// explained are the rows of methods that commands print, by what they are asked.
func explained(t *testing.T) (names map[string]string) {
	t.Helper()
	joint := filepath.Join(t.TempDir(), "joint.csv")
	if err := os.WriteFile(joint, []byte("x,y,p\n0,0,0.5\n1,1,0.5\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	asked := [][]string{
		strings.Fields("samplesize --full -m 100 -t 0.1 -b 0.05 -B 10 --transcripts 1M"),
		strings.Fields("samplesize --full -m 100 -t 0.1 -b 0.05 --open --arrive-rows 10 --arrive-looks 10"),
		strings.Fields("samplesize --full -m 100 -t 0.1 -b 0.05 --feedback gate --open"),
		strings.Fields("samplesize --full -m 100 -t 0.1 -b 0.05 --feedback best --open"),
		strings.Fields("samplesize --full -m 100 -t 0.1 -b 0.05 --feedback flags -B 1 --open"),
		strings.Fields("samplesize --full -m 100 -t 0.1 -b 0.05 --feedback final"),
		strings.Fields("samplesize --full -m 100 -t 0.1 -b 0.05 --population 10k"),
		strings.Fields("compose --epsilon 0.1 --times 10 --target-delta 1e-6"),
		strings.Fields("compose --mu 0.1 --times 10 --target-delta 1e-6"),
		strings.Fields("transfer --alpha 0.01 --beta 0 --epsilon 0.05 --target-beta 0.05"),
		{"maxinfo", "--slack", "0.01", "--joint", joint},
	}
	for _, plan := range commandtest.Plans() {
		step := plan.Steps[0].String()
		asked = append(asked, []string{"maxinfo", "--samples", "1000", "--slack", "0.01", "--step", step},
			[]string{"pvalue-correct", "--alpha", "0.05", "--by", "steps", "--samples", "1000", "--step", step})
	}
	asked = append(asked, strings.Fields("pvalue-correct --alpha 0.05 --by steps --samples 1000 --step pure-dp:epsilon=0.005 --step mutual-info:bits=1e-9"))
	names = make(map[string]string)
	for _, args := range asked {
		code, stdout, stderr := commandtest.Dpcalc(append(args, "-f", "csv")...)
		if code != usage.ExitOK {
			t.Fatalf("%v: exit %d, %s", args, code, stderr)
		}
		for i, line := range strings.Split(strings.TrimSpace(stdout), "\n") {
			name, _, _ := strings.Cut(line, ",")
			if i == 0 && name != "method" {
				t.Fatalf("%v begins with %s", args, line)
			}
			if i > 0 {
				names[name] = args[0]
			}
		}
	}
	for _, f := range pvalue.Families()[1:] {
		names[string(f)] = "pvalue-correct"
	}
	return names
}

// Every method that a command prints explains itself, is cited and is in the list, under the
// command, and the list has no others.
func TestEveryNameIsExplained(t *testing.T) {
	printed := explained(t)
	all, err := articles()
	if err != nil {
		t.Fatal(err)
	}
	_, list, _ := commandtest.Dpcalc("methods", "-f", "csv")
	for _, a := range all {
		if command, ok := printed[a.Name]; !ok || !strings.Contains(a.command, command) {
			t.Errorf("%s of %s is printed by %q", a.Name, a.command, command)
		}
		delete(printed, a.Name)
		code, page, stderr := commandtest.Dpcalc("explain", a.Name)
		if code != usage.ExitOK || !strings.Contains(page, "Formula\n  ") || !strings.Contains(page, "Hypotheses\n  ") ||
			!strings.Contains(page, "In practice\n  ") {
			t.Errorf("explain %s: exit %d, %s%s", a.Name, code, page, stderr)
		}
		for line := range strings.Lines(page) {
			if len([]rune(line)) > 120 {
				t.Errorf("explain %s: long line %q", a.Name, line)
			}
		}
		if code, entries, stderr := commandtest.Dpcalc("cite", a.Name); code != usage.ExitOK ||
			strings.Count(entries, "@") < 1 {
			t.Errorf("cite %s: exit %d, %s", a.Name, code, stderr)
		}
		if !strings.Contains(list, "\n"+a.Name+",") {
			t.Errorf("methods does not list %s", a.Name)
		}
	}
	for name, command := range printed {
		t.Errorf("%s of %s explains nothing", name, command)
	}
	if names := articleNames(); len(slices.Compact(slices.Sorted(slices.Values(names)))) != len(names) {
		t.Errorf("a name has two meanings: %v", names)
	}
}

// Every method explains itself, and every source is in the bibliography.
func TestEveryMethodIsExplainedAndCited(t *testing.T) {
	for _, m := range transfer.Methods() {
		code, page, stderr := commandtest.Dpcalc("explain", m.Name)
		if code != usage.ExitOK || !strings.Contains(page, "Formula\n  ") ||
			!strings.Contains(page, "Proof: "+string(m.Proof)) {
			t.Errorf("explain %s: exit %d, %s%s", m.Name, code, page, stderr)
		}
		for line := range strings.Lines(page) {
			if len([]rune(line)) > 120 {
				t.Errorf("explain %s: long line %q", m.Name, line)
			}
		}
		code, entries, stderr := commandtest.Dpcalc("cite", m.Name)
		if code != usage.ExitOK || strings.Count(entries, "@") < 1 {
			t.Errorf("cite %s: exit %d, %s", m.Name, code, stderr)
		}
	}
}

// What to do in practice is printed alone, so it does not begin with another method's name.
func TestPracticeStandsAlone(t *testing.T) {
	all, err := articles()
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range all {
		if strings.HasPrefix(a.Practice, "As ") || len(a.Practice) < 40 && a.command == "samplesize" {
			t.Errorf("%s: in practice: %q", a.Name, a.Practice)
		}
	}
}

// explain has every symbol that a command speaks of, by one meaning each.
func TestGlossary(t *testing.T) {
	for _, name := range []string{
		"tau", "beta", "epsilon", "delta", "alpha", "mu", "rho", "n", "m", "B", "D", "T", "slack", "max-information",
		"mutual-information", "budget", "samples", "rows", "queries", "confidence", "sensitivity", "TAU", "gamma",
		"noise_scale", "cells", "bits", "nats", "threshold", "verdict", "not_rejected", "refused", "rests_on", "e-value", "promise",
	} {
		code, out, stderr := commandtest.Dpcalc("explain", name)
		if code != usage.ExitOK || stderr != "" || !strings.Contains(out, "\nWhere\n") {
			t.Errorf("%s: exit %d, %s%s", name, code, out, stderr)
		}
	}
	seen := map[string]string{}
	for _, s := range glossary {
		for _, name := range append([]string{s.name}, s.aliases...) {
			if other, ok := seen[name]; ok || slices.Contains(articleNames(), name) {
				t.Errorf("%s stands for %s, and for %q or a method", name, s.name, other)
			}
			seen[name] = s.name
		}
		if s.summary == "" || s.text == "" || s.where == "" {
			t.Errorf("%s: something is not said", s.name)
		}
	}
}

// What a ledger promises is conditional on the rows, and explain says so.
func TestHoldoutIsExplained(t *testing.T) {
	for _, name := range []string{"holdout", "look", "Leaderboard"} {
		code, stdout, stderr := commandtest.Dpcalc("explain", name)
		text := strings.Join(strings.Fields(stdout), " ")
		for _, want := range []string{"the mean over fresh labels of the same rows", "made without these rows",
			"a second ledger or a fixed plan on the same rows voids the promises of both"} {
			if code != usage.ExitOK || !strings.Contains(text, want) {
				t.Errorf("%s: exit %d, %s%s", name, code, stdout, stderr)
			}
		}
	}
}

// What explain shows of the library's examples is what these say and print. "go test" checks that they print it.
func TestExamplesAreTheLibrarys(t *testing.T) {
	var copied []string
	for entry := range strings.SplitSeq(strings.TrimSpace(examplesText), "\n\n") {
		head, _, _ := strings.Cut(entry, "\n")
		names, source, ok := strings.Cut(head, " = ")
		folder, function, found := strings.Cut(source, ".")
		if !ok || !found {
			t.Fatalf("an entry begins with %q", head)
		}
		paths, err := filepath.Glob(filepath.Join("../../../..", folder, "*_test.go"))
		if err != nil {
			t.Fatal(err)
		}
		var files []*ast.File
		for _, path := range paths {
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments)
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, file)
		}
		examples := doc.Examples(files...)
		i := slices.IndexFunc(examples, func(e *doc.Example) bool { return "Example"+e.Name == function })
		if i < 0 || examples[i].Output == "" {
			t.Fatalf("%s has no %s with output", folder, function)
		}
		about := printed.Wrapped(strings.Fields(examples[i].Doc), 100, "\n")
		output := strings.ReplaceAll(strings.TrimSpace(examples[i].Output), "\n", "\n  ")
		copied = append(copied, head+"\n"+about+"\n  "+output)
		for _, name := range strings.Fields(names) {
			code, page, stderr := commandtest.Dpcalc("explain", name)
			words := strings.Join(strings.Fields(page), " ")
			for _, want := range []string{"Example: " + source, strings.Join(strings.Fields(examples[i].Doc), " "),
				strings.Join(strings.Fields(output), " ")} {
				if !*commandtest.Update && (code != usage.ExitOK || !strings.Contains(words, want)) {
					t.Errorf("explain %s: exit %d, %s%s\nwant %s", name, code, page, stderr, want)
				}
			}
		}
	}
	want := strings.Join(copied, "\n\n") + "\n"
	if *commandtest.Update {
		if err := os.WriteFile("examples.txt", []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if examplesText != want {
		t.Errorf("examples.txt is\n%s\nwant\n%s\n(go test ./cmd/internal/commands/articles -run Examples -update)", examplesText, want)
	}
}

// An AUC is never served, and explain says so of it alone.
func TestExplainSaysWhatIsNeverServed(t *testing.T) {
	for name, want := range map[string]bool{"auc": true, "f1": false, "accuracy": false} {
		if _, page, _ := commandtest.Dpcalc("explain", name); strings.Contains(page, "never served") != want {
			t.Errorf("explain %s: %s", name, page)
		}
	}
}

// The list of methods names the proof that the table of a plan names.
func TestMethodsNameTheProofOfTheirRows(t *testing.T) {
	listed := map[string]any{}
	for _, r := range commandtest.RowsOf(t, "methods") {
		listed[r["method"].(string)] = r["proof"]
	}
	met := 0
	for _, m := range transfer.Methods() {
		for _, feedback := range append(slices.Clone(m.Feedbacks), transfer.Answers)[:1] {
			g := transfer.Goal{Queries: 10, Tau: 0.1, Beta: -3, Shown: transfer.Shown{Feedback: feedback, Open: m.IsOpen()}}
			if m.NeedsBudget() {
				g.Budget = 2
			}
			if m.NeedsTranscripts() {
				g.Transcripts = 100
			}
			a, err := m.Solve(g)
			if err != nil {
				t.Fatal(err)
			}
			if a.Status != transfer.OK {
				continue
			}
			met++
			if proof, _ := m.Proven(a); listed[m.Name] != string(proof) {
				t.Errorf("methods names %s of %s, and its row is %s", listed[m.Name], m.Name, proof)
			}
		}
	}
	if met < 30 {
		t.Errorf("only %d methods were met", met)
	}
}

// explain --full names every theorem of every kind of rows that Coq checks, and what these are given; without --full it
// says which rows they are, and given what.
func TestExplainWalksTheRowsInCoq(t *testing.T) {
	all, err := articles()
	if err != nil {
		t.Fatal(err)
	}
	oneLine := func(text string) string { return strings.Join(strings.Fields(text), " ") }
	rows, theorems := 0, 0
	for _, a := range all {
		long, short := oneLine(a.page(true)), oneLine(a.page(false))
		for _, c := range slices.Concat(a.Checked, a.Missing) {
			rows++
			given := bibliography.Given(c.Given)
			if strings.Contains(given, "zubkov13") || len(c.Given) > 0 && !strings.Contains(given, " 19") && !strings.Contains(given, " 20") {
				t.Errorf("%s, %s: %q names no authors and year", a.Name, c.Rows, given)
			}
			text := c.Rows
			if c.Missing != "" {
				text += ", but for " + c.Missing
			}
			if text += given; !strings.Contains(short, oneLine(text)) {
				t.Errorf("explain %s does not say %q", a.Name, text)
			}
			if text += ": " + strings.Join(c.Theorems, ", "); len(c.Theorems) == 0 || !strings.Contains(long, text) {
				t.Errorf("explain %s --full does not say %q", a.Name, text)
			}
			for _, theorem := range c.Theorems {
				if theorems++; strings.Contains(short, theorem) {
					t.Errorf("explain %s names %s without --full", a.Name, theorem)
				}
			}
		}
		if len(a.Checked) > 0 && (a.verdict().Proof != theory.Coq || !strings.Contains(short, "Proof: coq")) {
			t.Errorf("%s has rows in Coq, methods says %s", a.Name, a.verdict().Proof)
		}
	}
	if rows < 57 || theorems < 400 {
		t.Errorf("%d kinds of rows with %d names of theorems, want at least 57 and 400", rows, theorems)
	}
}
