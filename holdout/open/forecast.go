package open

import (
	"github.com/dpcalc/dpcalc/holdout/ask"
	"github.com/dpcalc/dpcalc/holdout/data"
	"github.com/dpcalc/dpcalc/holdout/form"
	"github.com/dpcalc/dpcalc/holdout/rule"
	"github.com/dpcalc/dpcalc/transfer/open"
)

// forecast puts into the response that passes, or rejects, how probable it is if the truth is so far above the bar, or
// the candidate better than the incumbent by so much. It is no promise: rows are taken to be alike, with the values 0
// and 1, and of two models exactly one to be right on each row on which they differ. It depends on no label.
func forecast(h rule.Past, a *rule.Asked, effect float64, list []Response) error {
	p, rows, compared := h.Plan, a.Rows, h.Plan.Compares()
	kind := a.Show
	counted := p.Scale(a.Metric).IsPlain() && a.Query.Moment == 0 && a.Query.Positive == 0
	counted = counted && p.Design().IsIndependent() && p.Design().Sample(nil) == nil
	switch {
	case kind != ask.Pass && kind != ask.Reject:
		return form.Inputf("effect: got %v with --show %s, want --show pass or reject", effect, kind)
	case len(a.All) > 0:
		return form.Inputf("effect: got %v with several conditions, want one", effect)
	case !counted:
		return form.Inputf("effect: got %v, want none but of accuracy, precision or a column of values in [0, 1] on independent rows", effect)
	case compared && a.Scores.Base == nil && !data.IsColumn(a.Metric):
		return form.Inputf("effect: got %v without predictions, want them: how probable a pass is depends on where a candidate differs", effect)
	case !(effect > 0):
		return form.Inputf("effect: got %v, want a positive number", effect)
	}
	truth := effect + rule.ValueOr(a.Bar, 0)
	differ := rows // which the predictions fix
	if compared {
		if differ = a.Query.Differ; kind == ask.Reject && data.IsColumn(a.Metric) { // whose values are not compared
			differ = rows
		} else if kind == ask.Reject {
			differ, _ = a.Scores.Differing(a.Query.Rows)
		}
	}
	share := float64(differ) / float64(rows)
	if !(truth <= share) {
		return form.Inputf("effect: got %v, want at most %v: a truth cannot be above %v", effect, max(0, share-rule.ValueOr(a.Bar, 0)), share)
	}
	for i := range list {
		var power float64
		r := &list[i]
		contest := open.Contest{Rows: differ, Differ: 1, Truth: truth / share}
		switch {
		case r.Verdict == form.Pass && r.From == nil: // no score passes
		case r.Verdict == form.Pass && compared:
			power = contest.Reaches(*r.From / share)
		case r.Verdict == form.Pass:
			power = open.Contest{Rows: rows, Differ: truth, Truth: truth}.Reaches(*r.From)
		case r.Verdict == form.Rejected:
			level := float64(p.Promise.Beta) + float64(h.Account.Left) - *r.Price
			power = contest.Rejects(-level, p.Decided(a.Metric))
		default:
			continue
		}
		r.Power = &power
	}
	return nil
}
