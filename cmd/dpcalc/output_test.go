package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/dpcalc/dpcalc/cmd/internal/commands"
	"github.com/dpcalc/dpcalc/cmd/internal/commandtest"
	"github.com/dpcalc/dpcalc/cmd/internal/outfile"
	"github.com/dpcalc/dpcalc/cmd/internal/printed"
	"github.com/dpcalc/dpcalc/cmd/internal/usage"
)

var small = []string{"dpcalc", "samplesize", "-m", "10", "-t", "0.1", "-b", "0.05", "--method", "splitting"}

// A failure to write is one line and exit 1.
func TestWriteFailures(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct {
		path, says string
	}{
		{"/dev/full", "no space left on device"},
		{dir, "is a directory"},
		{filepath.Join(dir, "missing", "plan.csv"), "no such file or directory"},
	} {
		var stdout, stderr bytes.Buffer
		code := run(append(small, "-f", "csv", "-o", c.path), nil, &stdout, &stderr)
		if code != usage.ExitFailure || stdout.Len() != 0 || stderr.String() != "dpcalc: "+c.path+": "+c.says+"\n" {
			t.Errorf("%s: exit %d, stdout %q, stderr %q", c.path, code, stdout.String(), stderr.String())
		}
	}
	if left := commandtest.Files(t, dir); left != nil {
		t.Errorf("files left: %v", left)
	}
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer full.Close()
	for _, args := range [][]string{small, {"dpcalc", "--help"}, {"dpcalc", "--version"},
		{"dpcalc", "explain", "splitting"}, {"dpcalc", "methods"}} {
		var stderr bytes.Buffer
		if code := run(args, nil, full, &stderr); code != usage.ExitFailure ||
			stderr.String() != "dpcalc: standard output: no space left on device\n" {
			t.Errorf("%v: exit %d, stderr %q", args, code, stderr.String())
		}
	}
}

func TestClosedPipe(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	r.Close()
	defer w.Close()
	var stderr bytes.Buffer
	args := []string{"dpcalc", "samplesize", "-m", "1:5k:1", "-t", "0.1", "-b", "0.05", "--method", "splitting", "-f",
		"csv"}
	if code := run(args, nil, w, &stderr); code != usage.ExitFailure ||
		stderr.String() != "dpcalc: standard output: broken pipe\n" {
		t.Errorf("exit %d, stderr %q", code, stderr.String())
	}
}

// A file is replaced whole, keeps its mode, is reached through a link, and is left
// alone by a command that fails.
func TestReplace(t *testing.T) {
	dir := t.TempDir()
	path, link := filepath.Join(dir, "plan.csv"), filepath.Join(dir, "link.csv")
	if err := errors.Join(os.WriteFile(path, []byte("old"), 0o600), os.Symlink(path, link)); err != nil {
		t.Fatal(err)
	}
	broken := errors.New("broken")
	p := newProgram(&outfile.Session{Context: context.Background()})
	err := p.Write(link, func(w io.Writer) error {
		_, err := w.Write(make([]byte, 1<<20))
		return errors.Join(err, broken)
	})
	data, _ := os.ReadFile(path)
	if !errors.Is(err, broken) || string(data) != "old" || len(commandtest.Files(t, dir)) != 2 {
		t.Fatalf("after a failure: %v, %q, %v", err, data, commandtest.Files(t, dir))
	}
	var stdout, stderr bytes.Buffer
	if code := run(append(small, "-o", link), nil, &stdout, &stderr); code != usage.ExitOK ||
		stdout.Len()+stderr.Len() != 0 {
		t.Fatalf("exit %d, %q, %q", code, stdout.String(), stderr.String())
	}
	data, _ = os.ReadFile(path)
	info, err := os.Lstat(link)
	if err != nil || info.Mode()&os.ModeSymlink == 0 || !strings.HasPrefix(string(data), "method,") ||
		len(commandtest.Files(t, dir)) != 2 {
		t.Errorf("link %v (%v), file %q, %v", info, err, data, commandtest.Files(t, dir))
	}
	if info, _ := os.Stat(path); info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v", info.Mode())
	}
}

// An interrupt leaves no file behind.
func TestInterrupted(t *testing.T) {
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	var stdout, stderr bytes.Buffer
	p := newProgram(&outfile.Session{Context: ctx, Stdout: &stdout, Stderr: &stderr})
	code := p.run(append(small, "-o", filepath.Join(dir, "plan.csv")))
	if code != usage.ExitFailure || stderr.String() != "dpcalc: interrupted\n" || commandtest.Files(t, dir) != nil {
		t.Errorf("exit %d, stderr %q, files %v", code, stderr.String(), commandtest.Files(t, dir))
	}
}

// An interrupt after the last byte was written and before the file has its name leaves
// what was there.
func TestInterruptedBeforeCommit(t *testing.T) {
	dir := t.TempDir()
	old, fresh := filepath.Join(dir, "old.csv"), filepath.Join(dir, "fresh.csv")
	if err := os.WriteFile(old, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{old, fresh} {
		ctx, cancel := context.WithCancel(context.Background())
		p := newProgram(&outfile.Session{Context: ctx})
		err := p.Write(path, func(w io.Writer) error {
			defer cancel()
			_, err := io.WriteString(w, "new")
			return err
		})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v, want an interrupt", path, err)
		}
	}
	data, err := os.ReadFile(old)
	if left := commandtest.Files(t, dir); err != nil || string(data) != "old" || len(left) != 1 {
		t.Errorf("%q (%v), files %v", data, err, left)
	}
}

// As many rows as are allowed are written, and one more is refused; so are the rows of a schedule and of a sheet.
func TestRowLimits(t *testing.T) {
	dir := t.TempDir()
	out, schedule := filepath.Join(dir, "plan.csv"), filepath.Join(dir, "schedule.csv")
	missing := filepath.Join(dir, "missing", "plan.csv") // fails when it is opened, before the rows
	const again = "; allow more with --max-rows"
	both := " --method gaussian-schedule --max-rows 20 -o " + out + " --schedule " + schedule
	for _, c := range []struct {
		args string
		code int
		says string
	}{
		{"-m 1:3:1 --method splitting --max-rows 3 -o " + out, usage.ExitOK, ""},
		{"-m 1:4:1 --method splitting --max-rows 3 -o " + out, usage.ExitUsage,
			"--max-rows: got 4 rows, want at most 3" + again},
		{"-m 1:3:1 --method splitting,dp --max-rows 6 -o " + out, usage.ExitOK, ""},
		{"-m 1:3:1 --method splitting,dp --max-rows 5 -o " + out, usage.ExitUsage,
			"--max-rows: got 6 rows, want at most 5" + again},
		{"-m 1 --method splitting --max-rows 1 -o " + out, usage.ExitOK, ""},
		{"-m 1:1M:1 --method splitting -o " + missing, usage.ExitFailure, missing + ": no such file or directory"},
		{"-m 1:1000001:1 --method dp -o " + missing, usage.ExitUsage,
			"--max-rows: got 1000001 rows, want at most 1000000" + again},
		{"-m 20" + both, usage.ExitOK, ""},
		{"-m 21" + both, usage.ExitUsage, "--schedule: got 21 queries, want at most 20" + again},
	} {
		code, stdout, stderr := commandtest.Dpcalc(append(strings.Fields("samplesize -t 0.1 -b 0.05"),
			strings.Fields(c.args)...)...)
		want := ""
		if c.says != "" {
			want = "dpcalc: " + c.says + "\n"
		}
		left := commandtest.Files(t, dir)
		if code != c.code || stdout != "" || stderr != want || (len(left) > 0) != (code == usage.ExitOK) {
			t.Errorf("%s: exit %d, %q, %q, files %v", c.args, code, stdout, stderr, left)
		}
		if data, err := os.ReadFile(schedule); err == nil && strings.Count(string(data), "\n") != 21 {
			t.Errorf("%s: schedule %q", c.args, data)
		}
		os.Remove(out)
		os.Remove(schedule)
	}
	if commands.FitsSheet(1<<20-1, 1) != nil || commands.FitsSheet(1<<20, 1) == nil {
		t.Error("a sheet holds 2^20 - 1 rows and their names")
	}
}

// A query of sensitivity 4 needs the rows of one of sensitivity 1 at a quarter of its tau,
// and four times the noise.
func TestSensitivityInJSON(t *testing.T) {
	factors := func(scaled float64) map[string]float64 {
		return map[string]float64{"noise_scale": scaled, "tau_achieved": scaled, "tau": scaled, "epsilon": 1, "ln_delta": 1}
	}
	for _, goal := range []string{
		"-t TAU -m 1000 -b 0.05", "-t TAU -m 1 -b 0.5", "-n 5M -m 100 -b 0.01", "-n 5M -t TAU -b 0.01",
	} {
		rows := func(query string, tau float64) []map[string]any {
			flags := strings.ReplaceAll(goal, "TAU", strconv.FormatFloat(tau, 'g', -1, 64))
			return commandtest.RowsOf(t, strings.Fields("samplesize "+flags+" "+query)...)
		}
		one, noisy := rows("--query sensitive", 0.1), 0
		for _, c := range []struct {
			query  string
			factor float64
		}{
			{"--query sensitive --sensitivity 4", 4}, {"--query minimization --sensitivity 2", 4},
			{"--query sensitive --sensitivity 1", 1}, {"--query minimization --sensitivity 0.5", 1}, {"--query minimization", 2},
		} {
			for i, row := range rows(c.query, 0.1*c.factor) {
				for _, column := range []string{"method", "status", "samples", "queries"} {
					if row[column] != one[i][column] {
						t.Errorf("%s %s: %s of %v is %v, want %v", goal, c.query, column, row["method"], row[column], one[i][column])
					}
				}
				for column, factor := range factors(c.factor) {
					got, ok := row[column].(float64)
					base, has := one[i][column].(float64)
					if ok != has || ok && math.Abs(got-factor*base) > 1e-6*math.Abs(factor*base) {
						t.Errorf("%s %s: %s of %v is %v, want %g times %v",
							goal, c.query, column, row["method"], row[column], factor, one[i][column])
					}
					if ok && column == "noise_scale" {
						noisy++
					}
				}
			}
		}
		if noisy < 5*4 {
			t.Errorf("%s: %d noise scales", goal, noisy)
		}
	}
}

// Nothing is written, not even an empty file, for a command line that is wrong.
func TestUsageErrorsWriteNothing(t *testing.T) {
	dir := t.TempDir()
	var stdout, stderr bytes.Buffer
	code := run(append(small, "--epsilon", "-1", "-o", filepath.Join(dir, "plan.csv")), nil, &stdout, &stderr)
	if code != usage.ExitUsage || stdout.Len() != 0 || commandtest.Files(t, dir) != nil ||
		strings.Count(stderr.String(), "\n") != 1 {
		t.Errorf("exit %d, stdout %q, stderr %q, files %v", code, stdout.String(), stderr.String(), commandtest.Files(t, dir))
	}
}

func TestNoCommand(t *testing.T) {
	code, stdout, stderr := commandtest.Dpcalc()
	if code != usage.ExitUsage || stdout != "" || !strings.Contains(stderr, "\nUsage: dpcalc COMMAND") {
		t.Errorf("exit %d, stdout %q, stderr %q", code, stdout, stderr)
	}
}

// The bytes do not depend on the number of workers, nor where a search begins where the one before ended.
func TestWorkers(t *testing.T) {
	formulas := strings.Fields("dpcalc samplesize -m 1:1M:log300 -t 0.01:0.1:0.01 -b 0.05 --method hoeffding,splitting,rounding")
	searches := strings.Fields("dpcalc samplesize -m 20,50,200,1000 -t 0.005:0.02:log128 -b 0.05 --method gaussian")
	for _, c := range []struct {
		args   []string
		format string
	}{{formulas, "csv"}, {formulas, "tsv"}, {formulas, "json"}, {formulas, "jsonl"}, {searches, "csv"}} {
		var want string
		for workers := 1; workers <= 8; workers += 3 {
			var stdout, stderr bytes.Buffer
			p := newProgram(&outfile.Session{Context: context.Background(), Stdout: &stdout, Stderr: &stderr, Workers: workers})
			if code := p.run(append(c.args, "-f", c.format)); code != usage.ExitOK {
				t.Fatalf("exit %d: %s", code, stderr.String())
			}
			if want == "" {
				want = stdout.String()
			}
			if stdout.String() != want || len(want) < 1e5 {
				t.Errorf("%s: %d workers write other bytes", c.format, workers)
			}
		}
	}
}

// Scripts and manual are the same on every run and name every command and action.
func TestCompletionAndManual(t *testing.T) {
	for _, args := range [][]string{{"completion", "bash"}, {"completion", "zsh"}, {"completion", "fish"},
		{"completion", "powershell"}, {"man"}} {
		code, first, stderr := commandtest.Dpcalc(args...)
		_, second, _ := commandtest.Dpcalc(args...)
		if code != usage.ExitOK || first != second || stderr != "" {
			t.Errorf("%v: exit %d, stderr %q", args, code, stderr)
		}
		for _, c := range commands.All(newProgram(&outfile.Session{}).Commands) {
			name := "/" + strings.ReplaceAll(c.Path(), " ", "/")
			if args[0] == "man" {
				name = ".SS \"" + strings.ReplaceAll(c.Path(), "-", `\-`)
			}
			if !strings.Contains(first, name) {
				t.Errorf("%v does not name %s", args, name)
			}
		}
	}
}

// The manual has each flag of a command and of an action once, below its name and a heading.
func TestManPage(t *testing.T) {
	_, manual, _ := commandtest.Dpcalc("man")
	manual, _, _ = strings.Cut(strings.ReplaceAll(manual, `\-`, "-"), ".SH EXIT STATUS")
	sections := strings.Split(manual, "\n.SS ")[1:]
	all := commands.All(newProgram(&outfile.Session{}).Commands)
	if len(sections) != len(all) {
		t.Fatalf("%d sections for %d commands", len(sections), len(all))
	}
	for i, c := range all {
		var got, want []string
		for _, found := range regexp.MustCompile(`(?m)^\.B (?:-\w, )?--?([\w-]+)`).FindAllStringSubmatch(sections[i], -1) {
			got = append(got, found[1])
		}
		for _, f := range c.AllFlags(formats) {
			want = append(want, f.Name)
			if heading := ".PP\n" + printed.Capital(cmp.Or(f.Heading, "flags")) + ":\n.TP\n"; strings.Count(sections[i], heading) != 1 {
				t.Errorf("%s: not once %q", c.Path(), heading)
			}
		}
		if !slices.Equal(slices.Sorted(slices.Values(got)), slices.Sorted(slices.Values(want))) {
			t.Errorf("%s: %q, want %q", c.Path(), got, want)
		}
	}
}

// After a command with actions a script offers these, and after an action or another command the flags that it takes.
func TestActionsAreCompleted(t *testing.T) {
	for _, c := range commands.All(newProgram(&outfile.Session{}).Commands) {
		path := "/" + strings.ReplaceAll(c.Path(), " ", "/")
		var words []string
		for _, a := range c.Actions {
			words = append(words, a.Name)
		}
		for _, f := range c.AllFlags(formats) {
			words = append(words, "--"+f.Name)
		}
		words = append(words, "--help")
		if c.Words != nil {
			words = append(words, c.Words()...)
		}
		list := strings.Join(words, " ")
		for shell, want := range map[string]string{
			"bash":       fmt.Sprintf("\n        %s:*) words=\"%s\" ;;\n", path, list),
			"zsh":        fmt.Sprintf("\n        %s:*) answers=(%s) ;;\n", path, list),
			"powershell": fmt.Sprintf("\n        '%s:*' { $words = @('%s'); break }\n", path, strings.Join(words, "', '")),
		} {
			if _, script, _ := commandtest.Dpcalc("completion", shell); !strings.Contains(script, want) {
				t.Errorf("%s: no %s", shell, want)
			}
		}
	}
}

// A flag that takes a list has words, and each script completes them after a comma.
func TestListsAreCompleted(t *testing.T) {
	lists := 0
	for _, c := range commands.Leaves(newProgram(&outfile.Session{}).Commands) {
		for _, f := range c.AllFlags(formats) {
			if takes := f.Placeholder() == "A,B,..."; takes != f.List || f.List && f.Words == nil {
				t.Errorf("%s --%s: a list %v, words %v", c.Path(), f.Name, f.List, f.Words)
			}
			if !f.List {
				continue
			}
			lists++
			words, path := strings.Join(f.Words, " "), "/"+strings.ReplaceAll(c.Path(), " ", "/")
			for shell, want := range map[string]string{
				"bash": fmt.Sprintf(" %s:--%s) list=1 words=\"%s\" ;;", path, f.Name, words),
				"zsh":  fmt.Sprintf(" %s:--%s) list=1 answers=(%s) ;;", path, f.Name, words),
				"fish": "'__dpcalc_at " + path + "' -l " + f.Name + " -x -a '(__dpcalc_list " + words + ")'",
			} {
				if _, script, _ := commandtest.Dpcalc("completion", shell); !strings.Contains(script, want) {
					t.Errorf("%s: no %s", shell, want)
				}
			}
		}
	}
	if lists < 3 {
		t.Errorf("%d lists", lists)
	}
}
