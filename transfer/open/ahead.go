package open

import (
	"cmp"
	"math"
	"sort"

	"github.com/dpcalc/dpcalc/internal/num"
)

// Gates are gates with the usual bet, taken one after the other. Each may be refused beside its pass and its fail where
// Refusals is a bet. No response costs more than Most nats.
type Gates struct {
	Most           float64
	Looks, Passes  int64 // so far
	Refusals       Bet
	Asked, Refused int64 // of the looks so far that might have been refused
}

// RefusalShare returns the share of a refusal. It leaves a nat of the most to a pass and a fail, each of which can then
// cost no more than the most.
func (g Gates) RefusalShare() float64 {
	return min(g.Refusals.Share(g.Asked, g.Refused, g.Most), -math.Expm1(1-g.Most))
}

// later returns the gates after some more that all pass, 1, or all fail, 0.
func (g Gates) later(more, pass int64) Gates {
	g.Looks, g.Passes, g.Asked = g.Looks+more, g.Passes+pass*more, g.Asked+more
	return g
}

// shares returns the shares of a refusal and, beside it, of a pass, and on which side the most holds each: 1 above its
// bet, -1 below it, 0 on neither.
func (g Gates) shares() (refusal, pass float64, held [2]int) {
	most := g.Most
	if g.Refusals.A > 0 {
		refusal = g.RefusalShare()
		held[0] = cmp.Compare(refusal, g.Refusals.rate(g.Asked, g.Refused))
		most += lnShare(1, refusal)
	}
	pass = Usual().Share(g.Looks, g.Passes, most)
	held[1] = cmp.Compare(pass, Usual().rate(g.Looks, g.Passes))
	return refusal, pass, held
}

// Ahead takes so many more gates that all pass, 1, or all fail, 0, and returns ln of what they leave of the budget,
// rounded down as [Bet.Left]. A ledger that takes them rounds each: after a million it carries up to 1e-7 nats less.
func (g *Gates) Ahead(more, pass int64) Budget {
	var ln num.DD
	for more > 0 {
		_, _, held := g.shares()
		n := 1 + int64(sort.Search(int(more-1), func(i int) bool {
			_, _, then := g.later(int64(i)+1, pass).shares()
			return then != held
		}))
		ln = ln.Add(g.run(n, pass))
		*g, more = g.later(n, pass), more-n
	}
	return Budget(ln.Hi - 1e-13 - 4e-16*math.Abs(ln.Hi))
}

// run returns ln of what so many gates leave, none of which the most holds on another side than the first.
func (g Gates) run(n, pass int64) num.DD {
	refusal, share, held := g.shares()
	times := func(ln float64) num.DD { return num.FromInt(n).MulFloat(ln) }
	rises := func(t, of float64) num.DD { return lnRise(t, n).Sub(lnRise(of, n)) }
	refusals := g.Refusals.A + g.Refusals.B + float64(g.Asked)
	refused := g.Refusals.A + float64(g.Refused)
	free := g.Refusals.A > 0 && held[0] == 0 // the share of a refusal falls from look to look
	rest := times(lnShare(1, refusal))
	if free {
		rest = rises(refusals-refused, refusals)
	}
	least := floorOf(g.Most)
	switch own := [2]float64{Usual().B + float64(g.Looks-g.Passes), Usual().A + float64(g.Passes)}; {
	case held[1] == 0:
		return rest.Add(rises(own[pass], Usual().A+Usual().B+float64(g.Looks))).AddFloat(-rounding * float64(n*pass))
	case !free:
		return rest.Add(times([2]float64{lnShare(1, share), lnShare(share, 0)}[pass]))
	case (held[1] > 0) == (pass > 0): // a response that costs the most, refusal or not
		return times(num.Log(least))
	}
	return times(math.Log1p(-least)).Add(rises(refusals-refused/(1-least), refusals)) // 1 less the other two
}
