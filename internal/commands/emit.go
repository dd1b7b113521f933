package commands

import (
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"

	"github.com/dpcalc/dpcalc/internal/bibliography"
	"github.com/dpcalc/dpcalc/internal/record"
	"github.com/dpcalc/dpcalc/internal/usage"
	"github.com/dpcalc/dpcalc/theory"
)

// mostCells is how many cells a table for people may have: it is laid out in memory, some
// 300 bytes a cell.
const mostCells = 3_000_000

// FitsTable refuses more rows than the memory for a table holds.
func FitsTable(rows, columns int64) error {
	if rows > mostCells/columns {
		return usage.Errorf("--format: got %d rows of %d columns, want at most %d cells in a table for people; csv, tsv, json and jsonl take any number", rows, columns, mostCells)
	}
	return nil
}

// Answer is what a command found, to be written in any format.
type Answer[R any] struct {
	Command string // its name in the schema of JSON and on sheets
	Inputs  []record.Input
	Columns []record.Column[R] // for machines
	Shown   []record.Column[R] // for people, who do not see those that hold nothing
	Rows    iter.Seq[R]
	Live    *record.Live // a sheet of formulas for a workbook; nil for none

	Verdict func(R) Verdict                // of a row for a method; nil if rows are not for methods
	Say     func() (title, notes []string) // for people; nil for nothing
}

// Verdict is what became of a method. People do not see the row of one that does not apply: its
// reason is told below the table.
type Verdict struct {
	Method  string
	Status  theory.Status
	Reason  string
	Sources []theory.Source
	Proof   theory.Proof // of a row that a figure draws
	Best    bool
}

// Emit writes an answer.
func Emit[R any](c *Call, t Target, a Answer[R]) error {
	return c.WriteTo(t, func(w io.Writer) error {
		switch {
		case t.Format.Encode != nil:
			return a.encode(c, w, t.Format)
		case t.Format.Book != nil:
			return a.bind(c, w, t)
		case t.Format.Print != nil:
			s, err := a.sheet(c)
			if err != nil {
				return err
			}
			return t.Format.Print(w, s)
		}
		return fmt.Errorf("the format %s writes no tables", t.Format.Name)
	})
}

// encode writes the rows for machines as they come.
func (a Answer[R]) encode(c *Call, w io.Writer, f record.Format) error {
	e := f.Encode(record.Result{Command: a.Command, Inputs: a.Inputs, Columns: record.Names(a.Columns)})
	return c.WriteRows(w, e, func(yield func([]record.Cell) bool) {
		var row []record.Cell
		for r := range a.Rows {
			if row = record.Row(row[:0], a.Columns, r); !yield(row) {
				return
			}
		}
	})
}

// WriteRows encodes rows as they come, until the call's context ends.
func (c *Call) WriteRows(w io.Writer, e record.Encoder, rows iter.Seq[[]record.Cell]) error {
	var known record.Chances
	b, first := e.Head(nil), true
	for row := range rows {
		b = e.Row(b, first, row, &known)
		if first = false; len(b) < 1<<15 {
			continue
		}
		if _, err := w.Write(b); err != nil {
			return err
		}
		if err := c.Context.Err(); err != nil {
			return err
		}
		b = b[:0]
	}
	_, err := w.Write(e.Foot(b))
	return err
}

// verdict is that of a row, the zero value if rows are not for methods.
func (a Answer[R]) verdict(r R) Verdict {
	if a.Verdict == nil {
		return Verdict{}
	}
	return a.Verdict(r)
}

// sheet is the answer for people.
func (a Answer[R]) sheet(c *Call) (s record.Sheet, err error) {
	if a.Say != nil {
		s.Title, s.Notes = a.Say()
	}
	if len(a.Shown) > 0 {
		s.Columns = record.Titles(a.Shown)
	}
	var leftOut Reasons
	rows := int64(0)
	for r := range a.Rows {
		if v := a.verdict(r); leftOut.LeavesOut(v.Method, v.Status, v.Reason) {
			continue
		}
		if rows++; len(a.Shown) > 0 {
			s.Rows = append(s.Rows, record.Row(nil, a.Shown, r))
		}
		if err := FitsTable(rows, int64(max(len(a.Shown), 1))); err != nil {
			return s, err
		}
		if err := c.Context.Err(); err != nil {
			return s, err
		}
	}
	s.Notes = append(s.Notes, leftOut.Lines()...)
	return s, nil
}

// bind writes a workbook: the rows in a sheet named after the command, with the columns for
// machines, the sheet of formulas, and About.
func (a Answer[R]) bind(c *Call, w io.Writer, to Target) error {
	said, err := a.sheet(c)
	if err != nil {
		return err
	}
	var rows [][]record.Cell
	var looks []record.Look
	var sources []string
	for r := range a.Rows {
		v := a.verdict(r)
		look := record.PlainLook
		if v.Best {
			look = record.BestLook
		}
		for _, s := range v.Sources {
			sources = append(sources, s.String())
		}
		rows, looks = append(rows, record.Row(nil, a.Columns, r)), append(looks, look)
		if err := FitsSheet(int64(len(rows))); err != nil {
			return err
		}
	}
	sheets := []string{a.Command, "About"}
	if a.Live != nil {
		sheets = []string{a.Command, record.LiveSheet, "About"}
	}
	b, err := to.Format.Book("dpcalc "+a.Command, sheets...)
	if err != nil {
		return err
	}
	defer b.Close()
	names := record.Names(a.Columns)
	t := record.Table{Name: a.Command, Columns: names, Widths: record.ColumnWidths(names, rows), Rows: len(rows)}
	err = b.Fill(t, func(add func([]record.Cell, record.Look) error) error {
		for i, row := range rows {
			if err := add(row, looks[i]); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil && a.Live != nil {
		err = b.Live(*a.Live)
	}
	if err != nil {
		return err
	}
	works, err := References(sources)
	if err != nil {
		return err
	}
	if err := b.About(to.Command,
		slices.Concat(record.Remarks("result", said.Title), record.Remarks("", said.Notes), works)); err != nil {
		return err
	}
	return b.Write(w)
}

// ListInput repeats a single value as a number and a list as it was typed.
func ListInput[T any](c usage.Values, flag string, values []T, toCell func(T) record.Cell) record.Input {
	switch raw, ok := c.Text(flag); {
	case !ok:
		return record.Input{Name: flag}
	case len(values) == 1:
		return record.Input{Name: flag, Value: toCell(values[0])}
	default:
		return record.Input{Name: flag, Value: record.Words(raw)}
	}
}

// FitsSheet refuses what no sheet holds.
func FitsSheet(rows int64) error {
	if rows > record.MostSheetRows {
		return usage.Errorf("--output: got %d rows, want at most %d in a workbook, or a .csv file", rows,
			record.MostSheetRows)
	}
	return nil
}

// References lists the works that these sources begin with, each once, as a
// reader cites them.
func References(sources []string) ([]record.Remark, error) {
	var list []record.Remark
	for _, source := range sources {
		key, _, _ := strings.Cut(source, " ")
		if slices.ContainsFunc(list, func(r record.Remark) bool { return r.Label == key }) {
			continue
		}
		entry, err := bibliography.Entry(theory.Source{Key: key})
		if err != nil {
			return nil, err
		}
		list = append(list, record.Remark{Label: key, Text: bibliography.Citation(entry)})
	}
	if len(list) > 0 {
		list = slices.Insert(list, 0, record.Remark{}, record.Remark{Label: "References"})
	}
	return list, nil
}
