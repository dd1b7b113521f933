// Package terms has the promise that a new ledger is made for, and checks what is declared.
package terms

import (
	"github.com/dpcalc/dpcalc/holdout/data"
	"github.com/dpcalc/dpcalc/holdout/form"
	"github.com/dpcalc/dpcalc/holdout/rule"
	"github.com/dpcalc/dpcalc/transfer"
)

// Terms are the promise that a new ledger is made for.
type Terms struct {
	Goal      transfer.Goal   // Samples may be left 0; of Queries, Tau and Beta one may be 0 and is solved
	Method    string          // "" for the best of Methods
	Methods   []string        // of which a ledger runs one; nil for all that it runs
	Test      string          // gate of differences: one of [ask.Tests], in place of bars and a tau; "" for none
	Labels    string          // the labels' file, to be found again; "" if they are in none
	Incumbent rule.Submission // of differences: the values that the first candidate is compared with
	Asks                      // what a look may ask
	Drawn                     // how the rows were drawn
	Unlimited                 // what an open ledger promises

	sizes *form.Sizes // of the clusters
	pairs *form.Pairs // of an AUC
}

// Asks says what a look may ask, and how its values are read.
type Asks struct {
	Metrics []string   // the first for a look that names none; nil for accuracy alone
	Units   form.Units // what the metrics need beside their names
	Match   form.Match // when a prediction equals a label; "" for Exact
	Missing string     // of columns: what a record without a value is; "" for MissingRefused
	Classes []string   // the predictions that are declared, which are public; nil if any text is one
	Bars    []float64  // gate: the bars that a look may ask; nil if it may ask any
}

// Drawn says how the rows were drawn, and what is public of them. The zero Drawn is independent rows.
type Drawn struct {
	Features *data.Features // public columns of the rows; nil for none; a fixed plan has them for its Group
	Group    string         // the column of the features that says which rows are a cluster; "" for independent rows
	Weights  string         // of clusters: what counts alike; "" for [form.ByClusters]
	Items    *data.Items    // the benchmark that the rows are a uniform subset of; nil for rows of their own
	Law      string         // one of [Laws]; "" for the law of the metrics
}

// Unlimited says that a ledger is open, and what its looks may cost.
type Unlimited struct {
	Open        bool     // an open ledger, of whose goal there is beta alone
	Most        float64  // the most nats that a response costs; 0 for the usual
	Ask         []string // what teams may ask, KIND:KEY=VALUE,...
	MostPerTeam float64  // nats that the looks of one team may cost together; 0 for no limit
}
