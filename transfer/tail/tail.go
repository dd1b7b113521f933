// Package tail has the two tails of one query, fixed before it meets the rows: for values in [0,1], 0/1 values,
// differences, values of a known variance or second moment, and rows that were drawn in clusters, of a benchmark or
// within two classes. The proofs are in docs/theorems/feedback.md and docs/theorems/samples.md.
//
// Numbers are on the safe side: risks are rounded up, rates are rounded down.
package tail

import (
	"math"

	"github.com/dpcalc/dpcalc/internal/num"
	"github.com/dpcalc/dpcalc/theory"
)

// reaching returns kl(p+s || p) for an expectation p < 1 and p + s in [0,1], rounded down. It is +Inf for p <= 0:
// nothing is above 0 then.
func reaching(p, s float64) num.DD {
	if p <= 0 {
		return impossible
	}
	least := num.KLShift{P: max(p, 0x1p-1000), Shift: s} // the rate falls in a p near 0
	rate, close := least.DD().AddFloat(-0x1p-94), num.FromFloat(least.Nats()*(1-4e-15))
	if rate.Cmp(close) < 0 { // for a small s, at which little is left of the sum
		return close
	}
	return rate
}

// Values says what one row adds to a query, the mean of f over the rows.
type Values interface {
	// Rate returns E(s) for s > 0, rounded down: the mean over n rows is s or more above its expectation with probability
	// at most e^(-n E(s)), and as much below. E does not fall in s; it is +Inf where no mean can be so far off.
	Rate(s float64) num.DD
	// LnSide returns an upper bound on ln of that probability, at most -n E(s) up to rounding. It falls
	// in n and does not rise in s; it is 0 for s <= 0.
	LnSide(n int64, s float64) float64
}

// Interval is the values of f: X -> [0,1]. Independent rows are enough. Source: Hoeffding 1963, Theorem 1.
type Interval struct{}

// Rate returns E(s) = min_p kl(p+s || p), within 1e-15 relative and below it.
func (Interval) Rate(s float64) num.DD { return leastEntropy(s) }

// LnSide returns -n E(s), rounded up.
func (v Interval) LnSide(n int64, s float64) float64 {
	if s > smallShift && s <= largeShift && float64(n)*s*s < 1e5 { // where the probability is rounded by less than 1e-9
		return -float64(n) * leastNats(s)
	}
	return lnExponential(v, n, s)
}

// ZeroOne is the values of f: X -> {0,1}. Independent rows are enough, as for [Interval].
type ZeroOne struct{}

// Rate returns the rate of [Interval].
func (ZeroOne) Rate(s float64) num.DD { return leastEntropy(s) }

// LnSide returns the lesser of -n E(s) and the bound of Zubkov and Serov, both of which fall in n.
func (ZeroOne) LnSide(n int64, s float64) float64 {
	switch {
	case !(s > 0):
		return 0
	case s >= 1:
		return math.Inf(-1)
	}
	bound, err := theory.BinomialUpperTail(theory.Deviation{Samples: n, Tau: s})
	if err != nil {
		return 0
	}
	return bound.Value.Ln()
}

// LnAtLeast returns ln of a bound on the probability that at least k of n independent 0/1 values of mean p are 1: for
// one value and where k >= n p + 1 the tail of the binomial law, which is the worst then (Hoeffding 1956, Theorem 4);
// elsewhere, where unequal rows may do worse than equal ones, e^(-n kl(k/n||p)). It rises in p and falls in k.
func LnAtLeast(n, k int64, p float64) float64 {
	if k <= 0 || p >= 1 {
		return 0
	}
	if k > n || p <= 0 {
		return math.Inf(-1)
	}
	if n == 1 || math.FMA(float64(n), p, -float64(k-1)) <= 0 {
		return num.Binomial{N: n, P: p}.LnAtLeast(k)
	}
	if share := float64(k) / float64(n); share > p {
		return Exponential{1, num.FromFloat(KnownEntropy(math.Nextafter(share, 0), p))}.Ln(n)
	}
	return 0
}

// LnAtMost returns ln of a bound on the probability that at most k of them are 1: of the zeros, at least n-k.
func LnAtMost(n, k int64, p float64) float64 {
	if k >= n || p <= 0 {
		return 0
	}
	if k < 0 || p >= 1 {
		return math.Inf(-1)
	}
	if n == 1 || math.FMA(float64(n), p, -float64(k+1)) >= 0 {
		return num.Binomial{N: n, P: p}.LnAtMost(k)
	}
	if share := math.Nextafter(float64(k)/float64(n), 1); share < p {
		return Exponential{1, num.FromFloat(KnownEntropy(share, p))}.Ln(n)
	}
	return 0
}

// BoundedDifferences is any query that one of the n rows moves by at most Spread/n. Source: McDiarmid 1989, Lemma 1.2.
type BoundedDifferences struct{ Spread float64 }

// Rate returns 2 (s/Spread)^2.
func (v BoundedDifferences) Rate(s float64) num.DD {
	if s >= v.Spread {
		return impossible
	}
	ratio := num.FromFloat(s).Div(num.FromFloat(v.Spread))
	return ratio.Mul(ratio).MulFloat(2)
}

// LnSide returns -2 n (s/Spread)^2, rounded up.
func (v BoundedDifferences) LnSide(n int64, s float64) float64 { return lnExponential(v, n, s) }

// impossible is the rate of an event that cannot happen.
var impossible = num.FromFloat(math.Inf(1))

// lnExponential returns -n E(s), rounded up.
func lnExponential(v Values, n int64, s float64) float64 {
	if !(s > 0) {
		return 0
	}
	return Exponential{Sides: 1, Rate: v.Rate(s)}.Ln(n)
}

// Between these, min_p K(p), K(p) = kl(p+s || p), comes from where it about is.
const smallShift, largeShift = 1e-4, 0.4

// leastEntropy returns min_p K(p), or a little less.
func leastEntropy(s float64) num.DD {
	switch {
	case s >= 1:
		return impossible
	case s > largeShift:
		return leastEntropyBracketed(s)
	case s < smallShift: // 2 s^2 + (4/9) s^4 is less than the minimum by about s^6/4
		square := num.Square(s)
		return square.MulFloat(2).Add(square.MulFloat(s * s * (4. / 9 * (1 - 0x1p-50))))
	}
	p, above := leastAt(s)
	return num.KLShift{P: p, Shift: s}.DD().AddFloat(-0x1p-94 - above)
}

// leastNats is leastEntropy within 1e-14 relative, and below it.
func leastNats(s float64) float64 {
	p, above := leastAt(s)
	return num.KLShift{P: p, Shift: s}.Nats()*(1-4e-15) - above
}

// leastAt returns p where K is close to its minimum, and a bound on how far it is above. K is convex with K” >= 16 s^2:
// K(p) - K'(p)^2/(32 s^2) is no more than the minimum at any p.
func leastAt(s float64) (p, above float64) {
	p = num.LeastEntropy(s)
	slope := math.Abs(num.KLShift{P: p, Shift: s}.Slope()) + 1e-14*s/min(p, 1-p-s)
	return p, slope * slope / (32 * s * s)
}

// leastEntropyBracketed is leastEntropy where the minimum comes close to p = 1-s, beyond which there is nothing: it is
// between two neighbouring numbers, and above the tangent at the first.
func leastEntropyBracketed(s float64) num.DD {
	slope := func(p float64) float64 { return num.KLShift{P: p, Shift: s}.Slope() }
	within := num.Floats{Lo: (1 - s) / 2, Hi: 1 - s, Guess: (1 - s) * (0.5 + s/6)}
	p := within.Least(func(p float64) bool { return slope(p) >= 0 })
	before := math.Nextafter(p, 0)
	fall := (math.Abs(slope(before)) + 1e-14*s/before) * (p - before)
	return num.KLShift{P: before, Shift: s}.DD().AddFloat(-0x1p-94 - fall)
}

// KnownEntropy returns kl(q || p) for a mean q and an expectation p in [0,1], rounded down.
func KnownEntropy(q, p float64) float64 {
	if (p <= 0 || p >= 1) && q != p {
		return math.Inf(1)
	}
	return max(0, num.KLShift{P: p, Shift: q - p}.Nats()*(1-1e-14))
}

// Exponential is the tail Sides e^(-n Rate), for a Rate >= 0 that is rounded down. An event that cannot
// happen has the rate +Inf.
type Exponential struct {
	Sides int64 // 1 or 2
	Rate  num.DD
}

// Ln returns ln of the tail.
func (e Exponential) Ln(n int64) float64 {
	if math.IsInf(e.Rate.Hi, 1) {
		return math.Inf(-1)
	}
	ln := num.Log(float64(e.Sides)) - e.Rate.Hi*float64(n)
	return math.Min(0, ln+4e-16*(1+math.Abs(ln)))
}
