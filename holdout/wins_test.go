package holdout

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/dpcalc/dpcalc/holdout/form"
	"github.com/dpcalc/dpcalc/transfer"
)

// testTerms returns the terms of a gate of a test that is retired at the pass with a number.
func testTerms(t testing.TB, ids, incumbent []string, looks, passes int64, classes ...string) Terms {
	goal := transfer.Goal{Queries: looks, Beta: beta(t, "0.05"), Query: transfer.Difference}
	goal.Feedback, goal.Passes = transfer.Gate, passes
	return Terms{
		Goal:      goal,
		Test:      SignTest,
		Incumbent: Submission{Values: Columns(ids, incumbent), Path: "incumbent.csv"},
		Asks:      Asks{Classes: classes},
	}
}

// duel are predictions that win so many rows against an incumbent that is right on the first half, and lose so many.
func duel(classes []string, wins, losses int) []string {
	out := right(classes, len(classes)/2)
	for i := range wins {
		out[len(out)-1-i] = classes[len(out)-1-i]
	}
	for i := range losses {
		out[i] = map[string]string{"a": "b", "b": "a"}[classes[i]]
	}
	return out
}

// challenge is a candidate's submission.
func challenge(ids, candidate, incumbent []string) Submission {
	return Submission{Values: Columns(ids, candidate), Incumbent: Columns(ids, incumbent), Path: "new.csv"}
}

// A candidate with 20 losses passes where the sum of the binomial probabilities from its wins on is at most 1/1000, the
// exact fraction beta/N, and the one that passed is the next incumbent.
func TestGateOfATest(t *testing.T) {
	ids, classes := rowsOf(t, 500, 1)
	incumbent := right(classes, 250)
	l, dir := ledgerOf(t, LabelsOf(t, ids, classes), testTerms(t, ids, incumbent, 50, 1, "a", "b"))
	const losses = 20
	sum, wins := new(big.Int), int64(0)
	for wins = 80; ; wins-- { // P[Bin(W+20, 1/2) >= W] by whole numbers
		sum.SetInt64(0)
		for k := wins; k <= wins+losses; k++ {
			sum.Add(sum, new(big.Int).Binomial(wins+losses, k))
		}
		if sum.Mul(sum, big.NewInt(1000)).Cmp(new(big.Int).Lsh(big.NewInt(1), uint(wins+losses))) > 0 {
			break
		}
	}
	if got := l.plan.WinsNeeded(losses); got != wins+1 || got != 46 {
		t.Errorf("20 losses need %d wins, want %d", got, wins+1)
	}
	look := func(wins int) Answer {
		t.Helper()
		return takes(t, l, challenge(ids, duel(classes, wins, losses), incumbent))
	}
	a := look(45)
	left := Remaining{Looks: 49, Passes: 1}
	if a.Verdict != Fail || a.Response != nil || a.Remaining != left || !strings.Contains(a.RestsOn(), "exact") {
		t.Errorf("45 wins: %+v", a)
	}
	if a := look(46); a.Verdict != Pass || a.Remaining != (Remaining{}) {
		t.Errorf("46 wins: %+v", a)
	}
	if a := look(45); !a.Known || a.Verdict != Fail {
		t.Errorf("a known look: %+v", a)
	}
	v, err := Verify(dir, "")
	if err != nil || v.State() != "used up" || v.Incumbent == nil || !strings.HasSuffix(v.Incumbent.Path, "new.csv") {
		t.Error(v, err)
	}
}

// Without declared classes the verdict rests on the e-value, which wants more wins, and with clusters on theirs.
func TestGateOfATestByEvidence(t *testing.T) {
	ids, classes := rowsOf(t, 500, 1)
	incumbent := right(classes, 250)
	l, _ := ledgerOf(t, LabelsOf(t, ids, classes), testTerms(t, ids, incumbent, 50, 3))
	need := int(l.plan.WinsNeeded(20))
	for i, want := range []string{Fail, Pass} {
		wins := need - 1 + i
		a := takes(t, l, challenge(ids, duel(classes, wins, 20), incumbent))
		if a.Verdict != want || !strings.Contains(a.RestsOn(), "no row to be like another") {
			t.Errorf("%d wins: %+v", wins, a)
		}
	}
	if exact := int64(46); l.plan.WinsNeeded(20) <= exact {
		t.Errorf("%d wins are enough for an e-value", need)
	}
}

// What a gate of a test does not take is refused in one line, and an edited level is none that is certified.
func TestGatesOfTestsThatAreNone(t *testing.T) {
	ids, classes := rowsOf(t, 500, 1)
	incumbent := right(classes, 250)
	good := testTerms(t, ids, incumbent, 50, 1, "a", "b")
	for want, change := range map[string]func(*Terms){
		"test: got chi, want sign or mcnemar":                  func(t *Terms) { t.Test = "chi" },
		"feedback: got answers with a test, want gate":         func(t *Terms) { t.Goal.Shown = transfer.Shown{} },
		"query: got bounded with a test":                       func(t *Terms) { t.Goal.Query = transfer.Bounded },
		"tau: got 0.1 with a test, want none":                  func(t *Terms) { t.Goal.Tau = 0.1 },
		"test: got more than looks":                            func(t *Terms) { t.Goal.Disagreement = 0.1 },
		"queries: got nothing, want a number of looks":         func(t *Terms) { t.Goal.Queries, t.Goal.Passes = 0, 0 },
		"beta: got nothing, want a probability":                func(t *Terms) { t.Goal.Beta = 0 },
		"want one at which each look is tested below one half": func(t *Terms) { t.Goal.Queries, t.Goal.Beta = 1, -0.5108256237659907 },
		"passes: got 51, want at most the number":              func(t *Terms) { t.Goal.Passes = 51 },
		"samples: got 3, want 500":                             func(t *Terms) { t.Goal.Samples = 3 },
		"incumbent: got nothing, want the predictions that":    func(t *Terms) { t.Incumbent = Submission{} },
		"no candidate can pass: with so few rows":              func(t *Terms) { t.Goal.Beta = -500 },
	} {
		terms := good
		change(&terms)
		_, err := Check(t.TempDir(), LabelsOf(t, ids, classes), terms)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	plan, err := Check(t.TempDir(), LabelsOf(t, ids, classes), good)
	if err != nil {
		t.Fatal(err)
	}
	if err := reverified(plan); err != nil {
		t.Fatal(err)
	}
	corrupted := (*CorruptError)(nil)
	for name, edit := range map[string]func(*Plan){
		"a level": func(p *Plan) { p.Mechanism.Level += 1e-9 },
		"a count": func(p *Plan) { p.Mechanism.PassCount = 7 },
		"a tau":   func(p *Plan) { p.Promise.Tau = 0.1 },
		"a bar":   func(p *Plan) { p.Bars = []float64{0.1} },
		"a test":  func(p *Plan) { p.Promise.Test = "none" },
	} {
		edited := *plan
		edit(&edited)
		if err := reverified(&edited); !errors.As(err, &corrupted) {
			t.Errorf("%s edited: %v", name, err)
		}
	}
	l, _ := ledgerOf(t, LabelsOf(t, ids, classes), good)
	for want, s := range map[string]Submission{
		"bar: got 0.5, want none":                                             {Question: barAt(0.5)},
		"guess: got 0.5, want a ledger":                                       {Question: Question{Guess: float(0.5)}},
		"show: got reject, want a ledger made with --open: this one is fixed": {Question: Question{Show: ShowReject, Test: SignTest}},
	} {
		s.Values, s.Incumbent = Columns(ids, duel(classes, 9, 1)), Columns(ids, incumbent)
		if _, err := l.Score(context.Background(), s); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// Two sets of labels with which the same candidate passes have the same bytes in answers and lines, but for what is
// salted: 60 wins and 5 losses, or 59 and 6.
func TestGateOfATestTellsOneBit(t *testing.T) {
	ids, classes := rowsOf(t, 200, 1)
	incumbent, candidate := right(classes, 100), duel(classes, 60, 5)
	told := func(labels []string) string {
		l, _ := ledgerOf(t, LabelsOf(t, ids, labels), testTerms(t, ids, incumbent, 4, 2, "a", "b"))
		a := takes(t, l, challenge(ids, candidate, incumbent))
		last := seen(t, l).Lines[len(seen(t, l).Lines)-1]
		last.Chain = ""
		return fmt.Sprint(a.Verdict, a.Response, a.Remaining, a.Counts, a.RestsOn(), last)
	}
	other := slices.Clone(classes)
	other[len(other)-1] = map[string]string{"a": "b", "b": "a"}[other[len(other)-1]]
	if one, two := told(classes), told(other); one != two || !strings.HasPrefix(one, Pass) {
		t.Errorf("got %s and %s", one, two)
	}
}

// The exact test is for two classes, right or wrong, on rows that are independent. All else rests on an e-value.
func TestWhatTestsRestOn(t *testing.T) {
	two, clusters := []string{"a", "b"}, &form.Group{}
	for _, c := range []struct {
		plan   form.Plan
		metric string
		exact  bool
	}{
		{form.Plan{Asks: form.Asks{Classes: two}}, Accuracy, true},
		{form.Plan{}, Accuracy, false},
		{form.Plan{Asks: form.Asks{Classes: []string{"a", "b", "c"}}}, Accuracy, false},
		{form.Plan{Asks: form.Asks{Classes: two}}, "column:gain", false},
		{form.Plan{Asks: form.Asks{Classes: two}, Drawn: form.Drawn{Group: clusters}}, Accuracy, false},
	} {
		p := Plan{Plan: c.plan}
		if got := p.Decided(c.metric); got != c.exact {
			t.Errorf("%s, %d classes, clusters %v: exact %v, want %v", c.metric, len(p.Classes), p.Group != nil, got, c.exact)
		}
		if says := strings.HasPrefix(p.RestsOn(c.metric), "the exact test"); says != c.exact {
			t.Errorf("%s, %d classes: rests on %s", c.metric, len(p.Classes), p.RestsOn(c.metric))
		}
	}
}
