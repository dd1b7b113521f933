package transfer

import (
	"math"

	"github.com/dpcalc/dpcalc/internal/num"
	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer/goal"
	"github.com/dpcalc/dpcalc/transfer/solver"
)

var dp = Method{
	Name:      "dp",
	Summary:   "output of an epsilon-DP procedure: the tilt theorem",
	Formula:   "n >= ln(2m/beta)/(2 (tau - tanh(epsilon/4))^2), epsilon = tau unless given",
	Practice:  privateOutput,
	Proof:     Derived,
	Procedure: true,
	OneSided:  true,
	Sources:   proved("transfer.md#dp"),
	Assumes:   []string{independentOnly, wholeInput},
	theorems: theorems{
		rule: solver.Closed{Domain: solver.Domain{Kinds: goal.Linear, Needs: dpTiltNeeds},
			Need: dpTiltRows, Epsilon: tiltEpsilon,
			Run: func(g Goal) Mechanism { return Mechanism{Epsilon: tiltEpsilon(g)} }},
	},
}

const privateOutput = "For a procedure that is itself private and puts out functions, such as a private learner: its functions' values on the data are then within tau of the population. It does not say how to answer queries."

// dpTiltRows is the theorem for pure privacy and one selected function at level
// beta/m: n >= ln(2m/beta)/(2 (tau - tanh(epsilon/4))^2), tau > tanh(epsilon/4), m for 2m where one side counts.
func dpTiltRows(g Goal) num.DD {
	gap := num.FromFloat(g.Tau).Sub(tanhQuarter(tiltEpsilon(g)))
	if gap.Float() <= 0 {
		return num.FromFloat(math.Inf(1))
	}
	return solver.LnOver(g.Sides(), g).Div(gap.Mul(gap).MulFloat(2))
}

func tiltEpsilon(g Goal) float64 {
	if g.Epsilon > 0 {
		return g.Epsilon
	}
	return g.Tau
}

// tanhQuarter returns tanh(eps/4) = (e^(eps/2)-1)/(e^(eps/2)+1).
func tanhQuarter(eps float64) num.DD {
	if eps > 200 {
		return num.FromFloat(1)
	}
	e := num.FromFloat(eps / 2).Exp()
	return e.AddFloat(-1).Div(e.AddFloat(1))
}

func dpTiltNeeds(g Goal) error {
	if g.Epsilon > 0 && g.Tau > 0 && num.Tanh(g.Epsilon/4) >= g.Tau {
		return goal.Needs("epsilon below 4 atanh(tau) = " + goal.FormatFloat(4*math.Atanh(g.Tau)))
	}
	return nil
}

var dpMaxInfo = Method{
	Name:      "dp-maxinfo",
	Summary:   "output of an epsilon-DP procedure, epsilon = tau^2: max-information",
	Formula:   "n >= ln(2m/beta)/tau^2 at epsilon = tau^2",
	Practice:  privateOutput,
	Proof:     Published,
	Procedure: true,
	OneSided:  true,
	Sources:   []theory.Source{source("dwork15generalization", "max-information of pure differential privacy")},
	Assumes:   []string{independent, wholeInput},
	theorems:  theorems{rule: dpRule("tau^2", func(tau float64) float64 { return tau * tau }, dpMaxInfoRows)},
}

// dpMaxInfoRows is Corollary 2.1.1: epsilon = tau^2 and 2m exp(-tau^2 n) <= beta, m for 2m where one side counts.
func dpMaxInfoRows(g Goal) num.DD { return solver.LnOver(g.Sides(), g).Div(solver.Square(g)) }

var dpDwork15 = Method{
	Name:      "dp-dwork15",
	Summary:   "output of an epsilon-DP procedure, epsilon = tau",
	Formula:   "n >= ln(6m/beta)/tau^2 at epsilon = tau",
	Practice:  privateOutput + " It asks for far weaker privacy than dp-maxinfo.",
	Proof:     Published,
	Procedure: true,
	OneSided:  true,
	Sources:   []theory.Source{source("dwork15preserving", "pure differential privacy")},
	Assumes:   []string{independent, wholeInput},
	theorems:  theorems{rule: dpRule("tau", func(tau float64) float64 { return tau }, dpDworkRows)},
}

// dpDworkRows is Corollary 2.3.1: epsilon = tau and 6m exp(-tau^2 n) <= beta, 3m for 6m where one side counts.
func dpDworkRows(g Goal) num.DD { return solver.LnOver(3*g.Sides(), g).Div(solver.Square(g)) }

var dpApproxDwork15 = Method{
	Name:      "dp-approx-dwork15",
	Summary:   "output of an (epsilon, delta)-DP procedure, epsilon = tau/4",
	Formula:   "n >= 48 ln(8m/beta)/tau^2 at epsilon = tau/4, delta = (beta/(8m))^(4/tau)",
	Practice:  privateOutput + " The delta it asks for is far below what float64 can hold: see ln_delta.",
	Proof:     Published,
	Procedure: true,
	Sources:   []theory.Source{source("dwork15preserving", "approximate differential privacy")},
	Assumes:   []string{independent, wholeInput},
	theorems:  theorems{rule: dpApproxRule},
}

// dpApproxRule is Theorem 2.4 at level beta/m: n >= 48 ln(8m/beta)/tau^2, and ln delta = (4/tau) ln(beta/(8m)), rounded
// down.
var dpApproxRule = func() solver.Closed {
	rule := dpRule("tau/4", func(tau float64) float64 { return tau / 4 }, func(g Goal) num.DD {
		return solver.LnOver(8, g).MulFloat(48).Div(solver.Square(g))
	})
	rule.Run = func(g Goal) Mechanism {
		ln := solver.LnOver(8, g).MulFloat(-4).Div(num.FromFloat(g.Tau))
		return Mechanism{Epsilon: rule.Epsilon(g), LnDelta: theory.LogProb(math.Nextafter(ln.Float(), math.Inf(-1)))}
	}
	return rule
}()

// dpRule is a theorem whose hypothesis is epsilon <= limit(tau): a given epsilon must satisfy it, and without one the
// limit itself is used.
func dpRule(text string, limit func(tau float64) float64, need func(Goal) num.DD) solver.Closed {
	choose := func(g Goal) float64 {
		if g.Epsilon > 0 {
			return g.Epsilon
		}
		return limit(g.Tau)
	}
	check := func(g Goal) error {
		if g.Epsilon > 0 && g.Tau > 0 && g.Epsilon > limit(g.Tau) {
			return goal.Needs("epsilon at most " + text + " = " + goal.FormatFloat(limit(g.Tau)))
		}
		return nil
	}
	return solver.Closed{Domain: solver.Domain{Kinds: goal.Linear, Needs: check}, Need: need, Epsilon: choose,
		Run: func(g Goal) Mechanism { return Mechanism{Epsilon: choose(g)} }}
}
