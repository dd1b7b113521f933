package open

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/dpcalc/dpcalc/holdout/ask"
	"github.com/dpcalc/dpcalc/holdout/data"
	"github.com/dpcalc/dpcalc/holdout/form"
	"github.com/dpcalc/dpcalc/holdout/rule"
	"github.com/dpcalc/dpcalc/metric"
)

// Ratios, losses, their roots and their differences, by enumeration of all labels of few rows whose chances differ: at
// the end that a response gives, no law of the labels reaches or misses the cut with more than its level.
func TestTailsOfMetrics(t *testing.T) {
	r := rand.New(rand.NewPCG(44, 12))
	closest := map[string]float64{}
	for range 300 {
		n := 1 + r.IntN(7)
		chance := make([]float64, n)
		ids, forecast, other, classes := make([]string, n), make([]string, n), make([]string, n), make([]string, n)
		positives := int64(0)
		for i := range n {
			chance[i] = []float64{0, 1, r.Float64(), r.Float64()}[r.IntN(4)]
			ids[i], forecast[i], other[i] = fmt.Sprint(i), fmt.Sprint(r.Float64()), fmt.Sprint(r.Float64())
			positive := r.IntN(2) == 1
			classes[i] = rule.Verdict(positive, "yes", "no")
			positives += rule.BoolToInt(positive)
		}
		for _, what := range []string{"f1", "jaccard", "recall", "sharp f1", "sharp jaccard", "sharp recall", "log-loss", "rmse", "difference",
			"sharp log-loss", "sharp rmse", "sharp difference"} {
			name, sharp := strings.CutPrefix(what, "sharp ")
			compared := name == "difference"
			p := &rule.Plan{Plan: form.Plan{Open: &form.Law{Code: form.FirstCode}, Asks: form.Asks{Metrics: []string{name}}}}
			if sharp {
				p.Open.Code, p.Positive = form.Code, "yes"
			}
			if compared {
				name, p.Incumbent = "log-loss", &form.LabelsFile{}
			}
			kind, _ := metric.Of(name)
			in := data.Reader{Rows: data.NewRoster(ids), Match: form.Exact, Units: form.Units{Positive: "yes"},
				Metrics: []string{name}}
			predictions := forecast
			if kind.Ratio != nil {
				predictions = classes
			}
			l, labeled := lookOf(t, in, name, predictions)
			line := rule.Line{Line: form.Line{Shown: form.Shown{Counted: form.Counted{Rows: int64(n),
				Positive: positives}}, Request: form.Request{Metric: name}}}
			line.Show = ask.Score
			bar := r.Float64()
			if kind.Ratio != nil {
				if positives == 0 {
					continue
				}
				if !kind.Ratio.Bounded() || sharp && r.IntN(2) == 0 {
					line.Show, line.Bar, l.Values.Bar = ask.Pass, &bar, bar
				}
				if !kind.Ratio.Bounded() && !sharp {
					line.Positive = 0
				}
			}
			if compared {
				base, _ := lookOf(t, in, name, other)
				l.Base = &base.Values
				line.Differ, line.Moment = int64(n), l.Moment(p.Design().IsSecret(), p.Fixes())
			}
			if p.Binned(name) {
				line.Bins = l.Values.Bins(nil)
			}
			tails := TailsOf(p, line)
			var masses, means []float64
			sumN, sumD, truth := 0., 0., 0.
			for bits := range 1 << n {
				mass, y, labels := 1., make([]float64, n), make([]string, n)
				for i := range n {
					y[i] = float64(bits >> i & 1)
					labels[i] = rule.Verdict(y[i] == 1, "yes", "no")
					mass *= y[i]*chance[i] + (1-y[i])*(1-chance[i])
				}
				l.Labels = labeled(labels)
				value := 0.
				for i := range n {
					value += l.Score(i) / float64(n)
					if kind.Ratio != nil {
						a, d := kind.Ratio.Row(l.Values.IsPositive(i), y[i])
						sumN, sumD = sumN+mass*a, sumD+mass*d
					}
				}
				truth += mass * value
				masses, means = append(masses, mass), append(means, measured(p, l, line))
			}
			if kind.Ratio != nil {
				if truth = sumN / sumD; sumD == 0 {
					continue
				}
			} else {
				truth = p.Scale(name).Coordinate(truth)
			}
			for _, x := range slices.Compact(slices.Sorted(slices.Values(means))) {
				reached := 0.
				for i, m := range means {
					if m >= x {
						reached += masses[i]
					}
				}
				if reached > 0 && reached < 1-1e-9 {
					level := math.Log(reached)
					if lower := tails.Lower(x, level-1e-9); lower > truth+1e-12 {
						t.Fatalf("%s, chances %v: lower end %v at %v, reached with %v at the truth %v", what, chance, lower, x, reached, truth)
					}
					if lower := tails.Lower(x, level/3); lower > truth {
						closest[what] = 1 // a level three times nearer is refuted
					}
					if upper := tails.Upper(x, math.Log1p(-reached)-1e-9); upper < truth-1e-12 {
						t.Fatalf("%s, chances %v: upper end %v at %v, missed with %v at the truth %v", what, chance, upper, x, 1-reached, truth)
					}
				}
			}
		}
	}
	for _, what := range []string{"log-loss", "rmse", "f1", "jaccard", "sharp f1", "sharp jaccard", "sharp recall", "sharp log-loss", "sharp rmse"} {
		if closest[what] == 0 {
			t.Errorf("%s: nothing refutes a third of the levels", what)
		}
	}
}
