// Package sample has the rows of a ledger: where they come from, which clusters they are in, and what a look at some of
// them is about. It knows predictions and labels, and no answers.
package sample

import (
	"github.com/dpcalc/dpcalc/holdout/data"
	"github.com/dpcalc/dpcalc/holdout/design"
	"github.com/dpcalc/dpcalc/holdout/journal"
	"github.com/dpcalc/dpcalc/holdout/rule"
)

// Sample is the rows of a ledger: their labels, their features, and what of them a look is about.
type Sample struct {
	Dir      string // the ledger's folder, from which the paths of files are told
	plan     *rule.Plan
	Reader   data.Reader
	Labels   data.Answers
	Sources  Sources
	Epoch    int64 // how many changes of an open ledger's rows there were
	Files    []*data.Labels
	Features []*data.Features
	Clusters [][]int32 // of the rows, by the names of the clusters; nil for none
	named    map[string][]int32
	drawn    []int32 // the items of a benchmark that have labels; nil for none
}

// Use takes a plan and its labels.
func (l *Sample) Use(p *rule.Plan, labels *data.Labels) (err error) {
	l.plan = p
	l.Reader = data.Reader{Rows: labels.Roster, Match: p.Match, Classes: p.Classes, Units: p.Units, Metrics: p.Metrics}
	if l.Labels, err = l.Reader.Answers(labels); err != nil {
		return err
	}
	return checkCounts(p, l.Labels)
}

// checkCounts checks that the labels have the class counts of the plan.
func checkCounts(p *rule.Plan, labels data.Answers) error {
	if c, ok := p.Design().(design.Classes); ok && labels.Positives() != c.Positives {
		return journal.Corrupt("plan.json: got other class counts than those of the labels")
	}
	return nil
}

// Content returns what a row asks, and whether the labels' log of a tool says so. Of a benchmark it says nothing, as it
// is secret which items have labels.
func (l *Sample) Content(tool, id string) (c data.Content, ok bool) {
	for _, f := range l.Files {
		if c, ok = f.Content(tool, id); ok && !l.plan.Design().IsSecret() {
			return c, true
		}
	}
	return data.Content{}, false
}

// Predictions returns the fingerprint of predictions, as a plan for differences has it of the incumbent's.
func (l *Sample) Predictions(t data.Table) (string, error) {
	if err := l.Whole(); err != nil {
		return "", err
	}
	v, err := l.Reader.Read(l.plan.Metric, false, t)
	if err != nil {
		return "", err
	}
	return v.Fingerprint(), nil
}
