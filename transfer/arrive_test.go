package transfer

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer/solver"
)

// weekly is a hundred labels and ten queries a week for five years.
func weekly(m Method) Goal {
	g := Goal{Queries: 2600, Tau: 0.1, Beta: lp("0.05"), Arrival: &Arrival{Rows: 100, Queries: 10}}
	if g.Open = m.IsOpen(); m.Feedbacks != nil {
		g.Feedback = m.Feedbacks[0]
	}
	return g
}

// arrivalMethods are the methods for rows that arrive between the queries.
func arrivalMethods() []Method {
	return slices.DeleteFunc(Methods(), func(m Method) bool { return m.arriving == nil })
}

// Five years of scores: 4,400 first rows were needed before noise was cut, and 12,640
// are needed if all are there at the start.
func TestWeeklyLabels(t *testing.T) {
	for _, c := range []struct {
		name        string
		least, most int64
	}{{"gaussian-schedule", 3700, 4300}, {"gaussian-open", 3700, 4500}, {"gaussian", 4500, 6500}} {
		m, _ := Lookup(c.name)
		a, err := m.Solve(weekly(m))
		within := a.Samples >= c.least && a.Samples <= c.most
		if err != nil || a.Status != OK || !within || a.LastSamples() != a.Samples+25_900 {
			t.Errorf("%s: %d rows first, %d at the last query, %s, %v", c.name, a.Samples, a.LastSamples(), a.Status, err)
		}
		queries := int64(0)
		for b := range a.Noise() {
			queries += b.Queries
		}
		if queries != 2600 {
			t.Errorf("%s: noise for %d queries", c.name, queries)
		}
	}
	var stages []Stage
	for i := range int64(10) {
		stages = append(stages, Stage{More: i * 8994 / 9, Until: (i + 1) * 100})
	}
	g := Goal{Samples: 4497, Queries: 1000, Beta: lp("0.05"), Arrival: &Arrival{Stages: stages}}
	if a, err := gaussianSchedule.Solve(g); err != nil || !(a.Tau <= 0.1 && a.Tau > 0.09) || a.LastSamples() != 13_491 {
		t.Errorf("ten batches: tau %v, %d rows at the last query, %v", a.Tau, a.LastSamples(), err)
	}
}

// What a row says of one unknown agrees with what it says of the others, where rows arrive too.
func TestArrivalsAgree(t *testing.T) {
	for _, m := range arrivalMethods() {
		for _, c := range []struct {
			queries, rows, every int64
			tau                  float64
			stages               []Stage
		}{
			{40, 30, 4, 0.15, nil}, {7, 1000, 3, 0.2, nil}, {1, 5, 1, 0.1, nil}, {30, 1, 1, 0.3, nil},
			{60, 0, 0, 0.1, []Stage{
				{More: 0, Until: 20}, {More: 0, Until: 21}, {More: 50, Until: 50}, {More: 900, Until: 60}}},
			{25, 0, 0, 0.2, []Stage{{More: 0, Until: 20}, {More: 300, Until: 1000}}},
		} {
			g := weekly(m)
			g.Queries, g.Tau, g.Arrival = c.queries, c.tau, &Arrival{Rows: c.rows, Queries: c.every}
			if c.stages != nil {
				g.Arrival = &Arrival{Stages: c.stages}
			}
			a, err := m.Solve(g)
			if err != nil || a.Status != OK || !(a.TauAchieved <= g.Tau) {
				t.Fatalf("%s %+v: %+v, %v", m.Name, c, a, err)
			}
			if ok, err := m.Certifies(a.Goal); !ok || err != nil {
				t.Errorf("%s %+v: its own plan is not certified, %v", m.Name, c, err)
			}
			fewer := a.Goal
			if fewer.Samples--; fewer.Samples > 0 {
				if ok, err := m.Certifies(fewer); ok || err != nil {
					t.Errorf("%s %+v: certified with %d rows first, %v", m.Name, c, fewer.Samples, err)
				}
			}
			for _, forget := range []func(*Goal){func(g *Goal) { g.Tau = 0 }, func(g *Goal) { g.Beta = 0 }} {
				asked := a.Goal
				forget(&asked)
				b, err := m.Solve(asked)
				if err != nil || b.Status != OK || !(b.Tau <= a.Tau*(1+1e-7) && b.Beta <= a.Beta*(1-1e-7)) {
					t.Errorf("%s %+v: tau %v, beta %v (%s), %v", m.Name, c, b.Tau, b.Beta, b.Status, err)
				}
				if b.TauAchieved = 0; b.Status == OK {
					if ok, err := m.Certifies(b.Goal); !ok || err != nil {
						t.Errorf("%s %+v: not certified, %v", m.Name, b.Goal, err)
					}
				}
			}
		}
	}
}

// A look at rows that arrive is one at as many rows that were there from the first on.
func TestOpenLooksAtArrivingRows(t *testing.T) {
	for _, m := range openMethods() {
		if m.Scheduled {
			continue
		}
		for query, rows := range map[int64]int64{1: 3000, 10: 3000, 11: 3250, 47: 4000} {
			g := Goal{Samples: 3000, Queries: query, Beta: lp("0.05"), Shown: Shown{Feedback: m.Feedbacks[0], Open: true}}
			g.Arrival = &Arrival{Rows: 250, Queries: 10}
			fixed := g
			fixed.Samples, fixed.Arrival = rows, nil
			a, err := m.Solve(g)
			b, err2 := m.Solve(fixed)
			if err != nil || err2 != nil || a.Tau != b.Tau || a.LastSamples() != rows || a.Samples != 3000 {
				t.Errorf("%s, query %d: tau %v at %d rows, want %v at %d; %v, %v", m.Name, query, a.Tau, a.LastSamples(), b.Tau,
					rows, err, err2)
			}
		}
	}
}

// Other methods want all rows at the first query, and what an answer rests on names what the rows may depend on.
func TestWhoServesArrivals(t *testing.T) {
	g := Goal{Queries: 30, Tau: 0.2, Beta: lp("0.05"), Query: Binary, Arrival: &Arrival{Rows: 10, Queries: 5}}
	serves := 0
	for _, m := range MethodsFor(Answers) {
		a, err := m.Solve(g)
		switch {
		case err != nil:
			t.Errorf("%s: %v", m.Name, err)
		case m.Name == "gaussian" || m.Name == "gaussian-schedule":
			sources, assumes := m.Rests(a)
			last := sources[len(sources)-1].Where
			if serves++; a.Status != OK || !strings.Contains(last, "#rows-that-come-later") || len(assumes) != 3 {
				t.Errorf("%s: %s, %v, %v", m.Name, a.Status, sources, assumes)
			}
		case a.Status != NotApplicable || a.Reason != "needs all rows at hand from the first query on":
			t.Errorf("%s: %s, %s", m.Name, a.Status, a.Reason)
		}
	}
	if serves != 2 {
		t.Errorf("%d methods", serves)
	}
}

// A promise about one side asks for no more rows first, one about differences for as many as one about values in [0,1]
// with half of tau, and a board speaks of what has raised it since rows came.
func TestArrivalsForOneSideAndDifferences(t *testing.T) {
	for _, m := range []Method{gaussianSchedule, gaussianOpen, gaussian} {
		g := weekly(m)
		g.Queries, g.Tau, g.Arrival = 30, 0.15, &Arrival{Rows: 40, Queries: 6}
		both, err := m.Solve(g)
		g.OneSided = true
		one, err2 := m.Solve(g)
		g.OneSided, g.Query, g.Tau = false, Difference, 0.3
		difference, err3 := m.Solve(g)
		if err != nil || err2 != nil || err3 != nil || !(one.Samples > 0 && one.Samples <= both.Samples) ||
			difference.Samples != both.Samples || difference.Mechanism.Scale != 2*both.Mechanism.Scale {
			t.Errorf("%s: %d rows, one side %d, differences %d: %v, %v, %v", m.Name, both.Samples, one.Samples,
				difference.Samples, err, err2, err3)
		}
	}
	a, err := openBoard.Solve(weekly(openBoard))
	if _, assumes := openBoard.Rests(a); err != nil || !strings.Contains(assumes[len(assumes)-1], "starts anew") {
		t.Errorf("%v, %v", assumes, err)
	}
}

// What is wrong with rows that arrive is an error in words.
func TestWrongArrivals(t *testing.T) {
	for _, c := range []struct {
		arrival Arrival
		want    string
		change  func(*Goal)
	}{
		{Arrival{}, "arrive-rows: got 0, want a whole number", nil},
		{Arrival{Rows: 5}, "arrive-looks: got 0, want a whole number", nil},
		{Arrival{Rows: -1, Queries: 3}, "arrive-rows: got -1", nil},
		{Arrival{Rows: 5, Queries: 3}, "queries: got nothing, want the last query", func(g *Goal) { g.Queries = 0 }},
		{Arrival{Rows: 5, Queries: 3}, "past-looks: got 2, want none", func(g *Goal) { g.PastLooks = 2 }},
		{Arrival{Rows: MaxCount, Queries: 3}, "arrive-rows: got 9007199254740992, want at most", nil},
		{Arrival{Rows: 1, Queries: 1}, "arrive-looks: got 1, want at most 131071 times", func(g *Goal) { g.Queries = 1 << 20 }},
		{Arrival{Stages: []Stage{{More: 0, Until: 5}, {More: 10, Until: 5}}}, "arrive: got query 5 after 5, want", nil},
		{Arrival{Stages: []Stage{{More: 0, Until: 5}, {More: 10, Until: 3}}}, "arrive: got query 3 after 5, want", nil},
		{Arrival{Stages: []Stage{{More: 0, Until: 5}, {More: 10, Until: 7}, {More: 9, Until: 10}}}, "arrive: got 109 rows after 110, want", nil},
		{Arrival{Stages: []Stage{{More: 0, Until: 0}, {More: 10, Until: 10}}}, "arrive: got query 0 after 0, want", nil},
		{Arrival{Stages: []Stage{{More: 1, Until: 10}}}, "arrive: got 101 rows after 100, want", nil},
		{Arrival{Stages: []Stage{{More: 0, Until: 5}, {More: 10, Until: 9}}}, "queries: got 10, want at most 9", nil},
	} {
		g := Goal{Samples: 100, Queries: 10, Beta: lp("0.05"), Query: Binary, Arrival: &c.arrival}
		if c.change != nil {
			c.change(&g)
		}
		if err := g.Validate(); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %q", c.arrival, err, c.want)
		}
	}
}

// One noise for all answers is certified at what it is printed with.
func TestEvenNoiseForArrivals(t *testing.T) {
	g := weekly(gaussian)
	g.Samples, g.Tau = 6000, 0
	a, err := gaussian.Solve(g)
	if err != nil || a.Status != OK || a.Mechanism.Schedule != nil {
		t.Fatalf("%+v, %v", a, err)
	}
	plan := solver.ArrivalOf(a.Goal, false)
	if beta := plan.EvenErrors(a.Mechanism.Scale); !(beta <= a.Beta) || !(beta.Value() > 0.0499) {
		t.Errorf("the noise that is printed is certified at %v", beta)
	}
	if louder := plan.EvenErrors(a.Mechanism.Scale * 1.1); !(louder > a.Beta) || math.IsNaN(louder.Ln()) {
		t.Errorf("more noise is certified at %v", louder)
	}
}

// The published theorem for growing data: ten batches of a hundred queries, the last of which is about three times as
// many rows as the first (an independent program; 385,858 with the conversion of privacy that the paper has, which is
// not exact).
func TestPublishedArrivals(t *testing.T) {
	g := Goal{Queries: 1000, Beta: lp("0.05")}
	batches := func(last int64) Goal {
		g.Samples, g.Arrival = last/3, new(Arrival)
		for i := range int64(10) {
			g.Arrival.Stages = append(g.Arrival.Stages, Stage{More: (last - last/3) * i / 9, Until: 100 * (i + 1)})
		}
		return g
	}
	for last, tau := range map[int64]float64{331_687: 0.10000000955825043, 331_688: 0.09999992863765665} {
		a, err := gaussianMarchant25.Solve(batches(last))
		if err != nil || a.Status != OK || math.Abs(a.Tau/tau-1) > 1e-9 {
			t.Errorf("%d rows: tau %v, want %v; %v", last, a.Tau, tau, err)
		}
	}
	ours, err := gaussianSchedule.Solve(batches(13_491))
	if err != nil || !(ours.Tau < 0.1) {
		t.Errorf("%+v, %v", ours, err)
	}
	fixed := Goal{Samples: 200_000, Queries: 1000, Beta: lp("0.05")}
	a, err := gaussianMarchant25.Solve(fixed)
	b, err2 := gaussianJung20.Solve(fixed)
	fixed.Arrival = &Arrival{Rows: 1, Queries: 1000}
	c, err3 := gaussianMarchant25.Solve(fixed)
	if a.Tau != b.Tau || math.Abs(c.Tau/a.Tau-1) > 1e-9 || err != nil || err2 != nil || err3 != nil {
		t.Errorf("%v, jung20 %v, a feed without rows %v", a.Tau, b.Tau, c.Tau)
	}
}

// The published theorem in decimals, at the noise and the privacy that are printed.
func TestGrownDataInDecimals(t *testing.T) {
	var tails []struct{ x, beyond float64 } // any x will do
	for x := 3.0; x < 12; x += 0.002 {
		_, tail := pageNormal(number(x))
		tails = append(tails, struct{ x, beyond float64 }{x, tail.Float()})
	}
	r := rand.New(rand.NewPCG(4203, 34))
	for range 12 {
		var stages []Stage
		more, until := int64(0), int64(0)
		for range 1 + r.IntN(4) {
			until += 1 + r.Int64N(40)
			stages = append(stages, Stage{More: more, Until: until})
			more += r.Int64N(3) * r.Int64N(40_000)
		}
		g := Goal{Samples: 20_000 + r.Int64N(100_000), Queries: until, Beta: theory.LogProb(-1 - 9*r.Float64())}
		g.Arrival = &Arrival{Stages: stages}
		a, err := gaussianMarchant25.Solve(g)
		if err != nil {
			t.Fatal(err)
		}
		if a.Status != OK {
			continue
		}
		sd, eps, beta, sum := number(a.Mechanism.Scale), number(a.Mechanism.Epsilon), number(g.Beta.Ln()).Exp(), whole(0)
		for i := range stages {
			squares, done := whole(0), int64(0)
			for j, s := range stages {
				if j >= i {
					each := whole(1).Over(whole(g.Samples + s.More).Times(sd)).Squared()
					squares = squares.Plus(whole(s.Until - done).Times(each))
				}
				done = s.Until
			}
			rows := g.Samples
			if i > 0 {
				rows = stages[i].More - stages[i-1].More
			}
			sum = sum.Plus(whole(rows).Times(pageProfile(squares.Root(), eps)))
		}
		leak := whole(2).Times(sum).Over(whole(g.Samples)).Root()
		best := math.Inf(1)
		for _, tail := range tails {
			beyond := -math.Expm1(float64(until) * math.Log1p(-2*tail.beyond))
			u := math.Sqrt(beyond) + leak.Float()
			best = min(best, sd.Float()*tail.x+math.Expm1(eps.Float())+u*u/beta.Float())
		}
		if !(a.Tau >= best*(1-1e-6) && a.Tau <= best*(1+1e-9)) {
			t.Errorf("%+v: tau %v, in decimals %v", g, a.Tau, best)
		}
	}
}
