package certificates

import (
	"math"
	"slices"
	"strconv"
)

// The joint bound: the orders and the tangents are searched for in floating point, where any that come out are valid.

// Joint is answers with noise: the standard deviations as they are printed.
type Joint struct {
	N        int64
	Tau      []float64
	SD       []string
	OneSided bool
}

// Witness says where the theorem is applied to one query: at which order, with which tangents,
// and in which of its two forms. Before the first query a is +Inf and a' is 1.
type Witness struct {
	A, Conj, near, far float64
	minkowski          bool
}

// order returns a and a'. Of the two rounded numbers the larger is taken at its word.
func (w Witness) order() (a, conj Number) {
	switch {
	case math.IsInf(w.A, 1):
		return Number{}, one
	case w.A > w.Conj:
		a = number(w.A)
		return a, a.Over(a.Minus(one))
	default:
		conj = number(w.Conj)
		return conj.Over(conj.Minus(one)), conj
	}
}

// EvenTau is a plan with one accuracy.
func EvenTau(n int64, tau float64, noise []float64, oneSided bool) Joint {
	p := Joint{N: n, Tau: slices.Repeat([]float64{tau}, len(noise)), OneSided: oneSided}
	for _, sd := range noise {
		p.SD = append(p.SD, strconv.FormatFloat(sd, 'g', -1, 64))
	}
	return p
}

// looseTangent returns the x at which T_b is least, and ln T_b.
func looseTangent(b, n, tau, sd float64) (x, ln float64) {
	if sd == 0 {
		return 0, -2 * n * tau * tau
	}
	slope := func(x float64) float64 {
		u := (tau - x) / sd
		return b / sd * math.Exp(-u*u/2-looseTail(u)) / math.Sqrt(2*math.Pi)
	}
	lo, hi := 0., slope(0)/(4*n)
	for range 60 {
		x = (lo + hi) / 2
		if slope(x) > 4*n*x {
			lo = x
		} else {
			hi = x
		}
	}
	v := slope(x)
	return x, b*looseTail((tau-x)/sd) + v*v/(8*n) - v*x
}

func (p Joint) float(i int) float64 {
	sd, err := strconv.ParseFloat(p.SD[i], 64)
	if err != nil {
		panic(err)
	}
	return sd
}

// Loose is about ln eps_j at one order, for the j+1-st query.
func (p Joint) Loose(j int, a float64) (Witness, float64) {
	w, n, d, r := Witness{A: a, Conj: 1}, float64(p.N), 0., 0.
	if !math.IsInf(a, 1) {
		w.Conj = a / (a - 1)
	}
	for i := range j {
		c := a / (4 * n * math.Pow(p.float(i), 2))
		kappa := 1 - math.Tanh(2*r) - n*(math.Pow(2*r, 3)/12+2*math.Pow(2*r, 5)/15)
		if kappa <= 0 {
			return w, math.Inf(1)
		}
		d += math.Log1p(c/kappa) / 2
		r += c / n
	}
	var near, far float64
	sd := p.float(j)
	w.near, near = looseTangent(w.Conj, n, p.Tau[j], sd)
	if p.OneSided {
		return w, (d + near) / w.Conj
	}
	w.far, far = looseTangent(w.Conj-1, n, p.Tau[j], sd)
	far += math.Log(math.Pow(2, w.Conj)-1) + looseTail(p.Tau[j]/sd)
	both := near + math.Log1p(math.Exp(far-near))
	w.minkowski = sd > 0 && math.Ln2+near/w.Conj < (math.Ln2+both)/w.Conj
	return w, (d + math.Min(math.Ln2*w.Conj+near, math.Ln2+both)) / w.Conj
}

// Search returns about the best witness for the j+1-st query.
func (p Joint) Search(j int) Witness {
	if j == 0 {
		w, _ := p.Loose(0, math.Inf(1))
		return w
	}
	at := func(v float64) float64 {
		_, ln := p.Loose(j, 1+math.Exp(v))
		return ln
	}
	best := -6.
	for v := best; v < 9; v += 0.2 {
		if at(v) < at(best) {
			best = v
		}
	}
	lo, hi := best-0.2, best+0.2
	for range 16 {
		if x, y := lo+0.382*(hi-lo), lo+0.618*(hi-lo); at(x) < at(y) {
			hi = y
		} else {
			lo = x
		}
	}
	w, _ := p.Loose(j, 1+math.Exp((lo+hi)/2))
	return w
}

// tanh is by its continued fraction, whose convergents are good to 1e-45 for a < 1.
func tanh(a Number) Number {
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

// chernoffAt is ln T_b with the tangent at x, any x.
func chernoffAt(b, n, tau, sd, x Number) Number {
	density, tail := Normal(tau.Minus(x).Over(sd))
	v := b.Times(density).Over(tail).Over(sd)
	return b.Times(tail.Ln()).Plus(v.Squared().Over(whole(8).Times(n))).Minus(v.Times(x))
}

// Path is what the answers reveal at one order: r and e^(2D) before the next query.
type Path struct {
	next       int
	r, product Number
}

// NewPath is before the first query.
func NewPath() *Path { return &Path{r: whole(0), product: one} }

// revealed moves the path on to D_j before the j+1-st query, and returns it; not ok means
// that the variance lemma does not hold.
func (p Joint) revealed(at *Path, j int, a Number) (d Number, ok bool) {
	n := whole(p.N)
	share := a.Over(whole(4).Times(n))
	for ; at.next < j; at.next++ {
		c := share.Over(digits.Parse(p.SD[at.next]).Squared())
		w := two.Times(at.r)
		cube := w.Squared().Times(w)
		terms := cube.Over(whole(12)).Plus(two.Times(cube).Times(w.Squared()).Over(whole(15)))
		kappa := one.Minus(tanh(w)).Minus(n.Times(terms))
		if kappa.Sign() <= 0 {
			return Number{}, false
		}
		at.product = at.product.Times(one.Plus(c.Over(kappa)))
		at.r = at.r.Plus(c.Over(n))
	}
	return at.product.Ln().Over(two), true
}

// Strict is ln eps_j as the witness has it.
func (p Joint) Strict(j int, w Witness, path *Path) Number {
	n, tau, sd := whole(p.N), number(p.Tau[j]), digits.Parse(p.SD[j])
	a, conj := w.order()
	d, ok := whole(0), true
	if j > 0 {
		d, ok = p.revealed(path, j, a)
	}
	if !ok { // the trivial bound
		return whole(0)
	}
	lnSides := two.Ln()
	if p.OneSided {
		lnSides = whole(0)
	}
	if sd.Sign() == 0 { // T_b = e^(-2n tau^2)
		return d.Plus(lnSides).Minus(two.Times(n).Times(tau.Squared())).Over(conj)
	}
	near := chernoffAt(conj, n, tau, sd, number(w.near))
	if p.OneSided {
		return d.Plus(near).Over(conj)
	}
	if w.minkowski {
		return d.Plus(near).Over(conj).Plus(two.Ln())
	}
	far := chernoffAt(conj.Minus(one), n, tau, sd, number(w.far))
	_, tail := Normal(tau.Over(sd))
	share := conj.Times(two.Ln()).Exp().Minus(one).Times(tail).Times(far.Minus(near).Exp())
	return d.Plus(two.Ln()).Plus(near).Plus(one.Plus(share).Ln()).Over(conj)
}

// Errors returns every ln eps_j in decimals. From the fiftieth query on some share an order.
func (p Joint) Errors() []Number {
	ln := make([]Number, 0, len(p.SD))
	for len(ln) < len(p.SD) {
		w := p.Search(len(ln))
		path := NewPath()
		for range min(1+len(ln)/50, len(p.SD)-len(ln)) {
			w, _ = p.Loose(len(ln), w.A)
			ln = append(ln, p.Strict(len(ln), w, path))
		}
	}
	return ln
}

// Excess is the sum of the eps_j over beta, minus one.
func Excess(ln []Number, lnBeta float64) float64 {
	sum := whole(-1)
	for _, x := range ln {
		sum = sum.Plus(x.Minus(number(lnBeta)).Exp())
	}
	return sum.Float()
}
