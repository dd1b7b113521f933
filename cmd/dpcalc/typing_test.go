package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/dpcalc/dpcalc/cmd/internal/commandtest"
	"github.com/dpcalc/dpcalc/cmd/internal/outfile"
	"github.com/dpcalc/dpcalc/cmd/internal/usage"
)

// One half is a failure probability in all its spellings, and nothing above it is.
func TestOneHalfIsTheLimit(t *testing.T) {
	plan := []string{"samplesize", "-m", "3", "-t", "0.3", "--method", "splitting", "-f", "csv"}
	for _, flag := range []string{"--beta", "--confidence"} {
		for _, half := range []string{"0.5", "50%", "1/2", "5e-1", ".50", "0.5,1/2"} {
			if code, _, stderr := commandtest.Dpcalc(append(plan, flag, half)...); code != usage.ExitOK {
				t.Errorf("%s %s: exit %d, %s", flag, half, code, stderr)
			}
		}
	}
	for _, args := range [][]string{
		{"--beta", "0.5000000000000001"}, {"--beta", "0.5:0.9:0.1"}, {"--beta", "0.05,0.95"},
		{"--confidence", "0.4999999999999999"}, {"--confidence", "95%,5%"}, {"--beta", "0.1:0.8:x2"},
	} {
		code, stdout, stderr := commandtest.Dpcalc(append(plan, args...)...)
		if code != usage.ExitUsage || stdout != "" || !strings.Contains(stderr, "is the probability of") {
			t.Errorf("%v: exit %d, %q, %q", args, code, stdout, stderr)
		}
	}
}

// Every format against every suffix: only what agrees is written.
func TestFormatAndSuffix(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, f := range formats {
		for _, name := range formats {
			path := "rows" + name.Suffix
			goal := []string{"samplesize", "-m", "1,2", "-t", "0.1", "-b", "0.05", "--method", "splitting"}
			code, stdout, stderr := commandtest.Dpcalc(append(goal, "-f", f.Name, "-o", path)...)
			_, missing := os.Stat(path)
			want, lines := usage.ExitOK, 0
			if f.Name != name.Name && name.Suffix != "" {
				want, lines = usage.ExitUsage, 1
			}
			if code != want || stdout != "" || strings.Count(stderr, "\n") != lines {
				t.Errorf("-f %s -o %s: exit %d, %s%s", f.Name, path, code, stdout, stderr)
			}
			if written := missing == nil; written != (want == usage.ExitOK) {
				t.Errorf("-f %s -o %s: %v", f.Name, path, missing)
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
		_, bare, said := commandtest.DpcalcReading(column.String(), args...)
		_, headed, _ := commandtest.DpcalcReading("p\n"+column.String(), args...)
		if bare != headed || !strings.HasPrefix(said, "no header line") {
			t.Fatalf("%q\ngives\n%s\nand not\n%s\n%s", column.String(), bare, headed, said)
		}
		_, bounded, said := commandtest.DpcalcReading("p\n"+strings.ReplaceAll(column.String(), "0.03", "<0.03"), args...)
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
	names := newProgram(&outfile.Session{}).Names()
	for _, name := range append([]string{"dpcalc"}, names...) {
		args := []string{name, "--help"}
		if name == "dpcalc" {
			args = args[1:]
		}
		code, out, stderr := commandtest.Dpcalc(args...)
		lines := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
		if code != usage.ExitOK || stderr != "" || len(lines) < 4 {
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
}

// The examples work, in their order and in one directory.
func TestExamples(t *testing.T) {
	for _, c := range newProgram(&outfile.Session{}).Commands {
		t.Run(c.Name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			if err := os.WriteFile("pvalues.csv", []byte("test,p\na,0.001\nb,0.2\n"), 0o666); err != nil {
				t.Fatal(err)
			}
			holdoutFiles(t)
			if c.Name == "mcp" {
				agentFiles(t)
			}
			for _, line := range c.Examples {
				line, _, _ = strings.Cut(line, " > ")
				line, _, _ = strings.Cut(line, " | ")
				code, out, stderr := commandtest.Dpcalc(split(t, line)[1:]...)
				silent := strings.Contains(line, " -o ") || strings.Contains(line, " plan init ") || c.Name == "mcp"
				warned := strings.HasPrefix(stderr, "dpcalc: mcp: The labels can be read by ") // who starts a test owns its files
				if code != usage.ExitOK || stderr != "" && !warned || silent != (out == "") {
					t.Errorf("%s: exit %d, %q, %s", line, code, out, stderr)
				}
			}
		})
	}
}

// agentFiles makes the ledger and the folder that the examples name.
func agentFiles(t *testing.T) {
	t.Helper()
	if err := os.Mkdir("predictions", 0o700); err != nil {
		t.Fatal(err)
	}
	code, _, stderr := commandtest.Dpcalc(strings.Fields("holdout init ledger --labels labels.csv -b 0.05 --open --ask pass:bar=0.8")...)
	if code != usage.ExitOK {
		t.Fatal(stderr)
	}
}

// holdoutFiles writes labels and predictions, as the examples name them.
func holdoutFiles(t *testing.T) {
	t.Helper()
	for name, header := range map[string]string{"labels.csv": "id,label\n", "predictions.csv": "id,prediction\n"} {
		text := []byte(header)
		for i := range 400 {
			text = fmt.Appendf(text, "%d,%s\n", i, []string{"yes", "no"}[i%2])
		}
		if err := os.WriteFile(name, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// The unit of data is a row in everything that is printed. A text is a string with a
// blank: names, flags and columns keep theirs.
func TestOneWordForRows(t *testing.T) {
	record := regexp.MustCompile(`(?i)\brecords?\b`)
	texts := 0
	dirs := []string{"."}
	for _, pattern := range []string{"../../internal/*", "../../cmd/internal/commands/*", "../../theory", "../../transfer",
		"../../maxinfo",
		"../../pvalue", "../../mechanism", "../../properties/*", "../../properties/audit/*"} {
		found, err := filepath.Glob(pattern)
		if err != nil || len(found) == 0 {
			t.Fatal(pattern, err)
		}
		dirs = append(dirs, found...)
	}
	for _, dir := range dirs {
		files, err := filepath.Glob(dir + "/*.go")
		if err != nil {
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
		if _, out, _ := commandtest.Dpcalc(strings.Fields(args)...); strings.Contains(strings.ReplaceAll(out, "--samples",
			""), "samples") {
			t.Errorf("%v:\n%s", args, out)
		}
	}
}
