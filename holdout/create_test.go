package holdout

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dpcalc/dpcalc/transfer"
)

// unmade is a ledger that is still to be made in a folder, and its plan.
func unmade(t testing.TB, dir string, labels *Labels) (*Ledger, *Plan) {
	t.Helper()
	plan, err := Certify(termsOf(3, 0.4, beta(t, "0.1"), "gaussian"), labels.Samples())
	if err != nil {
		t.Fatal(err)
	}
	l := newLedger(dir)
	fix(l)
	return l, plan
}

// Of two calls that both find the folder empty, one makes the ledger. The other is told that the folder is not empty,
// and leaves the ledger with its looks as it is.
func TestTwoInits(t *testing.T) {
	ids, classes := rowsOf(t, 200, 1)
	labels := LabelsOf(t, ids, classes)
	for _, exists := range []bool{false, true} {
		dir := filepath.Join(t.TempDir(), "ledger")
		if exists {
			if err := os.Mkdir(dir, 0o700); err != nil {
				t.Fatal(err)
			}
		}
		l, plan := unmade(t, dir, labels)
		var before map[string]string
		l.journal.At = func(step string) {
			if step != "folder" {
				return
			}
			other, err := Create(dir, labels, termsOf(3, 0.4, beta(t, "0.1"), "gaussian"))
			if err != nil {
				t.Fatal(err)
			}
			takes(t, other, Submission{Values: Columns(ids, classes)})
			before = files(t, dir)
		}
		err := l.create(plan)
		if input := (*InputError)(nil); !errors.As(err, &input) || !strings.Contains(err.Error(), "want an empty folder or a new one") {
			t.Errorf("got %v", err)
		}
		if after := files(t, dir); len(before) != 2 || !maps.Equal(before, after) {
			t.Errorf("the ledger was %v and is %v", before, after)
		}
		if v, err := Verify(dir, ""); err != nil || v.Looks != 1 {
			t.Errorf("%+v, %v", v, err)
		}
	}
}

// A ledger is made once both files and both folders are on the disk: its own, which has their names, and the one that
// has its own. Where anything fails, nothing is left.
func TestNewLedgerIsOnTheDisk(t *testing.T) {
	ids, classes := rowsOf(t, 200, 1)
	labels := LabelsOf(t, ids, classes)
	broken := errors.New("input/output error")
	for fails := range 5 { // at this sync; the last run has none that fails
		parent := t.TempDir()
		dir := filepath.Join(parent, "ledger")
		l, plan := unmade(t, dir, labels)
		var order []string
		note := func(what string) error {
			order = append(order, what)
			if len(order) == fails+1 {
				return broken
			}
			return nil
		}
		l.journal.Sync = func(f *os.File) error { return note(filepath.Base(f.Name())) }
		l.journal.Names = func(path string) error { return note(path) }
		err := l.create(plan)
		if fails < 4 {
			if _, left := os.Stat(dir); !errors.Is(err, broken) || !errors.Is(left, fs.ErrNotExist) {
				t.Errorf("at sync %d: %v, %v", fails+1, err, left)
			}
			continue
		}
		if want := fmt.Sprint([]string{looksFile, planFile, dir, parent}); err != nil || fmt.Sprint(order) != want {
			t.Errorf("synced %v, want %s, %v", order, want, err)
		}
	}
}

// A new ledger is taken away with its folder, and one that somebody has looked at is not.
func TestDiscard(t *testing.T) {
	ids, classes := rowsOf(t, 200, 1)
	for _, looked := range []bool{false, true} {
		l, dir := ledgerOf(t, LabelsOf(t, ids, classes), termsOf(3, 0.4, beta(t, "0.1"), "gaussian"))
		if looked {
			other, err := Open(dir, LabelsOf(t, ids, classes))
			if err != nil {
				t.Fatal(err)
			}
			takes(t, other, Submission{Values: Columns(ids, classes)})
		}
		err := l.Discard(t.Context())
		if _, left := os.Stat(dir); (err != nil) != looked || (left == nil) != looked {
			t.Errorf("looked %v: %v, %v", looked, err, left)
		}
		if v, err := Verify(dir, ""); looked && (err != nil || v.Looks != 1) {
			t.Errorf("%+v, %v", v, err)
		}
	}
}

// Many calls at once make one ledger.
func TestManyInits(t *testing.T) {
	ids, classes := rowsOf(t, 200, 1)
	labels := LabelsOf(t, ids, classes)
	for range 20 {
		dir := filepath.Join(t.TempDir(), "ledger")
		made := make(chan error)
		const calls = 4
		for range calls {
			go func() {
				l, err := Create(dir, labels, termsOf(3, 0.4, beta(t, "0.1"), "gaussian"))
				if err == nil {
					_, err = l.Score(context.Background(), Submission{Values: Columns(ids, classes)})
				}
				made <- err
			}()
		}
		winners := 0
		for range calls {
			input := (*InputError)(nil)
			switch err := <-made; {
			case err == nil:
				winners++
			case !errors.As(err, &input):
				t.Error(err)
			}
		}
		if v, err := Verify(dir, ""); err != nil || v.Looks != 1 || winners != 1 {
			t.Errorf("%d winners, %+v, %v", winners, v, err)
		}
	}
}

// A goal for other rows than the ledger's, of a plan file say, is refused: a plan for independent rows that are
// all there would hold for none of them.
func TestGoalsForOtherRows(t *testing.T) {
	for want, change := range map[string]func(*transfer.Goal){
		"got a goal for clusters or for a benchmark": func(g *transfer.Goal) { g.Sample = transfer.Subset{Items: 1000} },
	} {
		of := termsOf(3, 0, beta(t, "0.1"), "")
		change(&of.Goal)
		_, err := Certify(of, 240)
		if input := (*InputError)(nil); !errors.As(err, &input) || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}
