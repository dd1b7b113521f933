// Package rule has what a ledger and its rules share: the plan, the lines of its past, a look that was asked, and the
// interface of a [Rule], which answers looks. Packages open and fixed have the rules.
package rule

import (
	"math/rand/v2"
	"slices"

	"github.com/dpcalc/dpcalc/holdout/ask"
	"github.com/dpcalc/dpcalc/holdout/design"
	"github.com/dpcalc/dpcalc/holdout/form"
	"github.com/dpcalc/dpcalc/transfer/open"
)

// Rule is how looks of a plan are answered: by an open ledger, by a method of the registry, or by a gate of a test. A
// new rule does not compile before it has answered each question.
type Rule interface {
	// Certified checks that the plan keeps its promise.
	Certified(p *Plan) error
	// Params returns what looks take.
	Params(p *Plan) []ask.Param
	// Admit checks what a look by a metric asks, and fills in what has one value.
	Admit(p *Plan, q *ask.Question, metric string) error
	// Allow refuses a new look that is not covered. It depends on no label.
	Allow(past Past, a *Asked) error
	// Answer answers the next look by its line.
	Answer(past Past, a *Asked) (Line, error)
	// Replay checks what the lines say.
	Replay(past Past) error
	// Remaining returns what is left.
	Remaining(past Past) Remaining
	// Fields returns the names of the columns that the row of a look has under this rule alone.
	Fields(p *Plan) []string
}

// Asked is a look that has been read, and the question about its rows.
type Asked struct {
	Line
	Scores design.Scores
	Query  Query
	Noise  *rand.Rand // the source of its noise
}

// Query is what the predictions of a look say of its rows.
type Query struct {
	Tails    open.Tails      // nil for a candidate that is the incumbent on all of the rows: it has no price
	Rows     []int32         // nil for all
	Count    int64           // of the rows, and of all items of a benchmark
	Differ   int64           // of these, on which a candidate differs from the incumbent
	Share    float64         // of clusters that count alike: their mean share of such rows
	Moment   float64         // of a difference of losses: as [form.Shown] has it
	Bins     []int64         // of losses of a class: the rows by their greater probability
	Positive int64           // of a ratio: the rows that are predicted positive
	Joint    []design.Scores // of several conditions: a look at each
}

// Differs checks that the predictions of a new look are not the incumbent's on all of its rows. A known look may have
// made it the incumbent.
func (q Query) Differs() error {
	if q.Tails == nil {
		return form.Inputf("got a candidate that is the incumbent on all %d rows, want one that differs", q.Count)
	}
	return nil
}

// Past is what a ledger has answered so far.
type Past struct {
	Plan      *Plan
	Lines     []Line
	Looks     int64 // spent, torn ones included
	TornLooks int64
	Passes    int64
	Flags     int64
	Refused   int64    // of a fixed plan, after one of which nothing is answered
	Board     *float64 // the last number shown
	Retired   bool
	Account   *Account // of an open ledger
}

// Tear counts a look that was cut short: it is spent, and counts as a pass and as a flag.
func (h *Past) Tear() {
	h.Looks++
	h.TornLooks++
	h.Passes++
	h.Flags++
	h.Refused += BoolToInt(h.Plan.RefusedAbove("") > 0)
	if law := h.Plan.Open; law != nil {
		h.Account.Left = h.Account.Left.Child(-law.Most)
	}
}

// Remaining is the rest of a plan. Passes belong to a gate, flags to a plan with guesses.
type Remaining struct{ Looks, Passes, Flags int64 }

// Reply is all that is shown of a look.
type Reply struct {
	Value   *float64
	Verdict string
}

// Number shows a number.
func Number(x float64, verdict string) Reply { return Reply{&x, verdict} }

// Verdict returns one of two words.
func Verdict(yes bool, word, other string) string {
	if yes {
		return word
	}
	return other
}

// BoolToInt returns 1 for true and 0 for false.
func BoolToInt(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// Samples returns the number of rows.
func (h *Past) Samples() int64 {
	for _, l := range slices.Backward(h.Lines) {
		if l.Event == form.Changed {
			return l.Rows
		}
	}
	if a := h.Plan.Arrival; a != nil {
		return a.Rows
	}
	return h.Plan.Promise.Samples
}

// Sizes returns the sizes of the clusters, nil for independent rows.
func (h *Past) Sizes() *form.Sizes {
	for _, l := range slices.Backward(h.Lines) {
		if l.Event == form.Changed {
			return l.Clusters
		}
	}
	return h.Plan.Design().Sizes()
}

// Extent returns the number of rows, and the sizes of their clusters. Where clusters are records [Past.Samples] counts
// these.
func (h *Past) Extent() (rows int64, sizes *form.Sizes) {
	rows, sizes = h.Samples(), h.Sizes()
	if sizes != nil {
		rows = sizes.Rows
	}
	return rows, sizes
}
