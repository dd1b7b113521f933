package open

import (
	"math"

	"github.com/dpcalc/dpcalc/internal/num"
)

// Convex is a query with values in [0,1] on independent rows that count alike. Its ends are the p below and above x at
// which the convex tail of n rows is the level,
//
//	P[mean >= x] <= min over whole t, 0 <= t < nx, of E(B-t)_+/(nx-t) = q,   B of the law Bin(n,p),
//
// and the mirror. They are nowhere farther than the ends of [Unit]. Source: docs/theorems/feedback.md#convex-tail.
type Convex struct {
	unitRange
	Rows int64
}

// InUnit returns the tails of values in [0,1] on so many rows: the sharper ones if these count alike.
func InUnit(rows float64, alike bool) Planned {
	if alike {
		return Convex{Rows: int64(rows)}
	}
	return Unit{Rows: rows}
}

// Lower returns p <= x. An x above 1 is never reached.
func (v Convex) Lower(x, lnLevel float64) float64 {
	least := v.unit().Lower(x, lnLevel)
	if x <= 0 || x > 1 || least <= 0 {
		return least
	}
	return v.nearer(x, least, lnLevel)
}

// Upper returns p >= x: a mean of at most x is one of at least 1-x of what is missing from 1.
func (v Convex) Upper(x, lnLevel float64) float64 {
	most := v.unit().Upper(x, lnLevel)
	if x <= 0 || x >= 1 || most >= 1 {
		return most
	}
	return min(most, max(x, math.Nextafter(1-v.nearer(math.Nextafter(1-x, 0), 1-most, lnLevel), 1)))
}

// unit is the query for the relative entropy's bound.
func (v Convex) unit() Unit { return Unit{Rows: float64(v.Rows)} }

// nearer returns the greatest p, from the least one on, at which the tail at x is certainly no more than the level.
func (v Convex) nearer(x, least, lnLevel float64) float64 {
	shift, ok := v.shift(x-least, lnLevel, func(shift float64) (p, at float64) { return x - shift, x })
	if !ok {
		return least
	}
	return max(least, x-shift)
}

func (v Convex) Pass(bar, lnLevel float64) (float64, bool) {
	x, ok := v.unit().Pass(bar, lnLevel)
	if !ok || bar <= 0 {
		return x, ok
	}
	shift, ok := v.shift(x-bar, lnLevel, func(shift float64) (p, at float64) { return bar, bar + shift })
	if !ok {
		return x, true
	}
	return leastPass(v, bar, shift, lnLevel)
}

// shift returns the least distance of x from p, up to a known one, at which the tail is certainly no more than the
// level, to 1e-13 of it.
func (v Convex) shift(most, lnLevel float64, ends func(shift float64) (p, x float64)) (float64, bool) {
	rows := min(v.Rows, num.MostConvexRows) // the tail falls in them
	excess := func(shift float64) float64 {
		p, x := ends(shift)
		ln := num.Binomial{N: rows, P: p}.LnConvex(math.Nextafter(float64(rows)*x, 0))
		return (ln - lnLevel) / (math.Sqrt(-ln) + math.Sqrt(-lnLevel)) // close to linear
	}
	if !(most > 0) || excess(most) > 0 {
		return 0, false
	}
	return num.Interval{Hi: most}.SafeRoot(1e-13, excess), true
}
