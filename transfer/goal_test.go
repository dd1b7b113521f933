package transfer

import (
	"math"
	"testing"

	"github.com/dpcalc/dpcalc/theory"
)

// The domains of a goal hold their closed ends and nothing beyond, and not their open ends.
func TestGoalAtTheEndsOfItsDomain(t *testing.T) {
	good := Goal{Samples: 1000, Queries: 10, Tau: 0.1}
	sensitive, comparison := good, good
	sensitive.Query, comparison.Query = Sensitive, Minimization
	below := func(x float64) float64 { return math.Nextafter(x, 0) }
	above := func(x float64) float64 { return math.Nextafter(x, math.Inf(1)) }
	for _, c := range []struct {
		name   string
		goal   Goal
		change func(*Goal)
		ok     bool
	}{
		{"as it is", good, func(*Goal) {}, true},
		{"one row", good, func(g *Goal) { g.Samples = 1 }, true},
		{"2^53 rows", good, func(g *Goal) { g.Samples = MaxCount }, true},
		{"more rows", good, func(g *Goal) { g.Samples = MaxCount + 1 }, false},
		{"-1 rows", good, func(g *Goal) { g.Samples = -1 }, false},
		{"one query", good, func(g *Goal) { g.Queries = 1 }, true},
		{"2^53 queries", good, func(g *Goal) { g.Queries = MaxCount }, true},
		{"more queries", good, func(g *Goal) { g.Queries = MaxCount + 1 }, false},
		{"-1 queries", good, func(g *Goal) { g.Queries = -1 }, false},
		{"a budget of one", good, func(g *Goal) { g.Budget = 1 }, true},
		{"a budget of 2^53", good, func(g *Goal) { g.Budget = MaxCount }, true},
		{"more budget", good, func(g *Goal) { g.Budget = MaxCount + 1 }, false},
		{"a budget of -1", good, func(g *Goal) { g.Budget = -1 }, false},
		{"the least tau", good, func(g *Goal) { g.Tau = math.SmallestNonzeroFloat64 }, true},
		{"the largest tau", good, func(g *Goal) { g.Tau = below(1) }, true},
		{"tau 1", good, func(g *Goal) { g.Tau = 1 }, false},
		{"negative tau", good, func(g *Goal) { g.Tau = -math.SmallestNonzeroFloat64 }, false},
		{"tau of D = 1", sensitive, func(g *Goal) { g.Tau = 1 }, false},
		{"tau below D", sensitive, func(g *Goal) { g.Sensitivity, g.Tau = 4, below(4) }, true},
		{"tau of D", sensitive, func(g *Goal) { g.Sensitivity, g.Tau = 4, 4 }, false},
		{"tau below 2D", comparison, func(g *Goal) { g.Sensitivity, g.Tau = 4, below(8) }, true},
		{"tau of 2D", comparison, func(g *Goal) { g.Sensitivity, g.Tau = 4, 8 }, false},
		{"the least D", sensitive, func(g *Goal) { g.Sensitivity, g.Tau = 1e-100, 1e-101 }, true},
		{"less D", sensitive, func(g *Goal) { g.Sensitivity, g.Tau = below(1e-100), 1e-101 }, false},
		{"the largest D", sensitive, func(g *Goal) { g.Sensitivity = 1e100 }, true},
		{"more D", sensitive, func(g *Goal) { g.Sensitivity = above(1e100) }, false},
		{"negative D", sensitive, func(g *Goal) { g.Sensitivity = -1 }, false},
		{"D of a linear query", good, func(g *Goal) { g.Sensitivity = 2 }, false},
		{"D = 1 of a linear query, tau 5", good, func(g *Goal) { g.Sensitivity, g.Tau = 1, 5 }, false},
		{"D = 1 of a linear query, two unknowns", good, func(g *Goal) { g.Sensitivity, g.Samples = 1, 0 }, false},
		{"D = 1 of a linear query", good, func(g *Goal) { g.Sensitivity = 1 }, true},
		{"beta near one", good, func(g *Goal) { g.Beta = -math.SmallestNonzeroFloat64 }, true},
		{"beta above one", good, func(g *Goal) { g.Beta = math.SmallestNonzeroFloat64 }, false},
		{"beta zero", good, func(g *Goal) { g.Beta = theory.Zero }, false},
		{"the largest epsilon", good, func(g *Goal) { g.Epsilon = math.MaxFloat64 }, true},
		{"infinite epsilon", good, func(g *Goal) { g.Epsilon = math.Inf(1) }, false},
		{"negative epsilon", good, func(g *Goal) { g.Epsilon = -math.SmallestNonzeroFloat64 }, false},
		{"epsilon NaN", good, func(g *Goal) { g.Epsilon = math.NaN() }, false},
		{"the last kind of query", good, func(g *Goal) { g.Query = Difference }, true},
		{"a kind too many", good, func(g *Goal) { g.Query = Difference + 1 }, false},
		{"a kind below", good, func(g *Goal) { g.Query = Bounded - 1 }, false},
		{"one unknown", good, func(g *Goal) { g.Beta, g.Samples = -1, 0 }, true},
		{"none unknown", good, func(g *Goal) { g.Beta = -1 }, true},
		{"two unknowns", good, func(g *Goal) { g.Samples = 0 }, false},
	} {
		g := c.goal
		c.change(&g)
		if err := g.Validate(); (err == nil) != c.ok || err != nil && !isDomain(err) {
			t.Errorf("%s: %+v is %v", c.name, g, err)
		}
	}
}

// A kind of query and an unknown out of range are named so.
func TestNamesOfKinds(t *testing.T) {
	for q, want := range map[Query]string{
		-1: "unknown", Bounded: "bounded", Difference: "difference", Difference + 1: "unknown",
	} {
		if got := q.String(); got != want {
			t.Errorf("query %d is %s, want %s", int(q), got, want)
		}
	}
	for u, want := range map[Unknown]string{-1: "unknown", None: "none", Beta: "beta", Beta + 1: "unknown"} {
		if got := u.String(); got != want {
			t.Errorf("unknown %d is %s, want %s", int(u), got, want)
		}
	}
}

// The theorems for what a private algorithm puts out hold up to their epsilon and no
// further, for any sample and accuracy within their domains.
func TestOutputTheoremsAtTheirHypotheses(t *testing.T) {
	above := func(x float64) float64 { return math.Nextafter(x, 1) }
	pure := Output{Samples: 1000, Tau: 0.3, LnDelta: theory.Zero}
	for name, c := range map[string]struct {
		bound func(Output) (theory.LogProb, error)
		limit float64
	}{
		"corollary 2.1.1": {TailByMaxInformation, 0.3 * 0.3},
		"corollary 2.3.1": {TailDwork15, 0.3},
		"theorem 2.4":     {TailApproxDwork15, 0.3 / 4},
	} {
		for _, e := range []struct {
			epsilon float64
			holds   bool
		}{{0, true}, {c.limit, true}, {above(c.limit), false}} {
			o := pure
			o.Epsilon = e.epsilon
			if _, err := c.bound(o); (err == nil) != e.holds || applicable(err) != e.holds {
				t.Errorf("%s at epsilon %g: %v", name, e.epsilon, err)
			}
		}
		for _, e := range []struct {
			samples      int64
			tau, epsilon float64
			delta        theory.LogProb
			ok           bool
		}{
			{1, 0.3, 0, theory.Zero, true}, {0, 0.3, 0, theory.Zero, false},
			{MaxCount, 0.3, 0, theory.Zero, true}, {MaxCount + 1, 0.3, 0, theory.Zero, false},
			{1000, math.Nextafter(1, 0), 0, theory.Zero, true}, {1000, 1, 0, theory.Zero, false},
			{1000, math.SmallestNonzeroFloat64, 0, theory.Zero, true}, {1000, 0, 0, theory.Zero, false},
			{1000, 0.3, -math.SmallestNonzeroFloat64, theory.Zero, false}, {1000, 0.3, math.Inf(1), theory.Zero, false},
			{1000, 0.3, math.MaxFloat64, theory.Zero, true},
			{1000, 0.3, 0, 0, false}, {1000, 0.3, 0, 1, false}, {1000, 0.3, 0, theory.LogProb(math.NaN()), false},
		} {
			_, err := c.bound(Output{Samples: e.samples, Tau: e.tau, Epsilon: e.epsilon, LnDelta: e.delta})
			if isDomain(err) == e.ok {
				t.Errorf("%s, %+v: %v", name, e, err)
			}
		}
	}
	// Theorem 2.4: the larger of its two conditions binds.
	byDelta, err := TailApproxDwork15(Output{Samples: MaxCount, Tau: 0.5, Epsilon: 0.1, LnDelta: -80})
	if want := math.Log(8) - 10; err != nil || !(byDelta.Ln() >= want && byDelta.Ln() <= want+1e-9) {
		t.Errorf("theorem 2.4 by delta: %v, %v, want %v", byDelta.Ln(), err, want)
	}
	for _, s := range []struct {
		Selection
		ok bool
	}{
		{Selection{0, 1, -1}, true}, {Selection{0, 0, -1}, false},
		{Selection{0, MaxCount, -1}, true}, {Selection{0, MaxCount + 1, -1}, false},
		{Selection{0, 1, 0}, false}, {Selection{0, 1, theory.Zero}, false},
		{Selection{-math.SmallestNonzeroFloat64, 1, -1}, false}, {Selection{math.Inf(1), 1, -1}, false},
		{Selection{math.MaxFloat64, 1, -1}, true},
	} {
		if _, err := SelectionDwork15(s.Selection); isDomain(err) == s.ok {
			t.Errorf("theorem 2.3, %+v: %v", s.Selection, err)
		}
	}
}

// What was shown on the sample may be exact and without noise, and has no other limits than
// its numbers.
func TestSampledAtTheEndsOfItsDomain(t *testing.T) {
	least, most := math.SmallestNonzeroFloat64, math.MaxFloat64
	for _, c := range []struct {
		Sampled
		ok bool
	}{
		{Sampled{0, theory.Zero, 0, theory.Zero}, true},
		{Sampled{most, theory.LogProb(-least), most, theory.LogProb(-least)}, true},
		{Sampled{-least, -1, 0, -1}, false}, {Sampled{math.Inf(1), -1, 0, -1}, false},
		{Sampled{0, 0, 0, -1}, false}, {Sampled{0, -1, 0, 0}, false},
		{Sampled{0, -1, -least, -1}, false}, {Sampled{0, -1, math.Inf(1), -1}, false},
	} {
		if err := c.Validate(); (err == nil) != c.ok || err != nil && !isDomain(err) {
			t.Errorf("%+v: %v", c.Sampled, err)
		}
	}
}
