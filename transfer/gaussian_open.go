package transfer

import (
	"math"

	"github.com/dpcalc/dpcalc/internal/num"
	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer/goal"
	"github.com/dpcalc/dpcalc/transfer/noise"
	"github.com/dpcalc/dpcalc/transfer/solver"
)

var gaussianOpen = Method{
	Name:      "gaussian-open",
	Summary:   "Gaussian noise for answers of which nobody knows the number: the joint bound",
	Formula:   "eps_j <= b (2/7) j^-1.4, b = min(beta, .1), eps_j as for gaussian-schedule; tau_j = 1.55 sqrt(s) (1 + 1.42 s), n s = l/2 - .15 ln l - .19 + .695 (1 - .86/j) sqrt((j-1) (ln j + 2.5 sqrt l)), l = ln(1/b), on one side max(l - .7, l/2)",
	Practice:  "No number of queries is fixed. Add independent N(0, sd_j^2) to answer j, with sd_j from the schedule. " + redrawn + " Answer j is within tau_j, and tau is that of answer m. The schedule for more queries begins with the one for fewer, and nothing is claimed beyond the last for which it has been computed.",
	Proof:     Derived,
	Adaptive:  true,
	OneSided:  true,
	Scheduled: true,
	Setting:   OpenPlans,
	Feedbacks: []Feedback{Answers},
	Sources:   proved("open.md#gaussian-open", "transfer.md#joint-bound"),
	Assumes:   []string{independentOnly},
	theorems: theorems{
		rule:     anyAnswer{solver.Optimised{Domain: linear, Reach: solver.Alone(openTau)}},
		arriving: solver.ArrivingNoise(true),
		halves:   true,
	},
}

// openFactor is by how much an answer is less accurate than with a plan that knew its number. Any number above 1 will
// do. With this one there is a noise for every answer up to 10,000 for which the tau of that plan is at most .2, where
// beta is at most .05. The first answer has 2/7 of beta, which is too little for it where beta is above openBeta: no
// more of it is used.
const (
	openFactor = 1.55
	openBeta   = 0.1
)

func endlessOf(g Goal) noise.Endless {
	beta := min(g.Beta, theory.LogProb(num.Log(openBeta)))
	return noise.Endless{Samples: g.Samples, Factor: openFactor, Beta: beta, Sides: noise.SidesOf(g.OneSided)}
}

// openTau is the accuracy of the last answer, if there is a noise for all.
func openTau(g Goal) (float64, Mechanism) {
	tau := solver.Up(endlessOf(g).Tau(g.Queries))
	if !(tau < 1) {
		tau = math.Inf(1)
	}
	return tau, Mechanism{}
}

// anyAnswer is the rule for answers of which nobody knows the number. Whether there is a noise for all of them is asked
// once, of the plan that is found.
type anyAnswer struct{ solver.Optimised }

func (r anyAnswer) Holds(g Goal) bool {
	tau, _ := r.Tau(g)
	return r.Applies(g) == nil && tau < r.Limit(g) && tau <= g.Tau
}

func (r anyAnswer) Tau(g Goal) (float64, Mechanism) {
	e := endlessOf(g)
	if !e.Reaches(g.Queries) {
		return r.Limit(g), Mechanism{}
	}
	run := solver.WantedNoise{Wants: e.Targets(g.Queries), Queries: g.Queries}.Mechanism()
	return min(solver.Up(e.Tau(g.Queries)), r.Limit(g)), run
}

func (r anyAnswer) Samples(g Goal, by solver.Trail) (solver.Reached, error) {
	least, err := r.Optimised.Samples(g, by)
	for step := least.N/5000 + 1; err == nil; step *= 2 {
		g.Samples = least.N
		if least.Tau, least.Run = r.Tau(g); least.Tau <= g.Tau {
			return least, nil
		}
		if least.N += step; least.N > MaxCount {
			return solver.Reached{}, theory.TooMany(math.Inf(1))
		}
	}
	return solver.Reached{}, err
}

// Queries ends where no noise is found.
func (r anyAnswer) Queries(g Goal) int64 {
	most, reach := r.Optimised.Queries(g), int64(0)
	endlessOf(g).Targets(most).Blocks(func(block theory.NoiseBlock) bool {
		reach += block.Queries
		return true
	})
	return min(most, reach)
}

func (r anyAnswer) Beta(g Goal) theory.LogProb {
	about := r.Optimised.Beta(g).Ln()
	for shrink := 0.99; about < -1e-9; about, shrink = about*shrink, shrink*shrink {
		if g.Beta = theory.LogProb(about); endlessOf(g).Reaches(g.Queries) {
			return g.Beta
		}
	}
	return 0
}

func (a Answer) computed() string {
	return "its schedule has been computed for " + goal.Plural(a.Queries, "query", "queries") + "; nothing is claimed beyond"
}
