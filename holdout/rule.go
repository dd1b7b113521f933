package holdout

import (
	"math/rand/v2"
	"slices"

	"github.com/dpcalc/dpcalc/holdout/ask"
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
	Admit(p *Plan, q *Question, metric string) error
	// Allow refuses a new look that is not covered. It depends on no label.
	Allow(past Past, a *Asked) error
	// Answer answers the next look by its line.
	Answer(past Past, a *Asked) (Line, error)
	// Replay checks what the lines say.
	Replay(past Past) error
	// Remaining returns what is left.
	Remaining(past Past) Remaining
	// Fields returns the names of the columns that the row of a look has beside those of all.
	Fields(p *Plan) []string
}

// Asked is a look that has been read, and the question about its rows.
type Asked struct {
	Line
	look  look
	query query
	noise *rand.Rand // the source of its noise
}

// query is what the predictions of a look say of its rows.
type query struct {
	tails    open.Tails // nil for a candidate that is the incumbent on all of the rows: it has no price
	rows     []int32    // nil for all
	count    int64      // of the rows, and of all items of a benchmark
	differ   int64      // of these, on which a candidate differs from the incumbent
	share    float64    // of clusters that count alike: their mean share of such rows
	moment   float64    // of a difference of losses: as [Shown] has it
	bins     []int64    // of losses of a class: the rows by their greater probability
	positive int64      // of a ratio: the rows that are predicted positive
	joint    []look     // of several conditions: a look at each
}

// differs checks that the predictions of a new look are not the incumbent's on all of its rows. A known look may have
// made it the incumbent.
func (q query) differs() error {
	if q.tails == nil {
		return inputf("got a candidate that is the incumbent on all %d rows, want one that differs", q.count)
	}
	return nil
}

// Past is what a ledger has answered so far.
type Past struct {
	plan    *Plan
	lines   []Line
	looks   int64 // spent, torn ones included
	torn    int64
	passes  int64
	flags   int64
	refused int64    // of a fixed plan, after one of which nothing is answered
	board   *float64 // the last number shown
	retired bool
	account account // of an open ledger
}

// tear counts a look that was cut short: it is spent, and counts as a pass and as a flag.
func (h *Past) tear() {
	h.looks++
	h.torn++
	h.passes++
	h.flags++
	h.refused += one(h.plan.kept("") > 0)
	if law := h.plan.Open; law != nil {
		h.account.left = h.account.left.Child(-law.Most)
	}
}

// Remaining is the rest of a plan. Passes belong to a gate, flags to a plan with guesses.
type Remaining struct{ Looks, Passes, Flags int64 }

// response is shown of a look, and nothing beside it.
type response struct {
	value   *float64
	verdict string
}

// number shows a number.
func number(x float64, verdict string) response { return response{&x, verdict} }

// verdict is one of two words.
func verdict(yes bool, word, other string) string {
	if yes {
		return word
	}
	return other
}

// one is 1 for true and 0 for false.
func one(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// samples is the number of rows.
func (h *Past) samples() int64 {
	for _, l := range slices.Backward(h.lines) {
		if l.Event == Changed {
			return l.Rows
		}
	}
	if a := h.plan.Arrival; a != nil {
		return a.Rows
	}
	return h.plan.Promise.Samples
}

// sizes are those of the clusters, nil for independent rows.
func (h *Past) sizes() *Sizes {
	for _, l := range slices.Backward(h.lines) {
		if l.Event == Changed {
			return l.Clusters
		}
	}
	return h.plan.design().Sizes()
}

// extent is the number of rows, and the sizes of their clusters. Where clusters are records [Past.samples] counts
// these.
func (h *Past) extent() (rows int64, sizes *Sizes) {
	rows, sizes = h.samples(), h.sizes()
	if sizes != nil {
		rows = sizes.Rows
	}
	return rows, sizes
}
