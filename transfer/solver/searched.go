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
