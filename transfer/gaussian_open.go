package transfer

import (
	"math"

	"github.com/dpcalc/dpcalc/internal/num"
	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer/joint"
)

var gaussianOpen = Method{
	Name:      "gaussian-open",
	Summary:   "Gaussian noise for answers of which nobody knows the number: the joint bound",
	Formula:   "eps_j <= min(beta, .2) (2/7) j^-1.4, eps_j as for gaussian-schedule; tau_j = 1.59 tau*(j), tau*(j) the least tau of gaussian-schedule for j queries at powers of two, and straight lines in ln j and ln tau between them",
	Practice:  "No number of queries is fixed. Add independent N(0, sd_j^2) to answer j, with sd_j from the schedule. Answer j is within tau_j, and tau is that of answer m. The schedule for more queries begins with the one for fewer, and nothing is claimed beyond the last for which it has been computed.",
	Proof:     Derived,
	Adaptive:  true,
	OneSided:  true,
	Scheduled: true,
	Open:      true,
	Feedbacks: []Feedback{Answers},
	Sources:   proved("open.md#gaussian-open", "transfer.md#joint-bound"),
	Assumes:   []string{independentOnly},
	rule:      anyAnswer{optimised{domain: domain{kinds: linear}, reach: from(openTau)}},
	arriving:  arrivingNoise(true),
	halves:    true,
}

// openFactor is by how much an answer is less accurate than with a plan that knew its number. Any number above 1 will
// do. With this one there is a noise for every answer up to 10,000 for which the tau of that plan is at most .2, where
// beta is at most .05. The first answer has 2/7 of beta, which is too little for it where beta is above openBeta: no
// more of it is used.
const (
	openFactor = 1.59
	openBeta   = 0.2
)

func endlessOf(g Goal) joint.Endless {
	beta := min(g.Beta, theory.LogProb(num.Log(openBeta)))
	return joint.Endless{Samples: g.Samples, Factor: openFactor, Beta: beta, Sides: joint.SidesOf(g.OneSided)}
}

// openTau is the accuracy of the last answer, if there is a noise for all.
func openTau(g Goal) (float64, Mechanism) {
	tau := up(endlessOf(g).Tau(g.Queries))
	if !(tau < 1) {
		tau = math.Inf(1)
	}
	return tau, Mechanism{}
}

// anyAnswer is the rule for answers of which nobody knows the number. Whether there is a noise for all of them is asked
// once, of the plan that is found.
type anyAnswer struct{ optimised }

func (r anyAnswer) holds(g Goal) bool {
	return r.optimised.holds(g) && endlessOf(g).Reaches(g.Queries)
}

func (r anyAnswer) tau(g Goal) (float64, Mechanism) {
	tau, _ := r.optimised.tau(g)
	if tau >= r.limit(g) || !endlessOf(g).Reaches(g.Queries) {
		return r.limit(g), Mechanism{}
	}
	return tau, wantedNoise{endlessOf(g).Wants(g.Queries), g.Queries}.run()
}

func (r anyAnswer) samples(g Goal) (reached, error) {
	least, err := r.optimised.samples(g)
	for step := least.n/5000 + 1; err == nil; step *= 2 {
		if g.Samples = least.n; endlessOf(g).Reaches(g.Queries) {
			least.tau, least.run = r.tau(g)
			return least, nil
		}
		if least.n += step; least.n > MaxCount {
			return reached{}, theory.TooMany(math.Inf(1))
		}
	}
	return reached{}, err
}

// fixed is the plan that knows the number of queries, and is about as exact.
func (anyAnswer) fixed(g Goal) (jointRule, Goal) {
	g.Tau /= openFactor
	return jointRule{noise: joint.Falling, falls: true}, g
}

// queries begins where the plan of a fixed number ends.
func (r anyAnswer) queries(g Goal) int64 {
	one := g
	if one.Queries = 1; !r.holds(one) {
		return 0
	}
	rule, fixed := r.fixed(g)
	guess := rule.queries(fixed)
	return num.Ints{Lo: 1, Hi: MaxCount, Guess: guess}.Greatest(func(m int64) bool {
		g.Queries = m
		return r.holds(g)
	})
}

// beta looks around that of the plan of a fixed number.
func (r anyAnswer) beta(g Goal) theory.LogProb {
	excess := func(lnBeta float64) float64 {
		g.Beta = theory.LogProb(lnBeta)
		tau, _ := openTau(g)
		return tau - g.Tau
	}
	rule, fixed := r.fixed(g)
	about := rule.beta(fixed).Ln()
	around := num.Interval{Lo: 1.01 * about, Hi: 0.99 * about}
	if about < 0 && excess(around.Hi) <= 0 && excess(around.Lo) > 0 {
		about = around.SafeRoot(1e-11, excess)
	} else {
		about = r.optimised.beta(g).Ln()
	}
	for g.Beta = theory.LogProb(about); g.Beta < -1e-9; g.Beta *= 0.99 {
		if endlessOf(g).Reaches(g.Queries) {
			return g.Beta
		}
	}
	return 0
}

// computed says how far the schedule of an answer goes.
func (a Answer) computed() string {
	return "its schedule has been computed for " + plural(a.Queries, "query", "queries") + "; nothing is claimed beyond"
}
