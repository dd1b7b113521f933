package certificate

import (
	"fmt"
	"math"
	"strings"

	"github.com/dpcalc/dpcalc/internal/num"
	"github.com/dpcalc/dpcalc/transfer/open"
)

// widest is the value x where the ends that two levels leave, the upper one a gap beyond x, are farthest apart, with
// both ends.
type widest struct{ x, low, y, high float64 }

func widestOf(rows int64, lnLow, lnHigh, gap float64) widest {
	tails := open.Unit{Rows: float64(rows)}
	x, _ := tails.WidestAt(lnLow, lnHigh, gap)
	return widest{x, tails.Lower(x, lnLow), x + gap, tails.Upper(x+gap, lnHigh)}
}

// unit is what logarithms, weights and ratios are over.
const unit float64 = 1e16

// lnBelow is ln of a fraction over the unit, rounded down.
func lnBelow(x, over float64) float64 {
	ln := num.Log(x / over)
	return math.Floor((ln - 5e-16*(1+math.Abs(ln))) * unit)
}

// whole writes whole numbers as arguments.
func whole(xs ...any) string { return fmt.Sprintf(strings.Repeat(" (%.0f)", len(xs)), xs...) }

// planes writes two planes below the relative entropy at both ends where they are farthest apart: no interval is wider
// than width over scale.
func (p *plan) planes(name string, low, high fraction, gap, width int64) error {
	s, t := float64(gap)/float64(p.scale), float64(width)/float64(p.scale)
	w := widestOf(p.Samples, low.ln(), high.ln(), s)
	r := [4]float64{w.x / w.low, (1 - w.x) / (1 - w.low), w.y / w.high, (1 - w.y) / (1 - w.high)}
	l := math.Floor((r[3] - r[2]) / (r[0] - r[1] + r[3] - r[2]) * unit)
	m := unit - l
	for i := range r {
		r[i] = math.Floor(r[i] * unit)
	}
	first, last := l*r[1]+m*(r[2]*t+r[3]*(1-t)), l*(r[0]*(1-t)+r[1]*t)+m*r[2]
	most := math.Ceil(max(first, last) / unit * (1 + 1e-15))
	var g [4]float64
	for i := range g {
		g[i] = lnBelow(r[i], most)
	}
	h, k := math.Ceil(-low.ln()*unit), math.Ceil(-high.ln()*unit)
	atZero, atOne := l*g[1]+m*(s*g[2]+(1-s)*g[3]), l*((1-s)*g[0]+s*g[1])+m*g[2]
	if float64(p.Samples)*min(atZero, atOne) <= (l*h+m*k)*(1+1e-13) {
		return errNarrow
	}
	p.fill("planes", "name", name, "numbers", whole(l, m, most, r[0], r[1], r[2], r[3], unit, g[0], g[1], g[2], g[3], h, k))
	return nil
}

// tooWide writes that an interval of one row fewer is wider, if so.
func (p *plan) tooWide(low, high fraction, gap, width int64) {
	n, f := p.Samples-1, int64(1)
	for p.scale*f < 1e14 {
		f *= 10
	}
	over := float64(p.scale * f)
	w := widestOf(n, low.ln(), high.ln(), float64(gap)/float64(p.scale))
	x, c, y := math.Floor(w.x*over), math.Floor(w.low*over)+100, math.Floor(w.high*over)-100
	z := x + float64(f*gap)
	if isInside := c > 0 && y < over; n < 1 || !isInside || y-c <= float64(f*width) {
		return
	}
	p.minimum = p.filled("fewer_wide", "fewer", n, "low", low, "high", high, "gap", gap, "wide", width,
		"levels", low.apart()+" "+high.apart(),
		"numbers", whole(float64(f), x, c, y, unit, lnBelow(c, x), lnBelow(over-c, over-x), lnBelow(y, z), lnBelow(over-y, over-z)))
}
