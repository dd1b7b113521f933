package holdout

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/dpcalc/dpcalc/holdout/data"
	"github.com/dpcalc/dpcalc/holdout/form"
	"github.com/dpcalc/dpcalc/transfer"
)

// decisions are 1,000 rows in clusters of two, the predictions of an incumbent, and those of a candidate that differ
// from it on the first 60, on 40 more, and on the 100 last ones in their case alone.
func decisions() (ids, labels, base, candidate []string) {
	for i := range 1000 {
		labels = append(labels, []string{"cat", "dog"}[i%2])
		ids, base, candidate = append(ids, fmt.Sprint("r", i)), append(base, "dog"), append(candidate, "dog")
		switch {
		case i < 60 || i >= 200 && i < 240:
			candidate[i] = "cat"
		case i >= 900:
			candidate[i] = "Dog"
		}
	}
	return ids, labels, base, candidate
}

// A difference of shares of right predictions counts the rows on which the candidate differs, of the look's own rows
// and as predictions are matched. Two declared classes have the tail of counts of these, and all other open ledgers
// that of values in [0,1], but for a benchmark, clusters, and ledgers of the first code, whose rows are random.
func TestDifferencesOfDecidedRows(t *testing.T) {
	ids, labels, base, candidate := decisions()
	two := []string{"cat", "dog"}
	var items []string
	for i := range 2000 {
		items = append(items, fmt.Sprint("r", i))
	}
	benchmark, err := NewItems(Columns(items, slices.Repeat([]string{""}, 2000)), "items.csv")
	if err != nil {
		t.Fatal(err)
	}
	double := func(list []string) []string { return slices.Concat(list, list) }
	clustered := Terms{Features: featuresOf(t, ids), Group: "part", Classes: two}
	for _, c := range []struct {
		name   string
		terms  Terms
		where  string
		code   int
		differ int64
		pass   float64
	}{
		{"two classes", Terms{Classes: two}, "", form.Code, 100, 0.026},
		{"two classes on a slice", Terms{Classes: two, Features: featuresOf(t, ids)}, "part=half", form.Code, 60, 20. / 150},
		{"any text", Terms{}, "", form.Code, 200, 0.037624},
		{"three classes", Terms{Classes: []string{"cat", "dog", "bird"}}, "", form.Code, 100, 0.026557},
		{"any case", Terms{Match: Fold}, "", form.Code, 100, 0.026557},
		{"the first code", Terms{Classes: two}, "", form.FirstCode, 100, 0.030608},
		{"clusters", clustered, "", form.Code, 100, 0},
		{"benchmark", Terms{Items: benchmark, Classes: two}, "", form.Code, 200, 0.030608},
	} {
		own, incumbent, submitted := ids, base, slices.Clone(candidate)
		if c.terms.Classes != nil { // no other text is one
			for i := range submitted {
				if submitted[i] == "Dog" {
					submitted[i] = "dog"
				}
			}
		}
		if c.terms.Items != nil {
			own, incumbent, submitted = items, double(base), double(submitted)
		}
		terms := c.terms
		terms.Goal, terms.Open = transfer.Goal{Beta: beta(t, "0.05")}, true
		terms.Incumbent = Submission{Values: Columns(own, incumbent)}
		l, err := Create(t.TempDir()+"/ledger", labelsIn(t, ids, labels), terms)
		if err != nil {
			t.Fatal(c.name, err)
		}
		l.plan.Open.Code = c.code
		list, err := l.Price(Submission{Values: Columns(own, submitted), Incumbent: Columns(own, incumbent),
			Question: Question{Show: ShowPass, Where: c.where, Bar: float(0)}}, nil)
		if err != nil {
			t.Fatal(c.name, err)
		}
		pass := list[len(list)-1]
		if pass.Differ != c.differ {
			t.Errorf("%s: got %d rows that differ, want %d", c.name, pass.Differ, c.differ)
		}
		if c.name != "clusters" && math.Abs(*pass.From-c.pass) > 1e-6 {
			t.Errorf("%s: passes from %v on, want %v", c.name, *pass.From, c.pass)
		}
		_, err = l.Score(context.Background(), Submission{Values: Columns(own, submitted), Incumbent: Columns(own, incumbent),
			Question: Question{Show: ShowPass, Where: c.where, Bar: float(0.9)}})
		if decided := decides(l.plan, pass.Line); decided && !strings.Contains(fmt.Sprint(err), fmt.Sprintf("differs on %d of", c.differ)) {
			t.Errorf("%s: got %v", c.name, err)
		}
		random := c.code == form.FirstCode || terms.Group != "" || terms.Items != nil
		if random == decides(l.plan, pass.Line) {
			t.Errorf("%s: decided rows are used: %v", c.name, !random)
		}
	}
}

// Differences of two models on few rows, by enumeration of all labels, whose chances differ: at the end that a response
// gives, no law of the labels reaches or misses the cut with more than its level.
func TestTailsOfDecidedLooks(t *testing.T) {
	r := rand.New(rand.NewPCG(44, 31))
	classes := []string{"cat", "dog", "bird"}
	sharp := map[int]int{}
	for range 300 {
		n, several := 1+r.IntN(6), 2+r.IntN(2)
		p := &Plan{Plan: form.Plan{Open: &Law{Code: form.Code}, Incumbent: &LabelsFile{}, Classes: classes[:several]}}
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
		in := data.Reader{Rows: data.NewRoster(ids), Match: Exact, Classes: p.Classes, Metrics: []string{Accuracy}}
		l, labeled := lookOf(t, in, Accuracy, models[0])
		base, _ := lookOf(t, in, Accuracy, models[1])
		l.base = &base.values
		line := Line{Line: form.Line{Metric: Accuracy, Question: Question{Show: ShowScore}, Shown: Shown{Rows: int64(n)}}}
		if line.Differ, _ = l.differing(nil); line.Differ == 0 {
			continue
		}
		tails := tailsOf(p, line)
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
			l.labels = labeled(right)
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
	gate := Line{Line: form.Line{Metric: "recall", Question: Question{Show: ShowPass, Bar: float(0.5)}, Shown: Shown{Rows: 80}}}
	for version, want := range map[int]bool{form.FirstCode: true, form.Code: false} {
		p := &Plan{Plan: form.Plan{Open: &Law{Code: version}}}
		if fits := amongRows(p, gate, 80, nil) == nil; fits != want {
			t.Errorf("version %d: a gate of recall without rows predicted positive fits: %v", version, fits)
		}
	}
	for version, want := range map[int]bool{0: false, form.FirstCode: true, form.Code: true, form.Code + 1: false} {
		err := checkLaw(&Law{Code: version, Most: UsualMost}, beta(t, "0.05"))
		if fits := err == nil; fits != want {
			t.Errorf("version %d: %v", version, err)
		} else if !fits && err.Error() != fmt.Sprintf("plan.json: got the codes of version %d, want one up to 2, which this version knows", version) {
			t.Errorf("got %v", err)
		}
	}
}

// A fixed gate of differences with a check counts the rows that differ, and its plan says so: of two declared classes,
// or of any. Without the check, among clusters and in a benchmark rows are random, and a plan that was made before
// keeps them so.
func TestGatesOfDecidedRows(t *testing.T) {
	terms := func(change func(*Terms)) Terms {
		own := Terms{Goal: transfer.Goal{Queries: 100, Beta: beta(t, "0.05"), Query: transfer.Difference,
			Shown: transfer.Shown{Feedback: transfer.Gate, Passes: 1, Disagreement: 0.1, Checked: true}}}
		if own.Classes = []string{"cat", "dog"}; change != nil {
			change(&own)
		}
		return own
	}
	for _, c := range []struct {
		decided   string
		low, high float64 // of tau on 2,800 rows
		change    func(*Terms)
	}{
		{"two", 0.0199, 0.02, nil},
		{"any", 0.0208, 0.0235, func(t *Terms) { t.Classes = nil }},
		{"any", 0.0208, 0.0235, func(t *Terms) { t.Classes = append(t.Classes, "bird") }},
		{"", 0.0233, 0.0236, func(t *Terms) { t.Goal.Checked = false }},
		{"", 0.06, 0.09, func(t *Terms) {
			t.Group, t.Weights, t.Features = "doc", ByClusters, &Features{}
			t.sizes = &Sizes{Count: 2800, Rows: 5600, Largest: 2, Squares: 11200}
		}},
		{"", 0.06, 0.09, func(t *Terms) { t.Items = &Items{Roster: &data.Roster{IDs: make([]string, 100_000)}} }},
	} {
		p, err := Certify(terms(c.change), 2800)
		if err != nil {
			t.Fatal(err)
		}
		if tau := p.Promise.Tau; p.Promise.Decided != c.decided || !(tau > c.low && tau <= c.high) {
			t.Errorf("decided %q: got %q and tau %v", c.decided, p.Promise.Decided, tau)
		}
		if c.decided != "two" {
			continue
		}
		if err := encode(p); err != nil {
			t.Fatal(err)
		}
		again, err := decodePlan(p.sealed)
		if err != nil || again.goal != p.goal || again.Certified() != nil {
			t.Errorf("got %+v (%v), want %+v", again, err, p.goal)
		}
		for want, change := range map[string]func(*Plan){
			"which its classes and rows do not have": func(p *Plan) { p.Classes = append(p.Classes, "bird") },
			"got three, want any, two or nothing":    func(p *Plan) { p.Promise.Decided = "three" },
		} {
			other := *p
			if change(&other); encode(&other) != nil {
				t.Fatal("not encoded")
			}
			if _, err := decodePlan(other.sealed); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("got %v, want %s", err, want)
			}
		}
		before := *p // as an earlier version made it, for the tau that it has
		before.Promise.Decided, before.Promise.Tau = "", 0.08
		if err := encode(&before); err != nil {
			t.Fatal(err)
		}
		again, err = decodePlan(before.sealed)
		if random := err == nil && again.goal.Decided == transfer.Undecided; !random || again.Certified() != nil {
			t.Errorf("an earlier plan: got %+v, %v", again, err)
		}
	}
}
