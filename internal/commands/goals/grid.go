package goals

import (
	"math"

	"github.com/dpcalc/dpcalc/internal/usage"
	"github.com/dpcalc/dpcalc/transfer"
)

// Axis is one flag's list of values.
type Axis struct {
	Flag   string
	Length int
	set    func(g *transfer.Goal, i int)
}

func AxisOf[T any](flag string, values []T, set func(*transfer.Goal, T)) Axis {
	return Axis{flag, len(values), func(g *transfer.Goal, i int) { set(g, values[i]) }}
}

// Grid is the goals of one command: the cross product of the axes, the last axis
// running fastest, or their pairs.
type Grid struct {
	Base transfer.Goal
	Axes []Axis
	Zip  bool
}

// NewGrid leaves out the axes without values. Zipped axes have one length, or a
// single value that goes with all.
func NewGrid(base transfer.Goal, zip bool, axes ...Axis) (Grid, error) {
	g := Grid{Base: base, Zip: zip}
	longest := Axis{Length: 1}
	for _, a := range axes {
		if a.Length == 0 {
			continue
		}
		g.Axes = append(g.Axes, a)
		if several := min(a.Length, longest.Length) > 1; several && a.Length != longest.Length && zip {
			return Grid{}, usage.Errorf("--zip: got %d values of --%s and %d of --%s, want as many", longest.Length,
				longest.Flag, a.Length, a.Flag)
		}
		if a.Length > longest.Length {
			longest = a
		}
	}
	return g, nil
}

// Size returns the number of goals, at most math.MaxInt32 to be told apart from
// an overflow.
func (g Grid) Size() int {
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

func (g Grid) Goal(i int) transfer.Goal {
	goal := g.Base
	for k := len(g.Axes) - 1; k >= 0; k-- {
		a := g.Axes[k]
		switch {
		case !g.Zip:
			a.set(&goal, i%a.Length)
			i /= a.Length
		case a.Length == 1:
			a.set(&goal, 0)
		default:
			a.set(&goal, i)
		}
	}
	return goal
}

// Length is how many values a flag has.
func (g Grid) Length(flag string) int {
	for _, a := range g.Axes {
		if a.Flag == flag {
			return a.Length
		}
	}
	return 0
}

// Index is the number of the goal at a place of two axes, where all others have one value.
func (g Grid) Index(place map[string]int) (i int) {
	for _, a := range g.Axes {
		i = i*a.Length + place[a.Flag]
	}
	return i
}
