package transfer

import (
	"math"
	"slices"
	"strconv"
)

// pageJoint is answers with noise: the standard deviations as they are printed, and where the noise is cut, 0 for
// nowhere.
type pageJoint struct {
	N        int64
	Tau      []float64
	SD       []string
	Cut      float64
	OneSided bool
}

// pageEvenTau is a plan with one accuracy.
func pageEvenTau(n int64, tau float64, noise []float64, cut float64, oneSided bool) pageJoint {
	p := pageJoint{N: n, Tau: slices.Repeat([]float64{tau}, len(noise)), Cut: cut, OneSided: oneSided}
	for _, sd := range noise {
		p.SD = append(p.SD, strconv.FormatFloat(sd, 'g', -1, 64))
	}
	return p
}

func (p pageJoint) float(i int) float64 {
	sd, err := strconv.ParseFloat(p.SD[i], 64)
	if err != nil {
		panic(err)
	}
	return sd
}

// loose is about ln P[noise > w] in units of the sd, and the hazard there.
func (p pageJoint) loose(w float64) (ln, hazard float64) {
	if ln = looseTail(w); p.Cut > 0 {
		if w >= p.Cut {
			return math.Inf(-1), math.Inf(1)
		}
		beyond := looseTail(p.Cut)
		ln += math.Log1p(-math.Exp(beyond - ln))
	}
	hazard = math.Exp(-w*w/2-ln) / math.Sqrt(2*math.Pi)
	if p.Cut > 0 {
		ln -= math.Log1p(-2 * math.Exp(looseTail(p.Cut)))
	}
	return ln, hazard
}

// noise is P[noise > w] and the density at w, in units of the sd.
func (p pageJoint) noise(w dec) (density, upper dec) {
	density, upper = pageNormal(w)
	if p.Cut == 0 {
		return density, upper
	}
	_, beyond := pageNormal(number(p.Cut))
	mass := one.Minus(two.Times(beyond))
	return density.Over(mass), upper.Minus(beyond).Over(mass)
}

// looseTangent is the w at which T_b is least, and ln T_b, where the variance is the variance lemma's.
func (p pageJoint) looseTangent(b, variance, tau, sd float64) (w, ln float64) {
	at := func(w float64) float64 {
		ln, hazard := p.loose(w)
		v := b * hazard / sd
		return b*ln + variance*v*v/2 - v*(tau-sd*w)
	}
	lo, hi := -8.0, tau/sd
	if p.Cut > 0 {
		lo, hi = -p.Cut*(1-1e-6), min(hi, p.Cut*(1-1e-9))
	}
	w = golden(lo, hi, 70, at)
	return w, at(w)
}

// tangent is ln T_b with the tangent at w, any w, at most 0.
func (p pageJoint) tangent(b, variance, tau, sd, w dec) dec {
	density, upper := p.noise(w)
	v := b.Times(density).Over(upper).Over(sd)
	ln := b.Times(upper.Ln()).Plus(variance.Times(v.Squared()).Over(two)).Minus(v.Times(tau.Minus(sd.Times(w))))
	return lesser(ln, zero)
}

// convex is ln N_b: by Gauss's rule where the integrand is more than e^-40 of its greatest value.
func (p pageJoint) convex(b, tau, sd dec) dec {
	n := whole(p.N)
	d, sigma := one.Over(n), one.Over(two.Times(n.Root()))
	flat, _ := p.noise(zero)
	rough := func(z float64) float64 {
		x := d.Float() + sigma.Float()*z
		if x > tau.Float() {
			return b.Float()*math.Log(0.5+(x-tau.Float())/sd.Float()*flat.Float()) - z*z/2
		}
		ln, _ := p.loose((tau.Float() - x) / sd.Float())
		return b.Float()*ln - z*z/2
	}
	kink, end := tau.Minus(d).Over(sigma).Float(), 60.0
	first := 0.0
	if p.Cut > 0 {
		first = math.Max(0, kink-p.Cut*sd.Float()/sigma.Float())
	}
	peak := golden(first, end+math.Max(kink, 0), 90, func(z float64) float64 {
		return -math.Max(rough(z), -1e300)
	})
	most := rough(peak)
	edge := func(out float64) float64 { // between the peak and out
		in := peak
		for range 60 {
			if mid := (in + out) / 2; rough(mid) > most-40 {
				in = mid
			} else {
				out = mid
			}
		}
		return out
	}
	from, to := edge(first), edge(peak+40)
	scale := number(most)
	value := func(z dec) dec {
		x := d.Plus(sigma.Times(z))
		var u dec
		if tau.Less(x) {
			u = pageHalf.Plus(x.Minus(tau).Over(sd).Times(flat))
		} else if _, u = p.noise(tau.Minus(x).Over(sd)); u.Sign() <= 0 {
			return zero
		}
		return b.Times(u.Ln()).Minus(z.Squared().Over(two)).Minus(scale).Exp()
	}
	sum, pieces := zero, []float64{from, to}
	if kink > from && kink < to {
		pieces = []float64{from, kink, to}
	}
	for i := range pieces[1:] {
		sum = sum.Plus(integral(number(pieces[i]), number(pieces[i+1]), 1, value))
	}
	return scale.Plus(sum.Over(two.Times(pi).Root()).Plus(value(zero).Over(two)).Ln())
}

// state is what the answers before one reveal at one order: ln of the product of (1+ax)(N/Z)^(2a') and r_j at order 1.
type state struct{ shift, revealed, weight dec }

// variance is V at an order, and false where the variance lemma does not hold.
func (p pageJoint) variance(a, shift dec) (v dec, ok bool) {
	n := whole(p.N)
	w := two.Times(a).Times(shift)
	cube := w.Squared().Times(w)
	terms := cube.Over(whole(12)).Plus(two.Times(cube).Times(w.Squared()).Over(whole(15)))
	kappa := one.Minus(tanh(w)).Minus(n.Times(terms))
	if kappa.Sign() <= 0 {
		return zero, false
	}
	return one.Over(whole(4).Times(n).Times(kappa)), true
}

// caught is ln(min(1, N(a))/Z).
func (p pageJoint) caught(a, x dec) dec {
	if p.Cut == 0 {
		return zero
	}
	cut, grown := number(p.Cut), one.Plus(a.Times(x))
	tail := func(u dec) dec { _, t := pageNormal(u); return t }
	density, beyond := pageNormal(cut)
	inside := one.Minus(two.Times(tail(cut.Times(grown.Root()))))
	last := one.Minus(two.Times(tail(cut.Times(grown.Times(one.Plus(a.Squared().Times(x))).Root()))))
	inner := a.Minus(one).Times(inside.Ln()).Plus(last.Ln()).Over(a).Exp()
	k := two.Times(density).Times(two.Times(pi).Times(a).Times(x).Root()).Times(tail(cut.Times(a.Times(x).Root())))
	outer := k.Times(power(grown, one.Minus(a).Over(two.Times(a))))
	return lesser(one, inner.Plus(outer)).Ln().Minus(one.Minus(two.Times(beyond)).Ln())
}

// Errors returns every ln eps_j in decimals. From the fiftieth query on some share an order.
func (p pageJoint) Errors() []dec {
	ln := make([]dec, 0, len(p.SD))
	for len(ln) < len(p.SD) {
		j := len(ln)
		a := p.order(j)
		before := p.until(j, a)
		for range min(1+j/50, len(p.SD)-j) {
			ln = append(ln, p.strict(len(ln), a, &before))
		}
	}
	return ln
}

// until is the state before a query.
func (p pageJoint) until(j int, a float64) state {
	s := state{zero, zero, zero}
	for i := range j {
		p.pass(&s, i, a)
	}
	return s
}

// pass moves the state past an answer, to nil numbers where the theorem does not hold.
func (p pageJoint) pass(s *state, i int, a float64) {
	sd, order := digits.Parse(p.SD[i]), number(a)
	if v, ok := p.variance(order, s.shift); ok && s.revealed.Sign() >= 0 {
		x := v.Over(sd.Squared())
		conj := order.Over(order.Minus(one))
		s.revealed = s.revealed.Plus(one.Plus(order.Times(x)).Ln().Over(two)).Plus(conj.Times(p.caught(order, x)))
	} else {
		s.revealed = whole(-1)
	}
	if v, ok := p.variance(one, s.shift); ok && s.weight.Sign() >= 0 {
		s.weight = s.weight.Plus(p.caught(one, v.Over(sd.Squared())))
	} else {
		s.weight = whole(-1)
	}
	s.shift = s.shift.Plus(one.Over(whole(4).Times(whole(p.N).Times(sd).Squared())))
}

// strict is ln eps_j at an order, +Inf before the first query, and moves the state past it.
func (p pageJoint) strict(j int, a float64, s *state) dec {
	tau, sd, conj := number(p.Tau[j]), digits.Parse(p.SD[j]), one
	if !math.IsInf(a, 1) {
		conj = number(a).Over(number(a).Minus(one))
	}
	if s.revealed.Sign() < 0 {
		return zero
	}
	tangent := func(b, v dec) dec {
		if sd.Sign() == 0 {
			return zero.Minus(b.Times(tau.Squared()).Over(two.Times(b).Times(v)))
		}
		w, _ := p.looseTangent(b.Float(), v.Float(), p.Tau[j], p.float(j))
		return p.tangent(b, v, tau, sd, number(w))
	}
	fresh := tangent(conj, one.Over(whole(4).Times(whole(p.N))))
	if sd.Sign() > 0 {
		fresh = lesser(fresh, p.convex(conj, tau, sd))
	}
	likelier := s.revealed.Plus(fresh).Over(conj)
	ln := likelier
	if !p.OneSided {
		rarer := likelier
		if v, ok := p.variance(one, s.shift); ok && s.weight.Sign() >= 0 {
			rarer = lesser(rarer, s.weight.Plus(tangent(one, v)))
		}
		ln = likelier.Plus(one.Plus(rarer.Minus(likelier).Exp()).Ln())
	}
	if sd.Sign() > 0 && !math.IsInf(a, 1) {
		p.pass(s, j, a)
	}
	return lesser(ln, zero)
}

// order returns about the best order for a query, +Inf for the first.
func (p pageJoint) order(j int) float64 {
	if j == 0 {
		return math.Inf(1)
	}
	at := func(v float64) float64 {
		a, n := 1+math.Exp(v), float64(p.N)
		conj, d, shift := a/(a-1), 0.0, 0.0
		for i := range j {
			sd, w := p.float(i), 2*a*shift
			kappa := 1 - math.Tanh(w) - n*(math.Pow(w, 3)/12+2*math.Pow(w, 5)/15)
			if kappa <= 0 {
				return 1e9 + v
			}
			x := 1 / (4 * n * kappa * sd * sd)
			d += math.Log1p(a*x)/2 + conj*p.looseCaught(a, x)
			shift += 1 / (4 * n * n * sd * sd)
		}
		if p.float(j) == 0 {
			return (d - 2*n*p.Tau[j]*p.Tau[j]) / conj
		}
		_, ln := p.looseTangent(conj, 1/(4*n), p.Tau[j], p.float(j))
		return (d + math.Min(ln, p.looseConvex(conj, p.Tau[j], p.float(j)))) / conj
	}
	return 1 + math.Exp(least(-6, 9, 60, at))
}

// looseConvex is about ln N_b.
func (p pageJoint) looseConvex(b, tau, sd float64) float64 {
	n, sum, step := float64(p.N), 0.0, 0.05
	at := func(z float64) float64 {
		x := 1/n + z/(2*math.Sqrt(n))
		if x > tau {
			_, hazard := p.loose(0)
			return b * math.Log(0.5+(x-tau)/sd*hazard/2)
		}
		ln, _ := p.loose((tau - x) / sd)
		return b * ln
	}
	for z := step / 2; z < 40; z += step {
		sum += step * math.Exp(at(z)-z*z/2) / math.Sqrt(2*math.Pi)
	}
	return math.Log(sum + math.Exp(at(0))/2)
}

func (p pageJoint) looseCaught(a, x float64) float64 {
	if p.Cut == 0 {
		return 0
	}
	tail := func(u float64) float64 { return math.Exp(looseTail(u)) }
	grown := 1 + a*x
	inner := (a-1)*math.Log1p(-2*tail(p.Cut*math.Sqrt(grown))) + math.Log1p(-2*tail(p.Cut*math.Sqrt(grown*(1+a*a*x))))
	k := 2 * math.Exp(-p.Cut*p.Cut/2) * math.Sqrt(a*x) * tail(p.Cut*math.Sqrt(a*x))
	return math.Log(math.Min(1, math.Exp(inner/a)+k*math.Pow(grown, (1-a)/(2*a)))) - math.Log1p(-2*tail(p.Cut))
}

// tanh is by its continued fraction, whose convergents are good to 1e-45 for a < 1.
func tanh(a dec) dec {
	square, f := a.Squared(), whole(43)
	last := int64(41)
	if a.Float() < 0.1 {
		last = 23
	}
	for k := last; k > 0; k -= 2 {
		f = whole(k).Plus(square.Over(f))
	}
	return a.Over(f)
}

// pageExcess is the sum of the eps_j over beta, minus one.
func pageExcess(ln []dec, lnBeta float64) float64 {
	sum := whole(-1)
	for _, x := range ln {
		sum = sum.Plus(x.Minus(number(lnBeta)).Exp())
	}
	return sum.Float()
}
