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
// is a fit to those with which plans of two to a million queries need the fewest records. It grows
// from one to about four, and is the same for every n and tau. Far beyond what it was fitted to nothing is cut: there a
// wrong cut would let an easier goal need more records.
func (p Plan) Cut() float64 {
	rare := p.Queries > 1e4 && p.Beta.Ln() < -70
	if _, ok := p.moment(); ok || rare || p.Queries > 1e7 {
		return 0
	}
	t := num.Log(float64(p.Queries))
	t /= 1 + 0.1*t
	rarity := max(num.Log(-p.Beta.Ln()), -0.5)
	return max(0.95+t*(0.79-0.05*t)-rarity*(0.19+t*(0.146-0.031*t)), leastCut)
}

// Blocks returns the falling noise of the plan in the order of the queries. Of the [Bound], eps_j is about three
// quarters of an equal share of what the answers before have left of beta, and for the last query all of it; for low
// variance eps_j is one of m+1 shares, and the last query has two. Each answer but the last has the largest noise with
// which that holds, so the early ones carry more. The last has none where the bound allows that, and otherwise the
// noise at which eps_m is least. The blocks are as long as the plan's queries only if [Falling] certifies it.
func (p Plan) Blocks() iter.Seq[theory.NoiseBlock] {
	return func(yield func(theory.NoiseBlock) bool) {
		p.walk(p.runLengths(), p.Cut(), func(q run) bool {
			block := theory.NoiseBlock{Queries: int64(q.count), Scale: q.sd, Cut: q.law.cut}
			if q.sd == 0 || math.IsInf(q.law.cut, 1) {
				block.Cut = 0
			}
			return yield(block)
		})
	}
}

func (p Plan) isValid() bool {
	if p.Theorem.validate() != nil {
		return false
	}
	_, varies := p.moment()
	if varies && p.Queries > mostPlanned || p.isHopeless() {
		return false
	}
	small := p.Tau > 0 && p.Tau < p.values.span() && p.Beta.IsInterior()
	return small && isCount(p.Samples) && isCount(p.Queries)
}

// isHopeless reports whether so few records allow no beta below 1-1e-12: no answer at all errs more
// rarely than e^(-2n tau^2) by the bound. The rest need not look at numbers so small.
func (p Plan) isHopeless() bool { return !(float64(p.Samples)*p.Tau*p.Tau > 1e-12) }

// runLengths says how many queries share a noise: one in begin of those answered before, one in end
// of those left, at least one. The schedule takes time and no memory, both growing as the
// logarithm of m, and asks for about a thousandth more records than one with a noise for each query.
type runLengths struct{ begin, end int64 }

var coarseGrain = runLengths{1, 4}

// cells is how many tangents bound the integral of N_b in a walk. Of many queries twelve ask for about two records in
// 10,000 more than twenty do.
func (p Plan) cells(g runLengths) int {
	switch {
	case g == coarseGrain:
		return 8
	case p.Queries > 300:
		return 12
	}
	return cells
}

func (p Plan) runLengths() runLengths {
	if _, ok := p.moment(); ok {
		return runLengths{4, 11}
	}
	return runLengths{6, 12}
}

// queries is how many come next where so many are done and left.
func (g runLengths) queries(done, left int64) int64 { return max(min(done/g.begin, left/g.end), 1) }

// lastQueries is for how many queries it is looked at what they lack in ln eps_j.
const lastQueries = 4

// unserved is the least excess of a walk that fails before the last queries.
const unserved = 100

// walk yields the runs while they are feasible. It returns an excess that falls in n, tau and beta and is at most 0
// if the plan is feasible: what the last queries lack in ln eps_j, or about ln of m over the queries that are reached.
func (p Plan) walk(g runLengths, cut float64, yield func(run) bool) (excess float64) {
	return scaledExcess(p.excess(g, cut, yield))
}

// scaledExcess makes an excess nearly linear in ln n. The excess itself grows the faster the fewer records there are.
func scaledExcess(excess float64) float64 {
	switch {
	case excess >= unserved:
		return excess
	case excess < -1:
		return 1 + math.E*excess
	}
	return -math.Expm1(-excess)
}

// excess walks the plan and returns its unscaled excess.
func (p Plan) excess(g runLengths, cut float64, yield func(run) bool) float64 {
	if !p.isValid() {
		return math.Inf(1)
	}
	b, m := newBound(p.Theorem, p.Samples, p.Queries), float64(p.Queries)
	b.chords.cell = b.chords.cell[:p.cells(g)]
	spent := p.spending()
	_, varies := p.moment()
	left := p.shares(spent.answers)
	q := b.run(theory.NoiseBlock{Cut: cut}, p.Tau)
	s := begin(max(q.law.quantile(spent.answers-num.Log(m+1)-p.sides.lnCount()), leastZ))
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
			lack = max(lack, next.ln-left.ln(left.each))
		} else if done == p.Queries-2 && !varies { // mostly this is the first to fail, and so the excess is smooth
			_, least := b.leastErrorNoise(q, s.z)
			lack = max(lack, least-left.ln(left.each))
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
	target := left.ln(left.last)
	z, least := b.leastErrorNoise(q, s.z)
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
		if next, ok = b.mostNoise(*q, left.ln(q.count*left.each), s.z, s); !ok {
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

// shares is a failure probability and how many equal shares of it are left, of which an answer takes some.
type shares struct {
	unit       float64 // ln of the whole
	part       float64 // of the whole that is left
	count      float64
	each, last float64 // what an answer takes
}

// shares divides what the answers may err. The last answer takes all that is left. Any division is valid. With this one
// plans need up to half a per cent fewer records than with m+1 equal shares, two of them for the last answer. Low
// variance keeps the latter, which is about the best there.
func (p Plan) shares(ln float64) shares {
	m := float64(p.Queries)
	if _, varies := p.moment(); varies {
		return shares{unit: ln, part: 1, count: m + 1, each: 1, last: 2}
	}
	return shares{unit: ln, part: 1, count: m, each: num.Exp(-0.25 - 0.3/m), last: 1}
}

// ln is ln of so many shares of what is left.
func (s shares) ln(count float64) float64 { return s.unit + num.Log(s.part*count/s.count) }

// spend takes the errors of so many answers away.
func (s *shares) spend(ln, count float64) {
	s.part -= num.Exp(ln - s.unit)
	s.count -= count
}

// slack is how far ln of a run's errors may stay below what it may be.
const slack = 1e-3

// search is where the last run's z = tau/sd was found, and how it changes from run to run.
type search struct {
	z, ln float64 // and ln of the errors there
	slope float64 // of ln of the errors in ln z
	root  float64 // the z at which the errors are what was aimed at
	count float64 // of the queries of the run
	step  float64 // how many queries it is after the run before, middle to middle
	rate  float64 // by which root grew for each of them
	bend  float64 // ln of the factor by which the rate grew for each query, 0 if unknown
}

// begin is the search before the first run, whose z is at least that.
func begin(z float64) search { return search{z: z, root: z, slope: -z * z} }

// found is the search that ended with the next run at z, where its errors are off by the gap from what they may be.
func (s search) found(q run, z, ln, gap, slope float64) search {
	next := search{z: z, ln: ln, slope: slope, root: z * (1 - (gap+slack/2)/slope), count: q.count}
	if s.count == 0 { // there was no run before
		return next
	}
	next.step = (s.count + q.count) / 2
	if next.rate = (next.root - s.root) / next.step; s.rate > 0 && next.rate > 0 {
		next.bend = num.Log(next.rate/s.rate) / ((s.step + next.step) / 2)
	}
	return next
}

// ahead guesses the z of the next run.
func (s search) ahead(q run) float64 {
	step := (s.count + q.count) / 2
	return s.root + max(s.rate, 0)*step*num.Exp(min(s.bend*(s.step+step)/2, 1))
}

// mostNoise returns the least z = tau/sd, from a given one on, at which the run's errors sum to at most e^target, to a
// slack below, and whether there is one.
func (b *Bound) mostNoise(q run, target, from float64, s search) (next search, ok bool) {
	slope := s.slope
	least, lo, hi := num.Log(from), math.Inf(-1), math.Inf(1)
	v := num.Log(min(max(s.ahead(q), from), mostZ))
	last, lastV := math.Inf(1), 0.0 // of the look before
	gap := math.Inf(1)
	var quiet search // at hi
	for range 40 {
		z := num.Exp(v)
		if v <= least { // so that no noise is louder by a rounding
			z = from
		}
		q.sd = q.tau / z
		var ln float64
		if near := math.Abs(gap) < 0.2; near || math.IsInf(gap, 1) {
			ln = b.lean(q, near)
		} else {
			ln = b.leastErrors(q)
		}
		gap = ln - target
		switch enough := gap >= -slack || v <= least; {
		case gap <= 0 && enough:
			return s.found(q, z, ln, gap, slope), true
		case gap > 0:
			lo = v
		default:
			hi, quiet = v, s.found(q, z, ln, gap, slope)
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
	if hi < math.Inf(1) { // the errors jump: an order begins to hold
		return quiet, true
	}
	z, ln := b.leastErrorNoise(q, from)
	if ln > target {
		next = begin(z)
		next.ln = ln
		return next, false
	}
	v = num.Interval{Lo: least, Hi: num.Log(z)}.SafeRoot(slack/100, func(v float64) float64 {
		q.sd = q.tau / num.Exp(v)
		return b.leastErrors(q) - target
	})
	z = num.Exp(v)
	q.sd = q.tau / z
	ln = b.leastErrors(q)
	return s.found(q, z, ln, ln-target, slope), ln <= target
}

// lean returns ln of the errors at about the best order, soon. After the first runs orders change slowly: the lower
// neighbour has its turn after an even number of runs, the upper one after an odd number, and none once the order is
// settled.
func (b *Bound) lean(q run, settled bool) float64 {
	_, varies := b.moment()
	if soon := settled || len(b.answered) >= 7; varies || !soon || !q.isUseful() {
		return b.leastErrors(q)
	}
	least := b.errors(&b.orders[b.best], q)
	if math.IsInf(least, 1) {
		return b.leastErrors(q)
	}
	if i := b.best - 1 + len(b.answered)%2*2; !settled && i >= 0 && i < len(b.orders) {
		if other := b.errors(&b.orders[i], q); other < least {
			b.best, least = i, other
		}
	}
	return least
}

// leastErrorNoise returns about the z from the given one on at which the run's errors are least, and ln of them. They
// may have two minima: at one order T_b is least where its tangent touches at 0, and N_b before.
func (b *Bound) leastErrorNoise(q run, from float64) (z, least float64) {
	at := func(v float64) float64 {
		q.sd = q.tau / num.Exp(v)
		return b.lean(q, false)
	}
	points, low, touches := 4, num.Log(from), num.Log(b.touches(q))
	if _, varies := b.moment(); varies {
		points = 9 // its minima are narrower
	}
	v, _ := num.Interval{Lo: low, Hi: max(low+0.3, touches+0.1)}.MinimizeScanned(points, 1e-2, func(v float64) float64 {
		return min(at(v), 1e9)
	}, touches)
	q.sd = q.tau / num.Exp(v)
	return num.Exp(v), b.leastErrors(q)
}

// touches is the tau/sd at which the tangent at order one touches at 0: of the sides that count, the least.
func (b *Bound) touches(q run) float64 {
	l := q.breaking(b.side(false))
	if b.sides == Both && !b.values.isSymmetric() {
		l = min(l, q.breaking(b.side(true)))
	}
	return b.n * q.tau * l / q.law.atTopRate
}
