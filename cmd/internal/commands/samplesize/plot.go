package samplesize

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/dpcalc/dpcalc/cmd/internal/commands"
	"github.com/dpcalc/dpcalc/cmd/internal/commands/goals"
	"github.com/dpcalc/dpcalc/cmd/internal/record"
	"github.com/dpcalc/dpcalc/cmd/internal/usage"
	"github.com/dpcalc/dpcalc/transfer"
	"github.com/dpcalc/dpcalc/transfer/crossing"
)

// A grid is drawn as the solved quantity against the one that varies most, with a line
// for each method and a panel for each combination of the others.

const (
	mostPanels = 6
	mostCurves = 12 // of one method
)

// axes returns the parameter to be drawn along, the one that is solved for, and the
// goals of each panel. An error says why the grid cannot be drawn.
func (s *request) axes() (along, solved goals.Parameter, panels [][]int, err error) {
	none := func(format string, args ...any) (goals.Parameter, goals.Parameter, [][]int, error) {
		return goals.Parameter{}, goals.Parameter{}, nil, usage.Errorf("plot: "+format, args...)
	}
	if s.unknown == transfer.None {
		return none("got all four quantities, want one to be solved for")
	}
	most := 1
	for _, d := range goals.Drawn() {
		if d.Unknown == s.unknown {
			solved = d
			continue
		}
		values := map[float64]bool{}
		for i := range s.goals {
			values[d.Axis(s.grid.Goal(i))] = true
		}
		if d.Name() == "beta" && values[0] {
			return none("got a beta below 1e-308, want one that an axis can show")
		}
		if len(values) > most {
			along, most = d, len(values)
		}
	}
	if most == 1 {
		return none("got a single goal, want a list or a range, such as --queries 10:1k:log10")
	}
	varying := s.varying()
	var keys []string
	for i := range s.goals {
		key := panelTitle(s.grid.Goal(i), varying, along)
		k := slices.Index(keys, key)
		if k < 0 {
			k = len(keys)
			keys, panels = append(keys, key), append(panels, nil)
		}
		panels[k] = append(panels[k], i)
	}
	if _, one := s.only(); one {
		if len(panels) > mostCurves {
			return none("got %d curves, want at most %d; make all lists but one shorter", len(panels), mostCurves)
		}
		return along, solved, panels, nil
	}
	if len(panels) > mostPanels {
		return none("got %d panels, want at most %d; make all lists but one shorter", len(panels), mostPanels)
	}
	return along, solved, panels, nil
}

// panelTitle names the values that make a panel.
func panelTitle(g transfer.Goal, varying []goals.Parameter, along goals.Parameter) string {
	var parts []string
	for _, d := range varying {
		if d.Name() != along.Name() {
			parts = append(parts, d.Name()+" "+record.People(record.Number(d.Axis(g))))
		}
	}
	return strings.Join(parts, ", ")
}

// isDrawn reports whether a method has a curve: the methods that were asked for, or else those that answer
// adaptive queries, with hoeffding beside them.
func (s *request) isDrawn(m *transfer.Method) bool {
	return s.asked || m.Adaptive || m.Name == "hoeffding"
}

// only is the one method that is drawn, if there is one.
func (s *request) only() (k int, one bool) {
	is := func(m transfer.Method) bool { return s.isDrawn(&m) }
	k = slices.IndexFunc(s.methods, is)
	return k, k >= 0 && !slices.ContainsFunc(s.methods[k+1:], is)
}

// drawing is a figure in the making: what its axes show, and the rows.
type drawing struct {
	along, solved goals.Parameter
	x, y          record.Ruler
	rows          [][]goals.Row
	undrawn       commands.Undrawn
}

// drawing begins a figure. An axis that zero is on is not logarithmic.
func (s *request) drawing(along, solved goals.Parameter) drawing {
	positive := true
	for i := range s.goals {
		positive = positive && along.Axis(s.grid.Goal(i)) > 0
	}
	return drawing{along: along, solved: solved,
		x: record.NewRuler(along.Name(), positive), y: record.NewRuler(solved.Name(), true)}
}

// figure draws the rows, with a panel for each combination of what varies besides the axis. One method alone has a
// curve for each in one panel.
func (s *request) figure(ctx context.Context, rows [][]goals.Row) (record.Figure, error) {
	along, solved, panels, err := s.axes()
	if err != nil {
		return record.Figure{}, err
	}
	d := s.drawing(along, solved)
	d.rows = rows
	f := record.Figure{Tall: true, Title: s.plotTitle(solved, rows)}
	if k, one := s.only(); one && len(panels) > 1 {
		f.Title[0] += " by " + s.methods[k].Name
		var p record.Panel
		for _, group := range panels {
			d.add(&p, k, group, panelTitle(s.grid.Goal(group[0]), s.varying(), along))
		}
		f.Panels = [][]record.Panel{{p}}
	} else {
		for _, group := range panels {
			p, err := s.panel(ctx, &d, group)
			if err != nil {
				return record.Figure{}, err
			}
			f.Panels = append(f.Panels, []record.Panel{p})
		}
	}
	f.Key = commands.TellProofs(f.Panels)
	f.Title = append(f.Title, d.undrawn.Tell()...)
	if len(f.Panels) > 1 && len(f.Panels)%2 == 0 {
		f.Panels = pairs(f.Panels)
	}
	for _, row := range f.Panels { // one scale for all
		for i := range row {
			row[i].X, row[i].Y = d.x, d.y
			row[i].Marks = slices.DeleteFunc(row[i].Marks, func(m float64) bool { return m < d.x.Low || m > d.x.High })
		}
	}
	return f, nil
}

// panel has a curve for each method.
func (s *request) panel(ctx context.Context, d *drawing, group []int) (p record.Panel, err error) {
	for k := range s.methods {
		if s.isDrawn(&s.methods[k]) {
			d.add(&p, k, group, s.methods[k].Name)
		}
	}
	p.Title = panelTitle(s.grid.Goal(group[0]), s.varying(), d.along)
	mark, text, err := s.crossover(ctx, d.along, d.rows, group)
	if text != "" {
		p.Marks = []float64{mark}
		p.Title = strings.TrimPrefix(p.Title+"; "+text, "; ")
	}
	return p, err
}

// add draws the k-th method at the goals that it answers, if there are any.
func (d *drawing) add(p *record.Panel, k int, group []int, label string) {
	l := record.Line{Label: label, Style: len(p.Lines)}
	for _, i := range group {
		r := &d.rows[i][k]
		at, value := d.along.Axis(r.Goal), d.solved.Axis(r.Goal)
		if r.Status != transfer.OK {
			continue
		}
		if value < commands.LeastDrawn {
			d.undrawn.Add(label)
			continue
		}
		l.X, l.Y = append(l.X, at), append(l.Y, value)
		if !r.Method.IsReference() {
			commands.Prove(&l, goals.ProofOf(r))
		}
		d.x.Include(at)
		d.y.Include(value)
	}
	if len(l.X) == 0 {
		return
	}
	r := &d.rows[group[0]][k]
	if r.Method.Procedure {
		l.Label += " (dp procedure)"
	}
	if r.Method.IsReference() {
		l.Faint = true
		l.Label += " (fixed queries only)"
	}
	commands.SortLine(&l)
	p.Lines = append(p.Lines, l)
}

// pairs lays panels out in two columns.
func pairs(column [][]record.Panel) (grid [][]record.Panel) {
	for i := 0; i < len(column); i += 2 {
		grid = append(grid, []record.Panel{column[i][0], column[i+1][0]})
	}
	return grid
}

// varying are the parameters that take more than one value, none if the lists are
// paired.
func (s *request) varying() (list []goals.Parameter) {
	if s.grid.Zip {
		return nil
	}
	for _, d := range goals.Drawn() {
		first := d.Axis(s.grid.Goal(0))
		for i := range s.goals {
			if d.Unknown != s.unknown && d.Axis(s.grid.Goal(i)) != first {
				list = append(list, d)
				break
			}
		}
	}
	return list
}

func (s *request) plotTitle(solved goals.Parameter, rows [][]goals.Row) []string {
	first := s.grid.Goal(0)
	var constants []string
	varying := s.varying()
	if !s.grid.Zip {
		for _, d := range goals.Drawn() {
			value := d.Axis(first)
			drawn := slices.ContainsFunc(varying, func(v goals.Parameter) bool { return v.Name() == d.Name() })
			if constant := value != 0 && d.Unknown != s.unknown && !drawn; constant && counts(d.Flag.Name, rows) {
				constants = append(constants, d.Name()+" "+record.People(record.Number(value)))
			}
		}
	}
	return []string{subjects[solved.Unknown], strings.Join(append(constants, s.shownWords()...), ", ")}
}

// crossover says where sample splitting, by the form that is best, stops being the best or begins to be: exactly
// if n is solved for and queries vary, else between the goals of the panel. It says
// nothing if that happens more than once, or never.
func (s *request) crossover(ctx context.Context, along goals.Parameter, rows [][]goals.Row, group []int) (at float64,
	text string,
	err error) {
	order := slices.Clone(group)
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Compare(along.Axis(s.grid.Goal(a)), along.Axis(s.grid.Goal(b)))
	})
	type point struct {
		x         float64
		splitting bool
	}
	var points []point
	changes, form := 0, ""
	for _, goal := range order {
		best := bestOf(rows[goal])
		if best == nil {
			continue
		}
		now := point{along.Axis(s.grid.Goal(goal)), best.Method.Splits}
		if len(points) > 0 && points[len(points)-1].splitting != now.splitting {
			changes++
			at = now.x
		}
		points = append(points, now)
		switch {
		case now.splitting && (form == "" || form == best.Method.Name):
			form = best.Method.Name
		case now.splitting:
			form = "a form of splitting"
		}
	}
	switch {
	case changes != 1 || s.grid.Zip:
		return 0, "", nil
	case !points[0].splitting:
		return at, fmt.Sprintf("%s is best from %s %s on", form, along.Name(), record.People(record.Number(at))), nil
	case s.unknown == transfer.Samples && along.Name() == "queries":
		c, ok, err := crossing.Find(ctx, s.methods, s.grid.Goal(group[0]))
		if err != nil || !ok {
			return 0, "", err
		}
		return float64(c.Queries), form + " is best below " + countText(c.Queries), nil
	}
	return at, fmt.Sprintf("%s is no longer best from %s %s on", form, along.Name(), record.People(record.Number(at))),
		nil
}
