package noise

import (
	"math"

	"github.com/dpcalc/dpcalc/internal/num"
	"github.com/dpcalc/dpcalc/maxinfo"
	"github.com/dpcalc/dpcalc/theory"
)

// order is an order a of the Renyi divergence and its conjugate a' = a/(a-1).
type order struct{ a, conj float64 }

// Any set of orders is valid. From one to the next a-1 grows by a third, which costs less than a thousandth of n
// against a continuum. The last is the limit of a, and serves the first query, before which nothing is revealed.
const (
	leastExcess = 0.003 // of a above 1
	mostExcess  = 1000
	orderCount  = 46
)

var orders = func() (all [orderCount]order) {
	const count = orderCount - 1
	ratio := num.Exp(num.Log(mostExcess/leastExcess) / (count - 1))
	excess := leastExcess
	for i := range count {
		all[i] = order{1 + excess, (1 + excess) / excess}
		excess *= ratio
	}
	all[count] = order{math.Inf(1), 1}
	return all
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

// Bound is the joint bound for Gaussian answers. The n records are independent. Query j is a mean over the records of a
// function with values in [0,1], which may depend on all earlier answers; its answer carries independent noise sd_j z,
// z standard normal and, where the noise is cut, drawn again until |z| <= cut. With G(w) = P[z > w], answer j is within
// tau_j of the population with probability at least 1 - eps_j, where
//
//	eps_j = u_j + min{u_j, F_j T_1^V},   u_j = min over a > 1 of e^(D_(j-1)/a') min{T_a', N_a'}^(1/a'),   a' = a/(a-1),
//	T_b^V = min_w G(w)^b exp(V v^2/2 - v(tau_j - sd_j w)),   v = (b/sd_j) G'(w)/G(w),   T_b = T_b^(1/4n),
//	N_b   = (1/2) u(1/n)^b + int_0^inf phi(z) u(1/n + z/(2 sqrt n))^b dz,   u(X) = G((tau_j-X)/sd_j) up to tau_j,
//
// and u a straight line beyond. D_j and ln F_j are sums of what each answer reveals at order a and at order one, and V
// = (1+h_j)/(4n) with the inflation of [maxinfo.Inflation] at r_j = (a/(4n^2)) sum_(i<j) sd_i^-2. One-sided, eps_j =
// u_j. The probability that any answer is further off than its tau_j is at most the sum of the eps_j.
//
// Each eps_j is taken at the best of a fixed set of orders and rounded up, so it is never
// below the theorem's least value. The sd_j and tau_j must not depend on the answers. The
// proof is in docs/theorems/transfer.md, "Joint bound".
type Bound struct {
	state
	sides    Sides
	answered []answered          // the runs so far, which not all orders have seen
	past     [orderCount]float64 // D_(j-1) of the answers that the order has seen, +Inf where the theorem does not hold
	passed   [orderCount]int     // of the runs
	lnWeight float64             // ln F_j
	best     int                 // the order that served last
	total    float64             // ln of the sum of the errors
	closed   bool                // the last answer carried no noise
}

// state is what the variance lemma takes of the answers so far.
type state struct {
	n, seen float64 // the records of the next answer, and of the last one
	shift   float64 // (1/4) sum over the answers of (n_l sd_l)^-2: r_j(a) = a shift
}

// answered is a run and the state before it.
type answered struct {
	state
	run
}

// run is consecutive queries with the same noise and the same accuracy.
type run struct {
	tau, sd, count float64
	law            law
}

// New returns the bound before the first query to n = samples records. The error is a DomainError.
func New(samples int64, sides Sides) (*Bound, error) {
	want := "a whole number from 1 to 9007199254740992"
	if err := theory.Domain(isCount(samples), "samples", samples, want); err != nil {
		return nil, err
	}
	return newBound(samples, sides), nil
}

func newBound(samples int64, sides Sides) *Bound {
	return &Bound{sides: sides, state: state{n: float64(samples)}, best: orderCount - 1, total: math.Inf(-1)}
}

func isCount(n int64) bool { return n >= 1 && n <= theory.MaxSamples }

// Answer adds a run of queries, each answered with the noise of the block and wanted
// within tau. It returns an upper bound of the sum of their eps_j, at most 1, in time that
// does not depend on the run's length. A standard deviation of zero is allowed for the last query
// of all. The error is a DomainError, after which the bound is as it was.
func (b *Bound) Answer(block theory.NoiseBlock, tau float64) (theory.LogProb, error) {
	if err := theory.Domain(!b.closed, "query", "one after an answer without noise", "none"); err != nil {
		return 0, err
	}
	want := "a whole number from 1 to 9007199254740992"
	if err := theory.Domain(isCount(block.Queries), "queries", block.Queries, want); err != nil {
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
	cut := block.Cut == 0 || block.Cut >= leastCut && block.Cut <= mostCut
	if err := theory.Domain(cut, "cut", block.Cut, "a number in [1, 30], or 0 for none"); err != nil {
		return 0, err
	}
	q := run{tau: tau, sd: block.Scale, count: float64(block.Queries), law: lawOf(block.Cut)}
	ln := b.answer(q, b.errors(q))
	b.closed = silent
	return theory.LogProb(min(ln, 0)), nil
}

// Noise is cut within this range of standard deviations.
const leastCut, mostCut = 1, 30

// Total returns an upper bound of the sum of all eps_j so far, at most 1: the probability that any
// answer is further off than its tau.
func (b *Bound) Total() theory.LogProb {
	if len(b.answered) == 0 {
		return theory.Zero
	}
	return theory.LogProb(min(b.total+float64(len(b.answered))*(1+math.Abs(b.total))*0x1p-50, 0))
}

// roundUp covers the rounding of the sums and elementary functions below, relative to the largest term.
const roundUp = 0x1p-46

// Noise outside this range of tau/sd is of no use.
const leastZ, mostZ = 1e-6, 1e9

// served is ln of the sum of a run's errors and the order that served.
type served struct {
	ln    float64
	order int
}

// errors returns ln of the sum of eps_j over the run. What the answers reveal is counted in every summand as for
// the run's last query. As a function of the order the sum has one minimum.
func (b *Bound) errors(q run) served { return b.over(q, orderCount) }

// over is errors, over so many orders on each side of the one that served last. The trivial bound stands where the
// noise is of no use.
func (b *Bound) over(q run, around int) served {
	if z := q.tau / q.sd; q.sd > 0 && !(z > leastZ && z < mostZ) {
		return served{b.sides.lnCount() + num.Log(q.count), b.best}
	}
	likelier, cells := served{math.Inf(1), b.best}, -2*orderCount
	for range mostCells { // the cells are best for an order near the best
		if max(likelier.order-cells, cells-likelier.order) <= 1 {
			break
		}
		cells = likelier.order
		likelier = b.least(q.of(b.n, orders[cells].conj), cells, around)
	}
	if b.sides == Both && !math.IsInf(likelier.ln, 1) {
		likelier.ln = num.LogAddExp(likelier.ln, min(likelier.ln, b.rarer(q))) + roundUp
	}
	return likelier
}

// mostCells is how often cells are laid for a run: two orders may each be the best on the cells of the other.
const mostCells = 5

// least returns the least of likelier over so many orders on each side of one.
func (b *Bound) least(q *fresh, from, around int) served {
	best := served{b.likelier(from, q), from}
	for _, step := range [2]int{-1, 1} {
		for i := best.order + step; i >= 0 && i < orderCount && max(i-from, from-i) <= around; i += step {
			ln := b.likelier(i, q)
			// Above a valid order all are, so an invalid one looks downwards.
			if !(ln < best.ln || step < 0 && math.IsInf(best.ln, 1)) {
				break
			}
			best = served{ln, i}
		}
	}
	return best
}

// likelier bounds ln of the sum, over the run, of the probabilities that an answer errs on the side on which that is
// likelier given the answers before it, by one order: e^(D_(j-1)/a') min{T, N}^(1/a').
func (b *Bound) likelier(i int, q *fresh) float64 {
	o, past := orders[i], b.revealed(i)
	if first := b.shift == 0 && q.count == 1; math.IsInf(past, 1) || math.IsInf(o.a, 1) && !first {
		return math.Inf(1)
	}
	ln := (past + q.moment(o.conj)) / o.conj
	if q.count > 1 {
		each := b.reveals(o.a, q.run)
		if math.IsInf(each, 1) {
			return each
		}
		ln += num.LnGeometric(each/o.conj, q.count)
	}
	return ln + math.Abs(ln)*roundUp
}

// rarer bounds ln of the sum, over the run, of the probabilities that an answer errs on the other side: F_j T_1^V.
func (b *Bound) rarer(q run) float64 {
	variance := b.variance(1, q)
	if math.IsInf(variance, 1) || !(b.lnWeight < math.MaxFloat64) {
		return math.Inf(1)
	}
	ln := b.lnWeight + q.tangent(variance, 1)
	if q.count > 1 {
		ln += num.LnGeometric(q.weight(variance), q.count)
	}
	return ln + math.Abs(ln)*roundUp
}

// variance returns V = (1+h)/(4n) for the run's last query at an order, rounded up; +Inf where the variance lemma does
// not hold. The records that no earlier answer was about are still independent: h counts for the others alone.
func (b state) variance(a float64, q run) float64 {
	shift, seen := b.shift, b.seen
	if q.count > 1 {
		shift, seen = shift+(q.count-1)*b.step(q), b.n
	}
	if shift == 0 {
		return 1 / (4 * b.n) * (1 + roundUp)
	}
	inflation, ok := maxinfo.Inflation(int64(seen), a*shift*(1+roundUp))
	if !ok {
		return math.Inf(1)
	}
	return (1 + (inflation-1)*seen/b.n) / (4 * b.n) * (1 + roundUp)
}

// step is what one answer of the run adds to the shift.
func (b state) step(q run) float64 { return 1 / (4 * b.n * b.n * q.sd * q.sd) }

// reveals returns Delta_j(a), what each answer of the run adds to D, rounded up; +Inf where the theorem does not hold.
func (b state) reveals(a float64, q run) float64 {
	variance := b.variance(a, q)
	if math.IsInf(a, 1) || math.IsInf(variance, 1) {
		return math.Inf(1)
	}
	return q.law.reveals(a, variance/(q.sd*q.sd))
}

// reveals returns Delta(a) at x = V/sd^2, rounded up:
//
//	(1/2) ln(1+ax) + a' ln(min(1, N(a))/Z).
func (k law) reveals(a, x float64) float64 {
	plain := lnUp(a*x) / 2
	if math.IsInf(k.cut, 1) {
		return plain
	}
	conj := a / (a - 1)
	return plain + conj*(k.caught(a, x, 2*plain)-k.lnMass)*(1+roundUp) + (1+conj)*0x1p-49
}

// caught returns ln min(1, N(a)), rounded up, given ln(1+ax):
//
//	N(a) = [(1 - 2 P[N > cut sqrt(1+ax)])^(a-1) (1 - 2 P[N > cut sqrt((1+ax)(1+a^2x))])]^(1/a)
//	       + 2 phi(cut) sqrt(2 pi ax) P[N > cut sqrt(ax)] (1+ax)^(-(a-1)/(2a)).
func (k law) caught(a, x, lnGrown float64) float64 {
	grown := 1 + a*x
	inner := math.Log1p(-2*survival(k.cut*math.Sqrt(grown))) * (a - 1)
	inner += math.Log1p(-2 * survival(k.cut*math.Sqrt(grown*(1+a*a*x))))
	beyond := 2 * k.density * math.Sqrt(2*math.Pi*a*x) * survival(k.cut*math.Sqrt(a*x))
	if a > 1 {
		beyond *= num.Exp(-(a - 1) / (2 * a) * lnGrown)
	}
	return min(num.Log(num.Exp(inner/a)+beyond)+0x1p-50, 0)
}

// survival returns P[N > u] for u >= 0.
func survival(u float64) float64 { return num.Exp(-u*u/2-num.LnSqrt2Pi) * num.Mills(u) }

// weight returns ln of the factor of F_j of one answer, rounded up, where the variance is V.
func (q run) weight(variance float64) float64 {
	switch {
	case math.IsInf(q.law.cut, 1):
		return 0
	case math.IsInf(variance, 1): // the lemma does not hold
		return variance
	}
	x := variance / (q.sd * q.sd)
	return q.law.caught(1, x, 0) - q.law.lnMass + 0x1p-49
}

// lnUp returns ln(1+x) for x >= 0, at most 2^-51 too large and never too small but for the
// rounding of its last digit. math.Log is several times faster than math.Log1p.
func lnUp(x float64) float64 {
	if x < 1e-3 {
		return math.Log1p(x)
	}
	return num.Log(1+x) + 0x1p-52
}

// answer moves the bound past the run, whose errors are those, and returns ln of them.
func (b *Bound) answer(q run, s served) float64 {
	b.total = num.LogAddExp(b.total, min(s.ln, 700)) // finite, and beyond one
	b.answered = append(b.answered, answered{b.state, q})
	b.best = s.order
	if q.sd == 0 {
		return s.ln
	}
	b.lnWeight += q.count * q.weight(b.variance(1, q)) * (1 + roundUp)
	b.shift, b.seen = (b.shift+q.count*b.step(q))*(1+0x1p-51), b.n
	return s.ln
}

// revealed returns D_(j-1) at an order.
func (b *Bound) revealed(i int) float64 {
	for ; b.passed[i] < len(b.answered) && b.past[i] < math.MaxFloat64; b.passed[i]++ {
		one := b.answered[b.passed[i]]
		b.past[i] += one.count * one.reveals(orders[i].a, one.run) * (1 + roundUp)
	}
	if !(b.past[i] < math.MaxFloat64) {
		b.past[i] = math.Inf(1)
	}
	return b.past[i]
}
