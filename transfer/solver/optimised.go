package solver

import (
	"math"

	"github.com/dpcalc/dpcalc/internal/num"
	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer/goal"
	"github.com/dpcalc/dpcalc/transfer/noise"
)

// Optimised is a theorem with free parameters: for given n, m and beta each
// choice of them certifies some tau, and reach searches for the least. Any choice
// is valid, so the search may be loose; what it returns is evaluated strictly.
type Optimised struct {
	Domain

	// reach looks at all of g but Samples and Tau, and returns what n samples certify:
	// the least tau found, rounded up, and what to run for it; tau is +Inf where no
	// choice is valid.
	Reach func(g goal.Goal) func(n int64) (tau float64, run Mechanism)
}

// Alone returns for a theorem in which nothing is shared between one n and another.
func Alone(reach func(g goal.Goal) (float64, Mechanism)) func(g goal.Goal) func(n int64) (float64, Mechanism) {
	return func(g goal.Goal) func(int64) (float64, Mechanism) {
		return func(n int64) (float64, Mechanism) { g.Samples = n; return reach(g) }
	}
}

// certified is what the samples of g certify.
func (o Optimised) certified(g goal.Goal) (float64, Mechanism) {
	if o.Applies(g) != nil {
		return math.Inf(1), Mechanism{}
	}
	return o.Reach(g)(g.Samples)
}

func (o Optimised) Holds(g goal.Goal) bool {
	tau, _ := o.certified(g)
	return tau <= g.Tau
}

func (o Optimised) Tau(g goal.Goal) (float64, Mechanism) {
	tau, run := o.certified(g)
	return min(tau, g.Spread()), run
}

// Beta returns the least beta that certifies tau, to 1e-12 in ln beta and on the certified side: the decision is too
// dear for a search by ulps.
func (o Optimised) Beta(g goal.Goal) theory.LogProb {
	excess := func(lnBeta float64) float64 {
		g.Beta = theory.LogProb(lnBeta)
		tau, _ := o.certified(g)
		return tau - g.Tau
	}
	hi := -1e-9
	if excess(hi) > 0 {
		return 0
	}
	lo := -1.
	for excess(lo) <= 0 {
		hi, lo = lo, 4*lo
		if lo < -1e18 {
			return theory.LogProb(hi)
		}
	}
	return theory.LogProb(num.Interval{Lo: lo, Hi: hi}.SafeRoot(1e-12, excess))
}

func (o Optimised) Queries(g goal.Goal) int64 { return MostQueries(g, 1, o.Holds) }

// Samples goes to the neighbourhood of the least n by secants in ln tau against ln
// n, of slope near -1/2, and decides there.
func (o Optimised) Samples(g goal.Goal, by Trail) (Reached, error) {
	reach := o.Reach(g)
	seen := make(map[int64]Reached, 16)
	at := func(n int64) Reached {
		r, ok := seen[n]
		if !ok {
			r.N = n
			r.Tau, r.Run = reach(n)
			seen[n] = r
		}
		return r
	}
	last := num.Log(goal.MaxCount)
	x := by.Near(g).LnN
	if x == 0 {
		x = math.Min(num.Log(4*float64(g.Queries))-2*num.Log(g.Tau), last)
	}
	y, slope := num.Log(at(int64(math.Ceil(num.Exp(x)))).Tau/g.Tau), -0.5
	for range 60 {
		next := x - y/slope
		if math.IsInf(y, 1) { // no choice is valid at n
			next = x + 2
		}
		next = math.Max(math.Min(next, last), 0)
		if math.Abs(next-x) <= math.Max(1e-9, 0.3*num.Exp(-next)) {
			break
		}
		after := num.Log(at(int64(math.Min(math.Ceil(num.Exp(next)), goal.MaxCount))).Tau / g.Tau)
		if s := (after - y) / (next - x); s < -0.2 && s > -2 {
			slope = s
		}
		x, y = next, after
	}
	holds := func(n int64) bool { return at(n).Tau <= g.Tau }
	guess := int64(math.Min(math.Ceil(num.Exp(x)), goal.MaxCount))
	hi := guess
	for step := int64(1); !holds(hi); step *= 4 {
		if hi == goal.MaxCount {
			return Reached{}, theory.TooMany(math.Inf(1))
		}
		guess, hi = hi+1, min(hi+step, goal.MaxCount)
	}
	least := at(num.Ints{Lo: 1, Hi: hi, Guess: guess}.Least(holds))
	by.Found(g, noise.Near{LnN: num.Log(float64(least.N))})
	return least, nil
}

// Up rounds the result of a few dozen float64 operations to the safe side: 2^-40
// is a thousand times their error and a thousandth of the slack we allow.
func Up(x float64) float64 { return x * (1 + 0x1p-40) }

// Certified rounds tau up, and reads a tau that is no better than the trivial one
// as no certificate.
func Certified(tau, trivial float64, run Mechanism) (float64, Mechanism) {
	if tau = Up(tau); !(tau < trivial) {
		return math.Inf(1), Mechanism{}
	}
	return tau, run
}
