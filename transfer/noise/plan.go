package noise

import (
	"iter"
	"math"

	"github.com/dpcalc/dpcalc/internal/num"
	"github.com/dpcalc/dpcalc/theory"
)

// Plan is Gaussian answers to Queries adaptive queries about Samples records, all within Tau of the population but
// with probability Beta. A field that is to be found may be zero.
type Plan struct {
	Theorem
	Samples int64          // n
	Queries int64          // m
	Tau     float64        // the accuracy, in (0,1), or in (0,2) for differences
	Beta    theory.LogProb // the failure probability, in (0,1)
}

// mostPlanned is the largest number of queries of a plan for low variance: for more, what a search takes is no longer a
// matter of seconds.
const mostPlanned = 10_000_000

// Cut returns where the noise of the plan is cut, in standard deviations, and 0 for nowhere. Any cut is valid. This one
// is a fit to those with which plans of two to a million queries need the fewest records: within two thousandths of the
// least, and up to a fifth fewer than without a cut. It grows from one to about four, and is the same for every n and
// tau. Far beyond what it was fitted to nothing is cut: there a wrong cut would let an easier goal need more records.
func (p Plan) Cut() float64 {
	if _, ok := p.moment(); ok || p.Queries > 1e7 || p.Beta.Ln() < -70 {
		return 0
	}
	t := num.Log(float64(p.Queries))
	t /= 1 + 0.1*t
	rarity := max(num.Log(-p.Beta.Ln()), -0.5)
	return max(0.95+t*(0.79-0.05*t)-rarity*(0.19+t*(0.146-0.031*t)), leastCut)
}

// Blocks returns the falling noise of the plan in the order of the queries. Of the [Bound], eps_j is about beta/(m+1),
// and twice that for the last query. Each answer but the last has the largest noise with which that holds, so the early
// ones carry more. The last has none where the bound allows that, and otherwise the noise at which eps_m is
// least. The blocks are as long as the plan's queries only if [Falling] certifies it.
func (p Plan) Blocks() iter.Seq[theory.NoiseBlock] {
	return func(yield func(theory.NoiseBlock) bool) {
		p.walk(p.grain(), p.Cut(), func(q run) bool {
			block := theory.NoiseBlock{Queries: int64(q.count), Scale: q.sd, Cut: q.law.cut}
			if q.sd == 0 || math.IsInf(q.law.cut, 1) {
				block.Cut = 0
			}
			return yield(block)
		})
	}
}

func (p Plan) valid() bool {
	if p.Theorem.validate() != nil {
		return false
	}
	_, varies := p.moment()
	if varies && p.Queries > mostPlanned || p.beyondHope() {
		return false
	}
	small := p.Tau > 0 && p.Tau < p.values.span() && p.Beta.Interior()
	return small && isCount(p.Samples) && isCount(p.Queries)
}

// beyondHope reports whether so few records allow no beta below 1-1e-12: no answer at all errs more
// rarely than e^(-2n tau^2) by the bound. The rest need not look at numbers so small.
func (p Plan) beyondHope() bool { return !(float64(p.Samples)*p.Tau*p.Tau > 1e-12) }

// grain says how many queries share a noise: one in begin of those answered before, one in end
// of those left, at least one. The schedule takes time and no memory, both growing as the
// logarithm of m, and asks for about a thousandth more records than one with a noise for each query.
type grain struct{ begin, end int64 }

var coarseGrain = grain{1, 4}

func (p Plan) grain() grain {
	if _, ok := p.moment(); ok {
		return grain{4, 11}
	}
	return grain{6, 12}
}

// queries is how many come next where so many are done and left.
func (g grain) queries(done, left int64) int64 { return max(min(done/g.begin, left/g.end), 1) }

// lastQueries is for how many queries it is looked at what they lack in ln eps_j.
const lastQueries = 4

// unserved is the least excess of a walk that fails before the last queries.
const unserved = 100

// walk yields the runs while they are feasible. It returns an excess that falls in n, tau and beta and is at most 0
// if the plan is feasible: what the last queries lack in ln eps_j, or about ln of m over the queries that are reached.
func (p Plan) walk(g grain, cut float64, yield func(run) bool) (excess float64) {
	if !p.valid() {
		return math.Inf(1)
	}
	b, m := newBound(p.Theorem, p.Samples, p.Queries), float64(p.Queries)
	spent := p.spending()
	_, varies := p.moment()
	left := newShares(spent.answers, m+1)
	q := b.run(theory.NoiseBlock{Cut: cut}, p.Tau)
	s := search{z: q.law.quantile(left.ln(1) - p.sides.lnCount())}
	lack := math.Inf(-1)
	for done := int64(0); done < p.Queries-1 && left.part > 0; done += int64(q.count) {
		q.count = float64(g.queries(done, p.Queries-1-done))
		near := p.Queries-done <= lastQueries
		next, ok := b.allot(&q, left, spent, s)
		for ; !ok && q.count > 1 && varies; next, ok = b.allot(&q, left, spent, s) {
			q.count = math.Floor(q.count / 2) // what so many reveal is more than they may
		}
		if !ok && !near {
			return unserved + num.Log(m/(float64(done)+0.5))
		}
		if !ok { // it goes on, for what all that are left lack
			lack = max(lack, next.ln-left.ln(1))
		} else if done == p.Queries-2 && !varies { // mostly this is the first to fail, and so the excess is smooth
			_, least := b.quietest(q, s.z)
			lack = max(lack, least-left.ln(1))
		}
		s = next
		q.sd = p.Tau / s.z
		if lack <= 0 && !yield(q) {
			return 0
		}
		b.pass(q, s.ln)
		left.spend(s.ln, q.count)
	}
	if !(left.part > 0) {
		return lack
	}
	q.count = 1
	b.spend(&q, spent.last(p.sides))
	target := left.ln(2)
	z, least := b.quietest(q, s.z)
	if lack = max(lack, least-target); lack > 0 {
		return lack
	}
	last := q
	last.sd = p.Tau / z
	if q.sd = 0; b.leastErrors(q) <= target {
		last = q
	}
	yield(last)
	return lack
}

// allot chooses the share of a run and the largest noise with which it errs as rarely as it may.
func (b *Bound) allot(q *run, left shares, spent spending, s search) (next search, ok bool) {
	q.share = b.share()
	for range 8 {
		b.spend(q, spent)
		b.orient(*q, s.z)
		if next, ok = b.loudest(*q, left.ln(q.count), s.z, s); !ok {
			return next, false
		}
		if q.sd = q.tau / next.z; b.affords(*q, spent) {
			return next, true
		}
	}
	return next, false
}

// orient goes to about the best order before one of the first queries. For low variance there may be two minima, one
// for each kind of certificate, and it looks at all. Else, in the limit of normal means, with V = 1/(4n) and X the sum
// of V/sd^2 over the answers so far,
//
//	u = exp((a-1) X/2 - tau^2/(2 (sd^2 + a'V))),   which is least at a-1 = (tau sqrt(V/X) - V)/(sd^2 + V).
func (b *Bound) orient(q run, z float64) {
	q.sd = q.tau / z
	_, varies := b.moment()
	if first := len(b.answered) == 1 || len(b.answered) == 3; varies && first {
		b.around(q, 4)
	}
	if shift := b.shift + (q.count-1)*b.step(q); !varies && shift > 0 && b.best == len(b.orders)-1 {
		excess := (q.tau/(2*b.n*math.Sqrt(shift)) - 1/(4*b.n)) / (q.sd*q.sd + 1/(4*b.n))
		for b.best > 0 && b.orders[b.best].a > 1+excess {
			b.best--
		}
	}
}

// shares is a failure probability and how many equal shares of it are left.
type shares struct {
	unit  float64 // ln of the whole
	part  float64 // of the whole that is left
	count float64
}

func newShares(ln, count float64) shares { return shares{ln, 1, count} }

// ln is ln of so many shares of what is left.
func (s shares) ln(count float64) float64 { return s.unit + num.Log(s.part*count/s.count) }

// spend takes the errors of so many answers away.
func (s *shares) spend(ln, count float64) {
	s.part -= num.Exp(ln - s.unit)
	s.count -= count
}

// slack is how far ln of a run's errors may stay below ln of its share of beta.
const slack = 1e-3

// search is where the last run's z = tau/sd was found, and what is expected of the next.
type search struct {
	z, ln        float64 // ln of the errors there
	before, step float64 // of z, from the last runs
	slope, bent  float64 // of ln of the errors in ln z, 0 if unknown; and by what factor it changed
}

// found is the search that ended at z.
func (s search) found(z, ln, slope float64) search {
	next := search{z: z, ln: ln, before: s.step, step: z - s.z, slope: slope, bent: 1}
	if s.slope == 0 { // there was no run before
		next.step = 0
	} else if bent := slope / s.slope; bent > 0.8 && bent < 1.25 {
		next.bent = bent
	}
	return next
}

// ahead guesses the next z from the last steps.
func (s search) ahead() float64 {
	if s.before > 0 && s.step > 0 {
		return s.z + s.step*min(s.step/s.before, 2)
	}
	return s.z + max(s.step, 0)
}

// loudest returns the least z = tau/sd, from a given one on, at which the run's errors sum to at most e^target, to a
// slack below, and whether there is one.
func (b *Bound) loudest(q run, target, from float64, s search) (next search, ok bool) {
	slope := s.slope * s.bent
	if slope == 0 {
		slope = -s.z * s.z
	}
	least, lo, hi := num.Log(from), math.Inf(-1), math.Inf(1)
	v := num.Log(max(s.ahead(), from))
	last, lastV := math.Inf(1), 0.0 // of the look before
	gap := math.Inf(1)
	_, varies := b.moment()
	for range 40 {
		q.sd = q.tau / num.Exp(v)
		ln := math.Inf(1)
		if !varies && math.Abs(gap) < 0.03 && q.useful() { // a look from afar chooses the order
			ln = b.errors(&b.orders[b.best], q)
		}
		if math.IsInf(ln, 1) {
			ln = b.leastErrors(q)
		}
		gap = ln - target
		switch enough := gap >= -slack || v <= least; {
		case gap <= 0 && enough:
			return s.found(q.tau/q.sd, ln, slope), true
		case gap > 0:
			lo = v
		default:
			hi = v
		}
		if chord := (ln - last) / (v - lastV); chord < 0 && chord > -math.MaxFloat64 {
			slope = chord
		} else if ln > last && v > lastV && lo == v { // beyond the least
			break
		}
		last, lastV = ln, v
		v = max(v-max(min((gap+slack/2)/slope, 0.2), -0.2), least)
		if v <= lo || v >= hi {
			v = max((lo+hi)/2, least)
		}
		if ended := v >= hi && hi > least; v <= lo || ended || math.IsInf(v, 0) {
			break
		}
	}
	z, quiet := b.quietest(q, from)
	if quiet > target {
		return search{z: z, ln: quiet}, false
	}
	v = num.Interval{Lo: least, Hi: num.Log(z)}.SafeRoot(slack/100, func(v float64) float64 {
		q.sd = q.tau / num.Exp(v)
		return b.leastErrors(q) - target
	})
	z = num.Exp(v)
	q.sd = q.tau / z
	ln := b.leastErrors(q)
	return s.found(z, ln, slope), ln <= target
}

// quietest returns about the z from the given one on at which the run's errors are least, and ln of them. They may have
// two minima: at one order T_b is least where its tangent touches at 0, and N_b before.
func (b *Bound) quietest(q run, from float64) (z, least float64) {
	at := func(v float64) float64 {
		q.sd = q.tau / num.Exp(v)
		return b.leastErrors(q)
	}
	points, low, touches := 5, num.Log(from), num.Log(b.touches(q))
	if _, varies := b.moment(); varies {
		points = 9 // its minima are narrower
	}
	v, _ := num.Interval{Lo: low, Hi: max(low+0.3, touches+0.1)}.MinimizeScanned(points, 1e-2, func(v float64) float64 {
		return min(at(v), 1e9)
	}, touches)
	return num.Exp(v), at(v)
}

// touches is the tau/sd at which the tangent at order one touches at 0: of the sides that count, the least.
func (b *Bound) touches(q run) float64 {
	l := q.breaking(b.side(false))
	if b.sides == Both && !b.values.symmetric() {
		l = min(l, q.breaking(b.side(true)))
	}
	return b.n * q.tau * l / q.law.atTopRate
}
