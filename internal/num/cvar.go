package num

import "math"

// The conditional value at risk of a random variable M at level b,
//
//	CVaR_b(M) = min over t of t + E(M-t)^+/b,
//
// is the largest mean that M has on an event of probability b. The minimum is at
// the (1-b)-quantile, but every t gives an upper bound (Rockafellar and Uryasev).
// So the quantiles in this file are found loosely; only the expected excess
// E(M-t)^+ has to be exact or too large.

const (
	// LnSqrt2Pi is ln sqrt(2 pi).
	LnSqrt2Pi = 0.91893853320467274178
	// roundUp covers the rounding of the sums and elementary functions below.
	roundUp = 1 + 0x1p-46
)

var maxNormalRule = Legendre(32)

// MaxNormalCVaR returns the CVaR at level b = e^lnb of the largest of k >= 1
// absolute values of standard normal variables,
//
//	q + (1/b) int_q^inf (1 - (1-u(x))^k) dx,   u(x) = P[|N(0,1)| > x],
//
// for lnb < 0. It is never below the truth, and within 1e-12 of it for lnb <=
// -1e-4; for k > 1 the value there serves every b closer to one.
func MaxNormalCVaR(k int64, lnb float64) float64 {
	n := float64(k)
	if k > 1 {
		lnb = math.Min(lnb, -1e-4) // one panel cannot resolve the lower tail as well
	}
	t := max(0, UpperQuantile(min(LogEach(lnb, k), -1e-16)-math.Ln2))
	// The integrand is at most k u(x), and u integrates to 2 phi(x) (1 - x R(x)), R =
	// Mills' ratio.
	if k == 1 || lnb < -30 {
		return (t + Exp(LogSurvival(t)+Log(2*n)-lnb)*MillsDeficit(t)/Mills(t)) * roundUp
	}
	// Beyond the cut k u < 1e-8 sqrt(b), and the bound is as good as the integral.
	b := Exp(lnb)
	reach := Log(-Log1mExp(lnb)) - lnb/2 + 18.5
	cut := math.Sqrt(t*t + 2*reach)
	excess := maxNormalRule.Integral(Interval{t, cut}, func(x float64) float64 {
		return -math.Expm1(n * math.Log1p(-2*Exp(LogSurvival(x))))
	})
	excess += 2 * n * Exp(-cut*cut/2-LnSqrt2Pi) * MillsDeficit(cut)
	return (t + excess/b) * roundUp
}

// MaxLaplaceCVaR returns the CVaR at level b = e^lnb of the largest of k >= 1
// absolute values of Laplace variables of scale 1, for lnb < 0. It is never below
// the truth and within 1e-12 of it.
func MaxLaplaceCVaR(k int64, lnb float64) float64 {
	n := float64(k)
	lambda := -Log1mExp(lnb) // P[max <= q] = e^-lambda
	if lnb < tiny {
		return (Log(n) - lnb + 1) * roundUp
	}
	q := -Log1mExp(-lambda / n)
	if lambda/n < 1e-17 {
		q = Log(n) - Log(lambda)
	}
	return (q + meanExcess(n, lambda)/Exp(lnb)) * roundUp
}

var excessRules = [...]Rule{Legendre(3), Legendre(8)}

// meanExcess returns E(M-q)^+ for the largest M of k variables Exp(1), and q such
// that P[M <= q] = e^-lambda:
//
//	int_q^inf (1 - (1-e^-x)^k) dx = int_0^lambda f(s) ds,   f(s) = (1-e^-s)/(k(e^(s/k)-1)).
//
// f is the average of e^(-sj/k), j = 1..k: positive, below 1 and all its
// derivatives bounded by 1, so Gauss's rule errs by less than 1e-17 of the integral, with 8 points over [0,1] and with
// 3 points over [0,1/100].
func meanExcess(k, lambda float64) float64 {
	f := func(s float64) float64 { return -math.Expm1(-s) / (k * math.Expm1(s/k)) }
	if lambda < 0.01 {
		return excessRules[0].Integral(Interval{0, lambda}, f)
	}
	sum, from := 0.0, 0.0
	for width := 1.0; from < lambda; width = max(1, from/2) {
		to := min(from+width, lambda)
		sum += excessRules[1].Integral(Interval{from, to}, f)
		from = to
	}
	return sum
}

// harmonic returns 1 + 1/2 + ... + 1/k.
func harmonic(k int64) float64 {
	if k < 32 {
		sum := 0.0
		for i := k; i >= 1; i-- {
			sum += 1 / float64(i)
		}
		return sum
	}
	const gamma = 0.57721566490153286061
	n := float64(k)
	n2 := 1 / (n * n)
	return Log(n) + gamma + 1/(2*n) - n2*(1.0/12-n2*(1.0/120-n2/252))
}

// LogMaxExpMoment returns ln E e^(l M) for the largest M of k >= 1 variables
// Exp(1) and 0 < l < 1,
//
//	ln Gamma(k+1) + ln Gamma(1-l) - ln Gamma(k+1-l) = -sum_(i<=k) ln(1-l/i),
//
// never below the truth and at most 1e-9 above it.
func LogMaxExpMoment(k int64, l float64) float64 {
	const direct = 128
	sum := 0.0
	for i := min(k, direct); i >= 1; i-- {
		sum -= math.Log1p(-l / float64(i))
	}
	if k > direct {
		// ln Gamma(w+(1+l)/2) - ln Gamma(w+(1-l)/2) = l ln w + c/w^2 - ..., an
		// alternating series that envelops its value.
		c := l * (1 - l*l) / 24
		top, bottom := float64(k)+(1-l)/2, direct+(1-l)/2
		sum += l*Log(top/bottom) + c/(top*top) - c/(bottom*bottom)*(1-7.0/40/(bottom*bottom))
	}
	return sum * roundUp
}

// LaplaceMaxima is N = 4 A + 2 G, where A and G are independent, A the largest of
// Four and G of Two absolute values of Laplace variables of scale 1. Both counts
// are at least 1.
type LaplaceMaxima struct{ Four, Two int64 }

var sumRule = Legendre(12)

// CVaR returns the CVaR of N at level b = e^lnb, lnb < 0, never below the truth
// and within 1e-9 of it.
func (s LaplaceMaxima) CVaR(lnb float64) float64 {
	// E(N-t)^+ <= E 4 Four e^(-(t-2G)/4), by the union bound, which is exact as
	// b -> 0; this t is optimal for it and too large for N.
	t := 4 * (Log(float64(s.Four)) + LogMaxExpMoment(s.Two, 0.5) - lnb)
	if lnb < -34 {
		return (t + 4) * (1 + 1e-11)
	}
	if s.tail(0) > Exp(lnb) {
		t = Interval{0, t}.SafeRoot(1e-5, func(t float64) float64 { return Log(s.tail(t)) - lnb })
	}
	return (t + s.excess(t)/Exp(lnb)) * (1 + 1e-11)
}

// tail approximates P[N > t].
func (s LaplaceMaxima) tail(t float64) float64 {
	n := float64(s.Four)
	far := Exp(LogAny(-t/2, s.Two)) // P[2G > t]
	return far + s.overG(t, func(z float64) float64 {
		return -math.Expm1(n * math.Log1p(-Exp(-z/4)))
	})
}

// excess returns E(N-t)^+, never below the truth up to the error of the rule.
func (s LaplaceMaxima) excess(t float64) float64 {
	four, two := float64(s.Four), float64(s.Two)
	mean := harmonic(s.Four)
	lambda := -two * math.Log1p(-Exp(-t/2))
	// 2G > t: E(4A + 2G - t; 2G > t).
	far := 4*mean*-math.Expm1(-lambda) + 2*meanExcess(two, lambda)
	return far + s.overG(t, func(z float64) float64 {
		return 4 * meanExcess(four, -four*math.Log1p(-Exp(-z/4)))
	})
}

// overG returns E h(t-2G) over 2G <= t for a decreasing h: an upper bound, but for
// the error of the quadrature.
func (s LaplaceMaxima) overG(t float64, h func(z float64) float64) float64 {
	n := float64(s.Two)
	density := func(v float64) float64 { return n * Exp(-v+(n-1)*math.Log1p(-Exp(-v))) }
	// Below low G has probability e^-45; there h is replaced by its largest value.
	end := t / 2
	low := min(end, -Log1mExp(-45/n))
	sum := Exp(-45) * h(t-2*low)
	for from := low; from < end; {
		to := min(from+2, end)
		part := sumRule.Integral(Interval{from, to}, func(v float64) float64 { return density(v) * h(t-2*v) })
		sum += part
		if from > low+20 && part < 1e-18*sum {
			break
		}
		from = to
	}
	return sum
}
