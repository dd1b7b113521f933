package solver

import (
	"math"

	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer/goal"
)

// Either is the better of two rules for the same promise, the first where they tie.
type Either struct {
	First, Second Rule
	Most          int64                // the second is for plans of at most so many queries; 0 stands for any
	Not           func(goal.Goal) bool // goals that the second is not for, if any
}

func (e Either) Applies(g goal.Goal) error { return e.First.Applies(g) }

func (e Either) Limit(g goal.Goal) float64 { return e.First.Limit(g) }

func (e Either) betters(g goal.Goal) bool { return e.Serves(g) && e.Second.Holds(g) }

func (e Either) Serves(g goal.Goal) bool {
	unfit := e.Not != nil && e.Not(g)
	return !unfit && (e.Most == 0 || g.Queries <= e.Most)
}

func (e Either) Holds(g goal.Goal) bool { return e.First.Holds(g) || e.betters(g) }

// Samples asks the second rule for its least n only if it certifies one row fewer. Its tau is the least of both, as the
// first rule does not certify the tau of the goal there.
func (e Either) Samples(g goal.Goal, by Trail) (Reached, error) {
	a, err := e.First.Samples(g, by)
	if err != nil && e.Serves(g) {
		return e.Second.Samples(g, nil)
	}
	if g.Samples = a.N - 1; err != nil || g.Samples == 0 || !e.betters(g) {
		return a, err
	}
	return e.Second.Samples(g, nil)
}

// Queries asks the second rule for its greatest m only if it certifies one more.
func (e Either) Queries(g goal.Goal) int64 {
	most := e.First.Queries(g)
	if g.Queries = most + 1; most == goal.MaxCount || !e.betters(g) {
		return most
	}
	if e.Most == 1 {
		return 1
	}
	return e.Second.Queries(g)
}

// Tau asks the second rule for its least tau only if it certifies a lesser one.
func (e Either) Tau(g goal.Goal) (float64, Mechanism) {
	tau, run := e.First.Tau(g)
	asked := g
	if asked.Tau = math.Nextafter(tau, 0); !e.betters(asked) {
		return tau, run
	}
	if other, another := e.Second.Tau(g); other < tau {
		return other, another
	}
	return tau, run
}

// Beta asks the second rule for its least beta only if it certifies a lesser one.
func (e Either) Beta(g goal.Goal) theory.LogProb {
	a := e.First.Beta(g)
	asked := g
	asked.Beta = theory.LogProb(math.Nextafter(a.Ln(), math.Inf(-1)))
	if !e.Serves(asked) || a != 0 && !e.Second.Holds(asked) {
		return a
	}
	if asked.Beta = e.Second.Beta(g); asked.Beta < a && e.Serves(asked) {
		return asked.Beta
	}
	return a
}

// mapped is a rule about another goal.
type mapped struct {
	Rule
	to func(g goal.Goal) goal.Goal
}

func (r mapped) Holds(g goal.Goal) bool { return r.Rule.Holds(r.to(g)) }

func (r mapped) Queries(g goal.Goal) int64 { return r.Rule.Queries(r.to(g)) }

func (r mapped) Tau(g goal.Goal) (float64, Mechanism) { return r.Rule.Tau(r.to(g)) }

func (r mapped) Beta(g goal.Goal) theory.LogProb { return r.Rule.Beta(r.to(g)) }

// Halved returns a rule for values in [0,1] as one about a difference phi, which is twice (1+phi)/2, less one.
func Halved(r Rule) Rule { return halved{mapped{r, Half}} }

type halved struct{ mapped }

// Half returns the goal for (1+phi)/2.
func Half(g goal.Goal) goal.Goal {
	if g.Query.IsSigned() {
		if g.Checked { // which is for f itself
			g.SecondMoment = 0
		}
		g.Query, g.Tau, g.Disagreement, g.Checked = goal.Bounded, g.Tau/2, 0, false
		g.Variance, g.SecondMoment = g.SecondMoment/4, 0 // E((1+phi)/2 - 1/2)^2
	}
	return g
}

func (r halved) Applies(g goal.Goal) error { return r.Rule.Applies(Half(g)) }

func (r halved) Limit(g goal.Goal) float64 { return 2 * r.Rule.Limit(Half(g)) }

func (r halved) Samples(g goal.Goal, by Trail) (Reached, error) {
	least, err := r.Rule.Samples(Half(g), by)
	least.Tau *= 2
	least.Run = least.Run.times(2)
	return least, err
}

func (r halved) Tau(g goal.Goal) (float64, Mechanism) {
	tau, run := r.mapped.Tau(g)
	return 2 * tau, run.times(2)
}

// Split returns a rule for one query as one for m, each on its own part of the rows, cut into m equal parts.
func Split(r Rule) Rule {
	return split{mapped{r, func(g goal.Goal) goal.Goal { g.Samples /= g.Queries; return g }}}
}

type split struct{ mapped }

func (r split) Samples(g goal.Goal, by Trail) (Reached, error) {
	one, err := r.Rule.Samples(g, by)
	switch {
	case err != nil:
		return Reached{}, theory.TooMany(math.Inf(1))
	case one.N > goal.MaxCount/g.Queries:
		return Reached{}, theory.TooMany(float64(one.N) * float64(g.Queries))
	}
	return Reached{N: one.N * g.Queries}, nil
}

func (r split) Queries(g goal.Goal) int64 { return MostQueries(g, 1, r.Holds) }

// AfterLooks returns a rule as one for an analyst who has already looked PastLooks times at the exact mean of a 0/1
// query. Each look had n+1 possible values. The analyst who acts as after one sequence of values fails with the rule's
// probability, so one who may have seen any of them fails with at most (n+1)^PastLooks times that.
func AfterLooks(r Rule) Rule {
	return afterLooks{mapped{r, func(g goal.Goal) goal.Goal { return shareAfter(g, g.Samples) }}}
}

type afterLooks struct{ mapped }

func lnSeen(g goal.Goal, n int64) float64 {
	return float64(g.PastLooks) * math.Log1p(float64(n)) * (1 + 4e-16)
}

func shareAfter(g goal.Goal, n int64) goal.Goal {
	if g.Beta != 0 {
		g.Beta -= theory.LogProb(lnSeen(g, n))
	}
	return g
}

func (r afterLooks) Applies(g goal.Goal) error {
	if !g.Query.IsZeroOne() {
		return &theory.NoAnswerError{Reason: "nothing is left after a look at full precision at values other than 0 and 1"}
	}
	return r.Rule.Applies(g)
}

// Samples climbs to the least n that is enough for its own number of values.
func (r afterLooks) Samples(g goal.Goal, _ Trail) (Reached, error) {
	for n := int64(1); ; {
		least, err := r.Rule.Samples(shareAfter(g, n), nil)
		if err != nil || least.N <= n {
			return Reached{N: max(least.N, n)}, err
		}
		n = least.N
	}
}

func (r afterLooks) Beta(g goal.Goal) theory.LogProb {
	worst := r.Rule.Beta(g)
	if ln := worst.Ln() + lnSeen(g, g.Samples); worst != 0 && ln < 0 {
		return theory.LogProb(ln)
	}
	return 0
}
