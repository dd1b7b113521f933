package theory

import (
	"cmp"
	"iter"
	"math"

	"github.com/dpcalc/dpcalc/internal/num"
)

// Composition is the use of k mechanisms, each (epsilon, delta)-private, on the same
// data, each chosen in view of the answers of those before it.
type Composition struct {
	Each  Approx
	Times int64 // k >= 1
}

// Validate reports a DomainError unless each part is valid and k >= 1.
func (c Composition) Validate() error {
	return cmp.Or(c.Each.Validate(), count("times", c.Times))
}

// Basic returns (k epsilon, k delta), both rounded up; delta is at most 1.
func (c Composition) Basic() (Bound[Approx], error) {
	if err := c.Validate(); err != nil {
		return Bound[Approx]{}, err
	}
	epsilon := mulUp(c.Each.Epsilon, floatUp(c.Times))
	return finite(Approx{epsilon, c.sumOfDeltas()}, epsilon, "epsilon", Source{"dwork14book", "Theorem 3.16"})
}

// sumOfDeltas returns ln(k delta), rounded up and at most 0.
func (c Composition) sumOfDeltas() LogProb {
	if c.Times == 1 {
		return c.Each.LnDelta
	}
	lnDelta := c.Each.LnDelta.Ln()
	return lnUp(lnDelta+num.Log(float64(c.Times)), lnDelta)
}

// Advanced returns the epsilon that goes with total failure probability delta_total
// = k delta + d',
//
//	epsilon sqrt(2k ln(1/d')) + k epsilon tanh(epsilon/2),
//
// rounded up. The linear term is the mean privacy loss, at most its value for
// randomized response, where Dwork, Rothblum and Vadhan have k epsilon (e^epsilon-1).
// It reports NotApplicable unless delta_total > k delta.
func (c Composition) Advanced(total LogProb) (Bound[Approx], error) {
	sources := []Source{{"dwork10boosting", "Theorem III.3"}, {"kairouz17", "Theorem 3.4"}}
	if err := cmp.Or(c.Validate(), probability("delta", total)); err != nil {
		return Bound[Approx]{}, err
	}
	spent := c.sumOfDeltas()
	if !(total > spent) {
		return Bound[Approx]{}, &NotApplicableError{Source: sources[0], Needs: "total delta > k delta"}
	}
	lnLeft := lnDown(num.LogSubExp(total.Ln(), spent.Ln()), total.Ln())
	k, epsilon := floatUp(c.Times), c.Each.Epsilon
	sum := above(epsilon*math.Sqrt(2*k)*math.Sqrt(-lnLeft) + k*epsilon*num.Tanh(epsilon/2))
	return finite(Approx{sum, total}, sum, "epsilon", sources...)
}

var optimalComposition = Source{"kairouz17", "Theorem 3.3"}

// maxOptimal bounds the number of steps that the exact curve takes: k/2, each some
// tens of nanoseconds.
const maxOptimal = 10_000_000

func (c Composition) validateOptimal() error {
	if err := c.Validate(); err != nil {
		return err
	}
	if c.Times > maxOptimal {
		return &NoAnswerError{Reason: "the exact curve is computed for at most 10000000 compositions"}
	}
	return nil
}

// OptimalCurve returns the vertices of the exact privacy curve of the worst
// composition, for i = 0, 1, ..., floor(k/2), epsilon falling and delta rising:
//
//	( (k-2i) epsilon, 1 - (1-delta)^k (1-delta_i) ),
//	delta_i = sum_{l<i} C(k,l) (e^{(k-l)epsilon} - e^{(k-2i+l)epsilon})/(1+e^epsilon)^k.
//
// Both numbers are rounded up, delta by at most 1e-14 + 2^-50 |ln delta| in its
// logarithm. The sequence takes O(1) memory. It reports NoAnswer for k > 10^7.
func (c Composition) OptimalCurve() (Bound[iter.Seq[Approx]], error) {
	if err := c.validateOptimal(); err != nil {
		return Bound[iter.Seq[Approx]]{}, err
	}
	top := mulUp(c.Each.Epsilon, float64(c.Times))
	vertices := func(yield func(Approx) bool) {
		for r := newResponses(c.Each.Epsilon, c.Times); ; r.next() {
			vertex := Approx{mulUp(c.Each.Epsilon, r.excess()), c.withOwnDelta(r.lnDelta(0))}
			if !yield(vertex) || r.excess() < 2 {
				return
			}
		}
	}
	return finite(iter.Seq[Approx](vertices), top, "epsilon", optimalComposition)
}

// OptimalDelta returns the least delta that holds at epsilon for every composition,
// with RR^k the k-fold randomized response that dominates them,
//
//	1 - (1-delta)^k (1 - sum_l P[RR^k tells l lies] (1 - e^(epsilon-(k-2l)epsilon_0))^+),
//
// rounded up by at most 1e-14 + 2^-50 |ln delta| in its logarithm. It reports
// NoAnswer for k > 10^7.
func (c Composition) OptimalDelta(epsilon float64) (Bound[LogProb], error) {
	if err := cmp.Or(c.validateOptimal(),
		Domain(epsilon >= 0 && epsilon <= math.MaxFloat64, "epsilon", epsilon, "a number >= 0")); err != nil {
		return Bound[LogProb]{}, err
	}
	r := newResponses(c.Each.Epsilon, c.Times)
	below := func() float64 { return math.FMA(r.excess(), c.Each.Epsilon, -epsilon) } // vertex - epsilon
	for r.excess() >= 2 && math.FMA(r.excess()-2, c.Each.Epsilon, -epsilon) >= 0 {
		r.next()
	}
	return Bound[LogProb]{Value: c.withOwnDelta(r.lnDelta(math.Max(0, below()))), Sources: []Source{optimalComposition}},
		nil
}

// Optimal returns the least epsilon >= 0 that holds at total failure probability
// delta_total for every composition, rounded up (delta is known to 1e-14, which moves
// epsilon as delta approaches one). It reports NoAnswer for delta_total <
// 1 - (1-delta)^k, which no epsilon can meet, and for k > 10^7.
func (c Composition) Optimal(total LogProb) (Bound[Approx], error) {
	if err := cmp.Or(c.validateOptimal(), probability("delta", total)); err != nil {
		return Bound[Approx]{}, err
	}
	own := c.ownDelta()
	if total < own {
		return Bound[Approx]{}, &NoAnswerError{Reason: "every epsilon has delta >= 1 - (1-delta)^k"}
	}
	epsilon := 0.0
	if total < 0 {
		// The randomized responses have the rest: (total - own)/(1 - own).
		left := num.LogSubExp(total.Ln(), own.Ln()) - num.Log1mExp(own.Ln())
		epsilon = leastResponseEpsilon(c, lnDown(left, total.Ln()))
	}
	return finite(Approx{epsilon, total}, epsilon, "epsilon", optimalComposition)
}

// leastResponseEpsilon returns the epsilon at which the curve of k randomized
// responses falls to e^lnTarget, rounded up.
func leastResponseEpsilon(c Composition, lnTarget float64) float64 {
	r := newResponses(c.Each.Epsilon, c.Times)
	at := r
	for r.excess() >= 2 {
		if r.next(); r.lnDelta(0).Ln() > lnTarget {
			break
		}
		at = r
	}
	// On the segment left of this vertex delta = delta_i + (1 - e^-s) u_i at a
	// distance s below it.
	share := (num.Exp(lnDown(lnTarget-at.lnScale(), lnTarget)) - at.delta.Hi) / at.u.Hi
	end := mulUp(math.Max(0, at.excess()-2), c.Each.Epsilon)
	if share >= 1 { // by rounding, or on the last segment
		return end
	}
	distance := -math.Log1p(-math.Max(0, share)) * (1 - 0x1p-50)
	return math.Max(end, addUp(mulUp(at.excess(), c.Each.Epsilon), -distance))
}

// ownDelta returns ln(1 - (1-delta)^k), rounded up.
func (c Composition) ownDelta() LogProb {
	lnDelta := c.Each.LnDelta.Ln()
	if c.Times == 1 || c.Each.LnDelta == Zero {
		return c.Each.LnDelta
	}
	return lnUp(num.LogAny(lnDelta, c.Times), lnDelta)
}

// withOwnDelta returns ln(1 - (1-delta)^k (1-d)) for d = e^response, rounded up.
func (c Composition) withOwnDelta(response LogProb) LogProb {
	own := c.ownDelta()
	switch {
	case own == Zero:
		return response
	case response == Zero:
		return own
	}
	sum := num.LogAddExp(own.Ln(), num.Log1mExp(own.Ln())+response.Ln())
	return lnUp(sum, sum)
}

// responses is a place on the privacy curve of k randomized responses: the vertex
// at (k-2i) epsilon. With p_l the probability of l lies and w = e^-epsilon,
//
//	delta_i = sum_{l<i} p_l (1 - w^(2(i-l))),   u_i = sum_{l<=i} p_l w^(2(i-l)),
//	u_{i+1} = w^2 u_i + p_{i+1},   delta_{i+1} = delta_i + (1-w^2) u_i.
//
// Every term is positive, so nothing cancels; at k = 10^5 the sums begin at e^-69315,
// so they share a power of two; and they are double-double, so that 10^7 steps leave
// no trace.
type responses struct {
	k, i        int64
	w, w2       num.DD
	gap         float64 // 1 - w^2
	p, u, delta num.DD  // times 2^scale
	scale       float64
}

func newResponses(epsilon float64, k int64) responses {
	r := responses{k: k, gap: -math.Expm1(-2 * epsilon)}
	if epsilon < 690 { // above, lies have probability below e^-690, and none is an upper bound
		r.w = num.FromFloat(-epsilon).Exp()
		r.w2 = r.w.Mul(r.w)
	}
	lnP := r.w.AddFloat(1).Ln().MulFloat(-float64(k))
	r.scale = math.Round(lnP.Hi / math.Ln2)
	r.p = lnP.Sub(num.Ln2.MulFloat(r.scale)).Exp()
	r.u = r.p
	return r
}

// excess returns k - 2i, the number of epsilons at this vertex.
func (r *responses) excess() float64 { return float64(r.k - 2*r.i) }

// next moves to the next vertex.
func (r *responses) next() {
	r.delta = r.delta.Add(r.u.MulFloat(r.gap))
	r.p = r.p.Mul(r.w).MulFloat(float64(r.k - r.i)).Div(num.FromFloat(float64(r.i + 1)))
	r.u = r.u.Mul(r.w2).Add(r.p)
	r.i++
	const step = 300
	if r.u.Hi > 0x1p300 || r.delta.Hi > 0x1p300 {
		for _, x := range []*num.DD{&r.p, &r.u, &r.delta} {
			*x = num.DD{Hi: x.Hi * 0x1p-300, Lo: x.Lo * 0x1p-300}
		}
		r.scale += step
	}
}

func (r *responses) lnScale() float64 { return num.Ln2.MulFloat(r.scale).Hi }

// lnDelta returns ln(delta_i + (1 - e^-s) u_i), rounded up: the curve at a distance s
// below the vertex, up to the next one.
func (r *responses) lnDelta(s float64) LogProb {
	x := r.delta.Hi - math.Expm1(-s)*r.u.Hi
	if x <= 0 {
		return Zero
	}
	fraction, exponent := math.Frexp(x)
	ln := num.Ln2.MulFloat(r.scale + float64(exponent)).AddFloat(num.Log(fraction)).Hi
	return lnUp(ln, ln)
}

// lnDown takes from a logarithm what its rounding may have cost.
func lnDown(x, magnitude float64) float64 {
	if math.IsInf(x, -1) {
		return x
	}
	return x - (math.Abs(magnitude)+math.Abs(x)+8)*0x1p-52
}

// Repeat returns the k-fold composition of rho-zCDP mechanisms: k rho, rounded up.
func (z ZCDP) Repeat(k int64) (Bound[ZCDP], error) {
	if err := cmp.Or(z.Validate(), count("times", k)); err != nil {
		return Bound[ZCDP]{}, err
	}
	rho := mulUp(z.Rho, floatUp(k))
	return finite(ZCDP{rho}, rho, "rho", Source{"bun16", "Lemma 1.7"})
}

// Repeat returns the k-fold composition of mu-GDP mechanisms: mu sqrt(k), rounded up.
func (g GDP) Repeat(k int64) (Bound[GDP], error) {
	if err := cmp.Or(g.Validate(), count("times", k)); err != nil {
		return Bound[GDP]{}, err
	}
	mu := mulUp(g.Mu, sqrtUp(floatUp(k)))
	return finite(GDP{mu}, mu, "mu", Source{"dong22", "Corollary 3.3"})
}

// ComposeGDP returns the composition of one or more GDP mechanisms: the root of the
// sum of squares of their mu, rounded up.
func ComposeGDP(parts ...GDP) (Bound[GDP], error) {
	if err := count("parts", int64(len(parts))); err != nil {
		return Bound[GDP]{}, err
	}
	largest, sum := 0.0, 0.0
	for _, part := range parts {
		if err := part.Validate(); err != nil {
			return Bound[GDP]{}, err
		}
		largest = math.Max(largest, part.Mu)
	}
	for _, part := range parts { // relative to the largest, so that no square overflows
		ratio := divUp(part.Mu, largest)
		sum = addUp(sum, mulUp(ratio, ratio))
	}
	mu := mulUp(largest, sqrtUp(sum))
	return finite(GDP{mu}, mu, "mu", Source{"dong22", "Corollary 3.3"})
}
