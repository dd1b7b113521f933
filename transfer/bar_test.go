package transfer

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dpcalc/dpcalc/theory"
)

// randomBarred is a goal of a gate for [0,1] values or differences, without its bar, and the ends of the expectation of
// a query.
func randomBarred(r *rand.Rand) (g Goal, lowest, highest float64) {
	g = Goal{
		Queries: 1 + int64(math.Exp(6*r.Float64())), Tau: 0.01 + 0.3*r.Float64(), Beta: theory.LogProb(-0.1 - 8*r.Float64()),
	}
	g.Feedback = Gate
	if r.IntN(2) == 0 {
		return g, 0, 1
	}
	d := 0.02 + 0.9*r.Float64()
	g.Query, g.Disagreement, g.Tau = Difference, d, min(g.Tau, d*(0.1+0.8*r.Float64()))
	return g, -d, d
}

// rowsAt is how many rows a gate needs at a bar.
func rowsAt(t *testing.T, g Goal, bar float64, oneSided bool) int64 {
	t.Helper()
	gate, _ := Lookup("gate")
	g.Bar, g.OneSided = Some(bar), oneSided
	a, err := gate.Solve(g)
	if err != nil || a.Status != OK {
		t.Fatalf("%+v: %s (%s), %v", g, a.Status, a.Reason, err)
	}
	return a.Samples
}

// A wrong failure at a bar is a wrong pass of the opposite query at the bar's opposite. So both together need as many
// rows as the one of the two that needs more, at every bar: at the least expectation of a query, next to it, and,
// of differences, below it, where only a failure can be wrong.
func TestBothErrorsNeedTheMoreOfEach(t *testing.T) {
	r := rand.New(rand.NewPCG(83, 84))
	for range 150 {
		g, lowest, highest := randomBarred(r)
		bars := []float64{lowest, math.Nextafter(lowest, 1), lowest + 1e-9, lowest + r.Float64()*(1-g.Tau-lowest)}
		if g.Query == Difference {
			bars = append(bars, math.Nextafter(lowest, -1), lowest-1e-9, max(-1, lowest-1.5*g.Tau), -1)
		}
		for _, bar := range bars {
			want := rowsAt(t, g, bar, true)
			if missed := bar + 2*g.Tau; missed < highest {
				want = max(want, rowsAt(t, g, lowest+highest-missed, true))
			}
			if got := rowsAt(t, g, bar, false); math.Abs(float64(got-want)) > 1e-9*float64(want)+1e-6 {
				t.Errorf("%+v at the bar %v: %d rows, want %d", g, bar, got, want)
			}
		}
	}
}

// The rows at a bar come to those at the least expectation of a query as the bar does from above.
func TestRowsAreContinuousAtTheLowestBar(t *testing.T) {
	r := rand.New(rand.NewPCG(85, 86))
	for range 100 {
		g, lowest, _ := randomBarred(r)
		at := rowsAt(t, g, lowest, false)
		for _, bar := range []float64{lowest + 1e-9, lowest + 1e-12, math.Nextafter(lowest, 1)} {
			if rows := rowsAt(t, g, bar, false); max(rows-at, at-rows) > 1+at/1000 {
				t.Errorf("%+v: %d rows at the bar %v, %d at the lowest", g, rows, bar, at)
			}
		}
	}
}

// unsaid is the goal without one of its four quantities.
func unsaid(g Goal, unknown Unknown) Goal {
	switch unknown {
	case Samples:
		g.Samples = 0
	case Queries:
		g.Queries = 0
	case Tau:
		g.Tau = 0
	case Beta:
		g.Beta = 0
	}
	return g
}

// Where what must pass ends at 1 or next to it, whatever is searched for is found, and holds.
func TestGatesWhereAllThatMustPassIsAtTheTop(t *testing.T) {
	gate, _ := Lookup("gate")
	for _, bar := range []float64{0, 1e-9, 0.2, 0.5, 0.7, 0.8, 0.9, 0.99} {
		for _, query := range []Query{Bounded, Binary, Difference} {
			edge := (1 - bar) / 2
			for _, tau := range []float64{math.Nextafter(edge, 0), edge, math.Nextafter(edge, 1)} {
				g := Goal{Samples: 5000, Queries: 100, Tau: tau, Beta: -3, Query: query}
				g.Feedback, g.Passes, g.Bar = Gate, 3, Some(bar)
				for _, unknown := range []Unknown{Samples, Queries, Tau, Beta} {
					a, err := gate.Solve(unsaid(g, unknown))
					if err != nil || a.Status == NotApplicable {
						t.Fatalf("%+v without %s: %s (%s), %v", g, unknown, a.Status, a.Reason, err)
					}
					if a.Status != OK || a.Beta == theory.Zero { // which is no goal
						continue
					}
					if holds, err := gate.Certifies(a.Goal); err != nil || !holds {
						t.Errorf("%+v without %s: %+v is not certified, %v", g, unknown, a.Goal, err)
					}
				}
			}
		}
	}
}

// An accuracy so small that the rates are below the roundings of a sum certifies nothing.
func TestGatesOfNoAccuracy(t *testing.T) {
	gate, _ := Lookup("gate")
	for _, query := range []Query{Bounded, Binary, Difference} {
		for _, tau := range []float64{1e-13, 1e-16, 1e-20, 1e-100, 5e-324} {
			g := Goal{Samples: 5000, Queries: 100, Tau: tau, Query: query}
			g.Feedback, g.Bar = Gate, Some(0.8)
			if a, err := gate.Solve(g); err != nil || a.Status != Vacuous {
				t.Errorf("%s at tau %v: beta %v, %s (%s), %v", query, tau, a.Beta, a.Status, a.Reason, err)
			}
		}
	}
}

// A count at a bar next to 0 needs as many rows as one at a bar of 0.
func TestCountsAtABarNextToZero(t *testing.T) {
	g := Goal{Queries: 3, Tau: 0.15, Beta: -5, Query: Binary}
	g.Feedback = Gate
	at := rowsAt(t, g, 0, false)
	for _, bar := range []float64{5e-324, 1e-310, 0x1p-900, 1e-100} {
		if rows := rowsAt(t, g, bar, false); rows != at {
			t.Errorf("%d rows at the bar %v, %d at 0", rows, bar, at)
		}
	}
}
