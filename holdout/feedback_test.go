package holdout

import (
	"cmp"
	"context"
	crand "crypto/rand"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/dpcalc/dpcalc/holdout/fixed"
	"github.com/dpcalc/dpcalc/holdout/rule"
	"github.com/dpcalc/dpcalc/transfer"
)

// shows is a plan for 0/1 queries with the feedback.
func shows(f transfer.Feedback, m int64, tau float64, method string, rest transfer.Shown) func(t testing.TB) Terms {
	return func(t testing.TB) Terms {
		rest.Feedback = f
		goal := transfer.Goal{Queries: m, Tau: tau, Beta: beta(t, "0.1"), Query: transfer.Binary, Shown: rest}
		if f == transfer.Flags {
			goal.Budget = 2
		}
		return Terms{Goal: goal, Method: method}
	}
}

func float(x float64) *float64 { return &x }

// right are predictions with exactly so many right ones.
func right(classes []string, count int) []string {
	out := slices.Clone(classes)
	for i := count; i < len(out); i++ {
		out[i] = map[string]string{"a": "b", "b": "a"}[out[i]]
	}
	return out
}

// one look at a ledger.
func takes(t testing.TB, l *Ledger, s Submission) Answer {
	t.Helper()
	a, err := l.Score(context.Background(), named(l, s))
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// named gives a look at a column a name of its own, and no incumbent: the ledger keeps it.
func named(l *Ledger, s Submission) Submission {
	if IsColumn(cmp.Or(s.Metric, l.plan.Metric)) {
		s.Name, s.Incumbent = cmp.Or(s.Name, crand.Text()), nil
	}
	return s
}

// A gate shows a bit and no number, passes at the decimals that were typed, and is retired at its last pass.
func TestGate(t *testing.T) {
	ids, classes := rowsOf(t, 1000, 1)
	l, dir := ledgerOf(t, LabelsOf(t, ids, classes), shows(transfer.Gate, 9, 0.1, "gate", transfer.Shown{Passes: 2})(t))
	look := func(count int, bar float64) Answer {
		return takes(t, l, Submission{Values: Columns(ids, right(classes, count)), Question: Question{Bar: &bar}})
	}
	for i, c := range []struct {
		count   int
		bar     float64
		verdict string
		left    Remaining
	}{
		{799, 0.7, Fail, Remaining{Looks: 8, Passes: 2, Flags: 0}},
		{800, 0.7, Pass, Remaining{Looks: 7, Passes: 1, Flags: 0}}, // 0.7 + 0.1 is below 0.8 in float64
		{299, 0.2, Fail, Remaining{Looks: 6, Passes: 1, Flags: 0}},
		{300, 0.2, Pass, Remaining{}}, // 0.2 + 0.1 is above 0.3 in float64
	} {
		if a := look(c.count, c.bar); a.Verdict != c.verdict || a.Response != nil || a.Remaining != c.left {
			t.Errorf("look %d: got %s, %v, %v, want %+v", i+1, a.Verdict, a.Response, a.Remaining, c)
		}
	}
	var refused *RefusedError
	if _, err := l.Score(context.Background(), Submission{Values: Columns(ids, classes),
		Question: barAt(0.1)}); !errors.As(err, &refused) {
		t.Errorf("after the last pass: %v", err)
	}
	if a := look(799, 0.7); !a.Known || a.Verdict != Fail {
		t.Errorf("a known look: %+v", a)
	}
	if v, err := Verify(dir, ""); err != nil || v.State() != "used up" {
		t.Error(v, err)
	}
}

// The bar of a plan is its bar; with 0/1 queries the least count that passes is the certificate's.
func TestGateAtAKnownBar(t *testing.T) {
	ids, classes := rowsOf(t, 1000, 1)
	terms := shows(transfer.Gate, 9, 0.1, "gate", transfer.Shown{Bar: transfer.Some(0.6)})(t)
	l, _ := ledgerOf(t, LabelsOf(t, ids, classes), terms)
	count := int(l.plan.Mechanism.PassCount)
	if count < 600 || count > 800 {
		t.Fatalf("passes at %d", count)
	}
	for c, want := range map[int]string{count - 1: Fail, count: Pass} {
		if a := takes(t, l, Submission{Values: Columns(ids, right(classes, c))}); a.Verdict != want {
			t.Errorf("%d right: %s, want %s", c, a.Verdict, want)
		}
	}
	s := Submission{Values: Columns(ids, classes), Question: barAt(0.5)}
	if _, err := l.Score(context.Background(), s); err == nil || !strings.Contains(err.Error(), "bar: got 0.5, want 0.6 as in the plan") {
		t.Errorf("got %v", err)
	}
}

// What the response to a kind of feedback is, of a method for answers: the verdict or number that follows from the
// noisy answer, and nothing beside it.
func TestAnswersUnderOtherFeedback(t *testing.T) {
	ids, classes := rowsOf(t, 3000, 1)
	labels := LabelsOf(t, ids, classes)
	for _, feedback := range []transfer.Feedback{transfer.Gate, transfer.Best} {
		l, _ := ledgerOf(t, labels, shows(feedback, 6, 0.1, "gaussian", transfer.Shown{})(t))
		answer := noisyAnswers(t, l)
		board := 0.0
		for k, count := range []int{1500, 2400, 2100, 2700} {
			s := Submission{Values: Columns(ids, right(classes, count))}
			v := answer(count)
			var want Answer
			if feedback == transfer.Gate {
				s.Bar = float(0.7)
				want.Verdict = rule.Verdict(v >= 0.7+0.1, Pass, Fail)
			} else {
				want.Verdict = rule.Verdict(v > board, Improved, Kept)
				board = max(board, v)
				want.Response = &board
			}
			got := takes(t, l, s)
			if got.Verdict != want.Verdict || (got.Response == nil) != (want.Response == nil) {
				t.Fatalf("%s, look %d: %+v", feedback, k+1, got)
			}
			if got.Response != nil && *got.Response != *want.Response {
				t.Errorf("%s, look %d: got %v, want %v", feedback, k+1, *got.Response, *want.Response)
			}
		}
	}
}

// noisyAnswers returns the answers of a Gaussian ledger of 3,000 rows to its next looks, from a source of its own.
func noisyAnswers(t *testing.T, l *Ledger) func(count int) float64 {
	t.Helper()
	source := rand.New(rand.NewPCG(7, 8))
	noise, err := fixed.Gaussian(l.plan.Goal, l.plan.Mechanism.Noise[0]).Noise()
	if err != nil {
		t.Fatal(err)
	}
	return func(count int) float64 { return noise.Answer(source, float64(count)/3000) }
}

// A method for answers shows its number also where the guess holds. The number is within tau. A guess holds up to tau
// and the guess error from the number, so that it may be further from the truth than tau: showing it would break the
// promise. A guess within the guess error of the truth always holds.
func TestGuessesOfAMethodForAnswers(t *testing.T) {
	ids, classes := rowsOf(t, 3000, 1)
	labels := LabelsOf(t, ids, classes)
	const tau = 0.1
	for _, guessError := range []float64{0, 0.02, 0.05} {
		shown := transfer.Shown{GuessError: transfer.Some(guessError)}
		l, _ := ledgerOf(t, labels, shows(transfer.Flags, 6, tau, "gaussian", shown)(t))
		answer := noisyAnswers(t, l)
		beyond := 0
		for k, away := range []float64{guessError, -guessError, tau + guessError - 1e-9, -tau - guessError + 1e-9,
			tau + guessError + 1e-9} {
			count := 1500 + 150*k
			score, number := float64(count)/3000, answer(count)
			guess := number + away
			if k < 2 {
				guess = score + away
			}
			got := takes(t, l, Submission{Values: Columns(ids, right(classes, count)), Question: Question{Guess: &guess}})
			if want := rule.Verdict(k == 4, Moved, Holds); got.Verdict != want {
				t.Errorf("guess error %v, a guess %v away: %s, want %s", guessError, away, got.Verdict, want)
			}
			if *got.Response != number || math.Abs(number-score) > tau {
				t.Errorf("guess error %v: got %v of %v, want %v", guessError, *got.Response, score, number)
			}
			if got.Verdict == Holds && math.Abs(guess-score) > tau {
				beyond++
			}
		}
		if beyond == 0 {
			t.Errorf("guess error %v: every guess that held would have kept the promise", guessError)
		}
	}
}

// A board shows the values of its table only, and never falls.
func TestLadder(t *testing.T) {
	ids, classes := rowsOf(t, 3100, 1)
	l, dir := ledgerOf(t, LabelsOf(t, ids, classes), shows(transfer.Best, 1000, 0.1, "ladder", transfer.Shown{})(t))
	board := l.plan.Mechanism.Board
	if len(board) < 5 {
		t.Fatalf("%d steps", len(board))
	}
	at := 0
	r := rand.New(rand.NewPCG(3, 3))
	for k := range 40 {
		count := 1000 + r.IntN(50*(k+1))
		score := float64(count) / 3100
		before := at
		for at+1 < len(board) && score >= board[at+1].Boundary {
			at++
		}
		if k == 20 {
			forget(l) // read the files anew
		}
		got := takes(t, l, Submission{Values: Columns(ids, right(classes, count))})
		if got.Known {
			continue
		}
		if *got.Response != board[at].Value || got.Verdict != rule.Verdict(at > before, Improved, Kept) {
			t.Fatalf("look %d at %v: got %v %s, want %v", k+1, score, *got.Response, got.Verdict, board[at].Value)
		}
	}
	if _, err := Verify(dir, ""); err != nil {
		t.Error(err)
	}
}

// A guess that is right is repeated, a wrong one is moved and costs a flag; after the last nothing is answered.
func TestSparseValidate(t *testing.T) {
	ids, classes := rowsOf(t, 8000, 1)
	for _, hold := range []float64{0, 0.05} {
		l, dir := ledgerOf(t, LabelsOf(t, ids, classes),
			shows(transfer.Flags, 50, 0.1, "sparse-validate", transfer.Shown{Hold: hold})(t))
		look := func(count int, guess float64) Answer {
			return takes(t, l, Submission{Values: Columns(ids, right(classes, count)), Question: Question{Guess: &guess}})
		}
		threshold := l.plan.Mechanism.Threshold
		if a := look(6000, 0.76); a.Verdict != Holds || *a.Response != 0.76 || a.Remaining.Flags != 2 {
			t.Errorf("a right guess: %+v", a)
		}
		a := look(6001, 0.4)
		if a.Verdict != Moved || math.Abs(*a.Response-0.75) > threshold+0.06 || a.Remaining.Flags != 1 {
			t.Errorf("a wrong guess: %+v, %v", a, *a.Response)
		}
		if a = look(6002, 0.75); a.Verdict != Holds {
			t.Errorf("then a right one: %+v", a)
		}
		a = look(4000, 0.9)
		want := 0.5 + threshold
		if a.Verdict != Moved || a.Remaining != (Remaining{}) || l.plan.Mechanism.Parts == 0 &&
			math.Abs(*a.Response-want) > 1e-9 {
			t.Errorf("the last flag: %+v, %v, want %v", a, *a.Response, want)
		}
		var refused *RefusedError
		if _, err := l.Score(context.Background(), Submission{Values: Columns(ids, classes),
			Question: Question{Guess: float(1)}}); !errors.As(err, &refused) {
			t.Errorf("after the last flag: %v", err)
		}
		if _, err := Verify(dir, ""); err != nil {
			t.Error(err)
		}
	}
}

// Fresh parts: each flag is served by rows of its own.
func TestSparseValidateInParts(t *testing.T) {
	ids, classes := rowsOf(t, 60000, 1)
	terms := Terms{Method: "sparse-validate", Goal: transfer.Goal{Queries: 1_000_000, Tau: 0.1, Beta: beta(t, "0.05"),
		Budget: 10,
		Query:  transfer.Binary, Shown: transfer.Shown{Feedback: transfer.Flags, Hold: 0.08}}}
	l, dir := ledgerOf(t, LabelsOf(t, ids, classes), terms)
	if l.plan.Mechanism.Parts != 10 {
		t.Fatalf("the plan has %d parts", l.plan.Mechanism.Parts)
	}
	predictions := guesses(classes, 0.7, 5)
	for flag := range int64(3) {
		guess := 0.1 + float64(flag)/100
		rows, err := fixed.Part(l.plan, flag)
		if err != nil {
			t.Fatal(err)
		}
		count := 0
		for _, row := range rows {
			if predictions[row] == classes[row] {
				count++
			}
		}
		want := float64(count)/float64(len(rows)) - 0.08
		a := takes(t, l, Submission{Values: Columns(ids, predictions), Question: Question{Guess: &guess}})
		if a.Verdict != Moved || math.Abs(*a.Response-want) > 1e-9 {
			t.Errorf("flag %d: %v, want %v", flag, *a.Response, want)
		}
	}
	if _, err := Verify(dir, ""); err != nil {
		t.Error(err)
	}
}

// Finalists are scored once, all together.
func TestSealed(t *testing.T) {
	ids, classes := rowsOf(t, 1000, 1)
	l, dir := ledgerOf(t, LabelsOf(t, ids, classes), shows(transfer.Final, 3, 0.1, "", transfer.Shown{})(t))
	of := func(counts ...int) (list []Submission) {
		for _, c := range counts {
			list = append(list, Submission{Name: fmt.Sprint(c), Values: Columns(ids, right(classes, c))})
		}
		return list
	}
	var input *InputError
	if _, err := l.ScoreAll(context.Background(), of(1, 2, 3, 4)); !errors.As(err, &input) {
		t.Errorf("too many: %v", err)
	}
	before := files(t, dir)
	if preview, err := l.Preview(of(700, 500)...); err != nil || preview[1].Look != 2 || preview[1].Response != nil {
		t.Errorf("%+v, %v", preview, err)
	}
	if !maps.Equal(before, files(t, dir)) {
		t.Error("a preview wrote something")
	}
	got, err := l.ScoreAll(context.Background(), of(700, 500, 700))
	if err != nil || len(got) != 3 {
		t.Fatal(got, err)
	}
	for i, want := range []float64{0.7, 0.5, 0.7} {
		if *got[i].Response != want || got[i].Look != int64(i+1) || got[i].Remaining.Looks != 0 {
			t.Errorf("finalist %d: %+v", i, got[i])
		}
	}
	var refused *RefusedError
	if _, err := l.Score(context.Background(), of(600)[0]); !errors.As(err, &refused) {
		t.Errorf("another one: %v", err)
	}
	if a := takes(t, l, of(500)[0]); !a.Known || *a.Response != 0.5 {
		t.Errorf("again: %+v", a)
	}
	if v, err := Verify(dir, ""); err != nil || v.State() != "retired" {
		t.Error(v, err)
	}
}

// A candidate is compared with the incumbent, takes its place at a pass, and may not differ too often.
func TestDifferences(t *testing.T) {
	ids, classes := rowsOf(t, 2000, 1)
	table := func(count int) Table { return Columns(ids, right(classes, count)) }
	terms := shows(transfer.Gate, 10, 0.06, "gate", transfer.Shown{})(t)
	terms.Goal.Disagreement = 0.1
	terms.Goal.Query = transfer.Difference
	dir := t.TempDir()
	if _, err := Create(dir, LabelsOf(t, ids, classes), terms); err == nil || !strings.Contains(err.Error(),
		"incumbent: got nothing") {
		t.Fatalf("got %v", err)
	}
	terms.Incumbent = Submission{Values: table(1400)}
	l, dir := ledgerOf(t, LabelsOf(t, ids, classes), terms)
	look := func(count, against int) (Answer, error) {
		return l.Score(context.Background(), Submission{Values: table(count), Incumbent: table(against), Question: barAt(0),
			Path: fmt.Sprint(count)})
	}
	for _, c := range []struct {
		count, against int
		verdict, wrong string
	}{
		{1500, 1400, Fail, ""},
		{1601, 1400, "", "differs from the incumbent on 201 of 2000 rows, want at most a share of 0.1"},
		{1400, 1400, "", "got the incumbent itself"},
		{1450, 1300, "", "incumbent: got other predictions than"},
		{1520, 1400, Pass, ""},
		{1600, 1400, "", "incumbent: got other predictions than"},
		{1600, 1520, Fail, ""},
		{1640, 1520, Pass, ""},
		{1640, 1640, Pass, ""}, // asked again: its answer never came
		{1520, 1520, "", "got the incumbent itself"},
	} {
		a, err := look(c.count, c.against)
		switch {
		case c.wrong == "" && (err != nil || a.Verdict != c.verdict):
			t.Errorf("%+v: %+v, %v", c, a, err)
		case c.wrong != "" && (err == nil || !strings.Contains(err.Error(), c.wrong)):
			t.Errorf("%+v: %v", c, err)
		}
	}
	s, err := ReadStatus(dir)
	if err != nil || s.Looks != 4 || !strings.HasSuffix(s.Incumbent.In(dir), "1640") {
		t.Errorf("%+v, %v", s, err)
	}
	itself := Submission{Values: table(1640), Incumbent: table(1640), Question: barAt(0.1), Name: "other"}
	if _, err := l.Score(context.Background(), itself); err == nil ||
		!strings.Contains(err.Error(), "got the incumbent itself") {
		t.Errorf("at another bar: %v", err)
	}
	itself.Bar = float(0)
	for _, ledger := range []func() (*Ledger, error){
		func() (*Ledger, error) { return l, nil },
		func() (*Ledger, error) { return Open(dir, LabelsOf(t, ids, classes)) },
	} {
		l, err := ledger()
		if err != nil {
			t.Fatal(err)
		}
		if a := takes(t, l, itself); !a.Known || a.Look != 4 || a.Name != "" || a.Verdict != Pass {
			t.Errorf("asked again: %+v", a)
		}
	}
	if p, err := l.Preview(itself); err != nil || !p[0].Known || p[0].Look != 4 {
		t.Errorf("%+v, %v", p, err)
	}
	if _, err := Verify(dir, ""); err != nil {
		t.Error(err)
	}
}

// What belongs to another feedback, or is missing, is refused and costs nothing.
func TestBarsAndGuesses(t *testing.T) {
	ids, classes := rowsOf(t, 9000, 1)
	labels := LabelsOf(t, ids, classes)
	for want, c := range map[string]struct {
		feedback transfer.Feedback
		Submission
	}{
		"bar: got nothing, want a number in [0, 1] with --feedback gate": {transfer.Gate, Submission{}},
		"bar: got 1.5, want a number in [0, 1]":                          {transfer.Gate, Submission{Question: barAt(1.5)}},
		"bar: got NaN, want a number in [0, 1]": {transfer.Gate,
			Submission{Question: Question{Bar: float(math.NaN())}}},
		"guess: got 0.5, want a ledger with --feedback flags: this one has --feedback gate": {transfer.Gate, Submission{Question: Question{Bar: float(0), Guess: float(0.5)}}},
		"guess: got nothing, want a number in [0, 1] with --feedback flags":                 {transfer.Flags, Submission{}},
		"bar: got 0.5, want a ledger with --feedback gate: this one has --feedback best":    {transfer.Best, Submission{Question: barAt(0.5)}},
	} {
		l, dir := ledgerOf(t, labels, shows(c.feedback, 5, 0.1, "", transfer.Shown{})(t))
		before := files(t, dir)
		c.Values = Columns(ids, classes)
		var input *InputError
		if _, err := l.Score(context.Background(), c.Submission); !errors.As(err, &input) || !strings.Contains(err.Error(),
			want) {
			t.Errorf("got %v, want %s", err, want)
		}
		if !maps.Equal(before, files(t, dir)) {
			t.Errorf("%s: files changed", want)
		}
	}
}

// The differences from the incumbent may be shown themselves, by the low-variance bound. The share of rows on which a
// candidate differs is looked at before any label, and one that differs too often costs nothing.
func TestShownDifferences(t *testing.T) {
	ids, classes := rowsOf(t, 4000, 1)
	table := func(count int) Table { return Columns(ids, right(classes, count)) }
	for _, checked := range []bool{false, true} {
		terms := shows(transfer.Answers, 10, 0.06, "", transfer.Shown{})(t)
		terms.Goal.Disagreement, terms.Goal.Checked = 0.1, checked
		terms.Goal.Query = transfer.Difference
		terms.Incumbent = Submission{Values: table(3000)}
		l, dir := ledgerOf(t, LabelsOf(t, ids, classes), terms)
		if len(l.plan.Mechanism.Noise) == 0 || l.plan.Promise.Checked != checked {
			t.Fatalf("%+v", l.plan)
		}
		without := terms
		without.Goal.Disagreement, without.Goal.Checked, without.Method = 0, false, "gaussian-schedule"
		if _, err := Certify(without, 4000); err == nil {
			t.Error("so many rows are enough without the disagreement")
		}
		for _, count := range []int{3200, 2700} {
			a := takes(t, l, Submission{Values: table(count), Incumbent: table(3000)})
			if want := float64(count-3000) / 4000; math.Abs(*a.Response-want) > 0.06 {
				t.Errorf("a difference of %g is shown as %g", want, *a.Response)
			}
		}
		left := takes(t, l, Submission{Values: table(3200), Incumbent: table(3000)}).Remaining
		_, err := l.Score(context.Background(), Submission{Values: table(3401), Incumbent: table(3000)})
		if err == nil || !strings.Contains(err.Error(), "differs from the incumbent on 401 of 4000 rows") {
			t.Errorf("got %v", err)
		}
		if a := takes(t, l, Submission{Values: table(2900), Incumbent: table(3000)}); a.Remaining.Looks != left.Looks-1 {
			t.Errorf("the refusal cost a look: %+v after %+v", a.Remaining, left)
		}
		if v, err := Verify(dir, ""); err != nil || v.State() == "" {
			t.Error(v, err)
		}
	}
}

// What the plan says of its looks is kept, and what a ledger cannot check is refused.
func TestKnownMoments(t *testing.T) {
	for _, known := range []transfer.Known{{AtLeast: 0.9}, {Variance: 0.05}} {
		terms := shows(transfer.Answers, 10, 0.06, "gaussian", transfer.Shown{})(t)
		terms.Goal.Known = known
		terms.Goal.Query = transfer.Binary
		plan, err := Certify(terms, 3000)
		if err != nil {
			t.Fatal(err)
		}
		if g, err := rule.GoalOf(plan.Promise, nil); err != nil || g.Known != known {
			t.Errorf("%+v, %v: want %+v", g, err, known)
		}
	}
	terms := shows(transfer.Answers, 10, 0.06, "gaussian", transfer.Shown{})(t)
	terms.Goal.AtLeast, terms.Goal.Checked = 0.9, true
	terms.Goal.Query = transfer.Binary
	if _, err := Certify(terms, 3000); err == nil ||
		!strings.Contains(err.Error(), "enforce: got it with binary queries") {
		t.Errorf("got %v", err)
	}
}
