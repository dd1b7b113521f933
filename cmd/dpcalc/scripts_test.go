//go:build scripts

package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/dpcalc/dpcalc/cmd/internal/commandtest"
)

// These tests call the program from Python and from R. They need python3 with pandas (another python3 than the first on
// the path is named by the variable PYTHON), or Rscript with jsonlite, and are run by
// go test -tags scripts ./cmd/dpcalc -run 'Python|RScript'.

// A language is one that has a page in docs/use, and a file there to copy or a package.
type language struct {
	fence, page, file string   // how the page's blocks open, the page, the file that they use; "" for the package of R
	run               []string // what runs a script
	load              string   // the statement that makes the file's functions known
	mark              string   // the statement that prints between
}

// between separates what the blocks of a page print.
const between = "\x1e\n"

var (
	python = language{"python", "python.md", "dpcalc.py", []string{cmp.Or(os.Getenv("PYTHON"), "python3")},
		"from dpcalc import *\nimport dpcalc as module, json\n", "print(chr(30))\n"}
	rScript = language{"r", "r.md", "", []string{"Rscript", "--vanilla"}, "library(dpcalc)\nnoise <- dpcalc:::noise\n", "cat(\"\\036\\n\")\n"}
)

// room returns a directory with the program, built from the source, and the language's file.
func (l language) room(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	build := exec.Command("go", "build", "-buildvcs=false", "-o", dir+string(filepath.Separator), ".")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	if l.file == "" {
		library := filepath.Join(dir, "library")
		if err := os.Mkdir(library, 0o700); err != nil {
			t.Fatal(err)
		}
		if out, err := exec.Command("R", "CMD", "INSTALL", "--library="+library, "../../r").CombinedOutput(); err != nil {
			t.Fatalf("R CMD INSTALL: %v\n%s", err, out)
		}
		return dir
	}
	file, err := os.ReadFile(filepath.Join("../../docs/use", l.file))
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, l.file), file, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// printed runs a script in the directory, with its program on the path, and returns what it prints.
func (l language) printed(t *testing.T, dir, script string) string {
	t.Helper()
	path := filepath.Join(dir, "script."+l.fence)
	if err := os.WriteFile(path, []byte(script), 0o644); err != nil {
		t.Fatal(err)
	}
	run := exec.Command(l.run[0], append(slices.Clone(l.run[1:]), path)...)
	run.Dir = dir
	run.Env = append(os.Environ(), "R_LIBS="+filepath.Join(dir, "library"), "PATH="+dir+string(filepath.ListSeparator)+os.Getenv("PATH"))
	run.Env = slices.DeleteFunc(run.Env, func(s string) bool { return strings.HasPrefix(s, "DPCALC=") })
	var out, said bytes.Buffer
	run.Stdout, run.Stderr = &out, &said
	if err := run.Run(); err != nil {
		t.Fatalf("%v: %v\n%s%s", l.run, err, out.String(), said.String())
	}
	return out.String()
}

// checkPage runs the page's blocks in their order, as one script, and compares what each prints with the block of text
// that follows it.
func (l language) checkPage(t *testing.T, dir string) {
	name := filepath.Join("../../docs/use", l.page)
	page, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	pair := regexp.MustCompile("(?s)```" + l.fence + "\n(.*?)```\n\n```text\n(.*?)```\n")
	blocks := pair.FindAllSubmatchIndex(page, -1)
	if fences := bytes.Count(page, []byte("```"+l.fence+"\n")); len(blocks) < 5 || len(blocks) != fences {
		t.Fatalf("%d of %d blocks of %s are followed by what they print, want at least 5", len(blocks), fences, l.page)
	}
	var script strings.Builder
	for _, at := range blocks {
		script.Write(page[at[2]:at[3]])
		script.WriteString(l.mark)
	}
	printed := strings.Split(l.printed(t, dir, script.String()), between)
	if len(printed) != len(blocks)+1 {
		t.Fatalf("%d blocks printed %q", len(blocks), printed)
	}
	var written []byte
	end := 0
	for i, at := range blocks {
		if want := string(page[at[4]:at[5]]); printed[i] != want && !*commandtest.Update {
			t.Errorf("%s:\n%s--- got\n%s--- want\n%s", l.page, page[at[2]:at[3]], printed[i], want)
		}
		written = slices.Concat(written, page[end:at[4]], []byte(printed[i]))
		end = at[5]
	}
	written = append(written, page[end:]...)
	if *commandtest.Update && !bytes.Equal(written, page) {
		if err := os.WriteFile(name, written, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func TestPython(t *testing.T) {
	dir := python.room(t)
	t.Run("page", func(t *testing.T) { python.checkPage(t, dir) })
	t.Run("rows", func(t *testing.T) { checkPythonRows(t, dir) })
	t.Run("answers", func(t *testing.T) { python.checkAnswers(t, dir, pythonAnswers, "ValueError", "DpcalcError") })
}

func TestRScript(t *testing.T) {
	dir := rScript.room(t)
	t.Run("page", func(t *testing.T) { rScript.checkPage(t, dir) })
	t.Run("rows", func(t *testing.T) { checkRRows(t, dir) })
	t.Run("answers", func(t *testing.T) { rScript.checkAnswers(t, dir, rAnswers, "simpleError", "dpcalc_error") })
}

// A call is a command line and the same in both languages.
var calls = []struct{ line, python, r string }{
	{"samplesize --queries 1000 --tau 0.1 --beta 0.05",
		`dpcalc("samplesize", queries=1000, tau=0.1, beta=0.05)`, ""},
	{"samplesize --queries 10,100000 --samples 100000 --beta 0.3333333333333333 --method gaussian,rounding --zip",
		`dpcalc("samplesize", queries="10,100000", samples="100000", beta=1/3, method="gaussian,rounding", zip=True)`, ""},
	{"transfer --alpha 0.1 --beta 0.05 --epsilon 0.01 --delta 1e-6 --target-beta 1e-3 --samples 100000",
		`dpcalc("transfer", alpha=0.1, beta=0.05, epsilon=0.01, delta=1e-6, target_beta=1e-3, samples=100000)`, ""},
	{"maxinfo --samples 10000 --slack 1e-9 --step pure-dp:epsilon=0.01 --step description:outcomes=100",
		`dpcalc("maxinfo", samples=10000, slack=1e-9, step=["pure-dp:epsilon=0.01", "description:outcomes=100"])`,
		`dpcalc("maxinfo", samples=10000, slack=1e-9, step=c("pure-dp:epsilon=0.01", "description:outcomes=100"))`},
	{"samplesize --queries 1000 --tau -0.1 --beta 0.05", `dpcalc("samplesize", queries=1000, tau=-0.1, beta=0.05)`, ""},
	{"samplesize --nonsense=it's", `dpcalc("samplesize", nonsense="it's")`, ""},
	{"samplesize --samples 10 --queries 10 --beta 0.05 --method gaussian",
		`dpcalc("samplesize", samples=10, queries=10, beta=0.05, method="gaussian")`, ""},
	{"samplesize --samples 100 --queries 10 --tau 0.1 --beta 0.05",
		`dpcalc("samplesize", samples=100, queries=10, tau=0.1, beta=0.05)`, ""},
}

// byTheProgram runs a command line, and returns the exit code, standard error and the rows.
func byTheProgram(t *testing.T, dir, line string) (code int, said string, rows []any, out []byte) {
	t.Helper()
	run := exec.Command(filepath.Join(dir, "dpcalc"), append(strings.Fields(line), "--format", "json")...)
	var stderr strings.Builder
	run.Stderr = &stderr
	out, err := run.Output()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	answer := struct{ Rows []any }{}
	if len(out) > 0 {
		if err := json.Unmarshal(out, &answer); err != nil {
			t.Fatal(err)
		}
	}
	return run.ProcessState.ExitCode(), strings.TrimSpace(stderr.String()), answer.Rows, out
}

// What a call gives in Python is what the program gives: every number of every row, the exit code and the line.
func checkPythonRows(t *testing.T, dir string) {
	codes := map[int]bool{}
	for _, c := range calls {
		code, said, rows, _ := byTheProgram(t, dir, c.line)
		codes[code] = true
		printed := python.printed(t, dir, python.load+
			"try:\n    answer = [0, \"\", "+c.python+"]\n"+
			"except DpcalcError as error:\n    answer = [error.code, str(error), error.rows]\nprint(json.dumps(answer))\n")
		var got [3]any
		if err := json.Unmarshal([]byte(printed), &got); err != nil {
			t.Fatal(err)
		}
		if code >= 3 {
			said = reasons(rows)
		}
		if rows == nil {
			rows = []any{}
		}
		if want := [3]any{float64(code), said, rows}; fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s\n--- got\n%v\n--- want\n%v", c.python, got, want)
		}
	}
	if len(codes) != 4 {
		t.Errorf("the calls end with %v, want the codes 0, 2, 3 and 4", codes)
	}
}

// reasons stands for the line of an exit code that goes without one.
func reasons(rows []any) string {
	var all []string
	for _, row := range rows {
		r := row.(map[string]any)
		if why, ok := r["reason"].(string); ok {
			all = append(all, r["method"].(string)+": "+why)
		}
	}
	return strings.Join(all, "; ")
}

// The same in R, where the program's rows are read by jsonlite from a file.
func checkRRows(t *testing.T, dir string) {
	for _, c := range calls {
		code, said, rows, out := byTheProgram(t, dir, c.line)
		if code >= 3 {
			said = reasons(rows)
		}
		if err := os.WriteFile(filepath.Join(dir, "want.json"), out, 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "want.txt"), []byte(said+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		call := c.r
		if call == "" {
			call = strings.ReplaceAll(c.python, "True", "TRUE")
		}
		printed := rScript.printed(t, dir, rScript.load+
			"options(OutDec = \",\")\ngot <- tryCatch(list(code = 0, line = \"\", rows = "+call+"),\n"+
			"  dpcalc_error = function(e) list(code = e$code, line = conditionMessage(e), rows = e$rows))\n"+
			"want <- if (file.size(\"want.json\") > 0) jsonlite::fromJSON(\"want.json\")$rows\n"+
			"cat(got$code, identical(got$rows, want), got$line == readLines(\"want.txt\"), \"\\n\")\n")
		if want := fmt.Sprintln(code, "TRUE TRUE "); printed != want {
			t.Errorf("%s\n--- got\n%s--- want\n%s", call, printed, want)
		}
	}
}

// The values of both scripts are 0.25, one that is no number, a share in per cent and one below what there is. For the
// noise its standard deviation is taken.
var (
	pythonAnswers = python.load + `
module.random.SystemRandom.gauss = lambda self, mean, sd: sd
plan, answer = answers(samples=20000, queries=5, beta=0.05)
for value in [0.25, float("nan"), 57, -0.25, 0.25, 0.25, 0.25, 0.25, 0.25]:
    try:
        print(repr(answer(value)))
    except (DpcalcError, ValueError) as error:
        print(type(error).__name__)
`
	rAnswers = rScript.load + `
draws <- replicate(4000, noise(2, Inf))
stopifnot(abs(mean(draws)) < 0.3, abs(sd(draws) - 2) < 0.2, !any(duplicated(draws)))
cut <- replicate(4000, noise(2, 1.5))
stopifnot(abs(cut) <= 3, max(abs(cut)) > 2.9, sum(abs(cut) > 2.99) < 40) # clipped noise is at 3 in 500 of them
assignInNamespace("noise", function(sd, cut) sd, "dpcalc")
holdout <- answers(samples = 20000, queries = 5, beta = 0.05)
for (value in c(0.25, NaN, 57, -0.25, 0.25, 0.25, 0.25, 0.25, 0.25))
  cat(tryCatch(exact(holdout$answer(value)), error = function(e) class(e)[1]), "\n", sep = "")
`
)

// The answers are the values plus the noise of the program's schedule, in its order, and as many as were planned.
// What is no number, or none that the noise is for, costs no answer.
func (l language) checkAnswers(t *testing.T, dir, script, refused, spent string) {
	got := strings.Fields(l.printed(t, dir, script))
	noise := filepath.Join(dir, "noise.csv")
	code, _, _, _ := byTheProgram(t, dir, "samplesize -n 20000 -m 5 -b 0.05 --method gaussian-schedule --schedule "+noise)
	table, err := os.ReadFile(noise)
	if code != 0 || err != nil {
		t.Fatal(code, err)
	}
	want := []string{}
	for i, line := range strings.Fields(string(table))[1:] {
		var query int
		var sd float64
		if _, err := fmt.Sscanf(line, "%d,%g", &query, &sd); err != nil || query != i+1 {
			t.Fatal(line, err)
		}
		want = append(want, strings.TrimRight(fmt.Sprintf("%.9f", 0.25+sd), "0"))
	}
	if len(want) != 5 {
		t.Fatal(want)
	}
	want = append(slices.Insert(want, 1, refused, refused, refused), spent)
	if !slices.Equal(got, want) {
		t.Errorf("%s: got %v, want %v", l.page, got, want)
	}
}
