package pvalues

import (
	"math"
	"slices"
	"strings"

	"github.com/dpcalc/dpcalc/cmd/internal/commands"
	"github.com/dpcalc/dpcalc/cmd/internal/record"
	"github.com/dpcalc/dpcalc/cmd/internal/usage"
	"github.com/dpcalc/dpcalc/internal/num"
	"github.com/dpcalc/dpcalc/theory"
)

// One list is drawn with a curve for each method; the longer of two with a curve of the best method for each value
// of the other.

// mostCurves is how many values the other list may have.
const mostCurves = 12

// drawable refuses a drawing of what has none.
func drawable(c *commands.Call, t commands.Target, g grid, path string) error {
	if !commands.IsDrawn(c, t) {
		return nil
	}
	if path != "" {
		return usage.Errorf("plot: got %s, want a list or range for one of the numbers", usage.Shown(path))
	}
	if c.Is("plot") && t.Format.Name != c.Offered()[0].Name {
		return usage.Errorf("--plot: got the format %s, want none; -o with .svg, .png or .pdf draws without --plot",
			t.Format.Name)
	}
	switch n := len(g.lists); {
	case n == 0:
		return usage.Errorf("plot: got no list, want a list or range for one of the numbers")
	case n > 2:
		return usage.Errorf("plot: got %d lists, want one or two", n)
	case n == 2 && len(g.lists[1-g.along()].values) > mostCurves:
		return usage.Errorf("plot: got %d curves, want at most %d; make one list shorter", len(g.lists[1-g.along()].values),
			mostCurves)
	}
	for _, cell := range g.lists[g.along()].cells {
		if x, ok := height(cell); !ok || x < 0 {
			return usage.Errorf("plot: got --%s %s, want a value that an axis can show", g.lists[g.along()].flag,
				record.People(cell))
		}
	}
	return nil
}

// along is the list of the axis: the longest.
func (g grid) along() int {
	if len(g.lists) > 1 && len(g.lists[1].values) > len(g.lists[0].values) {
		return 1
	}
	return 0
}

// height is the number in a cell, if an axis can show it.
func height(c record.Cell) (x float64, ok bool) {
	switch c.Form {
	case record.CountForm:
		return float64(c.N), true
	case record.NumberForm:
		return c.F, c.F == 0 || math.Abs(c.F) >= commands.LeastDrawn && math.Abs(c.F) <= 1/commands.LeastDrawn
	case record.ChanceForm:
		x = num.Exp(c.F)
		return x, x == 0 && math.IsInf(c.F, -1) || x >= commands.LeastDrawn
	}
	return 0, false
}

// drawLists draws the rows.
func drawLists[R any, Q asked[R]](g grid, q question[R, Q]) (record.Figure, error) {
	x := record.NewRuler(strings.ReplaceAll(g.lists[g.along()].flag, "-", " "), g.isLogarithmic())
	y := record.NewRuler(q.drawn, true)
	var p record.Panel
	var undrawn commands.Undrawn
	err := points[R, Q]{g, q}.Each(0, g.Size(), func(r pointRow[R]) error {
		v := q.verdict(r.row)
		label := v.Method
		if len(g.lists) == 2 {
			other := g.lists[1-g.along()]
			label = strings.ReplaceAll(other.flag, "-", " ") + " " + record.People(other.cells[r.at[1-g.along()]])
		}
		at, _ := height(g.lists[g.along()].cells[r.at[g.along()]])
		value, ok := height(q.height(r.row))
		if v.Status != theory.OK || len(g.lists) == 2 && !v.Best {
			return nil
		}
		if !ok || value <= 0 {
			undrawn.Add(label)
			return nil
		}
		i := slices.IndexFunc(p.Lines, func(l record.Line) bool { return l.Label == label })
		if i < 0 {
			i = len(p.Lines)
			p.Lines = append(p.Lines, record.Line{Label: label, Style: i})
		}
		commands.Prove(&p.Lines[i], v.Proof)
		x.Include(at)
		y.Include(value)
		p.Lines[i].X, p.Lines[i].Y = append(p.Lines[i].X, at), append(p.Lines[i].Y, value)
		return nil
	})
	if err != nil {
		return record.Figure{}, err
	}
	for i := range p.Lines {
		commands.SortLine(&p.Lines[i])
	}
	p.X, p.Y = x, y
	f := record.Figure{Tall: true, Title: []string{q.title}, Panels: [][]record.Panel{{p}}}
	f.Key = commands.TellProofs(f.Panels)
	if len(g.lists) == 2 {
		f.Title = append(f.Title, "by the best method at each point")
	}
	f.Title = append(f.Title, undrawn.Tell()...)
	return f, nil
}

// isLogarithmic reports whether the axis is logarithmic: an axis of confidences is not, nor one that has 0.
func (g grid) isLogarithmic() bool {
	a := g.lists[g.along()]
	zero := func(c record.Cell) bool {
		x, _ := height(c)
		return x == 0
	}
	return a.flag != "level" && !slices.ContainsFunc(a.cells, zero)
}
