package lowvariance

import (
	"math"

	"github.com/dpcalc/dpcalc/internal/num"
	"github.com/dpcalc/dpcalc/theory"
)

// Noise is a way to choose the noise of the answers.
type Noise struct{ chooser func() chooser }

// Falling is the noise of [Plan.Blocks], and Even one noise for all answers, that of [Plan.EvenNoise].
var (
	Falling = Noise{func() chooser { return &falling{known: make(map[Plan]walked), tried: make(map[Plan]float64)} }}
	Even    = Noise{func() chooser { return new(even) }}
)

// Found is the least number of records, and the standard deviations of the first and the last answer.
type Found struct {
	Samples int64
	Run     Run
}

// Run is the standard deviations of the first and the last answer.
type Run struct{ First, Last float64 }

// chooser decides a plan by an excess, which is at most 0 where the plan is certified and falls as n, tau or beta
// grows.
type chooser interface {
	tune(p Plan)           // chooses what the next excesses depend on
	near(p Plan) float64   // about the excess, soon
	close(p Plan) float64  // about that, as close as what was chosen last allows
	exact(p Plan) float64  // the excess, of what was chosen last
	certifies(p Plan) bool // whether what run returns is certified
	run(p Plan) Run        // what to run for a certified plan
	fresh() chooser        // one whose choices depend on the plan alone
	rise() float64         // about minus the slope of a positive excess in ln n, 0 if nothing is known
}

// falling remembers the plans that it has seen, and the trail of the last.
type falling struct {
	known map[Plan]walked
	tried map[Plan]float64 // the excess on the trail of other plans
	trail trail
}

// walked is what a walk without a trail has shown: the excess, the first and the last noise.
type walked struct {
	excess float64
	run    Run
}

// walk is the truth: it depends on the plan alone.
func (c *falling) walk(p Plan) walked {
	w, ok := c.known[p]
	if ok {
		return w
	}
	w.excess = p.schedule(nil, func(b Block) bool {
		if w.run.Last = b.SD; w.run.First == 0 {
			w.run.First = b.SD
		}
		return true
	})
	c.known[p] = w
	return w
}

func (c *falling) tune(p Plan) {
	c.trail.fresh = true
	p.excess(&c.trail)
	c.trail.fresh = false
	clear(c.tried)
}

func (c *falling) near(p Plan) float64 { return c.close(p) }

func (c *falling) close(p Plan) float64 {
	excess, ok := c.tried[p]
	if !ok {
		excess = p.excess(&c.trail)
		c.tried[p] = excess
	}
	return excess
}

func (c *falling) exact(p Plan) float64  { return c.walk(p).excess }
func (c *falling) certifies(p Plan) bool { return c.exact(p) <= 0 }
func (c *falling) run(p Plan) Run        { return c.walk(p).run }
func (c *falling) fresh() chooser        { return c }
func (*falling) rise() float64           { return 2.3 }

// even remembers tau over the noise that it chose last.
type even struct{ z float64 }

func (e *even) tune(p Plan) { e.excess(p) }

// excess is that at the best noise.
func (e *even) excess(p Plan) float64 {
	guess := 0.0
	if e.z > 0 {
		guess = p.Tau / e.z
	}
	sd, ln := p.EvenNoise(guess)
	if sd > 0 {
		e.z = p.Tau / sd
	}
	return ln - p.Beta.Ln()
}

func (e *even) close(p Plan) float64 {
	if p.validate() != nil {
		return math.Inf(1)
	}
	if e.z == 0 {
		e.z = (1.7 + 0.7/math.Sqrt(math.Sqrt(float64(p.Queries)))) * p.quantile()
	}
	return p.EvenErrors(p.Tau/e.z) - p.Beta.Ln()
}

func (e *even) near(p Plan) float64   { return e.close(p) }
func (e *even) exact(p Plan) float64  { return e.close(p) }
func (e *even) certifies(p Plan) bool { return e.close(p) <= 0 || e.excess(p) <= 0 }
func (*even) fresh() chooser          { return new(even) }
func (*even) rise() float64           { return 0 }

func (e *even) run(p Plan) Run { return Run{p.Tau / e.z, p.Tau / e.z} }

// Certifies reports whether all answers of the plan are within tau but with probability beta.
func (n Noise) Certifies(p Plan) bool { return n.chooser().certifies(p) }

// Choose returns the noise for a plan, and false if it is not certified.
func (n Noise) Choose(p Plan) (Run, bool) { return choose(n.chooser(), p) }

func choose(c chooser, p Plan) (Run, bool) {
	if !c.certifies(p) {
		return Run{}, false
	}
	return c.run(p), true
}

// Samples returns the least n, whatever that of the plan is, and false if there is none up to 2^53.
func (n Noise) Samples(p Plan) (Found, bool) {
	if p.Samples = 1; p.validate() != nil {
		return Found{}, false
	}
	c, last := n.chooser(), num.Log(MaxCount)
	at := func(lnN float64) Plan {
		p.Samples = int64(math.Ceil(num.Exp(min(lnN, last))))
		return p
	}
	lnN, ok := solve(c, at, bounds{from: num.Log(p.guess()), most: last, tolerance: oneRow})
	if !ok {
		return Found{}, false
	}
	holds := func(n int64) bool { p.Samples = n; return n >= MaxCount || c.exact(p) <= 0 }
	p.Samples = num.Ints{Lo: 1, Hi: MaxCount, Guess: at(lnN).Samples}.Least(holds)
	for step := int64(1); p.Samples < MaxCount; step *= 2 { // a choice of its own may ask for a row more
		if run, ok := choose(c.fresh(), p); ok {
			return Found{p.Samples, run}, true
		}
		p.Samples = min(p.Samples+step, MaxCount)
	}
	return Found{}, false
}

// LeastTau returns the least accuracy, and the noise for it; ok is false if there is none below the span.
func (n Noise) LeastTau(p Plan) (tau float64, run Run, ok bool) {
	if p.Tau = 1e-3; p.validate() != nil {
		return 0, Run{}, false
	}
	c, most := n.chooser(), num.Log(p.Values.span())-1e-15
	at := func(lnTau float64) Plan { p.Tau = num.Exp(lnTau); return p }
	m, moment := float64(p.Queries), p.Values.moment(p.Values.Share())
	from := num.Log((3*math.Sqrt(m)-p.Beta.Ln())*(moment+0.05)/float64(p.Samples)) / 2
	lnTau, ok := solve(c, at, bounds{from: min(from, most-0.1), most: most, tolerance: closely})
	if !ok {
		return 0, Run{}, false
	}
	for step := closely; lnTau <= most; step *= 2 { // a choice of its own may ask for a hair more
		if run, ok := choose(c.fresh(), at(lnTau)); ok {
			return p.Tau, run, true
		}
		lnTau += step
	}
	return 0, Run{}, false
}

// LeastBeta returns the least failure probability, one if there is none below.
func (n Noise) LeastBeta(p Plan) theory.LogProb {
	const most = 20.0
	if p.Beta = -1; p.validate() != nil {
		return 0
	}
	c := n.chooser()
	at := func(x float64) Plan { // ln beta = -e^-x
		p.Beta = theory.LogProb(-num.Exp(-max(min(x, most), -690)))
		return p
	}
	x, ok := solve(c, at, bounds{from: -1, most: most, tolerance: closely})
	for step := closely; ok && !c.fresh().certifies(at(x)); step *= 2 {
		x += step
		ok = x < most
	}
	if !ok {
		return 0
	}
	return p.Beta
}

// bounds says where to search for a logarithm. oneRow is the tolerance of a third of a record.
type bounds struct{ from, most, tolerance float64 }

const (
	oneRow  = 0
	closely = 1e-7
)

// solve returns about the least x, to the tolerance, at which the plan is certified, or about that for oneRow; false if
// it is not at the most.
func solve(c chooser, at func(x float64) Plan, b bounds) (x float64, ok bool) {
	near := search{f: func(x float64) float64 { return c.near(at(x)) }, most: b.most, step: 0.05, tolerance: 0.02}
	near.rise = c.rise()
	found := near.from(b.from)
	fine := search{f: func(x float64) float64 { return c.close(at(x)) }, most: b.most, step: 0.01, rise: c.rise()}
	if fine.rise > 0 { // else what is chosen anew changes the slope
		fine.slope = found.slope
	}
	for i := range passes {
		c.tune(at(found.x))
		if fine.tolerance = b.tolerance; b.tolerance == oneRow {
			fine.tolerance = max(0.3*num.Exp(-found.x), closely)
		}
		if i == 0 {
			fine.tolerance = max(fine.tolerance, 1e-3)
		}
		fine.step = max(fine.step, 2*fine.tolerance)
		last := found.x
		if found = fine.from(last); !found.ok {
			return found.x, false
		}
		if i > 0 && math.Abs(found.x-last) < 1e-4 {
			break
		}
		fine.step /= 10
	}
	if b.tolerance == oneRow {
		return found.x, true
	}
	fine.f, fine.step, fine.slope = func(x float64) float64 { return c.exact(at(x)) }, 4*fine.tolerance, found.slope
	found = fine.from(found.x)
	return found.x, found.ok
}

// passes is how often choosing and searching alternate at most.
const passes = 5

// search is for the least x at which f, which falls, is at most 0. Only where it is at most 0 must f be smooth.
type search struct {
	f                     func(x float64) float64
	most, step, tolerance float64
	slope                 float64 // about that of f where it is negative, 0 if nothing is known
	rise                  float64 // about minus that where it is positive
}

// root is where a search has come to, and about the slope there; it is not ok if f is positive up to the most.
type root struct {
	x, slope float64
	ok       bool
}

// from returns an x at which f is at most 0, within about the tolerance of the least such. Secants go through the last
// two points below zero; where one falls short, growing steps go up again.
func (s search) from(start float64) root {
	type point struct{ x, f float64 }
	at := func(x float64) point { return point{x, s.f(x)} }
	low, hi, slope := math.Inf(-1), at(min(start, s.most)), s.slope
	for step := s.step; !(hi.f <= 0); step *= 2 {
		if low = hi.x; !(low < s.most) {
			return root{low, slope, false}
		}
		if further := 1.1 * hi.f; further < s.rise {
			step = max(step, further/s.rise)
		}
		hi = at(min(low+step, s.most))
	}
	for i, short := 0, 0.0; i < 100; i++ {
		zero := hi.x - hi.f/slope
		if !(slope < 0 && zero < hi.x && zero > start-700) { // nothing is known, or f is flat
			zero = hi.x - s.step
		}
		if hi.x-max(zero, low) <= s.tolerance {
			break
		}
		x := zero + s.tolerance/2
		if low > math.Inf(-1) && x <= low+short {
			if x = low + short; i%8 == 7 || x >= hi.x {
				x = (low + hi.x) / 2
			}
		}
		if next := at(x); next.f <= 0 {
			slope, hi, short = (hi.f-next.f)/(hi.x-next.x), next, 0
		} else {
			low, short = x, max(4*short, (hi.x-x)/16, s.tolerance)
		}
	}
	return root{hi.x, slope, true}
}
