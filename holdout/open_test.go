package holdout

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer"
)

// openLedger is an open ledger of so many 0/1 labels at beta 5%.
func openLedger(t testing.TB, samples int) (l *Ledger, dir string, ids []string, classes []string) {
	t.Helper()
	ids, classes = make([]string, samples), make([]string, samples)
	for i := range ids {
		ids[i], classes[i] = fmt.Sprint("r", i), fmt.Sprint(i%2)
	}
	labels, err := NewLabels(Columns(ids, classes))
	if err != nil {
		t.Fatal(err)
	}
	beta, err := theory.ParseLogProb("0.05")
	if err != nil {
		t.Fatal(err)
	}
	dir = t.TempDir() + "/ledger"
	l, err = Create(dir, labels, Terms{Goal: transfer.Goal{Beta: beta}, Open: true})
	if err != nil {
		t.Fatal(err)
	}
	return l, dir, ids, classes
}

// firstRight are predictions of which the first so many are right.
func firstRight(classes []string, count int) []string {
	list := make([]string, len(classes))
	for i, c := range classes {
		if list[i] = c; i >= count {
			list[i] = "wrong"
		}
	}
	return list
}

// The prices of a gate at .8 of 5,000 rows are those of open.md, computed there by other programs.
func TestPriceOfAGate(t *testing.T) {
	l, dir, ids, classes := openLedger(t, 5000)
	bar := 0.8
	ask := func() (pass, fail Response) {
		t.Helper()
		list, err := l.Price(Submission{Question: Question{Show: ShowPass}, Bar: &bar}, nil)
		if err != nil || len(list) != 2 {
			t.Fatal(list, err)
		}
		return list[1], list[0]
	}
	check := func(name string, got *float64, want, within float64) {
		t.Helper()
		if got == nil || math.Abs(*got-want) > within {
			t.Errorf("%s: got %v, want %v", name, or(got, math.NaN()), want)
		}
	}
	pass, fail := ask()
	check("a pass", pass.From, 0.8132, 0)
	check("the upper end after a fail", fail.Upper, 0.8226016, 5e-8)
	check("the next pass after a fail", fail.NextPass, 0.8148, 1)
	for k := range 10 {
		a, err := l.Score(context.Background(), Submission{Values: Columns(ids, firstRight(classes, 3000+k)), Bar: &bar,
			Question: Question{Show: ShowPass}})
		if err != nil || a.Verdict != Fail {
			t.Fatal(a, err)
		}
	}
	pass, fail = ask()
	check("a pass after ten fails", pass.From, 0.818, 0)
	check("the upper end after ten fails", fail.Upper, 0.8290632, 5e-8)
	if _, err := Verify(dir, ""); err != nil {
		t.Error(err)
	}
}
