package open

import (
	"cmp"
	"math"
	"sort"

	"github.com/dpcalc/dpcalc/internal/num"
)

// Bet says which share of the budget the rarer side of a look has: a pass, a raise, a guess that moved, a rejection.
// It is the mixture over all rates by the law Beta(A,B): after j looks, k of which came out on that side, the share is
// (A+k)/(A+B+j). The analyst may choose another bet at each look.
type Bet struct{ A, B float64 }

// Usual returns the bet for looks of which nothing is known, Beta(1/2, 2).
func Usual() Bet { return Bet{A: 0.5, B: 2} }

// Expect returns the bet on a rate in (0,1), Beta(1/2, 1/(2 rate) - 1/2).
func Expect(rate float64) Bet { return Bet{A: 0.5, B: min(0.5/rate-0.5, math.MaxFloat64)} }

// Refusals returns the bet on responses that a query is more than it was declared to be: one in twenty, Beta(1/2,
// 19/2).
func Refusals() Bet { return Expect(0.05) }

// Share returns the share after so many looks, of which so many came out on the rarer side. Neither side costs more
// than most nats, which are at least 1: the share is kept within [e^-most, 1 - e^-most].
func (b Bet) Share(looks, rare int64, most float64) float64 {
	floor := floorOf(most)
	share := min(max(b.Rate(looks, rare), floor), 1-floor)
	for -lnShare(1, share) > most { // 1 - floor was rounded
		share = math.Nextafter(share, 0)
	}
	return share
}

// Rate returns the share that no floor has changed.
func (b Bet) Rate(looks, rare int64) float64 {
	return (b.A + float64(rare)) / (b.A + b.B + float64(looks))
}

// floorOf is the least share that costs at most so many nats.
func floorOf(most float64) float64 { return max(num.Exp(-most)*(1+1e-13), 0x1p-53) }

// Left returns ln W after so many looks with that bet, rare of them on the rarer side in any order, where no share met
// the floor:
//
//	W = B(A+k, B+j-k)/B(A, B).
//
// It is rounded down by at most 3e-13 and four roundings, for A + B of at most 1e12. It is for plans; a ledger
// carries its [Budget].
func (b Bet) Left(looks, rare int64) Budget {
	ln := lnRise(b.A, rare).Add(lnRise(b.B, looks-rare)).Sub(lnRise(b.A+b.B, looks))
	return Budget(ln.Hi - 1e-13 - 4e-16*math.Abs(ln.Hi))
}

// Gates are gates with the usual bet, one after the other, each of which may be refused where Refusals is a bet. No
// response costs more than Most nats.
type Gates struct {
	Most           float64
	Looks, Passes  int64 // so far
	Refusals       Bet
	Asked, Refused int64 // of the looks so far that might have been refused
}

// Shares returns the shares of a refusal and, beside it, of a pass, and on which side the most holds each: 1 above its
// bet, -1 below it, 0 on neither. A refusal leaves a nat of the most to a pass and a fail: neither then costs more.
func (g Gates) Shares() (refusal, pass float64, held [2]int) {
	most := g.Most
	if g.Refusals.A > 0 {
		refusal = min(g.Refusals.Share(g.Asked, g.Refused, most), -math.Expm1(1-most))
		held[0] = cmp.Compare(refusal, g.Refusals.Rate(g.Asked, g.Refused))
		most += lnShare(1, refusal)
	}
	pass = Usual().Share(g.Looks, g.Passes, most)
	held[1] = cmp.Compare(pass, Usual().Rate(g.Looks, g.Passes))
	return refusal, pass, held
}

// Ahead returns the gates after so many more that all pass, 1, or all fail, 0, and ln of what these leave of the
// budget, rounded down as [Bet.Left]: a closed form for as long as the most holds the same shares. A ledger that takes
// them rounds each: after a million it carries up to 1e-7 nats less.
func (g Gates) Ahead(more, pass int64) (Gates, Budget) {
	var ln num.DD
	later := func(n int64) Gates {
		return Gates{g.Most, g.Looks + n, g.Passes + pass*n, g.Refusals, g.Asked + n, g.Refused}
	}
	for n := int64(0); more > 0; more, g = more-n, later(n) {
		refusal, share, held := g.Shares()
		n = 1 + int64(sort.Search(int(more-1), func(i int) bool {
			_, _, then := later(int64(i) + 1).Shares()
			return then != held
		}))
		least, rest := floorOf(g.Most), g.Refusals.A+g.Refusals.B+float64(g.Asked)
		refused := g.Refusals.A + float64(g.Refused)
		each, up, down := lnShare(1, refusal), []float64{}, []float64{} // look i leaves e^each (up + i)/(down + i)
		falls := g.Refusals.A > 0 && held[0] == 0                       // the share of a refusal
		if falls {
			each, up, down = 0, []float64{rest - refused}, []float64{rest}
		}
		switch {
		case held[1] == 0:
			up = append(up, [2]float64{Usual().B + float64(g.Looks-g.Passes), Usual().A + float64(g.Passes)}[pass])
			down, each = append(down, Usual().A+Usual().B+float64(g.Looks)), each-rounding*float64(pass)
		case !falls:
			each += [2]float64{lnShare(1, share), lnShare(share, 0)}[pass]
		case (held[1] > 0) == (pass > 0): // it costs the most together with what a refusal leaves
			each, up, down = num.Log(least), nil, nil
		default: // it has what the other two leave
			each, up[0] = math.Log1p(-least), rest-refused/(1-least)
		}
		ln = ln.Add(num.FromInt(n).MulFloat(each))
		for k := range up {
			ln = ln.Add(lnRise(up[k], n)).Sub(lnRise(down[k], n))
		}
	}
	return g, Budget(ln.Hi - 1e-13 - 4e-16*math.Abs(ln.Hi))
}

// lnRise returns ln of t(t+1)...(t+k-1) for t > 0, within 2e-14 absolutely and 2^-90 relative.
func lnRise(t float64, k int64) num.DD {
	const direct = 24
	first, product := min(k, direct), 1.0
	if t >= direct {
		first = 0
	}
	for i := range first {
		product *= t + float64(i)
	}
	ln := num.FromFloat(num.Log(product))
	if k == first {
		return ln
	}
	return ln.Add(lnGamma(num.FromInt(k).AddFloat(t))).Sub(lnGamma(num.FromInt(first).AddFloat(t)))
}

// lnGamma returns ln Gamma(z) - ln(2 pi)/2 for z >= 24 by Stirling's series, whose next term is below 1e-17.
func lnGamma(z num.DD) num.DD {
	x := 1 / z.Hi
	y := x * x
	rest := x * (1./12 - y*(1./360-y*(1./1260-y*(1./1680-y*(1./1188)))))
	return z.AddFloat(-0.5).Mul(z.Ln()).Sub(z).AddFloat(rest)
}
