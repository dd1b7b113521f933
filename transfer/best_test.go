package transfer

import (
	"cmp"
	"slices"
	"testing"

	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer/tail"
)

// shownBy is the goal for the first kind of feedback that the method serves.
func shownBy(m Method, g Goal) Goal {
	for !m.Serves(g.Feedback) {
		g.Feedback++
	}
	if g.Feedback != Answers && g.Feedback != Flags {
		g.Budget = 0
	}
	if m.IsRedrawn() {
		g.Sample = tail.Subset{Items: 1e6}
	}
	g.Open = m.IsOpen()
	return g
}

// What a method is said to be is what its answers show.
func TestMethodsAreWhatTheySay(t *testing.T) {
	for _, m := range Methods() {
		g := shownBy(m, Goal{Queries: 50, Tau: 0.1, Beta: -3, Budget: 5, Query: Binary})
		if g.Feedback == Answers && !m.NeedsBudget() {
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
			{"is scheduled", m.Scheduled, a.Mechanism.Scheduled()},
			{"is a reference", m.IsReference(), slices.Contains(m.Assumes, fixed)},
		} {
			if c.said != c.has {
				t.Errorf("that %s %s is %v, its answer says %v", m.Name, c.what, c.said, c.has)
			}
		}
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
		if got := cmp.Compare(a.Compare(c.b, c.u), 0); got != c.want || a.IsBetter(c.b, c.u) != c.best {
			t.Errorf("%v: %+v is %d to %+v, better %v", c.u, a, got, c.b, a.IsBetter(c.b, c.u))
		}
	}
}
