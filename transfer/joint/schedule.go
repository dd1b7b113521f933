package joint

import (
	"iter"
	"math"

	"github.com/dpcalc/dpcalc/internal/num"
	"github.com/dpcalc/dpcalc/theory"
	"github.com/dpcalc/dpcalc/transfer/internal/walks"
)

// Plan is Gaussian answers to Queries adaptive queries about Samples records, all within Tau of the population but
// with probability Beta. A field that is to be found may be zero.
type Plan struct {
	Samples int64          // n
	Queries int64          // m
	Tau     float64        // the accuracy, in (0,1)
	Beta    theory.LogProb // the failure probability, in (0,1)
	Sides   Sides          // the answers that fail: those off by more than Tau, or above by more
}

// Blocks returns the falling noise of the plan in the order of the queries. Of the [Bound], eps_j is beta/(m+1), and
// twice that for the last query. Each answer but the last has the largest noise with which that holds, so the early
// ones carry more. The last has none where the bound allows that, and otherwise the noise at which eps_m is
// least. The blocks are as long as the plan's queries only if [Falling] certifies it.
func (s Plan) Blocks() iter.Seq[theory.NoiseBlock] {
	return func(yield func(theory.NoiseBlock) bool) { s.walk(fineGrain, nil, yield) }
}

func (s Plan) valid() bool {
	counted := isCount(s.Samples) && isCount(s.Queries)
	small := s.Tau > 0 && s.Tau < 1 && s.Beta.Interior()
	return counted && small && !s.beyondHope()
}

func isCount(n int64) bool { return n >= 1 && n <= theory.MaxSamples }

// beyondHope reports whether so few records allow no beta below 1-1e-12: no answer at all errs more
// rarely than e^(-2n tau^2) by the bound. What follows need not look at numbers so small.
func (s Plan) beyondHope() bool { return !(float64(s.Samples)*s.Tau*s.Tau > 1e-12) }

// grain says how many queries share a noise: one in begin of those answered before, one in end
// of those left, at least one. The schedule takes time and no memory, both growing as the
// logarithm of m, and asks for about a thousandth more records than one with a noise for each query.
type grain struct{ begin, end int64 }

var (
	fineGrain   = grain{6, 12}
	coarseGrain = grain{1, 5}
)

// walk yields the blocks while they are feasible. It returns an excess that falls in n, tau and beta
// and is at most 0 if the plan is feasible: about ln of m over the queries that are reached, or
// a fraction of what the last few queries lack in ln eps_j, less than zero where they have room. By a trail,
// if there is one, a walk is sooner done, its blocks are close to feasible ones, and it may fail for a feasible plan.
func (s Plan) walk(g grain, t *trail, yield func(theory.NoiseBlock) bool) (excess float64) {
	if !s.valid() {
		return math.Inf(1)
	}
	t.begin()
	bound := newBound(s.Samples, s.Sides)
	m := float64(s.Queries)
	target := s.Beta.Ln()*(1+1e-15) - num.Log(m+1) - roundJoint
	z := num.UpperQuantile(min(target-s.Sides.lnCount(), -math.Ln2)) + 1e-9
	before, step, lack := 0.0, 0.0, math.Inf(-1)
	for done := int64(0); done < s.Queries-1; {
		q := run{tau: s.Tau, sides: s.Sides, count: float64(max(min(done/g.begin, (s.Queries-1-done)/g.end), 1))}
		share := target + num.Log(q.count)
		at, ok := t.follow(bound, q, share)
		if !ok {
			at, ok = bound.loudest(q, share, z*(1-1e-3), z+ahead(before, step), t != nil)
		}
		t.lay(bound, at)
		if s.Queries-done <= walks.LastQueries {
			_, least := bound.quietest(s.Tau)
			lack = max(lack, least-target)
		}
		if !ok && !(lack > 0) {
			return walks.Unserved + num.Log(m/(float64(done)+0.5))
		}
		// A shorter run may allow a hair more than the one before.
		before, step, z = step, at-z, max(at, z)
		q.sd = s.Tau / z
		if lack <= 0 && !yield(theory.NoiseBlock{Queries: int64(q.count), Scale: q.sd}) {
			return 0
		}
		bound.answer(q)
		done += int64(q.count)
	}
	sd, least := bound.quietest(s.Tau)
	if before := s.Tau / z; s.Queries > 1 && sd > before { // noise falls
		sd = before
		least, _ = bound.least(run{tau: s.Tau, sd: sd, count: 1, sides: s.Sides})
	}
	target += math.Ln2
	if lack = max(lack, least-target); lack > 0 {
		return lack / walks.PerLn(s.Queries, s.Beta)
	}
	if ln, _ := bound.least(run{tau: s.Tau, count: 1, sides: s.Sides}); ln <= target {
		sd = 0
	}
	t.keep()
	yield(theory.NoiseBlock{Queries: 1, Scale: sd})
	return lack / walks.PerLn(s.Queries, s.Beta)
}

// trail is what a feasible walk leaves for the next over as many queries, for about as many records: the
// orders and the noise of the blocks. A nil one is no trail: what is certified is walked without.
type trail struct {
	posts, next []post
	scale       float64 // by what tau/sd differs from the last walk's
}

// post says which order served a block, by how much ln of the errors was above at the next ones, and its tau/sd.
type post struct {
	order    int
	clear, z float64
}

// begin is called before a walk, and keep after one that was feasible.
func (t *trail) begin() {
	if t != nil {
		t.next, t.scale = t.next[:0], 1
	}
}

func (t *trail) keep() {
	if t != nil {
		t.posts, t.next = t.next, t.posts
	}
}

// follow returns about the block's tau/sd, if it is near the last walk's: the last step of Newton's method is not
// checked. It begins at the order that served then, and looks at others where that was not clearly the best.
func (t *trail) follow(b *Bound, q run, target float64) (z float64, ok bool) {
	if t == nil || len(t.next) >= len(t.posts) || math.Abs(t.scale-1) > 0.1 {
		return 0, false
	}
	best, p := b.best, t.posts[len(t.next)]
	b.best, z = p.order, p.z*t.scale
	var last errorsAt
	for range 12 {
		q.sd = q.tau / z
		now := errorsAt{order: b.best, z: z}
		now.ln, now.slope = b.errors(&b.orders[b.best], q)
		gap := now.ln - target
		if z -= now.excess(gap, last); !(now.slope < 0 && math.Abs(z-now.z) < 0.01*z) {
			break
		}
		if last = now; math.Abs(gap) > nearlyThere {
			continue
		}
		b.clear = p.clear - drift*p.z*math.Abs(z-p.z)
		if b.clear > 0 || !b.better(q, now.ln-slack) {
			return z, true
		}
	}
	b.best = best
	return 0, false
}

// drift is more than ln of the errors at two neighbouring orders moves apart, in (tau/sd)^2.
const drift = 1.5

// lay sets the block's post.
func (t *trail) lay(b *Bound, z float64) {
	if t == nil {
		return
	}
	if i := len(t.next); i < len(t.posts) {
		t.scale = z / t.posts[i].z
	}
	t.next = append(t.next, post{b.best, b.clear, z})
}

// ahead guesses a step from the last two.
func ahead(before, last float64) float64 {
	if before > 0 && last > 0 {
		return last * min(last/before, 2)
	}
	return last
}

// nearlyThere is how far ln of a run's errors may be off before a step of Newton's method leaves nothing to speak of.
const nearlyThere = 1e-4

// slack is how far ln of a run's errors may stay below ln of its share of beta.
const slack = 1e-10

// loudest returns the least z = tau/sd, from a given one on, at which the run's errors sum to at most
// e^target, to a slack below, and whether there is one. Newton's method begins at the guess. Where about that z is
// enough, its last step is not checked.
func (b *Bound) loudest(q run, target, from, guess float64, about bool) (at float64, ok bool) {
	for _, start := range [2]float64{guess, from} {
		if z, ok := b.newton(q, target, from, start, about); ok {
			return z, true
		}
	}
	return b.bracketed(q, target, from)
}

// newton is loudest where the errors fall from the start to the root. From an order that the theorem does not allow it
// moves to the best of all.
func (b *Bound) newton(q run, target, from, z float64, about bool) (at float64, ok bool) {
	var last errorsAt
	for range 12 {
		q.sd = q.tau / z
		p := errorsAt{order: b.best, z: z}
		p.ln, p.slope = b.errors(&b.orders[b.best], q)
		if math.IsInf(p.ln, 1) {
			if math.IsInf(b.leastOfAll(q), 1) {
				return z, false
			}
			continue
		}
		gap := p.ln - target
		exact := gap <= 0 && gap > -slack
		if exact || about && math.Abs(gap) <= nearlyThere {
			if b.better(q, p.ln-slack) {
				continue
			}
			if !exact {
				z -= p.excess(gap, last)
			}
			return z, true
		}
		if z -= p.excess(gap+slack/4, last); !(p.slope < 0 && z > from && z < 4*p.z) {
			return p.z, false
		}
		last = p
	}
	return z, false
}

// errorsAt is ln of a run's errors at z, and about its derivative.
type errorsAt struct {
	order        int
	z, ln, slope float64
}

// excess returns about by how much z is above where ln is less by the gap. Two points at one order tell how far off
// their slopes are, and the curvature.
func (p errorsAt) excess(gap float64, last errorsAt) float64 {
	step := gap / p.slope
	if last.order != p.order || last.z == p.z || last.z == 0 {
		return step
	}
	step *= (p.slope + last.slope) / 2 * (p.z - last.z) / (p.ln - last.ln)
	if bend := (p.slope - last.slope) / (p.z - last.z) / p.slope; math.Abs(step*bend) < 0.5 {
		step /= 1 - step*bend/2
	}
	return step
}

// better moves from the order that served last to one near it with the least errors, if they are below
// ln, and else finds out how clear it is that none is.
func (b *Bound) better(q run, ln float64) (found bool) {
	b.clear = math.Inf(1)
	for _, step := range [2]int{-1, 1} {
		for i := b.best + step; i >= 0 && i < len(b.orders); i += step {
			other, _ := b.errors(&b.orders[i], q)
			if !(other < ln) {
				b.clear = min(b.clear, other-ln)
				break
			}
			b.best, ln, found = i, other, true
		}
		if found {
			break
		}
	}
	return found
}

// bracketed is loudest between from and the dip, where Newton's method does not get there.
func (b *Bound) bracketed(q run, target, from float64) (at float64, ok bool) {
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
func (b *Bound) dip(q run, from float64) (at, least float64) {
	best := b.best
	sd, least := b.quietest(q.tau)
	at = q.tau / sd
	if q.count == 1 {
		return at, least
	}
	b.best = best
	far := num.Log(at)
	of := func(i int) (at, ln float64) {
		low, high := min(num.Log(from), far), far
		for high-low > 1e-4 {
			mid := (low + high) / 2
			q.sd = q.tau / num.Exp(mid)
			if _, slope := b.errors(&b.orders[i], q); slope < 0 {
				low = mid
			} else {
				high = mid
			}
		}
		q.sd = q.tau / num.Exp(low) // above, the variance lemma may have come to its end
		ln, _ = b.errors(&b.orders[i], q)
		return num.Exp(low), ln
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
func (b *Bound) quietest(tau float64) (sd, ln float64) {
	at := func(i int) (sd, ln float64) {
		o := &b.orders[i]
		sd = o.conj * hazardAtZero / (4 * b.n * tau)
		ln, _ = b.errors(o, run{tau: tau, sd: sd, count: 1, sides: b.sides})
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

// scheduled chooses a [Plan].
type scheduled struct {
	known        map[Plan]walked
	trailed      map[Plan]float64 // the excess of walks by the fine trail
	fine, coarse trail
}

func newScheduled() choice {
	return &scheduled{known: make(map[Plan]walked), trailed: make(map[Plan]float64)}
}

// walked is what a walk has shown: the excess, the first and the last noise.
type walked struct{ excess, first, last float64 }

// walk is the truth: it is the walk of a schedule on its own.
func (c *scheduled) walk(p Plan) walked {
	w, ok := c.known[p]
	if ok {
		return w
	}
	w.excess = p.walk(fineGrain, nil, func(block theory.NoiseBlock) bool {
		if w.last = block.Scale; w.first == 0 {
			w.first = block.Scale
		}
		return true
	})
	c.known[p] = w
	return w
}

func (c *scheduled) excess(p Plan) float64 { return c.walk(p).excess }

func (c *scheduled) holds(p Plan) bool { return c.excess(p) <= 0 }

func (c *scheduled) likely(p Plan) bool { return c.tuned(p) <= 0 }

func (c *scheduled) rough(p Plan) float64 {
	return p.walk(coarseGrain, &c.coarse, func(theory.NoiseBlock) bool { return true })
}

// tuned is excess by the trail. What it finds feasible may not be, nor the other way round, by a hair.
func (c *scheduled) tuned(p Plan) float64 {
	if w, ok := c.known[p]; ok {
		return w.excess
	}
	excess, ok := c.trailed[p]
	if !ok {
		excess = p.walk(fineGrain, &c.fine, func(theory.NoiseBlock) bool { return true })
		c.trailed[p] = excess
	}
	return excess
}

func (c *scheduled) near(l line, d num.Descent) (num.Landing, bool) { return d.Least(l.of(c.rough)) }
func (c *scheduled) root(l line, d num.Descent) (num.Landing, bool) { return d.Least(l.of(c.tuned)) }

// least lands so far off that a line tells where the excess is 0: the walk there is the one that certifies. Where that
// is further below 0 than the line says, a certified walk with less must fail.
func (c *scheduled) least(l line, d num.Descent) (float64, bool) {
	// By the bend, a line over the step is off by some 100 times the step times the trust: a third of the tolerance.
	d.Trust = min(d.Tolerance/(300*d.Step), d.Step/25)
	found, ok := c.root(l, d)
	if !ok {
		return found.X, false
	}
	x, slope := min(found.Zero+d.Tolerance/2, found.X), 0.0
	y := c.excess(l.nearest(x))
	if x < found.X {
		slope = max(found.Slope, 2*(c.tuned(l.nearest(found.X))-y)/(found.X-x))
	}
	if y <= 0 && (y >= slope*d.Tolerance || c.excess(l.nearest(x-2*d.Tolerance)) > 0) {
		return x, true
	}
	d = num.Descent{From: x, Step: d.Tolerance, Most: d.Most, Tolerance: d.Tolerance, Early: d.Early}
	found, ok = d.Least(l.of(c.excess))
	return found.X, ok
}

func (c *scheduled) run(p Plan) Run {
	w := c.walk(p)
	return Run{First: w.first, Last: w.last}
}
