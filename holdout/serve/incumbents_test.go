package serve

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dpcalc/dpcalc/holdout"
	"github.com/dpcalc/dpcalc/transfer"
)

// differences makes a ledger that compares candidates with one that is right on so many rows.
func differences(t *testing.T, labels *holdout.Labels, base string) (dir, path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "base.csv")
	if err := os.WriteFile(path, []byte(base), 0o600); err != nil {
		t.Fatal(err)
	}
	return create(t, labels, holdout.Terms{
		Goal: transfer.Goal{Queries: 6, Tau: 0.2, Query: transfer.Difference,
			Shown: transfer.Shown{Feedback: transfer.Gate, Passes: 3}},
		Incumbent: holdout.Submission{Values: body(base), Path: path},
		Asks:      holdout.Asks{Bars: []float64{-0.1, 0, 0.1}},
	}), path
}

// kept are the files of candidates.
func kept(t *testing.T, dir string) (names []string) {
	t.Helper()
	list, err := os.ReadDir(filepath.Join(dir, folder))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range list {
		names = append(names, f.Name())
	}
	return names
}

// A candidate that passes is what the next one is compared with, also after the server has been started again, and for
// the command line. The files of the others are gone.
func TestIncumbents(t *testing.T) {
	labels, predictions := holdoutOf(t, 1)
	dir, _ := differences(t, labels, predictions(100))
	s := run(t, dir, labels, Options{})
	verdict := func(s site, want string, right int) row {
		t.Helper()
		got := s.look(t, 200, looks(predictions(right), "?bar=0"))
		if got.Verdict == nil || *got.Verdict != want {
			t.Errorf("%d right: %+v, want %s", right, got, want)
		}
		return got
	}
	verdict(s, holdout.Fail, 110)
	if names := kept(t, dir); len(names) != 0 {
		t.Errorf("kept %v", names)
	}
	if text := s.ask(t, 400, looks(predictions(100), "?bar=0")); !strings.Contains(text, "the incumbent itself") {
		t.Error(text)
	}
	verdict(s, holdout.Pass, 250)
	if again := verdict(s, holdout.Pass, 250); !again.Repeated || again.Look != 2 {
		t.Errorf("asked again: %+v", again)
	}
	verdict(s, holdout.Fail, 260) // it would pass against the first
	if text := s.ask(t, 400, looks("id,prediction\n", "?bar=0")); !strings.Contains(text, "400 missing ids") {
		t.Error(text)
	}
	if names := kept(t, dir); len(names) != 1 || filepath.Ext(names[0]) != ".csv" {
		t.Errorf("kept %v", names)
	}
	s.stop()
	again := run(t, dir, labels, Options{})
	if got := verdict(again, holdout.Pass, 400); got.Look != 4 {
		t.Errorf("%+v", got)
	}
	status, err := holdout.ReadStatus(dir)
	if err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(status.Incumbent.In(dir)); err != nil || string(text) != predictions(400) {
		t.Error(err)
	}
	info, err := os.Stat(status.Incumbent.In(dir))
	if err != nil || info.Mode().Perm()&0o077 != 0 && os.PathSeparator == '/' {
		t.Errorf("%v, %v", info, err)
	}
}

// A gate of a test is served without bars: what passes has won more rows than it lost against the last one that passed.
func TestTestedIncumbents(t *testing.T) {
	labels, predictions := holdoutOf(t, 1)
	dir := create(t, labels, holdout.Terms{
		Goal: transfer.Goal{Queries: 6, Query: transfer.Difference,
			Shown: transfer.Shown{Feedback: transfer.Gate, Passes: 3}},
		Test: holdout.SignTest, Incumbent: holdout.Submission{Values: body(predictions(100)), Path: "base.csv"},
	})
	path := filepath.Join(t.TempDir(), "base.csv")
	if err := os.WriteFile(path, []byte(predictions(100)), 0o600); err != nil {
		t.Fatal(err)
	}
	s := run(t, dir, labels, Options{Incumbent: path})
	for _, c := range []struct {
		right   int
		verdict string
	}{{104, holdout.Fail}, {150, holdout.Pass}, {154, holdout.Fail}, {220, holdout.Pass}} {
		got := s.look(t, 200, looks(predictions(c.right), ""))
		if got.Verdict == nil || *got.Verdict != c.verdict || got.Response != nil {
			t.Errorf("%d right: %+v, want %s", c.right, got, c.verdict)
		}
	}
	if text := s.ask(t, 400, looks(predictions(250), "?bar=0")); !strings.Contains(text, "bar: got 0, want none") {
		t.Error(text)
	}
}

// An open ledger of differences is served likewise. After a change of the rows the server wants the incumbent's
// predictions for the rows that there are, and later looks are compared with these until a candidate passes.
func TestIncumbentsOfAnOpenLedger(t *testing.T) {
	labels, predictions := holdoutOf(t, 1)
	base := filepath.Join(t.TempDir(), "base.csv")
	write := func(text string) {
		if err := os.WriteFile(base, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(predictions(100))
	terms := holdout.Terms{Unlimited: holdout.Unlimited{Open: true, Ask: []string{"pass:bar=0"}}}
	terms.Incumbent = holdout.Submission{Values: body(predictions(100)), Path: base}
	dir := create(t, labels, terms)
	s := run(t, dir, labels, Options{})
	pass := func(s site, right int, want string, look int64) {
		t.Helper()
		dropped := strings.NewReplacer("r7,a\n", "", "r7,b\n", "")
		text := predictions(right)
		if look > 3 {
			text = dropped.Replace(text)
		}
		if got := s.look(t, 200, looks(text, "?show=pass&bar=0")); *got.Verdict != want || got.Look != look {
			t.Errorf("%d right: got look %d, %s, want %d, %s", right, got.Look, *got.Verdict, look, want)
		}
	}
	pass(s, 90, holdout.Fail, 1)
	pass(s, 395, holdout.Pass, 2)
	pass(s, 395, holdout.Pass, 2)
	pass(s, 375, holdout.Fail, 3)
	s.stop()
	organiser, err := holdout.Open(dir, labels)
	if err != nil {
		t.Fatal(err)
	}
	if changed, err := organiser.Extend(t.Context(), holdout.Extension{Drop: []string{"r7"}}); !changed || err != nil {
		t.Fatal(changed, err)
	}
	told := (*holdout.InputError)(nil)
	if _, err := New(dir, labels, Options{}); !errors.As(err, &told) || !strings.HasPrefix(err.Error(), "incumbent: got 1 surplus id") {
		t.Errorf("got %v", err)
	}
	write(strings.NewReplacer("r7,a\n", "", "r7,b\n", "").Replace(predictions(100)))
	s = run(t, dir, labels, Options{Incumbent: base})
	pass(s, 90, holdout.Fail, 4)
	pass(s, 396, holdout.Pass, 5)
	pass(s, 396, holdout.Pass, 5)
	pass(s, 375, holdout.Fail, 6)
	s.stop()
	pass(run(t, dir, labels, Options{}), 376, holdout.Fail, 7)
	if _, err := holdout.Verify(dir, ""); err != nil {
		t.Error(err)
	}
}

// Candidates that come at once are compared one by one, each with the one that passed last: none is told that its
// incumbent is another.
func TestCandidatesAtOnce(t *testing.T) {
	labels, predictions := holdoutOf(t, 1)
	dir, _ := differences(t, labels, predictions(100))
	s := run(t, dir, labels, Options{})
	var group sync.WaitGroup
	var answered atomic.Int64
	for k := range 12 {
		group.Go(func() {
			code, text, _, err := sends(s.address, looks(predictions(200+k), "?bar=0"))
			if code == 200 {
				answered.Add(1)
			}
			if err != nil || code != 200 && code != 409 {
				t.Errorf("got %d, %v, %s", code, err, text)
			}
		})
	}
	group.Wait()
	if v, err := holdout.Verify(dir, ""); err != nil || v.Looks != answered.Load() || v.Looks == 0 {
		t.Errorf("%+v, %v, %d answered", v, err, answered.Load())
	}
	if names := kept(t, dir); len(names) != 1 {
		t.Errorf("kept %v", names)
	}
}

// An incumbent's file that moved is named anew; one that was edited, is missing or has no name is refused, and once the
// server runs it is not told to be the candidate's fault.
func TestMovedIncumbent(t *testing.T) {
	labels, predictions := holdoutOf(t, 1)
	dir, path := differences(t, labels, predictions(100))
	moved := filepath.Join(t.TempDir(), "moved.csv")
	if err := os.Rename(path, moved); err != nil {
		t.Fatal(err)
	}
	if _, err := New(dir, labels, Options{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v", err)
	}
	s := run(t, dir, labels, Options{Incumbent: moved})
	s.look(t, 200, looks(predictions(110), "?bar=0"))
	if err := os.WriteFile(moved, []byte(predictions(101)), 0o600); err != nil {
		t.Fatal(err)
	}
	var events []Event
	s.Log = func(e Event) { events = append(events, e) }
	text := s.ask(t, 503, looks(predictions(120), "?bar=0"))
	if strings.Contains(text, "moved.csv") || !strings.Contains(text, "the organiser's log says why") {
		t.Error(text)
	}
	if s.stop(); len(events) != 1 || !strings.Contains(events[0].Error, "moved.csv: got other predictions") {
		t.Errorf("%+v", events)
	}
	if _, err := New(dir, labels, Options{Incumbent: moved}); err == nil || !strings.Contains(err.Error(),
		"got other predictions than the last candidate that passed") {
		t.Errorf("got %v", err)
	}
	nameless := create(t, labels, holdout.Terms{
		Goal:      transfer.Goal{Queries: 2, Tau: 0.3, Query: transfer.Difference},
		Incumbent: holdout.Submission{Values: body(predictions(100))},
	})
	told := (*holdout.InputError)(nil)
	if _, err := New(nameless, labels, Options{}); !errors.As(err, &told) || !strings.HasPrefix(err.Error(),
		"incumbent: got nothing") {
		t.Errorf("got %v", err)
	}
}

// A candidate's file and its name are on the disk before its look is taken.
func TestCandidatesAreOnTheDisk(t *testing.T) {
	labels, predictions := holdoutOf(t, 1)
	dir, _ := differences(t, labels, predictions(100))
	s := run(t, dir, labels, Options{})
	var synced []string
	s.names = func(path string) error {
		if status, err := holdout.ReadStatus(dir); err != nil || status.Looks != 0 || len(kept(t, dir)) != 1 {
			t.Errorf("%+v, %v", status, err)
		}
		synced = append(synced, path)
		return syncFolder(path)
	}
	s.look(t, 200, looks(predictions(250), "?bar=0"))
	if len(synced) != 1 || synced[0] != filepath.Join(dir, folder) {
		t.Errorf("synced %v", synced)
	}
	s.names = func(string) error { return errors.New("input/output error") }
	s.ask(t, 503, looks(predictions(300), "?bar=0"))
	if v, err := holdout.Verify(dir, ""); err != nil || v.Looks != 1 || len(kept(t, dir)) != 1 {
		t.Errorf("%+v, %v", v, err)
	}
}

// What a killed server has left of candidates goes when the next one starts. What a look has made the incumbent stays,
// also where the ledger has moved.
func TestOrphans(t *testing.T) {
	labels, predictions := holdoutOf(t, 1)
	dir, _ := differences(t, labels, predictions(100))
	s := run(t, dir, labels, Options{})
	s.look(t, 200, looks(predictions(250), "?bar=0"))
	s.look(t, 200, looks(predictions(400), "?bar=0"))
	s.stop()
	want := kept(t, dir)
	moved := filepath.Join(t.TempDir(), "moved")
	if err := os.Rename(dir, moved); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"1234.csv", "5678.jsonl"} {
		if err := os.WriteFile(filepath.Join(moved, folder, name), []byte("id,pred"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	status, err := holdout.ReadStatus(moved)
	if err != nil {
		t.Fatal(err)
	}
	incumbent := filepath.Join(moved, folder, filepath.Base(status.Incumbent.In(dir)))
	s = run(t, moved, labels, Options{Incumbent: incumbent})
	if names := kept(t, moved); !slices.Equal(names, want) || len(want) != 2 {
		t.Errorf("kept %v, want %v", names, want)
	}
	s.look(t, 200, looks(predictions(390), "?bar=0"))
}

// Candidates that wait behind one that waits give up when it does.
func TestCandidatesGiveUp(t *testing.T) {
	labels, predictions := holdoutOf(t, 1)
	dir, _ := differences(t, labels, predictions(100))
	s := run(t, dir, labels, Options{})
	s.waiting = 300 * time.Millisecond
	s.base.turn <- struct{}{} // as a look does that waits
	began := time.Now()
	var group sync.WaitGroup
	for k := range 3 {
		group.Go(func() {
			if code, text, _, err := sends(s.address, looks(predictions(200+k), "?bar=0")); err != nil || code != 503 {
				t.Errorf("got %d, %v, %s", code, err, text)
			}
		})
	}
	group.Wait()
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("the last one gave up after %v", took)
	}
	<-s.base.turn
	if names := kept(t, dir); len(names) != 0 {
		t.Errorf("kept %v", names)
	}
	s.look(t, 200, looks(predictions(200), "?bar=0"))
}

// body is a table in csv.
func body(text string) holdout.Table {
	return (&predictions{in: strings.NewReader(text), column: "prediction"}).table
}
