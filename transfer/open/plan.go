package open

import (
	"math"

	"github.com/dpcalc/dpcalc/internal/num"
)

// Plan is the look with the number Looks if Rare-1 of the looks before it came out on the rarer side and all used the
// same bet, which no floor has changed.
type Plan struct {
	Tails  Planned
	LnBeta float64 // below 0
	Bet    Bet
	Looks  int64 // M >= 1
	Rare   int64 // K, from 1 to M: this look is the K-th that passes, raises or moves, if it does
}

// Planned is tails of which the widest interval is known.
type Planned interface {
	Tails
	// Widest returns the greatest distance from Lower(x, lnLow) to Upper(x + gap, lnHigh) over all x, rounded up.
	Widest(lnLow, lnHigh, gap float64) float64
}

// node returns the node of the look. Each rarer response has cost lnPart nats more than the share of its side.
func (p Plan) node(lnPart float64) (at Node, share float64) {
	left := p.Bet.Left(p.Looks-1, p.Rare-1)
	if p.Rare > 1 {
		left = left.Child(-float64(p.Rare-1) * lnPart * (1 + 4e-16))
	}
	return Node{p.LnBeta, left}, p.Bet.Share(p.Looks-1, p.Rare-1, math.Inf(1))
}

// Gate returns the margin tau of a gate: whatever the bar c, a pass says that the truth is above c, a failure that it
// is at most c + 2 tau.
func (p Plan) Gate() float64 {
	at, share := p.node(0)
	return p.Tails.Widest(at.level(lnShare(share, 0)), at.level(lnShare(1, share)), 0) / 2
}

// GateAt returns the gate at a bar with that margin there. It is a NoAnswerError if no mean can pass.
func (p Plan) GateAt(bar float64) (gate Look, tau float64, err error) {
	at, share := p.node(0)
	if gate, err = Gate(at, p.Tails, bar, share); err != nil {
		return Look{}, 0, err
	}
	_, upper := gate.Interval(at, p.Tails, 0)
	return gate, halfUp(upper - bar), nil
}

// Board returns the tau of a board with cells of the width step: half of the widest interval for the best truth of all
// that was submitted. All raises, this one too, are of one step.
func (p Plan) Board(step float64) float64 {
	at, share := p.node(math.Ln2)
	left := at.level(0) // of all that is shown now, since its shares were divided further
	keep := p.Tails.Widest(left, at.level(lnShare(1, share)), step)
	raise := p.Tails.Widest(at.level(lnShare(share, 0)), at.level(lnShare(1, share/2)), step)
	return halfUp(max(keep, raise))
}

// Guess returns the tau of a guess that holds within half of step, or else is corrected by cells of that width: half
// of the widest interval for the truth. All guesses that moved, this one too, moved by one cell.
func (p Plan) Guess(step float64) float64 {
	at, share := p.node(2 * math.Ln2)
	holds := at.level(lnShare(1, share/2))
	moved := p.Tails.Widest(at.level(lnShare(share/2, 0)), at.level(lnShare(1, share/4)), step)
	return halfUp(max(p.Tails.Widest(holds, holds, step), moved))
}

func halfUp(x float64) float64 { return math.Nextafter(x, 2) / 2 }

// Widest returns the greatest u(x+gap) - c(x), c and u the ends as functions of x in [0, 1-gap]. It is concave: as kl(x
// || p) is convex in both together, the (x,p) with kl(x || p) <= e are a convex set, whose lower boundary c is convex
// and whose upper one u is concave. So it is nowhere above its tangent at any x. Beyond, an end is an end of [0,1], and
// the distance is less.
func (v Unit) Widest(lnLow, lnHigh, gap float64) float64 {
	_, width := v.WidestAt(lnLow, lnHigh, gap)
	return width
}

// WidestAt returns about the x of Widest, and the distance.
func (v Unit) WidestAt(lnLow, lnHigh, gap float64) (at, most float64) {
	if gap >= 1 {
		return 0, 1
	}
	d := distance{low: v.rate(lnLow), high: v.rate(lnHigh), gap: gap}
	lo, hi := 0.0, 1-gap
	s, t := math.Sqrt(d.low/2), math.Sqrt(d.high/2) // about the distances on both sides
	x, bend := 0.5+(2./3*(s*s-t*t)-gap*t)/(s+t), 4*(s+t)
	last, before := math.NaN(), 0.0
	most = math.Inf(1)
	for range 60 {
		if !(x > lo && x < hi) {
			x = lo + (hi-lo)/2
		}
		width, slope := d.at(x)
		steep := math.Abs(slope) + 4e-15
		over := steep * max(x, 1-gap-x)
		if width+over < most {
			at, most = x, width+over
		}
		if over < 1e-12*width || steep < 1e-14 || hi-lo < 1e-15 {
			break
		}
		if slope > 0 {
			lo = x
		} else {
			hi = x
		}
		if secant := (before - slope) / (x - last); secant > 0 {
			bend = secant
		}
		last, before = x, slope
		x += slope / bend
	}
	return at, min(math.Nextafter(most, 2), 1)
}

// distance is u(x+gap) - c(x).
type distance struct{ low, high, gap float64 }

// at returns the distance and its derivative at x. On the boundary c' = c(1-c)(logit x - logit c)/(x-c).
func (d distance) at(x float64) (width, slope float64) {
	y := min(x+d.gap, 1)
	c, u := num.KLEnd(x, d.low, -1), num.KLEnd(y, d.high, 1)
	return u - c, alongBoundary(y, u) - alongBoundary(x, c)
}

// alongBoundary returns dp/dx where kl(x || p) does not change.
func alongBoundary(x, p float64) float64 {
	s := x - p
	switch {
	case p <= 0 || p >= 1: // where the rounding ended, next to a limit of 0
		return 0
	case s == 0:
		return 1
	}
	return p * (1 - p) / s * (math.Log1p(s/p) - math.Log1p(-s/(1-p)))
}

// Widest returns the distance of [Unit]: ends at counts are no wider, as k/n >= x > (k-1)/n at the least count beyond
// x.
func (v ZeroOne) Widest(lnLow, lnHigh, gap float64) float64 {
	return Unit{Rows: float64(v.Rows)}.Widest(lnLow, lnHigh, gap)
}

// Widest returns the distance of [Unit]: its ends are no nearer.
func (v Convex) Widest(lnLow, lnHigh, gap float64) float64 {
	return v.unit().Widest(lnLow, lnHigh, gap)
}
