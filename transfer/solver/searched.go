package solver

import (
	"math"

	"github.com/dpcalc/dpcalc/internal/num"
	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer/goal"
	"github.com/dpcalc/dpcalc/transfer/noise"
)

// Searched is a theorem whose mechanism is built for a plan: whether one is found is the decision. It is
// monotone in each of the four, up to what the construction leaves to rounding.
type Searched struct {
	Domain
	Rows  func(g goal.Goal) float64   // about how many rows are needed
	Built func(g goal.Goal) bool      // whether a mechanism is found; nil for [Bounded]
	Run   func(g goal.Goal) Mechanism // that mechanism
}

func (s Searched) Holds(g goal.Goal) bool { return s.Applies(g) == nil && s.Built(g) }

// Samples strides from the guess to both sides of the least n and halves what is between.
func (s Searched) Samples(g goal.Goal, _ Trail) (Reached, error) {
	holds := func(n int64) bool { g.Samples = n; return s.Built(g) }
	guess := int64(math.Min(math.Max(s.Rows(g), 1), goal.MaxCount/4))
	no, yes := int64(0), guess
	if step := guess/32 + 1; !holds(guess) {
		for no, yes = guess, min(guess+step, goal.MaxCount); !holds(yes); step *= 2 {
			if yes == goal.MaxCount {
				return Reached{}, theory.TooMany(math.Inf(1))
			}
			no, yes = yes, min(yes+step, goal.MaxCount)
		}
	} else {
		for no = yes - step; no > 0 && holds(no); no = yes - step {
			yes, step = no, 2*step
		}
		no = max(no, 0)
	}
	return Reached{N: num.Ints{Lo: no + 1, Hi: yes, Guess: no + (yes-no)/2}.Least(holds)}, nil
}

func (s Searched) Queries(g goal.Goal) int64 { return MostQueries(g, Fewest(g), s.Holds) }

func (s Searched) Tau(g goal.Goal) (float64, Mechanism) { return s.tauBy(g, s.Holds) }

// tauBy is tau with a way to decide that may know more.
func (s Searched) tauBy(g goal.Goal, holds func(goal.Goal) bool) (float64, Mechanism) {
	top := s.Limit(g)
	in := num.Near{From: g.Tau, Top: top}
	if g.Samples > 100 { // between n and n-1 tau changes by about that share
		in.Step = 0.4 / float64(g.Samples)
	}
	tau := in.Least(func(tau float64) bool { g.Tau = tau; return holds(g) })
	if g.Tau = tau; tau >= top || s.Applies(g) != nil {
		return tau, Mechanism{}
	}
	return tau, s.Run(g)
}

func (s Searched) Beta(g goal.Goal) theory.LogProb { return mostCertain(g, s.Holds) }

// Bounded is a rule whose failure probability is a number for n, m and tau, so that the least beta is that number, and
// the least n is near where a line through two points meets beta.
type Bounded struct {
	Searched
	LnFailure func(g goal.Goal) float64 // rounded up
}

func (b Bounded) Beta(g goal.Goal) theory.LogProb {
	if ln := b.LnFailure(g); ln < 0 && b.Applies(g) == nil {
		return theory.LogProb(ln)
	}
	return 0
}

// excess is how far ln of the failure probability is above the goal's.
func (b Bounded) excess(g goal.Goal) float64 { return b.LnFailure(g) - g.Beta.Ln() }

// Samples follows lines from the guess on. The first falls as the guess does in -ln beta.
func (b Bounded) Samples(g goal.Goal, by Trail) (Reached, error) {
	const most = goal.MaxCount / 4
	known := make(map[int64]float64, 8)
	excess := func(n int64) float64 {
		y, ok := known[n]
		if !ok {
			g.Samples = n
			y = b.excess(g)
			known[n] = y
		}
		return y
	}
	rarer := g
	rarer.Beta--
	slope := -1 / (b.Rows(rarer) - b.Rows(g))
	rows := b.Rows(g)
	if ln := by.Near(g).LnN; ln > 0 {
		rows = num.Exp(ln)
	}
	x := math.Min(math.Max(math.Ceil(rows), 1), most)
	for range 9 {
		y := excess(int64(x))
		next := math.Min(math.Max(math.Ceil(x-y/slope), 1), most)
		if next == x {
			break
		}
		if slope = (excess(int64(next)) - y) / (next - x); !(slope < 0) {
			break
		}
		x = next
	}
	holds := func(n int64) bool { return excess(n) <= 0 }
	if !holds(int64(x)) && !holds(goal.MaxCount) {
		return Reached{}, theory.TooMany(math.Inf(1))
	}
	g.Samples = num.Ints{Lo: 1, Hi: goal.MaxCount, Guess: int64(x)}.Least(holds)
	by.Found(g, noise.Near{LnN: num.Log(float64(g.Samples))})
	tau, run := b.tauBelow(g, excess(g.Samples))
	return Reached{N: g.Samples, Tau: tau, Run: run}, nil
}

func (b Bounded) Holds(g goal.Goal) bool { return b.Applies(g) == nil && b.excess(g) <= 0 }

func (b Bounded) Queries(g goal.Goal) int64 { return MostQueries(g, Fewest(g), b.Holds) }

func (b Bounded) Tau(g goal.Goal) (float64, Mechanism) {
	if b.Applies(g) != nil || g.Tau == 0 {
		return b.tauBy(g, b.Holds)
	}
	return b.tauBelow(g, b.excess(g))
}

// tauBelow is the least tau, near the goal's tau, which has that excess. It first looks where a line through two
// points meets beta, so that most decisions around it are known.
func (b Bounded) tauBelow(g goal.Goal, excess float64) (float64, Mechanism) {
	asked, step := g.Tau, 0.4/float64(g.Samples)
	seen, near := num.Nothing(), g
	at := func(tau float64) float64 { near.Tau = tau; return b.excess(near) }
	seen.See(asked, excess)
	if low := asked * (1 - step); step < 0.004 {
		below := seen.See(low, at(low))
		root := low - below*(asked-low)/(excess-below)
		if root > low*(1-2*step) && root < asked {
			for _, tau := range [2]float64{root * (1 + step/500), root * (1 - step/500)} {
				seen.See(tau, at(tau))
			}
		}
	}
	return b.tauBy(g, func(g goal.Goal) bool { return b.Applies(g) == nil && seen.Holds(g.Tau, at) })
}

// Optimised is a theorem with free parameters: for given n, m and beta each
// choice of them certifies some tau, and reach searches for the least. Any choice
// is valid, so the search may be loose; what it returns is evaluated strictly.
type Optimised struct {
	Domain

	// reach looks at all of g but Samples and Tau, and returns what n samples certify: the least tau found, rounded up,
	// and what to run for it; tau is +Inf where no choice is valid.
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

// Certified rounds tau up, and reads a tau that is no better than the trivial one as no certificate.
func Certified(tau, trivial float64, run Mechanism) (float64, Mechanism) {
	if tau = Up(tau); !(tau < trivial) {
		return math.Inf(1), Mechanism{}
	}
	return tau, run
}

// Trail is where a method's searches for the least n ended, by what their goals have in common. It may be nil.
type Trail map[goal.Goal]landed

// landed is where the last search ended. ln(n tau^2) is smooth in ln tau: it changed at a rate, and is expected to go
// on at another one.
type landed struct {
	noise.Near
	lnTau, rate, ahead float64
}

// steadyFor is how far in ln tau an expectation reaches, and mostFaster how much greater the next rate may be.
const steadyFor, mostFaster = 0.3, 0.1

// Near returns about where the search for the goal's least n ends.
func (t Trail) Near(g goal.Goal) noise.Near {
	lnTau := num.Log(g.Tau)
	g.Samples, g.Tau = 0, 0
	was, ok := t[g]
	if !ok || math.Abs(lnTau-was.lnTau) > steadyFor {
		return noise.Near{}
	}
	was.LnN = math.Min(was.LnN+(was.ahead-2)*(lnTau-was.lnTau), num.Log(goal.MaxCount))
	return was.Near
}

// Found takes in where it ended.
func (t Trail) Found(g goal.Goal, at noise.Near) {
	if t == nil {
		return
	}
	next := landed{Near: at, lnTau: num.Log(g.Tau)}
	g.Samples, g.Tau = 0, 0
	if was, ok := t[g]; ok && next.lnTau != was.lnTau {
		next.rate = 2 + (next.LnN-was.LnN)/(next.lnTau-was.lnTau)
		if next.ahead = next.rate; was.rate != 0 {
			next.ahead *= min(max(next.rate/was.rate, 1-mostFaster), 1+mostFaster)
		}
	}
	t[g] = next
}
