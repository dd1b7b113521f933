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
	Falling = Noise{func() chooser { return falling{make(map[Plan]float64)} }}
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
	excess(p Plan) float64 // at the best choice
	near(p Plan) float64   // about that, sooner
	close(p Plan) float64  // that, as close as the least is searched for, if the last best choice is kept
	run(p Plan) Run        // what to run for a certified plan
	fresh() chooser        // one whose choices depend on the plan alone
}

// falling remembers the plans that it has seen.
type falling struct{ seen map[Plan]float64 }

func (c falling) excess(p Plan) float64 {
	excess, ok := c.seen[p]
	if !ok {
		excess = p.excess(fineGrain)
		c.seen[p] = excess
	}
	return excess
}

func (falling) near(p Plan) float64    { return p.excess(coarseGrain) }
func (c falling) close(p Plan) float64 { return c.excess(p) }
func (c falling) fresh() chooser       { return c }

func (falling) run(p Plan) (run Run) {
	for b := range p.Blocks() {
		if run.First == 0 {
			run.First = b.SD
		}
		run.Last = b.SD
	}
	return run
}

// even remembers tau over the noise that it chose last.
type even struct{ z float64 }

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

func (*even) fresh() chooser { return new(even) }

func (e *even) near(p Plan) float64 { return e.close(p) }

func (e *even) run(p Plan) Run { return Run{p.Tau / e.z, p.Tau / e.z} }

// Certifies reports whether all answers of the plan are within tau but with probability beta.
func (n Noise) Certifies(p Plan) bool { return certified(n.chooser(), p) }

func certified(c chooser, p Plan) bool { return c.close(p) <= 0 || c.excess(p) <= 0 }

// Choose returns the noise for a plan, and false if it is not certified.
func (n Noise) Choose(p Plan) (Run, bool) { return choose(n.chooser(), p) }

func choose(c chooser, p Plan) (Run, bool) {
	if !certified(c, p) {
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
	holds := func(n int64) bool { p.Samples = n; return n >= MaxCount || c.close(p) <= 0 }
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
	for step := closely; ok && !certified(c.fresh(), at(x)); step *= 2 {
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

// solve returns about the least x, to the tolerance, at which the plan is certified; false if it is not at the most.
func solve(c chooser, at func(x float64) Plan, b bounds) (x float64, ok bool) {
	rough := search{f: func(x float64) float64 { return c.near(at(x)) }, most: b.most, step: 0.2, tolerance: 0.01}
	if x, ok = rough.from(b.from); !ok {
		x = b.most
	}
	fine := search{f: func(x float64) float64 { return c.close(at(x)) }, most: b.most}
	fine.step = 0.01
	for range passes {
		c.excess(at(x))
		if fine.tolerance = b.tolerance; b.tolerance == oneRow {
			fine.tolerance = max(0.3*num.Exp(-x), closely)
		}
		fine.step = max(fine.step, 2*fine.tolerance)
		last := x
		if x, ok = fine.from(last); !ok {
			return x, false
		}
		if _, kept := c.(falling); kept || math.Abs(x-last) < 1e-3 {
			break
		}
		fine.step /= 10
	}
	return x, true
}

// passes is how often choosing and searching alternate at most.
const passes = 5

// search is for the least x at which f, which falls, is at most 0. Only where it is at most 0 must f be smooth.
type search struct {
	f                     func(x float64) float64
	most, step, tolerance float64
}

// from returns an x at which f is at most 0, within about the tolerance of the least such; ok is false if there is
// none up to the most. Secants go through the last two points below zero; where one falls short, growing steps go
// up again.
func (s search) from(start float64) (x float64, ok bool) {
	type point struct{ x, f float64 }
	at := func(x float64) point { return point{x, s.f(x)} }
	low, hi := math.Inf(-1), at(min(start, s.most))
	for step := s.step; !(hi.f <= 0); step *= 2 {
		if low = hi.x; !(low < s.most) {
			return low, false
		}
		hi = at(min(low+step, s.most))
	}
	before := at(min(hi.x+s.step, s.most+s.step))
	for i, short := 0, 0.0; i < 100; i++ {
		root := hi.x - hi.f*(before.x-hi.x)/(before.f-hi.f)
		if !(root < hi.x && root > start-700) { // f is flat
			root = hi.x - s.step
		}
		if hi.x-max(root, low) <= s.tolerance {
			break
		}
		x := root + s.tolerance/2
		if low > math.Inf(-1) && x <= low+short {
			if x = low + short; i%8 == 7 || x >= hi.x {
				x = (low + hi.x) / 2
			}
		}
		if next := at(x); next.f <= 0 {
			before, hi, short = hi, next, 0
		} else {
			low, short = x, max(4*short, (hi.x-x)/16, s.tolerance)
		}
	}
	return hi.x, true
}
