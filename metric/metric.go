// Package metric has the metrics that a holdout is asked for, as one list: how the value of a row comes from a label
// and a prediction, the range of these values, and what their mean promises. Every value is in [0,1], and more is
// better, so that the theorems for means of such values hold. [Metric.Less] and [Metric.Root] say how a person reads
// the mean.
package metric

import (
	"math"
	"strings"

	"github.com/dpcalc/dpcalc/internal/each"
)

// The names that code outside of the list speaks of.
const (
	Accuracy  = "accuracy"
	Column    = "column:NAME"
	Precision = "precision"
	AUC       = "auc"
)

// Reads is what a submission has for each row.
type Reads int

// What there is to read.
const (
	Text        Reads = iota // a prediction, compared with the label
	Number                   // a value in a range, the submitter's word
	Forecast                 // a number that the label is, or its probability of the positive class
	Probability              // the probability of the positive class
	Score                    // a number of which the order alone counts
)

// Metric is an entry of the list.
type Metric struct {
	Name    string
	Summary string // one line
	Promise string // what an interval is about, in words
	Query   string // the kind of query of a plan
	Reads   Reads

	Less bool // whether less is better: the value is 1 less its loss as a share of the greatest
	Root bool // whether a person reads the root of the mean loss

	Loss  func(x, y, clip float64) float64 // of a forecast x at the truth y, both in [0,1], as a share of the greatest
	Ratio *Ratio                           // of a ratio of two means
	Class bool                             // whether it needs a positive class
	Pairs bool                             // whether it is a mean over pairs of a positive and a negative row
}

// Planned reports whether a plan of the kind of query is one for the metric: a mean over rows of values in [0,1], of
// which more is better.
func (m Metric) Planned() bool { return m.Ratio == nil && m.Reads == Text }

// Ratio is N/D, two means over all rows with 0 <= N <= D. A true positive adds Both to N and D, a false positive and a
// false negative add to D alone.
type Ratio struct{ Both, FalsePositive, FalseNegative float64 }

// Bounded reports whether the predictions alone bound D from below: every row predicted positive adds at least 1.
func (r Ratio) Bounded() bool { return r.FalsePositive >= 1 && r.Both >= 1 }

// Row returns what a row adds to N and D: its prediction is positive or not, and its truth is 1 or 0.
func (r Ratio) Row(positive bool, truth float64) (n, d float64) {
	if positive {
		return r.Both * truth, r.Both*truth + r.FalsePositive*(1-truth)
	}
	return 0, r.FalseNegative * truth
}

// At returns the value of a row of N - bar D, in [0,1], and Even the value of it at which the ratio is the bar.
func (r Ratio) At(bar, n, d float64) float64 { return (n - bar*d + bar*r.most()) / r.Width(bar) }

// Even is the value of At where N = bar D.
func (r Ratio) Even(bar float64) float64 { return bar * r.most() / r.Width(bar) }

// Width is the length of the interval of the values of N - bar D.
func (r Ratio) Width(bar float64) float64 { return r.Both*(1-bar) + bar*r.most() }

// most is the most that a row without a true positive adds to D.
func (r Ratio) most() float64 { return math.Max(r.FalsePositive, r.FalseNegative) }

const ratioPromise = "the ratio of the two expectations over fresh labels of all rows, E N / E D, which is not the mean of ratios"

// list is in the order of printing.
var list = []Metric{
	{Name: Accuracy, Query: "binary", Summary: "the share of right predictions",
		Promise: "the probability that a prediction is right"},
	{Name: Column, Query: "bounded", Reads: Number, Summary: "the mean of a column of values, in [0,1] or a range of your own",
		Promise: "the mean value of a row: of a judge's marks, of several generations, of any score a row"},
	{Name: Precision, Query: "binary", Class: true, Summary: "the share of right predictions among the rows predicted positive",
		Promise: "the probability that a row predicted positive is positive"},
	{Name: "f1", Query: "bounded", Class: true, Ratio: &Ratio{2, 1, 1}, Summary: "F1: 2TP/(2TP+FP+FN)", Promise: ratioPromise},
	{Name: "recall", Query: "bounded", Class: true, Ratio: &Ratio{1, 0, 1}, Summary: "recall: TP/(TP+FN), as a gate",
		Promise: ratioPromise},
	{Name: "jaccard", Query: "bounded", Class: true, Ratio: &Ratio{1, 1, 1}, Summary: "Jaccard: TP/(TP+FP+FN)", Promise: ratioPromise},
	{Name: "log-loss", Query: "bounded", Reads: Probability, Less: true, Class: true, Loss: logLoss,
		Summary: "minus the logarithm of the probability of the label, at most the clip",
		Promise: "the expected loss of a row, of losses that are clipped at the clip"},
	{Name: "squared-error", Query: "bounded", Reads: Forecast, Less: true, Loss: squared,
		Summary: "the squared error of a number, or of a probability of the positive class (Brier)",
		Promise: "the expected squared error of a row, of numbers that are clipped to the range"},
	{Name: "rmse", Query: "bounded", Reads: Forecast, Less: true, Root: true, Loss: squared,
		Summary: "the root of the mean squared error", Promise: "the root of the expected squared error of a row, of numbers that are clipped to the range"},
	{Name: AUC, Query: "bounded", Reads: Score, Class: true, Pairs: true,
		Summary: "the share of pairs of a positive and a negative row that scores put in order, a tie being half of one",
		Promise: "the expected share of pairs in order, of rows drawn within each class and a model that was made without them"},
}

// logLoss is min{-ln p, clip}/clip at the probability p of the truth.
func logLoss(x, y, clip float64) float64 {
	loss := func(p float64) float64 {
		if !(p > 0) {
			return 1
		}
		return math.Min(-math.Log(p), clip) / clip
	}
	return y*loss(x) + (1-y)*loss(1-x)
}

// squared is (x-y)^2.
func squared(x, y, _ float64) float64 {
	g := gap(x, y)
	return g * g
}

// gap is x-y, of which both are read as 0 below 1e-100: a processor takes ten times as long for the square of less,
// which would tell where the truth is 0. The sums take the same steps whatever the truth is.
func gap(x, y float64) float64 {
	const unit = 0x1p-279 // half of the least difference of numbers beside it is just above 1e-100
	return (x + unit - unit) - (y + unit - unit)
}

// All returns the list.
func All() []Metric { return append([]Metric(nil), list...) }

// Names are the names of the list.
func Names() []string {
	return each.Of(list, func(m Metric) string { return m.Name })
}

// Of finds a metric by its name; column:NAME by the name of any column.
func Of(name string) (Metric, bool) {
	if column, ok := strings.CutPrefix(name, "column:"); ok && column != "" {
		name = Column
	}
	return each.First(list, func(m Metric) bool { return m.Name == name })
}
