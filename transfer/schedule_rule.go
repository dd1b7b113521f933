package transfer

import (
	"math"

	"github.com/dpcalc/dpcalc/internal/num"
	"github.com/dpcalc/dpcalc/theory"
)

// scheduled is the Renyi transfer theorem with a noise of its own for every query,
// or with one noise for all where that certifies more. It decides a plan at a given
// tau, so all four unknowns are searched for.
type scheduled struct{}

func (scheduled) applies(g Goal) error { return linear.check(g.Query) }

// plan returns what to run for g, and false if nothing found certifies it.
func (scheduled) plan(g Goal) (Mechanism, bool) {
	if s := bestSchedule(g); s.Feasible() {
		return s.mechanism(), true
	}
	tau, run := gaussianRenyi(g)(g.Samples)
	run.ScaleFirst = run.Scale
	return run, tau <= g.Tau
}

func (r scheduled) holds(g Goal) bool {
	_, ok := r.plan(g)
	return ok
}

func (r scheduled) samples(g Goal) (reached, error) {
	// Infinitely small queries lead close to n; the rest is decided exactly.
	g.Samples = MaxCount
	if !r.holds(g) {
		return reached{}, tooMany(math.Inf(1))
	}
	excess := func(s NoiseSchedule, lnN float64) float64 {
		s.Samples = int64(math.Ceil(math.Exp(lnN)))
		return math.Log(float64(g.Queries)+1) - math.Log(s.reach()+1)
	}
	low := math.Log(-g.Beta.Ln() / (2 * g.Tau * g.Tau)) // one query, exactly answered
	lnN := low + math.Log(2+math.Sqrt(float64(g.Queries)))
	for range 3 {
		g.Samples = int64(min(math.Ceil(math.Exp(lnN)), MaxCount))
		s := bestSchedule(g)
		lnN = num.Interval{Lo: low - 1, Hi: math.Log(MaxCount)}.SafeRoot(1e-7, func(lnN float64) float64 { return excess(s, lnN) })
	}
	return leastSamples(g, int64(math.Ceil(math.Exp(lnN))), r.holds)
}

func (r scheduled) queries(g Goal) int64 { return mostQueries(g, 1, r.holds) }

// tau searches for the least tau that a plan certifies. Where the goal has a tau,
// the order and the split that serve there are kept.
func (r scheduled) tau(g Goal) (float64, Mechanism) {
	constant, run := gaussianRenyi(g)(g.Samples)
	run.ScaleFirst = run.Scale
	plan := func(at Goal) (NoiseSchedule, bool) { s := bestSchedule(at); return s, s.Feasible() }
	if g.Tau > 0 {
		s := bestSchedule(g)
		plan = func(at Goal) (NoiseSchedule, bool) { s.Tau = at.Tau; return s, s.Feasible() }
	} else {
		g.Tau = min(constant, 1-1e-9)
	}
	feasible := func(tau float64) bool { g.Tau = tau; _, ok := plan(g); return ok }
	if hi := g.Tau; feasible(hi) {
		g.Tau = num.Floats{Lo: 0, Hi: hi, Guess: hi * (1 - 1e-6)}.Least(feasible)
		if s, ok := plan(g); ok && g.Tau < constant {
			return g.Tau, s.mechanism()
		}
	}
	return min(constant, 1), run
}

func (r scheduled) beta(g Goal) theory.LogProb {
	at := func(lnBeta float64) bool { g.Beta = theory.LogProb(lnBeta); return r.holds(g) }
	hi := -1e-9
	if !at(hi) {
		return 0
	}
	lo := -1.0
	for at(lo) {
		if hi, lo = lo, 4*lo; lo < -1e18 {
			return theory.LogProb(hi)
		}
	}
	for hi-lo > -1e-12*hi {
		if mid := lo + (hi-lo)/2; at(mid) {
			hi = mid
		} else {
			lo = mid
		}
	}
	return theory.LogProb(hi)
}

func (s NoiseSchedule) mechanism() Mechanism {
	m := Mechanism{Noise: "gaussian", Schedule: &s}
	for block := range s.Blocks() {
		if m.ScaleFirst == 0 {
			m.ScaleFirst = block.SD
		}
		m.Scale = block.SD
	}
	return m
}
