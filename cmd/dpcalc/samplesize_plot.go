package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/dpcalc/dpcalc/transfer"
)

// A grid is drawn as the solved quantity against the one that varies most, with a line
// for each method and a panel for each combination of the others.

// dimension is a quantity of a goal as an axis.
type dimension struct {
	name    string
	unknown transfer.Unknown // transfer.None if it is never solved for
	of      func(transfer.Goal) float64
}

var dimensions = []dimension{
	{"queries", transfer.Queries, func(g transfer.Goal) float64 { return float64(g.Queries) }},
	{"tau", transfer.Tau, func(g transfer.Goal) float64 { return g.Tau }},
	{"beta", transfer.Beta, func(g transfer.Goal) float64 {
		if g.Beta == 0 {
			return 0
		}
		return g.Beta.Value()
	}},
	{"rows", transfer.Samples, func(g transfer.Goal) float64 { return float64(g.Samples) }},
	{"budget", transfer.None, func(g transfer.Goal) float64 { return float64(g.Budget) }},
	{"sensitivity", transfer.None, func(g transfer.Goal) float64 { return g.Sensitivity }},
	{"epsilon", transfer.None, func(g transfer.Goal) float64 { return g.Epsilon }},
}

const mostPanels = 6

// errNothingToDraw says that no method has an answer.
var errNothingToDraw = errors.New("no method has an answer to draw")

// axes returns the dimension to be drawn along, the one that is solved for, and the
// goals of each panel. An error says why the grid cannot be drawn.
func (s *plan) axes() (along, solved dimension, panels [][]int, err error) {
	none := func(format string, args ...any) (dimension, dimension, [][]int, error) {
		return dimension{}, dimension{}, nil, usagef("plot: "+format, args...)
	}
	if s.unknown == transfer.None {
		return none("got all four quantities, want one to be solved for")
	}
	most := 1
	for _, d := range dimensions {
		if d.unknown == s.unknown {
			solved = d
			continue
		}
		values := map[float64]bool{}
		for i := range s.goals {
			values[d.of(s.grid.goal(i))] = true
		}
		if d.name == "beta" && values[0] {
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
func panelTitle(g transfer.Goal, varying []dimension, along dimension) string {
	var parts []string
	for _, d := range varying {
		if d.name != along.name {
			parts = append(parts, d.name+" "+people(numberCell(d.of(g))))
		}
	}
	return strings.Join(parts, ", ")
}

// figure draws the rows: the methods that were asked for, or else those that answer
// adaptive queries, with hoeffding beside them.
func (s *plan) figure(ctx context.Context, rows [][]row) (figure, error) {
	along, solved, panels, err := s.axes()
	if err != nil {
		return figure{}, err
	}
	f := figure{tall: true, title: s.plotTitle(solved)}
	x, y := newRuler(along.name, true), newRuler(solved.name, true)
	for _, goals := range panels {
		var p panel
		for k := range s.methods {
			m := &s.methods[k]
			if !s.asked && !m.Adaptive && m.Name != "hoeffding" {
				continue
			}
			l := line{label: m.Name, style: len(p.lines)}
			for _, i := range goals {
				r := &rows[i][k]
				at, value := along.of(r.Goal), solved.of(r.Goal)
				if r.Status != transfer.OK || !(at > 0 && value > 0) {
					continue
				}
				l.x, l.y = append(l.x, at), append(l.y, value)
				x.include(at)
				y.include(value)
			}
			if len(l.x) > 0 {
				sortLine(&l)
				p.lines = append(p.lines, l)
			}
		}
		p.title = panelTitle(s.grid.goal(goals[0]), s.varying(), along)
		mark, text, err := s.crossover(ctx, along, rows, goals)
		if err != nil {
			return figure{}, err
		}
		if text != "" {
			p.marks = []float64{mark}
			p.title = strings.TrimPrefix(p.title+"; "+text, "; ")
		}
		f.panels = append(f.panels, []panel{p})
	}
	if x.low > x.high {
		return figure{}, errNothingToDraw
	}
	if len(f.panels) > 1 && len(f.panels)%2 == 0 {
		f.panels = pairs(f.panels)
	}
	for _, row := range f.panels { // one scale for all
		for i := range row {
			row[i].x, row[i].y = x, y
			row[i].marks = slices.DeleteFunc(row[i].marks, func(m float64) bool { return m < x.low || m > x.high })
		}
	}
	return f, nil
}

// pairs lays panels out in two columns.
func pairs(column [][]panel) (grid [][]panel) {
	for i := 0; i < len(column); i += 2 {
		grid = append(grid, []panel{column[i][0], column[i+1][0]})
	}
	return grid
}

// sortLine puts the points of a line in the order of the axis.
func sortLine(l *line) {
	order := make([]int, len(l.x))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(l.x[a], l.x[b]) })
	x, y := make([]float64, len(order)), make([]float64, len(order))
	for i, k := range order {
		x[i], y[i] = l.x[k], l.y[k]
	}
	l.x, l.y = x, y
}

// varying are the dimensions that take more than one value, none if the lists are
// paired.
func (s *plan) varying() (list []dimension) {
	if s.grid.zip {
		return nil
	}
	for _, d := range dimensions {
		first := d.of(s.grid.goal(0))
		for i := range s.goals {
			if d.unknown != s.unknown && d.of(s.grid.goal(i)) != first {
				list = append(list, d)
				break
			}
		}
	}
	return list
}

func (s *plan) plotTitle(solved dimension) []string {
	first := s.grid.goal(0)
	var constants []string
	varying := s.varying()
	if !s.grid.zip {
		for _, d := range dimensions {
			value := d.of(first)
			if value != 0 && d.unknown != s.unknown && !slices.ContainsFunc(varying, func(v dimension) bool { return v.name == d.name }) {
				constants = append(constants, d.name+" "+people(numberCell(value)))
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
func (s *plan) crossover(ctx context.Context, along dimension, rows [][]row, goals []int) (at float64, text string, err error) {
	order := slices.Clone(goals)
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Compare(along.of(s.grid.goal(a)), along.of(s.grid.goal(b)))
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
		now := point{along.of(s.grid.goal(goal)), strings.HasPrefix(best.method.Name, "splitting")}
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
		return at, fmt.Sprintf("splitting is best from %s %s on", along.name, people(numberCell(at))), nil
	case s.unknown == transfer.Samples && along.name == "queries":
		c, err := s.crossing(ctx, s.grid.goal(goals[0]))
		if err != nil || c.method == nil {
			return 0, "", err
		}
		return float64(c.queries), "splitting is best below " + countText(c.queries), nil
	}
	return at, fmt.Sprintf("splitting is no longer best from %s %s on", along.name, people(numberCell(at))), nil
}

// The plot of a terminal has a letter for each line, and a list of them below.
const (
	plotWidth  = 62
	plotHeight = 22
)

// plotPanel draws a panel with characters.
func plotPanel(p panel, b *strings.Builder) {
	if p.title != "" {
		fmt.Fprintf(b, "%s\n", p.title)
	}
	x, y := p.x.scale(0, plotWidth-1), p.y.scale(0, plotHeight-1)
	var screen [plotHeight][plotWidth]byte
	for i := range screen {
		for j := range screen[i] {
			screen[i][j] = ' '
		}
	}
	for _, m := range p.marks {
		for i := range screen {
			screen[i][int(math.Round(x(m)))] = ':'
		}
	}
	for k, l := range p.lines {
		for i := range l.x {
			from := i
			if i > 0 {
				from = i - 1
			}
			x0, y0, x1, y1 := x(l.x[from]), y(l.y[from]), x(l.x[i]), y(l.y[i])
			for column := int(math.Ceil(x0 - 0.5)); column <= int(math.Floor(x1+0.5)); column++ {
				share := 1.0
				if x1 > x0 {
					share = min(1, max(0, (float64(column)-x0)/(x1-x0)))
				}
				spot := &screen[plotHeight-1-int(math.Round(y0+share*(y1-y0)))][column]
				if *spot == ' ' || *spot == ':' {
					*spot = letterOf(k)
				}
			}
		}
	}
	labels := make(map[int]string)
	width := 0
	texts := p.y.tickTexts()
	for i, t := range p.y.ticks() {
		text := texts[i]
		labels[plotHeight-1-int(math.Round(y(t)))] = text
		width = max(width, len(text))
	}
	fmt.Fprintf(b, "%*s\n", width, p.y.label)
	for i := range screen {
		edge := "|"
		if labels[i] != "" {
			edge = "+"
		}
		fmt.Fprintf(b, "%s\n", strings.TrimRight(fmt.Sprintf("%*s %s%s", width, labels[i], edge, screen[i][:]), " "))
	}
	ruler, names := []byte(strings.Repeat("-", plotWidth)), []byte(strings.Repeat(" ", plotWidth+8))
	end := -1
	texts = p.x.tickTexts()
	for i, t := range p.x.ticks() {
		at := int(math.Round(x(t)))
		ruler[at] = '+'
		text := texts[i]
		if start := max(0, at-len(text)/2); start > end {
			copy(names[start:], text)
			end = start + len(text)
		}
	}
	fmt.Fprintf(b, "%*s +%s\n", width, "", ruler)
	fmt.Fprintf(b, "%*s  %s  %s\n", width, "", strings.TrimRight(string(names), " "), p.x.label)
	for k, l := range p.lines {
		fmt.Fprintf(b, "%*s  %c %s\n", width, "", letterOf(k), l.label)
	}
}

func letterOf(k int) byte { return "abcdefghijklmnopqrstuvwxyz"[k%26] }

// textPlot draws every panel below the one before.
func textPlot(f figure) string {
	var b strings.Builder
	for _, line := range f.title {
		fmt.Fprintf(&b, "%s\n", line)
	}
	for _, row := range f.panels {
		for _, p := range row {
			b.WriteByte('\n')
			plotPanel(p, &b)
		}
	}
	return b.String()
}
