package solver

import (
	"math"

	"github.com/dpcalc/dpcalc/internal/num"
	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer/goal"
	"github.com/dpcalc/dpcalc/transfer/tail"
	"github.com/dpcalc/dpcalc/transfer/tree"
)

// OneLook is the rule for one query, fixed before it meets the rows, at a failure probability that may be a small
// share of the goal's.
type OneLook struct {
	Both   bool // whether both sides count unless the goal asks for one
	Exact  bool // whether the tails of 0/1 queries are binomial
	Bar    bool // whether a known bar counts
	Convex bool // whether convex tails count

	Decided bool // whether rows that predictions decide count
}

// pick returns the tail that serves the goal, or the better of two where a variance is known or decided rows have a
// known bar.
func (o OneLook) pick(g goal.Goal) Rule {
	if o.Decided && g.Decides() {
		return o.decidedBy(g)
	}
	if g.Sample != nil {
		return o.drawn(g)
	}
	return o.independent(g)
}

// independent is the tail of independent rows of equal weight, or the better of two where a variance is known.
func (o OneLook) independent(g goal.Goal) Rule {
	usual := o.usual(g)
	if goal.Linear.Check(g.Query) != nil || g.SpreadKnown() == nil {
		return usual
	}
	known := Closed{Domain: Domain{Kinds: goal.Linear}, Need: bothSides}
	if g.OneSided || !o.Both {
		known.Need = func(g goal.Goal) num.DD { return oneSide(g, g.Values().Rate(g.Tau)) }
	}
	if at, ok := g.Values().(tail.Barred); ok && o.Bar && g.Bar.Given {
		known.Top = barredLimit
		known.Need = func(g goal.Goal) num.DD { return oneSide(g, at.RateAt(g.BarTails())) }
	}
	return Either{First: known, Second: usual}
}

// usual is the tail where no variance is known: the better of two where convex tails count.
func (o OneLook) usual(g goal.Goal) Rule {
	chernoff, counted := o.chernoff(g), o.Exact && g.Query.IsZeroOne()
	if !o.Convex || counted || goal.Means.Check(g.Query) != nil {
		return chernoff
	}
	convex := convexLook{Domain: Domain{Kinds: goal.Means}, both: o.Both && !g.OneSided, bar: o.Bar && g.Bar.Given}
	if convex.bar {
		convex.Top = barredLimit
	}
	return Either{First: chernoff, Second: convex}
}

// chernoff is the tail by a moment generating function, or the tail of counts.
func (o OneLook) chernoff(g goal.Goal) Rule {
	every := Domain{Kinds: goal.AllKinds}
	both, exact, barred := o.Both && !g.OneSided, o.Exact && g.Query.IsZeroOne(), o.Bar && g.Bar.Given
	switch {
	case exact && barred:
		return CountRule{}
	case both && goal.Linear.Check(g.Query) == nil:
		return FixedQuery{Domain: Domain{Kinds: goal.Linear}, Exact: exact}
	case exact:
		return FixedQuery{Domain: Domain{Kinds: goal.ZeroOne}, Exact: true, sides: theory.OneSide}
	case both:
		return Closed{Domain: every, Need: bothSides}
	}
	if at, ok := g.Values().(tail.Barred); ok && barred {
		every.Top = barredLimit
		return Closed{Domain: every, Need: func(g goal.Goal) num.DD { return oneSide(g, at.RateAt(g.BarTails())) }}
	}
	return Closed{Domain: every, Need: func(g goal.Goal) num.DD { return oneSide(g, g.Values().Rate(g.Tau)) }}
}

// oneSide is n >= ln(1/beta)/rate: the rate is E(tau) or, at a known bar, the rate of the likelier error there.
func oneSide(g goal.Goal, rate num.DD) num.DD {
	return tree.Need(num.DD{}, tail.Exponential{Sides: 1, Rate: rate}, g.Beta.Ln())
}

// bothSides is n >= ln(2/beta)/E(tau).
func bothSides(g goal.Goal) num.DD {
	return tree.Need(num.DD{}, tail.Exponential{Sides: 2, Rate: g.Values().Rate(g.Tau)}, g.Beta.Ln())
}

// barredLimit is where the tau of a gate ends: beyond, nothing passes at a known bar.
func barredLimit(g goal.Goal) float64 {
	if g.Bar.Given {
		return 1 - g.Bar.Value
	}
	return g.Spread()
}

// Union is the tree lemma with one tail: so many nodes, each at its share of the failure probability.
type Union struct {
	Domain
	Look    OneLook
	LnNodes func(g goal.Goal) float64         // ln of the number of nodes, rounded up, growing with the queries
	Run     unionRun                          // what to run for a certified plan; nil means nothing
	Most    func(g goal.Goal) (queries int64) // more queries than that the count does not cover; nil means any number
}

// unionRun returns the mechanism to run, given ln of the number of nodes.
type unionRun func(g goal.Goal, lnNodes float64) Mechanism

// share is the goal of one node.
func (u Union) share(g goal.Goal) goal.Goal { return u.shareOf(g, u.LnNodes(g)) }

func (u Union) shareOf(g goal.Goal, lnNodes float64) goal.Goal {
	if g.Beta != 0 && lnNodes != 0 {
		g.Beta = theory.LogProb(math.Nextafter(g.Beta.Ln()-lnNodes, math.Inf(-1)))
	}
	g.Queries = 1
	return g
}

func (u Union) Limit(g goal.Goal) float64 { return u.Look.pick(g).Limit(g) }

func (u Union) Holds(g goal.Goal) bool {
	if u.Applies(g) != nil {
		return false
	}
	return u.Look.pick(g).Holds(u.share(g))
}

func (u Union) Samples(g goal.Goal, _ Trail) (Reached, error) {
	lnNodes := u.LnNodes(g)
	least, err := u.Look.pick(g).Samples(u.shareOf(g, lnNodes), nil)
	if least.Tau > 0 && u.Run != nil {
		g.Samples = least.N
		least.Run = u.Run(g, lnNodes)
	}
	return least, err
}

// Queries compares what one node may fail with.
func (u Union) Queries(g goal.Goal) int64 {
	one := g
	one.Queries = 1
	worst := u.Look.pick(g).Beta(one)
	if worst == 0 {
		worst = math.MaxFloat64
	}
	holds := func(g goal.Goal) bool { return u.Applies(g) == nil && g.Beta.Ln()-u.LnNodes(g) > worst.Ln() }
	first := Fewest(g)
	if u.Most != nil {
		all := g
		if all.Queries = u.Most(g); all.Queries < first {
			return 0
		} else if holds(all) {
			return all.Queries
		}
	}
	return MostQueries(g, first, holds)
}

func (u Union) Tau(g goal.Goal) (float64, Mechanism) {
	lnNodes := u.LnNodes(g)
	tau, _ := u.Look.pick(g).Tau(u.shareOf(g, lnNodes))
	if u.Run == nil || tau >= u.Limit(g) {
		return tau, Mechanism{}
	}
	if g.Tau = max(g.Tau, tau); u.Applies(g) != nil { // a tau asked for sets the mechanism
		return tau, Mechanism{}
	}
	return tau, u.Run(g, lnNodes)
}

func (u Union) Beta(g goal.Goal) theory.LogProb {
	worst := u.Look.pick(g).Beta(u.share(g))
	if worst == theory.Zero {
		return worst
	}
	ln := worst.Ln() + u.LnNodes(g)
	if ln += 1e-13 + 1e-15*(math.Abs(ln)-worst.Ln()); worst == 0 || !(ln < 0) {
		return 0
	}
	return theory.LogProb(ln)
}

// PerQuery returns the union over the queries themselves.
func PerQuery(kinds goal.Kinds, exact bool) Union {
	return Union{Domain: Domain{Kinds: kinds}, Look: OneLook{Both: true, Exact: exact}, LnNodes: lnQueries}
}

// WithConvex returns the union with convex tails too.
func (u Union) WithConvex() Union {
	u.Look.Convex = true
	return u
}

func lnQueries(g goal.Goal) float64 {
	if g.Queries == 1 {
		return 0
	}
	return math.Nextafter(num.Log(float64(g.Queries)), math.Inf(1))
}
