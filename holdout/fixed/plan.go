package fixed

import (
	"errors"
	"slices"
	"strings"

	"github.com/dpcalc/dpcalc/holdout/ask"
	"github.com/dpcalc/dpcalc/holdout/form"
	"github.com/dpcalc/dpcalc/holdout/journal"
	"github.com/dpcalc/dpcalc/holdout/rule"
	"github.com/dpcalc/dpcalc/holdout/terms"
	"github.com/dpcalc/dpcalc/internal/text"
	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer"
)

// NewPlan returns the plan of a fixed ledger for so many rows: by the method named, or by the best that a ledger runs.
func NewPlan(t terms.Terms, samples int64) (*rule.Plan, error) {
	if err := rule.Arrives(t.Goal, samples, !t.Sampled() && t.Pairs() == nil); err != nil {
		return nil, err
	}
	goal := t.Goal
	goal.Open = goal.Open || t.Method == OpenMethod
	rows := samples
	if goal.Sample, samples = t.Sample(samples); t.Goal.Sample != nil && t.Goal.Sample != goal.Sample {
		if pairs := t.Pairs(); pairs != nil {
			return nil, form.Inputf("got a goal for other rows, want %d positive and %d negative ones, as the labels have", pairs.Positives, pairs.Negatives)
		}
		if t.Sampled() {
			return nil, form.Inputf("got a goal for other clusters or another benchmark, want those of --group and --weights, or of --population")
		}
		return nil, form.Inputf("got a goal for clusters or for a benchmark, or of an AUC, want --group, --population or --metrics auc, which say where they are")
	}
	records := "labels"
	if t.Sizes() != nil && t.Weights != form.ByRows {
		records = "clusters"
	}
	switch {
	case goal.Samples == 0:
		goal.Samples = samples
	case goal.Samples != samples && goal.Arrival == nil:
		return nil, form.Inputf("samples: got %d, want %d, the number of %s, or none", goal.Samples, samples, records)
	}
	if err := looksAt(goal); err != nil {
		return nil, err
	}
	methods, err := methodsOf(t.Method, t.Methods, goal.Open)
	if err != nil {
		return nil, err
	}
	free := goal.Open && goal.Queries == 0 && goal.Tau == 0
	if free {
		if goal.Tau = goal.Unit() / 2; goal.Disagreement > 0 { // which an answer without any data has
			goal.Tau = min(goal.Tau, goal.Disagreement)
		}
	}
	if err := errors.Join(goal.Validate(), goal.Overspent()); err != nil {
		return nil, err
	}
	// A search ends within a tolerance of where a certificate does, and now and then beyond it. There the promise has a
	// hair of beta more than the goal that is solved.
	var p *rule.Plan
	for _, hair := range []theory.LogProb{0, 1e-9, 1e-6} {
		p, err = problem{t, goal, rows, free}.certify(methods, hair)
		if missed := (*journal.CorruptError)(nil); !errors.As(err, &missed) {
			return p, err
		}
	}
	return nil, &form.PlanError{Checked: goal.Unknown() == transfer.None, Reason: err.Error()}
}

// problem is a plan to be found.
type problem struct {
	terms.Terms
	goal transfer.Goal // with what the rows say
	rows int64         // of the labels
	free bool          // whether the plan promises the tau of its last look, where no tau was asked for
}

// certify solves the problem by the methods, with a hair less of ln beta than is promised. The error is a
// [journal.CorruptError] if the mechanism does not keep the promise.
func (t problem) certify(methods []transfer.Method, hair theory.LogProb) (*rule.Plan, error) {
	goal, promised := t.goal, t.goal.Beta
	if promised != 0 {
		goal.Beta -= hair
	}
	rows, best, err := transfer.Solve(nil, methods, goal)
	if err != nil {
		return nil, err
	}
	if best < 0 {
		var reasons []string
		for _, r := range rows {
			if r.Status != transfer.NotApplicable || t.Method != "" {
				reasons = append(reasons, r.Method.Name+": "+r.Reason)
			}
		}
		return nil, &form.PlanError{Checked: goal.Unknown() == transfer.None, Reason: strings.Join(reasons, "; ")}
	}
	if rows[best].Beta == theory.Zero {
		return nil, form.Inputf("beta: got none, and nothing can go wrong under this plan; want a probability in (0, 1)")
	}
	if err := rows[best].Validate(); err != nil { // of a guess error above the tau that was solved for, say
		return nil, err
	}
	p := &rule.Plan{Plan: form.Plan{
		Schema: form.FixedSchema,
		Method: rows[best].Method.Name,
		Asks: form.Asks{Metric: t.Metrics[0], Metrics: t.Metrics, Match: t.Match, Classes: t.Classes, Units: t.Units,
			Bars: t.Bars},
	}, Goal: rows[best].Goal, Remark: rows[best].Reason}
	p.Group, p.Population, p.Pairs = t.Clusters(), t.Benchmark(), t.Pairs()
	if t.free {
		p.Goal.Tau = rows[best].TauAchieved
	}
	if goal.Arrival != nil {
		p.Arrival = &form.Arrival{Rows: t.rows}
	}
	for _, bar := range p.Bars {
		if err := checkFixed(p, &ask.Question{Bar: &bar}); err != nil {
			return nil, form.InAll("bars", err)
		}
	}
	practice := practiceOf(p.Method)
	p.Rule = Rule{practice}
	if p.Mechanism, err = practice.run(rows[best].Answer); err != nil {
		return nil, err
	}
	if p.Goal.Beta += hair; promised != 0 {
		p.Goal.Beta = promised
	}
	p.Promise = rule.PromiseOf(p.Goal)
	return p, p.Certified()
}

// looksAt refuses goals whose queries are no means of values of the rows, or that no ledger can keep.
func looksAt(g transfer.Goal) error {
	switch {
	case g.Ratio.IsGiven():
		return form.Inputf("query: got a ratio, want holdout init --open --metrics with its name: a fixed plan has accuracy, columns and gates of an AUC")
	case g.Checked && !g.Query.IsSigned():
		return form.Inputf("enforce: got it with %s queries, want differences, on which no label is needed to enforce it", g.Query)
	case !g.Query.IsMean():
		return form.Inputf("query: got %s, want bounded, binary or difference: a look is a mean over the rows", g.Query)
	case g.Transcripts != 0 || g.LnTranscripts != 0:
		return form.Inputf("transcripts: got a number of them, want none: a ledger counts looks")
	case g.Open && g.Feedback != transfer.Answers:
		return form.Inputf("feedback: got %s without a number of looks, want answers, or an open ledger", g.Feedback)
	case g.Range != (transfer.Range{}):
		return form.Inputf("range: got one, want none: a fixed plan is in [0, 1], and open ledgers have ranges")
	case g.Epsilon != 0:
		return form.Inputf("epsilon: got %v, want none: no method that a ledger runs takes one", g.Epsilon)
	case g.Sensitivity != 0:
		return form.Inputf("sensitivity: got %v, want none: a look is a mean over the rows", g.Sensitivity)
	case g.PastLooks != 0:
		return form.Inputf("past-looks: got %d, want none: the rows of a ledger are looked at by nobody else", g.PastLooks)
	}
	return nil
}

// OpenMethod is the method of answers without a number of looks.
const OpenMethod = "gaussian-open"

// methodsOf returns the method of that name, or all methods of the list that a ledger runs: without a number of looks
// the open one alone, which has no other use.
func methodsOf(name string, among []string, open bool) (list []transfer.Method, err error) {
	if name != "" && practiceOf(name) == nil {
		return nil, form.Inputf("method: got %s, want one that a ledger runs: %s", text.Shown(name), strings.Join(Methods(), ", "))
	}
	for _, p := range practices {
		named, listed := name == "" || name == p.method, among == nil || slices.Contains(among, p.method)
		if m, _ := transfer.Lookup(p.method); named && listed && m.IsOpen() == open {
			list = append(list, m)
		}
	}
	if len(list) == 0 {
		return nil, form.Inputf("method: got %s, want one that a ledger runs: %s", text.Shown(strings.Join(among, ", ")),
			strings.Join(Methods(), ", "))
	}
	return list, nil
}

// Methods returns the methods that a ledger runs.
func Methods() (names []string) {
	for _, p := range practices {
		names = append(names, p.method)
	}
	return names
}
