package transfer

import (
	"math"

	"github.com/dpcalc/dpcalc/internal/num"
	"github.com/dpcalc/dpcalc/theory"
)

// jointRule is the [JointBound] with a way to choose the noise. It decides a plan by an
// excess, which is at most 0 where the plan is certified, is continuous, and falls as n,
// tau or beta grows. All four unknowns are roots of it.
type jointRule struct {
	choose func() noiseChoice
}

// noiseChoice is a way to choose the noise, with what it remembers during one search.
type noiseChoice interface {
	excess(g Goal) float64 // the truth
	rough(g Goal) float64  // about the same, sooner
	run(g Goal) Mechanism  // what to run for a certified plan
}

func (jointRule) applies(g Goal) error { return linear.check(g.Query) }

func (r jointRule) holds(g Goal) bool { return r.choose().excess(g) <= 0 }

func (r jointRule) queries(g Goal) int64 { return mostQueries(g, 1, r.holds) }

func (r jointRule) samples(g Goal) (reached, error) {
	last := math.Log(MaxCount)
	choice := r.choose()
	at := func(lnN float64) Goal {
		g.Samples = int64(math.Ceil(math.Exp(min(lnN, last))))
		return g
	}
	lnN := math.Log(2+math.Sqrt(float64(g.Queries))) - 2*math.Log(g.Tau) + math.Log1p(-g.Beta.Ln())
	lnN = falling(search{from: min(lnN, last), step: 0.5, tolerance: 3e-3}, func(lnN float64) float64 { return choice.rough(at(lnN)) })
	known := map[int64]float64{}
	excess := func(g Goal) float64 {
		x, ok := known[g.Samples]
		if !ok {
			x = r.choose().excess(g)
			known[g.Samples] = x
		}
		return x
	}
	lnN = falling(search{from: min(lnN, last), step: 0.005, tolerance: 0.3 * math.Exp(-lnN)}, func(lnN float64) float64 { return excess(at(lnN)) })
	if lnN >= last && excess(at(last)) > 0 {
		return reached{}, tooMany(math.Inf(1))
	}
	return reached{n: num.Ints{Lo: 1, Hi: MaxCount, Guess: at(lnN).Samples}.Least(func(n int64) bool {
		g.Samples = n
		return excess(g) <= 0
	})}, nil
}

func (r jointRule) tau(g Goal) (float64, Mechanism) {
	top := math.Log(math.Nextafter(1, 0))
	d := descent{choice: r.choose(), at: func(lnTau float64) Goal {
		g.Tau = math.Exp(min(lnTau, top))
		return g
	}}
	from := search{from: math.Log(g.Tau), step: 1 / float64(g.Samples), tolerance: 1e-7}
	if g.Tau == 0 || d.excess(from.from) > 0 {
		lnTau := math.Log((1-g.Beta.Ln())*math.Sqrt(float64(g.Queries)+2)/float64(g.Samples)) / 2
		from.from = falling(search{from: min(lnTau, top), step: 0.2, tolerance: 3e-3}, d.rough)
		from.step = 0.005
	}
	lnTau := falling(from, d.excess)
	g.Tau = 0
	if lnTau > top {
		return 1, Mechanism{}
	}
	g = d.at(lnTau)
	choice := r.choose()
	for range 20 { // what one search knows, another may not
		if choice.excess(g) <= 0 {
			return g.Tau, choice.run(g)
		}
		g.Tau = min(g.Tau*(1+1e-7), math.Nextafter(1, 0))
	}
	return 1, Mechanism{}
}

func (r jointRule) beta(g Goal) theory.LogProb {
	d := descent{choice: r.choose(), at: func(x float64) Goal {
		g.Beta = theory.LogProb(-math.Exp(-x))
		return g
	}}
	x := -math.Log(float64(g.Samples) * g.Tau * g.Tau / 2)
	x = falling(search{from: x, step: 0.2, tolerance: 3e-3}, d.rough)
	x = falling(search{from: x, step: 0.005, tolerance: 1e-10}, d.excess)
	if x > 20 {
		return 0
	}
	g = d.at(x)
	for range 20 {
		if r.holds(g) {
			return g.Beta
		}
		g.Beta *= 1 - 1e-10
	}
	return 0
}

// descent is the excess of a goal that depends on one number.
type descent struct {
	choice noiseChoice
	at     func(x float64) Goal
}

func (d descent) excess(x float64) float64 { return d.choice.excess(d.at(x)) }
func (d descent) rough(x float64) float64  { return d.choice.rough(d.at(x)) }

// search says where to look for the least x at which a function that falls is at most 0.
type search struct{ from, step, tolerance float64 }

// falling returns a point at which f, which falls, is at most 0, within about the
// tolerance of the least such; it is far above from if there is none. Only where it is at most 0
// must f be smooth.
func falling(s search, f func(float64) float64) float64 {
	const far = 200
	type point struct{ x, f float64 }
	at := func(x float64) point { return point{x, f(x)} }
	hi := at(s.from)
	before, low := hi, hi.x
	if hi.f <= 0 {
		for step := s.step; low > s.from-far; step *= 2 {
			next := at(hi.x - step)
			if low = next.x; next.f > 0 {
				break
			}
			before, hi = hi, next
		}
	} else {
		for step := s.step; hi.f > 0; step *= 2 {
			if low = hi.x; low > s.from+far {
				return low
			}
			hi = at(hi.x + step)
		}
		before = hi
	}
	// By secants through the last two points below zero; where one fell short, by
	// growing steps upwards.
	// Every fourth step halves what is left, so that nothing can go on for ever.
	short := 0.0
	for step := 1; hi.x-low > max(s.tolerance, 1e-15*math.Abs(hi.x)); step++ {
		x := low + short
		if short == 0 {
			x = hi.x - hi.f*(before.x-hi.x)/(before.f-hi.f) + s.tolerance/4
			if x <= hi.x+s.tolerance/4 { // else f is flat there
				x = min(x, hi.x-0.9*s.tolerance)
			}
		}
		bisected := !(x > low && x < hi.x) || step%4 == 0
		if bisected {
			x = low + (hi.x-low)/2
		}
		next := at(x)
		if next.f <= 0 {
			before, hi, short = hi, next, 0
			continue
		}
		low = x
		if short = max(4*short, s.tolerance/2); bisected {
			short = 0
		}
	}
	return hi.x
}

// scheduled chooses a [NoiseSchedule].
type scheduled struct{}

func (scheduled) schedule(g Goal) NoiseSchedule {
	return NoiseSchedule{Samples: g.Samples, Queries: g.Queries, Tau: g.Tau, Beta: g.Beta}
}

func (c scheduled) excess(g Goal) float64 {
	return c.schedule(g).walk(fineGrain, func(NoiseBlock) bool { return true })
}

func (c scheduled) rough(g Goal) float64 {
	return c.schedule(g).walk(coarseGrain, func(NoiseBlock) bool { return true })
}

func (c scheduled) run(g Goal) Mechanism {
	s := c.schedule(g)
	m := Mechanism{Noise: "gaussian", Schedule: &s}
	for block := range s.Blocks() {
		if m.ScaleFirst == 0 {
			m.ScaleFirst = block.SD
		}
		m.Scale = block.SD
	}
	return m
}

// even chooses one noise for all answers.
type even struct {
	sum *evenNoise
	z   float64 // tau/sd of the last choice
}

func (c *even) sumOver(g Goal) *evenNoise {
	if c.sum == nil || c.sum.queries != g.Queries {
		c.sum = newEvenNoise(g.Queries)
	}
	return c.sum
}

// excess looks for the noise with the least sum of errors.
func (c *even) excess(g Goal) float64 {
	sum := c.sumOver(g)
	n, m, quantile := float64(g.Samples), float64(g.Queries), noiseQuantile(g)
	top := math.Sqrt(4*mostShift(n)/m/(1+leastExcess)) * n * g.Tau
	over := num.Interval{Lo: math.Log(quantile) + 0.2, Hi: math.Log(quantile) + 1.8}
	over.Hi = min(over.Hi, math.Log(top))
	over.Lo = min(over.Lo, over.Hi-0.5)
	v, ln := over.Minimize(3e-3, func(v float64) float64 { return sum.lnErrors(g.Samples, g.Tau, g.Tau/math.Exp(v)) })
	c.z = math.Exp(v)
	return ln - g.Beta.Ln()
}

// noiseQuantile is what tau/sd would be if the noise made all the errors.
func noiseQuantile(g Goal) float64 {
	return num.UpperQuantile(min(g.Beta.Ln()-math.Log(float64(g.Queries)), -1) - math.Ln2)
}

func (c *even) rough(g Goal) float64 {
	if c.z == 0 {
		c.z = 2 * noiseQuantile(g)
	}
	return c.sumOver(g).lnErrors(g.Samples, g.Tau, g.Tau/c.z) - g.Beta.Ln()
}

func (c *even) run(g Goal) Mechanism {
	c.excess(g)
	return Mechanism{Noise: "gaussian", Scale: g.Tau / c.z}
}

// either is the better of two rules for the same promise, the first where they tie.
type either [2]rule

func (e either) applies(g Goal) error { return e[0].applies(g) }

func (e either) holds(g Goal) bool { return e[0].holds(g) || e[1].holds(g) }

func (e either) samples(g Goal) (reached, error) {
	a, err := e[0].samples(g)
	b, other := e[1].samples(g)
	if err != nil {
		return b, other
	}
	if other != nil || a.n < b.n {
		return a, nil
	}
	return reached{n: b.n}, nil
}

func (e either) queries(g Goal) int64 { return max(e[0].queries(g), e[1].queries(g)) }

func (e either) tau(g Goal) (float64, Mechanism) {
	tau, run := e[0].tau(g)
	if other, second := e[1].tau(g); other < tau {
		return other, second
	}
	return tau, run
}

func (e either) beta(g Goal) theory.LogProb {
	a, b := e[0].beta(g), e[1].beta(g)
	if a == 0 || b != 0 && b < a {
		return b
	}
	return a
}

// inOneBlock is a rule whose single noise is given as a schedule of one block.
type inOneBlock struct{ rule }

func (r inOneBlock) tau(g Goal) (float64, Mechanism) {
	tau, run := r.rule.tau(g)
	run.ScaleFirst = run.Scale
	return tau, run
}

// The joint bound is a union over queries: the CVaR theorem, which is about the largest noise, may do
// with fewer records where beta is large, or m is too large for the variance lemma. Where beta
// is large, equal shares of it may ask for more than equal noise does.
var (
	evenNoiseRule  = either{jointRule{func() noiseChoice { return new(even) }}, optimised{kinds: linear, reach: gaussianCVaR}}
	scheduledNoise = either{jointRule{func() noiseChoice { return scheduled{} }}, inOneBlock{evenNoiseRule}}
)
