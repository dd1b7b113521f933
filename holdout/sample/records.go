package sample

import (
	"maps"
	"slices"

	"github.com/dpcalc/dpcalc/holdout/data"
	"github.com/dpcalc/dpcalc/holdout/design"
	"github.com/dpcalc/dpcalc/holdout/form"
	"github.com/dpcalc/dpcalc/internal/text"
)

// BenchmarkOf returns the items as a plan has them, for labels that are all of some of them.
func BenchmarkOf(i *data.Items, dir string, labels *data.Labels) (*form.Benchmark, error) {
	if _, err := i.Drawn(labels); err != nil {
		return nil, err
	}
	path, err := form.Relative(dir, i.Path)
	file := form.LabelsFile{Path: path, Fingerprint: i.Fingerprint()}
	return &form.Benchmark{LabelsFile: file, Items: int64(len(i.IDs))}, err
}

// grouped cuts rows into clusters by a feature, in the order of their names: all rows for nil.
func (l *Sample) grouped(rows []int32) [][]int32 {
	within := l.Clusters
	if rows == nil {
		return within
	}
	in := make(map[int32]bool, len(rows))
	for _, row := range rows {
		in[row] = true
	}
	var some [][]int32
	for _, cluster := range within {
		kept := slices.DeleteFunc(slices.Clone(cluster), func(row int32) bool { return !in[row] })
		if len(kept) > 0 {
			some = append(some, kept)
		}
	}
	return some
}

// Gather finds the clusters of the ledger's rows.
func (l *Sample) Gather(column string) error {
	if column == "label" || column == "id" {
		return form.Inputf("group: got the column %s, want a feature", column)
	}
	of, err := clustersOf(column, l.Features, l.Files, l.Reader.Rows.Find)
	if err != nil {
		return err
	}
	l.named, l.Clusters = of, nil
	for _, name := range slices.Sorted(maps.Keys(of)) {
		l.Clusters = append(l.Clusters, of[name])
	}
	return nil
}

// clustersOf are the rows of each cluster, by its name, of files with their features.
func clustersOf(column string, features []*data.Features, files []*data.Labels, row func(id string) int32) (
	map[string][]int32, error) {
	of := make(map[string][]int32)
	for i, f := range features {
		values, err := f.Column(column, files[i].IDs)
		if err != nil {
			return nil, err
		}
		for _, id := range files[i].IDs {
			if row := row(id); row >= 0 {
				of[values[id]] = append(of[values[id]], row)
			}
		}
	}
	for _, rows := range of {
		slices.Sort(rows)
	}
	if of[""] != nil {
		return nil, form.Inputf("group: got an empty cell in the column %s, want a cluster for every row", text.Shown(column))
	}
	return of, nil
}

// UsePopulation gives the ledger the items of its benchmark.
func (l *Sample) UsePopulation(i *data.Items) error {
	switch {
	case !l.plan.Design().IsSecret():
		return form.Inputf("population: got one, want none: the ledger was made without")
	case i.Fingerprint() != l.plan.Population.Fingerprint:
		return form.Inputf("population: got other items than the ledger was made for")
	case l.drawn != nil:
		return nil
	}
	return l.Draw(i)
}

// Draw lets submissions be read from all items, and keeps which of them have labels.
func (l *Sample) Draw(i *data.Items) error {
	drawn, err := i.Drawn(l.Files[0])
	if err != nil {
		return err
	}
	l.Labels = l.Labels.Among(drawn, len(i.IDs))
	slices.Sort(drawn)
	l.Reader.Rows, l.Reader.Whose, l.drawn = i.Roster, "benchmark", drawn
	return nil
}

// Whole checks that the ledger has all that its looks need to know of its rows: no look is taken without.
func (l *Sample) Whole() error { return l.plan.Design().Whole(l.Clusters, l.drawn) }

// RecordsOf returns the records of a look at some rows, all for nil.
func (l *Sample) RecordsOf(rows []int32) design.Records {
	switch {
	case l.plan.Design().CountsMeans():
		return design.Records{Clusters: l.grouped(rows)}
	case l.plan.Design().IsSecret():
		return design.Records{Rows: l.drawn}
	}
	return design.Records{Rows: rows}
}
