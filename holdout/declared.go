package holdout

import (
	"cmp"
	"slices"
	"strings"

	"github.com/dpcalc/dpcalc/transfer"
)

// declare fills in the declarations that the terms leave open, and checks all. The bars are checked further once
// tau is known.
func (t *Terms) declare() error {
	t.Match = cmp.Or(t.Match, Exact)
	if t.Metrics == nil {
		t.Metrics = []string{Accuracy}
	}
	for i, m := range t.Metrics {
		if _, err := ColumnOf(m); err != nil {
			return inAll("metrics", err)
		}
		if slices.Contains(t.Metrics[:i], m) {
			return inputf("metrics: got %s twice", shown(m))
		}
	}
	switch {
	case len(t.Metrics) == 0:
		return inputf("metrics: got nothing, want accuracy, or column:NAME for values in [0, 1]")
	case len(t.Metrics) > 1 && t.Goal.Query == transfer.Difference:
		return inputf("metrics: got %d, want one with differences: the incumbent has no other", len(t.Metrics))
	case !slices.Contains(Matches(), t.Match):
		return inputf("match: got %s, want %s", shown(string(t.Match)), ways())
	case t.Bars != nil && (t.Goal.Feedback != transfer.Gate || t.Goal.Bar.Given):
		return inputf("bars: got %d, want them for a gate whose plan has no bar", len(t.Bars))
	}
	for i, c := range t.Classes {
		matched := t.Match.of(c)
		if matched == "" {
			return inputf("classes: got an empty one")
		}
		if slices.ContainsFunc(t.Classes[:i], func(d string) bool { return t.Match.of(d) == matched }) {
			return inputf("classes: got %s twice", shown(c))
		}
	}
	return nil
}

// ways names the ways to match.
func ways() string {
	var names []string
	for _, m := range Matches() {
		names = append(names, string(m))
	}
	return strings.Join(names, ", ")
}

// asks checks that a look may ask a metric. A plan of an earlier version declares none. It takes accuracy, its own
// metric, and the metrics of its log.
func (l *Ledger) asks(metric string) error {
	if _, err := ColumnOf(metric); err != nil {
		return err
	}
	metrics := l.plan.Metrics
	if metrics == nil {
		h, err := l.current()
		if err != nil {
			return err
		}
		metrics = []string{Accuracy, l.plan.Metric}
		for _, line := range h.lines {
			metrics = append(metrics, line.Metric)
		}
		metrics = slices.DeleteFunc(slices.Compact(slices.Sorted(slices.Values(metrics))),
			func(m string) bool { return m == "" })
	}
	if !slices.Contains(metrics, metric) {
		return inputf("metric: got %s, want %s: no other was declared when the ledger was made", shown(metric),
			strings.Join(metrics, " or "))
	}
	return nil
}

// inAll is the error of one of several declarations, told of all of them.
func inAll(name string, err error) error {
	_, what, _ := strings.Cut(err.Error(), ": ")
	return inputf("%s: %s", name, what)
}
