package transfer

import (
	"math"

	"github.com/dpcalc/dpcalc/internal/num"
	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer/feedback"
)

// oneLook is the rule for one query, fixed before it meets the rows, at a failure probability that may be a small
// share of the goal's.
type oneLook struct {
	both   bool // whether both sides count unless the goal asks for one
	exact  bool // whether the tails of 0/1 queries are binomial
	bar    bool // whether a known bar counts
	convex bool // whether convex tails count

	decided bool // whether rows that predictions decide count
}

// pick returns the tail that serves the goal, or the better of two where a variance is known or decided rows have a
// known bar.
func (o oneLook) pick(g Goal) rule {
	if o.decided && g.decides() {
		return o.decidedBy(g)
	}
	if g.Sample != nil {
		return o.drawn(g)
	}
	return o.independent(g)
}

// independent is the tail of independent rows of equal weight, or the better of two where a variance is known.
func (o oneLook) independent(g Goal) rule {
	usual := o.usual(g)
	if linear.check(g.Query) != nil || g.spreadKnown() == nil {
		return usual
	}
	known := closed{domain: domain{kinds: linear}, need: bothSides}
	if g.OneSided || !o.both {
		known.need = func(g Goal) num.DD { return oneSide(g, g.values().Rate(g.Tau)) }
	}
	if at, ok := g.values().(feedback.Barred); ok && o.bar && g.Bar.Given {
		known.top = barredLimit
		known.need = func(g Goal) num.DD { return oneSide(g, at.RateAt(g.bar())) }
	}
	return either{first: known, second: usual}
}

// usual is the tail where no variance is known: the better of two where convex tails count.
func (o oneLook) usual(g Goal) rule {
	chernoff, counted := o.chernoff(g), o.exact && g.Query == Binary
	if !o.convex || counted || means.check(g.Query) != nil {
		return chernoff
	}
	convex := convexLook{domain: domain{kinds: means}, both: o.both && !g.OneSided, bar: o.bar && g.Bar.Given}
	if convex.bar {
		convex.top = barredLimit
	}
	return either{first: chernoff, second: convex}
}

// chernoff is the tail by a moment generating function, or that of counts.
func (o oneLook) chernoff(g Goal) rule {
	every := domain{kinds: allKinds}
	both, exact, barred := o.both && !g.OneSided, o.exact && g.Query == Binary, o.bar && g.Bar.Given
	switch {
	case exact && barred:
		return countRule{}
	case both && linear.check(g.Query) == nil:
		return fixedQuery{domain: domain{kinds: linear}, exact: exact}
	case exact:
		return fixedQuery{domain: domain{kinds: zeroOne}, exact: true, sides: theory.OneSide}
	case both:
		return closed{domain: every, need: bothSides}
	}
	if at, ok := g.values().(feedback.Barred); ok && barred {
		every.top = barredLimit
		return closed{domain: every, need: func(g Goal) num.DD { return oneSide(g, at.RateAt(g.bar())) }}
	}
	return closed{domain: every, need: func(g Goal) num.DD { return oneSide(g, g.values().Rate(g.Tau)) }}
}

// oneSide is n >= ln(1/beta)/rate: the rate is E(tau) or, at a known bar, the rate of the likelier error there.
func oneSide(g Goal, rate num.DD) num.DD {
	return feedback.Need(num.DD{}, feedback.Exponential{Sides: 1, Rate: rate}, g.Beta.Ln())
}

// bothSides is n >= ln(2/beta)/E(tau).
func bothSides(g Goal) num.DD {
	return feedback.Need(num.DD{}, feedback.Exponential{Sides: 2, Rate: g.values().Rate(g.Tau)}, g.Beta.Ln())
}

func (g Goal) bar() feedback.Bar {
	return feedback.Bar{Height: g.Bar.Value, Margin: g.Tau, OneSided: g.OneSided}
}

// barredLimit is where the tau of a gate ends: beyond, nothing passes at a known bar.
func barredLimit(g Goal) float64 {
	if g.Bar.Given {
		return 1 - g.Bar.Value
	}
	return g.spread()
}

// union is the tree lemma with one tail: so many nodes, each at its share of the failure probability.
type union struct {
	domain
	look    oneLook
	lnNodes func(g Goal) float64         // ln of the number of nodes, rounded up, growing with the queries
	run     unionRun                     // what to run for a certified plan; nil means nothing
	most    func(g Goal) (queries int64) // more queries than that the count does not cover; nil means any number
}

// unionRun returns the mechanism to run, given ln of the number of nodes.
type unionRun func(g Goal, lnNodes float64) Mechanism

// share is the goal of one node.
func (u union) share(g Goal) Goal { return u.shareOf(g, u.lnNodes(g)) }

func (u union) shareOf(g Goal, lnNodes float64) Goal {
	if g.Beta != 0 && lnNodes != 0 {
		g.Beta = theory.LogProb(math.Nextafter(g.Beta.Ln()-lnNodes, math.Inf(-1)))
	}
	g.Queries = 1
	return g
}

func (u union) tight() bool { return true }

func (u union) limit(g Goal) float64 { return u.look.pick(g).limit(g) }

func (u union) holds(g Goal) bool {
	if u.applies(g) != nil {
		return false
	}
	return u.look.pick(g).holds(u.share(g))
}

func (u union) samples(g Goal, _ trail) (reached, error) {
	return u.look.pick(g).samples(u.share(g), nil)
}

// queries compares what one node may fail with.
func (u union) queries(g Goal) int64 {
	one := g
	one.Queries = 1
	worst := u.look.pick(g).beta(one)
	if worst == 0 {
		worst = math.MaxFloat64
	}
	holds := func(g Goal) bool { return u.applies(g) == nil && g.Beta.Ln()-u.lnNodes(g) > worst.Ln() }
	first := fewest(g, false)
	if u.most != nil {
		all := g
		if all.Queries = u.most(g); all.Queries < first {
			return 0
		} else if holds(all) {
			return all.Queries
		}
	}
	return mostQueries(g, first, holds)
}

func (u union) tau(g Goal) (float64, Mechanism) {
	lnNodes := u.lnNodes(g)
	tau, _ := u.look.pick(g).tau(u.shareOf(g, lnNodes))
	if u.run == nil || tau >= u.limit(g) {
		return tau, Mechanism{}
	}
	if g.Tau = max(g.Tau, tau); u.applies(g) != nil { // a tau asked for sets the mechanism
		return tau, Mechanism{}
	}
	return tau, u.run(g, lnNodes)
}

func (u union) beta(g Goal) theory.LogProb {
	worst := u.look.pick(g).beta(u.share(g))
	if worst == theory.Zero {
		return worst
	}
	ln := worst.Ln() + u.lnNodes(g)
	if ln += 1e-13 + 1e-15*(math.Abs(ln)-worst.Ln()); worst == 0 || !(ln < 0) {
		return 0
	}
	return theory.LogProb(ln)
}

// perQuery is the union over the queries themselves.
func perQuery(kinds kinds, exact bool) union {
	return union{domain: domain{kinds: kinds}, look: oneLook{both: true, exact: exact}, lnNodes: lnQueries}
}

// withConvex is the union with convex tails too.
func (u union) withConvex() union {
	u.look.convex = true
	return u
}

func lnQueries(g Goal) float64 {
	if g.Queries == 1 {
		return 0
	}
	return math.Nextafter(num.Log(float64(g.Queries)), math.Inf(1))
}
