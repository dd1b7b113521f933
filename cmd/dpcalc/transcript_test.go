package main

import (
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/dpcalc/dpcalc/cmd/internal/commandtest"
)

// A transcript is lines "$ dpcalc ..." with what follows them: standard output,
// then standard error, each line of it after "2> ", then "[exit N]" unless 0. A
// line "$ cat FILE" shows a file that a command wrote. Other lines outside a
// block are comments: a block ends at an empty line followed by "#", or at the end.
// "$ cat >FILE" writes the lines below it to a file, and "< FILE" at the end of a
// command gives it that file for standard input. "$ awk" runs in a shell. A chain, which no two runs share, is "...".
func TestTranscripts(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) < 5 {
		t.Fatalf("transcripts: %v, %v", files, err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) { checkTranscript(t, file, false) })
	}
}

// The manual is a test: every "$ dpcalc" block of these pages is run and compared.
// There, standard error has no mark.
func TestManual(t *testing.T) {
	for _, file := range []string{"../../README.md", "../../docs/use/start.md"} {
		if _, err := os.Stat(file); err == nil {
			t.Run(filepath.Base(file), func(t *testing.T) {
				if checkTranscript(t, file, true) == 0 {
					t.Errorf("no $ dpcalc block in %s", file)
				}
			})
		}
	}
	others, err := filepath.Glob("../../docs/*/*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range others {
		if filepath.Base(file) != "start.md" {
			t.Run(filepath.Base(file), func(t *testing.T) { checkTranscript(t, file, true) })
		}
	}
}

// checkTranscript runs the blocks of a file in a directory of their own and
// returns how many there are.
func checkTranscript(t *testing.T, file string, markdown bool) int {
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	file, err = filepath.Abs(file)
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	var out strings.Builder
	lines := strings.SplitAfter(string(data), "\n")
	blocks := 0
	for i := 0; i < len(lines); {
		indent := lines[i][:len(lines[i])-len(strings.TrimLeft(lines[i], " "))]
		command, ok := strings.CutPrefix(lines[i][len(indent):], "$ ")
		if !ok || !slices.ContainsFunc([]string{"dpcalc ", "cat ", "awk "}, func(c string) bool { return strings.HasPrefix(command, c) }) {
			out.WriteString(lines[i])
			i++
			continue
		}
		start := i
		for i++; strings.HasSuffix(command, "\\\n") && i < len(lines); i++ {
			command = strings.TrimSuffix(command, "\\\n") + strings.TrimSpace(lines[i]) + "\n"
		}
		out.WriteString(strings.Join(lines[start:i], ""))
		var want strings.Builder
		for ; i < len(lines) && !endsBlock(lines, i, indent, markdown); i++ {
			want.WriteString(strings.TrimPrefix(lines[i], indent))
		}
		blocks++
		var got string
		if strings.HasPrefix(command, "awk ") {
			if text, err := exec.Command("sh", "-c", command).CombinedOutput(); err != nil {
				t.Fatalf("%s: %v: %s", command, err, text)
			}
		} else if name, ok := strings.CutPrefix(command, "cat >"); ok {
			got = want.String()
			if err := os.WriteFile(strings.TrimSpace(name), []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		} else {
			got = transcribe(t, strings.TrimSuffix(command, "\n"), markdown)
		}
		if got != want.String() && !*commandtest.Update {
			t.Errorf("%s:%d: $ %s\n--- got\n%s--- want\n%s", filepath.Base(file), start+1, command, got, want.String())
		}
		for line := range strings.Lines(got) {
			if line != "\n" {
				line = indent + line
			}
			out.WriteString(line)
		}
	}
	if *commandtest.Update && out.String() != string(data) {
		if err := os.WriteFile(file, []byte(out.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return blocks
}

func endsBlock(lines []string, i int, indent string, markdown bool) bool {
	line := lines[i]
	rest, indented := strings.CutPrefix(line, indent)
	blank := strings.TrimSpace(line) == ""
	switch {
	case !blank && !indented:
		return true
	case strings.HasPrefix(rest, "$ "), markdown && indent == "" && strings.HasPrefix(line, "```"):
		return true
	case !blank:
		return false
	}
	// An empty line belongs to the output if more output follows.
	for i++; i < len(lines); i++ {
		if strings.TrimSpace(lines[i]) == "" {
			continue
		}
		rest, indented := strings.CutPrefix(lines[i], indent)
		return !indented || strings.HasPrefix(rest, "$ ") || !markdown && strings.HasPrefix(rest, "#") || markdown &&
			strings.HasPrefix(rest, "```")
	}
	return true
}

var chains = regexp.MustCompile(`\b[0-9a-f]{64}\b`)

func transcribe(t *testing.T, command string, markdown bool) string {
	words := split(t, command)
	stdin := ""
	if n := len(words); n > 2 && words[n-2] == "<" {
		data, err := os.ReadFile(words[n-1])
		if err != nil {
			t.Fatal(err)
		}
		words, stdin = words[:n-2], string(data)
	}
	if words[0] == "cat" {
		data, err := os.ReadFile(words[1])
		if err != nil {
			return "2> " + err.Error() + "\n"
		}
		return string(data)
	}
	code, stdout, stderr := commandtest.DpcalcReading(stdin, words[1:]...)
	var b strings.Builder
	b.WriteString(chains.ReplaceAllString(stdout, "..."))
	for line := range strings.Lines(stderr) {
		if !markdown {
			b.WriteString("2> ")
		}
		b.WriteString(line)
	}
	if code != 0 {
		fmt.Fprintf(&b, "[exit %d]\n", code)
	}
	return b.String()
}

// split splits a command at spaces outside single quotes.
func split(t *testing.T, command string) (words []string) {
	t.Helper()
	for i, part := range strings.Split(command, "'") {
		if i%2 == 0 {
			words = append(words, strings.Fields(part)...)
		} else {
			words = append(words, part)
		}
	}
	if strings.Count(command, "'")%2 != 0 || len(words) == 0 {
		t.Fatalf("cannot split %q", command)
	}
	return words
}

// A number in prose after <!-- n: COMMAND --> is the rows or the tau that COMMAND solves for, rounded up. Before
// the word points it stands for hundredths.
func TestManualNumbers(t *testing.T) {
	pages, err := filepath.Glob("../../docs/*/*.md")
	if err != nil {
		t.Fatal(err)
	}
	span := regexp.MustCompile(`<!-- n: ([^>]*) -->([\d,]+\.?(\d*))( points)?`)
	count := 0
	for _, name := range append(pages, "../../README.md") {
		page, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range span.FindAllStringSubmatch(string(page), -1) {
			count++
			unit := math.Pow10(-len(m[3]))
			said, err := strconv.ParseFloat(strings.TrimSuffix(strings.ReplaceAll(m[2], ",", ""), "."), 64)
			row := commandtest.RowsOf(t, strings.Fields(m[1])...)[0]
			got, ok := row["tau"].(float64)
			if !strings.Contains(m[1], "--samples") {
				got, ok = row["samples"].(float64)
			}
			if m[4] != "" {
				got *= 100
			}
			if err != nil || !ok || said < got || said >= got+unit {
				t.Errorf("%s: %s is %v, want it rounded up: %v, %v", name, m[0], got, err, ok)
			}
		}
	}
	if count == 0 {
		t.Error("no number was found")
	}
}
