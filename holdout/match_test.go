package holdout

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dpcalc/dpcalc/transfer"
)

// oneLook is a ledger of one look that shows the score itself.
func oneLook(t testing.TB, labels *Labels, change func(*Terms)) (*Ledger, string) {
	t.Helper()
	plan := Terms{Goal: transfer.Goal{Queries: 1, Tau: 0.9, Beta: beta(t, "0.9"), Query: transfer.Binary},
		Method: "splitting"}
	if change != nil {
		change(&plan)
	}
	return ledgerOf(t, labels, plan)
}

// A prediction that is no label of any row is wrong and is no error, whatever it is: what is refused would tell the
// labels, and "I don't know" is an answer.
func TestAnyTextIsAPrediction(t *testing.T) {
	ids := []string{"q1", "q2", "q3", "q4", "q5", "q6"}
	labels := LabelsOf(t, ids, []string{"Paris", "4", "blue", "yes", "no", "0"})
	l, _ := oneLook(t, labels, nil)
	got := takes(t, l, Submission{Values: Columns(ids, []string{"Paris", "I don't know", "", "Yes", "no", "\xff"})})
	if *got.Response != 2./6 {
		t.Errorf("got %v, want 2 of 6", *got.Response)
	}
}

// With declared classes, which are public, other texts are refused, and a label that is another text makes no ledger.
func TestClasses(t *testing.T) {
	ids := []string{"1", "2", "3"}
	labels := LabelsOf(t, ids, []string{"a", "b", "a"})
	wrong := (*InputError)(nil)
	l, _ := oneLook(t, labels, func(p *Terms) { p.Classes, p.Match = []string{"A", "B", "c"}, Fold })
	const want = "id 2: got the prediction d, want one of the 3 declared classes: A, B, c"
	_, err := l.Score(context.Background(), Submission{Values: Columns(ids, []string{"a", "d", "x"})})
	if !errors.As(err, &wrong) || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	if got := takes(t, l, Submission{Values: Columns(ids, []string{"a", "C", "A"})}); *got.Response != 2./3 {
		t.Errorf("got %v, want 2/3", *got.Response)
	}
	plan := termsOf(1, 0.9, beta(t, "0.9"), "splitting")
	plan.Classes = []string{"a", "A"}
	if _, err := Create(t.TempDir(), labels, plan); !errors.As(err, &wrong) ||
		err.Error() != "labels: id 2: got the label b, want one of the 2 declared classes: a, A" {
		t.Error(err)
	}
	plan.Classes, plan.Match = nil, Value
	if _, err := Create(t.TempDir(), labels, plan); !errors.As(err, &wrong) ||
		err.Error() != "labels: id 1: got the label a, want a number, as numbers are matched" {
		t.Error(err)
	}
}

// What equals a label is as the ledger says. Predictions that equal each other are the same look.
func TestMatch(t *testing.T) {
	ids := []string{"1", "2", "3", "4", "5", "6"}
	for _, c := range []struct {
		match               Match
		labels, predictions []string
		right               float64
		same                []string
	}{
		{Exact, []string{"a", "b", "c", "d", "e", "f"}, []string{"a", "b ", "C", "d", "é", "f"}, 3, nil},
		{Trim, []string{"a ", "b", "c", "d", "e", "f"}, []string{"a", " b\t", "C", "d", "e.", "\u00a0f"}, 4,
			[]string{" a", "b", "C\n", "d", "e.", "f"}},
		{Fold, []string{"Straße", "ΣΊΣΥΦΟΣ", "kelvin", "d", "e", "f"},
			[]string{"strasse", "σίσυφος", "\u212aelvin", " D", "ee", "F"}, 4,
			[]string{"STRASSE", "ΣΊσυφοΣ", "Kelvin", "d", "EE", "f"}},
		{Value, []string{"1", "0.5", "1e3", "-0", "100", "7"}, []string{"1.0", ".50", "1000", "0", "99.9", "seven"}, 4,
			[]string{"+1e0", "5e-1", "10E2", "0e99", "999e-1", "seven"}},
	} {
		l, _ := oneLook(t, LabelsOf(t, ids, c.labels), func(p *Terms) { p.Match = c.match })
		got := takes(t, l, Submission{Values: Columns(ids, c.predictions)})
		if *got.Response != c.right/6 {
			t.Errorf("%s: got %v, want %v of 6", c.match, *got.Response, c.right)
		}
		if c.same != nil {
			if got := takes(t, l, Submission{Values: Columns(ids, c.same)}); !got.Known {
				t.Errorf("%s: %q is another look than %q", c.match, c.same, c.predictions)
			}
		}
	}
}

// A new ledger folds accents however they are encoded: its plan has another word than the plan of an earlier version,
// under which the same texts differ. What that folded together, or Unicode says is the same text, is folded together
// now too.
func TestFoldAccents(t *testing.T) {
	ids := []string{"1", "2", "3", "4"}
	labels := LabelsOf(t, ids, []string{"Caf\u00e9", "\u00c5ngstr\u00f6m", "se\u00f1or", "\u1e9b\u0323"})
	l, dir := oneLook(t, labels, func(p *Terms) { p.Match = Fold })
	got := takes(t, l, Submission{Values: Columns(ids, []string{" CAFE\u0301", "a\u030angstro\u0308m", "senor", "\u1e9b\u0323"})})
	if *got.Response != 3./4 || got.Plan.Match == Fold {
		t.Errorf("got %v under %s, want 3 of 4", *got.Response, got.Plan.Match)
	}
	same := []string{"caf\u00c9 ", "A\u030aNGSTRO\u0308M", "SENOR", "\u017f\u0323\u0307"}
	if got := takes(t, l, Submission{Values: Columns(ids, same)}); !got.Known {
		t.Errorf("%q is another look", same)
	}
	text, err := os.ReadFile(filepath.Join(dir, planFile))
	if err != nil || !strings.Contains(string(text), `"match": "fold-nfc"`) {
		t.Errorf("%v, %s", err, text)
	}
}

// A look is told why all of its predictions may be wrong.
func TestRemarksOfLooks(t *testing.T) {
	const asNumber = "; --match number reads 1.0 as 1"
	ids := []string{"1", "2"}
	l, _ := oneLook(t, LabelsOf(t, ids, []string{"1", "0"}), func(p *Terms) { p.Classes = []string{"0", "1"} })
	_, err := l.Score(context.Background(), Submission{Values: Columns(ids, []string{"1.0", "0.0"})})
	if want := "id 1: got the prediction 1.0, want one of the 2 declared classes: 0, 1" + asNumber; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	open := Terms{Goal: transfer.Goal{Beta: beta(t, "0.05")},
		Asks: Asks{Metrics: []string{"f1"}, Units: Units{Positive: "1"}}, Unlimited: Unlimited{Open: true}}
	l, _ = ledgerOf(t, LabelsOf(t, ids, []string{"1", "0"}), open)
	bar := 0.1
	asked := Submission{Metric: "f1", Question: Question{Show: ShowPass, Bar: &bar}, Values: Columns(ids, []string{"1.0", "0.0"})}
	_, err = l.Score(context.Background(), asked)
	const none = "got no row with the prediction 1, the positive class, want some for f1; no prediction equals a declared class"
	if err == nil || err.Error() != none+asNumber {
		t.Errorf("got %v, want %s", err, none+asNumber)
	}
}
