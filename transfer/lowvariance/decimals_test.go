package lowvariance_test

import (
	"math"
	"testing"

	"github.com/dpcalc/dpcalc/internal/decimals"
	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer/lowvariance"
)

// The bound once more, from its statement, with forty digits. Where the theorem leaves a choice (the order, V, x0,
// the tangents, the multiplier of a check), it is searched for in floating point, and any that comes out is valid.

type dec = decimals.Number

var digits = decimals.Digits(40)

func whole(n int64) dec    { return digits.Int(n) }
func number(x float64) dec { return digits.Float(x) }

// normal returns the density at u and P[N > u].
func normal(u dec) (density, tail dec) {
	pi := digits.Parse("3.14159265358979323846264338327950288419716939937510582097494459")
	density = u.Squared().Over(whole(-2)).Exp().Over(whole(2).Times(pi).Root())
	x := u.Float()
	if x < -3 {
		_, other := normal(whole(0).Minus(u))
		return density, whole(1).Minus(other)
	}
	if x > 3 { // Laplace's continued fraction
		f := u
		for k := int64(40 + 2500/(x*x)); k > 0; k-- {
			f = u.Plus(whole(k).Over(f))
		}
		return density, density.Over(f)
	}
	term, series := u, u
	for k := int64(3); k < 140; k += 2 {
		term = term.Times(u.Squared()).Over(whole(k))
		series = series.Plus(term)
	}
	return density, whole(1).Over(whole(2)).Minus(density.Times(series))
}

// rule is Gauss's with 64 points on [-1,1].
var rule = func() (r [64][2]dec) {
	const n = 64
	for i := range n {
		x := number(-math.Cos(math.Pi * (float64(i) + 0.75) / (n + 0.5)))
		var slope dec
		for range 5 {
			p, before := x, whole(1)
			for k := int64(2); k <= n; k++ {
				p, before = whole(2*k-1).Times(x).Times(p).Minus(whole(k-1).Times(before)).Over(whole(k)), p
			}
			slope = whole(n).Times(x.Times(p).Minus(before)).Over(x.Squared().Minus(whole(1)))
			x = x.Minus(p.Over(slope))
		}
		r[i] = [2]dec{x, whole(2).Over(whole(1).Minus(x.Squared()).Times(slope.Squared()))}
	}
	return r
}()

// differenceTilt is Lemma 5.
func differenceTilt(d float64) func(l dec, below bool) dec {
	return func(l dec, _ bool) dec {
		up, down, share := l.Exp(), whole(0).Minus(l).Exp(), number(d)
		sinh, cosh := up.Minus(down).Over(whole(2)), up.Plus(down).Over(whole(2))
		h := sinh.Over(l)
		side := whole(1).Plus(share.Times(up.Minus(whole(1))))
		if !h.Less(side) {
			return side.Ln().Minus(l.Times(share))
		}
		x := h.Minus(whole(1)).Minus(share.Times(cosh.Minus(whole(1)))).Over(sinh)
		return h.Ln().Minus(l.Times(x))
	}
}

// bernoulliTilt is the greatest ln E e^(l(X-EX)) of an X in {0,1} with EX <= most; below, that of -X where minus
// is set.
func bernoulliTilt(most float64, minus bool) func(l dec, below bool) dec {
	return func(l dec, below bool) dec {
		if minus && !below { // X is the error, and f is 1-X
			l = whole(0).Minus(l)
		}
		e := l.Exp().Minus(whole(1))
		p := whole(1).Over(l).Minus(whole(1).Over(e))
		if number(most).Less(p) {
			p = number(most)
		}
		return whole(1).Plus(p.Times(e)).Ln().Minus(l.Times(p))
	}
}

// looseTilt is about the greatest ln E e^(l(f-Ef)) for f in {-1,0,1}, on the edge of the triangle that it is on: f
// = 1 with probability (d+x)/2 and f = -1 with (d-x)/2.
func looseTilt(d float64) func(l float64, below bool) float64 {
	return func(l float64, _ bool) float64 {
		x := (math.Sinh(l)/l - 1 - d*(math.Cosh(l)-1)) / math.Sinh(l)
		x = min(x, d)
		return math.Log(1+d*(math.Cosh(l)-1)+x*math.Sinh(l)) - l*x
	}
}

// looseBernoulli is about bernoulliTilt.
func looseBernoulli(most float64, minus bool) func(l float64, below bool) float64 {
	return func(l float64, below bool) float64 {
		if minus && !below {
			l = -l
		}
		p := min(most, 1/l-1/math.Expm1(l))
		return math.Log1p(p*math.Expm1(l)) - l*p
	}
}

// noisy is a plan as it is printed, and what the oracle knows of its queries.
type noisy struct {
	n        int64
	oneSided bool
	span, g  float64
	tau      float64
	share    float64
	sd, kept []float64 // the noise and the shares that are counted with
	moment   func(share dec) dec
	tilt     func(l dec, below bool) dec
	loose    func(l float64, below bool) float64 // about tilt
}

// looseTail is ln P[N > u].
func looseTail(u float64) float64 {
	if u > 30 {
		return -u*u/2 - math.Log(u*math.Sqrt(2*math.Pi)) - 1/(u*u)
	}
	return math.Log(math.Erfc(u/math.Sqrt2) / 2)
}

// golden returns about where f is least.
func golden(lo, hi float64, steps int, f func(float64) float64) float64 {
	for range steps {
		if x, y := lo+0.382*(hi-lo), lo+0.618*(hi-lo); f(x) < f(y) {
			hi = y
		} else {
			lo = x
		}
	}
	return (lo + hi) / 2
}

// shape is the choices in a certificate.
type shape struct{ v, x0 float64 }

const wide, rare = 2e-5, 1e-6 // delta, and about what |X| > x0 adds to F

// kappaAt is that of the variance lemma before answer j.
func (p noisy) kappaAt(j int, a float64) float64 {
	r := 0.0
	for _, sd := range p.sd[:j] {
		r += a / 4 * math.Pow(p.span/(float64(p.n)*sd), 2)
	}
	return 1 - math.Tanh(2*r) - float64(p.n)*(math.Pow(2*r, 3)/12+2*math.Pow(2*r, 5)/15)
}

// looseStep is about ln F/(a-1) of answer j, and the choices for it.
func (p noisy) looseStep(j int, a float64) (best shape, ln float64) {
	kappa, n, sd, vbar := p.kappaAt(j, a), float64(p.n), p.sd[j], p.moment(number(p.kept[j])).Float()
	if kappa <= 0 {
		return best, math.Inf(1)
	}
	amount := kappa * n * vbar / (p.g * p.g)
	need := (a-1)*(0.5+math.Log(math.Hypot(p.span, sd)/(sd*wide))) + math.Log(2/(rare*max(1, a-1)))
	lo, hi := 0.0, 1e6
	for range 80 {
		if z := (lo + hi) / 2; amount*((1+z)*math.Log1p(z)-z) < need {
			lo = z
		} else {
			hi = z
		}
	}
	best.x0 = hi * vbar / p.g
	at := func(v float64) float64 {
		root := math.Sqrt(a * (a - 1) / (sd*sd + a*a*v))
		b, end := p.g*root/(kappa*n), root*best.x0+5.5
		const steps = 200
		total := 0.0
		for i := range steps {
			z := (float64(i) + 0.5) * end / steps
			total += math.Exp(amount*(math.Expm1(b*z)-b*z)-z*z/2) * end / steps
		}
		f := math.Sqrt(2/math.Pi) * total * math.Pow(1+a*v/(sd*sd), a/2) / math.Sqrt(1+a*a*v/(sd*sd))
		return math.Log(f+rare*max(1, a-1)) / (a - 1)
	}
	best.v = vbar / (kappa * n) * golden(1, 4, 20, func(x float64) float64 { return min(at(vbar/(kappa*n)*x), 1e9) })
	return best, at(best.v)
}

// strictStep is ln F/(a-1) at those choices.
func (p noisy) strictStep(j int, a dec, c shape) dec {
	one, n, sd, vbar := whole(1), whole(p.n), number(p.sd[j]), p.moment(number(p.kept[j]))
	r := whole(0)
	for _, sd := range p.sd[:j] {
		r = r.Plus(number(p.span).Over(n.Times(number(sd))).Squared())
	}
	w := r.Times(a).Over(whole(2))
	tanh := one.Minus(whole(2).Over(w.Plus(w).Exp().Plus(one)))
	cube := w.Squared().Times(w)
	beta := cube.Over(whole(12)).Plus(cube.Times(w.Squared()).Times(whole(2)).Over(whole(15)))
	kappa := one.Minus(tanh).Minus(n.Times(beta))
	g, v, x0, delta := number(p.g), number(c.v), number(c.x0), number(wide)
	amount := kappa.Times(n).Times(vbar).Over(g.Squared())
	less := a.Minus(one)
	spread := sd.Squared().Plus(a.Squared().Times(v))
	root := a.Times(less).Over(spread).Root()
	b, end := g.Times(root).Over(kappa.Times(n)), root.Times(x0).Plus(digits.Parse("5.5"))
	integral := whole(0)
	for _, point := range rule {
		z := point[0].Plus(one).Times(end).Over(whole(2))
		u := b.Times(z)
		e := amount.Times(u.Exp().Minus(one).Minus(u)).Minus(z.Squared().Over(whole(2)))
		integral = integral.Plus(point[1].Times(e.Exp()))
	}
	density, _ := normal(whole(0))
	integral = integral.Times(end).Times(density)
	_, beyond := normal(digits.Parse("5.5"))
	integral = integral.Over(one.Minus(beyond.Plus(beyond)))
	narrow := a.Times(v).Over(sd.Squared())
	ln := a.Times(one.Plus(narrow).Ln()).Minus(one.Plus(narrow.Times(a)).Ln()).Over(whole(2))
	ln = ln.Minus(less.Times(one.Minus(delta).Ln()))
	z := g.Times(x0).Over(vbar)
	h := one.Plus(z).Times(one.Plus(z).Ln()).Minus(z)
	factor := number(p.span).Squared().Plus(sd.Squared()).Root().Over(sd.Times(delta)).Ln().Plus(one.Over(whole(2)))
	tail := less.Times(factor).Minus(amount.Times(h)).Exp()
	return ln.Exp().Times(integral).Plus(tail.Plus(tail)).Ln().Over(less)
}

// tangent returns about the u at which T_b is least for one side, and ln T_b.
func (p noisy) tangent(j int, b float64, below bool) (u, ln float64) {
	n, sd := float64(p.n), p.sd[j]
	lo, hi := -5.0, p.tau/sd
	v := func(u float64) float64 {
		return b / sd * math.Exp(-u*u/2-looseTail(u)) / math.Sqrt(2*math.Pi)
	}
	for range 50 {
		u = (lo + hi) / 2
		l := v(u) / n
		if slope := (p.loose(l*1.001, below) - p.loose(l*0.999, below)) / (l * 0.002); !(slope <= p.tau-sd*u) {
			hi = u
		} else {
			lo = u
		}
	}
	return u, b*looseTail(u) + n*p.loose(v(u)/n, below) - v(u)*(p.tau-sd*u)
}

// chernoff is T_b for one side with the tangent there.
func (p noisy) chernoff(j int, b dec, below bool, at float64) dec {
	u, sd, n := number(at), number(p.sd[j]), whole(p.n)
	density, tail := normal(u)
	v := b.Times(density).Over(tail).Over(sd)
	ln := b.Times(tail.Ln()).Plus(n.Times(p.tilt(v.Over(n), below))).Minus(v.Times(number(p.tau).Minus(sd.Times(u))))
	return ln.Exp()
}

// sampling returns eps_j without what the answers before reveal.
func (p noisy) sampling(j int, conj dec) dec {
	one := whole(1)
	power := func(x, y dec) dec { return y.Times(x.Ln()).Exp() }
	u, _ := p.tangent(j, conj.Float(), false)
	above := p.chernoff(j, conj, false, u)
	if p.oneSided {
		return power(above, one.Over(conj))
	}
	w, _ := p.tangent(j, conj.Float(), true)
	below := p.chernoff(j, conj, true, w)
	minkowski := power(above, one.Over(conj)).Plus(power(below, one.Over(conj)))
	far := whole(2)
	if j > 0 {
		rest := conj.Minus(one)
		u, _ = p.tangent(j, rest.Float(), false)
		w, _ = p.tangent(j, rest.Float(), true)
		far = p.chernoff(j, rest, false, u).Plus(p.chernoff(j, rest, true, w))
	}
	_, tail := normal(number(p.tau).Over(number(p.sd[j])))
	far = far.Times(tail).Times(power(whole(2), conj).Minus(one))
	best := power(above.Plus(below).Plus(far), one.Over(conj))
	if minkowski.Less(best) {
		best = minkowski
	}
	return best
}

// errors returns eps_j and, but for the last query, eta_j.
func (p noisy) errors(j int) dec {
	reveal := func(a float64) float64 {
		d := 0.0
		for l := range j {
			_, step := p.looseStep(l, a)
			d += step
		}
		return d
	}
	choose := func(f func(a float64) float64) float64 {
		best := 0.0
		at := func(y float64) float64 { return min(f(1+math.Exp(y)), 1e9) }
		for y := -2.; y < 4; y += 0.7 {
			if at(y) < at(best) {
				best = y
			}
		}
		return 1 + math.Exp(golden(best-0.7, best+0.7, 16, at))
	}
	loose := func(a float64) float64 {
		b := a / (a - 1)
		_, above := p.tangent(j, b, false)
		if p.oneSided {
			return (reveal(a) + above) / b
		}
		_, below := p.tangent(j, b, true)
		_, up := p.tangent(j, b-1, false)
		_, down := p.tangent(j, b-1, true)
		far := math.Expm1(b*math.Ln2) * math.Exp(looseTail(p.tau/p.sd[j])) * (math.Exp(up) + math.Exp(down))
		mixed := math.Log(math.Exp(above)+math.Exp(below)+far) / b
		return reveal(a)/b + min(mixed, math.Log(math.Exp(above/b)+math.Exp(below/b)))
	}
	one, d, conj := whole(1), whole(0), whole(1)
	past := func(a float64) {
		exact := number(a)
		d, conj = whole(0), exact.Over(exact.Minus(one))
		for l := range j {
			c, _ := p.looseStep(l, a)
			d = d.Plus(p.strictStep(l, exact, c))
		}
	}
	if j > 0 {
		past(choose(loose))
	}
	eps := d.Over(conj).Exp().Times(p.sampling(j, conj))
	if j == len(p.sd)-1 {
		return eps
	}
	s, q := number(p.kept[j]), number(p.share)
	kl := s.Times(s.Over(q).Ln()).Plus(one.Minus(s).Times(one.Minus(s).Over(one.Minus(q)).Ln()))
	if d, conj = whole(0), whole(1); j > 0 {
		past(choose(func(a float64) float64 { return (reveal(a) - float64(p.n)*kl.Float()) * (a - 1) / a }))
	}
	return eps.Plus(d.Minus(whole(p.n).Times(kl)).Over(conj).Exp())
}

// The sums of eps_j and eta_j over a printed schedule, in decimals, are at most beta and not far below.
func TestCertificatesInDecimals(t *testing.T) {
	for _, c := range []struct {
		values  lowvariance.Values
		tau     float64
		queries int64
		beta    float64
		above   bool // whether only what is above the truth fails
	}{
		{lowvariance.Difference{Disagreement: 0.1}, 0.02, 1, 0.05, false},
		{lowvariance.Difference{Disagreement: 0.1}, 0.05, 5, 0.05, false},
		{lowvariance.Difference{Disagreement: 0.02}, 0.01, 3, 1e-4, false},
		{lowvariance.Accuracy{Errors: 0.1}, 0.03, 4, 0.1, false},
		{lowvariance.Variance{Most: 0.05}, 0.04, 4, 0.01, false},
		{lowvariance.Difference{Disagreement: 0.1}, 0.05, 4, 0.05, true},
		{lowvariance.Accuracy{Errors: 0.1}, 0.03, 3, 0.05, true},
	} {
		p := lowvariance.Plan{
			Design: lowvariance.Design{Values: c.values, Queries: c.queries, OneSided: c.above},
			Tau:    c.tau, Beta: theory.LogProb(math.Log(c.beta)),
		}
		found, ok := lowvariance.Falling.Samples(p)
		if !ok {
			t.Fatal("no number of records is enough")
		}
		n := found.Samples
		p.Samples = n
		o := noisy{n: n, oneSided: c.above, span: 1, g: 1, tau: c.tau, share: c.values.Share()}
		o.moment = func(s dec) dec { return s }
		switch v := c.values.(type) {
		case lowvariance.Difference:
			o.span, o.tilt, o.loose = 2, differenceTilt(v.Disagreement), looseTilt(v.Disagreement)
		case lowvariance.Accuracy:
			o.g, o.tilt, o.loose = 1-v.Errors, bernoulliTilt(v.Errors, true), looseBernoulli(v.Errors, true)
			q := number(v.Errors)
			o.moment = func(s dec) dec { return q.Squared().Plus(s.Times(whole(1).Minus(q.Plus(q)))) }
		case lowvariance.Variance:
			p := (1 - math.Sqrt(1-4*v.Most)) / 2 * (1 + 1e-15)
			o.tilt, o.loose = bernoulliTilt(p, false), looseBernoulli(p, false)
		}
		for b := range p.Blocks() {
			for range b.Queries {
				o.sd, o.kept = append(o.sd, max(b.SD, 1e-9)), append(o.kept, b.Share)
			}
		}
		total := whole(0)
		for j := range o.sd {
			total = total.Plus(o.errors(j))
		}
		part := total.Float() / c.beta
		t.Logf("%T%v, m %d, n %d: %.6f of beta", c.values, c.values, c.queries, n, part)
		if !(part <= 1) || !(part > 0.85) {
			t.Errorf("%T%v, m %d, n %d: the errors sum to %g of beta", c.values, c.values, c.queries, n, part)
		}
	}
}
