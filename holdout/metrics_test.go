package holdout

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/dpcalc/dpcalc/holdout/form"
	"github.com/dpcalc/dpcalc/holdout/open"
	"github.com/dpcalc/dpcalc/holdout/rule"
	"github.com/dpcalc/dpcalc/holdout/terms"
	"github.com/dpcalc/dpcalc/internal/lawtest"
	"github.com/dpcalc/dpcalc/metric"
	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer"
)

// measuredLedger is an open ledger, its ids and its labels.
type measuredLedger struct {
	*Ledger
	dir    string
	ids    []string
	labels []string
}

// measuredBy is an open ledger of so many labels by some metrics.
func measuredBy(t testing.TB, labels []string, units Units, base []string, metrics ...string) measuredLedger {
	t.Helper()
	m := measuredLedger{dir: t.TempDir() + "/ledger", labels: labels}
	for i := range labels {
		m.ids = append(m.ids, fmt.Sprint("r", i))
	}
	rows, err := NewLabels(Columns(m.ids, labels))
	if err != nil {
		t.Fatal(err)
	}
	beta, err := theory.ParseLogProb("0.05")
	if err != nil {
		t.Fatal(err)
	}
	terms := Terms{Goal: transfer.Goal{Beta: beta}, Asks: Asks{Metrics: metrics, Units: units},
		Unlimited: Unlimited{Open: true}}
	if base != nil {
		terms.Incumbent = Submission{Values: Columns(m.ids, base), Path: m.dir + ".csv"}
	}
	if m.Ledger, err = Create(m.dir, rows, terms); err != nil {
		t.Fatal(err)
	}
	return m
}

// ask is a question about a submission.
func (m measuredLedger) ask(name, show string, values []string, x float64) Submission {
	s := Submission{Metric: name, Values: Columns(m.ids, values), Question: Question{Show: show}}
	switch show {
	case ShowPass:
		s.Bar = &x
	case ShowGuess:
		s.Guess = &x
	}
	return s
}

// twoClasses are labels of two classes, classes that are predicted, and probabilities.
func twoClasses(r *rand.Rand, n int) (labels, classes, chances []string) {
	for range n {
		p := r.Float64()
		label, class := "cat", "cat"
		if r.Float64() < p {
			label = "dog"
		}
		if p > 0.5 {
			class = "dog"
		}
		labels, classes, chances = append(labels, label), append(classes, class), append(chances, fmt.Sprint(p))
	}
	return labels, classes, chances
}

// byHand is a metric of a submission, reckoned anew from its definition in the literature.
func byHand(name string, labels, values []string) float64 {
	var tp, fp, fn, right, loss, squares float64
	for i, label := range labels {
		if values[i] == "cat" || values[i] == "dog" {
			switch {
			case values[i] == "dog" && label == "dog":
				tp++
			case values[i] == "dog":
				fp++
			case label == "dog":
				fn++
			}
			right += float64(rule.BoolToInt(values[i] == label))
			continue
		}
		var p float64
		fmt.Sscan(values[i], &p)
		y := float64(rule.BoolToInt(label == "dog"))
		if _, err := fmt.Sscan(label, &y); err == nil {
			p = min(max(p, 0), 10)
			y = min(max(y, 0), 10)
		}
		squares += (p - y) * (p - y)
		if label != "dog" {
			p = 1 - p
		}
		loss += min(-math.Log(p), 5)
	}
	n := float64(len(labels))
	if name == metric.AUC {
		return pairsByHand(labels, values)
	}
	return map[string]float64{Accuracy: right / n, metric.Precision: tp / (tp + fp), "f1": 2 * tp / (2*tp + fp + fn),
		"recall": tp / (tp + fn), "jaccard": tp / (tp + fp + fn), "log-loss": loss / n, "squared-error": squares / n,
		"rmse": math.Sqrt(squares / n)}[name]
}

// pairsByHand is the share of pairs of a dog and a cat in which the dog has the higher score, or half of one for a tie.
func pairsByHand(labels, values []string) (share float64) {
	scores := make(map[string][]float64)
	for i, label := range labels {
		var x float64
		fmt.Sscan(values[i], &x)
		scores[label] = append(scores[label], x)
	}
	for _, x := range scores["dog"] {
		for _, y := range scores["cat"] {
			share += float64(rule.BoolToInt(x > y)+rule.BoolToInt(x >= y)) / 2
		}
	}
	return share / float64(len(scores["dog"])*len(scores["cat"]))
}

// Every metric that the ledger computes is what its definition says, to within half a step of a score; a gate passes
// well below it and fails well above it (and the other way round where less is better); and the log verifies.
func TestMetricsByHand(t *testing.T) {
	r := rand.New(rand.NewPCG(44, 10))
	labels, classes, chances := twoClasses(r, 3000)
	var names []string
	for _, m := range metric.All() {
		if m.Reads != metric.Number {
			names = append(names, m.Name)
		}
	}
	numbers, guesses := make([]string, 3000), make([]string, 3000)
	for i := range numbers {
		y := 12*r.Float64() - 1
		numbers[i], guesses[i] = fmt.Sprint(y), fmt.Sprint(y+2*r.NormFloat64())
	}
	for _, of := range []struct {
		labels []string
		units  Units
		names  []string
		values map[metric.Reads][]string
	}{
		{labels, Units{Positive: "dog"}, names,
			map[metric.Reads][]string{metric.Text: classes, metric.Probability: chances, metric.Forecast: chances,
				metric.Score: chances}},
		{numbers, Units{Range: &[2]float64{0, 10}}, []string{"squared-error", "rmse"},
			map[metric.Reads][]string{metric.Forecast: guesses}},
	} {
		for _, name := range of.names {
			m, _ := metric.Of(name)
			units := of.units
			if !m.Class && m.Reads == metric.Text {
				units = Units{}
			}
			c, values := measuredBy(t, of.labels, units, nil, name), of.values[m.Reads]
			want, in := byHand(name, c.labels, values), c.plan.Scale(name).Ends()
			width := in.Highest - in.Lowest
			for _, show := range []string{ShowScore, ShowGuess} {
				a, err := c.Score(context.Background(), c.ask(name, show, values, want))
				if m.Ratio != nil && !m.Ratio.Bounded() {
					if wrong := (*InputError)(nil); !errors.As(err, &wrong) {
						t.Errorf("%s of %s: got %v, want a refusal", show, name, err)
					}
					continue
				}
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				near := math.Abs(*a.Response-want) <= 0.0101*width
				inside := *a.Open.Lower <= want && *a.Open.Upper >= want
				if narrow := *a.Open.Upper-*a.Open.Lower < 0.4*width; !near || !inside || !narrow {
					t.Errorf("%s of %s: got %v in [%v, %v], want %v", show, name, *a.Response, *a.Open.Lower, *a.Open.Upper, want)
				}
			}
			for _, side := range []float64{-1, 1} {
				room := 0.6 * (in.Highest - want)
				if side < 0 {
					room = 0.6 * (want - in.Lowest)
				}
				if m.Less { // no loss can be much less
					room /= 3
				}
				bar := want + side*min(0.15*width, room)
				a, err := c.Score(context.Background(), c.ask(name, ShowPass, values, bar))
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				passes := side < 0 != m.Less
				end := a.Open.Lower
				if m.Less {
					end = a.Open.Upper
				}
				if a.Verdict != rule.Verdict(passes, Pass, Fail) || passes && math.Abs(*end-bar) > 1e-3 {
					t.Errorf("%s %v at the bar %v: %s, [%v, %v]", name, want, bar, a.Verdict, *a.Open.Lower, *a.Open.Upper)
				}
				if !passes && a.Open.Lower != nil && m.Ratio == nil && !m.Root && *a.Open.Upper-*a.Open.Lower >= width {
					t.Errorf("%s: a failure says nothing", name)
				}
			}
			boards := 2
			if name == metric.Precision || name == "recall" {
				boards = 0
			}
			for range boards {
				a, err := c.Score(context.Background(), c.ask(name, ShowBest, values, 0))
				if err != nil || a.Response == nil {
					t.Fatalf("%s: %v %v", name, a, err)
				}
			}
			if _, err := Verify(c.dir, ""); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

// A column of marks from 0 to 5 has the cells and the prices of a column of shares, times 5.
func TestRangeCostsNothing(t *testing.T) {
	labels, _, chances := twoClasses(rand.New(rand.NewPCG(44, 11)), 500)
	marks := make([]string, len(chances))
	for i, text := range chances {
		var x float64
		fmt.Sscan(text, &x)
		marks[i] = fmt.Sprint(1 + 5*x)
	}
	share := measuredBy(t, labels, Units{}, nil, "column:judge")
	wide := measuredBy(t, labels, Units{Range: &[2]float64{1, 6}}, nil, "column:judge")
	for _, show := range []string{ShowScore, ShowPass, ShowGuess, ShowBest, ShowBest} {
		a, err := share.Score(context.Background(), named(share.Ledger, share.ask("column:judge", show, chances, 0.4)))
		if err != nil {
			t.Fatal(err)
		}
		b, err := wide.Score(context.Background(), named(wide.Ledger, wide.ask("column:judge", show, marks, 1+5*0.4)))
		if err != nil {
			t.Fatal(err)
		}
		for name, c := range map[string][2]*float64{"lower": {a.Open.Lower, b.Open.Lower}, "upper": {a.Open.Upper, b.Open.Upper},
			"response": {a.Response, b.Response}} {
			if (c[0] == nil) != (c[1] == nil) || c[0] != nil && math.Abs(1+5**c[0]-*c[1]) > 1e-6 {
				t.Errorf("%s of %s: %s and %s", name, show, printed(c[0]), printed(c[1]))
			}
		}
		if a.Verdict != b.Verdict || math.Abs(*a.Open.Price-*b.Open.Price) > 1e-9 {
			t.Errorf("%s: %v and %v", show, a.Open, b.Open)
		}
	}
	if _, err := Verify(wide.dir, ""); err != nil {
		t.Error(err)
	}
}

// What a price, a refusal or a status says of each metric does not depend on the labels, byte for byte; nor does the
// line of a look with the same verdict. Of an AUC the class counts are public.
func TestMetricsTellNoLabels(t *testing.T) {
	r := rand.New(rand.NewPCG(44, 13))
	first, classes, chances := twoClasses(r, 400)
	second := slices.Clone(first)
	r.Shuffle(len(second), func(i, j int) { second[i], second[j] = second[j], second[i] })
	for i := range 100 {
		second[i] = "cat" // and another number of dogs
	}
	turned := slices.Concat(first[1:], first[:1])
	none := slices.Repeat([]string{"cat"}, 400)
	picker := lawtest.Pick(t)
	for _, m := range metric.All() {
		name, units := m.Name, Units{Positive: "dog"}
		if name == Accuracy || m.Reads == metric.Number {
			units = Units{}
		}
		if m.Reads == metric.Number {
			name = "column:x"
		}
		values := classes
		if m.Reads != metric.Text {
			values = chances
		}
		var said [2]string
		worlds := [][]string{first, second}
		if m.Pairs {
			worlds[1] = turned
		}
		type question struct {
			show      string
			x         float64
			submitted []string
		}
		var asked []question
		for _, show := range []string{ShowPass, ShowScore, ShowGuess, ShowBest} {
			for _, x := range []float64{0.01, 0.5, 0.97, 2} {
				for i, submitted := range [][]string{values, none, values[1:]} {
					if picker.Takes(fmt.Sprint(name, show, x, i), name+show, fmt.Sprint(name, i), fmt.Sprint(x, i)) {
						asked = append(asked, question{show, x, submitted})
					}
				}
			}
		}
		for k, labels := range worlds {
			l := measuredBy(t, labels, units, nil, name)
			for _, q := range asked {
				list, err := l.Price(l.ask(name, q.show, q.submitted, q.x), nil)
				text, bad := json.Marshal(list)
				if bad != nil {
					t.Fatal(bad)
				}
				said[k] += fmt.Sprintln(q.show, q.x, string(text), err)
			}
			if m.Reads != metric.Number {
				bar := 0.9999
				if m.Less {
					bar = 0.0001
				}
				if a, err := l.Score(context.Background(), l.ask(name, ShowPass, values, bar)); err == nil {
					said[k] += fmt.Sprintln(a.Verdict, printed(a.Open.Lower), printed(a.Open.Upper), printed(a.Open.Price), a.Counts)
				} else {
					said[k] += err.Error()
				}
			}
		}
		if said[0] != said[1] {
			t.Errorf("%s: what is said depends on the labels:\n%s\n%s", name, said[0], said[1])
		}
	}
}

// What metrics need is declared, and one line says what is wrong.
func TestUnitsOfMetrics(t *testing.T) {
	labels, err := NewLabels(Columns([]string{"a", "b"}, []string{"1", "x"}))
	if err != nil {
		t.Fatal(err)
	}
	beta, _ := theory.ParseLogProb("0.05")
	for _, c := range []struct {
		want    string
		units   Units
		metrics string
	}{
		{"range: got 5 to 0, want two numbers up to 1e100, the lesser one first, that differ by at least 1e-100 and by a millionth of the greater", Units{Range: &[2]float64{5, 0}}, "column:x"},
		{"range: got NaN to 1", Units{Range: &[2]float64{math.NaN(), 1}}, "column:x"},
		{"range: got 0 to +Inf", Units{Range: &[2]float64{0, math.Inf(1)}}, "column:x"},
		{"range: got one, want --metrics with column:NAME", Units{Range: &[2]float64{0, 5}}, "accuracy"},
		{"positive: got nothing, want the label that counts as positive for f1", Units{}, "f1"},
		{"positive: got nothing, want the label that counts as positive for log-loss", Units{}, "log-loss"},
		{"positive: got y, want --metrics with", Units{Positive: "y"}, "accuracy"},
		{"clip: got NaN, want a log-loss", Units{Positive: "y", Clip: math.NaN()}, "log-loss"},
		{"clip: got 3, want --metrics log-loss too", Units{Clip: 3}, "column:x"},
		{"probability: got p, want --positive and", Units{Probability: "p"}, "column:x"},
		{"labels: id b: got the label x, want a number", Units{}, "rmse"},
		{"metrics: got macro-f1", Units{}, "macro-f1"},
	} {
		_, err := Create(t.TempDir()+"/x", labels, Terms{
			Goal:      transfer.Goal{Beta: beta},
			Asks:      Asks{Units: c.units, Metrics: []string{c.metrics}},
			Unlimited: Unlimited{Open: true},
		})
		if wrong := (*InputError)(nil); !errors.As(err, &wrong) || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %s", c.metrics, err, c.want)
		}
	}
}

// Ratios are refused where the rows are no independent ones, and precision where a number of rows would tell which
// items have labels.
func TestMetricsOfClusters(t *testing.T) {
	for _, name := range []string{"f1", "recall", "jaccard"} {
		for _, terms := range []Terms{{Drawn: Drawn{Group: "document"}}, {Drawn: Drawn{Items: &Items{}}}} {
			terms.Open, terms.Metrics, terms.Units = true, []string{name}, Units{Positive: "y"}
			if err := terms.Declare(); err == nil || !strings.Contains(err.Error(), "with clusters or a benchmark") {
				t.Errorf("%s: got %v", name, err)
			}
		}
	}
	terms := Terms{Asks: Asks{Metrics: []string{metric.Precision}, Units: Units{Positive: "y"}},
		Drawn: Drawn{Items: &Items{}}, Unlimited: Unlimited{Open: true}}
	if err := terms.Declare(); err == nil || !strings.Contains(err.Error(), "with a benchmark, want another") {
		t.Errorf("precision: got %v", err)
	}
}

// Losses, precision and marks in a range are means over clusters, over their rows or over the rows of a benchmark that
// have labels; and so is what bounds the square of a difference of losses, but over all items of a benchmark.
func TestMetricsOfSamples(t *testing.T) {
	ids, _, document, features := documentRows(t, 200)
	r := rand.New(rand.NewPCG(44, 21))
	labels, classes, chances := twoClasses(r, len(ids))
	near, marks := make([]string, len(ids)), make([]string, len(ids))
	for i, text := range chances {
		var p float64
		fmt.Sscan(text, &p)
		near[i], marks[i] = fmt.Sprint(0.9*p+0.03), fmt.Sprint(1+5*p)
	}
	items, err := NewItems(Columns(ids, make([]string, len(ids))), "")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, weights string
		units         Units
		values, base  []string
	}{
		{"log-loss", ByClusters, Units{Positive: "dog"}, chances, nil}, {"log-loss", ByRows, Units{Positive: "dog"}, chances, nil},
		{"log-loss", "", Units{Positive: "dog"}, chances, nil}, {"rmse", ByClusters, Units{Positive: "dog"}, chances, nil},
		{"precision", ByClusters, Units{Positive: "dog"}, classes, nil}, {"precision", ByRows, Units{Positive: "dog"}, classes, nil},
		{"column:x", ByClusters, Units{Range: &[2]float64{1, 6}}, marks, nil}, {"column:x", "", Units{Range: &[2]float64{1, 6}}, marks, nil},
		{"squared-error", ByClusters, Units{Positive: "dog"}, near, chances}, {"squared-error", ByRows, Units{Positive: "dog"}, near, chances},
		{"squared-error", "", Units{Positive: "dog"}, near, chances},
	} {
		terms := Terms{Goal: transfer.Goal{Beta: beta(t, "0.05")},
			Asks: Asks{Metrics: []string{c.name}, Units: c.units}, Unlimited: Unlimited{Open: true}}
		known, their := ids, labels
		if c.weights == "" {
			terms.Items = items
			known, their = ids[:300], labels[:300]
		} else {
			terms.Features, terms.Group, terms.Weights = features, "doc", c.weights
		}
		if c.base != nil {
			terms.Incumbent = Submission{Values: Columns(ids, c.base)}
		}
		dir := t.TempDir() + "/open"
		l, err := Create(dir, labelsIn(t, known, their), terms)
		if err != nil {
			t.Fatal(c.name, err)
		}
		var some []int
		var each, squares, all []float64
		for i := range ids {
			value := func(values []string, label string) float64 {
				if c.name == "column:x" {
					var x float64
					fmt.Sscan(values[i], &x)
					return x
				}
				of := map[string]string{"precision": Accuracy, "rmse": "squared-error"}[c.name]
				return byHand(max(of, map[bool]string{true: c.name}[of == ""]), []string{label}, values[i:i+1])
			}
			gap := 0.
			if c.base != nil {
				for _, label := range []string{"dog", "cat"} {
					gap = max(gap, math.Abs(value(c.values, label)-value(c.base, label)))
				}
			}
			all = append(all, gap*gap)
			if i >= len(known) || c.name == "precision" && classes[i] != "dog" {
				continue
			}
			x := value(c.values, labels[i])
			if c.base != nil {
				x -= value(c.base, labels[i])
			}
			some, each, squares = append(some, document[i]), append(each, x), append(squares, gap*gap)
		}
		want, byRows := means(some, each)
		moment, _ := means(some, squares)
		if c.weights != ByClusters {
			want = byRows
			_, moment = means(document, all)
		}
		if c.name == "rmse" {
			want = math.Sqrt(want)
		}
		step := 0.002
		s := Submission{Values: Columns(ids, c.values), Question: Question{Show: ShowScore, Step: &step}}
		if c.base != nil {
			s.Incumbent = Columns(ids, c.base)
		}
		a := takes(t, l, s)
		if math.Abs(*a.Response-want) > step*(1+1e-9) || !(*a.Open.Lower <= want && want <= *a.Open.Upper) {
			t.Errorf("%s %s: got %v in [%v, %v], want %v", c.name, c.weights, *a.Response, *a.Open.Lower, *a.Open.Upper, want)
		}
		if m := a.Open.Moment; c.base != nil && !(m >= moment && m <= moment*(1+1e-9)) {
			t.Errorf("%s %s: the mean square is at most %v, got %v", c.name, c.weights, moment, m)
		}
		if _, err := Verify(dir, ""); err != nil {
			t.Error(c.name, c.weights, err)
		}
	}
}

// Losses of two models: the predictions alone bound the mean square of their difference, and the interval is narrower
// than without it.
func TestDifferencesOfLosses(t *testing.T) {
	labels, _, chances := twoClasses(rand.New(rand.NewPCG(44, 14)), 2000)
	near := make([]string, len(chances))
	for i, text := range chances {
		var p float64
		fmt.Sscan(text, &p)
		near[i] = fmt.Sprint(0.98*p + 0.01)
	}
	l := measuredBy(t, labels, Units{Positive: "dog"}, chances, "squared-error")
	s := l.ask("squared-error", ShowScore, near, 0)
	s.Incumbent = Columns(l.ids, chances)
	a, err := l.Score(context.Background(), s)
	if err != nil {
		t.Fatal(err)
	}
	if !(a.Open.Moment > 0 && a.Open.Moment < 1e-3 && *a.Open.Upper-*a.Open.Lower < 0.02) {
		t.Errorf("mean square at most %v: [%v, %v]", a.Open.Moment, *a.Open.Lower, *a.Open.Upper)
	}
	want := byHand("squared-error", labels, near) - byHand("squared-error", labels, chances)
	if !(*a.Open.Lower <= want && *a.Open.Upper >= want) {
		t.Errorf("the new less the old is %v, got [%v, %v]", want, *a.Open.Lower, *a.Open.Upper)
	}
	if _, err := Verify(l.dir, ""); err != nil {
		t.Error(err)
	}
}

// Losses of a class: a line counts the rows of the look by their greater probability, whatever the labels are, and the
// interval is narrower than by the first code. Ledgers whose predictions fix no two values of a row, or whose rows were
// drawn, have no bins, and no line has others than its rows.
func TestBinsOfLosses(t *testing.T) {
	labels, _, chances := twoClasses(rand.New(rand.NewPCG(53, 5)), 2000)
	counts := func(chances []string) (want [64]int64) {
		for _, text := range chances {
			var p float64
			fmt.Sscan(text, &p)
			cell := 0
			for cell < 63 && max(p, 1-p) >= 0.5+float64(cell+1)/128 {
				cell++
			}
			want[cell]++
		}
		return want
	}
	for name, bar := range map[string]float64{"log-loss": 0.5, "squared-error": 0.17, "rmse": 0.41} {
		margins := map[int]float64{}
		for _, version := range []int{form.FirstCode, form.Code} {
			c := measuredBy(t, labels, Units{Positive: "dog"}, nil, name)
			c.plan.Open.Code = version
			list, err := c.Price(c.ask(name, ShowPass, chances, bar), nil)
			if err != nil {
				t.Fatal(err)
			}
			pass, want := list[len(list)-1], counts(chances)
			margins[version] = bar - *pass.Below
			if version == form.FirstCode && pass.Bins != nil || version == form.Code && !slices.Equal(pass.Bins, want[:]) {
				t.Errorf("%s by code %d: got the bins %v, want %v", name, version, pass.Bins, want)
			}
			without := c.ask(name, ShowScore, nil, 0)
			without.Values = nil
			if _, err = c.Price(without, nil); (err != nil) != (version == form.Code) {
				t.Errorf("%s by code %d: a price without predictions: %v", name, version, err)
			}
		}
		if !(margins[form.Code] < 0.75*margins[form.FirstCode]) {
			t.Errorf("%s: margins %v", name, margins)
		}
		c := measuredBy(t, labels, Units{Positive: "dog"}, nil, name)
		_, err := c.Score(context.Background(), c.ask(name, ShowPass, chances, 0.01))
		if want := "no score can pass the bar 0.01: whatever the labels are, no loss of these predictions is low enough"; !strings.Contains(fmt.Sprint(err), want) {
			t.Errorf("%s: got %v, want %s", name, err, want)
		}
		if _, err = c.Score(context.Background(), c.ask(name, ShowScore, chances, 0)); err != nil {
			t.Fatal(err)
		}
		for what, change := range map[string]func(l *Line){
			"no bins": func(l *Line) { l.Bins = nil }, "a row more": func(l *Line) { l.Bins[9]++ }, "a bin more": func(l *Line) { l.Bins = append(l.Bins, 0) },
			"less than none": func(l *Line) { l.Bins[0], l.Bins[1] = -1, l.Bins[0]+l.Bins[1]+1 },
			"other bins":     func(l *Line) { slices.Reverse(l.Bins) }, "as they are": func(l *Line) {},
		} {
			h, err := journalOf(c.dir).Read()
			if err != nil {
				t.Fatal(err)
			}
			change(&h.Lines[0])
			if fits := replayed(h) == nil; fits != (what == "as they are") {
				t.Errorf("%s with %s verifies: %v", name, what, fits)
			}
		}
	}
	for name, written := range map[string]form.Plan{
		"a column": {Asks: form.Asks{Metrics: []string{"column:x"}}}, "numbers": {Asks: form.Asks{Metrics: []string{"rmse"}}}, "an incumbent": {Incumbent: &LabelsFile{}},
		"a benchmark": {Drawn: form.Drawn{Population: &form.Benchmark{}}},
		"clusters":    {Drawn: form.Drawn{Group: &form.Group{}}}, "the first code": {Open: &form.Law{Code: form.FirstCode}},
	} {
		p := &Plan{Plan: written}
		if !p.IsOpen() {
			p.Open = &form.Law{Code: form.Code}
		}
		metrics := p.Metrics
		if metrics == nil {
			metrics, p.Positive = []string{"log-loss"}, "dog"
		}
		if p.Binned(metrics[0]) || open.AreBins(p, metrics[0], 2, make([]int64, 64)) {
			t.Errorf("%s has bins", name)
		}
	}
}

// A ledger verifies in units of any size, and an end that was changed does not. Ranges whose squares are no numbers, or
// whose values a float64 does not tell apart, are refused.
func TestRangesOfAnySize(t *testing.T) {
	labels := make([]string, 100)
	for _, r := range [][2]float64{{0, 1e-9}, {-1e-100, 1e-100}, {0, 1e100}, {1e9, 1e9 + 1e4}} {
		values := make([]string, 100)
		for i := range labels {
			labels[i] = fmt.Sprint(r[0] + (r[1]-r[0])*float64(i)/99)
			values[i] = fmt.Sprint(r[0] + (r[1]-r[0])*float64(i*i)/99/99)
		}
		for _, name := range []string{"column:x", "squared-error", "rmse"} {
			c := measuredBy(t, labels, Units{Range: &r}, nil, name)
			for range 2 {
				if _, err := c.Score(context.Background(), named(c.Ledger, c.ask(name, ShowScore, values, 0))); err != nil {
					t.Fatalf("%s in %v: %v", name, r, err)
				}
			}
			if _, err := Verify(c.dir, ""); err != nil {
				t.Errorf("%s in %v: %v", name, r, err)
			}
			h, err := journalOf(c.dir).Read()
			if err != nil {
				t.Fatal(err)
			}
			*h.Lines[0].Upper += 1e-4 * c.plan.Scale(name).Span
			if replayed(h) == nil {
				t.Errorf("%s in %v: an end that was moved verifies", name, r)
			}
		}
	}
	for _, r := range [][2]float64{{0, 1e200}, {0, 1e-200}, {-1e308, 1e308}, {1, 1}, {1, 0}, {1e10, 1e10 + 1},
		{0, math.Inf(1)}, {math.NaN(), 1}} {
		if err := terms.CheckUnits(Units{Range: &r}, []string{"rmse"}); err == nil {
			t.Errorf("the range %v is taken", r)
		}
	}
}
