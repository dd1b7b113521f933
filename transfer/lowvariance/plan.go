package lowvariance

import (
	"iter"
	"math"

	"github.com/dpcalc/dpcalc/internal/num"
	"github.com/dpcalc/dpcalc/theory"
)

// Plan is m queries to n records, each wanted within tau, with failure probability beta.
type Plan struct {
	Design
	Tau  float64
	Beta theory.LogProb
}

// shareOfShares is the part of beta that is spent on the shares: the eta_j.
const shareOfShares = 0.1

// grain says how many queries share a noise: one in begin of those answered before, one in end of those left, at
// least one.
type grain struct{ begin, end int64 }

var (
	fineGrain   = grain{12, 7}
	coarseGrain = grain{3, 2}
)

// MostPlanned is the largest number of queries of a plan: for more, what a search takes is no
// longer a matter of seconds.
const MostPlanned = 10_000_000

func (p Plan) validate() error {
	if err := p.Design.validate(); err != nil {
		return err
	}
	if err := theory.Domain(p.Queries <= MostPlanned, "queries", p.Queries, "at most 10000000 in a plan"); err != nil {
		return err
	}
	span := p.Values.span()
	if err := theory.Domain(p.Tau > 0 && p.Tau < span, "tau", p.Tau, "a number above 0 and below the span"); err != nil {
		return err
	}
	return theory.Domain(p.Beta.Interior(), "beta", p.Beta, "a probability in (0, 1)")
}

// excess is at most 0 if the noise that falls certifies the plan, and smooth there; it falls in n, tau and beta.
func (p Plan) excess(g grain) float64 { return p.schedule(g, func(Block) bool { return true }) }

// Blocks returns the noise that falls, in the order of the queries, and the shares that it is certified with. It
// is as long as the plan's queries only if [Falling] certifies the plan.
func (p Plan) Blocks() iter.Seq[Block] {
	return func(yield func(Block) bool) { p.schedule(fineGrain, yield) }
}

// spare is what a plan leaves of ln beta, so that another search for the same tangents certifies it too.
const spare = 1e-6

// walk is a bound and how far it has come.
type walk struct {
	*Bound
	answers, shares float64 // ln of what each query may err
	z               float64 // tau/sd of the last
}

func (p Plan) walk() walk {
	w := walk{Bound: newBound(p.Design), answers: p.Beta.Ln() - spare, shares: math.Inf(-1)}
	if m := float64(p.Queries); m > 1 && !p.Checked {
		w.answers += math.Log1p(-shareOfShares)
		w.shares = p.Beta.Ln() + num.Log(shareOfShares) - num.Log(m-1) - spare
	}
	return w
}

// schedule yields the blocks while they are feasible, and returns the excess: about ln of m over the queries that are
// reached, or less a fraction of the room that the last few queries leave in ln eps_j.
func (p Plan) schedule(g grain, yield func(Block) bool) (excess float64) {
	if p.validate() != nil || !(float64(p.Samples)*p.Tau*p.Tau > 1e-12) {
		return math.Inf(1)
	}
	w := p.walk()
	m := float64(p.Queries)
	w.answers -= num.Log(m + 1) // twice that for the last query
	w.z = num.UpperQuantile(min(w.answers-math.Ln2, -math.Ln2)) + 1e-9
	end := ending{query: w.query(p.Tau)}
	room := math.Inf(-1)
	for done := int64(0); done < p.Queries-1; {
		count := max(min(done/g.begin, (p.Queries-1-done)/g.end), 1)
		q, z, ok := w.choose(p.Tau, count, done)
		for ; !ok && count > 1; q, z, ok = w.choose(p.Tau, count, done) { // what so many reveal is more than they may
			count /= 2
		}
		if !ok {
			return num.Log(m / (float64(done) + 0.5))
		}
		if p.Queries-done <= nearEnd {
			best := w.best
			_, least := w.quietest(&end)
			room, w.best = max(room, least-w.answers), best
		}
		w.z = max(z, w.z)
		q.sd = p.Tau / w.z
		if !yield(Block{count, q.sd, q.share}) {
			return 0
		}
		w.settle(m / float64(done+1))
		w.reveal(q)
		w.pass(q)
		done += count
	}
	return p.finish(w, &end, room, yield)
}

// choose returns the next run with its share, and tau over its noise. It is not ok unless its answers and its shares
// err as rarely as they may.
func (w *walk) choose(tau float64, count, done int64) (q run, z float64, ok bool) {
	q = run{query: w.query(tau), count: float64(count)}
	for range 8 {
		q.share = max(q.share, w.shareFor(q))
		w.orient(q, done)
		if z, ok = w.loudest(q, w.answers+num.Log(q.count)); !ok {
			return q, z, false
		}
		z = max(z, w.z)
		q.sd = tau / z
		if w.reveal(q); w.affords(q) {
			return q, z, true
		}
	}
	return q, z, false
}

// affords reports whether the eta_j of a run are what they may be, as revealed.
func (w *walk) affords(q run) bool {
	_, shares := w.shareErrors(q)
	return shares <= w.shares+num.Log(q.count)+spare/2
}

// spend sets a share of a run with noise at which its eta_j are about what they may be.
func (w *walk) spend(q *run) {
	for range 8 {
		q.share = max(q.share, w.shareFor(*q))
		if w.reveal(*q); w.affords(*q) {
			return
		}
	}
}

func (p Plan) finish(w walk, end *ending, room float64, yield func(Block) bool) float64 {
	target, m := w.answers+math.Ln2, float64(p.Queries)
	sd, least := w.quietest(end)
	if before := p.Tau / w.z; p.Queries > 1 && sd > before { // noise falls
		end.sd, sd = before, before
		least = w.least(run{query: end.query, count: 1}).ln
	}
	if least > target {
		return num.Log(m / (m - 0.5))
	}
	end.sd = 0
	if w.least(run{query: end.query, count: 1}).ln <= target {
		sd = 0
	}
	yield(Block{1, sd, p.Values.Share()})
	return max(room, least-target) / 300
}

// nearEnd is for how many of the last queries the room is looked at.
const nearEnd = 4

// orient looks at all orders before one of the first queries: there the bound may have two minima, one for each kind of
// certificate.
func (w *walk) orient(q run, done int64) {
	if done > 0 && done <= 8 {
		q.sd = q.tau / w.z
		w.leastOfAll(q)
	}
}

// settle gives up the orders far above the one that served last, and those so far below that it will hardly come
// down to them in what is left: a-1 falls about as fast as the square root of the number of answers grows.
func (b *Bound) settle(left float64) {
	if math.IsInf(b.orders[b.best].a, 1) {
		return
	}
	low := max(0, b.best-8-int(num.Log(left)*0.7/num.Log(orderRatio)))
	b.orders = b.orders[low:min(b.best+4, len(b.orders))]
	b.best -= low
}

// shareFor returns about the least share at which the eta_j of the run are what they may be. What the run's answers
// reveal is guessed from the last ones.
func (w *walk) shareFor(q run) float64 {
	if w.design.Checked {
		return q.values.Share()
	}
	need := math.Inf(1)
	for i := range w.orders {
		o := &w.orders[i]
		past := o.past
		if q.count > 1 {
			past += q.count * o.each * 1.1
		}
		need = min(need, past-o.conj*w.shares)
	}
	return shareAt(q.values.Share(), need/w.n)
}

// shareAt returns an s with kl(s||p) >= y, close to the least; 1 if there is none. Newton's steps descend to it.
func shareAt(p, y float64) float64 {
	if !(y < -num.Log(p)) {
		return 1
	}
	s := min(p*(1+entropyRoot(y/p)), 1-1e-12)
	for range 30 {
		gap := num.KLShift{P: p, Shift: s - p}.Nats() - y
		step := gap / (num.Log(s/p) + num.Log((1-p)/(1-s)))
		if s -= step; step < 1e-9*s {
			break
		}
	}
	return min(s*(1+1e-12), 1)
}

// slack is how far ln of a run's errors may stay below that of its share of beta.
const slack = 1e-9

// loudest returns the least z = tau/sd, from about the last on, at which the run's errors sum to at most e^target, to
// a slack below, and whether there is one.
func (w *walk) loudest(q run, target float64) (z float64, ok bool) {
	if z, ok = w.newton(q, target); ok {
		return z, true
	}
	at := func(z float64) float64 {
		q.sd = q.tau / z
		return w.least(q).ln - target
	}
	lo := w.z * (1 - 1e-3)
	for hi := lo; hi < 4*w.z; lo, hi = hi, hi*1.05 {
		if at(hi) <= 0 {
			return num.Interval{Lo: lo, Hi: hi}.SafeRoot(slack, at), true
		}
	}
	return lo, false
}

// newton is loudest where the errors fall from the last z to the root.
func (w *walk) newton(q run, target float64) (z float64, ok bool) {
	v := num.Log(w.z)
	least, most := v-1e-3, v+1
	for range 15 {
		z = num.Exp(v)
		q.sd = q.tau / z
		g := w.errors(&w.orders[w.best], q)
		gap := g.ln - target
		if gap <= 0 && gap > -slack {
			if !w.better(q, g.ln-slack) {
				return z, true
			}
			continue
		}
		v -= (gap + slack/4) / g.slope
		if !(g.slope < 0 && v > least && v < most) {
			return z, false
		}
	}
	return z, false
}

// better moves to an order next to the one that served last if its errors are below ln.
func (b *Bound) better(q run, ln float64) bool {
	for _, i := range [2]int{b.best - 1, b.best + 1} {
		if i >= 0 && i < len(b.orders) && b.errors(&b.orders[i], q).ln < ln {
			b.best = i
			return true
		}
	}
	return false
}

// least returns about the least of errors over the orders, going from the one that served last.
func (b *Bound) least(q run) graded {
	best := b.errors(&b.orders[b.best], q)
	for _, step := range [2]int{-1, 1} {
		for i := b.best + step; i >= 0 && i < len(b.orders); i += step {
			other := b.errors(&b.orders[i], q)
			// Above a valid order all are, so an invalid one looks downwards.
			if !(other.ln < best.ln || step < 0 && math.IsInf(best.ln, 1)) {
				break
			}
			b.best, best = i, other
		}
	}
	return best
}

// ending is a last query, and the l at which the tilted mean is off by tau.
type ending struct {
	query
	l float64
}

// quietest returns about the noise at which the error of one query, the last, is least, and ln of it: at one order
// the tangent touches at u = 0.
func (w *walk) quietest(end *ending) (sd, ln float64) {
	if end.l == 0 {
		end.l = min(end.breaking(false), end.breaking(true))
	}
	at := func(i int) (sd, ln float64) {
		o := &w.orders[i]
		end.sd = o.conj * math.Sqrt(2/math.Pi) / (w.n * end.l)
		return end.sd, w.errors(o, run{query: end.query, count: 1}).ln
	}
	sd, ln = at(w.best)
	for _, step := range [2]int{-1, 1} {
		for i := w.best + step; i >= 0 && i < len(w.orders); i += step {
			other, least := at(i)
			if !(least < ln || math.IsInf(ln, 1) && step < 0) {
				break
			}
			w.best, sd, ln = i, other, least
		}
	}
	return sd, ln
}

// guess is about how many records are needed.
func (p Plan) guess() float64 {
	moment := p.Values.moment(p.Values.Share())
	n := (3*math.Sqrt(float64(p.Queries)) - p.Beta.Ln()) * (moment + p.Tau) / (p.Tau * p.Tau)
	return max(1, min(n, MaxCount/4))
}
