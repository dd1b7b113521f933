package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/dpcalc/dpcalc/cmd/internal/commands"
	"github.com/dpcalc/dpcalc/cmd/internal/commandtest"
	"github.com/dpcalc/dpcalc/cmd/internal/outfile"
	"github.com/dpcalc/dpcalc/cmd/internal/usage"
	"github.com/dpcalc/dpcalc/internal/each"
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

// A column without a header gives the rows that it gives under the header p, and an upper bound gives the rows of the
// bound.
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

// Every help text has examples of its command, and fits a page of 80 columns: a short one of few flags for -h, and a
// long one for --help, with every flag that the command takes and no other.
func TestHelpOfCommands(t *testing.T) {
	p := newProgram(&outfile.Session{})
	for _, c := range append(slices.Clone(p.Commands), commands.Leaves(p.Commands)...) {
		long := helpOf(t, append(strings.Fields(c.Path()), "--help")...)
		if got := helpOf(t, append([]string{"help"}, strings.Fields(c.Path())...)...); got != long {
			t.Errorf("help %s and %s --help differ", c.Path(), c.Path())
		}
		short := helpOf(t, append(strings.Fields(c.Path()), "-h")...)
		var all []string
		if c.Actions == nil {
			for _, f := range c.AllFlags(formats) {
				all = append(all, "--"+f.Name)
			}
			for _, name := range c.Common {
				if !slices.Contains(all, "--"+name) {
					t.Errorf("%s: the short help has --%s, which is none of its flags", c.Path(), name)
				}
			}
		}
		if got := flagsIn(long); !slices.Equal(slices.Sorted(slices.Values(got)), slices.Sorted(slices.Values(all))) {
			t.Errorf("help of %s has %v, want %v", c.Path(), got, all)
		}
		if got := flagsIn(short); c.Common != nil && len(got) != len(c.Common) || len(got) > 12 {
			t.Errorf("short help of %s has %d flags, want %d", c.Path(), len(got), len(c.Common))
		}
		for _, text := range []string{long, short} {
			_, examples, _ := strings.Cut(text, "\nExamples:\n")
			line, _, _ := strings.Cut(examples, "\n")
			if !strings.HasPrefix(line, "   dpcalc "+c.Path()) {
				t.Errorf("%s: %q is no example", c.Path(), line)
			}
			for line := range strings.Lines(text) {
				if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > 80 && !strings.HasPrefix(line, "   dpcalc ") &&
					!strings.HasPrefix(line, "  ") {
					t.Errorf("%s: a line of %d characters: %s", c.Path(), n, line)
				}
			}
		}
	}
	if score := p.Command("holdout").Action("score"); len(score.AllFlags(formats)) > 28 {
		t.Errorf("holdout score takes %d flags, want 28 at most", len(score.AllFlags(formats)))
	}
	// A flag that stands before the action is read before the action is known.
	for _, c := range p.Commands {
		for _, a := range commands.Leaves([]*commands.Command{c}) {
			for _, f := range a.AllFlags(formats) {
				for _, b := range c.Actions {
					for _, g := range b.AllFlags(formats) {
						same := f.Alias == g.Alias && f.Switch == g.Switch && f.Repeats == g.Repeats && slices.Equal(f.Also, g.Also)
						if f.Name == g.Name && !same {
							t.Errorf("--%s of %s and of %s are typed in two ways", f.Name, a.Path(), b.Path())
						}
					}
				}
			}
		}
	}
}

// Long help has headings, and every flag stands under one.
func TestHeadings(t *testing.T) {
	p := newProgram(&outfile.Session{})
	for _, name := range []string{"samplesize", "power", "pvalue-correct", "advise", "holdout init", "holdout score"} {
		all, _ := each.First(commands.Leaves(p.Commands), func(c *commands.Command) bool { return c.Path() == name })
		for _, f := range all.AllFlags(formats) {
			if f.Heading == "" {
				t.Errorf("%s: --%s has no heading", name, f.Name)
			}
		}
	}
	want := []string{"Give three of four", "What is shown", "What is measured", "How rows were drawn", "Looks already taken", "Methods",
		"Noise schedules", "Output"}
	got := each.Of(commands.Sections(p.Command("samplesize").AllFlags(formats)), func(s commands.Section) string { return s.Title })
	if !slices.Equal(got, want) {
		t.Errorf("samplesize has the headings %q, want %q", got, want)
	}
}

// Help on a source of pvalue-correct has what it is, an example that works, and its flags.
func TestHelpOnSources(t *testing.T) {
	isBy := func(f usage.Flag) bool { return f.Name == "by" }
	by, _ := each.First(newProgram(&outfile.Session{}).Command("pvalue-correct").Flags, isBy)
	for _, source := range by.Words {
		help := helpOf(t, "help", "pvalue-correct", source)
		_, example, _ := strings.Cut(help, "Examples:\n   dpcalc ")
		example, _, _ = strings.Cut(example, "\n")
		if code, _, stderr := commandtest.Dpcalc(split(t, example)...); code != usage.ExitOK && source != "free" || stderr != "" {
			t.Errorf("%s: exit %d, %s", example, code, stderr)
		}
		if !strings.Contains(example, " --by "+source) {
			t.Errorf("%s: %s", source, example)
		}
	}
	help := helpOf(t, "help", "pvalue-correct", "menu")
	if got := flagsIn(help); !slices.Equal(got, []string{"--outcomes", "--bits"}) || help != helpOf(t, "help", "pvalue-correct", "description") {
		t.Errorf("%s has %v", help, got)
	}
	for line, want := range map[string]string{
		"help pvalue-correct pure":     "dpcalc: help pvalue-correct: got pure, want pure-dp, ",
		"help pvalue-correct gdp zcdp": "dpcalc: help: unexpected argument zcdp",
		"help samplesize gate":         "dpcalc: help: unexpected argument gate",
	} {
		code, out, stderr := commandtest.Dpcalc(strings.Fields(line)...)
		if !commandtest.Refused(code, out, stderr, want) {
			t.Errorf("%s: exit %d, %s%s", line, code, out, stderr)
		}
	}
}

// helpOf is what a command line that asks for help prints.
func helpOf(t *testing.T, args ...string) string {
	t.Helper()
	code, out, stderr := commandtest.Dpcalc(args...)
	if code != usage.ExitOK || stderr != "" {
		t.Fatalf("%s: exit %d, %s", args, code, stderr)
	}
	return out
}

// flagsIn are the flags that a help text lists.
func flagsIn(help string) (flags []string) {
	for _, found := range regexp.MustCompile(`(?m)^   (?:-\w, |    )?-(-[\w-]+|\w\b)`).FindAllStringSubmatch(help, -1) {
		flags = append(flags, "--"+strings.TrimPrefix(found[1], "-"))
	}
	return flags
}

// The examples work, in their order and in one directory.
func TestExamples(t *testing.T) {
	p := newProgram(&outfile.Session{})
	for _, c := range append(slices.Clone(p.Commands), p.Command("holdout").Actions...) {
		t.Run(c.Path(), func(t *testing.T) {
			t.Chdir(t.TempDir())
			if err := os.WriteFile("pvalues.csv", []byte("test,p\na,0.001\nb,0.2\n"), 0o666); err != nil {
				t.Fatal(err)
			}
			holdoutFiles(t)
			if group, action, _ := strings.Cut(c.Path(), " "); c.Name == "mcp" || group == "holdout" && action != "" && action != "init" {
				agentFiles(t)
			}
			for _, line := range c.Examples {
				line, _, _ = strings.Cut(line, " > ")
				line, _, _ = strings.Cut(line, " | ")
				if c.Name == "init" {
					_ = os.RemoveAll("ledger")
				}
				if c.Name == "serve" {
					served(t, split(t, line))
					continue
				}
				code, out, stderr := commandtest.Dpcalc(split(t, line)[1:]...)
				silent := strings.Contains(line, " -o ") || strings.Contains(line, " plan init ") || c.Name == "mcp"
				said := strings.HasPrefix(stderr, "P-values adjusted by the step ")
				warned := said || strings.HasPrefix(stderr, "dpcalc: mcp: The labels can be read by ") // who starts a test owns its files
				if code != usage.ExitOK || stderr != "" && !warned || silent != (out == "") {
					t.Errorf("%s: exit %d, %q, %s", line, code, out, stderr)
				}
			}
		})
	}
}

// served runs a server until it answers, and stops it. A port that is free takes the place of the usual one.
func served(t *testing.T, args []string) {
	t.Helper()
	if err := os.WriteFile("tokens.txt", []byte("blue "+strings.Repeat("0", 64)+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var stdout, stderr bytes.Buffer
	p := newProgram(&outfile.Session{Context: t.Context(), Stdin: strings.NewReader(""), Stdout: &stdout, Stderr: &stderr})
	ended := make(chan int)
	go func() { ended <- p.run(append(args, "--addr", "127.0.0.1:0")) }()
	for stopped := false; !stopped; stopped = p.Stop() {
		select {
		case code := <-ended:
			t.Fatalf("%s: exit %d before it was stopped, %s", args, code, stderr.String())
		case <-time.After(10 * time.Millisecond):
		}
	}
	if code := <-ended; code != usage.ExitOK || !strings.Contains(stderr.String(), "serving http://127.0.0.1:") || stdout.Len() == 0 {
		t.Errorf("%s: exit %d, %q, %s", args, code, stdout.String(), stderr.String())
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
	for name, header := range map[string]string{"labels.csv": "id,label\n", "predictions.csv": "id,prediction\n", "more.csv": "id,label\n",
		"ids.csv": "id\n"} {
		text := []byte(header)
		for i := range 400 {
			switch name {
			case "more.csv":
				text = fmt.Appendf(text, "%d,%s\n", 400+i, []string{"yes", "no"}[i%2])
			case "ids.csv":
				text = fmt.Appendf(text, "%d\n", i/4)
			default:
				text = fmt.Appendf(text, "%d,%s\n", i, []string{"yes", "no"}[i%2])
			}
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
