package holdout

import (
	"strings"

	"github.com/dpcalc/dpcalc/holdout/design"
)

// query finds the rows of a look, and its tails.
func (l *Ledger) query(a *asked) (q query, err error) {
	if q.rows, err = l.slice(a.Where); err != nil {
		return q, err
	}
	a.look.records = l.recordsOf(q.rows)
	q.count = int64(len(q.rows))
	if q.rows == nil {
		q.count = int64(len(l.reader.Rows.IDs))
	}
	a.Rows = q.count
	if l.plan.design().Secret() {
		a.Rows = l.plan.Promise.Samples
	}
	l.cluster(a, q.rows)
	a.look.values.Bar = or(a.Bar, 0)
	if a.look.values.HasTexts() {
		if err := l.predictedBy(a, &q); err != nil {
			return q, err
		}
	}
	line := a.Line
	if l.plan.Compares() && a.Show != ShowReject {
		if l.compared(a, &q); q.differ == 0 {
			return q, nil
		}
	}
	if l.plan.Compares() {
		a.Kept = l.plan.kept(a.Show)
	}
	if l.plan.binned(a.Metric) {
		q.bins = a.look.values.Bins(q.rows)
	}
	a.Moment, a.Positive, a.Bins = q.moment, q.positive, q.bins
	line.Kept, line.Rows, line.Moment, line.Positive, line.Bins = a.Kept, a.Rows, q.moment, q.positive, q.bins
	line.Differ, line.Share = q.differ, q.share
	q.tails = tailsOf(l.plan, line)
	return q, l.joined(a, &q)
}

// cluster finds the clusters of a look at some rows, all for nil.
func (l *Ledger) cluster(a *asked, rows []int32) {
	if l.clusters != nil {
		a.look.groups = l.grouped(rows)
		sizes := design.SizesOf(a.look.groups)
		a.Clusters = &sizes
	}
}

// joined are the looks at the conditions of a look, in their order.
func (l *Ledger) joined(a *asked, q *query) error {
	if len(a.All) == 0 {
		return nil
	}
	own := Shown{Rows: a.Rows, Differ: q.differ, Share: q.share, Clusters: a.Clusters}
	a.Conditions, q.joint = []Shown{own}, []look{a.look}
	for _, c := range a.All {
		one := *a
		one.All, one.Shown = nil, Shown{}
		one.Bar, one.Where = &c.Bar, c.Where
		asks, err := l.query(&one)
		switch {
		case err != nil:
			return inAll("all", err)
		case asks.tails == nil && c.Bar >= 0:
			return inputf("all: got %s for a candidate that is the incumbent on all of these rows, which no bar from 0 on is passed by", c)
		}
		own := Shown{Rows: one.Rows, Differ: asks.differ, Share: asks.share, Clusters: one.Clusters}
		a.Conditions = append(a.Conditions, own)
		q.joint = append(q.joint, one.look)
	}
	return nil
}

// predictedBy says what the predictions alone say of precision and of ratios: the rows, and how many are predicted
// positive.
func (l *Ledger) predictedBy(a *asked, q *query) error {
	kind := a.look.values.Kind
	if !kind.Class {
		return nil
	}
	positive := a.look.predicted(q.rows)
	if len(positive) == 0 {
		return inputf("got no row with the prediction %s, the positive class, want some for %s%s", shown(l.plan.Positive), a.Metric,
			strings.TrimRight("; "+a.look.values.Counts.Remark, "; "))
	}
	if kind.Ratio == nil {
		q.rows, q.count = positive, int64(len(positive))
		a.look.records, a.Rows = l.recordsOf(positive), q.count
		l.cluster(a, q.rows)
	} else if kind.Ratio.Bounded() || l.plan.Open.Sharp() {
		q.positive = int64(len(positive))
	}
	return nil
}

// compared says what the predictions say of a difference: on how many rows it can be other than 0, and of two losses
// how far apart they can be. The values of a column may follow from the labels, so that they fix nothing.
func (l *Ledger) compared(a *asked, q *query) {
	kind := a.look.values.Kind
	if q.differ, q.share = q.count, 1; !IsColumn(a.Metric) {
		q.differ, q.share = a.look.differing(q.rows)
	}
	if !l.plan.design().ByMeans() {
		q.share = 0
	}
	if kind.Loss != nil && q.differ > 0 {
		q.moment = a.look.moment(l.plan.design().Secret(), l.plan.fixes())
	}
}
