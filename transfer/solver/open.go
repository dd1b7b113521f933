package solver

import (
	"github.com/dpcalc/dpcalc/transfer/goal"
	"github.com/dpcalc/dpcalc/transfer/open"
	"github.com/dpcalc/dpcalc/transfer/tail"
)

// OpenTails returns the tails of n rows of a goal, of which the one that says most counts.
func OpenTails(g goal.Goal, n int64) []open.Planned {
	of := func(rows func(entropic float64, alike bool) open.Planned) open.Planned {
		return open.Of(g.Sample, n, rows)
	}
	list := []open.Planned{of(func(rows float64, alike bool) open.Planned {
		switch {
		case g.Query.IsSigned():
			return open.Around{Margin: open.Differences{Rows: rows, Disagreement: g.MayDiffer()}}
		case g.Query.IsZeroOne() && n <= 1<<52:
			return open.ZeroOne{Rows: n}
		}
		return open.InUnit(rows, alike)
	})}
	if g.Query.IsSigned() && tail.CountsAlike(g.Sample) { // (1+f)/2
		list = append(list, of(func(rows float64, alike bool) open.Planned {
			return open.Decided{Rows: int64(rows), Count: int64(rows), Among: open.InUnit(rows, alike)}
		}))
	}
	switch known := g.SpreadKnown().(type) {
	case tail.Moment:
		list = append(list, of(func(rows float64, _ bool) open.Planned {
			return open.Around{Margin: open.KnownVariance{Rows: rows, Variance: known.Most, Lowest: -1}}
		}))
	case tail.Kept:
		list = append(list, of(func(rows float64, _ bool) open.Planned {
			return open.Around{Margin: open.Kept{Rows: rows, Most: known.Most}}
		}))
	case tail.Skewed:
		list = append(list, of(func(rows float64, _ bool) open.Planned {
			return open.Around{Margin: open.KnownVariance{Rows: rows, Variance: known.Most * (1 - known.Most) * (1 + 1e-15)}}
		}))
	}
	return list
}

// RatioGate returns the tails of a gate of a ratio at a bar, on n rows.
func RatioGate(r goal.Ratio, n int64, bar float64) open.RatioGate {
	adds := open.Adds{Both: r.Both, FalsePositive: r.FalsePositive, FalseNegative: r.FalseNegative}
	return open.RatioGate{Ratio: open.Ratio{Rows: n, Positive: r.Predicted(n), Adds: adds}, Bar: bar}
}
