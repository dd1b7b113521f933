package data

import (
	"cmp"
	"errors"
	"math"
	"slices"
	"strings"

	"github.com/dpcalc/dpcalc/holdout/form"
	"github.com/dpcalc/dpcalc/internal/text"
	"github.com/dpcalc/dpcalc/metric"
)

// Reader reads submissions. It has no label, and whether it accepts or refuses depends on none.
type Reader struct {
	Rows    *Roster
	Match   form.Match
	Classes []string // the predictions that are declared; nil if any text is one
	Whose   string   // ids are wanted, for errors; "" for the ids of the labels
	Units   form.Units
	Metrics []string // that a look may ask
}

// Read reads a submission: every id of the rows once, with a prediction or with a number in [0,1].
func (r Reader) Read(name string, binary bool, t Table) (Values, error) {
	ids := r.Rows.IDs
	v := Values{Rows: r.Rows, Metric: name, Of: make([]float64, len(ids)), clip: r.Units.MostLoss()}
	if _, err := r.Units.Column(name); err != nil {
		return v, err
	}
	v.Kind, _ = metric.Of(name)
	v.class = Normalized(r.Match, r.Units.Positive)
	for i := range v.Of {
		v.Of[i] = math.NaN()
	}
	cell := r.textCell(&v)
	if !v.Reads(metric.Text) {
		cell = r.numberCell(&v, binary)
	}
	var surplus, doubled, missing idSample
	next := 0 // most files have the order of the ids
	err := t(func(id, text string) error {
		i := r.Rows.Order[min(next, len(ids)-1)]
		if ids[i] == id {
			next++
		} else {
			i = r.Rows.Find(id)
		}
		if i < 0 || int(i) >= len(ids) {
			surplus.add(id)
			return nil
		}
		if !math.IsNaN(v.Of[i]) {
			doubled.add(id)
			return nil
		}
		x, err := cell(text)
		if err != nil {
			return inputf("id %s: %v", shown(id), err)
		}
		v.Of[i] = x
		return nil
	})
	more := (*surplusError)(nil)
	if err != nil && !errors.As(err, &more) {
		return v, err
	}
	for _, i := range r.Rows.Order {
		if more == nil && math.IsNaN(v.Of[i]) {
			missing.add(ids[i])
		}
	}
	var wrong []string
	if more != nil { // it was not read to its end
		wrong = append(wrong, more.Error())
	}
	for _, s := range []struct {
		idSample
		word string
	}{{missing, "missing"}, {surplus, "surplus"}, {doubled, "doubled"}} {
		if s.count > 0 {
			wrong = append(wrong, s.text(s.word))
		}
	}
	if wrong != nil {
		return v, inputf("got %s, want every id of the %s once", strings.Join(wrong, ", "), cmp.Or(r.Whose, "labels"))
	}
	v.Counts.Rows, v.Counts.Distinct = int64(len(ids)), int64(len(v.texts))
	if v.Counts.Remark = r.remark(&v); !v.Reads(metric.Text) {
		v.Counts.Distinct = int64(len(slices.Compact(slices.Sorted(slices.Values(v.Of)))))
	}
	return v, nil
}

// textCell reads a prediction as its number. It may be any text, or one of the declared classes.
func (r Reader) textCell(v *Values) func(string) (float64, error) {
	number := make(map[string]float64)
	return func(text string) (float64, error) {
		if strings.TrimSpace(text) == "" {
			v.Counts.Empty++
		}
		matched := Normalized(r.Match, text)
		x, ok := number[matched]
		if !ok {
			if !r.takes(matched) {
				return 0, inputf("got the prediction %s, want %s%s", shown(text), r.declared(), asNumber([]string{text}, r.Classes))
			}
			matched, x = strings.Clone(matched), float64(len(v.texts))
			number[matched] = x
			v.texts, v.marks = append(v.texts, matched), append(v.marks, markOf(matched))
		}
		return x, nil
	}
}

// numberCell reads a value of a metric, a number or a probability. Numbers are clipped to their range.
func (r Reader) numberCell(v *Values, binary bool) func(string) (float64, error) {
	lowest, highest := 0., 1.
	number := v.Reads(metric.Forecast) && r.Units.Positive == ""
	switch {
	case v.Reads(metric.Number) || number:
		lowest, highest = r.Units.Interval()
	case v.Reads(metric.Score):
		lowest, highest = -math.MaxFloat64, math.MaxFloat64
	}
	return func(said string) (float64, error) {
		x, ok := text.Decimal(said)
		x = snapped(x, lowest, highest)
		switch {
		case ok && number:
			return shareOf(r.Units, x), nil
		case number || !ok && v.Reads(metric.Score):
			return 0, inputf("got the value %s, want a number", shown(said))
		case !ok || !(x >= lowest && x <= highest):
			return 0, inputf("got the value %s, want a number in [%v, %v]", shown(said), lowest, highest)
		case binary && x != lowest && x != highest:
			return 0, inputf("got the value %s, want %v or %v as the plan is for 0/1 queries", shown(said), lowest, highest)
		case v.Reads(metric.Number):
			return shareOf(r.Units, x), nil
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

// shareOf is a number as a share of the range, to which it is clipped.
func shareOf(u form.Units, x float64) float64 {
	lowest, highest := u.Interval()
	if u.Range == nil {
		return min(max(x, 0), 1)
	}
	return min(max((x-lowest)/(highest-lowest), 0), 1)
}

// IsColumn reports whether a metric reads a column of values.
func IsColumn(name string) bool {
	m, _ := metric.Of(name)
	return m.Reads == metric.Number
}

// AreColumns reports whether metrics are columns alone, so that labels are not needed.
func AreColumns(metrics []string) bool {
	return len(metrics) > 0 && !slices.ContainsFunc(metrics, func(name string) bool { return !IsColumn(name) })
}
