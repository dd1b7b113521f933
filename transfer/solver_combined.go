package transfer

import (
	"iter"
	"math"

	"github.com/dpcalc/dpcalc/theory"
)

// either is the better of two rules for the same promise, the first where they tie.
type either struct {
	first, second rule
	most          int64           // the second is for plans of at most so many queries; 0 stands for any
	not           func(Goal) bool // goals that the second is not for, if any
}

func (e either) applies(g Goal) error { return e.first.applies(g) }

func (e either) limit(g Goal) float64 { return e.first.limit(g) }

func (e either) tight() bool { return e.first.tight() && e.second.tight() }

// betters reports whether the second rule certifies a goal that the first does not.
func (e either) betters(g Goal) bool { return e.serves(g) && e.second.holds(g) }

func (e either) serves(g Goal) bool {
	if e.not != nil && e.not(g) {
		return false
	}
	return e.most == 0 || g.Queries <= e.most
}

func (e either) holds(g Goal) bool { return e.first.holds(g) || e.betters(g) }

// samples asks the second rule for its least n only if it certifies one row fewer. Its tau is the least of both, as the
// first rule does not certify the tau of the goal there.
func (e either) samples(g Goal, by trail) (reached, error) {
	a, err := e.first.samples(g, by)
	if err != nil && e.serves(g) {
		return e.second.samples(g, nil)
	}
	if g.Samples = a.n - 1; err != nil || g.Samples == 0 || !e.betters(g) {
		return a, err
	}
	b, err := e.second.samples(g, nil)
	return b, err
}

// queries asks the second rule for its greatest m only if it certifies one more.
func (e either) queries(g Goal) int64 {
	most := e.first.queries(g)
	if g.Queries = most + 1; most == MaxCount || !e.betters(g) {
		return most
	}
	if e.most == 1 {
		return 1
	}
	return e.second.queries(g)
}

// tau asks the second rule for its least tau only if it certifies a lesser one.
func (e either) tau(g Goal) (float64, Mechanism) {
	tau, run := e.first.tau(g)
	asked := g
	if asked.Tau = math.Nextafter(tau, 0); !e.betters(asked) {
		return tau, run
	}
	if other, another := e.second.tau(g); other < tau {
		return other, another
	}
	return tau, run
}

// beta asks the second rule for its least beta only if it certifies a lesser one.
func (e either) beta(g Goal) theory.LogProb {
	a := e.first.beta(g)
	asked := g
	asked.Beta = theory.LogProb(math.Nextafter(a.Ln(), math.Inf(-1)))
	if !e.serves(asked) || a != 0 && !e.second.holds(asked) {
		return a
	}
	if asked.Beta = e.second.beta(g); asked.Beta < a && e.serves(asked) {
		return asked.Beta
	}
	return a
}

// halved is a rule for values in [0,1] that decides about a difference phi, which is twice (1+phi)/2, less one.
type halved struct{ rule }

// half is the goal for (1+phi)/2.
func half(g Goal) Goal {
	if g.Query == Difference {
		if g.Checked { // which is for f itself
			g.SecondMoment = 0
		}
		g.Query, g.Tau, g.Disagreement, g.Checked = Bounded, g.Tau/2, 0, false
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

func (r halved) applies(g Goal) error       { return r.rule.applies(half(g)) }
func (r halved) limit(g Goal) float64       { return 2 * r.rule.limit(half(g)) }
func (r halved) holds(g Goal) bool          { return r.rule.holds(half(g)) }
func (r halved) queries(g Goal) int64       { return r.rule.queries(half(g)) }
func (r halved) beta(g Goal) theory.LogProb { return r.rule.beta(half(g)) }

func (r halved) samples(g Goal, by trail) (reached, error) {
	least, err := r.rule.samples(half(g), by)
	least.tau *= 2
	least.run = doubled(least.run)
	return least, err
}

func (r halved) tau(g Goal) (float64, Mechanism) {
	tau, run := r.rule.tau(half(g))
	return 2 * tau, doubled(run)
}

// Unit is what the accuracy and the noise of the joint bound are multiplied by: a difference is twice a mean of
// values in an interval of length one.
func (g Goal) Unit() float64 {
	if g.Query == Difference {
		return 2
	}
	return 1
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
		return &theory.NoAnswerError{Reason: "nothing is left after a look at full precision at values other than 0 and 1"}
	}
	return r.rule.applies(g)
}

func (r afterLooks) holds(g Goal) bool    { return r.rule.holds(r.share(g, g.Samples)) }
func (r afterLooks) queries(g Goal) int64 { return r.rule.queries(r.share(g, g.Samples)) }

func (r afterLooks) tau(g Goal) (float64, Mechanism) { return r.rule.tau(r.share(g, g.Samples)) }

// samples climbs to the least n that is enough for its own number of values.
func (r afterLooks) samples(g Goal, _ trail) (reached, error) {
	for n := int64(1); ; {
		least, err := r.rule.samples(r.share(g, n), nil)
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
