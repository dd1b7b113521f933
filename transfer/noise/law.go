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
	mills := num.Mills(w)
	if k.cut < math.Inf(1) {
		mills = k.mills(w, mills)
	}
	return -w*w/2 - num.LnSqrt2Pi + num.Log(mills) - k.lnMass, 1 / mills
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
