package holdout

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/dpcalc/dpcalc/holdout/form"
	"github.com/dpcalc/dpcalc/holdout/rule"
	"github.com/dpcalc/dpcalc/transfer"
)

// documentRows are rows of documents of 1 to 4 rows each, in another order than theirs, with their features.
func documentRows(t testing.TB, documents int) (ids, classes []string, document []int, features *Features) {
	t.Helper()
	for d := range documents {
		for row := range d%4 + 1 {
			ids = append(ids, fmt.Sprintf("%d-%d", row, d))
			document = append(document, d)
		}
	}
	order := make([]int, len(ids))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return strings.Compare(ids[i], ids[j]) })
	text := "id,doc,half\n"
	var some []string
	var at []int
	for _, i := range order {
		some, at = append(some, ids[i]), append(at, document[i])
		text += fmt.Sprintf("%s,doc %d,%v\n", ids[i], document[i], document[i]%2 == 0)
		classes = append(classes, fmt.Sprint(i%3))
	}
	features, err := NewFeatures(strings.NewReader(text), "")
	if err != nil {
		t.Fatal(err)
	}
	return some, classes, at, features
}

// means are the mean over clusters and that over rows of values.
func means(document []int, values []float64) (byClusters, byRows float64) {
	sums, rows := make(map[int]float64), make(map[int]float64)
	for i, d := range document {
		sums[d] += values[i]
		rows[d]++
		byRows += values[i] / float64(len(values))
	}
	for d, sum := range sums {
		byClusters += sum / rows[d] / float64(len(sums))
	}
	return byClusters, byRows
}

// The value of a look is the mean over clusters of the mean in each, or over all rows, and its tails are the tails of
// the clusters.
func TestLedgersOfClusters(t *testing.T) {
	const documents = 120
	ids, classes, document, features := documentRows(t, documents)
	sizes := Sizes{Count: documents, Rows: 300, Largest: 4, Squares: 30 * (1 + 4 + 9 + 16)}
	labels := labelsIn(t, ids, classes)
	submitted, values := slices.Clone(classes), make([]float64, len(classes))
	for i, d := range document {
		if values[i] = 1; (d%4 == 3 && i%2 == 0) || d%5 == 0 {
			submitted[i], values[i] = "wrong", 0
		}
	}
	byClusters, byRows := means(document, values)
	if math.Abs(byClusters-byRows) < 0.01 {
		t.Fatal(byClusters, byRows)
	}
	for _, c := range []struct {
		weights  string
		mean     float64
		gaussian float64 // rows in Hoeffding's exponent
		records  int64
	}{{"", byClusters, documents, documents}, {ByRows, byRows, 300 * 300 / 900., 300}} {
		terms := Terms{Drawn: Drawn{Features: features, Group: "doc", Weights: c.weights}}
		terms.Goal = transfer.Goal{Beta: beta(t, "0.05"), Queries: 3}
		terms.Goal.Feedback = transfer.Final
		dir := t.TempDir() + "/final"
		l, err := Create(dir, labels, terms)
		if err != nil {
			t.Fatal(err)
		}
		p := l.Plan()
		if p.Group.Clusters != sizes || p.Promise.Samples != c.records {
			t.Errorf("%s: %+v, %+v", c.weights, p.Group, p.Promise)
		}
		most, got := math.Sqrt(math.Log(6/0.05)/2/c.gaussian), p.Promise.Tau
		if !(got <= most*(1+1e-9) && got > most*0.85) { // convex tails of clusters that count alike
			t.Errorf("%s: tau %v, want about %v", c.weights, got, most)
		}
		reopened, err := Open(dir, labels)
		if err != nil {
			t.Fatal(err)
		}
		wrong := (*InputError)(nil)
		look := Submission{Values: Columns(ids, submitted)}
		if _, err := reopened.Score(context.Background(), look); !errors.As(err, &wrong) {
			t.Errorf("a look without the features: %v", err)
		}
		if err := reopened.rows.UseFeatures(features); err != nil {
			t.Fatal(err)
		}
		if a := takes(t, reopened, look); math.Abs(*a.Response-c.mean) > 1e-12 {
			t.Errorf("%s: the score %v, want %v", c.weights, *a.Response, c.mean)
		}
		if v, err := Verify(dir, ""); err != nil || v.Looks != 1 {
			t.Error(v, err)
		}

		terms.Goal, terms.Open = transfer.Goal{Beta: beta(t, "0.05")}, true
		dir = t.TempDir() + "/open"
		if l, err = Create(dir, labels, terms); err != nil {
			t.Fatal(err)
		}
		bar := 0.5
		list, err := l.Price(Submission{Question: Question{Show: ShowPass, Bar: &bar}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		level := 0.05 * 0.2 // of a first pass
		most = bar + math.Sqrt(-math.Log(level)/2/c.gaussian)
		if from := *list[1].From; !(from <= most+1e-9 && from > most-0.02) {
			t.Errorf("%s: passes from %v, want about %v", c.weights, from, most)
		}
		step := 1e-3
		for _, where := range []string{"", "half=true"} {
			look.Question = Question{Show: ShowScore, Step: &step, Where: where}
			a := takes(t, l, look)
			want := c.mean
			if where != "" {
				var some []int
				var their []float64
				for i, d := range document {
					if d%2 == 0 {
						some, their = append(some, d), append(their, values[i])
					}
				}
				if want, _ = means(some, their); c.weights == ByRows {
					_, want = means(some, their)
				}
			}
			if math.Abs(*a.Response-want) > step {
				t.Errorf("%s, %s: the score %v, want %v", c.weights, where, *a.Response, want)
			}
		}
		if _, err := Verify(dir, ""); err != nil {
			t.Error(err)
		}
		plan, text := l.plan, looksOf(t, dir)
		for _, edit := range [][2]string{{`"count":120`, `"count":119`}, {`"squares":900`, `"squares":800`}, {`"largest":4`, `"largest":3`},
			{`"count":60`, `"count":121`}} {
			edited := bytes.Replace(text, []byte(edit[0]), []byte(edit[1]), 1)
			if bytes.Equal(edited, text) {
				t.Fatalf("no %s in %s", edit[0], text)
			}
			if err := replayed(rechained(t, plan, edited)); err == nil {
				t.Errorf("%s for %s is not seen", edit[1], edit[0])
			}
		}
	}
}

// An open ledger of clusters takes new rows in clusters of their own, and its tails are the tails of all clusters. A
// cluster of old and new rows is refused in the same words whatever its labels are, and so is a row without a cluster.
func TestExtensionsOfClusters(t *testing.T) {
	ids, classes, _, features := documentRows(t, 40)
	labels := labelsIn(t, ids, classes)
	more := func(text string) (*Labels, *Features) {
		list, err := NewFeatures(strings.NewReader("id,doc,half\n"+text), "")
		if err != nil {
			t.Fatal(err)
		}
		var some []string
		for line := range strings.Lines(text) {
			id, _, _ := strings.Cut(line, ",")
			some = append(some, id)
		}
		return labelsIn(t, some, slices.Repeat([]string{"1"}, len(some))), list
	}
	for _, weights := range Weights() {
		terms := Terms{Goal: transfer.Goal{Beta: beta(t, "0.05")}, Drawn: Drawn{Features: features, Group: "doc",
			Weights: weights}, Unlimited: Unlimited{Open: true}}
		dir := t.TempDir() + "/open"
		l, err := Create(dir, labels, terms)
		if err != nil {
			t.Fatal(err)
		}
		score := func(l *Ledger, ids, classes []string) Answer {
			return takes(t, l, Submission{Values: Columns(ids, classes), Question: Question{Show: ShowScore}})
		}
		before := score(l, ids, classes)
		wrong := (*InputError)(nil)
		for text, want := range map[string]string{
			"a,doc 3,true\nb,new,true\n": `group: got the cluster "doc 3" of old and new rows`,
			"a,,true\nb,new,true\n":      "group: got an empty cell in the column doc",
		} {
			rows, list := more(text)
			_, err := l.Extend(context.Background(), Extension{Labels: rows, Features: list})
			if !errors.As(err, &wrong) || !strings.HasPrefix(err.Error(), want) {
				t.Errorf("got %v, want %s", err, want)
			}
		}
		rows, list := more("a,new,true\nb,new,true\nc,newer,false\n")
		e := Extension{Labels: rows, Features: list, Drop: []string{"0-5", "1-5"}}
		if changed, err := l.Extend(context.Background(), e); err != nil || !changed {
			t.Fatal(changed, err)
		}
		if l, err = Open(dir, labels, rows); err != nil {
			t.Fatal(err)
		}
		if err := l.rows.UseFeatures(features, list); err != nil {
			t.Fatal(err)
		}
		var allIDs, all []string
		for i, id := range ids {
			if id != "0-5" && id != "1-5" {
				allIDs, all = append(allIDs, id), append(all, classes[i])
			}
		}
		allIDs, all = append(allIDs, "a", "b", "c"), append(all, "1", "1", "1")
		want := Sizes{Count: 41, Rows: 101, Largest: 4, Squares: 10*(1+4+9+16) - 4 + 4 + 1}
		a := score(l, allIDs, all)
		if *a.Open.Clusters != want || a.Open.Rows != 101 {
			t.Errorf("%s: %+v, want %+v", weights, *a.Open.Clusters, want)
		}
		if again := score(l, ids, classes); !again.Known || again.Look != before.Look {
			t.Errorf("%s: the question of old rows: %+v", weights, again)
		}
		status, err := ReadStatus(dir)
		if err != nil || *status.Clusters != want {
			t.Errorf("%+v, %v", status.Clusters, err)
		}
		if _, err := Verify(dir, ""); err != nil {
			t.Error(err)
		}
		text := looksOf(t, dir)
		for _, edit := range [][2]string{{`"count":41`, `"count":42`}, {`"squares":301`, `"squares":99`}} {
			edited := bytes.ReplaceAll(text, []byte(edit[0]), []byte(edit[1]))
			if err := replayed(rechained(t, l.plan, bytes.Replace(text, []byte(edit[0]), []byte(edit[1]), 1))); err == nil {
				t.Errorf("%s for %s is not seen", edit[1], edit[0])
			}
			if bytes.Equal(edited, text) {
				t.Fatalf("no %s in %s", edit[0], text)
			}
		}
	}
}

// rechained are lines that were edited and chained anew.
func rechained(t testing.TB, p *Plan, lines []byte) *history {
	t.Helper()
	h, err := reread(p, "")
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(lines) {
		l, err := form.NewLineReader().Read(strings.TrimSuffix(string(line), "\n"))
		if err != nil {
			t.Fatal(err)
		}
		if err := h.Take(string(h.appended(t, *l)), h); err != nil {
			t.Fatal(err)
		}
	}
	return h.history
}

// The margin of a ledger of a benchmark is no less than what a failure says of right answers at any bar: the cut of
// Hoeffding's end is the next count.
func TestMarginOfABenchmark(t *testing.T) {
	var items, texts []string
	for i := range 66 {
		items, texts = append(items, fmt.Sprint("i", i)), append(texts, "a")
	}
	benchmark, err := NewItems(Columns(items, texts), "")
	if err != nil {
		t.Fatal(err)
	}
	terms := Terms{Goal: transfer.Goal{Beta: beta(t, "0.05")}, Drawn: Drawn{Items: benchmark}, Unlimited: Unlimited{Open: true}}
	l, err := Create(t.TempDir()+"/open", labelsIn(t, items[:60], texts[:60]), terms)
	if err != nil {
		t.Fatal(err)
	}
	status, _, err := l.Read()
	if err != nil {
		t.Fatal(err)
	}
	margin, err := status.Margin()
	if err != nil {
		t.Fatal(err)
	}
	most := 0.
	for i := 20; i < 70; i++ {
		bar := float64(i) / 100
		list, err := l.Price(Submission{Question: Question{Show: ShowPass, Bar: &bar}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		most = math.Max(most, *list[0].Upper-bar)
	}
	if !(most <= margin && most > margin-1./60) {
		t.Errorf("a failure says %v above its bar, the margin is %v", most, margin)
	}
}

// Of a benchmark a submission has every item, whichever have labels, and the score is the mean over those.
func TestLedgersOfABenchmark(t *testing.T) {
	var items, all []string
	for i := range 500 {
		items, all = append(items, fmt.Sprint("i", i)), append(all, fmt.Sprint(i%2))
	}
	var ids, classes []string
	for i := 499; i >= 0; i -= 3 {
		ids, classes = append(ids, items[i]), append(classes, all[i])
	}
	labels := labelsIn(t, ids, classes)
	benchmark := func(ids []string) *Items {
		b, err := NewItems(Columns(ids, make([]string, len(ids))), "")
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	terms := Terms{Goal: transfer.Goal{Beta: beta(t, "0.05"), Queries: 2}, Drawn: Drawn{Items: benchmark(items)}}
	terms.Goal.Feedback = transfer.Final
	dir := t.TempDir() + "/final"
	l, err := Create(dir, labels, terms)
	if err != nil {
		t.Fatal(err)
	}
	n := float64(len(ids))
	if most := math.Sqrt(math.Log(4/0.05) / 2 / n * (1 - (n-1)/500)); !(l.plan.Promise.Tau <= most*(1+1e-9)) {
		t.Errorf("tau %v, want at most %v", l.plan.Promise.Tau, most)
	}
	submitted, right := slices.Clone(all), 0
	for i := range submitted {
		if i%7 < 3 {
			submitted[i] = "wrong"
		} else if i%3 == 1 {
			right++
		}
	}
	reopened, err := Open(dir, labels)
	if err != nil {
		t.Fatal(err)
	}
	wrong := (*InputError)(nil)
	for _, values := range []Table{Columns(items, submitted), Columns(ids, classes)} {
		_, err := reopened.Score(context.Background(), Submission{Values: values})
		if !errors.As(err, &wrong) || !strings.HasPrefix(err.Error(), "population: ") {
			t.Errorf("a look without the benchmark: %v", err)
		}
		if _, err := reopened.Predictions(values); !errors.As(err, &wrong) || !strings.HasPrefix(err.Error(), "population: ") {
			t.Errorf("a fingerprint without the benchmark: %v", err)
		}
	}
	if err := reopened.rows.UsePopulation(benchmark(items[1:])); !errors.As(err, &wrong) {
		t.Errorf("another benchmark: %v", err)
	}
	if err := reopened.rows.UsePopulation(benchmark(items)); err != nil {
		t.Fatal(err)
	}
	for _, values := range []Table{Columns(ids, classes), Columns(items[1:], submitted[1:])} {
		_, err := reopened.Score(context.Background(), Submission{Values: values})
		if !errors.As(err, &wrong) || !strings.HasSuffix(err.Error(), "want every id of the benchmark once") {
			t.Errorf("some of the items: %v", err)
		}
	}
	once := takes(t, reopened, Submission{Values: Columns(items, submitted)})
	if math.Abs(*once.Response-float64(right)/n) > 1e-12 || once.Counts.Rows != 500 {
		t.Errorf("%v of %d rows, want %d of %v", *once.Response, once.Counts.Rows, right, n)
	}
	if _, err := Verify(dir, ""); err != nil {
		t.Error(err)
	}

	dir = t.TempDir() + "/open"
	base := Submission{Values: Columns(items, all)}
	open := Terms{Goal: transfer.Goal{Beta: beta(t, "0.05")}, Incumbent: base, Drawn: Drawn{Items: benchmark(items)},
		Unlimited: Unlimited{Open: true}}
	if l, err = Create(dir, labels, open); err != nil {
		t.Fatal(err)
	}
	// What differs is counted over all items: the number among those with labels would tell some of them.
	base.Incumbent, base.Question = base.Values, Question{Show: ShowScore}
	look := base
	look.Values = Columns(items, submitted)
	a := takes(t, l, look)
	differ := 0
	for i := range submitted {
		if submitted[i] != all[i] {
			differ++
		}
	}
	if a.Open.Differ != int64(differ) || a.Open.Rows != int64(len(ids)) {
		t.Errorf("%d of %d rows differ, want %d of the items", a.Open.Differ, a.Open.Rows, differ)
	}
	if _, err := l.Score(context.Background(), base); err == nil {
		t.Error("the incumbent itself is answered")
	}
	if _, err := l.Extend(context.Background(), Extension{Drop: ids[:3]}); !errors.As(err, &wrong) {
		t.Errorf("a change of a subset: %v", err)
	}
	if _, err := Verify(dir, ""); err != nil {
		t.Error(err)
	}
}

// What is no cluster and no benchmark is one line, and leaves no folder.
func TestWrongRecords(t *testing.T) {
	ids, classes, _, features := documentRows(t, 8)
	labels := labelsIn(t, ids, classes)
	table := func(text string) *Features {
		f, err := NewFeatures(strings.NewReader(text), "")
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	twice := string(features.Text) + ids[0] + ",doc 1,true\n"
	empty := strings.Replace(string(features.Text), "doc 2", "", 1)
	some, err := NewItems(Columns(ids[1:], classes[1:]), "")
	if err != nil {
		t.Fatal(err)
	}
	good := Terms{Goal: transfer.Goal{Beta: beta(t, "0.05")}, Drawn: Drawn{Features: features, Group: "doc"},
		Unlimited: Unlimited{Open: true}}
	for want, change := range map[string]func(*Terms){
		"features: got 1 doubled id (0-0), want every id once":                                  func(p *Terms) { p.Features = table(twice) },
		"group: got an empty cell in the column doc, want a cluster for every row":              func(p *Terms) { p.Features = table(empty) },
		"group: got the column label, want a feature":                                           func(p *Terms) { p.Group = "label" },
		"group: got the column id, want a feature":                                              func(p *Terms) { p.Group = "id" },
		"features: got the columns id, doc, half, want id and dog":                              func(p *Terms) { p.Group = "dog" },
		"features: got nothing, want a table with the columns id and doc, as --group doc needs": func(p *Terms) { p.Features = nil },
		"weights: got documents, want clusters or rows":                                         func(p *Terms) { p.Weights = "documents" },
		"weights: got rows, want --group COLUMN too":                                            func(p *Terms) { p.Weights, p.Group = ByRows, "" },
		"group: got it with --population, want one of the two":                                  func(p *Terms) { p.Items = some },
		"population: got labels with 1 unknown id (0-0), want ids of the benchmark":             func(p *Terms) { p.Items, p.Group, p.Features = some, "", nil },
		"query: got binary with --group, want bounded or difference: the mean over a cluster is neither 0 nor 1": func(p *Terms) {
			p.Open, p.Goal.Queries, p.Goal.Query = false, 3, transfer.Binary
		},
		"features: got some, want --open, --group or --feedback gate too, which use them": func(p *Terms) {
			p.Open, p.Goal.Queries, p.Group = false, 3, ""
		},
	} {
		p := good
		change(&p)
		dir := t.TempDir() + "/ledger"
		wrong := (*InputError)(nil)
		if _, err := Create(dir, labels, p); !errors.As(err, &wrong) || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
		if _, err := ReadStatus(dir); err == nil {
			t.Errorf("%s: a folder is left", want)
		}
	}
	if _, err := NewItems(Columns([]string{"a", "b", "a"}, make([]string, 3)), ""); err == nil || err.Error() != "population: got 1 doubled id (a), want every id once" {
		t.Error(err)
	}
	changed := *good.Features
	changed.Text = bytes.Replace(changed.Text, []byte("doc 1"), []byte("doc 3"), 1)
	l, err := Create(t.TempDir()+"/ledger", labels, good)
	if err != nil {
		t.Fatal(err)
	}
	if err := l.rows.UseFeatures(&changed); err == nil {
		t.Error("other features are taken")
	}
}

// The evidence of clusters is the logarithm of an e-value: of two clusters of any size with laws of two points on a
// grid, and no gain on average, its expectation is at most 1, and comes to it.
func TestEvidenceOfClusters(t *testing.T) {
	type law struct{ p, low, high float64 }
	var laws []law
	for _, p := range []float64{0.1, 0.25, 0.5, 0.8} {
		for _, ends := range [][2]float64{{-1, 1}, {-1, 0.5}, {-0.5, 1}, {-0.25, 0.25}, {0, 0.5}, {-0.5, 0}} {
			laws = append(laws, law{p, ends[0], ends[1]})
		}
	}
	worst, compared := 0., 0
	for _, a := range laws {
		for _, b := range laws {
			for _, c := range laws[:8] {
				all := []law{a, b, c}
				gain := 0.
				for _, l := range all {
					gain += l.p*l.high + (1-l.p)*l.low
				}
				if gain > 1e-12 {
					continue
				}
				mean := 0.
				for which := range 8 {
					chance, values := 1., make([]float64, 3)
					for i, l := range all {
						if values[i] = l.low; which>>i&1 == 1 {
							values[i], chance = l.high, chance*l.p
						} else {
							chance *= 1 - l.p
						}
					}
					mean += chance * math.Exp(rule.ClusterEvidence(values))
				}
				worst, compared = max(worst, mean), compared+1
			}
		}
	}
	if !(worst <= 1 && worst > 0.95) || compared < 500 {
		t.Errorf("the expectation comes to %v in %d cases", worst, compared)
	}
	if got := rule.ClusterEvidence(slices.Repeat([]float64{1}, 30)); !(got > 18) {
		t.Errorf("thirty clusters that all gain have %v nats", got)
	}
}
