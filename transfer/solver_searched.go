package transfer

import (
	"math"

	"github.com/dpcalc/dpcalc/internal/num"
	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer/noise"
)

// searched is a theorem whose mechanism is built for a plan: whether one is found is the decision. It is
// monotone in each of the four, up to what the construction leaves to rounding.
type searched struct {
	domain
	rows  func(g Goal) float64        // about how many rows are needed
	built func(g Goal) bool           // whether a mechanism is found
	run   func(g Goal) Mechanism      // that mechanism
	least func(g Goal) (fewest int64) // the least number of queries
}

// tight: the mechanism is searched.
func (searched) tight() bool { return false }

func (s searched) holds(g Goal) bool { return s.applies(g) == nil && s.built(g) }

// samples strides from the guess to both sides of the least n and halves what is between.
func (s searched) samples(g Goal, _ trail) (reached, error) {
	holds := func(n int64) bool { g.Samples = n; return s.built(g) }
	guess := int64(math.Min(math.Max(s.rows(g), 1), MaxCount/4))
	no, yes := int64(0), guess
	if step := guess/32 + 1; !holds(guess) {
		for no, yes = guess, min(guess+step, MaxCount); !holds(yes); step *= 2 {
			if yes == MaxCount {
				return reached{}, theory.TooMany(math.Inf(1))
			}
			no, yes = yes, min(yes+step, MaxCount)
		}
	} else {
		for no = yes - step; no > 0 && holds(no); no = yes - step {
			yes, step = no, 2*step
		}
		no = max(no, 0)
	}
	return reached{n: num.Ints{Lo: no + 1, Hi: yes, Guess: no + (yes-no)/2}.Least(holds)}, nil
}

func (s searched) queries(g Goal) int64 { return mostQueries(g, s.least(g), s.holds) }

func (s searched) tau(g Goal) (float64, Mechanism) { return s.tauBy(g, s.holds) }

// tauBy is tau with a way to decide that may know more.
func (s searched) tauBy(g Goal, holds func(Goal) bool) (float64, Mechanism) {
	top := s.limit(g)
	in := num.Near{From: g.Tau, Top: top}
	if g.Samples > 100 { // between n and n-1 tau changes by about that share
		in.Step = 0.4 / float64(g.Samples)
	}
	tau := in.Least(func(tau float64) bool { g.Tau = tau; return holds(g) })
	if g.Tau = tau; tau >= top || s.applies(g) != nil {
		return tau, Mechanism{}
	}
	return tau, s.run(g)
}

func (s searched) beta(g Goal) theory.LogProb { return mostCertain(g, s.holds) }

// bounded is a rule whose failure probability is a number for n, m and tau, so that the least beta is that number, and
// the least n is near where a line through two points meets beta.
type bounded struct {
	searched
	lnFailure func(g Goal) float64 // rounded up
}

func (b bounded) beta(g Goal) theory.LogProb {
	if ln := b.lnFailure(g); ln < 0 && b.applies(g) == nil {
		return theory.LogProb(ln)
	}
	return 0
}

// excess is how far ln of the failure probability is above that of the goal.
func (b bounded) excess(g Goal) float64 { return b.lnFailure(g) - g.Beta.Ln() }

// samples follows lines from the guess on. The first falls as the guess does in -ln beta.
func (b bounded) samples(g Goal, by trail) (reached, error) {
	const most = MaxCount / 4
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
	slope := -1 / (b.rows(rarer) - b.rows(g))
	rows := b.rows(g)
	if ln := by.near(g).LnN; ln > 0 {
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
	if !holds(int64(x)) && !holds(MaxCount) {
		return reached{}, theory.TooMany(math.Inf(1))
	}
	g.Samples = num.Ints{Lo: 1, Hi: MaxCount, Guess: int64(x)}.Least(holds)
	by.found(g, noise.Near{LnN: num.Log(float64(g.Samples))})
	tau, run := b.tauBelow(g, excess(g.Samples))
	return reached{n: g.Samples, tau: tau, run: run}, nil
}

func (b bounded) tau(g Goal) (float64, Mechanism) {
	if b.applies(g) != nil || g.Tau == 0 {
		return b.searched.tau(g)
	}
	return b.tauBelow(g, b.excess(g))
}

// tauBelow is the least tau, near the goal's tau, which has that excess. It first looks where a line through two
// points meets beta, so that most decisions around it are known.
func (b bounded) tauBelow(g Goal, excess float64) (float64, Mechanism) {
	asked, step := g.Tau, 0.4/float64(g.Samples)
	seen, goal := num.Nothing(), g
	at := func(tau float64) float64 { goal.Tau = tau; return b.excess(goal) }
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
	return b.tauBy(g, func(g Goal) bool { return b.applies(g) == nil && seen.Holds(g.Tau, at) })
}
