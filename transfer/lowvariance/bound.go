package lowvariance

import (
	"math"
	"slices"

	"github.com/dpcalc/dpcalc/internal/num"
	"github.com/dpcalc/dpcalc/theory"
)

// Design is what a [Bound] is for.
type Design struct {
	Values Values
	// Checked says that nothing is answered once the sample's own share is above Values.Share(), and that nothing is
	// assumed of the population.
	Checked bool
	Samples int64 // n, from 1 to MaxCount
	Queries int64 // m, from 1 to MaxCount
	// OneSided says that only an answer that is more than tau above the population's value fails.
	OneSided bool
}

// MaxCount is the largest number of records or queries.
const MaxCount = theory.MaxSamples

func (d Design) validate() error {
	if d.Values == nil {
		return theory.Domain(false, "values", "nothing", "a kind of values")
	}
	if err := d.Values.validate(); err != nil {
		return err
	}
	if _, _, ok := d.Values.checkedTilts(1); d.Checked && !ok {
		return theory.Domain(false, "checked", true, "differences or accuracies, or false")
	}
	count := "a whole number from 1 to 9007199254740992"
	if err := theory.Domain(d.Samples >= 1 && d.Samples <= MaxCount, "samples", d.Samples, count); err != nil {
		return err
	}
	return theory.Domain(d.Queries >= 1 && d.Queries <= MaxCount, "queries", d.Queries, count)
}

// Block is consecutive queries that are answered and certified alike.
type Block struct {
	Queries int64
	SD      float64 // of the noise; 0 is allowed for the last query
	Share   float64 // the sample's own share that the certificate counts with, from Values.Share() to 1
}

// Errors is what a block can have wrong: the sums of its eps_j and of its eta_j.
type Errors struct{ Answers, Shares theory.LogProb }

// Bound is the low-variance bound. Query j is a mean of f over n independent records, may depend on all earlier
// answers, and its answer carries independent noise N(0, sd_j^2). vbar_j is psi(S) for the share of the block. For
// every order a > 1, with a' = a/(a-1),
//
//	eps_j  = min{ two_j, e^(D_(j-1)/a') max{T+, T-}^(1/a') + T_1^C },
//	two_j  = e^(D_(j-1)/a') min{ T+^(1/a') + T-^(1/a'), (T+ + T- + (2^a'-1) P[N > tau_j/sd_j] (t+ + t-))^(1/a') },
//	eta_j  = exp((D_j-1 - n kl(share_j||share))/a'),
//
// T+- the Chernoff bounds of sample and noise together at a', t+- those at a'-1, T_1^C that of the side that is less
// likely given the answers before, and D_j the sum of the ln F/(a-1) of the certificates. One-sided, eps_j is
// e^(D_(j-1)/a') T+^(1/a'). The probability that any answer is further off than its tau_j is at most the sum of the
// eps_j and the eta_j; for the last query, two_j may stand for both. Checked, it is at most the sum of the eps_j, for
// the answers that were given.
//
// Each is taken at the best of a fixed set of orders and rounded up. The sd_j, tau_j and shares must not depend on
// the answers. The proof is in docs/theorems/variance.md.
type Bound struct {
	design   Design
	n        float64
	template certificate
	orders   []order
	best     int     // the order that served last
	kept     int     // the order that served the last shares
	clear    float64 // by how much ln of the last errors was above at the orders next to the best, at least
	answered []run   // what some orders have not seen
	shift    float64 // the variance lemma's r at order one
	other    other
	trail    *trail  // nil where every number is to be certified
	total    float64 // ln of the sum of the errors before the last run
	whole    float64 // ln of the errors of that, if others follow
	last     float64 // ln of them, if none does
	runs     int
	closed   bool // the last answer carried no noise
}

// order is one order of the Renyi divergence and what the answers so far reveal at it.
type order struct {
	a, conj   float64    // a and a'; +Inf and 1 for the order that serves the first query
	gain      float64    // ln(2^a' - 1)
	past      float64    // D, +Inf where the theorem does not hold
	r         float64    // of the variance lemma
	index     int        // among the orders
	seen      int        // how many of the bound's runs are in past and r
	last      step       // what it was asked for last
	near, far [2]float64 // where the tangents of T and t last touched, as shares of z
	sampled   sampled    // by the last query
}

// step is what each answer of a run after so many others adds to D.
type step struct {
	seen             int
	sd, share, count float64
	each             float64
}

// other is what the side that is less likely errs in a run.
type other struct {
	run
	shift, touch float64
	graded
}

// Any set of orders is valid. From one to the next a-1 grows by the ratio. The last queries of m are served by an
// a-1 of a few times m^-0.6, below which none is of use.
const (
	orderRatio = 1.3
	mostExcess = 200 // of a above 1
)

// ordersFor returns the orders before the first query. The last is the limit of a: it serves the first query, before
// which nothing is revealed.
func ordersFor(queries float64) []order {
	first := min(0.3, 1.2*math.Pow(queries, -0.6))
	orders := make([]order, 0, int(num.Log(mostExcess/first)/num.Log(orderRatio))+3)
	for excess := first; excess < mostExcess; excess *= orderRatio {
		orders = append(orders, order{a: 1 + excess, conj: (1 + excess) / excess})
	}
	orders = append(orders, order{a: math.Inf(1), conj: 1})
	for i := range orders {
		orders[i].index = i
		orders[i].gain = num.Log(math.Expm1(orders[i].conj * math.Ln2))
	}
	return orders
}

// NewBound returns the bound before the first query. The error is a DomainError.
func NewBound(d Design) (*Bound, error) {
	if err := d.validate(); err != nil {
		return nil, err
	}
	return newBound(d), nil
}

func newBound(d Design) *Bound {
	n, m := float64(d.Samples), float64(d.Queries)
	orders := ordersFor(m)
	return &Bound{
		design: d, n: n, orders: orders, best: len(orders) - 1,
		total: math.Inf(-1), whole: math.Inf(-1), last: math.Inf(-1), other: other{touch: 0.5},
		answered: make([]run, 0, min(d.Queries, 64)),
		template: certificate{
			n: n, span: d.Values.span(), reach: d.Values.reach(), delta: 1e-4 / m, tail: 1e-4 / max(m, 100),
		},
	}
}

// Certified returns an upper bound of the probability that any answer of the design is off by more
// than tau, if the answers carry that noise, which is for all its queries. The shares are chosen for the wanted
// probability, or about the best one if that is 0. The error is a DomainError.
func Certified(d Design, tau float64, noise []theory.NoiseBlock, wanted theory.LogProb) (theory.LogProb, error) {
	for _, block := range noise {
		if err := theory.Domain(block.Queries >= 1, "queries", block.Queries, "a positive number"); err != nil {
			return 0, err
		}
		if block.Cut != 0 {
			return 0, nil // a probability of one: the theorem is for noise that is not cut
		}
	}
	least, guess := 0.0, wanted
	if guess == 0 {
		guess = -3
	}
	for i := range 40 {
		at := guess
		if i == 0 {
			at = d.withoutLast(guess)
		}
		ln, err := d.certified(tau, noise, at)
		if err != nil {
			return 0, err
		}
		// Shares chosen as for one noise are valid, too, and suit that better.
		ln = min(ln, Plan{d, tau, at}.errors(d.cut(slices.Values(noise)), func(Block) bool { return true }))
		gain := least - ln
		if least = min(least, ln); wanted != 0 && least <= wanted.Ln() {
			break
		}
		if i == 0 {
			continue
		}
		if !(gain > 1e-2) {
			break
		}
		guess = theory.LogProb(least)
	}
	return theory.LogProb(least), nil
}

// withoutLast is the beta at which all queries but the last get the shares of a plan for this one whose last query has
// none, as plans were made at first.
func (d Design) withoutLast(beta theory.LogProb) theory.LogProb {
	if d.Queries == 1 {
		return beta
	}
	more := beta + theory.LogProb(math.Log1p(lastShare/float64(d.Queries-1)))
	if !more.Interior() {
		return beta
	}
	return more
}

// certified is ln of that probability with the shares that suit a guess.
func (d Design) certified(tau float64, noise []theory.NoiseBlock, guess theory.LogProb) (float64, error) {
	b, err := NewBound(d)
	if err != nil {
		return 0, err
	}
	w := Plan{d, tau, guess}.walk()
	w.Bound = b
	left := d.Queries
	for run := range d.cut(slices.Values(noise)) {
		q := w.run(tau, run)
		q.share = d.Values.Share()
		if left -= run.Queries; left == 0 {
			w.close(&q)
		} else {
			w.spend(&q)
		}
		if _, err := b.Answer(Block{run.Queries, run.Scale, q.share}, tau); err != nil {
			return 0, err
		}
	}
	return b.Total().Ln(), nil
}

// Answer adds a block of queries, each wanted within tau, in time that does not depend on how many there are. The
// error is a DomainError, after which the bound is as it was.
func (b *Bound) Answer(block Block, tau float64) (Errors, error) {
	if err := theory.Domain(!b.closed, "query", "one after an answer without noise", "none"); err != nil {
		return Errors{}, err
	}
	most := b.design.Queries
	if err := theory.Domain(block.Queries >= 1 && block.Queries <= most, "queries", block.Queries,
		"a positive number, at most the accuracy of the design"); err != nil {
		return Errors{}, err
	}
	span := b.design.Values.span()
	if err := theory.Domain(tau > 0 && tau < span, "tau", tau, "a number above 0 and below the span"); err != nil {
		return Errors{}, err
	}
	silent := block.SD == 0 && block.Queries == 1
	noisy := block.SD >= 1e-100 && block.SD <= 1e100
	want := "a number in [1e-100, 1e100], or 0 for the last query"
	if err := theory.Domain(silent || noisy, "standard deviation", block.SD, want); err != nil {
		return Errors{}, err
	}
	least := b.design.Values.Share()
	held := block.Share >= least && block.Share <= 1
	if b.design.Checked {
		held = block.Share == least
	}
	want = "a number from the bound to 1, or the bound if checked"
	if err := theory.Domain(held, "share", block.Share, want); err != nil {
		return Errors{}, err
	}
	q := run{query: b.query(tau), share: block.Share, count: float64(block.Queries)}
	q.sd = block.SD
	answers, shares := b.leastOfAll(q), b.shareErrors(q)
	answers, shares = min(answers, 700), min(shares, 700) // finite, and beyond one
	b.total = num.LogAddExp(b.total, b.whole)
	b.whole, b.runs = num.LogAddExp(answers, shares), b.runs+1
	b.last = b.whole
	if block.Queries == 1 {
		b.last = min(b.last, b.leastOfAll(q.alone()))
	}
	if b.closed = silent; !silent {
		b.pass(q)
		b.settle()
	}
	return Errors{theory.LogProb(min(answers, 0)), theory.LogProb(min(shares, 0))}, nil
}

// Total returns an upper bound of the probability that any answer so far is further off than its tau.
func (b *Bound) Total() theory.LogProb {
	if b.runs == 0 {
		return theory.Zero
	}
	total := num.LogAddExp(b.total, b.last)
	return theory.LogProb(min(total+float64(b.runs)*(1+math.Abs(total))*0x1p-48, 0))
}

func (b *Bound) query(tau float64) query {
	return b.design.query(b.n, tau)
}

func (d Design) query(n, tau float64) query {
	return query{values: d.Values, checked: d.Checked, oneSided: d.OneSided, n: n, tau: tau}
}

// lnSides is ln of the number of sides on which an answer may fail.
func (d Design) lnSides() float64 {
	if d.OneSided {
		return 0
	}
	return math.Ln2
}

// run is consecutive queries with the same noise, share and accuracy.
type run struct {
	query
	share, count float64
}

// alone is the run where nothing is known of its shares.
func (q run) alone() run {
	q.share = q.values.Share()
	return q
}

// adds returns what each answer of the run adds to D at the order, rounded up; +Inf where the theorem does not hold.
func (b *Bound) adds(o *order, q run) float64 {
	if now := (step{o.seen, q.sd, q.share, q.count, o.last.each}); now != o.last {
		now.each = b.reveals(o, q)
		o.last = now
	}
	return o.last.each
}

func (b *Bound) reveals(o *order, q run) float64 {
	if math.IsInf(o.a, 1) || math.IsInf(o.past, 1) {
		return math.Inf(1)
	}
	k := kappa(b.n, (o.r+(q.count-1)*o.a*b.step(q))*(1+roundUp)) // before the run's last query
	if k == 0 {
		return math.Inf(1)
	}
	moment := q.values.moment(q.share)
	return b.trail.revealed(b, o, moment/(k*b.n*q.sd*q.sd), func() float64 {
		c := b.template
		c.a, c.sd, c.moment, c.kappa = o.a, q.sd, moment, k
		c.tail *= max(1, o.a-1)
		return c.value()
	})
}

// step is what one answer of the run adds to the variance lemma's r at order one.
func (b *Bound) step(q run) float64 {
	return (b.template.span / b.n / q.sd) * (b.template.span / b.n / q.sd) / 4
}

// pass moves the bound past a run. An order is moved when it is needed.
func (b *Bound) pass(q run) {
	b.answered = append(b.answered, q)
	b.shift += q.count * b.step(q) * (1 + roundUp)
}

// follow moves the order past the runs that it has not seen.
func (b *Bound) follow(o *order) {
	for o.seen < len(b.answered) {
		q := b.answered[o.seen]
		o.past += q.count * b.adds(o, q) * (1 + roundUp)
		o.r += q.count * o.a * b.step(q) * (1 + roundUp)
		o.seen++
		if !(o.past < math.MaxFloat64) {
			o.past, o.seen = math.Inf(1), len(b.answered)
		}
	}
}

// settle moves all orders, so that the runs need not be kept.
func (b *Bound) settle() {
	for i := range b.orders {
		o := &b.orders[i]
		b.follow(o)
		o.seen, o.last = 0, step{}
	}
	b.answered = b.answered[:0]
}

// errors returns ln of the sum of eps_j over the run at one order, and about its derivative in ln z. Each answer
// adds the same to D.
func (b *Bound) errors(o *order, q run) graded {
	b.follow(o)
	if math.IsInf(o.past, 1) {
		return graded{ln: math.Inf(1)}
	}
	s := &o.sampled
	if s.tau != q.tau || s.sd != q.sd {
		*s = q.sampling(o)
	}
	revealed := graded{ln: o.past / o.conj}
	if q.count > 1 {
		each := b.adds(o, q)
		if math.IsInf(each, 1) {
			return graded{ln: each}
		}
		x := each / o.conj
		// About as if e^(2 each)-1 were proportional to z^2.
		revealed.slope = 2 * each / (o.conj * (1 + each)) * meanIndex(x, q.count)
		revealed.ln += num.LnGeometric(x, q.count)
	}
	likelier := s.likelier(o.conj).times(revealed)
	if q.oneSided {
		return likelier
	}
	apart, least := likelier.plus(b.rarer(q)), s.least(o.conj).times(revealed)
	if apart.ln <= least.ln {
		return apart
	}
	if both := s.twoSided(q.query, o).times(revealed); both.ln < apart.ln {
		return both
	}
	return apart
}

// rarer returns ln of what the less likely side errs in the run, where the shares of its queries are kept. Nothing is
// known of them if the share is that of the population and not checked.
func (b *Bound) rarer(q run) graded {
	if !q.checked && q.share <= q.values.Share() {
		return graded{ln: math.Inf(1)}
	}
	if t := &b.other; t.shift != b.shift || t.run != q {
		t.run, t.shift = q, b.shift
		t.graded = graded{ln: math.Inf(1)}
		r := b.shift
		if q.count > 1 {
			r += (q.count - 1) * b.step(q)
		}
		if k := kappa(b.n, r*(1+roundUp)); k > 0 { // before the run's last query
			p := posterior{kappa: k, moment: q.values.moment(q.share), reach: b.template.reach, span: b.template.span}
			t.graded = q.rarer(p, &t.touch)
			t.ln += num.Log(q.count)
		}
	}
	return b.other.graded
}

// meanIndex returns about the mean of i < count, each with the weight e^(ix).
func meanIndex(x, count float64) float64 {
	if top := x * count; top < 2 {
		return (count - 1) / 2 * (1 + x*(count+1)/6*(1-top*top/60))
	}
	return -count/math.Expm1(-x*count) + 1/math.Expm1(-x)
}

// leastOfAll returns the least of errors over the orders.
func (b *Bound) leastOfAll(q run) float64 {
	ln := math.Inf(1)
	for i := range b.orders {
		if other := b.errors(&b.orders[i], q).ln; other < ln {
			b.best, ln = i, other
		}
	}
	return ln
}

// leastAround returns about the least of errors over the orders, which may have two minima.
func (b *Bound) leastAround(q run) float64 {
	return b.around(&b.best, func(o *order) float64 { return b.errors(o, q).ln })
}

// around returns about the least f over the orders, going from the best of a few on.
func (b *Bound) around(from *int, f func(o *order) float64) float64 {
	const stride = 4
	least := f(&b.orders[*from])
	for i := 0; i < len(b.orders); i += stride {
		if other := f(&b.orders[i]); other < least {
			*from, least = i, other
		}
	}
	return b.downhill(from, f)
}

// shareErrors returns ln of the sum of eta_j over the run at the best order.
func (b *Bound) shareErrors(q run) float64 {
	ln, rate := math.Inf(1), q.shareRate()
	for i := range b.orders {
		ln = min(ln, b.sharesAt(&b.orders[i], q, rate))
	}
	return ln
}

// leastShares returns about that, going from the order that served the last shares.
func (b *Bound) leastShares(q run) float64 {
	rate := q.shareRate()
	return b.downhill(&b.kept, func(o *order) float64 { return b.sharesAt(o, q, rate) })
}

// downhill returns about the least f over the orders, going from one on.
func (b *Bound) downhill(from *int, f func(o *order) float64) float64 {
	least := f(&b.orders[*from])
	for _, step := range [2]int{-1, 1} {
		for i := *from + step; i >= 0 && i < len(b.orders); i += step {
			other := f(&b.orders[i])
			// Above a valid order all are, so an invalid one looks downwards.
			if !(other < least || step < 0 && math.IsInf(least, 1)) {
				break
			}
			*from, least = i, other
		}
	}
	return least
}

// shareRate returns kl(share||Share()), rounded down, and +Inf where no share can be above.
func (q run) shareRate() float64 {
	if q.checked || q.share == 1 {
		return math.Inf(1)
	}
	p := q.values.Share()
	return num.KLShift{P: p, Shift: q.share - p}.Nats() * (1 - 1e-13)
}

// sharesAt is shareErrors at one order, for that rate.
func (b *Bound) sharesAt(o *order, q run, rate float64) float64 {
	if math.IsInf(rate, 1) {
		return math.Inf(-1)
	}
	b.follow(o)
	if math.IsInf(o.past, 1) {
		return o.past
	}
	ln := (o.past-b.n*rate)/o.conj + roundUp*(1+o.past)
	if q.count > 1 {
		each := b.adds(o, q)
		if math.IsInf(each, 1) {
			return each
		}
		ln += num.LnGeometric(each/o.conj, q.count)
	}
	return ln
}
