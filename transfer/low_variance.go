package transfer

import (
	"iter"
	"math"

	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer/lowvariance"
)

// momentRule is the bound for queries whose second moment is known to be small.
type momentRule struct {
	noise lowvariance.Noise
	falls bool
}

var (
	evenMoment      = momentRule{noise: lowvariance.Even}
	scheduledMoment = either{
		first: momentRule{noise: lowvariance.Falling, falls: true}, second: evenMoment, most: fewQueries,
	}
)

// moment is what the goal says of the second moment of its queries, nil if it says nothing.
func (g Goal) moment() lowvariance.Values {
	switch {
	case g.Query == Difference && g.Disagreement > 0:
		return lowvariance.Difference{Disagreement: g.Disagreement}
	case g.SecondMoment > 0 && !g.Checked: // of (1+phi)/2
		return lowvariance.Variance{Most: g.SecondMoment / 4}
	case g.AtLeast > 0:
		return lowvariance.Accuracy{Errors: 1 - g.AtLeast}
	case g.Variance > 0:
		return lowvariance.Variance{Most: g.Variance}
	}
	return nil
}

// byHalf reports whether the low-variance bound speaks of half of a difference: its second moment is known, and not
// how often it is 0.
func (g Goal) byHalf() bool {
	return g.Query == Difference && g.Disagreement == 0 && g.SecondMoment > 0
}

// momentPlan is the plan of a goal with a bound on the second moment.
func (g Goal) momentPlan() lowvariance.Plan {
	design := lowvariance.Design{
		Values: g.moment(), Checked: g.Checked, Samples: g.Samples, Queries: g.Queries, OneSided: g.OneSided,
	}
	return lowvariance.Plan{Design: design, Tau: g.Tau, Beta: g.Beta}
}

func (momentRule) applies(g Goal) error { return means.check(g.Query) }

func (momentRule) limit(g Goal) float64 { return g.spread() }

func (momentRule) tight() bool { return false }

func (r momentRule) holds(g Goal) bool { return r.noise.Certifies(g.momentPlan()) }

func (r momentRule) queries(g Goal) int64 { return mostQueries(g, 1, r.holds) }

func (r momentRule) beta(g Goal) theory.LogProb { return r.noise.LeastBeta(g.momentPlan()) }

func (r momentRule) samples(g Goal) (reached, error) {
	found, ok := r.noise.Samples(g.momentPlan())
	if !ok {
		return reached{}, theory.TooMany(math.Inf(1))
	}
	g.Samples = found.Samples
	return reached{n: found.Samples, tau: g.Tau, run: r.run(g, found.Run)}, nil
}

func (r momentRule) tau(g Goal) (float64, Mechanism) {
	tau, run, ok := r.noise.LeastTau(g.momentPlan())
	if !ok {
		return g.spread(), Mechanism{}
	}
	if g.Tau > 0 && g.Tau < tau { // which is found to a tolerance
		if asked, ok := r.noise.Choose(g.momentPlan()); ok {
			return g.Tau, r.run(g, asked)
		}
	}
	g.Tau = tau
	return tau, r.run(g, run)
}

// run is what to run for a plan that is certified.
func (r momentRule) run(g Goal, noise lowvariance.Run) Mechanism {
	run := Mechanism{Noise: theory.GaussianNoise, Scale: noise.Last, LowVariance: true}
	if r.falls {
		run.ScaleFirst, run.Schedule = noise.First, fallingNoise(g.momentPlan())
	}
	return run
}

// fallingNoise is the noise of a plan.
type fallingNoise lowvariance.Plan

// Blocks returns the noise in the order of the queries.
func (p fallingNoise) Blocks() iter.Seq[theory.NoiseBlock] {
	return func(yield func(theory.NoiseBlock) bool) {
		for b := range lowvariance.Plan(p).Blocks() {
			if !yield(theory.NoiseBlock{Queries: b.Queries, Scale: b.SD}) {
				return
			}
		}
	}
}
