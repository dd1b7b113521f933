package data

import (
	"strings"

	"github.com/dpcalc/dpcalc/holdout/form"
	"github.com/dpcalc/dpcalc/internal/text"
	"github.com/dpcalc/dpcalc/metric"
)

// Answers are what predictions are scored by: the labels.
type Answers struct {
	right []mark    // the right predictions of the rows
	truth []float64 // their truths as numbers in [0,1], nil where no metric asks for them
}

// Meet returns what a row adds to a ratio's N and D; a score and whether its row is positive, of an AUC; and else a
// value in [0,1], of which more is better, and 1: 1 for a right prediction and 0 for a wrong one, the value of a
// column, or 1 less a loss. Nothing else has a label meet a prediction. It takes the same steps whatever the label is.
func (a Answers) Meet(v *Values, row int) (n, d float64) {
	switch {
	case v.Kind.Ratio != nil:
		return v.Kind.Ratio.Row(v.IsPositive(row), a.truth[row])
	case v.Kind.Pairs:
		return v.Of[row], a.truth[row]
	case v.Kind.Loss != nil:
		return 1 - v.Loss(row, a.truth[row]), 1
	case v.Reads(metric.Number):
		return v.Of[row], 1
	}
	return v.marks[int(v.Of[row])].equals(a.right[row]), 1
}

// Score returns the value of a row in [0,1], of a ratio its value at the bar.
func (a Answers) Score(v *Values, row int) float64 {
	n, d := a.Meet(v, row)
	if v.Kind.Ratio != nil {
		return v.Kind.Ratio.At(v.Bar, n, d)
	}
	return n
}

// Positives returns how many rows have the positive class.
func (a Answers) Positives() (rows int64) {
	for _, y := range a.truth {
		rows += int64(y)
	}
	return rows
}

// Among returns the answers as the answers of some of many rows, in the order of the answers. The other rows have none.
func (a Answers) Among(some []int32, many int) Answers {
	all := Answers{right: make([]mark, many), truth: make([]float64, many)}
	for k, row := range some {
		all.right[row] = a.right[k]
		if a.truth != nil {
			all.truth[row] = a.truth[k]
		}
	}
	return all
}

// Answers reads labels into answers. It refuses labels that cannot be predicted.
func (r Reader) Answers(l *Labels) (a Answers, err error) {
	if a.right, err = r.right(l); err != nil {
		return a, err
	}
	a.truth, err = r.truths(l, a.right)
	return a, err
}

// right returns the marks of the right predictions. Labels that cannot be predicted are refused: empty ones, those that
// are not declared, and those that are no numbers where numbers are matched. Columns alone need no labels.
func (r Reader) right(l *Labels) ([]mark, error) {
	marks := make([]mark, len(l.classes))
	refused := make([]error, len(l.classes))
	for i, c := range l.classes {
		matched := Normalized(r.Match, c)
		marks[i] = markOf(matched)
		if AreColumns(r.Metrics) {
			continue
		}
		if c == "" {
			refused[i] = inputf("got an empty label")
		} else if _, ok := canonical(matched); r.Match == form.Value && !ok {
			refused[i] = inputf("got the label %s, want a number, as numbers are matched", shown(c))
		} else if !r.takes(matched) {
			refused[i] = inputf("got the label %s, want %s", shown(c), r.declared())
		}
	}
	right := make([]mark, len(l.class))
	for row, c := range l.class {
		if refused[c] != nil {
			return nil, inputf("labels: id %s: %v", shown(l.IDs[row]), refused[c])
		}
		right[row] = marks[c]
	}
	return right, nil
}

// truths are the truths of the rows as numbers in [0,1] where a metric asks for them: 1 for the positive class and 0
// for others, or the labels as shares of the range, to which they are clipped.
func (r Reader) truths(l *Labels, right []mark) ([]float64, error) {
	needed := r.Units.Positive != ""
	for _, name := range r.Metrics {
		m, _ := metric.Of(name)
		needed = needed || m.Reads == metric.Forecast
	}
	if !needed {
		return nil, nil
	}
	truth := make([]float64, len(right))
	if r.Units.Positive != "" {
		positive := markOf(Normalized(r.Match, r.Units.Positive))
		for row := range right {
			truth[row] = right[row].equals(positive)
		}
		return truth, nil
	}
	numbers := make([]float64, len(l.classes))
	wrong := make([]bool, len(l.classes))
	for i, said := range l.classes {
		x, ok := text.Decimal(strings.TrimSpace(said))
		numbers[i], wrong[i] = shareOf(r.Units, x), !ok
	}
	for row, c := range l.class {
		if wrong[c] {
			return nil, inputf("labels: id %s: got the label %s, want a number, or --positive for probabilities of a class",
				shown(l.IDs[row]), shown(l.classes[c]))
		}
		truth[row] = numbers[c]
	}
	return truth, nil
}
