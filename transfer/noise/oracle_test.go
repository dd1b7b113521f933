package noise

import "math"

// The theorems, answer by answer, as docs/theorems/transfer.md has them: by the error function, and integrals by small
// steps. Nothing is shared with the bound but the orders, at each of which the theorems hold.

// lnUpper is ln of the probability that the noise is above w, 0 standing for noise that is not cut.
func lnUpper(w, cut float64) float64 {
	if cut == 0 {
		return math.Log(math.Erfc(w/math.Sqrt2) / 2)
	}
	beyond := math.Erfc(cut/math.Sqrt2) / 2
	switch {
	case w >= cut:
		return math.Inf(-1)
	case w <= -cut:
		return 0
	}
	return math.Log(math.Erfc(w/math.Sqrt2)/2-beyond) - math.Log(1-2*beyond)
}

func density(w, cut float64) float64 {
	d := math.Exp(-w*w/2) / math.Sqrt(2*math.Pi)
	if cut > 0 {
		d /= 1 - math.Erfc(cut/math.Sqrt2)
	}
	return d
}

// given is an answer as the theorem counts it.
type given struct{ n, tau, sd, cut float64 }

// lnTangent is ln of the least T_b over tangents, where E e^(vX) <= e^(V v^2/2).
func (g given) lnTangent(b, variance float64) float64 {
	at := func(w float64) float64 {
		ln := lnUpper(w, g.cut)
		v := b / g.sd * density(w, g.cut) / math.Exp(ln)
		return b*ln + variance*v*v/2 - v*(g.tau-w*g.sd)
	}
	lo, hi := -6., min(g.tau/g.sd, 30)
	if g.cut > 0 {
		lo, hi = -g.cut*(1-1e-6), min(hi, g.cut*(1-1e-9))
	}
	for range 80 { // it has one least value
		x, y := lo+0.382*(hi-lo), lo+0.618*(hi-lo)
		if at(x) < at(y) {
			hi = y
		} else {
			lo = x
		}
	}
	return min(at(lo), 0)
}

// lnConvex returns ln N_b as a function of b. It takes the tails once for all b.
func (g given) lnConvex() func(b float64) float64 {
	u := func(x float64) float64 {
		if x <= g.tau {
			return lnUpper((g.tau-x)/g.sd, g.cut)
		}
		return math.Log(0.5 + (x-g.tau)*density(0, g.cut)/g.sd)
	}
	d, sigma := 1/g.n, 1/(2*math.Sqrt(g.n))
	far := 9 + 2*math.Sqrt(g.n)*g.tau
	steps := 300 * far
	place := func(i int) float64 { return (float64(i) + 0.5) * far / steps }
	tails, all := make([]float64, int(steps)), make([]float64, int(steps))
	for i := range tails {
		tails[i] = u(d + sigma*place(i))
	}
	middle := u(d)
	return func(b float64) float64 {
		most := math.Inf(-1)
		for i, tail := range tails {
			z := place(i)
			all[i] = b*tail - z*z/2
			most = max(most, all[i])
		}
		sum := 0.
		for _, ln := range all {
			sum += math.Exp(ln-most) * far / steps / math.Sqrt(2*math.Pi)
		}
		return most + math.Log(sum+math.Exp(b*middle-most)/2)
	}
}

// trueKappa is the kappa of the variance lemma.
func trueKappa(n, r float64) float64 {
	w := 2 * r
	return 1 - math.Tanh(w) - n*(w*w*w/12+2*math.Pow(w, 5)/15)
}

// variance is V at an order after answers with that sum of (n_l sd_l)^-2, about no more than so many records.
func (g given) variance(a, sum, seen float64) float64 {
	if sum == 0 {
		return 1 / (4 * g.n)
	}
	k := trueKappa(seen, a/4*sum)
	if k <= 0 {
		return math.Inf(1)
	}
	return (1 + (1/k-1)*seen/g.n) / (4 * g.n)
}

// lnCaught is ln min(1, N(a)) of Theorem T less ln Z.
func (g given) lnCaught(a, x float64) float64 {
	if g.cut == 0 {
		return 0
	}
	tail := func(u float64) float64 { return math.Erfc(u/math.Sqrt2) / 2 }
	inner := math.Pow(1-2*tail(g.cut*math.Sqrt(1+a*x)), a-1) * (1 - 2*tail(g.cut*math.Sqrt((1+a*x)*(1+a*a*x))))
	phi := math.Exp(-g.cut*g.cut/2) / math.Sqrt(2*math.Pi)
	beyond := 2 * phi * math.Sqrt(2*math.Pi*a*x) * tail(g.cut*math.Sqrt(a*x)) * math.Pow(1+a*x, -(a-1)/(2*a))
	return math.Log(min(1, math.Pow(inner, 1/a)+beyond)) - math.Log(1-2*tail(g.cut))
}

// sumOfErrors is the sum of eps_j, answer by answer, each at the best of the orders.
func sumOfErrors(sides Sides, answers []given) (total float64, each []float64) {
	orders := Joint(sides).orders(0)
	reveal, sampling := make([]float64, len(orders)), make([]float64, len(orders))
	shift, lnWeight, seen := 0., 0., 0.
	var last given
	for _, g := range answers {
		if g != last {
			last = g
			lnConvex := g.lnConvex()
			for i, o := range orders {
				sampling[i] = min(g.lnTangent(o.conj, 1/(4*g.n)), lnConvex(o.conj)) / o.conj
			}
		}
		likelier := 1.
		for i, o := range orders {
			if math.IsInf(o.a, 1) && shift > 0 {
				continue
			}
			likelier = min(likelier, math.Exp(reveal[i]/o.conj+sampling[i]))
			if v := g.variance(o.a, shift, seen); math.IsInf(v, 1) || math.IsInf(o.a, 1) {
				reveal[i] = math.Inf(1)
			} else {
				x := v / (g.sd * g.sd)
				reveal[i] += math.Log1p(o.a*x)/2 + o.conj*g.lnCaught(o.a, x)
			}
		}
		eps, v := likelier, g.variance(1, shift, seen)
		if sides == Both {
			rarer := 1.
			if !math.IsInf(v, 1) {
				rarer = math.Exp(lnWeight + g.lnTangent(1, v))
			}
			eps += min(likelier, rarer)
		}
		if lnWeight += g.lnCaught(1, v/(g.sd*g.sd)); math.IsInf(v, 1) {
			lnWeight = v
		}
		shift, seen = shift+1/(g.n*g.sd)/(g.n*g.sd), g.n
		total += eps
		each = append(each, eps)
	}
	return total, each
}
