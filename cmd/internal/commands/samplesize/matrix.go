package samplesize

import (
	"slices"
	"strings"

	"github.com/dpcalc/dpcalc/cmd/internal/commands"
	"github.com/dpcalc/dpcalc/cmd/internal/commands/goals"
	"github.com/dpcalc/dpcalc/cmd/internal/record"
	"github.com/dpcalc/dpcalc/cmd/internal/usage"
	"github.com/dpcalc/dpcalc/internal/each"
	"github.com/dpcalc/dpcalc/internal/parallel"
	"github.com/dpcalc/dpcalc/transfer"
)

// The flags of rows that are less than a row for each method.
const (
	bestFlag   = "best"
	matrixFlag = "matrix"
)

// unstarred stands for the method of a goal that no adaptive method answers.
var unstarred = transfer.Method{Adaptive: true}

// starred is the row of a goal that is marked as best. Where there is none, the row says so.
func (s *request) starred(group []goals.Row) goals.Row {
	if best := bestOf(group); best != nil {
		return *best
	}
	r := goals.Row{Method: &unstarred}
	if len(group) > 0 {
		r.Goal = asked(group[0].Goal, s.unknown)
	}
	r.Status, r.Reason = transfer.Infeasible, "no method for adaptively chosen queries has an answer"
	return r
}

// shownRows are the rows of a goal that are written: all, or with --best the starred one, or few.
func (s *request) shownRows(group []goals.Row) []goals.Row {
	switch {
	case s.best:
		return []goals.Row{s.starred(group)}
	case s.brief:
		return s.fewRows(group)
	}
	return group
}

// written are the rows that are written of all.
func (s *request) written(rows [][]goals.Row) [][]goals.Row {
	if !s.best && !s.brief {
		return rows
	}
	return each.Of(rows, s.shownRows)
}

// perGoal is how many rows a goal has.
func (s *request) perGoal() int64 {
	if s.best || s.matrix != nil {
		return 1
	}
	return int64(len(s.methods))
}

// matrix is a grid laid out by two of its lists: one down, the other across.
type matrix struct{ down, across goals.Parameter }

// namedParameter finds a parameter by the name of its flag, long or short.
func namedParameter(name string) (goals.Parameter, bool) {
	i := slices.IndexFunc(goals.Parameters, func(p goals.Parameter) bool {
		return p.Flag.Name == name || p.Flag.Alias != "" && p.Flag.Alias == name
	})
	if i < 0 {
		return goals.Parameter{}, false
	}
	return goals.Parameters[i], true
}

// readMatrix reads --matrix, and --best, which does not go with it.
func (s *request) readMatrix(c *commands.Call) error {
	s.best = c.Is(bestFlag)
	raw, ok := c.Text(matrixFlag)
	switch {
	case s.best && ok:
		return usage.Errorf("--%s: given with --%s, want one of the two", bestFlag, matrixFlag)
	case s.best && s.view != tableView:
		return usage.Errorf("--%s: got %s, want a table", bestFlag, s.viewName())
	case ok && s.view != tableView:
		return usage.Errorf("--%s: got %s, want a table", matrixFlag, s.viewName())
	case !ok:
		return nil
	case s.target.Format.Nested:
		return usage.Errorf("--%s: got the format %s, want csv, tsv, xlsx or a table", matrixFlag, s.target.Format.Name)
	case c.Is("zip"):
		return usage.Errorf("--%s: given with --zip, want lists that are crossed", matrixFlag)
	}
	names := usage.NamesIn(raw)
	if len(names) != 2 || names[0] == names[1] {
		return usage.Invalid(matrixFlag, raw, "two flags whose lists go down and across, such as m,tau")
	}
	var found [2]goals.Parameter
	for i, name := range names {
		p, known := namedParameter(name)
		if !known {
			return usage.Invalid(matrixFlag, raw, "names of flags with a list of numbers, such as queries or m")
		}
		if _, typed := c.Text(p.Flag.Name); !typed {
			return usage.Errorf("--%s: got %s, want values for --%s too", matrixFlag, name, p.Flag.Name)
		}
		found[i] = p
	}
	if found[0].Flag.Name == found[1].Flag.Name {
		return usage.Invalid(matrixFlag, raw, "two different flags")
	}
	s.matrix = &matrix{found[0], found[1]}
	return nil
}

// viewName is the flag that asks for another form than a table.
func (s *request) viewName() string {
	switch s.view {
	case reportView:
		return "--report"
	case plotView:
		return "--plot"
	}
	return "the format " + s.target.Format.Name
}

// validMatrix refuses a third list, a plan without an unknown and more columns than a sheet has.
func (s *request) validMatrix() error {
	if s.matrix == nil {
		return nil
	}
	if s.unknown == transfer.None {
		return usage.Errorf("--%s: got all of samples, queries, tau and beta, want one to be solved for", matrixFlag)
	}
	own := []string{s.matrix.down.Flag.Name, s.matrix.across.Flag.Name}
	for _, a := range s.grid.Axes {
		if a.Length > 1 && !slices.Contains(own, a.Flag) {
			return usage.Errorf("--%s: got a list for --%s too, want lists for --%s and --%s alone", matrixFlag, a.Flag,
				own[0], own[1])
		}
	}
	if err := s.differentColumns(); err != nil {
		return err
	}
	lines, columns := int64(s.grid.Length(own[0])), int64(s.grid.Length(own[1]))+1
	switch {
	case s.target.Format.Book != nil:
		return commands.FitsSheet(lines, columns)
	case s.target.Format.Print != nil:
		return commands.FitsTable(lines, columns)
	}
	return nil
}

// differentColumns refuses a value that goes across twice: a column is named by its value.
func (s *request) differentColumns() error {
	across := s.matrix.across
	seen := make(map[string]bool)
	for j := range s.grid.Length(across.Flag.Name) {
		goal := s.grid.Goal(s.grid.Index(map[string]int{across.Flag.Name: j}))
		value := record.PlainText(across.CellOf(goal))
		if seen[value] {
			return usage.Errorf("--%s: got %s twice for --%s, want a column for each value", matrixFlag, value,
				across.Flag.Name)
		}
		seen[value] = true
	}
	return nil
}

// line is a line of a matrix: the value that goes down, and the starred row for each that goes across, nil for none.
type line struct {
	head  record.Cell
	stars []*goals.Row
}

// lines solves the goals and lays out the starred rows.
func (s *request) lines(c *commands.Call) ([]line, error) {
	bar := c.Progress(s.goals)
	defer bar.End()
	stars := make([]*goals.Row, s.goals)
	err := parallel.For(c.Context, s.goals, c.Workers, func(from, to int) (err error) {
		for i := from; i < to; i++ {
			rows, err := s.solve(i)
			if err != nil {
				return err
			}
			if best := bestOf(rows); best != nil {
				star := *best
				stars[i] = &star
			}
		}
		return nil
	}, bar.Step)
	if err != nil {
		return nil, err
	}
	lines := make([]line, s.grid.Length(s.matrix.down.Flag.Name))
	for i := range lines {
		lines[i].head = s.matrix.down.CellOf(s.grid.Goal(s.at(i, 0)))
		for j := range s.grid.Length(s.matrix.across.Flag.Name) {
			lines[i].stars = append(lines[i].stars, stars[s.at(i, j)])
		}
	}
	return lines, nil
}

// at is the number of the goal in a line and a column of the matrix.
func (s *request) at(i, j int) int {
	return s.grid.Index(map[string]int{s.matrix.down.Flag.Name: i, s.matrix.across.Flag.Name: j})
}

// columnsOf are the columns of a matrix with this cell of each starred row.
func (s *request) columnsOf(cell func(*goals.Row) record.Cell) []record.Column[line] {
	columns := []record.Column[line]{{Name: s.matrix.down.Heading(), Cell: func(l line) record.Cell { return l.head }}}
	across := s.matrix.across
	for j := range s.grid.Length(across.Flag.Name) {
		columns = append(columns, record.Column[line]{
			Name: across.Heading() + "_" + record.PlainText(across.CellOf(s.grid.Goal(s.at(0, j)))),
			Cell: func(l line) record.Cell {
				if l.stars[j] == nil {
					return record.Cell{}
				}
				return cell(l.stars[j])
			},
		})
	}
	return columns
}

// solvedColumn is the column of the unknown.
func (s *request) solvedColumn() goals.Column {
	i := slices.IndexFunc(goals.Parameters, func(p goals.Parameter) bool { return p.Unknown == s.unknown })
	return s.solvedOnly(s.unknown, goals.Parameters[i].Column)
}

// writeMatrix writes the grid laid out by two lists. A workbook has a chart of its columns, and the methods that its
// cells are of.
func (s *request) writeMatrix(c *commands.Call) error {
	lines, err := s.lines(c)
	if err != nil {
		return err
	}
	columns := s.columnsOf(s.solvedColumn().Cell)
	return commands.Emit(c, s.target, commands.Answer[line]{
		Command: "samplesize", Inputs: s.inputs, Rows: commands.List(lines), Columns: columns, Shown: columns,
		Tally: s.tally, Then: func() error { return s.writeSchedule(c) },
		Say: func() (title, notes []string) { return s.sayMatrix(lines) },
		Sheets: []commands.Sheet[line]{
			{Name: "Matrix", Columns: columns, Titled: true, Chart: func(columns []record.Column[line]) *record.Chart {
				return s.matrixChart(lines, len(columns))
			}},
			{Name: "Methods", Columns: s.columnsOf(goals.ColumnMethod.Cell), Titled: true},
		},
	})
}

// sayMatrix says what the cells are, and what goes down and across.
func (s *request) sayMatrix(lines []line) (title, notes []string) {
	var stars [][]goals.Row
	for _, l := range lines {
		for _, star := range l.stars {
			if star != nil {
				stars = append(stars, []goals.Row{*star})
			}
		}
	}
	_, constants := s.shown(stars)
	constants = append(constants, s.shownWords()...)
	return []string{subjects[s.unknown] + " by the best method: " + strings.Join(constants, ", ")},
		[]string{s.matrix.down.Flag.Name + " goes down, " + s.matrix.across.Flag.Name +
			" across; an empty cell has no answer; --best says which method is the best"}
}

// mostSeries is how many curves spreadsheets draw in one chart.
const mostSeries = 255

// matrixChart draws the columns over the first one, if a chart holds them.
func (s *request) matrixChart(lines []line, columns int) *record.Chart {
	if columns-1 > mostSeries {
		return nil
	}
	chart := &record.Chart{Title: subjects[s.unknown], XTitle: s.matrix.down.Heading(), YTitle: s.solvedColumn().Name,
		LogY: true, LogX: !slices.ContainsFunc(lines, func(l line) bool {
			return l.head.Form == record.NumberForm && l.head.F <= 0
		})}
	for j := 1; j < columns; j++ {
		chart.Y = append(chart.Y, j)
	}
	return chart
}
