package holdout

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/dpcalc/dpcalc/holdout/design"
	"github.com/dpcalc/dpcalc/holdout/form"
	"github.com/dpcalc/dpcalc/transfer"
)

// benchmarkOf is the items as a plan has them, for labels that are all of some of them.
func benchmarkOf(i *Items, dir string, labels *Labels) (*Benchmark, error) {
	if _, err := i.Drawn(labels); err != nil {
		return nil, err
	}
	path, err := form.Relative(dir, i.Path)
	return &Benchmark{LabelsFile: LabelsFile{Path: path, Fingerprint: i.Fingerprint()}, Items: int64(len(i.IDs))}, err
}

// sample is how the rows of the terms were drawn, and the number of records.
func (t Terms) sample(rows int64) (transfer.Sample, int64) {
	switch {
	case t.Items != nil:
		return transfer.Subset{Items: int64(len(t.Items.IDs))}, rows
	case t.pairs != nil:
		return transfer.Classes(*t.pairs), rows
	case t.sizes != nil && t.Weights == ByRows:
		return design.SampleOf(*t.sizes), rows
	case t.sizes != nil:
		return nil, t.sizes.Count
	}
	return nil, rows
}

// group is the group of a plan, without its file of features.
func (t Terms) group() *Group {
	if t.sizes == nil {
		return nil
	}
	return &Group{Column: t.Group, Weights: t.Weights, Clusters: *t.sizes}
}

// population is the benchmark of a plan, without its file.
func (t Terms) population() *Benchmark {
	if t.Items == nil {
		return nil
	}
	return &Benchmark{Items: int64(len(t.Items.IDs))}
}

// ungrouped refuses what does not go with clusters or with a benchmark, before any file is looked at.
func (t *Terms) ungrouped() error {
	gate := t.Goal.Feedback == transfer.Gate && t.Test == "" && t.Items == nil
	uses := t.Open || t.Group != "" || gate // of features
	switch t.Weights = cmp.Or(t.Weights, ByClusters); {
	case t.Group == "" && t.Weights != ByClusters:
		return inputf("weights: got %s, want --group COLUMN too", shown(t.Weights))
	case !slices.Contains(Weights(), t.Weights):
		return inputf("weights: got %s, want %s", shown(t.Weights), strings.Join(Weights(), " or "))
	case t.Group != "" && t.Items != nil:
		return inputf("group: got it with --population, want one of the two")
	case t.Group != "" && t.Features == nil:
		return inputf("features: got nothing, want a file with the column %s of --group", shown(t.Group))
	case t.Features != nil && !uses:
		return inputf("features: got some, want --open, --group or --feedback gate too, which use them")
	case t.Group != "" && t.Goal.Query == transfer.Binary:
		return inputf("query: got binary with --group, want bounded or difference: the mean over a cluster is neither 0 nor 1")
	}
	return nil
}

// grouped cuts rows into clusters by a feature, in the order of their names: all rows for nil.
func (l *Ledger) grouped(rows []int32) [][]int32 {
	within := l.clusters
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

// gather finds the clusters of the ledger's rows.
func (l *Ledger) gather(column string) error {
	if column == "label" || column == "id" {
		return inputf("group: got the column %s, want a feature", column)
	}
	of, err := clustersOf(column, l.features, l.files, l.reader.Rows.Find)
	if err != nil {
		return err
	}
	l.named, l.clusters = of, nil
	for _, name := range slices.Sorted(maps.Keys(of)) {
		l.clusters = append(l.clusters, of[name])
	}
	return nil
}

// clustersOf are the rows of each cluster, by its name, of files with their features.
func clustersOf(column string, features []*Features, files []*Labels, row func(id string) int32) (
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
		return nil, inputf("group: got an empty cell in the column %s, want a cluster for every row", shown(column))
	}
	return of, nil
}

// UsePopulation gives the ledger the items of its benchmark.
func (l *Ledger) UsePopulation(i *Items) error {
	switch {
	case !l.plan.design().Secret():
		return inputf("population: got one, want none: the ledger was made without")
	case i.Fingerprint() != l.plan.Population.Fingerprint:
		return inputf("population: got other items than the ledger was made for")
	case l.drawn != nil:
		return nil
	}
	return l.draw(i)
}

// draw lets submissions be read from all items, and keeps which of them have labels.
func (l *Ledger) draw(i *Items) error {
	drawn, err := i.Drawn(l.files[0])
	if err != nil {
		return err
	}
	l.labels = l.labels.Among(drawn, len(i.IDs))
	slices.Sort(drawn)
	l.reader.Rows, l.reader.Whose, l.drawn = i.Roster, "benchmark", drawn
	return nil
}

// Whole checks that the ledger has all that its looks need to know of its rows: no look is taken without.
func (l *Ledger) Whole() error { return l.plan.design().Whole(l.clusters, l.drawn) }

// records are those of a look at some rows, all for nil.
func (l *Ledger) recordsOf(rows []int32) records {
	switch {
	case l.plan.design().ByMeans():
		return records{clusters: l.grouped(rows)}
	case l.plan.design().Secret():
		return records{rows: l.drawn}
	}
	return records{rows: rows}
}
