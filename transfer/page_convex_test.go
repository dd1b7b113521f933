package transfer

import (
	"math"
)

// pageConvexRows is the greatest number of rows of which convex tails are asked.
const pageConvexRows = 1 << 22

// looseConvex is about ln of min over t of E(B-t)_+/(y-t) for B of the law Bin(n,p), and the t: by the sum of the tail
// from the top down. Hinges more than a row below the mean are left out.
func looseConvex(n int64, p, y float64) (ln float64, t int64) {
	k := int64(math.Ceil(y))
	if k > n || p <= 0 {
		return math.Inf(-1), 0
	}
	lg := func(x int64) float64 { v, _ := math.Lgamma(float64(x + 1)); return v }
	about := lg(n) - lg(k) - lg(n-k) + float64(k)*math.Log(p)
	if k < n {
		about += float64(n-k) * math.Log1p(-p)
	}
	odds, terms := p/(1-p), []float64{1} // of k, k+1, ..., over the probability of k
	for j := k; j < n && terms[j-k] > 1e-18; j++ {
		terms = append(terms, terms[j-k]*odds*float64(n-j)/float64(j+1))
	}
	least, mass, sum := math.Inf(1), 0.0, 0.0 // P[B>t] and E(B-t)_+
	for j := len(terms) - 1; j > 0; j-- {
		mass += terms[j]
		sum += mass
	}
	term := 1.0
	for h := k - 1; h >= 0 && float64(h+1) > float64(n)*p-(1-p); h-- {
		mass += term
		sum += mass
		if q := sum / (y - float64(h)); q < least {
			least, t = q, h
		} else if q > 2*least {
			break
		}
		term *= float64(h+1) / float64(n-h) / odds
	}
	return math.Min(0, about+math.Log(least)), t
}

// pageLnConvex is ln of the convex tail T_n(p,x).
func pageLnConvex(n int64, p, x dec) dec {
	y := whole(n).Times(x)
	switch {
	case whole(n).Less(y) || p.Sign() <= 0:
		return pageNever
	case !whole(n).Times(p).Less(y):
		return zero
	}
	_, about := looseConvex(n, p.Float(), math.Min(y.Float(), float64(n)))
	ln := zero
	for t := max(about-1, 0); t <= about+1 && whole(t).Less(y) && t < n; t++ {
		q := one.Minus(p)
		if !whole(n).Times(p).Minus(q).Less(whole(t + 1)) {
			continue
		}
		at := lnFactorial(n).Minus(lnFactorial(t + 1)).Minus(lnFactorial(n - t - 1)).Plus(whole(t + 1).Times(p.Ln())).Plus(
			whole(n - t - 1).Times(q.Ln()))
		sum, part, odds := one, one, p.Over(q)
		for j := t + 1; j < n; j++ {
			part = part.Times(odds).Times(whole(n - j)).Over(whole(j + 1))
			more := part.Times(whole(j + 1 - t))
			if sum = sum.Plus(more); more.Float() < 1e-30*sum.Float() {
				break
			}
		}
		if other := at.Plus(sum.Ln()).Minus(y.Minus(whole(t)).Ln()); other.Less(ln) {
			ln = other
		}
	}
	return ln
}

// pageLnConvexSide is ln of the greatest T_n(p,p+s) over all p where the relative entropy's bound is at most 1/e, and
// that bound elsewhere.
func pageLnConvexSide(n int64, s dec) dec {
	usual := pageLnSide(n, s)
	if zero.Minus(one).Less(usual) || !s.Less(one) || n > pageConvexRows {
		return usual
	}
	shift := s.Float()
	loose := func(p float64) float64 {
		ln, _ := looseConvex(n, p, math.Min(float64(n)*(p+shift), float64(n)))
		return ln
	}
	best, most := 1-shift, math.Inf(-1)
	for width, parts := 1-shift, 250; width*float64(n) > 0.002; width /= 20 { // the peaks are narrower and narrower
		middle := best
		for i := range 2*parts + 1 {
			p := middle + width*float64(i-parts)/float64(parts)
			if p > 0 && p+shift <= 1 {
				if ln := loose(p); ln > most {
					best, most = p, ln
				}
			}
		}
		parts = 40
	}
	p := number(best)
	if one.Less(p.Plus(s)) {
		p = one.Minus(s)
	}
	return pageLnConvex(n, p, p.Plus(s))
}

// pageLnConvexAt is ln of the likelier of the two errors at a bar, as means of values in [0,1].
func pageLnConvexAt(n int64, c, tau dec, oneSided bool) dec {
	n = min(n, pageConvexRows)
	ln, passes, top := pageLnConvex(n, c, c.Plus(tau)), c.Plus(tau), c.Plus(tau).Plus(tau)
	if !oneSided && top.Less(one) {
		ln = greater(ln, pageLnConvex(n, one.Minus(top), one.Minus(passes)))
	}
	return ln
}
