package holdout

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"github.com/dpcalc/dpcalc/holdout/design"
	"github.com/dpcalc/dpcalc/holdout/form"
	"github.com/dpcalc/dpcalc/holdout/journal"
	"github.com/dpcalc/dpcalc/holdout/open"
	"github.com/dpcalc/dpcalc/holdout/sample"
)

// Create makes a ledger in a folder that is empty or does not exist. The certificate is computed anew. The error is an
// [InputError], a [PlanError], a DomainError, or one of the file system; no folder is left then.
func Create(dir string, labels *Labels, terms Terms) (*Ledger, error) {
	l, plan, err := prepared(dir, labels, terms)
	if err != nil {
		return nil, err
	}
	return l, l.create(plan)
}

// Check returns the plan of the ledger that [Create] would make, with the same errors, and makes none.
func Check(dir string, labels *Labels, terms Terms) (*Plan, error) {
	_, plan, err := prepared(dir, labels, terms)
	return plan, err
}

// prepared is a new ledger with its plan, before its folder is made.
func prepared(dir string, labels *Labels, terms Terms) (*Ledger, *Plan, error) {
	l := newLedger(dir)
	if err := terms.Ungrouped(); err != nil {
		return nil, nil, err
	}
	l.rows.Reader.Rows, l.rows.Files = labels.Roster, []*Labels{labels}
	if terms.Features != nil {
		l.rows.Features = []*Features{terms.Features}
	}
	var clusters *Sizes
	if terms.Group != "" {
		if err := l.rows.Gather(terms.Group); err != nil {
			return nil, nil, err
		}
		sizes := design.SizesOf(l.rows.Clusters)
		clusters = &sizes
	}
	if terms.Items != nil { // before a plan for so many rows of it
		if _, err := terms.Items.Drawn(labels); err != nil {
			return nil, nil, err
		}
	}
	terms.Find(clusters, labels)
	plan, err := Certify(terms, labels.Samples())
	if err != nil {
		return nil, nil, err
	}
	if err := l.use(plan, labels); err != nil {
		return nil, nil, err
	}
	if terms.Items != nil {
		if plan.Population, err = sample.BenchmarkOf(terms.Items, dir, labels); err != nil {
			return nil, nil, err
		}
		if err := l.rows.Draw(terms.Items); err != nil {
			return nil, nil, err
		}
	}
	difference := plan.Goal.Query.IsSigned() || terms.Open && terms.Incumbent.Values != nil
	if terms.Open {
		if plan.Open.Features, err = sample.FeaturesFile(terms.Features, dir, labels, terms.Features != nil); err != nil {
			return nil, nil, err
		}
	} else if terms.Group != "" {
		if plan.Group.Features, err = sample.FeaturesFile(terms.Features, dir, labels, true); err != nil {
			return nil, nil, err
		}
	} else if terms.Features != nil && plan.Method != "gate" {
		return nil, nil, inputf("features: got some with the method %s, want the method gate, whose looks may have conditions on some of the rows", plan.Method)
	} else if plan.Features, err = sample.FeaturesFile(terms.Features, dir, labels, terms.Features != nil); err != nil {
		return nil, nil, err
	}
	if plan.Readings = Readings; terms.Missing != MissingRefused {
		plan.Missing = terms.Missing
	}
	plan.Labels.Fingerprint, plan.Labels.From = labels.Fingerprint(), labels.From
	if plan.Labels.Path, err = form.Relative(dir, terms.Labels); err != nil {
		return nil, nil, fmt.Errorf("labels: %w", err)
	}
	path, err := form.Relative(dir, terms.Incumbent.Path)
	if err != nil {
		return nil, nil, fmt.Errorf("incumbent: %w", err)
	}
	switch {
	case difference && terms.Incumbent.Values == nil:
		return nil, nil, inputf("incumbent: got nothing, want the predictions that the first candidate is compared with")
	case !difference && terms.Incumbent.Values != nil:
		return nil, nil, inputf("incumbent: got one, want --query difference or --open too")
	case difference:
		base, err := l.rows.Reader.Read(plan.Metric, false, terms.Incumbent.Values)
		if err != nil {
			return nil, nil, fmt.Errorf("incumbent: %w", err)
		}
		if plan.Incumbent = new(LabelsFile); IsColumn(plan.Metric) {
			plan.Incumbent.Path, l.base = sample.KeptFile(0), &base
		} else {
			*plan.Incumbent = LabelsFile{Path: path, Fingerprint: base.Fingerprint()}
		}
	}
	if plan.HasColumns() {
		plan.Schema = form.ColumnSchema
	}
	return l, plan, l.offers()
}

// offers checks that what teams may ask of some rows is a value of the features.
func (l *Ledger) offers() error {
	if !l.plan.IsOpen() {
		return nil
	}
	return open.CheckOffers(l.plan, func(where string) error {
		_, err := l.rows.Slice(where)
		return err
	})
}

func (l *Ledger) create(p *Plan) error {
	p.Created = l.now().UTC().Format(time.RFC3339)
	p.Salt = rand.Text() + rand.Text()
	l.rows.Sources = sample.SourcesOf(p)
	var err error
	if p.Sealed, err = p.Seal(); err != nil {
		return err
	}
	kept := make(map[string][]byte)
	if l.base != nil {
		kept[p.Incumbent.Path] = sample.TextOf(l.base.ByID())
	}
	err = l.journal.Create(p.Sealed, kept)
	if wrong := (*journal.FolderError)(nil); errors.As(err, &wrong) {
		err = inputf("%v", wrong)
	}
	return err
}

// Discard takes a new ledger away whose maker could not say that it was made. It stays once somebody has looked.
func (l *Ledger) Discard(ctx context.Context) error {
	return notLedger(l.journal.Discard(ctx, func(h *history) error {
		if len(h.Lines) > 0 {
			return errors.New("the ledger stays: somebody has looked already")
		}
		return nil
	}, sample.KeptFile(0)))
}
