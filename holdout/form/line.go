package form

import (
	"math"

	"github.com/dpcalc/dpcalc/holdout/ask"
	"github.com/dpcalc/dpcalc/internal/num"
	"github.com/dpcalc/dpcalc/theory"
)

// The events of the log.
const (
	Looked  = "look"
	Retired = "retired"
	Changed = "changed" // the rows of an open ledger, or of a plan with rows that arrive
	Torn    = "torn"    // a line that was cut short: its look is spent
)

// The verdicts of a look.
const (
	Pass     = "pass"     // gate: above the bar
	Fail     = "fail"     // gate: below the bar and 2 tau
	Holds    = "holds"    // flags: the guess is right
	Moved    = "moved"    // flags: the guess is wrong
	Improved = "improved" // best: the best so far
	Kept     = "kept"     // best: not better than the best before
)

// The verdicts of open looks that no other look has.
const (
	Raise       = "raise" // best: a new best score
	Keep        = "keep"  // best: not better than the score shown
	Rejected    = "rejected"
	NotRejected = "not_rejected"
)

// Refused is the verdict of a look whose candidate's mean square of differences on the sample is above what was
// declared. Nothing else is shown of it. In an open ledger it is a response with a share of its own. A fixed plan ends
// with it: so its tree has no more nodes than without.
const Refused = "refused"

// Line is a line of looks.jsonl.
type Line struct {
	Event string `json:"event"`
	Look  int64  `json:"look,omitempty"` // from 1; 0 for no look
	Time  string `json:"time"`           // UTC, RFC 3339; no decision depends on it
	Request
	Response *float64 `json:"response,omitempty"` // as it was shown
	Verdict  string   `json:"verdict,omitempty"`
	ask.Question
	Compared
	Shown
	Change
	Close
}

// Request says who asked for a look, by which metric, and of which values.
type Request struct {
	Name        string `json:"name,omitempty"`
	Team        string `json:"team,omitempty"` // who asked, where several teams do
	Metric      string `json:"metric,omitempty"`
	Fingerprint string `json:"fingerprint,omitempty"` // of its values; a look at a column has none
	Key         string `json:"key,omitempty"`         // of a look at a column
	With        int64  `json:"with,omitempty"`        // of a column: the first look of its command at the same values
}

// Compared is the two sides of a difference.
type Compared struct {
	Incumbent   string `json:"incumbent,omitempty"`   // the fingerprint of the incumbent's values
	Predictions string `json:"predictions,omitempty"` // the fingerprint of the candidate's values
	Path        string `json:"path,omitempty"`        // the candidate's file, if it is the incumbent from here on
}

// Shown is what a response to an open look carries: its cell, its price, and an interval for the truth.
type Shown struct {
	Counted               // what its tail uses
	From         *float64 `json:"from,omitempty"`     // the least score of the cell; nil for the lowest cell and for a test
	Below        *float64 `json:"below,omitempty"`    // above all scores of the cell; nil for the highest cell and for a test
	Clusters     *Sizes   `json:"clusters,omitempty"` // of the rows
	RefusedAbove float64  `json:"kept,omitempty"`     // the mean square above which a difference is refused, of values in [0,1]
	Price        *float64 `json:"price,omitempty"`    // nats
	Lower        *float64 `json:"lower,omitempty"`
	Upper        *float64 `json:"upper,omitempty"`

	Conditions []Shown `json:"conditions,omitempty"` // of several conditions: of each its rows, and what is said of its truth
}

// Counted is what predictions and features fix of a look's rows, so that its tail is evaluated again without them.
type Counted struct {
	Rows     int64   `json:"rows,omitempty"`
	Differ   int64   `json:"differ,omitempty"`       // of these, or of a benchmark, on which the candidate differs from the incumbent
	Moment   float64 `json:"moment,omitempty"`       // of a difference of losses: the mean square of how far it can be from 0
	Bins     []int64 `json:"bins,omitempty"`         // of losses of a class: the rows by their greater probability
	Positive int64   `json:"least,omitempty"`        // of a ratio: the rows predicted positive; in the first code if they bound D below
	Share    float64 `json:"differ_share,omitempty"` // of clusters that count alike: their mean share of such rows
}

// Change is a change of the rows of an open ledger, whose looks after it are asked of the rows as they are then; its
// budget and earlier promises stay. To a plan with rows that arrive a change adds rows.
type Change struct {
	Labels   *LabelsFile `json:"labels,omitempty"`   // of new rows
	Features *LabelsFile `json:"features,omitempty"` // of new rows
	Replace  bool        `json:"replace,omitempty"`  // the new rows take the place of all rows
	Dropped  []string    `json:"dropped,omitempty"`  // ids of rows that are taken out
}

// Close is what a ledger that was closed has left.
type Close struct {
	Alpha *float64 `json:"alpha,omitempty"`
	Tests int64    `json:"tests,omitempty"`
	Spent *float64 `json:"spent,omitempty"` // nats
}

// Level returns the level at which each of so many p-values that were computed elsewhere from the rows of a closed
// ledger may be judged: alpha W / tests.
func (c Close) Level() theory.LogProb {
	if c.Alpha == nil || c.Spent == nil {
		return theory.Zero
	}
	ln := num.Log(*c.Alpha) - *c.Spent - num.Log(float64(c.Tests))
	return theory.LogProb(ln - 1e-15*(1+math.Abs(ln)))
}
