package holdout

import (
	"cmp"
	"slices"
	"strings"

	"github.com/dpcalc/dpcalc/holdout/data"
	"github.com/dpcalc/dpcalc/holdout/form"
	"github.com/dpcalc/dpcalc/metric"
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
		if _, err := t.Units.Column(m); err != nil {
			return inAll("metrics", err)
		}
		if err := t.asks(m); err != nil {
			return err
		}
		if slices.Contains(t.Metrics[:i], m) {
			return inputf("metrics: got %s twice", shown(m))
		}
	}
	if err := checkUnits(t.Units, t.Metrics); err != nil {
		return err
	}
	if err := t.lawful(); err != nil {
		return err
	}
	switch {
	case len(t.Metrics) == 0:
		return inputf("metrics: got nothing, want some of %s", strings.Join(metric.Names(), ", "))
	case len(t.Metrics) > 1 && t.Goal.Query == transfer.Difference:
		return inputf("metrics: got %d, want one with differences: the incumbent has no other", len(t.Metrics))
	case !slices.Contains([]string{"", MissingRefused, MissingLow}, t.Missing):
		return inputf("missing: got %s, want %s or %s", shown(t.Missing), MissingRefused, MissingLow)
	case t.Missing == MissingLow && !slices.ContainsFunc(t.Metrics, IsColumn):
		return inputf("missing: got %s, want it with a column: every other metric needs a prediction of each row", t.Missing)
	case !slices.Contains(Matches(), t.Match):
		return inputf("match: got %s, want %s", shown(string(t.Match)), ways())
	case t.Bars != nil && (t.Goal.Feedback != transfer.Gate || t.Goal.Bar.Given):
		return inputf("bars: got %d, want them for a gate whose plan has no bar", len(t.Bars))
	}
	if err := t.declares(); err != nil {
		return err
	}
	if t.Match == Fold {
		t.Match = form.Composed
	}
	for i, c := range t.Classes {
		matched := data.Normalized(t.Match, c)
		if matched == "" {
			return inputf("classes: got an empty one")
		}
		if slices.ContainsFunc(t.Classes[:i], func(d string) bool { return data.Normalized(t.Match, d) == matched }) {
			return inputf("classes: got %s twice", shown(c))
		}
	}
	return nil
}

// asks checks that a ledger of these terms can answer looks by a metric.
func (t *Terms) asks(name string) error {
	m, _ := metric.Of(name)
	slice := name == metric.Precision
	ratio := m.Ratio != nil || slice
	curved := ratio || m.Root || m.Pairs
	compared := t.Goal.Query == transfer.Difference || t.Incumbent.Values != nil
	switch {
	case t.sampled() && m.Ratio != nil:
		return inputf("metrics: got %s with clusters or a benchmark, want another: a ratio is over rows that are independent", name)
	case t.Items != nil && slice:
		return inputf("metrics: got %s with a benchmark, want another: the number of rows would tell which items have labels", name)
	case compared && curved:
		return inputf("metrics: got %s with an incumbent, want another: its difference is no mean over rows", name)
	case !t.Open && t.Units.Range != nil:
		return inputf("range: got one, want --open: the tau of a fixed plan is in [0, 1]")
	case !t.Open && (ratio || m.Loss != nil):
		return inputf("metrics: got %s, want --open: a fixed plan has accuracy, columns and gates of an AUC", name)
	}
	return nil
}

// sampled reports whether the records are no independent rows of equal weight.
func (t *Terms) sampled() bool { return t.Group != "" || t.Items != nil }

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
	if _, err := l.plan.Units.Column(metric); err != nil {
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
