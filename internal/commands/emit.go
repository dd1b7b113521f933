package commands

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/dpcalc/dpcalc/internal/bibliography"
	"github.com/dpcalc/dpcalc/internal/record"
	"github.com/dpcalc/dpcalc/internal/usage"
	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer"
)

// mostCells is how many cells a table for people may have: it is laid out in memory, some
// 300 bytes a cell.
const mostCells = 3_000_000

// FitsTable refuses more rows than the memory for a table holds.
func FitsTable(rows, columns int64) error {
	if rows > mostCells/columns {
		return usage.Errorf("--format: got %d rows of %d columns, want at most %d cells in a table for people; "+
			"csv, tsv, json and jsonl take any number", rows, columns, mostCells)
	}
	return nil
}

// ForPeople writes the rows as a workbook, or what of them is in the sheet.
func ForPeople(r record.Result, w io.Writer, t Target, rows [][]record.Cell, s record.Sheet) error {
	switch {
	case t.Format.Book != nil:
		return WorkbookOf(r, w, t, rows, s)
	case t.Format.Print != nil:
		return t.Format.Print(w, s)
	}
	return fmt.Errorf("the format %s writes no tables", t.Format.Name)
}

// Emit writes few rows in any format. People see the columns named in shown,
// under their titles.
func Emit(c *Call, t Target, r record.Result, rows [][]record.Cell, s func() record.Sheet) error {
	return c.WriteTo(t, func(w io.Writer) error {
		if t.Format.Encode == nil {
			return ForPeople(r, w, t, rows, s())
		}
		e := t.Format.Encode(r)
		var known record.Chances
		b := e.Head(nil)
		for i, row := range rows {
			b = e.Row(b, i == 0, row, &known)
		}
		_, err := w.Write(e.Foot(b))
		return err
	})
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

// Refusing names the theorem whose hypothesis failed, if it said so.
func Refusing(err error) []theory.Source {
	var needs *theory.NotApplicableError
	if errors.As(err, &needs) && needs.Source.Key != "" {
		return []theory.Source{needs.Source}
	}
	return nil
}

// RowStatus turns the refusal of one theorem into its row's status. Other errors
// stay errors.
func RowStatus(err error) (transfer.Status, string, error) {
	var needs *theory.NotApplicableError
	var none *theory.NoAnswerError
	switch {
	case err == nil:
		return transfer.OK, "", nil
	case errors.As(err, &needs):
		return transfer.NotApplicable, err.Error(), nil
	case errors.As(err, &none):
		return transfer.Infeasible, err.Error(), nil
	}
	return "", "", err
}

// WorkbookOf writes the result as a sheet named after the command, with the columns of
// csv, and About.
func WorkbookOf(r record.Result, w io.Writer, to Target, rows [][]record.Cell, s record.Sheet) error {
	if err := FitsSheet(int64(len(rows))); err != nil {
		return err
	}
	names := []string{r.Command}
	if r.Live != nil {
		names = append(names, "Live")
	}
	b, err := to.Format.Book("dpcalc "+r.Command, append(names, "About")...)
	if err != nil {
		return err
	}
	defer b.Close()
	t := record.Table{Name: r.Command, Columns: r.Columns, Widths: record.ColumnWidths(r.Columns, rows), Rows: len(rows)}
	err = b.Stream(t, func(add func([]record.Cell, record.Look) error) error {
		best := slices.Index(r.Columns, "best")
		for _, row := range rows {
			stands := record.PlainLook
			if best >= 0 && row[best].N != 0 {
				stands = record.BestLook
			}
			if err := add(row, stands); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil && r.Live != nil {
		err = b.Live(*r.Live)
	}
	if err != nil {
		return err
	}
	references, err := References(sourceTexts(r.Columns, rows))
	if err != nil {
		return err
	}
	if err := b.About(to.Command, slices.Concat(record.Remarks("result", s.Title), record.Remarks("", s.Notes), references)); err != nil {
		return err
	}
	return b.Write(w)
}

// FitsSheet refuses what no sheet holds.
func FitsSheet(rows int64) error {
	if rows > record.MostSheetRows {
		return usage.Errorf("--output: got %d rows, want at most %d in a workbook, or a .csv file", rows, record.MostSheetRows)
	}
	return nil
}

// sourceTexts collects what the column "sources" names.
func sourceTexts(columns []string, rows [][]record.Cell) (texts []string) {
	j := slices.Index(columns, "sources")
	for _, row := range rows {
		if j >= 0 {
			texts = append(texts, row[j].List...)
		}
	}
	return texts
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
