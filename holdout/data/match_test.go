package data

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/dpcalc/dpcalc/holdout/form"
	"github.com/dpcalc/dpcalc/metric"
	"golang.org/x/text/unicode/norm"
)

// Numbers are matched as fractions are compared, and cases as the library folds them.
func TestMatchOracles(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	var numbers []string
	for range 400 {
		digits := ""
		for range 1 + r.IntN(4) {
			digits += string("0012"[r.IntN(4)])
		}
		at := r.IntN(len(digits) + 1)
		text := []string{"", "-", "+"}[r.IntN(3)] + digits[:at] + "." + digits[at:]
		if r.IntN(2) == 0 {
			text += fmt.Sprintf("%s%s%d", []string{"e", "E"}[r.IntN(2)], []string{"", "+", "-"}[r.IntN(3)], r.IntN(4))
		}
		numbers = append(numbers, text)
	}
	for _, a := range numbers {
		x, ok := new(big.Rat).SetString(a)
		if _, plain := canonical(a); !ok || !plain {
			t.Fatalf("%s is a number: %v, %v", a, ok, plain)
		}
		for _, b := range numbers {
			y, _ := new(big.Rat).SetString(b)
			if same := Normalized(form.Value, a) == Normalized(form.Value, b); same != (x.Cmp(y) == 0) {
				t.Errorf("%s equals %s: got %v", a, b, same)
			}
		}
	}
	for _, text := range []string{"", ".", "-", "e1", "1e", "1e+", "0x1", "1_0", "NaN", "Inf", "1e--1", "1.2.3", "1 2",
		"1e9999999999999999999", "٣"} {
		if got, ok := canonical(text); ok {
			t.Errorf("%q is the number %s", text, got)
		}
	}
	runes := []rune("aAkKK\u017fsSßẞσΣςİıIiéÉåÅ\u212b12 -")
	var words []string
	for range 300 {
		word := make([]rune, 2)
		for i := range word {
			word[i] = runes[r.IntN(len(runes))]
		}
		words = append(words, string(word))
	}
	for _, a := range words {
		for _, b := range words {
			want := strings.EqualFold(strings.TrimSpace(a), strings.TrimSpace(b))
			if got := Normalized(form.Fold, a) == Normalized(form.Fold, b); got != want {
				t.Errorf("%q folds to %q: got %v, want %v", a, b, got, want)
			}
		}
	}
}

// Texts that Unicode says are the same are folded together, and what a ledger of an earlier version told apart it still
// does.
func TestFoldUnicode(t *testing.T) {
	if Normalized(form.Fold, "caf\u00e9") == Normalized(form.Fold, "cafe\u0301") {
		t.Error("a ledger of an earlier version folds otherwise than it did")
	}
	for r := range rune(unicode.MaxRune) {
		if !utf8.ValidRune(r) || unicode.SimpleFold(r) == r && norm.NFKD.IsNormalString("a"+string(r)) {
			continue
		}
		text := "a" + string(r) + "b"
		matched := Normalized(form.Composed, text)
		cased := "a" + string(unicode.SimpleFold(r)) + "b"
		for _, other := range []string{cased, norm.NFC.String(text), norm.NFD.String(text), matched} {
			if Normalized(form.Composed, other) != matched {
				t.Errorf("%q and %q fold to %q and %q", text, other, matched, Normalized(form.Composed, other))
			}
		}
		if !norm.NFC.IsNormalString(matched) {
			t.Errorf("%q folds to %q", text, matched)
		}
	}
}

// What is said of predictions that are all written in another way than the declared classes, or than most labels.
func TestRemarks(t *testing.T) {
	const asNumber = "; --match number reads 1.0 as 1"
	const unusually = "every prediction is written as 1.0 or True are, which equal no label 1, and no class is declared"
	for _, c := range []struct {
		Reader
		cells []string
		want  string
	}{
		{Reader{Match: form.Exact, Units: form.Units{Positive: "1"}}, []string{"0.0", "1.0"}, "no prediction equals a declared class" + asNumber},
		{Reader{Match: form.Trim, Units: form.Units{Positive: "1"}}, []string{"no", "yes"}, "no prediction equals a declared class"},
		{Reader{Match: form.Exact, Units: form.Units{Positive: "1"}}, []string{"1.0", "1"}, ""},
		{Reader{Match: form.Value, Units: form.Units{Positive: "1"}}, []string{"0.0", "1.0"}, ""},
		{Reader{Match: form.Exact}, []string{"1.0", "0.0"}, unusually + asNumber},
		{Reader{Match: form.Fold}, []string{"True", "false"}, unusually + asNumber},
		{Reader{Match: form.Exact}, []string{"1.0", "1"}, ""},
		{Reader{Match: form.Exact}, []string{"1.5", "1.0"}, ""},
		{Reader{Match: form.Exact}, []string{"True", "maybe"}, ""},
		{Reader{Match: form.Exact, Classes: []string{"1.0", "0.0"}}, []string{"1.0", "1.0"}, ""},
		{Reader{Match: form.Value}, []string{"1.0", "0.0"}, ""},
	} {
		ids := []string{"1", "2"}
		c.Rows = NewRoster(ids)
		v, err := c.Read(metric.Accuracy, false, Columns(ids, c.cells))
		if err != nil || v.Counts.Remark != c.want {
			t.Errorf("%q: got %q, %v, want %q", c.cells, v.Counts.Remark, err, c.want)
		}
	}
}

// The counts of a submission need no label.
func TestCounts(t *testing.T) {
	ids := []string{"1", "2", "3", "4"}
	rows := NewRoster(ids)
	for _, c := range []struct {
		metric string
		match  form.Match
		cells  []string
		want   Counts
	}{
		{metric.Accuracy, form.Exact, []string{"a", "A", " ", ""}, Counts{4, 2, 4, ""}},
		{metric.Accuracy, form.Fold, []string{"a", "A", " ", ""}, Counts{4, 2, 2, ""}},
		{"column:x", form.Exact, []string{"0", "-0", "1", "1.0"}, Counts{4, 0, 2, ""}},
	} {
		v, err := Reader{Rows: rows, Match: c.match}.Read(c.metric, false, Columns(ids, c.cells))
		if err != nil || v.Counts != c.want {
			t.Errorf("%q: got %+v, %v, want %+v", c.cells, v.Counts, err, c.want)
		}
	}
}
