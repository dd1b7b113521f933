package certificate

import (
	"errors"
	"fmt"
	"math"
	"math/big"

	"github.com/dpcalc/dpcalc/internal/num"
	"github.com/dpcalc/dpcalc/transfer/open"
)

// widest is the value x where the ends that two levels leave, the upper one a gap beyond x, are farthest apart, with
// both ends.
type widest struct{ x, low, y, high float64 }

// widestOf finds it by the slope, which falls: dp/dx is p(1-p)(logit x - logit p)/(x-p) where kl(x||p) stays.
func widestOf(rows int64, lnLow, lnHigh, gap float64) widest {
	tails := open.Unit{Rows: float64(rows)}
	at := func(x float64) widest { return widest{x, tails.Lower(x, lnLow), x + gap, tails.Upper(x+gap, lnHigh)} }
	logit := func(p float64) float64 { return num.Log(p) - math.Log1p(-p) }
	slope := func(x, p float64) float64 { return p * (1 - p) * (logit(x) - logit(p)) / (x - p) }
	lo, hi := 0.0, 1-gap
	for range 60 {
		x := (lo + hi) / 2
		if w := at(x); w.low > 0 && (w.high >= 1 || slope(w.y, w.high) < slope(x, w.low)) {
			hi = x
		} else {
			lo = x
		}
	}
	return at((lo + hi) / 2)
}

// logUnit is what logarithms are over, and weightUnit weights and factors.
const (
	logUnit    = 1e18
	weightUnit = 1e17
)

// scaled is a number times a unit, to a whole number.
func scaled(x, unit float64) *big.Int {
	whole, _ := new(big.Float).SetPrec(200).Mul(big.NewFloat(x), big.NewFloat(unit)).Int(nil)
	return whole
}

// lnBelow is ln of a fraction over logUnit, rounded down.
func lnBelow(x, over int64) *big.Int {
	ln := num.FromInt(x).Ln().Sub(num.FromInt(over).Ln())
	below := new(big.Int).Add(scaled(ln.Hi, logUnit), scaled(ln.Lo, logUnit))
	return below.Sub(below, big.NewInt(5))
}

// planes writes two planes below the relative entropy at both ends where they are farthest apart: no interval is wider
// than width over scale.
func (p *plan) planes(name string, low, high fraction, gap, width int64) error {
	w := widestOf(p.Samples, low.ln(), high.ln(), float64(gap)/float64(p.scale))
	q := [4]float64{w.x / w.low, (1 - w.x) / (1 - w.low), w.y / w.high, (1 - w.y) / (1 - w.high)}
	share := (q[3] - q[2]) / (q[0] - q[1] + q[3] - q[2])
	l, m, d := scaled(share, weightUnit), scaled(1-share, weightUnit), big.NewInt(p.scale)
	var r, g [4]*big.Int
	for i := range r {
		r[i] = scaled(q[i], weightUnit)
	}
	sum := func(terms ...*big.Int) *big.Int { // of products of three
		all := new(big.Int)
		for i := 0; i < len(terms); i += 3 {
			product := new(big.Int).Mul(terms[i], terms[i+1])
			all.Add(all, product.Mul(product, terms[i+2]))
		}
		return all
	}
	t, s := big.NewInt(width), big.NewInt(gap)
	rest, left := new(big.Int).Sub(d, t), new(big.Int).Sub(d, s)
	first := sum(l, r[1], d, m, r[2], t, m, r[3], rest)
	last := sum(l, r[0], rest, l, r[1], t, m, r[2], d)
	if first.Cmp(last) < 0 {
		first = last
	}
	all := new(big.Int).Add(l, m)
	unit := first.Quo(first, all.Mul(all, d))
	unit.Add(unit, big.NewInt(1))
	for i := range g {
		g[i] = lnBelow(r[i].Int64(), unit.Int64())
	}
	above := func(f fraction) *big.Int { return new(big.Int).Add(scaled(-f.ln(), logUnit), big.NewInt(1)) }
	h, k := above(low), above(high)
	n, most := big.NewInt(p.Samples), sum(l, h, d, m, k, d)
	atZero := sum(l, g[1], d, m, s, g[2], m, left, g[3])
	atOne := sum(l, left, g[0], l, s, g[1], m, g[2], d)
	for _, form := range []*big.Int{atZero, atOne} {
		if form.Mul(form, n).Cmp(most) <= 0 {
			return errNarrow
		}
	}
	p.say("Definition %s := Planes %v %v %v %v %v %v %v\n  %d (%v) (%v) (%v) (%v) %v %v.\n\n", name, l, m, unit, r[0], r[1], r[2], r[3],
		int64(logUnit), g[0], g[1], g[2], g[3], h, k)
	return nil
}

// tooWide writes that an interval of one row fewer is wider, if so.
func (p *plan) tooWide(low, high fraction, gap, width int64) {
	n, f := p.Samples-1, int64(1)
	if n < 1 {
		return
	}
	for p.scale*f < 1e14 {
		f *= 10
	}
	w := widestOf(n, low.ln(), high.ln(), float64(gap)/float64(p.scale))
	unit := float64(p.scale * f)
	x, c, y := int64(w.x*unit), int64(w.low*unit)+100, int64(w.high*unit)-100
	if c <= 0 || y >= p.scale*f || y-c <= f*width {
		return
	}
	over := p.scale * f
	p.say("(* With one row fewer an interval is wider. *)\nTheorem one_row_fewer : ~ wide %d (%s) (%s) (%d / %d) (%d / %d).\n",
		n, low, high, gap, p.scale, width, p.scale)
	p.say("Proof. apply (too_wide_valid %d %v %v %v %v %d %d %d %d %d %d %d %d (%v) (%v) (%v) (%v)). "+proof, n, low.num, low.over, high.num,
		high.over, p.scale, gap, width, f, x, c, y, int64(logUnit), lnBelow(c, x), lnBelow(over-c, over-x),
		lnBelow(y, x+f*gap), lnBelow(over-y, over-x-f*gap))
}

// openAny is the widest interval between the ends of the relative entropy.
func (p *plan) openAny() error {
	if p.tau*2 >= p.scale {
		return errors.New("the plan says nothing")
	}
	if err := p.planes("both", p.level, p.fail, 0, 2*p.tau); err != nil {
		return err
	}
	p.openAt(" (bar x : list bool -> R)", fmt.Sprintf("\n  (forall v, 0 < bar v < 1) -> (forall v, threshold_of %d (%s) (bar v) (x v)) ->",
		p.Samples, p.level), "x", "bar")
	p.say("Proof.\n  intros rows Hbar Hx. apply (open_any_plan X Ds %d rows eq_refl %d %d %v %v %d %d %v %v both ask bar x Hbar Hx).\n  "+proof,
		p.Samples, p.Queries, p.Rare(), p.beta.num, p.beta.over, p.scale, p.tau, p.level.num, p.level.over)
	p.tooWide(p.level, p.fail, 0, 2*p.tau)
	return nil
}
