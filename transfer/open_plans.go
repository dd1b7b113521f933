package transfer

import (
	"math"

	"github.com/dpcalc/dpcalc/internal/num"
	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer/goal"
	"github.com/dpcalc/dpcalc/transfer/open"
	"github.com/dpcalc/dpcalc/transfer/solver"
)

const (
	anyNumber = "No number of queries, of passes or of corrections is fixed. "
	noneFixed = "At query m, of which k-1 before came out on the rarer side: W = B(a+k-1, b+m-k+1)/B(a,b), q = (a+k-1)/(a+b+m-1), a = 1/2, b = 2; n kl(x||c) = ln 1/level for the ends c <= x of an interval; Lemma 5 for differences, or (1+f)/2; "
)

func openSources(look string) []theory.Source {
	places := proved("open.md#"+look, "open.md#cell-theorem", "open.md#tails-of-open-plans")
	return append(places, source("hoeffding63", "Theorem 1"))
}

var openGate = Method{
	Name:      "open-gate",
	Summary:   "only pass or fail is shown, to any number of tests",
	Formula:   noneFixed + "2 tau = max over x of u(x) - c(x) at the levels beta W q of a pass and beta W (1-q) of a failure, or the one at a known bar, with the convex tails of gate there and exact ones for 0/1 queries",
	Practice:  anyNumber + "A test passes if its mean on the holdout is at least the least one whose lower end is its bar. A test that passes is above its bar. A test that fails is at most 2 tau above it, and tau grows with what was shown before.",
	Uses:      []string{passesFlag, barFlag, disagreementFlag, varianceFlag, atLeastFlag, secondMomentFlag},
	Proof:     Derived,
	Adaptive:  true,
	Setting:   OpenPlans,
	Feedbacks: []Feedback{Gate},
	Sources:   append(append(openSources("open-gate"), proved("feedback.md#convex-tail")...), source("hoeffding56", "Theorem 4")),
	Assumes:   []string{independentOnly},
	theorems: theorems{
		rule:     openGateRule,
		arriving: openGateRule,
		drawn:    openGateRule,
		ratio: ratioRule(rareFits, func(g Goal) (pass, fail float64) {
			return open.Plan{LnBeta: g.Beta.Ln(), Bet: open.Usual(), Looks: g.Queries, Rare: g.Rare()}.Levels()
		}),
	},
}

var openBoard = Method{
	Name:      "open-board",
	Summary:   "only the best score so far is shown, to any number of submissions",
	Formula:   noneFixed + "W 2^-(k-1) for W; 2 tau = the greater of max over x of u(x+s) - c(x) at the levels beta W and beta W (1-q), and at beta W q and beta W (1-q/2), for steps s of 0.01, or of about tau/2 where that is less",
	Practice:  anyNumber + "Show the lower end of the highest step that any score has reached so far, and nothing else. The best truth of all that was submitted is within tau of the middle of its interval, tau being that of the query, if each raise was by one step.",
	Uses:      []string{passesFlag, varianceFlag, atLeastFlag},
	Proof:     Derived,
	Adaptive:  true,
	Setting:   OpenPlans,
	Feedbacks: []Feedback{Best},
	Sources:   openSources("open-board"),
	Assumes:   []string{independentOnly},
	theorems:  theorems{rule: openBoardRule, arriving: openBoardRule, drawn: openBoardRule},
}

var openGuess = Method{
	Name:      "open-guess",
	Summary:   "a guess comes with each query and is corrected where it is wrong, any number of times",
	Formula:   noneFixed + "W 4^-(k-1) for W; 2 tau = the greater of max over x of u(x+s) - c(x) at the level beta W (1-q/2) twice, and at beta W q/2 and beta W (1-q/4), for steps s of 0.01, or of about tau/2 where that is less",
	Practice:  anyNumber + "Say that the guess holds if the value on the holdout is within half a step of it, and else which step the value is in. The truth is within tau of the middle of its interval, tau being that of the query, if each correction was by one step.",
	Uses:      []string{passesFlag, disagreementFlag, varianceFlag, atLeastFlag, secondMomentFlag},
	Proof:     Derived,
	Adaptive:  true,
	Needs:     budgetFlag,
	Setting:   OpenPlans,
	Feedbacks: []Feedback{Flags},
	Sources:   openSources("open-guess"),
	Assumes:   []string{independentOnly, training},
	theorems:  theorems{rule: openGuessRule, arriving: openGuessRule, drawn: openGuessRule},
}

// The rows of a look are those at hand when it is taken.
var (
	openGateRule  = openRule(goal.Means, gateWidth)
	openBoardRule = openRule(goal.Linear, stepped(open.Plan.Board))
	openGuessRule = openRule(goal.Means, stepped(open.Plan.Guess))
)

// rareFits asks for no more queries on the rarer side than queries.
func rareFits(g Goal) error {
	if g.Queries > 0 && g.Rare() > g.Queries {
		return goal.Needs("passes of at most the number of queries")
	}
	return nil
}

// openLimit is where an interval is all that a truth can be.
func openLimit(g Goal) float64 {
	switch {
	case g.Bar.Given:
		return (1 - g.Bar.Value) / 2
	case g.Query.IsSigned():
		return g.MayDiffer()
	}
	return 0.5
}

// anyLook is a rule about a query of an open plan. There are at least as many as are on the rarer side.
type anyLook struct{ solver.Optimised }

func (r anyLook) Queries(g Goal) int64 { return solver.MostQueries(g, g.Rare(), r.Holds) }

func openRule(kinds goal.Kinds, look func(g Goal, p open.Plan) (float64, Mechanism)) anyLook {
	reach := func(g Goal) func(int64) (float64, Mechanism) {
		return func(n int64) (float64, Mechanism) {
			n += g.Arrival.More(g.Queries)
			p := open.Plan{LnBeta: lnCells(g), Bet: open.Usual(), Looks: g.Queries, Rare: g.Rare()}
			tau, run := math.Inf(1), Mechanism{}
			for _, p.Tails = range solver.OpenTails(g, n) {
				if other, another := look(g, p); other < tau {
					tau, run = other, another
				}
			}
			if !(tau*(1+0x1p-20) < openLimit(g)) { // nearer to the limit the slack of the search would decide
				return math.Inf(1), Mechanism{}
			}
			return tau, run
		}
	}
	return anyLook{solver.Optimised{Domain: solver.Domain{Kinds: kinds, Needs: rareFits, Top: openLimit}, Reach: reach}}
}

// lnCells is ln of the failure probability that is left to the cells of the looks up to the goal's, where each might
// have been refused, and none was.
func lnCells(g Goal) float64 {
	if !g.Checked || g.SecondMoment == 0 {
		return g.Beta.Ln()
	}
	return g.Beta.Ln() + float64(open.Refusals().Left(g.Queries, 0))*(1+1e-15)
}

// gateWidth is the margin of a gate, and what passes at a known bar.
func gateWidth(g Goal, p open.Plan) (float64, Mechanism) {
	if !g.Bar.Given {
		return p.Gate(), Mechanism{}
	}
	gate, tau, err := p.GateAt(g.Bar.Value)
	if err != nil { // no mean can pass
		return math.Inf(1), Mechanism{}
	}
	run := Mechanism{PassAt: Some(gate.Cuts[0].At)}
	if counts, ok := p.Tails.(open.ZeroOne); ok {
		run.PassCount = int64(math.Round(run.PassAt.Value * float64(counts.Rows)))
	}
	return tau, run
}

// UsualMost is the most nats that a response of an open ledger costs where nothing else was declared.
const UsualMost = 8

// MostNats returns the least most nats of a response that let a ledger keep to an open row, whatever the order of its
// responses is: no share meets its floor. For other rows it is 0.
func (a Answer) MostNats() (nats float64) {
	switch cells := math.Ceil(1 / a.Mechanism.Step); a.Feedback {
	case Best: // a raise by i cells has 1/i - 1/(i+1) of the share
		nats = num.Log(cells * (cells - 1))
	case Flags: // of one half of it
		nats = num.Log(2 * cells * (cells - 1))
	}
	nats -= num.Log(open.Usual().Rate(a.Queries-1, 0))
	if refused := open.Refusals().Rate(a.Queries-1, 0); a.Checked && a.SecondMoment > 0 {
		nats = math.Max(nats-math.Log1p(-refused), -num.Log(refused))
	}
	return nats
}

// UsualStep is the step of boards and guesses that are planned, and leastStep the finest.
const (
	UsualStep = 0.01
	leastStep = 0x1p-14
)

// stepped is the width of a look in steps: of the usual step or, where that is more than half of tau, of about half.
// Each tau is the tau of its step.
func stepped(width func(p open.Plan, step float64) float64) func(g Goal, p open.Plan) (float64, Mechanism) {
	return func(_ Goal, p open.Plan) (float64, Mechanism) {
		step := UsualStep
		tau := width(p, step)
		for {
			finer := max(tau/2, leastStep)
			if finer >= step*(1-1e-9) {
				return tau, Mechanism{Step: step}
			}
			step, tau = finer, width(p, finer)
		}
	}
}

// ratioRule is a gate of a ratio at a known bar c, given the levels of a pass and of a failure: what passes is above c,
// and what fails is at most c + 2 tau. There are at least as many looks as there may be passes.
func ratioRule(fits func(g Goal) error, levels func(g Goal) (pass, fail float64)) anyLook {
	domain := solver.Domain{Kinds: goal.Linear, Needs: fits, Top: openLimit}
	return anyLook{solver.Optimised{Domain: domain, Reach: func(g Goal) func(int64) (float64, Mechanism) {
		pass, fail := levels(g)
		return func(n int64) (float64, Mechanism) {
			gate := solver.RatioGate(g.Ratio, n, g.Bar.Value)
			x, ok := gate.Pass(g.Bar.Value, pass)
			if !ok || gate.Positive < 1 {
				return math.Inf(1), Mechanism{}
			}
			return solver.Certified((gate.Upper(x, fail)-g.Bar.Value)/2, openLimit(g), Mechanism{})
		}
	}}}
}
