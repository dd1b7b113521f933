package transfer

import (
	"math"

	"github.com/dpcalc/dpcalc/internal/num"
	"github.com/dpcalc/dpcalc/theory"
)

// jointRule is the [JointBound] with a way to choose the noise. It decides a plan by an
// excess, which is at most 0 where the plan is certified, and smooth there, and falls as n, tau or
// beta grows. The unknown is where it becomes positive.
type jointRule struct {
	choose func() noiseChoice
}

// noiseChoice is a way to choose the noise, with what it remembers during one search.
type noiseChoice interface {
	excess(g Goal) float64 // the truth, at the best choice
	tuned(g Goal) float64  // at the last choice where that can be kept, else the truth
	rough(g Goal) float64  // about the same, sooner
	margin(g Goal) float64 // how far two choices for one goal may differ in the excess
	passes() int           // how often tuning and choosing anew alternate until they agree
	run(g Goal) Mechanism  // what to run for a certified plan
}

func (jointRule) applies(g Goal) error { return linear.check(g.Query) }

func (r jointRule) holds(g Goal) bool { return r.choose().excess(g) <= 0 }

func (r jointRule) queries(g Goal) int64 { return mostQueries(g, 1, r.holds) }

func (r jointRule) samples(g Goal) (reached, error) {
	last := math.Log(MaxCount)
	d := descent{choice: r.choose(), at: func(lnN float64) Goal {
		g.Samples = int64(math.Ceil(math.Exp(min(lnN, last))))
		return g
	}}
	lnN := math.Log(2+math.Sqrt(float64(g.Queries))) - 2*math.Log(g.Tau) + math.Log1p(-g.Beta.Ln())
	lnN = falling(search{from: min(lnN, last), step: 0.5, tolerance: 0.01}, d.rough)
	lnN = d.root(search{from: min(lnN, last), step: 0.02, tolerance: 0.3 * math.Exp(-lnN)})
	holds := func(n int64) bool {
		if g.Samples = n; n > 1e10 { // where one row is worth less than what a choice remembers
			return r.holds(g)
		}
		return d.choice.excess(g) <= -d.choice.margin(g)
	}
	if lnN >= last && !holds(MaxCount) {
		return reached{}, tooMany(math.Inf(1))
	}
	found := reached{n: num.Ints{Lo: 1, Hi: MaxCount, Guess: d.at(lnN).Samples}.Least(holds)}
	g.Samples = found.n
	if found.tau, found.run = r.tauBy(d.choice, g); found.tau > g.Tau { // by rounding
		found.tau, found.run = g.Tau, d.choice.run(g)
	}
	return found, nil
}

func (r jointRule) tau(g Goal) (float64, Mechanism) { return r.tauBy(r.choose(), g) }

// tauBy is the least tau, by a choice that may know a similar goal.
func (r jointRule) tauBy(choice noiseChoice, g Goal) (float64, Mechanism) {
	holds := func(g Goal) bool { return choice.excess(g) <= -choice.margin(g) }
	top := math.Log(math.Nextafter(1, 0))
	d := descent{choice: choice, at: func(lnTau float64) Goal {
		g.Tau = math.Exp(min(lnTau, top))
		return g
	}}
	n := float64(g.Samples)
	from := search{from: math.Log(g.Tau), step: 1 / n, tolerance: min(1e-8, max(0.01/n, 5e-16))}
	asked := g.Tau
	if asked == 0 || !holds(g) {
		asked = 1
		lnTau := math.Log((1-g.Beta.Ln())*math.Sqrt(float64(g.Queries)+2)/n) / 2
		from.from = falling(search{from: min(lnTau, top), step: 0.2, tolerance: 0.01}, d.rough)
		from.step = 0.02
	}
	lnTau := d.root(from)
	for step := from.tolerance; step < 1; step *= 2 { // a choice of its own may ask for a hair more
		if g = d.at(lnTau); lnTau > top {
			break
		}
		g.Tau = min(g.Tau, asked)
		if !holds(g) {
			lnTau += step
			continue
		}
		if n > 1e10 { // the logarithm has fewer digits than the answer
			g.Tau = min(g.Tau, leastTau(g, g.Tau*(1-1e-15), holds))
		}
		return g.Tau, choice.run(g)
	}
	return 1, Mechanism{}
}

func (r jointRule) beta(g Goal) theory.LogProb {
	if beyondHope(g) {
		return 0
	}
	d := descent{choice: r.choose(), at: func(x float64) Goal { // ln beta = -e^(-x)
		g.Beta = theory.LogProb(-math.Exp(-x))
		return g
	}}
	x := -math.Log(float64(g.Samples) * g.Tau * g.Tau / 2)
	x = falling(search{from: x, step: 0.2, tolerance: 0.01}, d.rough)
	x = d.root(search{from: x, step: 0.02, tolerance: 1e-11})
	for step := 1e-11; step < 1; step *= 2 {
		if g = d.at(x); x > 20 {
			break
		}
		if r.holds(g) {
			return g.Beta
		}
		x += step
	}
	return 0
}

// descent is the excess of a goal that depends on one number.
type descent struct {
	choice noiseChoice
	at     func(x float64) Goal
}

func (d descent) rough(x float64) float64 { return d.choice.rough(d.at(x)) }

// root returns an x at which the excess is about 0.
func (d descent) root(s search) float64 {
	for range d.choice.passes() {
		if d.choice.passes() > 1 {
			d.choice.excess(d.at(s.from))
		}
		last, excess := Goal{}, 0.0 // neighbouring points may be one number of records
		x := falling(s, func(x float64) float64 {
			if g := d.at(x); g != last {
				last, excess = g, d.choice.tuned(g)
			}
			return excess
		})
		if math.Abs(x-s.from) <= s.tolerance {
			return x
		}
		s.step = max(math.Abs(x-s.from)/100, s.tolerance)
		s.from = x
	}
	if d.choice.passes() == 1 {
		return s.from
	}
	return falling(s, func(x float64) float64 { return d.choice.excess(d.at(x)) })
}

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
	before, low := hi, hi
	if hi.f <= 0 {
		for step := s.step; low.x > s.from-far; step *= 2 {
			if low = at(hi.x - step); low.f > 0 {
				break
			}
			before, hi = hi, low
		}
	} else {
		for step := s.step; hi.f > 0; step *= 2 {
			if low = hi; low.x > s.from+far {
				return low.x
			}
			hi = at(hi.x + step)
		}
		before = hi
	}
	// By secants through the last two points below zero, or through the ends; where one fell
	// short, by growing steps upwards. Every eighth step halves what is left, so that nothing can
	// go on for ever.
	short := 0.0
	for step := 1; hi.x-low.x > max(s.tolerance, 4e-16*math.Abs(hi.x)); step++ {
		x := low.x + short
		if short == 0 {
			other := before
			if before.x == hi.x {
				other = low
			}
			x = hi.x - hi.f*(other.x-hi.x)/(other.f-hi.f) + s.tolerance/4
			if x <= hi.x+s.tolerance/4 { // else f is flat there
				x = min(x, hi.x-0.9*s.tolerance)
			}
		}
		bisected := !(x > low.x && x < hi.x) || step%8 == 0
		if bisected {
			x = low.x + (hi.x-low.x)/2
		}
		next := at(x)
		if next.f <= 0 {
			before, hi, short = hi, next, 0
			continue
		}
		low = next
		if short = max(8*short, s.tolerance/2); bisected {
			short = 0
		}
	}
	return hi.x
}

// beyondHope reports whether so few records allow no beta below 1-1e-12: no answer at all errs more
// rarely than e^(-2n tau^2) by the bound. What follows need not look at numbers so small.
func beyondHope(g Goal) bool { return !(float64(g.Samples)*g.Tau*g.Tau > 1e-12) }

// scheduled chooses a [NoiseSchedule].
type scheduled struct{ known map[Goal]float64 }

func (*scheduled) schedule(g Goal) NoiseSchedule {
	return NoiseSchedule{Samples: g.Samples, Queries: g.Queries, Tau: g.Tau, Beta: g.Beta}
}

func (c *scheduled) excess(g Goal) float64 {
	excess, ok := c.known[g]
	if !ok {
		excess = c.schedule(g).walk(fineGrain, func(NoiseBlock) bool { return true })
		c.known[g] = excess
	}
	return excess
}

func (c *scheduled) rough(g Goal) float64 {
	return c.schedule(g).walk(coarseGrain, func(NoiseBlock) bool { return true })
}

func (c *scheduled) tuned(g Goal) float64 { return c.excess(g) }

func (*scheduled) margin(Goal) float64 { return 0 }

func (*scheduled) passes() int { return 1 }

func (c *scheduled) run(g Goal) Mechanism {
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
	sum  *evenNoise
	z    float64 // tau/sd of the last choice
	last Goal    // what it was for
	over float64 // and the excess there
}

func (c *even) sumOver(g Goal) *evenNoise {
	if c.sum == nil || c.sum.queries != g.Queries {
		c.sum = newEvenNoise(g.Queries)
	}
	return c.sum
}

// excess looks for the noise with the least sum of errors.
func (c *even) excess(g Goal) float64 {
	switch {
	case beyondHope(g):
		return math.Inf(1)
	case g == c.last:
		return c.over
	}
	c.last, c.over = g, c.choose(g)-g.Beta.Ln()
	return c.over
}

// choose returns ln of the least sum.
func (c *even) choose(g Goal) float64 {
	sum := c.sumOver(g)
	n, m, quantile := float64(g.Samples), float64(g.Queries), noiseQuantile(g)
	at := func(v float64) float64 { return sum.lnErrors(n, g.Tau, g.Tau/math.Exp(v)) }
	top := math.Log(math.Sqrt(4*mostShift(n)/m/(1+leastExcess)) * n * g.Tau)
	over := num.Interval{Lo: math.Log(quantile) + 0.2, Hi: min(math.Log(quantile)+1.8, top)}
	over.Lo = min(over.Lo, over.Hi-0.5)
	// The sum is flat at its least value: what this leaves is less than a row is worth.
	tolerance := max(1e-7, min(0.0005/math.Sqrt(n), 1e-3))
	if v := math.Log(c.z); c.z > 0 && v-nearby > over.Lo && v+nearby < over.Hi {
		best, ln := num.Interval{Lo: v - nearby, Hi: v + nearby}.Minimize(tolerance, at)
		if math.Abs(best-v) < 0.9*nearby {
			c.z = math.Exp(best)
			return ln
		}
	}
	v, _ := over.Minimize(0.01, at)
	v, ln := num.Interval{Lo: v - 2*nearby, Hi: min(v+2*nearby, over.Hi)}.Minimize(tolerance, at)
	c.z = math.Exp(v)
	return ln
}

// nearby is how far from the last choice the best one is looked for first.
const nearby = 0.02

// noiseQuantile is what tau/sd would be if the noise made all the errors.
func noiseQuantile(g Goal) float64 {
	return num.UpperQuantile(min(g.Beta.Ln()-math.Log(float64(g.Queries)), -1) - math.Ln2)
}

func (c *even) rough(g Goal) float64 {
	if beyondHope(g) {
		return math.Inf(1)
	}
	if c.z == 0 {
		c.z = 2 * noiseQuantile(g)
	}
	return c.sumOver(g).lnErrors(float64(g.Samples), g.Tau, g.Tau/c.z) - g.Beta.Ln()
}

func (c *even) tuned(g Goal) float64 { return c.rough(g) }

func (c *even) margin(g Goal) float64 { return 1e-5 / float64(g.Samples) }

func (c *even) passes() int { return 4 }

func (c *even) run(g Goal) Mechanism {
	c.excess(g)
	return Mechanism{Noise: "gaussian", Scale: g.Tau / c.z}
}

// either is the better of two rules for the same promise, the first where they tie.
type either [2]rule

func (e either) applies(g Goal) error { return e[0].applies(g) }

func (e either) holds(g Goal) bool { return e[0].holds(g) || e[1].holds(g) }

// samples asks the second rule for its least n only if it certifies one row fewer.
func (e either) samples(g Goal) (reached, error) {
	a, err := e[0].samples(g)
	if err != nil {
		return e[1].samples(g)
	}
	if g.Samples = a.n - 1; g.Samples == 0 || !e[1].holds(g) {
		return a, nil
	}
	b, err := e[1].samples(g)
	return reached{n: b.n}, err
}

func (e either) queries(g Goal) int64 { return max(e[0].queries(g), e[1].queries(g)) }

// tau asks the second rule for its least tau only if it certifies a lesser one.
func (e either) tau(g Goal) (float64, Mechanism) {
	tau, run := e[0].tau(g)
	asked := g
	if asked.Tau = math.Nextafter(tau, 0); !e[1].holds(asked) {
		return tau, run
	}
	return e[1].tau(g)
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
	evenNoiseRule = either{
		jointRule{func() noiseChoice { return new(even) }},
		optimised{kinds: linear, reach: gaussianCVaR},
	}
	scheduledNoise = either{
		jointRule{func() noiseChoice { return &scheduled{known: make(map[Goal]float64)} }},
		inOneBlock{evenNoiseRule},
	}
)
