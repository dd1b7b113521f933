package sample

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"

	"github.com/dpcalc/dpcalc/holdout/data"
	"github.com/dpcalc/dpcalc/holdout/design"
	"github.com/dpcalc/dpcalc/holdout/form"
	"github.com/dpcalc/dpcalc/holdout/rule"
	"github.com/dpcalc/dpcalc/internal/text"
)

// Ask reads a submission that was admitted, at the rows that there are.
func (l *Sample) Ask(s rule.Submission) (a rule.Asked, err error) {
	a.Scores = design.Scores{Labels: l.Labels, Records: l.RecordsOf(nil)}
	a.Scores.Groups = l.Clusters
	a.Line.Line = form.Line{Event: form.Looked, Question: s.Question, Request: form.Request{Name: s.Name, Team: s.Team,
		Metric: s.Metric}}
	if s.Values == nil && l.plan.IsOpen() { // to ask for its price
		a.Query, err = l.Query(&a)
		return a, err
	}
	if a.Scores.Values, err = l.read(s); err != nil {
		if wrong := (*form.InputError)(nil); errors.As(err, &wrong) && s.Source != "" {
			err = form.Inputf("%s: %v", s.Source, err)
		}
		return a, err
	}
	switch {
	case l.plan.Compares():
		if err := l.compare(&a, s); err != nil {
			return a, err
		}
	case s.Incumbent != nil:
		return a, form.Inputf("incumbent: got one, want none: the plan is for no differences")
	}
	of := append([]string{a.Incumbent}, s.Apart()...)
	if l.plan.IsOpen() || s.HasMore() {
		if a.Query, err = l.Query(&a); err != nil {
			return a, err
		}
		a.Differ, a.Share = a.Query.Differ, a.Query.Share
		of = append(append(of, s.Texts()...), strconv.FormatInt(l.Epoch, 10))
	}
	if data.IsColumn(s.Metric) { // which has a key
		return a, nil
	}
	if l.plan.IsOpen() || len(s.All) > 0 {
		a.Predictions = cmp.Or(a.Predictions, a.Scores.Values.Fingerprint())
	}
	a.Fingerprint = a.Scores.Values.Fingerprint(of...)
	return a, nil
}

// compare reads the incumbent that a candidate is compared with.
func (l *Sample) compare(a *rule.Asked, s rule.Submission) error {
	path, err := form.Relative(l.Dir, s.Path)
	switch column := data.IsColumn(s.Metric); {
	case s.Incumbent == nil && !column:
		return form.Inputf("incumbent: got nothing, want the predictions that the candidate is compared with")
	case err != nil:
		return err
	case s.Metric != l.plan.Metric:
		return form.Inputf("metric: got %s, want %s as in the plan: the incumbent has no other", text.Shown(s.Metric), l.plan.Metric)
	case column && s.Incumbent != nil:
		return form.Inputf("incumbent: got one, want none: the ledger keeps the incumbent's values of %s", s.Metric)
	case column:
		a.Scores.Base = new(data.Values) // which are read under the lock
		return nil
	}
	base, err := l.Reader.Read(s.Metric, false, s.Incumbent)
	if err != nil {
		return fmt.Errorf("incumbent: %w", err)
	}
	a.Scores.Base = &base
	a.Path, a.Incumbent, a.Predictions = path, base.Fingerprint(), a.Scores.Values.Fingerprint()
	d := l.plan.Goal.Disagreement
	if v := l.plan.Goal.SecondMoment; v > 0 && !l.plan.Goal.Checked { // a square is at most 1, where a prediction differs
		d = v
	}
	if d == 0 {
		return nil
	}
	differ, n := a.Scores.Values.Differ(&base), int64(len(l.Reader.Rows.IDs))
	beyond := !rule.Reaches(float64(-differ), n, -d, 0)
	if l.plan.Design().CountsMeans() {
		_, share := a.Scores.Differing(nil)
		beyond = share > d*(1+1e-12)
	}
	if beyond {
		return form.Inputf("got a candidate that differs from the incumbent on %d of %d rows, want at most a share of %v",
			differ, n, d)
	}
	return nil
}

// First returns the sample of the first rows alone, or with all where there are no more.
func (l *Sample) First(n int64) Sample {
	now := *l
	if n < int64(len(l.Reader.Rows.IDs)) {
		now.Reader.Rows, now.Reader.Whose = l.Reader.Rows.First(n), fmt.Sprintf("first %d rows", n)
	}
	return now
}
