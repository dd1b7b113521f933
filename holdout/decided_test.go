package holdout

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/dpcalc/dpcalc/holdout/data"
	"github.com/dpcalc/dpcalc/holdout/form"
	"github.com/dpcalc/dpcalc/holdout/open"
	"github.com/dpcalc/dpcalc/holdout/plans"
	"github.com/dpcalc/dpcalc/transfer"
)

// decisions are 1,000 rows in clusters of two, the predictions of an incumbent, and a candidate's predictions, which
// differ from it on the first 60, on 40 more, and on the 100 last ones in their case alone.
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
// have the tail of values in [0,1], but for a benchmark, clusters, and ledgers of the first code, whose rows are
// random.
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
	clustered := Terms{Asks: Asks{Classes: two}, Drawn: Drawn{Features: featuresOf(t, ids), Group: "part"}}
	for _, c := range []struct {
		name   string
		terms  Terms
		where  string
		code   int
		differ int64
		pass   float64
	}{
		{"two classes", Terms{Asks: Asks{Classes: two}}, "", form.Code, 100, 0.026},
		{"two classes on a slice", Terms{Asks: Asks{Classes: two}, Drawn: Drawn{Features: featuresOf(t, ids)}}, "part=half", form.Code, 60, 20. / 150},
		{"any text", Terms{}, "", form.Code, 200, 0.037624},
		{"three classes", Terms{Asks: Asks{Classes: []string{"cat", "dog", "bird"}}}, "", form.Code, 100, 0.026557},
		{"any case", Terms{Asks: Asks{Match: Fold}}, "", form.Code, 100, 0.026557},
		{"the first code", Terms{Asks: Asks{Classes: two}}, "", form.FirstCode, 100, 0.030608},
		{"clusters", clustered, "", form.Code, 100, 0},
		{"benchmark", Terms{Asks: Asks{Classes: two}, Drawn: Drawn{Items: benchmark}}, "", form.Code, 200, 0.030608},
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
		says := fmt.Sprintf("differs on %d of", c.differ)
		if open.Decides(l.plan, pass.Line) && !strings.Contains(fmt.Sprint(err), says) {
			t.Errorf("%s: got %v", c.name, err)
		}
		random := c.code == form.FirstCode || terms.Group != "" || terms.Items != nil
		if random == open.Decides(l.plan, pass.Line) {
			t.Errorf("%s: decided rows are used: %v", c.name, !random)
		}
	}
}

// A fixed gate of differences with a check counts the rows that differ, and its plan says so: of two declared classes,
// or of any. Without the check, among clusters and in a benchmark rows are random, and a plan that was made before
// keeps them so.
func TestGatesOfDecidedRows(t *testing.T) {
	terms := func(change func(*Terms)) Terms {
		own := Terms{Goal: transfer.Goal{Queries: 100, Beta: beta(t, "0.05"), Query: transfer.Difference,
			Shown: transfer.Shown{Feedback: transfer.Gate, Passes: 1}, Known: transfer.Known{Disagreement: 0.1, Checked: true}}}
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
			t.Find(&Sizes{Count: 2800, Rows: 5600, Largest: 2, Squares: 11200}, nil)
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
		again, err := plans.Decode(p.Sealed)
		if err != nil || again.Goal != p.Goal || again.Certified() != nil {
			t.Errorf("got %+v (%v), want %+v", again, err, p.Goal)
		}
		for want, change := range map[string]func(*Plan){
			"which its classes and rows do not have": func(p *Plan) { p.Classes = append(p.Classes, "bird") },
			"got three, want any, two or nothing":    func(p *Plan) { p.Promise.Decided = "three" },
		} {
			other := *p
			if change(&other); encode(&other) != nil {
				t.Fatal("not encoded")
			}
			if _, err := plans.Decode(other.Sealed); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("got %v, want %s", err, want)
			}
		}
		before := *p // as an earlier version made it, for the tau that it has
		before.Promise.Decided, before.Promise.Tau = "", 0.08
		if err := encode(&before); err != nil {
			t.Fatal(err)
		}
		again, err = plans.Decode(before.Sealed)
		if random := err == nil && again.Goal.Decided == transfer.Undecided; !random || again.Certified() != nil {
			t.Errorf("an earlier plan: got %+v, %v", again, err)
		}
	}
}
