package holdout

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/dpcalc/dpcalc/holdout/form"
	"github.com/dpcalc/dpcalc/transfer"
)

// onePass is a gate that is retired at its first pass, with so many looks at it that all fail.
func onePass(t *testing.T, looks int) (l *Ledger, path string, ask func(count int) (Answer, error)) {
	t.Helper()
	ids, classes := rowsOf(t, 200, 1)
	l, dir := ledgerOf(t, LabelsOf(t, ids, classes), shows(transfer.Gate, 9, 0.3, "gate", transfer.Shown{Passes: 1})(t))
	ask = func(count int) (Answer, error) {
		return l.Score(context.Background(), Submission{Values: Columns(ids, right(classes, count)), Question: barAt(0.5)})
	}
	for k := range looks {
		if _, err := ask(k); err != nil {
			t.Fatal(err)
		}
	}
	return l, filepath.Join(dir, looksFile), ask
}

// openGate is an open ledger with so many gates that all fail.
func openGate(t *testing.T, looks int) (l *Ledger, path string, ask func(count int) (Answer, error)) {
	t.Helper()
	l, dir, ids, classes := openLedger(t, 200)
	ask = func(count int) (Answer, error) {
		return l.Score(context.Background(), Submission{Values: Columns(ids, firstRight(classes, count)),
			Question: Question{Show: ShowPass, Bar: float(0.5)}})
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
	t.Run("fixed", func(t *testing.T) { edited(t, onePass) })
	t.Run("open", func(t *testing.T) { edited(t, openGate) })
}

func edited(t *testing.T, gate func(*testing.T, int) (*Ledger, string, func(int) (Answer, error))) {
	l, path, ask := gate(t, 3)
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
		"zeros for all lines":           strings.Repeat("\x00", len(text)),
		"zeros for two lines":           lines[0] + strings.Repeat("\x00", len(lines[1]+lines[2])),
		"zeros for a line in between":   lines[0] + strings.Repeat("\x00", len(lines[1])) + lines[2],
		"zeros for a line but its end":  lines[0] + strings.Repeat("\x00", len(lines[1])-1) + "\n" + lines[2],
		"a thousand zeros":              text + strings.Repeat("\x00", 1000),
		"a text and a thousand zeros":   text + `{"event":"look","loo` + strings.Repeat("\x00", 1000),
		"a million zeros":               strings.Repeat("\x00", 1e6),
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
		forget(l)
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
			h, err := journalOf(filepath.Dir(path)).Read()
			if err != nil || h.Looks != 2 || h.Plan.Rule.Remaining(h.Past) != (Remaining{}) {
				t.Fatalf("cut at %d and %q: %+v, %v", end, rest, h.Plan.Rule.Remaining(h.Past), err)
			}
			whole := end == len(text)-1 && strings.TrimSuffix(rest, "\n") == ""
			if (h.TornLooks == 0) != whole {
				t.Fatalf("cut at %d and %q: %d torn", end, rest, h.TornLooks)
			}
			forget(l)
			var refused *RefusedError
			if a, err := ask(191); !errors.As(err, &refused) {
				t.Fatalf("cut at %d and %q: then %+v, %v", end, rest, a, err)
			}
		}
	}
}

// tornCase is a plan and the looks at it: the first is taken, the second is cut short, and the others follow. The
// second is a pass or a flag, or moves no board: what is shown after it is what is shown after its tear.
type tornCase struct {
	terms Terms
	rows  int
	look  func(values Table, k int) Submission
	right []int // of the looks, in thousandths
}

func tornCases(t *testing.T) map[string]tornCase {
	t.Helper()
	bare := func(values Table, _ int) Submission { return Submission{Values: values} }
	at := func(values Table, _ int) Submission {
		return Submission{Values: values, Question: barAt(0.5)}
	}
	guessed := func(values Table, k int) Submission {
		return Submission{Values: values,
			Question: Question{Guess: float([]float64{0.702, 0.2, 0.3, 0.905, 0.1, 0.15, 0.25, 0.35}[k])}}
	}
	flags := func(method string, rows, m, budget int64, shown transfer.Shown) tornCase {
		shown.Feedback = transfer.Flags
		goal := transfer.Goal{Queries: m, Tau: 0.1, Beta: beta(t, "0.1"), Budget: budget, Query: transfer.Binary, Shown: shown}
		return tornCase{Terms{Method: method, Goal: goal}, int(rows), guessed, []int{701, 702, 703, 904, 555, 656, 757, 858}}
	}
	return map[string]tornCase{
		"answers":   {termsOf(5, 0.4, beta(t, "0.1"), "gaussian"), 300, bare, []int{500, 510, 520, 530, 540, 550, 560}},
		"splitting": {termsOf(5, 0.4, beta(t, "0.1"), "splitting"), 300, bare, []int{500, 510, 520, 530, 540, 550, 560}},
		"gate": {shows(transfer.Gate, 9, 0.1, "gate", transfer.Shown{Passes: 3})(t), 1000, at,
			[]int{400, 700, 401, 701, 402, 702, 703, 403}},
		"gate with noise": {shows(transfer.Gate, 6, 0.1, "gaussian", transfer.Shown{Passes: 2})(t), 3000, at,
			[]int{400, 900, 401, 901, 902, 402}},
		"best": {shows(transfer.Best, 5, 0.1, "ladder", transfer.Shown{})(t), 3100, bare,
			[]int{700, 500, 710, 900, 910, 920, 930}},
		"flags":           flags("sparse-validate", 8000, 50, 3, transfer.Shown{}),
		"flags in parts":  flags("sparse-validate", 60000, 1_000_000, 3, transfer.Shown{Hold: 0.08}),
		"flags and noise": flags("gaussian", 3000, 6, 2, transfer.Shown{}),
	}
}

// A look that was cut short is spent as the look that it was: what is shown after it, and for how long, is what is
// shown after that look.
func TestTornLookIsSpent(t *testing.T) {
	for name, c := range tornCases(t) {
		t.Run(name, func(t *testing.T) {
			ids, classes := rowsOf(t, c.rows, 1)
			l, dir := ledgerOf(t, LabelsOf(t, ids, classes), c.terms)
			path := filepath.Join(dir, looksFile)
			if (name == "flags in parts") != (l.plan.Mechanism.Parts > 1 && l.plan.Method == "sparse-validate") {
				t.Fatalf("the plan has %d parts", l.plan.Mechanism.Parts)
			}
			ask := func(k int) (Answer, error) {
				return l.Score(context.Background(), c.look(Columns(ids, right(classes, c.right[k]*c.rows/1000)), k))
			}
			for k := range 2 {
				if _, err := ask(k); err != nil {
					t.Fatal(err)
				}
			}
			text := files(t, dir)[looksFile]
			first := strings.Index(text, "\n") + 1
			follow := func(text string) (shown []string) {
				if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
				forget(l)
				fix(l)
				for k := 2; k < len(c.right); k++ {
					a, err := ask(k)
					shown = append(shown, fmt.Sprintf("look %d: %s, %s, %+v, %v", a.Look, a.Verdict, printed(a.Response), a.Remaining, err))
				}
				return shown
			}
			want := follow(text)
			if last := want[len(want)-1]; !strings.Contains(last, "refused") || strings.Contains(want[0], "refused") {
				t.Fatalf("without a tear: %s", strings.Join(want, "\n"))
			}
			for _, torn := range []string{text[:first+1], text[:(first+len(text))/2], text[:first] + "\x00\x00", text[:len(text)-2]} {
				if got := follow(torn); !slices.Equal(got, want) {
					t.Errorf("cut to %q:\n%s\nwithout a tear:\n%s", torn[first:], strings.Join(got, "\n"), strings.Join(want, "\n"))
				}
			}
		})
	}
}

// Bytes of zero in the place of the last write are a look that a crash has cut short. In the place of more they are
// damage: looks that were shown would be taken anew.
func TestZerosForALine(t *testing.T) {
	for name, c := range tornCases(t) {
		ids, classes := rowsOf(t, c.rows, 1)
		l, dir := ledgerOf(t, LabelsOf(t, ids, classes), c.terms)
		takes(t, l, c.look(Columns(ids, right(classes, c.right[0]*c.rows/1000)), 0))
		zeros(t, name, dir, 2)
	}
	_, path, _ := openGate(t, 1)
	zeros(t, "open", filepath.Dir(path), 2)
	ids, classes := rowsOf(t, 1000, 1)
	l, dir := ledgerOf(t, LabelsOf(t, ids, classes), shows(transfer.Final, 3, 0.1, "", transfer.Shown{})(t))
	var list []Submission
	for _, count := range []int{500, 600, 700} {
		list = append(list, Submission{Name: "finalist.csv", Values: Columns(ids, right(classes, count))})
	}
	if _, err := l.ScoreAll(context.Background(), list); err != nil {
		t.Fatal(err)
	}
	zeros(t, "final", dir, 3)
}

// zeros writes zeros in the place of the looks of a ledger, which are one write, and of more.
func zeros(t *testing.T, name, dir string, more int) {
	t.Helper()
	one := len(files(t, dir)[looksFile])
	for zeros, torn := range map[int]bool{1: true, one / 2: true, one: true, more * one: false, 1e6: false} {
		if err := os.WriteFile(filepath.Join(dir, looksFile), make([]byte, zeros), 0o600); err != nil {
			t.Fatal(err)
		}
		v, err := Verify(dir, "")
		if corrupt := (*CorruptError)(nil); torn && (err != nil || v.Torn != 1) || !torn && !errors.As(err, &corrupt) {
			t.Errorf("%s: %d zeros for a write of %d bytes: %d torn, %v", name, zeros, one, v.Torn, err)
		}
	}
}

// fill gives every member of a line a value.
func fill(of reflect.Value) {
	for i := range of.NumField() {
		field := of.Type().Field(i)
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		x := -1.5e-7
		switch f := of.Field(i); {
		case name == "event" || name == "look" || name == "-":
		case f.Kind() == reflect.Struct:
			fill(f)
		case f.Kind() == reflect.String:
			f.SetString("a \"b\\ <é\u2028> " + name)
		case f.Kind() == reflect.Int64:
			f.SetInt(12)
		case f.Kind() == reflect.Float64:
			f.SetFloat(x)
		case f.Kind() == reflect.Bool:
			f.SetBool(true)
		case f.Kind() == reflect.Float64:
			f.SetFloat(x)
		case f.Type() == reflect.TypeFor[*Sizes]():
			f.Set(reflect.ValueOf(&Sizes{Count: 1, Rows: 2, Largest: 3, Squares: 4}))
		case f.Type() == reflect.TypeFor[*float64]():
			f.Set(reflect.ValueOf(&x))
		case f.Type() == reflect.TypeFor[*LabelsFile]():
			f.Set(reflect.ValueOf(&LabelsFile{Path: "a \"}b\\", Fingerprint: "c]",
				From: &Reading{Tool: "d{", ID: "e}", Value: "f,", Only: []string{"g\"=]", "h"}}}))
		case f.Type() == reflect.TypeFor[[]Condition]():
			f.Set(reflect.ValueOf([]Condition{{Bar: x, Where: "a=\"b]"}, {Bar: 1, Where: "c}"}}))
		case f.Type() == reflect.TypeFor[[]int64]():
			f.Set(reflect.ValueOf([]int64{12, 0, 7}))
		case f.Type() == reflect.TypeFor[[]Shown]():
			first := Shown{From: &x, Clusters: &Sizes{Count: 1, Rows: 2, Largest: 3, Squares: 4},
				Counted: form.Counted{Rows: 1, Bins: []int64{3, 0}}}
			f.Set(reflect.ValueOf([]Shown{first, {Counted: form.Counted{Rows: 2}}, {Counted: form.Counted{Rows: 3}}}))
		default:
			f.Set(reflect.ValueOf([]string{"a \"b]", "", "c,d"}))
		}
	}
}

// A line with all its members may be cut at any byte, by one crash or by one crash after the other, and what is written
// after it verifies.
func TestEveryMemberMayBeCut(t *testing.T) {
	full := form.Line{Event: Looked}
	fill(reflect.ValueOf(&full).Elem())
	_, path, _ := onePass(t, 1)
	read, err := journalOf(filepath.Dir(path)).Read()
	if err != nil {
		t.Fatal(err)
	}
	before := files(t, filepath.Dir(path))[looksFile]
	h, err := reread(read.Plan, before)
	if err != nil {
		t.Fatal(err)
	}
	full.Look = 2
	second := h.appended(t, full, form.Line{Event: Retired, Time: "x"})
	for end := 1; end < len(second); end++ {
		once, err := reread(h.Plan, before+string(second[:end]))
		if err != nil {
			t.Fatalf("cut at %d, after %q: %v", end, second[:end], err)
		}
		full.Look = once.Looks + 1
		third := once.appended(t, full)
		if once.Retired {
			continue // only the end of its line is missing
		}
		for _, more := range []int{1, 2, 40, len(third) - 2, len(third)} {
			twice, err := reread(h.Plan, before+string(second[:end])+string(third[:more]))
			if err != nil || twice.Looks < once.Looks {
				t.Fatalf("cut at %d, then at %d of %q: %v", end, more, third, err)
			}
		}
	}
}

// The chain may be right and the line yet none that a ledger writes: after the end, with another number, of no event.
func TestChainedNonsense(t *testing.T) {
	_, path, _ := onePass(t, 2)
	read, err := journalOf(filepath.Dir(path)).Read()
	if err != nil {
		t.Fatal(err)
	}
	before := files(t, filepath.Dir(path))[looksFile]
	h, err := reread(read.Plan, before)
	if err != nil {
		t.Fatal(err)
	}
	for want, lines := range map[string][]form.Line{
		"line 4 follows the end":      {{Event: Retired}, {Event: Looked, Look: 3}},
		"got look 4, want look 3":     {{Event: Looked, Look: 4}},
		"got look 2, want look 3":     {{Event: Looked, Look: 2}},
		"got nonsense 3, want look 3": {{Event: "nonsense", Look: 3}},
	} {
		text := h.appended(t, lines...)
		if _, err := reread(h.Plan, before+string(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	end := h.appended(t, form.Line{Event: Retired})
	if _, err := reread(h.Plan, before+string(end)+"{"); err == nil || !strings.Contains(err.Error(), "line 4 follows") {
		t.Errorf("got %v", err)
	}
}
