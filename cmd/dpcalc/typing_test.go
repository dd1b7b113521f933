package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/dpcalc/dpcalc/transfer"
)

// One half is a failure probability in all its spellings, and nothing above it is.
func TestOneHalfIsTheLimit(t *testing.T) {
	plan := []string{"samplesize", "-m", "3", "-t", "0.3", "--method", "splitting", "-f", "csv"}
	for _, flag := range []string{"--beta", "--confidence"} {
		for _, half := range []string{"0.5", "50%", "1/2", "5e-1", ".50", "0.5,1/2"} {
			if code, _, stderr := dpcalc(append(plan, flag, half)...); code != exitOK {
				t.Errorf("%s %s: exit %d, %s", flag, half, code, stderr)
			}
		}
	}
	for _, args := range [][]string{
		{"--beta", "0.5000000000000001"}, {"--beta", "0.5:0.9:0.1"}, {"--beta", "0.05,0.95"},
		{"--confidence", "0.4999999999999999"}, {"--confidence", "95%,5%"}, {"--beta", "0.1:0.8:x2"},
	} {
		code, stdout, stderr := dpcalc(append(plan, args...)...)
		if code != exitUsage || stdout != "" || !strings.Contains(stderr, "is the probability of") {
			t.Errorf("%v: exit %d, %q, %q", args, code, stdout, stderr)
		}
	}
}

// On a terminal the question is asked again.
func TestAdviseAsksForAFailure(t *testing.T) {
	a, asked, err := interviewed(t, "accuracy\nno\nbounded\n20\n0.1\n0.95\n0.05\n")
	const again = "got 0.95, want at most 0.5, the probability of failure; did you mean 5%?"
	if err != nil || !strings.Contains(a.command, "-b 0.05") || !strings.Contains(asked, again) {
		t.Errorf("%+v, %v\n%s", a, err, asked)
	}
}

// A guess is told only if the flag accepts it.
func TestGuess(t *testing.T) {
	whole := func(text string) bool { _, ok := counts.parse(text); return ok }
	share := func(text string) bool { _, ok := probabilities.parse(text); return ok }
	for _, c := range []struct {
		raw     string
		accepts func(string) bool
		want    string
	}{
		{"20,500", whole, ", did you mean 20500?"},
		{"20.500", whole, ", did you mean 20500?"},
		{"20 500", whole, ", did you mean 20500?"},
		{"20'500'000", whole, ", did you mean 20500000?"},
		{"9,007,199,254,740,993", whole, ""},
		{"020,500", whole, ""},
		{"5K", whole, ", did you mean 5k?"},
		{"5m", whole, ", did you mean 5M?"},
		{"5G", whole, ", did you mean 5000M?"},
		{"12*8", whole, ", did you mean 96?"},
		{"12 x 8 x 2", whole, ", did you mean 192?"},
		{"12×8", whole, ", did you mean 96?"},
		{"1/3*5", whole, ""},
		{"12*", whole, ""},
		{"12*8*many", whole, ""},
		{"2.5", whole, ""},
		{"0,05", share, ", did you mean 0.05?"},
		{",05", share, ", did you mean .05?"},
		{"2,5%", share, ", did you mean 2.5%?"},
		{"1,05", share, ""},
		{"3", share, "; 3 means 300%, did you mean 3%?"},
		{"2.5", share, "; 2.5 means 250%, did you mean 2.5%?"},
		{"99", share, "; 99 means 9900%, did you mean 99%?"},
		{"100", share, ""},
		{"-3", share, ""},
		{"", share, ""},
		{strings.Repeat("3", 100), share, ""},
	} {
		if got := guess(c.raw, c.accepts); got != c.want {
			t.Errorf("%q: %q, want %q", c.raw, got, c.want)
		}
	}
}

// What a message offers for an ambiguous list is accepted, and means what it says.
func TestReadingsAreAccepted(t *testing.T) {
	for _, c := range []struct {
		flag, raw string
		one       string
		many      string
	}{
		{"samples", "20,500", "20500", "20, 500"},
		{"samples", "1,000,000", "1000000", ""},
		{"samples", "100,200,300", "100200300", "100, 200, 300"},
		{"queries", "1,050", "1050", "1, 050"},
		{"queries", "10,010", "10010", "10, 010"},
		{"queries", "100,020,5", "", "100, 020, 5"},
		{"queries", "5,1,000", "", ""},
	} {
		_, err := parseList(c.flag, c.raw, counts)
		if err == nil {
			t.Errorf("%s: accepted", c.raw)
			continue
		}
		for _, reading := range []string{c.one, c.many} {
			if reading == "" {
				continue
			}
			if _, again := parseList(c.flag, reading, counts); again != nil || !strings.Contains(err.Error(), reading) {
				t.Errorf("%s: %v, want %s, which gives %v", c.raw, err, reading, again)
			}
		}
		if c.one == "" && strings.Contains(err.Error(), "did you mean 1") {
			t.Errorf("%s: %v", c.raw, err)
		}
	}
	for _, raw := range []string{"10,100", "20,5000", "1000,500", "2,50", "5k,500", "0,20"} {
		if _, err := parseList("signal", raw, wholes); err != nil {
			t.Errorf("%s: %v", raw, err)
		}
	}
	for _, raw := range []string{"20,5000", "1000,500", "2,50", "500", "5k,500", "010,20"} {
		if _, err := parseList("samples", raw, counts); err != nil {
			t.Errorf("%s: %v", raw, err)
		}
	}
}

// starRow is what the star is decided by.
type starRow struct {
	Method      string
	Samples     float64
	Queries     float64
	Tau         float64
	TauAchieved float64 `json:"tau_achieved"`
	LnBeta      float64 `json:"ln_beta"`
	Adaptive    bool
	Best        bool
	Status      string
}

// By brute force over the rows: no adaptive row beats the starred one, and none that
// ties with it achieves a lesser tau.
func TestStarBreaksTies(t *testing.T) {
	ties := 0
	for unknown, args := range map[string][]string{
		"samples": {"-m", "1,2,3,20", "-t", "0.1,0.2,0.3,0.49", "-b", "0.05,0.3,0.5"},
		"queries": {"-n", "50,200", "-t", "0.3,0.49", "-b", "0.05,0.5"},
		"tau":     {"-n", "50,200", "-m", "1,2,20", "-b", "0.05,0.5"},
		"beta":    {"-n", "50,200", "-m", "1,20", "-t", "0.1,0.49"},
	} {
		for _, query := range []string{"bounded", "binary"} {
			if query == "binary" { // dearer
				if unknown != "samples" {
					continue
				}
				args = []string{"-m", "1,2", "-t", "0.3,0.49", "-b", "0.05,0.5"}
			}
			_, out, _ := dpcalc(append([]string{"samplesize", "--query", query, "-f", "jsonl"}, args...)...)
			var rows []starRow
			for line := range strings.Lines(out) {
				var r starRow
				if err := json.Unmarshal([]byte(line), &r); err != nil {
					t.Fatal(err)
				}
				rows = append(rows, r)
			}
			value := func(r starRow) float64 {
				all := map[string]float64{"samples": r.Samples, "queries": -r.Queries, "tau": r.Tau, "beta": r.LnBeta}
				return all[unknown]
			}
			for goal := range slices.Chunk(rows, len(transfer.Methods())) {
				best := slices.IndexFunc(goal, func(r starRow) bool { return r.Best })
				for _, r := range goal {
					if best < 0 || r.Status != "ok" || !r.Adaptive {
						continue
					}
					star := goal[best]
					order := cmp.Or(cmp.Compare(value(star), value(r)), cmp.Compare(star.TauAchieved, r.TauAchieved))
					if order > 0 {
						t.Errorf("%s: the star is at %+v, and not at %+v", unknown, star, r)
					}
					if order < 0 && value(r) == value(star) {
						ties++
					}
				}
			}
		}
	}
	if ties < 10 {
		t.Errorf("%d ties: the goals test nothing", ties)
	}
}

// People do not see what does not apply, and read why below; machines have every row.
func TestInapplicableRows(t *testing.T) {
	goal := []string{"samplesize", "-m", "5", "-t", "0.1", "-b", "0.05"}
	for _, format := range []string{"table", "markdown", "latex"} {
		_, out, _ := dpcalc(append(goal, "-f", format)...)
		for _, name := range []string{"binomial", "thresholdout-dwork15"} {
			lines := regexp.MustCompile(`(?m)^.*\b`+name+`[:,].*needs a.*$`).FindAllString(out, -1)
			shown := regexp.MustCompile(`(?m)^[ |&]*`+name+`[ |&]`).FindAllString(out, -1)
			if len(lines) != 1 || shown != nil {
				t.Errorf("%s: %s is not left out or not explained:\n%s", format, name, out)
			}
		}
		if strings.Contains(out, "not applicable") {
			t.Errorf("%s: a row that is not applicable:\n%s", format, out)
		}
	}
	for _, format := range []string{"csv", "tsv", "json", "jsonl"} {
		_, out, _ := dpcalc(append(goal, "-f", format)...)
		if got := strings.Count(out, "not_applicable"); got != 5 {
			t.Errorf("%s: %d rows that are not applicable, want 5", format, got)
		}
	}
}

// A goal with many reasons still says why each row that is left out is.
func TestLeftOutComesFirst(t *testing.T) {
	_, out, _ := dpcalc("samplesize", "-n", "1000", "-m", "100", "-t", "0.1", "-b", "0.05")
	if !strings.Contains(out, "thresholdout-dwork15-n1: needs a budget") {
		t.Errorf("no word of the budget:\n%s", out)
	}
}

// The rows that a failed check is told to need are enough, and one fewer are not; so is
// the tau that its rows give. plan run says the same.
func TestShortfall(t *testing.T) {
	t.Chdir(t.TempDir())
	said := regexp.MustCompile(`it needs (\d+) rows; these rows give tau ([0-9.e-]+)\b`)
	for _, goal := range [][3]string{{"1000", "100", "0.1"}, {"50", "3", "0.2"}, {"100k", "10k", "0.01"}} {
		check := func(n, tau string) (int, string) {
			code, out, stderr := dpcalc("samplesize", "-n", n, "-m", goal[1], "-t", tau, "-b", "0.05")
			if stderr != "" {
				t.Fatal(stderr)
			}
			return code, out
		}
		code, out := check(goal[0], goal[2])
		m := said.FindStringSubmatch(out)
		if code != exitRefuted || m == nil {
			t.Errorf("%v: exit %d\n%s", goal, code, out)
			continue
		}
		n, err := strconv.Atoi(m[1])
		if err != nil {
			t.Fatal(err)
		}
		tau, err := strconv.ParseFloat(m[2], 64)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct {
			n, tau string
			want   int
		}{
			{m[1], goal[2], exitOK}, {strconv.Itoa(n - 1), goal[2], exitRefuted},
			{goal[0], fmt.Sprint(tau * 1.00001), exitOK}, {goal[0], fmt.Sprint(tau * 0.9999), exitRefuted},
		} {
			if code, out := check(c.n, c.tau); code != c.want {
				t.Errorf("%v: %s rows, tau %s: exit %d, want %d\n%s", goal, c.n, c.tau, code, c.want, out)
			}
		}
		const scenario = "scenarios: [{name: a, samples: %s, queries: %s, tau: %s, beta: 0.05}]"
		file := fmt.Sprintf(scenario, goal[0], goal[1], goal[2])
		if err := os.WriteFile("p.yaml", []byte(file), 0o666); err != nil {
			t.Fatal(err)
		}
		if code, out, _ := dpcalc("plan", "run", "p.yaml"); code != exitRefuted || !strings.Contains(out, m[0]) {
			t.Errorf("plan run does not say %s: exit %d\n%s", m[0], code, out)
		}
	}
}

// Every format against every suffix: only what agrees is written.
func TestFormatAndSuffix(t *testing.T) {
	t.Chdir(t.TempDir())
	all := slices.Concat(formats, figures)
	for _, f := range all {
		for _, name := range all {
			path := "rows" + name.suffix
			goal := []string{"samplesize", "-m", "1,2", "-t", "0.1", "-b", "0.05", "--method", "splitting"}
			code, stdout, stderr := dpcalc(append(goal, "-f", f.name, "-o", path)...)
			_, missing := os.Stat(path)
			want, lines := exitOK, 0
			if f.name != name.name && name.suffix != "" {
				want, lines = exitUsage, 1
			}
			if code != want || stdout != "" || strings.Count(stderr, "\n") != lines {
				t.Errorf("-f %s -o %s: exit %d, %s%s", f.name, path, code, stdout, stderr)
			}
			if written := missing == nil; written != (want == exitOK) {
				t.Errorf("-f %s -o %s: %v", f.name, path, missing)
			}
			if missing == nil {
				if err := os.Remove(path); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
}

// A column without a header gives the rows that it gives under the header p, and an
// upper bound those of the bound.
func TestBareColumn(t *testing.T) {
	r := rand.New(rand.NewPCG(12, 3))
	for range 50 {
		var column strings.Builder
		for i := range 1 + r.IntN(1200) {
			text := []string{"0.03", "1e-9", "0", "1", "NA", "", "0.5"}[r.IntN(7)]
			if i == 0 {
				text = []string{"0.03", "1", "NA", "0.0"}[r.IntN(4)]
			}
			column.WriteString(text + "\n")
		}
		args := strings.Fields("pvalue-correct - --alpha 0.05 --by description --outcomes 7 --family holm")
		_, bare, said := dpcalcReading(column.String(), args...)
		_, headed, _ := dpcalcReading("p\n"+column.String(), args...)
		if bare != headed || !strings.HasPrefix(said, "no header line") {
			t.Fatalf("%q\ngives\n%s\nand not\n%s\n%s", column.String(), bare, headed, said)
		}
		_, bounded, said := dpcalcReading("p\n"+strings.ReplaceAll(column.String(), "0.03", "<0.03"), args...)
		if strings.ReplaceAll(bounded, "<0.03", "0.03") != headed {
			t.Fatalf("%s\nand not\n%s", bounded, headed)
		}
		if strings.Contains(column.String(), "0.03") != strings.Contains(said, "<") {
			t.Fatalf("%s\nand not\n%s\n%s", bounded, headed, said)
		}
	}
}

// Every help text ends with two examples of its command.
func TestHelpEndsWithExamples(t *testing.T) {
	names := commandNames(new(program).app())
	for _, name := range append([]string{"dpcalc"}, names...) {
		args := []string{name, "--help"}
		if name == "dpcalc" {
			args = args[1:]
		}
		code, out, stderr := dpcalc(args...)
		lines := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
		if code != exitOK || stderr != "" || len(lines) < 4 {
			t.Fatalf("%s: exit %d, %s%s", name, code, out, stderr)
		}
		end := lines[len(lines)-4:]
		if end[0] != "" || end[1] != "EXAMPLES:" || end[2] == end[3] {
			t.Errorf("%s ends with\n%s", name, strings.Join(end, "\n"))
		}
		for _, line := range end[2:] {
			if !strings.HasPrefix(line, "   dpcalc ") {
				t.Errorf("%s: %s is no example", name, line)
			}
		}
		if name != "dpcalc" && strings.Fields(end[2])[1] != name {
			t.Errorf("%s: %s is of another command", name, end[2])
		}
	}
	for name := range examples {
		if name != "dpcalc" && !slices.Contains(names, name) {
			t.Errorf("examples of %s, which is no command", name)
		}
	}
}

// The examples work, in their order and in one directory.
func TestExamples(t *testing.T) {
	for name, lines := range examples {
		t.Run(name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			if err := os.WriteFile("pvalues.csv", []byte("test,p\na,0.001\nb,0.2\n"), 0o666); err != nil {
				t.Fatal(err)
			}
			for _, line := range lines {
				line, _, _ = strings.Cut(line, " > ")
				line, _, _ = strings.Cut(line, " | ")
				code, out, stderr := dpcalc(split(t, line)[1:]...)
				silent := strings.Contains(line, " -o ") || strings.Contains(line, " init ")
				if code != exitOK || stderr != "" || silent != (out == "") {
					t.Errorf("%s: exit %d, %q, %s", line, code, out, stderr)
				}
			}
		})
	}
}

// explain has every symbol that a command speaks of, by one meaning each.
func TestGlossary(t *testing.T) {
	for _, name := range []string{
		"tau", "beta", "epsilon", "delta", "alpha", "mu", "rho", "n", "m", "B", "D", "T", "slack", "max-information",
		"mutual-information", "budget", "samples", "rows", "queries", "confidence", "sensitivity", "TAU", "gamma",
		"noise_scale", "cells", "bits", "nats", "threshold",
	} {
		code, out, stderr := dpcalc("explain", name)
		if code != exitOK || stderr != "" || !strings.Contains(out, "\nWhere\n") {
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

// A swap of neighbours is one mistake, like a letter too many, too few or wrong.
func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"tau", "tau", 0}, {"tua", "tau", 1}, {"ta", "tau", 1}, {"tauu", "tau", 1}, {"tan", "tau", 1},
		{"beat", "beta", 1}, {"", "tau", 3}, {"ca", "abc", 3}, {"abcdef", "badcfe", 3},
	} {
		if got := distance(c.a, c.b); got != c.want || distance(c.b, c.a) != c.want {
			t.Errorf("%s, %s: %d, want %d", c.a, c.b, got, c.want)
		}
	}
}

// The unit of data is a row in everything that is printed. A text is a string with a
// blank: names, flags and columns keep theirs.
func TestOneWordForRows(t *testing.T) {
	record := regexp.MustCompile(`(?i)\brecords?\b`)
	texts := 0
	dirs := []string{".", "../../theory", "../../transfer", "../../maxinfo", "../../pvalue",
		"../../mechanism", "../../properties/audit", "../../properties/audit/suite", "../../properties/experiment"}
	for _, dir := range dirs {
		files, err := filepath.Glob(dir + "/*.go")
		if err != nil || len(files) == 0 {
			t.Fatal(dir, err)
		}
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			set := token.NewFileSet()
			tree, err := parser.ParseFile(set, file, nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			ast.Inspect(tree, func(n ast.Node) bool {
				text, ok := n.(*ast.BasicLit)
				if !ok || text.Kind != token.STRING || !strings.Contains(text.Value, " ") {
					return true
				}
				if texts++; record.MatchString(text.Value) {
					t.Errorf("%s: %s", set.Position(text.Pos()), text.Value)
				}
				return true
			})
		}
	}
	if texts < 500 {
		t.Errorf("%d texts", texts)
	}
	for _, args := range []string{
		"samplesize -m 5 -t 0.1 -b 0.05", "samplesize -n 50 -m 5 -t 0.1 -b 0.05",
		"samplesize -n 50k -m 5 -b 0.05", "samplesize -n 1k:2k:log5 -m 5 -b 0.05 --plot",
	} {
		if _, out, _ := dpcalc(strings.Fields(args)...); strings.Contains(strings.ReplaceAll(out, "--samples", ""), "samples") {
			t.Errorf("%v:\n%s", args, out)
		}
	}
}
