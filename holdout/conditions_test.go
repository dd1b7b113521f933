package holdout

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/dpcalc/dpcalc/holdout/form"
	"github.com/dpcalc/dpcalc/holdout/open"
	"github.com/dpcalc/dpcalc/holdout/rule"
	"github.com/dpcalc/dpcalc/internal/num"
	"github.com/dpcalc/dpcalc/transfer"
	tails "github.com/dpcalc/dpcalc/transfer/open"
)

// rightOn are predictions of which so many of the first 150 are right, and so many of the others.
func rightOn(classes []string, first, others int) []string {
	out := firstRight(classes, first)
	copy(out[150:], classes[150:150+others])
	return out
}

// A look at several conditions passes if the gate at each of them would, at the price of one, and a failure has an
// upper end for each that is higher than a gate's by itself.
func TestSeveralConditions(t *testing.T) {
	var ids, classes []string
	create := func() (*Ledger, string) {
		var l *Ledger
		_, _, ids, classes = openLedger(t, 200)
		dir := t.TempDir() + "/ledger"
		terms := Terms{Goal: transfer.Goal{Beta: beta(t, "0.05")}, Drawn: Drawn{Features: featuresOf(t, ids)},
			Unlimited: Unlimited{Open: true}}
		l, err := Create(dir, labelsIn(t, ids, classes), terms)
		if err != nil {
			t.Fatal(err)
		}
		return l, dir
	}
	bars := []float64{0.6, 0.7, 0.2}
	wheres := []string{"", "part=half", "part=rest"}
	l, _ := create()
	var cuts []int
	var uppers []float64
	for i, bar := range bars {
		list, err := l.Price(Submission{Question: Question{Show: ShowPass, Where: wheres[i], Bar: &bar}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		cuts = append(cuts, int(math.Round(*list[1].From*float64(list[1].Rows))))
		uppers = append(uppers, *list[0].Upper)
	}
	all := []Condition{{Bar: bars[1], Where: wheres[1]}, {Bar: bars[2], Where: wheres[2]}}
	question := Question{Show: ShowPass, All: all}
	passed := 0
	for _, c := range [][2]int{
		{cuts[1], cuts[2]}, {cuts[1], 50}, {cuts[1] - 1, 50}, {150, cuts[2]}, {150, cuts[2] - 1}, {0, 50}, {149, 49},
		{cuts[1], cuts[0] - cuts[1]},
	} {
		l, dir := create()
		a := takes(t, l, Submission{Values: Columns(ids, rightOn(classes, c[0], c[1])), Question: barred(question, &bars[0])})
		passes := c[0]+c[1] >= cuts[0] && c[0] >= cuts[1] && c[1] >= cuts[2]
		passed += int(rule.BoolToInt(passes))
		if a.Verdict != rule.Verdict(passes, Pass, Fail) || len(a.Open.Conditions) != 3 {
			t.Errorf("%v right: %+v", c, a)
			continue
		}
		for i, s := range a.Open.Conditions {
			switch {
			case passes && !(*s.Lower >= bars[i] && int(math.Round(*s.From*float64(s.Rows))) == cuts[i]):
				t.Errorf("%v right, condition %d: %v from %v, want %v from %d", c, i, *s.Lower, *s.From, bars[i], cuts[i])
			case !passes && !(*s.Upper > uppers[i] && s.From == nil):
				t.Errorf("%v right, condition %d: at most %v, want more than %v", c, i, *s.Upper, uppers[i])
			}
		}
		if price := *a.Open.Price; math.Abs(price+math.Log(map[bool]float64{true: 0.2, false: 0.8}[passes])) > 1e-12 {
			t.Errorf("%v right: got the price %v, want that of a gate", c, price)
		}
		if _, err := Verify(dir, ""); err != nil {
			t.Error(err)
		}
		lines := slices.Clone(seen(t, l).Lines)
		lines[0].Conditions = slices.Clone(lines[0].Conditions)
		lines[0].Conditions[1].Upper = float(0.123)
		if err := replayed(&history{Past: rule.Past{Plan: l.plan, Lines: lines}}); err == nil {
			t.Error("another upper end of a condition goes unnoticed")
		}
	}
	if passed < 2 || passed > 6 {
		t.Errorf("%d cases pass", passed)
	}
}

// What several conditions are not is refused, before a look is taken; a slice on which the candidate is the incumbent
// is sure to be above a bar below 0.
func TestConditionsThatAreNone(t *testing.T) {
	l, dir, ids, classes := comparedLedger(t)
	asks := func(bar float64, where string) Submission {
		return Submission{Values: Columns(ids, rightOn(classes, 120, 45)),
			Incumbent: Columns(ids, firstRight(classes, 120)),
			Question:  Question{Show: ShowPass, All: []Condition{{Bar: bar, Where: where}}, Bar: float(0)}}
	}
	for want, s := range map[string]Submission{
		"all: got the bar 2, want a number in [-1, 1]":         asks(2, ""),
		"all: got none, want COLUMN=VALUE":                     asks(0, "none"),
		"all: got part=none, want a value that some row has":   asks(0, "part=none"),
		"all: got bar=0,where=part=half for a candidate that ": asks(0, "part=half"),
	} {
		if _, err := l.Score(context.Background(), s); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	s := asks(-0.1, "part=half")
	s.Show, s.Bar = ShowScore, nil
	if _, err := l.Score(context.Background(), s); err == nil || !strings.Contains(err.Error(), "want --show pass") {
		t.Errorf("got %v", err)
	}
	list, err := l.Preview(asks(-0.1, "part=half"))
	if err != nil || list[0].Open.Told() != "" {
		t.Errorf("got %+v, %v", list, err)
	}
	a := takes(t, l, asks(-0.1, "part=half"))
	if a.Verdict != Pass || !strings.HasSuffix(a.Open.Told(), "bar=-0.1,where=part=half: sure") {
		t.Errorf("got %s: %s", a.Verdict, a.Open.Told())
	}
	if _, err := Verify(dir, ""); err != nil {
		t.Error(err)
	}
}

// Two columns that agree on some rows may follow from labels, and with others they would not agree: no condition on
// these rows is sure, and a look at them has its price.
func TestColumnsThatAgreeSayNothing(t *testing.T) {
	_, _, ids, classes := openLedger(t, 200)
	dir := t.TempDir() + "/ledger"
	base := make([]string, 200)
	for i := range base {
		base[i] = "0.5"
	}
	other := slices.Clone(base)
	other[199] = "1"
	l, err := Create(dir, labelsIn(t, ids, classes), Terms{
		Goal:      transfer.Goal{Beta: beta(t, "0.05")},
		Incumbent: Submission{Values: Columns(ids, base)},
		Asks:      Asks{Metrics: []string{"column:f"}},
		Drawn:     Drawn{Features: featuresOf(t, ids)},
		Unlimited: Unlimited{Open: true},
	})
	if err != nil {
		t.Fatal(err)
	}
	ask := func(q Question) Submission {
		return Submission{Values: Columns(ids, other), Incumbent: Columns(ids, base), Question: barred(q, float(-0.5))}
	}
	a := takes(t, l, ask(Question{Show: ShowPass, Where: "part=half"}))
	if a.Verdict != Pass || a.Open.Differ != 150 || !(*a.Open.Lower < 0 && *a.Open.Upper > 0) {
		t.Errorf("got %s: %+v", a.Verdict, a.Open)
	}
	a = takes(t, l, ask(Question{Show: ShowPass, All: []Condition{{Bar: -0.1, Where: "part=half"}}}))
	c := a.Open.Conditions[1]
	if a.Verdict != Fail || a.Open.Differ != 200 || c.Differ != 150 || !(*c.Upper > 0.1) {
		t.Errorf("got %s: %+v", a.Verdict, a.Open)
	}
	if told := a.Open.Told(); strings.Contains(told, "sure") {
		t.Errorf("got %q", told)
	}
	if _, err := Verify(dir, ""); err != nil {
		t.Error(err)
	}
	for i, differ := range []int64{150, 0} {
		lines := slices.Clone(seen(t, l).Lines)
		lines[1].Conditions = slices.Clone(lines[1].Conditions)
		lines[1].Conditions[1].Differ = differ
		if err := replayed(&history{Past: rule.Past{Plan: l.plan, Lines: lines}}); (err == nil) != (i == 0) {
			t.Errorf("a condition on rows of which %d differ: %v", differ, err)
		}
	}
}

// A fixed gate takes several conditions as one of its looks: each has the level beta/N, and a failure speaks of each at
// its share of it. The exact probability of a wrong verdict, by sums over all counts of five slices, is at most beta/N
// whatever the truths are. With every upper end at the full level it would be a failure too many, 1 - (1-beta/N)^5.
func TestConditionsOfAFixedGate(t *testing.T) {
	_, _, ids, classes := openLedger(t, 200)
	goal := transfer.Goal{Queries: 3, Beta: beta(t, "0.15"), Query: transfer.Binary}
	goal.Feedback, goal.Passes = transfer.Gate, 1
	const level = 0.05 // of three nodes
	terms := Terms{Goal: goal, Method: "gate", Drawn: Drawn{Features: featuresOf(t, ids)}}
	bars, wheres := []float64{0.6, 0.7, 0.2}, []string{"", "part=half", "part=rest"}
	question := Question{All: []Condition{{Bar: bars[1], Where: wheres[1]}, {Bar: bars[2], Where: wheres[2]}}}
	cut := func(rows int64, bar float64) int { // the least count of which a fair one has at most the level
		k := int64(0)
		for num.Exp(num.Binomial{N: rows, P: bar}.LnAtLeast(k)) > level {
			k++
		}
		return int(k)
	}
	all, half, rest := cut(200, bars[0]), cut(150, bars[1]), cut(50, bars[2])
	for _, c := range [][2]int{
		{half, rest}, {half - 1, 50}, {150, rest}, {150, rest - 1}, {half, all - half}, {0, 50}, {149, 49},
	} {
		dir := t.TempDir() + "/ledger"
		l, err := Create(dir, labelsIn(t, ids, classes), terms)
		if err != nil {
			t.Fatal(err)
		}
		s := Submission{Values: Columns(ids, rightOn(classes, c[0], c[1])), Question: barred(question, &bars[0])}
		if list, err := l.Preview(s); err != nil || list[0].Look != 1 || list[0].Verdict != "" || list[0].Told != "" {
			t.Fatalf("%+v, %v", list, err)
		}
		a := takes(t, l, s)
		passes := c[0]+c[1] >= all && c[0] >= half && c[1] >= rest
		left := 2 * rule.BoolToInt(!passes)
		if a.Verdict != rule.Verdict(passes, Pass, Fail) || a.Response != nil || a.Remaining.Looks != left {
			t.Errorf("%v right of %d, %d and %d: %+v", c, all, half, rest, a)
		}
		for i, told := range strings.Split(a.Told, "; ") {
			if passes != strings.HasSuffix(told, "truth above it") || !strings.Contains(told, wheres[i]+": truth") {
				t.Errorf("%v right: %s", c, told)
			}
		}
		if again := takes(t, l, s); !again.Known || again.Told != a.Told {
			t.Errorf("%v right, once more: %+v", c, again)
		}
		if passes { // the last one: nothing is said of a look that is refused
			other := s
			other.Values = Columns(ids, rightOn(classes, 11, 7))
			over := (*RefusedError)(nil)
			if a, err := l.Score(context.Background(), other); !errors.As(err, &over) || a.Told != "" {
				t.Errorf("%+v, %v", a, err)
			}
		}
		if _, err := Verify(dir, ""); err != nil {
			t.Error(err)
		}
		for name, edit := range map[string]func(*Line){
			"another upper end": func(l *Line) { l.Conditions[1].Upper = float(0.123) },
			"fewer rows":        func(l *Line) { l.Conditions[1].Rows = 1 },
			"a price":           func(l *Line) { l.Price = float(1) },
			"no conditions":     func(l *Line) { l.Conditions = nil },
		} {
			lines := slices.Clone(seen(t, l).Lines)
			lines[0].Conditions = slices.Clone(lines[0].Conditions)
			edit(&lines[0])
			if err := replayed(&history{Past: rule.Past{Plan: l.plan, Lines: lines}}); err == nil {
				t.Errorf("%s goes unnoticed", name)
			}
		}
	}

	const rows, several = 40, 5
	plan, err := Certify(Terms{Goal: goal, Method: "gate"}, rows*several)
	if err != nil {
		t.Fatal(err)
	}
	plan.Features = &LabelsFile{}
	l := Line{Line: form.Line{Shown: Shown{Counted: form.Counted{Rows: rows}},
		Question: Question{Where: "slice=0", Bar: float(0.5)}, Request: form.Request{Metric: Accuracy}}}
	for i := range several {
		l.Conditions = append(l.Conditions, Shown{Counted: form.Counted{Rows: rows}})
		if i > 0 {
			l.All = append(l.All, Condition{Bar: 0.5, Where: fmt.Sprint("slice=", i)})
		}
	}
	c, err := open.GatesOf(plan, l)
	if err != nil {
		t.Fatal(err)
	}
	k := int64(cut(rows, 0.5))
	upper := *c.Write(0).Conditions[0].Upper
	fails := func(truth float64) float64 { // of five slices with this truth
		return -math.Expm1(several * math.Log1p(-num.Exp(num.Binomial{N: rows, P: truth}.LnAtMost(k-1))))
	}
	if got := c.Joint[0].Cuts[0].At; got != float64(k)/rows {
		t.Fatalf("the cut is %v, want %d of %d", got, k, rows)
	}
	for truth := upper; truth <= 1; truth += 1e-3 {
		if p := fails(truth + 1e-9); p > level {
			t.Errorf("a failure is wrong with probability %v where all truths are above %v", p, upper)
		}
	}
	if p := fails(upper + 1e-9); p < 0.95*level {
		t.Errorf("a failure is wrong with probability %v, far below %v", p, level)
	}
	alone := tails.ZeroOne{Rows: rows}.Upper(float64(k)/rows, math.Log(level))
	if p := fails(alone + 1e-9); math.Abs(p-(1-math.Pow(1-level, several))) > 1e-3 || upper <= alone {
		t.Errorf("at the full level a failure is wrong with probability %v", p)
	}
	for truth := 0.; truth <= 0.5; truth += 1e-2 { // of one slice, while the others are sure to pass
		if p := num.Exp(num.Binomial{N: rows, P: truth}.LnAtLeast(k)); p > level {
			t.Errorf("a pass is wrong with probability %v", p)
		}
	}
}

// Several conditions are asked of a gate that was made with features, and of no other fixed plan.
func TestFixedPlansWithoutConditions(t *testing.T) {
	_, _, ids, classes := openLedger(t, 200)
	goal := transfer.Goal{Queries: 3, Tau: 0.3, Beta: beta(t, "0.15"), Shown: transfer.Shown{Feedback: transfer.Gate}}
	differ, likely, answers := goal, goal, goal
	differ.Query, likely.Queries, likely.Beta = transfer.Difference, 1, beta(t, "0.6")
	answers.Feedback = transfer.Answers
	features := featuresOf(t, ids)
	for want, terms := range map[string]Terms{
		"all: got conditions, want none but":          {Goal: goal, Method: "gate"},
		"features: got some with the method gaussian": {Goal: goal, Method: "gaussian", Drawn: Drawn{Features: features}},
		"all: got part=none, want a value that":       {Goal: goal, Method: "gate", Drawn: Drawn{Features: features}},
		"all: got bar=0,where=part=half for a":        {Goal: differ, Method: "gate", Drawn: Drawn{Features: features}},
		"all: no score can pass the bar 0.99":         {Goal: goal, Method: "gate", Drawn: Drawn{Features: features}},
		"all: got conditions, want a plan with":       {Goal: likely, Method: "gate", Drawn: Drawn{Features: features}},
		"features: got some, want --open, --group or": {Goal: answers, Drawn: Drawn{Features: features}},
	} {
		dir := t.TempDir() + "/ledger"
		s := Submission{Values: Columns(ids, rightOn(classes, 120, 45)), Question: barAt(0)}
		s.All = []Condition{{Bar: 0, Where: "part=half"}}
		if terms.Goal.Query == transfer.Difference {
			terms.Incumbent = Submission{Values: Columns(ids, firstRight(classes, 120))}
			s.Incumbent = terms.Incumbent.Values
		}
		switch {
		case strings.Contains(want, "part=none"):
			s.All[0].Where = "part=none"
		case strings.HasSuffix(want, "0.99"):
			s.All[0].Bar = 0.99
		}
		l, err := Create(dir, labelsIn(t, ids, classes), terms)
		if err == nil {
			_, err = l.Score(context.Background(), s)
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// A line that was edited and sealed anew does not verify, and is told of without a crash: conditions without their
// question, and a response that is none of the look's.
func TestEditedConditions(t *testing.T) {
	_, _, ids, classes := openLedger(t, 200)
	for _, terms := range []Terms{
		{Goal: transfer.Goal{Beta: beta(t, "0.05")}, Unlimited: Unlimited{Open: true}},
		{Goal: transfer.Goal{Queries: 3, Beta: beta(t, "0.05"), Shown: transfer.Shown{Feedback: transfer.Gate}}, Method: "gate"},
	} {
		question := Question{All: []Condition{{Bar: 0.2, Where: "part=half"}}}
		if terms.Open {
			question.Show = ShowPass
		}
		terms.Features = featuresOf(t, ids)
		l, dir := ledgerOf(t, labelsIn(t, ids, classes), terms)
		takes(t, l, Submission{Values: Columns(ids, classes), Question: barred(question, float(0.2))})
		first := seen(t, l).Lines[0]
		for want, edit := range map[string]func(*Line){
			"got 2 conditions, want 2 with a bar": func(l *Line) { l.Bar = nil },
			"got 2 conditions, want 1 with a bar": func(l *Line) { l.All = nil },
			"got the response 3, want none":       func(l *Line) { l.Response = float(3) },
		} {
			line := first
			edit(&line)
			fresh, err := reread(l.plan, "")
			if err != nil {
				t.Fatal(err)
			}
			looksOf(t, dir, fresh.appended(t, line.Line))
			if _, err := Verify(dir, ""); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("got %v, want %s", err, want)
			}
			_, lines, _ := Read(dir)
			for _, l := range lines {
				l.Told()
			}
		}
	}
}

// barAt is the question of a fixed gate at a bar.
func barAt(bar float64) Question { return Question{Bar: &bar} }

// barred is a question with a bar.
func barred(q Question, bar *float64) Question {
	q.Bar = bar
	return q
}
