package main

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/dpcalc/dpcalc/cmd/internal/commandtest"
	"github.com/dpcalc/dpcalc/cmd/internal/printed"
	"github.com/dpcalc/dpcalc/cmd/internal/usage"
)

// No text of the user's makes a terminal do anything.
func TestTerminalIsSafe(t *testing.T) {
	for text, want := range map[string]string{
		"plain é 漢字 \U0001f600\nline": "plain é 漢字 \U0001f600\nline",
		"\x1b[2J":                     `\x1b[2J`,
		"a\rb\tc\x07\x7f\x00":         `a\rb\tc\a\x7f\x00`,
		"\u009b31m\u009d":             `\u009b31m\u009d`,
		"\x9b31m\xff":                 `\x9b31m\xff`,
		"\u202ecba\u2066\u200f\u061c": `\u202ecba\u2066\u200f\u061c`,
		"\ufffd":                      "\ufffd",
		"\ufffd\xef":                  "\ufffd\\xef",
	} {
		if got := printed.Harmless(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
	attack := "\x1b]0;x\x07\x9b2J\u009b2J\u202e"
	obeyed := func(s string) bool {
		return strings.ContainsAny(s, "\x1b\x07\u009b\u202e") || strings.Contains(s, "\x9b2J")
	}
	table := "a" + attack + ",p\n" + attack + ",0.01\n"
	for _, format := range []string{"table", "markdown", "latex"} {
		for _, more := range [][]string{nil, {"--raw"}} {
			var stdout, stderr bytes.Buffer
			args := append(append([]string{"dpcalc"}, byBits("-", "-f", format)...), more...)
			code := run(args, strings.NewReader(table), &stdout, &stderr)
			if code != usage.ExitOK || obeyed(stdout.String()+stderr.String()) {
				t.Errorf("%s %v: exit %d, %q, %q", format, more, code, stdout.String(), stderr.String())
			}
		}
	}
	for _, text := range []string{
		"p,p" + attack + "\n" + attack + ",1\n", "p_adjusted,p,p_adjusted" + attack + "\n",
		"p\n0.1" + attack + "\n", "q" + attack + "\n",
	} {
		var stdout, stderr bytes.Buffer
		code := run(append([]string{"dpcalc"}, byBits("-")...), strings.NewReader(text), &stdout, &stderr)
		if obeyed(stderr.String()) || !commandtest.Refused(code, stdout.String(), stderr.String(), "got ") {
			t.Errorf("%q: exit %d, %q", text, code, stderr.String())
		}
	}
	dir := filepath.Join(t.TempDir(), "x"+attack+"\ny")
	if _, _, stderr := commandtest.Dpcalc("plan", "run", dir+".yaml"); obeyed(stderr) || strings.Count(stderr, "\n") != 1 {
		t.Errorf("%q", stderr)
	}
}

// encoded writes a text in UTF-16 or UTF-32, without a mark.
func encoded(text string, bits int, order binary.AppendByteOrder) (b []byte) {
	if bits == 16 {
		for _, unit := range utf16.Encode([]rune(text)) {
			b = order.AppendUint16(b, unit)
		}
		return b
	}
	for _, r := range text {
		b = order.AppendUint32(b, uint32(r))
	}
	return b
}

// UTF-16 and UTF-32 are named, with a byte order mark and without.
func TestWideEncodings(t *testing.T) {
	dir := t.TempDir()
	for _, bits := range []int{16, 32} {
		for _, order := range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
			for _, mark := range []string{"", "\ufeff"} {
				for name, c := range map[string]struct {
					text string
					args []string
				}{
					"p.csv":     {"id,p\r\n1,0.5\r\n", byBits()},
					"blank.csv": {"\n\np\n0.5\n", byBits()},
					"joint.csv": {"x,y,p\n1,1,1\n", []string{"maxinfo", "--joint"}},
					"plan.json": {`{"scenarios":[]}`, []string{"plan", "run"}},
					"plan.yaml": {"scenarios: []\n", []string{"plan", "run"}},
				} {
					path := filepath.Join(dir, name)
					if err := os.WriteFile(path, encoded(mark+c.text, bits, order), 0o600); err != nil {
						t.Fatal(err)
					}
					want := "dpcalc: " + path + ": got UTF-" + strconv.Itoa(bits) + ", want UTF-8\n"
					if strings.HasPrefix(name, "plan.") && bits == 16 && mark != "" {
						want = "dpcalc: " + path + ": line 1: scenarios: got none, want a list of them\n" // YAML is read in it
					}
					code, stdout, stderr := commandtest.Dpcalc(append(c.args, path)...)
					if code != usage.ExitUsage || stdout != "" || stderr != want {
						t.Errorf("%s in UTF-%d, %v, mark %q: exit %d, %q, %q", name, bits, order, mark, code, stdout, stderr)
					}
				}
			}
		}
	}
}
