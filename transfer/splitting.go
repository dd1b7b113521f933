package transfer

import (
	"math"

	"github.com/dpcalc/dpcalc/theory"
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
	rule:     closed{domain: domain{kinds: means}, need: hoeffdingRows},
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
	rule:     fixedQuery{domain: domain{kinds: linear}, exact: true},
	other:    perQuery(means, true),
}

// parted is a rule for one query on its own part of the rows, which are cut into m equal parts.
type parted struct{ rule }

func (parted) part(g Goal) Goal {
	g.Samples /= g.Queries
	return g
}

func (r parted) holds(g Goal) bool { return g.Samples >= g.Queries && r.rule.holds(r.part(g)) }

func (r parted) samples(g Goal, by trail) (reached, error) {
	one, err := r.rule.samples(g, by)
	switch {
	case err != nil:
		return reached{}, theory.TooMany(math.Inf(1))
	case one.n > MaxCount/g.Queries:
		return reached{}, theory.TooMany(float64(one.n) * float64(g.Queries))
	}
	return reached{n: one.n * g.Queries}, nil
}

func (r parted) queries(g Goal) int64 { return mostQueries(g, 1, r.holds) }

func (r parted) tau(g Goal) (float64, Mechanism) {
	if g.Samples < g.Queries {
		return r.limit(g), Mechanism{}
	}
	return r.rule.tau(r.part(g))
}

func (r parted) beta(g Goal) theory.LogProb {
	if g.Samples < g.Queries {
		return 0
	}
	return r.rule.beta(r.part(g))
}
