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

// LnLead returns ln of a bound on the probability that a look errs at a known bar. It is at a mean over at most 2^20
// rows, of which at most so many are decided, as 1 or -1, and all others are 0. It errs if the truth is at most the bar
// and the mean at least Height + Margin, or the truth at least Height + 2 Margin and the mean less. The bound is the
// greater of two: a sure win and a sure loss may be added to the decided rows, and one of them alone not. It is 0 where
// none is decided. Source: docs/theorems/feedback.md#gate.
func LnLead(rows, decided int64, b Bar) float64 {
	if decided < 1 {
		return 0
	}
	ln := lnLead(float64(rows), decided, b)
	if decided > 1 {
		ln = math.Max(ln, lnLead(float64(rows), decided-1, b))
	}
	return ln
}

// lnLead is the bound for one number of decided rows. A mean is (2W-D)/n for W wins.
func lnLead(rows float64, decided int64, b Bar) float64 {
	const off = 1e-9 // of a count of wins that is computed
	count := float64(decided)
	share := func(mean float64) float64 { return (1 + mean*rows/count) / 2 }
	wins := (count + (b.Height+b.Margin)*rows) / 2
	ln, p := math.Inf(-1), share(b.Height)
	if k := int64(math.Ceil(wins - off)); k <= decided && p >= 0 { // a truth may be so low, and a mean so high
		ln = LnAtLeast(decided, k, p+0x1p-50)
	}
	if p = share(b.Height + 2*b.Margin); !b.OneSided && p <= 1+0x1p-50 {
		ln = math.Max(ln, LnAtMost(decided, int64(math.Ceil(wins+off))-1, p-0x1p-50))
	}
	return ln
}

// LeadsErrRarely reports whether the bound of Zubkov and Serov shows that so many rows and every greater number have
// looks that err with a probability of at most e^lnLevel, where at most a share of the rows is decided.
func LeadsErrRarely(rows, share float64, b Bar, lnLevel float64) bool {
	short := (b.Margin - 2/rows) / (2 * share) // a deviation without a win, among the decided rows
	if !(short > 0 && lnLevel < -math.Ln2) {
		return false
	}
	z := num.UpperQuantile(lnLevel-1e-12) * (1 + 1e-12)
	p := (1 + b.Height/share) / 2
	rate := KnownEntropy(min(p+short, 1), p)
	if p += b.Margin / share; !b.OneSided && p <= 1 {
		rate = min(rate, KnownEntropy(p-short, p))
	}
	return 2*rows*share*rate*(1-1e-12) >= z*z
}
