package open

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dpcalc/dpcalc/holdout/ask"
	"github.com/dpcalc/dpcalc/holdout/data"
	"github.com/dpcalc/dpcalc/holdout/design"
	"github.com/dpcalc/dpcalc/holdout/form"
	"github.com/dpcalc/dpcalc/holdout/rule"
	"github.com/dpcalc/dpcalc/metric"
	"github.com/dpcalc/dpcalc/theory"
)

// Differences of two models on few rows, by enumeration of all labels, whose chances differ: at the end that a response
// gives, no law of the labels reaches or misses the cut with more than its level.
func TestTailsOfDecidedLooks(t *testing.T) {
	r := rand.New(rand.NewPCG(44, 31))
	classes := []string{"cat", "dog", "bird"}
	sharp := map[int]int{}
	for range 300 {
		n, several := 1+r.IntN(6), 2+r.IntN(2)
		p := &rule.Plan{Plan: form.Plan{
			Open:      &form.Law{Code: form.Code},
			Incumbent: &form.LabelsFile{},
			Asks:      form.Asks{Classes: classes[:several]},
		}}
		ids, models, chances := make([]string, n), [2][]string{}, make([][]float64, n)
		for i := range n {
			ids[i] = fmt.Sprint(i)
			for m := range models {
				models[m] = append(models[m], classes[r.IntN(several)])
			}
			if chances[i] = make([]float64, several); r.IntN(3) == 0 {
				chances[i][r.IntN(several)] = 1
				continue
			}
			sum := 0.
			for c := range several {
				chances[i][c] = r.ExpFloat64()
				sum += chances[i][c]
			}
			for c := range several {
				chances[i][c] /= sum
			}
		}
		in := data.Reader{Rows: data.NewRoster(ids), Match: form.Exact, Classes: p.Classes,
			Metrics: []string{metric.Accuracy}}
		l, labeled := lookOf(t, in, metric.Accuracy, models[0])
		base, _ := lookOf(t, in, metric.Accuracy, models[1])
		l.Base = &base.Values
		line := rule.Line{Line: form.Line{
			Question: ask.Question{Show: ask.Score},
			Shown:    form.Shown{Counted: form.Counted{Rows: int64(n)}},
			Request:  form.Request{Metric: metric.Accuracy},
		}}
		if line.Differ, _ = l.Differing(nil); line.Differ == 0 {
			continue
		}
		tails := TailsOf(p, line)
		var masses, means []float64
		truth := 0.
		for labels := range int(math.Pow(float64(several), float64(n))) {
			mass := 1.
			right := make([]string, n)
			for i := range n {
				c := labels % several
				labels /= several
				mass *= chances[i][c]
				right[i] = classes[c]
			}
			l.Labels = labeled(right)
			masses, means = append(masses, mass), append(means, measured(p, l, line))
			truth += mass * means[len(means)-1]
		}
		for _, x := range slices.Compact(slices.Sorted(slices.Values(means))) {
			reached := 0.
			for i, m := range means {
				if m >= x {
					reached += masses[i]
				}
			}
			if !(reached > 1e-9 && reached < 1-1e-9) {
				continue
			}
			if lower := tails.Lower(x, math.Log(reached)-1e-9); lower > truth+1e-12 {
				t.Fatalf("%d classes, %v: lower end %v at %v, reached with %v at the truth %v", several, chances, lower, x, reached, truth)
			}
			if upper := tails.Upper(x, math.Log1p(-reached)-1e-9); upper < truth-1e-12 {
				t.Fatalf("%d classes, %v: upper end %v at %v, missed with %v at the truth %v", several, chances, upper, x, 1-reached, truth)
			}
			room := map[int]float64{2: 1e-6, 3: -math.Log(reached) / 2}[several] // a level that is so much nearer is refuted
			if lower := tails.Lower(x, math.Log(reached)+room); lower > truth-1e-6 {
				sharp[several]++
			}
		}
	}
	if sharp[2] < 10 || sharp[3] < 10 {
		t.Errorf("nearer levels were refuted %v times", sharp)
	}
}

// A ledger with the codes of a later version is refused by their number, and one of the first code goes on as it was
// made: `TestEarlierLedgers` has these. A gate of recall counts the rows predicted positive from the second code on.
func TestCodesOfALaterVersion(t *testing.T) {
	half := 0.5
	gate := rule.Line{Line: form.Line{
		Question: ask.Question{Show: ask.Pass, Bar: &half},
		Shown:    form.Shown{Counted: form.Counted{Rows: 80}},
		Request:  form.Request{Metric: "recall"},
	}}
	for version, want := range map[int]bool{form.FirstCode: true, form.Code: false} {
		p := &rule.Plan{Plan: form.Plan{Open: &form.Law{Code: version}}}
		if fits := amongRows(p, gate, 80, nil) == nil; fits != want {
			t.Errorf("version %d: a gate of recall without rows predicted positive fits: %v", version, fits)
		}
	}
	for version, want := range map[int]bool{0: false, form.FirstCode: true, form.Code: true, form.Code + 1: false} {
		err := CheckLaw(&form.Law{Code: version, Most: UsualMost}, theory.LogProb(math.Log(0.05)))
		if fits := err == nil; fits != want {
			t.Errorf("version %d: %v", version, err)
		} else if !fits && err.Error() != fmt.Sprintf("plan.json: got the codes of version %d, want one up to 2, which this version knows", version) {
			t.Errorf("got %v", err)
		}
	}
}

// lookOf is a look at predictions by a metric, and the answers to labels of its rows.
func lookOf(t testing.TB, in data.Reader, name string, predictions []string) (l design.Scores,
	labeled func([]string) data.Answers) {
	t.Helper()
	var err error
	if l.Values, err = in.Read(name, false, data.Columns(in.Rows.IDs, predictions)); err != nil {
		t.Fatal(err)
	}
	return l, func(labels []string) data.Answers {
		rows, err := data.NewLabels(data.Columns(in.Rows.IDs, labels))
		if err != nil {
			t.Fatal(err)
		}
		a, err := in.Answers(rows)
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
}
