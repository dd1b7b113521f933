package commands

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync/atomic"

	"github.com/dpcalc/dpcalc/cmd/internal/bibliography"
	"github.com/dpcalc/dpcalc/cmd/internal/printed"
	"github.com/dpcalc/dpcalc/cmd/internal/record"
	"github.com/dpcalc/dpcalc/cmd/internal/usage"
	"github.com/dpcalc/dpcalc/internal/each"
	"github.com/dpcalc/dpcalc/internal/parallel"
	"github.com/dpcalc/dpcalc/theory"
)

// mostCells is how many cells a table for people may have: it is laid out in memory, some
// 300 bytes a cell.
const mostCells = 3_000_000

// FitsTable refuses more rows than the memory for a table holds.
func FitsTable(rows, columns int64) error {
	if rows > mostCells/max(columns, 1) {
		return usage.Errorf("--format: got %d rows of %d columns, want at most %d cells in a table for people; csv, tsv, json and jsonl take any number", rows, columns, mostCells)
	}
	return nil
}

// FitsSheet refuses what no sheet holds.
func FitsSheet(rows, columns int64) error {
	switch {
	case columns > record.MostColumns:
		return usage.Errorf("--output: got %d columns, want at most %d in a workbook, or a .csv file", columns, record.MostColumns)
	case rows > record.MostSheetRows:
		return usage.Errorf("--output: got %d rows, want at most %d in a workbook, or a .csv file", rows, record.MostSheetRows)
	}
	return nil
}

// IsDrawn reports whether a drawing is asked for.
func IsDrawn(c usage.Values, t Target) bool { return c.Is("plot") || t.Format.Draw != nil }

// Emit writes an answer, and returns the exit code that follows from it.
func Emit[R any](c *Call, t Target, a Answer[R]) error {
	if a.Figure != nil && IsDrawn(c, t) {
		return a.draw(c, t)
	}
	tally := a.Tally
	if tally == nil {
		tally = new(Tally)
	}
	w := writer[R]{a, c, tally}
	err := c.WriteTo(t, func(out io.Writer) error {
		switch {
		case t.Format.Encode != nil:
			return w.encode(out, t.Format)
		case t.Format.Book != nil:
			return w.bind(out, t)
		case t.Format.Print == nil:
			return fmt.Errorf("the format %s writes no tables", t.Format.Name)
		case a.Text != nil:
			_, err := io.WriteString(out, a.Text())
			return err
		}
		s, err := w.sheet()
		if err != nil {
			return err
		}
		s.Colours = t.Path == "" && c.Colours()
		if t.Format.Name == printed.Table.Name {
			s.Title, s.Notes = printed.Folded(s.Title, c.Width()), printed.Folded(s.Notes, c.Width())
		}
		return t.Format.Print(out, s)
	})
	a.Bar.End()
	if err == nil && a.Then != nil {
		err = a.Then()
	}
	if err != nil || a.Verdict == nil && a.Tally == nil {
		return err
	}
	return tally.Outcome()
}

// draw writes the figure, in characters where no file is asked for.
func (a Answer[R]) draw(c *Call, t Target) error {
	f, err := a.Figure()
	a.Bar.End()
	if err != nil {
		return err
	}
	empty := !slices.ContainsFunc(slices.Concat(f.Panels...), func(p record.Panel) bool { return len(p.Lines) > 0 })
	if empty && a.Verdict != nil {
		fmt.Fprintln(c.Stderr, "dpcalc: no method has an answer to draw")
		return usage.Outcome(usage.ExitNoAnswer)
	}
	return c.WriteTo(t, func(w io.Writer) error {
		if t.Format.Draw != nil {
			return t.Format.Draw(w, f)
		}
		_, err := io.WriteString(w, printed.Plot(f))
		return err
	})
}

// writer is an answer on its way.
type writer[R any] struct {
	Answer[R]
	call  *Call
	tally *Tally
}

// verdict counts the verdict of a row. It is the zero value if rows are not for methods.
func (w writer[R]) verdict(r R) (v Verdict) {
	if w.Verdict != nil {
		v = w.Verdict(r)
		if w.Tally == nil {
			w.tally.count(v)
		}
	}
	return v
}

// encode writes the rows for machines in bounded memory.
func (w writer[R]) encode(out io.Writer, f record.Format) error {
	e := f.Encode(record.Result{Schema: cmp.Or(w.Schema, w.Command+"/1"), Inputs: w.Inputs, Columns: record.Names(w.Columns)})
	if w.Rows.Units() == Unknown {
		return w.encodeInTurn(out, e)
	}
	if _, err := out.Write(e.Head(nil)); err != nil {
		return err
	}
	units, chain := w.Rows.Units(), max(w.Chain, 1)
	err := parallel.Ordered(w.call.Context, units, chain, w.call.Workers, func(lo, hi int) (part []byte, err error) {
		first, appendRow := lo == 0, w.appender(e)
		err = w.Rows.Each(lo, hi, func(r R) error {
			part, first = appendRow(part, first, r), false
			return nil
		})
		return part, err
	}, func(part []byte, done int) error {
		_, err := out.Write(part)
		w.Bar.Step(w.Before + done)
		return err
	})
	if err != nil {
		return err
	}
	_, err = out.Write(e.Foot(nil))
	return err
}

// appender returns a function that counts a row and writes it after others.
func (w writer[R]) appender(e record.Encoder) func(dst []byte, first bool, r R) []byte {
	cells := make([]record.Cell, 0, len(w.Columns))
	return func(dst []byte, first bool, r R) []byte {
		if w.Tally == nil {
			w.verdict(r)
		}
		return e.Row(dst, first, record.Row(cells, w.Columns, r))
	}
}

// encodeInTurn writes rows each of which is made after the one before it.
func (w writer[R]) encodeInTurn(out io.Writer, e record.Encoder) error {
	b, first, appendRow := e.Head(nil), true, w.appender(e)
	err := w.Rows.Each(0, Unknown, func(r R) error {
		b, first = appendRow(b, first, r), false
		if len(b) < 1<<15 {
			return nil
		}
		_, err := out.Write(b)
		b = b[:0]
		return errors.Join(err, w.call.Context.Err())
	})
	if err != nil {
		return err
	}
	_, err = out.Write(e.Foot(b))
	return err
}

// least is how many rows there are at least, as far as that is known before any is made.
func (w writer[R]) least() int64 { return int64(max(w.Rows.Len(), w.Rows.Units(), 0)) }

// formattedRow is a row whose cells are laid out.
type formattedRow struct {
	cells   []record.Cell
	verdict Verdict
	look    record.Look
}

// layOut makes the cells of the units from lo up to hi. It refuses more rows than fit.
func (w writer[R]) layOut(columns []record.Column[R], lo, hi int,
	fits func(rows, columns int64) error) ([]formattedRow, error) {
	var made atomic.Int64
	lay := func(lo, hi int) (rows []formattedRow, err error) {
		err = w.Rows.Each(lo, hi, func(r R) error {
			v := w.verdict(r)
			look := record.PlainLook
			switch {
			case w.Look != nil:
				look = w.Look(r)
			case v.Best:
				look = record.BestLook
			}
			rows = append(rows, formattedRow{record.Row(make([]record.Cell, 0, len(columns)), columns, r), v, look})
			return errors.Join(fits(made.Add(1), int64(len(columns))), w.call.Context.Err())
		})
		return rows, err
	}
	if w.Rows.Units() == Unknown {
		return lay(lo, hi)
	}
	var all []formattedRow
	err := parallel.Ordered(w.call.Context, hi-lo, max(w.Chain, 1), w.call.Workers,
		func(from, to int) ([]formattedRow, error) { return lay(lo+from, lo+to) },
		func(part []formattedRow, done int) error {
			all = append(all, part...)
			w.Bar.Step(w.Before + lo + done)
			return nil
		})
	return all, err
}

// sheet is the answer for people.
func (w writer[R]) sheet() (s record.Sheet, err error) {
	if err := FitsTable(w.least(), int64(len(w.Shown))); err != nil {
		return s, err
	}
	rows, err := w.layOut(w.Shown, 0, w.Rows.Units(), FitsTable)
	if err != nil {
		return s, err
	}
	var told told
	for _, r := range rows {
		if shown := told.add(r.verdict); shown && len(w.Shown) > 0 {
			s.Rows = append(s.Rows, r.cells)
		}
	}
	if len(w.Shown) > 0 {
		s.Columns = record.Titles(w.Shown)
	}
	s.Title, s.Notes = w.say(told)
	return s, nil
}

// told are the reasons of rows.
type told struct{ leftOut, unanswered Reasons }

// add reports whether people see a row.
func (t *told) add(v Verdict) (shown bool) {
	if t.leftOut.LeavesOut(v.Method, v.Status, v.Reason) {
		return false
	}
	if v.Method != "" {
		t.unanswered.Add(v.Method, v.Reason)
	}
	return true
}

// say is what people are told: the reasons of rows that they see are below the table if it has no column for them.
func (w writer[R]) say(t told) (title, notes []string) {
	if w.Say != nil {
		title, notes = w.Say()
	}
	notes = append(notes, t.leftOut.Lines()...)
	if !slices.Contains(record.Names(w.Shown), "reason") {
		notes = append(notes, t.unanswered.Lines()...)
	}
	return title, notes
}

// bind writes a workbook: sheets with a line for each row, and About.
func (w writer[R]) bind(out io.Writer, to Target) (err error) {
	sheets := w.Sheets
	if sheets == nil {
		sheets = []Sheet[R]{{Name: w.Command, Columns: w.Columns}}
	}
	units := w.Rows.Units()
	first := min(record.Block, units)
	if err := FitsSheet(w.least(), int64(len(sheets[0].Columns))); err != nil {
		return err
	}
	begun := make([][]formattedRow, len(sheets))
	for i, s := range sheets {
		if begun[i], err = w.layOut(s.Columns, 0, first, FitsSheet); err != nil {
			return err
		}
	}
	names := each.Of(sheets, func(s Sheet[R]) string { return s.Name })
	b, err := to.Format.Book("dpcalc "+w.Command, append(names, "About")...)
	if err != nil {
		return err
	}
	defer b.Close()
	var about about
	for i, s := range sheets {
		if err := w.fill(b, s, begun[i], units, &about); err != nil {
			return err
		}
	}
	remarks, err := w.remarks(about)
	if err != nil {
		return err
	}
	if err := b.About(to.Command, remarks); err != nil {
		return err
	}
	w.Bar.After("writing the workbook")
	return b.Write(out)
}

// about is what the sheet About is made from.
type about struct {
	told    told
	sources []theory.Source
	columns []record.Remark
}

// fill writes a sheet. The first units are laid out already.
func (w writer[R]) fill(b record.Book, s Sheet[R], rows []formattedRow, units int, about *about) error {
	if s.Compact && units <= record.Block {
		s.Columns = dropEmpty(s.Columns, rows)
	}
	first, again := make([][]record.Cell, len(rows)), about.columns != nil
	for i, r := range rows {
		first[i] = r.cells
	}
	t := record.Table{Name: s.Name, Columns: record.Names(s.Columns), Rows: w.Rows.Len()}
	if s.Titled {
		t.Columns = record.Titles(s.Columns)
	}
	t.Widths = record.ColumnWidths(t.Columns, first)
	if t.Rows == Unknown && units <= record.Block {
		t.Rows = len(rows)
	}
	if s.Chart != nil {
		t.Chart = s.Chart(s.Columns)
	}
	about.columns = append(about.columns, record.Remark{}, record.Remark{Label: "Columns of " + s.Name})
	for i, c := range s.Columns {
		if c.Says != "" {
			about.columns = append(about.columns, record.Remark{Label: t.Columns[i], Text: c.Says})
		}
	}
	return b.Fill(t, func(add func([]record.Cell, record.Look) error) error {
		written := int64(0)
		for done := record.Block; ; done += record.Block {
			written += int64(len(rows))
			if err := FitsSheet(written, 0); err != nil {
				return err
			}
			for _, r := range rows {
				if !again {
					about.told.add(r.verdict)
					about.sources = append(about.sources, r.verdict.Sources...)
				}
				if err := add(r.cells, r.look); err != nil {
					return err
				}
			}
			if done >= units {
				return nil
			}
			var err error
			if rows, err = w.layOut(s.Columns, done, min(done+record.Block, units), FitsSheet); err != nil {
				return err
			}
		}
	})
}

// dropEmpty drops the columns that hold nothing, and their cells.
func dropEmpty[R any](columns []record.Column[R], rows []formattedRow) []record.Column[R] {
	cells := make([][]record.Cell, len(rows))
	for i, r := range rows {
		cells[i] = r.cells
	}
	kept := record.Used(cells, len(columns), func(c record.Cell) bool { return c.Form == record.Missing })
	for i := range rows {
		rows[i].cells = record.Picked(rows[i].cells, kept)
	}
	return record.Picked(columns, kept)
}

// remarks are what About says.
func (w writer[R]) remarks(a about) ([]record.Remark, error) {
	title, notes := w.say(a.told)
	list := slices.Concat(record.Remarks("result", title), record.Remarks("", notes))
	if w.About != nil {
		var of []record.Remark
		of, a.sources = w.About()
		list = slices.Concat(list, a.columns, of)
	}
	works, err := References(a.sources)
	return append(list, works...), err
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

// References lists the works of these sources, each once, as a reader cites them.
func References(sources []theory.Source) ([]record.Remark, error) {
	var list []record.Remark
	for _, source := range sources {
		if slices.ContainsFunc(list, func(r record.Remark) bool { return r.Label == source.Key }) {
			continue
		}
		entry, err := bibliography.Entry(theory.Source{Key: source.Key})
		if err != nil {
			return nil, err
		}
		list = append(list, record.Remark{Label: source.Key, Text: bibliography.Citation(entry)})
	}
	if len(list) > 0 {
		list = slices.Insert(list, 0, record.Remark{}, record.Remark{Label: "References"})
	}
	return list, nil
}
