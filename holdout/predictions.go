package holdout

import (
	"cmp"
	"errors"
	"math"
	"slices"
	"strings"

	"github.com/dpcalc/dpcalc/internal/text"
	"github.com/dpcalc/dpcalc/metric"
)

// Accuracy is the metric of the share of right predictions.
const Accuracy = metric.Accuracy

// reader reads submissions. It has no label, and whether it accepts or refuses depends on none.
type reader struct {
	rows    *roster
	match   Match
	classes []string // the predictions that are declared; nil if any text is one
	whose   string   // ids are wanted, for errors; "" for those of the labels
	units   Units
	metrics []string // that a look may ask
}

// values are the values of a submission in every row: the number of a prediction, or the value of a metric.
type values struct {
	rows   *roster
	metric string
	kind   metric.Metric
	of     []float64
	texts  []string // the different predictions, as they are matched; nil where numbers are read
	marks  []mark   // of the texts
	counts Counts
	class  string  // the positive class, as it is matched
	clip   float64 // the greatest log-loss
	bar    float64 // of a gate of a ratio
}

// Counts describe a submission without any label.
type Counts struct {
	Rows     int64
	Empty    int64  // predictions of blanks or nothing
	Distinct int64  // different predictions or values
	Remark   string // why all predictions may be wrong, "" for nothing
}

// read reads a submission: every id of the rows once, with a prediction or with a number in [0,1].
func (r reader) read(name string, binary bool, t Table) (values, error) {
	ids := r.rows.ids
	v := values{rows: r.rows, metric: name, of: make([]float64, len(ids)), clip: cmp.Or(r.units.Clip, usualClip)}
	if _, err := r.units.Column(name); err != nil {
		return v, err
	}
	v.kind, _ = metric.Of(name)
	v.class = normalized(r.match, r.units.Positive)
	for i := range v.of {
		v.of[i] = math.NaN()
	}
	cell := r.textCell(&v)
	if !v.reads(metric.Text) {
		cell = r.numberCell(&v, binary)
	}
	var surplus, doubled, missing some
	next := 0 // most files have the order of the ids
	err := t(func(id, text string) error {
		i := r.rows.order[min(next, len(ids)-1)]
		if ids[i] == id {
			next++
		} else {
			i = r.rows.at.find(id)
		}
		if i < 0 || int(i) >= len(ids) {
			surplus.add(id)
			return nil
		}
		if !math.IsNaN(v.of[i]) {
			doubled.add(id)
			return nil
		}
		x, err := cell(text)
		if err != nil {
			return inputf("id %s: %v", shown(id), err)
		}
		v.of[i] = x
		return nil
	})
	more := (*surplusError)(nil)
	if err != nil && !errors.As(err, &more) {
		return v, err
	}
	for _, i := range r.rows.order {
		if more == nil && math.IsNaN(v.of[i]) {
			missing.add(ids[i])
		}
	}
	var wrong []string
	if more != nil { // it was not read to its end
		wrong = append(wrong, more.Error())
	}
	for _, s := range []struct {
		some
		word string
	}{{missing, "missing"}, {surplus, "surplus"}, {doubled, "doubled"}} {
		if s.count > 0 {
			wrong = append(wrong, s.text(s.word))
		}
	}
	if wrong != nil {
		return v, inputf("got %s, want every id of the %s once", strings.Join(wrong, ", "), cmp.Or(r.whose, "labels"))
	}
	v.counts.Rows, v.counts.Distinct = int64(len(ids)), int64(len(v.texts))
	if v.counts.Remark = r.remark(&v); !v.reads(metric.Text) {
		v.counts.Distinct = int64(len(slices.Compact(slices.Sorted(slices.Values(v.of)))))
	}
	return v, nil
}

// textCell reads a prediction as its number. It may be any text, or one of the declared classes.
func (r reader) textCell(v *values) func(string) (float64, error) {
	number := make(map[string]float64)
	return func(text string) (float64, error) {
		if strings.TrimSpace(text) == "" {
			v.counts.Empty++
		}
		matched := normalized(r.match, text)
		x, ok := number[matched]
		if !ok {
			if !r.takes(matched) {
				return 0, inputf("got the prediction %s, want %s%s", shown(text), r.declared(), asNumber([]string{text}, r.classes))
			}
			matched, x = strings.Clone(matched), float64(len(v.texts))
			number[matched] = x
			v.texts, v.marks = append(v.texts, matched), append(v.marks, markOf(matched))
		}
		return x, nil
	}
}

// reads reports what the metric reads.
func (v *values) reads(what metric.Reads) bool { return v.kind.Reads == what }

// numberCell reads a value of a metric, a number or a probability. Numbers are clipped to their range.
func (r reader) numberCell(v *values, binary bool) func(string) (float64, error) {
	lowest, highest := 0., 1.
	number := v.reads(metric.Forecast) && r.units.Positive == ""
	switch {
	case v.reads(metric.Number) || number:
		lowest, highest = r.units.Interval()
	case v.reads(metric.Score):
		lowest, highest = -math.MaxFloat64, math.MaxFloat64
	}
	return func(said string) (float64, error) {
		x, ok := text.Decimal(said)
		x = snapped(x, lowest, highest)
		switch {
		case ok && number:
			return shareOf(r.units, x), nil
		case number || !ok && v.reads(metric.Score):
			return 0, inputf("got the value %s, want a number", shown(said))
		case !ok || !(x >= lowest && x <= highest):
			return 0, inputf("got the value %s, want a number in [%v, %v]", shown(said), lowest, highest)
		case binary && x != lowest && x != highest:
			return 0, inputf("got the value %s, want %v or %v as the plan is for 0/1 queries", shown(said), lowest, highest)
		case v.reads(metric.Number):
			return shareOf(r.units, x), nil
		}
		return x, nil
	}
}

// overshoot is how far beyond its range a value may be, as a share of it: a mean that floating point has rounded.
const overshoot = 1e-9

// snapped is a number, or the end of the range that it is beyond by less than that.
func snapped(x, lowest, highest float64) float64 {
	if end := min(max(x, lowest), highest); math.Abs(x-end) < overshoot*(highest-lowest) {
		return end
	}
	return x
}

// fingerprint is the digest of the metric, every id with its value, and the rest.
func (v values) fingerprint(rest ...string) string {
	d := newDigest("dpcalc look 1")
	d.text(v.metric)
	for _, i := range v.rows.order {
		x := v.of[i]
		d.text(v.rows.ids[i])
		if v.reads(metric.Text) {
			d.text(v.texts[int(x)])
		} else {
			d.number(x + 0) // -0 is 0
		}
	}
	for _, r := range rest {
		d.text(r)
	}
	return d.sum()
}

// differ counts the rows of which two submissions do not say the same.
func (v values) differ(other values) (count int) {
	for i, x := range v.of {
		if y := other.of[i]; !v.same(x, other, y) {
			count++
		}
	}
	return count
}

// same reports whether a value is one of other values.
func (v values) same(x float64, other values, y float64) bool {
	if v.reads(metric.Text) {
		return v.texts[int(x)] == other.texts[int(y)]
	}
	return x == y
}

// score is the value of a row in [0,1], of which more is better: 1 for a right prediction and 0 for a wrong one, the
// value of a column, 1 less a loss, or the value of a ratio at its bar. It takes the same steps whatever the right
// answer is.
func (v *values) score(row int, a answers) float64 {
	switch {
	case v.kind.Ratio != nil:
		n, d := v.kind.Ratio.Row(v.positive(row), a.truth[row])
		return v.kind.Ratio.At(v.bar, n, d)
	case v.kind.Loss != nil:
		return 1 - v.loss(row, a.truth[row])
	case v.reads(metric.Number):
		return v.of[row]
	}
	return v.marks[int(v.of[row])].equals(a.right[row])
}

// answers are what predictions are scored by.
type answers struct {
	right []mark    // the right predictions of the rows
	truth []float64 // their truths as numbers in [0,1], nil where no metric asks for them
}
