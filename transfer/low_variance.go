package transfer

import (
	"iter"
	"math"
	"slices"

	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer/joint"
	"github.com/dpcalc/dpcalc/transfer/lowvariance"
)

// momentRule is the bound for queries whose second moment is known to be small.
type momentRule struct {
	noise lowvariance.Noise
	falls bool
}

// moment is what the goal says of the second moment of its queries, nil if it says nothing.
func (g Goal) moment() lowvariance.Values {
	switch {
	case g.Query == Difference && g.Disagreement > 0:
		return lowvariance.Difference{Disagreement: g.Disagreement}
	case g.AtLeast > 0:
		return lowvariance.Accuracy{Errors: 1 - g.AtLeast}
	case g.Variance > 0:
		return lowvariance.Variance{Most: g.Variance}
	}
	return nil
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

var (
	evenMoment      = momentRule{noise: lowvariance.Even}
	scheduledMoment = either{
		first: momentRule{noise: lowvariance.Falling, falls: true}, second: evenMoment, most: fewQueries,
	}
)

// CertifyNoise fills in the failure probability at which Gaussian noise, for all queries of the answer in their
// order, is certified: by the joint bound, or by the bound for queries of low variance where that says more. The
// latter spends its shares as suits the answer's beta, or about the best one if that is 0. The error is a DomainError.
func (a *Answer) CertifyNoise(noise []theory.NoiseBlock) error {
	bound, err := joint.New(a.Samples, joint.SidesOf(a.OneSided))
	if err != nil {
		return err
	}
	unit := a.Unit()
	for _, block := range noise {
		block.Scale /= unit
		if _, err := bound.Answer(block, a.Tau/unit); err != nil {
			return err
		}
	}
	wanted := a.Beta
	a.Beta, a.Mechanism.LowVariance = bound.Total(), false
	if a.moment() == nil {
		return nil
	}
	low, err := lowvariance.Certified(a.momentPlan().Design, a.Tau, noise, wanted)
	if err == nil && low < a.Beta {
		a.Beta, a.Mechanism.LowVariance = low, true
	}
	return err
}

// Unit is what the accuracy and the noise of the joint bound are multiplied by: a difference is twice a mean of
// values in an interval of length one.
func (g Goal) Unit() float64 {
	if g.Query == Difference {
		return 2
	}
	return 1
}

// lowVariance is where the bound is proved.
var lowVariance = []theory.Source{source("dpcalc", "docs/theorems/variance.md#low-variance-bound")}

// Rests says what an answer of the method rests on: its sources, and the hypotheses that code cannot check. They
// include the bound on the second moment of the queries where the answer makes use of it.
func (m Method) Rests(a Answer) (sources []theory.Source, assumes []string) {
	_, sources = m.Proven(a.Goal)
	if !a.Mechanism.LowVariance {
		return sources, m.Assumes
	}
	return slices.Concat(sources, lowVariance), slices.Concat(m.Assumes, []string{a.known()})
}

// known says which bound on the second moment is known, or kept by a check.
func (a Answer) known() string {
	switch {
	case a.Checked && a.Query == Difference:
		return "nothing is answered once more than the share " + formatFloat(a.Disagreement) + " of the sample's rows differ"
	case a.Checked:
		return "nothing is answered once the accuracy on the sample is below " + formatFloat(a.AtLeast)
	case a.Query == Difference:
		return "every query is 0 on all but the share " + formatFloat(a.Disagreement) + " of the population"
	case a.AtLeast > 0:
		return "every query has a population value of at least " + formatFloat(a.AtLeast)
	}
	return "every query has a variance of at most " + formatFloat(a.Variance) + " from row to row"
}
