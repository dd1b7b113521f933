package form

import "github.com/dpcalc/dpcalc/theory"

// The schemas, which name the form of plan.json and looks.jsonl. There is another one whenever a ledger may promise or
// run anything that an earlier version cannot keep: that version refuses the name, and this one keeps the plans of all
// names before it.
const (
	FirstSchema  = "dpcalc/ledger/1" // of ledgers that were made before there was a second one
	FixedSchema  = "dpcalc/ledger/2" // of fixed plans
	OpenSchema   = "dpcalc/ledger/3" // of open ledgers
	ColumnSchema = "dpcalc/ledger/4" // of ledgers with columns, fixed or open: their looks have keys
)

// Plan is the promise of a ledger and the mechanism that it runs, as plan.json has them. Nothing in it is secret but
// the labels' fingerprint and the salt. Without the salt, who can guess all labels could check the guess with the
// chain.
type Plan struct {
	Schema    string      `json:"schema"`
	Salt      string      `json:"salt,omitempty"` // 256 random bits; empty in ledgers of an earlier version
	Created   string      `json:"created"`        // UTC, RFC 3339
	Method    string      `json:"method"`
	Asks                  // what a look may ask
	Promise   Promise     `json:"promise"`
	Mechanism theory.Run  `json:"mechanism"`
	Labels    LabelsFile  `json:"labels"`
	Incumbent *LabelsFile `json:"incumbent,omitempty"` // of differences: the file that the first candidate is compared with
	Open      *Law        `json:"open,omitempty"`      // of an open ledger
	Drawn                 // how the rows were drawn
}

// Asks says what a look may ask, and how its values are read.
type Asks struct {
	Metric   string    `json:"metric"`            // of looks that name none
	Metrics  []string  `json:"metrics,omitempty"` // that a look may ask; empty in ledgers of an earlier version
	Match    Match     `json:"match,omitempty"`   // when a prediction equals a label; empty there too, for Exact
	Classes  []string  `json:"classes,omitempty"` // the predictions that are declared; none if any text is one
	Units              // of the metrics
	Bars     []float64 `json:"bars,omitempty"`     // gate: the bars that a look may ask; none if any bar may be asked
	Readings int       `json:"readings,omitempty"` // how logs and their repeats are read, up to [Readings]
	Missing  string    `json:"missing,omitempty"`  // columns: what a record without a value is; "" to refuse it
}

// Drawn says how the rows were drawn, and what is public of them. The zero Drawn is independent rows.
type Drawn struct {
	Arrival    *Arrival    `json:"arrival,omitempty"`      // of rows that come between the looks of a fixed plan
	Features   *LabelsFile `json:"features,omitempty"`     // gate: of the rows, for conditions on some of them
	Group      *Group      `json:"group,omitempty"`        // of rows that come in clusters
	Population *Benchmark  `json:"population,omitempty"`   // of rows that are a subset of a benchmark
	Pairs      *Pairs      `json:"class_counts,omitempty"` // of an AUC
}

// FeaturesFile returns the file of the features, nil for none.
func (p *Plan) FeaturesFile() *LabelsFile {
	switch {
	case p.Open != nil:
		return p.Open.Features
	case p.Group != nil:
		return p.Group.Features
	}
	return p.Features
}

// IsOpen reports whether the ledger is open: it has no number of looks.
func (p *Plan) IsOpen() bool { return p.Open != nil }

// Compares reports whether looks compare a candidate with an incumbent.
func (p *Plan) Compares() bool { return p.Incumbent != nil }

// Promise is a complete goal: with probability at least 1 - beta, whatever Queries adaptively chosen looks are shown
// is within tau of the truth. A field that was not given is empty. Of an open ledger there are the rows and beta.
type Promise struct {
	Samples      int64          `json:"samples"`
	Queries      int64          `json:"queries,omitempty"`
	Tau          float64        `json:"tau,omitempty"`
	Beta         theory.LogProb `json:"beta"`
	Query        string         `json:"query,omitempty"`
	Feedback     string         `json:"feedback,omitempty"`
	Passes       int64          `json:"passes,omitempty"`
	Bar          *float64       `json:"bar,omitempty"`
	Floor        float64        `json:"floor,omitempty"`
	Flags        int64          `json:"flags,omitempty"`
	Hold         float64        `json:"hold,omitempty"`
	GuessError   *float64       `json:"guess_error,omitempty"`
	Disagreement float64        `json:"disagreement,omitempty"`
	AtLeast      float64        `json:"at_least,omitempty"`
	Variance     float64        `json:"variance,omitempty"`
	SecondMoment float64        `json:"second_moment,omitempty"`
	Checked      bool           `json:"checked,omitempty"`
	Decided      string         `json:"decided,omitempty"` // gate: whether rows that differ are counted, see [transfer.Decided]
	OneSided     bool           `json:"one_sided,omitempty"`
	Test         string         `json:"test,omitempty"` // gate: of a candidate against the incumbent, in place of a bar and tau
}

// Law is the promise of an open ledger: with probability at least 1 - beta every interval that a look carries holds its
// truth, however many looks there are. It has no number of looks and no tau.
type Law struct {
	Code     int         `json:"code"` // the version of the codes and tails of docs/theorems/open.md
	Most     float64     `json:"most"` // nats: no response costs more, and a line that a crash has cut short costs as much
	Features *LabelsFile `json:"features,omitempty"`

	SecondMoment float64 `json:"second_moment,omitempty"` // of differences of a column: kept on the sample by a refusal; 0 for none

	Ask         []string `json:"ask,omitempty"`           // what teams may ask, KIND:KEY=VALUE,...
	MostPerTeam float64  `json:"most_per_team,omitempty"` // nats that the looks of one team may cost together
}

// The versions of the shares of an open ledger's cells and of the tails of its queries. A ledger keeps its own. By the
// first one a difference of shares of right predictions has rows that are random, a ratio has values in one interval,
// and values in [0,1] have the tails of a relative entropy.
const (
	FirstCode = 1
	Code      = 2 // of a new ledger
)

// HasSharpTails reports whether tails make use of what predictions fix, and are convex tails where what is independent
// counts alike.
func (l *Law) HasSharpTails() bool { return l != nil && l.Code > FirstCode }
