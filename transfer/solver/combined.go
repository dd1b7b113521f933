package solver

import (
	"iter"
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

// betters reports whether the second rule certifies a goal that the first does not.
func (e Either) betters(g goal.Goal) bool { return e.Serves(g) && e.Second.Holds(g) }

func (e Either) Serves(g goal.Goal) bool {
	if e.Not != nil && e.Not(g) {
		return false
	}
	return e.Most == 0 || g.Queries <= e.Most
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
	b, err := e.Second.Samples(g, nil)
	return b, err
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

// Halved is a rule for values in [0,1] that decides about a difference phi, which is twice (1+phi)/2, less one.
type Halved struct{ Rule }

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
			block.Scale, block.Tau = 2*block.Scale, 2*block.Tau
			if !yield(block) {
				return
			}
		}
	}
}

func (r Halved) Applies(g goal.Goal) error { return r.Rule.Applies(Half(g)) }

func (r Halved) Limit(g goal.Goal) float64 { return 2 * r.Rule.Limit(Half(g)) }

func (r Halved) Holds(g goal.Goal) bool { return r.Rule.Holds(Half(g)) }

func (r Halved) Queries(g goal.Goal) int64 { return r.Rule.Queries(Half(g)) }

func (r Halved) Beta(g goal.Goal) theory.LogProb { return r.Rule.Beta(Half(g)) }

func (r Halved) Samples(g goal.Goal, by Trail) (Reached, error) {
	least, err := r.Rule.Samples(Half(g), by)
	least.Tau *= 2
	least.Run = doubled(least.Run)
	return least, err
}

func (r Halved) Tau(g goal.Goal) (float64, Mechanism) {
	tau, run := r.Rule.Tau(Half(g))
	return 2 * tau, doubled(run)
}

// AfterLooks is a rule for an analyst who has already looked PastLooks times at the exact mean of a 0/1 query. Each
// look had n+1 possible values. The analyst who acts as after one sequence of values fails with the rule's
// probability, so one who may have seen any of them fails with at most (n+1)^PastLooks times that.
type AfterLooks struct{ Rule }

func (AfterLooks) seen(g goal.Goal, n int64) float64 {
	return float64(g.PastLooks) * math.Log1p(float64(n)) * (1 + 4e-16)
}

func (r AfterLooks) share(g goal.Goal, n int64) goal.Goal {
	if g.Beta != 0 {
		g.Beta -= theory.LogProb(r.seen(g, n))
	}
	return g
}

func (r AfterLooks) Applies(g goal.Goal) error {
	if !g.Query.IsZeroOne() {
		return &theory.NoAnswerError{Reason: "nothing is left after a look at full precision at values other than 0 and 1"}
	}
	return r.Rule.Applies(g)
}

func (r AfterLooks) Holds(g goal.Goal) bool { return r.Rule.Holds(r.share(g, g.Samples)) }

func (r AfterLooks) Queries(g goal.Goal) int64 { return r.Rule.Queries(r.share(g, g.Samples)) }

func (r AfterLooks) Tau(g goal.Goal) (float64, Mechanism) { return r.Rule.Tau(r.share(g, g.Samples)) }

// Samples climbs to the least n that is enough for its own number of values.
func (r AfterLooks) Samples(g goal.Goal, _ Trail) (Reached, error) {
	for n := int64(1); ; {
		least, err := r.Rule.Samples(r.share(g, n), nil)
		if err != nil || least.N <= n {
			return Reached{N: max(least.N, n)}, err
		}
		n = least.N
	}
}

func (r AfterLooks) Beta(g goal.Goal) theory.LogProb {
	worst := r.Rule.Beta(g)
	if ln := worst.Ln() + r.seen(g, g.Samples); worst != 0 && ln < 0 {
		return theory.LogProb(ln)
	}
	return 0
}
