package transfer

import (
	"math"
)

// gauss is Gauss's with 64 points on [-1,1].
var gauss = func() (r [64][2]dec) {
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

// bernoulliTilt is the greatest ln E e^(l(X-EX)) of an X in {0,1} with EX <= most; below, of -X where minus
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

// pageLowVariance is answers with noise to queries of which one of three facts is known, as they are printed.
type pageLowVariance struct {
	N        int64
	OneSided bool
	Tau      float64
	SD, Kept []float64 // the noise and the shares that are counted with

	span, g, share float64
	checked        bool
	moment         func(share dec) dec
	tilt           func(l dec, below bool) dec
	loose          func(l float64, below bool) float64 // about tilt
}

// Differing is for differences of which at most a share is not 0.
func (p pageLowVariance) Differing(share float64) pageLowVariance {
	p.span, p.g, p.share = 2, 1, share
	p.moment = func(s dec) dec { return s }
	p.tilt, p.loose = differenceTilt(share), looseTilt(share)
	return p
}

// Accurate is for 0/1 queries of which at most a share is 0.
func (p pageLowVariance) Accurate(errors float64) pageLowVariance {
	q := number(errors)
	p.span, p.g, p.share = 1, 1-errors, errors
	p.moment = func(s dec) dec { return q.Squared().Plus(s.Times(one.Minus(q.Plus(q)))) }
	p.tilt, p.loose = bernoulliTilt(errors, true), looseBernoulli(errors, true)
	return p
}

// Varying is for queries with a variance of at most that.
func (p pageLowVariance) Varying(most float64) pageLowVariance {
	p.span, p.g, p.share = 1, 1, most
	p.moment = func(s dec) dec { return s }
	mean := (1 - math.Sqrt(1-4*most)) / 2 * (1 + 1e-15)
	p.tilt, p.loose = bernoulliTilt(mean, false), looseBernoulli(mean, false)
	return p
}

// shape is the choices in a certificate.
type shape struct {
	v, x0 float64
	plain bool // nothing is known of psi
}

const wide, rare = 2e-5, 1e-6 // delta, and about what |X| > x0 adds to F

// kappaAt is the kappa of the variance lemma before answer j.
func (p pageLowVariance) kappaAt(j int, a float64) float64 {
	r := 0.0
	for _, sd := range p.SD[:j] {
		r += a / 4 * math.Pow(p.span/(float64(p.N)*sd), 2)
	}
	return 1 - math.Tanh(2*r) - float64(p.N)*(math.Pow(2*r, 3)/12+2*math.Pow(2*r, 5)/15)
}

// looseStep is about ln F/(a-1) of answer j, and the choices for it.
func (p pageLowVariance) looseStep(j int, a float64) (best shape, ln float64) {
	kappa, n, sd, vbar := p.kappaAt(j, a), float64(p.N), p.SD[j], p.moment(number(p.Kept[j])).Float()
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
	plain := math.Log1p(a*p.span*p.span/(4*kappa*n*sd*sd)) / 2
	if ln = at(best.v); !(ln < plain) {
		best.plain, ln = true, plain
	}
	return best, ln
}

// strictKappa is kappaAt.
func (p pageLowVariance) strictKappa(j int, a dec) dec {
	n, r := whole(p.N), zero
	for _, sd := range p.SD[:j] {
		r = r.Plus(number(p.span).Over(n.Times(number(sd))).Squared())
	}
	w := r.Times(a).Over(two)
	tanh := one.Minus(two.Over(w.Plus(w).Exp().Plus(one)))
	cube := w.Squared().Times(w)
	beta := cube.Over(whole(12)).Plus(cube.Times(w.Squared()).Times(two).Over(whole(15)))
	return one.Minus(tanh).Minus(n.Times(beta))
}

// strictStep is ln F/(a-1) at those choices.
func (p pageLowVariance) strictStep(j int, a dec, c shape) dec {
	one, n, sd, vbar := whole(1), whole(p.N), number(p.SD[j]), p.moment(number(p.Kept[j]))
	kappa := p.strictKappa(j, a)
	if c.plain {
		spread := number(p.span).Over(sd).Squared().Times(a).Over(whole(4).Times(kappa).Times(n))
		return one.Plus(spread).Ln().Over(two)
	}
	g, v, x0, delta := number(p.g), number(c.v), number(c.x0), number(wide)
	amount := kappa.Times(n).Times(vbar).Over(g.Squared())
	less := a.Minus(one)
	spread := sd.Squared().Plus(a.Squared().Times(v))
	root := a.Times(less).Over(spread).Root()
	b, end := g.Times(root).Over(kappa.Times(n)), root.Times(x0).Plus(digits.Parse("5.5"))
	integral := whole(0)
	for _, point := range gauss {
		z := point[0].Plus(one).Times(end).Over(whole(2))
		u := b.Times(z)
		e := amount.Times(u.Exp().Minus(one).Minus(u)).Minus(z.Squared().Over(whole(2)))
		integral = integral.Plus(point[1].Times(e.Exp()))
	}
	density, _ := pageNormal(whole(0))
	integral = integral.Times(end).Times(density)
	_, beyond := pageNormal(digits.Parse("5.5"))
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
func (p pageLowVariance) tangent(j int, b float64, below bool) (u, ln float64) {
	n, sd := float64(p.N), p.SD[j]
	lo, hi := -5.0, p.Tau/sd
	v := func(u float64) float64 {
		return b / sd * math.Exp(-u*u/2-looseTail(u)) / math.Sqrt(2*math.Pi)
	}
	for range 50 {
		u = (lo + hi) / 2
		l := v(u) / n
		if slope := (p.loose(l*1.001, below) - p.loose(l*0.999, below)) / (l * 0.002); !(slope <= p.Tau-sd*u) {
			hi = u
		} else {
			lo = u
		}
	}
	return u, b*looseTail(u) + n*p.loose(v(u)/n, below) - v(u)*(p.Tau-sd*u)
}

// chernoff is T_b for one side with the tangent there.
func (p pageLowVariance) chernoff(j int, b dec, below bool, at float64) dec {
	u, sd, n := number(at), number(p.SD[j]), whole(p.N)
	density, tail := pageNormal(u)
	v := b.Times(density).Over(tail).Over(sd)
	ln := b.Times(tail.Ln()).Plus(n.Times(p.tilt(v.Over(n), below))).Minus(v.Times(number(p.Tau).Minus(sd.Times(u))))
	return ln.Exp()
}

// rarer is T_1^C: what answer j errs on the side that is less likely given the answers before, where the shares are
// those that are counted with.
func (p pageLowVariance) rarer(j int) dec {
	kappa := p.strictKappa(j, one)
	if kappa.Sign() <= 0 || !p.checked && !(p.share < p.Kept[j]) {
		return one
	}
	vbar, g, span := p.moment(number(p.Kept[j])), number(p.g), number(p.span)
	n, sd, tau := whole(p.N), p.SD[j], number(p.Tau)
	amount := kappa.Times(n).Times(vbar).Over(g.Squared())
	flat := span.Squared().Over(whole(8).Times(kappa).Times(n)) // times v^2, what the span bounds
	if sd == 0 {
		z := g.Times(tau).Over(vbar)
		byMoment := amount.Times(one.Plus(z).Times(one.Plus(z).Ln()).Minus(z))
		return zero.Minus(greater(byMoment, tau.Squared().Over(whole(4).Times(flat)))).Exp()
	}
	hazard := func(u float64) float64 { return math.Exp(-u*u/2-looseTail(u)) / math.Sqrt(2*math.Pi) }
	at := number(least(-5, p.Tau/sd, 80, func(u float64) float64 {
		v := hazard(u) / sd
		x := p.g * v / (kappa.Float() * float64(p.N))
		return looseTail(u) + math.Min(amount.Float()*(math.Exp(x)-1-x), flat.Float()*v*v) - v*(p.Tau-sd*u)
	}))
	density, tail := pageNormal(at)
	v := density.Over(tail).Over(number(sd))
	x := g.Times(v).Over(kappa.Times(n))
	spread := lesser(amount.Times(x.Exp().Minus(one).Minus(x)), flat.Times(v.Squared()))
	return lesser(tail.Times(spread.Minus(v.Times(tau.Minus(number(sd).Times(at)))).Exp()), one)
}

// likelier is max{T+, T-}^(1/a').
func (p pageLowVariance) likelier(j int, conj dec) dec {
	side := func(below bool) dec {
		if p.SD[j] == 0 {
			return p.silent(below)
		}
		u, _ := p.tangent(j, conj.Float(), below)
		return p.chernoff(j, conj, below, u)
	}
	return power(greater(side(false), side(true)), one.Over(conj))
}

// sampling returns eps_j without what the answers before reveal, where both sides err as if by themselves.
func (p pageLowVariance) sampling(j int, conj dec) dec {
	if p.SD[j] == 0 {
		above, below := p.silent(false), p.silent(true)
		if p.OneSided {
			below = zero
		}
		inverse := one.Over(conj)
		return lesser(power(above, inverse).Plus(power(below, inverse)), power(above.Plus(below), inverse))
	}
	u, _ := p.tangent(j, conj.Float(), false)
	above := p.chernoff(j, conj, false, u)
	if p.OneSided {
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
	_, tail := pageNormal(number(p.Tau).Over(number(p.SD[j])))
	far = far.Times(tail).Times(power(whole(2), conj).Minus(one))
	best := power(above.Plus(below).Plus(far), one.Over(conj))
	if minkowski.Less(best) {
		best = minkowski
	}
	return best
}

// silent is T_b of one side without noise.
func (p pageLowVariance) silent(below bool) dec {
	n, tau := float64(p.N), p.Tau
	x := least(-20, 6, 60, func(x float64) float64 { return n * (p.loose(math.Exp(x), below) - math.Exp(x)*tau) })
	l := number(math.Exp(x))
	return whole(p.N).Times(p.tilt(l, below).Minus(l.Times(number(tau)))).Exp()
}

// reveal is about D_j, of what j answers reveal at order a.
func (p pageLowVariance) reveal(j int, a float64) (d float64) {
	for l := range j {
		_, step := p.looseStep(l, a)
		d += step
	}
	return d
}

// chosen is about the order at which f is least.
func chosen(f func(a float64) float64) float64 {
	best := 0.0
	at := func(y float64) float64 { return min(f(1+math.Exp(y)), 1e9) }
	for y := -2.; y < 8; y += 0.7 {
		if at(y) < at(best) {
			best = y
		}
	}
	return 1 + math.Exp(golden(best-0.7, best+0.7, 16, at))
}

// LnErrors is ln eps_j + eta_j for every answer, with shares that are chosen so that each eta_j is about e^lnEach, and
// the last one's a tenth of it.
func (p pageLowVariance) LnErrors(lnEach float64) (list []dec) {
	n := float64(p.N)
	p.Kept = nil
	for j := range p.SD {
		lnEach := lnEach
		if j == len(p.SD)-1 {
			lnEach -= math.Ln10
		}
		need := -lnEach / n // the rate of the share, at a' = 1
		if j > 0 {
			a := chosen(func(a float64) float64 { return p.reveal(j, a) - a/(a-1)*lnEach })
			need = (p.reveal(j, a) - a/(a-1)*lnEach) / n
		}
		lo, hi := p.share, 1-1e-9
		if !(need < -math.Log(p.share)) { // no share is above one
			lo, hi = 1, 1
		}
		for range 60 {
			x := (lo + hi) / 2
			if x < 1 && x*math.Log(x/p.share)+(1-x)*math.Log((1-x)/(1-p.share)) < need {
				lo = x
			} else {
				hi = x
			}
		}
		if p.checked || p.share >= 1 {
			hi = p.share
		}
		if p.OneSided && j == len(p.SD)-1 {
			hi = p.share
		}
		p.Kept = append(p.Kept, hi)
	}
	for j := range p.SD {
		list = append(list, p.Error(j).Ln())
	}
	return list
}

// Checked is for a share that the mechanism keeps on the sample, of which nothing is known of the population.
func (p pageLowVariance) Checked() pageLowVariance {
	p.checked = true
	q, differing := number(p.share), p.span == 2
	p.tilt = func(l dec, below bool) dec {
		if !differing && below {
			root := one.Plus(l).Squared().Minus(whole(4).Times(l).Times(q)).Root()
			at := l.Times(one.Plus(l).Minus(root).Over(two.Times(l))) // l p
			xi := l.Minus(one.Plus(l.Over(one.Minus(at))).Ln())
			if xi.Sign() < 0 {
				return bernoulliTilt(1, true)(l, true)
			}
			return xi.Times(q).Minus(one.Minus(at).Ln()).Minus(at)
		}
		least := zero
		if differing {
			least = l.Exp().Plus(zero.Minus(l).Exp()).Over(two).Ln()
		}
		mean := l.Minus(one).Plus(one.Minus(l).Squared().Plus(whole(4).Times(l).Times(q)).Root()).Over(two)
		xi := greater(least, zero.Minus(l).Minus(one.Minus(l.Over(one.Plus(mean))).Ln()))
		y := l.Over(one.Minus(zero.Minus(l.Plus(xi)).Exp())).Minus(one)
		return xi.Times(q).Plus(y).Minus(one.Plus(y).Ln())
	}
	p.loose = func(l float64, below bool) float64 { return p.tilt(number(l), below).Float() }
	return p
}

// Error returns eps_j and eta_j, and for the last query eps_j alone where that is less with nothing known of its share.
func (p pageLowVariance) Error(j int) dec {
	reveal := func(a float64) float64 { return p.reveal(j, a) }
	loose := func(a float64) float64 {
		b := a / (a - 1)
		if p.SD[j] == 0 {
			return (p.reveal(j, a) + p.silent(false).Plus(p.silent(true)).Ln().Float()) / b
		}
		_, above := p.tangent(j, b, false)
		if p.OneSided {
			return (reveal(a) + above) / b
		}
		_, below := p.tangent(j, b, true)
		_, up := p.tangent(j, b-1, false)
		_, down := p.tangent(j, b-1, true)
		far := math.Expm1(b*math.Ln2) * math.Exp(looseTail(p.Tau/p.SD[j])) * (math.Exp(up) + math.Exp(down))
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
		past(chosen(loose))
	}
	alone := d.Over(conj).Exp().Times(p.sampling(j, conj))
	eps, last := alone, j == len(p.SD)-1
	if !p.OneSided {
		if d, conj = whole(0), whole(1); j > 0 {
			past(chosen(func(a float64) float64 {
				b := a / (a - 1)
				if p.SD[j] == 0 {
					return (reveal(a) + greater(p.silent(false), p.silent(true)).Ln().Float()) / b
				}
				_, above := p.tangent(j, b, false)
				_, below := p.tangent(j, b, true)
				return (reveal(a) + math.Max(above, below)) / b
			}))
		}
		eps = lesser(eps, d.Over(conj).Exp().Times(p.likelier(j, conj)).Plus(p.rarer(j)))
	}
	known := p.checked || p.Kept[j] >= 1 // no share is above one
	if known || last && !(p.share < p.Kept[j]) {
		return eps
	}
	s, q := number(p.Kept[j]), number(p.share)
	kl := s.Times(s.Over(q).Ln()).Plus(one.Minus(s).Times(one.Minus(s).Over(one.Minus(q)).Ln()))
	if d, conj = whole(0), whole(1); j > 0 {
		past(chosen(func(a float64) float64 { return (reveal(a) - float64(p.N)*kl.Float()) * (a - 1) / a }))
	}
	both := eps.Plus(d.Minus(whole(p.N).Times(kl)).Over(conj).Exp())
	if last {
		return lesser(both, alone)
	}
	return both
}
