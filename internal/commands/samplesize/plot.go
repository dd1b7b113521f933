package samplesize

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/dpcalc/dpcalc/internal/record"
	"github.com/dpcalc/dpcalc/internal/usage"
	"github.com/dpcalc/dpcalc/transfer"
)

// A grid is drawn as the solved quantity against the one that varies most, with a line
// for each method and a panel for each combination of the others.

// name is what an axis is called.
func (p parameter) name() string {
	if p.unknown == transfer.Samples {
		return "rows"
	}
	return strings.ReplaceAll(p.flag.Name, "-", " ")
}

const mostPanels = 6

// errNothingToDraw says that no method has an answer.
var errNothingToDraw = errors.New("no method has an answer to draw")

// axes returns the parameter to be drawn along, the one that is solved for, and the
// goals of each panel. An error says why the grid cannot be drawn.
func (s *request) axes() (along, solved parameter, panels [][]int, err error) {
	none := func(format string, args ...any) (parameter, parameter, [][]int, error) {
		return parameter{}, parameter{}, nil, usage.Errorf("plot: "+format, args...)
	}
	if s.unknown == transfer.None {
		return none("got all four quantities, want one to be solved for")
	}
	most := 1
	for _, d := range drawn() {
		if d.unknown == s.unknown {
			solved = d
			continue
		}
		values := map[float64]bool{}
		for i := range s.goals {
			values[d.axis(s.grid.goal(i))] = true
		}
		if d.name() == "beta" && values[0] {
			return none("got a beta below 1e-308, want one that an axis can show")
		}
		if len(values) > most {
			along, most = d, len(values)
		}
	}
	if most == 1 {
		return none("got a single goal, want a list or range for one of the quantities")
	}
	varying := s.varying()
	var keys []string
	for i := range s.goals {
		key := panelTitle(s.grid.goal(i), varying, along)
		k := slices.Index(keys, key)
		if k < 0 {
			k = len(keys)
			keys, panels = append(keys, key), append(panels, nil)
		}
		panels[k] = append(panels[k], i)
	}
	if len(panels) > mostPanels {
		return none("got %d panels, want at most %d; make all lists but one shorter", len(panels), mostPanels)
	}
	return along, solved, panels, nil
}

// panelTitle names the values that make a panel.
func panelTitle(g transfer.Goal, varying []parameter, along parameter) string {
	var parts []string
	for _, d := range varying {
		if d.name() != along.name() {
			parts = append(parts, d.name()+" "+record.People(record.Number(d.axis(g))))
		}
	}
	return strings.Join(parts, ", ")
}

// figure draws the rows: the methods that were asked for, or else those that answer
// adaptive queries, with hoeffding beside them.
func (s *request) figure(ctx context.Context, rows [][]row) (record.Figure, error) {
	along, solved, panels, err := s.axes()
	if err != nil {
		return record.Figure{}, err
	}
	f := record.Figure{Tall: true, Title: s.plotTitle(solved)}
	positive := true
	for i := range s.goals {
		positive = positive && along.axis(s.grid.goal(i)) > 0
	}
	x, y := record.NewRuler(along.name(), positive), record.NewRuler(solved.name(), true)
	for _, goals := range panels {
		var p record.Panel
		for k := range s.methods {
			m := &s.methods[k]
			if !s.asked && !m.Adaptive && !m.Baseline {
				continue
			}
			l := record.Line{Label: m.Name, Style: len(p.Lines)}
			for _, i := range goals {
				r := &rows[i][k]
				at, value := along.axis(r.Goal), solved.axis(r.Goal)
				if r.Status != transfer.OK || !(value > 0) {
					continue
				}
				l.X, l.Y = append(l.X, at), append(l.Y, value)
				x.Include(at)
				y.Include(value)
			}
			if len(l.X) > 0 {
				sortLine(&l)
				p.Lines = append(p.Lines, l)
			}
		}
		p.Title = panelTitle(s.grid.goal(goals[0]), s.varying(), along)
		mark, text, err := s.crossover(ctx, along, rows, goals)
		if err != nil {
			return record.Figure{}, err
		}
		if text != "" {
			p.Marks = []float64{mark}
			p.Title = strings.TrimPrefix(p.Title+"; "+text, "; ")
		}
		f.Panels = append(f.Panels, []record.Panel{p})
	}
	if x.Low > x.High {
		return record.Figure{}, errNothingToDraw
	}
	if len(f.Panels) > 1 && len(f.Panels)%2 == 0 {
		f.Panels = pairs(f.Panels)
	}
	for _, row := range f.Panels { // one scale for all
		for i := range row {
			row[i].X, row[i].Y = x, y
			row[i].Marks = slices.DeleteFunc(row[i].Marks, func(m float64) bool { return m < x.Low || m > x.High })
		}
	}
	return f, nil
}

// pairs lays panels out in two columns.
func pairs(column [][]record.Panel) (grid [][]record.Panel) {
	for i := 0; i < len(column); i += 2 {
		grid = append(grid, []record.Panel{column[i][0], column[i+1][0]})
	}
	return grid
}

// sortLine puts the points of a line in the order of the axis.
func sortLine(l *record.Line) {
	order := make([]int, len(l.X))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(l.X[a], l.X[b]) })
	x, y := make([]float64, len(order)), make([]float64, len(order))
	for i, k := range order {
		x[i], y[i] = l.X[k], l.Y[k]
	}
	l.X, l.Y = x, y
}

// varying are the parameters that take more than one value, none if the lists are
// paired.
func (s *request) varying() (list []parameter) {
	if s.grid.zip {
		return nil
	}
	for _, d := range drawn() {
		first := d.axis(s.grid.goal(0))
		for i := range s.goals {
			if d.unknown != s.unknown && d.axis(s.grid.goal(i)) != first {
				list = append(list, d)
				break
			}
		}
	}
	return list
}

func (s *request) plotTitle(solved parameter) []string {
	first := s.grid.goal(0)
	var constants []string
	varying := s.varying()
	if !s.grid.zip {
		for _, d := range drawn() {
			value := d.axis(first)
			if value != 0 && d.unknown != s.unknown &&
				!slices.ContainsFunc(varying, func(v parameter) bool { return v.name() == d.name() }) {
				constants = append(constants, d.name()+" "+record.People(record.Number(value)))
			}
		}
	}
	head := map[transfer.Unknown]string{
		transfer.Samples: "Rows needed",
		transfer.Queries: "Queries that can be answered",
		transfer.Tau:     "Accuracy tau reached",
		transfer.Beta:    "Failure probability beta reached",
	}[solved.unknown]
	return []string{head, strings.Join(append(constants, first.Query.String()+" queries"), ", ")}
}

// crossover says where sample splitting stops being the best or begins to be: exactly
// if n is solved for and queries vary, else between the goals of the panel. It says
// nothing if that happens more than once, or never.
func (s *request) crossover(ctx context.Context, along parameter, rows [][]row, goals []int) (at float64, text string,
	err error) {
	order := slices.Clone(goals)
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Compare(along.axis(s.grid.goal(a)), along.axis(s.grid.goal(b)))
	})
	type point struct {
		x         float64
		splitting bool
	}
	var points []point
	changes := 0
	for _, goal := range order {
		best := bestOf(rows[goal])
		if best == nil {
			continue
		}
		now := point{along.axis(s.grid.goal(goal)), best.Method.Splits}
		if len(points) > 0 && points[len(points)-1].splitting != now.splitting {
			changes++
			at = now.x
		}
		points = append(points, now)
	}
	switch {
	case changes != 1 || s.grid.zip:
		return 0, "", nil
	case !points[0].splitting:
		return at, fmt.Sprintf("splitting is best from %s %s on", along.name(), record.People(record.Number(at))), nil
	case s.unknown == transfer.Samples && along.name() == "queries":
		c, ok, err := transfer.FindCrossing(ctx, s.methods, s.grid.goal(goals[0]))
		if err != nil || !ok {
			return 0, "", err
		}
		return float64(c.Queries), "splitting is best below " + countText(c.Queries), nil
	}
	return at, fmt.Sprintf("splitting is no longer best from %s %s on", along.name(), record.People(record.Number(at))), nil
}
