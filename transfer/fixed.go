package transfer

import (
	"math"

	"github.com/dpcalc/dpcalc/internal/num"
	"github.com/dpcalc/dpcalc/theory"
)

// fixedQuery is a requirement on the rows that one query, fixed before it meets
// them, needs at level beta/m: the relative-entropy form or, for 0/1 queries, the
// exact binomial one.
type fixedQuery struct {
	kinds kinds
	split bool // n is first divided into m equal parts, one for each query
	exact bool // use the binomial requirement where the query is 0/1
}

func (f fixedQuery) applies(g Goal) error { return f.kinds.check(g.Query) }

// tight: the worst population is searched, and on the safe side, but nothing that the
// planner is free to choose.
func (fixedQuery) tight() bool { return true }

// binomial reports whether the exact requirement is used for g: where the
// relative-entropy form needs no more rows than it is computed for.
func (f fixedQuery) binomial(g Goal) bool {
	if !f.exact || g.Query != Binary {
		return false
	}
	ok, _ := theory.KLHolds(fixedGoal(g), theory.MaxExactSamples)
	return ok
}

func (f fixedQuery) holds(g Goal) bool {
	n := f.rows(g)
	if n < 1 {
		return false
	}
	ok, _ := theory.KLHolds(fixedGoal(g), n)
	if !ok && n <= theory.MaxExactSamples && f.binomial(g) {
		ok, _ = theory.BinomialHolds(exactGoal(g), n)
	}
	return ok
}

// rows returns how many rows one query meets.
func (f fixedQuery) rows(g Goal) int64 {
	if f.split {
		return g.Samples / g.Queries
	}
	return g.Samples
}

func fixedGoal(g Goal) theory.Fixed {
	return theory.Fixed{Tau: g.Tau, Level: theory.Level{Queries: g.Queries, Beta: g.Beta}}
}

// exactGoal asks no query to fail more often than every other time: for failure
// probabilities above one half the exact requirement is slow to find and of no use.
func exactGoal(g Goal) theory.Fixed {
	g.Beta = min(g.Beta, theory.LogProb(math.Log(float64(g.Queries)/2)))
	return fixedGoal(g)
}

func (f fixedQuery) samples(g Goal) (reached, error) {
	n, err := theory.KLSamples(fixedGoal(g))
	if f.binomial(g) {
		if exact, e := theory.BinomialSamples(exactGoal(g)); e == nil && exact.Value < n.Value {
			n = exact
		}
	}
	if err != nil {
		return reached{}, err
	}
	parts := int64(1)
	if f.split {
		parts = g.Queries
	}
	if n.Value > MaxCount/parts {
		return reached{}, tooMany(float64(n.Value) * float64(parts))
	}
	return reached{n: n.Value * parts}, nil
}

// note says where the exact requirement gives way to the relative-entropy form.
func (f fixedQuery) note(g Goal) string {
	if f.exact && g.Query == Binary && !f.binomial(g) {
		return "the relative-entropy requirement, used above 10000 rows a query"
	}
	return ""
}

// queries, tau and beta start, for the exact requirement, from what the worst of n and
// all larger samples allows.
func (f fixedQuery) queries(g Goal) int64 {
	if f.exact && g.Query == Binary && !f.split && g.Samples <= theory.MaxExactSamples {
		worst, err := theory.BinomialWorst(theory.Deviation{Samples: g.Samples, Tau: g.Tau})
		ok := func(m int64) bool { g.Queries = m; return f.holds(g) }
		if err == nil && ok(1) {
			guess := int64(min(math.Exp(min(g.Beta.Ln()-worst.Ln(), 40)), MaxCount))
			return num.Ints{Lo: 1, Hi: MaxCount, Guess: guess}.Greatest(ok)
		}
	}
	return mostQueries(g, 1, f.holds)
}

// tau starts where p = 1/2 is the worst case, which it is unless tau is large, and
// else from Hoeffding's bound.
func (f fixedQuery) tau(g Goal) (float64, Mechanism) {
	level := lnOver(2, g).Float() / math.Max(float64(f.rows(g)), 1)
	guess := math.Sqrt(level / 2)
	for i := 0; i < 6 && guess < 0.49; i++ { // K(tau) = kl(1/2+tau||1/2) has slope 2 atanh(2 tau)
		guess -= (num.KLShift{P: 0.5, Shift: guess}.Nats() - level) / (2 * math.Atanh(2*guess))
		guess = math.Max(guess, 1e-300)
	}
	tau := leastTau(g, guess, fixedQuery{kinds: f.kinds, split: f.split}.holds)
	g.Tau = math.Min(tau, math.Nextafter(1, 0))
	if n := f.rows(g); n >= 1 && n <= theory.MaxExactSamples && f.binomial(g) {
		exact, err := theory.BinomialTau(exactGoal(g).Level, n)
		if g.Tau = exact; err == nil && exact < tau && f.holds(g) {
			tau = exact
		}
	}
	return tau, Mechanism{}
}

func (f fixedQuery) beta(g Goal) theory.LogProb {
	rows := float64(f.rows(g))
	guess := math.Log(2*float64(g.Queries)) - rows*num.KLShift{P: 0.5, Shift: math.Min(g.Tau, 0.499)}.Nats()
	beta := leastBeta(g, math.Min(guess, -1e-300), fixedQuery{kinds: f.kinds, split: f.split}.holds)
	if n := f.rows(g); f.exact && g.Query == Binary && n >= 1 && n <= theory.MaxExactSamples {
		worst, err := theory.BinomialWorst(theory.Deviation{Samples: n, Tau: g.Tau})
		exact := worst.Ln() + math.Log(float64(g.Queries))
		exact += 1e-13 + 1e-15*math.Abs(exact)
		if g.Beta = theory.LogProb(exact); err == nil && g.Beta < beta && f.holds(g) {
			beta = g.Beta
		}
	}
	return beta
}
