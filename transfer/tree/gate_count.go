package tree

import (
	"math"

	"github.com/dpcalc/dpcalc/internal/num"
	"github.com/dpcalc/dpcalc/transfer/tail"
)

// CountGate is a gate for 0/1 values at a known bar: a test passes if and only if its count of ones is at least k.
// The least k for which a wrong pass is rare enough,
//
//	P[Bin(n,c) >= k] <= e^LnRisk,
//
// serves if a wrong failure is as rare, P[Bin(n,c+2tau) < k] <= e^LnRisk, or, where that does not count or
// cannot happen, if k <= n(c+tau) rounded up. The rows are independent, and need not be alike: where k < nc + 1, or the
// like below, the relative entropy bounds the tail.
//
// A number of rows serves if that holds for it and for every greater number.
type CountGate struct {
	tail.Bar
	LnRisk float64 // ln of beta/N, below 0
}

// failsToo reports whether a wrong failure counts and can happen.
func (c CountGate) failsToo() bool { return !c.OneSided && c.Headroom(1).Hi > 0 }

// Always reports whether any number of rows serves: values are 0 where the bar is 0, and one of them that is 1 passes.
func (c CountGate) Always() bool { return c.Height <= 0 && !c.failsToo() }

// Count returns k for n rows, and whether it does for n itself. The search begins at the guess.
func (c CountGate) Count(n, guess int64) (k int64, ok bool) {
	k = num.Ints{Lo: 0, Hi: n + 1, Guess: guess}.Least(func(k int64) bool { return c.isRare(n, k) })
	if c.failsToo() {
		return k, c.lnMissed(n, k) <= c.LnRisk
	}
	return k, float64(k) <= math.Ceil(float64(n)*(c.Height+c.Margin)*(1-0x1p-50))
}

// isRare reports whether a wrong pass at k ones is rare enough, which it is for fewer rows too.
func (c CountGate) isRare(n, k int64) bool { return tail.LnAtLeast(n, k, c.Height) <= c.LnRisk }

// LnFailure returns ln of the greater of the two probabilities for a count k that passes, rounded up; the second is 0
// where a wrong failure does not count or cannot happen.
func (c CountGate) LnFailure(n, k int64) float64 {
	ln := tail.LnAtLeast(n, k, c.Height)
	if c.failsToo() {
		ln = math.Max(ln, c.lnMissed(n, k))
	}
	return ln
}

// lnMissed returns ln P[Bin(n,c+2tau) < k], rounded up.
func (c CountGate) lnMissed(n, k int64) float64 {
	return tail.LnAtLeast(n, n-k+1, math.Nextafter(c.Headroom(1).Hi, 1)) // by zeros, of which n-k+1 are too many
}

// Certified reports whether the bound of Zubkov and Serov, which falls in n, shows that n rows and every greater
// number serve: with e = z^2/2n at P[N(0,1) > z] = e^LnRisk, the level with kl(u||c) = e and the one
// with kl(w||c+2tau) = e leave room for a whole number between them.
func (c CountGate) Certified(n int64) bool {
	z := num.UpperQuantile(c.LnRisk-1e-12) * (1 + 1e-12)
	rows := float64(n)
	e := max(z, 0) * max(z, 0) / (2 * rows)
	low := 1 / rows
	if c.Height > 0 {
		low += num.KLAbove(max(c.Height, 0x1p-900), e) // it grows in the bar
	}
	high := c.Height + c.Margin
	if c.failsToo() {
		high = 1 - num.KLAbove(math.Nextafter(c.Headroom(1).Hi, 1), e) - 1/rows
	}
	return low <= high*(1-1e-14)
}

// mostCounted is the greatest number of rows for which counts are looked at one by one.
const mostCounted = 1 << 20

// Samples returns the least number of rows that serves, at most most, or 0.
func (c CountGate) Samples(most int64) int64 {
	switch {
	case c.Always():
		return 1
	case !c.Certified(most):
		return 0
	}
	rate := max(tail.Interval{}.RateAt(c.Bar).Hi, 1e-300)
	guess := int64(min(-c.LnRisk/rate, float64(most)))
	n := num.Ints{Lo: 1, Hi: most, Guess: guess}.Least(c.Certified)
	if n > mostCounted {
		return n
	}
	k, _ := c.Count(n, int64(float64(n)*(c.Height+c.Margin)))
	for ok := true; n > 1; n-- {
		if k, ok = c.Count(n-1, k); !ok {
			break
		}
	}
	return n
}

// Holds reports whether n rows serve. Counts are looked at only where the first number beyond them is certified. A
// count that serves n rows does so for more rows as long as a wrong pass is rare, as wrong failures only become rarer.
func (c CountGate) Holds(n int64) bool {
	if c.Always() || c.Certified(n) {
		return true
	}
	if n > mostCounted || !c.Certified(mostCounted+1) {
		return false
	}
	certified := num.Ints{Lo: n, Hi: mostCounted + 1, Guess: n}.Least(c.Certified)
	k := int64(float64(n) * (c.Height + c.Margin))
	for ok := true; n < certified; n++ {
		if k, ok = c.Count(n, k); !ok {
			return false
		}
		run := num.Ints{Lo: n, Hi: certified, Guess: n}
		n = run.Greatest(func(n int64) bool { return c.isRare(n, k) })
	}
	return true
}
