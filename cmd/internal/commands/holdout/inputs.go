package holdout

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/dpcalc/dpcalc/cmd/internal/commands"
	"github.com/dpcalc/dpcalc/cmd/internal/csvfile"
	"github.com/dpcalc/dpcalc/cmd/internal/usage"
	"github.com/dpcalc/dpcalc/holdout"
)

// labelsOf reads the labels of a ledger, and says where they are.
func labelsOf(c *commands.Call, status holdout.Status, dir string, moved []string) (
	list []*holdout.Labels, paths []string, err error) {
	if len(moved) > 0 && len(moved) != len(status.Sources) {
		return nil, nil, usage.Errorf("--labels: got %d files, want %d: the rows come from so many", len(moved),
			len(status.Sources))
	}
	for i, source := range status.Sources {
		path := source.Labels.In(dir)
		if len(moved) > 0 {
			path = moved[i]
		}
		if path == "" {
			return nil, nil, usage.Errorf("--labels: got nothing, want a file: the ledger does not say where its labels are")
		}
		labels, err := labelsIn(c, path, source.Labels.From, status.Plan)
		if err != nil {
			return nil, nil, fmt.Errorf("the labels: %w", err)
		}
		list, paths = append(list, labels), append(paths, path)
	}
	return list, paths, nil
}

// openLedger opens a ledger, with its labels and the features that it may need.
func openLedger(c *commands.Call, dir string, moved, movedFeatures []string) (
	ledger *holdout.Ledger, status holdout.Status, err error) {
	var paths []string
	ledger, err = holdout.OpenWith(dir, func(s holdout.Status) (labels []*holdout.Labels, err error) {
		status = s
		labels, paths, err = labelsOf(c, status, dir, moved)
		return labels, err
	})
	if err != nil {
		if changed := (*holdout.ChangedError)(nil); errors.As(err, &changed) {
			err = fmt.Errorf("%s: %w", strings.Join(paths, ", "), err)
		}
		return nil, status, err
	}
	return ledger, status, useFeatures(c, ledger, status, dir, movedFeatures)
}

// newLabels reads labels that are new to a ledger, in the form that their file has, and returns the metrics or, if
// there are none, those that a log is for.
func newLabels(c *commands.Call, path string, version int, metrics []string, number bool) (
	*holdout.Labels, []string, error) {
	typed, err := readingOf(c)
	if err != nil {
		return nil, nil, err
	}
	f, err := openFile(c, path, "label")
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	if err := f.recognise(typed, version, true); err != nil {
		return nil, nil, err
	}
	if f.from != nil && metrics == nil && typed.Value == "" {
		if metrics, err = f.implied(); err != nil {
			return nil, nil, err
		}
	}
	f.number = number
	labels, err := f.readLabels(metrics)
	return labels, metrics, err
}

// labelsIn reads the labels of a ledger, as it has read them before.
func labelsIn(c *commands.Call, path string, from *holdout.Reading, p *holdout.Plan) (*holdout.Labels, error) {
	f, err := openFile(c, path, "label")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	f.number = p.LabelsAreNumbers()
	if from != nil {
		read := *from
		read.Version = p.Readings
		f.from = &read
	}
	return f.readLabels(p.Metrics)
}

// readLabels reads the labels' file. A log that is for columns alone has no labels that are needed.
func (f *file) readLabels(metrics []string) (*holdout.Labels, error) {
	read := holdout.NewRows
	if f.needed = !holdout.AreColumns(metrics); f.needed {
		read = holdout.NewLabels
	}
	if f.from != nil { // whose labels were asked for, or read by an earlier version
		f.needed = f.needed || f.from.Value != "" || f.from.Version == 0
	}
	labels, err := read(f.rows)
	if err != nil {
		return nil, f.blame(err)
	}
	labels.From, labels.Contents = f.from, f.contents
	return labels, nil
}

// readIncumbent opens the first incumbent, if there is one. The file stays open until done is called.
func readIncumbent(c *commands.Call, version int, labels *holdout.Labels, t *holdout.Terms) (done func(), err error) {
	done = func() {}
	path, ok := c.Text("incumbent")
	if !ok {
		return done, nil
	}
	metric := holdout.Accuracy
	if t.Metrics != nil {
		metric = t.Metrics[0]
	}
	column, err := t.Units.Column(metric)
	if err != nil {
		return done, err
	}
	f, err := openFile(c, path, column)
	if err != nil {
		return done, err
	}
	like := holdout.Reading{}
	if labels.From != nil {
		like, f.content = *labels.From, labels.Content
		like.Value = "" // the labels' kind
	}
	f.number = t.Match.ReadsNumbers(metric)
	t.Incumbent.Values = f.table
	t.Incumbent.Path = lasting(path)
	return f.Close, cmp.Or(f.recognise(like, version, false), f.suits(metric))
}

// lasting is where a file is found again, "" for standard input.
func lasting(path string) string {
	if path == "-" {
		return ""
	}
	return path
}

// featuresOf reads the features of a ledger's rows, from where they were moved to.
func featuresOf(c *commands.Call, status holdout.Status, dir string, moved []string) (
	list []*holdout.Features, err error) {
	for i, s := range status.Sources {
		path := s.Features.In(dir)
		if len(moved) == len(status.Sources) {
			path = moved[i]
		}
		if path == "" || len(moved) > 0 && len(moved) != len(status.Sources) {
			return nil, usage.Errorf("--features: got %d files, want %d: the rows come from so many", len(moved), len(status.Sources))
		}
		f, err := featuresIn(c, path)
		if err != nil {
			return nil, err
		}
		list = append(list, f)
	}
	return list, nil
}

// useFeatures gives a ledger the items of its benchmark, and the features of its rows if a look asks for some of them
// or they come in clusters.
func useFeatures(c *commands.Call, l *holdout.Ledger, status holdout.Status, dir string, moved []string) error {
	items, err := itemsOf(c, status.Plan, dir)
	if err != nil {
		return err
	}
	if items != nil {
		if err := l.UsePopulation(items); err != nil {
			return err
		}
	}
	_, sliced := c.Text("where")
	sliced = sliced || len(c.Texts("all")) > 0
	sliced = sliced && status.Sources[0].Features != nil
	if !sliced && status.Plan.Group == nil {
		return nil
	}
	list, err := featuresOf(c, status, dir, moved)
	if err != nil {
		return err
	}
	return l.UseFeatures(list...)
}

func featuresIn(c *commands.Call, path string) (*holdout.Features, error) {
	in, err := csvfile.Open(c.Session, path)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	return holdout.NewFeatures(in.Reader(), lasting(path))
}

// readFeatures reads the file of --features, nil without it.
func readFeatures(c *commands.Call) (*holdout.Features, error) {
	paths := c.Texts("features")
	switch len(paths) {
	case 0:
		return nil, nil
	case 1:
		return featuresIn(c, paths[0])
	}
	return nil, usage.Errorf("--features: got %d files, want one", len(paths))
}

// readItems reads the ids of a benchmark.
func readItems(c *commands.Call, path string) (*holdout.Items, error) {
	f, err := openFile(c, path, "id")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	items, err := holdout.NewItems(f.rows, lasting(path))
	if err != nil {
		return nil, f.blame(err)
	}
	return items, nil
}

// itemsOf reads the ids of a ledger's benchmark, nil if it has none.
func itemsOf(c *commands.Call, p *holdout.Plan, dir string) (*holdout.Items, error) {
	path, moved := c.Text("population")
	switch {
	case p.Population == nil && !moved:
		return nil, nil
	case p.Population == nil:
		return nil, usage.Errorf("--population: got one, want none: the ledger was made without")
	case !moved:
		path = p.Population.In(dir)
	}
	if path == "" {
		return nil, usage.Errorf("--population: got nothing, want a file: the ledger does not say where its benchmark is")
	}
	return readItems(c, path)
}
