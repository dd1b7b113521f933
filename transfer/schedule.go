package transfer

import (
	"iter"
	"math"

	"github.com/dpcalc/dpcalc/internal/num"
	"github.com/dpcalc/dpcalc/theory"
)

// NoiseSchedule is the plan of Gaussian answers with a noise of its own for each query.
// Of the [JointBound], eps_j is beta/(m+1), and twice that for the last query. Each answer but the
// last has the largest noise with which that holds, so the early ones carry more. The last
// has none where the bound allows that, and otherwise the noise at which eps_m is least.
type NoiseSchedule struct {
	Samples int64          // n
	Queries int64          // m
	Tau     float64        // the accuracy
	Beta    theory.LogProb // the failure probability
}

// NoiseBlock is a run of consecutive queries with the same noise.
type NoiseBlock struct {
	Queries int64
	SD      float64
}

// Feasible reports whether all the queries can be answered.
func (s NoiseSchedule) Feasible() bool {
	return s.walk(fineGrain, func(NoiseBlock) bool { return true }) <= 0
}

// Blocks returns the schedule in the order of the queries, which is as long as the
// plan's queries only if the plan is feasible.
func (s NoiseSchedule) Blocks() iter.Seq[NoiseBlock] {
	return func(yield func(NoiseBlock) bool) { s.walk(fineGrain, yield) }
}

func (s NoiseSchedule) valid() bool {
	goal := Goal{Samples: s.Samples, Queries: s.Queries, Tau: s.Tau, Beta: s.Beta}
	return goal.Unknown() == None && goal.Validate() == nil && !beyondHope(goal)
}

// grain says how many queries share a noise: one in begin of those answered before, one in end
// of those left, at least one. The schedule takes time and no memory, both growing as the
// logarithm of m, and asks for about a thousandth more records than one with a noise for each query.
type grain struct{ begin, end int64 }

var (
	fineGrain   = grain{16, 8}
	coarseGrain = grain{4, 3}
)

// walk yields the blocks while they are feasible. It returns an excess that falls in n, tau and beta
// and is at most 0 if the plan is feasible: about ln of m over the queries that are reached, or
// less a fraction of the room that the last few queries leave in ln eps_j.
func (s NoiseSchedule) walk(g grain, yield func(NoiseBlock) bool) (excess float64) {
	if !s.valid() {
		return math.Inf(1)
	}
	bound := newJointBound(s.Samples)
	m := float64(s.Queries)
	target := s.Beta.Ln()*(1+1e-15) - math.Log(m+1) - roundJoint
	z := num.UpperQuantile(min(target-math.Ln2, -math.Ln2)) + 1e-9
	step, room := 0.0, math.Inf(-1)
	for done := int64(0); done < s.Queries-1; {
		q := run{tau: s.Tau, count: float64(max(min(done/g.begin, (s.Queries-1-done)/g.end), 1))}
		at, ok := bound.loudest(q, target+math.Log(q.count), z*(1-1e-3), z+step)
		if !ok {
			return math.Log(m / (float64(done) + 0.5))
		}
		if s.Queries-done <= nearEnd {
			_, least := bound.quietest(s.Tau)
			room = max(room, least-target)
		}
		step, z = at-z, max(at, z) // a shorter run may allow a hair more than the one before
		q.sd = s.Tau / z
		if !yield(NoiseBlock{int64(q.count), q.sd}) {
			return 0
		}
		bound.settle()
		bound.answer(q)
		done += int64(q.count)
	}
	sd, least := bound.quietest(s.Tau)
	if before := s.Tau / z; s.Queries > 1 && sd > before { // noise falls
		sd = before
		least, _ = bound.least(run{tau: s.Tau, sd: sd, count: 1})
	}
	if target += math.Ln2; least > target {
		return math.Log(m / (m - 0.5))
	}
	if ln, _ := bound.least(run{tau: s.Tau, count: 1}); ln <= target {
		sd = 0
	}
	yield(NoiseBlock{1, sd})
	return max(room, least-target) / 300
}

// nearEnd is for how many of the last queries the room is looked at.
const nearEnd = 4

// slack is how far ln of a run's errors may stay below that of its share of beta.
const slack = 1e-10

// loudest returns the least z = tau/sd, from a given one on, at which the run's errors sum to at most
// e^target, to a slack below, and whether there is one. Newton's method begins at the guess.
func (b *JointBound) loudest(q run, target, from, guess float64) (at float64, ok bool) {
	for _, start := range [2]float64{guess, from} {
		if z, ok := b.newton(q, target, from, start); ok {
			return z, true
		}
	}
	return b.bracketed(q, target, from)
}

// newton is loudest where the errors fall from the start to the root.
func (b *JointBound) newton(q run, target, from, z float64) (at float64, ok bool) {
	for range 12 {
		q.sd = q.tau / z
		ln, slope := b.errors(&b.orders[b.best], q)
		gap := ln - target
		if gap <= 0 && gap > -slack {
			if !b.better(q, ln-slack) {
				return z, true
			}
			continue
		}
		next := z - (gap+slack/4)/slope
		if !(slope < 0 && next > from && next < 4*z) {
			return z, false
		}
		z = next
	}
	return z, false
}

// better moves to an order next to the one that served last if its errors are below ln.
func (b *JointBound) better(q run, ln float64) bool {
	for _, i := range [2]int{b.best - 1, b.best + 1} {
		if i < 0 || i >= len(b.orders) {
			continue
		}
		if other, _ := b.errors(&b.orders[i], q); other < ln {
			b.best = i
			return true
		}
	}
	return false
}

// bracketed is loudest between from and the dip, where Newton's method does not get there.
func (b *JointBound) bracketed(q run, target, from float64) (at float64, ok bool) {
	high, least := b.dip(q, from)
	if least > target {
		return high, false
	}
	return num.Interval{Lo: from, Hi: high}.SafeRoot(slack, func(z float64) float64 {
		q.sd = q.tau / z
		ln, _ := b.least(q)
		return ln - target
	}), true
}

// dip returns the z above from at which the run's errors are least, and ln of them. Each order has a
// least value of its own, below that for one query; as a function of the order these have one least.
func (b *JointBound) dip(q run, from float64) (at, least float64) {
	best := b.best
	sd, least := b.quietest(q.tau)
	at = q.tau / sd
	if q.count == 1 {
		return at, least
	}
	b.best = best
	far := math.Log(at)
	of := func(i int) (at, ln float64) {
		low, high := min(math.Log(from), far), far
		for high-low > 1e-4 {
			mid := (low + high) / 2
			q.sd = q.tau / math.Exp(mid)
			if _, slope := b.errors(&b.orders[i], q); slope < 0 {
				low = mid
			} else {
				high = mid
			}
		}
		q.sd = q.tau / math.Exp(low) // above, the variance lemma may have come to its end
		ln, _ = b.errors(&b.orders[i], q)
		return math.Exp(low), ln
	}
	at, least = of(b.best)
	for _, step := range [2]int{-1, 1} {
		for i := b.best + step; i >= 0 && i < len(b.orders); i += step {
			z, ln := of(i)
			if !(ln < least || step < 0 && math.IsInf(least, 1)) {
				break
			}
			b.best, at, least = i, z, ln
		}
	}
	return at, least
}

// quietest returns the noise at which the error of one query, the last, is least, and
// ln of it. At one order T_a' is least where its tangent touches at u = 0.
func (b *JointBound) quietest(tau float64) (sd, ln float64) {
	at := func(i int) (sd, ln float64) {
		o := &b.orders[i]
		sd = o.conj * hazardAtZero / (4 * b.n * tau)
		ln, _ = b.errors(o, run{tau: tau, sd: sd, count: 1})
		return sd, ln
	}
	sd, ln = at(b.best)
	for _, step := range [2]int{-1, 1} {
		for i := b.best + step; i >= 0 && i < len(b.orders); i += step {
			other, least := at(i)
			if !(least < ln || math.IsInf(ln, 1) && step < 0) {
				break
			}
			b.best, sd, ln = i, other, least
		}
	}
	return sd, ln
}

// hazardAtZero is phi(0)/P[N(0,1) > 0] = sqrt(2/pi).
const hazardAtZero = 0.79788456080286535588
