package tail

import (
	"math"

	"github.com/dpcalc/dpcalc/internal/num"
)

// Bar is a bar that is known before the start and the same for all tests. What passes exceeds Height + Margin in
// the sample; it should exceed Height in the population, and what exceeds Height + 2 Margin should pass.
type Bar struct {
	Height   float64
	Margin   float64 // tau > 0
	OneSided bool    // whether a wrong failure does not count
}

// Headroom returns top - (c + 2 tau): how far the least that must pass is below the top of an expectation. A failure
// can be wrong only where that is not negative.
func (b Bar) Headroom(top float64) num.DD {
	return num.FromFloat(top).AddFloat(-b.Height).AddFloat(-2 * b.Margin)
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
	rate := reaching(b.Height, b.Margin)
	room := b.Headroom(1).Hi
	if b.OneSided || room <= 0 {
		return rate
	}
	// 1-f has the expectation 1 - (c+2tau), and reaches 1 - (c+tau). The lesser of the two keeps its digits.
	p, shift := room, b.Margin
	if room > 0.5 {
		p, shift = b.Height+2*b.Margin, -shift
	}
	for _, p := range [2]float64{math.Nextafter(p, 0), math.Nextafter(p, 1)} {
		if other := reaching(p, shift); other.Cmp(rate) < 0 {
			rate = other
		}
	}
	return rate
}

// RateAt returns the rate of [Interval].
func (ZeroOne) RateAt(b Bar) num.DD { return Interval{}.RateAt(b) }

// RateAt returns the lesser of two rates, J at a mean of at most c that reaches c + tau and, unless the bar is
// one-sided or c + 2 tau is above d, J at a mean of at most -(c+2tau) that reaches -(c+tau). Neither is below
// I_d(tau).
func (v Difference) RateAt(b Bar) num.DD {
	rate := known{v, b.Height}.reaches(b.Margin)
	if !b.OneSided && b.Headroom(v.Disagreement).Hi >= 0 {
		missed := b.Height + 2*b.Margin
		for _, mean := range [2]float64{-math.Nextafter(missed, -2), -math.Nextafter(missed, v.Disagreement)} {
			if other := (known{v, mean}).reaches(b.Margin); other.Cmp(rate) < 0 {
				rate = other
			}
		}
	}
	return rate
}
