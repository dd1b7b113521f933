package feedback

import (
	"math"

	"github.com/dpcalc/dpcalc/internal/num"
)

// Gate shows one bit a test: test j passes if and only if f_j(S) >= c_j + tau. After the pass with the number Passes
// nothing is shown any more, not even a failure. A pass is wrong if f_j(P) <= c_j, a failure if f_j(P) >= c_j +
// 2 tau, so that each test has at most one of the two risks. The bars c_j may follow from what was shown.
type Gate struct {
	Queries int64 // m >= 1
	Passes  int64 // B, from 1 to m; m never retires the gate
}

// LnNodes returns ln N, rounded up, of
//
//	N = C(m-1,0) + ... + C(m-1,min(B,m-1)),
//
// the greatest number of nodes with a risk: m for B = 1 and 2^(m-1) for B = m.
func (g Gate) LnNodes() num.DD { return LnChooseUpTo(g.Queries-1, min(g.Passes, g.Queries-1)) }

// Tree is the gate's tree with the risk of one test.
func (g Gate) Tree(risk Tail) Tree { return Tree{{g.LnNodes(), risk}} }

// Bar is a bar that is known before the start and the same for all tests. What passes exceeds Height + Margin in
// the sample; it should exceed Height in the population, and what exceeds Height + 2 Margin should pass.
type Bar struct {
	Height   float64
	Margin   float64 // tau > 0
	OneSided bool    // whether a wrong failure does not count
}

// Barred is values whose tails are smaller where the bar is known.
type Barred interface {
	// RateAt returns the rate of the likelier of the two errors at the bar, rounded down; it is +Inf where
	// none can happen.
	RateAt(b Bar) num.DD
}

// RateAt returns the lesser of kl(c+tau || c) and, unless the bar is one-sided or c + 2 tau >= 1,
// kl(c+tau || c+2tau): for a known c the tails are monotone in the expectation.
func (Interval) RateAt(b Bar) num.DD {
	rate := impossible
	if b.Height > 0 {
		rate = num.KLShift{P: b.Height, Shift: b.Margin}.DD()
	}
	if missed := b.Height + 2*b.Margin; !b.OneSided && missed < 1 {
		for _, p := range []float64{math.Nextafter(missed, 0), math.Nextafter(missed, 1)} {
			if other := (num.KLShift{P: p, Shift: -b.Margin}).DD(); p < 1 && other.Cmp(rate) < 0 {
				rate = other
			}
		}
	}
	if math.IsInf(rate.Hi, 1) {
		return rate
	}
	return rate.AddFloat(-0x1p-94)
}

// RateAt is that of [Interval].
func (ZeroOne) RateAt(b Bar) num.DD { return Interval{}.RateAt(b) }

// RateAt returns the lesser of two rates, J at a mean of at most c that reaches c + tau and, unless the bar is
// one-sided or c + 2 tau is above d, J at a mean of at most -(c+2tau) that reaches -(c+tau). Neither is below
// I_d(tau).
func (v Difference) RateAt(b Bar) num.DD {
	rate := known{v, b.Height}.reaches(b.Margin)
	if missed := b.Height + 2*b.Margin; !b.OneSided && missed <= v.Disagreement {
		for _, mean := range [2]float64{-math.Nextafter(missed, -2), -math.Nextafter(missed, v.Disagreement)} {
			if other := (known{v, mean}).reaches(b.Margin); other.Cmp(rate) < 0 {
				rate = other
			}
		}
	}
	return rate
}
