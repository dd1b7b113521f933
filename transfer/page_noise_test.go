package transfer

import (
	"math"
)

// integral is about the integral of f, by Gauss's rule with 64 points on so many equal pieces.
func integral(lo, hi dec, pieces int64, f func(dec) dec) dec {
	sum, step := zero, hi.Minus(lo).Over(whole(pieces))
	for i := range pieces {
		from := lo.Plus(step.Times(whole(i)))
		for _, point := range gauss {
			x := from.Plus(step.Times(point[0].Plus(one)).Over(two))
			sum = sum.Plus(point[1].Times(f(x)))
		}
	}
	return sum.Times(step).Over(two)
}

// power is x^y of a positive x.
func power(x, y dec) dec {
	if x.Sign() <= 0 {
		return zero
	}
	return y.Times(x.Ln()).Exp()
}

// anyBeyond is 1 - (1-p)^m: of m independent ones one is beyond, which a single one is with probability p.
func anyBeyond(p, m dec) dec {
	if p.Times(m).Float() > 1e-14 {
		return one.Minus(power(one.Minus(p), m))
	}
	less := m.Minus(one)
	cube := less.Times(m.Minus(two)).Times(p.Squared()).Over(whole(6))
	return m.Times(p).Times(one.Minus(less.Times(p).Over(two)).Plus(cube))
}

// twoTails is P[|N| > x].
func twoTails(x dec) dec {
	_, tail := pageNormal(x)
	return two.Times(tail)
}

// quantile is x with P[max of m |N(0,1)| > x] = p, by Newton's method.
func quantile(m int64, p dec) dec {
	each := anyBeyond(p, one.Over(whole(m))) // two tails of one
	return upper(each.Over(two))
}

// upper is x with P[N > x] = p.
func upper(p dec) dec {
	ln := p.Ln().Float()
	lo, hi := -40.0, math.Sqrt(-2*ln)+10
	for range 80 {
		if mid := (lo + hi) / 2; looseTail(mid) > ln {
			lo = mid
		} else {
			hi = mid
		}
	}
	x := number(lo)
	for range 4 {
		density, tail := pageNormal(x)
		x = x.Plus(tail.Minus(p).Over(density))
	}
	return x
}

// pageNormalCVaR is the CVaR of the largest of m |N(0,1)| at beta.
func pageNormalCVaR(m int64, beta dec) dec {
	q := quantile(m, beta)
	end := number(math.Sqrt(math.Pow(q.Float(), 2)+170) + 1)
	tail := integral(q, end, 3, func(x dec) dec { return anyBeyond(twoTails(x), whole(m)) })
	return q.Plus(tail.Over(beta))
}

// pageLaplaceCVaR is the CVaR of the largest of m |Lap(1)| at beta.
func pageLaplaceCVaR(m int64, beta dec) dec {
	e := anyBeyond(beta, one.Over(whole(m))) // 1 - u
	sum, rest := zero, zero                  // rest is 1 - u^j
	for j := int64(1); j <= m; j++ {
		rest = rest.Plus(one.Minus(rest).Times(e))
		sum = sum.Plus(rest.Over(whole(j)))
	}
	return sum.Over(beta).Minus(e.Ln())
}

// pageStableGDP reports whether s is at least the stability of mu-GDP at beta.
func pageStableGDP(mu, s, beta dec) bool {
	if s.Sign() <= 0 {
		return false
	}
	if !s.Less(one) {
		return true
	}
	more, less := beta.Times(one.Plus(whole(3).Times(s))).Over(whole(4)), beta.Times(one.Minus(s)).Over(whole(4))
	return upper(less).Minus(upper(more)).AtLeast(mu)
}

// pageStableSteps reports whether s is at least the stability of k steps of eps-privacy at beta, pure or composed.
func pageStableSteps(k int64, eps, s, beta dec) bool {
	if s.Sign() <= 0 {
		return false
	}
	e := whole(k).Times(eps).Over(two).Exp()
	if !s.Less(one) || s.AtLeast(e.Minus(one).Over(e.Plus(one))) { // tanh(k eps/4)
		return true
	}
	v, w := beta.Times(one.Plus(whole(3).Times(s))).Over(whole(4)), beta.Times(one.Minus(s)).Over(whole(4))
	// The polygon through (w_i, v_i), from below: G is concave, so that the point is above it if it is above a side.
	odds := eps.Exp()
	p0, p1 := power(one.Plus(odds), whole(-k)).Times(power(odds, whole(k))), power(one.Plus(odds), whole(-k))
	v0, w0 := zero, zero // P[Bin(k, 1/(1+e^eps)) < i], P[Bin(k, e^eps/(1+e^eps)) < i]
	for i := range k + 1 {
		v1, w1 := v0.Plus(p0), w0.Plus(p1)
		if !w.Less(w0) && !w1.Less(w) {
			side := v0.Plus(v1.Minus(v0).Times(w.Minus(w0)).Over(w1.Minus(w0)))
			return v.AtLeast(side)
		}
		v0, w0 = v1, w1
		p0 = p0.Times(whole(k - i)).Over(whole(i + 1)).Over(odds)
		p1 = p1.Times(whole(k - i)).Over(whole(i + 1)).Times(odds)
	}
	return true
}

// pageProfile is the delta of mu-GDP at eps.
func pageProfile(mu, eps dec) dec {
	_, a := pageNormal(eps.Over(mu).Minus(mu.Over(two)))
	_, b := pageNormal(eps.Over(mu).Plus(mu.Over(two)))
	return a.Minus(eps.Exp().Times(b))
}

// pageGaussianCVaR reports whether gaussian-cvar certifies tau: of spread D and noise sd.
func pageGaussianCVaR(n, m int64, spread, sd, tau float64, lnBeta dec) bool {
	beta, d := lnBeta.Exp(), number(spread)
	mu := d.Times(whole(m).Root()).Over(whole(n).Times(number(sd)))
	s := number(tau).Minus(pageNormalCVaR(m, beta).Times(number(sd))).Over(d)
	return pageStableGDP(mu, s, beta)
}

// pageLaplacePlan reports whether laplace certifies tau.
func pageLaplacePlan(n, m int64, spread, scale, tau float64, lnBeta dec) bool {
	beta, d := lnBeta.Exp(), number(spread)
	eps := d.Over(whole(n).Times(number(scale)))
	s := number(tau).Minus(pageLaplaceCVaR(m, beta).Times(number(scale))).Over(d)
	return pageStableSteps(m, eps, s, beta)
}

// pageGaussianJung20 is the tau that gaussian-jung20 certifies at about the best x. Linear tells linear queries apart.
func pageGaussianJung20(n, m int64, spread, sd, epsilon float64, linear bool, lnBeta dec) dec {
	beta, d, s, eps := lnBeta.Exp(), number(spread), number(sd), number(epsilon)
	mu := d.Times(whole(m).Root()).Over(whole(n).Times(s))
	weight, most := two, one // most is the greatest error
	if !linear {
		weight, most = whole(4).Times(d), greater(one, d)
	}
	leak := weight.Times(pageProfile(mu, eps)).Root()
	loose := func(x float64) float64 {
		b := -math.Expm1(float64(m) * math.Log1p(-math.Min(2*math.Exp(looseTail(x)), 1)))
		return sd*x + math.Pow(math.Sqrt(b*most.Float())+leak.Float(), 2)/beta.Float()
	}
	x := number(least(0.01, 45, 300, loose))
	root := anyBeyond(twoTails(x), whole(m)).Times(most).Root().Plus(leak)
	return s.Times(x).Plus(d.Times(eps.Exp().Minus(one))).Plus(root.Squared().Over(beta))
}

// pageGaussianRogers20 is the tau that gaussian-rogers20 certifies at this noise.
func pageGaussianRogers20(n, m int64, sd float64, lnBeta dec) dec {
	nats := whole(m).Over(whole(n).Times(number(sd).Squared())) // u - 1 - ln u
	lo, hi := one, two.Plus(two.Times(nats)).Plus(whole(4))
	for range 140 {
		u := lo.Plus(hi).Over(two)
		if nats.Less(u.Minus(one).Minus(u.Ln())) {
			hi = u
		} else {
			lo = u
		}
	}
	sample := hi.Over(whole(2 * n)).Over(lnBeta.Exp()).Root()
	level := whole(4).Times(whole(m)).Ln().Minus(lnBeta)
	return sample.Plus(two.Times(whole(m)).Times(whole(n)).Times(level).Over(nats).Root().Over(whole(n)))
}

// pageGaussianBassily16 is the tau that gaussian-bassily16 certifies, and whether its conditions are met.
func pageGaussianBassily16(n, m int64, spread, sd, epsilon float64, lnBeta dec) (tau dec, met bool) {
	beta, d, s, eps := lnBeta.Exp(), number(spread), number(sd), number(epsilon)
	mu := d.Times(whole(m).Root()).Over(whole(n).Times(s))
	// Greater delta serves as well: at most beta/(2m) of eps, and below a quarter.
	ratio := beta.Over(whole(2 * m))
	if quarter := number(0.2499); quarter.Less(ratio) {
		ratio = quarter
	}
	delta := pageProfile(mu, eps)
	met = eps.Less(one.Over(whole(3))) && ratio.Times(eps).AtLeast(delta) &&
		whole(n).Times(eps.Squared()).AtLeast(whole(4).Over(ratio).Ln())
	return whole(18).Times(eps).Times(d).Plus(s.Times(quantile(m, beta.Over(two)))), met
}

// pageLaplaceJung20 is the tau that laplace-jung20 certifies at about the best x. Linear tells linear queries apart.
func pageLaplaceJung20(n, m int64, spread, scale float64, linear bool, lnBeta dec) dec {
	beta, s, d := lnBeta.Exp(), number(scale), number(spread)
	eps := whole(m).Times(d).Over(whole(n).Times(s))
	from := -math.Log(-math.Expm1(math.Log1p(-beta.Float()) / float64(m)))
	at := func(x dec) dec {
		off := anyBeyond(zero.Minus(x).Exp(), whole(m))
		if !linear {
			return s.Times(x).Plus(off.Times(greater(one, d)).Over(beta))
		}
		left := beta.Minus(off)
		if left.Sign() <= 0 {
			return whole(1_000_000)
		}
		return s.Times(x).Plus(two.Times(zero.Minus(left.Ln())).Over(whole(n)).Root())
	}
	x := least(from, from+60, 200, func(x float64) float64 {
		off := -math.Expm1(float64(m) * math.Log1p(-math.Exp(-x)))
		switch left := beta.Float() - off; {
		case !linear:
			return scale*x + off*math.Max(1, spread)/beta.Float()
		case left > 0:
			return scale*x + math.Sqrt(-2*math.Log(left)/float64(n))
		}
		return math.Inf(1)
	})
	return at(number(x)).Plus(d.Times(eps.Exp().Minus(one)))
}

// pageThresholdout is the tau that Thresholdout, sharp, needs at most for the noise of scale sg: whether it is
// certified.
func pageThresholdout(n, m, b int64, sg, tau float64, lnBeta dec) bool {
	beta, scale := lnBeta.Exp(), number(sg)
	threshold := whole(3).Times(number(tau)).Over(whole(4))
	// kappa/beta.
	ratio := func(j int64, l dec) dec { // prod k/(k-l)
		product := one
		for k := int64(1); k <= j; k++ {
			product = product.Times(whole(k)).Over(whole(k).Minus(l))
		}
		return product
	}
	eighth, quarter := one.Over(whole(8)), one.Over(whole(4))
	sum := zero
	for k := int64(1); k <= b; k++ {
		sum = sum.Plus(one.Over(whole(k).Minus(eighth)))
	}
	kappa := two.Times(scale).Times(zero.Minus(threshold.Over(whole(8).Times(scale))).Exp()).Times(
		ratio(m, pageHalf)).Times(ratio(b, quarter)).Times(ratio(b, eighth)).Times(sum)
	s := number(tau).Over(whole(4)).Minus(scale.Times(comparisonCVaR(m, b, beta))).Minus(kappa.Over(beta))
	return pageStableSteps(2*b, one.Over(scale.Times(whole(n))), s, beta)
}

// comparisonCVaR is the CVaR of N = 4 X_m + 2 X_b, X_j the greatest of j standard exponentials: q + E(N - q)^+/beta is
// an upper bound for every q, and is taken at about the best one.
func comparisonCVaR(m, b int64, beta dec) dec {
	harmonic := zero
	for j := int64(1); j <= m; j++ {
		harmonic = harmonic.Plus(one.Over(whole(j)))
	}
	over := func(x dec) dec { // E(X_m - x)^+
		if x.Sign() <= 0 {
			return harmonic.Minus(x)
		}
		e, sum, rest := zero.Minus(x).Exp(), zero, zero // e is 1 - u, rest 1 - u^j
		for j := int64(1); j <= m; j++ {
			rest = rest.Plus(one.Minus(rest).Times(e))
			sum = sum.Plus(rest.Over(whole(j)))
		}
		return sum
	}
	density := func(y dec) dec { // of X_b
		e := zero.Minus(y).Exp()
		return whole(b).Times(e).Times(power(one.Minus(e), whole(b-1)))
	}
	excess := func(q dec) dec {
		kink := q.Over(two)
		f := func(y dec) dec {
			return density(y).Times(whole(4)).Times(over(q.Minus(two.Times(y)).Over(whole(4))))
		}
		return integral(zero, kink, 3, f).Plus(integral(kink, kink.Plus(whole(70)), 4, f))
	}
	looseOver := func(x float64) float64 {
		if x <= 0 {
			return harmonic.Float() - x
		}
		sum, rest := 0.0, 0.0
		for j := int64(1); j <= m; j++ {
			rest += (1 - rest) * math.Exp(-x)
			sum += rest / float64(j)
		}
		return sum
	}
	loose := func(q float64) float64 {
		sum := 0.0
		const step = 0.05
		for y := step / 2; y < q/2+40; y += step {
			sum += step * float64(b) * math.Exp(-y) * math.Pow(-math.Expm1(-y), float64(b-1)) * 4 * looseOver((q-2*y)/4)
		}
		return q + sum/beta.Float()
	}
	guess := 4*(math.Log(float64(m))-beta.Ln().Float()) + 2*math.Log(float64(b)) + 2
	at := func(q dec) dec { return q.Plus(excess(q).Over(beta)) }
	q := number(least(guess/6, guess+6, 20, loose))
	for _, h := range []float64{3e-2, 1e-3, 1e-6} { // the lowest point of parabolas
		a, b, c := at(q.Minus(number(h))), at(q), at(q.Plus(number(h)))
		q = q.Minus(number(h).Over(two).Times(c.Minus(a)).Over(c.Plus(a).Minus(b).Minus(b)))
	}
	return at(q)
}
