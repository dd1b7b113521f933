package ledger

import (
	"errors"
	"path/filepath"

	"github.com/dpcalc/dpcalc/cmd/internal/commands"
	"github.com/dpcalc/dpcalc/cmd/internal/csvfile"
	"github.com/dpcalc/dpcalc/cmd/internal/evallog"
	"github.com/dpcalc/dpcalc/cmd/internal/usage"
	"github.com/dpcalc/dpcalc/holdout"
	"github.com/dpcalc/dpcalc/metric"
)

// file is a table of ids and values: csv, tsv or JSON lines.
type file struct {
	*csvfile.Source
	call   *commands.Call
	column string           // of the values
	number bool             // whether the values are numbers
	from   *holdout.Reading // of a log that another tool wrote; nil for a table
	total  int64            // of the rows that are expected, for people who wait; 0 if nobody knows
}

// openFile opens a table, or a log that is read as from says.
func openFile(c *commands.Call, path, column string, from *holdout.Reading, total int64) (*file, error) {
	open := csvfile.Open
	if from != nil {
		open = csvfile.OpenAny
	}
	in, err := open(c.Session, path)
	if err != nil {
		return nil, err
	}
	return &file{Source: in, call: c, column: column, from: from, total: total}, nil
}

// logFlags say how the log of another tool is read.
var logFlags = []usage.Flag{
	{Name: "from", Usage: "the `TOOL` that wrote the predictions, of init and extend the labels: " + evallog.Summaries(), Words: evallog.Names()},
	{Name: "id", Usage: "with --from: the `PATH` of a row's id in the log, keys with dots between them (default: the tool's own)"},
	{Name: "value", Usage: "with --from: the `PATH` of its value, of init and extend of its label (default: the metric's name, where the tool has it)"},
	{Name: "only", Repeats: true, Usage: "with --from: only parts of the log with this value, `PATH=VALUE`"},
}

// readingOf is how the log of another tool is read, nil for none.
func readingOf(c *commands.Call) (*holdout.Reading, error) {
	var r holdout.Reading
	var ok bool
	if r.Tool, ok = c.Text("from"); !ok {
		for _, f := range logFlags[1:] {
			if len(c.Texts(f.Name)) > 0 {
				return nil, usage.Errorf("--%s: got it without --from, want the tool that wrote the file", f.Name)
			}
		}
		return nil, nil
	}
	r.ID, _ = c.Text("id")
	r.Value, _ = c.Text("value")
	r.Only = c.Texts("only")
	if wrong := evallog.Reading(r).Validate(); wrong != "" {
		return nil, usage.Errorf("--%s", wrong)
	}
	return &r, nil
}

// columnOf is the column of a metric's values. The values of a log are the submitter's word, as a column is.
func columnOf(name string, units holdout.Units, from *holdout.Reading) (string, error) {
	if m, ok := metric.Of(name); ok && from != nil && m.Reads != metric.Number {
		return "", usage.Errorf("--from: got the metric %s, want column:NAME: a log has values, and no predictions to compare", name)
	}
	return units.Column(name)
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
	if f.from != nil {
		size, err := f.Size()
		if err != nil {
			return err
		}
		log, reading := evallog.Log{At: f.At, Size: size}, evallog.Reading(*f.from)
		if f.column == "label" {
			return reading.Labels(log, counted)
		}
		return reading.Values(log, f.column, counted)
	}
	form := holdout.AnyForm
	if filepath.Ext(f.Name) == ".jsonl" {
		form = holdout.JSONLines
	}
	return holdout.File{In: f.Reader(), Form: form, Column: f.column, Numbers: f.number}.Rows(counted)
}
