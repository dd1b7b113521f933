package open

import "math"

// Bin is rows with values in one interval of [-1,1].
type Bin struct {
	Rows      int64
	Low, High float64
}

// Binned is a query of independent rows with values in intervals of their own, which depend on no label. Lower(x, q)
// and Upper(x, q) are the p below and above x at which
//
//	min over l, mu >= 0 of the sum over the rows of max over laws in [0,d] of (ln E e^(lX) - mu E X) + mu s - l t = ln q,
//
// d the length of an interval, t and s how far the sums of x and of p over the rows are above the sum of the low ends,
// or below the sum of the high ends. Source: docs/theorems/open.md, own intervals.
type Binned []Bin

// sums are the rows, the least and the greatest sum of the values, rounded outwards, and what a distance of means from
// them may be off.
func (v Binned) sums() (rows, low, high, off float64) {
	for _, b := range v {
		n := float64(b.Rows)
		rows, low, high = rows+n, low+n*b.Low, high+n*b.High
	}
	off = float64(len(v)+8) * 0x1p-52
	return rows, low - rows*off/2, high + rows*off/2, off
}

func (v Binned) Range() (lowest, highest float64) {
	rows, low, high, _ := v.sums()
	return math.Nextafter(low/rows, -2), math.Nextafter(high/rows, 2)
}

func (Binned) Edge(x float64) float64 { return x }

func (v Binned) Lower(x, lnLevel float64) float64 {
	lowest, highest := v.Range()
	x = min(x, highest)
	if !(x > lowest) {
		return lowest
	}
	return max(lowest, x-v.shift(x-lowest, lnLevel))
}

// Upper returns p >= x: a mean of less than x is one of more than highest - x of what is missing from the high ends.
func (v Binned) Upper(x, lnLevel float64) float64 {
	lowest, highest := v.Range()
	x = max(x, lowest)
	if !(x < highest) {
		return highest
	}
	return min(highest, x+v.shift(highest-x, lnLevel))
}

// shift returns how far the truth may be from a mean that is so far from an end of the range, rounded up.
func (v Binned) shift(from, lnLevel float64) float64 {
	rows, _, _, off := v.sums()
	from -= off
	if !(from > 0) {
		return 2 * off
	}
	kinds := v.kinds()
	step := leastStep(from, lnLevel, rows*from, func(step float64) sum {
		return sum{kinds, rows * max(0, from-step)}
	})
	return step*(1+0x1p-50) + 3*off
}

// kinds have what the values are above their low ends, rounded up, as both X and Y.
func (v Binned) kinds() (list []kind) {
	for _, b := range v {
		d := math.Nextafter(b.High-b.Low, 3)
		list = append(list, kind{rows: float64(b.Rows), top: value{d, d}})
	}
	return list
}

func (v Binned) Pass(bar, lnLevel float64) (float64, bool) {
	lowest, highest := v.Range()
	switch rows, _, _, _ := v.sums(); {
	case bar <= lowest:
		x := math.Nextafter(lowest, 2)
		return x, x <= highest
	case bar >= highest:
		return 0, false
	default:
		room := rows * (bar - lowest)
		all := sum{v.kinds(), room}
		shift := leastShift(-lnLevel/rows, func(l float64) (g, slope float64) {
			ln, mean := all.tilt(l)
			return (ln - l*room) / rows, (mean - room) / rows
		})
		if bar+shift > highest {
			return 0, false
		}
		return leastPass(v, bar, shift*(1+1e-9), lnLevel)
	}
}
