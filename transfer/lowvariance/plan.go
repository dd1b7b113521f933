package lowvariance

import (
	"iter"
	"math"

	"github.com/dpcalc/dpcalc/internal/num"
	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer/internal/walks"
)

// Plan is m queries to n records, each wanted within tau, with failure probability beta.
type Plan struct {
	Design
	Tau  float64
	Beta theory.LogProb
}

// shareOfShares is the part of beta that is spent on the shares: the eta_j.
const shareOfShares = 0.1

// lastShare is what of the others' eta_j the last query has. Its share is of use against the less likely side alone,
// which errs much more rarely by then.
const lastShare = 0.1

var lnLastShare = num.Log(lastShare)

// grain says how many queries share a noise: one in begin of those answered before, one in end of those left, at
// least one.
type grain struct{ begin, end int64 }

var (
	fallingGrain = grain{4, 11}
	roughGrain   = grain{1, 5} // takes up to a hundredth more records
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
func (p Plan) excess(t *trail) float64 {
	return p.schedule(fallingGrain, t, func(Block) bool { return true })
}

// Blocks returns the noise that falls, in the order of the queries, and the shares that it is certified with. It
// is as long as the plan's queries only if [Falling] certifies the plan.
func (p Plan) Blocks() iter.Seq[Block] {
	return func(yield func(Block) bool) { p.schedule(fallingGrain, nil, yield) }
}

// spare is what a plan leaves of ln beta, so that another search for the same tangents certifies it too.
const spare = 1e-6

// walk is a bound and how far it has come.
type walk struct {
	*Bound
	answers, shares float64 // ln of what each query may err
	z               float64 // tau/sd of the last
	count           float64 // of queries in the last run
	pace, ahead     float64 // by how much ln z grew for each query there, and is expected to grow next
	power           float64 // of z, to which ln of the errors was proportional there
	shared          int     // the order that the last share was chosen at
	end             ending
}

func (p Plan) walk() walk {
	w := walk{Bound: newBound(p.Design), answers: p.Beta.Ln() - spare, shares: math.Inf(-1), power: 2}
	w.end.query = w.query(p.Tau)
	if m := float64(p.Queries); m > 1 && !p.Checked {
		w.answers += math.Log1p(-shareOfShares)
		w.shares = p.Beta.Ln() + num.Log(shareOfShares) - num.Log(m-1+lastShare) - spare
	}
	return w
}

// schedule yields the blocks while they are feasible, and returns the excess: about ln of m over the queries that are
// reached, or less a fraction of the room that the last few queries leave in ln eps_j. A trail tells it where to look
// first.
func (p Plan) schedule(g grain, t *trail, yield func(Block) bool) (excess float64) {
	if p.validate() != nil || !(float64(p.Samples)*p.Tau*p.Tau > 1e-12) {
		return math.Inf(1)
	}
	w := p.walk()
	w.trail = t
	t.begin()
	m := float64(p.Queries)
	w.answers -= num.Log(m + 1) // the last query has two shares
	w.z = num.UpperQuantile(min(w.answers-p.lnSides(), -math.Ln2)) + 1e-9
	room := math.Inf(-1)
	for done := int64(0); done < p.Queries-1; {
		count := max(min(done/g.begin, (p.Queries-1-done)/g.end), 1)
		q, z, ok := w.choose(count, done)
		for ; !ok && count > 1; q, z, ok = w.choose(count, done) { // what so many reveal is more than they may
			if count /= 2; w.least() > w.answers {
				count = 1
			}
		}
		if p.Queries-done <= walks.LastQueries {
			room = max(room, w.least()-w.answers)
		}
		if !ok && !(room > 0) {
			return walks.Unserved + num.Log(m/(float64(done)+1.5))
		}
		if !ok { // it goes on, for the room of all that are left
			sd, _ := w.quietest()
			count, z, q.count = 1, p.Tau/sd, 1
		}
		w.step(q, z)
		t.lay(post{w.best, w.shared, w.clear, z})
		q.sd = p.Tau / w.z
		if !(room > 0) && !yield(Block{count, q.sd, q.share}) {
			return 0
		}
		w.pass(q)
		done += count
	}
	return p.finish(w, room, yield)
}

// step moves z, and what is expected of the next run: ln z grows about evenly with the queries, those of a run counted
// to its middle.
func (w *walk) step(q run, z float64) {
	if w.count > 0 {
		pace, trend := max(num.Log(z/w.z), 0)/w.between(q), 1.0
		if w.pace > 0 {
			trend = math.Sqrt(min(max(pace/w.pace, 0.8), 1.25))
		}
		w.pace, w.ahead = pace, pace*trend
	}
	w.count, w.z = q.count, max(z, w.z)
}

// between is how many queries lie between the middles of the last run and the next.
func (w *walk) between(q run) float64 { return (w.count + q.count) / 2 }

// choose returns the next run with its share, and tau over its noise. It is not ok unless its answers and its shares
// err as rarely as they may.
func (w *walk) choose(count, done int64) (q run, z float64, ok bool) {
	q = run{query: w.query(w.end.tau), count: float64(count)}
	for range 8 {
		q.share = max(q.share, w.shareFor(q))
		w.orient(q, done)
		if z, ok = w.loudest(q, w.answers+num.Log(q.count)); !ok {
			return q, z, false
		}
		z = max(z, w.z)
		if q.sd = q.tau / z; !w.trail.isNew() || w.affords(q) {
			return q, z, true
		}
	}
	return q, z, false
}

// affords reports whether the eta_j of a run are what they may be.
func (w *walk) affords(q run) bool {
	return math.IsInf(w.shares, -1) || w.leastShares(q) <= w.shares+num.Log(q.count)+spare/2
}

// close sets the share of the last query, which is of use where errors count on both sides.
func (w *walk) close(q *run) {
	if q.share = q.values.Share(); !q.oneSided {
		w.shares += lnLastShare
		w.spend(q)
		w.shares -= lnLastShare
	}
	w.end.share = q.share
}

// spend sets a share of a run at which its eta_j are about what they may be.
func (w *walk) spend(q *run) {
	for range 8 {
		if q.share = max(q.share, w.shareFor(*q)); w.affords(*q) {
			return
		}
	}
}

func (p Plan) finish(w walk, room float64, yield func(Block) bool) float64 {
	target := w.answers + math.Ln2
	sd, least := w.quietest()
	last := run{query: w.end.query, share: w.end.share, count: 1}
	last.sd = sd
	if before := p.Tau / w.z; p.Queries > 1 && sd > before { // noise falls
		last.sd, sd = before, before
		least = w.leastErrors(last)
	}
	if least > target { // the best order may be far from the last query's
		least = w.leastAround(last)
	}
	if room = max(room, least-target); math.IsInf(room, 1) {
		return walks.Unserved
	}
	if room > 0 {
		return room / walks.PerLn(p.Queries, p.Beta)
	}
	if last.sd = 0; w.leastErrors(last) <= target {
		sd = 0
	}
	yield(Block{1, sd, last.share})
	return room / walks.PerLn(p.Queries, p.Beta)
}

// orient looks at all orders before one of the first queries: there the bound may have two minima, one for each kind of
// certificate.
func (w *walk) orient(q run, done int64) {
	if first := done == 1 || done == 3; first && w.trail.isNew() {
		q.sd = q.tau / w.z
		w.leastAround(q)
	}
}

// trail is what a walk leaves for the next over as many queries, for about as many records: the orders and the noise of
// the blocks, and what they reveal. A walk on one that says nothing, or on a nil one, is a walk on its own. What any
// other walk finds is not certified.
type trail struct {
	posts  []post
	at     int       // the next post
	scale  float64   // by what tau/sd differs from the last walk's
	trend  float64   // by what that grew from the block before
	guides bool      // whether it said anything before the walk
	known  [][]known // by blocks and orders
}

// known is what an answer reveals at an order, zero if that is not known, where vbar/(kappa n sd^2) is the ratio. It
// grows as a power of that.
type known struct{ each, ratio, power float64 }

// revealed returns what an answer reveals at an order after so many runs, where the ratio is that: anew, or about that
// by what the trail knows, as if it were ln(1+x)/2 with x proportional to the ratio.
func (t *trail) revealed(b *Bound, o *order, ratio float64, anew func() float64) float64 {
	if t == nil {
		return anew()
	}
	for len(t.known) <= o.seen {
		t.known = append(t.known, make([]known, len(b.orders)))
	}
	k := &t.known[o.seen][o.index]
	if !t.guides || k.each == 0 || math.IsInf(k.each, 1) {
		each := anew()
		*k = known{each, ratio, -math.Expm1(-2*each) / (2 * each)}
		return each
	}
	more := ratio/k.ratio - 1
	if math.Abs(more) < 0.02 {
		return k.each * (1 + k.power*more*(1+(k.power-1)/2*more))
	}
	return math.Log1p(math.Expm1(2*k.each)*(1+more)) / 2
}

// post says which orders served a block and its share, by how much ln of the errors was above at the orders next to the
// first, and its tau/sd.
type post struct {
	order, kept int
	clear, z    float64
}

// drift is about how far ln of the errors at two neighbouring orders moves apart, at most, in (tau/sd)^2.
const drift = 0.5

// forget makes it one that says nothing.
func (t *trail) forget() {
	t.posts = t.posts[:0]
	for _, k := range t.known {
		clear(k)
	}
}

// begin is called before a walk.
func (t *trail) begin() {
	if t != nil {
		t.at, t.scale, t.trend, t.guides = 0, 1, 1, len(t.posts) > 0
	}
}

// guess returns where the block's ln tau/sd is looked for first, another guess where there is no trail.
func (t *trail) guess(b *Bound, other float64) float64 {
	if t.isNew() {
		return other
	}
	p := t.posts[t.at]
	b.best = p.order
	return num.Log(p.z * t.scale * t.trend)
}

// isNew reports whether it says nothing of the next block.
func (t *trail) isNew() bool { return t == nil || t.at == len(t.posts) }

// kept returns the order that served the block's share, another where there is no trail.
func (t *trail) kept(other int) int {
	if t.isNew() {
		return other
	}
	return t.posts[t.at].kept
}

// clear returns by how much, at least, ln of the errors is above at the orders next to the block's.
func (t *trail) clear(z float64) float64 {
	p := t.posts[t.at]
	return p.clear - drift*p.z*math.Abs(z-p.z)
}

// lay sets the block's post.
func (t *trail) lay(now post) {
	if t == nil {
		return
	}
	if t.at == len(t.posts) {
		t.posts = append(t.posts, now)
	}
	p := &t.posts[t.at]
	scale := now.z / p.z
	if t.at > 0 {
		t.trend = scale / t.scale
	}
	t.scale, *p = scale, now
	t.at++
}

// shareFor returns about the least share at which the eta_j of the run are what they may be. What the run's answers
// reveal is guessed from the last ones.
func (w *walk) shareFor(q run) float64 {
	if math.IsInf(w.shares, -1) { // no share may be missed
		return q.values.Share()
	}
	w.kept = w.trail.kept(w.best) // the best is close to the one for shares
	need := w.downhill(&w.kept, func(o *order) float64 {
		w.follow(o)
		past := o.past
		if q.count > 1 {
			past += q.count * o.last.each * 1.1
		}
		return past - o.conj*w.shares
	})
	w.shared = w.kept
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

const (
	slack  = 1e-5 // how far ln of a run's errors may stay below ln of its share of beta
	nearly = 2e-3 // from where on one more of Newton's steps leads to less than that
)

// loudest returns the least z = tau/sd, from about the last on, at which the run's errors sum to at most e^target, to
// a slack below, and whether there is one.
func (w *walk) loudest(q run, target float64) (z float64, ok bool) {
	last := num.Log(w.z)
	if z, ok = w.newton(q, target, w.trail.guess(w.Bound, last+w.ahead*w.between(q))); ok {
		return z, true
	}
	q.sd = q.tau / w.z
	w.leastErrors(q)
	w.power = 2
	if z, ok = w.newton(q, target, last); ok {
		return z, true
	}
	if q.count > 1 || w.least() > w.answers { // a shorter run may do
		return z, false
	}
	at := func(z float64) float64 {
		q.sd = q.tau / z
		return w.leastErrors(q) - target
	}
	lo := w.z * (1 - 1e-3)
	for hi := lo; hi < 4*w.z; lo, hi = hi, hi*1.05 {
		if at(hi) <= 0 {
			return num.Interval{Lo: lo, Hi: hi}.SafeRoot(slack, at), true
		}
	}
	return lo, false
}

// newton is loudest where the errors fall from the start, in ln z, to the root.
func (w *walk) newton(q run, target, start float64) (z float64, ok bool) {
	least, v := num.Log(w.z)-1e-3, start
	last, before, best := v, 0.0, w.best // before is the slope there
	for range 15 {
		z = num.Exp(v)
		q.sd = q.tau / z
		g := w.errors(&w.orders[w.best], q)
		gap := g.ln - target
		if away := v - last; best == w.best && g.slope/before > 0 && math.Abs(away) > 1e-3 {
			w.power = min(max(num.Log(g.slope/before)/away, -4), 4)
		}
		last, before, best = v, g.slope, w.best
		step := -(gap + slack/2) / g.slope
		step /= max(1+w.power*step/2, 0.97) // further would be beyond where the errors are least
		if math.Abs(gap) < nearly && g.slope < 0 && !w.trail.isNew() {
			w.clear = w.trail.clear(z)
			if w.clear > 0 || !w.better(q, g.ln-slack) {
				return num.Exp(v + step), true
			}
		}
		if gap <= 0 && gap > -slack {
			if !w.better(q, g.ln-slack) {
				return z, true
			}
			continue
		}
		if v += step; !(g.slope < 0 && v > least && v < least+1) {
			return z, false
		}
	}
	return z, false
}

// better moves to an order next to the one that served last if its errors are below ln, and else finds out how clear it
// is that neither is.
func (b *Bound) better(q run, ln float64) bool {
	b.clear = math.Inf(1)
	for _, i := range [2]int{b.best - 1, b.best + 1} {
		if i < 0 || i >= len(b.orders) {
			continue
		}
		other := b.errors(&b.orders[i], q).ln
		if other < ln {
			b.best = i
			return true
		}
		b.clear = min(b.clear, other-ln)
	}
	return false
}

// leastErrors returns about the least of errors over the orders, going from the one that served last.
func (b *Bound) leastErrors(q run) float64 {
	return b.downhill(&b.best, func(o *order) float64 { return b.errors(o, q).ln })
}

// least returns about ln of the least error of one query, the last, whatever its noise.
func (w *walk) least() float64 {
	best, kept, shared := w.best, w.kept, w.shared
	_, ln := w.quietest()
	w.best, w.kept, w.shared = best, kept, shared
	return ln
}

// ending is a last query with its share, and the l at which the tilted mean is off by tau.
type ending struct {
	query
	share, l float64
}

// quietest returns about the noise at which the error of one query, the last, is least, and ln of it: at one order
// the tangent touches at u = 0.
func (w *walk) quietest() (sd, ln float64) {
	if w.end.l == 0 {
		w.end.l = min(w.end.soonest(), 0.9*mostTilt) // where no tilted mean is off by tau, below what can be evaluated
	}
	q := run{query: w.end.query, count: 1}
	w.close(&q)
	noise := func(o *order) float64 { return o.conj * math.Sqrt(2/math.Pi) / (w.n * w.end.l) }
	ln = w.downhill(&w.best, func(o *order) float64 {
		q.sd = noise(o)
		return w.errors(o, q).ln
	})
	return noise(&w.orders[w.best]), ln
}

// guess is about how many records are needed, mostly a few per cent off. Where the mean over the records is nearly
// normal and the variance lemma costs nothing, let J be the rate at which a mean is off by tau, v = tau^2/(2J), l =
// z/2^(1/2) with z the quantile of the noise at beta/m, M = (nJ)^(1/2), and X^2 what earlier answers reveal over the
// order. The best order makes ln eps_j about -(M-X)^2/(1 + n sd_j^2/v), which is -l^2, and X^2 grows by vbar/(2n
// sd_j^2). The last query has sd_j = 0 and X = M-l:
//
//	(m-1) vbar/v = l^2 ((y^4-4y)/3 + 1 - 2(y-1)^2),   y = M/l.
//
// The correction is a fit to plans: kappa costs most where the second moment is small.
func (p Plan) guess() float64 {
	q := p.query(1, p.Tau)
	rate := -q.chernoffExponent(q.side(false))
	if !p.OneSided {
		rate = min(rate, -q.chernoffExponent(q.side(true)))
	}
	share := p.Values.Share()
	if !p.Checked && p.Queries > 1 {
		share = shareAt(share, rate)
	}
	spread := p.Values.span() / 2
	most := min(p.Values.moment(share), spread*spread) * 2 * rate / (p.Tau * p.Tau) // vbar/v
	m := float64(p.Queries)
	l := p.quantile() / math.Sqrt2
	over := num.Interval{Lo: 0, Hi: num.Log(m + 2)}.SafeRoot(1e-4, func(x float64) float64 { // ln(M/l)
		y := num.Exp(x)
		return (m-1)*most/(l*l) - (y*y*y*y-4*y)/3 - 1 + 2*(y-1)*(y-1)
	})
	shift := 4 * spread * spread * rate * (1 - num.Exp(-over)) / min(p.Values.moment(share), spread*spread)
	s, steep := min(math.Log1p(shift), 2), math.Log1p(p.Tau/min(p.Values.moment(share), spread*spread))
	correction := (0.428-0.094*over)*over + 0.077/(l*l) + (0.532+0.163*over-0.089*s)*s - 0.281*steep - 0.486
	if m == 1 {
		return max(1, min(-p.Beta.Ln()/rate, MaxCount/4))
	}
	n := l * l * num.Exp(2*over+correction) / rate
	return max(1, min(n, MaxCount/4))
}
