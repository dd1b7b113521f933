package open

import (
	"math"

	"github.com/dpcalc/dpcalc/transfer/tail"
)

// Hoeffding is a query of a sample whose rows are worth more in Hoeffding's exponent than in a relative entropy:
// clusters of unequal weight, or a subset of a benchmark. Its ends are the ends of Nearer, which has the rows that the
// relative entropy may count, or x - s and x + s where these are nearer,
//
//	2 Rows (s/D)^2 = ln 1/q,
//
// D being the length of the range. Source: docs/theorems/samples.md.
type Hoeffding struct {
	Nearer Planned
	Rows   float64
}

func (v Hoeffding) Range() (lowest, highest float64) { return v.Nearer.Range() }
func (v Hoeffding) Edge(x float64) float64           { return v.Nearer.Edge(x) }

func (v Hoeffding) Lower(x, lnLevel float64) float64 {
	lower := v.Nearer.Lower(x, lnLevel)
	if lowest, _ := v.Range(); x <= lowest {
		return lower
	}
	return max(lower, math.Nextafter(x-v.margin(lnLevel), -2))
}

func (v Hoeffding) Upper(x, lnLevel float64) float64 {
	lowest, _ := v.Range()
	return min(v.Nearer.Upper(x, lnLevel), math.Nextafter(max(x, lowest)+v.margin(lnLevel), 2))
}

func (v Hoeffding) Pass(bar, lnLevel float64) (float64, bool) {
	x, ok := v.Nearer.Pass(bar, lnLevel)
	if lowest, _ := v.Range(); bar <= lowest {
		return x, ok
	}
	cut, close := leastPass(v, bar, v.margin(lnLevel), lnLevel)
	if cut = v.Edge(cut); close && (!ok || cut < x) {
		return cut, true
	}
	return x, ok
}

// Widest returns Nearer's, or the two margins and the gap where they are less. An upper end counts from the edge
// itself, which is less than 1/n beyond where counts part.
func (v Hoeffding) Widest(lnLow, lnHigh, gap float64) float64 {
	nearer := v.Nearer.Widest(lnLow, lnHigh, gap)
	if counts, ok := v.Nearer.(ZeroOne); ok {
		gap += 1 / float64(counts.Rows)
	}
	return min(nearer, v.margin(lnLow)+v.margin(lnHigh)+gap+1e-15)
}

// margin returns s, rounded up.
func (v Hoeffding) margin(lnLevel float64) float64 {
	lowest, highest := v.Range()
	return (highest-lowest)*math.Sqrt(-lnLevel/2/v.Rows)*(1+1e-15) + 1e-15
}

// Of returns the tails of a query of n rows that were drawn as a sample, nil for independent rows of equal weight. As
// many rows as the relative entropy may count have the tails that rows returns, given also whether they count alike.
func Of(sample tail.Sample, n int64, rows func(entropic float64, alike bool) Planned) Planned {
	if sample == nil {
		return rows(float64(n), true)
	}
	worth := sample.Worth(n)
	return Hoeffding{Nearer: rows(worth.Entropic, tail.CountsAlike(sample)), Rows: worth.Gaussian}
}
