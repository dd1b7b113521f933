package audit

import (
	"cmp"
	"errors"
	"math"
	"slices"

	"github.com/dpcalc/dpcalc/internal/num"
	"github.com/dpcalc/dpcalc/theory"
)

// Pair is the two laws of a mechanism's output under neighbouring inputs, over one
// finite set of outcomes. Its measures are symmetric: each is the worse of the two
// orders. Measures are computed from the laws as given, rounded up by at most 1e-11 relative
// and never down: a law arrives as rounded logarithms, so a mechanism that meets its
// claim with equality may measure a few units in the last place above it, which
// [Compare] allows for.
type Pair struct {
	atoms []atom // by falling likelihood ratio
}

// atom is an outcome's probability under each law. One of them is positive.
type atom struct{ p, q theory.LogProb }

// ratio returns ln(p/q); it may be infinite.
func (a atom) ratio() float64 { return (a.p - a.q).Ln() }

// NewPair returns the pair of two laws, which give outcome i the probabilities first[i]
// and second[i]. It returns a DomainError unless each is a law: as many probabilities
// as the other has, with a sum within 1e-9 of one. It takes time n log n.
func NewPair(first, second []theory.LogProb) (*Pair, error) {
	if err := theory.Domain(len(first) == len(second), "laws", len(second), "as many outcomes in both"); err != nil {
		return nil, err
	}
	var sums [2]lnSum
	pair := &Pair{atoms: make([]atom, 0, len(first))}
	for i, p := range first {
		a := atom{p, second[i]}
		if err := theory.Domain(a.p.IsValid() && a.q.IsValid(), "law", i, "a probability for each outcome"); err != nil {
			return nil, err
		}
		sums[0].add(a.p, 1)
		sums[1].add(a.q, 1)
		if a.p != theory.Zero || a.q != theory.Zero {
			pair.atoms = append(pair.atoms, a)
		}
	}
	for _, s := range sums {
		if err := theory.Domain(math.Abs(s.ln()) <= 1e-9, "law", math.Exp(s.ln()), "probabilities with sum one"); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(pair.atoms, func(a, b atom) int { return cmp.Compare(b.ratio(), a.ratio()) })
	return pair, nil
}

// swapped returns the pair in the other order.
func (p *Pair) swapped() *Pair {
	other := &Pair{atoms: make([]atom, len(p.atoms))}
	for i, a := range p.atoms {
		other.atoms[len(p.atoms)-1-i] = atom{a.q, a.p}
	}
	return other
}

var errNotPrivate = &theory.NoAnswerError{Reason: "an outcome that is possible for one input is impossible for its neighbour"}

// Epsilon returns the least epsilon of pure differential privacy, the largest |ln of
// a likelihood ratio|. It reports NoAnswer for a pair that is private at no epsilon.
func (p *Pair) Epsilon() (float64, error) {
	top, last := p.atoms[0], p.atoms[len(p.atoms)-1]
	if top.q == theory.Zero || last.p == theory.Zero {
		return 0, errNotPrivate
	}
	return max(0, differenceUp(top), differenceUp(atom{last.q, last.p})), nil
}

// differenceUp returns ln(p/q), rounded up.
func differenceUp(a atom) float64 {
	d := num.FromFloat(a.p.Ln()).AddFloat(-a.q.Ln())
	if d.Lo > 0 {
		return math.Nextafter(d.Hi, math.Inf(1))
	}
	return d.Hi
}

// LnDelta returns the least delta that goes with epsilon >= 0: the larger hockey-stick
// divergence sum_o (P[o] - e^epsilon Q[o])^+ of the two orders. The logarithm is
// rounded up.
func (p *Pair) LnDelta(epsilon float64) (theory.LogProb, error) {
	if err := theory.Domain(epsilon >= 0 && epsilon <= math.MaxFloat64, "epsilon", epsilon, "a number >= 0"); err != nil {
		return 0, err
	}
	return max(p.lnDelta(epsilon), p.swapped().lnDelta(epsilon)), nil
}

func (p *Pair) lnDelta(epsilon float64) theory.LogProb {
	var sum lnSum
	for _, a := range p.atoms {
		if a.q == theory.Zero {
			sum.add(a.p, 1)
			continue
		}
		// ln(e^epsilon q/p), rounded once.
		t := num.FromFloat(epsilon).AddFloat(a.q.Ln()).AddFloat(-a.p.Ln())
		if !(t.Hi < 0) {
			break
		}
		sum.add(a.p, -math.Expm1(t.Hi))
	}
	ln := sum.ln()
	if math.IsInf(ln, -1) {
		return theory.Zero
	}
	return theory.LogProb(min(0, ln+(math.Abs(ln)+8)*0x1p-52))
}

// Test is a vertex of the trade-off curve: an event that is likeliest under the first law among all events that are as
// likely under the second.
type Test struct{ First, Second theory.LogProb }

// TradeOff returns the vertices of the trade-off curve, with both probabilities rising
// from 0 to 1: the events "the likelihood ratio is at least t", for every t. The curve
// between them is linear, and the curve of the other order is its mirror image.
// The probabilities are within 1e-14 relative, on either side.
func (p *Pair) TradeOff() []Test {
	var first, second lnSum
	curve := []Test{{theory.Zero, theory.Zero}}
	for i, a := range p.atoms {
		first.add(a.p, 1)
		second.add(a.q, 1)
		if i+1 < len(p.atoms) && p.atoms[i+1].ratio() < a.ratio() {
			curve = append(curve, Test{theory.LogProb(min(0, first.ln())), theory.LogProb(min(0, second.ln()))})
		}
	}
	return append(curve, Test{0, 0})
}

// Mu returns the least mu >= 0 of Gaussian differential privacy: the largest
// Phi^-1(P[T]) - Phi^-1(Q[T]) at a vertex T of the trade-off curve, as the curve of a
// Gaussian is concave. It is rounded up by at most 1e-13 in all. It reports NoAnswer
// for a pair that is private at no mu.
func (p *Pair) Mu() (float64, error) {
	if _, err := p.Epsilon(); err != nil { // an impossible outcome refutes every mu too
		return 0, err
	}
	// The complements of the vertices, each with full relative precision.
	above := p.swapped().TradeOff()
	slices.Reverse(above)
	mu := 0.0
	for i, t := range p.TradeOff() {
		if i == 0 || i == len(above)-1 {
			continue
		}
		x, y := normalQuantile(t.First, above[i].Second), normalQuantile(t.Second, above[i].First)
		mu = max(mu, x-y+4e-15*(2+math.Abs(x)+math.Abs(y)))
	}
	return mu, nil
}

// normalQuantile returns Phi^-1 of a probability whose complement is above.
func normalQuantile(p, above theory.LogProb) float64 {
	if p <= above {
		return -num.UpperQuantile(p.Ln())
	}
	return num.UpperQuantile(above.Ln())
}

// Renyi returns the larger Renyi divergence D_a of the two orders, for 1 <= a < inf; at
// a = 1 it is the relative entropy. In nats. It reports NoAnswer where it is infinite.
func (p *Pair) Renyi(order float64) (float64, error) {
	if err := theory.Domain(order >= 1 && order <= math.MaxFloat64, "order", order, "a number >= 1"); err != nil {
		return 0, err
	}
	if _, err := p.Epsilon(); err != nil {
		return 0, err
	}
	x := order - 1
	return max(p.cumulant(x).divergence(x), p.swapped().cumulant(x).divergence(x)) * (1 + 1e-12), nil
}

// ZCDP returns the least rho of zero-concentrated differential privacy, the supremum
// over a > 1 and both orders of D_a/a. It reports NoAnswer where there is none.
func (p *Pair) ZCDP() (float64, error) {
	if _, err := p.Epsilon(); err != nil {
		return 0, err
	}
	return max(p.rho(), p.swapped().rho()) * (1 + 5e-12), nil
}

// cumulant is psi(x) = ln sum_o P[o] (P[o]/Q[o])^x with its first two derivatives:
// under the law proportional to P (P/Q)^x, the mean and variance of L = ln P/Q.
type cumulant struct{ value, mean, variance float64 }

// divergence returns D_(1+x) = psi(x)/x, and its limit at x = 0.
func (c cumulant) divergence(x float64) float64 {
	if x == 0 {
		return c.mean
	}
	return c.value / x
}

// cumulant computes psi at x >= 0. With e(y) = e^-y - 1 + y >= 0 and both laws of mass
// one,
//
//	e^psi - 1 = sum_o P (e(-xL) + x e(L)),   its derivative = sum_o P (e(L) + L (e^(xL) - 1)),
//
// sums without a negative term, so that nothing cancels where P is close to Q.
func (p *Pair) cumulant(x float64) cumulant {
	top := math.Inf(-1) // of ln(P e^(xL))
	for _, a := range p.atoms {
		top = max(top, a.p.Ln()+x*a.ratio())
	}
	var c cumulant
	if top <= 600 {
		c.value, c.mean = p.gentle(x)
	} else {
		c.value, c.mean = p.steep(x, top)
	}
	for _, a := range p.atoms {
		d := a.ratio() - c.mean
		c.variance += math.Exp(a.p.Ln()+x*a.ratio()-c.value) * d * d
	}
	return c
}

func (p *Pair) gentle(x float64) (psi, mean float64) {
	var sum, slope num.DD
	for _, a := range p.atoms {
		l, w := a.ratio(), a.p.Value()
		back := w * deficit(l)
		if l < -30 {
			back = a.q.Value() + w*(l-1)
		}
		rise, tilt := w*deficit(-x*l), w*math.Expm1(x*l)
		if x*l > 30 {
			tilt = math.Exp(a.p.Ln()+x*l) - w
			rise = tilt - w*x*l
		}
		sum = sum.AddFloat(rise).AddFloat(x * back)
		slope = slope.AddFloat(back).AddFloat(l * tilt)
	}
	return math.Log1p(sum.Float()), slope.Float() / (1 + sum.Float())
}

// steep is for where e^psi would overflow.
func (p *Pair) steep(x, top float64) (psi, mean float64) {
	var mass, first num.DD
	for _, a := range p.atoms {
		w := math.Exp(a.p.Ln() + x*a.ratio() - top)
		mass, first = mass.AddFloat(w), first.AddFloat(w*a.ratio())
	}
	return top + math.Log(mass.Float()), first.Float() / mass.Float()
}

// deficit returns e^-y - 1 + y without cancellation.
func deficit(y float64) float64 {
	if math.Abs(y) > 0.5 {
		return math.Expm1(-y) + y
	}
	term := y * y / 2
	sum := term
	for k := 3.0; math.Abs(term) > 1e-18*sum; k++ {
		term *= -y / k
		sum += term
	}
	return sum
}

// rho returns sup_x psi(x)/(x(1+x)) over x > 0, at most 2e-12 too small, relative.
//
// On [l, r], w = r-l, the cubic H that has psi's values and slopes at both ends
// misses psi by (x-l)^2 (r-x)^2 psi^(4)/24 at some point, and psi^(4) <= R^2 V e^(Rw): R
// is the range of L and V the variance at l, for the fourth cumulant is at most R^2
// times the variance, the third at most R times. In Bernstein's form H <= t x(1+x) holds
// if it does for the four coefficients. Beyond the place where max L/(1+x) falls below
// what has been found nothing is left, as D_a <= max L.
func (p *Pair) rho() float64 {
	largest := p.atoms[0].ratio()
	width := largest - p.atoms[len(p.atoms)-1].ratio()
	if width == 0 {
		return 0
	}
	at := func(x float64) float64 { return p.cumulant(x).divergence(x) / (1 + x) }
	best := at(0)
	for x := 1.0 / 64; largest > best*(1+x); x *= 2 {
		best = max(best, at(x))
	}
	const tolerance = 1 + 1e-12
	w := 1.0 / 64
	for l, left := 0.0, p.cumulant(0); largest > best*(1+l)*tolerance; {
		r := l + w
		right := p.cumulant(r)
		best = max(best, right.divergence(r)/(1+r))
		limit := max(
			left.divergence(l)/(1+l),
			(left.value+left.mean*w/3)/(l*(1+l)+(1+2*l)*w/3),
			(right.value-right.mean*w/3)/(r*(1+r)-(1+2*r)*w/3),
		)
		// (x-l)^2 (r-x)^2/(x(1+x)) is at most (x-l)(r-x)^2/(1+l) <= 4/27 w^3/(1+l), and
		// w^4/16/(l(1+l)) as well.
		fourth := width * width * left.variance * math.Exp(width*w) / 24
		limit += fourth * min(w*w*w*4/27, w*w*w*w/(16*l)) / (1 + l)
		if limit > best*tolerance {
			w /= 2
			continue
		}
		l, left = r, right
		w *= 2
	}
	return best
}

// WorstPair is a pair of neighbouring inputs with its measure.
type WorstPair[T ~float64] struct {
	First, Second int // indices of the inputs
	Value         T
}

// Worst measures all pairs of neighbours and returns the first of the largest. laws[i]
// is the law of the output for input i, and measure is a method of [Pair]: neighbours
// and measure are symmetric. If a pair has no answer, as one that is private at no
// epsilon, Worst returns that pair with the error.
func Worst[T ~float64](laws [][]theory.LogProb, neighbours func(i, j int) bool,
	measure func(*Pair) (T, error)) (WorstPair[T], error) {
	var worst WorstPair[T]
	found := false
	for i := range laws {
		for j := i + 1; j < len(laws); j++ {
			if !neighbours(i, j) {
				continue
			}
			pair, err := NewPair(laws[i], laws[j])
			if err != nil {
				return WorstPair[T]{}, err
			}
			value, err := measure(pair)
			if none := (*theory.NoAnswerError)(nil); errors.As(err, &none) {
				return WorstPair[T]{First: i, Second: j}, err
			}
			if err != nil {
				return WorstPair[T]{}, err
			}
			if !found || value > worst.Value {
				worst, found = WorstPair[T]{i, j, value}, true
			}
		}
	}
	return worst, theory.Domain(found, "neighbours", "none", "at least one pair of neighbours")
}

// Compare returns [Holds] if a measure of a [Pair] is at most the claim, up to
// 1e-9 relative for the rounding of the laws, and [Violated] otherwise. An (epsilon,
// delta) claim is to be judged by [Pair.EpsilonAt], as delta has no such slack at
// zero.
func Compare(measured, claimed float64) Verdict {
	if measured <= claimed*(1+1e-9) {
		return Holds
	}
	return Violated
}

// lnSum adds numbers given by their logarithms.
type lnSum struct {
	top float64 // the sum is sum e^top
	sum num.DD
}

// add adds factor e^p. A term far above the others becomes the new unit; what it makes
// negligible need not be scaled with care.
func (s *lnSum) add(p theory.LogProb, factor float64) {
	if p == theory.Zero {
		return
	}
	if s.sum.Hi == 0 {
		s.top = p.Ln()
	} else if p.Ln() > s.top+600 {
		s.sum = s.sum.MulFloat(math.Exp(s.top - p.Ln()))
		s.top = p.Ln()
	}
	d := num.FromFloat(p.Ln()).AddFloat(-s.top)
	e := math.Exp(d.Hi) * factor
	s.sum = s.sum.AddFloat(e).AddFloat(e * d.Lo)
}

// ln returns the logarithm of the sum; it is -Inf if there are no terms.
func (s *lnSum) ln() float64 {
	if !(s.sum.Hi > 0) {
		return math.Inf(-1)
	}
	return s.sum.Ln().AddFloat(s.top).Float()
}
