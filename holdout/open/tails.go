package open

import (
	"math"

	"github.com/dpcalc/dpcalc/holdout/ask"
	"github.com/dpcalc/dpcalc/holdout/data"
	"github.com/dpcalc/dpcalc/holdout/form"
	"github.com/dpcalc/dpcalc/holdout/rule"
	"github.com/dpcalc/dpcalc/metric"
	"github.com/dpcalc/dpcalc/transfer/open"
)

// TailsOf returns the tails of a look's line, which depend on no label. They follow the values of its metric: counts
// for 0/1 values of equal weight, and what their expectation may be for all else.
func TailsOf(p *rule.Plan, l rule.Line) open.Tails {
	if l.Show == ask.Reject {
		return open.Evidence{}
	}
	if tails := measuredTails(p, l); tails != nil {
		return tails
	}
	tails, counted := planned(p, l, l.Rows, l.Clusters)
	if counted {
		return tails
	}
	// A difference, each sum and the divisions have an error of at most 2^-53 of a value each.
	steps := l.Rows + 1
	if l.Clusters != nil {
		steps += l.Clusters.Count + 1
	}
	return mapped(p.Scale(l.Metric), open.Rounded{Tails: tails, By: 1.1 * 0x1p-53 * float64(steps)})
}

// planned are the tails of means without rounding, and whether they are tails of counts.
func planned(p *rule.Plan, l rule.Line, rows int64, sizes *form.Sizes) (tails open.Planned, counted bool) {
	rows = p.Design().Records(rows, sizes)
	right := l.Metric == metric.Accuracy || l.Metric == metric.Precision
	decides := Decides(p, l)
	whole := l.Differ == 0 || decides && p.Decided(l.Metric)
	counted = right && whole && sizes == nil
	return open.Of(p.Design().Sample(sizes), rows, func(entropic float64, alike bool) open.Planned {
		alike = alike && p.Open.HasSharpTails()
		switch {
		case l.Moment > 0 && p.Fixes():
			return open.Around{Margin: open.Ranged{Rows: entropic, Square: l.Moment}}
		case l.Moment > 0:
			return open.Around{Margin: open.KnownVariance{Rows: entropic, Variance: l.Moment, Lowest: -1}}
		case l.RefusedAbove > 0:
			return open.Around{Margin: open.Kept{Rows: entropic, Most: l.RefusedAbove}}
		case decides && counted:
			return open.TwoClasses(rows, l.Differ)
		case decides:
			return open.Decided{Rows: rows, Count: l.Differ, Among: open.InUnit(float64(l.Differ), alike)}
		case l.Differ > 0 && alike && p.Design().Share(&l.Line) == 1: // such as two columns
			return open.Decided{Rows: int64(entropic), Count: int64(entropic), Among: open.InUnit(entropic, true)}
		case l.Differ > 0:
			return open.Around{Margin: open.Differences{Rows: entropic, Disagreement: p.Design().Share(&l.Line)}}
		case counted:
			return open.ZeroOne{Rows: rows}
		}
		return open.InUnit(entropic, alike)
	}), counted
}

// Decides reports whether predictions fix the rows on which a difference can be other than 0, and no sample does: the
// items of a benchmark that have labels were drawn, and clusters count by shares of such rows.
func Decides(p *rule.Plan, l rule.Line) bool {
	return p.Fixes() && l.Metric == metric.Accuracy && l.Differ > 0
}

// AreBins reports whether counts are the bins of so many rows, or none where there are none.
func AreBins(p *rule.Plan, name string, rows int64, counts []int64) bool {
	if !p.Binned(name) {
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
func intervals(p *rule.Plan, l rule.Line) (v open.Binned) {
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

// measuredTails are the tails of ratios and of losses in bins, nil for other means.
func measuredTails(p *rule.Plan, l rule.Line) open.Tails {
	n := float64(l.Rows)
	mean := func(t open.Tails) open.Tails { return open.Rounded{Tails: t, By: 1.1 * 0x1p-53 * (n + 1)} }
	kind, _ := metric.Of(l.Metric)
	least := float64(l.Positive) / n * (1 - 0x1p-50)
	if kind.Ratio != nil && p.Open.HasSharpTails() {
		ratio := open.Ratio{Rows: l.Rows, Positive: l.Positive, Adds: open.Adds(*kind.Ratio)}
		if l.Show != ask.Pass {
			return ratio
		}
		return open.Rounded{Tails: open.RatioGate{Ratio: ratio, Bar: *l.Bar}, By: 0x1p-50} // N and D are whole numbers
	}
	switch {
	case l.Bins != nil:
		return mapped(p.Scale(l.Metric), mean(intervals(p, l)))
	case kind.Ratio != nil && l.Show == ask.Pass:
		value := mean(open.Rounded{Tails: open.Unit{Rows: n}, By: 0x1p-49})
		return ratioGate{Tails: value, Ratio: *kind.Ratio, bar: *l.Bar, least: least}
	case kind.Ratio != nil:
		return ratioTails{rows: n, least: least, Ratio: *kind.Ratio}
	}
	return nil
}

// scaled are tails in the coordinates of a scale. What a rounding moves is added to the error of the mean.
type scaled struct {
	open.Tails
	rule.Scale
}

// mapped are the tails in the coordinates of the scale.
func mapped(s rule.Scale, t open.Tails) open.Tails {
	if s.IsPlain() {
		return t
	}
	return scaled{open.Rounded{Tails: t, By: 0x1p-48 * (1 + math.Abs(s.Lowest)/s.Span)}, s}
}

// Range returns the ends of the coordinates.
func (t scaled) Range() (lowest, highest float64) {
	lowest, highest = t.Tails.Range()
	return t.Coordinate(lowest), t.Coordinate(highest)
}

// Edge returns x.
func (t scaled) Edge(x float64) float64 { return x }

// Lower returns the lower end, rounded down.
func (t scaled) Lower(x, lnLevel float64) float64 {
	lowest, _ := t.Range()
	return max(lowest, min(x, t.down(t.Tails.Lower(t.Value(x), lnLevel))))
}

// Upper returns the upper end, rounded up.
func (t scaled) Upper(x, lnLevel float64) float64 {
	_, highest := t.Range()
	return min(highest, max(x, t.up(t.Tails.Upper(t.Value(x), lnLevel))))
}

// Pass returns about the least edge whose lower end is the bar.
func (t scaled) Pass(bar, lnLevel float64) (float64, bool) {
	_, highest := t.Range()
	u, ok := t.Tails.Pass(t.Value(bar), lnLevel)
	if !ok {
		return 0, false
	}
	x := t.Coordinate(u)
	for step := (math.Abs(x) + t.Span) * 0x1p-50; x < highest; x, step = x+step, 2*step {
		if t.Lower(x, lnLevel) >= bar {
			return x, true
		}
	}
	return highest, t.Lower(highest, lnLevel) >= bar
}

// down and up round a coordinate by what its value may be off.
func (t scaled) down(u float64) float64 {
	return t.Coordinate(u-0x1p-50) - (math.Abs(t.Lowest)+t.Span)*0x1p-50
}

func (t scaled) up(u float64) float64 {
	return t.Coordinate(u+0x1p-50) + (math.Abs(t.Lowest)+t.Span)*0x1p-50
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

// ratioTails are the tails of the ratio itself by the first code: it is at least x where the mean of N - x D is at
// least 0.
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
