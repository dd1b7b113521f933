package holdout

import (
	"cmp"
	"math"
	"math/big"
	"slices"

	"github.com/dpcalc/dpcalc/holdout/data"
	"github.com/dpcalc/dpcalc/internal/num"
)

// look is a look that is to be answered.
type look struct {
	labels  data.Answers
	values  data.Values
	base    *data.Values // of differences: the incumbent's
	records records
	groups  [][]int32 // the clusters of an open look's rows; nil for none
}

// score is the score of a row, of a difference the candidate's less the incumbent's.
func (l look) score(row int) float64 {
	s := l.labels.Score(&l.values, row)
	if l.base != nil {
		s -= l.labels.Score(l.base, row)
	}
	return s
}

// sum adds the values of all records.
func (l look) sum() (sum float64) {
	l.each(func(value float64) { sum += value })
	return sum
}

// records says what the records of a look are: all rows, where both fields are nil.
type records struct {
	clusters [][]int32 // each cluster is one
	rows     []int32   // each of these rows is one
}

func (l look) count() int {
	switch {
	case l.records.clusters != nil:
		return len(l.records.clusters)
	case l.records.rows != nil:
		return len(l.records.rows)
	}
	return len(l.values.Of)
}

// record is the value of a record: of a cluster its mean.
func (l look) record(i int, score func(row int) float64) float64 {
	switch {
	case l.records.clusters != nil:
		sum := 0.
		for _, row := range l.records.clusters[i] {
			sum += score(int(row))
		}
		return sum / float64(len(l.records.clusters[i]))
	case l.records.rows != nil:
		return score(int(l.records.rows[i]))
	}
	return score(i)
}

// each visits the records of a look.
func (l look) each(visit func(value float64)) {
	for i := range l.count() {
		visit(l.record(i, l.score))
	}
}

// clusterValues are values of the clusters in [-1,1] whose sum is proportional to the value of a look.
func (l look) clusterValues(macro bool, largest int64) (values []float64) {
	for _, rows := range l.groups {
		sum := 0.
		for _, row := range rows {
			sum += l.score(int(row))
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
func (l look) differs(row int) float64 {
	return 1 - float64(one(l.values.Same(row, l.base)))
}

// differing is the number of rows on which they differ, all items of a benchmark for nil, and the share of the records,
// which is told of clusters alone: of a benchmark it would depend on which items have labels.
func (l look) differing(rows []int32) (count int64, share float64) {
	if rows == nil {
		for row := range l.values.Of {
			count += int64(l.differs(row))
		}
	}
	for _, row := range rows {
		count += int64(l.differs(int(row)))
	}
	for i := range l.count() {
		share += l.record(i, l.differs)
	}
	return count, share / float64(l.count())
}

// predicted are those of some rows that are predicted positive, nil where there are none.
func (l look) predicted(rows []int32) (list []int32) {
	l.values.Each(rows, func(row int) {
		if l.values.Positive(row) {
			list = append(list, int32(row))
		}
	})
	return list
}

// sums are N and D of the ratio of a look over its rows.
func (l look) sums(rows []int32) (n, d float64) {
	l.values.Each(rows, func(row int) {
		toN, toD := l.labels.Meet(&l.values, row)
		n, d = n+toN, d+toD
	})
	return n, d
}

// square is the mean square of the values of the records, rounded up.
func (l look) square() (mean float64) {
	l.each(func(value float64) { mean += value * value })
	n := float64(l.count())
	return mean/n*(1+0x1p-52*(n+8)) + 0x1p-51*(n+float64(len(l.values.Of)))
}

// moment is the mean of the greatest square that the difference of two losses can have, whatever the truths are: the
// difference of squares is linear in the truth, and a class has two. The mean is over the records of the look or, of a
// benchmark, over all rows of the submission: which items of a benchmark have labels is not told. A cluster counts with
// the mean over its rows, which is at least the square of its mean. Where predictions fix the intervals of the rows it
// is the mean square of half of their lengths, which is less.
func (l look) moment(secret, fixes bool) float64 {
	if secret {
		l.records = records{}
	}
	sum, n := 0., float64(l.count()+len(l.values.Of))
	for i := range l.count() {
		sum += l.record(i, func(row int) float64 {
			gap := func(y float64) float64 { return l.base.Loss(row, y) - l.values.Loss(row, y) }
			most, half := max(math.Abs(gap(0)), math.Abs(gap(1))), (gap(0)-gap(1))/2
			if fixes {
				return half * half
			}
			return most * most
		})
	}
	return min(1, sum/float64(l.count())*(1+2e-16*(n+8)))
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
