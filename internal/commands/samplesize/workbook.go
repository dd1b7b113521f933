package samplesize

import (
	"io"
	"slices"
	"strings"

	"github.com/dpcalc/dpcalc/internal/commands"
	"github.com/dpcalc/dpcalc/internal/commands/goals"
	"github.com/dpcalc/dpcalc/internal/outfile"
	"github.com/dpcalc/dpcalc/internal/record"
	"github.com/dpcalc/dpcalc/internal/usage"
	"github.com/dpcalc/dpcalc/transfer"
)

// workbook writes the plan, a sheet that follows its inputs, and where both come
// from.
func (s *request) workbook(c *commands.Call, v *verdict) error {
	bar := c.Progress(s.goals)
	defer bar.End()
	rows, err := s.solveAll(c, 0, min(record.Block, s.goals), v, bar)
	if err != nil {
		return err
	}
	bar.After("comparing the methods")
	var text record.Sheet
	var live record.Live
	said := make(chan error, 1)
	go func() { // beside the cells
		said <- usage.OrFault(func() (err error) {
			if text, err = s.text(c.Context, rows, nil); err == nil {
				live, err = s.live(c, rows[0])
			}
			return err
		})
	}()
	columns := s.planColumns()
	short := record.Sheet{Columns: record.Titles(columns)}
	if short.Rows, err = s.planCells(c, rows, columns); err != nil {
		return err
	}
	whole := s.goals <= record.Block
	if whole {
		short = short.Compact()
		columns = slices.DeleteFunc(columns,
			func(c goals.Column) bool { return !slices.Contains(short.Columns, record.Titles([]goals.Column{c})[0]) })
	}
	t := record.Table{Name: "Plan", Columns: short.Columns, Widths: record.ColumnWidths(short.Columns, short.Rows),
		Rows: s.goals * int(s.perGoal()), Chart: s.bestChart(columns)}
	bar.After("interpolating around the first goal")
	if err := <-said; err != nil {
		return err
	}
	if text.Notes = slices.DeleteFunc(text.Notes, func(note string) bool { return note == spanNote }); !whole {
		text.Notes = nil
	}
	sheets := []string{"Plan", record.LiveSheet, "About"}
	if live.Hidden != nil {
		sheets = append(sheets, record.HiddenSheet)
	}
	b, err := s.target.Format.Book("dpcalc samplesize", sheets...)
	if err != nil {
		return err
	}
	defer b.Close()
	err = b.Fill(t, func(add func([]record.Cell, record.Look) error) error {
		cells := short.Rows
		for lo := 0; ; {
			for _, group := range rows {
				group = s.shownRows(group)
				for k := range group {
					if err := add(cells[k], look(&group[k])); err != nil {
						return err
					}
				}
				cells = cells[len(group):]
			}
			if lo += record.Block; lo >= s.goals {
				return nil
			}
			var err error
			if rows, err = s.solveAll(c, lo, min(lo+record.Block, s.goals), v, bar); err != nil {
				return err
			}
			if cells, err = s.planCells(c, rows, columns); err != nil {
				return err
			}
		}
	})
	if err != nil {
		return err
	}
	remarks, err := s.remarks(text, columns)
	if err != nil {
		return err
	}
	if err := b.Live(live); err != nil {
		return err
	}
	if err := b.About(s.target.Command, remarks); err != nil {
		return err
	}
	bar.After("writing the workbook")
	return c.WriteTo(s.target, func(w io.Writer) error { return b.Write(w) })
}

// planCells returns the cells of the rows that are shown.
func (s *request) planCells(c *commands.Call, rows [][]goals.Row, columns []goals.Column) ([][]record.Cell, error) {
	groups := make([][][]record.Cell, len(rows))
	err := outfile.Stream(c.Context, io.Discard, len(rows), c.Workers, func(dst []byte, from, to int) ([]byte, error) {
		for i := from; i < to; i++ {
			group := s.shownRows(rows[i])
			for k := range group {
				groups[i] = append(groups[i], record.Row(make([]record.Cell, 0, len(columns)), columns, &group[k]))
			}
		}
		return dst, nil
	}, nil)
	if err != nil { // an interrupt does not wait for what writes the groups
		return nil, err
	}
	return slices.Concat(groups...), nil
}

// bestChart draws the solved column over the one that varies, nil where there are several rows for a goal or not one
// list.
func (s *request) bestChart(columns []goals.Column) *record.Chart {
	varying := s.varying()
	if !s.best || len(varying) != 1 || s.unknown == transfer.None {
		return nil
	}
	at := func(name string) int {
		return slices.IndexFunc(columns, func(c goals.Column) bool { return c.Name == name })
	}
	x, y := at(varying[0].Column.Name), at(s.solvedColumn().Name)
	if x < 0 || y < 0 {
		return nil
	}
	positive := true
	for i := range s.goals {
		positive = positive && varying[0].Axis(s.grid.Goal(i)) > 0
	}
	return &record.Chart{Title: subjects[s.unknown] + " by the best method", XTitle: columns[x].Name,
		YTitle: columns[y].Name, X: x, Y: []int{y}, LogX: positive, LogY: true}
}

func look(r *goals.Row) record.Look {
	switch {
	case r.Best:
		return record.BestLook
	case r.Status != transfer.OK:
		return record.DimLook
	}
	return record.PlainLook
}

// remarks tells what was found, what the columns are and what the methods rest on.
func (s *request) remarks(text record.Sheet, columns []goals.Column) ([]record.Remark, error) {
	list := slices.Concat(record.Remarks("result", text.Title), record.Remarks("", text.Notes),
		[]record.Remark{{}, {Label: "Columns of Plan"}})
	for i, title := range record.Titles(columns) {
		list = append(list, record.Remark{Label: title, Text: columns[i].Says})
	}
	list = append(list, record.Remark{}, record.Remark{Label: "Methods"})
	var all []string
	for _, m := range s.methods {
		var sources []string
		for _, source := range m.Sources {
			sources = append(sources, source.String())
		}
		all = append(all, sources...)
		list = append(list,
			record.Remark{Label: m.Name,
				Text: strings.Join([]string{m.Summary, m.Formula, "assumes " + strings.Join(m.Assumes, "; "),
					"source: " + strings.Join(sources, "; ")}, "\n")})
	}
	works, err := commands.References(all)
	return append(list, works...), err
}
