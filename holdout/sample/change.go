package sample

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/dpcalc/dpcalc/holdout/data"
	"github.com/dpcalc/dpcalc/holdout/design"
	"github.com/dpcalc/dpcalc/holdout/form"
	"github.com/dpcalc/dpcalc/internal/text"
)

// Extension is new rows of an open ledger, or rows to be taken out.
type Extension struct {
	Labels   *data.Labels   // nil for none
	Path     string         // of the labels' file
	Features *data.Features // of the new rows, where the ledger has features
	Replace  bool
	Drop     []string // ids

	Incumbent data.Table // of differences of a column: the incumbent's values in the new rows
}

// Change returns the line of a change, nil if no row changes.
func (l *Sample) Change(e Extension) (*form.Line, error) {
	if !l.plan.Grows() {
		return nil, form.Inputf("extend: got a ledger with a fixed plan, want an open one or one with rows that arrive: the rows of this plan are fixed")
	}
	if err := cmp.Or(l.plan.Design().Extend(e.Replace || len(e.Drop) > 0), l.Whole()); err != nil {
		return nil, err
	}
	switch {
	case e.Labels == nil && (e.Replace || e.Features != nil):
		return nil, form.Inputf("labels: got nothing, want a file of new rows")
	case e.Labels == nil && len(e.Drop) == 0:
		return nil, form.Inputf("labels: got nothing, want a file of new rows, or ids to drop")
	}
	line := &form.Line{Event: form.Changed}
	kept := l.Sources.dropped
	line.Replace = e.Replace
	for _, id := range slices.Compact(slices.Sorted(slices.Values(e.Drop))) {
		row := l.Reader.Rows.Find(id)
		switch {
		case row < 0 && kept[id]: // taken out before
		case row < 0:
			return nil, form.Inputf("drop: got the id %s, want an id of the ledger's rows", text.Shown(id))
		default:
			line.Dropped = append(line.Dropped, id)
		}
	}
	if e.Labels == nil {
		if len(line.Dropped) == len(l.Reader.Rows.IDs) {
			return nil, form.Inputf("drop: got all %d rows, want some that stay", len(line.Dropped))
		}
		if len(line.Dropped) == 0 {
			return nil, nil
		}
		line.Rows = int64(len(l.Reader.Rows.IDs) - len(line.Dropped))
		line.Clusters = l.sizesAfter(line, nil)
		return line, nil
	}
	if e.Replace && l.relabels(e.Labels) {
		return nil, form.Inputf("labels: these ids have other labels now; rows that were all labelled anew come under new ids")
	}
	known := slices.ContainsFunc(l.Files, func(f *data.Labels) bool { return slices.Equal(f.IDs, e.Labels.IDs) })
	if same := len(l.Files) == 1 && len(kept) == 0; known && (!e.Replace || same) {
		if len(line.Dropped) == 0 {
			return nil, nil
		}
		return nil, form.Inputf("drop: got it with rows that are there already, want it alone")
	}
	if e.Replace && len(e.Drop) > 0 {
		return nil, form.Inputf("drop: got it with replace, want one of the two")
	}
	if _, err := l.Reader.Answers(e.Labels); err != nil {
		return nil, err
	}
	if !e.Replace {
		for _, id := range e.Labels.IDs {
			if l.Reader.Rows.Find(id) >= 0 || kept[id] {
				return nil, form.Inputf("labels: got the id %s, which the ledger has already, want new ids", text.Shown(id))
			}
		}
	}
	path, err := form.Relative(l.Dir, e.Path)
	if err != nil {
		return nil, fmt.Errorf("labels: %w", err)
	}
	line.Rows = e.Labels.Samples()
	if !e.Replace {
		line.Rows += int64(len(l.Reader.Rows.IDs) - len(line.Dropped))
	}
	line.Labels = &form.LabelsFile{Path: path, Fingerprint: l.Sources.veiled(e.Labels.Fingerprint()), From: e.Labels.From}
	line.Features, err = FeaturesFile(e.Features, l.Dir, e.Labels, l.plan.FeaturesFile() != nil)
	if err == nil && line.Features != nil && !e.Replace {
		err = l.hasColumns(e.Features, e.Labels.IDs)
	}
	if line.Features != nil {
		line.Features.Fingerprint = l.Sources.veiled(line.Features.Fingerprint)
	}
	if err == nil && l.Clusters != nil {
		err = l.regroup(line, e)
	}
	return line, err
}

// relabels reports whether new rows give another label to an id of the ledger's files. With corrected labels an owner
// could turn the fail of a candidate into a pass.
func (l *Sample) relabels(more *data.Labels) bool {
	return slices.ContainsFunc(l.Files, func(f *data.Labels) bool { return f.Relabels(l.Reader.Match, more) })
}

// regroup says in a change what the clusters are after it. A cluster of old and new rows is refused.
func (l *Sample) regroup(line *form.Line, e Extension) error {
	column := l.plan.Group.Column
	added, err := clustersOf(column, []*data.Features{e.Features}, []*data.Labels{e.Labels}, e.Labels.Find)
	if err != nil {
		return err
	}
	for name := range added {
		if _, old := l.named[name]; old && !line.Replace {
			return form.Inputf("group: got the cluster %s of old and new rows, want new rows in clusters of their own", text.Shown(name))
		}
	}
	line.Clusters = l.sizesAfter(line, added)
	return nil
}

// sizesAfter are the sizes of the clusters after a change that adds some, nil for a ledger without.
func (l *Sample) sizesAfter(line *form.Line, added map[string][]int32) *form.Sizes {
	if l.Clusters == nil {
		return nil
	}
	gone := make(map[int32]bool, len(line.Dropped))
	for _, id := range line.Dropped {
		gone[l.Reader.Rows.Find(id)] = true
	}
	clusters := slices.Collect(maps.Values(added))
	for _, rows := range l.Clusters {
		rows = slices.DeleteFunc(slices.Clone(rows), func(row int32) bool { return gone[row] })
		if len(rows) > 0 && !line.Replace {
			clusters = append(clusters, rows)
		}
	}
	sizes := design.SizesOf(clusters)
	return &sizes
}

// FeaturesFile returns the features' file of a source, for whose rows it must have a line each.
func FeaturesFile(f *data.Features, dir string, labels *data.Labels, wanted bool) (*form.LabelsFile, error) {
	switch {
	case f == nil && wanted:
		return nil, form.Inputf("features: got nothing, want the features of the new rows")
	case f == nil:
		return nil, nil
	case !wanted:
		return nil, form.Inputf("features: got some, want none: the ledger was made without")
	}
	if _, err := f.Column("id", labels.IDs); err != nil {
		return nil, err
	}
	path, err := form.Relative(dir, f.Path)
	return &form.LabelsFile{Path: path, Fingerprint: f.Fingerprint()}, err
}

// hasColumns checks that the features of new rows have every column of the features before: a slice takes
// its rows from all of them.
func (l *Sample) hasColumns(f *data.Features, ids []string) error {
	if l.Features == nil {
		return form.Inputf("features: got nothing of the rows before, want their files")
	}
	names, err := l.Features[0].Columns()
	for _, name := range names {
		if err == nil && name != "id" {
			_, err = f.Column(name, ids)
		}
	}
	return err
}

// UseFeatures gives the ledger the features of its rows, a file for each of its sources, for looks at some of them.
func (l *Sample) UseFeatures(list ...*data.Features) error {
	if len(list) != len(l.Sources.Sources) {
		return form.Inputf("features: got %d files, want %d", len(list), len(l.Sources.Sources))
	}
	for i, f := range list {
		want := l.Sources.Sources[i].Features
		if want == nil {
			return form.Inputf("features: got some, want none: the ledger was made without")
		}
		if l.Sources.veiled(f.Fingerprint()) != want.Fingerprint {
			return form.Inputf("features: got other features than the ledger was made for")
		}
	}
	l.Features = list
	if clusters, ok := l.plan.Design().(design.Clusters); ok {
		return l.Gather(clusters.Column)
	}
	return nil
}

// Slice returns the rows of COLUMN=VALUE, nil for all rows.
func (l *Sample) Slice(where string) ([]int32, error) {
	if where == "" {
		return nil, nil
	}
	name, value, ok := strings.Cut(where, "=")
	switch refused := l.plan.Design().Slice(where); {
	case !ok || name == "":
		return nil, form.Inputf("where: got %s, want COLUMN=VALUE", text.Shown(where))
	case name == "label" || name == "id":
		return nil, form.Inputf("where: got the column %s, want a feature", name)
	case refused != nil:
		return nil, refused
	case l.plan.FeaturesFile() == nil:
		return nil, form.Inputf("where: got %s, want none: the ledger was made without features", text.Shown(where))
	case l.Features == nil:
		return nil, form.Inputf("features: got nothing, want the files of the features")
	}
	found := []int32{}
	for i, f := range l.Features {
		values, err := f.Column(name, l.Files[i].IDs)
		if err != nil {
			return nil, err
		}
		for _, id := range l.Files[i].IDs {
			if row := l.Reader.Rows.Find(id); row >= 0 && values[id] == value {
				found = append(found, row)
			}
		}
	}
	if len(found) == 0 {
		return nil, form.Inputf("where: got %s, want a value that some row has", text.Shown(where))
	}
	return found, nil
}
