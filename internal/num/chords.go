package num

import (
	"cmp"
	"math"
	"slices"
)

// Chords are points of a convex function, from left to right. Beyond two of them the function lies above their chord.
// It may be +Inf from some x on.
type Chords []struct{ X, Y float64 }

// With returns the chords with one more point.
func (c Chords) With(x, y float64) Chords {
	type point = struct{ X, Y float64 }
	c = append(c, point{x, y})
	slices.SortFunc(c, func(a, b point) int { return cmp.Compare(a.X, b.X) })
	return c
}

// slope returns the slope of the chord from point i on, or none where a point is missing or infinite.
func (c Chords) slope(i int, none float64) float64 {
	if i < 0 || i+1 >= len(c) || math.IsInf(max(c[i].Y, c[i+1].Y), 1) {
		return none
	}
	return (c[i+1].Y - c[i].Y) / (c[i+1].X - c[i].X)
}

// Lowest returns a lower bound on the function, -Inf where the points do not surround its least value, and where to
// look next: about where the bound is reached, or a step further. There are three points or more.
func (c Chords) Lowest(step float64) (x, least float64) {
	last := len(c) - 1
	if !(c.slope(0, 1) < 0) {
		return c[0].X - step, math.Inf(-1)
	}
	if !math.IsInf(c[last].Y, 1) && !(c.slope(last-1, -1) > 0) {
		return c[last].X + step, math.Inf(-1)
	}
	least = math.Inf(1)
	for i := 0; i < last && !math.IsInf(c[i].Y, 1); i++ {
		share, low := c.between(i)
		if low < least {
			x, least = c[i].X+min(max(share, 0.2), 0.8)*(c[i+1].X-c[i].X), low
		}
	}
	return x, least
}

// between returns where the chords on the left and on the right of an interval leave the most room, as a share of it,
// and a lower bound there.
func (c Chords) between(i int) (share, low float64) {
	width := c[i+1].X - c[i].X
	left, right := c.slope(i-1, math.Inf(-1)), c.slope(i+1, math.Inf(1))
	switch {
	case math.IsInf(left, -1):
		if math.IsInf(c[i+1].Y, 1) {
			return 0.5, math.Inf(-1)
		}
		return 0, c[i+1].Y - right*width
	case math.IsInf(right, 1):
		return 1, c[i].Y + left*width
	}
	share = min(max(((c[i+1].Y-c[i].Y)/width-right)/(left-right), 0), 1)
	return share, c[i].Y + left*share*width
}
