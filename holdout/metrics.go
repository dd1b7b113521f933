package holdout

import (
	"math"

	"github.com/dpcalc/dpcalc/holdout/ask"
	"github.com/dpcalc/dpcalc/holdout/data"
	"github.com/dpcalc/dpcalc/metric"
	"github.com/dpcalc/dpcalc/transfer"
	"github.com/dpcalc/dpcalc/transfer/open"
)

// leastClip is the least clip of a log-loss.
const leastClip = 1e-6

// checkUnits checks the units for the metrics that are declared.
func checkUnits(u Units, metrics []string) error {
	if r := u.Range; r != nil {
		if !(transfer.Range{From: r[0], To: r[1]}).Valid() {
			return inputf("range: got %v to %v, want %s", r[0], r[1], transfer.WantRange)
		}
	}
	if u.Clip != 0 && !(u.Clip >= leastClip && u.Clip <= 1000) {
		return inputf("clip: got %v, want a log-loss in [%v, 1000]", u.Clip, leastClip)
	}
	class, scaled, logs := false, false, false
	for _, name := range metrics {
		m, _ := metric.Of(name)
		if m.Class && u.Positive == "" {
			return inputf("positive: got nothing, want the label that counts as positive for %s", name)
		}
		class = class || m.Class || m.Reads == metric.Forecast
		scaled = scaled || m.Reads == metric.Number || m.Reads == metric.Forecast
		logs = logs || m.Name == "log-loss"
		if m.Reads == metric.Forecast && u.Positive != "" && u.Range != nil {
			return inputf("range: got one with a positive class, want one of the two for %s: probabilities are in [0, 1]", name)
		}
	}
	switch {
	case u.Positive != "" && !class:
		return inputf("positive: got %s, want --metrics with a metric of two classes too", shown(u.Positive))
	case u.Probability != "" && (u.Positive == "" || !class):
		return inputf("probability: got %s, want --positive and --metrics with a metric of probabilities too", shown(u.Probability))
	case u.Range != nil && !scaled:
		return inputf("range: got one, want --metrics with column:NAME or a metric of numbers too")
	case u.Clip != 0 && !logs:
		return inputf("clip: got %v, want --metrics log-loss too", u.Clip)
	}
	return nil
}

// Served are the metrics that a ledger computes itself from predictions: a column would be a submitter's word.
func (p *Plan) Served() (names []string) {
	if p.Metrics == nil {
		return []string{Accuracy}
	}
	for _, name := range p.Metrics {
		if m, _ := metric.Of(name); m.Reads != metric.Number {
			names = append(names, name)
		}
	}
	return names
}

// scale is how a person reads a mean of values in [0,1], or a difference of two. The coordinate of a value rises with
// it: the number that a person reads, or less it where less is better.
type scale struct {
	lowest, span float64
	less, root   bool
	compared     bool
}

func (p *Plan) scale(name string) scale {
	m, _ := metric.Of(name)
	lowest, highest := p.Units.Interval()
	s := scale{span: 1, less: m.Less, root: m.Root, compared: p.Compares()}
	switch {
	case m.Reads == metric.Number:
		s.lowest, s.span = lowest, highest-lowest
	case m.Reads == metric.Probability:
		s.span = p.Units.MostLoss()
	case m.Root:
		s.span = highest - lowest
	case m.Reads == metric.Forecast:
		s.span = (highest - lowest) * (highest - lowest)
	}
	return s
}

// plain reports whether a person reads the value itself.
func (s scale) plain() bool { return s.lowest == 0 && s.span == 1 && !s.less }

// ends are the ends of what a person reads.
func (s scale) ends() ask.Ends {
	if s.compared {
		return ask.Ends{Lowest: -s.span, Highest: s.span}
	}
	return ask.Ends{Lowest: s.lowest, Highest: s.lowest + s.span}
}

// margin is how far a truth may be from its bar where its value may be that far.
func (s scale) margin(m float64) float64 {
	if s.root {
		return s.span * math.Sqrt(m) // sqrt(x+m) - sqrt(x) <= sqrt(m)
	}
	return s.span * m
}

// read turns a coordinate into what a person reads, or back.
func (s scale) read(x *float64) *float64 {
	if x == nil || !s.less {
		return x
	}
	y := 0 - *x
	return &y
}

// coordinate is that of a value.
func (s scale) coordinate(u float64) float64 {
	switch {
	case s.compared:
		return s.span * u
	case s.root:
		return -s.span * math.Sqrt(max(0, 1-u))
	case s.less:
		return -s.span * (1 - u)
	}
	return s.lowest + s.span*u
}

// value is the value with a coordinate. Beyond the ends it is beyond them too.
func (s scale) value(x float64) float64 {
	switch {
	case s.compared:
		return x / s.span
	case s.root && x > 0:
		return math.Nextafter(1, 2)
	case s.root:
		return 1 - x/s.span*(x/s.span)
	case s.less:
		return 1 + x/s.span
	}
	return (x - s.lowest) / s.span
}

// scaled are tails in the coordinates of a scale. What a rounding moves is added to the error of the mean.
type scaled struct {
	open.Tails
	scale
}

// mapped are the tails in the coordinates of the scale.
func (s scale) mapped(t open.Tails) open.Tails {
	if s.plain() {
		return t
	}
	return scaled{open.Rounded{Tails: t, By: 0x1p-48 * (1 + math.Abs(s.lowest)/s.span)}, s}
}

// Range returns the ends of the coordinates.
func (t scaled) Range() (lowest, highest float64) {
	lowest, highest = t.Tails.Range()
	return t.coordinate(lowest), t.coordinate(highest)
}

// Edge returns x.
func (t scaled) Edge(x float64) float64 { return x }

// Lower returns the lower end, rounded down.
func (t scaled) Lower(x, lnLevel float64) float64 {
	lowest, _ := t.Range()
	return max(lowest, min(x, t.down(t.Tails.Lower(t.value(x), lnLevel))))
}

// Upper returns the upper end, rounded up.
func (t scaled) Upper(x, lnLevel float64) float64 {
	_, highest := t.Range()
	return min(highest, max(x, t.up(t.Tails.Upper(t.value(x), lnLevel))))
}

// Pass returns about the least edge whose lower end is the bar.
func (t scaled) Pass(bar, lnLevel float64) (float64, bool) {
	_, highest := t.Range()
	u, ok := t.Tails.Pass(t.value(bar), lnLevel)
	if !ok {
		return 0, false
	}
	x := t.coordinate(u)
	for step := (math.Abs(x) + t.span) * 0x1p-50; x < highest; x, step = x+step, 2*step {
		if t.Lower(x, lnLevel) >= bar {
			return x, true
		}
	}
	return highest, t.Lower(highest, lnLevel) >= bar
}

// down and up round a coordinate by what its value may be off.
func (t scaled) down(u float64) float64 {
	return t.coordinate(u-0x1p-50) - (math.Abs(t.lowest)+t.span)*0x1p-50
}
func (t scaled) up(u float64) float64 {
	return t.coordinate(u+0x1p-50) + (math.Abs(t.lowest)+t.span)*0x1p-50
}

// ratioGate is a gate of the first code at a bar of a ratio N/D: the mean of N - bar D over all rows, as a value in
// [0,1]. A pass says that the ratio is above the bar; what fails has N - bar D of at most u, so that the ratio is at
// most bar + u/E D.
type ratioGate struct {
	open.Tails // of the value
	metric.Ratio
	bar, least float64 // least is what D is known to be at least, 0 if nothing is known
}

// Range returns 0 and 1: the ratio.
func (ratioGate) Range() (lowest, highest float64) { return 0, 1 }

// Lower returns the bar where the value passes, and else 0.
func (g ratioGate) Lower(x, lnLevel float64) float64 {
	if g.Tails.Lower(x, lnLevel) >= g.Even(g.bar)*(1+0x1p-50) {
		return g.bar
	}
	return 0
}

// Upper returns the most that a ratio may be that fails.
func (g ratioGate) Upper(x, lnLevel float64) float64 {
	above := (g.Tails.Upper(x, lnLevel) - g.Even(g.bar)*(1-0x1p-50)) * g.Width(g.bar)
	if g.least == 0 || !(above >= 0) {
		return 1
	}
	return min(1, (g.bar+above/g.least)*(1+0x1p-48))
}

// Pass returns the least value that passes.
func (g ratioGate) Pass(_, lnLevel float64) (float64, bool) {
	return g.Tails.Pass(g.Even(g.bar)*(1+0x1p-49), lnLevel)
}

// ratioTails are those of the ratio itself by the first code: it is at least x where the mean of N - x D is at least 0.
type ratioTails struct {
	rows, least float64
	metric.Ratio
}

// Range returns 0 and 1.
func (ratioTails) Range() (lowest, highest float64) { return 0, 1 }

// Edge returns x.
func (ratioTails) Edge(x float64) float64 { return x }

// Lower returns x less what N - x D may be above its expectation, over what D is at least.
func (t ratioTails) Lower(x, lnLevel float64) float64 {
	even := t.Even(min(max(x, 0), 1))
	short := even - open.Unit{Rows: t.rows}.Lower(even*(1-0x1p-49), lnLevel)
	return min(x, max(0, x-short*t.Width(min(max(x, 0), 1))/t.least*(1+0x1p-48)))
}

// Upper returns x and the same on the other side.
func (t ratioTails) Upper(x, lnLevel float64) float64 {
	even := t.Even(min(max(x, 0), 1))
	above := open.Unit{Rows: t.rows}.Upper(even*(1+0x1p-49), lnLevel) - even
	return max(x, min(1, x+above*t.Width(min(max(x, 0), 1))/t.least*(1+0x1p-48)))
}

// Pass is of no use: a gate asks a linear query at its bar.
func (ratioTails) Pass(_, _ float64) (float64, bool) { return 0, false }

// moved is the cut of a gate of a ratio as the mean of N - bar D.
func (g ratioGate) moved(x *float64) *float64 {
	if x == nil {
		return nil
	}
	y := (*x - g.Even(g.bar)) * g.Width(g.bar)
	return &y
}

// moment is the mean of the greatest square that the difference of two losses can have, whatever the truths are: the
// difference of squares is linear in the truth, and a class has two. The mean is over the records of the look or, of a
// benchmark, over all rows of the submission: which items of a benchmark have labels is not told. A cluster counts with
// the mean over its rows, which is at least the square of its mean. Where predictions fix the intervals of the rows it
// is the mean square of half of their lengths, which is less.
func (l look) moment(p *Plan) float64 {
	if p.design().Secret() {
		l.records = records{}
	}
	sum, n := 0., float64(l.count()+len(l.values.Of))
	for i := range l.count() {
		sum += l.record(i, func(row int) float64 {
			gap := func(y float64) float64 { return l.base.Loss(row, y) - l.values.Loss(row, y) }
			most, half := max(math.Abs(gap(0)), math.Abs(gap(1))), (gap(0)-gap(1))/2
			if p.fixes() {
				return half * half
			}
			return most * most
		})
	}
	return min(1, sum/float64(l.count())*(1+2e-16*(n+8)))
}

// binned reports whether a look by a metric stores bins: where the label has one of two losses, which predictions fix.
func (p *Plan) binned(name string) bool {
	kind, _ := metric.Of(name)
	alone := p.Positive != "" && !p.Compares()
	return p.fixes() && kind.Loss != nil && alone
}

// bins reports whether counts are the bins of so many rows, or none where there are none.
func (p *Plan) bins(name string, rows int64, counts []int64) bool {
	if !p.binned(name) {
		return counts == nil
	}
	for _, n := range counts {
		if n < 0 || n > rows {
			return false
		}
		rows -= n
	}
	return rows == 0 && len(counts) == data.Bins
}

// intervals are what the values of rows in bins can be, rounded outwards.
func (p *Plan) intervals(l Line) (v open.Binned) {
	kind, _ := metric.Of(l.Metric)
	for i, n := range l.Bins {
		most := (1 + float64(i+1)/data.Bins) / 2
		value := func(y float64) float64 { return 1 - kind.Loss(most, y, p.Units.MostLoss()) }
		if n > 0 {
			v = append(v, open.Bin{Rows: n, Low: value(0) - 0x1p-50, High: value(1) + 0x1p-50})
		}
	}
	return v
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

// measuredTails are the tails of ratios and of losses in bins, nil for other means.
func (p *Plan) measuredTails(l Line) open.Tails {
	n := float64(l.Rows)
	mean := func(t open.Tails) open.Tails { return open.Rounded{Tails: t, By: 1.1 * 0x1p-53 * (n + 1)} }
	kind, _ := metric.Of(l.Metric)
	least := float64(l.Positive) / n * (1 - 0x1p-50)
	if kind.Ratio != nil && p.Open.Sharp() {
		ratio := open.Ratio{Rows: l.Rows, Positive: l.Positive, Adds: open.Adds(*kind.Ratio)}
		if l.Show != ShowPass {
			return ratio
		}
		return open.Rounded{Tails: open.RatioGate{Ratio: ratio, Bar: *l.Bar}, By: 0x1p-50} // N and D are whole numbers
	}
	switch {
	case l.Bins != nil:
		return p.scale(l.Metric).mapped(mean(p.intervals(l)))
	case kind.Ratio != nil && l.Show == ShowPass:
		value := mean(open.Rounded{Tails: open.Unit{Rows: n}, By: 0x1p-49})
		return ratioGate{Tails: value, Ratio: *kind.Ratio, bar: *l.Bar, least: least}
	case kind.Ratio != nil:
		return ratioTails{rows: n, least: least, Ratio: *kind.Ratio}
	}
	return nil
}
