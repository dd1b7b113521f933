package theory

import (
	"cmp"
	"math"

	"github.com/dpcalc/dpcalc/internal/num"
)

// The notions of privacy, for neighbours that differ in one record: what each
// says, what it says about groups of records, and which implies which. A
// conversion is an upper bound on the privacy parameter it returns, never below
// the value of the formula at the float64 it was given.

// Pure is epsilon-differential privacy: no event's probability changes by more
// than a factor e^epsilon.
type Pure struct {
	Epsilon float64 // > 0, in nats
}

// Validate reports a DomainError unless 0 < epsilon < inf.
func (p Pure) Validate() error { return positive("epsilon", p.Epsilon) }

// Approx returns the same statement with delta = 0.
func (p Pure) Approx() Approx { return Approx{Epsilon: p.Epsilon, LnDelta: Zero} }

// ZCDP returns rho = epsilon tanh(epsilon/2), which is at most epsilon^2/2.
//
// Randomized response is the worst case, and there the divergence of order a obeys
// (a-1) D_a = ln cosh((a-1/2) epsilon) - ln cosh(epsilon/2). At a = 1 this equals
// a(a-1) rho, and its derivative is the smaller one for a > 1 because tanh is
// concave: tanh((2a-1) epsilon/2) <= (2a-1) tanh(epsilon/2).
func (p Pure) ZCDP() (Bound[ZCDP], error) {
	if err := p.Validate(); err != nil {
		return Bound[ZCDP]{}, err
	}
	rho := above(p.Epsilon * num.Tanh(p.Epsilon/2))
	return finite(ZCDP{rho}, rho, "rho", Source{"bun16", "Proposition 3.3, the last step of its proof sharpened"})
}

// GDP returns the least mu for which epsilon-differential privacy is mu-GDP,
//
//	mu = 2 Phi^-1(1/(1+e^(-epsilon))),
//
// rounded up. The trade-off curve of epsilon-privacy consists of two segments that meet
// on the diagonal, at (1/(1+e^epsilon), 1/(1+e^epsilon)). The convex curve of mu-GDP has
// the same ends and, for this mu, passes through that point, so it lies below both.
func (p Pure) GDP() (Bound[GDP], error) {
	if err := p.Validate(); err != nil {
		return Bound[GDP]{}, err
	}
	var mu float64
	switch {
	case p.Epsilon < 1e-3: // Phi^-1(1/2 + y) = sqrt(2 pi) y (1 + pi y^2/3 + ...), and pi/3 < 1.05
		y := num.Tanh(p.Epsilon/2) / 2
		mu = math.Nextafter(2*math.Sqrt(2*math.Pi)*y*(1+1.05*y*y), 1)
	default:
		mu = 2*num.UpperQuantile(-p.Epsilon-math.Log1p(num.Exp(-p.Epsilon))) + 8e-15
	}
	mu *= 1 + 0x1p-46
	return finite(GDP{mu}, mu, "mu", Source{"dong22", "trade-off functions of epsilon-differential privacy and of GDP"})
}

// Group returns the privacy of g >= 1 records: g epsilon.
func (p Pure) Group(g int64) (Bound[Pure], error) {
	if err := cmp.Or(p.Validate(), count("group", g)); err != nil {
		return Bound[Pure]{}, err
	}
	epsilon := mulUp(p.Epsilon, floatUp(g))
	return finite(Pure{epsilon}, epsilon, "epsilon", Source{"dwork14book", "Theorem 2.2"})
}

// BoundedRange is epsilon-bounded range: for every pair of neighbours the logarithm
// of the likelihood ratio lies in some interval of length epsilon.
type BoundedRange struct {
	Epsilon float64 // > 0, in nats
}

// Validate reports a DomainError unless 0 < epsilon < inf.
func (r BoundedRange) Validate() error { return positive("epsilon", r.Epsilon) }

// Pure returns the same epsilon: the interval contains zero, since both laws have
// total mass one.
func (r BoundedRange) Pure() (Bound[Pure], error) {
	if err := r.Validate(); err != nil {
		return Bound[Pure]{}, err
	}
	return finite(Pure(r), r.Epsilon, "epsilon", Source{"durfee19", "bounded range"})
}

// ZCDP returns rho = epsilon^2/8, a quarter of what [Pure.ZCDP] gives for small
// epsilon.
//
// With L the log-likelihood ratio and psi(s) = ln E e^(sL) under the second law,
// psi(1) = 0, and its second derivative is at most epsilon^2/4 by Hoeffding's lemma;
// so (psi(s)/s)' <= epsilon^2/8 and D_a = psi(a)/(a-1) <= a epsilon^2/8.
func (r BoundedRange) ZCDP() (Bound[ZCDP], error) {
	if err := r.Validate(); err != nil {
		return Bound[ZCDP]{}, err
	}
	rho := above(r.Epsilon * (r.Epsilon / 8))
	return finite(ZCDP{rho}, rho, "rho", Source{"cesar21", "bounded range to zCDP"})
}

// Approx is (epsilon, delta)-differential privacy: P[E] <= e^epsilon P'[E] + delta
// for every event and neighbour. Its zero value, delta = 1, says nothing.
type Approx struct {
	Epsilon float64 // >= 0, in nats
	LnDelta LogProb // Zero for pure privacy
}

// Validate reports a DomainError unless 0 <= epsilon < inf and 0 <= delta <= 1.
func (a Approx) Validate() error {
	return cmp.Or(
		Domain(a.Epsilon >= 0 && a.Epsilon <= math.MaxFloat64, "epsilon", a.Epsilon, "a number >= 0"),
		probability("delta", a.LnDelta),
	)
}

// Group returns the privacy of g >= 1 records:
// (g epsilon, delta (e^(g epsilon) - 1)/(e^epsilon - 1)), delta at most 1.
func (a Approx) Group(g int64) (Bound[Approx], error) {
	if err := cmp.Or(a.Validate(), count("group", g)); err != nil {
		return Bound[Approx]{}, err
	}
	n := floatUp(g)
	epsilon := mulUp(a.Epsilon, n)
	lnDelta := a.LnDelta
	switch {
	case g == 1 || lnDelta == Zero:
	case a.Epsilon == 0:
		lnDelta = lnUp(lnDelta.Ln()+num.Log(n), -lnDelta.Ln())
	default:
		more := mulUp(a.Epsilon, n-1)
		ratio := more + num.Log1mExp(-epsilon) - num.Log1mExp(-a.Epsilon)
		lnDelta = lnUp(lnDelta.Ln()+ratio, more-lnDelta.Ln()+800)
	}
	return finite(Approx{epsilon, lnDelta}, epsilon, "epsilon",
		Source{"dwork06calibrating", "group privacy, by induction over the rows"})
}

// ZCDP is rho-zero-concentrated differential privacy: the Renyi divergence of
// order a between neighbours' outputs is at most a rho for every a > 1.
type ZCDP struct {
	Rho float64 // > 0, in nats
}

// Validate reports a DomainError unless 0 < rho < inf.
func (z ZCDP) Validate() error { return positive("rho", z.Rho) }

// Approx returns (rho + 2 sqrt(rho ln(1/delta)), delta) for 0 < delta <= 1. It
// reports NotApplicable for delta = 0.
func (z ZCDP) Approx(delta LogProb) (Bound[Approx], error) {
	source := Source{"bun16", "Proposition 1.3"}
	if err := cmp.Or(z.Validate(), probability("delta", delta), needsDelta(source, delta)); err != nil {
		return Bound[Approx]{}, err
	}
	epsilon := above(z.Rho + 2*math.Sqrt(z.Rho)*math.Sqrt(-delta.Ln()))
	return finite(Approx{epsilon, delta}, epsilon, "epsilon", source)
}

// Group returns the privacy of g >= 1 records: g^2 rho.
func (z ZCDP) Group(g int64) (Bound[ZCDP], error) {
	if err := cmp.Or(z.Validate(), count("group", g)); err != nil {
		return Bound[ZCDP]{}, err
	}
	rho := mulUp(mulUp(z.Rho, floatUp(g)), floatUp(g))
	return finite(ZCDP{rho}, rho, "rho", Source{"bun16", "Proposition 1.9"})
}

// GDP is mu-Gaussian differential privacy: telling neighbours apart is at least as
// hard as telling N(0,1) from N(mu,1). It is equivalent to the curve of
// (epsilon, delta) that [GDP.LnDelta] returns.
type GDP struct {
	Mu float64 // > 0
}

// Validate reports a DomainError unless 0 < mu < inf.
func (g GDP) Validate() error { return positive("mu", g.Mu) }

// ZCDP returns rho = mu^2/2.
func (g GDP) ZCDP() (Bound[ZCDP], error) {
	if err := g.Validate(); err != nil {
		return Bound[ZCDP]{}, err
	}
	rho := mulUp(g.Mu, g.Mu/2)
	return finite(ZCDP{rho}, rho, "rho", Source{"dong22", "Corollary B.6"})
}

// Group returns the privacy of g >= 1 records: g mu.
func (g GDP) Group(size int64) (Bound[GDP], error) {
	if err := cmp.Or(g.Validate(), count("group", size)); err != nil {
		return Bound[GDP]{}, err
	}
	mu := mulUp(g.Mu, floatUp(size))
	return finite(GDP{mu}, mu, "mu", Source{"dong22", "Theorem 2.14"})
}

var gaussianProfile = []Source{{"balle18", "Theorem 8"}, {"dong22", "Corollary 2.13"}}

// Approx returns the least epsilon >= 0 that goes with a given 0 < delta <= 1,
// rounded up by a few units in the last place (where it is close to 0, of mu). It
// reports NotApplicable for delta = 0 and NoAnswer where epsilon exceeds float64.
func (g GDP) Approx(delta LogProb) (Bound[Approx], error) {
	if err := cmp.Or(g.Validate(), probability("delta", delta), needsDelta(gaussianProfile[0], delta)); err != nil {
		return Bound[Approx]{}, err
	}
	epsilon := g.leastEpsilon(delta)
	return finite(Approx{epsilon, delta}, epsilon, "epsilon", gaussianProfile...)
}

// LnDelta returns the least delta that goes with epsilon,
//
//	delta(epsilon) = Phi(mu/2 - epsilon/mu) - e^epsilon Phi(-mu/2 - epsilon/mu),
//
// never below the truth; its logarithm is within 3e-13 + 2^-51 |ln delta| of it. It
// is meant for the inside of a search: no check, no allocation. For mu or epsilon
// outside mu > 0 and epsilon >= 0, and for NaN, it returns delta = 1, which is true
// of anything.
func (g GDP) LnDelta(epsilon float64) LogProb {
	inside := g.Mu > 0 && g.Mu <= math.MaxFloat64
	if !(inside && epsilon >= 0 && epsilon <= math.MaxFloat64) {
		return 0
	}
	lnDelta, _ := g.profile(epsilon)
	return LogProb(lnDelta)
}

// profile returns ln delta and spread = delta/phi(a), a = epsilon/mu - mu/2. With
// b = a + mu and Mills' ratio R = Q/phi,
//
//	delta = Q(a) - e^epsilon Q(b) = phi(a) (R(a) - R(b)),
//
// because e^epsilon phi(b) = phi(a). It is the price of an option, and its slopes
// are d delta/d mu = phi(a) and d delta/d epsilon = -phi(a) R(b).
func (g GDP) profile(epsilon float64) (lnDelta, spread float64) {
	// a^2/2 may be 1e6 and more, where the rounding of a would show: two words for a.
	x, y := epsilon, g.Mu
	if y < 0x1p-400 {
		x, y = x*0x1p500, y*0x1p500
	}
	q := x / y
	if q > math.MaxFloat64 {
		return farBelow, 0
	}
	a := num.DD{Hi: q, Lo: -math.FMA(q, y, -x) / y}.AddFloat(-g.Mu / 2)
	if a.Hi > 1e150 {
		return farBelow, 0
	}
	square := num.Square(a.Hi)
	rest := square.Lo/2 + a.Hi*a.Lo
	if a.Hi < -1 { // delta > 2/3: the complement is Q(-a) + e^epsilon Q(b), without cancellation
		if a.Hi < -40 {
			return 0, math.Inf(1)
		}
		phi := num.Exp(-square.Hi/2) * (1 - rest) * invSqrt2Pi
		lnDelta = math.Log1p(-phi * (num.Mills(-a.Hi) + num.Mills(a.Hi+g.Mu)) * (1 - 0x1p-43))
		return lnDelta, num.Exp(lnDelta) / phi
	}
	spread = num.MillsDrop(a.Hi, g.Mu)
	lnSpread := num.Log(spread)
	if spread < 0x1p-1000 { // R is convex: the drop is at most width times slope
		lnSpread = num.Log(g.Mu) + num.Log(num.MillsDeficit(a.Hi))
	}
	lnDelta = -square.Hi/2 - (rest + lnSqrt2Pi - lnSpread)
	return math.Min(0, lnDelta+(0x1p-43+0x1p-52*math.Abs(lnDelta))), spread
}

const (
	lnSqrt2Pi   = 0.91893853320467274178 // ln sqrt(2 pi)
	invSqrt2Pi  = 0.39894228040143267794
	farBelow    = -1e299 // above -a^2/2 for a > 1e150
	lnAlmostOne = -1e-300
)

// leastEpsilon returns an epsilon with delta(epsilon) <= delta, the least up to
// rounding, for delta > 0. It is +Inf on overflow.
func (g GDP) leastEpsilon(delta LogProb) float64 {
	if g.LnDelta(0) <= delta {
		return 0
	}
	if delta < farBelow {
		return math.Inf(1)
	}
	target := min(delta.Ln(), lnAlmostOne)
	// delta <= P[N > a] gives a start on the right of the root. ln delta is concave in
	// epsilon (delta is the upper tail of a Gaussian less an exponential variable), so
	// Newton's steps fall to the root and never past it.
	epsilon := math.Max(0, g.Mu*(num.UpperQuantile(target)+g.Mu/2))
	if epsilon > math.MaxFloat64 {
		return epsilon
	}
	for range 100 {
		lnDelta, spread := g.profile(epsilon)
		step := (lnDelta - target) * spread / num.Mills(epsilon/g.Mu+g.Mu/2)
		if !(math.Abs(step) > 0x1p-51*epsilon) {
			break
		}
		epsilon = math.Max(0, epsilon+step)
	}
	for slack := 0x1p-52; epsilon <= math.MaxFloat64 && g.LnDelta(epsilon) > delta; slack *= 2 {
		epsilon += slack * (epsilon + g.Mu)
	}
	return epsilon
}

// GaussianMu returns the greatest mu at which a mu-GDP mechanism is (epsilon,
// delta)-private, rounded down by a few units in the last place. It is meant for the
// inside of a search: no error, no allocation. It returns 0, which is no valid
// mu, where epsilon >= 0 and -1e299 <= ln delta < 0 fail or mu would underflow.
func GaussianMu(epsilon float64, delta LogProb) float64 {
	inside := delta.IsInterior() && delta >= farBelow
	if !(inside && epsilon >= 0 && epsilon <= math.MaxFloat64) {
		return 0
	}
	target := min(delta.Ln(), lnAlmostOne)
	// delta <= P[N > a] and delta <= mu phi(0) give two starts on the left of the root.
	// ln delta is concave in ln mu: its slope is the reciprocal of the mean of -R' over
	// [a, b], which grows with mu as R is convex and b - a grows while (a+b)/2 falls. So
	// Newton's steps climb to the root and never past it.
	x := num.UpperQuantile(target)
	root := hypot(x, math.Sqrt2*math.Sqrt(epsilon))
	mu := root - x
	if x > 0 {
		mu = 2 * (epsilon / (root + x))
	}
	mu = math.Max(mu, num.Exp(target+lnSqrt2Pi))
	for range 100 {
		if mu == 0 {
			return 0
		}
		lnDelta, spread := GDP{mu}.profile(epsilon)
		step := (target - lnDelta) * spread / mu
		if !(step > 0x1p-51) {
			break
		}
		mu *= num.Exp(math.Min(step, 600))
	}
	for slack := 0x1p-52; mu > 0 && (GDP{mu}).LnDelta(epsilon) > delta; slack *= 2 {
		mu *= 1 - math.Min(slack, 0.5)
	}
	return mu
}

// GaussianFor returns the greatest mu at which a mu-GDP mechanism meets an
// (epsilon, delta) goal with 0 < delta < 1, rounded down by a few units in the last
// place: the Gaussian mechanism then needs the standard deviation sensitivity/mu.
func GaussianFor(goal Approx) (Bound[GDP], error) {
	if err := cmp.Or(goal.Validate(),
		Domain(goal.LnDelta.IsInterior(), "delta", goal.LnDelta, "a probability in (0, 1)")); err != nil {
		return Bound[GDP]{}, err
	}
	mu := GaussianMu(goal.Epsilon, goal.LnDelta)
	if mu == 0 {
		return Bound[GDP]{}, &NoAnswerError{Reason: "mu is below the smallest float64"}
	}
	return finite(GDP{mu}, mu, "mu", gaussianProfile...)
}

func positive(param string, x float64) error {
	return Domain(x > 0 && x <= math.MaxFloat64, param, x, "a number > 0")
}

func count(param string, n int64) error {
	return Domain(n >= 1, param, n, "an integer >= 1")
}

func probability(param string, p LogProb) error {
	return Domain(p.IsValid(), param, p, "a probability in [0, 1]")
}

func needsDelta(source Source, delta LogProb) error {
	if delta == Zero {
		return &NotApplicableError{Source: source, Needs: "delta > 0"}
	}
	return nil
}

// finite wraps a result, or reports that its parameter x overflowed.
func finite[T any](value T, x float64, param string, sources ...Source) (Bound[T], error) {
	if !(math.Abs(x) <= math.MaxFloat64) {
		return Bound[T]{}, &NoAnswerError{Reason: param + " exceeds the largest float64"}
	}
	return Bound[T]{Value: value, Sources: sources}, nil
}

// above covers the rounding of a short chain of operations on positive numbers.
func above(x float64) float64 { return math.Nextafter(x*(1+0x1p-50), math.Inf(1)) }

// lnUp adds to a logarithm what its rounding may have cost, when the terms it was
// made of are at most magnitude, and caps it at ln 1.
func lnUp(x, magnitude float64) LogProb {
	if math.IsInf(x, -1) {
		return Zero
	}
	return LogProb(math.Min(0, x+(math.Abs(magnitude)+math.Abs(x)+8)*0x1p-52))
}

// mulUp returns the product of two numbers >= 0, rounded up.
func mulUp(a, b float64) float64 {
	p := a * b
	lost := p < 0x1p-960 && a > 0 && b > 0
	if lost || math.FMA(a, b, -p) > 0 {
		p = math.Nextafter(p, math.Inf(1))
	}
	return p
}

// divUp returns the quotient of two positive numbers, rounded up.
func divUp(a, b float64) float64 {
	q := a / b
	if math.FMA(q, b, -a) < 0 || q < 0x1p-960 || a < 0x1p-960 {
		q = math.Nextafter(q, math.Inf(1))
	}
	return q
}

// addUp returns the sum, rounded up.
func addUp(a, b float64) float64 {
	s := num.FromFloat(a).AddFloat(b)
	if s.Lo > 0 {
		return math.Nextafter(s.Hi, math.Inf(1))
	}
	return s.Hi
}

// sqrtUp returns the square root of a positive number, rounded up.
func sqrtUp(x float64) float64 {
	r := math.Sqrt(x)
	if math.FMA(r, r, -x) < 0 {
		r = math.Nextafter(r, math.Inf(1))
	}
	return r
}

// floatUp returns the least float64 >= n, for n >= 1.
func floatUp(n int64) float64 {
	f := float64(n)
	if f < 1<<63 && int64(f) < n {
		return math.Nextafter(f, math.Inf(1))
	}
	return f
}

// hypot returns sqrt(x^2 + y^2) without overflow, the same on all machines.
func hypot(x, y float64) float64 {
	large, small := max(math.Abs(x), math.Abs(y)), min(math.Abs(x), math.Abs(y))
	if large == 0 {
		return 0
	}
	return large * math.Sqrt(1+small/large*(small/large))
}
