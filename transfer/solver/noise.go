package solver

import (
	"math"

	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer/goal"
	"github.com/dpcalc/dpcalc/transfer/noise"
)

// Noisy is a bound on Gaussian answers, the joint one or that for low variance, for one way to choose the noise.
type Noisy struct {
	Noise noise.Noise
	Plan  func(g goal.Goal) noise.Plan
	Falls bool
	Low   bool // whether the second moment counts
}

func JointPlan(g goal.Goal) noise.Plan { return PlanBy(g, noise.Joint(noise.SidesOf(g.OneSided))) }

func PlanBy(g goal.Goal, t noise.Theorem) noise.Plan {
	return noise.Plan{Theorem: t, Samples: g.Samples, Queries: g.Queries, Tau: g.Tau, Beta: g.Beta}
}

func (r Noisy) Applies(g goal.Goal) error {
	if r.Low {
		return goal.Means.Check(g.Query)
	}
	return goal.Linear.Check(g.Query)
}

func (Noisy) Limit(g goal.Goal) float64 { return g.Spread() }

func (r Noisy) Holds(g goal.Goal) bool { return r.Noise.Certifies(r.Plan(g)) }

func (r Noisy) Queries(g goal.Goal) int64 { return r.Noise.MostQueries(r.Plan(g)) }

func (r Noisy) Samples(g goal.Goal, by Trail) (Reached, error) {
	found, ok := r.Noise.SamplesNear(r.Plan(g), by.Near(g))
	if !ok {
		return Reached{}, theory.TooMany(math.Inf(1))
	}
	by.Found(g, found.Near)
	return Reached{N: found.Samples, Tau: found.Tau, Run: r.run(g, found)}, nil
}

func (r Noisy) Tau(g goal.Goal) (float64, Mechanism) {
	tau, run := r.Noise.LeastTau(r.Plan(g))
	return tau, r.run(g, noise.Found{Samples: g.Samples, Tau: tau, Run: run})
}

func (r Noisy) Beta(g goal.Goal) theory.LogProb { return r.Noise.LeastBeta(r.Plan(g)) }

// run is what to run for a plan whose n and tau were found.
func (r Noisy) run(g goal.Goal, found noise.Found) Mechanism {
	if found.Tau >= r.Limit(g) {
		return Mechanism{}
	}
	run := Mechanism{Noise: theory.GaussianNoise, Scale: found.Run.Last, Cut: found.Run.Cut, LowVariance: r.Low}
	if r.Falls {
		g.Samples, g.Tau = found.Samples, found.Tau
		run.ScaleFirst, run.Schedule = found.Run.First, r.Plan(g)
	}
	return run
}
