package holdout

import (
	"github.com/dpcalc/dpcalc/metric"
	"github.com/dpcalc/dpcalc/transfer"
)

// leastClip is the least clip of a log-loss.
const leastClip = 1e-6

// checkUnits checks the units for the metrics that are declared.
func checkUnits(u Units, metrics []string) error {
	if r := u.Range; r != nil {
		if !(transfer.Range{From: r[0], To: r[1]}).Valid() {
			return inputf("range: got %v to %v, want %s", r[0], r[1], transfer.WantRange)
		}
	}
	if u.Clip != 0 && !(u.Clip >= leastClip && u.Clip <= 1000) {
		return inputf("clip: got %v, want a log-loss in [%v, 1000]", u.Clip, leastClip)
	}
	class, scaled, logs := false, false, false
	for _, name := range metrics {
		m, _ := metric.Of(name)
		if m.Class && u.Positive == "" {
			return inputf("positive: got nothing, want the label that counts as positive for %s", name)
		}
		class = class || m.Class || m.Reads == metric.Forecast
		scaled = scaled || m.Reads == metric.Number || m.Reads == metric.Forecast
		logs = logs || m.Name == "log-loss"
		if m.Reads == metric.Forecast && u.Positive != "" && u.Range != nil {
			return inputf("range: got one with a positive class, want one of the two for %s: probabilities are in [0, 1]", name)
		}
	}
	switch {
	case u.Positive != "" && !class:
		return inputf("positive: got %s, want --metrics with a metric of two classes too", shown(u.Positive))
	case u.Probability != "" && (u.Positive == "" || !class):
		return inputf("probability: got %s, want --positive and --metrics with a metric of probabilities too", shown(u.Probability))
	case u.Range != nil && !scaled:
		return inputf("range: got one, want --metrics with column:NAME or a metric of numbers too")
	case u.Clip != 0 && !logs:
		return inputf("clip: got %v, want --metrics log-loss too", u.Clip)
	}
	return nil
}
