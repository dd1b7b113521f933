package holdout

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/dpcalc/dpcalc/transfer"
)

// onePass is a gate that is retired at its first pass, with so many looks at it that all fail.
func onePass(t *testing.T, looks int) (l *Ledger, path string, ask func(count int) (Answer, error)) {
	t.Helper()
	ids, classes := rowsOf(t, 200, 1)
	l, dir := ledgerOf(t, labelsOf(t, ids, classes), shows(transfer.Gate, 9, 0.3, "gate", transfer.Shown{Passes: 1})(t))
	ask = func(count int) (Answer, error) {
		return l.Score(context.Background(), Submission{Values: Columns(ids, right(classes, count)), Bar: float(0.5)})
	}
	for k := range looks {
		if _, err := ask(k); err != nil {
			t.Fatal(err)
		}
	}
	return l, filepath.Join(dir, looksFile), ask
}

// What no crash can leave in the file is an edit, and the ledger takes no look then.
func TestEditsAreNotTorn(t *testing.T) {
	l, path, ask := onePass(t, 3)
	text := files(t, filepath.Dir(path))[looksFile]
	lines := strings.SplitAfter(text, "\n")
	for name, edited := range map[string]string{
		"lines that end in CRLF":        strings.ReplaceAll(text, "\n", "\r\n"),
		"a last line that ends in CRLF": strings.TrimSuffix(text, "\n") + "\r\n",
		"a blank at the end":            strings.TrimSuffix(text, "\n") + " \n",
		"a blank without an end":        text + " ",
		"an empty line":                 text + "\n",
		"an empty line in between":      lines[0] + "\n" + lines[1] + lines[2],
		"another file":                  "look,event,time\n1,look,2026-01-02T04:04:05Z\n",
		"an object of nobody":           text + "{}\n",
		"a line without its chain":      text + `{"event":"look","look":4,"time":"2026-01-02T04:04:05Z"}` + "\n",
		"another look":                  text + `{"event":"look","look":5,"ti`,
		"a look twice":                  text + `{"event":"look","look":3,"ti`,
		"another event":                 text + `{"event":"torn`,
		"another member":                text + `{"event":"look","look":4,"when":"2`,
		"another order":                 text + `{"event":"look","look":4,"name":"x","time":"`,
		"a text for a number":           text + `{"event":"look","look":4,"time":"x","response":"0`,
		"a number for a text":           text + `{"event":"look","look":4,"time":2`,
		"a tab in a text":               text + "{\"event\":\"look\",\"look\":4,\"time\":\"2\t",
		"another chain":                 text + `{"event":"look","look":4,"time":"x","chain":"zz`,
		"zeros and a text":              text + "{\"eve\x00\x00nt",
		"a look cut in the middle":      lines[0][:len(lines[0])/2] + lines[1] + lines[2],
		"a look gone":                   lines[0] + lines[2],
	} {
		if err := os.WriteFile(path, []byte(edited), 0o600); err != nil {
			t.Fatal(err)
		}
		corrupt := (*CorruptError)(nil)
		if v, err := Verify(filepath.Dir(path), ""); !errors.As(err, &corrupt) {
			t.Errorf("%s: %+v, %v", name, v, err)
		}
		l.seen = nil
		if a, err := ask(190); !errors.As(err, &corrupt) {
			t.Errorf("%s: then %+v, %v", name, a, err)
		}
	}
}

// Wherever the last line ends, its pass does not come back: it may be one that was seen.
func TestTornPassIsAPass(t *testing.T) {
	l, path, ask := onePass(t, 1)
	one := len(files(t, filepath.Dir(path))[looksFile])
	if a, err := ask(190); err != nil || a.Verdict != Pass {
		t.Fatal(a, err)
	}
	text := files(t, filepath.Dir(path))[looksFile]
	for end := one + 1; end < len(text); end++ {
		for _, rest := range []string{"", "\n", "\x00", "\x00\x00\x00\n"} {
			if err := os.WriteFile(path, []byte(text[:end]+rest), 0o600); err != nil {
				t.Fatal(err)
			}
			h, err := read(filepath.Dir(path))
			if err != nil || h.looks != 2 || h.remaining() != (Remaining{}) {
				t.Fatalf("cut at %d and %q: %+v, %v", end, rest, h.remaining(), err)
			}
			whole := end == len(text)-1 && strings.TrimSuffix(rest, "\n") == ""
			if (h.torn == 0) != whole {
				t.Fatalf("cut at %d and %q: %d torn", end, rest, h.torn)
			}
			l.seen = nil
			var refused *RefusedError
			if a, err := ask(191); !errors.As(err, &refused) {
				t.Fatalf("cut at %d and %q: then %+v, %v", end, rest, a, err)
			}
		}
	}
}

// A line with all its members may be cut at any byte, by one crash or by one crash after the other, and what is written
// after it verifies.
func TestEveryMemberMayBeCut(t *testing.T) {
	full := Line{Event: Looked}
	of := reflect.ValueOf(&full).Elem()
	for i := range of.NumField() {
		name, _, _ := strings.Cut(of.Type().Field(i).Tag.Get("json"), ",")
		switch f := of.Field(i); {
		case name == "event" || name == "look" || name == "-":
		case f.Kind() == reflect.String:
			f.SetString("a \"b\\ <é\u2028> " + name)
		default:
			x := -1.5e-7
			f.Set(reflect.ValueOf(&x))
		}
	}
	_, path, _ := onePass(t, 1)
	h, err := read(filepath.Dir(path))
	if err != nil {
		t.Fatal(err)
	}
	before := files(t, filepath.Dir(path))[looksFile]
	full.Look = 2
	second, err := h.append([]Line{full, {Event: Retired, Time: "x"}})
	if err != nil {
		t.Fatal(err)
	}
	for end := 1; end < len(second); end++ {
		once, err := reread(h.plan, before+string(second[:end]))
		if err != nil {
			t.Fatalf("cut at %d, after %q: %v", end, second[:end], err)
		}
		full.Look = once.looks + 1
		third, err := once.append([]Line{full})
		if once.retired {
			continue // only the end of its line is missing
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, more := range []int{1, 2, 40, len(third) - 2, len(third)} {
			twice, err := reread(h.plan, before+string(second[:end])+string(third[:more]))
			if err != nil || twice.looks < once.looks {
				t.Fatalf("cut at %d, then at %d of %q: %v", end, more, third, err)
			}
		}
	}
}

// reread reads lines.
func reread(p *Plan, lines string) (*history, error) {
	h := newHistory(p)
	return h, h.take([]byte(lines))
}

// The chain may be right and the line yet none that a ledger writes: after the end, with another number, of no event.
func TestChainedNonsense(t *testing.T) {
	_, path, _ := onePass(t, 2)
	h, err := read(filepath.Dir(path))
	if err != nil {
		t.Fatal(err)
	}
	before := files(t, filepath.Dir(path))[looksFile]
	for want, lines := range map[string][]Line{
		"line 4 follows the end":      {{Event: Retired}, {Event: Looked, Look: 3}},
		"got look 4, want look 3":     {{Event: Looked, Look: 4}},
		"got look 2, want look 3":     {{Event: Looked, Look: 2}},
		"got nonsense 3, want look 3": {{Event: "nonsense", Look: 3}},
	} {
		text, err := h.append(lines)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := reread(h.plan, before+string(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	end, err := h.append([]Line{{Event: Retired}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := reread(h.plan, before+string(end)+"{"); err == nil || !strings.Contains(err.Error(), "line 4 follows") {
		t.Errorf("got %v", err)
	}
}
