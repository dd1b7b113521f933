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
	spread float64 // n tau^2 grows with this times sqrt((m-1) ln(m/beta)), about
	rise   float64 // about the slope of a positive excess in ln n, 0 if nothing is known
}

// noiseChoice is a way to choose the noise, with what it remembers during one search.
type noiseChoice interface {
	excess(g Goal) float64           // at the best choice
	holds(g Goal) bool               // certifies g
	near(d descent, s search) search // where the excess is about 0, soon
	root(d descent, s search) search // the same, to the tolerance, and so that holds agrees
	run(g Goal) Mechanism            // what to run for a certified plan
}

func (jointRule) applies(g Goal) error { return linear.check(g.Query) }

func (r jointRule) holds(g Goal) bool { return r.choose().excess(g) <= 0 }

func (r jointRule) queries(g Goal) int64 { return mostQueries(g, 1, r.holds) }

func (r jointRule) samples(g Goal) (reached, error) {
	last := math.Log(MaxCount)
	d := descent{choice: r.choose(), at: func(lnN float64) (float64, Goal) {
		g.Samples = int64(math.Ceil(math.Exp(min(lnN, last)) * (1 - 4e-15))) // so that ln n leads to n
		return max(math.Log(float64(g.Samples)), lnN), g
	}}
	lnN := math.Log(r.scale(g)) - 2*math.Log(g.Tau)
	s := d.choice.near(d, search{from: min(lnN, last), step: 0.02, rise: r.rise, tolerance: 0.01})
	s = d.choice.root(d, s.near(last, 0.3*math.Exp(-min(s.from, last))))
	lnN = s.from
	holds := func(n int64) bool {
		if g.Samples = n; n > 1e10 { // where one row is worth less than what a choice remembers
			return r.holds(g)
		}
		return d.choice.holds(g)
	}
	if lnN >= last && !holds(MaxCount) {
		return reached{}, tooMany(math.Inf(1))
	}
	found := reached{n: num.Ints{Lo: 1, Hi: MaxCount, Guess: d.nearest(lnN).Samples}.Least(holds)}
	g.Samples = found.n
	if found.tau, found.run = r.tauBy(d.choice, g, 2*s.slope); found.tau > g.Tau { // by rounding
		found.tau, found.run = g.Tau, d.choice.run(g)
	}
	return found, nil
}

func (r jointRule) tau(g Goal) (float64, Mechanism) { return r.tauBy(r.choose(), g, 0) }

// tauBy is the least tau, by a choice that may know a similar goal, and then about the slope of the excess
// in ln tau.
func (r jointRule) tauBy(choice noiseChoice, g Goal, slope float64) (float64, Mechanism) {
	top := math.Log(math.Nextafter(1, 0))
	d := descent{choice: choice, at: func(lnTau float64) (float64, Goal) {
		g.Tau = math.Exp(min(lnTau, top))
		return lnTau, g
	}}
	n := float64(g.Samples)
	from := search{from: math.Log(g.Tau), step: 1 / n, slope: slope, rise: 2 * r.rise}
	from.tolerance = min(1e-8, max(0.01/n, 5e-16))
	asked := g.Tau
	if asked == 0 || !choice.holds(g) {
		asked = 1
		lnTau := math.Log(r.scale(g)/n) / 2
		rough := choice.near(d, search{from: min(lnTau, top), step: 0.01, rise: from.rise, tolerance: 0.01})
		from = rough.near(top, from.tolerance)
	}
	lnTau := d.strict(from)
	for step := from.tolerance; step < 1; step *= 2 { // a choice of its own may ask for a hair more
		if g = d.nearest(lnTau); lnTau > top {
			break
		}
		g.Tau = min(g.Tau, asked)
		if !choice.holds(g) {
			lnTau += step
			continue
		}
		if n > 1e10 { // the logarithm has fewer digits than the answer
			g.Tau = min(g.Tau, leastTau(g, g.Tau*(1-1e-15), choice.holds))
		}
		return g.Tau, choice.run(g)
	}
	return 1, Mechanism{}
}

func (r jointRule) beta(g Goal) theory.LogProb {
	if beyondHope(g) {
		return 0
	}
	const most = 20
	d := descent{choice: r.choose(), at: func(x float64) (float64, Goal) { // ln beta = -e^(-x)
		g.Beta = theory.LogProb(-math.Exp(-max(min(x, 2*most), -690)))
		return x, g
	}}
	s := d.choice.near(d, search{from: -math.Log(r.exponent(g)), step: 0.1, tolerance: 0.01})
	x := d.strict(s.near(most, 1e-11))
	for step := 1e-11; step < 1; step *= 2 {
		if g = d.nearest(x); x > most {
			break
		}
		if r.holds(g) {
			return g.Beta
		}
		x += step
	}
	return 0
}

// scale returns about what n tau^2 is for the least n.
func (r jointRule) scale(g Goal) float64 {
	m, l := float64(g.Queries), -g.Beta.Ln()
	return l/2 + r.spread*math.Sqrt((m-1)*(math.Log(m)+l))
}

// exponent returns about what -ln beta is for the least beta: it solves scale for it.
func (r jointRule) exponent(g Goal) float64 {
	m := float64(g.Queries)
	half := r.spread * math.Sqrt(m-1)
	root := math.Sqrt(half*half+2*float64(g.Samples)*g.Tau*g.Tau+math.Log(m)) - half
	return max(root*root-math.Log(m), 1e-3)
}

// descent is the excess of a goal that depends on one number.
type descent struct {
	choice noiseChoice
	at     func(x float64) (float64, Goal) // the next goal from x on, and where it is
}

func (d descent) nearest(x float64) Goal { _, g := d.at(x); return g }

// of is a function of goals as one of x. It also returns where the goal is.
func (d descent) of(f func(Goal) float64) func(x float64) (at, y float64) {
	return func(x float64) (float64, float64) {
		at, g := d.at(x)
		return at, f(g)
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

// beyondHope reports whether so few records allow no beta below 1-1e-12: no answer at all errs more
// rarely than e^(-2n tau^2) by the bound. What follows need not look at numbers so small.
func beyondHope(g Goal) bool { return !(float64(g.Samples)*g.Tau*g.Tau > 1e-12) }

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
	if other, another := e[1].tau(g); other < tau {
		return other, another
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
	evenNoiseRule = either{
		jointRule{func() noiseChoice { return new(even) }, 1.1, 0},
		optimised{kinds: linear, reach: gaussianCVaR},
	}
	scheduledNoise = either{
		jointRule{func() noiseChoice { return &scheduled{known: make(map[Goal]walked)} }, 0.8, 2.4},
		inOneBlock{evenNoiseRule},
	}
)
