package transfer

import (
	"fmt"
	"math"

	"github.com/dpcalc/dpcalc/internal/num"
	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer/goal"
	"github.com/dpcalc/dpcalc/transfer/solver"
	"github.com/dpcalc/dpcalc/transfer/tree"
)

var sparseValidate = Method{
	Name:      "sparse-validate",
	Summary:   "a guess comes with each query and is corrected where it is wrong, without noise",
	Formula:   "W A(tau-T) + sum over i < B of N_i r_i <= beta, r_i = max{2A(s_i), A(T-t0) + A(T)}, s_i = tau + T - 2tau/(c_i+1); N_i, W count the nodes: docs/theorems/feedback.md; for the best T, or T as given by --hold without the second part of r_i",
	Practice:  "If the guess is within the threshold of the value on the holdout, the answer is the guess. If not, the answer is the guess moved by what exceeds the threshold, rounded up to a multiple of the cell's width, from the table of the plan: a flag. After B flags nothing is answered, not even a right guess. The widths and the threshold are public and fixed in advance; no guess may come from the holdout otherwise.",
	Uses:      []string{holdFlag, guessErrorFlag, disagreementFlag, varianceFlag, atLeastFlag, secondMomentFlag},
	Proof:     Derived,
	Adaptive:  true,
	Needs:     budgetFlag,
	Feedbacks: []Feedback{Flags},
	Sources:   proved("feedback.md#sparse-validate", "feedback.md#tails"),
	Assumes:   []string{independentOnly, training},
	theorems:  theorems{rule: sparseRule, drawn: sparseRule},
}

// sparseRule is Theorem 1, or Theorem 2 where fresh parts of the holdout save a tenth and rarely flag a right guess.
var sparseRule = solver.Searched{
	Domain: solver.Domain{Kinds: goal.Means, Needs: sparseNeeds},
	Rows: func(g Goal) float64 {
		m, b := float64(g.Queries), float64(g.Budget)
		return (b*num.Log(math.E*m/b) - g.Beta.Ln()) / (g.Tau * g.Tau)
	},
	Built: func(g Goal) bool { _, ok := validatorFor(g); return ok || partsFor(g) > 0 },
	Run:   runValidator,
}

func sparseNeeds(g Goal) error {
	few := g.Budget <= mostFlags || g.Budget <= 10*mostFlags && g.Queries/4 >= g.Budget
	if err := budgetNeeds(g); err != nil || few {
		return err
	}
	return goal.Needs(fmt.Sprintf("a budget of at most %d, or %d with four queries for each flag", mostFlags, 10*mostFlags))
}

// mostFlags is how many flags are counted one by one. Ten times as many take no longer where there are several queries
// for each, as the sums of their counts are short.
const mostFlags = 10_000

// validatorFor returns a validator for the plan and whether it keeps the promise: with the threshold asked for, or the
// best one that leaves room for the guess error.
func validatorFor(g Goal) (tree.Validator, bool) {
	v := validatorOf(g, g.Hold)
	if max(v.Threshold, v.Tolerance) >= v.Tau {
		return v, false
	}
	if v.Guesses {
		v, ln := v.WithBestThreshold(g.Samples)
		return v, ln <= v.LnBeta
	}
	ln, _ := v.Bound(g.Samples)
	return v, ln <= v.LnBeta
}

func validatorOf(g Goal, threshold float64) tree.Validator {
	v := tree.Validator{Values: g.DrawnValues(), Queries: g.Queries, Flags: g.Budget, Tau: g.Tau, Threshold: threshold,
		Guesses: !g.KeepsThreshold(), LnBeta: g.Beta.Ln()}
	if v.Guesses {
		v.Tolerance = g.GuessWithin()
	}
	return v
}

// partsFor returns the rows of each of B fresh parts that serve one flag each, or 0. They are used where less than one
// right guess of all is flagged and they save a tenth, or one tree does not fit the rows.
func partsFor(g Goal) int64 {
	held := g.KeepsThreshold() && g.Hold < g.Tau
	if g.Sample != nil || !held || g.Budget == 1 { // what is left of a benchmark is another one
		return 0
	}
	one := g
	one.Budget, one.Beta = 1, g.Beta-theory.LogProb(num.Log(float64(g.Budget))*(1+1e-15))
	serves := func(n int64) bool {
		one.Samples = n
		_, ok := validatorFor(one)
		return ok
	}
	rows := g.Samples / g.Budget
	rarely := func() bool { return validatorOf(g, g.Hold).LnFalseFlag(rows)+num.Log(float64(g.Queries)) < 0 }
	if rows == 0 || !serves(rows) || !rarely() {
		return 0
	}
	least := num.Ints{Lo: 1, Hi: rows, Guess: rows}.Least(serves)
	g.Samples = min(g.Samples, least*g.Budget*10/9)
	if _, tree := validatorFor(g); tree {
		return 0
	}
	return rows
}

func runValidator(g Goal) Mechanism {
	if rows := partsFor(g); rows > 0 {
		return Mechanism{
			Threshold: g.Hold, Chunks: g.Budget, FalseFlag: falseFlag(g, rows),
			FlagWidths: []theory.FlagWidth{{}},
		}
	}
	v, _ := validatorFor(g)
	_, widths := v.Bound(g.Samples)
	g.Hold = v.Threshold
	return Mechanism{Threshold: v.Threshold, FlagWidths: widths, FalseFlag: falseFlag(g, g.Samples)}
}

// falseFlag is the chance that a guess that is exactly right is flagged on n rows at the threshold Hold: of the
// worst 0/1 query, which for other values in [0,1] is the one to reckon with; a bound on it for differences.
func falseFlag(g Goal, n int64) theory.LogProb {
	if g.Query.IsSigned() || g.Sample != nil {
		return theory.LogProb(validatorOf(g, g.Hold).LnFalseFlag(n))
	}
	tail, err := theory.BinomialTail(theory.Deviation{Samples: n, Tau: g.Hold})
	if err != nil {
		return 0
	}
	return tail.Value
}

// CertifyFlags fills in the failure probability at which a validator with this threshold and these widths is certified,
// in as many parts, each for one flag, where there is more than one. It is 0, the probability one, where there is none.
func (a *Answer) CertifyFlags(threshold float64, widths []theory.FlagWidth, parts int64) {
	g := a.Goal
	a.Beta = 0
	v := validatorOf(g, threshold)
	switch {
	case g.KeepsThreshold() && threshold != g.Hold:
	case parts <= 1:
		a.Beta = theory.LogProb(v.LnFailure(g.Samples, widths))
	case parts == g.Budget && g.KeepsThreshold():
		lnParts := num.Log(float64(parts)) * (1 + 1e-15)
		v.Flags, v.LnBeta = 1, v.LnBeta-lnParts
		if ln := v.LnFailure(g.Samples/parts, widths) + lnParts; ln < 0 {
			a.Beta = theory.LogProb(ln * (1 - 4e-16))
		}
	}
}
