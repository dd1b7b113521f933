package terms

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/dpcalc/dpcalc/holdout/data"
	"github.com/dpcalc/dpcalc/holdout/form"
	"github.com/dpcalc/dpcalc/internal/text"
	"github.com/dpcalc/dpcalc/metric"
	"github.com/dpcalc/dpcalc/transfer"
)

// Declare fills in the declarations that the terms leave open, and checks all. The bars are checked further once
// tau is known.
func (t *Terms) Declare() error {
	t.Match = cmp.Or(t.Match, form.Exact)
	if t.Metrics == nil {
		t.Metrics = []string{metric.Accuracy}
	}
	for i, m := range t.Metrics {
		if _, err := t.Units.Column(m); err != nil {
			return form.InAll("metrics", err)
		}
		if err := t.checkMetric(m); err != nil {
			return err
		}
		if slices.Contains(t.Metrics[:i], m) {
			return form.Inputf("metrics: got %s twice", text.Shown(m))
		}
	}
	if err := CheckUnits(t.Units, t.Metrics); err != nil {
		return err
	}
	if err := t.lawful(); err != nil {
		return err
	}
	switch {
	case len(t.Metrics) == 0:
		return form.Inputf("metrics: got nothing, want some of %s", strings.Join(metric.Names(), ", "))
	case len(t.Metrics) > 1 && t.Goal.Query.IsSigned():
		return form.Inputf("metrics: got %d, want one with differences: the incumbent has no other", len(t.Metrics))
	case !slices.Contains([]string{"", form.MissingRefused, form.MissingLow}, t.Missing):
		return form.Inputf("missing: got %s, want %s or %s", text.Shown(t.Missing), form.MissingRefused, form.MissingLow)
	case t.Missing == form.MissingLow && !slices.ContainsFunc(t.Metrics, data.IsColumn):
		return form.Inputf("missing: got %s, want it with a column: every other metric needs a prediction of each row", t.Missing)
	case !slices.Contains(form.Matches(), t.Match):
		return form.Inputf("match: got %s, want %s", text.Shown(string(t.Match)), Ways())
	case t.Bars != nil && (t.Goal.Feedback != transfer.Gate || t.Goal.Bar.Given):
		return form.Inputf("bars: got %d, want them for a gate whose plan has no bar", len(t.Bars))
	}
	if err := t.declares(); err != nil {
		return err
	}
	if t.Match == form.Fold {
		t.Match = form.Composed
	}
	for i, c := range t.Classes {
		matched := data.Normalized(t.Match, c)
		if matched == "" {
			return form.Inputf("classes: got an empty one")
		}
		if slices.ContainsFunc(t.Classes[:i], func(d string) bool { return data.Normalized(t.Match, d) == matched }) {
			return form.Inputf("classes: got %s twice", text.Shown(c))
		}
	}
	return nil
}

// checkMetric checks that a ledger of these terms can answer looks by a metric.
func (t *Terms) checkMetric(name string) error {
	m, _ := metric.Of(name)
	slice := name == metric.Precision
	ratio := m.Ratio != nil || slice
	curved := ratio || m.Root || m.Pairs
	compared := t.Goal.Query.IsSigned() || t.Incumbent.Values != nil
	switch {
	case t.Sampled() && m.Ratio != nil:
		return form.Inputf("metrics: got %s with clusters or a benchmark, want another: a ratio is over rows that are independent", name)
	case t.Items != nil && slice:
		return form.Inputf("metrics: got %s with a benchmark, want another: the number of rows would tell which items have labels", name)
	case compared && curved:
		return form.Inputf("metrics: got %s with an incumbent, want another: its difference is no mean over rows", name)
	case !t.Open && t.Units.Range != nil:
		return form.Inputf("range: got one, want --open: the tau of a fixed plan is in [0, 1]")
	case !t.Open && (ratio || m.Loss != nil):
		return form.Inputf("metrics: got %s, want --open: a fixed plan has accuracy, columns and gates of an AUC", name)
	}
	return nil
}

// Sampled reports whether the records are no independent rows of equal weight.
func (t *Terms) Sampled() bool { return t.Group != "" || t.Items != nil }

// Ways names the ways to match.
func Ways() string {
	var names []string
	for _, m := range form.Matches() {
		names = append(names, string(m))
	}
	return strings.Join(names, ", ")
}

// leastClip is the least clip of a log-loss.
const leastClip = 1e-6

// CheckUnits checks the units for the metrics that are declared.
func CheckUnits(u form.Units, metrics []string) error {
	if r := u.Range; r != nil {
		if !(transfer.Range{From: r[0], To: r[1]}).IsValid() {
			return form.Inputf("range: got %v to %v, want %s", r[0], r[1], transfer.WantRange)
		}
	}
	if u.Clip != 0 && !(u.Clip >= leastClip && u.Clip <= 1000) {
		return form.Inputf("clip: got %v, want a log-loss in [%v, 1000]", u.Clip, leastClip)
	}
	class, scaled, logs := false, false, false
	for _, name := range metrics {
		m, _ := metric.Of(name)
		if m.Class && u.Positive == "" {
			return form.Inputf("positive: got nothing, want the label that counts as positive for %s, such as --positive yes", name)
		}
		class = class || m.Class || m.Reads == metric.Forecast
		scaled = scaled || m.Reads == metric.Number || m.Reads == metric.Forecast
		logs = logs || m.Name == "log-loss"
		if m.Reads == metric.Forecast && u.Positive != "" && u.Range != nil {
			return form.Inputf("range: got one with a positive class, want one of the two for %s: probabilities are in [0, 1]", name)
		}
	}
	switch {
	case u.Positive != "" && !class:
		return form.Inputf("positive: got %s, want --metrics with a metric of two classes too", text.Shown(u.Positive))
	case u.Probability != "" && (u.Positive == "" || !class):
		return form.Inputf("probability: got %s, want --positive and --metrics with a metric of probabilities too", text.Shown(u.Probability))
	case u.Range != nil && !scaled:
		return form.Inputf("range: got one, want --metrics with column:NAME or a metric of numbers too")
	case u.Clip != 0 && !logs:
		return form.Inputf("clip: got %v, want --metrics log-loss too", u.Clip)
	}
	return nil
}

// declares checks a disagreement or a second moment that is declared of the differences of a metric. Where predictions
// alone bound a square no label decides who is refused. The values of a column may follow from labels.
func (t *Terms) declares() error {
	v, d := t.Goal.SecondMoment, t.Goal.Disagreement
	ofDifferences := t.Open || t.Goal.Query.IsSigned()
	if v == 0 && d == 0 || !ofDifferences {
		return nil
	}
	m, _ := metric.Of(t.Metrics[0])
	column := m.Reads == metric.Number
	switch most := math.Pow(t.Units.Width(), 2); {
	case d > 0 && v != 0:
		return form.Inputf("second-moment: got it beside a disagreement, want one of the two")
	case d > 0 && column:
		return form.Inputf("disagreement: got %v with %s, want --second-moment and --enforce: values of a column may follow from labels, and who is refused would tell", d, t.Metrics[0])
	case v == 0:
		return nil
	case t.Open && t.Incumbent.Values == nil:
		return form.Inputf("second-moment: got %v without an incumbent, want one: it is of differences", v)
	case t.Open && !column:
		return form.Inputf("second-moment: got %v with %s, want a column: the ledger reckons with what the predictions say of a difference", v, t.Metrics[0])
	case !(v > 0 && v <= most):
		return form.Inputf("second-moment: got %v, want a number in (0, %v]", v, most)
	case !t.Open && column && !t.Goal.Checked:
		return form.Inputf("enforce: got nothing with the second moment of a column, want it: its values may follow from labels, and a look above the second moment ends the plan")
	case !column && t.Goal.Checked:
		return form.Inputf("enforce: got it with %s, want none: predictions alone bound the second moment, and a candidate above it costs nothing", t.Metrics[0])
	}
	return nil
}
