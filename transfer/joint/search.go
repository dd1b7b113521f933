package joint

import (
	"math"

	"github.com/dpcalc/dpcalc/internal/num"
	"github.com/dpcalc/dpcalc/theory"
)

// Noise is a way to choose the noise of Gaussian answers. It decides a plan by an
// excess, which is at most 0 where the [Bound] certifies the plan, and smooth there, and falls as n, tau or
// beta grows. The unknown is where it becomes positive.
type Noise struct {
	choose func() choice
	spread float64 // n tau^2 grows with this times sqrt((m-1) ln(m/beta)), about
	rise   float64 // about the slope of a positive excess in ln n, 0 if nothing is known
}

// Even is the best constant noise, and Falling the noise of [Plan.Blocks].
var (
	Even    = Noise{func() choice { return new(even) }, 1.1, 0}
	Falling = Noise{func() choice { return &scheduled{known: map[Plan]walked{}, trailed: map[Plan]float64{}} }, 0.83, 2.4}
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
	excess(p Plan) float64           // at the best choice
	likely(p Plan) bool              // is about holds, and as quick as excess
	holds(p Plan) bool               // certifies p
	near(d descent, s search) search // where the excess is about 0, soon
	root(d descent, s search) search // the same, to the tolerance, and so that holds agrees
	run(p Plan) Run                  // what to run for a certified plan
}

// Certifies reports whether all answers of the plan are within tau but with probability beta.
func (r Noise) Certifies(p Plan) bool {
	choice := r.choose()
	if _, one := choice.(*even); one && p.farFromEven() {
		return false
	}
	return choice.excess(p) <= 0
}

// farFromEven reports whether no constant noise certifies the plan, where noise that falls shows it soon. With constant
// noise eps_j grows with j, so that each of the first k is at most beta/(m-k+1). Noise that falls then serves k queries
// too, each with at most that; a run of queries takes about a thousandth more records.
func (p Plan) farFromEven() bool {
	if p.Queries < 2 || p.Samples > theory.MaxSamples/2 {
		return false
	}
	k := (p.Queries + 1) / 2
	p.Beta += theory.LogProb(num.Log(float64(k+1) / float64(p.Queries-k+1)))
	p.Queries, p.Samples = k, p.Samples+p.Samples/50+1
	return p.Beta.Interior() && p.walk(fineGrain, nil, func(theory.NoiseBlock) bool { return true }) > 0
}

// Samples returns the least n, whatever that of the plan is, and false if there is none up to 2^53.
func (r Noise) Samples(p Plan) (Found, bool) {
	last := num.Log(theory.MaxSamples)
	d := descent{choice: r.choose(), at: func(lnN float64) (float64, Plan) {
		p.Samples = int64(math.Ceil(num.Exp(min(lnN, last)) * (1 - 4e-15))) // so that ln n leads to n
		return max(num.Log(float64(p.Samples)), lnN), p
	}}
	lnN := num.Log(r.scale(p)) - 2*num.Log(p.Tau)
	s := d.choice.near(d, search{from: min(lnN, last), step: 0.02, rise: r.rise, tolerance: 0.01})
	s = d.choice.root(d, s.near(last, 0.3*num.Exp(-min(s.from, last))))
	lnN = s.from
	least := func(holds func(Plan) bool) int64 {
		return num.Ints{Lo: 1, Hi: theory.MaxSamples, Guess: d.nearest(lnN).Samples}.Least(func(n int64) bool {
			if p.Samples = n; n > 1e10 { // where one row is worth less than what a choice remembers
				return r.Certifies(p)
			}
			return holds(p)
		})
	}
	if p.Samples = theory.MaxSamples; lnN >= last && !r.Certifies(p) {
		return Found{}, false
	}
	p.Samples = least(d.choice.likely)
	tau, run := r.tauBy(d.choice, p, s)
	if tau > p.Tau { // it does not hold, or only by rounding
		p.Samples = least(d.choice.holds)
		tau, run = p.Tau, d.choice.run(p)
	}
	return Found{Samples: p.Samples, Tau: tau, Run: run}, true
}

// LeastTau returns the least accuracy, 1 if there is none below, and the noise for it. It is found sooner
// if the plan's is close.
func (r Noise) LeastTau(p Plan) (float64, Run) { return r.tauBy(r.choose(), p, search{}) }

// tauBy is the least tau, by a choice that may know a similar plan, and then about the slope and bend of the excess
// in ln n, which is worth half as much as ln tau.
func (r Noise) tauBy(choice choice, p Plan, inN search) (float64, Run) {
	top, asked, lnAsked := num.Log(math.Nextafter(1, 0)), p.Tau, num.Log(p.Tau)
	d := descent{choice: choice, at: func(lnTau float64) (float64, Plan) {
		if p.Tau = asked; lnTau != lnAsked { // whose logarithm leads to a neighbour
			p.Tau = num.Exp(min(lnTau, top))
		}
		return lnTau, p
	}}
	n := float64(p.Samples)
	from := search{from: lnAsked, step: 1 / n, slope: 2 * inN.slope, rise: 2 * r.rise, bend: inN.bend / 2}
	from.tolerance = min(1e-8, max(0.01/n, 5e-16))
	if asked == 0 || !choice.likely(p) {
		asked = 1
		lnTau := num.Log(r.scale(p)/n) / 2
		rough := choice.near(d, search{from: min(lnTau, top), step: 0.01, rise: from.rise, tolerance: 0.01})
		from = rough.near(top, from.tolerance)
	}
	lnTau := d.strict(from)
	for step := from.tolerance; step < 1; step *= 2 { // a choice of its own may ask for a hair more
		if p = d.nearest(lnTau); lnTau > top {
			break
		}
		p.Tau = min(p.Tau, asked)
		if !choice.holds(p) {
			lnTau += step
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
	d := descent{choice: r.choose(), at: func(x float64) (float64, Plan) { // ln beta = -e^(-x)
		p.Beta = theory.LogProb(-num.Exp(-max(min(x, 2*most), -690)))
		return x, p
	}}
	s := d.choice.near(d, search{from: -num.Log(r.exponent(p)), step: 0.1, tolerance: 0.01})
	low := d.strict(s.near(most, tolerance))
	high := low
	certified := func(x float64) bool { return r.Certifies(d.nearest(x)) }
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
	return d.nearest(high).Beta
}

// scale returns about what n tau^2 is for the least n.
func (r Noise) scale(p Plan) float64 {
	m, l := float64(p.Queries), -p.Beta.Ln()
	return l/2 + r.spread*math.Sqrt((m-1)*(num.Log(m)+l))
}

// exponent returns about what -ln beta is for the least beta: it solves scale for it.
func (r Noise) exponent(p Plan) float64 {
	m := float64(p.Queries)
	half := r.spread * math.Sqrt(m-1)
	root := math.Sqrt(half*half+2*float64(p.Samples)*p.Tau*p.Tau+num.Log(m)) - half
	return max(root*root-num.Log(m), 1e-3)
}

// descent is the excess of a plan that depends on one number.
type descent struct {
	choice choice
	at     func(x float64) (float64, Plan) // the next plan from x on, and where it is
}

func (d descent) nearest(x float64) Plan { _, p := d.at(x); return p }

// of is a function of plans as one of x. It also returns where the plan is.
func (d descent) of(f func(Plan) float64) func(x float64) (at, y float64) {
	return func(x float64) (float64, float64) {
		at, p := d.at(x)
		return at, f(p)
	}
}

// strict returns the x of root, or one a hair above where that does not hold.
func (d descent) strict(s search) float64 {
	s = d.choice.root(d, s)
	if d.choice.holds(d.nearest(s.from)) {
		return s.from
	}
	return falling(search{from: s.from, step: s.tolerance, tolerance: s.tolerance}, d.of(d.choice.excess)).from
}
