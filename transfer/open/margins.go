package open

import (
	"math"

	"github.com/dpcalc/dpcalc/internal/num"
	"github.com/dpcalc/dpcalc/transfer/tail"
)

// Around is a query whose ends are x - s and x + s, s the margin of its law at the level. Independent rows are enough.
type Around struct{ Margin }

// Margin is a law of values that end at 1.
type Margin interface {
	lowest() float64                // of the values
	margin(lnLevel float64) float64 // s, rounded up
}

func (v Around) Range() (lowest, highest float64) { return v.lowest(), 1 }
func (Around) Edge(x float64) float64             { return x }

func (v Around) Lower(x, lnLevel float64) float64 {
	return max(math.Nextafter(x-v.margin(lnLevel), -2), v.lowest())
}

func (v Around) Upper(x, lnLevel float64) float64 {
	return min(math.Nextafter(x+v.margin(lnLevel), 2), 1)
}

func (v Around) Pass(bar, lnLevel float64) (float64, bool) {
	if bar <= v.lowest() {
		return math.Nextafter(v.lowest(), 1), true
	}
	return leastPass(v, bar, v.margin(lnLevel), lnLevel)
}

func (v Around) Widest(lnLow, lnHigh, gap float64) float64 {
	const rounding = 1e-15 // of the cuts, which are at most 1, and of the ends
	return min(v.margin(lnLow)+v.margin(lnHigh)+gap+rounding, 1-v.lowest())
}

// Differences are values in [-1,1] that are not 0 on at most the share Disagreement of the population: a difference of
// the losses of two models. Rows I_d(s) = ln 1/q, I_d the rate of [tail.Difference].
type Differences struct {
	Rows         float64
	Disagreement float64 // in (0,1]
}

func (Differences) lowest() float64 { return -1 }

// margin knows that no mean is as far off as 1 + d.
func (v Differences) margin(lnLevel float64) float64 {
	tilt := tail.Difference{Disagreement: v.Disagreement}.Tilt
	return min(leastShift(-lnLevel/v.Rows, tilt), math.Nextafter(1+v.Disagreement, 3))
}

// KnownVariance is values f in [Lowest,1]: from 0, with the mean over the rows of E(f-c)^2 at most Variance for some
// constants c in [0,1]; or from -1, with the mean of E f^2. By Bennett's bound Rows V h(s/V) = ln 1/q, h(u) = (1+u)
// ln(1+u) - u.
type KnownVariance struct {
	Rows, Variance float64
	Lowest         float64 // 0 or -1
}

func (v KnownVariance) lowest() float64 { return v.Lowest }

func (v KnownVariance) margin(lnLevel float64) float64 {
	return leastShift(-lnLevel/v.Rows, func(l float64) (g, slope float64) {
		return v.Variance * num.ExpLess(l), v.Variance * math.Expm1(l)
	})
}

// Ranged is values in [-1,1], each row's in an interval of its own, which depends on no label. Rows s^2/2V = ln 1/q, V
// the mean square of half of the lengths. Source: Hoeffding 1963, Theorem 2.
type Ranged struct {
	Rows, Square float64 // Square is V
}

func (Ranged) lowest() float64 { return -1 }

func (v Ranged) margin(lnLevel float64) float64 {
	return math.Sqrt(-2*lnLevel*v.Square/v.Rows)*(1+1e-15) + 1e-300
}

// Kept is values f in [-1,1] of which nothing is said unless the mean of f^2 over the rows is at most Most: a response
// that it is more has a share of its own, [Refusals]. Rows (s - V ln(1 + s/V)) = ln 1/q, or s is the margin of any such
// values where that is less.
type Kept struct {
	Rows, Most float64 // Most is V > 0
}

func (Kept) lowest() float64 { return -1 }

// margin returns (ln(1/q)/Rows + V (-ln(1-l) - l))/l, of which every l in (0,1) is valid. The best is l = s/(s+V). With
// y = ln(1 + s/V) = -ln(1-l) the inequality is Rows V (e^y - 1 - y) = ln 1/q.
func (v Kept) margin(lnLevel float64) float64 {
	nats := -lnLevel / v.Rows
	whatever := Differences{Rows: v.Rows, Disagreement: 1}.margin(lnLevel)
	most := nats + math.Sqrt(nats*(nats+2*v.Most)) // as s - V ln(1+s/V) >= s^2/(2(s+V))
	if !(most < 4) {
		return whatever
	}
	s := num.Newton(most, most, most, func(s float64) (value, slope float64) {
		return v.Most*num.ExpLess(math.Log1p(s/v.Most)) - nats, s / (s + v.Most)
	})
	y := math.Log1p(s / v.Most)
	return min(whatever, (nats+v.Most*num.ExpLess(-y))*(s+v.Most)/s*(1+1e-13)+1e-15)
}

// leastShift returns s, rounded up, such that no mean is more than s above its expectation but with probability e^-nats
// a row, where ln E e^(l(f-Ef)) <= g(l) for l > 0:
//
//	s = min over l of (nats + g(l))/l.
//
// Every l gives a valid s. The best has l g'(l) = g(l) + nats.
func leastShift(nats float64, tilt func(l float64) (g, slope float64)) float64 {
	const last = 300 // beyond, the exponentials overflow
	short := func(l float64) float64 {
		g, slope := tilt(l)
		return nats + g - l*slope
	}
	hi := min(math.Sqrt(nats), 1)
	lo := hi
	for hi < last && short(hi) > 0 {
		lo, hi = hi, min(2*hi, last)
	}
	for lo > 1e-150 && short(lo) <= 0 {
		lo, hi = lo/4, lo
	}
	l := num.Interval{Lo: lo, Hi: hi}.SafeRoot(1e-7, short)
	g, _ := tilt(l)
	return (nats+g)/l*(1+1e-13) + 1e-15
}

// Evidence is a test of a null hypothesis at one level, as a query: its mean is the evidence in nats, ln of an e-value
// or -ln of a p-value that is valid at this level, rounded down. The truth is 1 if the null hypothesis is false, and
// otherwise 0. Under it, P[evidence >= x] <= e^-x.
type Evidence struct{ unitRange }

// Lower returns 1 if that much evidence is too much for a true null hypothesis.
func (Evidence) Lower(x, lnLevel float64) float64 {
	if x >= -lnLevel {
		return 1
	}
	return 0
}

// Upper returns 1: nothing is said.
func (Evidence) Upper(_, _ float64) float64 { return 1 }

// Pass returns the evidence that rejects. Exact tests of unequal rows are valid at levels below 1/2 only.
func (Evidence) Pass(_, lnLevel float64) (float64, bool) { return -lnLevel, lnLevel < -math.Ln2 }
