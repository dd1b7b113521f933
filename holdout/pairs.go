package holdout

import (
	"cmp"
	"errors"
	"math/big"
	"slices"
	"strings"

	"github.com/dpcalc/dpcalc/holdout/data"
	"github.com/dpcalc/dpcalc/holdout/design"
	"github.com/dpcalc/dpcalc/internal/num"
	"github.com/dpcalc/dpcalc/metric"
	"github.com/dpcalc/dpcalc/transfer"
)

// The laws of a ledger's rows. A ledger has one.
const (
	LawLabels  = "labels"  // the labels are random given the features
	LawClasses = "classes" // of an AUC: rows drawn within each class, and models made without these rows
)

// Laws are the laws of a ledger's rows.
func Laws() []string { return []string{LawLabels, LawClasses} }

// pairsOf counts the labels that equal the positive one, and the others.
func (t *Terms) pairsOf(l *Labels) *Pairs {
	if !slices.Contains(t.Metrics, metric.AUC) {
		return nil
	}
	positives := l.Count(cmp.Or(t.Match, Exact), t.Units.Positive)
	return &Pairs{Positives: positives, Negatives: l.Samples() - positives}
}

// lawful refuses what does not go with the law of the rows.
func (t *Terms) lawful() error {
	auc := slices.Contains(t.Metrics, metric.AUC)
	law := cmp.Or(t.Law, LawLabels)
	if auc {
		law = cmp.Or(t.Law, LawClasses)
	}
	switch {
	case !slices.Contains(Laws(), law):
		return inputf("law: got %s, want %s", shown(law), strings.Join(Laws(), " or "))
	case auc != (law == LawClasses):
		return inputf("law: got %s with %s, want classes with auc and labels with all others", law, strings.Join(t.Metrics, ", "))
	case !auc:
		return nil
	case len(t.Metrics) > 1:
		return inputf("metrics: got auc among %d, want it alone: a ledger has one law of its rows", len(t.Metrics))
	case t.sampled():
		return inputf("metrics: got auc with clusters or a benchmark, want rows drawn within each class")
	case t.Features != nil:
		return inputf("features: got some with auc, want none: it is over all rows, as a number of positive ones is a function of labels")
	case t.Ask != nil || t.MostPerTeam != 0:
		return inputf("ask: got what teams may ask with auc, want none: it is never served")
	case !t.Open && t.Goal.Feedback != transfer.Gate:
		return inputf("feedback: got %s with auc, want gate, or --open", t.Goal.Feedback)
	case t.pairs == nil:
		return errors.New("holdout: an AUC without labels")
	case min(t.pairs.Positives, t.pairs.Negatives) == 0:
		return inputf("positive: got %s, which %d of %d rows have, want a label that some rows have and some have not",
			shown(t.Units.Positive), t.pairs.Positives, t.pairs.Positives+t.pairs.Negatives)
	}
	return nil
}

// counted checks that the labels have the class counts of the plan.
func (p *Plan) counted(labels data.Answers) error {
	if c, ok := p.design().(design.Classes); ok && labels.Positives() != c.Positives {
		return corrupt("plan.json: got other class counts than those of the labels")
	}
	return nil
}

// area is the AUC of a look as a fraction: the pairs of a positive and a negative row that its scores put in order, and
// half of those that they tie, of all pairs. Its steps are the same whatever the labels are.
func (l look) area() *big.Rat {
	type row struct {
		score    float64
		positive int64
	}
	rows := make([]row, len(l.values.Of))
	for i := range rows {
		score, positive := l.labels.Meet(&l.values, i)
		rows[i] = row{score, int64(positive)}
	}
	slices.SortFunc(rows, func(a, b row) int { return cmp.Compare(a.score, b.score) })
	var positives, negatives, halves int64 // of the rows before, and of pairs in order two each
	for from := 0; from < len(rows); {
		var up, down int64 // of the rows with one score
		for score := rows[from].score; from < len(rows) && rows[from].score == score; from++ {
			up, down = up+rows[from].positive, down+1-rows[from].positive
		}
		halves += up * (2*negatives + down)
		positives, negatives = positives+up, negatives+down
	}
	return big.NewRat(halves, 2*positives*negatives)
}

// areaBelow is the greatest float64 that is not above the AUC: it is at least any float64 that the AUC is at least.
func (l look) areaBelow() float64 { return num.Below(l.area()) }
