package holdout

import "github.com/dpcalc/dpcalc/transfer/open"

// forecast puts into the response that passes, or rejects, how probable it is if the truth is so far above the bar, or
// the candidate better than the incumbent by so much. It is no promise: rows are taken to be alike, with the values 0
// and 1, and of two models exactly one to be right on each row on which they differ. It depends on no label.
func forecast(h Past, a *Asked, effect float64, list []Response) error {
	p, rows, compared := h.plan, a.Rows, h.plan.Compares()
	kind := a.Show
	counted := p.scale(a.Metric).plain() && a.query.moment == 0 && a.query.positive == 0
	counted = counted && p.design().Independent() && p.design().Sample(nil) == nil
	switch {
	case kind != ShowPass && kind != ShowReject:
		return inputf("effect: got %v with --show %s, want --show pass or reject", effect, kind)
	case len(a.All) > 0:
		return inputf("effect: got %v with several conditions, want one", effect)
	case !counted:
		return inputf("effect: got %v, want none but of accuracy, precision or a column of values in [0, 1] on independent rows", effect)
	case compared && a.look.base == nil && !IsColumn(a.Metric):
		return inputf("effect: got %v without predictions, want them: how probable a pass is depends on where a candidate differs", effect)
	case !(effect > 0):
		return inputf("effect: got %v, want a positive number", effect)
	}
	truth := effect + or(a.Bar, 0)
	differ := rows // which the predictions fix
	if compared {
		if differ = a.query.differ; kind == ShowReject && IsColumn(a.Metric) { // whose values are not compared
			differ = rows
		} else if kind == ShowReject {
			differ, _ = a.look.differing(a.query.rows)
		}
	}
	share := float64(differ) / float64(rows)
	if !(truth <= share) {
		return inputf("effect: got %v, want at most %v: a truth cannot be above %v", effect, max(0, share-or(a.Bar, 0)), share)
	}
	for i := range list {
		var power float64
		r := &list[i]
		contest := open.Contest{Rows: differ, Differ: 1, Truth: truth / share}
		switch {
		case r.Verdict == Pass && r.From == nil: // no score passes
		case r.Verdict == Pass && compared:
			power = contest.Reaches(*r.From / share)
		case r.Verdict == Pass:
			power = open.Contest{Rows: rows, Differ: truth, Truth: truth}.Reaches(*r.From)
		case r.Verdict == Rejected:
			level := float64(p.Promise.Beta) + float64(h.account.left) - *r.Price
			power = contest.Rejects(-level, p.decided(a.Metric))
		default:
			continue
		}
		r.Power = &power
	}
	return nil
}
