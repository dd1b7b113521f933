//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package holdout

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/dpcalc/dpcalc/transfer"
)

// A new ledger is its owner's alone, whatever the process's mask.
func TestModesOfANewLedger(t *testing.T) {
	old := syscall.Umask(0)
	defer syscall.Umask(old)
	ids, classes := rowsOf(t, 200, 1)
	_, dir := ledgerOf(t, LabelsOf(t, ids, classes), termsOf(3, 0.4, beta(t, "0.1"), "gaussian"))
	for name, want := range map[string]os.FileMode{"": os.ModeDir | 0o700, planFile: 0o600, looksFile: 0o600} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Mode() != want {
			t.Errorf("%s: mode %v, want %v, %v", name, info.Mode(), want, err)
		}
	}
}

// A running ledger under which the file was cut, emptied or replaced by an older copy takes no look and repeats none:
// the same looks would be answered anew.
func TestRolledBack(t *testing.T) {
	bothKinds(t, termsOf(9, 0.4, beta(t, "0.1"), "gaussian"), rolledBack)
}

func rolledBack(t *testing.T, terms Terms) {
	ids, classes := rowsOf(t, 200, 1)
	l, dir := ledgerOf(t, LabelsOf(t, ids, classes), terms)
	path := filepath.Join(dir, looksFile)
	ask := func(k int) (Answer, error) {
		return l.Score(context.Background(), numberOf(terms, Columns(ids, guesses(classes, 0.5, uint64(k)))))
	}
	var older string
	for k := range 3 {
		older = files(t, dir)[looksFile]
		if _, err := ask(k); err != nil {
			t.Fatal(err)
		}
	}
	text := files(t, dir)[looksFile]
	for name, put := range map[string]string{
		"emptied":        "",
		"an older copy":  older,
		"another line":   older + strings.Replace(text[len(older):], `"response":`, `"response":1`, 1)[:len(text)-len(older)],
		"cut":            text[:len(text)-1],
		"of that length": strings.Repeat(" ", len(text)),
	} {
		if err := os.WriteFile(path, []byte(put), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, k := range []int{0, 7, 7} {
			corrupt := (*CorruptError)(nil)
			if a, err := ask(k); !errors.As(err, &corrupt) || a.Response != nil {
				t.Errorf("%s: %+v, %v", name, a, err)
			}
		}
		if got := files(t, dir)[looksFile]; got != put {
			t.Errorf("%s: something was written", name)
		}
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if a, err := ask(8); err != nil || a.Look != 4 {
		t.Errorf("the file is as it was: %+v, %v", a, err)
	}
}

// Nobody is shown a look before it is on the disk: neither its line nor what remains, which would tell its verdict.
func TestNotShownBeforeItIsSynced(t *testing.T) {
	ids, classes := rowsOf(t, 1000, 1)
	for feedback, ask := range map[string]func(int) []Submission{
		"open": func(k int) []Submission {
			values := Columns(ids, right(classes, 800+k))
			return []Submission{{Values: values, Question: Question{Show: ShowPass, Bar: float(0.5)}}}
		},
		"gate": func(k int) []Submission {
			return []Submission{{Values: Columns(ids, right(classes, 800+k)), Question: barAt(0.5)}}
		},
		"final": func(int) []Submission {
			return []Submission{{Values: Columns(ids, right(classes, 800))}, {Values: Columns(ids, right(classes, 700))}}
		},
	} {
		l, dir := ledgerOf(t, LabelsOf(t, ids, classes), map[string]Terms{
			"open":  {Goal: transfer.Goal{Beta: beta(t, "0.1")}, Unlimited: Unlimited{Open: true}},
			"gate":  shows(transfer.Gate, 4, 0.1, "", transfer.Shown{Passes: 3})(t),
			"final": shows(transfer.Final, 4, 0.1, "", transfer.Shown{})(t),
		}[feedback])
		earlier := 0
		if feedback != "final" {
			if _, err := l.ScoreAll(context.Background(), ask(1)); err != nil {
				t.Fatal(err)
			}
			earlier = 1
		}
		before, _, err := Read(dir)
		if err != nil {
			t.Fatal(err)
		}
		looked := 0
		l.journal.At = func(step string) {
			if step != "written" && step != "synced" && step != "settled" {
				return
			}
			looked++
			s, lines, err := Read(dir)
			same := s.Remaining == before.Remaining && s.Spent == before.Spent && s.Chain == before.Chain
			if err != nil || len(lines) != earlier || !same || !s.InHand {
				t.Errorf("%s, %s: %+v, %v, %v", feedback, step, s, lines, err)
			}
		}
		answers, err := l.ScoreAll(context.Background(), ask(2))
		if err != nil || looked != 3 {
			t.Fatal(looked, err)
		}
		s, lines, err := Read(dir)
		if err != nil || len(lines) <= earlier || s.Chain != answers[0].Chain || s.InHand {
			t.Errorf("afterwards: %+v, %d lines, %v", s, len(lines), err)
		}
	}
}

// What a process has left that died before its sync is shown once it is on the disk, and not where it cannot get there.
func TestReadersSync(t *testing.T) {
	bothKinds(t, termsOf(9, 0.4, beta(t, "0.1"), "gaussian"), readersSync)
}

func readersSync(t *testing.T, terms Terms) {
	ids, classes := rowsOf(t, 200, 1)
	l, dir := ledgerOf(t, LabelsOf(t, ids, classes), terms)
	takes(t, l, numberOf(terms, Columns(ids, classes)))
	synced := 0
	reading := journalOf(dir)
	reading.Sync = func(*os.File) error { synced++; return nil }
	h, err := readSettled(reading)
	if err != nil || synced != 1 || len(h.Lines) != 1 || h.inHand {
		t.Errorf("%d syncs, %d lines, %v", synced, len(h.Lines), err)
	}
	reading.Sync = func(*os.File) error { return errors.New("input/output error") }
	h, err = readSettled(reading)
	if err != nil || len(h.Lines) != 0 || !h.inHand {
		t.Errorf("shown without a sync: %+v, %v", h.Lines, err)
	}
}

// A line that another process has left is written anew before it is answered: its sync may have failed, and then the
// next one may succeed although the system has dropped the line. The same where the line cannot be cut off.
func TestLeftLinesAreRenewed(t *testing.T) {
	bothKinds(t, termsOf(9, 0.4, beta(t, "0.1"), "gaussian"), leftLines)
}

func leftLines(t *testing.T, terms Terms) {
	ids, classes := rowsOf(t, 200, 1)
	labels := LabelsOf(t, ids, classes)
	broken := errors.New("input/output error")
	for _, next := range []uint64{1, 2} { // the same look, and another one
		first, dir := ledgerOf(t, labels, terms)
		ask := func(l *Ledger, k uint64) (Answer, error) {
			return l.Score(context.Background(), numberOf(terms, Columns(ids, guesses(classes, 0.5, k))))
		}
		if _, err := ask(first, 0); err != nil {
			t.Fatal(err)
		}
		first.journal.Sync = func(*os.File) error { return broken }
		first.journal.Cut = func(*os.File, int64) error { return broken } // as if it had been killed
		if a, err := ask(first, 1); !errors.Is(err, broken) || a.Response != nil {
			t.Fatal(a, err)
		}
		before := files(t, dir)[looksFile]
		second, err := Open(dir, labels)
		if err != nil {
			t.Fatal(err)
		}
		for name, l := range map[string]*Ledger{"the same": first, "another": second} {
			fix(l)
			var order []string
			l.journal.At = func(step string) { order = append(order, step) }
			a, err := ask(l, next)
			if err != nil {
				t.Fatal(err)
			}
			all := strings.Join(order, " ")
			renewed := strings.Index(all, "renewed")
			if renewed < 0 || renewed > strings.Index(all, "synced") || a.Look != int64(next)+1 {
				t.Errorf("%s: look %d by %s", name, a.Look, all)
			}
			order = nil
			if _, err := ask(l, next); err != nil || strings.Contains(strings.Join(order, " "), "renewed") {
				t.Errorf("%s: once more by %s, %v", name, order, err)
			}
		}
		if text := files(t, dir)[looksFile]; !strings.HasPrefix(text, before) || (next == 1) != (text == before) {
			t.Errorf("%s\nwas\n%s", text, before)
		}
	}
}

// Looks that wait behind one that waits give up when it does, or when their context ends.
func TestWaitingEnds(t *testing.T) {
	l, _, look := lockedLedger(t)
	l.journal.Patience = time.Second
	const waiting = 6
	ended := make(chan error, waiting)
	began := time.Now()
	wait := func(ctx context.Context) {
		_, err := l.Score(ctx, look)
		ended <- err
	}
	for range waiting - 1 {
		go wait(context.Background())
	}
	cut, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	go wait(cut)
	if err := <-ended; !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v, want the one whose context has ended to be the first", err)
	}
	for range waiting - 1 {
		if err := <-ended; err == nil || !strings.Contains(err.Error(), "the ledger is busy with other looks") {
			t.Errorf("got %v", err)
		}
	}
	if took := time.Since(began); took > 3*time.Second {
		t.Errorf("the last one gave up after %v, want about %v", took, l.journal.Patience)
	}
}
