package transfer

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/dpcalc/dpcalc/theory"
)

// methodsNamed returns methods in the order of their names.
func methodsNamed(t *testing.T, names ...string) []Method {
	t.Helper()
	var list []Method
	for _, name := range names {
		m, ok := Lookup(name)
		if !ok {
			t.Fatalf("there is no method %s", name)
		}
		list = append(list, m)
	}
	return list
}

// shownBy is the goal for the first kind of feedback that the method serves.
func shownBy(m Method, g Goal) Goal {
	for !m.Serves(g.Feedback) {
		g.Feedback++
	}
	if g.Feedback != Answers && g.Feedback != Flags {
		g.Budget = 0
	}
	return g
}

// What a method is said to be is what its answers show.
func TestMethodsAreWhatTheySay(t *testing.T) {
	splits := func(r rule) bool {
		if b, ok := r.(byQuery); ok {
			if u, ok := b.other.(union); !ok || u.split != b.plain.(fixedQuery).split {
				t.Errorf("%+v splits in one case only", b)
			}
			r = b.plain
		}
		switch r := r.(type) {
		case closed:
			return r.split
		case fixedQuery:
			return r.split
		}
		return false
	}
	baselines := 0
	for _, m := range Methods() {
		g := shownBy(m, Goal{Queries: 50, Tau: 0.1, Beta: -3, Budget: 5, Query: Binary})
		if g.Feedback == Answers && !m.Budgeted {
			g.Transcripts = 1e6
		}
		a, err := m.Solve(g)
		if err != nil || a.Status != OK {
			t.Fatalf("%s: %+v, %v", m.Name, a, err)
		}
		for _, c := range []struct {
			what      string
			said, has bool
		}{
			{"splits", m.Splits, splits(m.rule)},
			{"is scheduled", m.Scheduled, a.Mechanism.Scheduled()},
			{"rounds", m.Rounds, a.Mechanism.Cells > 0},
			{"is a reference", m.Reference(), slices.Contains(m.Assumes, fixed)},
		} {
			if c.said != c.has {
				t.Errorf("that %s %s is %v, its answer says %v", m.Name, c.what, c.said, c.has)
			}
		}
		if m.Baseline {
			baselines++
			if !m.Reference() {
				t.Errorf("the baseline %s is no reference", m.Name)
			}
		}
	}
	if baselines != 1 {
		t.Errorf("%d baselines", baselines)
	}
}

// The best row is the least of the adaptive ones in the order of all that counts.
func TestSolveMarksTheBestRow(t *testing.T) {
	methods := Methods()
	var rows []Row
	for _, g := range []Goal{
		{Queries: 3, Tau: 0.1, Beta: -3}, {Queries: 300, Tau: 0.1, Beta: -3}, {Queries: 40, Tau: 0.2, Beta: -9, Budget: 2},
		{Samples: 4000, Tau: 0.1, Beta: -3}, {Samples: 4000, Queries: 30, Beta: -3}, {Samples: 4000, Queries: 30, Tau: 0.2},
		{Samples: 20_000, Queries: 30, Tau: 0.2, Beta: -3}, {Samples: 5, Queries: 30, Tau: 0.2, Beta: -3},
		{Samples: 5, Tau: 0.2, Beta: -3}, {Queries: 9, Tau: 0.3, Beta: -3, Query: Minimization},
	} {
		var best int
		var err error
		if rows, best, err = Solve(rows, methods, g); err != nil || len(rows) != len(methods) {
			t.Fatalf("%+v: %d rows, %v", g, len(rows), err)
		}
		want := -1
		value := func(r Row) []float64 {
			switch g.Unknown() {
			case Samples:
				return []float64{float64(r.Samples), r.TauAchieved}
			case Queries:
				return []float64{-float64(r.Queries), r.TauAchieved}
			case Tau:
				return []float64{r.Tau, r.TauAchieved}
			case Beta:
				return []float64{r.Answer.Beta.Ln(), r.TauAchieved}
			}
			return []float64{r.TauAchieved}
		}
		for i, r := range rows {
			if r.Method.Name != methods[i].Name || r.Best != (i == best) {
				t.Errorf("%+v: row %d is of %s, best %v", g, i, r.Method.Name, r.Best)
			}
			if !r.Method.Adaptive || r.Status != OK {
				continue
			}
			if want < 0 || slices.Compare(value(r), value(rows[want])) < 0 {
				want = i
			}
		}
		if best != want {
			t.Errorf("%+v: the best row is %d, want %d", g, best, want)
		}
	}
	if _, best, err := Solve(nil, methods, Goal{Queries: -1}); err == nil || best != -1 {
		t.Errorf("an invalid goal has the best row %d, %v", best, err)
	}
	references := slices.DeleteFunc(Methods(), func(m Method) bool { return m.Adaptive })
	if _, best, err := Solve(nil, references, Goal{Queries: 3, Tau: 0.1, Beta: -3}); err != nil || best != -1 {
		t.Errorf("rows without an adaptive one have the best row %d, %v", best, err)
	}
}

// Where the unknown ties, the accuracy achieved decides, and in a check it decides alone.
func TestBetterAnswers(t *testing.T) {
	answer := func(n, m int64, tau, beta, achieved float64) Answer {
		g := Goal{Samples: n, Queries: m, Tau: tau, Beta: theory.LogProb(beta)}
		return Answer{Goal: g, TauAchieved: achieved, Status: OK}
	}
	a := answer(100, 50, 0.1, -3, 0.09)
	for _, c := range []struct {
		u    Unknown
		b    Answer
		want int // the sign of Compare(a, b)
		best bool
	}{
		{Samples, answer(101, 50, 0.1, -3, 0.08), -1, true}, {Samples, answer(99, 50, 0.1, -3, 0.1), 1, false},
		{Samples, answer(100, 50, 0.1, -3, 0.1), 0, true}, {Samples, answer(100, 50, 0.1, -3, 0.09), 0, false},
		{Queries, answer(100, 49, 0.1, -3, 0.08), -1, true}, {Queries, answer(100, 51, 0.1, -3, 0.1), 1, false},
		{Tau, answer(100, 50, 0.2, -3, 0.2), -1, true}, {Tau, answer(100, 50, 0.05, -3, 0.05), 1, false},
		{Beta, answer(100, 50, 0.1, -2, 0.08), -1, true}, {Beta, answer(100, 50, 0.1, -4, 0.1), 1, false},
		{None, answer(1, 1, 0.1, -3, 0.1), 0, true}, {None, answer(1, 1, 0.1, -3, 0.08), 0, false},
	} {
		if got := cmp.Compare(a.Compare(c.b, c.u), 0); got != c.want || a.Better(c.b, c.u) != c.best {
			t.Errorf("%v: %+v is %d to %+v, better %v", c.u, a, got, c.b, a.Better(c.b, c.u))
		}
	}
}

// The crossing is held against the rows of every number of queries up to one beyond it.
func TestCrossingAgainstEveryNumberOfQueries(t *testing.T) {
	const last = 70
	beyond := 0
	for _, names := range [][]string{
		{"splitting", "rounding"}, {"splitting", "splitting-exact", "rounding", "hoeffding"}, {"rounding", "splitting-exact"},
		{"splitting", "gaussian-rogers20", "rounding"}, {"splitting", "gaussian-cvar", "rounding"},
	} {
		methods := methodsNamed(t, names...)
		for _, g := range []Goal{
			{Tau: 0.4, Beta: -3}, {Tau: 0.1, Beta: -3}, {Tau: 0.1, Beta: -3, Query: Binary},
			{Tau: 0.07, Beta: -20, Samples: 5, Queries: 7},
		} {
			found, ok, err := FindCrossing(t.Context(), methods, g)
			if err != nil {
				t.Fatal(err)
			}
			want, winner, onward := crossingOf(t, methods, g, last)
			if !ok {
				if want > 0 {
					t.Errorf("%v, %+v: no crossing, want %d", names, g, want)
				}
				continue
			}
			if found.Queries > last && want == 0 {
				beyond++
				continue
			}
			if found.Queries != want || found.Method.Name != winner {
				t.Errorf("%v, %+v: %d by %s, want %d by %s", names, g, found.Queries, found.Method.Name, want, winner)
			}
			if found.Onward && !onward {
				t.Errorf("%v, %+v: %s does not stay ahead", names, g, winner)
			}
		}
	}
	if beyond > 4 {
		t.Errorf("%d crossings lie beyond the rows", beyond)
	}
}

// Whatever the least number of queries at which splitting is beaten, it is found, up to 2^20.
func TestLeastBeaten(t *testing.T) {
	for _, least := range []int64{1, 2, 63, 64, 65, 66, 127, 128, 129, 100_000, 1<<20 - 1, 1 << 20} {
		got, err := leastBeaten(func(m int64) (bool, error) { return m >= least, nil })
		if got != least || err != nil {
			t.Errorf("found %d, %v, want %d", got, err, least)
		}
		wrong := errors.New("no answer")
		if _, err := leastBeaten(func(m int64) (bool, error) { return false, wrong }); !errors.Is(err, wrong) {
			t.Errorf("the error is %v", err)
		}
	}
	if got, err := leastBeaten(func(m int64) (bool, error) { return m > 1<<20, nil }); got != 0 || err != nil {
		t.Errorf("found %d, %v beyond 2^20", got, err)
	}
}

// Whole rows and parts may upset the order again: with 15 queries laplace needs fewer rows, and with
// some of the next few splitting does.
func TestCrossingThatDoesNotStay(t *testing.T) {
	methods, g := methodsNamed(t, "splitting", "laplace"), Goal{Tau: 0.24, Beta: -1}
	found, ok, err := FindCrossing(t.Context(), methods, g)
	if err != nil || !ok || found.Onward {
		t.Fatalf("%+v, %v, %v, want one that does not stay", found, ok, err)
	}
	want, winner, onward := crossingOf(t, methods, g, found.Queries+4)
	if found.Queries != want || found.Method.Name != winner || onward {
		t.Errorf("%d by %s, want %d by %s, which stays ahead: %v", found.Queries, found.Method.Name, want, winner, onward)
	}
}

// crossingOf solves for every number of queries: the first at which no form of splitting is the
// least, the method that is, and whether it stays below splitting.
func crossingOf(t *testing.T, methods []Method, g Goal, last int64) (queries int64, winner string, onward bool) {
	onward = true
	for m := int64(1); m <= last; m++ {
		g.Samples, g.Queries = 0, m
		rows, _, err := Solve(nil, methods, g)
		if err != nil {
			t.Fatal(err)
		}
		split, least, who, named := int64(math.MaxInt64), int64(math.MaxInt64), "", int64(math.MaxInt64)
		for _, r := range rows {
			switch {
			case r.Status != OK || !r.Method.Adaptive:
			case r.Method.Splits:
				split = min(split, r.Samples)
			case r.Samples < least:
				least, who = r.Samples, r.Method.Name
			}
			if r.Status == OK && r.Method.Name == winner {
				named = r.Samples
			}
		}
		switch {
		case queries == 0 && least < split:
			queries, winner = m, who
		case queries > 0 && named >= split:
			onward = false
		}
	}
	return queries, winner, onward
}

// There is no crossing without splitting, with nothing else, and for queries that cannot be split;
// and a search that is called off ends.
func TestNoCrossing(t *testing.T) {
	g := Goal{Tau: 0.1, Beta: -3}
	for _, c := range []struct {
		names []string
		query Query
	}{
		{[]string{"rounding", "gaussian"}, Bounded}, {[]string{"splitting", "splitting-exact", "hoeffding", "dp"}, Bounded},
		{[]string{"splitting", "gaussian-cvar"}, Sensitive},
	} {
		g.Query = c.query
		found, ok, err := FindCrossing(t.Context(), methodsNamed(t, c.names...), g)
		if ok || err != nil || found != (Crossing{}) {
			t.Errorf("%v: %+v, %v, %v", c.names, found, ok, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, ok, err := FindCrossing(ctx, Methods(), Goal{Tau: 0.1, Beta: -3}); ok || !errors.Is(err, context.Canceled) {
		t.Errorf("a search that is called off: %v, %v", ok, err)
	}
	if _, ok, err := FindCrossing(t.Context(), Methods(), Goal{Tau: -1, Beta: -3}); ok || err == nil {
		t.Errorf("an invalid goal: %v, %v", ok, err)
	}
}
