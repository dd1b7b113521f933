package sample

import (
	"slices"

	"github.com/dpcalc/dpcalc/holdout/data"
	"github.com/dpcalc/dpcalc/holdout/form"
	"github.com/dpcalc/dpcalc/holdout/rule"
)

// Source is a file of labels that rows of a ledger come from, with the file of their features.
type Source struct {
	Labels   form.LabelsFile
	Features *form.LabelsFile
}

// Sources are the files that the rows of a ledger come from, and the rows that were taken out.
type Sources struct {
	Sources []Source // their fingerprints are veiled
	dropped map[string]bool
	Counts  []int64 // of an open ledger: how many rows there were before each change, and are now
	salt    string
}

// SourcesOf returns the rows of a new ledger.
func SourcesOf(p *rule.Plan) Sources {
	r := Sources{salt: p.Salt, Counts: []int64{p.Promise.Samples}}
	s := Source{Labels: r.veil(p.Labels)}
	if of := p.FeaturesFile(); of != nil {
		features := r.veil(*of)
		s.Features = &features
	}
	r.Sources = []Source{s}
	return r
}

// veiled is a fingerprint as looks.jsonl has it. Who can guess all labels, and features that may be beside them in one
// file, could check the guess with the fingerprint itself: that is hidden by the salt, which is in plan.json alone.
func (r Sources) veiled(fingerprint string) string {
	d := data.NewDigest("dpcalc rows 1")
	d.Text(r.salt)
	d.Text(fingerprint)
	return d.Sum()
}

// veil is a file with its fingerprint veiled.
func (r Sources) veil(f form.LabelsFile) form.LabelsFile {
	f.Fingerprint = r.veiled(f.Fingerprint)
	return f
}

// After returns the rows after a change.
func (r Sources) After(l rule.Line) Sources {
	next := Sources{Sources: slices.Clone(r.Sources), dropped: make(map[string]bool), salt: r.salt}
	for id := range r.dropped {
		next.dropped[id] = true
	}
	if l.Replace {
		next = Sources{dropped: make(map[string]bool), salt: r.salt}
	}
	next.Counts = append(slices.Clone(r.Counts), l.Rows)
	if l.Labels != nil {
		next.Sources = append(next.Sources, Source{*l.Labels, l.Features})
	}
	for _, id := range l.Dropped {
		next.dropped[id] = true
	}
	return next
}

// Labels puts the labels of the sources together. They must be the labels of the ledger, in its order.
func (r Sources) Labels(files []*data.Labels) (*data.Labels, error) {
	if len(files) != len(r.Sources) {
		return nil, form.Inputf("labels: got %d files, want %d: the rows of the ledger come from so many", len(files),
			len(r.Sources))
	}
	for i, f := range files {
		if r.veiled(f.Fingerprint()) != r.Sources[i].Labels.Fingerprint {
			return nil, &form.ChangedError{}
		}
	}
	if len(files) == 1 && len(r.dropped) == 0 {
		return files[0], nil
	}
	return data.NewRows(func(visit func(id, label string) error) error {
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
