package transfer

import (
	"errors"
	"math"
	"math/big"
	"strings"
	"testing"

	"github.com/dpcalc/dpcalc/internal/vectors"
	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer/tail"
)

// clustersOf reads groups of clusters of one size, as in samples.csv.
func clustersOf(t *testing.T, groups string) (c tail.Clusters, rows int64) {
	var count, largest, squares int64
	for group := range strings.FieldsSeq(groups) {
		k, s, _ := strings.Cut(group, "x")
		row := vectors.Row{"k": k, "s": s}
		number, size := int64(row.Float(t, "k")), int64(row.Float(t, "s"))
		count, rows, largest, squares = count+number, rows+number*size, max(largest, size), squares+number*size*size
	}
	whole := func(x int64) *big.Rat { return new(big.Rat).SetInt64(x) }
	return tail.NewClusters(count, whole(rows), whole(largest), whole(squares)), rows
}

// samples.csv has n for subsets of a benchmark, to the integer, and ln beta for clusters. Where a method has a further
// tail, for two sides or 0/1 queries, it never needs more.
func TestSampleVectors(t *testing.T) {
	feedbackOf := map[string]Feedback{"gate": Gate, "sealed": Final}
	for _, row := range vectors.Rows(t, "samples.csv") {
		m, _ := Lookup(row["method"])
		g := Goal{Queries: int64(row.Float(t, "queries")), Tau: row.Float(t, "tau")}
		g.Feedback = feedbackOf[m.Name]
		if row["passes"] != "" && m.Name == "gate" {
			g.Passes = int64(row.Float(t, "passes"))
		}
		if row["clusters"] != "" {
			var c tail.Clusters
			c, g.Samples = clustersOf(t, row["clusters"])
			g.Sample = c
			a, err := m.Solve(g)
			want := row.Float(t, "ln_beta")
			if got := a.Beta.Ln(); err != nil || !(got >= want*(1+1e-15) && got <= want*(1-1e-9)) {
				t.Errorf("%s %+v: ln beta %v, want %v; %v", m.Name, g, got, want, err)
			}
			continue
		}
		g.Beta, g.Sample = lp(row["beta"]), tail.Subset{Items: int64(row.Float(t, "population"))}
		want := int64(row.Float(t, "samples"))
		a, err := m.Solve(g)
		exact := m.Name == "gate" || m.Name == "hoeffding"
		if err != nil || a.Samples > want || exact && a.Samples < want || a.Samples < want*9/10 {
			t.Errorf("%s %+v: n = %d, want %d; %v", m.Name, g, a.Samples, want, err)
		}
		g.Query = Binary
		if fewer, err := m.Solve(g); err != nil || fewer.Samples > want {
			t.Errorf("%s %+v: n = %d, want at most %d; %v", m.Name, g, fewer.Samples, want, err)
		}
	}
}

// A plan about a sample that is solved for any of its unknowns certifies what it says, and never needs the whole
// benchmark where less is enough. Clusters of one row are rows, but for the tails of 0/1 values.
func TestPlansOfSamples(t *testing.T) {
	single, _ := clustersOf(t, "3000x1")
	unequal, rows := clustersOf(t, "3000x1 40x10")
	for _, m := range Methods() {
		if m.drawn == nil {
			continue
		}
		for _, query := range []Query{Bounded, Difference} {
			g := Goal{Samples: 3000, Queries: 20, Beta: lp("0.01"), Query: query}
			g.Feedback = Answers
			if m.Feedbacks != nil {
				g.Feedback = m.Feedbacks[0]
			}
			if g.Open = m.IsOpen(); g.Feedback == Flags {
				g.Budget = 3
			}
			if m.NeedsTranscripts() {
				g.Transcripts = 50
			}
			plain, err := m.Solve(g)
			if err != nil {
				t.Fatal(err)
			}
			if m.IsRedrawn() {
				plain.Status = OK
				plain.Tau = 1
			}
			if plain.Status != OK {
				continue
			}
			g.Sample = single
			if !m.IsRedrawn() {
				if one, err := m.Solve(g); err != nil || !(one.Tau <= plain.Tau*(1+1e-6)) {
					t.Errorf("%s %s: clusters of one row have tau %v, rows %v; %v", m.Name, query, one.Tau, plain.Tau, err)
				}
			}
			for _, sample := range []tail.Sample{unequal, tail.Subset{Items: 5000}} {
				g.Sample = sample
				if g.Samples = 3000; sample == tail.Sample(unequal) {
					g.Samples = rows
				}
				a, err := m.Solve(g)
				if err != nil {
					t.Fatal(err)
				}
				if m.IsRedrawn() && sample == tail.Sample(unequal) {
					if a.Status != NotApplicable {
						t.Errorf("%s: %+v for clusters", m.Name, a)
					}
					continue
				}
				if a.Status != OK {
					t.Errorf("%s %s %+v: %+v", m.Name, query, sample, a)
					continue
				}
				check := g
				check.Tau = a.Tau
				if ok, err := m.Certifies(check); err != nil || !ok {
					t.Errorf("%s %s %+v: the tau %v that was found is not certified; %v", m.Name, query, sample, a.Tau, err)
				}
				less := check
				less.Beta, less.Tau = 0, a.Tau
				if b, err := m.Solve(less); err != nil || !(b.Beta <= g.Beta*(1-1e-6)) {
					t.Errorf("%s %s %+v: ln beta %v at the tau of %v; %v", m.Name, query, sample, b.Beta.Ln(), g.Beta.Ln(), err)
				}
				_, known := m.checkedFor(a.Goal)
				proof, sources := m.Proven(a)
				if (proof == Coq) != known || (proof == Derived) == known || sources[len(sources)-1].Key == "" {
					t.Errorf("%s: %s, %v", m.Name, proof, sources)
				}
				if _, assumes := m.Rests(a); strings.HasPrefix(assumes[0], "rows independent") {
					t.Errorf("%s %+v assumes %v", m.Name, sample, assumes)
				}
				if sample == tail.Sample(unequal) {
					continue
				}
				check.Samples = 0
				least, err := m.Solve(check)
				if err != nil || least.Samples > 3000 || least.Samples < 2900 {
					t.Errorf("%s %s: %d rows for the tau of 3000; %v", m.Name, query, least.Samples, err)
				}
				check.Tau /= 300
				if all, err := m.Solve(check); err != nil || all.Status == OK && all.Samples > 5000 {
					t.Errorf("%s %s: %d of 5000 items; %v", m.Name, query, all.Samples, err)
				}
			}
		}
	}
}

// What is no sample of a goal is refused in words.
func TestSamplesThatDoNotFit(t *testing.T) {
	clusters, _ := clustersOf(t, "10x10")
	good := Goal{Samples: 100, Queries: 10, Tau: 0.1, Sample: clusters}
	for _, c := range []struct {
		change func(*Goal)
		param  string
	}{
		{func(g *Goal) { g.Samples, g.Beta = 0, -1 }, "clusters"},
		{func(g *Goal) { g.Query = Binary }, "clusters"},
		{func(g *Goal) { g.Query = Sensitive }, "clusters"},
		{func(g *Goal) { g.PastLooks = 1 }, "clusters"},
		{func(g *Goal) { g.Arrival = &Arrival{Rows: 1, Queries: 1} }, "clusters"},
		{func(g *Goal) { g.Sample = tail.Subset{Items: 99} }, "samples"},
		{func(g *Goal) { g.Sample = tail.Subset{} }, "population"},
		{func(g *Goal) { g.Sample = tail.Subset{Items: MaxCount + 1} }, "population"},
	} {
		g := good
		c.change(&g)
		wrong := (*theory.DomainError)(nil)
		if err := g.Validate(); !errors.As(err, &wrong) || wrong.Param != c.param {
			t.Errorf("%+v: got %v, want a domain error of %s", g, err, c.param)
		}
	}
	if err := good.Validate(); err != nil {
		t.Error(err)
	}
	for _, m := range Methods() {
		if a, err := m.Solve(good); err != nil || a.Status == OK && m.drawn == nil {
			t.Errorf("%s: %+v, %v", m.Name, a, err)
		}
	}
}

// A whole benchmark is the truth.
func TestWholeBenchmark(t *testing.T) {
	g := Goal{Samples: 400, Queries: 1 << 40, Beta: lp("1e-9"), Sample: tail.Subset{Items: 400}}
	a, err := subset.Solve(g)
	if err != nil || a.Status != OK || !(a.Tau < 1e-7) {
		t.Errorf("%+v, %v", a, err)
	}
	g.Samples--
	if a, err = subset.Solve(g); err != nil || !(a.Tau > 0.01) {
		t.Errorf("one row less: %+v, %v", a, err)
	}
	if math.IsNaN(a.TauAchieved) {
		t.Error(a)
	}
}

// variance.csv has the least n where a variance or a second moment is known, or a second moment is kept on the sample.
func TestVarianceVectors(t *testing.T) {
	for _, row := range vectors.Rows(t, "variance.csv") {
		g := Goal{Queries: int64(row.Float(t, "queries")), Tau: row.Float(t, "tau"), Beta: lp(row["beta"])}
		most := row.Float(t, "most")
		switch g.Feedback = Final; row["known"] {
		case "variance":
			g.Variance = most
		default:
			g.Query, g.SecondMoment, g.Checked = Difference, most, row["known"] == "checked"
		}
		if row["passes"] != "" {
			g.Feedback, g.Passes = Gate, int64(row.Float(t, "passes"))
		}
		m, _ := Lookup(row["method"])
		if a, err := m.Solve(g); err != nil || a.Samples != int64(row.Float(t, "samples")) {
			t.Errorf("%v: n = %d, want %s; %v", row, a.Samples, row["samples"], err)
		}
	}
}

// One query has all of beta, to the last digit: two rows have sup_p P = 1/2 at tau = 1/2.
func TestOneQueryHasAllOfBeta(t *testing.T) {
	for _, c := range []struct {
		m Method
		g Goal
	}{
		{hoeffdingKL, Goal{}},
		{sealed, Goal{Shown: Shown{Feedback: Final}}},
		{transcripts, Goal{Shown: Shown{Transcripts: 1}}},
		{subset, Goal{Sample: tail.Subset{Items: 96_366}}},
	} {
		c.g.Queries, c.g.Tau, c.g.Beta = 1, 0.5, theory.LogProb(-math.Ln2)
		if a, err := c.m.Solve(c.g); err != nil || a.Samples != 2 {
			t.Errorf("%s: %d rows, %v, want 2", c.m.Name, a.Samples, err)
		}
	}
}
