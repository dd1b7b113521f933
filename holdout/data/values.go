package data

import "github.com/dpcalc/dpcalc/metric"

// Values are the values of a submission in every row: the number of a prediction, or the value of a metric.
type Values struct {
	Rows   *Roster
	Metric string
	Kind   metric.Metric
	Of     []float64
	Counts Counts
	Bar    float64 // of a gate of a ratio

	texts []string // the different predictions, as they are matched; nil where numbers are read
	marks []mark   // of the texts
	class string   // the positive class, as it is matched
	clip  float64  // the greatest log-loss
}

// Counts describe a submission without any label.
type Counts struct {
	Rows     int64
	Empty    int64  // predictions of blanks or nothing
	Distinct int64  // different predictions or values
	Remark   string // why all predictions may be wrong, "" for nothing
}

// Fingerprint returns the digest of the metric, every id with its value, and the rest.
func (v *Values) Fingerprint(rest ...string) string {
	d := NewDigest("dpcalc look 1")
	d.Text(v.Metric)
	for _, i := range v.Rows.Order {
		x := v.Of[i]
		d.Text(v.Rows.IDs[i])
		if v.Reads(metric.Text) {
			d.Text(v.texts[int(x)])
		} else {
			d.Number(x + 0) // -0 is 0
		}
	}
	for _, r := range rest {
		d.Text(r)
	}
	return d.Sum()
}

// Differ counts the rows of which two submissions do not say the same.
func (v *Values) Differ(other *Values) (count int) {
	for row := range v.Of {
		if !v.Agrees(row, other) {
			count++
		}
	}
	return count
}

// Agrees reports whether two submissions say the same of a row.
func (v *Values) Agrees(row int, other *Values) bool {
	x, y := v.Of[row], other.Of[row]
	if v.Reads(metric.Text) {
		return v.texts[int(x)] == other.texts[int(y)]
	}
	return x == y
}

// HasTexts reports whether predictions were read that are texts.
func (v *Values) HasTexts() bool { return v.Reads(metric.Text) && v.texts != nil }

// Reads reports what the metric reads.
func (v *Values) Reads(what metric.Reads) bool { return v.Kind.Reads == what }

// IsPositive reports whether a row is predicted positive.
func (v *Values) IsPositive(row int) bool { return v.texts[int(v.Of[row])] == v.class }

// Loss returns the loss of a row at a truth in [0,1], as a share of the greatest.
func (v *Values) Loss(row int, y float64) float64 { return v.Kind.Loss(v.Of[row], y, v.clip) }

// Bins is how many bins losses have: the cells of the greater probability, from 1/2 to 1.
const Bins = 64

// Bins counts some rows by their greater probability, all for nil.
func (v *Values) Bins(rows []int32) []int64 {
	counts := make([]int64, Bins)
	v.Each(rows, func(row int) {
		x := v.Of[row]
		counts[min(Bins-1, int((max(x, 1-x)-0.5)*2*Bins))]++
	})
	return counts
}

// Each visits some rows, all for nil.
func (v *Values) Each(rows []int32, visit func(row int)) {
	if rows == nil {
		for row := range v.Of {
			visit(row)
		}
	}
	for _, row := range rows {
		visit(int(row))
	}
}

// ByID returns the values of a column by their ids.
func (v *Values) ByID() map[string]float64 {
	of := make(map[string]float64, len(v.Of))
	for row, id := range v.Rows.IDs {
		of[id] = v.Of[row]
	}
	return of
}

// With returns a copy with other values of the same column, by their ids. Missing is an id that has none, "" for none.
func (v *Values) With(of map[string]float64) (other Values, missing string) {
	other = *v
	other.Of = make([]float64, len(v.Rows.IDs))
	for row, id := range v.Rows.IDs {
		x, ok := of[id]
		if other.Of[row] = x; !ok && missing == "" {
			missing = id
		}
	}
	return other, missing
}
