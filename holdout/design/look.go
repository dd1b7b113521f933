package design

import (
	"cmp"
	"math"
	"math/big"
	"slices"

	"github.com/dpcalc/dpcalc/holdout/data"
	"github.com/dpcalc/dpcalc/internal/num"
)

// Scores is a look that is to be answered.
type Scores struct {
	Labels  data.Answers
	Values  data.Values
	Base    *data.Values // of differences: the incumbent's
	Records Records
	Groups  [][]int32 // the clusters of an open look's rows; nil for none
}

// Score returns the score of a row, of a difference the candidate's less the incumbent's.
func (l Scores) Score(row int) float64 {
	s := l.Labels.Score(&l.Values, row)
	if l.Base != nil {
		s -= l.Labels.Score(l.Base, row)
	}
	return s
}

// Sum adds the values of all records.
func (l Scores) Sum() (sum float64) {
	l.Each(func(value float64) { sum += value })
	return sum
}

// Records says what the records of a look are: all rows, where both fields are nil.
type Records struct {
	Clusters [][]int32 // each cluster is one
	Rows     []int32   // each of these rows is one
}

// Count returns the number of records.
func (l Scores) Count() int {
	switch {
	case l.Records.Clusters != nil:
		return len(l.Records.Clusters)
	case l.Records.Rows != nil:
		return len(l.Records.Rows)
	}
	return len(l.Values.Of)
}

// Record returns the value of a record: of a cluster its mean.
func (l Scores) Record(i int, score func(row int) float64) float64 {
	switch {
	case l.Records.Clusters != nil:
		sum := 0.
		for _, row := range l.Records.Clusters[i] {
			sum += score(int(row))
		}
		return sum / float64(len(l.Records.Clusters[i]))
	case l.Records.Rows != nil:
		return score(int(l.Records.Rows[i]))
	}
	return score(i)
}

// Each visits the records of a look.
func (l Scores) Each(visit func(value float64)) {
	for i := range l.Count() {
		visit(l.Record(i, l.Score))
	}
}

// ClusterValues returns values of the clusters in [-1,1] whose sum is proportional to the value of a look.
func (l Scores) ClusterValues(macro bool, largest int64) (values []float64) {
	for _, rows := range l.Groups {
		sum := 0.
		for _, row := range rows {
			sum += l.Score(int(row))
		}
		size := float64(largest)
		if macro {
			size = float64(len(rows))
		}
		values = append(values, sum/size)
	}
	return values
}

// differs is 1 for a row on which the predictions or values differ from the incumbent's.
func (l Scores) differs(row int) float64 {
	if l.Values.Agrees(row, l.Base) {
		return 0
	}
	return 1
}

// Differing returns the number of rows on which they differ, all items of a benchmark for nil, and the share of the
// records, which is told of clusters alone: of a benchmark it would depend on which items have labels.
func (l Scores) Differing(rows []int32) (count int64, share float64) {
	if rows == nil {
		for row := range l.Values.Of {
			count += int64(l.differs(row))
		}
	}
	for _, row := range rows {
		count += int64(l.differs(int(row)))
	}
	for i := range l.Count() {
		share += l.Record(i, l.differs)
	}
	return count, share / float64(l.Count())
}

// Predicted returns the rows that are predicted positive among some, nil where there are none.
func (l Scores) Predicted(rows []int32) (list []int32) {
	l.Values.Each(rows, func(row int) {
		if l.Values.IsPositive(row) {
			list = append(list, int32(row))
		}
	})
	return list
}

// Sums returns N and D of the ratio of a look over its rows.
func (l Scores) Sums(rows []int32) (n, d float64) {
	l.Values.Each(rows, func(row int) {
		toN, toD := l.Labels.Meet(&l.Values, row)
		n, d = n+toN, d+toD
	})
	return n, d
}

// Square returns the mean square of the values of the records, rounded up.
func (l Scores) Square() (mean float64) {
	l.Each(func(value float64) { mean += value * value })
	n := float64(l.Count())
	return mean/n*(1+0x1p-52*(n+8)) + 0x1p-51*(n+float64(len(l.Values.Of)))
}

// Moment returns the mean of the greatest square that the difference of two losses can have, whatever the truths are:
// the difference of squares is linear in the truth, and a class has two. The mean is over the records of the look or,
// of a benchmark, over all rows of the submission: which items of a benchmark have labels is not told. A cluster counts
// with the mean over its rows, which is at least the square of its mean. Where predictions fix the intervals of the
// rows it is the mean square of half of their lengths, which is less.
func (l Scores) Moment(secret, fixes bool) float64 {
	if secret {
		l.Records = Records{}
	}
	sum, n := 0., float64(l.Count()+len(l.Values.Of))
	for i := range l.Count() {
		sum += l.Record(i, func(row int) float64 {
			gap := func(y float64) float64 { return l.Base.Loss(row, y) - l.Values.Loss(row, y) }
			most, half := max(math.Abs(gap(0)), math.Abs(gap(1))), (gap(0)-gap(1))/2
			if fixes {
				return half * half
			}
			return most * most
		})
	}
	return min(1, sum/float64(l.Count())*(1+2e-16*(n+8)))
}

// Area returns the AUC of a look as a fraction: the pairs of a positive and a negative row that its scores put in
// order, and half of those that they tie, of all pairs. Its steps are the same whatever the labels are.
func (l Scores) Area() *big.Rat {
	type row struct {
		score    float64
		positive int64
	}
	rows := make([]row, len(l.Values.Of))
	for i := range rows {
		score, positive := l.Labels.Meet(&l.Values, i)
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

// AreaBelow returns the greatest float64 that is not above the AUC: it is at least any float64 that the AUC is at
// least.
func (l Scores) AreaBelow() float64 { return num.Below(l.Area()) }
