package joint

import (
	"math"
	"slices"

	"github.com/dpcalc/dpcalc/internal/num"
	"github.com/dpcalc/dpcalc/maxinfo"
	"github.com/dpcalc/dpcalc/theory"
)

// Bound is the joint bound for Gaussian answers. The n records are independent.
// Query j is a mean over the records of a function with values in [0,1], which may depend on
// all earlier answers; its answer carries independent noise N(0, sd_j^2). With probability at least
// 1 - eps_j answer j is within tau_j of the population, where for every order a > 1, with a' = a/(a-1),
//
//	eps_j = e^(D_(j-1)/a') min{ 2 T_a'^(1/a'), (2 T_a' + 2 (2^a'-1) P[N > tau_j/sd_j] T_(a'-1))^(1/a') },
//	D_j   = (1/2) sum_(l<=j) ln(1 + a(1+h_l)/(4n sd_l^2)),
//	T_b   = min_x P[N > (tau_j-x)/sd_j]^b exp(v^2/(8n) - v x),   v = (b/sd_j) num.Hazard((tau_j-x)/sd_j),
//
// N standard normal, and 1+h_l the inflation of [maxinfo.Inflation] at r_l =
// (a/(4n^2)) sum_(i<l) sd_i^-2. The probability that any answer is further off than its
// tau_j is at most the sum of the eps_j.
//
// Each eps_j is taken at the best of a fixed set of orders and rounded up, so it is never
// below the theorem's least value. The sd_j and tau_j must not depend on the answers. The
// proof is in docs/theorems/transfer.md, "Joint bound".
type Bound struct {
	n        float64
	sides    Sides
	orders   []order
	answered []run   // the last runs, which not all orders have seen
	best     int     // the order that served last
	clear    float64 // by how much ln of the errors was above at those next to it
	tail     tangent // at the last tau/sd, which all orders ask for
	total    float64 // ln of the sum of the errors
	runs     int     // how many were added
	closed   bool    // the last answer carried no noise
}

// order is one order of the Renyi divergence and what the answers so far reveal at it.
type order struct {
	a, conj float64    // a and a'; +Inf and 1 for the order that serves the first query
	gain    float64    // ln(2^a' - 1)
	past    float64    // D_(j-1), +Inf where the theorem does not hold
	r       float64    // r_j
	seen    int        // how many of the bound's last runs these count
	touch   [2]tangent // those that served T_a' and T_(a'-1) last
	next    run        // the run looked at last, if it has not been passed
	each    float64    // what each of its answers adds
}

// Any set of orders is valid. From one to the next a-1 grows by a third, which costs less than
// a thousandth of n against a continuum.
const (
	leastExcess = 0.003 // of a above 1
	mostExcess  = 1000
	orderCount  = 45
)

// noAnswers is the orders before the first query. The last is the limit of a: it serves the
// first query, before which nothing is revealed.
var noAnswers = func() []order {
	orders := make([]order, orderCount+1)
	ratio := num.Exp(num.Log(mostExcess/leastExcess) / (orderCount - 1))
	excess := leastExcess
	for i := range orders {
		o := &orders[i]
		o.a, o.conj = 1+excess, (1+excess)/excess
		if i == orderCount {
			o.a, o.conj = math.Inf(1), 1
		}
		o.gain = num.Log(math.Expm1(o.conj * math.Ln2))
		excess *= ratio
	}
	return orders
}()

// Sides says which errors count.
type Sides int

const (
	Both  Sides = iota // answers that are off by more than tau
	Above              // answers that exceed the population's value by more than tau
)

// SidesOf returns Above for a promise about one side.
func SidesOf(oneSided bool) Sides {
	if oneSided {
		return Above
	}
	return Both
}

// lnCount is ln of how many sides there are.
func (s Sides) lnCount() float64 {
	if s == Above {
		return 0
	}
	return math.Ln2
}

// New returns the bound before the first query to n = samples records. The error is
// a DomainError.
func New(samples int64, sides Sides) (*Bound, error) {
	want := "a whole number from 1 to 9007199254740992"
	if err := theory.Domain(samples >= 1 && samples <= theory.MaxSamples, "samples", samples, want); err != nil {
		return nil, err
	}
	return newBound(samples, sides), nil
}

func newBound(samples int64, sides Sides) *Bound {
	b := &Bound{n: float64(samples), sides: sides, orders: slices.Clone(noAnswers), total: math.Inf(-1)}
	b.best = len(b.orders) - 1
	return b
}

// Answer adds a run of queries, each answered with the noise of the block and wanted
// within tau. It returns an upper bound of the sum of their eps_j, at most 1, in time that
// does not depend on the run's length. A standard deviation of zero is allowed for the last query
// of all. The error is a DomainError, after which the bound is as it was.
func (b *Bound) Answer(block theory.NoiseBlock, tau float64) (theory.LogProb, error) {
	if err := theory.Domain(!b.closed, "query", "one after an answer without noise", "none"); err != nil {
		return 0, err
	}
	want := "a whole number from 1 to 9007199254740992"
	if err := theory.Domain(block.Queries >= 1 && block.Queries <= theory.MaxSamples, "queries", block.Queries,
		want); err != nil {
		return 0, err
	}
	if err := theory.Domain(tau > 0 && tau < 1, "tau", tau, "a number in (0, 1)"); err != nil {
		return 0, err
	}
	silent := block.Scale == 0 && block.Queries == 1
	want = "a number in [1e-100, 1e100], or 0 for the last query"
	noisy := block.Scale >= 1e-100 && block.Scale <= 1e100
	if err := theory.Domain(silent || noisy, "standard deviation", block.Scale, want); err != nil {
		return 0, err
	}
	if err := theory.Domain(block.Cut == 0, "cut", block.Cut, "0: the bound is for noise that is not cut"); err != nil {
		return 0, err
	}
	q := run{tau: tau, sd: block.Scale, count: float64(block.Queries), sides: b.sides}
	ln := b.leastOfAll(q)
	b.total, b.runs = num.LogAddExp(b.total, min(ln, 700)), b.runs+1 // finite, and beyond one
	if b.closed = silent; !silent {
		b.answer(q)
		b.settle()
	}
	return theory.LogProb(min(ln, 0)), nil
}

// Total returns an upper bound of the sum of all eps_j so far, at most 1: the probability that any
// answer is further off than its tau.
func (b *Bound) Total() theory.LogProb {
	if b.runs == 0 {
		return theory.Zero
	}
	return theory.LogProb(min(b.total+float64(b.runs)*(1+math.Abs(b.total))*0x1p-50, 0))
}

// run is consecutive queries with the same noise and the same accuracy.
type run struct {
	tau, sd, count float64
	sides          Sides
}

// roundJoint covers the rounding of the sums and elementary functions below, relative
// to the largest term.
const roundJoint = 0x1p-46

// lnTail returns ln P[N > u], given the hazard h at u.
func lnTail(u, h float64) float64 {
	if u < -1 {
		return num.LogSurvival(u)
	}
	return -u*u/2 - num.LnSqrt2Pi - num.Log(h)
}

// tangent is where a line touches the logarithm of the normal tail: u = (tau-x)/sd, the hazard there,
// which is zero if nothing is known, and ln P[N > u].
type tangent struct{ u, h, ln float64 }

// at moves to the tangent at u.
func (t *tangent) at(u float64) {
	if t.u != u || t.h == 0 {
		t.u, t.h = u, num.Hazard(u)
		t.ln = lnTail(u, t.h)
	}
}

// chernoff returns ln T_b by the tangent, rounded up. Here k = 1/(4n sd^2) and z = tau/sd. Every
// tangent is valid.
func (t tangent) chernoff(b, k, z float64) float64 {
	v := b * t.h // times sd
	spread, shift, drop := v*v*k/2, v*(z-t.u), -b*t.ln
	return spread - shift - drop + (spread+math.Abs(shift)+drop+b)*roundJoint
}

// slope returns about the derivative of ln T_b in z = tau/sd.
func (t tangent) slope(b, k, z float64) float64 {
	v := b * t.h
	return v * (v*k/z - 1)
}

// settle moves to the best tangent, where u + b k num.Hazard(u) = z. What u is off then, less than 1e-7, costs
// its square.
func (t *tangent) settle(b, k, z float64) {
	if least := z / (b * k); least < 0.1 { // it touches where the tail is nearly one
		t.at(-math.Sqrt(-2 * (num.Log(least) + num.LnSqrt2Pi)))
	} else if t.h == 0 {
		t.at(z / 2)
	}
	for range 60 {
		step := t.step(b, k, z)
		away := math.Abs(step) / (1 + math.Abs(t.u))
		if away <= 1e-7 {
			break
		}
		t.u, t.h = t.u-step, num.Hazard(t.u-step)
		if t.ln = 0; away <= 1e-3 { // Halley's leaves about the cube
			break
		}
	}
	if t.ln == 0 {
		t.ln = lnTail(t.u, t.h)
	}
}

// step returns how far u is above the best one, by Halley's method where that is near and by
// Newton's elsewhere.
func (t *tangent) step(b, k, z float64) float64 {
	rise, bend := 1.0, 0.0 // of the hazard, which the differences below lose for large u
	if t.u < 1000 {
		rise = t.h * (t.h - t.u)
		bend = rise*(2*t.h-t.u) - t.h
	}
	slope := 1 + b*k*rise
	step := (t.u + b*k*t.h - z) / slope
	if math.Abs(step) > 0.1*(1+math.Abs(t.u)) {
		return step
	}
	return step / (1 - step*b*k*bend/(2*slope))
}

// sampling returns ln eps_j without what earlier answers reveal, and its derivative in
// z = tau/sd. The tail is one that another order may have left at z.
func (o *order) sampling(n float64, q run, noise *tangent) (ln, slope float64) {
	if q.sd == 0 { // T_b = e^(-2n tau^2), whatever b is
		return (q.sides.lnCount() - 2*n*q.tau*q.tau*(1-roundJoint)) / o.conj, 0
	}
	z, k := q.tau/q.sd, 1/(4*n*q.sd*q.sd)
	if !(z > 1e-6) { // no noise like that is of use: the trivial bound, once for each side
		return q.sides.lnCount(), 0
	}
	t := &o.touch[0]
	t.settle(o.conj, k, z)
	near, slope := t.chernoff(o.conj, k, z), t.slope(o.conj, k, z)
	if q.sides == Above {
		return near/o.conj + roundJoint, slope / o.conj
	}
	noise.at(z)
	far, dFar := o.otherSide(k, z, near-o.gain-noise.ln*(1-roundJoint))
	odds := num.Exp(far)
	both := near + math.Log1p(odds)
	minkowski, sum := math.Ln2+near/o.conj+roundJoint, (math.Ln2+both+roundJoint)/o.conj
	if minkowski <= sum {
		return minkowski, slope / o.conj
	}
	return sum, (slope + odds/(1+odds)*(dFar-noise.h-slope)) / o.conj
}

// otherSide returns ln T_(a'-1) less the given number, and about its derivative.
func (o *order) otherSide(k, z, less float64) (ln, slope float64) {
	b := o.conj - 1
	if b == 0 {
		return -less, 0
	}
	if ln = o.touch[0].chernoff(b, k, z) - less; ln < negligible {
		return ln, 0
	}
	t := &o.touch[1]
	t.settle(b, k, z)
	return t.chernoff(b, k, z) - less, t.slope(b, k, z)
}

// negligible is ln of the loss in the rounding of one.
const negligible = -40

// adds returns what each answer of the run adds to D on average, rounded up; it is +Inf where
// the theorem does not hold. The summand is convex in r: its mean over the run is at most that
// of the first and the last.
func (o *order) adds(n float64, q run) float64 {
	c := o.a / (4 * n * q.sd * q.sd)
	x := c * inflation(n, o.r)
	if q.count == 1 {
		return lnUp(x) / 2
	}
	y := c * inflation(n, o.r+(q.count-1)*c/n)
	return lnUp(x+y+x*y) / 4
}

// addsNext is adds, which remembers the last run until it is passed.
func (o *order) addsNext(n float64, q run) float64 {
	if o.next != q {
		o.next, o.each = q, o.adds(n, q)
	}
	return o.each
}

// lnUp returns ln(1+x) for x >= 0, at most 2^-51 too large and never too small but for the
// rounding of its last digit. math.Log is several times faster than math.Log1p.
func lnUp(x float64) float64 {
	if x < 1e-3 {
		return math.Log1p(x)
	}
	return num.Log(1+x) + 0x1p-52
}

// pass moves the order past the run, each answer of which adds the given amount to D.
func (o *order) pass(n float64, q run, each float64) {
	o.next = run{}
	o.past += q.count * each * (1 + roundJoint)
	o.r += q.count * o.a / (4 * n * n * q.sd * q.sd) * (1 + roundJoint)
	if !(o.past < math.MaxFloat64) {
		o.past = math.Inf(1)
	}
}

// inflation is the inflation in the variance lemma, +Inf where the lemma does not hold. It is convex and
// increasing in r.
func inflation(n, r float64) float64 {
	bound, ok := maxinfo.Inflation(int64(n), r)
	if !ok {
		return math.Inf(1)
	}
	return bound
}

// mostShift returns an r just below the largest at which the variance lemma holds.
func mostShift(n float64) float64 {
	root := num.Interval{Lo: 0, Hi: 1}.SafeRoot(1e-3, func(r float64) float64 {
		if math.IsInf(inflation(n, r), 1) {
			return -1
		}
		return 1
	})
	return 0.99 * root
}

// errors returns ln of the sum of eps_j over the run at one order, and about its derivative
// in z = tau/sd. What the answers reveal grows convexly within the run, so ln eps_j
// stays below its chord, and the sum below a geometric one.
func (b *Bound) errors(o *order, q run) (ln, slope float64) {
	b.follow(o)
	if math.IsInf(o.past, 1) {
		return math.Inf(1), 0
	}
	ln, slope = o.sampling(b.n, q, &b.tail)
	ln += o.past / o.conj
	if q.count == 1 {
		return ln, slope
	}
	each := o.addsNext(b.n, q)
	if math.IsInf(each, 1) {
		return each, 0
	}
	c := o.a / (4 * b.n * q.sd * q.sd)
	slope += (q.count - 1) / 2 * c / (1 + c) * q.sd / q.tau / o.conj
	return ln + num.LnGeometric(each/o.conj, q.count), slope
}

// leastOfAll returns the least of errors over the orders.
func (b *Bound) leastOfAll(q run) (ln float64) {
	ln = math.Inf(1)
	for i := range b.orders {
		if other, _ := b.errors(&b.orders[i], q); other < ln {
			b.best, ln = i, other
		}
	}
	return ln
}

// least returns about the least of errors over the orders, going from the one that served
// last: as a function of the order they have one minimum, seldom one for each form of eps_j.
func (b *Bound) least(q run) (ln, slope float64) {
	ln, slope = b.errors(&b.orders[b.best], q)
	for _, step := range [2]int{-1, 1} {
		for i := b.best + step; i >= 0 && i < len(b.orders); i += step {
			other, d := b.errors(&b.orders[i], q)
			// Above a valid order all are, so an invalid one looks downwards.
			if !(other < ln || step < 0 && math.IsInf(ln, 1)) {
				break
			}
			b.best, ln, slope = i, other, d
		}
	}
	return ln, slope
}

// answer moves the bound past the run. An order is moved when it is needed.
func (b *Bound) answer(q run) { b.answered = append(b.answered, q) }

// follow moves the order past the runs that it has not seen.
func (b *Bound) follow(o *order) {
	for ; o.seen < len(b.answered); o.seen++ {
		q := b.answered[o.seen]
		o.pass(b.n, q, o.addsNext(b.n, q))
	}
}

// settle moves all orders, so that the runs need not be kept.
func (b *Bound) settle() {
	for i := range b.orders {
		b.follow(&b.orders[i])
		b.orders[i].seen = 0
	}
	b.answered = b.answered[:0]
}
