package holdout

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"

	"github.com/dpcalc/dpcalc/cmd/internal/commands"
	"github.com/dpcalc/dpcalc/cmd/internal/csvfile"
	"github.com/dpcalc/dpcalc/cmd/internal/evallog"
	"github.com/dpcalc/dpcalc/cmd/internal/usage"
	"github.com/dpcalc/dpcalc/holdout"
	"github.com/dpcalc/dpcalc/internal/delimited"
	"github.com/dpcalc/dpcalc/internal/each"
)

// file is a table of ids and values, csv, tsv or JSON lines, or a log that another tool wrote.
type file struct {
	*csvfile.Source
	call   *commands.Call
	column string           // of the values
	number bool             // whether the values are numbers
	from   *holdout.Reading // of a log; nil for a table
	needed bool             // whether the labels of a log are needed
	low    *float64         // what a record without a value counts as; nil to refuse it
	lacks  int              // how many there are

	contents []holdout.Content                             // of a log: what its items ask
	content  func(tool, id string) (holdout.Content, bool) // of the labels' log; nil if there is none
}

// openFile opens a table, or a log of which nobody has said how it is read.
func openFile(c *commands.Call, path, column string) (*file, error) {
	in, err := csvfile.OpenAny(c.Session, path)
	if err != nil {
		return nil, err
	}
	return &file{Source: in, call: c, column: column}, nil
}

// log is the file as a log.
func (f *file) log() (evallog.Log, error) {
	size, err := f.Size()
	return evallog.Log{At: f.At, Size: size}, err
}

// recognise finds how the file is read: by the tool that was named or, without one, as its content shows. A tool that
// was named for another file is not this one's, unless both are tables.
func (f *file) recognise(typed holdout.Reading, version int, named bool) error {
	log, err := f.log()
	if err != nil {
		return err
	}
	if !named || typed.Tool == "" {
		tool := evallog.Recognised(log, f.column)
		for _, flag := range logFlags[1:] {
			if named && tool == "" && len(f.call.Texts(flag.Name)) > 0 {
				return usage.Errorf("--%s: got it for %s, which is no log that is known, want --from with the tool that wrote it", flag.Name, f.Name)
			}
		}
		if tool == "" && typed.Tool != "csv" {
			return nil // a table
		}
		if tool != "" && typed.Tool != "" && tool != typed.Tool {
			typed = holdout.Reading{}
		}
		typed.Tool = cmp.Or(tool, typed.Tool)
	}
	typed.Version = version
	f.from = &typed
	return nil
}

// suits refuses a log for a metric that compares predictions with labels. The values of a log are the submitter's word,
// as a column is.
func (f *file) suits(name string) error {
	if f.from != nil && !holdout.IsColumn(name) {
		return usage.Errorf("%s: got a log of %s and the metric %s, want column:NAME: a log has values, and no predictions to compare",
			f.Name, f.from.Tool, name)
	}
	return nil
}

// readingOf is how somebody wants logs read. Without a tool their content shows it.
func readingOf(c *commands.Call) (r holdout.Reading, err error) {
	r.Tool, _ = c.Text("from")
	r.ID, _ = c.Text("id")
	r.Value, _ = c.Text("value")
	r.Only = c.Texts("only")
	if wrong := evallog.Reading(r).Validate(); wrong != "" {
		return r, usage.Errorf("--%s", wrong)
	}
	return r, nil
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
	done := 0
	counted := func(id, value string) error {
		if done++; done%4096 == 0 {
			if err := f.call.Context.Err(); err != nil {
				return err
			}
		}
		return visit(id, value)
	}
	f.lacks = 0
	if f.from != nil {
		items, err := f.items()
		f.lacks = items.Missing
		for i := 0; err == nil && i < len(items.IDs); i++ {
			err = counted(items.IDs[i], items.Texts[i])
		}
		return err
	}
	form := holdout.AnyForm
	if filepath.Ext(f.Name) == ".jsonl" {
		form = holdout.JSONLines
	}
	table := holdout.File{In: f.Reader(), Form: form, Column: f.column, Numbers: f.number}
	return table.Rows(func(id, value string) error {
		if f.low != nil && csvfile.IsAbsent(value) {
			value = strconv.FormatFloat(*f.low, 'g', -1, 64)
			f.lacks++
		}
		return counted(id, value)
	})
}

// files are open files.
type files []*file

func (list files) close() {
	for _, f := range list {
		f.Close()
	}
}

// tell says how many records have no value, on standard error alone: which they are may depend on labels.
func (list files) tell() {
	for _, f := range list {
		if f.lacks > 0 {
			fmt.Fprintf(f.call.Stderr, "dpcalc: %s: %d without a value, which count as %v\n", f.Name, f.lacks, *f.low)
		}
	}
}

// items reads a log. Each item has to ask what the labels' log says that it asks.
func (f *file) items() (items evallog.Items, err error) {
	defer debug.SetGCPercent(debug.SetGCPercent(50)) // of a long log little is kept, and a program collects seldom
	log, err := f.log()
	if err != nil {
		return items, err
	}
	if reading := evallog.Reading(*f.from); f.column == "label" {
		items, err = reading.Labels(log, f.needed)
	} else {
		items, err = reading.Values(log, f.column, f.low)
	}
	f.contents = items.Contents
	for i, id := range items.IDs {
		if f.content == nil || err != nil {
			break
		}
		want, known := f.content(f.from.Tool, id)
		if got := items.Contents[i]; known && got != (holdout.Content{}) && got != want {
			err = delimited.Errorf(0, "item %s asks something else than in the labels' log, want a log of the same items", usage.Shown(id))
		}
	}
	return items, err
}

// implied are the metrics that a log of labels is for: the score of promptfoo, and elsewhere the only metric.
func (f *file) implied() ([]string, error) {
	log, err := f.log()
	names := each.Of(evallog.Reading(*f.from).Metrics(log), func(name string) string { return "column:" + name })
	switch {
	case err != nil || f.from.Tool == "csv" || len(names) == 1:
		return names, err
	case names == nil:
		return nil, usage.Errorf("--metrics: got nothing, want column:NAME: %s has no metric whose values are numbers", f.Name)
	}
	return nil, usage.Errorf("--metrics: got nothing, want one of %s: %s has them all", strings.Join(names, ", "), f.Name)
}
