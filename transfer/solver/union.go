package solver

import (
	"math"

	"github.com/dpcalc/dpcalc/internal/num"
	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer/goal"
)

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
