package transfer

import (
	"cmp"
	"math"
	"slices"

	"github.com/dpcalc/dpcalc/internal/num"
	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer/goal"
	"github.com/dpcalc/dpcalc/transfer/noise"
	"github.com/dpcalc/dpcalc/transfer/solver"
	"github.com/dpcalc/dpcalc/transfer/stability"
)

var gaussianSchedule = Method{
	Name:      "gaussian-schedule",
	Summary:   "Gaussian noise that falls from query to query: the joint bound",
	Formula:   "sum over j <= m of eps_j <= beta, each about three quarters of an equal share of what is left, the last all of it; eps_j = u_j + min{u_j, F_j T}, u_j = min over a > 1 of e^(D_(j-1)/a') min{T_a', N_a'}^(1/a'), a' = a/(a-1), D_j the Renyi divergence of order a that j answers reveal, T and N bounds on sample and noise together by a tangent and without, F_j T that of the less likely side; one-sided, eps_j = u_j; gaussian where that is less",
	Practice:  "Add independent N(0, sd_j^2) to answer j, with sd_j from the schedule; noise_first is the first and noise_last the last and smallest, 0 where the last answer needs none. " + redrawn + " Stop after m answers.",
	Proof:     Derived,
	Adaptive:  true,
	OneSided:  true,
	Scheduled: true,
	Sources:   proved("transfer.md#gaussian-schedule", "transfer.md#joint-bound"),
	Assumes:   []string{independentOnly},
	theorems: theorems{
		rule:     scheduledNoise,
		arriving: solver.Either{First: solver.ArrivingNoise(false), Second: solver.ArrivingEven, Most: fewQueries},
		halves:   true,
		low:      scheduledMoment,
	},
}

const redrawn = "Where a cut is given, draw the normal number again until its absolute value is at most cut times its standard deviation, by the number alone; a number that is clipped there, or an answer, is not covered."

const addGaussian = "Add independent N(0, noise_scale^2) to every answer, including to repeated queries, and stop after m answers."

var gaussian = Method{
	Name:     "gaussian",
	Summary:  "Gaussian noise, the joint bound",
	Formula:  "sum over j <= m of eps_j <= beta at one noise sd for all answers, eps_j as for gaussian-schedule; gaussian-cvar where that is less",
	Practice: addGaussian + " " + redrawn,
	Proof:    Derived,
	Adaptive: true,
	OneSided: true,
	Sources:  proved("transfer.md#gaussian", "transfer.md#joint-bound"),
	Assumes:  []string{independentOnly},
	theorems: theorems{rule: evenNoiseRule, arriving: solver.ArrivingEven, halves: true, low: evenMoment},
}

// The joint bound is a union over queries: the CVaR theorem, which is about the largest noise, may do
// with fewer records where beta is large, or m is too large for the variance lemma. Where beta
// is large and queries are few, given shares of it may ask for more than equal noise does.
var (
	oneJointNoise = solver.Noisy{Domain: linear, Noise: noise.Even, Plan: solver.JointPlan}
	oneNoise      = solver.Optimised{Domain: linear, Reach: gaussianCVaRTau}
	evenNoiseRule = solver.Either{First: oneJointNoise, Second: oneNoise, Not: unionIsTight}

	scheduledNoise = solver.Either{
		First: solver.Either{
			First:  solver.Noisy{Domain: linear, Noise: noise.Falling, Plan: solver.JointPlan, Falls: true},
			Second: oneJointNoise, Most: fewQueries,
		},
		Second: oneNoise, Not: unionIsTight,
	}
)

// unionIsTight says that a goal is far from those at which the CVaR theorem needs fewer rows than the joint bound: beta
// is at most a tenth, and there are at most a million queries.
func unionIsTight(g Goal) bool {
	small := g.Beta != 0 && g.Beta.Ln() <= -math.Ln10
	return small && g.Queries > 0 && g.Queries <= 1_000_000
}

// fewQueries is up to how many queries one noise may need fewer rows than noise that falls. It did for two or three
// queries, as shares of beta that are given may need more, and in no plan of four or more that was tried. Rows that
// arrive have equal shares, with which it did for four.
const fewQueries = 8

// CertifyNoise fills in the failure probability at which Gaussian noise, for all queries of the answer in their order,
// is certified: by the joint bound, or by the bound for queries of low variance where that says more and no noise is
// cut. The latter spends its shares as suits the answer's beta, or about the best one if that is 0. One run of noise
// for all queries is certified query by query too, and by the CVaR theorem, which the answer then says. The error
// is a DomainError.
func (a *Answer) CertifyNoise(blocks []theory.NoiseBlock) error {
	promised := a.Beta
	if err := a.certify(blocks, promised); err != nil || promised == 0 || a.Beta <= promised {
		return err
	}
	coarse := *a // what was certified with other runs once is certified with short ones
	err := a.certify(shorter(blocks), promised)
	if a.Beta >= coarse.Beta {
		*a = coarse
	}
	return err
}

// shorter returns the blocks in up to 64 parts each: every query of a block counts as its last.
func shorter(blocks []theory.NoiseBlock) (parts []theory.NoiseBlock) {
	for _, block := range blocks {
		for left, length := block.Queries, (block.Queries+63)/64; left > 0; left -= block.Queries {
			block.Queries = min(left, length)
			parts = append(parts, block)
		}
	}
	return parts
}

// certify is [Answer.CertifyNoise] for runs as they are.
func (a *Answer) certify(blocks []theory.NoiseBlock, promised theory.LogProb) error {
	bound, err := noise.New(a.Samples, noise.SidesOf(a.OneSided))
	if err != nil {
		return err
	}
	unit, cut := a.Unit(), false
	for _, block := range blocks {
		block.Scale /= unit
		if block.Rows > 0 {
			err = bound.Grow(block.Rows)
		}
		if err == nil {
			_, err = bound.Answer(block, cmp.Or(block.Tau, a.Tau)/unit)
		}
		if err != nil {
			return err
		}
		cut = cut || block.Cut > 0
	}
	a.Beta, a.Mechanism.LowVariance = bound.Total(), false
	if a.Arrival != nil || a.Open { // of which the joint bound alone speaks
		return nil
	}
	if moment(a.Goal) != nil && !cut {
		goal, halves := a.Goal, blocks
		if goal.IsHalved() {
			goal, halves = solver.Half(goal), slices.Clone(blocks)
			for i := range halves {
				halves[i].Scale /= 2
			}
		}
		plan := momentPlan(goal)
		plan.Beta = promised
		low, err := plan.Certified(halves)
		if err != nil {
			return err
		}
		if low < a.Beta {
			a.Beta, a.Mechanism.LowVariance = low, true
		}
	}
	if len(blocks) == 1 && blocks[0].Queries == a.Queries && blocks[0].Scale > 0 {
		return a.certifyOneNoise(blocks[0], promised)
	}
	return nil
}

// certifyOneNoise is [Answer.CertifyNoise] for noise of one sd, whose errors are summed query by query: the joint
// bound, or, for both sides of noise that is not cut, the CVaR theorem C sd + s_mu(beta) <= tau.
func (a *Answer) certifyOneNoise(block theory.NoiseBlock, promised theory.LogProb) error {
	one := solver.Half(a.Goal)
	if err := goal.Linear.Check(one.Query); err != nil {
		return err
	}
	sd := block.Scale / a.Unit()
	if ln := solver.JointPlan(one).EvenErrors(sd, block.Cut); ln < a.Beta.Ln() {
		a.Beta, a.Mechanism.LowVariance = theory.LogProb(ln), false
	}
	if promised == 0 || promised >= a.Beta || block.Cut > 0 {
		return nil
	}
	mu := math.Sqrt(float64(a.Queries)) / (float64(a.Samples) * sd)
	tau := num.MaxNormalCVaR(a.Queries, promised.Ln())*sd + stability.GDP(mu, promised)
	if tau*(1+0x1p-41) <= one.Tau { // which is a thousand times what the sum is off
		a.Beta, a.Mechanism.LowVariance = promised, false
		a.ByLargest = true
	}
	return nil
}

var gaussianCVaR = Method{
	Name:     "gaussian-cvar",
	Summary:  "Gaussian noise, the CVaR transfer theorem",
	Formula:  "tau = C s + D s_mu(beta), mu = D sqrt(m)/(n s), C the CVaR at beta of the max of m |N(0,1)|, s_mu the stability of mu-GDP",
	Practice: addGaussian + " For sensitive queries and comparisons too; rows need not be identically distributed.",
	Proof:    Derived,
	Adaptive: true,
	Sources:  proved("transfer.md#gaussian-cvar"),
	Assumes:  []string{independentOnly},
	theorems: theorems{rule: solver.Optimised{Domain: anyQuery, Reach: gaussianCVaRTau}, halves: true},
}

// gaussianCVaRTau adds N(0, s^2) to each of m answers. The transcript is mu-GDP with mu = D sqrt(m)/(n s), so tau = C
// D sqrt(m)/(n mu) + D s_mu(beta) for every mu > 0, C the CVaR of the largest of m |N(0,1)|.
func gaussianCVaRTau(g Goal) func(int64) (float64, Mechanism) {
	d, root, lnBeta := g.Spread(), math.Sqrt(float64(g.Queries)), g.Beta.Ln()
	c := num.MaxNormalCVaR(g.Queries, lnBeta)
	// For small mu, s_mu(beta) is mu times a quarter of the hazard where the upper
	// tail is beta/4, which puts the optimum near where both terms are equal.
	slope := 1 / (4 * num.Mills(num.UpperQuantile(lnBeta-2*math.Ln2)))
	return func(samples int64) (float64, Mechanism) {
		noise := c * root / float64(samples)
		center := num.Log(noise/slope) / 2
		lnMu, tau := num.Interval{Lo: center - 1, Hi: center + 1.5}.Minimize(3e-5, func(lnMu float64) float64 {
			mu := num.Exp(lnMu)
			return noise/mu + stability.GDP(mu, theory.LogProb(lnBeta))
		})
		return solver.Certified(d*tau, d,
			Mechanism{Noise: theory.GaussianNoise, Scale: d * root / (float64(samples) * num.Exp(lnMu))})
	}
}

var (
	evenMoment      = solver.Noisy{Domain: means, Noise: noise.Even, Plan: momentPlan, Low: true}
	scheduledMoment = solver.Either{
		First:  solver.Noisy{Domain: means, Noise: noise.Falling, Plan: momentPlan, Falls: true, Low: true},
		Second: evenMoment, Most: fewQueries,
	}
)

// moment is what the goal says of the second moment of its queries, nil if it says nothing.
func moment(g goal.Goal) noise.Moment {
	switch {
	case g.Query.IsSigned() && g.Disagreement > 0:
		return noise.Difference{Disagreement: g.Disagreement}
	case g.SecondMoment > 0 && !g.Checked: // of (1+phi)/2
		return noise.Variance{Most: g.SecondMoment / 4}
	case g.AtLeast > 0:
		return noise.Accuracy{Errors: 1 - g.AtLeast}
	case g.Variance > 0:
		return noise.Variance{Most: g.Variance}
	}
	return nil
}

func momentPlan(g Goal) noise.Plan {
	return solver.PlanBy(g, noise.LowVariance(moment(g), g.Checked, noise.SidesOf(g.OneSided)))
}
