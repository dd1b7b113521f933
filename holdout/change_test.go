package holdout

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dpcalc/dpcalc/holdout/form"
	"github.com/dpcalc/dpcalc/holdout/rule"
	"github.com/dpcalc/dpcalc/transfer"
)

// moreRows are 100 rows that come later, of which every label is like its row's number or unlike it.
func moreRows(t testing.TB, unlike int) *Labels {
	t.Helper()
	var ids, classes []string
	for i := range 100 {
		ids, classes = append(ids, fmt.Sprint("s", i)), append(classes, fmt.Sprint((i+unlike)%2))
	}
	return labelsIn(t, ids, classes)
}

func labelsIn(t testing.TB, ids, classes []string) *Labels {
	t.Helper()
	labels, err := NewLabels(Columns(ids, classes))
	if err != nil {
		t.Fatal(err)
	}
	return labels
}

// looksOf reads and replaces the lines of a ledger.
func looksOf(t testing.TB, dir string, text ...[]byte) []byte {
	t.Helper()
	path := filepath.Join(dir, looksFile)
	if len(text) > 0 {
		if err := os.WriteFile(path, slices.Concat(text...), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	all, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// An extension whose line was cut anywhere, with and without zeros after it, leaves the rows before it. Only the whole
// line leaves the rows after it. Its beginning, which may be the beginning of a look, is a look and costs the most that
// a response may. The same extension goes through then, and a second run changes nothing.
func TestExtensionCutAnywhere(t *testing.T) {
	_, dir, ids, classes := openLedger(t, 200)
	labels := labelsIn(t, ids, classes)
	extend := func() (changed bool, err error) {
		l, err := Open(dir, labels)
		if err != nil {
			return false, err
		}
		return l.Extend(context.Background(), Extension{Labels: moreRows(t, 0)})
	}
	before := looksOf(t, dir)
	if changed, err := extend(); !changed || err != nil {
		t.Fatal(changed, err)
	}
	after := looksOf(t, dir)
	line := after[len(before):]
	dear := 0
	for cut := 1; cut <= len(line); cut++ {
		for _, zeros := range []int{0, 7} {
			looksOf(t, dir, before, line[:cut], make([]byte, zeros))
			s, err := ReadStatus(dir)
			if err != nil {
				t.Fatalf("cut after %d bytes and %d zeros: %v", cut, zeros, err)
			}
			want := int64(200)
			if cut == len(line) || cut == len(line)-1 && zeros == 0 {
				want = 300
			}
			if s.Rows != want {
				t.Fatalf("cut after %d bytes and %d zeros: got %d rows", cut, zeros, s.Rows)
			}
			if spent := int64(math.Round(s.Spent / transfer.UsualMost)); s.Torn != spent || s.Looks != spent {
				t.Errorf("cut after %d bytes: got %d torn of %d looks at %v nats", cut, s.Torn, s.Looks, s.Spent)
			}
			switch {
			case s.Spent == 0:
			case math.Abs(s.Spent-transfer.UsualMost) > 1e-9:
				t.Errorf("cut after %d bytes: got %v nats spent, want 0 or %v", cut, s.Spent, transfer.UsualMost)
			case cut < len(line):
				dear = max(dear, cut)
			}
			if zeros > 0 || cut%40 != 0 {
				continue
			}
			if changed, err := extend(); !changed || err != nil {
				t.Fatalf("cut after %d bytes: the extension was not made: %v", cut, err)
			}
			if v, err := Verify(dir, ""); err != nil || v.Rows != 300 {
				t.Fatalf("cut after %d bytes: got %d rows (%v)", cut, v.Rows, err)
			}
		}
	}
	if dear == 0 || dear > len(rule.ChangedHead) {
		t.Errorf("got the most of a response for up to %d bytes, want it up to where a look's line is another one", dear)
	}
	looksOf(t, dir, after)
	l, err := Open(dir, labels, moreRows(t, 0))
	if err != nil {
		t.Fatal(err)
	}
	if changed, err := l.Extend(context.Background(), Extension{Labels: moreRows(t, 0)}); changed || err != nil {
		t.Error("the second run changed something", err)
	}
	if !bytes.Equal(looksOf(t, dir), after) {
		t.Error("the second run has written something")
	}
}

// An extension that was made before the last one is made already too, whether its labels are the same or not.
func TestEarlierExtensionOnceMore(t *testing.T) {
	l, dir, ids, classes := openLedger(t, 200)
	old, first, second := labelsIn(t, ids, classes), moreRows(t, 0), labelsIn(t, []string{"x"}, []string{"1"})
	files := []*Labels{old}
	for _, e := range []Extension{{Labels: first}, {Labels: second}} {
		if changed, err := l.Extend(context.Background(), e); !changed || err != nil {
			t.Fatal(changed, err)
		}
		var err error
		files = append(files, e.Labels)
		if l, err = Open(dir, files...); err != nil {
			t.Fatal(err)
		}
	}
	before := looksOf(t, dir)
	for _, again := range []*Labels{old, first, moreRows(t, 1), second} {
		if changed, err := l.Extend(context.Background(), Extension{Labels: again}); changed || err != nil {
			t.Errorf("got %v, %v", changed, err)
		}
	}
	if !bytes.Equal(looksOf(t, dir), before) {
		t.Error("something was written")
	}
}

// New rows without a number where numbers are read are refused before a line is written: with them the ledger would
// never open again.
func TestExtensionWithoutNumbers(t *testing.T) {
	terms := Terms{Goal: transfer.Goal{Beta: beta(t, "0.05")}, Asks: Asks{Metrics: []string{"squared-error"}}, Unlimited: Unlimited{Open: true}}
	l, dir := ledgerOf(t, labelsIn(t, []string{"a", "b"}, []string{"0.25", "1"}), terms)
	for _, replace := range []bool{false, true} {
		e := Extension{Labels: labelsIn(t, []string{"c", "d"}, []string{"0.5", "cat"}), Replace: replace}
		changed, err := l.Extend(context.Background(), e)
		if wrong := (*InputError)(nil); changed || !errors.As(err, &wrong) || len(looksOf(t, dir)) > 0 {
			t.Errorf("got %v, %v", changed, err)
		}
	}
}

// Rows that were taken out are not taken out again, and cannot come back.
func TestDroppedRowsStayOut(t *testing.T) {
	l, dir, _, _ := openLedger(t, 200)
	all := l.rows.Files[0]
	drop := func(want bool) {
		t.Helper()
		l, err := Open(dir, all)
		if err != nil {
			t.Fatal(err)
		}
		if changed, err := l.Extend(context.Background(), Extension{Drop: []string{"r1", "r2"}}); changed != want || err != nil {
			t.Errorf("got %v, want %v (%v)", changed, want, err)
		}
	}
	drop(true)
	once := looksOf(t, dir)
	drop(false)
	if !bytes.Equal(looksOf(t, dir), once) {
		t.Error("the second run has written something")
	}
	if s, err := ReadStatus(dir); err != nil || s.Rows != 198 {
		t.Error(s.Rows, err)
	}
}

// An extension that cannot be written or synced leaves the ledger as it was.
func TestExtensionOnAFullDisk(t *testing.T) {
	full := errors.New("no room")
	for name, break_ := range map[string]func(*Ledger){
		"write": func(l *Ledger) {
			l.journal.Hooks.Write = func(f *os.File, b []byte) (int, error) {
				n, _ := f.Write(b[:len(b)/2])
				return n, full
			}
		},
		"sync": func(l *Ledger) { l.journal.Sync = func(*os.File) error { return full } },
	} {
		l, dir, _, _ := openLedger(t, 200)
		before := looksOf(t, dir)
		break_(l)
		if _, err := l.Extend(context.Background(), Extension{Labels: moreRows(t, 0)}); !errors.Is(err, full) {
			t.Errorf("%s: got %v", name, err)
		}
		if !bytes.Equal(looksOf(t, dir), before) {
			t.Errorf("%s: something is left", name)
		}
	}
}

// Whether an id that is there already comes with its label or with another one, the answer is the same, and the files
// are: of the same extension, of one with some known ids, and of one with dropped ids.
func TestExtensionTellsNoLabel(t *testing.T) {
	ids := []string{"r7", "new"}
	answers := func(unlike int) (all []string) {
		l, dir, _, _ := openLedger(t, 200)
		l.now = func() time.Time { return time.Unix(0, 0) }
		say := func(changed bool, err error) { all = append(all, fmt.Sprint(changed, err, len(looksOf(t, dir)))) }
		say(l.Extend(context.Background(), Extension{Labels: labelsIn(t, ids, []string{fmt.Sprint(unlike), "0"})}))
		say(l.Extend(context.Background(), Extension{Drop: []string{"r7"}}))
		l, err := Open(dir, labelsIn(t, l.rows.Files[0].IDs, classesOf(l.rows.Files[0])))
		if err != nil {
			t.Fatal(err)
		}
		l.now = func() time.Time { return time.Unix(0, 0) }
		say(l.Extend(context.Background(), Extension{Labels: labelsIn(t, ids, []string{fmt.Sprint(unlike), "0"})}))
		say(l.Extend(context.Background(), Extension{Labels: moreRows(t, 0)}))
		l, err = Open(dir, l.rows.Files[0], moreRows(t, 0))
		if err != nil {
			t.Fatal(err)
		}
		say(l.Extend(context.Background(), Extension{Labels: moreRows(t, unlike)}))
		return all
	}
	like, unlike := answers(1), answers(0)
	if !slices.Equal(like, unlike) {
		t.Errorf("got %q with the labels and %q with others", like, unlike)
	}
	if !strings.Contains(like[0], "r7") || !strings.Contains(like[2], "r7") || !strings.HasPrefix(like[4], "false") {
		t.Errorf("got %q", like)
	}
}

// Without plan.json, and with it the salt, the line of an extension cannot tell whether a guess at the labels of a few
// new rows is right, nor one at features that are beside the labels in one file.
func TestExtensionHidesItsFiles(t *testing.T) {
	ids, classes := []string{"new"}, []string{"1"}
	line := func() string {
		l, dir, _, _ := comparedLedger(t)
		e := Extension{Labels: labelsIn(t, ids, classes), Features: featuresOf(t, ids)}
		if changed, err := l.Extend(context.Background(), e); !changed || err != nil {
			t.Fatal(changed, err)
		}
		text := string(looksOf(t, dir))
		for _, plain := range []string{e.Labels.Fingerprint(), e.Features.Fingerprint()} {
			if strings.Contains(text, plain) {
				t.Errorf("%s has the fingerprint %s of a file without salt", text, plain)
			}
		}
		var c form.Change
		if err := json.Unmarshal([]byte(text), &c); err != nil {
			t.Fatal(err)
		}
		return c.Labels.Fingerprint + " " + c.Features.Fingerprint
	}
	if one, other := line(), line(); one == other {
		t.Errorf("two ledgers have the fingerprints %s of the same files", one)
	}
}

func classesOf(l *Labels) (list []string) {
	for row := range l.IDs {
		list = append(list, l.Label(row))
	}
	return list
}

// After an extension looks are asked of all rows, a known question is a new look, a board starts anew, and the budget
// goes on: a gate's cut is where a ledger of all rows has it that has spent as much.
func TestLooksAfterAnExtension(t *testing.T) {
	l, dir, ids, classes := openLedger(t, 200)
	bar := 0.5
	look := func(show string, count int) Answer {
		t.Helper()
		s := Submission{Question: Question{Show: show}, Values: Columns(ids, firstRight(classes, count))}
		if show == ShowPass {
			s.Bar = &bar
		}
		a, err := l.Score(context.Background(), s)
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	look(ShowPass, 150)
	if first := look(ShowBest, 150); first.Verdict != Raise {
		t.Errorf("%+v", first)
	}
	spent := look(ShowBest, 120).Spent
	more := moreRows(t, 0)
	if _, err := l.Extend(context.Background(), Extension{Labels: more}); err != nil {
		t.Fatal(err)
	}
	s := Submission{Question: Question{Show: ShowPass, Bar: &bar}, Values: Columns(ids, firstRight(classes, 151))}
	gone := (*ExtendedError)(nil)
	if _, err := l.Score(context.Background(), s); !errors.As(err, &gone) {
		t.Errorf("a ledger that was opened with fewer rows says %v", err)
	}
	var err error
	if l, err = Open(dir, labelsIn(t, ids, classes), more); err != nil {
		t.Fatal(err)
	}
	ids, classes = append(ids, more.IDs...), append(classes, classesOf(more)...)
	again := look(ShowPass, 150)
	if again.Known || again.Open.Rows != 300 || !(again.Spent > spent) {
		t.Errorf("%+v", again)
	}
	if board := look(ShowBest, 100); board.Verdict != Raise || math.Abs(*board.Response-1./3) > 0.01 {
		t.Errorf("the board goes on after an extension: %+v", board)
	}
	if _, err := Verify(dir, ""); err != nil {
		t.Error(err)
	}
}

// comparedLedger is an open ledger of differences from predictions of which the first 120 of 200 are right.
func comparedLedger(t testing.TB) (l *Ledger, dir string, ids, classes []string) {
	t.Helper()
	_, _, ids, classes = openLedger(t, 200)
	dir = filepath.Join(t.TempDir(), "ledger")
	l, err := Create(dir, labelsIn(t, ids, classes), Terms{
		Goal:      transfer.Goal{Beta: beta(t, "0.05")},
		Incumbent: Submission{Values: Columns(ids, firstRight(classes, 120))},
		Drawn:     Drawn{Features: featuresOf(t, ids)},
		Unlimited: Unlimited{Open: true},
	})
	if err != nil {
		t.Fatal(err)
	}
	return l, dir, ids, classes
}

// featuresOf are features of rows: the first 150 are half, and the others rest.
func featuresOf(t testing.TB, ids []string) *Features {
	t.Helper()
	var text strings.Builder
	text.WriteString("id,part\n")
	for i, id := range ids {
		fmt.Fprintf(&text, "%s,%s\n", id, rule.Verdict(i < 150, "half", "rest"))
	}
	f, err := NewFeatures(strings.NewReader(text.String()), "")
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// A pass makes the candidate the incumbent. Asked for again as it was it is answered from the log, also after a change
// of the rows; every other question about the incumbent is refused, and one on a slice on which nothing differs.
func TestPassOfTheIncumbent(t *testing.T) {
	l, dir, ids, classes := comparedLedger(t)
	candidate := firstRight(classes, 190)
	ask := func(base []string, change func(*Submission)) (Answer, error) {
		s := Submission{Question: Question{Show: ShowPass, Bar: float(0.1)}, Values: Columns(ids, candidate),
			Incumbent: Columns(ids, base)}
		change(&s)
		return l.Score(context.Background(), s)
	}
	same := func(*Submission) {}
	first, err := ask(firstRight(classes, 120), same)
	if err != nil || first.Verdict != Pass {
		t.Fatal(first, err)
	}
	before := looksOf(t, dir)
	wrong := (*InputError)(nil)
	for name, change := range map[string]func(*Submission){
		"another bar":   func(s *Submission) { s.Bar = float(0.2) },
		"a bet":         func(s *Submission) { s.Expect = float(0.4) },
		"a score":       func(s *Submission) { s.Show, s.Bar = ShowScore, nil },
		"a slice of it": func(s *Submission) { s.Where = "part=half" },
		"a slice on which nothing differs": func(s *Submission) {
			s.Where = "part=half"
			s.Values = Columns(ids, append(slices.Clone(candidate[:150]), firstRight(classes, 200)[150:]...))
		},
	} {
		if a, err := ask(candidate, change); !errors.As(err, &wrong) {
			t.Errorf("%s: got %+v, %v", name, a, err)
		}
	}
	again, err := ask(candidate, same)
	if err != nil || !again.Known || again.Look != first.Look || again.Spent != first.Spent {
		t.Errorf("got %+v, want look %d again (%v)", again, first.Look, err)
	}
	itself := Columns(ids, candidate)
	s := Submission{Question: Question{Show: ShowPass, Bar: float(0.1)}, Values: itself, Incumbent: itself}
	if list, err := l.Price(s, nil); !errors.As(err, &wrong) {
		t.Errorf("got the prices %+v of the incumbent, %v", list, err)
	}
	if !bytes.Equal(looksOf(t, dir), before) {
		t.Error("something was written")
	}
	if _, err := l.Extend(context.Background(), Extension{Drop: []string{"r3"}}); err != nil {
		t.Fatal(err)
	}
	if l, err = Open(dir, labelsIn(t, ids, classes)); err != nil {
		t.Fatal(err)
	}
	if later, err := ask(candidate, same); err != nil || !later.Known || later.Look != first.Look {
		t.Errorf("after a change of the rows: got %+v, want look %d (%v)", later, first.Look, err)
	}
}

// After a change of the rows the first look says what the incumbent predicts for them. The next ones have to agree.
func TestIncumbentAfterAnExtension(t *testing.T) {
	l, dir, ids, classes := comparedLedger(t)
	more := moreRows(t, 0)
	if _, err := l.Extend(context.Background(), Extension{Labels: more, Features: featuresOf(t, more.IDs)}); err != nil {
		t.Fatal(err)
	}
	l, err := Open(dir, labelsIn(t, ids, classes), more)
	if err != nil {
		t.Fatal(err)
	}
	ids, classes = append(ids, more.IDs...), append(classes, classesOf(more)...)
	bar := 0.
	ask := func(candidate, incumbent int) (Answer, error) {
		return l.Score(context.Background(), Submission{Question: Question{Show: ShowPass, Bar: &bar},
			Values:    Columns(ids, firstRight(classes, candidate)),
			Incumbent: Columns(ids, firstRight(classes, incumbent))})
	}
	if a, err := ask(110, 120); err != nil || a.Verdict != Fail {
		t.Fatal(a.Verdict, err)
	}
	wrong := (*InputError)(nil)
	if _, err := ask(126, 121); !errors.As(err, &wrong) || !strings.HasPrefix(err.Error(), "incumbent: ") {
		t.Errorf("another incumbent: got %v", err)
	}
	if a, err := ask(290, 120); err != nil || a.Verdict != Pass {
		t.Fatal(a.Verdict, err)
	}
	if _, err := ask(295, 120); !errors.As(err, &wrong) {
		t.Errorf("the incumbent before the pass: got %v", err)
	}
	if _, err := ask(270, 290); err != nil {
		t.Error(err)
	}
	if _, err := Verify(dir, ""); err != nil {
		t.Error(err)
	}
}

// A pass on some of the rows does not make the candidate the incumbent of all.
func TestPassOnASlice(t *testing.T) {
	l, _, ids, classes := comparedLedger(t)
	bar := -0.5
	ask := func(candidate, incumbent int, where string) (Answer, error) {
		return l.Score(context.Background(), Submission{Question: Question{Show: ShowPass, Where: where, Bar: &bar},
			Values:    Columns(ids, firstRight(classes, candidate)),
			Incumbent: Columns(ids, firstRight(classes, incumbent))})
	}
	if a, err := ask(149, 120, "part=half"); err != nil || a.Verdict != Pass || a.Open.Rows != 150 {
		t.Fatal(a.Verdict, err)
	}
	if a, err := ask(151, 120, ""); err != nil || a.Verdict != Pass {
		t.Fatal(a.Verdict, err)
	}
	wrong := (*InputError)(nil)
	if _, err := ask(152, 120, ""); !errors.As(err, &wrong) {
		t.Errorf("got %v after a pass on all rows", err)
	}
}

// A log whose look has a number of rows that the ledger did not have then does not verify, whatever its chain says.
func TestRowsAreRecomputed(t *testing.T) {
	l, _, ids, classes := openLedger(t, 200)
	for _, show := range []string{ShowScore, ShowBest} {
		s := Submission{Question: Question{Show: show}, Values: Columns(ids, firstRight(classes, 120))}
		if _, err := l.Score(context.Background(), s); err != nil {
			t.Fatal(err)
		}
	}
	h, err := l.current()
	if err != nil {
		t.Fatal(err)
	}
	if err := replayed(h); err != nil {
		t.Fatal(err)
	}
	for name, edit := range map[string]func(*Line){
		"more rows": func(l *Line) { l.Rows = 201 },
		"a slice":   func(l *Line) { l.Where, l.Rows = "a=b", 201 },
		"compared":  func(l *Line) { l.Differ = 3 },
	} {
		edited := *h
		edited.Lines = slices.Clone(h.Lines)
		edit(&edited.Lines[1])
		if err := replayed(&edited); err == nil || !strings.Contains(err.Error(), "rows") {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

// A line that was being written when a ledger was opened, and was taken back since, is not missed: its look is taken as
// a new one. Once the ledger has written under the lock, no line may go.
func TestOpenedBeforeALineWasTakenBack(t *testing.T) {
	l, dir, ids, classes := openLedger(t, 200)
	look := func(l *Ledger, count int) (Answer, error) {
		return l.Score(context.Background(), Submission{Question: Question{Show: ShowScore},
			Values: Columns(ids, firstRight(classes, count))})
	}
	if _, err := look(l, 100); err != nil {
		t.Fatal(err)
	}
	before := looksOf(t, dir)
	if _, err := look(l, 120); err != nil {
		t.Fatal(err)
	}
	early, err := Open(dir, labelsIn(t, ids, classes))
	if err != nil {
		t.Fatal(err)
	}
	looksOf(t, dir, before)
	if a, err := look(early, 120); err != nil || a.Look != 2 || a.Known {
		t.Error(a, err)
	}
	if v, err := Verify(dir, ""); err != nil || v.Looks != 2 {
		t.Error(v.Looks, err)
	}
	looksOf(t, dir, before)
	wrong := (*CorruptError)(nil)
	if _, err := look(early, 130); !errors.As(err, &wrong) {
		t.Errorf("got %v from a ledger under which a line went", err)
	}
}

// A look that was asked of the rows before a change is answered from the log, on as many rows as it was asked of. Any
// other question about these rows is refused, and so is the same question about some of them.
func TestKnownLooksAfterAChange(t *testing.T) {
	for name, e := range map[string]Extension{
		"more":    {Labels: moreRows(t, 0), Features: featuresOf(t, moreRows(t, 0).IDs)},
		"replace": {Labels: moreRows(t, 0), Features: featuresOf(t, moreRows(t, 0).IDs), Replace: true},
		"drop":    {Drop: []string{"r3", "r170"}},
	} {
		l, dir, ids, classes := comparedLedger(t)
		bar := 0.
		ask := func(candidate, rows int, where string) (Answer, error) {
			return l.Score(context.Background(), Submission{Question: Question{Show: ShowPass, Where: where, Bar: &bar},
				Values:    Columns(ids[:rows], firstRight(classes, candidate)[:rows]),
				Incumbent: Columns(ids[:rows], firstRight(classes, 120)[:rows])})
		}
		first, err := ask(110, 200, "")
		if err != nil {
			t.Fatal(err)
		}
		slice, err := ask(110, 200, "part=half")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := l.Extend(context.Background(), e); err != nil {
			t.Fatal(name, err)
		}
		files, features := []*Labels{labelsIn(t, ids, classes)}, []*Features{featuresOf(t, ids)}
		if e.Replace {
			files, features = nil, nil
		}
		if e.Labels != nil {
			files, features = append(files, e.Labels), append(features, e.Features)
		}
		if l, err = Open(dir, files...); err != nil {
			t.Fatal(name, err)
		}
		if err := l.rows.UseFeatures(features...); err != nil {
			t.Fatal(name, err)
		}
		before := looksOf(t, dir)
		if a, err := ask(110, 200, ""); err != nil || !a.Known || a.Look != first.Look || a.Open.Rows != 200 ||
			a.Spent != slice.Spent {
			t.Errorf("%s: got look %d on %+v, want %d (%v)", name, a.Look, a.Open, first.Look, err)
		}
		if a, err := ask(110, 200, "part=half"); !e.Replace && (err != nil || a.Look != slice.Look || a.Open.Rows != 150) {
			t.Errorf("%s: got look %d on %+v, want %d (%v)", name, a.Look, a.Open, slice.Look, err)
		}
		wrong := (*InputError)(nil)
		for _, other := range [][2]int{{109, 200}, {110, 199}} {
			if a, err := ask(other[0], other[1], ""); !errors.As(err, &wrong) {
				t.Errorf("%s: %v: got %+v, %v", name, other, a, err)
			}
		}
		if !bytes.Equal(looksOf(t, dir), before) {
			t.Errorf("%s: a known look has written something", name)
		}
	}
}

// What rejects is better on the mean of the rows: its truth is above 0. What does not reject says nothing, and its
// interval is the range of a difference. Neither says where the score is.
func TestRejectionCarriesAnInterval(t *testing.T) {
	l, dir, ids, classes := comparedLedger(t)
	for _, c := range []struct {
		right   int
		verdict string
		lower   float64
	}{{190, Rejected, 0}, {121, NotRejected, -1}} {
		a, err := l.Score(context.Background(), Submission{Question: Question{Show: ShowReject, Test: SignTest},
			Values:    Columns(ids, firstRight(classes, c.right)),
			Incumbent: Columns(ids, firstRight(classes, 120))})
		if err != nil || a.Verdict != c.verdict {
			t.Fatal(a.Verdict, err)
		}
		o := a.Open
		lower, upper := rule.ValueOr(o.Lower, math.NaN()), rule.ValueOr(o.Upper, math.NaN())
		if lower != c.lower || upper != 1 || o.From != nil || o.Below != nil {
			t.Errorf("%s: got %v to %v", c.verdict, o.Lower, o.Upper)
		}
	}
	if _, err := Verify(dir, ""); err != nil {
		t.Error(err)
	}
}

// Rows that replace all others may have ids of the ledger only with the labels that these have, whatever their order is
// and whatever else comes or goes: an owner who corrects the label on which the favourite failed is refused. The first
// file after a drop brings the dropped rows back, and once more it changes nothing.
func TestReplacedRowsKeepTheirLabels(t *testing.T) {
	l, dir, ids, classes := openLedger(t, 200)
	const want = "labels: these ids have other labels now; rows that were all labelled anew come under new ids"
	replace := func(ids, classes []string) (bool, error) {
		return l.Extend(context.Background(), Extension{Labels: labelsIn(t, ids, classes), Replace: true})
	}
	open := func(files ...*Labels) {
		t.Helper()
		var err error
		if l, err = Open(dir, files...); err != nil {
			t.Fatal(err)
		}
	}
	corrected := slices.Clone(classes)
	corrected[3] = "0"
	refuses := func() {
		t.Helper()
		before := looksOf(t, dir)
		backwards, turned := slices.Clone(ids), slices.Clone(corrected)
		slices.Reverse(backwards)
		slices.Reverse(turned)
		for name, rows := range map[string][2][]string{
			"all":   {ids, corrected},
			"order": {backwards, turned},
			"some":  {ids[1:9], corrected[1:9]},
			"more":  {append([]string{"new"}, ids...), append([]string{"1"}, corrected...)},
		} {
			changed, err := replace(rows[0], rows[1])
			if wrong := (*InputError)(nil); changed || !errors.As(err, &wrong) || err.Error() != want {
				t.Errorf("%s: got %v, %v, want %s", name, changed, err, want)
			}
		}
		if !bytes.Equal(looksOf(t, dir), before) {
			t.Error("a refused change has written something")
		}
	}
	refuses()
	if changed, err := replace(ids, classes); changed || err != nil {
		t.Errorf("the rows of the ledger themselves: got %v, %v", changed, err)
	}
	if _, err := l.Extend(context.Background(), Extension{Drop: []string{"r3", "r7"}}); err != nil {
		t.Fatal(err)
	}
	open(labelsIn(t, ids, classes))
	refuses() // r3, which was taken out, may not come back with another label
	for _, want := range []bool{true, false} {
		if changed, err := replace(ids, classes); changed != want || err != nil {
			t.Errorf("the first file after a drop: got %v, %v, want %v", changed, err, want)
		}
		open(labelsIn(t, ids, classes))
	}
	if s, err := Verify(dir, ""); err != nil || s.Rows != 200 {
		t.Errorf("got %d rows (%v), want 200", s.Rows, err)
	}
	if changed, err := replace(ids[:100], classes[:100]); !changed || err != nil {
		t.Errorf("the first half of the rows: got %v, %v", changed, err)
	}
}

// endless is rows without an end, and counts how many are read.
func endless(read *int) Table {
	return func(visit func(id, value string) error) error {
		for ; ; *read++ {
			if err := visit(fmt.Sprint("x", *read), "1"); err != nil {
				return err
			}
		}
	}
}

// changedLedgers are ledgers whose rows have changed, or come, with the most rows that each ever had. Labels are like
// their rows' numbers or unlike them.
func changedLedgers(t *testing.T, unlike int) map[string]func() (l *Ledger, most int) {
	open := func(e Extension, most int, files ...*Labels) func() (*Ledger, int) {
		return func() (*Ledger, int) {
			l, dir, ids, classes := openLedger(t, 200)
			if _, err := l.Extend(context.Background(), e); err != nil {
				t.Fatal(err)
			}
			if !e.Replace {
				files = append([]*Labels{labelsIn(t, ids, classes)}, files...)
			}
			l, err := Open(dir, files...)
			if err != nil {
				t.Fatal(err)
			}
			return l, most
		}
	}
	more := moreRows(t, unlike)
	return map[string]func() (*Ledger, int){
		"more":    open(Extension{Labels: more}, 300, more),
		"replace": open(Extension{Labels: more, Replace: true}, 200, more),
		"drop":    open(Extension{Drop: []string{"r3"}}, 200),
		"arrive": func() (*Ledger, int) {
			l, _ := arrivingLedger(t)
			return l, 450
		},
	}
}

// No submission is read beyond the row after the most that a ledger ever had, whatever its labels are, and the answer
// names the first ids that are not its own. A submission with as many rows as there were before is no such one.
func TestRowsBeyondTheMostAreNotRead(t *testing.T) {
	told := make(map[string]string)
	for unlike := range 2 {
		for name, ledger := range changedLedgers(t, unlike) {
			l, most := ledger()
			read := 0
			s := Submission{Values: endless(&read)}
			if l.plan.IsOpen() {
				s.Show = ShowScore
			}
			_, err := l.Score(context.Background(), s)
			want := fmt.Sprintf("got more than %d rows, %d surplus ids (x0, x1, x2, x3, x4, ...), want every id of the ", most, most+1)
			wrong := (*InputError)(nil)
			if !errors.As(err, &wrong) || !strings.HasPrefix(err.Error(), want) || read != most {
				t.Errorf("%s: read %d rows: %v, want %s", name, read+1, err, want)
			}
			if unlike == 0 {
				told[name] = err.Error()
			} else if err.Error() != told[name] {
				t.Errorf("%s: got %v with other labels, and %s before", name, err, told[name])
			}
		}
	}
}

// The end of a look's context ends the reading of its predictions, while they come and once they have come.
func TestContextEndsTheReading(t *testing.T) {
	for name, ledger := range changedLedgers(t, 0) {
		l, _ := ledger()
		for _, whole := range []bool{false, true} {
			ctx, cancel := context.WithCancel(context.Background())
			read := 0
			s := Submission{Values: func(visit func(id, value string) error) error {
				for ; read < 20; read++ {
					if read == 10 && !whole {
						cancel()
					}
					if err := visit(fmt.Sprint("x", read), "1"); err != nil {
						return err
					}
				}
				cancel()
				return nil
			}}
			if l.plan.IsOpen() {
				s.Show = ShowScore
			}
			if _, err := l.Score(ctx, s); !errors.Is(err, context.Canceled) || read > 10 != whole {
				t.Errorf("%s, whole %v: read %d rows: %v", name, whole, read, err)
			}
		}
	}
}
