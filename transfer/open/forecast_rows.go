package open

import (
	"math"

	"github.com/dpcalc/dpcalc/internal/num"
)

// How many rows are enough, and all greater numbers too. As counts are whole the power is a sawtooth in the rows: it
// falls where one more success is asked for. A lower bound that never falls shows from which number on all are enough,
// and the numbers below are looked at down to the first that is not.

// mostRows is the greatest number of rows that is looked for, and mostWalked how many are looked at one by one. Beyond
// about ten million rows the number that is found may be a little above the least.
const (
	mostRows   = 1 << 40
	mostWalked = 1 << 13
)

// rows finds the least number from which on all hold, 0 if it is too great. Where sure holds it does for every greater
// number, and so does holds. Within the numbers that have one key, which are neighbours, more rows are better.
func rows(sure, holds func(n int64) bool, key func(n int64) int64) int64 {
	high := int64(16)
	for ; !sure(high); high *= 2 {
		if high >= mostRows {
			return 0
		}
	}
	n := num.Ints{Lo: 1, Hi: high, Guess: high}.Least(sure)
	for range mostWalked {
		if n == 1 {
			break
		}
		last := key(n - 1)
		first := num.Ints{Lo: 1, Hi: n - 1, Guess: n - 1}.Least(func(m int64) bool { return key(m) >= last })
		if !holds(first) {
			return num.Ints{Lo: first + 1, Hi: n, Guess: n}.Least(holds)
		}
		n = first
	}
	return n
}

// RowsReaching returns the least number of rows from which on the mean difference is with that probability, at least
// 1/2, at least the one that passes so many rows, and 0 if there is none up to 2^40. Whatever passes, fewer than rows
// times highest are not enough for; highest falls in the rows. Rising says that the least W-L that passes rises with
// the rows and is positive: then a power that is enough for it is so for more rows, as, w and l being how probably a
// row is a win and a loss,
//
//	P[S_(n+1) >= k] - P[S_n >= k] = w P[S_n = k-1] - l P[S_n = k] >= 0,
//
// where P[S_n = k] is (w/l)^(k/2) times a symmetric law that falls from 0 on.
func (c Contest) RowsReaching(power float64, passes func(n int64) (mean float64, ok bool),
	highest func(n int64) float64, rising bool) int64 {
	of := func(n int64) Contest { return Contest{n, c.Differ, c.Truth} }
	return rows(func(n int64) bool {
		return of(n).surely(highest(n)) >= power
	}, func(n int64) bool {
		mean, ok := passes(n)
		return ok && of(n).Reaches(mean) >= power
	}, func(n int64) int64 {
		if mean, ok := passes(n); ok && rising {
			return of(n).needed(mean)
		}
		if rising {
			return 0 // and nothing passes fewer rows either
		}
		return n
	})
}

// RowsRejecting returns the least number of rows from which on wins and losses are with that probability, at least 1/2,
// so much evidence, in nats, and 0 if there is none up to 2^40. The number of rows that differ grows with the rows, so
// that the mean over it of what never falls in it never falls.
func (c Contest) RowsRejecting(power, enough float64, decided bool) int64 {
	p, chance := c.winning(), c.rejecting(enough, decided)
	surely := func(differ int64) float64 {
		y := p
		if differ > 0 {
			y = highestWins(differ, p, enough, decided)
		}
		return Contest{differ, p, p}.surely(y)
	}
	of := func(n int64) Contest { return Contest{n, c.Differ, c.Truth} }
	return rows(func(n int64) bool { return of(n).expect(surely) >= power },
		func(n int64) bool { return of(n).expect(chance) >= power },
		func(n int64) int64 { return n })
}

// surely is a lower bound of P[W-L > y Rows]. For the y below the truth that do not grow with the rows it never falls
// in them. With the least over t of ln E e^(t(y-X)), which falls with y, it is
//
//	P[N(0,1) < sqrt(-2 Rows f(y + 1/Rows))]
//
// where no row is lost, by Zubkov and Serov (2013), as -f is a relative entropy then; else the greater of the bound of
// Berry and Esseen, with Shevtsova's constant (2011), and Chernoff's, 1 - e^(Rows f(y)).
func (c Contest) surely(y float64) float64 {
	n, none := float64(c.Rows), 1-c.Differ
	win, lose := (c.Differ+c.Truth)/2, (c.Differ-c.Truth)/2
	variance := c.Differ - c.Truth*c.Truth
	if lose <= 0 {
		y += 1 / n
	}
	switch {
	case !(y < c.Truth):
		return 0
	case variance <= 0, lose <= 0 && y < 0:
		return 1
	}
	tilt := math.Sqrt(y*y*none*none+4*win*lose*(1-y*y)) + math.Abs(y)*none // e^t at the least
	if y < 0 {
		tilt /= 2 * lose * (1 + y)
	} else {
		tilt = 2 * win * (1 - y) / tilt
	}
	ln := n * (y*num.Log(tilt) + num.Log(none+win/tilt+lose*tilt))
	if lose <= 0 {
		return num.Exp(num.LogSurvival(-math.Sqrt(max(0, -2*ln))))
	}
	cube := func(x float64) float64 { return x * x * x }
	third := win*cube(1-c.Truth) + lose*cube(1+c.Truth) + none*cube(math.Abs(c.Truth))
	normal := num.Exp(num.LogSurvival((y - c.Truth) * math.Sqrt(n/variance)))
	normal -= 0.4748 * third / (variance * math.Sqrt(variance*n))
	return max(normal, -math.Expm1(ln))
}

// HighestCount returns a number that falls in n and that (k-1)/n is at most, k being the least count of n rows that a
// gate at the bar passes at a level: k is at most n u + 2 by the bound of Zubkov and Serov, or n u + 1 by a relative
// entropy, for the u that is as far above the bar, and one more is left to rounding.
func HighestCount(n int64, bar, lnLevel float64, exact bool) float64 {
	nats := -lnLevel
	if exact {
		z := max(num.UpperQuantile(lnLevel*(1+1e-9)-1e-9), 0)
		nats = z * z / 2
	}
	return min(num.KLAbove(bar, nats/float64(n))*(1+1e-9), 1) + 2/float64(n)
}

// HasExactLevel reports whether counts of an open gate are by the binomial tail at a level, whatever the rows.
func HasExactLevel(lnLevel float64) bool { return ZeroOne{Rows: math.MaxInt64}.isExact(lnLevel) }

// highestWins returns a number that falls in n and that (k-1)/n is at most, k being the least number of wins of n that
// is evidence enough. An exact test is a gate at the bar 1/2. Of an e-value, with x = n kl(k/n || 1/2),
//
//	ln E >= ln 2 + ln(e^x - 1) - r,   r = ln(n+1) - 1/2 ln max(1, 2 pi n p(1-p)),
//
// for every k/n in [1/2, p]: the integral over q above 1/2 is the one over [0,1], 1/((n+1) C(n,k)), less a share of at
// most P[Bin(n+1,1/2) > k] <= e^-x, and C(n,k) is at most e^(n H(k/n))/sqrt(2 pi n (k/n)(1-k/n)), and e^(n H(k/n)).
// As n dr/dn <= 1 and v/(1+v) <= ln(1+v), the x that is enough, over n, falls. It is p, which is too much for [surely],
// where the bound does not reach.
func highestWins(n int64, p, enough float64, decided bool) float64 {
	if decided {
		return HighestCount(n, 0.5, -enough, true)
	}
	d := float64(n)
	r := num.Log(d+1) - num.Log(max(1, 2*math.Pi*d*p*(1-p)))/2
	x := math.Log1p(num.Exp(enough*(1+1e-9)+1e-9+r) / 2)
	if u := num.KLAbove(0.5, x/d) * (1 + 1e-9); u+1/d <= p {
		return u
	}
	return p
}
