package audit

import (
	"math"
	"math/rand/v2"

	"github.com/dpcalc/dpcalc/internal/num"
	"github.com/dpcalc/dpcalc/theory"
)

// Tail is the audit of a claim P[E] <= bound on the probability of one event, such as an error beyond the accuracy of a
// mechanism.
type Tail struct {
	Plan
	Bound theory.LogProb                // from 1e-299 to below 1
	Hit   func(r *rand.Rand) (hit bool) // draws whether E occurs; called from several goroutines
}

// Validate reports a DomainError for the first field outside its domain.
func (a Tail) Validate() error {
	if err := a.Plan.Validate(); err != nil {
		return err
	}
	if err := theory.Domain(a.Bound < 0 && a.Bound >= -690, "bound", a.Bound,
		"a number from 1e-299 to below 1"); err != nil {
		return err
	}
	return theory.Domain(a.Hit != nil, "hit", "nil", "a sampler")
}

// TailResult is what the audit of a tail found.
type TailResult struct {
	Verdict  Verdict
	Samples  int64   // events drawn; the audit stops when it has refuted the claim
	Hits     int64   // of them the event
	LnWealth float64 // the largest it was, against the claim

	// Lower is a lower confidence bound on P[E], above the truth with probability at most
	// alpha, whenever the audit stops: Zero, or from an eighth to 32 times the bound. The
	// claim is violated where this is above the bound.
	Lower theory.LogProb

	// Detectable is the least P[E] that is refuted with probability at least 0.99 within
	// half of the samples, at the best stake for it (the other half is for learning the
	// stake): by the exact binomial law. It is 1 if nothing less is, and if not even 1 is,
	// a claim that was not refuted is Undecided.
	Detectable theory.LogProb
}

// wager is a bet on a coin: what the logarithm of the wealth gains by a hit and a miss.
type wager struct{ hit, miss float64 }

// newWager bets that hits have the probability p and not at most v: 1 + s (1_E - v) with
// s = caution (p-v)/(v(1-v)) has expectation at most one if P[E] <= v.
func newWager(p, v, caution float64) wager {
	if !(p > v && caution > 0) {
		return wager{}
	}
	return wager{math.Log1p(caution * (p - v) / v), math.Log1p(-caution * (p - v) / (1 - v))}
}

// Audit draws samples and bets on hits. See [TailResult].
func (a Tail) Audit(alarm *Alarm) (TailResult, error) {
	if err := a.Validate(); err != nil {
		return TailResult{}, err
	}
	alpha, err := alarm.spend()
	if err != nil {
		return TailResult{}, err
	}
	bounds := []float64{a.Bound.Value()}
	for _, v := range ladder(bounds[0], bounds[0]) {
		if v < 1 {
			bounds = append(bounds, v)
		}
	}
	lnWealth, refuted := make([]float64, len(bounds)), make([]bool, len(bounds))
	result, lower := TailResult{Verdict: Holds}, 0.0
	draw := func(r *rand.Rand, size int) wins {
		w := wins{samples: int64(size)}
		for range size {
			if a.Hit(r) {
				w.hits++
			}
		}
		return w
	}
	inOrder(a.Plan, a.Samples, draw, func(w wins) bool {
		// The stakes come from the samples before this block.
		n := float64(result.Samples)
		p := (float64(result.Hits) + 0.5) / (n + 1)
		for k, v := range bounds {
			bet := newWager(p, v, 1-p*(1-p)/(n*(p-v)*(p-v)))
			lnWealth[k] += float64(w.hits)*bet.hit + float64(w.samples-w.hits)*bet.miss
			refuted[k] = refuted[k] || lnWealth[k] >= rounding-alpha.Ln()
		}
		result.LnWealth = max(result.LnWealth, lnWealth[0])
		result.Samples, result.Hits = result.Samples+w.samples, result.Hits+w.hits
		lower = 0
		for k := 1; k < len(bounds) && refuted[k]; k++ {
			lower = bounds[k]
		}
		return lower <= bounds[0]
	})
	result.Lower = theory.LogProb(math.Log(lower))
	found := func(p float64) bool { return findsByCounts(bounds[0], p, a.Samples/2, alpha) }
	switch {
	case lower > bounds[0]:
		result.Verdict = Violated
	case !found(1):
		result.Verdict = Undecided
	}
	if found(1) {
		result.Detectable = theory.LogProb(math.Log(num.Floats{Lo: bounds[0], Hi: 1, Guess: bounds[0]}.Least(found)))
	}
	alarm.record(result.Samples, result.Verdict, result.Detectable.Value())
	return result, nil
}

type wins struct{ hits, samples int64 }

// findsByCounts reports whether n bets at the best stake for p refute v with probability
// at least 0.99 if p is the truth.
func findsByCounts(v, p float64, n int64, alpha theory.LogProb) bool {
	bet := newWager(p, v, 1)
	if n < 1 || bet == (wager{}) {
		return false
	}
	if p == 1 {
		return float64(n)*bet.hit >= rounding-alpha.Ln()
	}
	least := math.Ceil((rounding - alpha.Ln() - float64(n)*bet.miss) / (bet.hit - bet.miss))
	if least > float64(n) {
		return false
	}
	return num.Binomial{N: n, P: p}.LnAtMost(int64(least)-1) <= math.Log(0.01)
}
