package advise

import (
	"strconv"

	"github.com/dpcalc/dpcalc/transfer"
)

// A gated metric has no plan for scores: a ledger answers pass or fail, and power finds the rows.
type gated struct {
	rows    string   // the flag for the rows
	size    string   // and what stands for their number
	states  []string // the flags of power that state the metric
	ledger  []string // the flags of the ledger
	methods string
	reason  string
}

// gates are the answers to what a look measures that are gated metrics.
var gates = map[string]gated{
	"wins": {rows: "-n", states: []string{"--test", "sign", "--disagreement", "D", "--effect", "E"},
		ledger: []string{"--incumbent", "FILE"}, methods: "gates",
		reason: "Each look tests whether the new model wins more rows than it loses against the old one, and answers yes or no. D is the share of rows on which exactly one of the two is right, and E is the lead that you want to find."},
	"f1": {rows: "-n", states: []string{"--query", "f1", "--positives", "P", "--threshold", "BAR", "--effect", "E"},
		ledger: []string{"--metrics", "f1", "--positive", "TEXT"}, methods: "gate",
		reason: "Each look answers whether the F1 is above a bar, with an interval for its true value. P is the share of rows that a model predicts positive, and E is how far above the BAR a model is that you want to find."},
	"auc": {rows: "--class-counts", size: "POSITIVES,NEGATIVES", states: []string{"--query", "auc", "--threshold", "BAR", "--effect", "E"},
		ledger: []string{"--metrics", "auc", "--positive", "TEXT"}, methods: "gate",
		reason: "Each look answers whether the AUC is above a bar. Give the rows of each class: the smaller class decides. A ledger refuses to serve an AUC to teams over HTTP, and the guarantee is for models that were made without these rows."},
}

// gate advises on a gated metric.
func (i *interview) gate(p *planner, m gated) ([]advice, error) {
	beta := i.ask("beta")
	if i.failure != nil {
		return nil, i.failure
	}
	size := m.size
	if n := p.goal.Samples; n > 0 && size == "" {
		size = strconv.FormatInt(n, 10)
	}
	a := advice{method: m.methods, status: transfer.OK, best: true, reason: m.reason,
		words: []string{"dpcalc", "power", "-m", strconv.FormatInt(p.goal.Queries, 10), "-b", beta},
		run:   []string{"dpcalc", "holdout", "init", "DIR", "--labels", "FILE", "-b", beta}}
	if size == "" {
		a.words = append(a.words, "--power", "80%")
	} else {
		a.words = append(a.words, m.rows, size)
	}
	a.words = append(a.words, m.states...)
	if i.clusters {
		a.run = append(a.run, "--features", "FILE", "--group", "COLUMN")
		a.reason += " The command takes each cluster for a row that the new model wins, loses or ties: a test of clusters that are in between needs more of them."
	}
	a.run = append(a.run, m.ledger...)
	if m.methods == "gate" || p.goal.Open {
		a.words, a.run = append(a.words, "--open"), append(a.run, "--open")
	} else {
		a.run = append(a.run, "--test", "sign", "-m", strconv.FormatInt(p.goal.Queries, 10), "--feedback", "gate",
			"--passes", strconv.FormatInt(max(p.passes, 1), 10))
	}
	return []advice{a}, nil
}
