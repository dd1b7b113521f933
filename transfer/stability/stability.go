package stability

import (
	"math"

	"github.com/dpcalc/dpcalc/internal/num"
	"github.com/dpcalc/dpcalc/theory"
)

// Pure returns the stability of eps-differential privacy, tanh(eps/4) at every level: the posterior of a record is its
// prior tilted by a likelihood whose logarithm varies by at most eps.
func Pure(eps float64) float64 { return min(1, num.Tanh(eps/4)*(1+0x1p-50)) }

// Approx returns the stability of (eps,delta)-differential privacy at b,
//
//	s(b) = min(1, (t/2 + (delta/b)(1-t))/(1-t/2)),  t = tanh(eps/2),
//
// and the bound for pure privacy where delta is zero.
func Approx(private theory.Approx, b theory.LogProb) float64 {
	eps, delta := private.Epsilon, private.LnDelta
	if delta == theory.Zero {
		return Pure(eps)
	}
	t := num.Tanh(eps / 2)
	rest := 2 / (1 + num.Exp(eps)) // 1-t
	leak := num.Exp((delta - b).Ln()) * (1 + 1e-15*math.Abs(b.Ln()))
	return min(1, (t/2+leak*rest)/(0.5+rest/2)*(1+0x1p-48))
}

// Both F(y) below have the form A-B with A+B = y, where A and B are the
// probabilities of one event under the two laws. Then b s = F(b(1+s)/2) says
//
//	A + 3B = b,   s = (A-B)/b,
//
// and the event grows with b: one monotone equation and no fixed point.

// GDP returns the stability of mu-Gaussian differential privacy at b: with
//
//	F(y) = Phi(mu/2-c) - Phi(-mu/2-c)  at the c where  Phi(mu/2-c) + Phi(-mu/2-c) = y,
//
// the root s of b s = F(b(1+s)/2). It solves the equation for the event {x > c}: A = Q(c-mu/2), B = Q(c+mu/2). With
// rho = B/A, s = (1-rho)/(1+3 rho), which increases with c.
func GDP(mu float64, b theory.LogProb) float64 {
	lnb := b.Ln()
	if mu == 0 {
		return 0
	}
	if mu > 100 {
		return 1
	}
	// Both starting points are a little on the left.
	c := num.UpperQuantile(lnb-2*math.Ln2) - mu/4
	if mu > 0.5 {
		c = max(c, num.UpperQuantile(min(lnb, -math.Ln2))+mu/2)
	}
	c = max(c, 0)
	tail := func(c float64) (lnSum, slope float64) {
		lnA, lnB := num.LogSurvival(c-mu/2), num.LogSurvival(c+mu/2)
		rho := num.Exp(lnB - lnA)
		return lnA + math.Log1p(3*rho), (num.Hazard(c-mu/2) + 3*rho*num.Hazard(c+mu/2)) / (1 + 3*rho)
	}
	// The result may stay to the right of the root, by little.
	slack := 1e-13 + 1e-15*math.Abs(lnb)
	for range 60 {
		lnSum, slope := tail(c)
		step := (lnSum - lnb + slack) / slope
		c = max(0, c+step)
		if math.Abs(step) < 1e-6 { // the next would be below 1e-12
			break
		}
	}
	c += 1e-11 * (1 + c)
	// ln(A/B), as an integral where the difference would cancel.
	var gap float64
	if mu < 0.5 {
		gap = gapRule.Integral(num.Interval{Lo: -mu / 2, Hi: mu / 2}, func(x float64) float64 { return num.Hazard(c + x) })
	} else {
		gap = num.LogSurvival(c-mu/2) - num.LogSurvival(c+mu/2)
	}
	rise := -math.Expm1(-gap) // 1-rho
	return min(1, rise/(4-3*rise)*(1+1e-12))
}

var gapRule = num.Legendre(4)

const mostSteps = 1_000_000

// Composed returns the stability of k adaptively chosen eps-differentially private steps at b, or tanh(k eps/4) if that
// is less. Randomized response k times dominates them all; its F interpolates between the tails of two binomials, and
// s is the root of b s = F(b(1+s)/2). It solves the equation for the event {J >= j} and part of the atom below it,
// where J counts the steps that tell the truth: Bin(k,p) or Bin(k,1-p), p = e^eps/(1+e^eps). The atoms are a_j and
// a_j e^(-eps(2j-k)). Beyond k = 1,000,000, where the sum takes too long, g steps are counted as one of privacy g eps.
func Composed(k int64, eps float64, b theory.LogProb) float64 {
	if group := (k + mostSteps - 1) / mostSteps; group > 1 {
		return min(Pure(float64(k)*eps), Composed((k+group-1)/group, float64(group)*eps*(1+0x1p-51), b))
	}
	n, lnb := float64(k), b.Ln()
	if n*eps > 1e9 || eps == 0 {
		return Pure(n * eps)
	}
	// Above top the probability is below e^-50 b, by Chernoff's bound.
	lnP := -math.Log1p(num.Exp(-eps))
	lnQ := lnP - eps
	const negligible = 50
	mean := int64(n * num.Exp(lnP))
	top := num.Ints{Lo: mean + 1, Hi: k, Guess: mean + (k-mean)/2}.Least(func(j int64) bool {
		x := float64(j) / n
		return j == k || n*(x*(num.Log(x)-lnP)+(1-x)*(math.Log1p(-x)-lnQ)) > negligible+1-lnb
	})
	lnFair := lnFairBinomial(k, top)
	lift := eps * (float64(top) - n/2)
	lnCosh := n * (eps/2 + math.Log1p(math.Expm1(-eps)/2)) // n ln cosh(eps/2)
	// s does not increase with b, so the error of the first atom goes there.
	lnb -= 1e-13 + 2e-15*(math.Abs(lnFair)+math.Abs(lift)+math.Abs(lnCosh)+math.Abs(lnb))
	atom := num.Exp(lnFair + lift - lnCosh - lnb)
	down := num.Exp(-eps)
	shift, room := 0.0, 1.0 // (A-B)/b and 1-(A+3B)/b
	if top < k {
		shift = num.Exp(-negligible) * -math.Expm1(-n*eps)
	}
	for i := top; 2*i > k && room > 0; i-- {
		rise := -math.Expm1(-eps * float64(2*i-k))
		part := min(atom, room/(4-3*rise))
		shift += part * rise
		room -= part * (4 - 3*rise)
		if part < atom {
			break
		}
		atom *= float64(i) / float64(k-i+1) * down
	}
	return min(Pure(n*eps), shift*(1+1e-11))
}

// lnFairBinomial returns ln(C(k,j)/2^k) for k/2 <= j <= k.
func lnFairBinomial(k, j int64) float64 {
	n := float64(k)
	if j == k {
		return -n * math.Ln2
	}
	y := float64(2*j-k) / n
	entropy := ((1+y)*math.Log1p(y) + (1-y)*math.Log1p(-y)) / 2
	a, b := float64(j), float64(k-j)
	return stirling(n) - stirling(a) - stirling(b) - n*entropy + num.Log(n/(2*math.Pi*a*b))/2
}

// stirling returns ln(n!) - ln(sqrt(2 pi n) (n/e)^n) for n >= 1.
func stirling(n float64) float64 {
	if n < 16 {
		factorial := 1.0
		for i := 2.0; i <= n; i++ {
			factorial *= i
		}
		return num.Log(factorial) - (n+0.5)*num.Log(n) + n - num.Log(2*math.Pi)/2
	}
	m := 1 / (n * n)
	return (1.0/12 - m*(1.0/360-m*(1.0/1260-m/1680))) / n
}
