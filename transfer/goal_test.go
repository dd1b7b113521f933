package transfer

import (
	"errors"
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
	last := Query(len(QueryKinds()) - 1)
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
		{"the last kind of query", good, func(g *Goal) { g.Query = last }, true},
		{"a kind too many", good, func(g *Goal) { g.Query = last + 1 }, false},
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
		-1: "unknown", Bounded: "bounded", Difference: "difference", Query(len(QueryKinds())): "unknown",
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

func isDomain(err error) bool { return errors.As(err, new(*theory.DomainError)) }
