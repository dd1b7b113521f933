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
	tune(p Plan) float64   // chooses what the next excesses depend on, and returns that excess
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
	rough trail // of coarse walks
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
	w.excess = p.schedule(fallingGrain, nil, func(b Block) bool {
		if w.run.Last = b.SD; w.run.First == 0 {
			w.run.First = b.SD
		}
		return true
	})
	c.known[p] = w
	return w
}

func (c *falling) tune(p Plan) float64 {
	c.trail.fresh = true
	excess := p.excess(&c.trail)
	c.trail.fresh = false
	clear(c.tried)
	return excess
}

func (c *falling) near(p Plan) float64 {
	return p.schedule(roughGrain, &c.rough, func(Block) bool { return true })
}

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

func (e *even) tune(p Plan) float64 { return e.excess(p) }

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
func (e *even) certifies(p Plan) bool { return e.close(p) <= 0 || !p.hopeless() && e.excess(p) <= 0 }
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
	lnN, ok := solve(c, at, bounds{from: num.Log(p.guess()), most: last, tolerance: oneRow, slope: -0.6})
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
	lnTau, ok := solve(c, at, bounds{from: min(from, most-0.1), least: -690, most: most, tolerance: closely})
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
	x, ok := solve(c, at, bounds{from: -1, least: -690, most: most, tolerance: closely})
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
type bounds struct{ from, least, most, tolerance, slope float64 }

const (
	oneRow  = 0
	closely = 1e-7
)

// solve returns about the least x, to the tolerance, at which the plan is certified, or about that for oneRow; false if
// it is not at the most.
func solve(c chooser, at func(x float64) Plan, b bounds) (x float64, ok bool) {
	by := func(excess func(Plan) float64) func(x float64) point {
		return func(x float64) point { return point{x, excess(at(x))} }
	}
	near := search{at: by(c.near), least: b.least, most: b.most, slope: b.slope, rise: c.rise()}
	near.step, near.tolerance = 0.05, 5e-3
	found := near.from(near.at(min(b.from, b.most)))
	if !found.ok { // coarse walks may need more than there is
		found.zero = b.from
	}
	fine := search{at: by(c.close), least: b.least, most: b.most, step: 0.01, rise: c.rise()}
	far := 1e-4        // from where on there is another choice
	if fine.rise > 0 { // else that changes the excess
		fine.slope, far = found.slope, surely
	}
	for i := range passes {
		fine.tolerance = b.finest(found.x)
		if i == 0 {
			fine.tolerance = max(fine.tolerance, 2e-5)
		}
		fine.step = max(fine.step, 2*fine.tolerance)
		start := found.zero
		if found = fine.from(by(c.tune)(start)); !found.ok {
			return found.x, false
		}
		if math.Abs(found.zero-start) < far {
			break
		}
		fine.step, fine.slope = fine.step/10, found.slope
	}
	fine.at, fine.step, fine.slope = by(c.exact), 4*fine.tolerance, found.slope
	fine.tolerance = b.finest(found.x)
	found = fine.from(fine.at(found.zero))
	return found.x, found.ok
}

// finest is the tolerance near x.
func (b bounds) finest(x float64) float64 {
	if b.tolerance == oneRow {
		return max(0.3*num.Exp(-x), closely)
	}
	return b.tolerance
}

// surely is how far a search may have gone from where its trail was laid.
const surely = 1e-2

// passes is how often choosing and searching alternate at most.
const passes = 30

// point is one of a function.
type point struct{ x, f float64 }

// search is for the least x at which f, which falls, is at most 0. It must be smooth where it is below early.
type search struct {
	at              func(x float64) point
	least, most     float64
	step, tolerance float64
	slope           float64 // about that of f where it is smooth, 0 if nothing is known
	rise            float64 // about minus that of f from early on, 0 if f is smooth there, too
}

// root is where a search has come to, and about the slope there; it is not ok if f is positive up to the most.
type root struct {
	x, slope, zero float64 // zero is about where f is that
	ok             bool
}

// from returns an x at which f is at most 0, within about the tolerance of the least such. Secants go through the last
// two points where f is smooth.
func (s search) from(now point) root {
	low, hi, slope, same := math.Inf(-1), math.Inf(1), s.slope, 0
	for i, step := 0, s.step; i < 100; i, step = i+1, 1.5*step {
		if now.f <= 0 {
			hi = now.x
		} else if low = now.x; low >= s.most {
			break
		}
		zero := s.zero(now, slope, step)
		if now.f > 0 && math.IsInf(hi, 1) {
			zero = max(zero, now.x+step-s.step)
		}
		if hi-max(low, s.least) <= s.tolerance || zero < hi && hi-zero <= s.tolerance {
			return root{hi, slope, max(min(zero, hi), low), true}
		}
		last, x := now, zero+s.tolerance/2
		if inside := x > low && x < hi; !inside && math.IsInf(hi-low, 1) {
			x = now.x + math.Copysign(step, now.f)
		} else if !inside || same > 1 {
			x = (low + hi) / 2
		}
		if now = s.at(min(max(x, s.least), s.most)); s.smooth(now) && s.smooth(last) && min(now.f, last.f) <= 0 {
			slope = min((now.f-last.f)/(now.x-last.x), 0)
		}
		if same++; (now.f <= 0) != (last.f <= 0) || math.IsInf(hi-low, 1) {
			same = 0
		}
	}
	return root{min(hi, s.most), slope, min(hi, s.most), hi <= s.most}
}

// zero returns about where f is zero, or the next place to look.
func (s search) zero(now point, slope, step float64) float64 {
	switch {
	case s.smooth(now) && slope < 0:
		return now.x - now.f/slope
	case !s.smooth(now) && s.rise > 0 && now.f < 2*early:
		return now.x + (now.f-early)/s.rise
	}
	return now.x + math.Copysign(step, now.f)
}

// smooth reports whether f is where the point is.
func (s search) smooth(p point) bool { return p.f < early || s.rise == 0 && !math.IsInf(p.f, 1) }
