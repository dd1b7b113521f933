package holdout

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/dpcalc/dpcalc/holdout/data"
	"github.com/dpcalc/dpcalc/holdout/design"
	"github.com/dpcalc/dpcalc/holdout/form"
	"github.com/dpcalc/dpcalc/holdout/journal"
)

// Source is a file of labels that rows of a ledger come from, with the file of their features.
type Source struct {
	Labels   LabelsFile
	Features *LabelsFile
}

// rows are the rows of a ledger: those of all sources but for some that were taken out.
type rows struct {
	sources []Source // their fingerprints are veiled
	dropped map[string]bool
	counts  []int64 // of an open ledger: how many rows there were before each change, and are now
	salt    string
}

func (p *Plan) rows() rows {
	r := rows{salt: p.Salt, counts: []int64{p.Promise.Samples}}
	s := Source{Labels: r.veil(p.Labels)}
	if of := p.FeaturesFile(); of != nil {
		features := r.veil(*of)
		s.Features = &features
	}
	r.sources = []Source{s}
	return r
}

// veiled is a fingerprint as looks.jsonl has it. Who can guess all labels, and features that may be beside them in one
// file, could check the guess with the fingerprint itself: that is hidden by the salt, which is in plan.json alone.
func (r rows) veiled(fingerprint string) string {
	d := data.NewDigest("dpcalc rows 1")
	d.Text(r.salt)
	d.Text(fingerprint)
	return d.Sum()
}

// veil is a file with its fingerprint veiled.
func (r rows) veil(f LabelsFile) LabelsFile {
	f.Fingerprint = r.veiled(f.Fingerprint)
	return f
}

// after are the rows after a change.
func (r rows) after(l Line) rows {
	next := rows{sources: slices.Clone(r.sources), dropped: make(map[string]bool), salt: r.salt}
	for id := range r.dropped {
		next.dropped[id] = true
	}
	if l.Replace {
		next = rows{dropped: make(map[string]bool), salt: r.salt}
	}
	next.counts = append(slices.Clone(r.counts), l.Rows)
	if l.Labels != nil {
		next.sources = append(next.sources, Source{*l.Labels, l.Features})
	}
	for _, id := range l.Dropped {
		next.dropped[id] = true
	}
	return next
}

// labels puts the labels of the sources together. They must be those of the ledger, in its order.
func (r rows) labels(files []*Labels) (*Labels, error) {
	if len(files) != len(r.sources) {
		return nil, inputf("labels: got %d files, want %d: the rows of the ledger come from so many", len(files),
			len(r.sources))
	}
	for i, f := range files {
		if r.veiled(f.Fingerprint()) != r.sources[i].Labels.Fingerprint {
			return nil, &ChangedError{}
		}
	}
	if len(files) == 1 && len(r.dropped) == 0 {
		return files[0], nil
	}
	return NewRows(func(visit func(id, label string) error) error {
		for _, f := range files {
			for row, id := range f.IDs {
				if r.dropped[id] {
					continue
				}
				if err := visit(id, f.Label(row)); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// remembered is a known look that was asked of the rows before a change, nil if it is none. A fingerprint has every id,
// so that the submission itself says which rows these were. A change after which there were other than so many is left
// out.
func (l *Ledger) remembered(s Submission) *asked {
	var ids []string
	if err := s.Values(func(id, _ string) error {
		ids = append(ids, id)
		return nil
	}); err != nil || !slices.Contains(l.rows.counts[:l.epoch], int64(len(ids))) {
		return nil
	}
	at := data.NewRoster(ids)
	h, err := l.current()
	if err != nil {
		return nil
	}
	past := *l
	past.reader.Rows = at
	if past.clusters != nil { // of which a fingerprint has nothing
		past.clusters = [][]int32{at.Order}
	}
	for past.epoch = l.epoch - 1; past.epoch >= 0; past.epoch-- {
		if l.rows.counts[past.epoch] != int64(len(ids)) {
			continue
		}
		a, err := past.askNow(s)
		if cmp.Or(err, h.promoted(&a)) == nil && h.known[a.Fingerprint] != nil {
			return &a
		}
	}
	return nil
}

// Extension is new rows of an open ledger, or rows to be taken out.
type Extension struct {
	Labels   *Labels   // nil for none
	Path     string    // of the labels' file
	Features *Features // of the new rows, where the ledger has features
	Replace  bool
	Drop     []string // ids

	Incumbent Table // of differences of a column: the incumbent's values in the new rows
}

// Extend changes the rows of an open ledger by one line, and reports whether it has: the same change once more changes
// nothing. An id of rows to add that is there already is an [InputError] that does not depend on its label. Rows that
// replace all others may have ids of the ledger with the labels that these have. The [Ledger] takes no further look: it
// has to be opened with the labels of all its rows.
func (l *Ledger) Extend(ctx context.Context, e Extension) (changed bool, err error) {
	line, err := l.extension(e)
	if err != nil || line == nil {
		return false, err
	}
	return true, l.writing(ctx, func(h *history, w journal.Writer) error {
		if err := cmp.Or(l.takes(h), l.keepAfter(h, w, line, e)); err != nil {
			return err
		}
		return l.add(w, *line)
	})
}

// extension is the line of a change, nil if there is nothing to change.
func (l *Ledger) extension(e Extension) (*form.Line, error) {
	if !l.plan.grows() {
		return nil, inputf("extend: got a ledger with a fixed plan, want an open one or one with rows that arrive: the rows of this plan are fixed")
	}
	if err := cmp.Or(l.plan.design().Extend(e.Replace || len(e.Drop) > 0), l.Whole()); err != nil {
		return nil, err
	}
	switch {
	case e.Labels == nil && (e.Replace || e.Features != nil):
		return nil, inputf("labels: got nothing, want a file of new rows")
	case e.Labels == nil && len(e.Drop) == 0:
		return nil, inputf("labels: got nothing, want a file of new rows, or ids to drop")
	}
	line := &form.Line{Event: Changed}
	kept := l.rows.dropped
	line.Replace = e.Replace
	for _, id := range slices.Compact(slices.Sorted(slices.Values(e.Drop))) {
		row := l.reader.Rows.Find(id)
		switch {
		case row < 0 && kept[id]: // taken out before
		case row < 0:
			return nil, inputf("drop: got the id %s, want an id of the ledger's rows", shown(id))
		default:
			line.Dropped = append(line.Dropped, id)
		}
	}
	if e.Labels == nil {
		if len(line.Dropped) == len(l.reader.Rows.IDs) {
			return nil, inputf("drop: got all %d rows, want some that stay", len(line.Dropped))
		}
		if len(line.Dropped) == 0 {
			return nil, nil
		}
		line.Rows = int64(len(l.reader.Rows.IDs) - len(line.Dropped))
		line.Clusters = l.sizesAfter(line, nil)
		return line, nil
	}
	if e.Replace && l.relabels(e.Labels) {
		return nil, inputf("labels: these ids have other labels now; rows that were all labelled anew come under new ids")
	}
	known := slices.ContainsFunc(l.files, func(f *Labels) bool { return slices.Equal(f.IDs, e.Labels.IDs) })
	if same := len(l.files) == 1 && len(kept) == 0; known && (!e.Replace || same) {
		if len(line.Dropped) == 0 {
			return nil, nil
		}
		return nil, inputf("drop: got it with rows that are there already, want it alone")
	}
	if e.Replace && len(e.Drop) > 0 {
		return nil, inputf("drop: got it with replace, want one of the two")
	}
	if _, err := l.reader.Answers(e.Labels); err != nil {
		return nil, err
	}
	if !e.Replace {
		for _, id := range e.Labels.IDs {
			if l.reader.Rows.Find(id) >= 0 || kept[id] {
				return nil, inputf("labels: got the id %s, which the ledger has already, want new ids", shown(id))
			}
		}
	}
	path, err := form.Relative(l.dir, e.Path)
	if err != nil {
		return nil, fmt.Errorf("labels: %w", err)
	}
	line.Rows = e.Labels.Samples()
	if !e.Replace {
		line.Rows += int64(len(l.reader.Rows.IDs) - len(line.Dropped))
	}
	line.Labels = &LabelsFile{Path: path, Fingerprint: l.rows.veiled(e.Labels.Fingerprint()), From: e.Labels.From}
	line.Features, err = featuresFile(e.Features, l.dir, e.Labels, l.plan.FeaturesFile() != nil)
	if err == nil && line.Features != nil && !e.Replace {
		err = l.hasColumns(e.Features, e.Labels.IDs)
	}
	if line.Features != nil {
		line.Features.Fingerprint = l.rows.veiled(line.Features.Fingerprint)
	}
	if err == nil && l.clusters != nil {
		err = l.regroup(line, e)
	}
	return line, err
}

// relabels reports whether new rows give another label to an id of the ledger's files. With corrected labels an owner
// could turn the fail of a candidate into a pass.
func (l *Ledger) relabels(more *Labels) bool {
	return slices.ContainsFunc(l.files, func(f *Labels) bool { return f.Relabels(l.reader.Match, more) })
}

// regroup says in a change what the clusters are after it. A cluster of old and new rows is refused.
func (l *Ledger) regroup(line *form.Line, e Extension) error {
	column := l.plan.Group.Column
	added, err := clustersOf(column, []*Features{e.Features}, []*Labels{e.Labels}, e.Labels.Find)
	if err != nil {
		return err
	}
	for name := range added {
		if _, old := l.named[name]; old && !line.Replace {
			return inputf("group: got the cluster %s of old and new rows, want new rows in clusters of their own", shown(name))
		}
	}
	line.Clusters = l.sizesAfter(line, added)
	return nil
}

// sizesAfter are the sizes of the clusters after a change that adds some, nil for a ledger without.
func (l *Ledger) sizesAfter(line *form.Line, added map[string][]int32) *Sizes {
	if l.clusters == nil {
		return nil
	}
	gone := make(map[int32]bool, len(line.Dropped))
	for _, id := range line.Dropped {
		gone[l.reader.Rows.Find(id)] = true
	}
	clusters := slices.Collect(maps.Values(added))
	for _, rows := range l.clusters {
		rows = slices.DeleteFunc(slices.Clone(rows), func(row int32) bool { return gone[row] })
		if len(rows) > 0 && !line.Replace {
			clusters = append(clusters, rows)
		}
	}
	sizes := design.SizesOf(clusters)
	return &sizes
}

// featuresFile is the features' file of a source, for whose rows it must have a line each.
func featuresFile(f *Features, dir string, labels *Labels, wanted bool) (*LabelsFile, error) {
	switch {
	case f == nil && wanted:
		return nil, inputf("features: got nothing, want the features of the new rows")
	case f == nil:
		return nil, nil
	case !wanted:
		return nil, inputf("features: got some, want none: the ledger was made without")
	}
	if _, err := f.Column("id", labels.IDs); err != nil {
		return nil, err
	}
	path, err := form.Relative(dir, f.Path)
	return &LabelsFile{Path: path, Fingerprint: f.Fingerprint()}, err
}

// hasColumns checks that the features of new rows have every column that those of the rows before have: a slice takes
// its rows from all of them.
func (l *Ledger) hasColumns(f *Features, ids []string) error {
	if l.features == nil {
		return inputf("features: got nothing of the rows before, want their files")
	}
	names, err := l.features[0].Columns()
	for _, name := range names {
		if err == nil && name != "id" {
			_, err = f.Column(name, ids)
		}
	}
	return err
}

// UseFeatures gives the ledger the features of its rows, a file for each of its sources, for looks at some of them.
func (l *Ledger) UseFeatures(list ...*Features) error {
	if len(list) != len(l.rows.sources) {
		return inputf("features: got %d files, want %d", len(list), len(l.rows.sources))
	}
	for i, f := range list {
		want := l.rows.sources[i].Features
		if want == nil {
			return inputf("features: got some, want none: the ledger was made without")
		}
		if l.rows.veiled(f.Fingerprint()) != want.Fingerprint {
			return inputf("features: got other features than the ledger was made for")
		}
	}
	l.features = list
	if clusters, ok := l.plan.design().(design.Clusters); ok {
		return l.gather(clusters.Column)
	}
	return nil
}

// slice returns the rows of COLUMN=VALUE, nil for all rows.
func (l *Ledger) slice(where string) ([]int32, error) {
	if where == "" {
		return nil, nil
	}
	name, value, ok := strings.Cut(where, "=")
	switch refused := l.plan.design().Slice(where); {
	case !ok || name == "":
		return nil, inputf("where: got %s, want COLUMN=VALUE", shown(where))
	case name == "label" || name == "id":
		return nil, inputf("where: got the column %s, want a feature", name)
	case refused != nil:
		return nil, refused
	case l.plan.FeaturesFile() == nil:
		return nil, inputf("where: got %s, want none: the ledger was made without features", shown(where))
	case l.features == nil:
		return nil, inputf("features: got nothing, want the files of the features")
	}
	found := []int32{}
	for i, f := range l.features {
		values, err := f.Column(name, l.files[i].IDs)
		if err != nil {
			return nil, err
		}
		for _, id := range l.files[i].IDs {
			if row := l.reader.Rows.Find(id); row >= 0 && values[id] == value {
				found = append(found, row)
			}
		}
	}
	if len(found) == 0 {
		return nil, inputf("where: got %s, want a value that some row has", shown(where))
	}
	return found, nil
}
