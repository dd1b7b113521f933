package sample

import (
	"strings"

	"github.com/dpcalc/dpcalc/holdout/ask"
	"github.com/dpcalc/dpcalc/holdout/data"
	"github.com/dpcalc/dpcalc/holdout/design"
	"github.com/dpcalc/dpcalc/holdout/form"
	"github.com/dpcalc/dpcalc/holdout/open"
	"github.com/dpcalc/dpcalc/holdout/rule"
	"github.com/dpcalc/dpcalc/internal/text"
)

// Query finds the rows of a look, and its tails.
func (l *Sample) Query(a *rule.Asked) (q rule.Query, err error) {
	if q.Rows, err = l.Slice(a.Where); err != nil {
		return q, err
	}
	a.Scores.Records = l.RecordsOf(q.Rows)
	q.Count = int64(len(q.Rows))
	if q.Rows == nil {
		q.Count = int64(len(l.Reader.Rows.IDs))
	}
	a.Rows = q.Count
	if l.plan.Design().IsSecret() {
		a.Rows = l.plan.Promise.Samples
	}
	l.cluster(a, q.Rows)
	a.Scores.Values.Bar = rule.ValueOr(a.Bar, 0)
	if a.Scores.Values.HasTexts() {
		if err := l.predictedBy(a, &q); err != nil {
			return q, err
		}
	}
	line := a.Line
	if l.plan.Compares() && a.Show != ask.Reject {
		if l.compared(a, &q); q.Differ == 0 {
			return q, nil
		}
	}
	if l.plan.Compares() {
		a.RefusedAbove = l.plan.RefusedAbove(a.Show)
	}
	if l.plan.Binned(a.Metric) {
		q.Bins = a.Scores.Values.Bins(q.Rows)
	}
	a.Moment, a.Positive, a.Bins = q.Moment, q.Positive, q.Bins
	line.RefusedAbove, line.Rows = a.RefusedAbove, a.Rows
	line.Moment, line.Positive, line.Bins = q.Moment, q.Positive, q.Bins
	line.Differ, line.Share = q.Differ, q.Share
	q.Tails = open.TailsOf(l.plan, line)
	return q, l.joined(a, &q)
}

// cluster finds the clusters of a look at some rows, all for nil.
func (l *Sample) cluster(a *rule.Asked, rows []int32) {
	if l.Clusters != nil {
		a.Scores.Groups = l.grouped(rows)
		sizes := design.SizesOf(a.Scores.Groups)
		a.Clusters = &sizes
	}
}

// joined are the looks at the conditions of a look, in their order.
func (l *Sample) joined(a *rule.Asked, q *rule.Query) error {
	if len(a.All) == 0 {
		return nil
	}
	own := form.Shown{Clusters: a.Clusters, Counted: form.Counted{Rows: a.Rows, Differ: q.Differ, Share: q.Share}}
	a.Conditions, q.Joint = []form.Shown{own}, []design.Scores{a.Scores}
	for _, c := range a.All {
		one := *a
		one.All, one.Shown = nil, form.Shown{}
		one.Bar, one.Where = &c.Bar, c.Where
		asks, err := l.Query(&one)
		switch {
		case err != nil:
			return form.InAll("all", err)
		case asks.Tails == nil && c.Bar >= 0:
			return form.Inputf("all: got %s for a candidate that is the incumbent on all of these rows, which no bar from 0 on is passed by", c)
		}
		own := form.Shown{Clusters: one.Clusters, Counted: form.Counted{Rows: one.Rows, Differ: asks.Differ,
			Share: asks.Share}}
		a.Conditions = append(a.Conditions, own)
		q.Joint = append(q.Joint, one.Scores)
	}
	return nil
}

// predictedBy says what the predictions alone say of precision and of ratios: the rows, and how many are predicted
// positive.
func (l *Sample) predictedBy(a *rule.Asked, q *rule.Query) error {
	kind := a.Scores.Values.Kind
	if !kind.Class {
		return nil
	}
	positive := a.Scores.Predicted(q.Rows)
	if len(positive) == 0 {
		return form.Inputf("got no row with the prediction %s, the positive class, want some for %s%s", text.Shown(l.plan.Positive), a.Metric,
			strings.TrimRight("; "+a.Scores.Values.Counts.Remark, "; "))
	}
	if kind.Ratio == nil {
		q.Rows, q.Count = positive, int64(len(positive))
		a.Scores.Records, a.Rows = l.RecordsOf(positive), q.Count
		l.cluster(a, q.Rows)
	} else if kind.Ratio.Bounded() || l.plan.Open.HasSharpTails() {
		q.Positive = int64(len(positive))
	}
	return nil
}

// compared says what the predictions say of a difference: on how many rows it can be other than 0, and of two losses
// how far apart they can be. The values of a column may follow from the labels, so that they fix nothing.
func (l *Sample) compared(a *rule.Asked, q *rule.Query) {
	kind := a.Scores.Values.Kind
	if q.Differ, q.Share = q.Count, 1; !data.IsColumn(a.Metric) {
		q.Differ, q.Share = a.Scores.Differing(q.Rows)
	}
	if !l.plan.Design().CountsMeans() {
		q.Share = 0
	}
	if kind.Loss != nil && q.Differ > 0 {
		q.Moment = a.Scores.Moment(l.plan.Design().IsSecret(), l.plan.Fixes())
	}
}
