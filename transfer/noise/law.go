package noise

import (
	"math"

	"github.com/dpcalc/dpcalc/internal/num"
)

// law is the law of one answer's noise in units of its sd: standard normal, drawn again until it is within the cut.
type law struct {
	cut       float64 // +Inf for noise that is not cut
	mass      float64 // Z = P[|N| <= cut]
	lnMass    float64
	density   float64 // of a standard normal number at the cut
	tail      float64 // P[N > cut]
	atTopRate float64 // the density of the noise at 0 over the probability of an error at tau
}

// lawOf returns the law of noise that is cut there, 0 standing for nowhere.
func lawOf(cut float64) law {
	if cut == 0 {
		cut = math.Inf(1)
	}
	k := law{cut: cut, mass: 1, atTopRate: math.Sqrt(2 / math.Pi)}
	if cut < math.Inf(1) {
		k.density = num.Exp(-cut*cut/2 - num.LnSqrt2Pi)
		k.tail = k.density * num.Mills(cut)
		k.mass = 1 - 2*k.tail
		k.lnMass = math.Log1p(-2 * k.tail)
		k.atTopRate /= k.mass
	}
	return k
}

// upper returns ln of the probability G(w) that the noise is above w, and its hazard there: its density over that.
func (k law) upper(w float64) (ln, hazard float64) {
	if w < -1 {
		ln, h := k.upper(-w)
		other := num.Exp(ln)
		return math.Log1p(-other), h * other / (1 - other)
	}
	hazard = k.hazard(w)
	return k.lnTail(w, hazard), hazard
}

// hazard returns the hazard at w.
func (k law) hazard(w float64) float64 {
	if w < -1 {
		_, h := k.upper(w)
		return h
	}
	mills := num.Mills(w)
	if k.cut < math.Inf(1) {
		mills = k.mills(w, mills)
	}
	return 1 / mills
}

// lnTail returns ln G(w), given the hazard there.
func (k law) lnTail(w, hazard float64) float64 {
	if w < -1 {
		ln, _ := k.upper(w)
		return ln
	}
	return -w*w/2 - num.LnSqrt2Pi - num.Log(hazard) - k.lnMass
}

// mills returns (P[N > w] - P[N > cut])/phi(w) from P[N > w]/phi(w), and 0 from the cut on. Of short intervals it is
// the integral of e^(-t(w+t/2)) by Hermite's polynomials at the middle, as the difference would lose its digits.
func (k law) mills(w, all float64) float64 {
	width := k.cut - w
	if width <= 0 {
		return 0
	}
	fall := width * (k.cut + w) / 2
	if fall > 0.05 || width > 0.25 {
		return all - k.tail/k.density*num.Exp(-fall)
	}
	h := width / 2
	c, x := w+h, h*h
	y := c * c
	sum := 1 + x/6*(y-1+x/20*(3-y*(6-y)+x/42*(y*(45-y*(15-y))-15+x/72*(105-y*(420-y*(210-y*(28-y)))))))
	return width * num.Exp(-h*(w+h/2)) * sum
}

// reveals returns Delta(a) at x = V/sd^2, rounded up:
//
//	(1/2) ln(1+ax) + a' ln(min(1, N(a))/Z).
func (k law) reveals(a, x float64) float64 {
	plain := lnUp(a*x) / 2
	if math.IsInf(k.cut, 1) {
		return plain
	}
	conj := a / (a - 1)
	return plain + conj*(k.caught(a, x, 2*plain)-k.lnMass)*(1+roundUp) + (1+conj)*0x1p-49
}

// caught returns ln min(1, N(a)), rounded up, given ln(1+ax):
//
//	N(a) = [(1 - 2 P[N > cut sqrt(1+ax)])^(a-1) (1 - 2 P[N > cut sqrt((1+ax)(1+a^2x))])]^(1/a)
//	       + 2 phi(cut) sqrt(2 pi ax) P[N > cut sqrt(ax)] (1+ax)^(-(a-1)/(2a)).
func (k law) caught(a, x, lnGrown float64) float64 {
	shift, grown := a*x, 1+a*x
	bent := grown * (1 + a*shift)
	fall := num.Exp(-k.cut * k.cut / 2 * shift)
	inner := math.Log1p(-2*k.density*fall*num.Mills(k.cut*math.Sqrt(grown))) * (a - 1)
	inner += math.Log1p(-2 * k.density * num.Exp(-k.cut*k.cut/2*(bent-1)) * num.Mills(k.cut*math.Sqrt(bent)))
	root := math.Sqrt(shift)
	beyond := 2 * k.density * fall * root * num.Mills(k.cut*root)
	if a > 1 {
		beyond *= num.Exp(-(a - 1) / (2 * a) * lnGrown)
	}
	return min(num.Log(num.Exp(inner/a)+beyond)+0x1p-50, 0)
}

// lnUp returns ln(1+x) for x >= 0, at most 2^-51 too large and never too small but for the
// rounding of its last digit. math.Log is several times faster than math.Log1p.
func lnUp(x float64) float64 {
	if x < 1e-3 {
		return math.Log1p(x)
	}
	return num.Log(1+x) + 0x1p-52
}

// quantile returns z with ln P[noise > z] = ln.
func (k law) quantile(ln float64) float64 {
	ln = min(ln, -math.Ln2)
	if math.IsInf(k.cut, 1) {
		return num.UpperQuantile(ln)
	}
	return num.UpperQuantile(num.Log(k.mass*num.Exp(ln) + k.tail))
}
