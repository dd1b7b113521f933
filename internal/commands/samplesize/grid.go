package samplesize

import (
	"math"

	"github.com/dpcalc/dpcalc/internal/usage"
	"github.com/dpcalc/dpcalc/transfer"
)

// axis is one flag's list of values.
type axis struct {
	flag   string
	length int
	set    func(g *transfer.Goal, i int)
}

func axisOf[T any](flag string, values []T, set func(*transfer.Goal, T)) axis {
	return axis{flag, len(values), func(g *transfer.Goal, i int) { set(g, values[i]) }}
}

// grid is the goals of one command: the cross product of the axes, the last axis
// running fastest, or their pairs.
type grid struct {
	base transfer.Goal
	axes []axis
	zip  bool
}

// newGrid leaves out the axes without values. Zipped axes have one length, or a
// single value that goes with all.
func newGrid(base transfer.Goal, zip bool, axes ...axis) (grid, error) {
	g := grid{base: base, zip: zip}
	longest := axis{length: 1}
	for _, a := range axes {
		if a.length == 0 {
			continue
		}
		g.axes = append(g.axes, a)
		if several := min(a.length, longest.length) > 1; several && a.length != longest.length && zip {
			return grid{}, usage.Errorf("--zip: got %d values of --%s and %d of --%s, want as many", longest.length,
				longest.flag, a.length, a.flag)
		}
		if a.length > longest.length {
			longest = a
		}
	}
	return g, nil
}

// size returns the number of goals, at most math.MaxInt32 to be told apart from
// an overflow.
func (g grid) size() int {
	n := 1
	for _, a := range g.axes {
		switch {
		case g.zip:
			n = max(n, a.length)
		case n > math.MaxInt32/a.length:
			return math.MaxInt32
		default:
			n *= a.length
		}
	}
	return n
}

func (g grid) goal(i int) transfer.Goal {
	goal := g.base
	for k := len(g.axes) - 1; k >= 0; k-- {
		a := g.axes[k]
		switch {
		case !g.zip:
			a.set(&goal, i%a.length)
			i /= a.length
		case a.length == 1:
			a.set(&goal, 0)
		default:
			a.set(&goal, i)
		}
	}
	return goal
}
