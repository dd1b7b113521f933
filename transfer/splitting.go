package transfer

import (
	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer/goal"
	"github.com/dpcalc/dpcalc/transfer/solver"
)

var splitting = Method{
	Name:     "splitting",
	Summary:  "a fresh part of the holdout for every query",
	Formula:  "n = m ceil(ln(2m/beta)/(2 tau^2))",
	Practice: inParts + " Simple and hard to beat for a handful of queries.",
	Proof:    Published,
	Adaptive: true,
	Splits:   true,
	Sources:  []theory.Source{source("hoeffding63", "Theorem 2"), source("dwork15preserving", "Section 1")},
	Assumes:  []string{identical},
	OneSided: true,
	theorems: theorems{rule: solver.Closed{Domain: means, Need: hoeffdingRows}},
}

const inParts = "Shuffle, cut the holdout into m equal parts, answer query j with its value on part j and never touch that part again."

var splittingExact = Method{
	Name:     "splitting-exact",
	Summary:  "as splitting, each part sized by the exact or relative-entropy requirement",
	Formula:  "n = m n', n' of binomial for 0/1 queries and of hoeffding-kl otherwise",
	Practice: inParts + " The parts are the smallest that are proved sufficient.",
	Uses:     []string{disagreementFlag, varianceFlag, atLeastFlag, secondMomentFlag},
	Proof:    Published,
	Adaptive: true,
	Splits:   true,
	Sources:  []theory.Source{source("hoeffding63", "Theorem 1"), source("chen11", ""), source("zubkov13", "Theorem 1")},
	Assumes:  []string{identical},
	OneSided: true,
	Tails:    differences,
	theorems: theorems{
		rule:  solver.FixedQuery{Domain: linear, Exact: true},
		other: solver.PerQuery(goal.Means, solver.OneLook{Exact: true}),
	},
}
