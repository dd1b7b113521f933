package transfer

import (
	"github.com/dpcalc/dpcalc/internal/num"
	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer/goal"
	"github.com/dpcalc/dpcalc/transfer/solver"
)

var hoeffding = Method{
	Name:     "hoeffding",
	Summary:  "queries fixed in advance, exact answers: Hoeffding with a union bound",
	Formula:  "n >= ln(2m/beta)/(2 tau^2), from P[|E_S[phi]-P[phi]| >= tau] <= 2 exp(-2 n tau^2) for each of m queries; for functions of sensitivity D/n, tau/D for tau (McDiarmid)",
	Practice: "The reference for what adaptivity costs. " + inAdvance,
	Proof:    Published,
	Sources:  []theory.Source{source("hoeffding63", "Theorem 2"), source("mcdiarmid89", "")},
	Assumes:  []string{independent, fixed},
	OneSided: true,
	theorems: theorems{
		rule:  solver.Closed{Domain: solver.Domain{Kinds: goal.AllKinds}, Need: hoeffdingRows},
		drawn: solver.Closed{Domain: means, Need: hoeffdingRows, Worth: solver.GaussianWorth},
	},
}

const inAdvance = "Write all m queries down before looking at the holdout, then answer each with its value on it. One query chosen after an answer was seen voids the guarantee."

// hoeffdingRows: 2m exp(-2 n tau^2) <= beta, m for 2m where one side counts; for functions of sensitivity D/n by
// McDiarmid's inequality with tau/D in the place of tau.
func hoeffdingRows(g Goal) num.DD {
	return solver.LnOver(g.Sides(), g).Div(solver.Square(g).MulFloat(2))
}

var hoeffdingKL = Method{
	Name:     "hoeffding-kl",
	Summary:  "queries fixed in advance: Hoeffding's relative-entropy form",
	Formula:  "the least n with sup_p [exp(-n kl(p+tau||p)) + exp(-n kl(p-tau||p))] <= beta/m, a term being 0 where p+-tau leaves [0,1]",
	Practice: inAdvance + " The gain over hoeffding, from the sharper form of the same theorem, grows with tau.",
	Uses:     []string{disagreementFlag, varianceFlag, atLeastFlag, secondMomentFlag},
	Proof:    Published,
	Sources:  []theory.Source{source("hoeffding63", "Theorem 1")},
	Assumes:  []string{independent, fixed},
	OneSided: true,
	Tails:    differences,
	theorems: theorems{
		rule:  solver.FixedQuery{Domain: linear},
		other: solver.PerQuery(goal.Means, solver.OneLook{}),
		drawn: solver.PerQuery(goal.Means, solver.OneLook{}),
	},
}

var binomial = Method{
	Name:     "binomial",
	Summary:  "0/1 queries fixed in advance: exact binomial tails, or a bound on them",
	Formula:  "V(n) = sup_p [Phi(-sqrt(2n kl(p+tau-1/n||p))) + Phi(-sqrt(2n kl(p-tau+1/n||p)))] <= beta/m with n tau >= 1, a term being 0 where p+-tau leaves [0,1], or as hoeffding-kl if that needs less; where this is at most 10,000 and beta/m <= 1/2, the least n such that every n' >= n has sup_p P[|Bin(n',p)/n' - p| >= tau] <= beta/m",
	Practice: inAdvance + " For accuracies and error rates. It is the least n for the empirical mean and a union bound, or above 10,000 rows at most about 2/tau more. Another estimator can do with fewer rows.",
	Uses:     []string{varianceFlag, atLeastFlag},
	Proof:    Published,
	Sources:  []theory.Source{source("chen11", ""), source("zubkov13", "Theorem 1")},
	Assumes:  []string{independent, fixed},
	OneSided: true,
	theorems: theorems{
		rule:  solver.FixedQuery{Domain: solver.Domain{Kinds: goal.ZeroOne}, Exact: true},
		other: solver.PerQuery(goal.ZeroOne, solver.OneLook{Exact: true}),
		drawn: solver.PerQuery(goal.ZeroOne, solver.OneLook{Exact: true}),
	},
}

var differences = proved("feedback.md#differences")
