package maxinfo

import (
	"math"

	"github.com/dpcalc/dpcalc/internal/num"
	"github.com/dpcalc/dpcalc/theory"
)

// GaussianTranscript is the answers to m adaptively chosen linear queries, each the
// mean of n independent records' values in [0,1] plus independent Gaussian noise.
type GaussianTranscript struct {
	Samples int64   // n, from 1 to 2^53
	Queries int64   // m, from 1 to 2^53
	SD      float64 // the standard deviation of the noise, positive
}

// Validate returns a DomainError for the first field outside its domain.
func (g GaussianTranscript) Validate() error {
	const count = "a whole number from 1 to 9007199254740992"
	if err := theory.Domain(g.Samples >= 1 && g.Samples <= 1<<53, "samples", g.Samples, count); err != nil {
		return err
	}
	if err := theory.Domain(g.Queries >= 1 && g.Queries <= 1<<53, "queries", g.Queries, count); err != nil {
		return err
	}
	return theory.Domain(g.SD >= 1e-150 && g.SD <= 1e150, "standard deviation", g.SD, "a number in [1e-150, 1e150]")
}

// Renyi returns D_a, an upper bound of the Renyi divergence of order a between the
// joint law of sample and transcript and a product of the sample's law with some law
// of transcripts: with 1/kappa as in [Inflation],
//
//	r_j = a(j-1)/(4 n^2 sd^2),  D_a = (1/2) sum_(j<=m) ln(1 + a/(4 n sd^2 kappa(r_j))).
//
// It is never below that sum and, while kappa(r_m) > 1e-6, within 1e-6 of it. The
// theorem needs a > 1 and kappa(r_m) > 0; where they fail, or so nearly that rounding
// could hide it, ok is false.
func (g GaussianTranscript) Renyi(a float64) (d theory.Nats, ok bool) {
	if g.Validate() != nil || !(a > 1 && a < 1e100) {
		return 0, false
	}
	n := float64(g.Samples)
	sum, ok := newSummand(g.Samples, a/n/n/(4*g.SD*g.SD)).total(g.Queries)
	return theory.Nats(sum), ok
}

// MutualInformation returns the lesser of two upper bounds of the mutual information
// between sample and transcript:
//
//	(n m/2) ln(1 + 1/(4 n^2 sd^2)),
//
// by the chain rule over queries and the capacity of the Gaussian channel, and D_1 of
// [GaussianTranscript.Renyi], where that holds.
func (g GaussianTranscript) MutualInformation() (theory.Nats, error) {
	if err := g.Validate(); err != nil {
		return 0, err
	}
	info := g.capacity()
	if sum, ok := newSummand(g.Samples, g.step()).total(g.Queries); ok {
		info = min(info, theory.Nats(sum))
	}
	return info, nil
}

// capacity returns (n m/2) ln(1 + 1/(4 n^2 sd^2)), which bounds the information that the
// transcript adds to whatever was known of independent records before.
func (g GaussianTranscript) capacity() theory.Nats {
	return theory.Nats(float64(g.Samples) * float64(g.Queries) / 2 * math.Log1p(g.step()) * up)
}

// step returns 1/(4 n^2 sd^2).
func (g GaussianTranscript) step() float64 {
	n := float64(g.Samples)
	return 1 / n / n / (4 * g.SD * g.SD)
}

// BestOrder returns the order a at which cost(a, D_a) is least and that cost, +Inf if
// no order serves. The cost is about D_a + need/(a-1), as it is in the use of a
// divergence for an event of probability e^(-need).
func (g GaussianTranscript) BestOrder(need float64, cost func(a, d float64) float64) (order, least float64) {
	center := max(num.Log(need/g.rate())/2, -28) // below, a would be 1
	// D_a grows as slowly as ln a where the noise is small.
	top := center + 8
	if m := float64(g.Queries); m > 1 { // kappa(r_m) > 0
		n := float64(g.Samples)
		most := newGap(g.Samples).edge() / (m - 1) * 2 * n * n * g.SD * g.SD
		if !(most > 1) {
			return 0, math.Inf(1)
		}
		top = min(top, num.Log(most-1))
	}
	at := func(v float64) float64 { // a = 1 + e^v
		a := 1 + num.Exp(v)
		d, ok := g.Renyi(a)
		if !ok {
			return math.Inf(1)
		}
		return cost(a, float64(d))
	}
	v, least := num.Interval{Lo: min(center, top) - 4, Hi: top}.Minimize(1e-4, at)
	if top-v < 1e-3 { // at its end, where kappa(r_m) is nearly zero, the cost is steep
		if w, less := (num.Interval{Lo: v - 1e-3, Hi: top}).Minimize(1e-9, at); less < least {
			v, least = w, less
		}
	}
	return 1 + num.Exp(v), least
}

// rate returns about D_a/a: a m/(8 n sd^2), less where the noise is small.
func (g GaussianTranscript) rate() float64 {
	return float64(g.Queries) * math.Log1p(1/(4*float64(g.Samples)*g.SD*g.SD)) / 2
}

// up covers the rounding of a few operations.
const up = 1 + 0x1p-45

// summand is the term of the sum as a function of u = j-1,
//
//	f(u) = (1/2) ln(1 + c/kappa) = (1/2) (ln(1+c) + ln(1 - p/(1+c)) - ln(1-p)),   p = 1 - kappa.
//
// The coefficient of p^k is (1 - (1+c)^(-k))/(2k) > 0, and p is a polynomial in u
// without negative coefficients: every derivative of f is nonnegative for u >= 0. That
// gives the sum's bounds their direction.
type summand struct {
	gap
	c     float64 // a/(4 n sd^2)
	twice float64 // the growth of w = 2r, rounded up for this and for u's rounding
}

func newSummand(samples int64, x float64) summand {
	x = x*(1+0x1p-49) + math.SmallestNonzeroFloat64
	return summand{gap: newGap(samples), c: float64(samples) * x, twice: 2 * x}
}

// at returns f(u), rounded up.
func (s summand) at(u float64) float64 { return math.Log1p(s.c/s.kappa(s.twice*u)) / 2 }

// derivative returns f'(u).
func (s summand) derivative(u float64) float64 {
	w := s.twice * u
	kappa := s.kappa(w)
	return s.c / kappa / (kappa + s.c) * s.slope(w) * s.twice / 2
}

var panelRule = num.Lobatto(10)

// total returns an upper bound of f(0) + ... + f(m-1), and whether kappa stays above
// zero.
func (s summand) total(queries int64) (sum float64, ok bool) {
	last := float64(queries - 1)
	if !(s.c < 1e290 && s.kappa(s.twice*last) > 0) {
		return 0, false
	}
	// The last terms are added singly where the singularity of f is near: there f is not
	// smooth at the scale of one.
	const direct = 64
	singular, to := s.edge()/s.twice, last
	if singular-last < 8*direct {
		to = max(last-direct, 0)
	}
	for u := to + 1; u <= last; u++ {
		sum += s.at(u)
	}
	// The Euler-Maclaurin formula, cut before a negative remainder (the fourth
	// derivative is nonnegative); its integral by Lobatto's rule, which errs upwards (as
	// is the eighteenth). The panels shrink towards the singularity of f.
	sum += (s.at(0)+s.at(to))/2 + (s.derivative(to)-s.derivative(0))/12
	for from := 0.0; from < to; {
		end := min(from+0.6*max(singular-from, 0)+1e-9*to, to)
		sum += panelRule.Integral(num.Interval{Lo: from, Hi: end}, s.at)
		from = end
	}
	return sum * up, true
}
