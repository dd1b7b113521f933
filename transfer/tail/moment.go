package tail

import (
	"math"

	"github.com/dpcalc/dpcalc/internal/num"
)

// Skewed is the values of f: X -> [0,1] whose variance is known to be at most Most (1-Most): the mean over the rows of
// E(f-c)^2 for some constants c, one for each row. It is also the 0/1 values of expectation at least 1 - Most.
// Independent rows are enough. The rate is
//
//	E(s) = min over p <= Most of kl(p+s || p),
//
// the rate of the worst 0/1 value with that variance, by Theorem 3 of Hoeffding 1963.
type Skewed struct {
	Most float64 // in (0,1/2]
}

// Varying returns the values of f: X -> [0,1] with a variance of at most v in (0,1/4].
func Varying(v float64) Skewed {
	return Skewed{min(2*v/(1+math.Sqrt(1-4*v))*(1+1e-15), 0.5)}
}

// Rate returns E(s), rounded down. kl(p+s || p) is convex in p, so that its least value is at Most or is the least of
// all p.
func (v Skewed) Rate(s float64) num.DD {
	if room := 1 - v.Most - s; room > 0 {
		slope := num.KLShift{P: v.Most, Shift: s}.Slope()
		if slope < -1e-12*s/min(v.Most, room) {
			return reaching(v.Most, s)
		}
	}
	return leastEntropy(s)
}

// LnSide returns -n E(s), rounded up.
func (v Skewed) LnSide(n int64, s float64) float64 { return lnExponential(v, n, s) }

// Moment is the values of f: X -> [-1,1] with E f^2 at most Most, the mean over the rows: the difference of two scores.
// Independent rows are enough. The rate is the greater of Bennett's and, as (1+f)/2 has values in [0,1], the rate of
// [Skewed]:
//
//	E(s) = V h(s/V),   h(u) = (1+u) ln(1+u) - u,   or min over p(1-p) <= V/4, p <= 1/2 of kl(p+s/2 || p).
type Moment struct {
	Most float64 // V in (0,1]
}

// Rate returns E(s), rounded down. It is +Inf for s >= 2.
func (v Moment) Rate(s float64) num.DD { return greater(v.bennett(s), v.half().Rate(s/2)) }

// LnSide returns -n E(s), rounded up.
func (v Moment) LnSide(n int64, s float64) float64 { return lnExponential(v, n, s) }

func (v Moment) half() Skewed { return Varying(v.Most / 4) }

// bennett returns V h(s/V), rounded down.
func (v Moment) bennett(s float64) num.DD {
	return varianceRate(v.Most, s, 3, func(u num.DD) num.DD { // h(u) >= u^2/2 - u^3/6
		more := u.AddFloat(1)
		return more.Mul(more.Ln()).Sub(u)
	})
}

// varianceRate returns V h(s/V), rounded down, for an h(u) of at least u^2/2 (1 - u/third).
func varianceRate(v, s, third float64, h func(u num.DD) num.DD) num.DD {
	v = max(v, 1e-250) // the rate falls in V
	u := num.FromFloat(s).Div(num.FromFloat(v))
	if u.Hi < 1e-6 {
		return u.Mul(u).MulFloat(v / 2 * (1 - u.Hi/third) * (1 - 1e-14))
	}
	return h(u).MulFloat(v * (1 - 1e-15))
}

// Kept is the values of f: X -> [-1,1] of whose mean over the rows nothing is shown unless the mean of f^2 over the
// same rows is at most Most. Independent rows are enough, and nothing is known of E f^2. The rate is
//
//	E(s) = s - V ln(1 + s/V):
//
// the mean is s or more above its expectation, and is shown, with probability at most e^(-n E(s)), and as much below.
type Kept struct {
	Most float64 // V in (0,1]
}

// Rate returns E(s), rounded down.
func (v Kept) Rate(s float64) num.DD {
	return varianceRate(v.Most, s, 1.5, func(u num.DD) num.DD { return u.Sub(u.AddFloat(1).Ln()) }) // >= u^2/2 - u^3/3
}

// LnSide returns -n E(s), rounded up.
func (v Kept) LnSide(n int64, s float64) float64 { return lnExponential(v, n, s) }

// RateAt returns the rate of [Interval] at a bar, or E(Margin) where it is greater.
func (v Skewed) RateAt(b Bar) num.DD { return greater(v.Rate(b.Margin), Interval{}.RateAt(b)) }

// Sharper is values of which two bounds are known: the sharper one counts.
type Sharper struct{ First, Second Values }

// Rate returns the greater rate.
func (v Sharper) Rate(s float64) num.DD { return greater(v.First.Rate(s), v.Second.Rate(s)) }

// LnSide returns the lesser bound.
func (v Sharper) LnSide(n int64, s float64) float64 {
	return math.Min(v.First.LnSide(n, s), v.Second.LnSide(n, s))
}

// RateAt returns the greater rate at the bar, of those that have one.
func (v Sharper) RateAt(b Bar) num.DD {
	rate := v.Rate(b.Margin)
	for _, values := range []Values{v.First, v.Second} {
		if at, ok := values.(Barred); ok {
			rate = greater(rate, at.RateAt(b))
		}
	}
	return rate
}

func greater(a, b num.DD) num.DD {
	if a.Cmp(b) < 0 {
		return b
	}
	return a
}
