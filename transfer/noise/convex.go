package noise

import (
	"math"

	"github.com/dpcalc/dpcalc/internal/num"
)

// How many tangents bound the integral of N_b, as many on each side of the peak: in a search, and for noise that is
// given, which may have been certified by more than a search of today takes.
const (
	cells     = 20
	fineCells = 2 * cells
)

// chords is what N_b takes of a run with noise for every b:
//
//	N_b = (1/2) u(1/n)^b + int_0^inf phi(z) u(1/n + sigma z)^b dz,   sigma = 1/(2 sqrt n),
//
// u(X) = G((tau-X)/sd) up to tau and 1/2 + (X-tau) g/sd beyond, g the density of the noise at 0. The logarithm of the
// integrand is concave, and so below its tangents: the integral is the integral of tangents in cells, the outer ones
// without an end. Every choice of cells is valid.
type chords struct {
	query               // the value of the cells
	start, from float64 // where u begins to be positive, and where the cells begin
	first       float64 // ln u(1/n)
	cell        []chord // of a length that [chords.cover] keeps
}

// chord is the middle of a cell, half of how long it is, and ln u in the middle with its slope.
type chord struct{ middle, half, ln, slope float64 }

// cover lays the cells around the peak for one power, whose tangent touches about there.
func (c *chords) cover(q query, power, touch float64) {
	sigma := 1 / (2 * math.Sqrt(q.n))
	u := ramp{law: q.law, first: (q.tau - 1/q.n) / q.sd, fall: sigma / q.sd}
	peak, width := u.peak(power, touch)
	*c = chords{query: q, cell: c.cell}
	if !math.IsInf(q.law.cut, 1) {
		c.start = max((u.first-q.law.cut)/u.fall, 0)
	}
	c.from = max(peak-5*width, c.start)
	c.first, _ = u.at(0)
	left := c.from
	for i := range c.cell {
		x, far := 2*float64(i+1)/float64(len(c.cell))-1, 5.0
		if x < 0 {
			far = (peak - c.from) / width
		}
		right := peak + width*far*x*(1-(1-x*x)*far/10) // cells far away are longer
		middle := (left + right) / 2
		ln, slope := u.at(middle)
		c.cell[i] = chord{middle, (right - left) / 2, ln, slope}
		left = right
	}
}

// convex returns ln N_b, rounded up.
func (c *chords) convex(b float64) float64 {
	if !(c.cell[0].half > 0) {
		return 0
	}
	scale, sum := math.Inf(-1), 0.0
	var all [fineCells]float64
	for i, at := range c.cell {
		all[i] = b*at.ln - at.middle*at.middle/2
		scale = max(scale, all[i])
	}
	for i, at := range c.cell {
		slope := b*at.slope - at.middle
		t, height := slope*at.half, num.Exp(all[i]-scale)
		sum += height * 2 * at.half * sinhOver(t)
		switch i {
		case 0:
			if left := c.from - c.start; left > 0 {
				sum += height * left * tailOver(t, slope*left)
			}
		case len(c.cell) - 1:
			if !(slope < 0) {
				return 0
			}
			sum += height * num.Exp(t) / -slope
		}
	}
	sum /= math.Sqrt(2 * math.Pi)
	if c.first > -math.MaxFloat64 {
		sum += num.Exp(b*c.first-scale) / 2
	}
	ln := scale + num.Log(sum) + (math.Abs(scale)+b)*roundUp + 1e-12
	if !(ln < 0) {
		return 0
	}
	return ln
}

// ramp is u as a function of z.
type ramp struct {
	law
	first, fall float64 // (tau - 1/n)/sd, sigma/sd
}

// at returns ln u and its slope.
func (u ramp) at(z float64) (ln, slope float64) {
	w := u.first - u.fall*z
	if w >= 0 {
		ln, hazard := u.upper(w)
		return ln, u.fall * hazard
	}
	height := 0.5 * (1 - w*u.atTopRate)
	return num.Log(height), u.fall * u.atTopRate / 2 / height
}

// peak returns about where phi u^b is greatest, and how wide it is: without the 1/n of u, it would be where the tangent
// of T_b touches.
func (u ramp) peak(b, touch float64) (z, width float64) {
	c, w, bend := b*u.fall*u.fall, touch, 0.0
	for range 2 { // Newton's steps, w + c H(w) = first
		h := u.hazard(w)
		bend = c * h * (h - w)
		w = min(w+(u.first-w-c*h)/(1+bend), (w+u.cut)/2)
	}
	if w >= 0 {
		return (u.first - w) / u.fall, 1 / math.Sqrt(1+bend)
	}
	rate := u.fall * u.atTopRate // of a height of one that grows by as much for each z beyond tau
	free := u.first/u.fall - 1/rate
	z = (free + math.Sqrt(free*free+4*b)) / 2
	return z, 1 / math.Sqrt(1+b/((z-free)*(z-free)))
}

// sinhOver returns sinh(t)/t, rounded up.
func sinhOver(t float64) float64 {
	x := t * t
	if x < 1 {
		return 1 + x/6*(1+x/20*(1+x/42*(1+x/72*(1+x/110*(1+x/150)))))
	}
	return num.Sinh(t) / t * (1 + 0x1p-48)
}

// tailOver returns the mean of e^(slope (z - middle)) over the interval that ends at the left edge of a cell, given the
// slope times half the cell and times the interval.
func tailOver(t, s float64) float64 {
	if math.Abs(s) < 1e-8 {
		return num.Exp(-t) * (1 + math.Abs(s))
	}
	return num.Exp(-t) * -math.Expm1(-s) / s
}
