package terms

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"github.com/dpcalc/dpcalc/holdout/data"
	"github.com/dpcalc/dpcalc/holdout/form"
	"github.com/dpcalc/dpcalc/internal/text"
	"github.com/dpcalc/dpcalc/metric"
	"github.com/dpcalc/dpcalc/transfer"
)

// The laws of a ledger's rows. A ledger has one.
const (
	LawLabels  = "labels"  // the labels are random given the features
	LawClasses = "classes" // of an AUC: rows drawn within each class, and models made without these rows
)

// Laws returns the laws of a ledger's rows.
func Laws() []string { return []string{LawLabels, LawClasses} }

// Find gives the terms the sizes of the clusters, nil for none, and for an AUC the numbers of labels that equal the
// positive one and of the others. The maker of a ledger finds them: they are not its owner's word.
func (t *Terms) Find(sizes *form.Sizes, l *data.Labels) {
	t.sizes, t.pairs = sizes, nil
	if slices.Contains(t.Metrics, metric.AUC) {
		positives := l.Count(cmp.Or(t.Match, form.Exact), t.Units.Positive)
		t.pairs = &form.Pairs{Positives: positives, Negatives: l.Samples() - positives}
	}
}

// Sizes returns the sizes of the clusters, nil for independent rows.
func (t Terms) Sizes() *form.Sizes { return t.sizes }

// Pairs returns the numbers of rows of the classes of an AUC, nil for another metric.
func (t Terms) Pairs() *form.Pairs { return t.pairs }

// lawful refuses what does not go with the law of the rows.
func (t *Terms) lawful() error {
	auc := slices.Contains(t.Metrics, metric.AUC)
	law := cmp.Or(t.Law, LawLabels)
	if auc {
		law = cmp.Or(t.Law, LawClasses)
	}
	switch {
	case !slices.Contains(Laws(), law):
		return form.Inputf("law: got %s, want %s", text.Shown(law), strings.Join(Laws(), " or "))
	case auc != (law == LawClasses):
		return form.Inputf("law: got %s with %s, want classes with auc and labels with all others", law, strings.Join(t.Metrics, ", "))
	case !auc:
		return nil
	case len(t.Metrics) > 1:
		return form.Inputf("metrics: got auc among %d, want it alone: a ledger has one law of its rows", len(t.Metrics))
	case t.Sampled():
		return form.Inputf("metrics: got auc with clusters or a benchmark, want rows drawn within each class")
	case t.Features != nil:
		return form.Inputf("features: got some with auc, want none: it is over all rows, as a number of positive ones is a function of labels")
	case t.Ask != nil || t.MostPerTeam != 0:
		return form.Inputf("ask: got what teams may ask with auc, want none: it is never served")
	case !t.Open && t.Goal.Feedback != transfer.Gate:
		return form.Inputf("feedback: got %s with auc, want gate, or --open", t.Goal.Feedback)
	case t.pairs == nil:
		return errors.New("holdout: an AUC without labels")
	case min(t.pairs.Positives, t.pairs.Negatives) == 0:
		return form.Inputf("positive: got %s, which %d of %d rows have, want a label that some rows have and some have not",
			text.Shown(t.Units.Positive), t.pairs.Positives, t.pairs.Positives+t.pairs.Negatives)
	}
	return nil
}
