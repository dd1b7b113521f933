package ledger

import (
	"errors"
	"path/filepath"

	"github.com/dpcalc/dpcalc/cmd/internal/commands"
	"github.com/dpcalc/dpcalc/cmd/internal/csvfile"
	"github.com/dpcalc/dpcalc/cmd/internal/usage"
	"github.com/dpcalc/dpcalc/holdout"
)

// file is a table of ids and values: csv, tsv or JSON lines.
type file struct {
	*csvfile.Source
	call   *commands.Call
	column string // of the values
	total  int64  // of the rows that are expected, for people who wait; 0 if nobody knows
}

// openFile opens a table.
func openFile(c *commands.Call, path, column string, total int64) (*file, error) {
	in, err := csvfile.Open(c.Session, path)
	if err != nil {
		return nil, err
	}
	return &file{Source: in, call: c, column: column, total: total}, nil
}

// blame names the file in its error.
func (f *file) blame(err error) error {
	if wrong := (*holdout.InputError)(nil); errors.As(err, &wrong) {
		return usage.Errorf("%s: %v", f.Name, err)
	}
	return f.Blame(err)
}

// table visits the rows, and names the file in an error of its form. Errors of ids and values are told by the ledger,
// some of them after the last row.
func (f *file) table(visit func(id, value string) error) error {
	err := f.rows(visit)
	if wrong := (*holdout.InputError)(nil); err == nil || errors.As(err, &wrong) {
		return err
	}
	return f.Blame(err)
}

// rows visits the rows.
func (f *file) rows(visit func(id, value string) error) error {
	bar := f.call.Progress(int(f.total)).Of("rows")
	defer bar.End()
	done := 0
	counted := func(id, value string) error {
		if done++; done%4096 == 0 {
			if f.total > 0 {
				bar.Step(done)
			}
			if err := f.call.Context.Err(); err != nil {
				return err
			}
		}
		return visit(id, value)
	}
	form := holdout.AnyForm
	if filepath.Ext(f.Name) == ".jsonl" {
		form = holdout.JSONLines
	}
	return holdout.File{In: f.Reader(), Form: form, Column: f.column}.Rows(counted)
}
