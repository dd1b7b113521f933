package holdout

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/dpcalc/dpcalc/internal/text"
)

// What an open look shows.
const (
	ShowPass   = "pass"   // whether the truth is above a bar
	ShowBest   = "best"   // the best score so far
	ShowScore  = "score"  // a rounded score
	ShowGuess  = "guess"  // whether a guess holds, or else a rounded score
	ShowReject = "reject" // whether a test rejects that the candidate is no better than the incumbent
)

// The verdicts of open looks that no other look has.
const (
	Raise       = "raise" // best: a new best score
	Keep        = "keep"  // best: not better than the score shown
	Rejected    = "rejected"
	NotRejected = "not_rejected"
)

// The tests of [ShowReject]. Both count the rows on which the candidate is better and those on which it is worse.
const (
	SignTest = "sign"
	McNemar  = "mcnemar" // of two predictions of one class each
)

// Kinds are what an open look may show.
func Kinds() []string { return []string{ShowPass, ShowBest, ShowScore, ShowGuess, ShowReject} }

// Tests are the tests of [ShowReject].
func Tests() []string { return []string{SignTest, McNemar} }

// Question is what an open look asks, beside its metric and its bar or guess. It is empty for other ledgers.
type Question struct {
	Show   string   `json:"show,omitempty"`
	Test   string   `json:"test,omitempty"`   // reject
	Where  string   `json:"where,omitempty"`  // COLUMN=VALUE: the rows of one value of a feature; "" for all rows
	Near   *float64 `json:"near,omitempty"`   // score: where it is expected; nil for the score shown last, or the middle
	Within *float64 `json:"within,omitempty"` // guess: how far off it may be
	Step   *float64 `json:"step,omitempty"`   // best, score, guess: the width of the cells
	Expect *float64 `json:"expect,omitempty"` // pass, best, guess, reject: a bet on the rate of the rarer response

	All []Condition `json:"all,omitempty"` // pass: further bars, all of which are to be passed too
}

// usualStep is the width of cells, and how far a guess may be off, where a look says nothing else.
const usualStep = 0.01

// leastStep keeps cells apart.
const leastStep = 1e-6

// between are the ends of what a mean can be.
type between struct{ lowest, highest float64 }

// checked checks an open look's question, with its bar and guess, for values with these ends.
func (q Question) checked(bar, guess *float64, in between) error {
	if !slices.Contains(Kinds(), q.Show) {
		return inputf("show: got %s, want %s", cmp.Or(q.Show, "nothing"), strings.Join(Kinds(), ", "))
	}
	span := in.highest - in.lowest
	if in.lowest == -in.highest { // differences of values in an interval of half the length
		span = in.highest
	}
	score, width := fmt.Sprintf("a number in [%v, %v]", in.lowest, in.highest), fmt.Sprintf("a width in [%v, %v]", leastStep*span, span)
	for _, f := range []struct {
		name   string
		value  *float64
		needed bool
		of     []string
		lo, hi float64
		want   string
	}{
		{"bar", bar, true, []string{ShowPass}, in.lowest, in.highest, score},
		{"guess", guess, true, []string{ShowGuess}, in.lowest, in.highest, score},
		{"near", q.Near, false, []string{ShowScore}, in.lowest, in.highest, score},
		{"within", q.Within, false, []string{ShowGuess}, leastStep * span, span, width},
		{"step", q.Step, false, []string{ShowBest, ShowScore, ShowGuess}, leastStep * span, span, width},
		{"expect", q.Expect, false, []string{ShowPass, ShowBest, ShowGuess, ShowReject}, math.SmallestNonzeroFloat64,
			math.Nextafter(1, 0), "a rate in (0, 1)"},
	} {
		belongs := slices.Contains(f.of, q.Show)
		switch x := f.value; {
		case x == nil && (!f.needed || !belongs):
		case x == nil:
			return inputf("%s: got nothing, want %s with --show %s", f.name, f.want, q.Show)
		case !belongs:
			return inputf("%s: got %v with --show %s, want --show %s", f.name, *x, q.Show, text.OrList(f.of))
		case !(*x >= f.lo && *x <= f.hi):
			return inputf("%s: got %v, want %s", f.name, *x, f.want)
		}
	}
	if tested := q.Show == ShowReject; tested && !slices.Contains(Tests(), q.Test) {
		return inputf("test: got %s, want %s with --show reject", cmp.Or(q.Test, "nothing"), strings.Join(Tests(), " or "))
	} else if !tested && q.Test != "" {
		return inputf("test: got %s with --show %s, want --show reject", shown(q.Test), q.Show)
	}
	return nil
}

// texts are the parts of a question in a fingerprint. A new field does not compile before it has a place among them.
func (q Question) texts() []string {
	q = Question{q.Show, q.Test, q.Where, q.Near, q.Within, q.Step, q.Expect, q.All}
	list := []string{q.Show, q.Test, q.Where, printed(q.Near), printed(q.Within), printed(q.Step), printed(q.Expect)}
	for _, c := range q.All {
		list = append(list, c.String())
	}
	return list
}

// or is a number that may be missing.
func or(x *float64, otherwise float64) float64 {
	if x == nil {
		return otherwise
	}
	return *x
}
