package samplesize

import (
	"fmt"
	"iter"

	"github.com/dpcalc/dpcalc/cmd/internal/commands"
	"github.com/dpcalc/dpcalc/cmd/internal/commands/goals"
	"github.com/dpcalc/dpcalc/cmd/internal/outfile"
	"github.com/dpcalc/dpcalc/cmd/internal/record"
	"github.com/dpcalc/dpcalc/cmd/internal/usage"
	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer"
)

// runTable is the table that a method runs on: the noise of every query, say.
type runTable struct {
	columns []string
	lines   int64
	unit    string // what the lines are
	rows    iter.Seq[[]record.Cell]
}

// tableOf is the table that a row's method runs on, if it has one.
func tableOf(r *goals.Row) (t runTable, ok bool) {
	switch run := r.Mechanism; {
	case run.Board != nil:
		return boardTable(run.Board, r.Query.IsZeroOne()), true
	case run.QueryWidths != nil:
		return numbered("query", "queries", "width", r.Queries, func(yield func(int64, float64) bool) {
			for _, block := range run.QueryWidths {
				if !yield(block.Queries, block.Width) {
					return
				}
			}
		}), true
	case run.FlagWidths != nil:
		return numbered("flag", "flags", "width", r.Budget, flagWidths(r)), true
	case run.Noise != "" && run.Threshold == 0:
		return noiseTable(r), true
	}
	return t, false
}

// noiseTable has the noise of every query, and where it is cut if it is.
func noiseTable(r *goals.Row) runTable {
	columns := []string{"query", "noise_scale", "cut"}
	for block := range r.Noise() {
		if block.Cut == 0 {
			columns = columns[:2]
		}
		break // all noise of a plan is cut or none
	}
	return runTable{columns, r.Queries, "queries", func(yield func([]record.Cell) bool) {
		number := int64(0)
		for block := range r.Noise() {
			for range block.Queries {
				number++
				cells := []record.Cell{record.Count(number), record.Exactly(block.Scale), record.Exactly(block.Cut)}
				if !yield(cells[:len(columns)]) {
					return
				}
			}
		}
	}}
}

// boardTable has the count of right rows from which on a 0/1 score shows the value: those are compared, and the first
// step is the start.
func boardTable(board []theory.Step, counted bool) runTable {
	columns := []string{"boundary", "value", "count"}
	if !counted {
		columns = columns[:2]
	}
	return runTable{columns, int64(len(board)), "steps", func(yield func([]record.Cell) bool) {
		for i, s := range board {
			count := record.Cell{}
			if i > 0 {
				count = record.Count(s.Count)
			}
			if !yield([]record.Cell{record.Exactly(s.Boundary), record.Exactly(s.Value), count}[:len(columns)]) {
				return
			}
		}
	}}
}

// flagWidths are the widths in runs of equal ones. With parts of its own every flag has none.
func flagWidths(r *goals.Row) iter.Seq2[int64, float64] {
	return func(yield func(int64, float64) bool) {
		widths := r.Mechanism.FlagWidths
		for i, w := range widths {
			end := r.Budget
			if i+1 < len(widths) {
				end = widths[i+1].Flags
			}
			if !yield(end-w.Flags, w.Width) {
				return
			}
		}
	}
}

// numbered is a table with a line for each query or flag, of runs of equal values.
func numbered(of, unit, value string, lines int64, runs iter.Seq2[int64, float64]) runTable {
	return runTable{[]string{of, value}, lines, unit, func(yield func([]record.Cell) bool) {
		number := int64(0)
		for length, x := range runs {
			for range length {
				number++
				if !yield([]record.Cell{record.Count(number), record.Exactly(x)}) {
					return
				}
			}
		}
	}}
}

// starred is the row with an answer that a file is about: the best one, or the only one. Without one the rows say why.
func starred(rows []goals.Row) *goals.Row {
	r := bestOf(rows)
	if r == nil && len(rows) == 1 {
		r = &rows[0]
	}
	if r == nil || r.Status != transfer.OK {
		return nil
	}
	return r
}

// scheduled is that row, and its table.
func (s *request) scheduled(rows []goals.Row) (r *goals.Row, t runTable, err error) {
	if r = starred(rows); r == nil {
		return nil, t, nil
	}
	t, ok := tableOf(r)
	if !ok {
		return nil, t, usage.Errorf("--schedule: got %s as the best method, which runs on no table, want another --method",
			r.Method.Name)
	}
	return r, t, nil
}

func (s *request) readSchedule(c *commands.Call, limit int64) error {
	path, ok := c.Text("schedule")
	if !ok {
		return nil
	}
	implied, _ := commands.FormatOf(path, c.Formats)
	format, err := c.InDialect(implied)
	if err != nil {
		return err
	}
	s.schedule = commands.Target{Format: format, Path: path}
	switch {
	case format.Encode == nil:
		return usage.Invalid("schedule", path, "a name in .csv, .tsv, .json or .jsonl")
	case s.target.Path != "" && outfile.IsSameFile(path, s.target.Path):
		return usage.Errorf("--schedule: got the file of --output, want another one")
	case s.goals != 1:
		return usage.Errorf("--schedule: got %d goals, want one", s.goals)
	}
	rows, _, err := transfer.Solve(nil, s.methods, s.grid.Goal(0))
	if err != nil {
		return err
	}
	r, t, err := s.scheduled(rows)
	switch {
	case err != nil || r == nil:
		return err
	case t.lines > limit:
		return usage.Errorf("--schedule: got %d %s, want at most %d; allow more with --max-rows", t.lines, t.unit, limit)
	}
	s.table = &t
	return nil
}

// writeSchedule writes the table. There is no file if the method has no answer: its row says why.
func (s *request) writeSchedule(c *commands.Call) error {
	if s.table == nil {
		return nil
	}
	var columns []record.Column[[]record.Cell]
	for i, name := range s.table.columns {
		columns = append(columns,
			record.Column[[]record.Cell]{Name: name, Cell: func(row []record.Cell) record.Cell { return row[i] }})
	}
	return commands.Emit(c, s.schedule, commands.Answer[[]record.Cell]{Command: "schedule", Inputs: s.inputs,
		Columns: columns, Rows: s.table})
}

// Units and Len are unknown, as a line is made after the one before it.
func (t *runTable) Units() int { return commands.Unknown }
func (t *runTable) Len() int   { return commands.Unknown }

// Each visits the lines. No plan with a line missing is ever published.
func (t *runTable) Each(_, _ int, visit func([]record.Cell) error) error {
	lines := int64(0)
	for cells := range t.rows {
		if err := visit(cells); err != nil {
			return err
		}
		lines++
	}
	if lines != t.lines {
		return fmt.Errorf("the table has %d lines of %d", lines, t.lines)
	}
	return nil
}
