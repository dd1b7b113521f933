package transfer

import (
	"iter"
	"math"

	"github.com/dpcalc/dpcalc/internal/num"
	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer/feedback"
)

// oneLook is the rule for one query, fixed before it meets the rows, at a failure probability that may be a small
// share of the goal's.
type oneLook struct {
	both  bool // whether both sides count unless the goal asks for one
	exact bool // whether the tails of 0/1 queries are binomial
	bar   bool // whether a known bar counts
}

// pick returns the tail that serves the goal.
func (o oneLook) pick(g Goal) rule {
	every := domain{kinds: allKinds}
	both, exact, barred := o.both && !g.OneSided, o.exact && g.Query == Binary, o.bar && g.Bar.Given
	switch {
	case exact && barred:
		return countRule{}
	case both && linear.check(g.Query) == nil:
		return fixedQuery{domain: domain{kinds: linear}, exact: exact}
	case exact:
		return sideRule{}
	case both:
		return closed{domain: every, need: bothSides}
	}
	if at, ok := g.values().(feedback.Barred); ok && barred {
		every.top = barredLimit
		return closed{domain: every, need: func(g Goal) num.DD { return oneSide(g, at.RateAt(g.bar())) }}
	}
	return closed{domain: every, need: func(g Goal) num.DD { return oneSide(g, g.values().Rate(g.Tau)) }}
}

// oneSide is n >= ln(1/beta)/rate: the rate is E(tau) or, at a known bar, that of the likelier error there.
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

// sideRule is one side of one 0/1 query: the exact binomial tail, or a bound on it.
type sideRule struct{}

func (sideRule) applies(g Goal) error { return zeroOne.check(g.Query) }

func (sideRule) limit(g Goal) float64 { return g.spread() }

func (sideRule) tight() bool { return true }

func (sideRule) holds(g Goal) bool {
	ok, err := theory.BinomialSideHolds(theory.Side{Tau: g.Tau, Beta: g.Beta}, g.Samples)
	return ok && err == nil
}

func (sideRule) samples(g Goal) (reached, error) {
	n, err := theory.BinomialSideSamples(theory.Side{Tau: g.Tau, Beta: g.Beta})
	return reached{n: n.Value}, err
}

func (r sideRule) queries(g Goal) int64 { return mostQueries(g, 1, r.holds) }

func (sideRule) tau(g Goal) (float64, Mechanism) {
	tau, err := theory.BinomialSideTau(g.Beta, g.Samples)
	if err != nil {
		tau = g.spread()
	}
	return tau, Mechanism{}
}

func (sideRule) beta(g Goal) theory.LogProb {
	worst, err := theory.BinomialSideWorst(theory.Deviation{Samples: g.Samples, Tau: g.Tau})
	if err != nil {
		return 0
	}
	return worst
}

// countRule is one side of one 0/1 query at a known bar, by the count that passes.
type countRule struct{}

func (countRule) gate(g Goal) feedback.CountGate {
	return feedback.CountGate{Bar: g.bar(), LnRisk: g.Beta.Ln()}
}

func (countRule) applies(g Goal) error { return zeroOne.check(g.Query) }

func (countRule) limit(g Goal) float64 { return barredLimit(g) }

func (countRule) tight() bool { return true }

func (r countRule) holds(g Goal) bool { return r.gate(g).Holds(g.Samples) }

func (r countRule) samples(g Goal) (reached, error) {
	if n := r.gate(g).Samples(MaxCount); n > 0 {
		return reached{n: n}, nil
	}
	return reached{}, theory.TooMany(math.Inf(1))
}

func (r countRule) queries(g Goal) int64 { return mostQueries(g, 1, r.holds) }

func (r countRule) tau(g Goal) (float64, Mechanism) {
	if r.gate(g).Always() {
		return 0, Mechanism{}
	}
	top := barredLimit(g)
	tau := num.Near{From: g.Tau, Top: top}.Least(func(tau float64) bool { g.Tau = tau; return r.holds(g) })
	return tau, Mechanism{}
}

func (r countRule) beta(g Goal) theory.LogProb {
	if r.gate(g).Always() {
		return theory.Zero
	}
	return mostCertain(g, r.holds)
}

// mostCertain returns about the least beta at which a plan holds, or 0: within 1e-9 of its logarithm.
func mostCertain(g Goal, holds func(Goal) bool) theory.LogProb {
	const most = 1e9 // beta of 1-1e-9
	inverse := num.Near{From: 1, Top: most, Step: 16e-9}.Least(func(x float64) bool {
		g.Beta = theory.LogProb(-1 / x)
		return holds(g)
	})
	if inverse >= most {
		return 0
	}
	return theory.LogProb(-1 / inverse)
}

// union is the tree lemma with one tail: so many nodes, each at its share of the failure probability.
type union struct {
	domain
	look    oneLook
	lnNodes func(g Goal) float64         // ln of the number of nodes, rounded up, growing with the queries
	split   bool                         // n is first divided into m equal parts, and a node meets one of them
	run     unionRun                     // what to run for a certified plan; nil means nothing
	most    func(g Goal) (queries int64) // more queries than that the count does not cover; nil means any number
}

// unionRun is what to run, of which ln of the number of nodes may be a part.
type unionRun func(g Goal, lnNodes float64) Mechanism

// share is the goal of one node.
func (u union) share(g Goal) Goal { return u.shareOf(g, u.lnNodes(g)) }

func (u union) shareOf(g Goal, lnNodes float64) Goal {
	if g.Beta != 0 {
		g.Beta = theory.LogProb(math.Nextafter(g.Beta.Ln()-lnNodes, math.Inf(-1)))
	}
	if u.split {
		g.Samples /= g.Queries
	}
	g.Queries = 1
	return g
}

func (u union) tight() bool { return true }

func (u union) limit(g Goal) float64 { return u.look.pick(g).limit(g) }

func (u union) holds(g Goal) bool {
	if u.applies(g) != nil || u.split && g.Samples < g.Queries {
		return false
	}
	return u.look.pick(g).holds(u.share(g))
}

func (u union) samples(g Goal) (reached, error) {
	least, err := u.look.pick(g).samples(u.share(g))
	if err != nil || !u.split {
		return least, err
	}
	if least.n > MaxCount/g.Queries {
		return reached{}, theory.TooMany(float64(least.n) * float64(g.Queries))
	}
	return reached{n: least.n * g.Queries}, nil
}

// queries compares what one node may fail with, unless the rows of a node depend on the queries.
func (u union) queries(g Goal) int64 {
	holds := u.holds
	if !u.split {
		one := g
		one.Queries = 1
		worst := u.look.pick(g).beta(one)
		if worst == 0 {
			worst = math.MaxFloat64
		}
		holds = func(g Goal) bool { return u.applies(g) == nil && g.Beta.Ln()-u.lnNodes(g) > worst.Ln() }
	}
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
	if u.split && g.Samples < g.Queries {
		return limit(u, g), Mechanism{}
	}
	lnNodes := u.lnNodes(g)
	tau, _ := u.look.pick(g).tau(u.shareOf(g, lnNodes))
	if u.run == nil || tau >= limit(u, g) {
		return tau, Mechanism{}
	}
	if g.Tau = max(g.Tau, tau); u.applies(g) != nil { // what is run is that of the tau asked for, if one is
		return tau, Mechanism{}
	}
	return tau, u.run(g, lnNodes)
}

func (u union) beta(g Goal) theory.LogProb {
	if u.split && g.Samples < g.Queries {
		return 0
	}
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
func perQuery(kinds kinds, exact, split bool) union {
	return union{domain: domain{kinds: kinds}, look: oneLook{both: true, exact: exact}, split: split, lnNodes: lnQueries}
}

func lnQueries(g Goal) float64 {
	if g.Queries == 1 {
		return 0
	}
	return math.Nextafter(num.Log(float64(g.Queries)), math.Inf(1))
}

// halved is a rule for values in [0,1] that decides about a difference phi, which is twice (1+phi)/2, less one.
type halved struct{ rule }

// half is the goal for (1+phi)/2.
func half(g Goal) Goal {
	if g.Query == Difference {
		g.Query, g.Tau, g.Disagreement, g.Checked = Bounded, g.Tau/2, 0, false
	}
	return g
}

// doubled is the mechanism in the units of differences.
func doubled(run Mechanism) Mechanism {
	run.Scale, run.ScaleFirst, run.Threshold = 2*run.Scale, 2*run.ScaleFirst, 2*run.Threshold
	if run.Schedule != nil {
		run.Schedule = twice{run.Schedule}
	}
	return run
}

// twice is a schedule in the units of differences.
type twice struct{ Schedule }

func (t twice) Blocks() iter.Seq[theory.NoiseBlock] {
	return func(yield func(theory.NoiseBlock) bool) {
		for block := range t.Schedule.Blocks() {
			if block.Scale *= 2; !yield(block) {
				return
			}
		}
	}
}

func (r halved) applies(g Goal) error       { return r.rule.applies(half(g)) }
func (r halved) limit(g Goal) float64       { return 2 * r.rule.limit(half(g)) }
func (r halved) holds(g Goal) bool          { return r.rule.holds(half(g)) }
func (r halved) queries(g Goal) int64       { return r.rule.queries(half(g)) }
func (r halved) beta(g Goal) theory.LogProb { return r.rule.beta(half(g)) }

func (r halved) samples(g Goal) (reached, error) {
	least, err := r.rule.samples(half(g))
	least.tau *= 2
	least.run = doubled(least.run)
	return least, err
}

func (r halved) tau(g Goal) (float64, Mechanism) {
	tau, run := r.rule.tau(half(g))
	return 2 * tau, doubled(run)
}

// afterLooks is a rule for an analyst who has already looked PastLooks times at the exact mean of a 0/1 query. Each
// look had n+1 possible values. The analyst who acts as after one sequence of values fails with the rule's
// probability, so one who may have seen any of them fails with at most (n+1)^PastLooks times that.
type afterLooks struct{ rule }

func (afterLooks) seen(g Goal, n int64) float64 {
	return float64(g.PastLooks) * math.Log1p(float64(n)) * (1 + 4e-16)
}

func (r afterLooks) share(g Goal, n int64) Goal {
	if g.Beta != 0 {
		g.Beta -= theory.LogProb(r.seen(g, n))
	}
	return g
}

func (r afterLooks) applies(g Goal) error {
	if g.Query != Binary {
		return &theory.NoAnswerError{Reason: "after a look at full precision at values other than 0 and 1 nothing is left"}
	}
	return r.rule.applies(g)
}

func (r afterLooks) holds(g Goal) bool    { return r.rule.holds(r.share(g, g.Samples)) }
func (r afterLooks) queries(g Goal) int64 { return r.rule.queries(r.share(g, g.Samples)) }

func (r afterLooks) tau(g Goal) (float64, Mechanism) { return r.rule.tau(r.share(g, g.Samples)) }

// samples climbs to the least n that is enough for its own number of values.
func (r afterLooks) samples(g Goal) (reached, error) {
	for n := int64(1); ; {
		least, err := r.rule.samples(r.share(g, n))
		if err != nil || least.n <= n {
			return reached{n: max(least.n, n)}, err
		}
		n = least.n
	}
}

func (r afterLooks) beta(g Goal) theory.LogProb {
	worst := r.rule.beta(g)
	if ln := worst.Ln() + r.seen(g, g.Samples); worst != 0 && ln < 0 {
		return theory.LogProb(ln)
	}
	return 0
}
