package crossing

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/dpcalc/dpcalc/transfer"
)

// methodsNamed returns methods in the order of their names.
func methodsNamed(t *testing.T, names ...string) []transfer.Method {
	t.Helper()
	var list []transfer.Method
	for _, name := range names {
		m, ok := transfer.Lookup(name)
		if !ok {
			t.Fatalf("there is no method %s", name)
		}
		list = append(list, m)
	}
	return list
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
		for _, g := range []transfer.Goal{
			{Tau: 0.4, Beta: -3}, {Tau: 0.1, Beta: -3}, {Tau: 0.1, Beta: -3, Query: transfer.Binary},
			{Tau: 0.07, Beta: -20, Samples: 5, Queries: 7},
		} {
			found, ok, err := Find(t.Context(), methods, g)
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
	methods, g := methodsNamed(t, "splitting", "laplace"), transfer.Goal{Tau: 0.24, Beta: -1}
	found, ok, err := Find(t.Context(), methods, g)
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
func crossingOf(t *testing.T, methods []transfer.Method, g transfer.Goal, last int64) (queries int64, winner string,
	onward bool) {
	onward = true
	for m := int64(1); m <= last; m++ {
		g.Samples, g.Queries = 0, m
		rows, _, err := transfer.Solve(nil, methods, g)
		if err != nil {
			t.Fatal(err)
		}
		split, least, who, named := int64(math.MaxInt64), int64(math.MaxInt64), "", int64(math.MaxInt64)
		for _, r := range rows {
			switch {
			case r.Status != transfer.OK || !r.Method.Adaptive:
			case r.Method.Splits:
				split = min(split, r.Samples)
			case r.Samples < least:
				least, who = r.Samples, r.Method.Name
			}
			if r.Status == transfer.OK && r.Method.Name == winner {
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
	g := transfer.Goal{Tau: 0.1, Beta: -3}
	for _, c := range []struct {
		names []string
		query transfer.Query
	}{
		{[]string{"rounding", "gaussian"}, transfer.Bounded},
		{[]string{"splitting", "splitting-exact", "hoeffding", "dp"}, transfer.Bounded},
		{[]string{"splitting", "gaussian-cvar"}, transfer.Sensitive},
	} {
		g.Query = c.query
		found, ok, err := Find(t.Context(), methodsNamed(t, c.names...), g)
		if ok || err != nil || found != (Point{}) {
			t.Errorf("%v: %+v, %v, %v", c.names, found, ok, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, ok, err := Find(ctx, transfer.Methods(), transfer.Goal{Tau: 0.1, Beta: -3}); ok ||
		!errors.Is(err, context.Canceled) {
		t.Errorf("a search that is called off: %v, %v", ok, err)
	}
	if _, ok, err := Find(t.Context(), transfer.Methods(), transfer.Goal{Tau: -1, Beta: -3}); ok || err == nil {
		t.Errorf("an invalid goal: %v, %v", ok, err)
	}
}
