package lowvariance

import (
	"math"

	"github.com/dpcalc/dpcalc/internal/num"
	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer/internal/walks"
)

// Noise is a way to choose the noise of the answers.
type Noise struct{ chooser func() chooser }

// Falling is the noise of [Plan.Blocks], and Even the one noise of [Plan.EvenNoise] for all answers.
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
	prior(p Plan, steep float64) walks.Prior
}

// falling remembers the plans that it has seen, and the trail of the last that came to its end.
type falling struct {
	known map[Plan]walked
	tried map[Plan]float64 // the excess on the trail of other plans
	holds Plan             // the last that is certified
	trail trail
	next  trail // that the next walk lays
	rough trail // of coarse walks
}

// walked is what a walk on its own has shown: the excess, the first and the last noise.
type walked struct {
	excess float64
	run    Run
}

// walk is the truth: it depends on the plan alone. It lays the trail for plans near.
func (c *falling) walk(p Plan) walked {
	w, ok := c.known[p]
	if ok {
		return w
	}
	c.next.forget()
	w.excess = p.schedule(fallingGrain, &c.next, func(b Block) bool {
		if w.run.Last = b.SD; w.run.First == 0 {
			w.run.First = b.SD
		}
		return true
	})
	if c.known[p] = w; w.excess <= 0 {
		c.holds = p
	}
	if w.excess < walks.Unserved {
		c.trail, c.next = c.next, c.trail
		clear(c.tried)
	}
	return w
}

func (c *falling) tune(p Plan) float64 { return c.walk(p).excess }

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

// exact believes the trail where it says that a few records less than are certified do not do, and that the excess is
// smooth from there on.
func (c *falling) exact(p Plan) float64 {
	more := p
	if more.Samples = c.holds.Samples; more == c.holds && p.Samples < more.Samples {
		rise := min(3*(float64(more.Samples)/float64(p.Samples)-1), 1e-3)
		if x := c.close(p); x > 0 && x < c.known[more].excess+rise {
			return x
		}
	}
	return c.walk(p).excess
}

func (c *falling) certifies(p Plan) bool { return c.exact(p) <= 0 }
func (c *falling) run(p Plan) Run        { return c.walk(p).run }
func (c *falling) fresh() chooser        { return c }

func (*falling) prior(p Plan, steep float64) walks.Prior {
	return walks.Of(p.Queries, p.Tau, p.Beta, steep)
}

// even remembers tau over the noise that it chose last.
type even struct{ z float64 }

func (e *even) tune(p Plan) float64 { return e.excess(p) }

// excess is the excess of a plan at its best noise.
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

func (*even) prior(p Plan, steep float64) walks.Prior {
	return walks.Prior{Descent: num.Descent{Slope: -walks.PerLn(p.Queries, p.Beta) * steep, Early: math.MaxFloat64}}
}

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

// Samples returns the least n, and false if there is none up to 2^53. The plan's own n is ignored.
func (n Noise) Samples(p Plan) (Found, bool) {
	if p.Samples = 1; p.validate() != nil {
		return Found{}, false
	}
	c, last := n.chooser(), num.Log(MaxCount)
	at := func(lnN float64) (float64, Plan) {
		p.Samples = int64(math.Ceil(num.Exp(min(lnN, last)) * (1 - 4e-15))) // so that ln n leads to n
		return max(num.Log(float64(p.Samples)), lnN), p
	}
	b := bounds{from: num.Log(p.guess()), most: last, tolerance: oneRow, steep: 1}
	found, ok := approach(c, at, b)
	if !ok {
		return Found{}, false
	}
	holds := func(n int64) bool {
		at := p
		at.Samples = n
		return n >= MaxCount || n > 0 && c.exact(at) <= 0
	}
	_, p = at(found.Zero)
	for range passes { // each walk tells more of those to plans near
		n := p.Samples
		next := n + 1
		if holds(n) {
			next = n - 1
		}
		if holds(n) != holds(next) {
			break
		}
		p.Samples = num.Ints{Lo: 1, Hi: MaxCount, Guess: n}.Least(func(n int64) bool {
			p.Samples = n
			return n >= MaxCount || c.close(p) <= 0
		})
		if p.Samples == n {
			break
		}
	}
	p.Samples = num.Ints{Lo: 1, Hi: MaxCount, Guess: p.Samples}.Least(holds)
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
	at := func(lnTau float64) (float64, Plan) { p.Tau = num.Exp(lnTau); return lnTau, p }
	m, moment := float64(p.Queries), p.Values.moment(p.Values.Share())
	from := num.Log((3*math.Sqrt(m)-p.Beta.Ln())*(moment+0.05)/float64(p.Samples)) / 2
	lnTau, ok := solve(c, at, bounds{from: min(from, most-0.1), most: most, tolerance: closely, steep: 2})
	if !ok {
		return 0, Run{}, false
	}
	for step := closely; lnTau <= most; step *= 2 { // a choice of its own may ask for a hair more
		_, p = at(lnTau)
		if run, ok := choose(c.fresh(), p); ok {
			return p.Tau, run, true
		}
		lnTau += step
	}
	return 0, Run{}, false
}

// LeastBeta returns the least failure probability, one if there is none below. It asks for no more than decisions: far
// from probabilities in use, the errors of one noise have several least values.
func (n Noise) LeastBeta(p Plan) theory.LogProb {
	const least, most = -690.0, 20.0
	if p.Beta = -1; p.validate() != nil {
		return 0
	}
	holds := func(x float64) bool { // ln beta = -e^-x
		p.Beta = theory.LogProb(-num.Exp(-x))
		return n.Certifies(p)
	}
	low, high := least, most
	for x, step := -1.0, 0.5; high-low > closely; step *= 2 {
		if holds(x) {
			high = x
		} else {
			low = x
		}
		switch {
		case low == least:
			x = max(high-step, least)
		case high == most:
			x = low + step
		default:
			x = low + (high-low)/2
		}
		if x >= most {
			return 0
		}
	}
	holds(high)
	return p.Beta
}

// bounds says where to search for a logarithm, which is worth so many of that of n. oneRow is the tolerance of a third
// of a record.
type bounds struct{ from, most, tolerance, steep float64 }

const (
	oneRow  = 0
	closely = 1e-7
)

// solve returns about the least x, to the tolerance, at which the plan is certified; false if it is not at the most.
func solve(c chooser, at func(x float64) (float64, Plan), b bounds) (x float64, ok bool) {
	found, ok := approach(c, at, b)
	if !ok {
		return 0, false
	}
	return settle(c, at, b, found)
}

// approach is solve as close as what is chosen on the way allows.
func approach(c chooser, at func(x float64) (float64, Plan), b bounds) (found num.Landing, ok bool) {
	_, p := at(b.from)
	prior := c.prior(p, b.steep)
	prior.From, prior.Step, prior.Most, prior.Tolerance = b.from, 0.02, b.most, 2e-2
	found, ok = prior.Least(of(c.near, at))
	if !ok { // coarse walks may need more than there is
		found = num.Landing{X: b.from, Zero: b.from}
	}
	d := prior.Then(found)
	for i := range passes {
		d.Tolerance = b.finest(found.X)
		if i == 0 {
			d.Tolerance = max(d.Tolerance, 2e-5)
		}
		chosen := false
		found, ok = d.Least(func(x float64) (float64, float64) {
			if chosen {
				return of(c.close, at)(x)
			}
			chosen = true
			return of(c.tune, at)(x)
		})
		if !ok {
			return found, false
		}
		far := 1e-2 // from where on there is another choice
		if d.Early == math.MaxFloat64 {
			far = 1e-4
		}
		if math.Abs(found.Zero-d.From) < far {
			break
		}
		d.Step, d.From, d.Slope, d.Bend = d.Step/10, found.Zero, found.Slope, found.Bend
	}
	return found, true
}

// settle is approach once more from there, by the exact excess.
func settle(c chooser, at func(x float64) (float64, Plan), b bounds, found num.Landing) (x float64, ok bool) {
	tolerance := b.finest(found.X)
	d := num.Descent{From: found.Zero, Step: 4 * tolerance, Most: b.most, Tolerance: tolerance}
	d.Slope, d.Bend = found.Slope, found.Bend
	found, ok = d.Least(of(c.exact, at))
	return found.X, ok
}

// of returns a function of plans as one of x, and where the plan is.
func of(f func(Plan) float64, at func(x float64) (float64, Plan)) func(x float64) (at, y float64) {
	return func(x float64) (float64, float64) {
		x, p := at(x)
		return x, f(p)
	}
}

// finest is the tolerance near x.
func (b bounds) finest(x float64) float64 {
	if b.tolerance == oneRow {
		return max(0.3*num.Exp(-x), closely)
	}
	return b.tolerance
}

// passes is how often choosing and searching alternate at most.
const passes = 30
