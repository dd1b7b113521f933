package rule

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/dpcalc/dpcalc/holdout/ask"
	"github.com/dpcalc/dpcalc/holdout/data"
	"github.com/dpcalc/dpcalc/holdout/form"
	"github.com/dpcalc/dpcalc/internal/text"
	"github.com/dpcalc/dpcalc/metric"
)

// with is what is known of the best truth if one more submission has its truth in the interval of a line: the best is
// no less than any lower end, and no more than the greatest upper end.
func (k TruthInterval) with(l *Line) TruthInterval {
	if k.Lower == nil {
		return TruthInterval{l.Lower, l.Upper}
	}
	sign := 1.
	if m, _ := metric.Of(l.Metric); m.Less {
		sign = -1
	}
	return TruthInterval{Outer(k.Lower, l.Lower, sign), Outer(k.Upper, l.Upper, sign)}
}

// Line is a line of looks.jsonl, and what follows from it and others.
type Line struct {
	form.Line
	Chain  string        `json:"-"` // of everything up to this line
	Best   TruthInterval `json:"-"` // of the best truth of all that a board was shown up to this line
	Known  TruthInterval `json:"-"` // of its model, by one metric and on the same rows, from all lines
	Latest bool          `json:"-"` // whether no later line is of its model
}

// TruthInterval is what several looks of an open ledger say of a truth together. All of it holds where all intervals
// do.
type TruthInterval struct{ Lower, Upper *float64 }

// String prints the interval of the truth, "" where none is known.
func (k TruthInterval) String() string {
	if k.Lower == nil || k.Upper == nil {
		return ""
	}
	return "in " + text.Interval(*k.Lower, *k.Upper)
}

// Intersect puts into each line of an open ledger what is known of its model. Lines of one model follow from equal
// predictions, or from one column that several questions of a command were asked of.
func Intersect(lines []Line) {
	epoch, of := 0, make(map[string][]int)
	for i, l := range lines {
		if l.Event == form.Changed {
			epoch++
		}
		model := l.Predictions + l.Incumbent
		switch {
		case l.With > 0:
			model = fmt.Sprint("look ", l.With)
		case data.IsColumn(l.Metric): // by an earlier version, whose hash tells labels
			model = ""
		}
		if l.Lower != nil && model != "" {
			model += fmt.Sprint("\x00", l.Where, "\x00", epoch)
			of[model] = append(of[model], i)
		}
	}
	for _, list := range of {
		if len(list) == 1 && data.IsColumn(lines[list[0]].Metric) {
			continue
		}
		var k TruthInterval
		for _, i := range list {
			l := lines[i]
			if k.Lower == nil || *l.Lower > *k.Lower {
				k.Lower = l.Lower
			}
			if k.Upper == nil || *l.Upper < *k.Upper {
				k.Upper = l.Upper
			}
		}
		for _, i := range list {
			lines[i].Known = k
		}
		lines[list[len(list)-1]].Latest = true
	}
}

// Counts reports whether a line counts as one with a verdict.
func (l Line) Counts(verdict string) bool { return l.Verdict == verdict || l.Event == form.Torn }

// Condition returns a gate at one condition of a look: 0 is the look's own bar, on its own rows.
func (l Line) Condition(i int) Line {
	one := Line{Line: form.Line{Shown: l.Conditions[i], Request: form.Request{Metric: l.Metric}}}
	one.Question = ask.Question{Show: ask.Pass, Where: l.Where, Bar: l.Bar}
	if i > 0 {
		one.Bar, one.Where = &l.All[i-1].Bar, l.All[i-1].Where
	}
	return one
}

// Tells reports whether a line has a bar for each of the conditions that it shows.
func (l Line) Tells() bool { return l.Bar != nil && len(l.Conditions) == len(l.All)+1 }

// Told says what a look shows of its conditions, "" where it has one, or was not answered.
func (l Line) Told() string {
	var all []string
	for i, s := range l.Conditions {
		if s.Lower == nil || s.Upper == nil {
			return ""
		}
		c, says := ask.Condition{Bar: *l.Condition(i).Bar, Where: l.Condition(i).Where}, "sure"
		switch {
		case *s.Lower == *s.Upper:
		case l.Verdict == form.Pass:
			says = "truth above it"
		default:
			says = "truth at most " + text.Up(*s.Upper)
		}
		all = append(all, fmt.Sprintf("%s: %s", c, says))
	}
	return strings.Join(all, "; ")
}

// Metrics returns what looks at a plan that declares no metrics may ask: accuracy, its own metric, and the metrics of
// its log.
func (h *Past) Metrics() []string {
	metrics := []string{metric.Accuracy, h.Plan.Metric}
	for _, line := range h.Lines {
		metrics = append(metrics, line.Metric)
	}
	return slices.DeleteFunc(slices.Compact(slices.Sorted(slices.Values(metrics))),
		func(m string) bool { return m == "" })
}

// CheckMetric checks that a look may ask a metric.
func (p *Plan) CheckMetric(name string, metrics []string) error {
	if _, err := p.Units.Column(name); err != nil {
		return err
	}
	if !slices.Contains(metrics, name) {
		return form.Inputf("metric: got %s, want %s: no other was declared when the ledger was made", text.Shown(name),
			strings.Join(metrics, " or "))
	}
	return nil
}

// Pace returns the looks a day between the first and the last of them. It is 0 where the clock says no pace that
// makes sense.
func (h *Past) Pace() float64 {
	looked := func(l Line) bool { return l.Event == form.Looked }
	first := slices.IndexFunc(h.Lines, looked)
	if first < 0 {
		return 0
	}
	last := len(h.Lines) - 1
	for !looked(h.Lines[last]) {
		last--
	}
	from, err := time.Parse(time.RFC3339, h.Lines[first].Time)
	to, err2 := time.Parse(time.RFC3339, h.Lines[last].Time)
	days := to.Sub(from).Hours() / 24
	if err != nil || err2 != nil || !(days > 0) {
		return 0
	}
	return float64(h.Looks-1) / days
}
