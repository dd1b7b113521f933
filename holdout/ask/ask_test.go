package ask

import (
	"reflect"
	"slices"
	"strings"
	"testing"
)

// full is a question with every parameter.
func full(t *testing.T) (q Question) {
	t.Helper()
	for _, p := range Params() {
		said := "0.25"
		switch {
		case p.Words != nil:
			said = p.Words[0]
		case p.Repeats():
			said = "bar=0.5,where=a=b"
		}
		if err := p.Set(&q, said); err != nil {
			t.Fatal(err)
		}
		if got := p.Texts(q); !slices.Equal(got, []string{said}) {
			t.Errorf("%s: got %q, want %q", p.Name, got, said)
		}
	}
	return q
}

// Every field of a question is a parameter by the name that a line of the log has it under, and every parameter is a
// field.
func TestFieldsAreParameters(t *testing.T) {
	var fields, names []string
	for _, f := range reflect.VisibleFields(reflect.TypeFor[Question]()) {
		name, omitted := strings.CutSuffix(f.Tag.Get("json"), ",omitempty")
		if fields = append(fields, name); !omitted {
			t.Errorf("%s: a line has it where it is not given", f.Name)
		}
	}
	for _, p := range Params() {
		names = append(names, p.Name)
		if strings.Count(p.Usage, "`") != 2 {
			t.Errorf("%s: got the help %q, want the name of the value in backquotes", p.Name, p.Usage)
		}
	}
	if !slices.Equal(fields, names) {
		t.Errorf("got the fields %v and the parameters %v", fields, names)
	}
	if q := full(t); slices.ContainsFunc(Params(), func(p Param) bool { return p.Value(q) == nil }) {
		t.Errorf("got %+v, want a value of each", q)
	}
}

// The texts of a fingerprint have the order that ledgers have known from the beginning. A parameter that is new has its
// name with it, and no text where it is not given.
func TestTextsOfFingerprints(t *testing.T) {
	q := full(t)
	if got, want := q.Apart(), []string{"0.25", "0.25"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	want := []string{"pass", "sign", "0.25", "0.25", "0.25", "0.25", "0.25", "bar=0.5,where=a=b"}
	if got := q.Texts(); !slices.Equal(got, want) || !q.HasMore() {
		t.Errorf("got %q, want %q", got, want)
	}
	bar := 0.5
	plain := Question{Bar: &bar}
	if got, want := plain.Texts(), make([]string, 7); !slices.Equal(got, want) || plain.HasMore() {
		t.Errorf("got %q, want %q", got, want)
	}
	defer with(func(p *Param) { p.Print = Named }, "near")()
	if got, want := q.Texts(), []string{"pass", "sign", "0.25", "near=0.25", "0.25", "0.25", "0.25", "bar=0.5,where=a=b"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := plain.Texts(), make([]string, 6); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// with changes the entry of a parameter until the function that it returns is called.
func with(change func(*Param), name string) (back func()) {
	before := params
	params = slices.Clone(params)
	change(&params[slices.IndexFunc(params, func(p Param) bool { return p.Name == name })])
	return func() { params = before }
}

// A rule refuses what it does not take, what it needs and does not get, what is outside of the domain, and a field that
// has no entry.
func TestRules(t *testing.T) {
	unit, half, two := Ends{Lowest: 0, Highest: 1}, 0.5, 2.
	rule := Rule{Needs: []string{"show", "bar"}, Takes: []string{"expect", "step"}}
	refusal := func(p Param) string { return "refused" }
	check := func(q Question, in Ends, want string) {
		t.Helper()
		err := rule.Check(q, in, "--show pass", refusal)
		if got := "<nil>"; err != nil {
			if got = err.Error(); !strings.HasPrefix(got, want) || want == "" {
				t.Errorf("got %s, want %q", got, want)
			}
		} else if want != "" {
			t.Errorf("got %s, want %q", got, want)
		}
	}
	good := Question{Show: Pass, Bar: &half}
	check(good, unit, "")
	check(Question{Show: Pass, Bar: &half, Expect: &half, Step: &half}, unit, "")
	check(Question{Bar: &half}, unit, "show: got nothing, want pass, best, score, guess or reject with --show pass")
	check(Question{Show: Pass}, unit, "bar: got nothing, want a number in [0, 1] with --show pass")
	check(Question{Show: "all", Bar: &half}, unit, "show: got all, want pass, best")
	check(Question{Show: Pass, Bar: &two}, unit, "bar: got 2, want a number in [0, 1]")
	check(Question{Show: Pass, Bar: &two}, Ends{Lowest: -2, Highest: 2}, "")
	check(Question{Show: Pass, Bar: &half, Step: &two}, unit, "step: got 2, want a width in [1e-06, 1]")
	check(Question{Show: Pass, Bar: &half, Step: &two}, Ends{Lowest: -1, Highest: 1}, "step: got 2, want a width in [1e-06, 1]")
	check(Question{Show: Pass, Bar: &half, Step: &two}, Ends{Lowest: 0, Highest: 5}, "")
	check(Question{Show: Pass, Bar: &half, Expect: &two}, unit, "expect: got 2, want a rate in (0, 1)")
	check(Question{Show: Pass, Bar: &half, Where: "a=b"}, unit, "where: refused")
	check(Question{Show: Pass, Bar: &half, All: []Condition{{Bar: 0}}}, unit, "all: refused")
	before := params
	defer func() { params = before }()
	for i := range before { // a field whose entry was forgotten
		params = slices.Delete(slices.Clone(before), i, i+1)
		if err := rule.Check(full(t), unit, "--show pass", refusal); err == nil {
			t.Errorf("%s is taken without its entry", before[i].Name)
		}
		var left Question
		_ = before[i].Set(&left, map[bool]string{true: "bar=0.5", false: "0.5"}[before[i].Repeats()])
		if err := (Rule{}).Check(left, unit, "--show pass", refusal); err == nil || !strings.Contains(err.Error(), "this version does not know") {
			t.Errorf("%s alone: got %v", before[i].Name, err)
		}
	}
}

// A condition is read from the text that it prints, and from no other.
func TestConditions(t *testing.T) {
	for _, said := range []string{"", "bar=", "bar=x", "bar=0,", "bar=0,where=", "where=a=b", "bar=0,a=b", "0.5"} {
		if c, err := ParseCondition(said); err == nil {
			t.Errorf("%q is read as %s", said, c)
		}
	}
	for _, said := range []string{"bar=0.5", "bar=-0.1,where=a=b,c"} {
		if c, err := ParseCondition(said); err != nil || c.String() != said {
			t.Errorf("%q: %s, %v", said, c, err)
		}
	}
}
