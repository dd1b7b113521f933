package transfer

import (
	"math"
	"sync"
)

// pageNever is ln of a probability that is zero.
var pageNever = whole(-1_000_000_000)

// pageLnSum is the logarithm of the sum of numbers that are given by theirs.
func pageLnSum(terms ...dec) dec {
	most := terms[0]
	for _, x := range terms {
		most = greater(most, x)
	}
	if !pageNever.Less(most) {
		return pageNever
	}
	sum := zero
	for _, x := range terms {
		sum = sum.Plus(x.Minus(most).Exp())
	}
	return most.Plus(sum.Ln())
}

// kl is the relative entropy of two coins, and not finite where p is 0 or 1 and q is not.
func kl(q, p dec) (nats dec, finite bool) {
	nats = zero
	for _, c := range [][2]dec{{q, p}, {one.Minus(q), one.Minus(p)}} {
		switch {
		case c[0].Sign() <= 0:
		case c[1].Sign() <= 0:
			return nats, false
		default:
			nats = nats.Plus(c[0].Times(c[0].Over(c[1]).Ln()))
		}
	}
	return nats, true
}

// lnMean is -n kl(q||p).
func lnMean(n int64, q, p dec) dec {
	if q.Sign() < 0 || one.Less(q) {
		return pageNever
	}
	nats, finite := kl(q, p)
	if !finite {
		return pageNever
	}
	return zero.Minus(whole(n).Times(nats))
}

// worstMean is the p at which kl(p+s||p) is least, for s below 1.
func worstMean(s dec) dec {
	t := s.Float()
	lo, hi := 0.0, math.Min(0.5, 1-t)
	for range 60 {
		p := (lo + hi) / 2
		if math.Log((p+t)/p)+math.Log((1-p)/(1-p-t))-t/(p*(1-p)) > 0 {
			hi = p
		} else {
			lo = p
		}
	}
	p := number((lo + hi) / 2)
	for range 2 { // of Newton's
		q := p.Plus(s)
		rest, other := one.Minus(p), one.Minus(q)
		if other.Sign() <= 0 {
			break
		}
		slope := q.Times(rest).Over(p.Times(other)).Ln().Minus(s.Over(p.Times(rest)))
		curve := s.Squared().Times(one.Over(q.Times(p.Squared())).Plus(one.Over(other.Times(rest.Squared()))))
		if next := p.Minus(slope.Over(curve)); next.Sign() > 0 && next.Plus(s).Less(one) {
			p = next
		}
	}
	return p
}

// pageLnSide is ln A(s) of values in [0,1].
func pageLnSide(n int64, s dec) dec {
	switch {
	case s.Sign() <= 0:
		return zero
	case !s.Less(one):
		return pageNever
	}
	p := worstMean(s)
	return lnMean(n, p.Plus(s), p)
}

// pageLnBothSides is ln of sup_p e^(-n kl(p+tau||p)) + e^(-n kl(p-tau||p)), or a little less.
func pageLnBothSides(n int64, tau float64) dec {
	t := number(tau)
	at := func(p dec) dec {
		return pageLnSum(lnMean(n, p.Plus(t), p), lnMean(n, p.Minus(t), p))
	}
	if tau >= 1 {
		return pageNever
	}
	worst := worstMean(t)
	best := greater(at(worst), at(pageHalf))
	loose := func(p float64) float64 { // about -ln of the sum, less what is far below
		k := func(q float64) float64 {
			if !(q > 0 && q < 1) {
				return math.Inf(1)
			}
			return q*math.Log(q/p) + (1-q)*math.Log((1-q)/(1-p))
		}
		return -math.Log(math.Exp(-float64(n)*k(p+tau))+math.Exp(-float64(n)*k(p-tau))+1e-300) / 100
	}
	return greater(best, at(number(least(worst.Float(), 0.5, 60, loose))))
}

// supremum is the value of a concave f of l > 0 at about its greatest, which is looked for where loose is about f.
func supremum(f func(l dec) dec, loose func(l float64) float64) dec {
	x := least(-25, 7, 64, func(x float64) float64 { return -loose(math.Exp(x)) })
	return greater(f(number(math.Exp(x))), zero)
}

// pageLnDifference is ln of the bound of Lemma 5 for a deviation of s.
func pageLnDifference(n int64, s dec, d float64) dec {
	if s.Sign() <= 0 {
		return zero
	}
	if !s.Less(one.Plus(number(d))) {
		return pageNever
	}
	t, about := s.Float(), looseTilt(d)
	return zero.Minus(whole(n).Times(supremum(
		func(l dec) dec { return l.Times(s).Minus(differenceTilt(d)(l, false)) },
		func(l float64) float64 { return l*t - about(l, false) })))
}

// pageLnDifferenceAt is that for f(P) <= c.
func pageLnDifferenceAt(n int64, c, s dec, d float64) dec {
	if share := number(d); share.Less(c) {
		s = s.Plus(c).Minus(share) // the deviation from d, which is the mean at most
		c = share
	}
	end := c.Plus(number(d)) // from where no f has that mean; there f is not above 0, and -1 for d = 1
	silent := end.Sign() == 0 && (d >= 1 || c.Plus(s).Sign() > 0)
	if end.Sign() < 0 || silent || one.Less(c.Plus(s)) {
		return pageNever
	}
	return zero.Minus(whole(n).Times(supremum(func(l dec) dec {
		up, down := l.Exp(), zero.Minus(l).Exp()
		sinh, cosh := up.Minus(down).Over(two), up.Plus(down).Over(two)
		m := one.Plus(number(d).Times(cosh.Minus(one))).Plus(c.Times(sinh))
		if m.Sign() <= 0 {
			return zero
		}
		return l.Times(c.Plus(s)).Minus(m.Ln())
	}, func(l float64) float64 {
		rises, falls := end.Float()/2*math.Exp(l), (d-c.Float())/2*math.Exp(-l) // c + d may be far below the digits of either
		return l*c.Plus(s).Float() - math.Log(1-d+rises+falls)
	})))
}

// lnFactorials are ln k!, as far as they have been asked for.
var lnFactorials = struct {
	sync.Mutex
	list []dec
}{list: []dec{zero}}

func lnFactorial(n int64) dec {
	if n > pageMostCounted { // Stirling's series
		x, sum := whole(n), zero
		x2, p := x.Squared(), x
		for _, c := range [...][2]int64{{1, 12}, {-1, 360}, {1, 1260}, {-1, 1680}, {1, 1188}, {-691, 360360}, {1, 156}} {
			sum = sum.Plus(whole(c[0]).Over(whole(c[1])).Over(p))
			p = p.Times(x2)
		}
		return x.Plus(pageHalf).Times(x.Ln()).Minus(x).Plus(two.Times(pi).Ln().Over(two)).Plus(sum)
	}
	f := &lnFactorials
	f.Lock()
	defer f.Unlock()
	for k := int64(len(f.list)); k <= n; k++ {
		f.list = append(f.list, f.list[k-1].Plus(whole(k).Ln()))
	}
	return f.list[n]
}

// pageLnChoose is ln C(n,k) by its factors.
func pageLnChoose(n, k int64) dec {
	if k < 0 || k > n {
		return pageNever
	}
	product := one
	for i := range min(k, n-k) {
		product = product.Times(whole(n - i)).Over(whole(i + 1))
	}
	return product.Ln()
}

// pageLnAtLeast is ln P[Bin(n,p) >= k], pageLnAtMost ln P[Bin(n,p) <= k].
func pageLnAtLeast(n, k int64, p dec) dec {
	switch {
	case k <= 0:
		return zero
	case k > n || p.Sign() <= 0:
		return pageNever
	case !p.Less(one):
		return zero
	}
	q := one.Minus(p)
	if number(float64(k)).Less(whole(n).Times(p)) { // the rest is the lesser tail
		rest := pageLnAtLeast(n, n-k+1, q).Exp()
		return one.Minus(rest).Ln()
	}
	term := lnFactorial(n).Minus(lnFactorial(k)).Minus(lnFactorial(n - k)).Plus(whole(k).Times(p.Ln())).Plus(
		whole(n - k).Times(q.Ln()))
	sum, part, odds := one, one, p.Over(q)
	for j := k; j < n; j++ {
		part = part.Times(odds).Times(whole(n - j)).Over(whole(j + 1))
		sum = sum.Plus(part)
		if part.Float() < 1e-40 {
			break
		}
	}
	return term.Plus(sum.Ln())
}

func pageLnAtMost(n, k int64, p dec) dec { return pageLnAtLeast(n, n-k, one.Minus(p)) }

// pageLnCountAtLeast is ln of the bound on P[X >= k] for so many independent 0/1 rows of mean p, alike or not: the
// binomial tail from one beyond the mean count on, and the relative entropy below. pageLnCountAtMost is the bound on
// the other side.
func pageLnCountAtLeast(n, k int64, p dec) dec {
	mean := whole(n).Times(p)
	switch {
	case k <= 0 || !mean.Less(whole(k)):
		return zero
	case n == 1 || whole(k-1).AtLeast(mean):
		return pageLnAtLeast(n, k, p)
	case k > n:
		return pageNever
	}
	return lnMean(n, whole(k).Over(whole(n)), p)
}

func pageLnCountAtMost(n, k int64, p dec) dec { return pageLnCountAtLeast(n, n-k, one.Minus(p)) }

// floor is the greatest whole number that is at most x.
func floor(x dec) int64 {
	k := int64(math.Floor(x.Float()))
	for x.Less(whole(k)) {
		k--
	}
	for !x.Less(whole(k + 1)) {
		k++
	}
	return k
}

// pageMostCounted is the greatest number of rows of which exact binomial tails are asked.
const pageMostCounted = 10_000

// looseAtLeast is about P[Bin(n,p) >= k].
func looseAtLeast(n, k int64, p float64) float64 {
	if k <= 0 {
		return 1
	}
	if k > n || p <= 0 {
		return 0
	}
	if p >= 1 {
		return 1
	}
	if float64(k) < float64(n)*p {
		return 1 - looseAtLeast(n, n-k+1, 1-p)
	}
	lg := func(x int64) float64 { v, _ := math.Lgamma(float64(x + 1)); return v }
	part := math.Exp(lg(n) - lg(k) - lg(n-k) + float64(k)*math.Log(p) + float64(n-k)*math.Log1p(-p))
	sum := part
	for j := k; j < n && part > sum*1e-12; j++ {
		part *= p / (1 - p) * float64(n-j) / float64(j+1)
		sum += part
	}
	return sum
}

// worstOf is the greatest of so many decimals, of which about is known in floating point.
func worstOf(count int64, loose func(i int64) float64, strict func(i int64) dec) dec {
	const kept = 3
	var at [kept]int64
	value := [kept]float64{-1, -1, -1}
	for i := range count {
		v, j := loose(i), i
		for k := range kept {
			if v > value[k] {
				v, value[k] = value[k], v
				j, at[k] = at[k], j
			}
		}
	}
	worst := pageNever
	for k := range kept {
		if value[k] >= 0 {
			worst = greater(worst, strict(at[k]))
		}
	}
	return worst
}

// pageLnWorstCount is ln of sup_p P[|Bin(n,p)/n - p| >= tau], and pageLnWorstSide is ln of one side: the greatest at a
// break point, where the count on the boundary fails too.
func pageLnWorstCount(n int64, tau float64) dec {
	t := number(tau)
	spread := whole(n).Times(t)
	return worstOf(n+1, func(j int64) float64 { // p = j/n - tau, where counts from j on fail
		p := float64(j)/float64(n) - tau
		if p < 0 || p > 1 {
			return -1
		}
		below := floor(whole(j).Minus(spread).Minus(spread))
		return looseAtLeast(n, j, p) + looseAtLeast(n, n-below, 1-p)
	}, func(j int64) dec {
		p := whole(j).Over(whole(n)).Minus(t)
		below := floor(whole(j).Minus(spread).Minus(spread))
		return pageLnSum(pageLnAtLeast(n, j, p), pageLnAtMost(n, below, p))
	})
}

func pageLnWorstSide(n int64, tau float64) dec {
	t := number(tau)
	return worstOf(n+1, func(k int64) float64 {
		if p := float64(k)/float64(n) + tau; p <= 1 {
			return looseAtLeast(n, n-k, 1-p)
		}
		return -1
	}, func(k int64) dec {
		p := whole(k).Over(whole(n)).Plus(t)
		if one.Less(p) {
			return pageNever
		}
		return pageLnAtMost(n, k, p)
	})
}

// lnBeyond is ln P[N > sqrt(2 n K)] at ln e^(-n K).
func lnBeyond(lnMean dec) dec {
	if !pageNever.Less(lnMean) {
		return pageNever
	}
	_, tail := pageNormal(whole(-2).Times(lnMean).Root())
	return tail.Ln()
}

// pageLnZubkovSerov is ln of the one-sided bound, or of the two-sided one or a little less.
func pageLnZubkovSerov(n int64, tau float64, oneSided bool) dec {
	s := number(tau).Minus(one.Over(whole(n)))
	if s.Sign() <= 0 {
		return zero
	}
	t := number(tau)
	p := worstMean(s)
	if one.Minus(t).Less(p) {
		p = one.Minus(t)
	}
	at := func(p dec) dec {
		up, down := pageNever, pageNever
		if !one.Less(p.Plus(t)) {
			up = lnBeyond(lnMean(n, p.Plus(s), p))
		}
		if !p.Less(t) {
			down = lnBeyond(lnMean(n, p.Minus(s), p))
		}
		return pageLnSum(up, down)
	}
	if oneSided {
		return lnBeyond(lnMean(n, p.Plus(s), p))
	}
	return greater(at(p), at(pageHalf))
}

// pageLnSideOfCounts is the lesser of the two bounds on one side that fall in n, for 0/1 values.
func pageLnSideOfCounts(n int64, s dec) dec {
	plain := pageLnSide(n, s)
	if !s.Less(one) {
		return pageNever
	}
	if shift := s.Minus(one.Over(whole(n))); shift.Sign() > 0 {
		p := worstMean(shift)
		if one.Minus(s).Less(p) {
			p = one.Minus(s)
		}
		return lesser(plain, lnBeyond(lnMean(n, p.Plus(shift), p)))
	}
	return plain
}

// pageLnMeanAtMost is ln of the bound on P[f(S) >= c + s] for values in [0,1] and f(P) <= c.
func pageLnMeanAtMost(n int64, c, s dec) dec { return lnMean(n, c.Plus(s), c) }
