package noise

import (
	"math"

	"github.com/dpcalc/dpcalc/internal/num"
	"github.com/dpcalc/dpcalc/maxinfo"
	"github.com/dpcalc/dpcalc/theory"
)

// order is an order a of the Renyi divergence, its conjugate a' = a/(a-1), and what is known at it.
type order struct {
	index   int
	a, conj float64
	past    float64    // D_(j-1) of the answers that the order has seen, +Inf where the theorem does not hold
	passed  int        // of the runs
	each    step       // what was asked for last
	near    [2]float64 // where the tangents of T and t last touched
	far     [2]float64
	fresh   fresh
}

// step is what each answer of a run after so many others adds to D.
type step struct {
	passed int
	run    run
	each   float64
}

// fresh is ln T of fresh records and the noise of one query on each side, and of both together once that was asked for.
type fresh struct {
	query
	above, below, both float64
	found              bool
}

// ordersFrom returns orders whose a-1 grows by the ratio. Any set is valid. The last is the limit of a, and serves the
// first query, before which nothing is revealed.
func ordersFrom(excess, ratio, most float64) (all []order) {
	add := func(a, conj float64) {
		all = append(all, order{index: len(all), a: a, conj: conj})
	}
	all = make([]order, 0, 64)
	for ; excess <= most; excess *= ratio {
		add(1+excess, (1+excess)/excess)
	}
	add(math.Inf(1), 1)
	return all
}

// orders returns the orders of a plan for so many queries. The orders of low variance are finer, as every one of their
// n was found with them; an a-1 far below m^-0.6 is of no use.
func (t Theorem) orders(queries float64) []order {
	if _, ok := t.moment(); ok {
		return ordersFrom(min(0.3, 1.2*math.Pow(queries, -0.6)), 1.3, 200)
	}
	const least, most, count = 0.003, 1000, 45
	return ordersFrom(least, num.Exp(num.Log(most/least)/(count-1)), most*1.001)
}

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

// Bound certifies Gaussian answers. The n records are independent. Query j is a mean over the records of a function
// that may depend on all earlier answers; its answer carries independent noise sd_j z, z standard normal and, where the
// noise is cut, drawn again until |z| <= cut. With G(w) = P[z > w], answer j is within tau_j of the population with
// probability at least 1 - eps_j, where
//
//	eps_j = u_j + min{u_j, F_j T_1^V},   u_j = min over a > 1 of e^(D_(j-1)/a') min{T_a', N_a'}^(1/a'),   a' = a/(a-1),
//	T_b   = min_w G(w)^b exp(n g(v/n) - v(tau_j - sd_j w)),   v = (b/sd_j) G'(w)/G(w),
//	N_b   = (1/2) u(1/n)^b + int_0^inf phi(z) u(1/n + z/(2 sqrt n))^b dz,   u(X) = G((tau_j-X)/sd_j) up to tau_j,
//
// and u a straight line beyond. g bounds the tilt of one fresh record: l^2/8 for values in [0,1]. T_1^V has in place of
// it what the variance lemma leaves given the earlier answers, D_j and ln F_j are sums of what each of them reveals at
// order a and at order one. One-sided, eps_j = u_j. The probability that any answer is further off than its tau_j is at
// most the sum of the eps_j.
//
// For queries that vary little there is no N_b, T is the greater of both sides, and eps_j holds where the sample's
// share, by which the second moment is counted, is no more than it may be. It is at most
//
//	min{ T+^(1/a') + T-^(1/a'), (T+ + T- + (2^a'-1) P[N > tau_j/sd_j] (t+ + t-))^(1/a') } e^(D_(j-1)/a')
//
// too, t+- being T+- at a'-1, and to their sum the sum of the eta_j is added, the probabilities of a larger share:
//
//	eta_j = exp((D_(j-1) - n kl(share_j||share))/a').
//
// Each is taken at the best of a fixed set of orders and rounded up, so it is never below the theorem's least value.
// The sd_j, tau_j and shares must not depend on the answers. The proofs are in docs/theorems/transfer.md, "Joint
// bound", and docs/theorems/variance.md.
type Bound struct {
	Theorem
	state
	template certificate
	orders   []order
	answered []answered // the runs so far, which not all orders have seen
	best     int        // the order that served last
	kept     int        // the order that served the last share
	lnWeight float64    // ln F_j
	rare     rare
	chords   chords
	middle   int     // the order that the chords are for, and the two next to it
	total    float64 // ln of the sum of the errors
	closed   bool    // the last answer carried no noise
}

// state is what the variance lemma takes of the answers so far.
type state struct {
	n, seen float64 // the records of the next answer, and of the last one
	shift   float64 // (span^2/4) sum over the answers of (n_l sd_l)^-2: r_j(a) = a shift
}

// answered is a run and the state before it.
type answered struct {
	state
	run
}

// run is consecutive queries with the same noise, accuracy and share.
type run struct {
	query
	share, count float64
}

// rare is what a run errs on the side that is less likely.
type rare struct {
	answered
	touch, ln float64
}

// New returns the bound of a joint theorem before the first query to n = samples records. The error is a DomainError.
func New(samples int64, sides Sides) (*Bound, error) {
	if err := theory.Domain(isCount(samples), "samples", samples, counted); err != nil {
		return nil, err
	}
	b := newBound(Joint(sides), samples, 0)
	b.chords.cell = make([]chord, fineCells)
	return b, nil
}

// newBound returns the bound for so many queries, which only values of low variance need to know.
func newBound(t Theorem, samples, queries int64) *Bound {
	m := float64(queries)
	b := &Bound{
		Theorem: t, state: state{n: float64(samples)}, orders: t.orders(m), total: math.Inf(-1),
		chords: chords{cell: make([]chord, cells)},
	}
	if v, ok := t.moment(); ok {
		b.template = certificate{n: b.n, span: v.span(), reach: v.reach(), delta: 1e-4 / m, tail: 1e-4 / max(m, 100)}
	}
	b.best = len(b.orders) - 1
	return b
}

const counted = "a whole number from 1 to 9007199254740992"

func isCount(n int64) bool { return n >= 1 && n <= theory.MaxSamples }

// Answer adds a run of queries, each answered with the noise of the block and wanted within tau. It returns an upper
// bound of the sum of their eps_j, at most 1, in time that does not depend on the run's length. A standard deviation of
// zero is allowed for the last query of all. The error is a DomainError, after which the bound is as it was.
func (b *Bound) Answer(block theory.NoiseBlock, tau float64) (theory.LogProb, error) {
	if err := theory.Domain(!b.closed, "query", "one after an answer without noise", "none"); err != nil {
		return 0, err
	}
	if err := theory.Domain(isCount(block.Queries), "queries", block.Queries, counted); err != nil {
		return 0, err
	}
	if err := theory.Domain(tau > 0 && tau < 1, "tau", tau, "a number in (0, 1)"); err != nil {
		return 0, err
	}
	silent := block.Scale == 0 && block.Queries == 1
	want := "a number in [1e-100, 1e100], or 0 for the last query"
	noisy := block.Scale >= 1e-100 && block.Scale <= 1e100
	if err := theory.Domain(silent || noisy, "standard deviation", block.Scale, want); err != nil {
		return 0, err
	}
	cut := block.Cut == 0 || block.Cut >= leastCut && block.Cut <= mostCut
	if err := theory.Domain(cut, "cut", block.Cut, "a number in [1, 30], or 0 for none"); err != nil {
		return 0, err
	}
	q := b.run(block, tau)
	ln := b.leastErrors(q)
	b.pass(q, ln)
	b.closed = silent
	return theory.LogProb(min(ln, 0)), nil
}

// run is the run of queries of a block, whose share is the population's.
func (b *Bound) run(block theory.NoiseBlock, tau float64) run {
	q := query{b.n, tau, block.Scale, lawOf(block.Cut)}
	return run{query: q, share: b.share(), count: float64(block.Queries)}
}

// Noise is cut within this range of standard deviations.
const leastCut, mostCut = 1, 30

// Total returns an upper bound of the sum of all eps_j so far, at most 1: the probability that any
// answer is further off than its tau.
func (b *Bound) Total() theory.LogProb {
	if len(b.answered) == 0 {
		return theory.Zero
	}
	return theory.LogProb(min(b.total+float64(len(b.answered))*(1+math.Abs(b.total))*0x1p-48, 0))
}

// roundUp covers the rounding of the sums and elementary functions below, relative to the largest term.
const roundUp = 0x1p-46

// Noise outside this range of tau/sd is of no use.
const leastZ, mostZ = 1e-6, 1e9

// leastErrors returns ln of the sum of eps_j over the run, at most the sum of the trivial bound, which stands where the
// noise is of no use. What the answers reveal is counted in every summand as for the run's last query. As a function of
// the order the sum has one minimum, mostly.
func (b *Bound) leastErrors(q run) float64 {
	if !q.isUseful() {
		return b.sides.lnCount() + num.Log(q.count)
	}
	return b.downhill(&b.best, func(o *order) float64 { return b.errors(o, q) })
}

func (q query) isUseful() bool {
	z := q.tau / q.sd
	return q.sd == 0 || z > leastZ && z < mostZ
}

// downhill returns the least f over the orders, going from one on, which it moves.
func (b *Bound) downhill(from *int, f func(o *order) float64) float64 {
	least := f(&b.orders[*from])
	for _, step := range [2]int{-1, 1} {
		start := *from
		for i := start + step; i >= 0 && i < len(b.orders); i += step {
			other := f(&b.orders[i])
			// Above a valid order all are, so an invalid one looks downwards.
			if !(other < least || step < 0 && math.IsInf(least, 1)) {
				break
			}
			*from, least = i, other
		}
		if *from != start { // the other neighbour is where it came from
			break
		}
	}
	return least
}

// around moves to the best of one in so many orders, where there may be several minima.
func (b *Bound) around(q run, stride int) {
	least := b.errors(&b.orders[b.best], q)
	for i := 0; i < len(b.orders); i += stride {
		if other := b.errors(&b.orders[i], q); other < least {
			b.best, least = i, other
		}
	}
}

// errors returns ln of the sum of eps_j over the run at one order. Each answer adds the same to D.
func (b *Bound) errors(o *order, q run) float64 {
	revealed := b.revealed(o, q)
	if math.IsInf(revealed, 1) {
		return revealed
	}
	s := b.fresh(o, q.query)
	likelier := max(s.above, s.below)/o.conj + revealed
	likelier += math.Abs(likelier) * roundUp
	if b.sides == Above {
		return likelier
	}
	apart := num.LogAddExp(likelier, min(likelier, b.rarer(q))) + roundUp
	if _, ok := b.moment(); !ok || apart <= num.LogAddExp(s.above, s.below)/o.conj+revealed {
		return apart
	}
	return min(apart, b.together(o, q)+revealed)
}

// revealed bounds ln of the sum of e^(D/a') over the run; +Inf where the theorem does not hold.
func (b *Bound) revealed(o *order, q run) float64 {
	b.follow(o)
	if math.IsInf(o.past, 1) {
		return o.past
	}
	ln := o.past / o.conj
	if q.count > 1 {
		each := b.adds(o, q)
		if math.IsInf(each, 1) {
			return each
		}
		ln += num.LnGeometric(each/o.conj, q.count)
	}
	return ln + math.Abs(ln)*roundUp
}

// follow moves the order past the runs that it has not seen.
func (b *Bound) follow(o *order) {
	for ; o.passed < len(b.answered); o.passed++ {
		one := b.answered[o.passed]
		now := b.state
		b.state = one.state
		o.past += one.count * b.adds(o, one.run) * (1 + roundUp)
		b.state = now
		if !(o.past < math.MaxFloat64) {
			o.past, o.passed = math.Inf(1), len(b.answered)
			return
		}
	}
}

// adds returns Delta_j(a), what each answer of the run adds to D at the order, rounded up; +Inf where the theorem does
// not hold.
func (b *Bound) adds(o *order, q run) float64 {
	if math.IsInf(o.a, 1) {
		return o.a
	}
	if s := &o.each; s.passed != o.passed || s.run != q {
		*s = step{o.passed, q, math.Inf(1)}
		if k := b.kappa(o.a, q); k > 0 {
			s.each = b.reveals(o.a, k, q)
		}
	}
	return o.each.each
}

func (b *Bound) reveals(a, kappa float64, q run) float64 {
	if m, ok := b.moment(); ok {
		c := b.template
		c.a, c.sd, c.moment, c.kappa = a, q.sd, m.moment(q.share), kappa
		c.tail *= max(1, a-1)
		return c.value()
	}
	return q.law.reveals(a, q.ratio(kappa))
}

// ratio returns V/sd^2, V = 1/(4 n kappa), rounded up.
func (q query) ratio(kappa float64) float64 { return (1 + roundUp) / (4 * q.n * kappa * q.sd * q.sd) }

// kappa returns the kappa of the variance lemma for the run's last query at an order, rounded down; 0 where the lemma
// does not hold. The records that no earlier answer was about are still independent: h counts for the others alone.
func (b *Bound) kappa(a float64, q run) float64 {
	shift, seen := b.shift, b.seen
	if q.count > 1 {
		shift, seen = shift+(q.count-1)*b.step(q), b.n
	}
	if shift == 0 {
		return 1
	}
	inflation, ok := maxinfo.Inflation(int64(seen), a*shift*(1+roundUp))
	if !ok {
		return 0
	}
	return (1 - 0x1p-51) / (1 + (inflation-1)*seen/b.n)
}

// step is what one answer of the run adds to the shift.
func (b *Bound) step(q run) float64 {
	one := b.values.span() / q.n / q.sd
	return one * one / 4
}

// pass moves the bound past a run, whose errors are that.
func (b *Bound) pass(q run, ln float64) {
	b.total = num.LogAddExp(b.total, min(ln, 700)) // finite, and beyond one
	b.answered = append(b.answered, answered{b.state, q})
	if q.sd == 0 {
		return
	}
	b.lnWeight += q.count * q.weight(b.kappa(1, q)) * (1 + roundUp)
	b.shift, b.seen = (b.shift+q.count*b.step(q))*(1+0x1p-51), b.n
}

// weight returns ln of the factor of F_j of one answer, rounded up.
func (q run) weight(kappa float64) float64 {
	switch {
	case math.IsInf(q.law.cut, 1):
		return 0
	case kappa == 0: // the lemma does not hold
		return math.Inf(1)
	}
	return q.law.caught(1, q.ratio(kappa), 0) - q.law.lnMass + 0x1p-49
}

// fresh returns ln of what fresh records and the noise err at the order on each side that counts.
func (b *Bound) fresh(o *order, q query) *fresh {
	s := &o.fresh
	if s.query == q {
		return s
	}
	*s = fresh{query: q, below: math.Inf(-1)}
	if o.near[0] == 0 {
		o.near, o.far = b.orders[b.best].near, b.orders[b.best].far
	}
	s.above = q.chernoff(o.conj, b.side(false), &o.near[0])
	if _, varies := b.moment(); !varies {
		s.above = min(s.above, b.convex(o, q))
	}
	switch {
	case b.sides == Above:
	case b.values.isSymmetric():
		s.below = s.above
	default:
		s.below = q.chernoff(o.conj, b.side(true), &o.near[1])
	}
	return s
}

// convex returns ln N_a'. Orders next to each other share the cells.
func (b *Bound) convex(o *order, q query) float64 {
	if q.sd == 0 {
		return 0
	}
	if away := o.index - b.middle; b.chords.query != q || away < -1 || away > 1 {
		b.chords.cover(q, o.conj, o.near[0])
		b.middle = o.index
	}
	return b.chords.convex(o.conj)
}

// together returns ln of min{ T+^(1/a') + T-^(1/a'), (T+ + T- + (2^a'-1) P[N > tau/sd] (t+ + t-))^(1/a') }, rounded up.
func (b *Bound) together(o *order, q run) float64 {
	s := &o.fresh
	if s.found {
		return s.both
	}
	s.found = true
	sum := num.LogAddExp(s.above, s.below)
	s.both = num.LogAddExp(s.above/o.conj, s.below/o.conj)
	gain := num.Log(math.Expm1(o.conj * math.Ln2))
	if q.sd == 0 {
		s.both = sum / o.conj
	} else if ln, _ := q.law.upper(q.tau / q.sd); num.LogAddExp(sum, sum+ln+gain)/o.conj < s.both { // t is at least T
		far := math.Ln2 // T_0 = 1
		if o.conj > 1 {
			above := q.chernoff(o.conj-1, b.side(false), &o.far[0])
			far = num.LogAddExp(above, q.chernoff(o.conj-1, b.side(true), &o.far[1]))
		}
		s.both = min(s.both, num.LogAddExp(sum, far+ln+gain)/o.conj)
	}
	s.both += roundUp * (2 + math.Abs(s.both))
	return s.both
}

// rarer bounds ln of the sum, over the run, of the probabilities that an answer errs on the side that is less likely
// given the answers before it: F_j T_1^V. Nothing is known of a second moment if the share is the population's and not
// checked.
func (b *Bound) rarer(q run) float64 {
	t := &b.rare
	if now := (answered{b.state, q}); t.answered != now {
		t.answered, t.ln = now, math.Inf(1)
		_, varies := b.moment()
		unknown := varies && !b.checked && q.share <= b.share()
		if k := b.kappa(1, q); k > 0 && !unknown && b.lnWeight < math.MaxFloat64 {
			t.ln = b.lnWeight + q.chernoff(1, b.posterior(k, q.share).side, &t.touch) + num.LnGeometric(q.weight(k), q.count)
			t.ln += math.Abs(t.ln) * roundUp
		}
	}
	return t.ln
}

// shareErrors returns about ln of the sum of eta_j over the run at the best order, going from the one that served the
// last shares.
func (b *Bound) shareErrors(q run) float64 {
	p := b.share()
	if p == 0 || b.checked || q.share == 1 {
		return math.Inf(-1)
	}
	rate := num.KLShift{P: p, Shift: q.share - p}.Nats() * (1 - 1e-13)
	return b.downhill(&b.kept, func(o *order) float64 {
		ln := b.revealed(o, q)
		return ln - b.n*rate/o.conj + roundUp*(1+math.Abs(ln))
	})
}
