package commands

import (
	"math"

	"github.com/dpcalc/dpcalc/cmd/internal/usage"
)

// Axis is the list of values of one flag. Set sets the i-th of them in a point.
type Axis[P any] struct {
	Flag   string
	Length int
	Set    func(p *P, i int)
}

// AxisOf is the axis of these values.
func AxisOf[P, T any](flag string, values []T, set func(*P, T)) Axis[P] {
	return Axis[P]{flag, len(values), func(p *P, i int) { set(p, values[i]) }}
}

// Grid is points that differ from a base: the cross product of the axes, the last one running fastest, or their pairs.
type Grid[P any] struct {
	Base P
	Axes []Axis[P]
	Zip  bool
}

// NewGrid leaves out the axes without values. Zipped axes have one length, or a
// single value that goes with all.
func NewGrid[P any](base P, zip bool, axes ...Axis[P]) (Grid[P], error) {
	g := Grid[P]{Base: base, Zip: zip}
	longest := Axis[P]{Length: 1}
	for _, a := range axes {
		if a.Length == 0 {
			continue
		}
		g.Axes = append(g.Axes, a)
		if several := min(a.Length, longest.Length) > 1; several && a.Length != longest.Length && zip {
			return Grid[P]{}, usage.Errorf("--zip: got %d values of --%s and %d of --%s, want as many", longest.Length,
				longest.Flag, a.Length, a.Flag)
		}
		if a.Length > longest.Length {
			longest = a
		}
	}
	return g, nil
}

// Size returns the number of points, at most math.MaxInt32 to be told apart from
// an overflow.
func (g Grid[P]) Size() int {
	n := 1
	for _, a := range g.Axes {
		switch {
		case g.Zip:
			n = max(n, a.Length)
		case n > math.MaxInt32/a.Length:
			return math.MaxInt32
		default:
			n *= a.Length
		}
	}
	return n
}

// Point is the i-th point. The last axis is set first.
func (g Grid[P]) Point(i int) P {
	p := g.Base
	for k := len(g.Axes) - 1; k >= 0; k-- {
		a := g.Axes[k]
		switch {
		case !g.Zip:
			a.Set(&p, i%a.Length)
			i /= a.Length
		case a.Length == 1:
			a.Set(&p, 0)
		default:
			a.Set(&p, i)
		}
	}
	return p
}

// Length is how many values a flag has.
func (g Grid[P]) Length(flag string) int {
	for _, a := range g.Axes {
		if a.Flag == flag {
			return a.Length
		}
	}
	return 0
}
