package transfer

import (
	"math"

	"github.com/dpcalc/dpcalc/internal/num"
	"github.com/dpcalc/dpcalc/theory"
)

// optimised is a theorem with free parameters: for given n, m and beta each
// choice of them certifies some tau, and reach searches for the least. Any choice
// is valid, so the search may be loose; what it returns is evaluated strictly.
type optimised struct {
	kinds    kinds
	budgeted bool               // the number of queries starts at the budget
	needs    func(g Goal) error // hypotheses beyond the domain; nil means none

	// reach looks at all of g but Samples and Tau, and returns what n samples certify:
	// the least tau found, rounded up, and what to run for it; tau is +Inf where no
	// choice is valid.
	reach func(g Goal) func(n int64) (tau float64, run Mechanism)
}

// from is for a theorem in which nothing is shared between one n and another.
func from(reach func(g Goal) (float64, Mechanism)) func(g Goal) func(n int64) (float64, Mechanism) {
	return func(g Goal) func(int64) (float64, Mechanism) {
		return func(n int64) (float64, Mechanism) { g.Samples = n; return reach(g) }
	}
}

func (o optimised) applies(g Goal) error {
	if err := o.kinds.check(g.Query); err != nil {
		return err
	}
	if o.needs != nil {
		return o.needs(g)
	}
	return nil
}

// certified is what the samples of g certify.
func (o optimised) certified(g Goal) (float64, Mechanism) {
	if o.applies(g) != nil {
		return math.Inf(1), Mechanism{}
	}
	return o.reach(g)(g.Samples)
}

func (o optimised) holds(g Goal) bool {
	tau, _ := o.certified(g)
	return tau <= g.Tau
}

func (o optimised) tau(g Goal) (float64, Mechanism) {
	tau, run := o.certified(g)
	return min(tau, g.spread()), run
}

func (o optimised) beta(g Goal) theory.LogProb {
	return closestBeta(g, func(g Goal) float64 { tau, _ := o.certified(g); return tau })
}

func (o optimised) queries(g Goal) int64 { return mostQueries(g, fewest(g, o.budgeted), o.holds) }

// samples follows tau ~ n^(-1/2), which is nearly exact for most, to the
// neighbourhood of the least n, and decides there.
func (o optimised) samples(g Goal) (int64, error) {
	reach := o.reach(g)
	tau := func(n int64) float64 { tau, _ := reach(n); return tau }
	n := min(4/(g.Tau*g.Tau)*float64(g.Queries), MaxCount)
	for range 60 {
		t := tau(int64(max(n, 1)))
		next := n * (t / g.Tau) * (t / g.Tau)
		if !(next <= 1e300) { // no choice is valid at n
			next = n * 16
		}
		if n >= MaxCount && next > n {
			return 0, tooMany(next)
		}
		next = min(max(next, 1), MaxCount)
		done := math.Abs(next-n) <= 1e-7*n+0.4
		n = next
		if done {
			break
		}
	}
	ok := func(n int64) bool { return tau(n) <= g.Tau }
	if n > MaxCount/2 && !ok(MaxCount) {
		return 0, tooMany(math.Inf(1))
	}
	guess := int64(math.Ceil(n))
	hi := guess
	for step := int64(1); hi < MaxCount && !ok(hi); step *= 4 {
		guess, hi = hi+1, min(hi+step, MaxCount)
	}
	return num.Ints{Lo: 1, Hi: hi, Guess: guess}.Least(ok), nil
}

// up rounds the result of a few dozen float64 operations to the safe side: 2^-40
// is a thousand times their error and a thousandth of the slack we allow.
func up(x float64) float64 { return x * (1 + 0x1p-40) }

// certified rounds tau up, and reads what is no better than the trivial accuracy
// as no certificate.
func certified(tau, trivial float64, run Mechanism) (float64, Mechanism) {
	if tau = up(tau); !(tau < trivial) {
		return math.Inf(1), Mechanism{}
	}
	return tau, run
}
