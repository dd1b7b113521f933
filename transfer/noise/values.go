package noise

import (
	"math"

	"github.com/dpcalc/dpcalc/internal/num"
	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer/tail"
)

// Theorem is how a query's tilt is bounded and which errors count. Its functions say which noise has a proof.
type Theorem struct {
	values  Values
	checked bool
	sides   Sides
}

// Joint returns the joint bound: queries with values in an interval of length one, of which nothing else is known.
// Noise may be cut, and rows may arrive.
func Joint(sides Sides) Theorem { return Theorem{values: interval{}, sides: sides} }

// LowVariance returns the bound for queries that vary little, with noise that is not cut and a fixed number of records.
// Checked says that nothing is answered once the sample's own share is above the bound on it, and that nothing is
// assumed of the population.
func LowVariance(v Moment, checked bool, sides Sides) Theorem { return Theorem{v, checked, sides} }

func (t Theorem) validate() error {
	if t.values == nil {
		return theory.Domain(false, "values", "nothing", "a kind of values")
	}
	if err := t.values.validate(); err != nil {
		return err
	}
	if m, ok := t.values.(Moment); ok && t.checked {
		_, _, ok = m.checkedTilts(1)
		return theory.Domain(ok, "checked", true, "differences or accuracies, or false")
	}
	return nil
}

// moment is what keeps the second moment small, if that is known.
func (t Theorem) moment() (Moment, bool) { m, ok := t.values.(Moment); return m, ok }

// share is the bound on the share, and 0 where there is none.
func (t Theorem) share() float64 {
	if m, ok := t.moment(); ok {
		return m.Share()
	}
	return 0
}

// side returns G, the bound for fresh records on that side.
func (t Theorem) side(below bool) side {
	return func(l float64) tilt {
		up, down := t.values.tilts(l)
		if t.checked {
			up, down, _ = t.values.(Moment).checkedTilts(l)
		}
		if below {
			return down
		}
		return up
	}
}

// Values says what one record adds to a query, the mean of f over the records.
type Values interface {
	span() float64     // the length of the interval that holds f
	isSymmetric() bool // whether above and below are one function
	validate() error

	// tilts returns bounds on ln E e^(l(f-Ef)) and ln E e^(-l(f-Ef)) of one record, for l > 0. They are concave in
	// the share: the bound may be on the mean over unequal records.
	tilts(l float64) (above, below tilt)
}

// Moment is values whose second moment is small. Each kind has a psi with (f-c)^2 <= psi <= g^2 for some c. psi(S), the
// mean of psi over the records, is a rising function of a share in [0,1], a mean as well, whose expectation is at most
// Share(). The kinds are [Difference], [Accuracy] and [Variance].
type Moment interface {
	Values
	Share() float64               // the bound on the share: of records that differ, of errors, or the variance
	reach() float64               // g
	moment(share float64) float64 // psi(S)

	// checkedTilts returns tilts, per record, with the indicator that the share on the sample is at most Share() as a
	// factor, and for any population. ok is false where there is no such theorem.
	checkedTilts(l float64) (above, below tilt, ok bool)
}

// interval is the values of f: X -> [0,1].
type interval struct{}

func (interval) span() float64     { return 1 }
func (interval) isSymmetric() bool { return true }
func (interval) validate() error   { return nil }

func (interval) tilts(l float64) (above, below tilt) {
	t := tilt{l * l / 8 * upTilt, l / 4}
	return t, t
}

// tilt is the logarithm of a moment generating function, and its derivative.
type tilt struct{ ln, slope float64 }

// Difference is the values of f: X -> [-1,1] with E|f| <= Disagreement: the difference of two models that differ
// on at most that share of the rows. psi = |f| >= f^2.
type Difference struct {
	Disagreement float64 // in (0,1]
}

func (v Difference) Share() float64         { return v.Disagreement }
func (Difference) span() float64            { return 2 }
func (Difference) reach() float64           { return 1 }
func (Difference) moment(s float64) float64 { return s }
func (Difference) isSymmetric() bool        { return true }

func (v Difference) tilts(l float64) (above, below tilt) {
	ln, slope := tail.Difference(v).Tilt(l)
	return tilt{ln, slope}, tilt{ln, slope}
}

func (v Difference) checkedTilts(l float64) (above, below tilt, ok bool) {
	t, free := checkedAbove(l, v.Disagreement)
	if cosh := lnCosh(l); free < cosh { // beyond, both signs would count: the multiplier stays at ln cosh l
		u := num.Tanh(l)
		y := cothExcess(l)
		t = multiplied(multiplier{l, v.Disagreement, cosh, u, y})
		t.slope = v.Disagreement*u + y/(1+y)*(1/u-l*(1-u*u)/(u*u))
	}
	return t, t, true
}

// lnCosh returns ln cosh l for l > 0.
func lnCosh(l float64) float64 {
	if l < 1 {
		h := num.Sinh(l / 2)
		return math.Log1p(2 * h * h)
	}
	return l - math.Ln2 + math.Log1p(num.Exp(-2*l))
}

// Accuracy is the values of f: X -> {0,1} with Ef >= 1 - Errors, Errors < 1/2. psi = (f - (1-Errors))^2.
type Accuracy struct {
	Errors float64 // q in (0,1/2)
}

func (v Accuracy) Share() float64           { return v.Errors }
func (Accuracy) span() float64              { return 1 }
func (v Accuracy) reach() float64           { return 1 - v.Errors }
func (v Accuracy) moment(s float64) float64 { return v.Errors*v.Errors + s*(1-2*v.Errors) }
func (Accuracy) isSymmetric() bool          { return false }

func (v Accuracy) tilts(l float64) (above, below tilt) {
	return fewErrors(l, v.Errors), bernoulli(l, v.Errors)
}

func (v Accuracy) checkedTilts(l float64) (above, below tilt, ok bool) {
	above, free := checkedAbove(l, v.Errors)
	if free < 0 { // the constraint does not bind
		above = fewErrors(l, 1)
	}
	below, free = checkedBelow(l, v.Errors)
	if free < 0 {
		below = bernoulli(l, 1)
	}
	return above, below, true
}

// Variance is the values of f: X -> [0,1] with variance at most Most. psi = (f - Ef)^2; nobody need know Ef.
type Variance struct {
	Most float64 // in (0,1/4]
}

func (v Variance) Share() float64         { return v.Most }
func (Variance) span() float64            { return 1 }
func (Variance) reach() float64           { return 1 }
func (Variance) moment(s float64) float64 { return s }
func (Variance) isSymmetric() bool        { return true }

func (v Variance) tilts(l float64) (above, below tilt) {
	p := 2 * v.Most / (1 + math.Sqrt(1-4*v.Most)) // p(1-p) = Most
	above = bernoulli(l, p)
	return above, above
}

func (Variance) checkedTilts(float64) (above, below tilt, ok bool) { return above, below, false }

// bernoulli returns the greatest ln E e^(l(X-EX)) of an X in {0,1} with EX <= most:
//
//	ln(1 + p(e^l-1)) - l p,   p = min{most, 1/l - 1/(e^l-1)}.
func bernoulli(l, most float64) tilt {
	e := math.Expm1(l)
	p := min(most, 1/l-1/e)
	if l < 1e-4 { // where the difference cancels
		p = min(most, 0.5-l/12)
	}
	ln := p*num.ExpLess(l) - num.LogLess(p*e)
	if l > 1 {
		ln = math.Log1p(p*e) - l*p
	}
	return tilt{ln * upTilt, p * e * (1 - p) / (1 + p*e)}
}

// fewErrors returns the same of -X:
//
//	ln(1 - p(1-e^-l)) + l p,   p = min{most, 1/(1-e^-l) - 1/l}.
func fewErrors(l, most float64) tilt {
	u := -math.Expm1(-l)
	p := min(most, 1/u-1/l)
	if l < 1e-4 {
		p = min(most, 0.5+l/12)
	}
	return tilt{(p*num.ExpLess(-l) - num.LogLess(-p*u)) * upTilt, p * u * (1 - p) / (1 - p*u)}
}

// multiplier is xi for a share of v, u = 1 - e^-(l+xi), and y = l/u - 1.
type multiplier struct{ l, v, xi, u, y float64 }

// multiplied returns the greatest over p of xi v + ln(1-pu) + l p, which is
//
//	xi v + y - ln(1+y).
//
// Every xi at which it is a supremum, see docs/theorems/variance.md, gives a valid bound.
func multiplied(m multiplier) tilt {
	return tilt{(m.xi*m.v + num.LogLess(m.y)) * upTilt, m.y * (1 - m.y/m.l)}
}

// cothExcess returns l coth l - 1.
func cothExcess(l float64) float64 {
	if l > 0.1 {
		return l/num.Tanh(l) - 1
	}
	w := l * l
	return w / 3 * (1 - w/15*(1-w*(2./21-w*(1./105-w*(2./2079)))))
}

// checkedAbove returns multiplied at the xi where it is least, and that xi: where the tilted share is v.
func checkedAbove(l, v float64) (t tilt, xi float64) {
	root := math.Sqrt((1-l)*(1-l) + 4*l*v)
	p := 2 * v / (1 - l + root)
	if l > 1 {
		p = (l - 1 + root) / (2 * l)
	}
	y := l * p
	u := l / (1 + y)
	if !(u < 1) {
		return tilt{}, -1
	}
	xi = num.LogLess(-u) - u*y // -ln(1-u) - l
	return multiplied(multiplier{l, v, xi, u, y}), xi
}

// checkedBelow returns xi v + (greatest over p of ln(1 + p w) - l p), w = e^(l-xi) - 1, at the xi where it is
// least, and that xi. Every xi in [0,l) gives a valid bound.
func checkedBelow(l, v float64) (t tilt, xi float64) {
	p := 2 * v / (1 + l + math.Sqrt((1+l)*(1+l)-4*l*v))
	w := l / (1 - l*p)
	xi = num.LogLess(w) - w*l*p // l - ln(1+w)
	return tilt{(xi*v + num.LogLess(-l*p)) * upTilt, p * w * (1 - p) / (1 + p*w)}, xi
}

// upTilt covers what the logarithms of moment generating functions are off by.
const upTilt = 1 + 0x1p-43

func (v Difference) validate() error {
	return theory.Domain(v.Disagreement > 0 && v.Disagreement <= 1, "disagreement", v.Disagreement, "a number in (0, 1]")
}

func (v Accuracy) validate() error {
	return theory.Domain(v.Errors > 0 && v.Errors < 0.5, "errors", v.Errors, "a number in (0, 0.5)")
}

func (v Variance) validate() error {
	return theory.Domain(v.Most > 0 && v.Most <= 0.25, "variance", v.Most, "a number in (0, 0.25]")
}
