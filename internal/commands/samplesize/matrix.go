package samplesize

import (
	"io"
	"slices"
	"strings"

	"github.com/dpcalc/dpcalc/internal/commands"
	"github.com/dpcalc/dpcalc/internal/commands/goals"
	"github.com/dpcalc/dpcalc/internal/numbers"
	"github.com/dpcalc/dpcalc/internal/outfile"
	"github.com/dpcalc/dpcalc/internal/record"
	"github.com/dpcalc/dpcalc/internal/usage"
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

// shownRows are the rows of a goal that are written: all, or with --best the starred one.
func (s *request) shownRows(group []goals.Row) []goals.Row {
	if !s.best {
		return group
	}
	return []goals.Row{s.starred(group)}
}

// written are the rows that are written of all.
func (s *request) written(rows [][]goals.Row) [][]goals.Row {
	if !s.best {
		return rows
	}
	list := make([][]goals.Row, len(rows))
	for i, group := range rows {
		list[i] = s.shownRows(group)
	}
	return list
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
	names := numbers.NamesIn(raw)
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
	case s.target.Format.Book != nil && columns > record.MostColumns:
		return usage.Errorf("--output: got %d columns, want at most %d in a workbook, or a .csv file", columns,
			record.MostColumns)
	case s.target.Format.Book != nil:
		return commands.FitsSheet(lines)
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

// laidOut is a matrix with its cells: a line for each value that goes down, which stands first.
type laidOut struct {
	names   []string // of the columns, for machines
	lines   [][]record.Cell
	methods [][]record.Cell // which method each value is of
	stars   [][]goals.Row   // the best row of each goal that has one
}

// layOut solves the goals and lays out what is starred.
func (s *request) layOut(c *commands.Call, v *verdict) (laidOut, error) {
	bar := c.Progress(s.goals)
	defer bar.End()
	type cell struct{ value, method record.Cell }
	cells, stars := make([]cell, s.goals), make([][]goals.Row, s.goals)
	solved := s.solvedColumn()
	err := outfile.Stream(c.Context, io.Discard, s.goals, c.Workers, func(dst []byte, from, to int) ([]byte, error) {
		var rows []goals.Row
		for i := from; i < to; i++ {
			var err error
			if rows, err = s.solve(rows, i, v); err != nil {
				return dst, err
			}
			if best := bestOf(rows); best != nil {
				cells[i] = cell{solved.Cell(best), record.Words(best.Method.Name)}
				stars[i] = []goals.Row{*best}
			}
		}
		return dst, nil
	}, bar.Step)
	down, across := s.matrix.down, s.matrix.across
	at := func(i, j int) int { return s.grid.Index(map[string]int{down.Flag.Name: i, across.Flag.Name: j}) }
	out := laidOut{names: []string{down.Heading()}, stars: stars}
	for j := range s.grid.Length(across.Flag.Name) {
		out.names = append(out.names, across.Heading()+"_"+record.PlainText(across.CellOf(s.grid.Goal(at(0, j)))))
	}
	for i := range s.grid.Length(down.Flag.Name) {
		head := down.CellOf(s.grid.Goal(at(i, 0)))
		line, methods := []record.Cell{head}, []record.Cell{head}
		for j := range len(out.names) - 1 {
			line, methods = append(line, cells[at(i, j)].value), append(methods, cells[at(i, j)].method)
		}
		out.lines, out.methods = append(out.lines, line), append(out.methods, methods)
	}
	return out, err
}

// titles are the names of the columns for people.
func (l laidOut) titles() []string {
	titles := make([]string, len(l.names))
	for i, name := range l.names {
		titles[i] = strings.ReplaceAll(name, "_", " ")
	}
	return titles
}

// solvedColumn is the column of the unknown.
func (s *request) solvedColumn() goals.Column {
	i := slices.IndexFunc(goals.Parameters, func(p goals.Parameter) bool { return p.Unknown == s.unknown })
	return s.solvedOnly(s.unknown, goals.Parameters[i].Column)
}

// writeMatrix writes the grid laid out by two lists.
func (s *request) writeMatrix(c *commands.Call, v *verdict) error {
	out, err := s.layOut(c, v)
	if err != nil {
		return err
	}
	format := s.target.Format
	switch {
	case format.Book != nil:
		return s.matrixBook(c, out)
	case format.Print != nil:
		title := s.matrixTitle(out.stars)
		sheet := record.Sheet{Title: title[:1], Columns: out.titles(), Rows: out.lines, Notes: title[1:]}
		return c.WriteTo(s.target, func(w io.Writer) error { return format.Print(w, sheet) })
	}
	e := format.Encode(record.Result{Command: "samplesize", Inputs: s.inputs, Columns: out.names})
	return c.WriteTo(s.target, func(w io.Writer) error {
		var known record.Chances
		dst := e.Head(nil)
		for i, line := range out.lines {
			dst = e.Row(dst, i == 0, line, &known)
		}
		_, err := w.Write(e.Foot(dst))
		return err
	})
}

// matrixTitle says what the cells are, and what goes down and across.
func (s *request) matrixTitle(stars [][]goals.Row) []string {
	own := []string{s.matrix.down.Flag.Name, s.matrix.across.Flag.Name}
	_, constants := s.shown(stars)
	constants = append(constants, s.shownWords()...)
	return []string{subjects[s.unknown] + " by the best method: " + strings.Join(constants, ", "),
		own[0] + " goes down, " + own[1] + " across; an empty cell has no answer; --best says which method is the best"}
}

// mostSeries is how many curves spreadsheets draw in one chart.
const mostSeries = 255

// matrixBook writes the matrix with a chart of its columns, and the methods that its cells are of.
func (s *request) matrixBook(c *commands.Call, out laidOut) error {
	b, err := s.target.Format.Book("dpcalc samplesize", "Matrix", "Methods", "About")
	if err != nil {
		return err
	}
	defer b.Close()
	title := s.matrixTitle(out.stars)
	across := make([]int, len(out.names)-1)
	for j := range across {
		across[j] = j + 1
	}
	chart := record.Chart{Title: subjects[s.unknown], XTitle: s.matrix.down.Heading(), YTitle: s.solvedColumn().Name,
		Y:    across,
		LogX: positive(out.lines, 0), LogY: true}
	drawn := &chart
	if len(across) > mostSeries {
		drawn = nil
	}
	tables := []struct {
		name  string
		lines [][]record.Cell
		chart *record.Chart
	}{{"Matrix", out.lines, drawn}, {"Methods", out.methods, nil}}
	for _, table := range tables {
		lines := table.lines
		t := record.Table{Name: table.name, Columns: out.titles(), Rows: len(lines), Chart: table.chart,
			Widths: record.ColumnWidths(out.titles(), lines)}
		err := b.Fill(t, func(add func([]record.Cell, record.Look) error) error {
			for _, line := range lines {
				if err := add(line, record.PlainLook); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	remarks := slices.Concat(record.Remarks("result", title), []record.Remark{{}})
	if err := b.About(s.target.Command, remarks); err != nil {
		return err
	}
	return c.WriteTo(s.target, func(w io.Writer) error { return b.Write(w) })
}

// positive says whether a logarithmic axis can show a column.
func positive(lines [][]record.Cell, j int) bool {
	return !slices.ContainsFunc(lines, func(line []record.Cell) bool {
		c := line[j]
		return c.Form == record.NumberForm && c.F <= 0
	})
}
