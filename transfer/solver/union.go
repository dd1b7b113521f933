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
	switch {
	case o.Decided && g.Decides():
		return o.decidedBy(g)
	case g.Sample != nil:
		return o.drawn(g)
	}
	return o.independent(g)
}

// drawn is the better of two tails of a sample: Hoeffding's exponent, and the exponent of independent rows at as many
// as may count in it. A gate at a known bar has no count.
func (o OneLook) drawn(g goal.Goal) Rule {
	hoeffding := o.exponential(goal.Means, func(g goal.Goal) num.DD {
		return tail.BoundedDifferences{Spread: g.Spread()}.Rate(g.Tau)
	})
	hoeffding.Worth = GaussianWorth
	o.Exact = o.Exact && !(o.Bar && g.Bar.Given)
	o.Convex = o.Convex && tail.CountsAlike(g.Sample)
	return Either{First: hoeffding, Second: mapped{o.independent(g), func(g goal.Goal) goal.Goal {
		g.Samples = int64(math.Floor(g.Sample.Worth(g.Samples).Entropic))
		return g
	}}}
}

// GaussianWorth returns how many rows count in Hoeffding's exponent.
func GaussianWorth(g goal.Goal) num.DD { return num.FromFloat(g.Sample.Worth(g.Samples).Gaussian) }

// independent is the tail of independent rows of equal weight: the best of up to three, where convex tails count and a
// variance is known.
func (o OneLook) independent(g goal.Goal) Rule {
	rule := o.usual(g)
	if o.Convex && !o.counts(g) && goal.Means.Check(g.Query) == nil {
		convex := convexLook{Domain: o.domain(goal.Means), both: o.Both && !g.OneSided, bar: o.Bar && g.Bar.Given}
		rule = Either{First: rule, Second: convex}
	}
	if goal.Linear.Check(g.Query) != nil || g.SpreadKnown() == nil {
		return rule
	}
	return Either{First: o.exponential(goal.Linear, o.rate), Second: rule}
}

// counts reports whether the tails of a goal are binomial.
func (o OneLook) counts(g goal.Goal) bool { return o.Exact && g.Query.IsZeroOne() }

// usual is the tail by a moment generating function, or the tail of counts.
func (o OneLook) usual(g goal.Goal) Rule {
	both := o.Both && !g.OneSided
	switch {
	case o.counts(g) && o.Bar && g.Bar.Given:
		return CountRule{}
	case both && goal.Linear.Check(g.Query) == nil:
		return FixedQuery{Domain: Domain{Kinds: goal.Linear}, Exact: o.Exact}
	case o.counts(g):
		return FixedQuery{Domain: Domain{Kinds: goal.ZeroOne}, Exact: true, sides: theory.OneSide}
	}
	return o.exponential(goal.AllKinds, o.rate)
}

func (o OneLook) domain(kinds goal.Kinds) Domain {
	if o.Bar {
		return Domain{Kinds: kinds, Top: barredLimit}
	}
	return Domain{Kinds: kinds}
}

// rate is E(tau) or, at a known bar, the rate of the likelier error there.
func (o OneLook) rate(g goal.Goal) num.DD {
	if at, ok := g.Values().(tail.Barred); ok && o.Bar && g.Bar.Given {
		return at.RateAt(g.BarTails())
	}
	return g.Values().Rate(g.Tau)
}

// exponential is n >= ln(1/beta)/rate, or ln(2/beta)/rate where both sides count.
func (o OneLook) exponential(kinds goal.Kinds, rate func(g goal.Goal) num.DD) Closed {
	return Closed{Domain: o.domain(kinds), Need: func(g goal.Goal) num.DD {
		sides := int64(1)
		if o.Both && !g.OneSided {
			sides = 2
		}
		return tree.Need(num.DD{}, tail.Exponential{Sides: sides, Rate: rate(g)}, g.Beta.Ln())
	}}
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
	Most    func(g goal.Goal) (queries int64) // more queries than that the count does not cover; nil means any number

	Run func(g goal.Goal, lnNodes float64) Mechanism // what to run for a certified plan; nil means nothing
}

// shareOf is the goal of one node.
func (u Union) shareOf(g goal.Goal, lnNodes float64) goal.Goal {
	if g.Beta != 0 && lnNodes != 0 {
		g.Beta = theory.LogProb(math.Nextafter(g.Beta.Ln()-lnNodes, math.Inf(-1)))
	}
	g.Queries = 1
	return g
}

func (u Union) Limit(g goal.Goal) float64 { return u.Look.pick(g).Limit(g) }

func (u Union) Holds(g goal.Goal) bool {
	return u.Applies(g) == nil && u.Look.pick(g).Holds(u.shareOf(g, u.LnNodes(g)))
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
	worst := u.Look.pick(g).Beta(u.shareOf(g, u.LnNodes(g)))
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
func PerQuery(kinds goal.Kinds, look OneLook) Union {
	look.Both = true
	return Union{Domain: Domain{Kinds: kinds}, Look: look, LnNodes: lnQueries}
}

func lnQueries(g goal.Goal) float64 {
	if g.Queries == 1 {
		return 0
	}
	return math.Nextafter(num.Log(float64(g.Queries)), math.Inf(1))
}
