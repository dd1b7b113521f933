package joint

import (
	"math"

	"github.com/dpcalc/dpcalc/internal/num"
	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer/internal/walks"
)

// Noise is a way to choose the noise of Gaussian answers. It decides a plan by an
// excess, which is at most 0 where the [Bound] certifies the plan, and smooth there, and falls as n, tau or
// beta grows. The unknown is where it becomes positive.
type Noise struct {
	choose func() choice
	spread float64 // n tau^2 grows with this times sqrt((m-1) (0.83 ln m - ln beta)), about
	smooth bool    // whether the excess has the slope and the bend of [Noise.prior] where it is 0
}

// Even is the best constant noise, and Falling the noise of [Plan.Blocks].
var (
	Even    = Noise{func() choice { return new(even) }, 1.15, false}
	Falling = Noise{newScheduled, 0.876, true}
)

// Run is what a plan is run with: the standard deviations of the first and the last answer.
type Run struct{ First, Last float64 }

// Found is the least number of records, the least accuracy that they certify, and the noise for it.
type Found struct {
	Samples int64
	Tau     float64
	Run     Run
}

// choice is a way to choose the noise, with what it remembers during one search.
type choice interface {
	excess(p Plan) float64                          // at the best choice
	likely(p Plan) bool                             // is about holds, and as quick as excess
	holds(p Plan) bool                              // certifies p
	near(l line, d num.Descent) (num.Landing, bool) // where the excess is about 0, soon
	root(l line, d num.Descent) (num.Landing, bool) // the same, to the tolerance, and so that likely agrees
	least(l line, d num.Descent) (float64, bool)    // the same, and so that holds agrees
	run(p Plan) Run                                 // what to run for a certified plan
}

// Certifies reports whether all answers of the plan are within tau but with probability beta.
func (r Noise) Certifies(p Plan) bool {
	choice := r.choose()
	if _, one := choice.(*even); one && new(even).hopeless(p) {
		return false
	}
	return choice.excess(p) <= 0
}

// Samples returns the least n, and false if there is none up to 2^53. The plan's own n is ignored.
func (r Noise) Samples(p Plan) (Found, bool) {
	last := num.Log(theory.MaxSamples)
	l := line{choice: r.choose(), at: func(lnN float64) (float64, Plan) {
		p.Samples = int64(math.Ceil(num.Exp(min(lnN, last)) * (1 - 4e-15))) // so that ln n leads to n
		return max(num.Log(float64(p.Samples)), lnN), p
	}}
	d := r.prior(p, 1)
	d.From = num.Log(r.scale(p)) - 2*num.Log(p.Tau) + 2*p.Tau*p.Tau // the last is a fit
	d.Step, d.Most, d.Tolerance = 0.02, last, nearEnough
	found, ok := l.choice.near(l, d.Descent)
	if ok {
		fine := d.Then(found)
		fine.Tolerance = 0.3 * num.Exp(-found.X)
		found, ok = l.choice.root(l, fine)
	}
	least := func(holds func(Plan) bool) int64 {
		return num.Ints{Lo: 1, Hi: theory.MaxSamples, Guess: l.nearest(found.X).Samples}.Least(func(n int64) bool {
			if p.Samples = n; n > 1e10 { // where one row is worth less than what a choice remembers
				return r.Certifies(p)
			}
			return holds(p)
		})
	}
	if p.Samples = theory.MaxSamples; (!ok || found.X >= last) && !r.Certifies(p) {
		return Found{}, false
	}
	if p = l.nearest(found.Zero); !r.smooth || p.Samples > 1e10 || !l.choice.likely(p) {
		p.Samples = least(l.choice.likely)
	}
	tau, run := r.tauBy(l.choice, p, found)
	// If one row fewer certified tau, the same tau/sd with this one would certify tau sqrt(1-1/n), and tau is least: 0.48
	// leaves room for the tolerance.
	if n := p.Samples; r.smooth && tau <= p.Tau*(1-0.48/float64(n)) {
		if p.Samples = least(l.choice.likely); p.Samples != n {
			tau, run = r.tauBy(l.choice, p, found)
		}
	}
	if tau > p.Tau { // it does not hold, or only by rounding
		p.Samples = least(l.choice.holds)
		tau, run = p.Tau, l.choice.run(p)
	}
	if p.Samples == theory.MaxSamples && !r.Certifies(p) {
		return Found{}, false
	}
	return Found{Samples: p.Samples, Tau: tau, Run: run}, true
}

// LeastTau returns the least accuracy, 1 if there is none below, and the noise for it. It is found sooner
// if the plan's is close.
func (r Noise) LeastTau(p Plan) (float64, Run) { return r.tauBy(r.choose(), p, num.Landing{}) }

// tauBy is the least tau, by a choice that may know a similar plan, and then about the slope and bend of the excess
// in ln n, which is worth half as much as ln tau.
func (r Noise) tauBy(choice choice, p Plan, inN num.Landing) (float64, Run) {
	top, asked, lnAsked := num.Log(math.Nextafter(1, 0)), p.Tau, num.Log(p.Tau)
	l := line{choice: choice, at: func(lnTau float64) (float64, Plan) {
		if p.Tau = asked; lnTau != lnAsked { // whose logarithm leads to a neighbour
			p.Tau = num.Exp(min(lnTau, top))
		}
		return lnTau, p
	}}
	n := float64(p.Samples)
	d, tolerance := r.prior(p, 2), min(1e-8, max(0.01/n, 5e-16))
	d.Most = top
	if asked == 0 || !choice.likely(p) && !choice.holds(p) {
		asked = 1
		d.From, d.Step, d.Tolerance = num.Log(r.scale(p)/n)/2, 0.01, nearEnough
		found, ok := choice.near(l, d.Descent)
		if !ok {
			found.Zero = top
		}
		d.Descent = d.Then(found)
	} else {
		d.From, d.Step, d.Known = lnAsked, 1/n, false
		d.Slope, d.Bend = 2*inN.Slope, inN.Bend/2
	}
	d.Tolerance = tolerance
	most := asked
	lnTau, ok := choice.least(l, d.Descent)
	for step := d.Tolerance; ok && lnTau <= top && step < 1; step *= 2 { // a choice of its own may ask for a hair more
		p = l.nearest(lnTau)
		p.Tau = min(p.Tau, most)
		if !choice.holds(p) {
			lnTau, most = lnTau+step, 1 // the tau asked for holds by about as little
			continue
		}
		if n > 1e10 { // the logarithm has fewer digits than the answer
			p.Tau = min(p.Tau, p.leastTau(choice.holds))
		}
		return p.Tau, choice.run(p)
	}
	return 1, Run{}
}

// leastTau is the least one to the last digit. The plan's is close.
func (s Plan) leastTau(holds func(Plan) bool) float64 {
	in := num.Floats{Lo: 0, Hi: math.Nextafter(1, 0), Guess: s.Tau * (1 - 1e-15)}
	return in.Least(func(tau float64) bool { s.Tau = tau; return holds(s) })
}

// LeastBeta returns the least failure probability, one if there is none below.
func (r Noise) LeastBeta(p Plan) theory.LogProb {
	if p.beyondHope() {
		return 0
	}
	const most, tolerance = 20, 1e-11
	l := line{choice: r.choose(), at: func(x float64) (float64, Plan) { // ln beta = -e^(-x)
		p.Beta = theory.LogProb(-num.Exp(-max(min(x, 2*most), -690)))
		return x, p
	}}
	var d walks.Prior
	d.From, d.Step, d.Most, d.Tolerance = -num.Log(r.exponent(p)), 0.1, most, 0.01
	d.Early = r.prior(p, 1).Early
	found, _ := l.choice.near(l, d.Descent)
	fine := d.Then(found)
	fine.Tolerance = tolerance
	low, ok := l.choice.least(l, fine)
	if !ok {
		return 0
	}
	high := low
	certified := func(x float64) bool { return r.Certifies(l.nearest(x)) }
	for step := tolerance; high <= most && !certified(high); step *= 2 { // a choice of its own may ask for more
		low, high = high, high+step
	}
	for high-low > tolerance {
		if mid := low + (high-low)/2; certified(mid) {
			high = mid
		} else {
			low = mid
		}
	}
	if high > most {
		return 0
	}
	return l.nearest(high).Beta
}

// scale returns about what n tau^2 is for the least n, where tau is small. It is exact for one query. The numbers in it
// and in half are fits to plans of some queries.
func (r Noise) scale(p Plan) float64 {
	m, l := float64(p.Queries), -p.Beta.Ln()
	return l/2 + r.half(m)*math.Sqrt(0.83*num.Log(m)+l)
}

// half is what scale has of sqrt(0.83 ln m - ln beta).
func (r Noise) half(m float64) float64 { return r.spread * (1 - 0.7/m) * math.Sqrt(m-1) }

// exponent returns about what -ln beta is for the least beta: it solves scale for it.
func (r Noise) exponent(p Plan) float64 {
	m := float64(p.Queries)
	half, less := r.half(m), 0.83*num.Log(m)
	root := math.Sqrt(half*half+2*float64(p.Samples)*p.Tau*p.Tau+less) - half
	return max(root*root-less, 1e-3)
}

// nearEnough is how far off a search may be that another follows.
const nearEnough = 0.02

// prior is the prior of the excess for a number of which ln n is worth so many.
func (r Noise) prior(p Plan, steep float64) walks.Prior {
	if !r.smooth {
		return walks.Prior{}
	}
	return walks.Of(p.Queries, p.Tau, p.Beta, steep)
}

// line is plans that differ in one number.
type line struct {
	choice choice
	at     func(x float64) (float64, Plan) // the next plan from x on, and where it is
}

func (l line) nearest(x float64) Plan { _, p := l.at(x); return p }

// of is a function of plans as one of x. It also returns where the plan is.
func (l line) of(f func(Plan) float64) func(x float64) (at, y float64) {
	return func(x float64) (float64, float64) {
		at, p := l.at(x)
		return at, f(p)
	}
}
