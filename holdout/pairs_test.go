package holdout

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/dpcalc/dpcalc/holdout/form"
	"github.com/dpcalc/dpcalc/holdout/journal"
	"github.com/dpcalc/dpcalc/holdout/open"
	"github.com/dpcalc/dpcalc/holdout/rule"
	"github.com/dpcalc/dpcalc/holdout/terms"
	"github.com/dpcalc/dpcalc/metric"
	"github.com/dpcalc/dpcalc/transfer"
)

// classed are rows of two classes, with so many positive ones, in any order.
func classed(t testing.TB, positives, negatives int, seed uint64) (ids, classes []string) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 2))
	for i := range positives + negatives {
		ids = append(ids, fmt.Sprintf("row-%05d", i))
		classes = append(classes, map[bool]string{true: "ill", false: "well"}[i < positives])
	}
	r.Shuffle(len(ids), func(i, j int) { classes[i], classes[j] = classes[j], classes[i] })
	return ids, classes
}

// areas are the terms of a ledger of an AUC.
func areas(t testing.TB, tau float64) Terms {
	goal := transfer.Goal{Queries: 3, Tau: tau, Beta: beta(t, "0.2"), Shown: transfer.Shown{Feedback: transfer.Gate}}
	return Terms{Goal: goal, Asks: Asks{Metrics: []string{metric.AUC}, Units: Units{Positive: "ill"}}}
}

// ordered are scores with exactly so many pairs in order, of the pairs of a positive and a negative row: some positive
// rows are above all negative ones, one is above some, and the others are below all.
func ordered(classes []string, pairs int) (scores []string) {
	negatives := 0
	for _, c := range classes {
		negatives += int(rule.BoolToInt(c == "well"))
	}
	up, down := 0, 0
	for _, c := range classes {
		score := float64(down) + 0.5
		if c == "well" {
			down++
		} else {
			score = float64(min(max(pairs-up, 0), negatives))
			up += negatives
		}
		scores = append(scores, strconv.FormatFloat(score, 'g', -1, 64))
	}
	return scores
}

// A gate compares fractions: 3,000 of 10,000 pairs pass at the bar 0.1 with tau 0.2, whose sum is above 0.3 in float64,
// and 2,999 do not; half a pair is what a tie is worth. Scores may be any numbers.
func TestGateOfAnAUC(t *testing.T) {
	ids, classes := classed(t, 100, 100, 1)
	labels := LabelsOf(t, ids, classes)
	for pairs, want := range map[int]string{2999: Fail, 3000: Pass, 3001: Pass} {
		l, dir := ledgerOf(t, labels, areas(t, 0.2))
		s := Submission{Values: Columns(ids, ordered(classes, pairs)), Question: barAt(0.1)}
		if a := takes(t, l, s); a.Verdict != want {
			t.Errorf("%d pairs: %s, want %s", pairs, a.Verdict, want)
		}
		if _, err := Verify(dir, ""); err != nil {
			t.Error(err)
		}
		again, err := Open(dir, labels)
		if err != nil || *again.Plan().Pairs != (form.Pairs{Positives: 100, Negatives: 100}) {
			t.Errorf("%v, %v", again, err)
		}
	}
	l, _ := ledgerOf(t, labels, areas(t, 0.2))
	tied := ordered(classes, 2999) // the positive row with 99 pairs ties its next negative one
	for i, c := range classes {
		if c == "ill" && tied[i] == "99" {
			tied[i] = "99.5"
		}
	}
	if a := takes(t, l, Submission{Values: Columns(ids, tied), Question: barAt(0.1)}); a.Verdict != Fail {
		t.Errorf("2,999.5 pairs: %s", a.Verdict)
	}
	far := ordered(classes, 10000)
	far[0] = "-1.5e300"
	takes(t, l, Submission{Values: Columns(ids, far), Question: barAt(0.1)})
	for text, want := range map[string]string{"NaN": "got the value NaN, want a number", "1e999": "got the value 1e999",
		"": `got the value "", want a number`, "Inf": "got the value Inf", "0x1": "got the value 0x1"} {
		far[0] = text
		refusedBy(t, l, Submission{Values: Columns(ids, far), Question: barAt(0.1)}, want)
	}
}

// An open ledger of an AUC has the tails of as many values in [0,1] as the smaller class has rows, and the response of
// the cell that the fraction lies in.
func TestOpenAUC(t *testing.T) {
	ids, classes := classed(t, 300, 60, 2)
	labels := LabelsOf(t, ids, classes)
	terms := areas(t, 0)
	terms.Goal, terms.Open = transfer.Goal{Beta: terms.Goal.Beta}, true
	l, dir := ledgerOf(t, labels, terms)
	few, _ := classed(t, 60, 0, 3)
	marks, _ := ledgerOf(t, LabelsOf(t, few, few),
		Terms{Goal: terms.Goal, Asks: Asks{Metrics: []string{"column:mark"}}, Unlimited: Unlimited{Open: true}})
	for _, q := range []Question{{Show: ShowPass}, {Show: ShowScore}, {Show: ShowBest}, {Show: ShowGuess}} {
		s := Submission{Question: q}
		switch q.Show {
		case ShowPass:
			s.Bar = float(0.4)
		case ShowGuess:
			s.Guess = float(0.75)
		}
		got, err := l.Price(s, nil)
		want, err2 := marks.Price(s, nil)
		if err != nil || err2 != nil || len(got) != len(want) {
			t.Fatalf("%s: %v, %v", q.Show, err, err2)
		}
		for i := range got {
			if err := open.SameShown(got[i].Shown, want[i].Shown, 1); err != nil {
				t.Errorf("%s, response %d: %v", q.Show, i, err)
			}
		}
	}
	a := takes(t, l, Submission{Values: Columns(ids, ordered(classes, 300*60*3/5)), Question: Question{Show: ShowScore}})
	if *a.Open.From > 0.6 || *a.Open.Below <= 0.6 || a.Open.Rows != 360 {
		t.Errorf("%+v", a.Open)
	}
	if _, err := Verify(dir, ""); err != nil {
		t.Error(err)
	}
	if _, err := l.Extend(t.Context(), Extension{Drop: ids[:1]}); err == nil || !strings.Contains(err.Error(), "extend: got a ledger of an AUC") {
		t.Errorf("got %v", err)
	}
}

// What does not go with the law of an AUC is refused, and no folder is left.
func TestLawOfAnAUC(t *testing.T) {
	ids, classes := classed(t, 100, 100, 1)
	labels := LabelsOf(t, ids, classes)
	features, err := NewFeatures(strings.NewReader("id,site\n"), "")
	if err != nil {
		t.Fatal(err)
	}
	open := func(t *Terms) { t.Goal, t.Open = transfer.Goal{Beta: t.Goal.Beta}, true }
	for want, change := range map[string]func(*Terms){
		"law: got labels with auc, want classes":            func(t *Terms) { t.Law = terms.LawLabels },
		"law: got classes with accuracy, want classes with": func(t *Terms) { t.Metrics, t.Law, t.Units = nil, terms.LawClasses, Units{} },
		"law: got any, want labels or classes":              func(t *Terms) { t.Law = "any" },
		"metrics: got auc among 2":                          func(t *Terms) { t.Metrics = append(t.Metrics, Accuracy) },
		"positive: got nothing":                             func(t *Terms) { t.Units = Units{} },
		"positive: got Ill, which 0 of 200 rows have":       func(t *Terms) { t.Units.Positive = "Ill" },
		"features: got some with auc":                       func(t *Terms) { open(t); t.Features = features },
		"ask: got what teams may ask with auc":              func(t *Terms) { open(t); t.Ask = []string{ShowScore} },
		"feedback: got best with auc, want gate":            func(t *Terms) { t.Goal.Feedback = transfer.Best },
		"with an incumbent, want another":                   func(t *Terms) { t.Goal.Query = transfer.Difference },
		"bounded queries, whose values are those of pairs":  func(t *Terms) { t.Goal.Query = transfer.Binary },
		"want 100 positive and 100 negative ones":           func(t *Terms) { t.Goal.Sample = transfer.Classes{Positives: 99, Negatives: 101} },
		"gaussian":                            func(t *Terms) { t.Method = "gaussian" },
		"range: got one, want --metrics with": func(t *Terms) { open(t); t.Units.Range = &[2]float64{0, 2} },
	} {
		terms := areas(t, 0.2)
		change(&terms)
		dir := filepath.Join(t.TempDir(), "ledger")
		if _, err := Create(dir, labels, terms); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
		if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: a folder is left", want)
		}
	}
	for _, n := range [][2]int{{0, 5}, {5, 0}} {
		ids, classes := classed(t, n[0], n[1], 1)
		_, err := Check(t.TempDir(), LabelsOf(t, ids, classes), areas(t, 0.2))
		if err == nil || !strings.Contains(err.Error(), "want a label that some rows have and some have not") {
			t.Errorf("got %v", err)
		}
	}
	if _, err := Certify(areas(t, 0.2), 200); err == nil {
		t.Error("a plan without labels")
	}
	terms := areas(t, 0.2)
	terms.Match, terms.Units.Positive, terms.Law = Fold, "ILL", LawClasses
	p, err := Check(t.TempDir(), labels, terms)
	if err != nil || *p.Pairs != (form.Pairs{Positives: 100, Negatives: 100}) {
		t.Errorf("%v, %v", p, err)
	}
}

// A plan of an AUC whose class counts are not the labels' counts, or that has what an AUC has not, is refused.
func TestClassCountsOfAPlan(t *testing.T) {
	ids, classes := classed(t, 100, 100, 1)
	labels := LabelsOf(t, ids, classes)
	l, dir := ledgerOf(t, labels, areas(t, 0.2))
	text := files(t, dir)[planFile]
	inside, _, _ := strings.Cut(text, journal.PlanEnds.Before)
	for want, change := range map[string][]string{
		"other class counts than those of the labels":           {`"positives": 100`, `"positives": 80`, `"negatives": 100`, `"negatives": 120`},
		"with what it has not, or for 200 rows":                 {`"positives": 100`, `"positives": 101`},
		"got class counts or an AUC, want both or neither":      {`"auc"`, `"accuracy"`},
		"got an AUC of 0 positive and 200 negative rows":        {`"positives": 100`, `"positives": 0`, `"negatives": 100`, `"negatives": 200`},
		"got an AUC of 100 positive and 100 negative rows with": {`"class_counts"`, `"features": {"fingerprint": "aa"}, "class_counts"`},
		"got an AUC of 100 positive and 100 negative rows":      {`"method": "gate"`, `"method": "sealed"`},
		"the plan has no certificate by the theorem of gate":    {`"positives": 100`, `"positives": 1`, `"negatives": 100`, `"negatives": 199`},
	} {
		sealed := journal.PlanEnds.Seal(sha256.New(), []byte(strings.NewReplacer(change...).Replace(inside)))
		if err := os.WriteFile(filepath.Join(dir, planFile), sealed, 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := Open(dir, labels)
		if err == nil {
			t.Errorf("%s: it opens", want)
			continue
		}
		if _, verified := Verify(dir, ""); !strings.Contains(fmt.Sprint(err, verified), want) {
			t.Errorf("got %v and %v, want %s", err, verified, want)
		}
	}
	if p := l.Plan().Served(); len(p) != 1 {
		t.Errorf("got %v", p)
	}
}
