package theory

import (
	"math"

	"github.com/dpcalc/dpcalc/internal/num"
)

// Zubkov and Serov (2013, Theorem 1) bound the distribution function of X ~ Bin(n,p) by
//
//	P[X <= k] <= Phi(-sqrt(2 n kl((k+1)/n || p)))   for k+1 <= n p.
//
// With s = tau - 1/n >= 0 and K(p) = kl(p+s || p) therefore, and by symmetry,
//
//	P[X >= n(p+tau)] <= Phi(-sqrt(2nK(p))),   P[X <= n(p-tau)] <= Phi(-sqrt(2nK(1-p))),
//
// the first of which is 0 where p+tau > 1, the second where p-tau < 0. All of it falls as n
// grows, for every p. The functions below take suprema over p; docs/theorems/theory.md has the proofs.

var zubkovSources = []Source{{"zubkov13", "Theorem 1"}}

// ZubkovSerovTail returns sup_p [Phi(-sqrt(2nK(p))) + Phi(-sqrt(2nK(1-p)))], an upper bound on
// the probability of d for 0/1 records that falls in n: never below the supremum and within
// 1e-9 of it, relative, or within 2e-15 of the logarithm. It is 1 for n tau < 1.
func ZubkovSerovTail(d Deviation) (Bound[LogProb], error) {
	if err := d.Validate(); err != nil {
		return Bound[LogProb]{}, err
	}
	return Bound[LogProb]{logProbUp(d.normalSup()), zubkovSources, binomialSingle}, nil
}

// BinomialUpperTail returns an upper bound on sup_p P[Bin(n,p) >= n(p+tau)], the probability
// that the mean of 0/1 records is Tau or more above its expectation, and also that it is Tau
// or more below: the lesser of
//
//	sup_p Phi(-sqrt(2nK(p)))  and  sup_p exp(-n kl(p+tau || p))   over p <= 1-tau.
//
// It falls in n and is never below that lesser number.
func BinomialUpperTail(d Deviation) (Bound[LogProb], error) {
	if err := d.Validate(); err != nil {
		return Bound[LogProb]{}, err
	}
	normal, entropy := d.normalUpper(), d.klUpper()
	if normal.Cmp(entropy) < 0 {
		return Bound[LogProb]{logProbUp(normal), zubkovSources, binomialSingle}, nil
	}
	return Bound[LogProb]{logProbUp(entropy), []Source{hoeffding1}, single}, nil
}

// klUpper returns ln of the second of the two, rounded up.
func (d Deviation) klUpper() num.DD {
	return klRate(d.Tau, klLeast(d.Tau).value).Mul(num.FromInt(d.Samples)).Neg()
}

// shift returns s = tau - 1/n, rounded down.
func (d Deviation) shift() float64 {
	s := num.FromFloat(d.Tau).Sub(num.FromFloat(1).Div(num.FromInt(d.Samples)))
	return math.Nextafter(s.Hi, -1)
}

// normalSup returns ln of the supremum over p of both terms, rounded up.
func (d Deviation) normalSup() num.DD {
	s := d.shift()
	switch {
	case !(s > 0):
		return num.DD{}
	case d.Tau > 0.5: // no p has both terms
		return d.normalUpper()
	case (Deviation{d.Samples, s}).isNormalAtHalf():
		return least(num.DD{}, num.Ln2.Add(lnNormal(klHalf(s).Mul(num.FromInt(d.Samples)))))
	}
	f := newKLSum(float64(d.Samples), s, klLeast(s))
	f.tau, f.normal = d.Tau, true
	_, high := f.sup()
	return least(num.DD{}, high)
}

// normalUpper returns ln of the supremum over p <= 1-tau of the first term, rounded up.
func (d Deviation) normalUpper() num.DD {
	s := d.shift()
	if !(s > 0) {
		return num.DD{}
	}
	low := klLeast(s)
	k := low.value
	if last := 1 - d.Tau; last < low.p { // 1-tau is exact here; K falls until low.p
		k = num.KLShift{P: last, Shift: s}.DD()
	}
	return lnNormal(klRate(s, k).Mul(num.FromInt(d.Samples)))
}

// klRate returns a lower bound on min_p kl(p+s || p) from a value k of it that is known within
// 2^-96, of which little is left for a small s. There it is 2 s^2 + (4/9) s^4, which is less
// than the minimum by about s^6/4.
func klRate(s float64, k num.DD) num.DD {
	if s < 1e-4 {
		square := num.Square(s)
		return square.MulFloat(2).Add(square.MulFloat(s * s * (4. / 9 * (1 - 0x1p-50))))
	}
	return k.AddFloat(-0x1p-95)
}

// isNormalAtHalf reports whether both terms are certainly concave in p between the minima of
// K(p) and K(1-p), so that their sum is greatest at 1/2: whether
//
//	(n + 1/(4 s^2)) K'((1+s)/2)^2 <= 16 s^2,   s = d.Tau < 1/3,
//
// with room for rounding.
func (d Deviation) isNormalAtHalf() bool {
	s := d.Tau
	if !(s < 0.33) {
		return false
	}
	slope := num.KLShift{P: (1 + s) / 2, Shift: s}.Slope() / s
	return float64(d.Samples)*slope*slope+slope/s*slope/s/4 <= 15.99
}

// lnNormal returns ln Phi(-sqrt(2y)) for y > 0, within 1e-13 above it and decreasing in y. What
// Phi(-sqrt(2y)) has beside e^{-y} is log-convex in y; between neighbours of 20 bits a chord
// stands for its logarithm, off by 2^-44, as the second derivative is at most 1/(2 y^2).
func lnNormal(y num.DD) num.DD {
	const below = 1<<32 - 1
	bits := math.Float64bits(y.Hi) &^ below
	lo, hi := math.Float64frombits(bits), math.Float64frombits(bits+below+1)
	mills := func(y float64) float64 { return num.Log(num.Mills(math.Sqrt(2*y))) - lnSqrt2Pi + 2e-14 }
	a, b := mills(lo), mills(hi)
	chord := math.Max(b, a+(b-a)*((y.Hi-lo)/(hi-lo)))
	return y.Neg().AddFloat(chord)
}

func least(a, b num.DD) num.DD {
	if b.Cmp(a) < 0 {
		return b
	}
	return a
}
