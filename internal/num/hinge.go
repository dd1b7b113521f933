package num

import "math"

// MostConvexRows is the greatest N for which a convex tail takes little time. Of a mean over more rows it is at most
// the tail of so many.
const MostConvexRows = 1 << 22

// LnConvex returns ln of the convex tail at y, never below the truth: the least over whole numbers t, 0 <= t < y, of
//
//	E(X-t)_+ / (y-t).
//
// It rises in P and falls in y. The numerator is linear between whole numbers, so that no other t is better. Hinges
// more than a row below the mean are left out, where the tail is above 1/3. Its logarithm exceeds the truth by at most
// 2e-11 and 3e-14 of itself for N up to 10^7.
func (b Binomial) LnConvex(y float64) float64 {
	switch x := b.tosses(); {
	case y > x.n, x.p == 0 && y > 0:
		return math.Inf(-1)
	case x.beyond(y) <= 0:
		return 0
	}
	return b.LnHinge(b.Hinge(y), y)
}

// Hinge returns the t at which the quotient of [Binomial.LnConvex] is least, for N P < y <= N: the least one with
//
//	E[X-y; X>t] = (t+1) (1-P) P[X=t+1] - (y - N P) P[X>t] >= 0,
//
// as the quotient falls up to it and rises from there on. The tail is carried from one t to that before it.
func (b Binomial) Hinge(y float64) int64 {
	x := b.tosses()
	t := math.Ceil(y) - 1
	over := x.beyond(y)
	share, _ := x.above(t+1, x.beyond(t+1), 1) // P[X>t]/P[X=t+1]
	for t > 0 && x.beyond(t)+x.q > 0 {
		share = 1 + share*(x.n-t)*x.p/((t+1)*x.q)
		if t*x.q < over*share {
			break
		}
		t--
	}
	return int64(t)
}

// LnHinge returns ln of the quotient of [Binomial.LnConvex] at one t < min(y, N), never below the truth, for a t+1
// above N P - (1-P).
func (b Binomial) LnHinge(t int64, y float64) float64 {
	x := b.tosses()
	k := float64(t) + 1
	room, over := y-float64(t), x.beyond(y)
	odd := 0.
	if over < room { // the quotient grows in the share
		odd = 1
	}
	share, pad := x.above(k, x.beyond(k), odd)
	ln, more := x.lnPMF(k)
	sum := share + (k*x.q-over*share)/room + pad*(share+(k*x.q+math.Abs(over)*share)/room)
	return math.Min(0, ln+more+1e-15+Log(sum))
}

// beyond returns y - N P.
func (t tosses) beyond(y float64) float64 { return (y - t.np.Hi) - t.np.Lo }

// TailShare returns about P[X >= k]/P[X = k], for a k above N P - (1-P).
func (b Binomial) TailShare(k int64) float64 {
	x := b.tosses()
	share, _ := x.above(float64(k), x.beyond(float64(k)), 1)
	return share
}
