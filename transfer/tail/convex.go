package tail

import (
	"math"

	"github.com/dpcalc/dpcalc/internal/num"
)

// Convex is values in [Lowest,1] of independent rows that count alike: the tails of a query are the convex tails of a
// binomial law, at most e times its own. With values in [0,1] and B of the law Bin(n,p),
//
//	P[f(S) >= x] <= T_n(p,x) = min over whole t, 0 <= t < nx, of E(B-t)_+/(nx-t),   f(P) <= p,
//
// which rises in p and falls in x and in n, and is nowhere above e^(-n kl(x||p)). Source:
// docs/theorems/feedback.md#convex-tail.
type Convex struct {
	Lowest float64 // 0 or -1
}

// LnAt returns ln of the greater of the probabilities of the two errors at a bar, rounded up: of a mean of c that
// reaches c + tau and, unless the bar is one-sided or c + 2 tau >= 1, of one of c + 2 tau that stays below c + tau.
func (v Convex) LnAt(n int64, b Bar) float64 {
	unit := func(x num.DD) num.DD { return x.AddFloat(-v.Lowest).MulFloat(1 / (1 - v.Lowest)) }
	height := unit(num.FromFloat(b.Height))
	passes := unit(num.FromFloat(b.Height).AddFloat(b.Margin))
	ln := lnConvex(n, height, passes)
	if room := unit(num.FromFloat(b.Height).AddFloat(2 * b.Margin)).Neg().AddFloat(1); !b.OneSided && room.Hi > 0 {
		ln = math.Max(ln, lnConvex(n, room, passes.Neg().AddFloat(1)))
	}
	return ln
}

// lnConvex returns ln T_n(p,x), rounded up.
func lnConvex(n int64, p, x num.DD) float64 {
	if p.Hi <= 0 {
		return math.Inf(-1)
	}
	n = min(n, num.MostConvexRows)
	return num.Binomial{N: n, P: math.Nextafter(p.Hi, 1)}.LnConvex(math.Nextafter(x.MulFloat(float64(n)).Hi, 0))
}

// LnSide returns ln of A_n(s) = max over p of T_n(p,p+s), for values in [0,1], rounded up: by at most 1e-9 of itself,
// where it is below 1/e. It falls in n and s.
func (v Convex) LnSide(n int64, s float64) float64 {
	c, most := v.sides(n, s)
	if most > -1 {
		return most
	}
	_, peak := c.peak()
	for grow := 1e-10; ; grow *= 8 {
		ln := peak + grow*(1-peak)
		if !(ln < most) {
			return most
		}
		if c.isWithin(ln) {
			return ln
		}
	}
}

// IsWithin reports whether A_n(s) is certainly at most e^ln.
func (v Convex) IsWithin(n int64, s, ln float64) bool {
	c, most := v.sides(n, s)
	if most > ln && most > -1 {
		return false
	}
	if most <= ln {
		return true
	}
	_, peak := c.peak()
	return peak <= ln && c.isWithin(ln)
}

// Peak returns about ln A_n(s), and not more but for rounding. It takes much less time than [Convex.LnSide].
func (v Convex) Peak(n int64, s float64) float64 {
	c, most := v.sides(n, s)
	if most > -1 {
		return most
	}
	_, peak := c.peak()
	return math.Min(peak, most)
}

// Worst returns about the mean p at which A_n(s) is T_n(p,p+s).
func (v Convex) Worst(n int64, s float64) float64 {
	c, _ := v.sides(n, s)
	p, _ := c.peak()
	return p
}

// sides returns the convex tails of n rows s above the mean, and ln of their relative entropy's bound.
func (v Convex) sides(n int64, s float64) (convexSides, float64) {
	s /= 1 - v.Lowest
	return convexSides{min(n, num.MostConvexRows), s}, Interval{}.LnSide(n, s)
}

// convexSides is T_n(p,p+s) as a function of p in [0,1-s]. At a fixed t it is a quotient of a convex function and a
// linear one, so that in a cell it is nowhere above the greater of its values at both ends. A cell has one t.
type convexSides struct {
	n int64
	s float64
}

// reach returns n(p+s), rounded down.
func (c convexSides) reach(p float64) float64 { return float64(c.n) * (p + c.s) * (1 - 4e-16) }

// isWithin reports whether cells show that T_n(p,p+s) is at most e^ln at every p. Each is a little wider than the one
// before it, or five eighths of what was too wide: most are about as wide as they may be. The best t is looked for
// after each that was too wide, and else it is as far below n(p+s) as it was.
func (c convexSides) isWithin(ln float64) bool {
	last := math.Nextafter(1-c.s, 1)
	p, width, short, known := 0.0, last, 0.0, false
	for p < last && width > 1e-14*last {
		end := min(p+width, last)
		mid := p + (end-p)/2
		if !known {
			short = c.reach(mid) - float64(num.Binomial{N: c.n, P: mid}.Hinge(c.reach(mid)))
		}
		if known = c.isBelow(p, end, int64(max(0, math.Round(c.reach(mid)-short))), ln); known {
			p, width = end, width*1.05
		} else {
			width /= 1.6
		}
	}
	return p == last
}

// isBelow reports whether a t, or the greatest one that is less, shows it for the cell.
func (c convexSides) isBelow(from, to float64, t int64, ln float64) bool {
	t = min(t, int64(math.Ceil(c.reach(from)))-1)
	if float64(t+2) <= (float64(c.n)+1)*to { // the hinge may be below the mean
		return false
	}
	for _, p := range [2]float64{from, to} {
		if (num.Binomial{N: c.n, P: p}).LnHinge(t, c.reach(p)) > ln {
			return false
		}
	}
	return true
}

// peak returns the greatest value that is found, as its logarithm, and the p. T_n(p,p+s) has a peak where the best t
// changes from k-1 to k, at the p with
//
//	k (1-p) P[B=k] = ns P[B>=k],
//
// and it is P[B>=k] there.
func (c convexSides) peak() (p, ln float64) {
	p = (1 - c.s) * (0.5 + c.s/6) // about where the relative entropy is least
	type turn struct{ p, ln float64 }
	seen := map[int64]turn{}
	at := func(k int64) turn {
		found, ok := seen[k]
		if !ok {
			found.p, found.ln = c.turn(k)
			seen[k] = found
		}
		return found
	}
	guess := num.Binomial{N: c.n, P: p}.Hinge(c.reach(p)) + 1
	first := min(int64(float64(c.n)*c.s)+1, c.n) // a lesser k is no best t, not even at p = 0
	best := at(num.Ints{Lo: first, Hi: c.n, Guess: guess}.Least(func(k int64) bool {
		return k == c.n || at(k).ln >= at(k+1).ln
	}))
	return best.p, best.ln
}

// turn returns that p, and ln P[B>=k] there.
func (c convexSides) turn(k int64) (p, ln float64) {
	rows := float64(c.n)
	most := min(1-c.s, float64(k)/rows)
	p = num.Interval{Lo: max(0, float64(k)/rows-c.s), Hi: most}.SafeRoot(1e-13, func(p float64) float64 {
		return float64(k)*(1-p) - rows*c.s*num.Binomial{N: c.n, P: p}.TailShare(k)
	})
	return p, num.Binomial{N: c.n, P: p}.LnAtLeast(k)
}
