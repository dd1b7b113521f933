package open

import (
	"math"

	"github.com/dpcalc/dpcalc/internal/num"
)

// Tails bounds the truth of one fixed query, the expectation of its mean over the rows, from that mean. A level is a
// probability, given by its logarithm below 0.
type Tails interface {
	// Range returns the ends of what the truth can be.
	Range() (lowest, highest float64)
	// Edge returns the least number from x on at which cells can part: x itself, but where means are counts.
	Edge(x float64) float64
	// Lower returns a number of at most x, rounded down. Wherever the truth is below it, P[mean >= x] <= e^lnLevel;
	// so it is where the truth is equal to it, for an x above the lowest.
	Lower(x, lnLevel float64) float64
	// Upper returns a number that is no less than the greatest mean below x, rounded up. Wherever the truth is above
	// it, P[mean < x] <= e^lnLevel.
	Upper(x, lnLevel float64) float64
	// Pass returns about the least edge x above the lowest with Lower(x, lnLevel) >= bar, if there is one that a
	// mean can reach.
	Pass(bar, lnLevel float64) (x float64, ok bool)
}

// unitRange is the range of values in [0,1] whose means may be any.
type unitRange struct{}

func (unitRange) Range() (lowest, highest float64) { return 0, 1 }
func (unitRange) Edge(x float64) float64           { return x }

// Unit is a query with values in [0,1]. Independent rows are enough. Lower(x, q) and Upper(x, q) are the p below and
// above x with Rows kl(x || p) = ln 1/q. Source: Hoeffding 1963, Theorem 1.
type Unit struct {
	unitRange
	Rows float64 // their number, or 1/w for means of independent clusters with weights of at most w
}

// Lower returns p <= x. An x above 1 is never reached.
func (v Unit) Lower(x, lnLevel float64) float64 {
	switch {
	case x <= 0:
		return 0
	case x > 1:
		return x
	}
	return num.KLEnd(x, v.rate(lnLevel), -1)
}

func (v Unit) Upper(x, lnLevel float64) float64 {
	switch {
	case x <= 0:
		return 0
	case x >= 1:
		return 1
	}
	return num.KLEnd(x, v.rate(lnLevel), 1)
}

func (v Unit) Pass(bar, lnLevel float64) (float64, bool) {
	if bar <= 0 { // a mean above 0 has an expectation above 0
		return math.SmallestNonzeroFloat64, true
	}
	nats := v.rate(lnLevel)
	if !(bar < 1) || -num.Log(bar) < nats {
		return 0, false
	}
	return leastPass(v, bar, num.KLReach(bar, nats), lnLevel)
}

// rate returns ln(1/q) a row, rounded up.
func (v Unit) rate(lnLevel float64) float64 { return -lnLevel / v.Rows * (1 + 4e-16) }

// leastPass returns the first x, in small steps from bar + shift on, of which Lower itself says that it is enough.
func leastPass(tails Tails, bar, shift, lnLevel float64) (float64, bool) {
	_, highest := tails.Range()
	for grow := 2e-14; ; grow *= 2 {
		x := min(bar+shift*(1+grow), highest)
		if tails.Lower(x, lnLevel) >= bar {
			return x, true
		}
		if x == highest {
			return 0, false
		}
	}
}

// Rounded is a query whose mean is computed with an error of at most By.
type Rounded struct {
	Tails
	By float64
}

// Lower returns what is known of a mean that is computed as x or more.
func (v Rounded) Lower(x, lnLevel float64) float64 { return v.Tails.Lower(x-v.By, lnLevel) }

// Upper returns what is known of a mean that is computed as less than x.
func (v Rounded) Upper(x, lnLevel float64) float64 { return v.Tails.Upper(x+v.By, lnLevel) }

// Pass returns an edge that is raised by the error.
func (v Rounded) Pass(bar, lnLevel float64) (float64, bool) {
	x, ok := v.Tails.Pass(bar, lnLevel)
	_, highest := v.Range()
	x = math.Nextafter(x+v.By, math.Inf(1))
	return x, ok && x <= highest
}
