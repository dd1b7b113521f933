package holdout

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/dpcalc/dpcalc/transfer"
)

// rightOn are predictions of which so many of the first 150 are right, and so many of the others.
func rightOn(classes []string, first, others int) []string {
	out := firstRight(classes, first)
	copy(out[150:], classes[150:150+others])
	return out
}

// A look at several conditions passes if the gate at each of them would, at the price of one, and a failure has an
// upper end for each that is higher than that of a gate by itself.
func TestSeveralConditions(t *testing.T) {
	var ids, classes []string
	open := func() (*Ledger, string) {
		var l *Ledger
		_, _, ids, classes = openLedger(t, 200)
		dir := t.TempDir() + "/ledger"
		terms := Terms{Goal: transfer.Goal{Beta: beta(t, "0.05")}, Open: true, Features: featuresOf(t, ids)}
		l, err := Create(dir, labelsIn(t, ids, classes), terms)
		if err != nil {
			t.Fatal(err)
		}
		return l, dir
	}
	bars := []float64{0.6, 0.7, 0.2}
	wheres := []string{"", "part=half", "part=rest"}
	l, _ := open()
	var cuts []int
	var uppers []float64
	for i, bar := range bars {
		list, err := l.Price(Submission{Question: Question{Show: ShowPass, Where: wheres[i]}, Bar: &bar}, nil)
		if err != nil {
			t.Fatal(err)
		}
		cuts = append(cuts, int(math.Round(*list[1].From*float64(list[1].Rows))))
		uppers = append(uppers, *list[0].Upper)
	}
	question := Question{Show: ShowPass, All: []Condition{{bars[1], wheres[1]}, {bars[2], wheres[2]}}}
	passed := 0
	for _, c := range [][2]int{
		{cuts[1], cuts[2]}, {cuts[1], 50}, {cuts[1] - 1, 50}, {150, cuts[2]}, {150, cuts[2] - 1}, {0, 50}, {149, 49},
		{cuts[1], cuts[0] - cuts[1]},
	} {
		l, dir := open()
		a := takes(t, l, Submission{Values: Columns(ids, rightOn(classes, c[0], c[1])), Bar: &bars[0], Question: question})
		passes := c[0]+c[1] >= cuts[0] && c[0] >= cuts[1] && c[1] >= cuts[2]
		passed += int(one(passes))
		if a.Verdict != verdict(passes, Pass, Fail) || len(a.Open.Conditions) != 3 {
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
		lines := slices.Clone(l.seen.lines)
		lines[0].Conditions = slices.Clone(lines[0].Conditions)
		lines[0].Conditions[1].Upper = float(0.123)
		if err := (&history{plan: l.plan, lines: lines}).recomputed(); err == nil {
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
			Incumbent: Columns(ids, firstRight(classes, 120)), Bar: float(0),
			Question: Question{Show: ShowPass, All: []Condition{{bar, where}}}}
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
	a := takes(t, l, asks(-0.1, "part=half"))
	if a.Verdict != Pass || !strings.HasSuffix(a.Open.Told(), "bar=-0.1,where=part=half: sure") {
		t.Errorf("got %s: %s", a.Verdict, a.Open.Told())
	}
	if _, err := Verify(dir, ""); err != nil {
		t.Error(err)
	}
	for _, text := range []string{"", "bar=", "bar=x", "bar=0,", "bar=0,where=", "where=a=b", "bar=0,a=b", "0.5"} {
		if c, err := ParseCondition(text); err == nil {
			t.Errorf("%q is read as %s", text, c)
		}
	}
	for _, text := range []string{"bar=0.5", "bar=-0.1,where=a=b,c"} {
		if c, err := ParseCondition(text); err != nil || c.String() != text {
			t.Errorf("%q: %s, %v", text, c, err)
		}
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
	l, err := Create(dir, labelsIn(t, ids, classes), Terms{Goal: transfer.Goal{Beta: beta(t, "0.05")}, Open: true,
		Features: featuresOf(t, ids), Metrics: []string{"column:f"}, Incumbent: Submission{Values: Columns(ids, base)}})
	if err != nil {
		t.Fatal(err)
	}
	ask := func(q Question) Submission {
		return Submission{Values: Columns(ids, other), Incumbent: Columns(ids, base), Bar: float(-0.5), Question: q}
	}
	a := takes(t, l, ask(Question{Show: ShowPass, Where: "part=half"}))
	if a.Verdict != Pass || a.Open.Differ != 150 || !(*a.Open.Lower < 0 && *a.Open.Upper > 0) {
		t.Errorf("got %s: %+v", a.Verdict, a.Open)
	}
	a = takes(t, l, ask(Question{Show: ShowPass, All: []Condition{{-0.1, "part=half"}}}))
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
		lines := slices.Clone(l.seen.lines)
		lines[1].Conditions = slices.Clone(lines[1].Conditions)
		lines[1].Conditions[1].Differ = differ
		if err := (&history{plan: l.plan, lines: lines}).recomputed(); (err == nil) != (i == 0) {
			t.Errorf("a condition on rows of which %d differ: %v", differ, err)
		}
	}
}
