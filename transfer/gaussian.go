package transfer

import (
	"math"

	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer/joint"
)

// jointRule is the joint bound for one way to choose the noise.
type jointRule struct {
	noise joint.Noise
	falls bool
}

func planOf(g Goal) joint.Plan {
	sides := joint.SidesOf(g.OneSided)
	return joint.Plan{Samples: g.Samples, Queries: g.Queries, Tau: g.Tau, Beta: g.Beta, Sides: sides}
}

func (jointRule) applies(g Goal) error { return linear.check(g.Query) }

func (jointRule) limit(g Goal) float64 { return g.spread() }

func (jointRule) tight() bool { return false }

func (r jointRule) holds(g Goal) bool { return r.noise.Certifies(planOf(g)) }

func (r jointRule) queries(g Goal) int64 { return mostQueries(g, 1, r.holds) }

func (r jointRule) samples(g Goal) (reached, error) {
	found, ok := r.noise.Samples(planOf(g))
	if !ok {
		return reached{}, theory.TooMany(math.Inf(1))
	}
	return reached{n: found.Samples, tau: found.Tau, run: r.run(g, found)}, nil
}

func (r jointRule) tau(g Goal) (float64, Mechanism) {
	tau, run := r.noise.LeastTau(planOf(g))
	return tau, r.run(g, joint.Found{Samples: g.Samples, Tau: tau, Run: run})
}

// beta is raised, for even noise, by the hair that the noise to run may miss: the decision finds one anew for each
// beta. Noise that falls follows from the plan.
func (r jointRule) beta(g Goal) theory.LogProb {
	g.Beta = r.noise.LeastBeta(planOf(g))
	if r.falls {
		return g.Beta
	}
	for step := 1e-6 / float64(g.Samples); g.Beta < 0; step *= 4 {
		if tau, _ := r.noise.LeastTau(planOf(g)); tau <= g.Tau {
			return g.Beta
		}
		g.Beta += theory.LogProb(step)
	}
	return 0
}

// run is what to run for a plan whose n and tau were found.
func (r jointRule) run(g Goal, found joint.Found) Mechanism {
	if found.Tau >= 1 {
		return Mechanism{}
	}
	run := Mechanism{Noise: theory.GaussianNoise, Scale: found.Run.Last}
	if r.falls {
		plan := planOf(g)
		plan.Samples, plan.Tau = found.Samples, found.Tau
		run.ScaleFirst, run.Schedule = found.Run.First, plan
	}
	return run
}

// either is the better of two rules for the same promise, the first where they tie.
type either struct {
	first, second rule
	most          int64 // the second is for plans of at most so many queries; 0 stands for any
}

func (e either) applies(g Goal) error { return e.first.applies(g) }

func (e either) limit(g Goal) float64 { return e.first.limit(g) }

func (e either) tight() bool { return e.first.tight() && e.second.tight() }

// betters reports whether the second rule certifies a goal that the first does not.
func (e either) betters(g Goal) bool { return e.serves(g) && e.second.holds(g) }

func (e either) serves(g Goal) bool { return e.most == 0 || g.Queries <= e.most }

func (e either) holds(g Goal) bool { return e.first.holds(g) || e.betters(g) }

// samples asks the second rule for its least n only if it certifies one row fewer.
func (e either) samples(g Goal) (reached, error) {
	a, err := e.first.samples(g)
	if err != nil && e.serves(g) {
		return e.second.samples(g)
	}
	if g.Samples = a.n - 1; err != nil || g.Samples == 0 || !e.betters(g) {
		return a, err
	}
	b, err := e.second.samples(g)
	return reached{n: b.n}, err
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
	if !e.serves(g) || a != 0 && !e.second.holds(asked) {
		return a
	}
	return min(a, e.second.beta(g))
}

// fewQueries is up to how many queries one noise may need fewer rows than noise that falls. It did for two to four
// queries, as equal shares of beta may need more, and in no plan of five or more that was tried.
const fewQueries = 8

// The joint bound is a union over queries: the CVaR theorem, which is about the largest noise, may do
// with fewer records where beta is large, or m is too large for the variance lemma. Where beta
// is large and queries are few, equal shares of it may ask for more than equal noise does.
var (
	oneJointNoise = jointRule{noise: joint.Even}
	oneNoise      = optimised{domain: domain{kinds: linear}, reach: gaussianCVaR}
	evenNoiseRule = either{first: oneJointNoise, second: oneNoise}

	scheduledNoise = either{
		first:  jointRule{noise: joint.Falling, falls: true},
		second: either{first: oneNoise, second: oneJointNoise, most: fewQueries},
	}
)
