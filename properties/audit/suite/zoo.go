package suite

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/dpcalc/dpcalc/mechanism"
	"github.com/dpcalc/dpcalc/theory"
)

// Mutants returns mechanisms with a fault, and with the checks that must find it. The mutants of sparse vector are the
// numbered algorithms of [lyu17], which have been in print for s.epsilon-privacy. The bracketed name is an entry of
// docs/references.bib.
func Mutants() []Mechanism {
	stretched := func(factor float64) func(*shape) { return func(s *shape) { s.stretch = factor } }
	broken := func(change func(c *comparator)) func(s shape) subject {
		return func(s shape) subject { return s.brokenThresholdout(change) }
	}
	return []Mechanism{
		{
			Name: "laplace-0.9", Summary: "Laplace noise of 0.9 times its scale",
			Killers: []string{checkEpsilon, checkDelta, checkTradeOff, checkMaxInfo, checkPrivacy},
			change:  stretched(0.9), build: shape.laplace,
		},
		{
			Name: "laplace-sd", Summary: "Laplace noise whose scale is taken for its standard deviation",
			Killers: []string{checkEpsilon, checkZCDP, checkPrivacy},
			change:  stretched(math.Sqrt(0.5)), build: shape.laplace,
		},
		{
			Name: "laplace-double", Summary: "twice the Laplace noise: private, and less accurate than it says",
			Killers: []string{checkAccuracy},
			change:  stretched(2), build: shape.laplace,
		},
		{
			Name: "laplace-float64", Summary: "Laplace noise computed in floating point and added, not on a lattice",
			Killers: []string{checkPrivacy},
			build:   shape.floatingLaplace,
		},
		{
			Name: "gaussian-0.9", Summary: "Gaussian noise of 0.9 times its standard deviation",
			Killers: []string{checkMu, checkDelta, checkTradeOff, checkZCDP},
			change:  stretched(0.9), build: shape.gaussian,
		},
		{
			Name: "gaussian-classical", Summary: "Gaussian noise of sqrt(2 ln(1.25/delta))/epsilon at epsilon = 10, where that is too little",
			Killers: []string{checkDelta, checkTradeOff},
			build:   shape.classicalGaussian,
		},
		{
			Name: "gaussian-cut-not", Summary: "noise that is to be cut, and is not",
			Killers: []string{checkSampler, checkAccuracy},
			build: func(s shape) subject {
				return s.brokenCut(func(_ *rand.Rand, x float64) float64 { return x })
			},
		},
		{
			Name: "gaussian-cut-clipped", Summary: "noise that is clipped where it is to be redrawn",
			Killers: []string{checkSampler},
			build: func(s shape) subject {
				return s.brokenCut(func(_ *rand.Rand, x float64) float64 { return max(-cutAt, min(x, cutAt)) })
			},
		},
		{
			Name: "gaussian-cut-one-side", Summary: "noise that is redrawn above the cut, and not below its negative",
			Killers: []string{checkSampler, checkAccuracy},
			build: func(s shape) subject {
				return s.brokenCut(func(r *rand.Rand, x float64) float64 {
					for x > cutAt {
						x = r.NormFloat64()
					}
					return x
				})
			},
		},
		{
			Name: "geometric-double", Summary: "twice the geometric noise: private, and less accurate than it says",
			Killers: []string{checkAccuracy},
			change:  stretched(2), build: shape.geometric,
		},
		{
			Name: "exponential-tutorial", Summary: "the weight epsilon/sensitivity for epsilon-privacy",
			Killers: []string{checkEpsilon, checkDelta, checkTradeOff, checkZCDP},
			change:  stretched(0.5), build: shape.exponential,
		},
		{
			Name: "noisy-max-scale", Summary: "noisy max with the scale sensitivity/epsilon, for 2 sensitivity/epsilon",
			Killers: []string{checkEpsilon, checkPrivacy},
			change:  stretched(0.5), build: shape.noisyMax,
		},
		{
			Name: "svt3", Summary: "sparse vector that releases the noisy query",
			Killers: []string{checkEpsilon, checkPrivacy},
			build: func(s shape) subject {
				return s.brokenSparse(7, comparator{
					thresholdScale: 2 / s.epsilon, queryScale: 2 / s.epsilon, cutoff: 1, tells: &tells{low: -3, high: 3, same: true},
				})
			},
		},
		{
			Name: "svt4", Summary: "sparse vector whose noise is not scaled with the cut-off: (1+6c)/4 epsilon",
			Killers: []string{checkEpsilon, checkPrivacy},
			build: func(s shape) subject {
				return s.brokenSparse(4, comparator{thresholdScale: 4 / s.epsilon, queryScale: 4 / (3 * s.epsilon), cutoff: 4})
			},
		},
		{
			Name: "svt5", Summary: "sparse vector without noise on the queries, and without a cut-off",
			Killers: []string{checkEpsilon, checkPrivacy},
			build: func(s shape) subject {
				return s.brokenSparse(4, comparator{thresholdScale: 2 / s.epsilon, cutoff: 8})
			},
		},
		{
			Name: "svt6", Summary: "sparse vector without a cut-off",
			Killers: []string{checkEpsilon, checkPrivacy},
			build: func(s shape) subject {
				return s.brokenSparse(4, comparator{thresholdScale: 2 / s.epsilon, queryScale: 2 / s.epsilon, cutoff: 8})
			},
		},
		{
			Name: "thresholdout-redraw", Summary: "Thresholdout with a new threshold for every answer",
			Killers: []string{checkSampler, checkEpsilon},
			change:  func(s *shape) { s.cutoff, s.queries, s.threshold = 1, 16, -8 },
			build:   broken(func(c *comparator) { c.redraw = always }),
		},
		{
			Name: "thresholdout-frozen", Summary: "Thresholdout whose threshold is never redrawn: still private",
			Killers: []string{checkSampler},
			build:   broken(func(c *comparator) { c.redraw = never }),
		},
		{
			Name: "thresholdout-overspent", Summary: "Thresholdout that goes on when its budget is spent",
			Killers: []string{checkSampler, checkEpsilon},
			build:   broken(func(c *comparator) { c.cutoff = c.queries }),
		},
		{
			Name: "thresholdout-bare", Summary: "Thresholdout without noise on what it releases",
			Killers: []string{checkSampler, checkEpsilon, checkPrivacy},
			build:   broken(func(c *comparator) { c.tells.scale = func(int64) float64 { return 0 } }),
		},
		{
			Name: "thresholdout-multiplied", Summary: "Thresholdout whose noise on what it releases is multiplied by the value",
			Killers: []string{checkSampler, checkEpsilon, checkPrivacy},
			build: broken(func(c *comparator) {
				scale, top := c.tells.scale(0), float64(c.tells.high)
				c.tells.scale = func(released int64) float64 { return scale * float64(released) / top }
			}),
		},
		{
			Name: "thresholdout-quarter", Summary: "Thresholdout with a quarter of its noise",
			Killers: []string{checkSampler, checkEpsilon},
			build: broken(func(c *comparator) {
				scale := c.tells.scale(0) / 4
				c.thresholdScale /= 4
				c.queryScale /= 4
				c.tells.scale = func(int64) float64 { return scale }
			}),
		},
		{
			Name: "composition-k-1", Summary: "four steps counted as three",
			Killers: []string{checkEpsilon, checkDelta, checkTradeOff, checkZCDP, checkMaxInfo},
			build:   func(s shape) subject { return s.responses(steps-1, steps) },
		},
		{
			Name: "rounding-fine", Summary: "answers rounded to four values and counted as two",
			Killers: []string{checkTranscripts},
			change:  stretched(0.5), build: shape.rounding,
		},
		{
			Name: "splitting-shared", Summary: "each query from the same rows",
			Killers: []string{checkAccuracy, checkSampler},
			build: func(s shape) subject {
				return s.overfitted(func() func(query func(mechanism.Part) float64) float64 {
					return func(query func(mechanism.Part) float64) float64 { return query(mechanism.Part{From: 0, To: 64}) }
				})
			},
		},
	}
}

// floatingLaplace adds the float64 nearest to a Laplace variable to the value.
func (s shape) floatingLaplace() subject {
	at := func(value float64) func(*rand.Rand) float64 {
		return func(r *rand.Rand) float64 {
			x := -math.Log(1-r.Float64()) / s.epsilon
			if r.Uint64()&1 == 0 {
				x = -x
			}
			return value + x
		}
	}
	return subject{
		claim: pure(s.epsilon),
		bets:  &bets{text: "values 0 and 1", width: 1, first: draws(at(0)), second: draws(at(1))},
	}
}

// classicalGaussian claims (10, 1e-5)-privacy of the noise that the classical analysis
// allows for epsilon <= 1 only.
func (s shape) classicalGaussian() subject {
	goal := theory.Approx{Epsilon: 10, LnDelta: lnSmall}
	whole := theory.Composition{Each: goal, Times: 1}
	c := claim{
		text:   fmt.Sprintf("(%g, %v)-DP", goal.Epsilon, goal.LnDelta),
		until:  goal.Epsilon,
		approx: goal,
		delta:  func(epsilon float64) theory.LogProb { return must(whole.OptimalDelta(epsilon)).Value },
		most: func(q float64) float64 {
			delta := goal.LnDelta.Value()
			return min(1, math.Exp(goal.Epsilon)*q+delta, 1-math.Exp(-goal.Epsilon)*(1-delta-q))
		},
	}
	s.resolution = 16
	sub := s.gaussianNoise(c, math.Sqrt(2*math.Log(1.25/goal.LnDelta.Value()))/goal.Epsilon)
	sub.mistake = nil
	return sub
}

// brokenSparse claims epsilon-privacy of a sparse vector, on a lattice of sensitivities, for
// one record and the threshold 0: the first queries are 0 on one data set and 1 on the
// other, and the last ones, as many or one if a number is released, the other way round.
func (s shape) brokenSparse(first int, c comparator) subject {
	c.redraw = never
	c.queries = 2 * first
	if c.tells != nil {
		c.queries = first + 1
	}
	l := enumerated(1, 2, func(data []int) mechanism.Finite {
		own := c
		own.ask = func(answers, _ int) question {
			x := int64(data[0])
			if answers >= first {
				x = 1 - x
			}
			return question{x, x}
		}
		return own.finite()
	})
	return subject{claim: pure(s.epsilon), laws: l, bets: l.between(0, 1)}
}

// between bets on the number of the outcome, for two data sets.
func (l *laws) between(first, second int) *bets {
	of := func(i int) func(r *rand.Rand, out []float64) {
		return func(r *rand.Rand, out []float64) {
			out[0] = float64(l.all()[i].Draw(r))
		}
	}
	return &bets{text: fmt.Sprintf("data %v and %v", l.data(first), l.data(second)), width: 1, first: of(first),
		second: of(second)}
}

// brokenThresholdout claims what Thresholdout does, and to draw from its law.
func (s shape) brokenThresholdout(change func(c *comparator)) subject {
	honest := s.thresholdout()
	l := enumerated(s.records, 2, func(data []int) mechanism.Finite {
		c := s.holdout(data)
		change(c)
		return c.finite()
	})
	return subject{claim: honest.claim, laws: l, poses: honest.laws, bets: l.between(0, 1)}
}

// holdout is Thresholdout as a comparator, on the lattice of the means.
func (s shape) holdout(data []int) *comparator {
	n, scale := int64(s.records), 2*float64(s.cutoff)/s.epsilon
	return &comparator{
		threshold: int64(math.Floor(s.threshold + 0.5)), thresholdScale: 2 * scale, queryScale: 4 * scale,
		cutoff: int(s.cutoff), queries: s.queries,
		tells: &tells{low: 0, high: n, scale: func(int64) float64 { return scale }},
		ask: func(answers, aboves int) question {
			mean := s.asks(data, answers, aboves)
			gap := mean - n/2
			return question{max(gap, -gap), mean}
		},
	}
}
